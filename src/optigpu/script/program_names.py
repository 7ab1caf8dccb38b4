"""The names that a function uses, from which the names of new variables must differ."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import Positions, StatementPath
from optigpu.syntax.free_names import body_free_vars, bound_after, clause_free_vars, free_vars
from optigpu.syntax.program import Body, For, Function, If
from optigpu.syntax.walk import map_bodies, statements, stmt_exprs


def program_names(f: Function) -> set[str]:
    """Every name of a function, except those that formulas bind for themselves."""
    return names_apart_from_indices(f) | names_in_body(f.body)


def names_seen_from(f: Function, path: StatementPath) -> set[str]:
    """Every name of a function but those that occur only in other branches of the conditions around a statement."""

    def pruned(body: Body, positions: Positions) -> Body:
        if len(positions) < 2:
            return body
        (_, index), (branch, _), *_ = positions
        s = body[index]
        if isinstance(s, If):
            inner = pruned((s.then, s.other)[branch], positions[1:])
            s = replace(s, then=inner, other=()) if branch == 0 else replace(s, then=(), other=inner)
        else:
            s = map_bodies(s, lambda b: pruned(b, positions[1:]))
        return (*body[:index], s, *body[index + 1 :])

    return program_names(replace(f, body=pruned(f.body, path.positions)))


def names_apart_from_indices(f: Function) -> set[str]:
    """Names with one meaning wherever they are visible in a function: all but the indices of loops."""
    names = {f.name, *(p.name for p in f.params)} | clause_free_vars(f.contract) | body_free_vars(f.body)
    return names.union(*(bound_after(s) for s in statements(f.body)))


def names_in_body(body: Body) -> set[str]:
    """All names that statements use or declare, except those that formulas bind for themselves."""
    names = set[str]()
    for s in statements(body):
        names |= bound_after(s)
        if isinstance(s, For):
            names |= {s.index} | clause_free_vars(s.contract)
        for e in stmt_exprs(s):
            names |= free_vars(e)
    return names
