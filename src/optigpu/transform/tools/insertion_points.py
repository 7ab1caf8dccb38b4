"""Points of a program that scripts name by `before=` or `after=`."""

from __future__ import annotations

from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.transform.tools.refusal import refuse


def insertion_point(session: Session, before: TargetLike | None, after: TargetLike | None) -> StatementPath:
    """The point before or after a statement; exactly one of the two is given."""
    if before is not None and after is None:
        return session.find(before)
    if after is not None and before is None:
        return session.find(after).sibling(1)
    raise refuse("say where: before=… or after=…", code="OG604")
