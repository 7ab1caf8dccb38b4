"""A host function as launches and the code between them."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.codegen.cuda.kernel_lowering import DeviceKernel
from optigpu.light_dataclass import dataclass
from optigpu.syntax.program import Block, For, If, Stmt


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
