"""What a kernel may have between the steps of a script, and CUDA has not: magic loops and barriers, and default memory.

The checker gives all of it a meaning (docs/logic.md, "Threads"), so that each step can be verified. Emission names the first such
construct of a kernel, and the step that converts it.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.codegen.cuda.lowering_scope import LoweringScope, Storage
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Alloc, Expr, Var
from optigpu.syntax.program import Body, CallStmt, Decl, For, Mode, Stmt, Store
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Space
from optigpu.syntax.walk import inner_bodies, stmt_exprs, subexpressions

CONVERT_BARRIER = (
    "make it a barrier of the block, s.gpu.magic_barrier_to_blocksync, or the end of the kernel, "
    "s.gpu.magic_barrier_to_teardown_sync"
)
CONVERT_HOST_MEMORY = (
    "copy it to global memory around the launch: s.gpu.convert_to_global_mem makes a local copy global"
)
CONVERT_ALLOCATION = "convert it to memory of the GPU: s.gpu.convert_to_shared_mem, s.gpu.convert_to_register_mem"


def require_converted(device: Body, scope: LoweringScope, cells: set[str]) -> None:
    """Refuse device code that is not converted to a GPU's loops, barriers and memory. `cells`: scalar variables of the host."""
    for problem in _unconverted(device, scope, cells):
        raise problem


def _unconverted(body: Body, scope: LoweringScope, cells: set[str]) -> Iterator[InputError]:
    for s in body:
        if isinstance(s, For) and s.mode is Mode.MAGIC_THREAD:
            yield _no_counterpart(
                "a magic thread loop", s.loc, "s.gpu.convert_magic_thread_fors makes it a thread loop"
            )
        match s:
            case CallStmt(call) if call.func == "magic_barrier":
                yield _no_counterpart("`magic_barrier`", s.loc, CONVERT_BARRIER)
            case Decl(name, _, Alloc(space=Space.ANY)):
                yield input_error(
                    "OG403", f"`{name}` is default memory, allocated in a kernel", s.loc, help=CONVERT_ALLOCATION
                )
            case _:
                pass
        for e in _expressions(s):
            for x in subexpressions(e):
                if isinstance(x, Var) and _is_host_memory(x.name, scope, cells):
                    loc = x.loc if x.loc.line else s.loc
                    message = f"`{x.name}` is host memory: a kernel cannot use it"
                    yield input_error("OG403", message, loc, help=CONVERT_HOST_MEMORY)
        for inner in inner_bodies(s):
            yield from _unconverted(inner, scope, cells)


def _expressions(s: Stmt) -> list[Expr]:
    return [*stmt_exprs(s), s.target] if isinstance(s, Store) else list(stmt_exprs(s))


def _is_host_memory(name: str, scope: LoweringScope, cells: set[str]) -> bool:
    """Is this an array of the host, a pointer into one, or a variable that the host keeps in memory?"""
    if name in scope.arrays:
        return scope.arrays[name].storage is Storage.HOST
    pointer = scope.values.get(name)
    if pointer is not None:
        return any(isinstance(x, Var) and _is_host_memory(x.name, scope, cells) for x in subexpressions(pointer))
    return name in cells


def _no_counterpart(what: str, loc: Loc, step: str) -> InputError:
    return input_error("OG401", f"{what} has no counterpart in CUDA device code", loc, help=step)
