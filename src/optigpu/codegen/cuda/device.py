"""One kernel as text: its parameters, shared memory, coordinates and body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from optigpu.codegen.cuda.barriers import barrier_reasons
from optigpu.codegen.cuda.group_calls import without_group_calls
from optigpu.codegen.cuda.layout import SharedLayout, lay_out
from optigpu.codegen.cuda.lower import (
    ArrayInfo,
    Lowering,
    LoweringScope,
    Storage,
    names_used,
    without_unused,
)
from optigpu.codegen.cuda.names import without_hiding
from optigpu.codegen.cuda.sections import KernelSection
from optigpu.codegen.cuda.subexpressions import name_common
from optigpu.codegen.cuda.text import BodyPrinter, CudaExprs
from optigpu.codegen.cuda.thread_index import ThreadMap
from optigpu.codegen.parameters import parameter_ranges
from optigpu.codegen.polynomials import const
from optigpu.codegen.value_ranges import Ranges
from optigpu.frontend.parameter_types import effective_types
from optigpu.frontend.side_effects import pointer_roots
from optigpu.kernel.launch_rules import MOST_THREADS
from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Call, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars, names_in
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import Body, CallStmt, Decl, For, Function, Mode, Store
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import VOID, Scalar, Space
from optigpu.syntax.walk import inner_bodies, root_name, statements, stmt_exprs, subexpressions

CUDA_NAMES = frozenset({"blockIdx", "threadIdx", "blockDim", "gridDim", "warpSize", "shared_memory"})


@dataclass(frozen=True)
class DeviceKernel:
    """A kernel ready to print, and what its launch needs."""

    name: str
    scalars: tuple[tuple[str, Scalar], ...]
    launch_scalars: tuple[tuple[str, Scalar], ...]  # those that the kernel or the sizes of its launch need
    arrays: tuple[ArrayInfo, ...]
    written: frozenset[str]
    coordinates: tuple[Decl, ...]
    body: Body
    layout: SharedLayout
    threads: ThreadMap
    vectors: Mapping[str, int]
    called: tuple[str, ...]
    ranges: Ranges
    vector_calls: frozenset[tuple[str, str]]  # (vload4, float)
    id: StatementId  # of its launch

    @property
    def slices(self) -> dict[str, tuple[str, Scalar]]:
        """Axis of the grid -> the parameter that says where a slice starts."""
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
) -> DeviceKernel:
    """`scope` and `scalars` are what the host code knows at the launch; `lets` its constants by definition."""
    outer = scalars.keys() | scope.arrays.keys() | scope.values.keys()
    device = without_group_calls(kernel.device, functions)
    device = without_hiding(device, {n: n for n in outer}, outer | declared_in(device) | body_free_vars(device))
    kernel = replace(kernel, device=device)
    taken = other_names(kernel.device) | scalars.keys() | scope.arrays.keys() | CUDA_NAMES
    host = Lowering(None, functions, "host")
    grid, block = host.folded(kernel.grid, scope), host.folded(kernel.block, scope)
    if any(isinstance(x, Index) for size in (grid, block) for x in subexpressions(size)):
        raise input_error(
            "OG402", "the size of a launch is read from memory", kernel.loc, help="copy it to a const first"
        )
    known = {**{n: e for n, e in scope.values.items() if isinstance(e, Int)}, **lets}
    threads = ThreadMap(grid, block, known, kernel.loc, set(taken), scope.ranges).scan(kernel.device)
    per_block = threads.threads_per_block()
    if per_block is not None and not 1 <= per_block <= MOST_THREADS:
        raise input_error("OG402", f"a block has 1 to {MOST_THREADS} threads, not {per_block}", kernel.loc)
    lowering = Lowering(threads, functions, "device", assigned=assigned_names(kernel.device), taken=threads.taken)
    lowering.shared_names |= scope.arrays.keys() | scalars.keys() | locals_in(kernel.device)
    inner = scope
    for s in kernel.setup:
        _, inner = lowering.declaration(s, inner)
    body = without_unused(lowering.body(kernel.device, inner))
    wanted = names_used(body)
    coordinates = [
        Decl(name, threads.type_of(c), threads.definition(c), True)
        for c, name in threads.names.items()
        if name in wanted
    ]
    ranges = scope.ranges
    for c, name in threads.names.items():
        ranges = ranges.declaring(name, const(0), c.extent - const(1))
    layout = lay_out(lowering.shared, lowering.vectors, lowering.in_scope, body, kernel.loc)
    if {x for e in (layout.total, *layout.offsets) for x in names_of(e)} - scalars.keys():
        message = "the size of shared memory is computed in the kernel, but is needed to launch it"
        raise input_error("OG402", message, kernel.loc, help="compute it before the launch")
    stable = {d.name for d in coordinates} | (scalars.keys() - lowering.assigned)
    body = name_common(body, stable - declared_in(body), threads.taken)
    wanted = names_used((*coordinates, *body)) | {x for o in layout.offsets for x in names_of(o)}
    wanted |= {x for a in layout.arrays if a.flat for d in a.dims if d is not None for x in names_of(d)}
    arrays = tuple(a for n, a in scope.arrays.items() if a.storage is Storage.GLOBAL and n in wanted)
    for a in arrays:
        wanted |= {x for d in a.dims[1:] if d is not None for x in names_of(d)}
    sizes = [*threads.dims(threads.grid_dims), *threads.dims(threads.block_dims), layout.total]
    launched = wanted.union(*(names_of(e) for e in sizes))
    return DeviceKernel(
        kernel.name,
        tuple((n, t) for n, t in scalars.items() if n in wanted),
        tuple((n, t) for n, t in scalars.items() if n in launched),
        arrays,
        frozenset(written_arrays(body, functions)),
        tuple(coordinates),
        body,
        layout,
        threads,
        lowering.vectors,
        tuple(lowering.called),
        ranges,
        frozenset(vector_calls(body)),
        kernel.id,
    )


def declared_in(body: Body) -> set[str]:
    """Names that mean something else somewhere inside."""
    out = {s.name for s in statements(body) if isinstance(s, Decl)}
    return out | {s.index for s in statements(body) if isinstance(s, For)}


def locals_in(body: Body) -> set[str]:
    """Names of loops, and of the variables and arrays that each thread has for itself."""
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
    """All names but those of thread loops' indices, which coordinates may take over."""
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
    """Also through local pointers, which are views of them."""
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


# Printing -------------------------------------------------------------------------------------------------------------------


def print_kernel(
    k: DeviceKernel, out: Lines, reasons: Mapping[StatementId, str], residents: int | None, linkage: str = ""
) -> None:
    bound = k.threads.threads_per_block()
    least = f", {int(residents)}" if residents else ""
    bounds = f" __launch_bounds__({bound}{least})" if bound else ""
    params = [f"{t.name} {n}" for n, t in [*k.scalars, *k.slices.values()]]
    params += [array_parameter(a, a.name in k.written) for a in k.arrays]
    out.extend(wrap_list(f"{linkage}__global__ void{bounds} {k.name}(", params, ") {"))
    out.depth += 1
    arrays = {a.name: a for a in k.arrays} | {a.name: a for a in k.layout.arrays}
    exprs = CudaExprs(True, arrays, k.ranges)
    exprs.types |= dict([*k.scalars, *k.slices.values()])
    used = names_used(k.body)
    derived = barrier_reasons(k.body, [a.name for a in k.arrays])
    derived |= barrier_reasons(k.body, [a.name for a in k.layout.arrays])
    printer = BodyPrinter(out, exprs, {**reasons, **derived})
    print_shared(k, out, exprs, used)
    definitions = CudaExprs(True, {}, k.threads.with_builtins(k.ranges))
    definitions.types |= exprs.types
    for d in k.coordinates:
        assert d.init is not None
        assert isinstance(d.type, Scalar)
        out.add(f"const {d.type.name} {d.name} = {definitions.show(d.init)};")
        exprs.types[d.name] = d.type
    printer.body(k.body)
    out.depth -= 1
    out.add("}")


def array_parameter(a: ArrayInfo, written: bool) -> str:
    """`__restrict__` only where nothing writes the array while the kernel runs: threads exchange data through the others, and to
    the compiler such a promise about one of these says that no other thread touches it."""
    return f"{a.elem.name}* {a.name}" if written else f"const {a.elem.name}* __restrict__ {a.name}"


def print_shared(k: DeviceKernel, out: Lines, exprs: CudaExprs, used: set[str]) -> None:
    layout = k.layout
    if not layout.dynamic:
        for a in layout.arrays:
            if a.name in used:
                align = f"__align__({k.vectors[a.name]}) " if a.name in k.vectors else ""
                dims = "".join(f"[{exprs.show(d)}]" for d in a.dims if d is not None)
                out.add(f"__shared__ {align}{a.elem.name} {a.name}{dims};")
        return
    out.add("extern __shared__ __align__(16) unsigned char shared_memory[];")
    for a, offset in zip(layout.arrays, layout.offsets):
        if a.name in used:
            at = "shared_memory" if offset == Int(0) else f"shared_memory + {exprs.show(offset)}"
            out.add(f"{a.elem.name}* const {a.name} = reinterpret_cast<{a.elem.name}*>({at});")


def wrap_list(head: str, parts: list[str], tail: str, limit: int = 120) -> list[str]:
    """A parameter list on one line, or broken after commas."""
    lines, current = [], head
    for i, p in enumerate(parts):
        piece = p + (", " if i < len(parts) - 1 else "")
        if len(current) + len(piece) + len(tail) > limit and current.strip():
            lines.append(current.rstrip())
            current = "    "
        current += piece
    return [*lines, current + tail]


def print_device_function(
    f: Function, functions: dict[str, Function], values: Mapping[str, Expr], out: Lines
) -> list[str]:
    """A `__device__` function; the result is the names of the functions it calls."""
    names = {p.name for p in f.params} | values.keys()
    f = replace(f, body=without_hiding(f.body, {n: n for n in names}, names_in(f)))
    lowering = Lowering(None, functions, "device", assigned=assigned_names(f.body))
    scope = LoweringScope(dict(values))
    ranges = parameter_ranges(f, entry=False)  # its callers keep the contract
    params: list[str] = []
    written = params_written(f, functions)
    for p, t in zip(f.params, effective_types(f)):
        if isinstance(t, Array):
            if any(d is None for d in t.dims[1:]):
                raise input_error(
                    "OG401", f"the sizes of `{p.name}` are not known", f.loc, help="declare them: float a[n][m]"
                )
            scope = scope.array(ArrayInfo(p.name, t.elem, t.dims, Storage.GLOBAL, flat=True))
            params.append(f"{'' if p.name in written else 'const '}{t.elem.name}* {p.name}")
        else:
            assert isinstance(t, Scalar)
            scope = scope.local(p.name)
            params.append(f"{t.name} {p.name}")
    for s in statements(f.body):
        if isinstance(s, CallStmt) and s.call.func in ("blocksync", "warpsync"):
            raise input_error("OG401", "a barrier inside a device function is not supported", s.loc)
        if isinstance(s, CallStmt) and s.call.func in VECTOR_CALLS:  # whose arrays its callers choose
            raise input_error("OG401", "a vector access inside a device function is not supported", s.loc)
    scope = replace(scope, ranges=ranges)
    body = without_unused(lowering.body(f.body, scope))
    result = "void" if f.result == VOID else f.result.name if isinstance(f.result, Scalar) else ""
    out.extend(wrap_list(f"__device__ __forceinline__ {result} {f.name}(", params, ") {"))
    out.depth += 1
    BodyPrinter(out, CudaExprs(True, scope.arrays, scope.ranges), {}).body(body)
    out.depth -= 1
    out.add("}")
    out.add("")
    return lowering.called
