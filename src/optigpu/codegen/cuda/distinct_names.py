"""Renaming of variables that hide others. Lowering moves expressions between scopes, so a name must mean one thing."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.free_names import fresh_name
from optigpu.syntax.program import Body, Decl, For, Stmt
from optigpu.syntax.walk import map_bodies, map_stmt_exprs, rewrite


def without_hiding(body: Body, visible: Mapping[str, str], taken: set[str]) -> Body:
    """Rename each variable that hides another. `visible`: names in scope -> their new names; `taken`: names in use, to which new
    names are added."""
    scope = dict(visible)
    out: list[Stmt] = []
    for s in body:
        new = statement(s, scope, taken)
        if isinstance(s, Decl) and isinstance(new, Decl):
            scope[s.name] = new.name
        out.append(new)
    return tuple(out)


def statement(s: Stmt, scope: Mapping[str, str], taken: set[str]) -> Stmt:
    s = map_stmt_exprs(s, lambda e: renamed(e, scope))
    inner = scope
    match s:
        case Decl(name):
            s = replace(s, name=unhidden_name(name, scope, taken))
        case For(index):
            inner = {**scope, index: unhidden_name(index, scope, taken)}
            s = replace(s, index=inner[index])
        case _:
            pass
    return map_bodies(s, lambda b: without_hiding(b, inner, taken))


def unhidden_name(name: str, scope: Mapping[str, str], taken: set[str]) -> str:
    if name not in scope:
        return name
    new = fresh_name(name, taken)
    taken.add(new)
    return new


def renamed(e: Expr, scope: Mapping[str, str]) -> Expr:
    def step(x: Expr) -> Expr:
        return replace(x, name=scope[x.name]) if isinstance(x, Var) and scope.get(x.name, x.name) != x.name else x

    return rewrite(e, step)
