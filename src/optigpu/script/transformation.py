"""What a transformation is: a function of a session that runs as one step of the script."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from optigpu.script.arguments import check_arguments
from optigpu.script.call_site import call_site
from optigpu.script.session import Session
from optigpu.syntax.diagnostic import Diagnostic, InputError

P = ParamSpec("P")
R = TypeVar("R")


class TransformGroup:
    """A group of transformations of a session: `s.loop`, `s.matrix`, …"""

    name: ClassVar[str] = ""

    def __init__(self, session: Session) -> None:
        self.session = session


def require_script(s: object) -> None:
    if not isinstance(s, Session):
        message = f"a transformation takes a script, not {type(s).__name__}"
        raise InputError(Diagnostic("OG604", message, call_site().loc, help='s = og.Script("kernel.c") first'))


def transformation(f: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[Session | TransformGroup, P], R]:
    """Make a function `f(session, …)` one step of a script. It can be called with a session, or as a method of a group.

    It may call other transformations, which are then parts of the same step, and may read and replace `session.program` in any way:
    the checker decides whether the result is accepted. What it returns is returned. Arguments are checked against its signature.
    """

    @wraps(f)
    def run(owner: Session | TransformGroup, /, *args: P.args, **kwargs: P.kwargs) -> R:
        session = owner.session if isinstance(owner, TransformGroup) else owner
        group = f"{owner.name}." if isinstance(owner, TransformGroup) else ""
        require_script(session)

        def body() -> R:
            check_arguments(f, session, args, kwargs)
            return f(session, *args, **kwargs)

        return session.run_step(group + f.__name__, body, args, kwargs)

    return run
