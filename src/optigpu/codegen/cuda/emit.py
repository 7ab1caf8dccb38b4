"""The whole file: header, device code, launches, entry points."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from optigpu.codegen.conversions import host_conversions
from optigpu.codegen.cuda.device import DeviceKernel, print_device_function, print_kernel, wrap_list
from optigpu.codegen.cuda.entry_checks import negated, requirements
from optigpu.codegen.cuda.host import HostLowering, HostPrinter, has_launch, print_launch
from optigpu.codegen.cuda.host_nodes import HostLaunch, HostNode, Nested, Plain, bound_arrays, flattened_nodes
from optigpu.codegen.cuda.lower import ArrayInfo, LoweringScope, Storage
from optigpu.codegen.cuda.names import without_hiding
from optigpu.codegen.cuda.planning import plan_of
from optigpu.codegen.cuda.text import NARROW, CudaExprs, comment
from optigpu.codegen.launch_plan import Plan, PlanLimit
from optigpu.codegen.parameters import parameter_ranges
from optigpu.codegen.value_ranges import Assumptions, Ranges
from optigpu.codegen.wrapping import explicit_wraps, with_wraps
from optigpu.frontend.parameter_types import effective_types
from optigpu.syntax.builtins import INT_CONSTANTS, NUMERIC, VECTOR_CALLS
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Index, Int, Var, is_int
from optigpu.syntax.free_names import names_in
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.printer import Lines, ProgramPrinter
from optigpu.syntax.program import CallStmt, Decl, Define, For, Function, Program, Role, Store
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.types import INT, Scalar, Space
from optigpu.syntax.unfolding import definitions_of
from optigpu.syntax.walk import map_type, root_name, statements, stmt_exprs, subexpressions

RESERVED_WORDS = (
    "alignas alignof and asm auto bool catch char16_t char32_t char8_t class concept consteval constexpr constinit const_cast "
    "decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not nullptr operator or private "
    "protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid "
    "typename using virtual wchar_t xor and_eq or_eq not_eq xor_eq bitand bitor compl "
    "threadIdx blockIdx blockDim gridDim warpSize dim3 size_t uintptr_t std shared_memory shared_bytes stream result message "
    "failure failed TRY host_array device_array scratch_array scratch_pool size_product load2 load4 store2 store4 blocks "
    "blocks_x blocks_y blocks_z first_y first_z slice_y slice_z NULL INFINITY snprintf"
)
CUDA_API = re.compile(r"cuda[A-Z]")
VECTOR_TYPES = {  # the stem of CUDA's types of neighbouring elements
    "float": "float", "double": "double", "bool": "uchar",
    "int8_t": "char", "int16_t": "short", "int": "int", "int64_t": "longlong",
    "uint8_t": "uchar", "uint16_t": "ushort", "unsigned": "uint", "uint64_t": "ulonglong",
}  # fmt: skip
RESERVED = frozenset(RESERVED_WORDS.split()) | {
    f"{make}{stem}{width}" for make in ("", "make_") for stem in VECTOR_TYPES.values() for width in (2, 4)
}
PREAMBLE = """
thread_local char message[512];

const char* failure(const char* what, cudaError_t status) {
  snprintf(message, sizeof message, "%s: %s", what, cudaGetErrorString(status));
  return message;
}
[[maybe_unused]] const char* failure(const char*, const char* text) { return text; }

#define TRY(call) \\
  if (const auto failed = (call)) return failure(#call, failed)
"""
SIZE_PRODUCT = """
// The product of sizes, or the greatest number where it is larger: no memory has that size.
template <typename... Sizes>
size_t size_product(Sizes... sizes) {
  size_t out = 1;
  for (const size_t size : {(size_t)sizes...}) out = size != 0 && out > SIZE_MAX / size ? SIZE_MAX : out * size;
  return out;
}
"""
HOST_ARRAY = """
// Host memory that is released at the end of its scope, also on an early return.
template <typename T>
struct host_array {
  T* data = nullptr;
  template <typename... Sizes>
  const char* allocate(Sizes... sizes) {
    const size_t bytes = size_product(sizeof(T), sizes...);
    data = (T*)malloc(bytes);
    return data == nullptr && bytes != 0 ? "out of memory on the host" : nullptr;
  }
  operator T*() const { return data; }
  host_array() = default;
  host_array(const host_array&) = delete;
  ~host_array() { free(data); }
};
"""
DEVICE_ARRAY = """
// Device memory that is released at the end of its scope, also on an early return.
template <typename T>
struct device_array {
  T* data = nullptr;
  template <typename... Sizes>
  cudaError_t allocate(Sizes... sizes) {
    const size_t bytes = size_product(sizeof(T), sizes...);
    return bytes == 0 ? cudaSuccess : cudaMalloc((void**)&data, bytes);
  }
  cudaError_t release() {
    T* const old = data;
    data = nullptr;
    return cudaFree(old);
  }
  operator T*() const { return data; }
  device_array() = default;
  device_array(const device_array&) = delete;
  ~device_array() { (void)release(); }
};
"""
SCRATCH_ARRAY = """
// A pool of this file's own for each device, which keeps some memory so that the next call finds it: that of the process, which
// other code uses, stays as it is.
cudaError_t scratch_pool(cudaMemPool_t* pool) {
  static std::atomic<cudaMemPool_t> pools[256];
  int device = 0;
  if (const cudaError_t status = cudaGetDevice(&device)) return status;
  if (device >= 256) return cudaDeviceGetDefaultMemPool(pool, device);
  *pool = pools[device].load();
  if (*pool != nullptr) return cudaSuccess;
  cudaMemPoolProps of_device = {};
  of_device.allocType = cudaMemAllocationTypePinned;
  of_device.location.type = cudaMemLocationTypeDevice;
  of_device.location.id = device;
  uint64_t keep = 64 << 20;
  cudaMemPool_t made;
  if (const cudaError_t status = cudaMemPoolCreate(&made, &of_device)) return status;
  cudaError_t status = cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep);
  if (status == cudaSuccess && pools[device].compare_exchange_strong(*pool, made)) return *pool = made, cudaSuccess;
  (void)cudaMemPoolDestroy(made);  // another thread was first, and its pool is used
  return status;
}

// Scratch memory in the order of a stream.
template <typename T>
struct scratch_array {
  T* data = nullptr;
  cudaStream_t stream = 0;
  template <typename... Sizes>
  cudaError_t allocate(cudaStream_t on, Sizes... sizes) {
    const size_t bytes = size_product(sizeof(T), sizes...);
    stream = on;
    cudaMemPool_t pool;
    if (const cudaError_t status = scratch_pool(&pool)) return status;
    return bytes == 0 ? cudaSuccess : cudaMallocFromPoolAsync((void**)&data, bytes, pool, on);
  }
  cudaError_t release() {
    T* const old = data;
    data = nullptr;
    return old == nullptr ? cudaSuccess : cudaFreeAsync(old, stream);
  }
  operator T*() const { return data; }
  scratch_array() = default;
  scratch_array(const scratch_array&) = delete;
  ~scratch_array() { (void)release(); }
};
"""


@dataclass(frozen=True)
class CudaUnit:
    """A `.cu` text and its entry points: `name`, and `name_on_device` if the function is of that form."""

    text: str
    name: str
    on_device: bool
    alignment: Mapping[str, int]  # parameter -> bytes to which `name_on_device` needs it aligned
    kernels: tuple[str, ...]
    device_text: str  # the kernels alone, for a compiler of device code
    plan: Plan | None  # what `name_on_device` does, for a host without a compiler


def emit_cuda(
    program: Program,
    name: str | None = None,
    *,
    file: str | None = None,
    header: Sequence[str] = (),
    reasons: Mapping[StatementId, str] | None = None,
    blocks_per_multiprocessor: Mapping[StatementId, int] | int | None = None,
) -> CudaUnit:
    """The function that launches kernels (by name, or the only one), as CUDA. `file`: what it is said to be generated from, if not
    from the program's file; `header`: lines about the verdict and what it rests on; `reasons`: why a barrier is there, by the id
    of its statement, where the accesses around it do not say; `blocks_per_multiprocessor`: how many blocks the compiler should
    leave registers for, in all kernels or by the id of the launch."""
    functions = {f.name: f for f in program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST}
    functions = {n: with_wraps(g, parameter_ranges(g, entry=False)) for n, g in functions.items()}
    f = without_constants(program, host_function(program, name))
    for g in (f, *(g for g in functions.values() if g.role is Role.DEVICE)):
        reject_reserved(g, f.name)
    params = {p.name: t for p, t in zip(f.params, effective_types(f))}
    ranges = parameter_ranges(f)
    params = {n: map_type(t, lambda d: explicit_wraps(d, ranges)) for n, t in params.items()}
    f = with_wraps(f, ranges)
    assumed = Assumptions({p.name: NARROW for p in f.params if p.type == INT})
    ranges = replace(ranges, assumed=assumed)
    values: dict[str, Expr] = {name: Int(value, type=INT) for name, value in INT_CONSTANTS.items()}
    values |= {d.name: d.value for d in program.flat_items() if isinstance(d, Define)}
    f = replace(f, body=without_hiding(f.body, {n: n for n in params.keys() | values.keys()}, names_in(f)))
    scope = LoweringScope(values, ranges=ranges)
    arrays: dict[str, ArrayInfo] = {}
    for n, t in params.items():
        scope = scope.local(n)
        if isinstance(t, Array):
            storage = Storage.GLOBAL if t.space is Space.GMEM else Storage.HOST
            arrays[n] = ArrayInfo(n, t.elem, t.dims, storage, flat=True)
            scope = scope.array(arrays[n])
    scope = LoweringScope(scope.values, scope.arrays, ranges)
    lowering = HostLowering(functions, f.name, {n: t for n, t in params.items() if isinstance(t, Scalar)})
    assigned = assigned_names(f.body)
    nodes = lowering.body(f.body, scope, assigned)
    source = Path(program.file).name if file is None else file
    device = DeviceCode(f, lowering.kernels, functions, values, reasons or {}, blocks_per_multiprocessor)
    device_text = device.alone()
    limits = assumed.needed()
    definitions = definitions_of(program)
    out = _File(source, f, arrays, lowering, limits, nodes, assigned, bound_arrays(nodes, arrays), definitions)
    plan = None if out.bound is None else plan_of(nodes, out.bound)
    checked = tuple(PlanLimit(name, low, high) for name, (low, high) in limits.items())
    return CudaUnit(
        out.write(device, header),
        f.name,
        out.bound is not None,
        out.alignment(out.bound),
        tuple(k.name for k in lowering.kernels),
        device_text,
        None if plan is None else (*checked, *plan),
    )


@dataclass(frozen=True)
class DeviceCode:
    """The kernels, after what they call."""

    f: Function
    kernels: Sequence[DeviceKernel]
    functions: dict[str, Function]
    values: Mapping[str, Expr]
    reasons: Mapping[StatementId, str]
    residents: Mapping[StatementId, int] | int | None

    def alone(self) -> str:
        """In a namespace, as in the whole file: there, what the program calls is what it declares, and no function that CUDA has of
        the same name for other types. Kernels keep their names."""
        out = Lines()
        out.add("namespace program {")
        out.add("")
        self.write(out, 'extern "C" ')
        out.add("}")
        return out.text()

    def write(self, out: Lines, linkage: str = "") -> None:
        self.vector_helpers(out)
        self.device_functions(out)
        for k in self.kernels:
            residents = self.residents.get(k.id) if isinstance(self.residents, Mapping) else self.residents
            print_kernel(k, out, self.reasons, residents, linkage)
            out.add("")

    def vector_helpers(self, out: Lines) -> None:
        """`load4(r, a)`: four neighbouring elements by one instruction."""
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
        """Called before caller."""
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


def reject_reserved(f: Function, entry: str) -> None:
    """Names that C allows and that mean something else in the emitted file."""
    names = [(p.name, p.loc) for p in f.params]
    names += [(s.name, s.loc) for s in statements(f.body) if isinstance(s, Decl)]
    names += [(s.index, s.loc) for s in statements(f.body) if isinstance(s, For)]
    if f.role is Role.DEVICE or CUDA_API.match(f.name) or f.name in RESERVED:
        names.append((f.name, f.loc))
    called = {
        x.func for s in statements(f.body) for e in stmt_exprs(s) for x in subexpressions(e) if isinstance(x, Call)
    }
    ours = (f"{entry}_kernel", f"launch_{entry}_kernel", f"check_{entry}", f"{entry}_on_device")
    for name, loc in names:
        hides = name in NUMERIC and name in called  # which becomes a call of the same name
        if name in RESERVED or hides or name.startswith(("__", "cuda", *ours)):
            raise input_error("OG405", f"`{name}` means something else in CUDA C++", loc, help="choose another name")


def host_function(program: Program, name: str | None) -> Function:
    if name is not None:
        return program.function(name)
    found = [f for f in program.functions() if f.role is Role.HOST and has_launch(f.body)]
    if len(found) != 1:
        what = "no function launches a kernel" if not found else "several functions launch kernels: say which is meant"
        at = [f.loc for f in (*found[1:], *program.functions())][:1]
        raise input_error("OG400", what, *at or [Loc(program.file, 1, 1, 1, 1)])
    return found[0]


@dataclass
class _File:
    source: str
    f: Function
    arrays: Mapping[str, ArrayInfo]
    lowering: HostLowering
    limits: Mapping[str, tuple[int, int]]  # of parameters, for the kernels: what is outside is refused
    nodes: tuple[HostNode, ...]
    assigned: set[str]
    bound: dict[str, str] | None
    definitions: Mapping[str, Expr]
    out: Lines = field(default_factory=Lines)

    def write(self, device: DeviceCode, header: Sequence[str]) -> str:
        checked, assumed = requirements(self.f, self.definitions)
        self.header(header, assumed)
        more = [*(["stdlib.h"] if self.vectors() else []), *(["atomic"] if self.scratch() else [])]
        for line in ("cuda_runtime.h", "stddef.h", "stdint.h", "stdio.h", *more):
            self.out.add(f"#include <{line}>")
        self.out.add("")
        self.out.add("namespace {")
        self.out.add("")
        device.write(self.out)
        above, self.out = self.out, Lines()
        self.host(checked)
        host, self.out = self.out.text(), above
        conversions = "\n".join(["", *host_conversions(host, "inline")])
        self.out.extend((self.preamble() + conversions).strip("\n").split("\n"))
        return self.out.text() + "\n" + host

    def host(self, checked: list[tuple[str, Expr]]) -> None:
        """Launches, checks and entry points."""
        for k in self.lowering.kernels:
            print_launch(k, self.out, k.ranges.assuming(self.limits))
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
        """Statements that return what is wrong with the arguments."""
        exprs = CudaExprs(False, self.arrays, Ranges())  # nothing is known yet
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
        plain = [n.stmt for n in flattened_nodes(self.nodes) if isinstance(n, Plain)]
        return frozenset(
            s.name for s in plain if isinstance(s, Decl) and isinstance(s.init, Alloc) and s.init.space is Space.ANY
        )

    def device_arrays(self) -> list[str]:
        plain = [n.stmt for n in flattened_nodes(self.nodes) if isinstance(n, Plain)]
        return [
            s.name for s in plain if isinstance(s, Decl) and isinstance(s.init, Alloc) and s.init.space is Space.GMEM
        ]

    def scratch(self) -> bool:
        """Whether the function on device arrays allocates some of its own."""
        return self.bound is not None and any(n not in self.bound for n in self.device_arrays())

    def preamble(self) -> str:
        """What the entry points need, no more."""
        device, scratch = self.device_arrays(), self.scratch()
        product = SIZE_PRODUCT if device or self.vectors() else ""
        host = HOST_ARRAY if self.vectors() else ""
        return PREAMBLE + product + host + (DEVICE_ARRAY if device else "") + (SCRATCH_ARRAY if scratch else "")

    def alignment(self, bound: Mapping[str, str] | None) -> dict[str, int]:
        """Parameter -> bytes to which its vector accesses need it aligned: device memory of the caller."""
        given = {n: n for n, a in self.arrays.items() if a.storage is Storage.GLOBAL}
        out: dict[str, int] = {}
        for k in self.lowering.kernels:
            for d, p in {**given, **(bound or {})}.items():
                if d in k.vectors:
                    out[p] = max(out.get(p, 0), k.vectors[d])
        return out

    def entry(self, checks: bool, bound: dict[str, str] | None) -> None:
        name = self.f.name if bound is None else f"{self.f.name}_on_device"
        written = self.written()
        params = []
        for p, t in zip(self.f.params, effective_types(self.f)):
            if isinstance(t, Array):
                params.append(f"{'' if p.name in written else 'const '}{t.elem.name}* {p.name}")
            else:
                assert isinstance(t, Scalar)
                params.append(f"{t.name} {p.name}")
        if isinstance(self.f.result, Scalar):
            params.append(f"{self.f.result.name}* result")
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
        printer = HostPrinter(self.out, CudaExprs(False, self.arrays, parameter_ranges(self.f, self.limits)), bound)
        printer.vectors = self.vectors()
        printer.nodes(self.nodes, self.assigned)
        if bound is None and not self.ends_with_copy():
            self.out.add("TRY(cudaDeviceSynchronize());")
        self.out.add("return nullptr;")
        self.out.depth -= 1
        self.out.add("}")

    def ends_with_copy(self) -> bool:
        """A copy back that is always made waits for the kernels before it, and reports their errors."""
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
        """Parameters that code stores to or copies to."""
        out: set[str] = set().union(*(k.written for k in self.lowering.kernels)) & self.arrays.keys()
        for n in flattened_nodes(self.nodes):
            if not isinstance(n, Plain):
                continue
            for s in statements((n.stmt,)):
                if isinstance(s, Store) and isinstance(s.target, Index):
                    out.add(root_name(s.target))
                if isinstance(s, CallStmt) and s.call.func.startswith("memcpy_device_to_host"):
                    out.add(root_name(s.call.args[0]))
        return out
