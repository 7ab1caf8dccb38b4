"""Side effects, by names of arrays: which memory statements and functions may change."""

from __future__ import annotations

from optigpu.frontend.expression_types import CallSignatures
from optigpu.syntax.builtins import MEMORY_CALLS
from optigpu.syntax.exprs import Array, Call, Expr, Var
from optigpu.syntax.program import Body, Decl, Function, Stmt, Store
from optigpu.syntax.types import Pointer
from optigpu.syntax.walk import root_name, statements, stmt_exprs, subexpressions

EFFECTS = frozenset({"consumes", "produces", "preserves", "writes"})


def has_effects(f: Function) -> bool:
    """Whether the contract lets the function change memory."""
    return any(c.kind in EFFECTS for c in f.contract)


def pointer_roots(body: Body) -> dict[str, set[str]]:
    """For each name of a local pointer, the arrays that it may alias: those of all pointers of that name."""
    roots: dict[str, set[str]] = {}
    for s in statements(body):
        if isinstance(s, Decl) and isinstance(s.type, Pointer | Array) and s.init is not None:
            name = root_name(s.init)
            if name:
                roots.setdefault(s.name, set()).update({name}, roots.get(name, ()))
    return roots


def loaded_names(e: Expr) -> set[str]:
    """All variables of an expression: a superset of the memory that it reads."""
    return {x.name for x in subexpressions(e) if isinstance(x, Var)}


def changed_names(s: Stmt, functions: CallSignatures) -> set[str]:
    """The arrays that a statement may change itself: its target, and those it passes to functions that change memory."""
    out: set[str] = set()
    if isinstance(s, Store):
        out.add(root_name(s.target))
    for e in stmt_exprs(s):
        for x in subexpressions(e):
            if isinstance(x, Call) and (
                x.func in MEMORY_CALLS or (x.func in functions and functions[x.func].has_effects)
            ):
                out |= {root_name(a) for a in x.args if isinstance(a.type, Array)}
    return out - {""}
