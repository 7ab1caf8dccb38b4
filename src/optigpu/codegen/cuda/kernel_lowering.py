"""Lowers one kernel launch to a `DeviceKernel`: parameters, shared memory, thread coordinates and the body of one thread."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.codegen.cuda.dead_code import names_used, without_unused
from optigpu.codegen.cuda.distinct_names import without_hiding
from optigpu.codegen.cuda.group_calls import without_group_calls
from optigpu.codegen.cuda.sections import KernelSection
from optigpu.codegen.cuda.shared_memory_layout import SharedLayout, lay_out
from optigpu.codegen.cuda.statement_lowering import ArrayInfo, Lowering, LoweringScope, Storage
from optigpu.codegen.cuda.subexpressions import name_common
from optigpu.codegen.cuda.tensor_cores import LaneLoops, require_warps, tensor_calls, with_tensor_calls
from optigpu.codegen.cuda.thread_index import ThreadMap
from optigpu.codegen.cuda.unconverted import require_converted
from optigpu.codegen.value_ranges import Ranges
from optigpu.frontend.side_effects import pointer_roots
from optigpu.kernel.launch_rules import MOST_THREADS
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Call, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import Body, CallStmt, Decl, For, Function, Mode, Store
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import Scalar, Space
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

    @property
    def slices(self) -> dict[str, tuple[str, Scalar]]:
        """Grid axis -> the parameter with the first block of a slice, if the grid is launched in slices along it."""
        types = {self.threads.direct[c][-1]: self.threads.type_of(c) for c in self.threads.direct if c.of == "grid"}
        return {axis: (name, types[axis]) for axis, name in self.threads.slices.items()}

    @property
    def arguments(self) -> list[str]:
        return [*(n for n, _ in self.scalars), *(n for n, _ in self.slices.values()), *(a.name for a in self.arrays)]


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
    device, warps = with_tensor_calls(device)
    kernel = replace(kernel, grid=grid, block=block, device=device)
    threads = _mapped_threads(kernel, scope, scalars, lets, warps)
    lowering = Lowering(threads, functions, "device", assigned=assigned_names(device), taken=threads.taken)
    lowering.shared_names |= scope.arrays.keys() | scalars.keys() | locals_in(device)
    running = threads.in_kernel(scope.ranges)
    inner = replace(scope, ranges=running)
    for s in kernel.setup:
        _, inner = lowering.declaration(s, inner)
    body = without_unused(lowering.body(device, inner))
    coordinates = _used_coordinates(threads, body)
    layout = lay_out(lowering.shared, lowering.vectors, lowering.in_scope, body, kernel.loc)
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
        threads.with_coordinates(running),
        scope.ranges,
        frozenset(vector_calls(body)),
        frozenset(tensor_calls(body)),
        kernel.id,
    )


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
    threads = ThreadMap(kernel.grid, kernel.block, known, kernel.loc, set(taken), scope.ranges).scan(kernel.device)
    per_block = threads.threads_per_block()
    if per_block is not None and not 1 <= per_block <= MOST_THREADS:
        raise input_error("OG402", f"a block has 1 to {MOST_THREADS} threads, not {per_block}", kernel.loc)
    require_warps(warps, threads)
    return threads


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
            case CallStmt(Call(func, (target, *_))) if func in VECTOR_CALLS:
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
