"""Prints a whole `.cu` file: header, device code, host helpers, launches, entry points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from optigpu.codegen.conversions import host_conversions
from optigpu.codegen.cuda.device_code_printer import DeviceCode
from optigpu.codegen.cuda.entry_checks import negated, requirements
from optigpu.codegen.cuda.host import HostLowering, HostPrinter, print_launch
from optigpu.codegen.cuda.host_nodes import HostLaunch, HostNode, Nested, Plain, flattened_nodes
from optigpu.codegen.cuda.host_support import (
    DEVICE_ARRAY,
    HOST_ARRAY,
    PREAMBLE,
    SCRATCH_ARRAY,
    SIZE_PRODUCT,
    TENSOR_MAPS,
)
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, Storage
from optigpu.codegen.cuda.statement_printer import CudaExprs, comment, wrap_list
from optigpu.codegen.cuda.stored_float_text import cuda_type, stored_float_headers, stored_float_helpers
from optigpu.codegen.cuda.tensor_cores import precision_notes
from optigpu.codegen.launch_plan import PlanProduct
from optigpu.codegen.parameters import parameter_ranges
from optigpu.codegen.value_ranges import Assumptions, Ranges
from optigpu.frontend.parameter_types import effective_types
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.diagnostic import placed_at
from optigpu.syntax.exprs import Alloc, Array, Expr, Index, Var, is_int
from optigpu.syntax.printer import Lines, ProgramPrinter, print_expr
from optigpu.syntax.program import CallStmt, Decl, Function, Store
from optigpu.syntax.types import INT, Scalar, Space
from optigpu.syntax.walk import root_name, statements


@dataclass
class UnitWriter:
    """Writes the file of one function and its kernels."""

    source: str
    f: Function
    arrays: Mapping[str, ArrayInfo]
    lowering: HostLowering
    limits: Mapping[str, tuple[int, int]]  # parameter ranges that the kernels rely on; entry points refuse others
    assumed: Assumptions  # the products of sizes that kernels and host code rely on; entry points refuse greater ones
    nodes: tuple[HostNode, ...]
    assigned: set[str]
    bound: dict[str, str] | None
    definitions: Mapping[str, Expr]
    out: Lines = field(default_factory=Lines)

    def write(self, device: DeviceCode, header: Sequence[str]) -> str:
        checked, assumed = requirements(self.f, self.definitions)
        rounding = precision_notes(set().union(*(k.tensor_calls for k in device.kernels)))
        self.header((*header, *rounding), assumed)
        included = 0  # the place of the headers of numbers of 16 bits, which follows from the rest
        more = [*(["stdlib.h"] if self.vectors() else []), *(["atomic"] if self.scratch() else [])]
        if any(k.bulk is not None for k in self.lowering.kernels):
            more += ["cuda.h", "cudaTypedefs.h", "initializer_list"]
        for line in ("cuda_runtime.h", "stddef.h", "stdint.h", "stdio.h", *more):
            self.out.add(f"#include <{line}>")
            included = included or len(self.out.lines)
        self.out.add("")
        self.out.add("namespace {")
        self.out.add("")
        device.write(self.out)
        above, self.out = self.out, Lines()
        self.host(checked)  # notes the products that it assumes
        self.out = Lines()
        self.host(checked)
        host, self.out = self.out.text(), above
        helpers = () if stored_float_helpers(self.out.text()) else stored_float_helpers(host)
        conversions = "\n".join(["", *host_conversions(host, "inline"), *helpers])
        self.out.extend((self.preamble() + conversions).strip("\n").split("\n"))
        headers = stored_float_headers(self.out.text() + host)
        self.out.lines[included:included] = [f"#include <{header}>" for header in headers]
        return self.out.text() + "\n" + host

    def host(self, checked: list[tuple[str, Expr]]) -> None:
        """Launches, checks and entry points."""
        for k in self.lowering.kernels:
            with placed_at(k.id.origin()):
                print_launch(k, self.out, replace(k.host_ranges.assuming(self.limits), assumed=self.assumed))
            self.out.add("")
        checks = self.checks(checked)
        if checks:
            self.check_function(checks)
            self.out.add("")
        self.out.add("}  // namespace")
        self.out.add("")
        self.entry(bool(checks), None)
        if self.bound is not None:
            self.out.add("")
            self.entry(bool(checks), self.bound)

    def checks(self, checked: list[tuple[str, Expr]]) -> list[str]:
        """Statements that return an error message for invalid arguments."""
        exprs = CudaExprs(False, self.arrays, Ranges())  # no facts about the arguments yet
        out = [
            f'if ({exprs.show(negated(condition))}) return "{self.f.name}: {text} does not hold";'
            for text, condition in checked
        ]
        known = parameter_ranges(self.f)
        for name, (low, high) in self.limits.items():
            least, greatest = known.interval(Var(name, type=INT))
            if least < low:
                out.append(self.beyond(name, "<", low, "small"))
            if greatest > high:
                out.append(self.beyond(name, ">", high, "large"))
        for p in product_limits(self.assumed):
            message = f"{self.f.name}: {p.text} is too large for 64-bit indices"
            out.append(f'if (size_product({", ".join(p.names)}) > {p.most}u) return "{message}";')
        return out

    def beyond(self, name: str, relation: str, limit: int, what: str) -> str:
        return f'if ({name} {relation} {limit}) return "{self.f.name}: {name} is too {what} for 32-bit indices";'

    def check_function(self, checks: list[str]) -> None:
        self.out.add("// What the contract asks of the sizes.")
        params = [f"{t.name} {n}" for n, t in self.integers().items()]
        self.out.extend(wrap_list(f"const char* check_{self.f.name}(", params, ") {"))
        self.out.depth += 1
        self.out.extend(checks)
        self.out.add("return nullptr;")
        self.out.depth -= 1
        self.out.add("}")

    def integers(self) -> dict[str, Scalar]:
        return {p.name: p.type for p in self.f.params if isinstance(p.type, Scalar) and is_int(p.type)}

    def header(self, header: Sequence[str], assumed: list[str]) -> None:
        printer = ProgramPrinter()
        printer.clauses(self.f.contract)
        signature = printer.signature(self.f)
        for line in (f"Generated by OptiGPU from {self.source}. Do not edit.", *header):
            self.out.add(comment(line))
        self.out.add("//")
        self.out.add(comment(signature))
        for line in printer.out.lines:
            self.out.add(comment(line, 3))
        for text in assumed:
            self.out.add(comment(f"The caller sees to: {text}"))
        self.out.add("")

    def vectors(self) -> frozenset[str]:
        return frozenset(s.name for s, space in self.allocations() if space is Space.ANY)

    def device_arrays(self) -> list[str]:
        return [s.name for s, space in self.allocations() if space is Space.GMEM]

    def allocations(self) -> list[tuple[Decl, Space]]:
        plain = tuple(n.stmt for n in flattened_nodes(self.nodes) if isinstance(n, Plain))
        return [(s, s.init.space) for s in statements(plain) if isinstance(s, Decl) and isinstance(s.init, Alloc)]

    def scratch(self) -> bool:
        """Whether `name_on_device` allocates device arrays of its own."""
        return self.bound is not None and any(n not in self.bound for n in self.device_arrays())

    def preamble(self) -> str:
        """The C++ helpers that the entry points use."""
        device, scratch = self.device_arrays(), self.scratch()
        maps = TENSOR_MAPS if any(k.bulk is not None for k in self.lowering.kernels) else ""
        product = SIZE_PRODUCT if device or self.vectors() or self.assumed.products else ""
        host = HOST_ARRAY if self.vectors() else ""
        return PREAMBLE + maps + product + host + (DEVICE_ARRAY if device else "") + (SCRATCH_ARRAY if scratch else "")

    def alignment(self, bound: Mapping[str, str] | None) -> dict[str, int]:
        """Parameter in device memory -> the alignment in bytes that its vector accesses need."""
        device_parameters = {n: n for n, a in self.arrays.items() if a.storage is Storage.GLOBAL}
        out: dict[str, int] = {}
        for k in self.lowering.kernels:
            for d, p in {**device_parameters, **(bound or {})}.items():
                if d in k.vectors:
                    out[p] = max(out.get(p, 0), k.vectors[d])
        return out

    def entry(self, checks: bool, bound: dict[str, str] | None) -> None:
        name = self.f.name if bound is None else f"{self.f.name}_on_device"
        written = self.written()
        params = []
        for p, t in zip(self.f.params, effective_types(self.f)):
            if isinstance(t, Array):
                params.append(f"{'' if p.name in written else 'const '}{cuda_type(t.elem)}* {p.name}")
            else:
                assert isinstance(t, Scalar)
                params.append(f"{cuda_type(t)} {p.name}")
        if isinstance(self.f.result, Scalar):
            params.append(f"{cuda_type(self.f.result)}* result")
        device = [n for n, a in self.arrays.items() if a.storage is Storage.GLOBAL]
        if bound is None:
            where = f"{', '.join(device)} in device memory, other arrays" if device else "Arrays are"
            self.out.add(f"// Null if all went well, else what went wrong. {where} in host memory.")
        else:
            self.out.add(
                "// The same for arrays in device memory, which must not overlap: the kernels are launched on the stream."
            )
            params.append("cudaStream_t stream")
        self.out.extend(wrap_list(f'extern "C" const char* {name}(', params, ") {"))
        self.out.depth += 1
        if checks:
            self.out.add(f"TRY(check_{self.f.name}({', '.join(self.integers())}));")
        for n, size in self.alignment(bound).items():
            self.out.add(
                f'if ((uintptr_t){n} % {size} != 0) return "{self.f.name}: {n} is not aligned to {size} bytes";'
            )
        ranges = replace(parameter_ranges(self.f, self.limits), assumed=self.assumed)
        parameters = frozenset(n for n, a in self.arrays.items() if a.storage is Storage.HOST)
        printer = HostPrinter(self.out, CudaExprs(False, self.arrays, ranges), bound, parameters)
        printer.vectors = self.vectors()
        printer.nodes(self.nodes, self.assigned)
        if bound is None and not self.ends_with_copy():
            self.out.add("TRY(cudaDeviceSynchronize());")
        self.out.add("return nullptr;")
        self.out.depth -= 1
        self.out.add("}")

    def ends_with_copy(self) -> bool:
        """Whether an unconditional copy to the host follows the last launch: it waits for the kernels and reports their errors."""
        last = False
        for n in self.nodes:
            match n:
                case Plain(CallStmt(call)) if "device_to_host" in call.func:
                    last = True
                case HostLaunch() | Nested():
                    last = last and not any(isinstance(x, HostLaunch) for x in flattened_nodes((n,)))
                case _:
                    pass
        return last

    def written(self) -> set[str]:
        """Array parameters that host or device code writes."""
        out: set[str] = set().union(*(k.written for k in self.lowering.kernels)) & self.arrays.keys()
        for n in flattened_nodes(self.nodes):
            if not isinstance(n, Plain):
                continue
            for s in statements((n.stmt,)):
                if isinstance(s, Store) and isinstance(s.target, Index):
                    out.add(root_name(s.target))
                if (
                    isinstance(s, CallStmt)
                    and s.call.func.startswith("memcpy")
                    and root_name(s.call.args[0]) in self.arrays
                ):
                    out.add(root_name(s.call.args[0]))
        return out


def product_limits(assumed: Assumptions) -> tuple[PlanProduct, ...]:
    """The products of sizes that emitted code relies on, with their greatest values."""
    out: list[PlanProduct] = []
    for factors, most in sorted(assumed.products.items(), key=lambda p: [print_expr(a) for a in p[0]]):
        out.append(PlanProduct(tuple(print_expr(a) for a in factors), most))
    return tuple(out)
