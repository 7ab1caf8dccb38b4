"""A host function as launches and the code between them, and the correspondence of device arrays and parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TypeAlias

from optigpu.codegen.cuda.kernel_lowering import DeviceKernel
from optigpu.codegen.cuda.statement_lowering import ArrayInfo, Storage
from optigpu.codegen.integer_polynomials import same_value
from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Alloc, Call, Expr, Var
from optigpu.syntax.program import Block, CallStmt, Decl, For, If, Stmt
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import root_name, stmt_exprs, subexpressions


@dataclass(frozen=True)
class HostLaunch:
    kernel: DeviceKernel


@dataclass(frozen=True)
class Plain:
    """A lowered statement that contains no launch."""

    stmt: Stmt


@dataclass(frozen=True)
class Nested:
    """A host loop, branch or block that contains launches."""

    stmt: For | If | Block
    then: tuple[HostNode, ...]
    other: tuple[HostNode, ...] = ()


HostNode: TypeAlias = HostLaunch | Plain | Nested


def flattened_nodes(nodes: tuple[HostNode, ...]) -> list[HostNode]:
    """All nodes, in program order."""
    out: list[HostNode] = []
    for n in nodes:
        out.append(n)
        if isinstance(n, Nested):
            out += flattened_nodes(n.then + n.other)
    return out


def bound_arrays(nodes: tuple[HostNode, ...], params: Mapping[str, ArrayInfo]) -> dict[str, str] | None:
    """Device array -> parameter, if the function only copies in, launches and copies out; else None.

    A device array corresponds to a parameter if it holds all of it, is copied from and to no other, is not written before it is
    copied from the parameter, and is copied back if a kernel writes it. Then running on device memory of the caller has the same
    effect.
    """
    copies = _Copies(params)
    if not copies.follow(nodes, nested=False) or not copies.launched:
        return None
    bound = {**copies.inputs, **copies.outputs}
    for d, p in bound.items():
        if copies.inputs.get(d, p) != p or (d in copies.written and d not in copies.outputs):
            return None
    device_parameters = {n for n, a in params.items() if a.storage is Storage.GLOBAL}
    reached = set(bound.values())
    return bound if len(reached) == len(bound) and reached | device_parameters == params.keys() else None


@dataclass
class _Copies:
    params: Mapping[str, ArrayInfo]
    inputs: dict[str, str] = field(default_factory=dict)  # device array -> parameter
    outputs: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, tuple[Expr, ...]] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    launched: bool = False  # or copied on the device

    def follow(self, nodes: tuple[HostNode, ...], nested: bool) -> bool:
        """Whether these nodes have that form. Copies between host and device must stand outside loops and branches."""
        return all(self.node(n, nested) for n in nodes)

    def node(self, n: HostNode, nested: bool) -> bool:
        match n:
            case HostLaunch(k):
                self.launched = True
                self.written |= k.written
                return not self.outputs
            case Nested(Block(), then):
                return self.follow(then, nested)
            case Nested(s, then, other):
                heads = (s.range.start, s.range.bound, s.range.amount) if isinstance(s, For) else stmt_exprs(s)
                return not self.read(heads) and self.follow(then, True) and self.follow(other, True)
            case Plain(Decl(name, _, Alloc(_, dims, Space.GMEM))):
                known = name in self.sizes  # the name of an array in another block
                self.sizes[name] = dims
                return not nested and not known
            case Plain(Decl(_, Scalar(), init)):
                return init is None or not self.read((init,))
            case Plain(CallStmt(Call(func, args))):
                return self.call(func, args, nested)
            case _:
                return False

    def read(self, exprs: Iterable[Expr]) -> bool:
        """Whether host code reads array parameters, which `name_on_device` gets in device memory."""
        return any(isinstance(x, Var) and x.name in self.params for e in exprs for x in subexpressions(e))

    def call(self, func: str, args: tuple[Expr, ...], nested: bool) -> bool:
        if func.startswith("memcpy_device_to_device"):
            self.launched = True
            self.written.add(root_name(args[0]))
            return not self.outputs
        if func == "gmem_free":
            return not nested
        if nested or not func.startswith("memcpy"):
            return False
        inwards = func.startswith("memcpy_host")
        device, host = (args[0], args[1]) if inwards else (args[1], args[0])
        if not isinstance(device, Var) or not isinstance(host, Var) or (inwards and device.name in self.written):
            return False
        table = self.inputs if inwards else self.outputs
        if device.name in table or not self.whole(device.name, host.name, args[2:]):
            return False
        table[device.name] = host.name
        return True

    def whole(self, device: str, param: str, copied: tuple[Expr, ...]) -> bool:
        """Whether the copy covers the whole device array and the whole parameter."""
        if device not in self.sizes or param not in self.params or self.params[param].storage is not Storage.HOST:
            return False
        device_sizes, parameter_sizes = self.sizes[device], self.params[param].dims
        if not len(device_sizes) == len(parameter_sizes) == len(copied):
            return False
        return all(
            b is not None and same_value(a, b) and same_value(a, c)
            for a, b, c in zip(device_sizes, parameter_sizes, copied)
        )
