"""Annotations that name a variable whose value formulas can no longer name, or an array that is gone."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.syntax.exprs import Expr
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Assert, Body, Decl, For, Ghost, GhostEnd, Stmt
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import contract_exprs, map_bodies, map_clauses, map_stmt_exprs, statements, stmt_exprs
from optigpu.transform.tools.values_before import value_before

FormulaChange = Callable[[Expr], Expr | None]


def with_value_of(session: Session, path: StatementPath, decl: Decl, rest: Body) -> Body:
    """The statements after a declaration, with annotations that say the value of the variable instead of naming it.

    In `const float x = b[i]; y = x;`, `&y ~~> x` becomes `&y ~~> B(i)`: formulas name no array elements.
    """
    if decl.init is None or not _is_named(rest, decl.name):
        return rest
    value = value_before(session, path, decl.init)
    return changed_annotations(session, rest, decl.name, lambda e: value and substitute(e, {decl.name: value}))


def without_annotations_on(session: Session, body: Body, name: str) -> Body:
    """The statements without annotations that speak of an array or variable, which is removed."""
    return changed_annotations(session, body, name, lambda _: None)


def is_proof_step(s: Stmt) -> bool:
    """Is this a ghost or an assertion, which is not executed?"""
    return isinstance(s, Ghost | GhostEnd | Assert)


def without_steps(session: Session, s: Stmt) -> Stmt:
    """A statement without the ghosts and assertions inside it, for a transformation that replaces the code around them."""
    session.annotation_changes.dropped += [x for x in statements((s,)) if isinstance(x, Ghost | Assert)]
    return map_bodies(s, code_of)


def code_of(body: Body) -> Body:
    """Statements without ghosts and assertions, also inside them."""
    return tuple(map_bodies(x, code_of) for x in body if not is_proof_step(x))


def sink_steps(session: Session, inner: StatementPath) -> StatementPath:
    """Move the ghosts and assertions right before and after a loop into it, so that they do not keep it apart from the loop around
    it; returns the loop's new path."""
    body, i = session.around(inner), inner.index
    low, high = i, i + 1
    while low > 0 and is_proof_step(body[low - 1]):
        low -= 1
    while high < len(body) and is_proof_step(body[high]):
        high += 1
    loop = body[i]
    if high - low == 1 or not isinstance(loop, For):
        return inner
    sunk = replace(loop, body=(*body[low:i], *loop.body, *body[i + 1 : high]))
    session.edit_body(inner, lambda b: (*b[:low], sunk, *b[high:]))
    return inner.sibling(low - i)


def changed_annotations(session: Session, body: Body, name: str, change: FormulaChange) -> Body:
    """Change the annotations that name something; one that cannot be written is left out: the contract of a loop is then completed
    from the proof, a ghost or an assertion is reported."""
    return tuple(new for s in body for new in _changed(session, s, name, change))


def _changed(session: Session, s: Stmt, name: str, change: FormulaChange) -> Body:
    formulas = (
        contract_exprs(s.contract) if isinstance(s, For) else stmt_exprs(s) if isinstance(s, Ghost | Assert) else []
    )
    named = [e for e in formulas if name in free_vars(e)]
    writable = all(change(e) is not None for e in named)

    def rewritten(e: Expr) -> Expr:
        return (change(e) or e) if name in free_vars(e) else e

    if named and isinstance(s, For):
        kept = s.contract
        if not writable:
            kept = tuple(c for c in s.contract if not any(name in free_vars(i.body) for i in c.items))
            session.annotation_changes.incomplete.add(s.id)
        s = replace(s, contract=map_clauses(kept, rewritten))
    elif named and not writable:
        session.annotation_changes.dropped.append(s)
        return ()
    elif named:
        return (map_stmt_exprs(s, rewritten),)
    return (map_bodies(s, lambda b: changed_annotations(session, b, name, change)),)


def _is_named(body: Body, name: str) -> bool:
    return any(
        name in free_vars(e)
        for s in statements(body)
        for e in (
            contract_exprs(s.contract) if isinstance(s, For) else stmt_exprs(s) if isinstance(s, Ghost | Assert) else []
        )
    )
