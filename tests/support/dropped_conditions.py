"""Rules of the kernel without one of their side conditions, for tests that it is needed."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


def without(rule: Function, place: Function, condition: str, instead: str = "pass") -> Function:
    """The rule, with another text in the place of a condition of one of the functions that it calls."""
    changes = {place.__name__: (condition, instead)}
    namespace = _functions_of(rule, changes if place.__module__ == rule.__module__ else {})
    if place.__module__ != rule.__module__:
        namespace[place.__name__] = _functions_of(place, changes)[place.__name__]
    changed_rule: Function = namespace[rule.__name__]
    return changed_rule


def _functions_of(f: Function, changes: dict[str, tuple[str, str]]) -> dict[str, Any]:
    """What the module of a function defines, with functions that call each other and not those of the module."""
    module = sys.modules[f.__module__]
    namespace = dict(vars(module))
    for name, other in vars(module).items():
        if inspect.isfunction(other) and other.__module__ == module.__name__:
            source = inspect.getsource(other)
            if name in changes:
                condition, instead = changes[name]
                assert source.count(condition) == 1, f"{condition!r} occurs {source.count(condition)} times in {name}"
                source = source.replace(condition, instead)
            exec(compile(source, f"<{name}>", "exec"), namespace)
    return namespace
