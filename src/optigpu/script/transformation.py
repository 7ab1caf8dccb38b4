"""What a transformation is: a function of a session that runs as one step of the script."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from optigpu.script.arguments import check_arguments
from optigpu.script.session import Session

P = ParamSpec("P")
R = TypeVar("R")


class TransformGroup:
    """A group of transformations: `s.loop`, `s.matrix`, …"""

    name: ClassVar[str] = ""

    def __init__(self, session: Session) -> None:
        self.session = session


def transformation(f: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Any, P], R]:
    """Make a function one step of a script: `f(session, …)`, or a method of a group.

    Inside it other transformations can be called; they are parts of the same step. What it returns is returned. It may read and
    replace `session.program` as it likes: the checker decides.
    """

    @wraps(f)
    def run(owner: Any, /, *args: P.args, **kwargs: P.kwargs) -> R:
        session: Session = owner if isinstance(owner, Session) else owner.session
        group = owner.name + "." if isinstance(owner, TransformGroup) else ""

        def body() -> R:
            check_arguments(f, owner, args, kwargs)
            return f(owner, *args, **kwargs)

        return session.run_step(group + f.__name__, body, args, kwargs)

    return run
