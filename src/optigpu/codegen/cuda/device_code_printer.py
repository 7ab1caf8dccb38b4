"""Prints the device code of a `.cu` file: vector helpers, device functions (callees first), kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optigpu.codegen.cuda.kernel_lowering import DeviceKernel
from optigpu.codegen.cuda.kernel_printer import print_device_function, print_kernel
from optigpu.codegen.cuda.tensor_cores import print_tensor_helpers
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.exprs import Expr
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import Function
from optigpu.syntax.source import StatementId

VECTOR_TYPES = {  # stems of CUDA's vector types: float -> float4
    "float": "float", "double": "double", "bool": "uchar",
    "int8_t": "char", "int16_t": "short", "int": "int", "int64_t": "longlong",
    "uint8_t": "uchar", "uint16_t": "ushort", "unsigned": "uint", "uint64_t": "ulonglong",
}  # fmt: skip


@dataclass(frozen=True)
class DeviceCode:
    """The kernels of a unit and the functions that they call."""

    f: Function
    kernels: Sequence[DeviceKernel]
    functions: dict[str, Function]
    values: Mapping[str, Expr]
    reasons: Mapping[StatementId, str]
    residents: Mapping[StatementId, int] | int | None

    def alone(self) -> str:
        """The device code as a text of its own, for NVRTC. It stands in a namespace, as in the whole file, so that a call means the
        program's function and not a CUDA overload of the same name. Kernels are `extern "C"` and keep their names."""
        out = Lines()
        out.add("namespace program {")
        out.add("")
        self.write(out, 'extern "C" ')
        out.add("}")
        return out.text()

    def write(self, out: Lines, linkage: str = "") -> None:
        self.vector_helpers(out)
        print_tensor_helpers(set().union(*(k.tensor_calls for k in self.kernels)), out)
        self.device_functions(out)
        for k in self.kernels:
            residents = self.residents.get(k.id) if isinstance(self.residents, Mapping) else self.residents
            print_kernel(k, out, self.reasons, residents, linkage)
            out.add("")

    def vector_helpers(self, out: Lines) -> None:
        """`load4(r, a)`: load four adjacent elements in one instruction; likewise load2, store2, store4."""
        wanted = sorted(set().union(*(k.vector_calls for k in self.kernels)))
        for call, elem in wanted:
            width, way = VECTOR_CALLS[call]
            vector = f"{VECTOR_TYPES[elem]}{width}"
            parts = "xyzw"[:width]
            if way == "load":
                out.add(f"__device__ __forceinline__ void load{width}({elem}* to, const {elem}* from) {{")
                out.add(f"  const {vector} v = *reinterpret_cast<const {vector}*>(from);")
                out.add("  " + " ".join(f"to[{i}] = v.{p};" for i, p in enumerate(parts)))
            else:
                out.add(f"__device__ __forceinline__ void store{width}({elem}* to, const {elem}* from) {{")
                values = ", ".join(f"from[{i}]" for i in range(width))
                out.add(f"  *reinterpret_cast<{vector}*>(to) = make_{vector}({values});")
            out.add("}")
            out.add("")

    def device_functions(self, out: Lines) -> None:
        """Device functions, callees first."""
        texts: dict[str, list[str]] = {}

        def visit(name: str) -> None:
            if name in texts:
                return
            lines = Lines()
            for callee in print_device_function(self.functions[name], self.functions, self.values, lines):
                visit(callee)
            texts[name] = lines.lines

        for k in self.kernels:
            for name in k.called:
                visit(name)
        for lines in texts.values():
            out.extend(lines)
