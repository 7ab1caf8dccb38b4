"""The launch sections of a host function: the statements from `kernel_launch` to `kernel_kill`."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Alloc, Expr
from optigpu.syntax.program import Assert, Block, Body, CallStmt, Decl, Ghost, GhostEnd, Stmt, is_call
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.types import Space

PROOF_ONLY = (Ghost, GhostEnd, Assert)


@dataclass(frozen=True)
class KernelSection:
    """One launch: grid and block size, the shared memory of its setup, and its device code."""

    name: str
    grid: Expr
    block: Expr
    shared_bytes: Expr
    setup: tuple[Decl, ...]
    device: Body
    id: StatementId

    @property
    def loc(self) -> Loc:
        return self.id.origin()


HostStmt: TypeAlias = Stmt | KernelSection


def split_kernels(body: Body, name: str, count: list[int] | None = None) -> tuple[HostStmt, ...]:
    """The body with each launch section as one KernelSection. A block that declares nothing around a section is dissolved."""
    count = [0] if count is None else count
    out: list[HostStmt] = []
    rest: list[Stmt] = [s for s in body if not isinstance(s, PROOF_ONLY)]
    while rest:
        s = rest.pop(0)
        if isinstance(s, Block) and any(is_call(x, "kernel_launch") for x in s.body):
            inside = split_kernels(s.body, name, count)
            if not any(isinstance(x, Decl) for x in inside):
                out.extend(inside)
                continue
            count[0] -= sum(
                isinstance(x, KernelSection) for x in inside
            )  # its declarations need the block, which stays
        if not is_call(s, "kernel_launch"):
            out.append(s)
            continue
        assert isinstance(s, CallStmt)
        end = next((i for i, x in enumerate(rest) if is_call(x, "kernel_kill")), None)
        if end is None:
            raise input_error("OG400", "this kernel_launch has no kernel_kill in the same block", s.loc)
        count[0] += 1
        out.append(kernel(f"{name}_kernel" if count[0] == 1 else f"{name}_kernel{count[0]}", s, rest[:end]))
        rest = rest[end + 1 :]
    return tuple(out)


def kernel(name: str, launch: CallStmt, inside: list[Stmt]) -> KernelSection:
    start = position(inside, "kernel_setup_end", launch.loc)
    end = position(inside, "kernel_teardown_begin", launch.loc)
    setup: list[Decl] = []
    for s in inside[:start]:
        if isinstance(s, Decl) and isinstance(s.init, Alloc) and s.init.space is Space.SMEM:
            setup.append(s)
        else:
            raise input_error(
                "OG400", "the setup of a kernel declares shared memory and nothing else", s.loc, help="move it before kernel_launch"
            )  # fmt: skip
    for s in inside[end + 1 :]:
        if not (
            is_call(s, "kernel_teardown_sync") or (isinstance(s, CallStmt) and s.call.func.startswith("__smem_free"))
        ):
            raise input_error(
                "OG400", "the teardown of a kernel frees shared memory and nothing else", s.loc, help="move it after kernel_kill"
            )  # fmt: skip
    grid, block, shared = launch.call.args
    return KernelSection(name, grid, block, shared, tuple(setup), tuple(inside[start + 1 : end]), launch.id)


def position(body: list[Stmt], name: str, loc: Loc) -> int:
    for i, s in enumerate(body):
        if is_call(s, name):
            return i
    raise input_error("OG400", f"a kernel needs `{name}()` between kernel_launch and kernel_kill", loc)
