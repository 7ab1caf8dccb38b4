"""The loops that a transformation is applied to, and names for their indices."""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.script.editing import StatementPath
from optigpu.script.program_names import names_apart_from_indices, names_in_body
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.syntax.program import For
from optigpu.transform.tools.declared_types import declared
from optigpu.transform.tools.refusal import refuse


def loop_at(session: Session, target: TargetLike) -> tuple[StatementPath, For]:
    path = session.find(target, "for")
    s = session.at(path)
    if not isinstance(s, For):
        raise refuse("this is not a loop", s)
    return path, s


def loops_at(session: Session, target: TargetLike) -> Iterator[tuple[StatementPath, For]]:
    """All loops with an index for a bare name; for a target one loop, or all of them if it says `.all`.

    Each is looked up when it is its turn, so an edit of one is seen by those after it.
    """
    paths = session.find_all(target, "for") if isinstance(target, str) else session.find_those(target, "for")
    return (loop_at(session, path) for path in paths)


def index_name(session: Session, name: str, path: StatementPath, loop: For) -> str:
    """A name for the index of a loop: `name` itself unless it has another meaning in the loop or around it, else `name1`, …"""
    taken = names_in_body((loop,)) | names_apart_from_indices(session.function_of(path))
    return session.fresh(name, path) if name in taken or declared(session, path, name) else name
