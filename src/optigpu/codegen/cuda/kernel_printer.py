"""Prints one `__global__` kernel, or one `__device__` function, as CUDA C++."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.codegen.cuda.barriers import barrier_reasons
from optigpu.codegen.cuda.dead_code import names_used, without_unused
from optigpu.codegen.cuda.distinct_names import without_hiding
from optigpu.codegen.cuda.kernel_lowering import DeviceKernel, params_written
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, LoweringScope, Storage
from optigpu.codegen.cuda.shared_memory_layout import VECTOR_ALIGNMENT
from optigpu.codegen.cuda.statement_lowering import Lowering
from optigpu.codegen.cuda.statement_printer import BodyPrinter, CudaExprs, wrap_list
from optigpu.codegen.cuda.stored_float_text import cuda_type
from optigpu.codegen.cuda.tile_shapes import TILE_BYTES
from optigpu.codegen.cuda.tiles import tile_type
from optigpu.codegen.parameters import parameter_ranges
from optigpu.frontend.parameter_types import effective_types
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.diagnostic import input_error, placed_at
from optigpu.syntax.exprs import Array, Expr, Int
from optigpu.syntax.free_names import names_in
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import CallStmt, Function
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import VOID, Scalar
from optigpu.syntax.walk import statements


def print_kernel(
    k: DeviceKernel, out: Lines, reasons: Mapping[StatementId, str], residents: int | None, linkage: str = ""
) -> None:
    bound = k.threads.threads_per_block()
    least = f", {int(residents or 1)}" if residents or k.maps else ""
    bounds = f" __launch_bounds__({bound + k.more_threads}{least})" if bound else ""
    params = [f"{cuda_type(t)} {n}" for n, t in [*k.scalars, *k.slices.values()]]
    params += [array_parameter(a, a.name in k.written) for a in k.arrays]
    params += [f"const __grid_constant__ CUtensorMap {m.name}" for m in k.maps]
    out.extend(wrap_list(f"{linkage}__global__ void{bounds} {k.name}(", params, ") {"))
    out.depth += 1
    arrays = {a.name: a for a in k.arrays} | {a.name: a for a in k.layout.arrays}
    exprs = CudaExprs(True, arrays, k.ranges)
    exprs.types |= dict([*k.scalars, *k.slices.values()])
    used = names_used(k.body)
    derived = barrier_reasons(k.body, [a.name for a in k.arrays])
    derived |= barrier_reasons(k.body, [a.name for a in k.layout.arrays])
    printer = BodyPrinter(out, exprs, {**reasons, **derived})
    printer.fences = "wgmma" in k.helpers
    printer.one_resident = residents in (None, 1)
    print_shared(k, out, exprs, used)
    definitions = CudaExprs(True, {}, k.threads.with_builtins(k.ranges))
    definitions.types |= exprs.types
    for d in k.coordinates:
        assert d.init is not None
        assert isinstance(d.type, Scalar)
        with placed_at(k.id.origin()):
            out.add(f"const {d.type.name} {d.name} = {definitions.show(d.init)};")
        exprs.types[d.name] = d.type
    printer.body(k.body)
    out.depth -= 1
    out.add("}")


def array_parameter(a: ArrayInfo, written: bool) -> str:
    """An array parameter; `const __restrict__` only if the kernel does not write the array. On a written array the qualifier would
    promise the compiler that no other thread accesses it, but threads may exchange data through it."""
    elem = cuda_type(a.elem)
    return f"{elem}* {a.name}" if written else f"const {elem}* __restrict__ {a.name}"


def print_shared(k: DeviceKernel, out: Lines, exprs: CudaExprs, used: set[str]) -> None:
    layout = k.layout
    if not layout.dynamic:
        for a in layout.arrays:
            if a.name in used:
                align = f"__align__({k.vectors[a.name]}) " if a.name in k.vectors else ""
                dims = "".join(f"[{exprs.show(d)}]" for d in a.dims if d is not None)
                out.add(f"__shared__ {align}{cuda_type(a.elem)} {a.name}{dims};")
        return
    least = TILE_BYTES if any(a.swizzled for a in layout.arrays) else VECTOR_ALIGNMENT
    out.add(f"extern __shared__ __align__({least}) unsigned char shared_memory[];")
    for a, offset in zip(layout.arrays, layout.offsets):
        if a.name in used:
            at = "shared_memory" if offset == Int(0) else f"shared_memory + {exprs.show(offset)}"
            if a.swizzled:
                out.add(f"const {tile_type(a.elem, a.dims)} {a.name} = {{{at}}};")
                continue
            elem = cuda_type(a.elem)
            out.add(f"{elem}* const {a.name} = reinterpret_cast<{elem}*>({at});")


def print_device_function(
    f: Function, functions: dict[str, Function], values: Mapping[str, Expr], out: Lines
) -> list[str]:
    """Print a `__device__` function; returns the names of its callees."""
    names = {p.name for p in f.params} | values.keys()
    f = replace(f, body=without_hiding(f.body, {n: n for n in names}, names_in(f)))
    lowering = Lowering(None, functions, "device", assigned=assigned_names(f.body))
    scope = LoweringScope(dict(values))
    ranges = parameter_ranges(f, entry=False)  # callers satisfy the contract
    params: list[str] = []
    written = params_written(f, functions)
    for p, t in zip(f.params, effective_types(f)):
        if isinstance(t, Array):
            if any(d is None for d in t.dims[1:]):
                raise input_error(
                    "OG401", f"the sizes of `{p.name}` are not known", f.loc, help="declare them: float a[n][m]"
                )
            scope = scope.array(ArrayInfo(p.name, t.elem, t.dims, Storage.GLOBAL, flat=True))
            params.append(f"{'' if p.name in written else 'const '}{cuda_type(t.elem)}* {p.name}")
        else:
            assert isinstance(t, Scalar)
            scope = scope.local(p.name)
            params.append(f"{cuda_type(t)} {p.name}")
    for s in statements(f.body):
        if isinstance(s, CallStmt) and s.call.func in ("blocksync", "warpsync"):
            raise input_error("OG401", "a barrier inside a device function is not supported", s.loc)
        if isinstance(s, CallStmt) and s.call.func in VECTOR_CALLS:  # the alignment of its arrays is not known
            raise input_error("OG401", "a vector access inside a device function is not supported", s.loc)
    scope = replace(scope, ranges=ranges)
    body = without_unused(lowering.body(f.body, scope))
    result = "void" if f.result == VOID else cuda_type(f.result) if isinstance(f.result, Scalar) else ""
    out.extend(wrap_list(f"__device__ __forceinline__ {result} {f.name}(", params, ") {"))
    out.depth += 1
    BodyPrinter(out, CudaExprs(True, scope.arrays, scope.ranges), {}).body(body)
    out.depth -= 1
    out.add("}")
    out.add("")
    return lowering.called
