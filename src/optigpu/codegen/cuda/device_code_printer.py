"""Prints the device code of a `.cu` file: vector helpers, device functions (callees first), kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from optigpu.codegen.cuda.fast_math_text import fast_math_helpers
from optigpu.codegen.cuda.kernel_lowering import DeviceKernel, forms_of
from optigpu.codegen.cuda.kernel_printer import print_device_function, print_kernel
from optigpu.codegen.cuda.stored_float_text import cuda_type, stored_float_headers, stored_float_helpers
from optigpu.codegen.cuda.tensor_cores import print_tensor_helpers
from optigpu.codegen.cuda.tile_helpers import HELPERS, helper_lines
from optigpu.codegen.cuda.tile_instructions import Helper
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.exprs import Expr
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import Function
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import SCALAR_NAMES

VECTOR_TYPES = {  # stems of CUDA's vector types: float -> float4
    "float": "float", "double": "double", "tf32": "float", "bool": "uchar",
    "int8_t": "char", "int16_t": "short", "int": "int", "int64_t": "longlong",
    "uint8_t": "uchar", "uint16_t": "ushort", "unsigned": "uint", "uint64_t": "ulonglong",
}  # fmt: skip
PARTS = "xyzw"  # of a vector type
ADJACENT = """\
// Elements that one instruction loads or stores, where CUDA has no vector of them.
template <typename T, int N>
struct alignas(sizeof(T) * N) adjacent {
  T x[N];
};

"""


def vector_lines(way: str, width: int, stem: str) -> tuple[str, ...]:
    """The body of a helper that uses a vector type of CUDA."""
    vector = f"{stem}{width}"
    if way == "load":
        return (
            f"const {vector} v = *reinterpret_cast<const {vector}*>(from);",
            " ".join(f"to[{i}] = v.{p};" for i, p in enumerate(PARTS[:width])),
        )
    values = ", ".join(f"from[{i}]" for i in range(width))
    return (f"*reinterpret_cast<{vector}*>(to) = make_{vector}({values});",)


def adjacent_lines(way: str, width: int, elem: str) -> tuple[str, ...]:
    """The body of a helper for elements of which CUDA has no vector type."""
    vector = f"adjacent<{elem}, {width}>"
    loop = f"for (int i = 0; i < {width}; ++i)"
    if way == "load":
        v = f"const {vector} v = *reinterpret_cast<const {vector}*>(from);"
        return v, "#pragma unroll", f"{loop} to[i] = v.x[i];"
    return f"{vector} v;", "#pragma unroll", f"{loop} v.x[i] = from[i];", f"*reinterpret_cast<{vector}*>(to) = v;"


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
        out, code = Lines(), Lines()
        self.write(code, 'extern "C" ')
        headers = stored_float_headers(code.text())
        out.extend([*(f"#include <{header}>" for header in headers), *([""] if headers else [])])
        out.add("namespace program {")
        out.add("")
        out.extend(code.lines)
        out.add("}")
        return out.text()

    def write(self, out: Lines, linkage: str = "") -> None:
        code = Lines()
        self.write_code(code, linkage)
        out.extend(stored_float_helpers(code.text()))
        out.extend(fast_math_helpers(code.text()))
        out.extend(code.lines)

    def write_code(self, out: Lines, linkage: str) -> None:
        self.vector_helpers(out)
        print_tensor_helpers(set().union(*(k.tensor_calls for k in self.kernels)), out)
        helpers: dict[str, Helper] = {}
        for k in forms_of(self.kernels):
            helpers |= k.helpers
            helpers |= {"fence_async": HELPERS["fence_async"]} if "wgmma" in k.helpers else {}
        out.extend(helper_lines(helpers))
        self.device_functions(out)
        for k in self.kernels:
            residents = self.residents.get(k.id) if isinstance(self.residents, Mapping) else self.residents
            for form in forms_of((k,)):
                print_kernel(form, out, self.reasons, residents, linkage)
                out.add("")

    def vector_helpers(self, out: Lines) -> None:
        """`load4(r, a)`: load four adjacent elements in one instruction; likewise load2, load8, store2, store4, store8."""
        calls = {(call, SCALAR_NAMES[name]) for k in self.kernels for call, name in k.vector_calls}
        helpers = {(call, cuda_type(t)): VECTOR_TYPES.get(t.name) for call, t in calls}
        vectors = {key: stem if VECTOR_CALLS[key[0]][0] <= len(PARTS) else None for key, stem in helpers.items()}
        if None in vectors.values():
            out.extend(ADJACENT.splitlines())
        for (call, elem), stem in sorted(vectors.items()):
            width, way = VECTOR_CALLS[call]
            out.add(f"__device__ __forceinline__ void {way}{width}({elem}* to, const {elem}* from) {{")
            out.extend(
                f"  {line}" for line in (adjacent_lines if stem is None else vector_lines)(way, width, stem or elem)
            )
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
