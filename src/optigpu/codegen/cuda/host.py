"""Host code: allocation, copies and launches. All memory is released on an early return.

A host function becomes `const char* name(…)`, which returns null or an error message. If the host uses no elements of its array
parameters, there is also `name_on_device(…, stream)`, which takes device pointers and launches on a stream (`device_entry.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from optigpu.codegen.cuda.host_nodes import HostLaunch, HostNode, Nested, Plain
from optigpu.codegen.cuda.kernel_lowering import DeviceKernel, lower_kernel
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, LoweringScope, Storage
from optigpu.codegen.cuda.sections import KernelSection, split_kernels
from optigpu.codegen.cuda.statement_lowering import Lowering
from optigpu.codegen.cuda.statement_printer import WIDE, BodyPrinter, CudaExprs, wrap_list
from optigpu.codegen.cuda.stored_float_text import cuda_type
from optigpu.codegen.cuda.thread_index import MAX_GRID_X, MAX_GRID_YZ
from optigpu.codegen.expression_text import beyond_64_bits
from optigpu.codegen.integer_polynomials import poly
from optigpu.codegen.launch_plan import AXES
from optigpu.codegen.value_ranges import Ranges, inside_loop, is_stable
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.diagnostic import input_error, placed_at
from optigpu.syntax.exprs import Addr, Alloc, Array, Call, Expr, Index, Int, Var, is_int
from optigpu.syntax.operators import precedence
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, Function, If, Mode, Return, Stmt
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import BOOL, INT, INT64, Scalar, Space
from optigpu.syntax.walk import root_name, statements


@dataclass
class HostLowering:
    """Lowers a host function and its kernels."""

    functions: dict[str, Function]
    name: str
    scalars: dict[str, Scalar]
    lets: dict[str, Expr] = field(default_factory=dict)
    kernels: list[DeviceKernel] = field(default_factory=list)
    count: list[int] = field(default_factory=lambda: [0])

    def body(self, body: Body, scope: LoweringScope, assigned: set[str]) -> tuple[HostNode, ...]:
        lowering = Lowering(None, self.functions, "host", assigned=assigned)
        out: list[HostNode] = []
        for s in split_kernels(body, self.name, self.count):
            if isinstance(s, KernelSection):
                k = lower_kernel(s, scope, self.scalars, self.lets, self.functions, self.scalars.keys() & assigned)
                self.kernels.append(k)
                out.append(HostLaunch(k))
                continue
            match s:
                case For() if has_launch(s.body):
                    out.append(self.loop(s, lowering, scope, assigned))
                case If(test, then, other) if has_launch(then) or has_launch(other):
                    lowered = replace(s, test=lowering.folded(test, scope), then=(), other=())
                    out.append(Nested(lowered, self.body(then, scope, assigned), self.body(other, scope, assigned)))
                case Block(inner) if has_launch(inner):
                    out.append(Nested(replace(s, body=()), self.body(inner, scope, assigned)))
                case Return(None):
                    pass
                case _:
                    new, scope = lowering.statement(s, scope)
                    if isinstance(s, Decl):  # also if lowering removed it
                        self.lets.pop(s.name, None)
                    for x in new:
                        out.append(Plain(x))
                        if isinstance(x, Decl) and isinstance(x.type, Scalar):
                            self.scalars[x.name] = x.type
                            if x.init is not None and x.name not in assigned:
                                self.scalars[x.name] = self.constant_type(x, x.type, x.init, scope.ranges)
                            constant = x.init is not None and is_int(x.type) and x.name not in assigned
                            if x.init is not None and constant and is_stable(x.init, assigned):
                                self.lets[x.name] = x.init
        if lowering.called:
            raise input_error("OG401", f"`{lowering.called[0]}` is called on the host beside kernels", body[0].loc)
        return tuple(out)

    def constant_type(self, s: Decl, t: Scalar, init: Expr, ranges: Ranges) -> Scalar:
        """The type of a constant, which kernels may get as a parameter."""
        with placed_at(s.id.origin()):
            found = CudaExprs(False, {}, ranges).constant_type(t, init)
            if found.bits > INT64.bits:
                raise beyond_64_bits(f"`{s.name}` may not fit 64 bits", init)
        return found

    def loop(self, s: For, lowering: Lowering, scope: LoweringScope, assigned: set[str]) -> HostNode:
        r = s.range
        limits = replace(
            r, start=lowering.folded(r.start, scope), bound=lowering.folded(r.bound, scope), amount=lowering.folded(r.amount, scope)
        )  # fmt: skip
        lowered = replace(s, range=limits, body=(), contract=(), mode=Mode.SEQUENTIAL)
        inner = scope.local(s.index)
        inner = replace(inner, ranges=inside_loop(inner.ranges, lowered, assigned))
        fits = inner.ranges.fits(Var(s.index, type=s.index_type), s.index_type)
        self.scalars[s.index] = s.index_type if fits else INT64
        self.lets.pop(s.index, None)
        return Nested(lowered, self.body(s.body, inner, assigned))


def has_launch(body: Body) -> bool:
    return any(isinstance(s, CallStmt) and s.call.func == "kernel_launch" for s in statements(body))


class HostPrinter(BodyPrinter):
    """Prints the statements of an entry point. `bound`: in `name_on_device`, device array -> the parameter that it is; None in
    `name`. `parameters`: the arrays that callers of `name` have in host memory."""

    def __init__(
        self, out: Lines, exprs: CudaExprs, bound: Mapping[str, str] | None, parameters: frozenset[str] = frozenset()
    ) -> None:
        super().__init__(out, exprs, {})
        self.bound = bound
        self.parameters = parameters

    @property
    def stream(self) -> str:
        return "0" if self.bound is None else "stream"

    def nodes(self, nodes: tuple[HostNode, ...], assigned: set[str]) -> None:
        for n in nodes:
            with placed_at(NOWHERE if isinstance(n, HostLaunch) else n.stmt.id.origin()):
                self.node(n, assigned)

    def node(self, n: HostNode, assigned: set[str]) -> None:
        match n:
            case HostLaunch(k):
                names = [n for n, _ in k.launch_scalars] + [self.argument(a.name) for a in k.arrays]
                self.out.extend(wrap_list(f"TRY(launch_{k.name}(", [*names, self.stream], "));"))
            case Plain(s):
                self.statement(s, assigned)
            case Nested(For() as s, then):
                saved = self.exprs.ranges, dict(self.exprs.types)
                self.out.add(self.head(s))
                self.exprs.ranges = inside_loop(self.exprs.ranges, s, assigned)
                self.nested(then, assigned, "}")
                self.exprs.ranges, self.exprs.types = saved
            case Nested(Block(), then):
                self.out.add("{")
                self.nested(then, assigned, "}")
            case Nested(If(test), then, other):
                self.out.add(f"if ({self.e(test)}) {{")
                self.nested(then, assigned, "} else {" if other else "}")
                if other:
                    self.nested(other, assigned, "}")

    def nested(self, nodes: tuple[HostNode, ...], assigned: set[str], tail: str) -> None:
        self.out.depth += 1
        self.nodes(nodes, assigned)
        self.out.depth -= 1
        self.out.add(tail)

    def argument(self, name: str) -> str:
        return self.bound.get(name, name) if self.bound is not None else name

    def statement(self, s: Stmt, assigned: set[str]) -> None:
        match s:
            case Decl(name, _, Alloc(elem, dims, space)):
                info = ArrayInfo(name, elem, dims, Storage.GLOBAL if space is Space.GMEM else Storage.HOST, flat=True)
                self.exprs.arrays[name] = info
                if space is Space.GMEM:
                    self.device_array(name, elem, dims)
                elif elem == BOOL:
                    raise input_error(
                        "OG401", "a host array of bool has no counterpart here", s.loc, help="use uint8_t"
                    )
                else:
                    self.out.add(f"host_array<{cuda_type(elem)}> {name};")
                    self.out.add(f"TRY({name}.allocate({', '.join(map(self.exprs.show, dims))}));")
            case CallStmt(call):
                self.memory_call(call)
            case Return(value):
                assert value is not None
                self.out.add(f"*result = {self.e(value)};")
            case _:
                super().statement(s, assigned)

    def device_array(self, name: str, elem: Scalar, dims: tuple[Expr, ...]) -> None:
        if self.bound is not None and name in self.bound:
            return
        word, where = ("device", []) if self.bound is None else ("scratch", ["stream"])
        self.out.add(f"{word}_array<{cuda_type(elem)}> {name};")
        self.out.add(f"TRY({name}.allocate({', '.join([*where, *map(self.exprs.show, dims)])}));")

    def memory_call(self, call: Call) -> None:
        name = call.func
        if name == "free":
            return  # host_array frees itself
        if name == "gmem_free":
            if not (self.bound is not None and root_name(call.args[0]) in self.bound):
                self.out.add(f"TRY({self.e(call.args[0])}.release());")
            return
        to, source, *dims = call.args
        assert isinstance(to.type, Array)
        kind = {
            "host_to_device": "HostToDevice",
            "device_to_host": "DeviceToHost",
            "device_to_device": "DeviceToDevice",
        }[name.removeprefix("memcpy_").rstrip("0123456789")]
        if self.bound is not None and kind != "DeviceToDevice":
            device, host = (root_name(x) for x in ((to, source) if kind == "HostToDevice" else (source, to)))
            if host in self.parameters:
                if device in self.bound:
                    return  # the parameter itself
                kind = "DeviceToDevice"
        size = " * ".join(
            [f"sizeof({cuda_type(to.type.elem)})", *(self.exprs.show(d, precedence("*") + 1) for d in dims)]
        )
        a, b = (self.pointer(x) for x in (to, source))
        if self.bound is None:
            self.out.extend(wrap_list("TRY(cudaMemcpy(", [a, b, size, f"cudaMemcpy{kind}"], "));"))
        else:
            self.out.extend(wrap_list("TRY(cudaMemcpyAsync(", [a, b, size, f"cudaMemcpy{kind}", "stream"], "));"))
            if kind != "DeviceToDevice":  # the host goes on with this memory
                self.out.add("TRY(cudaStreamSynchronize(stream));")

    def pointer(self, e: Expr) -> str:
        match e:
            case Addr(Index(Var() as array, indices)) if all(i == Int(0) for i in indices):
                e = array
            case _:
                pass
        if isinstance(e, Var):
            info = self.exprs.arrays.get(e.name)
            if info is not None and info.storage is Storage.HOST and e.name in self.vectors:
                return f"{e.name}.data"
            return self.argument(e.name)
        return self.e(e)

    vectors: frozenset[str] = frozenset()


# Launches

MAP_TYPES = {"float": "FLOAT32", "tf32": "TFLOAT32", "half": "FLOAT16", "bf16": "BFLOAT16"}


def print_launch(k: DeviceKernel, out: Lines, ranges: Ranges) -> None:
    """`launch_k(…, stream)`. An empty grid launches nothing; a grid beyond the hardware's limit is launched in slices, or
    refused."""
    exprs = CudaExprs(False, {}, ranges)
    exprs.types |= dict(k.launch_scalars)
    params = [f"{cuda_type(t)} {n}" for n, t in k.launch_scalars]
    params += [f"{'' if a.name in k.written else 'const '}{cuda_type(a.elem)}* {a.name}" for a in k.arrays]
    out.extend(wrap_list(f"const char* launch_{k.name}(", [*params, "cudaStream_t stream"], ") {"))
    out.depth += 1
    sizes = print_grid(k, out, exprs)
    shared = print_shared_bytes(k, out, exprs)
    for axis, (first, _) in reversed(k.slices.items()):
        blocks, extent = sizes[AXES.index(axis)], k.threads.grid_dims[-1 - AXES.index(axis)]
        t = INT.name if ranges.greatest(extent) <= INT.high - MAX_GRID_YZ else WIDE
        out.add(f"// A grid has room for {MAX_GRID_YZ} blocks in {axis}: more run in slices.")
        out.add(f"for ({t} {first} = 0; {first} < {blocks}; {first} += {MAX_GRID_YZ}) {{")
        out.depth += 1
        rest = f"{blocks} - {first}"
        out.add(f"const int slice_{axis} = {rest} < {MAX_GRID_YZ} ? {rest} : {MAX_GRID_YZ};")
        sizes[AXES.index(axis)] = f"slice_{axis}"
    if k.bulk is not None:
        print_bulk_launch(k.bulk, k, out, exprs, sizes)
    threads = [exprs.show(e) for e in k.threads.dims(k.threads.block_dims)]
    config = [dim3(sizes), dim3(threads), shared, "stream"]
    out.extend(wrap_list(f"{k.name}<<<{', '.join(config)}>>>(", k.arguments, ");"))
    out.add("TRY(cudaGetLastError());")
    for _ in k.slices:
        out.depth -= 1
        out.add("}")
    out.add("return nullptr;")
    out.depth -= 1
    out.add("}")


def print_bulk_launch(k: DeviceKernel, plain: DeviceKernel, out: Lines, exprs: CudaExprs, sizes: list[str]) -> None:
    """Launch the form of a kernel with bulk copies, if the GPU and the arrays allow them."""
    arrays = {a.name: a for a in plain.arrays}
    described: list[str] = []
    for m in k.maps:
        out.add(f"CUtensorMap {m.name};")
        dims = ", ".join(f"(long long)({exprs.show(d)})" for d in arrays[m.array].dims if d is not None)
        kind = f"CU_TENSOR_MAP_DATA_TYPE_{MAP_TYPES[m.elem.name]}"
        described.append(f"describe_tiles(&{m.name}, {kind}, {m.elem.size}, {m.array}, {{{dims}}}, {m.rows}, {m.cols})")
    out.extend(wrap_list(f"if (has_bulk_copies((const void*){k.name}) && ", [" && ".join(described)], ") {"))
    out.depth += 1
    shared = print_shared_bytes(k, out, exprs)
    (threads,) = (e.value for e in k.threads.dims(k.threads.block_dims) if isinstance(e, Int))
    config = [dim3(sizes), str(threads + k.more_threads), shared, "stream"]
    out.extend(wrap_list(f"{k.name}<<<{', '.join(config)}>>>(", [*k.arguments, *(m.name for m in k.maps)], ");"))
    out.add("TRY(cudaGetLastError());")
    out.add("return nullptr;" if not k.slices else "continue;")
    out.depth -= 1
    out.add("}")


def print_grid(k: DeviceKernel, out: Lines, exprs: CudaExprs) -> list[str]:
    """Name and check the grid sizes that are not constant. Returns the size of each dimension, x first."""
    grid = k.threads.dims(k.threads.grid_dims)
    sizes = [exprs.show(e) for e in grid]
    varying = [i for i, e in enumerate(grid) if not isinstance(e, Int)]
    for i in varying:
        name = "blocks" if len(grid) == 1 else f"blocks_{AXES[i]}"
        t = exprs.machine_type(grid[i])
        narrow = exprs.ranges.fits(grid[i]) and t.bits <= INT.bits
        out.add(f"const {INT.name if narrow else exprs.name(max(t, INT64, key=lambda x: x.bits))} {name} = {sizes[i]};")
        sizes[i] = name
    if varying:
        out.add(f"if ({' || '.join(f'{sizes[i]} <= 0' for i in varying)}) return nullptr;")
    elif any(e == Int(0) for e in grid):
        out.add("return nullptr;")
    for i in varying:
        if AXES[i] not in k.slices and exprs.ranges.greatest(poly(grid[i])) > (
            most := MAX_GRID_YZ if i else MAX_GRID_X
        ):
            out.add(f'if ({sizes[i]} > {most}) return "{k.name}: the grid would have more than {most} blocks";')
    return sizes


def print_shared_bytes(k: DeviceKernel, out: Lines, exprs: CudaExprs) -> str:
    shared = exprs.show(k.layout.total)
    if not k.layout.opt_in(exprs.ranges):
        return shared
    out.add(f"const size_t shared_bytes = {shared};")
    out.add(f"TRY(cudaFuncSetAttribute({k.name}, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared_bytes));")
    return "shared_bytes"


def dim3(sizes: list[str]) -> str:
    if len(sizes) > 1:
        return f"dim3({', '.join(sizes)})"
    (size,) = sizes
    return size if size.isdigit() else f"(unsigned)({size})" if " " in size else f"(unsigned){size}"
