"""Loop nests with `#pragma tensor_cores` become the instruction by which a warp computes a product of 16 x 8 x 8: mma.m16n8k8.

In the program, thread 4g + t of a warp adds left(g, h, k) * right(k, t, e) for all k < 8 to its element (h, e): see
syntax/tensor_nests.py. The instruction takes the same sums of the elements that the 32 threads hold of the two matrices, and thread
4g + t holds left(g, h, t + 4 * half) and right(t + 4 * half, g / 2, g % 2). So a thread reads other cells of memory than in the
program, while the warp reads the same ones. What is needed for that:

- The whole warp executes the nest: the thread loops over g < 8 and t < 4 are the innermost ones, of single threads, directly inside
  each other. Inside them only sequential loops are around the nest, with bounds that are the same in all threads.
- The factors depend on the thread through g and through t alone, and are in global or shared memory.
- The sums are four registers of the thread, the same ones for all k: no index of theirs is read from memory.
- Every thread of the warp may read the cells, and nobody overwrites them early. In the program, a thread reads a cell that a thread
  of the same warp wrote, or that a barrier of the block ordered before; likewise, whoever writes it next. So `__syncwarp()` before
  and after the statements of the innermost thread loop is enough, as long as these write nothing but registers.

Loops around a nest that move only one factor are tiles of a larger product: the elements of all tiles are loaded first, each once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from optigpu.codegen.cuda.thread_index import Coordinate, ThreadMap
from optigpu.codegen.integer_polynomials import binary, number
from optigpu.codegen.value_ranges import is_stable
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars, body_names, free_vars, fresh_name
from optigpu.syntax.inlining import whole_call
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, Mode, Stmt, Store
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import Loc
from optigpu.syntax.substitution import substitute
from optigpu.syntax.tensor_nests import (
    COLS,
    GROUPS,
    LANES,
    PRECISIONS,
    ROWS,
    TensorNest,
    executed,
    precision_of,
    tensor_nest,
)
from optigpu.syntax.types import FLOAT, INT, UINT, VOID, Scalar, Space
from optigpu.syntax.walk import has_pointers, map_bodies, root_name, statements

ROUNDING = ("tf32", "tf32_high", "tf32_rest")
TENSOR_CALLS = tuple(f"mma_{precision}" for precision in PRECISIONS)
RESULTS = ROWS * COLS  # the first arguments of a call, which it adds to


@dataclass(frozen=True)
class LaneLoops:
    """The thread loops over g and t, which divide a warp into its threads."""

    groups: For
    lanes: For


def with_tensor_calls(device: Body) -> tuple[Body, tuple[LaneLoops, ...]]:
    """Device code with calls of `mma_…` in place of hinted nests, and the loops whose iterations must be the threads of a warp."""
    found: list[LaneLoops] = []
    names = _names_of(device)
    taken = body_names(device) | body_free_vars(device)

    def visit(body: Body) -> Body:
        return tuple(statement(s) for s in body)

    def statement(s: Stmt) -> Stmt:
        if isinstance(s, For) and precision_of(s) is not None:
            raise misfit("the two thread loops around it are not those over the 8 x 4 threads of a warp", s.loc)
        lanes = _lanes_of(s)
        if lanes is None:
            return map_bodies(s, visit)
        nests = LaneBody(lanes, names, taken)
        inner = replace(lanes.lanes, body=(_warpsync(), *nests.body(lanes.lanes.body), _warpsync()))
        outer = replace(lanes.groups, body=tuple(inner if x is lanes.lanes else x for x in lanes.groups.body))
        found.append(LaneLoops(outer, inner))
        return outer

    return visit(device), tuple(found)


def require_warps(loops: tuple[LaneLoops, ...], threads: ThreadMap) -> None:
    """The iterations of these loops are threads 4g + t of a warp."""
    one, lanes, groups = (constant_polynomial(n) for n in (1, LANES, GROUPS))
    for x in loops:
        wanted = Coordinate("block", lanes, groups), Coordinate("block", one, lanes)
        if (threads.loops[id(x.groups)], threads.loops[id(x.lanes)]) != wanted:
            raise misfit("an iteration of the thread loops around it is more than one thread of a block", x.lanes.loc)


@dataclass(frozen=True)
class KernelNames:
    """Names that a kernel declares, other than those of shared arrays: all, those of registers and nothing else (no pointers, no
    shared arrays of that name in another scope), those assigned to."""

    declared: set[str]
    registers: set[str]
    assigned: set[str]


@dataclass(frozen=True)
class LaneBody:
    """The statements that one thread of a warp executes."""

    loops: LaneLoops
    names: KernelNames
    taken: set[str]  # names that new variables cannot have

    @property
    def differing(self) -> set[str]:
        """Names whose values may differ from thread to thread."""
        own = {s.name for s in statements(self.loops.lanes.body) if isinstance(s, Decl)}
        return {self.loops.groups.index, self.loops.lanes.index} | own | self.names.assigned

    def body(self, body: Body) -> Body:
        for s in statements(body):
            if not self._writes_registers_only(s):
                raise misfit("the same thread loop also writes to memory", s.loc)
        return tuple(self._statement(s) for s in body)

    def _statement(self, s: Stmt) -> Stmt:
        if isinstance(s, For) and (tiles := self._tiles(s)) is not None:
            return tiles.products(self.taken)
        if not any(isinstance(x, For) and precision_of(x) for x in statements((s,))):
            return s
        match s:
            case For() if s.mode is Mode.SEQUENTIAL:
                for bound in (s.range.start, s.range.bound, s.range.amount):
                    if not is_stable(bound, self.differing):
                        raise misfit(f"not all threads of a warp run the same iterations of `{s.index}`", s.loc)
            case Block():
                pass
            case _:
                raise misfit("not all threads of a warp run it", s.loc)
        return map_bodies(s, lambda body: tuple(self._statement(x) for x in body))

    def _tiles(self, s: For) -> TileProducts | None:
        """A hinted nest, with the loops around it that move only one of its factors; None if there is more, or none of these."""
        loops = [s]
        while precision_of(loops[-1]) is None:
            inner = executed(loops[-1].body)
            if len(inner) != 1 or not isinstance(inner[0], For) or loops[-1].mode is not Mode.SEQUENTIAL:
                return None
            loops.append(inner[0])
        nest = self._nest(loops[-1])
        moved = [{x for x in (nest.left, nest.right) if loop.index in free_vars(x)} for loop in loops[:-1]]
        if any(count(loop) is None for loop in loops[:-1]) or any(len(factors) == 2 for factors in moved):
            return None
        g, t = self.loops.groups.index, self.loops.lanes.index
        return TileProducts(tuple(loops[:-1]), nest, loops[-1], g, t)

    def _nest(self, loop: For) -> TensorNest:
        nest = tensor_nest(loop)
        if isinstance(nest, str):
            raise misfit(nest, loop.loc)
        if any(e.type != FLOAT for e in (nest.target, nest.left, nest.right)):
            raise misfit("not all of its numbers are floats", loop.loc)
        g, t = self.loops.groups.index, self.loops.lanes.index
        if len({g, t, nest.depth, nest.row, nest.col}) < 5:
            raise misfit("two of its loops have the same name", loop.loc)
        own = {nest.depth, nest.row, nest.col}
        self._require_same(nest.left, own, {g, nest.row, nest.depth}, loop.loc)
        self._require_same(nest.right, own, {t, nest.col, nest.depth}, loop.loc)
        if root_name(nest.target) not in self.names.registers:
            raise misfit("what it adds to is not in registers", loop.loc)
        return nest

    def _require_same(self, factor: Index, own: set[str], through: set[str], loc: Loc) -> None:
        """A factor is in shared or global memory, and depends on the thread, and on the loops of the nest, by these names only."""
        if not isinstance(factor.base, Var) or factor.base.name in self.names.declared:
            raise misfit("a factor is not an element of an array in shared or global memory", loc)
        if not all(is_stable(i, (self.differing | own) - through) for i in factor.indices):
            raise misfit(f"a factor depends on the thread by more than {', '.join(sorted(through))}", loc)

    def _writes_registers_only(self, s: Stmt) -> bool:
        match s:
            case CallStmt(Call(func, (target, *_))) if func in VECTOR_CALLS:
                return root_name(target) in self.names.registers
            case CallStmt():
                return False
            case Store(target) if root_name(target) not in self.names.registers:
                return False
            case _:  # a function that is given memory may write to it; such a call is the whole right side
                call = whole_call(s)
                return call is None or not has_pointers(call)


@dataclass(frozen=True)
class TileProducts:
    """Products of tiles: the loops over tiles, and the nest of each."""

    loops: tuple[For, ...]
    nest: TensorNest
    hinted: For
    g: str
    t: str

    def products(self, taken: set[str]) -> Stmt:
        """Load the elements of all tiles into registers, and multiply them."""
        precision = precision_of(self.hinted)
        left = Elements(self, "left", _left_elements(self.nest, self.t), precision == "tf32x3", taken)
        right = Elements(self, "right", _right_elements(self.nest, self.g, self.t), precision == "tf32x3", taken)
        args = (*_results(self.nest), *left.registers(), *right.registers())
        call = CallStmt(Call(f"mma_{precision}", args, type=VOID, loc=self.hinted.loc), id=self.hinted.id)
        return Block((*left.loaded(), *right.loaded(), *self.around((call,), self.loops)))

    def around(self, body: Body, loops: Sequence[For]) -> Body:
        for loop in reversed(loops):
            body = (replace(loop, body=body, hints=(), contract=()),)
        return body


@dataclass(frozen=True)
class Elements:
    """The elements of one factor that a thread holds, of all tiles, rounded; with what rounding left, if `rests`."""

    tiles: TileProducts
    stem: str
    elements: tuple[Expr, ...]
    rests: bool
    taken: set[str]

    @property
    def loops(self) -> list[For]:
        return [x for x in self.tiles.loops if any(x.index in free_vars(e) for e in self.elements)]

    @property
    def name(self) -> str:
        return fresh_name(self.stem, self.taken)

    def registers(self) -> list[Expr]:
        at = [Var(x.index, type=x.index_type) for x in self.loops]
        return [
            Index(Var(self.name), (*at, number(n)), type=UINT) for n in range(len(self.elements) * (1 + self.rests))
        ]

    def loaded(self) -> Body:
        values = [Call("tf32_high" if self.rests else "tf32", (e,), type=UINT) for e in self.elements]
        high = zip(self.elements, self.registers()) if self.rests else ()
        values += [Call("tf32_rest", (e, r), type=UINT) for e, r in high]
        dims = (*(number(count(x) or 0) for x in self.loops), number(len(values)))
        stores = tuple(Store(r, v) for r, v in zip(self.registers(), values) if isinstance(r, Index))
        return (Decl(self.name, Array(UINT, dims)), *self.tiles.around(stores, self.loops))


def _results(nest: TensorNest) -> Iterator[Expr]:
    for row in range(ROWS):
        for col in range(COLS):
            yield substitute(nest.target, {nest.row: number(row), nest.col: number(col)})


def _left_elements(nest: TensorNest, t: str) -> tuple[Expr, ...]:
    places = [(half, row) for half in range(2) for row in range(ROWS)]
    return tuple(substitute(nest.left, {nest.row: number(row), nest.depth: _depth(t, half)}) for half, row in places)


def _right_elements(nest: TensorNest, g: str, t: str) -> tuple[Expr, ...]:
    """Column g, which is 2 * (g / 2) + (g - 2 * (g / 2)): written so that the sum is simplified."""
    group = Var(g, type=INT)
    pair = binary("/", group, number(2))
    rest = binary("-", group, binary("*", number(2), pair))
    return tuple(substitute(nest.right, {t: pair, nest.col: rest, nest.depth: _depth(t, half)}) for half in range(2))


def _depth(t: str, half: int) -> Expr:
    return Var(t, type=INT) if half == 0 else binary("+", Var(t, type=INT), number(LANES))


def _lanes_of(s: Stmt) -> LaneLoops | None:
    """The two innermost thread loops, if this is the outer one and nests that are hinted are inside."""
    if not isinstance(s, For) or s.mode is not Mode.THREAD:
        return None
    inner = executed(s.body)
    if len(inner) != 1 or not isinstance(lanes := inner[0], For) or lanes.mode is not Mode.THREAD:
        return None
    if (count(s), count(lanes)) != (GROUPS, LANES):
        return None
    if precision_of(lanes) is not None:
        raise misfit("it is a thread loop itself", lanes.loc)
    below = list(statements(lanes.body))
    if any(isinstance(x, For) and x.mode is Mode.THREAD for x in below):
        return None
    return LaneLoops(s, lanes) if any(isinstance(x, For) and precision_of(x) for x in below) else None


def count(s: For) -> int | None:
    """How often a loop from 0 that counts up by one runs, if this is a number."""
    r = s.range
    plain = r.start == Int(0) and r.relation == "<" and r.op == "+" and r.amount == Int(1)
    return r.bound.value if plain and isinstance(r.bound, Int) else None


def _names_of(device: Body) -> KernelNames:
    decls = [s for s in statements(device) if isinstance(s, Decl)]
    others = {s.name for s in decls if not _is_register(s)} | body_free_vars(device)
    declared = {s.name for s in decls if not _is_shared(s)}
    return KernelNames(declared, declared - others, assigned_names(device))


def _is_shared(s: Decl) -> bool:
    return isinstance(s.type, Array) and s.type.space is Space.SMEM


def _is_register(s: Decl) -> bool:
    if _is_shared(s):
        return False
    if isinstance(s.init, Alloc):
        return s.init.space is Space.TREG
    return isinstance(s.type, Scalar) or (
        isinstance(s.type, Array) and bool(s.type.dims) and s.type.dims[0] is not None
    )


def _warpsync() -> CallStmt:
    return CallStmt(Call("warpsync", (), type=VOID))


def misfit(why: str, loc: Loc) -> InputError:
    return input_error("OG408", f"this loop cannot run on tensor cores: {why}", loc)


def tensor_calls(body: Body) -> set[str]:
    """The precisions of the calls in lowered code."""
    return {s.call.func for s in statements(body) if isinstance(s, CallStmt) and s.call.func in TENSOR_CALLS}


def precision_notes(calls: set[str]) -> list[str]:
    """What the head of an emitted file says about rounding."""
    notes = {
        "mma_tf32": "Products run on tensor cores in TF32: factors have 10 bits of mantissa.",
        "mma_tf32x3": "Products run on tensor cores as three products in TF32 each; infinite factors give NaN.",
    }
    return [notes[call] for call in sorted(calls)]


def print_tensor_helpers(calls: set[str], out: Lines) -> None:
    """`mma_tf32(c00, …, a0, …, b0, b1)`; `mma_tf32x3` adds the products of what TF32 leaves of the operands."""
    for text in (MMA, *(HELPERS[call] for call in sorted(calls))) if calls else ():
        out.extend(text.splitlines())


MMA = """\
__device__ __forceinline__ void mma(float& c0, float& c1, float& c2, float& c3, unsigned a0, unsigned a1, unsigned a2,
    unsigned a3, unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c0), "+f"(c1), "+f"(c2), "+f"(c3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

"""
MMA_TF32 = """\
__device__ __forceinline__ unsigned tf32(float x) {
  return __float_as_uint(fmaf(x, 3.4e-4f, x));  // about half a unit of TF32 more, since tensor cores drop the lowest 13 bits
}

__device__ __forceinline__ void mma_tf32(float& c0, float& c1, float& c2, float& c3, unsigned a0, unsigned a1, unsigned a2,
    unsigned a3, unsigned b0, unsigned b1) {
  mma(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1);
}

"""
MMA_TF32X3 = """\
__device__ __forceinline__ unsigned tf32_high(float x) {
  return __float_as_uint(x) & 0xffffe000u;
}

__device__ __forceinline__ unsigned tf32_rest(float x, unsigned high) {
  return __float_as_uint(x - __uint_as_float(high));
}

__device__ __forceinline__ void mma_tf32x3(float& c0, float& c1, float& c2, float& c3, unsigned a0, unsigned a1, unsigned a2,
    unsigned a3, unsigned p0, unsigned p1, unsigned p2, unsigned p3, unsigned b0, unsigned b1, unsigned q0, unsigned q1) {
  float d0 = 0.0f, d1 = 0.0f, d2 = 0.0f, d3 = 0.0f;  // tensor cores truncate sums: the long sum is added up in floats
  mma(d0, d1, d2, d3, p0, p1, p2, p3, b0, b1);
  mma(d0, d1, d2, d3, a0, a1, a2, a3, q0, q1);
  mma(d0, d1, d2, d3, a0, a1, a2, a3, b0, b1);
  c0 += d0;
  c1 += d1;
  c2 += d2;
  c3 += d3;
}

"""
HELPERS = {"mma_tf32": MMA_TF32, "mma_tf32x3": MMA_TF32X3}
