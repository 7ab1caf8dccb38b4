"""Which statements of a function fit a target."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.script.editing import Region, StatementPath, statements_of
from optigpu.script.targets import Pattern, Target
from optigpu.syntax.exprs import Call, Index, Var
from optigpu.syntax.program import Decl, For, Function, If, Stmt, Store
from optigpu.syntax.types import VOID
from optigpu.syntax.walk import code_exprs, root_name, subexpressions


def matches(target: Target, f: Function, within: Sequence[Region] = ()) -> list[tuple[StatementPath, Stmt]]:
    """All statements of a function that fit the chain of patterns, in program order. The whole chain is in all regions `within`."""
    by_path = {path: s for path, s in statements_of(f) if all(path in region for region in within)}
    if not target.chain:
        return list(by_path.items())
    *outer, last = target.chain

    def fits(path: StatementPath, s: Stmt) -> bool:
        around = [by_path[a] for a in path.ancestors() if a in by_path]
        return _fits_pattern(last, s) and _fit_in_order(outer, around)

    return [(path, s) for path, s in by_path.items() if fits(path, s)]


def written_name(s: Stmt) -> str | None:
    """The variable or array that a statement assigns to."""
    return root_name(s.target) if isinstance(s, Store) else None


def read_names(s: Stmt) -> set[str]:
    exprs = code_exprs(s)
    if isinstance(s, Store):
        exprs = [s.value, *(s.target.indices if isinstance(s.target, Index) else ())]
        exprs += [s.target] if s.op is not None else []
    return {x.name for e in exprs for x in subexpressions(e) if isinstance(x, Var)}


def called_names(s: Stmt) -> set[str]:
    return {x.func for e in code_exprs(s) for x in subexpressions(e) if isinstance(x, Call)}


def _fit_in_order(patterns: list[Pattern], around: list[Stmt]) -> bool:
    """Do the statements around, outermost first, fit the patterns in this order? Others may be between them."""
    rest = list(patterns)
    for s in around:
        if rest and _fits_pattern(rest[0], s):
            rest.pop(0)
    return not rest


def _fits_pattern(pattern: Pattern, s: Stmt) -> bool:
    name = pattern.name
    match pattern.kind:
        case "for":
            fits = isinstance(s, For) and name in (None, s.index) and pattern.mode in (None, s.mode)
        case "write":
            fits = isinstance(s, Store) and name in (None, written_name(s))
        case "read":
            fits = not isinstance(s, For) and (bool(read_names(s)) if name is None else name in read_names(s))
        case "decl":
            fits = isinstance(s, Decl) and name in (None, s.name)
        case "call":
            fits = bool(called_names(s)) if name is None else name in called_names(s)
        case "if":
            fits = isinstance(s, If)
        case _:
            fits = True
    return fits and (pattern.body is None or _contains(s, pattern.body))


def _contains(s: Stmt, target: Target) -> bool:
    """Is there a match inside the statement?"""
    around = Function("", (), VOID, (s,))
    return any(not path.is_top_level for path, _ in matches(target, around))
