"""Lowers one kernel launch to a `DeviceKernel`: parameters, shared memory, thread coordinates and the body of one thread."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from optigpu.codegen.cuda.dead_code import names_used, without_unused
from optigpu.codegen.cuda.distinct_names import without_hiding
from optigpu.codegen.cuda.fragments import MOST_COORDINATE, STORE_PAIR
from optigpu.codegen.cuda.group_calls import without_group_calls
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, LoweringScope, Storage
from optigpu.codegen.cuda.pipelines import has_pipeline, in_turns, with_copies_ended
from optigpu.codegen.cuda.producers import TensorMap, by_a_producer, producer_threads
from optigpu.codegen.cuda.sections import KernelSection
from optigpu.codegen.cuda.shared_memory_layout import SharedLayout, lay_out
from optigpu.codegen.cuda.statement_lowering import Lowering
from optigpu.codegen.cuda.subexpressions import name_common
from optigpu.codegen.cuda.tensor_cores import LaneLoops, require_warps, tensor_calls, with_tensor_calls
from optigpu.codegen.cuda.thread_index import ThreadMap
from optigpu.codegen.cuda.tile_helpers import helper_names
from optigpu.codegen.cuda.tile_instructions import Helper
from optigpu.codegen.cuda.tile_products import is_across
from optigpu.codegen.cuda.tiles import BULK_COPY, tile_arrays
from optigpu.codegen.cuda.unconverted import require_converted
from optigpu.codegen.value_ranges import Ranges
from optigpu.frontend.side_effects import pointer_roots
from optigpu.kernel.launch_rules import MOST_THREADS
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import TILE_CALLS, VECTOR_CALLS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Call, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.program import Body, CallStmt, Decl, For, Function, Mode, Store
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import INT, Scalar, Space
from optigpu.syntax.walk import inner_bodies, root_name, statements, stmt_exprs, subexpressions

CUDA_NAMES = frozenset({"blockIdx", "threadIdx", "blockDim", "gridDim", "warpSize", "shared_memory"})


@dataclass(frozen=True)
class DeviceKernel:
    """A lowered kernel and the data of its launch."""

    name: str
    scalars: tuple[tuple[str, Scalar], ...]
    launch_scalars: tuple[tuple[str, Scalar], ...]  # needed by the kernel or by the sizes of its launch
    arrays: tuple[ArrayInfo, ...]
    written: frozenset[str]
    coordinates: tuple[Decl, ...]
    body: Body
    layout: SharedLayout
    threads: ThreadMap
    vectors: Mapping[str, int]
    called: tuple[str, ...]
    ranges: Ranges  # in the kernel
    host_ranges: Ranges  # at the launch, whose grid may be empty
    vector_calls: frozenset[tuple[str, str]]  # such as (vload4, float)
    tensor_calls: frozenset[str]  # such as mma_tf32
    id: StatementId  # of the kernel_launch
    helpers: Mapping[str, Helper]  # for tiles and fragments
    more_threads: int = 0  # of a block, which copy tiles
    maps: tuple[TensorMap, ...] = ()  # of the arrays that these copy from
    bulk: DeviceKernel | None = None  # the same kernel with such threads

    @property
    def slices(self) -> dict[str, tuple[str, Scalar]]:
        """Grid axis -> the parameter with the first block of a slice, if the grid is launched in slices along it."""
        types = {self.threads.direct[c][-1]: self.threads.type_of(c) for c in self.threads.direct if c.of == "grid"}
        return {axis: (name, types[axis]) for axis, name in self.threads.slices.items()}

    @property
    def arguments(self) -> list[str]:
        return [*(n for n, _ in self.scalars), *(n for n, _ in self.slices.values()), *(a.name for a in self.arrays)]


def forms_of(kernels: Iterable[DeviceKernel]) -> Iterator[DeviceKernel]:
    """All kernels, each with its form that has a producer."""
    for k in kernels:
        yield k
        if k.bulk is not None:
            yield k.bulk


def lower_kernel(
    kernel: KernelSection,
    scope: LoweringScope,
    scalars: Mapping[str, Scalar],
    lets: Mapping[str, Expr],
    functions: dict[str, Function],
    cells: set[str],
) -> DeviceKernel:
    """`scope`, `scalars`: names of the host at the launch; `lets`: its constants, with definitions; `cells`: assigned variables."""
    grid, block = _launch_size(kernel, scope, functions)
    device = _device_body(kernel, scalars.keys() | scope.arrays.keys() | scope.values.keys(), functions)
    require_converted(device, scope, cells)
    device = with_copies_ended(device)
    kernel = replace(kernel, grid=grid, block=block, device=device)
    made = _MadeKernel(kernel, scope, scalars, lets, functions)
    taken = made.names()
    plain = made.lowered(in_turns(device, taken) if has_pipeline(device) else device)
    plain.layout.require_fit(kernel.loc)
    threads = plain.threads.threads_per_block()
    if not threads or not has_pipeline(device):
        return plain
    produced = by_a_producer(device, threads, taken, plain.written)
    if isinstance(produced, str):
        return plain
    return _with_bulk(plain, made.lowered(produced.device, produced.maps), scalars)


def _with_bulk(plain: DeviceKernel, bulk: DeviceKernel, scalars: Mapping[str, Scalar]) -> DeviceKernel:
    """A kernel with its form that has a producer, if its launch can describe the arrays: then it needs all their sizes. Loops over
    all threads of the grid give the producer the place of another block."""
    if any(coordinate.of == "all" for coordinate in plain.threads.names):
        return plain
    maps = tuple(m for m in bulk.maps if m.name in names_used(bulk.body))
    mapped = [a for a in plain.arrays if a.name in {m.array for m in maps}]
    if not maps or not bulk.layout.fits or any(None in a.dims for a in mapped):
        return plain
    sizes = {x for a in mapped for d in a.dims if d is not None for x in names_of(d)}
    needed = {n for n, _ in plain.launch_scalars} | sizes
    launch_scalars = tuple((n, t) for n, t in scalars.items() if n in needed)
    return replace(plain, launch_scalars=launch_scalars, bulk=replace(bulk, maps=maps))


@dataclass(frozen=True)
class _MadeKernel:
    """A kernel that is lowered, perhaps in two forms, and what the host knows at its launch."""

    kernel: KernelSection
    scope: LoweringScope
    scalars: Mapping[str, Scalar]
    lets: Mapping[str, Expr]
    functions: dict[str, Function]

    def names(self) -> set[str]:
        """Names that new variables cannot have."""
        device = self.kernel.device
        own = other_names(device) | self.scalars.keys() | self.scope.arrays.keys() | locals_in(device)
        return {*own, *CUDA_NAMES, *helper_names()}

    def lowered(self, device: Body, maps: tuple[TensorMap, ...] = ()) -> DeviceKernel:
        """The kernel with this device code; `maps`: of the arrays of which a producer copies tiles."""
        device, warps = with_tensor_calls(device)
        kernel = replace(self.kernel, device=device, name=self.kernel.name + "_bulk" * bool(maps))
        return _lowered(kernel, self.scope, self.scalars, self.lets, self.functions, warps, maps)


def _lowered(
    kernel: KernelSection,
    scope: LoweringScope,
    scalars: Mapping[str, Scalar],
    lets: Mapping[str, Expr],
    functions: dict[str, Function],
    warps: tuple[LaneLoops, ...],
    maps: tuple[TensorMap, ...],
) -> DeviceKernel:
    device = kernel.device
    threads = _mapped_threads(kernel, scope, scalars, lets, warps)
    lowering = _device_lowering(device, threads, functions)
    lowering.shared_names |= scope.arrays.keys() | scalars.keys() | locals_in(device)
    running = threads.in_kernel(scope.ranges)
    inner = replace(scope, ranges=running, group=threads.threads_per_block())
    for s in kernel.setup:
        _, inner = lowering.declaration(s, inner)
    body = without_unused(lowering.body(device, inner))
    coordinates = (*_used_coordinates(threads, body), *_used_places(lowering.places, body))
    layout = lay_out(lowering.shared, lowering.vectors, lowering.in_scope, body)
    if {x for e in (layout.total, *layout.offsets) for x in names_of(e)} - scalars.keys():
        message = "the size of shared memory is computed in the kernel, but is needed to launch it"
        raise input_error("OG402", message, kernel.loc, help="compute it before the launch")
    stable = ({d.name for d in coordinates} | (scalars.keys() - lowering.assigned)) - declared_in(body)
    body = name_common(body, stable, threads.taken)
    needed = names_used((*coordinates, *body)) | _names_in_layout(layout)
    arrays = tuple(a for n, a in scope.arrays.items() if a.storage is Storage.GLOBAL and n in needed)
    needed |= {x for a in arrays for d in a.dims[1:] if d is not None for x in names_of(d)}
    sizes = (*threads.dims(threads.grid_dims), *threads.dims(threads.block_dims), layout.total)
    return DeviceKernel(
        kernel.name,
        tuple((n, t) for n, t in scalars.items() if n in needed),
        tuple((n, t) for n, t in scalars.items() if n in needed.union(*map(names_of, sizes))),
        arrays,
        frozenset(written_arrays(body, functions)),
        coordinates,
        body,
        layout,
        threads,
        lowering.vectors,
        tuple(lowering.called),
        _with_places(threads.with_coordinates(running), coordinates, lowering.places),
        scope.ranges,
        frozenset(vector_calls(body)),
        frozenset(tensor_calls(body)),
        kernel.id,
        lowering.helpers,
        producer_threads(threads.threads_per_block() or 0) if maps else 0,
        maps,
    )


def _device_lowering(device: Body, threads: ThreadMap, functions: dict[str, Function]) -> Lowering:
    lowering = Lowering(threads, functions, "device", assigned=assigned_names(device), taken=threads.taken)
    lowering.tiles, lowering.block_threads = tile_arrays(device), threads.threads_per_block() or 0
    lowering.across = is_across(device)
    return lowering


def _device_body(kernel: KernelSection, outer: set[str], functions: dict[str, Function]) -> Body:
    """The device code of a kernel, without calls of functions for groups, and without names that hide those of the host."""
    device = without_group_calls(kernel.device, functions)
    return without_hiding(device, {n: n for n in outer}, outer | declared_in(device) | body_free_vars(device))


def _launch_size(kernel: KernelSection, scope: LoweringScope, functions: dict[str, Function]) -> tuple[Expr, Expr]:
    """The numbers of blocks and of threads in a block, as the host computes them."""
    host = Lowering(None, functions, "host")
    grid, block = host.folded(kernel.grid, scope), host.folded(kernel.block, scope)
    if any(isinstance(x, Index) for size in (grid, block) for x in subexpressions(size)):
        raise input_error(
            "OG402", "the size of a launch is read from memory", kernel.loc, help="copy it to a const first"
        )
    return grid, block


def _mapped_threads(
    kernel: KernelSection,
    scope: LoweringScope,
    scalars: Mapping[str, Scalar],
    lets: Mapping[str, Expr],
    warps: tuple[LaneLoops, ...],
) -> ThreadMap:
    """The thread loops of a kernel as coordinates of its launch; those of `warps` are the threads of warps."""
    taken = other_names(kernel.device) | scalars.keys() | scope.arrays.keys() | CUDA_NAMES
    known = {**{n: e for n, e in scope.values.items() if isinstance(e, Int)}, **lets}
    threads = ThreadMap(kernel.grid, kernel.block, known, kernel.loc, set(taken), scope.ranges)
    threads.one_row = _has_tiles(kernel.device)
    threads = threads.scan(kernel.device)
    per_block = threads.threads_per_block()
    if per_block is not None and not 1 <= per_block <= MOST_THREADS:
        raise input_error("OG402", f"a block has 1 to {MOST_THREADS} threads, not {per_block}", kernel.loc)
    require_warps(warps, threads)
    return threads


def _used_places(places: Mapping[str, Expr], body: Body) -> tuple[Decl, ...]:
    """Declarations of the places of a thread in fragments."""
    used = names_used(body)
    return tuple(Decl(name, INT, value, True) for name, value in places.items() if name in used)


def _with_places(ranges: Ranges, coordinates: tuple[Decl, ...], places: Mapping[str, Expr]) -> Ranges:
    """Add the ranges of the places of a thread in fragments."""
    for d in coordinates:
        if d.name in places:
            ranges = ranges.declaring(d.name, constant_polynomial(0), constant_polynomial(MOST_COORDINATE))
    return ranges


def _has_tiles(device: Body) -> bool:
    """Are there fragments or tiles, for which the threads of a block are counted in one dimension?"""
    calls = {*TILE_CALLS, BULK_COPY}
    return any(
        (isinstance(s, For) and s.mode is Mode.FRAG) or (isinstance(s, CallStmt) and s.call.func in calls)
        for s in statements(device)
    )


def _used_coordinates(threads: ThreadMap, body: Body) -> tuple[Decl, ...]:
    """Declarations of the coordinates that the body mentions."""
    used = names_used(body)
    return tuple(
        Decl(name, threads.type_of(c), threads.definition(c), True) for c, name in threads.names.items() if name in used
    )


def _names_in_layout(layout: SharedLayout) -> set[str]:
    offsets = {x for o in layout.offsets for x in names_of(o)}
    return offsets | {x for a in layout.arrays if a.flat for d in a.dims if d is not None for x in names_of(d)}


def declared_in(body: Body) -> set[str]:
    """Names that are declared somewhere in the body."""
    out = {s.name for s in statements(body) if isinstance(s, Decl)}
    return out | {s.index for s in statements(body) if isinstance(s, For)}


def locals_in(body: Body) -> set[str]:
    """Names of loop indices, and of variables and arrays that are private to a thread."""
    out: set[str] = set()
    for s in statements(body):
        match s:
            case For(index):
                out.add(index)
            case Decl(name, type_) if not (isinstance(type_, Array) and type_.space is Space.SMEM):
                out.add(name)
            case _:
                pass
    return out


def names_of(e: Expr) -> set[str]:
    return {x.name for x in subexpressions(e) if isinstance(x, Var)}


def other_names(body: Body) -> set[str]:
    """All names except the indices of thread loops, which coordinates may reuse."""
    out: set[str] = set()
    indices: set[str] = set()

    def visit(b: Body) -> None:
        for s in b:
            if isinstance(s, Decl):
                out.add(s.name)
            if isinstance(s, For):
                (indices if s.mode is Mode.THREAD else out).add(s.index)
            for e in stmt_exprs(s) if not isinstance(s, For) else [s.range.start, s.range.bound, s.range.amount]:
                out.update(x.func for x in subexpressions(e) if isinstance(x, Call))
            for inner in inner_bodies(s):
                visit(inner)

    visit(body)
    return out


def written_arrays(body: Body, functions: Mapping[str, Function]) -> set[str]:
    out: set[str] = set()
    for s in statements(body):
        match s:
            case Store(Index(Var(name), _), _):
                out.add(name)
            case CallStmt(Call(func, (target, *_))) if func in VECTOR_CALLS or func == STORE_PAIR:
                out.add(root_name(target))
            case _:
                pass
        for e in stmt_exprs(s):
            for x in subexpressions(e):
                if isinstance(x, Call) and x.func in functions:
                    written = params_written(functions[x.func], functions)
                    for p, a in zip(functions[x.func].params, x.args):
                        if isinstance(a.type, Array) and p.name in written:
                            out.add(root_name(a))
    return out


def params_written(f: Function, functions: Mapping[str, Function]) -> set[str]:
    """The array parameters that a function writes, directly or through local pointers."""
    written = written_arrays(f.body, functions)
    roots = pointer_roots(f.body)
    return written.union(*(roots.get(n, ()) for n in written)) & {p.name for p in f.params}


def vector_calls(body: Body) -> set[tuple[str, str]]:
    out: set[tuple[str, str]] = set()
    for s in statements(body):
        if isinstance(s, CallStmt) and s.call.func in VECTOR_CALLS:
            t = s.call.args[0].type
            assert isinstance(t, Array)
            out.add((s.call.func, t.elem.name))
    return out
