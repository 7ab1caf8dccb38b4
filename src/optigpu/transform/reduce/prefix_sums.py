"""`reduce.scan`: prefix sums in tiles.

Each tile is summed up, the prefix offset of each tile is computed from the sums of the tiles before it, and the offset is added to
the elements of the tile.
"""

from __future__ import annotations

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Index, Real, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, Decl, For, If, Stmt, Store
from optigpu.syntax.source import NO_ID
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import statements
from optigpu.transform.tools.array_declarations import array_decl
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.changed_annotations import without_steps
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import (
    ceil_div,
    cell,
    exact_div,
    flattened_sums,
    less,
    mod,
    plus,
    times,
    up_to,
    value_of,
    zero_of,
)


@transformation
def scan(
    session: Session,
    target: TargetLike,
    size: Size,
    *,
    outer: str,
    sums: str,
    before: str,
    twice: bool = False,
    running: str | None = None,
) -> Handle:
    """Compute prefix sums in tiles of `size`: the prefix sums of each tile by itself, then the prefix offset of each tile, which is
    the sum of all tiles before it, then add the offset to the elements of the tile. `outer` names the index of the tile, `sums` the
    array of the tiles' sums, `before` the array of their offsets.

    With `twice`, the first pass only sums up each tile, and the last one computes prefix sums from the offset on: more is read, and
    only the result is written. With `running`, the offsets are a running sum in a variable of that name, a scan that can be tiled
    in turn; without it, each offset is a sum of its own.

    Before:
        float x = 0.0f;
        for (int i = 0; i < n; i++) {
          x += b[i];
          a[i] = x;
        }
    Step: s.reduce.scan("i", 8, outer="t", sums="sums", before="base")
    After:
        float* const sums = MALLOC1(float, (n + 7) / 8);
        float* const base = MALLOC1(float, (n + 7) / 8);
        for (int t = 0; t < (n + 7) / 8; t++) {
          float x = 0.0f;
          for (int i = 0; i < 8; i++) {
            if (t * 8 + i < n) {
              x += b[t * 8 + i];
              a[t * 8 + i] = x;
            }
          }
          sums[t] = x;
        }
        for (int t = 0; t < (n + 7) / 8; t++) {
          base[t] = 0.0f;
          for (int k = 0; k < t; k++) {
            base[t] += sums[k];
          }
        }
        for (int t = 0; t < (n + 7) / 8; t++) {
          for (int i = 0; i < 8; i++) {
            if (t * 8 + i < n) {
              a[t * 8 + i] += base[t];
            }
          }
        }
        free(sums);
        free(base);

    Needs: a loop from 0 that adds to a variable declared before it with 0, and stores the variable; with `twice`, it may also store
    values computed from the variable. Fails: when the loop reads what it stores.
    """
    path = session.find(target, "for")
    loop = without_steps(session, session.at(path))
    around = session.around(path)
    if not isinstance(loop, For) or not is_plain(loop):
        raise refuse("this is not a loop that counts up from 0 by one", loop, "s.loop.shift_range")
    total = _total_of(loop, around[: path.index])
    if total is None or not isinstance(total.type, Scalar):
        raise refuse("there is no sum declared before the loop, and used in it first", loop, "float sum = 0.0f;")
    length = as_expression(size)
    o, s, b, k = (session.fresh(name, path) for name in (outer, sums, before, "k"))
    tiles = TiledScan(loop, total, total.type, length, o, s, b)
    offsets = tiles.offsets(k) if running is None else tiles.running_offsets(session.fresh(running, path))
    loops = (tiles.tile_sums(twice), *offsets, tiles.result(twice))
    used_after = total.name in body_free_vars(around[path.index + 1 :])
    rest = tiles.total_of_all(k) if used_after else ()
    decl_s, free_s = array_decl(s, total.type, (tiles.count,))
    decl_b, free_b = array_decl(b, total.type, (tiles.count,))
    new = (decl_s, decl_b, *loops, *rest, *free_s, *free_b)
    p, d = path.index, around.index(total)
    session.edit_body(path, lambda w: (*w[:d], *w[d + 1 : p], *new, *w[p + 1 :]))
    return session.handle(path.sibling(1))


@dataclass(frozen=True, slots=True)
class TiledScan:
    """A loop that computes prefix sums, cut into tiles of `size` iterations."""

    loop: For
    total: Decl  # of the variable that holds the running sum
    elem: Scalar
    size: Expr
    outer: str  # index of the tile
    sums: str  # array: the sum of each tile
    before: str  # array: the prefix offset of each tile

    @property
    def is_exact(self) -> bool:
        """Is it known that the size divides the count?"""
        return value_of(mod(self.loop.range.bound, self.size)) == 0

    @property
    def count(self) -> Expr:
        """The number of tiles."""
        divide = exact_div if self.is_exact else ceil_div
        return divide(self.loop.range.bound, self.size)

    @property
    def tile_sum(self) -> Index:
        return cell(self.sums, [Var(self.outer)])

    @property
    def offset(self) -> Index:
        return cell(self.before, [Var(self.outer)])

    def tile(self, body: Body) -> For:
        """The iterations of one tile, with this body."""
        index = plus(times(Var(self.outer), self.size), Var(self.loop.index))
        inside = flattened_sums(substitute_body(body, {self.loop.index: index}))
        guarded = inside if self.is_exact else (If(less(index, self.loop.range.bound), inside),)
        return up_to(self.loop.index, self.size, guarded)

    def tile_sums(self, only_sums: bool) -> For:
        """Compute the sum of each tile, and its prefix sums unless `only_sums`."""
        body = self.loop.body
        summed = self.tile(_without_stores(body) if only_sums else body)
        return up_to(self.outer, self.count, (self.total, summed, Store(self.tile_sum, Var(self.total.name))))

    def offsets(self, index: str) -> Body:
        """Compute the offset of each tile as a sum of its own; `index` is that of the loop over the tiles before it."""
        add_up = up_to(index, Var(self.outer), (Store(self.offset, cell(self.sums, [Var(index)]), "+"),))
        return (up_to(self.outer, self.count, (Store(self.offset, zero_of(self.elem)), add_up)),)

    def running_offsets(self, variable: str) -> Body:
        """Compute the offsets as a running sum in a variable."""
        step = (Store(self.offset, Var(variable)), Store(Var(variable), self.tile_sum, "+"))
        return (Decl(variable, self.elem, zero_of(self.elem)), up_to(self.outer, self.count, step))

    def result(self, only_sums: bool) -> For:
        """Compute the result of each tile from its offset: from its prefix sums, or anew if there are only sums."""
        if only_sums:
            from_offset = _with_offset(self.loop.body, self.total.name, self.offset)
            return up_to(self.outer, self.count, (replace(self.total, id=NO_ID), self.tile(from_offset)))
        return up_to(self.outer, self.count, (self.tile(_offset_added(self.loop.body, self.total.name, self.offset)),))

    def total_of_all(self, index: str) -> Body:
        """Compute the sum of all tiles, for the code after the loop."""
        add = Store(Var(self.total.name), cell(self.sums, [Var(index)]), "+")
        return replace(self.total, id=NO_ID), up_to(index, self.count, (add,))


def _total_of(loop: For, before: Body) -> Decl | None:
    """The variable that the loop adds to: declared with 0 in the body before the loop, and not used in between."""
    added = {
        s.target.name
        for s in statements(loop.body)
        if isinstance(s, Store) and isinstance(s.target, Var) and s.op == "+"
    }
    for at, s in reversed(list(enumerate(before))):
        if isinstance(s, Decl) and s.name in added and _is_zero(s.init):
            return s if s.name not in body_free_vars(before[at + 1 :]) else None
    return None


def _is_zero(e: Expr | None) -> bool:
    return e is not None and (value_of(e) == 0 or (isinstance(e, Real) and e.value == 0))


def _without_stores(body: Body) -> Body:
    """The body of a scan without its stores to arrays: it only sums up."""
    out: list[Stmt] = []
    for s in body:
        match s:
            case Store(Index(), _, None):
                continue
            case If(_, then, ()):
                out.append(replace(s, then=_without_stores(then), id=NO_ID))
            case _:
                out.append(replace(s, id=NO_ID))
    return tuple(out)


def _with_offset(body: Body, total: str, offset: Expr) -> Body:
    """The body of a scan in which each stored value uses the offset plus the running sum."""
    out: list[Stmt] = []
    for s in body:
        match s:
            case Store(Var(name), value, "+") if name == total and total not in free_vars(value):
                out.append(s)
            case Store(Index(), value, None) if total not in free_vars(s.target):
                out.append(replace(s, value=substitute(value, {total: plus(offset, Var(total))})))
            case If(test, then, ()) if total not in free_vars(test):
                out.append(replace(s, then=_with_offset(then, total, offset)))
            case _:
                raise refuse(f"only `{total} += …` and stores may be in the loop", s)
    return tuple(out)


def _offset_added(body: Body, total: str, offset: Expr) -> Body:
    """The stores of the running sum in the body of a scan, as additions of the offset to the stored element."""
    out: list[Stmt] = []
    for s in body:
        match s:
            case Store(Var(name), value, "+") if name == total and total not in free_vars(value):
                continue
            case Store(_, Var(name), None) if name == total:
                out.append(replace(s, value=offset, op="+", id=NO_ID))
            case If(test, then, ()) if total not in free_vars(test):
                out.append(replace(s, then=_offset_added(then, total, offset), id=NO_ID))
            case _:
                raise refuse(f"only `{total} += …` and stores of `{total}` may be in the loop", s)
    return tuple(out)
