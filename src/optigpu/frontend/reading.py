"""Entry points of the front end: a file or a text to a checked program."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from optigpu.frontend.lines import reject_misread_lines
from optigpu.frontend.parser import parse_c
from optigpu.frontend.typecheck import typecheck
from optigpu.frontend.wellformed import reject_malformed
from optigpu.syntax.errors import input_error
from optigpu.syntax.exprs import Expr, TypeOf
from optigpu.syntax.program import Axiom, Define, For, Function, Include, LogicDecl, LogicDef, Program, TopLevel
from optigpu.syntax.source import NOWHERE, Loc, SourceText
from optigpu.syntax.types import Array, FunType, Pointer, ProofType, Scalar, Sort
from optigpu.syntax.walk import children, inner_bodies, statements, stmt_exprs

MAX_DEPTH = 200  # of nested expressions and statements; far beyond what people write, far within Python's stack
MAX_BYTES = 8_000_000
MAX_CLAUSES = 1000  # facts and permissions of one contract: each permission is compared with all others


def parse_file(path: str | Path) -> Program:
    """Read, parse and type-check a C file."""
    return _finish(str(path), _read_items(Path(path), NOWHERE, ()))


def parse_text(text: str, name: str = "<text>") -> Program:
    """Parse and type-check C text; `#include "…"` is relative to the current directory."""
    return _finish(name, _parse(SourceText(name, text), Path("."), ()))


def recheck(program: Program) -> Program:
    """Type-check a program that was built or changed by other means than the parser."""
    reject_malformed(program)
    return typecheck(program, ghost_library())


@cache
def ghost_library() -> dict[str, Function]:
    """The ghosts every program knows. Their contracts are checked at each use like any other."""
    text = files("optigpu.frontend").joinpath("include/ghosts.h").read_text(encoding="utf-8")
    program = typecheck(Program("ghosts.h", _parse(SourceText("<optigpu>/ghosts.h", text), Path("."), ())), {})
    return {f.name: f for f in program.functions()}


def _finish(name: str, items: tuple[TopLevel, ...]) -> Program:
    return recheck(Program(name, items))


def _read_items(path: Path, wanted_at: Loc, stack: tuple[Path, ...]) -> tuple[TopLevel, ...]:
    place = wanted_at if wanted_at is not NOWHERE else Loc(str(path), 1, 1, 1, 1)
    try:
        resolved = path.resolve()
        if resolved in stack:
            raise input_error("OG007", f"`{path}` includes itself", place)
        if not path.is_file():
            raise input_error(
                "OG000", f"the file `{path}` does not exist" if not path.exists() else f"`{path}` is not a file", place
            )
        if path.stat().st_size > MAX_BYTES:
            raise input_error("OG000", f"`{path}` is larger than {MAX_BYTES // 1_000_000} MB", place)
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as e:
        line = e.object[: e.start].count(b"\n") + 1
        column = e.start - (e.object.rfind(b"\n", 0, e.start) + 1) + 1
        raise input_error(
            "OG000", "this byte is not UTF-8 text", Loc(str(path), line, column, line, column + 1)
        ) from None
    except (OSError, RuntimeError, ValueError) as e:  # also links in a circle, and names that no file can have
        why = getattr(e, "strerror", None) or e
        raise input_error("OG000", f"`{path}` cannot be read: {why}", place) from None
    return _parse(SourceText(str(path), text), path.parent, (*stack, resolved))


def _parse(source: SourceText, folder: Path, stack: tuple[Path, ...]) -> tuple[TopLevel, ...]:
    reject_misread_lines(source)
    items = parse_c(source, lambda name, loc: _read_items(folder / name, loc, stack))
    for item in items:
        reject_deep(item)
        _reject_long(item)
    return items


def _reject_long(f: TopLevel) -> None:
    if not isinstance(f, Function):
        return
    for contract in (f.contract, *(s.contract for s in statements(f.body) if isinstance(s, For))):
        items = [i for c in contract for i in c.items]
        if len(items) > MAX_CLAUSES:
            raise input_error(
                "OG015", f"this contract says more than {MAX_CLAUSES} things", items[MAX_CLAUSES].body.loc
            )


def reject_deep(item: TopLevel) -> None:
    """Raise OG015 for what nests deeper than later passes can follow."""
    stack: list[tuple[object, int, Loc]] = [(x, 1, item.loc) for x in outermost(item)]
    while stack:
        node, depth, around = stack.pop()
        loc: Loc = getattr(node, "loc", around)
        if depth > MAX_DEPTH:
            raise input_error(
                "OG015", f"this is nested more than {MAX_DEPTH} levels deep", loc, help="name a part of it"
            )
        stack.extend((x, depth + 1, loc) for x in directly_inside(node))


def outermost(item: TopLevel) -> list[object]:
    """What an item of a file consists of."""
    match item:
        case Function():
            return [*item.body, *(i.body for c in item.contract for i in c.items), *(p.type for p in item.params)]
        case Define() | LogicDef():
            return [item.value]
        case Axiom():
            return [item.prop]
        case LogicDecl():
            return [item.type]
        case Include():
            return []


def directly_inside(node: Any) -> list[object]:
    """The parts of a statement, an expression or a type."""
    match node:
        case TypeOf(of):
            return [of]
        case _ if isinstance(node, Expr):
            return [*children(node)]
        case FunType(args, result):
            return [*args, result]
        case Array(_, dims):
            return [d for d in dims if d is not None]
        case Scalar() | Pointer() | Sort() | ProofType():
            return []
        case _:
            return [*stmt_exprs(node), *(s for b in inner_bodies(node) for s in b)]
