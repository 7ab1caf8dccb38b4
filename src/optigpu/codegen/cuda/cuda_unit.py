"""Emits a host function and its kernels as a `CudaUnit`: the `.cu` text with its entry points. `emit_cuda` runs all passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from optigpu.codegen.cuda.cu_file_printer import UnitWriter, product_limits
from optigpu.codegen.cuda.device_code_printer import DeviceCode
from optigpu.codegen.cuda.device_entry import bound_arrays, host_access
from optigpu.codegen.cuda.distinct_names import without_hiding
from optigpu.codegen.cuda.host import HostLowering, has_launch
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, LoweringScope, Storage
from optigpu.codegen.cuda.planning import plan_of
from optigpu.codegen.cuda.reserved_names import RENAMED, reject_reserved
from optigpu.codegen.cuda.statement_printer import NARROW
from optigpu.codegen.cuda.tensor_cores import TENSOR_CALLS
from optigpu.codegen.launch_plan import Plan, PlanLimit
from optigpu.codegen.missing_bodies import names_with_code
from optigpu.codegen.parameters import parameter_ranges, sizes
from optigpu.codegen.value_ranges import Assumptions, Ranges
from optigpu.codegen.wrapping import explicit_wraps, with_wraps
from optigpu.frontend.parameter_types import effective_types
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.builtins import INT_CONSTANTS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Expr, Int, Type, Var
from optigpu.syntax.free_names import names_in
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.program import Define, Function, Program, Role
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.types import INT, Scalar, Space
from optigpu.syntax.unfolding import definitions_of
from optigpu.syntax.walk import map_type, subexpressions


@dataclass(frozen=True)
class CudaUnit:
    """A `.cu` text with its entry points: `name`, and `name_on_device` if the host uses no elements of its array parameters."""

    text: str
    name: str
    on_device: bool
    alignment: Mapping[str, int]  # parameter -> bytes to which `name_on_device` needs it aligned
    kernels: tuple[str, ...]
    device_text: str  # the device code alone, for NVRTC
    plan: Plan | None  # what `name_on_device` does, for a runtime without a host compiler
    host_work: str = ""  # why there is no `name_on_device`: the statement of the host that uses elements of an array


def emit_cuda(
    program: Program,
    name: str | None = None,
    *,
    file: str | None = None,
    header: Sequence[str] = (),
    reasons: Mapping[StatementId, str] | None = None,
    blocks_per_multiprocessor: Mapping[StatementId, int] | int | None = None,
) -> CudaUnit:
    """Emit the function that launches kernels (by name, or the only one) as CUDA.

    `file`: the source named in the header, if it is not the program's file. `header`: lines about the verdict and its assumptions.
    `reasons`: comments for barriers, by statement, where the accesses around a barrier do not show why it is needed.
    `blocks_per_multiprocessor`: the second argument of `__launch_bounds__`, for all kernels or by launch.
    """
    functions = {f.name: f for f in program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST}
    functions = {n: with_wraps(g, parameter_ranges(g, entry=False)) for n, g in functions.items()}
    entry = _entry_function(program, name, functions)
    names_with_code(program, [entry.function.name])
    f, assumed = entry.function, entry.assumed
    arrays, scope = entry.scope()
    lowering = HostLowering(functions, f.name, {n: t for n, t in entry.params.items() if isinstance(t, Scalar)})
    assigned = assigned_names(f.body)
    nodes = lowering.body(f.body, scope, assigned)
    device = DeviceCode(f, lowering.kernels, functions, entry.constants, reasons or {}, blocks_per_multiprocessor)
    device_text = device.alone()  # notes the assumptions that its integer widths need
    limits = assumed.needed()
    access = host_access(nodes, arrays)
    writer = UnitWriter(
        Path(program.file).name if file is None else file,
        f,
        arrays,
        lowering,
        limits,
        assumed,
        nodes,
        assigned,
        bound_arrays(nodes, arrays) if access is None else None,
        definitions_of(program),
    )
    # A launcher copies arrays of its caller whole, so it must know their sizes.
    known = all(None not in a.dims for a in arrays.values() if a.storage is Storage.HOST)
    plan = plan_of(nodes, writer.bound, arrays.keys()) if writer.bound is not None and known else None
    text = writer.write(device, header)
    checked: Plan = (*(PlanLimit(name, low, high) for name, (low, high) in limits.items()), *product_limits(assumed))
    return CudaUnit(
        text,
        f.name,
        writer.bound is not None,
        writer.alignment(writer.bound),
        tuple(k.name for k in lowering.kernels),
        device_text,
        None if plan is None else (*checked, *plan),
        "" if access is None else f"line {access[0].loc.line} uses elements of `{access[1]}` on the host",
    )


@dataclass(frozen=True)
class _EntryFunction:
    """The function to emit: macros replaced, wrapping operations explicit, no name hidden by another."""

    function: Function
    params: dict[str, Type]
    constants: dict[str, Expr]
    ranges: Ranges
    assumed: Assumptions  # ranges of parameters that an entry point may check

    def scope(self) -> tuple[dict[str, ArrayInfo], LoweringScope]:
        """The array parameters, and what names mean at the start of the body."""
        scope = LoweringScope(self.constants, ranges=self.ranges)
        arrays: dict[str, ArrayInfo] = {}
        for n, t in self.params.items():
            scope = scope.local(n)
            if isinstance(t, Array):
                storage = Storage.GLOBAL if t.space is Space.GMEM else Storage.HOST
                arrays[n] = ArrayInfo(n, t.elem, t.dims, storage, flat=True)
                scope = scope.array(arrays[n])
        return arrays, LoweringScope(scope.values, scope.arrays, self.ranges)


def _entry_function(program: Program, name: str | None, functions: Mapping[str, Function]) -> _EntryFunction:
    f = without_constants(program, host_function(program, name))
    for g in (f, *(g for g in functions.values() if g.role is Role.DEVICE or g.name in TENSOR_CALLS)):
        reject_reserved(g, f.name)
    ranges = parameter_ranges(f)
    types = zip((p.name for p in f.params), effective_types(f))
    params = {n: map_type(t, lambda d: explicit_wraps(d, ranges)) for n, t in types}
    f = with_wraps(f, ranges)
    extents = {p.name for p in f.params if isinstance(p.type, Scalar)} & {
        x.name for d in sizes(f) for x in subexpressions(d) if isinstance(x, Var)
    }
    assumed = Assumptions({p.name: NARROW for p in f.params if p.type == INT}, extents=frozenset(extents))
    constants: dict[str, Expr] = {n: Int(value, type=INT) for n, value in INT_CONSTANTS.items()}
    constants |= {d.name: d.value for d in program.flat_items() if isinstance(d, Define)}
    visible = {n: n for n in params.keys() | constants.keys() | {*RENAMED}}
    f = replace(f, body=without_hiding(f.body, visible, names_in(f)))
    return _EntryFunction(f, params, constants, replace(ranges, assumed=assumed), assumed)


def host_function(program: Program, name: str | None) -> Function:
    if name is not None:
        return program.function(name)
    launching = [f for f in program.functions() if f.role is Role.HOST and has_launch(f.body)]
    if len(launching) != 1:
        what = (
            "no function launches a kernel" if not launching else "several functions launch kernels: say which is meant"
        )
        at = [f.loc for f in (*launching[1:], *program.functions())][:1]
        help = 's.gpu.launch makes a kernel of a loop; s.emit("x.c") writes C' if not launching else None
        raise input_error("OG400", what, *at or [Loc(program.file, 1, 1, 1, 1)], help=help)
    return launching[0]
