"""Fragments in the code of one thread: which elements it has, and the loops over these.

Fragments have the layout of the results of `mma.m16n8`: of each tile of 16 x 8, lane 4g + t of a warp has the elements
(g + 8 * half, 2t + part), for half, part < 2. A warp has tiles of 16 rows below each other; of four warps, warp w has the rows
16w .. 16w + 16 of each 64. That is also the layout of the results of `wgmma.m64`, and of 16-bit left factors of both in
registers. So a thread has its elements in an array [tile of rows][tile of columns][half][part], and a loop over the rows and
columns becomes one over these. A vector with an element for each row is kept by the four lanes of a row: [tile of rows][half].
In a kernel with `across`, fragments have the layout of their transposes (tile_products.py).

The rules know nothing of this layout (docs/logic.md, "Fragments"): in an iteration (i, j) a thread accesses [i][j] alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from optigpu.codegen.cuda.lowering_scope import ArrayInfo, FragmentLoop, LoweringScope, Storage
from optigpu.codegen.cuda.pipelines import unfit
from optigpu.codegen.cuda.sections import PROOF_ONLY
from optigpu.codegen.folding import simplify
from optigpu.codegen.integer_polynomials import binary, number, poly
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Addr, Array, Binary, Call, Cast, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars, fresh_name
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.program import Body, CallStmt, Decl, For, If, LoopRange, Stmt, Store
from optigpu.syntax.types import BF16, BOOL, FLOAT, HALF, INT, UINT, VOID, Scalar
from optigpu.syntax.walk import subexpressions

COLS, HALF_ROWS = 8, 8  # columns of a tile, and rows of a half of it
WARP, FOUR_WARPS = 32, 128
THREAD = Var("threadIdx.x", type=INT)
MOST_COORDINATE = 63  # rows and columns of the first tile, with room
STORE_PAIR = "store_pair"
PAIRED_BYTES = (2, 4)  # sizes of elements of which two adjacent ones are stored together


@dataclass(frozen=True)
class GuardedStore:
    """`if (c1) if (c2) target = value;`, the only statement of a loop over columns."""

    guards: tuple[Expr, ...]
    store: Store

    @property
    def target(self) -> Index:
        assert isinstance(self.store.target, Index)
        return self.store.target


def is_packed(elem: Scalar) -> bool:
    """Are two elements of a fragment in one register, as instructions take them?"""
    return elem in (HALF, BF16)


class FragmentLowering(ABC):
    """What `Lowering` does with fragments. `places`: coordinates of a thread in fragments, by name, as far as they are used.
    `across`: have they the layout of their transposes?"""

    places: dict[str, Expr]
    taken: set[str]
    across: bool

    @abstractmethod
    def body(self, body: Body, scope: LoweringScope) -> Body: ...
    @abstractmethod
    def folded(self, e: Expr, scope: LoweringScope) -> Expr: ...
    @abstractmethod
    def expr(self, e: Expr, scope: LoweringScope) -> Expr: ...
    @abstractmethod
    def need_packing(self, elem: Scalar) -> None: ...
    @abstractmethod
    def need_pairs(self) -> None: ...

    # Declarations

    def fragment(
        self,
        name: str,
        elem: Scalar,
        dims: tuple[Expr, ...],
        group: int | None,
        distributed: bool,
        s: Stmt,
        scope: LoweringScope,
    ) -> tuple[Body, LoweringScope]:
        """The part of a fragment that a thread has; two 16-bit elements are in one register."""
        sizes = [d.value for d in dims if isinstance(d, Int)]
        if group not in (WARP, FOUR_WARPS) or len(sizes) != len(dims):
            raise unfit(
                f"the sizes of the fragment `{name}`, or the threads that have it together, are not numbers", s.loc
            )
        rows, cols = (COLS, group // 2) if self.across else (group // 2, COLS)
        if sizes[0] % rows or (len(sizes) > 1 and sizes[1] % cols):
            message = f"a fragment of {group} threads has a multiple of {rows} rows, and of {cols} columns"
            raise unfit(message, s.loc)
        tiles = [n // size for n, size in zip(sizes, (rows, cols))]
        own = (*(reversed(tiles) if self.across else tiles), *(2 for _ in sizes))
        packed = len(sizes) > 1 and is_packed(elem)
        if packed:
            self.need_packing(elem)
        array = Array(UINT if packed else elem, tuple(map(number, own[:-1] if packed else own)))
        info = ArrayInfo(name, elem, dims, Storage.FRAGMENT, distributed, group=group)
        return (Decl(name, array, id=s.id),), scope.local(name).array(info)

    def fragment_element(self, e: Index, info: ArrayInfo, indices: tuple[Expr, ...], scope: LoweringScope) -> Expr:
        """The thread's own copy of the element of this iteration."""
        at = [loop.index for loop in (scope.rows, scope.cols)[: len(info.dims)] if loop is not None]
        same = len(at) == len(indices) and all(poly(i) == poly(x) for i, x in zip(indices, at))
        if not same or scope.rows is None:
            what = (
                "the indices of the loops over fragments around"
                if len(info.dims) > 1
                else "the index of the loop over rows around"
            )
            raise unfit(f"an element of the fragment `{info.name}` is accessed by {what}, and by nothing else", e.loc)
        base = Var(info.name, type=e.base.type)
        if len(info.dims) == 1:
            return replace(e, base=base, indices=(scope.rows.tile, scope.rows.part))
        assert scope.cols is not None
        outer, inner = (scope.cols, scope.rows) if self.across else (scope.rows, scope.cols)
        place = (outer.tile, inner.tile, outer.part)
        if not is_packed(info.elem):
            return replace(e, base=base, indices=(*place, inner.part))
        pair = Index(base, place, type=UINT, loc=e.loc)
        return Call(f"element_{info.elem.name}", (pair, inner.part), type=info.elem, loc=e.loc)

    # Loops

    def fragment_loop(self, s: For, scope: LoweringScope) -> Body:
        """A loop over rows or columns as loops over those that the thread has."""
        extent, group = self.folded(s.range.bound, scope), scope.group
        r = s.range
        if scope.rows is None and group not in (WARP, FOUR_WARPS):
            raise unfit("the number of threads that have fragments together is not known here", s.loc)
        rows = scope.rows is None
        outer = rows != self.across  # a loop over what the warps of a group divide
        size = (group or 0) // 2 if outer else COLS
        plain = (poly(r.start), poly(r.amount)) == (constant_polynomial(0), constant_polynomial(1))
        if (r.relation, r.op) != ("<", "+") or not plain or not isinstance(extent, Int) or extent.value % size:
            what = "rows" if rows else "columns"
            raise unfit(f"this loop over {what} of fragments has not a multiple of {size} iterations from 0 on", s.loc)
        tiles, tile_name, part_name = (
            extent.value // size,
            self.fresh(f"{s.index}_tile"),
            self.fresh(f"{s.index}_{'half' if outer else 'part'}"),
        )
        tile: Expr = Var(tile_name, type=INT) if tiles > 1 else number(0)
        part: Expr = Var(part_name, type=INT)
        inner = scope.local(s.index).ranged(s.index, constant_polynomial(0), constant_polynomial(extent.value - 1))
        for name, count in ((tile_name, tiles), (part_name, 2)):
            inner = inner.ranged(name, constant_polynomial(0), constant_polynomial(count - 1))
        first = self.coordinate(group or 0) if outer else self.coordinate(0)
        inner = inner.ranged(first.name, constant_polynomial(0), constant_polynomial(MOST_COORDINATE))
        step = HALF_ROWS if outer else 1
        at = binary("+", binary("+", first, binary("*", number(size), tile)), binary("*", number(step), part))
        here = FragmentLoop(Var(s.index, type=INT), tile, part)
        inner = replace(inner, rows=here) if rows else replace(inner, cols=here)
        body = None if rows or self.across else self.in_pairs(s, tile, first, inner)
        if body is None:
            code = self.body(s.body, inner)
            index = Decl(s.index, s.index_type, simplify(at, inner.ranges), True)
            code = (index, *code) if s.index in body_free_vars(code) else code
            body = (_counted(part_name, 2, code),) if code else ()
        return (_counted(tile_name, tiles, body),) if body and tiles > 1 else body

    def fresh(self, name: str) -> str:
        new = fresh_name(name, self.taken)
        self.taken.add(new)
        return new

    def coordinate(self, group: int) -> Var:
        """The first row, or (group 0) the first column, of which the thread has an element."""
        lane = binary("%", THREAD, number(WARP))
        name, value = {
            0: ("lane_col", binary("*", binary("%", THREAD, number(4)), number(2))),
            WARP: ("warp_row", binary("/", lane, number(4))),
            FOUR_WARPS: (
                "group_row",
                binary(
                    "+",
                    binary("*", binary("%", binary("/", THREAD, number(WARP)), number(4)), number(16)),
                    binary("/", lane, number(4)),
                ),
            ),
        }[group]
        known = next((n for n, v in self.places.items() if v == value), None)
        own = self.fresh(name) if known is None else known
        self.places[own] = value
        return Var(own, type=INT)

    # Elements of 16 bits, of which a register has two

    def packed_store(self, s: Store, scope: LoweringScope) -> CallStmt | None:
        """`set_half(pair, part, value)` for a store to an element of a fragment of 16-bit numbers."""
        target = self.folded(s.target, scope)
        if not isinstance(target, Call) or not isinstance(target.type, Scalar):
            return None
        value = s.value
        if s.op is not None:
            common = value.type
            assert isinstance(common, Scalar)
            result = Binary(s.op, Cast(common, s.target, True, type=common), value, type=common)
            value = Cast(target.type, result, True, type=target.type)
        call = Call(f"set_{target.type.name}", (*target.args, self.folded(value, scope)), type=VOID, loc=s.loc)
        return CallStmt(call, id=s.id)

    # Two columns at a time

    def in_pairs(self, s: For, tile: Expr, first: Expr, scope: LoweringScope) -> Body | None:
        """The body of a loop over columns, if it is one store whose two elements in a tile are adjacent: then both are stored at
        once. Guards are those of the two elements."""
        found = _guarded_store(s.body)
        if found is None:
            return None
        (guards, one), (more, other) = (self.part_of(found, s.index, s.index_type, part, scope) for part in range(2))
        pair = _packed_pair(found, one, other) if not found.guards else None
        array = scope.arrays.get(found.target.base.name) if isinstance(found.target.base, Var) else None
        if pair is None and array is not None and array.storage is Storage.GLOBAL:
            pair = _adjacent_pair(found, one, other)
            if pair is not None:
                self.need_pairs()
        if pair is None:
            return None
        shared = _of_both(guards, more)
        own, others = (tuple(g for g in gs if g not in shared) for gs in (guards, more))
        stores: Body = (pair,)
        if own or others:
            separate = (*_if(own, (_store(found, *one),)), *_if(others, (_store(found, *other),)))
            stores = (If(_all((*own, *others)), (pair,), separate),)
        body = _if(shared, stores)
        at = simplify(binary("+", first, binary("*", number(COLS), tile)), scope.ranges)
        start = Decl(s.index, s.index_type, at, True)
        return (start, *body) if s.index in body_free_vars(body) else body

    def part_of(
        self, found: GuardedStore, index: str, t: Scalar, part: int, scope: LoweringScope
    ) -> tuple[tuple[Expr, ...], tuple[Expr, Expr]]:
        """Guards, target and value for the first or second element of a pair; the loop's index is that of the first."""
        assert scope.cols is not None
        own = Var(index, type=t)
        at: Expr = own if part == 0 else binary("+", own, number(1))
        here = replace(scope, cols=replace(scope.cols, index=at, part=number(part)))
        here = here if part == 0 else here.value(index, at)
        guards = tuple(self.folded(g, here) for g in found.guards)
        return guards, (self.folded(found.target, here), self.folded(found.store.value, here))


def _guarded_store(body: Body) -> GuardedStore | None:
    """The store that is all of a body, with the conditions around it."""
    guards: list[Expr] = []
    while True:
        code = [s for s in body if not isinstance(s, PROOF_ONLY)]
        match code:
            case [If(test, then, ())]:
                guards += _conjuncts(test)
                body = then
            case [Store(Index(), _, None) as store]:
                return GuardedStore(tuple(guards), store)
            case _:
                return None


def _packed_pair(found: GuardedStore, one: tuple[Expr, Expr], other: tuple[Expr, Expr]) -> Stmt | None:
    """Two 16-bit elements of a fragment as one register."""
    target, (x, y) = one[0], (one[1], other[1])
    if not isinstance(target, Call) or not isinstance(target.type, Scalar) or not isinstance(target.args[0], Index):
        return None
    name = target.type.name
    match x, y:
        case Cast(_, a), Cast(_, b) if a.type == b.type == FLOAT:
            value = Call(f"rounded_{name}", (a, b), type=UINT)
        case _:
            value = Call(f"packed_{name}", (x, y), type=UINT)
    return Store(target.args[0], value, id=found.store.id)


def _adjacent_pair(found: GuardedStore, one: tuple[Expr, Expr], other: tuple[Expr, Expr]) -> Stmt | None:
    """`store_pair(&a[i][j], x, y)` for two adjacent elements of a row in global memory."""
    (a, x), (b, y) = one, other
    elem = found.target.type
    if not isinstance(a, Index) or not isinstance(b, Index) or not isinstance(elem, Scalar):
        return None
    if a.base != b.base or a.indices[:-1] != b.indices[:-1] or elem.size not in PAIRED_BYTES:
        return None
    if poly(b.indices[-1]) - poly(a.indices[-1]) != constant_polynomial(1) or not isinstance(a.base, Var):
        return None
    pointer = Addr(a, type=Array(elem, (None,)), loc=a.loc)
    return CallStmt(Call(STORE_PAIR, (pointer, x, y), type=VOID, loc=a.loc), id=found.store.id)


def _of_both(guards: tuple[Expr, ...], more: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """The guards of both elements that may be tested first: those that have a value wherever the others do not hold, and those that
    are tested first anyway."""
    out: list[Expr] = []
    for n, g in enumerate(guards):
        if g in more and (_has_value(g) or (guards[:n] == more[:n] and len(out) == n)):
            out.append(g)
    return tuple(out)


def _has_value(e: Expr) -> bool:
    """Has the expression a value whatever its variables are?"""
    return not any(
        isinstance(x, Index | Call) or (isinstance(x, Binary) and x.op in ("/", "%", "<<", ">>"))
        for x in subexpressions(e)
    )


def _store(found: GuardedStore, target: Expr, value: Expr) -> Stmt:
    assert isinstance(target, Index)
    return replace(found.store, target=target, value=value)


def _conjuncts(e: Expr) -> list[Expr]:
    match e:
        case Binary("&&", a, b):
            return [*_conjuncts(a), *_conjuncts(b)]
        case _:
            return [e]


def _all(es: tuple[Expr, ...]) -> Expr:
    out = es[0]
    for e in es[1:]:
        out = Binary("&&", out, e, type=BOOL)
    return out


def _if(guards: tuple[Expr, ...], body: Body) -> Body:
    return (If(_all(guards), body),) if guards else body


def _counted(name: str, count: int, body: Body) -> For:
    return For(name, LoopRange(number(0), "<", number(count), "+", number(1)), body)
