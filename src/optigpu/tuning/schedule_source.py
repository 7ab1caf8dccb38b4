"""Hashes of what the results of a tuning depend on: the program, the schedule, the package that emits the code."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import textwrap
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from optigpu.runtime.disk_cache import content_key
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program
from optigpu.tuning.candidate_space import Schedule


def program_key(program: Program, function: str | None) -> str:
    """A hash of the text of a program, layout and comments aside."""
    return content_key(print_program(program), function or "")[:16]


def schedule_key(schedule: Schedule) -> str:
    """A hash of the source of a schedule and of the user's functions that it calls, layout and comments aside."""
    found: dict[int, str] = {}
    _collect(schedule, found)
    return content_key(*found.values())[:16]


def _collect(f: Any, found: dict[int, str]) -> None:
    if isinstance(f, functools.partial):
        found[id(f)] = f"partial {f.args!r} {sorted(f.keywords.items())!r}"
        _collect(f.func, found)
        return
    f = inspect.unwrap(f)
    if id(f) in found:
        return
    if not isinstance(f, FunctionType):
        found[id(f)] = repr(type(f)) if not isinstance(f, type) else _text(f)
        return
    found[id(f)] = _text(f)
    if f.__module__.split(".")[0] == "optigpu":  # what it calls belongs to the package
        return
    captured = {
        name: cell.cell_contents for name, cell in zip(f.__code__.co_freevars, f.__closure__ or ()) if _is_set(cell)
    }
    for name in sorted({*_names(f.__code__)} & {*captured, *f.__globals__}):
        value = captured[name] if name in captured else f.__globals__[name]
        if isinstance(value, FunctionType) and value.__module__.split(".")[0] not in _ELSEWHERE:
            _collect(value, found)
        elif isinstance(value, bool | int | float | str | tuple | list | dict):
            found[id(found) + len(found)] = f"{name} = {value!r}"


_ELSEWHERE = ("optigpu", "numpy", "builtins")


def _is_set(cell: Any) -> bool:
    try:
        return cell.cell_contents is not _is_set
    except ValueError:
        return False


def _names(code: Any) -> set[str]:
    """The global and captured names that a function uses, also in functions inside it."""
    inner = [c for c in code.co_consts if hasattr(c, "co_names")]
    return {*code.co_names, *code.co_freevars}.union(*map(_names, inner))


def _text(f: Any) -> str:
    try:
        source = textwrap.dedent(inspect.getsource(f))
    except (OSError, TypeError):  # made without a file
        code = getattr(f, "__code__", None)
        return (
            f"{getattr(f, '__qualname__', '')} {code.co_code.hex() if code else ''} {code.co_consts if code else ''!r}"
        )
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
