"""Hashes of what the results of a tuning depend on: the program, the schedule, the package that emits the code."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import sys
import textwrap
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from optigpu.runtime.disk_cache import content_key
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program
from optigpu.tuning.candidate_space import Schedule


def program_key(program: Program, function: str | None, unbounded: bool) -> str:
    """A hash of the text of a program, layout and comments aside, and of what is assumed of its integers."""
    return content_key(print_program(program), function or "", "unbounded" if unbounded else "")[:16]


def schedule_key(schedule: Schedule) -> str:
    """A hash of the source of a schedule and of the user's functions and constants that it uses, layout and comments aside."""
    collected = _Collected()
    collected.add(schedule)
    return content_key(*collected.texts)[:16]


class _Collected:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.seen: list[object] = []

    def add(self, f: Any) -> None:
        if isinstance(f, functools.partial):
            self.texts.append(f"partial {f.args!r} {sorted(f.keywords.items())!r}")
            self.add(f.func)
            return
        f = inspect.unwrap(f)
        if any(f is other for other in self.seen):
            return
        self.seen.append(f)
        self.texts.append(_text(f))
        if isinstance(f, FunctionType) and not _is_elsewhere(
            f
        ):  # what a schedule of the package calls belongs to the package
            used = {**f.__globals__, **_captured(f)}
            for name in sorted(_names(f.__code__) & used.keys()):
                value = used[name]
                if isinstance(value, FunctionType | functools.partial) and not _is_elsewhere(value):
                    self.add(value)
                elif isinstance(value, bool | int | float | str | tuple | list | dict):
                    self.texts.append(f"{name} = {value!r}")


def _is_elsewhere(f: Any) -> bool:
    """Does a function belong to this package, or to the library?"""
    module = getattr(inspect.unwrap(f), "__module__", None) or ""
    return module.split(".")[0] in ("optigpu", *sys.stdlib_module_names) and module != "__main__"


def _captured(f: FunctionType) -> dict[str, Any]:
    """The variables of functions around this one, as far as they have values."""
    out: dict[str, Any] = {}
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()):
        with suppress(ValueError):  # it is not set yet
            out[name] = cell.cell_contents
    return out


def _names(code: Any) -> set[str]:
    """The global and captured names that a function uses, also in functions inside it."""
    inner = [c for c in code.co_consts if hasattr(c, "co_names")]
    return {*code.co_names, *code.co_freevars}.union(*map(_names, inner))


def _text(f: Any) -> str:
    try:
        source = textwrap.dedent(inspect.getsource(f if isinstance(f, FunctionType | type) else type(f)))
    except (OSError, TypeError):  # made without a file
        code = getattr(f, "__code__", None)
        return repr((type(f).__name__, code and (code.co_code.hex(), code.co_names, code.co_varnames)))
    try:
        return ast.unparse(ast.parse(source))
    except SyntaxError:  # a lambda in the middle of an expression
        return source


@cache
def package_key() -> str:
    """A hash of the source of this package: the same options may be refused, or emitted differently, by another version."""
    digest = hashlib.sha256()
    root = Path(__file__).parent.parent
    for path in sorted(root.rglob("*")):
        if path.suffix in (".py", ".lark", ".h", ".json"):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
