"""Entry points of the API: as text, their errors read as on the command line, and tracebacks show few frames of this package."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from optigpu.light_dataclass import replace
from optigpu.report.diagnostics import render
from optigpu.script.call_site import call_site
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.recursion_limit import deep

P = ParamSpec("P")
R = TypeVar("R")


def entry_point(f: Callable[P, R]) -> Callable[P, R]:
    """Decorator of a function that users call. With $OPTIGPU_TRACEBACK, all frames are kept."""
    run_deep = deep(f)

    @wraps(f)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return run_deep(*args, **kwargs)
        except (InputError, StepError) as e:
            if os.environ.get("OPTIGPU_TRACEBACK"):
                raise
            error = e
        raise (explained(error) if isinstance(error, InputError) else error).with_traceback(None)

    return run


def explained(e: InputError) -> InputError:
    """The error with its text; if it has no place, with the user's line."""
    if e.rendered is None:
        d = e.diagnostic
        e = InputError(d if d.loc.line else replace(d, loc=call_site().loc))
        e.rendered = render(e.diagnostic)
    return e
