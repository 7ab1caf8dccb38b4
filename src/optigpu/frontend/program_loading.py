"""Entry points of the front end: load a typed program from a file or a text, or type a program that was built."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, MutableMapping
from functools import cache
from pathlib import Path
from typing import cast

from optigpu.frontend.misleading_text import reject_misread_lines
from optigpu.frontend.parser import parse_c
from optigpu.frontend.typecheck import typecheck
from optigpu.frontend.typed_statements import TypedStatements
from optigpu.frontend.wellformed import reject_malformed
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.program import For, Function, Program, TopLevel
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import NOWHERE, Loc, SourceText
from optigpu.syntax.walk import statements

MAX_BYTES = 8_000_000
MAX_CLAUSES = 1000  # items of one contract: checks compare each permission with all others


@deep
def parse_file(path: str | Path) -> Program:
    """Load a C file."""
    return _finish(str(path), _read_items(Path(path), NOWHERE, ()))


@deep
def parse_text(text: str, name: str = "<text>") -> Program:
    """Load C text; `#include "…"` is relative to the current directory."""
    return _finish(name, _parse(SourceText(name, text), Path("."), ()))


@deep
def program_of_items(name: str, items: tuple[TopLevel, ...]) -> Program:
    """The program of items that another front end made."""
    for item in items:
        _reject_long(item)
    return _finish(name, items)


@deep
def recheck(program: Program) -> Program:
    """Check and type a program that other code than the parser built or changed."""
    reject_malformed(program)
    return retyped(program)


@deep
def retyped(program: Program, known: TypedStatements | None = None) -> Program:
    """Type a program whose nodes are known to be well-formed, as those of the parser are. Statements that are `known` keep their
    types."""
    return typecheck(program, known_ghosts(), known)


def known_ghosts() -> ChainMap[str, Function]:
    """The ghosts that every program knows, and a place for those of one program."""
    return ChainMap({}, cast(MutableMapping[str, Function], _GhostLibrary()))


class _GhostLibrary(Mapping[str, Function]):
    """`ghost_library()` by name. Names are known without parsing it: most programs use no ghost."""

    def __getitem__(self, name: str) -> Function:
        if name not in _ghost_names():
            raise KeyError(name)
        return ghost_library()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_ghost_names())

    def __len__(self) -> int:
        return len(_ghost_names())


@cache
def _ghost_text() -> str:
    return Path(__file__).with_name("include").joinpath("ghosts.h").read_text(encoding="utf-8")


@cache
def _ghost_names() -> dict[str, None]:
    return dict.fromkeys(re.findall(r"^__GHOST\((\w+)\)", _ghost_text(), re.MULTILINE))


@cache
def ghost_library() -> dict[str, Function]:
    """The ghosts that every program knows. Each use of one is checked against its contract, as for any other ghost."""
    source = SourceText("<optigpu>/ghosts.h", _ghost_text())
    program = typecheck(Program("ghosts.h", _parse(source, Path("."), ())), {})
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
    except (OSError, RuntimeError, ValueError) as e:  # also cyclic links, and names that no file can have
        why = getattr(e, "strerror", None) or e
        raise input_error("OG000", f"`{path}` cannot be read: {why}", place) from None
    return _parse(SourceText(str(path), text), path.parent, (*stack, resolved))


def _parse(source: SourceText, folder: Path, stack: tuple[Path, ...]) -> tuple[TopLevel, ...]:
    reject_misread_lines(source)
    items = parse_c(source, lambda name, loc: _read_items(folder / name, loc, stack))
    for item in items:
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
