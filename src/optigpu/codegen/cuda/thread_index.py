"""The mapping of thread loops to `blockIdx` and `threadIdx`.

The threads of a launch are numbered 0 … grid·block - 1, block by block, and a thread loop of extent N divides its group into N
equal contiguous parts. So the loop index is `(thread number / R) % N`, where R is the number of threads of one iteration. The
outer loops whose extents multiply to the grid size count blocks; the inner ones count threads of a block. If all nests divide a
block in the same way, each loop gets a dimension (up to three) and its index is `blockIdx.y`, `threadIdx.x`, … A grid has at
most 65535 blocks in y and z: a larger one is launched in slices, and the kernel gets the first block of its slice as a
parameter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from optigpu.codegen.integer_polynomials import expression, number, poly
from optigpu.codegen.launch_plan import AXES, MAX_GRID
from optigpu.codegen.value_ranges import Ranges
from optigpu.kernel.launch_rules import MOST_THREADS
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Binary, Cast, Expr, Var
from optigpu.syntax.free_names import fresh_name
from optigpu.syntax.polynomials import Polynomial, constant_polynomial
from optigpu.syntax.program import Body, For, Mode
from optigpu.syntax.source import Loc
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import INT, INT64, UINT, Scalar
from optigpu.syntax.walk import inner_bodies

MAX_BLOCK_Z = 64  # threads of a block along z
MAX_GRID_X, MAX_GRID_YZ = MAX_GRID[0], MAX_GRID[1]  # blocks; y and z have the same limit


@dataclass(frozen=True)
class Coordinate:
    """`(number / stride) % extent`, for the number of the block in the grid, the thread in the block, or the thread in the grid."""

    of: str  # "grid", "block" or "all"
    stride: Polynomial
    extent: Polynomial


@dataclass(frozen=True)
class Placed:
    """The coordinate of a thread loop and its name in the kernel; the loop index is `start + step·name`."""

    coordinate: Coordinate
    name: str


@dataclass
class ThreadMap:
    """The thread coordinates of one kernel."""

    grid: Expr
    block: Expr
    lets: Mapping[str, Expr]  # definitions of host constants: loop extents and launch may name a size differently
    loc: Loc
    taken: set[str]
    ranges: Ranges  # of the host's variables
    loops: dict[int, Coordinate] = field(default_factory=dict)
    names: dict[Coordinate, str] = field(default_factory=dict)
    grid_dims: tuple[Polynomial, ...] = ()  # outermost first; a single one if the grid is linear
    block_dims: tuple[Polynomial, ...] = ()
    direct: dict[Coordinate, str] = field(default_factory=dict)
    slices: dict[str, str] = field(default_factory=dict)  # "y" -> the parameter with the first block of the slice
    wide: set[Coordinate] = field(default_factory=set)  # coordinates that need 64 bits
    one_row: bool = False  # blocks have one dimension: tiles and fragments divide threads in other ways than loops

    def scan(self, body: Body) -> ThreadMap:
        paths = list(self.paths(body, ()))
        grid_paths: dict[tuple[Polynomial, ...], tuple[Coordinate, ...]] = {}
        block_paths: list[tuple[Coordinate, ...]] = []
        everywhere = False
        for path in paths:
            cut = self.grid_prefix([e for _, e in path])
            if cut is None:
                everywhere = True
                self.place(path, "all", self.total(self.grid) * self.total(self.block))
                continue
            self.place(path[:cut], "grid", self.total(self.grid))
            self.place(path[cut:], "block", self.total(self.block))
            grid_paths[tuple(e for _, e in path[:cut])] = tuple(self.loops[id(s)] for s, _ in path[:cut])
            block_paths.append(tuple(self.loops[id(s)] for s, _ in path[cut:]))
        self.grid_dims, self.block_dims = (self.total(self.grid),), (self.total(self.block),)
        if len(grid_paths) == 1 and not everywhere:
            ((dims, coordinates),) = grid_paths.items()
            self.make_direct(coordinates, dims, "blockIdx", "grid_dims")
            self.slice_grid()
        full = [p for p in block_paths if p and p[-1].stride == constant_polynomial(1)]
        if full and not everywhere and not self.one_row:
            longest = max(full, key=len)
            dims = tuple(c.extent for c in longest)
            small = len(dims) < len(AXES) or self.ranges.greatest(dims[0]) <= MAX_BLOCK_Z
            if small and all(c in longest for p in block_paths for c in p):
                self.make_direct(longest, dims, "threadIdx", "block_dims")
        return self

    def make_direct(
        self, coordinates: tuple[Coordinate, ...], dims: tuple[Polynomial, ...], word: str, field_: str
    ) -> None:
        if 0 < len(dims) <= len(AXES) and len(set(coordinates)) == len(coordinates):
            setattr(self, field_, dims)
            for axis, c in zip(AXES, reversed(coordinates)):
                self.direct[c] = f"{word}.{axis}"

    def slice_grid(self) -> None:
        for axis, extent in zip(AXES[1:], reversed(self.grid_dims[:-1])):
            if self.ranges.greatest(extent) > MAX_GRID_YZ:
                self.slices[axis] = fresh_name(f"first_{axis}", self.taken)
                self.taken.add(self.slices[axis])

    def paths(self, body: Body, outer: tuple[tuple[For, Polynomial], ...]) -> list[tuple[tuple[For, Polynomial], ...]]:
        """The paths from outermost to innermost thread loops, with their extents."""
        out: list[tuple[tuple[For, Polynomial], ...]] = []
        for s in body:
            here = outer
            if isinstance(s, For) and s.mode is Mode.THREAD:
                here = (*outer, (s, self.extent(s)))
            inner = [p for b in inner_bodies(s) for p in self.paths(b, here)]
            out += inner or ([here] if here is not outer else [])
        return out

    def total(self, e: Expr) -> Polynomial:
        return poly(self.expanded(e))

    def expanded(self, e: Expr) -> Expr:
        for _ in range(len(self.lets) + 1):
            new = substitute(e, self.lets)
            if new == e:
                break
            e = new
        return e

    def extent(self, s: For) -> Polynomial:
        r = s.range
        if r.relation != "<" or r.op != "+":
            raise input_error(
                "OG402",
                "a thread loop counts upwards: `lo; i < hi; i += st`",
                s.loc,
                help="for (int i = 0; i < n; i++)",
            )
        distance = self.total(r.bound) - self.total(r.start)
        step = self.total(r.amount)
        if step == constant_polynomial(1):
            return distance
        rounded = distance + step - constant_polynomial(1)
        if distance.constant is not None and step.constant is not None:
            return constant_polynomial(-(-distance.constant // step.constant))
        return poly(Binary("/", expression(rounded), expression(step), type=INT))

    def grid_prefix(self, extents: list[Polynomial]) -> int | None:
        """How many outer loops count blocks; None if a loop counts threads of several blocks."""
        product = constant_polynomial(1)
        for k, e in enumerate([*extents, constant_polynomial(1)]):
            if product == self.total(self.grid):
                return k
            product = product * e
        return None

    def place(self, path: tuple[tuple[For, Polynomial], ...], of: str, total: Polynomial) -> None:
        used = constant_polynomial(1)
        for s, extent in path:
            used = used * extent
            stride = total.divided(used) if of != "grid" else product_after(path, s)
            if stride is None:
                raise input_error(
                    "OG402",
                    "the extent of this thread loop does not divide the threads around it into a known number",
                    s.loc,
                    help="make the product of the extents the product of the sizes in kernel_launch",
                )
            coordinate = Coordinate(of, stride, extent)
            known = self.loops.setdefault(id(s), coordinate)
            if known != coordinate:
                raise input_error("OG402", "the loops inside this thread loop divide its threads differently", s.loc)
            if s.index_type.bits == INT64.bits or not self.ranges.at_most(extent, INT.high + 1):
                self.wide.add(coordinate)
            if coordinate not in self.names:
                name = (
                    s.index
                    if poly(s.range.start) == constant_polynomial(0) and poly(s.range.amount) == constant_polynomial(1)
                    else f"{s.index}_thread"
                )
                self.names[coordinate] = fresh_name(name, self.taken)
                self.taken.add(self.names[coordinate])

    def placed(self, s: For) -> Placed:
        c = self.loops[id(s)]
        return Placed(c, self.names[c])

    def type_of(self, c: Coordinate) -> Scalar:
        return INT64 if c in self.wide else INT

    def definition(self, c: Coordinate) -> Expr:
        """The coordinate in terms of CUDA's built-in variables."""
        if c in self.direct:
            place = Var(self.direct[c], type=UINT)
            first = self.slices.get(place.name[-1]) if c.of == "grid" else None
            t = INT64 if c in self.wide else UINT
            return place if first is None else Binary("+", Var(first, type=t), place, type=t)
        t = UINT
        match c.of:
            case "grid":
                linear: Expr = Var("blockIdx.x", type=UINT)
                total = self.total(self.grid)
            case "block":
                linear, total = Var("threadIdx.x", type=UINT), self.total(self.block)
            case _:
                total = self.total(self.grid) * self.total(self.block)
                block: Expr = Var("blockIdx.x", type=UINT)
                if self.ranges.greatest(total) > UINT.high:
                    t, block = INT64, Cast(INT64, block, type=INT64)
                first_of_block = Binary("*", block, expression(self.total(self.block)), type=t)
                linear = Binary("+", first_of_block, Var("threadIdx.x", type=UINT), type=t)
        out = linear if c.stride == constant_polynomial(1) else Binary("/", linear, self.divisor(c.stride, t), type=t)
        if c.stride * c.extent != total:
            out = Binary("%", out, self.divisor(c.extent, t), type=t)
        return out

    def divisor(self, p: Polynomial, t: Scalar) -> Expr:
        """A product of extents, or one of them. In a kernel that runs each is at least 1, and all of them together are at most the
        largest grid: so 32 bits hold it, though the terms that it is a sum of may need more."""
        e = expression(p)
        known = t != UINT or self.in_kernel(self.ranges).at_most(p, INT.high)
        return e if known else Cast(UINT, e, type=UINT)

    def in_kernel(self, ranges: Ranges) -> Ranges:
        """The ranges of the host's variables in a kernel that runs: the extents of thread loops are at least 1, since they divide
        the number of threads, a block has at most 1024 threads, and a grid as many blocks as the hardware allows."""
        for c in self.names:
            ranges = ranges.positive(c.extent)
        ranges = ranges.positive(self.total(self.grid)).positive(self.total(self.block))
        for sizes, most in ((self.grid_dims, MAX_GRID), (self.block_dims, (MOST_THREADS,) * len(AXES))):
            for axis, extent, limit in zip(AXES, reversed(sizes), most):
                if not (sizes is self.grid_dims and axis in self.slices):
                    ranges = at_most(ranges, extent, limit)
        return at_most(ranges, self.total(self.block), MOST_THREADS)

    def with_coordinates(self, ranges: Ranges) -> Ranges:
        for c, name in self.names.items():
            ranges = ranges.declaring(name, constant_polynomial(0), c.extent - constant_polynomial(1))
        return ranges

    def with_builtins(self, ranges: Ranges) -> Ranges:
        """Add the ranges of blockIdx, threadIdx and first blocks of slices."""
        for word, dims in (("blockIdx", self.grid_dims), ("threadIdx", self.block_dims)):
            for axis, extent in zip(AXES, reversed(dims)):
                first = self.slices.get(axis) if word == "blockIdx" else None
                if first is not None:
                    ranges = ranges.declaring(first, constant_polynomial(0), extent - constant_polynomial(1))
                most = extent if first is None else constant_polynomial(MAX_GRID_YZ)
                name = f"{word}.{axis}"
                ranges = ranges.having(name, constant_polynomial(0), most - constant_polynomial(1)).within(name, INT)
        return ranges

    def threads_per_block(self) -> int | None:
        return self.total(self.block).constant

    def dims(self, sizes: tuple[Polynomial, ...]) -> list[Expr]:
        """Sizes for `dim3`, x first."""
        out = [expression(d) for d in reversed(sizes)]
        while out and out[-1] == number(1):
            out.pop()
        return out or [number(1)]


def product_after(path: tuple[tuple[For, Polynomial], ...], s: For) -> Polynomial:
    out = constant_polynomial(1)
    for other, extent in reversed(path):
        if other is s:
            return out
        out = out * extent
    return out


def at_most(ranges: Ranges, extent: Polynomial, most: int) -> Ranges:
    """Add that an extent, if it is a product of non-negative numbers, is at most some number."""
    match extent.terms:
        case ((factors, count),) if factors and count > 0 and all(ranges.of_atom(a)[0] >= 0 for a in factors):
            return ranges.having_product(factors, most // count)
        case _:
            return ranges
