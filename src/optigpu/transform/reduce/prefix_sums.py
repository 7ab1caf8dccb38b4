"""`reduce.scan`: prefix sums in tiles.

Each tile is summed up, the prefix offset of each tile is computed from the sums of the tiles before it, and the offset is added to
the elements of the tile.
"""

from __future__ import annotations

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Call, Expr, Index, Real, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, Decl, For, If, Stmt, Store
from optigpu.syntax.source import NO_ID
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import statements
from optigpu.transform.reduce.reductions import first_part, is_reduction, operand, with_operands
from optigpu.transform.step_results import ScanPasses, handles_from
from optigpu.transform.tools.array_declarations import array_decl
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.changed_annotations import without_steps
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.declared_types import scalar_of
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
) -> ScanPasses:
    """Compute prefix sums in tiles of `size`: the prefix sums of each tile by itself, then the prefix offset of each tile, which is
    the sum of all tiles before it, then add the offset to the elements of the tile. `outer` names the index of the tile, `sums` the
    array of the tiles' sums, `before` the array of their offsets.

    With `twice`, the first pass only sums up each tile, and the last one computes prefix sums from the offset on: more is read, and
    only the result is written. With `running`, the offsets are a running sum in a variable of that name, a scan that can be tiled
    in turn; without it, each offset is a sum of its own.

    Products, maxima and minima are scanned in the same way. A variable that has a value before the loop, other than a sum that
    starts at 0 or a product that starts at 1, keeps it: offsets start with this value, and `part` is the variable inside a tile.

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

    Needs: a loop from 0 that adds to a variable, and stores the variable; with `twice`, it may also store values computed from the
    variable. Fails: when the loop reads what it stores.
    Returns: `sums` and `before`, the declarations of the arrays; `tile_sums`, `offsets` and `result`, the loops. As a target, the
    first loop.
    """
    path = session.find(target, "for")
    loop = without_steps(session, session.at(path))
    around = session.around(path)
    if not isinstance(loop, For) or not is_plain(loop):
        raise refuse("this is not a loop that counts up from 0 by one", loop, "s.loop.shift_range")
    total, update = _update_of(loop)
    elem = scalar_of(session, path, total)
    declared = _declared_before(total, first_part(update, elem), around[: path.index])
    o, s, b, k = (session.fresh(x, path) for x in (outer, sums, before, "k"))
    inside = total if declared is not None else session.fresh("part", path)
    tiles = TiledScan(loop, total, update, declared, inside, elem, as_expression(size), o, s, b)
    offsets = tiles.offsets(k) if running is None else tiles.running_offsets(session.fresh(running, path))
    loops = (tiles.tile_sums(twice), *offsets, tiles.result(twice))
    is_local = any(isinstance(x, Decl) and x.name == total for x in around[: path.index])
    used_after = not is_local or total in body_free_vars(around[path.index + 1 :])
    rest = tiles.total_of_all(k) if used_after else ()
    decl_s, free_s = array_decl(s, elem, (tiles.count,))
    decl_b, free_b = array_decl(b, elem, (tiles.count,))
    new = (decl_s, decl_b, *loops, *rest, *free_s, *free_b)
    p, d = path.index, path.index if declared is None else around.index(declared)
    session.edit_body(path, lambda w: (*w[:d], *w[d + 1 : p], *new, *w[p + 1 :]))
    at = path.sibling(0 if declared is None else -1)
    made = handles_from(session, at, 2 + len(loops))
    return ScanPasses(session, made[2].id, made[-2], made[-1], made[0], made[1])


@dataclass(frozen=True, slots=True)
class TiledScan:
    """A loop that computes prefix sums, cut into tiles of `size` iterations."""

    loop: For
    total: str  # the variable that holds the running sum
    update: Store  # of this variable
    declared: Decl | None  # of it, if it starts with a neutral element; else offsets start with the value that it has
    inside: str  # the variable that holds the running sum inside a tile
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

    @property
    def neutral(self) -> Expr:
        return first_part(self.update, self.elem)

    @property
    def first_offset(self) -> Expr:
        return self.neutral if self.declared is not None else Var(self.total)

    def running_sum(self, first: Expr) -> Decl:
        """The declaration of the variable inside a tile."""
        return Decl(self.inside, self.elem, first) if self.declared is None else replace(self.declared, id=NO_ID)

    def body(self) -> Body:
        """The body of the scan on the variable inside a tile."""
        return substitute_body(self.loop.body, {self.total: Var(self.inside)})

    def tile(self, body: Body) -> For:
        """The iterations of one tile, with this body."""
        index = plus(times(Var(self.outer), self.size), Var(self.loop.index))
        inside = flattened_sums(substitute_body(body, {self.loop.index: index}))
        guarded = inside if self.is_exact else (If(less(index, self.loop.range.bound), inside),)
        return up_to(self.loop.index, self.size, guarded)

    def tile_sums(self, only_sums: bool) -> For:
        """Compute the sum of each tile, and its prefix sums unless `only_sums`."""
        body = self.body()
        summed = self.tile(_without_stores(body) if only_sums else body)
        start = self.declared or self.running_sum(self.neutral)
        return up_to(self.outer, self.count, (start, summed, Store(self.tile_sum, Var(self.inside))))

    def offsets(self, index: str) -> Body:
        """Compute the offset of each tile as a sum of its own; `index` is that of the loop over the tiles before it."""
        add = with_operands(self.update, self.offset, cell(self.sums, [Var(index)]))
        add_up = up_to(index, Var(self.outer), (add,))
        return (up_to(self.outer, self.count, (Store(self.offset, self.first_offset), add_up)),)

    def running_offsets(self, variable: str) -> Body:
        """Compute the offsets as a running sum in a variable."""
        step = (Store(self.offset, Var(variable)), with_operands(self.update, Var(variable), self.tile_sum))
        return (Decl(variable, self.elem, self.first_offset), up_to(self.outer, self.count, step))

    def result(self, only_sums: bool) -> For:
        """Compute the result of each tile from its offset: from its prefix sums, or anew if there are only sums."""
        if not only_sums:
            return up_to(self.outer, self.count, (self.tile(self._offset_added(self.body())),))
        body = self._with_offset(self.body())
        if self.declared is None:  # the running sum starts with the offset
            return up_to(self.outer, self.count, (self.running_sum(self.offset), self.tile(self.body())))
        return up_to(self.outer, self.count, (self.running_sum(self.neutral), self.tile(body)))

    def total_of_all(self, index: str) -> Body:
        """Compute the sum of all tiles, for the code after the loop."""
        add = with_operands(self.update, Var(self.total), cell(self.sums, [Var(index)]))
        start = () if self.declared is None else (replace(self.declared, id=NO_ID),)
        return *start, up_to(index, self.count, (add,))

    def _is_update(self, s: Stmt) -> bool:
        if not isinstance(s, Store) or s.target != Var(self.inside) or not is_reduction(s):
            return False
        return self.inside not in free_vars(operand(s))

    def _with_offset(self, body: Body) -> Body:
        """The body of a scan in which each stored value uses the offset plus the running sum."""
        name, out = self.inside, list[Stmt]()
        for s in body:
            match s:
                case Store(Var(), _, _) if self._is_update(s):
                    out.append(s)
                case Store(Index(), value, None) if name not in free_vars(s.target):
                    out.append(replace(s, value=substitute(value, {name: self._combined(self.offset, Var(name))})))
                case If(test, then, ()) if name not in free_vars(test):
                    out.append(replace(s, then=self._with_offset(then)))
                case _:
                    raise refuse(f"only `{self._text}` and stores may be in the loop", s)
        return tuple(out)

    def _offset_added(self, body: Body) -> Body:
        """The stores of the running sum in the body of a scan, as additions of the offset to the stored element."""
        name, out = self.inside, list[Stmt]()
        for s in body:
            match s:
                case Store(Var(), _, _) if self._is_update(s):
                    continue
                case Store(element, Var(stored), None) if stored == name:
                    out.append(with_operands(self.update, element, self.offset))
                case If(test, then, ()) if name not in free_vars(test):
                    out.append(replace(s, then=self._offset_added(then), id=NO_ID))
                case _:
                    raise refuse(f"only `{self._text}` and stores of `{self.total}` may be in the loop", s)
        return tuple(out)

    @property
    def _text(self) -> str:
        match self.update:
            case Store(Var(name), Call(function), None):
                return f"{name} = {function}({name}, …)"
            case Store(Var(name), _, operator):
                return f"{name} {operator}= …"
            case _:
                return "an update of a variable"

    def _combined(self, a: Expr, b: Expr) -> Expr:
        match self.update:
            case Store(_, Call() as call, None):
                return replace(call, args=(a, b))
            case Store(_, _, "+"):
                return plus(a, b)
            case _:
                return Binary("*", a, b)


def _update_of(loop: For) -> tuple[str, Store]:
    """The first statement of a loop that adds to a variable from before the loop, and this variable."""
    own = {s.name for s in statements(loop.body) if isinstance(s, Decl)}
    for s in statements(loop.body):
        if isinstance(s, Store) and isinstance(s.target, Var) and s.target.name not in own and is_reduction(s):
            return s.target.name, s
    raise refuse("there is no variable that this loop adds to", loop, "sum += a[i]; b[i] = sum;")


def _declared_before(total: str, neutral: Expr, before: Body) -> Decl | None:
    """The declaration of a variable with a neutral element in the body before the loop, if it is not used in between."""
    for at, s in reversed(list(enumerate(before))):
        if isinstance(s, Decl) and s.name == total:
            unused = total not in body_free_vars(before[at + 1 :])
            return s if unused and s.init is not None and _same_number(s.init, neutral) else None
    return None


def _same_number(a: Expr, b: Expr) -> bool:
    values = [x.value if isinstance(x, Real) else value_of(x) for x in (a, b)]
    return values[0] is not None and values[0] == values[1]


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
