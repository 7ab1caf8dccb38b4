"""Moving declarations, and the values of reads, out of loops."""

from __future__ import annotations

from dataclasses import replace

from optigpu.script.editing import StatementPath, edit_body, insert_at, replace_at, statement_at
from optigpu.script.session import Session
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, CallStmt, Decl, For, If, Stmt, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import rewrite_body, stmt_exprs, subexpressions
from optigpu.transform.loop_nests import array_decl, counted, dims_of, elem_of, is_plain, refuse
from optigpu.transform.simplified import cell, minus, up_to


def is_free_of(s: Stmt, name: str) -> bool:
    return isinstance(s, CallStmt) and s.call == Call("free", (Var(name),))


def keeps_store(decl: Decl) -> bool:
    """Does a hoisted declaration leave an assignment behind?"""
    return decl.init is not None and not isinstance(decl.init, Alloc)


def hoist(script: Session, place: StatementPath, levels: int) -> StatementPath:
    """Declare outside the loop, one element for each iteration; returns the place of the declaration."""
    for _ in range(levels):
        place = _hoist_once(script, place)
    return place


def _hoist_once(script: Session, place: StatementPath) -> StatementPath:
    decl = script.at(place)
    if not isinstance(decl, Decl):
        raise refuse("this is not a declaration", decl)
    at = place.parent
    while len(at.path) > 1 and isinstance(script.at(at), If):
        at = at.parent
    if len(place.path) < 2 or not isinstance(loop := script.at(at), For):
        raise refuse(f"`{decl.name}` is not declared directly in the body of a loop", decl)
    count, number = counted(loop).count, _iteration(loop)
    dims = dims_of(decl)
    if any(loop.index in free_vars(d) for d in dims):
        raise refuse(f"the size of `{decl.name}` depends on `{loop.index}`", decl)
    new, frees = array_decl(decl.name, elem_of(decl), (count, *dims))
    store: Body = ()
    if keeps_store(decl):
        assert decl.init is not None
        store = (Store(cell(decl.name, [number]), decl.init),)

    def without(body: Body) -> Body:
        rest = tuple(s for s in body[place.index + 1 :] if not is_free_of(s, decl.name))
        return (*body[: place.index], *store, *_indexed(rest, decl, number))

    changed = edit_body(script.program, place, without)
    inside = statement_at(changed, at)
    assert isinstance(inside, For)
    hoisted = (replace(new, id=decl.id), replace(inside, contract=()), *frees)
    script.update(replace_at(changed, at, *hoisted))
    return at


def _iteration(loop: For) -> Expr:
    if is_plain(loop):
        return Var(loop.index)
    r = loop.range
    if r.op == "+" and r.relation == "<" and counted(loop).count == minus(r.bound, r.start):
        return minus(Var(loop.index), r.start)
    raise refuse(f"let the loop over `{loop.index}` start at 0 and count up by one", loop, "s.loop.shift_range")


def _indexed(body: Body, decl: Decl, number: Expr) -> Body:
    """Every use of what is declared, with one more index in front."""
    if isinstance(decl.type, Scalar):
        return substitute_body(body, {decl.name: cell(decl.name, [number])})
    marker = f"{decl.name} "  # no name of a program has a space

    def widen(e: Expr) -> Expr:
        from optigpu.syntax.walk import rewrite

        def one(x: Expr) -> Expr:
            match x:
                case Index(Var(name), indices) if name == marker:
                    return replace(x, base=Var(decl.name), indices=(number, *indices))
                case _:
                    return x

        def left(x: Expr) -> Expr:
            return cell(decl.name, [number]) if x == Var(marker) else x

        return rewrite(rewrite(e, one), left)

    return rewrite_body(substitute_body(body, {decl.name: Var(marker)}), widen)


def hoist_read(
    script: Session,
    place: StatementPath,
    array: str | None,
    name: str,
    dest: StatementPath,
    indep: list[str],
    order: list[str] | None,
) -> StatementPath:
    """Fill `name` with the values of an array read, before `dest`, and read from there. One dimension for each loop between
    `dest` and the read that the value depends on; conditions around the read are kept around the copy."""
    if not place.inside(dest):
        raise refuse("the read is not inside the loop that the copy goes before", script.at(place))
    read = _the_read(script, place, array)
    around = [(p, script.at(p)) for p in place.ancestors() if p == dest or p.inside(dest)]
    loops = [s for _, s in around if isinstance(s, For) and s.index not in indep]
    if order is not None:
        loops.sort(key=lambda loop: order.index(loop.index) if loop.index in order else -1)
    guards = [(s, p) for p, s in around if isinstance(s, If)]
    hidden = {s.index for _, s in around if isinstance(s, For)} - {loop.index for loop in loops}
    if free_vars(read) & hidden:
        raise refuse(f"the read depends on {', '.join(sorted(free_vars(read) & hidden))}", script.at(place))
    fresh = script.fresh(name, place)
    dims = tuple(counted(loop).count for loop in loops)
    at = cell(fresh, [_iteration(loop) for loop in loops])
    copy: Stmt = Store(at, read)
    for guard, p in reversed(guards):
        which = place.path[len(p.path)][0]
        if free_vars(guard.test) & hidden:
            continue
        if which == 1:
            raise refuse("the read is in an else branch", guard)
        copy = If(guard.test, (copy,))
    for loop in reversed(loops):
        counts = [free_vars(d) for d in (loop.range.start, loop.range.bound)]
        if any(hidden & c for c in counts):
            raise refuse(f"the bounds of the loop over `{loop.index}` depend on another loop", loop)
        copy = up_to(loop.index, loop.range.bound, (copy,), loop.range.start)
    decl, frees = array_decl(fresh, _element(read), dims)
    n = dest.index
    program = edit_body(script.program, place, lambda b: _with(b, place.index, read, at))
    program = edit_body(program, dest, lambda b: (*b[: n + 1], *frees, *b[n + 1 :]))
    script.update(insert_at(program, dest, decl, copy))
    return dest


def _with(body: Body, index: int, old: Expr, new: Expr) -> Body:
    from optigpu.syntax.walk import map_stmt_exprs, rewrite

    changed = map_stmt_exprs(body[index], lambda e: rewrite(e, lambda x: new if x == old else x))
    return (*body[:index], changed, *body[index + 1 :])


def _the_read(script: Session, place: StatementPath, array: str | None) -> Index:
    s = script.at(place)
    exprs = stmt_exprs(s)
    if isinstance(s, Store):
        exprs = [s.value]
    found: dict[Index, None] = {}
    for e in exprs:
        for x in subexpressions(e):
            if isinstance(x, Index) and isinstance(x.base, Var) and array in (None, x.base.name):
                found[x] = None
    if len(found) != 1:
        which = f"of `{array}` " if array else ""
        raise refuse(f"there are {len(found)} different reads {which}here; name the array with read=…", s, code="OG602")
    return next(iter(found))


def _element(e: Index) -> Scalar:
    if isinstance(e.type, Scalar):
        return e.type
    if isinstance(e.base.type, Array):
        return e.base.type.elem
    raise refuse("the type of the read is not known")
