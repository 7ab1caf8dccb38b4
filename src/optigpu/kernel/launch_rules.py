"""Launching a kernel: host code, setup, threads, teardown, host code again (docs/logic.md, "Kernels")."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel.context import HOST, SETUP, TEARDOWN, THREADS, Context
from optigpu.kernel.instructions import (
    GLOBAL,
    HOST_MEMORY,
    REGISTER,
    SHARED,
    Contract,
    LaunchKernel,
    Parameter,
    Phase,
    Procedure,
)
from optigpu.kernel.state import Rejected, State, changed
from optigpu.kernel.thread_rules import ThreadRules
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, READ, UNINIT, CellClaim, arguments, box
from optigpu.logic.terms import ONE, ZERO

MOST_THREADS = 1024  # in a block
MOST_SHARED = 227 * 1024  # bytes in a block
MOST_BLOCKS = 2**31 - 1
BEFORE = {THREADS: SETUP, TEARDOWN: THREADS, HOST: TEARDOWN}


class LaunchRules(ThreadRules):
    def launch(self, state: State) -> State:
        """kernel_launch: a block has 1 to 1024 threads and no more shared memory than there is.

        A number of blocks that is not known here may turn out to be too large: then the launch fails, visibly, and nothing runs.
        """
        i = self._next(state, LaunchKernel)
        if state.context.kind != HOST:
            raise Rejected("launch", "context", context=state.context, to=SETUP)
        grid, block, shared = state.values((i.grid, i.block, i.shared))
        most = grid if not k.is_num(grid) else k.num(MOST_BLOCKS)
        limits = {
            "blocks": k.and_(k.le(ZERO, grid), k.le(grid, most)),
            "threads": k.and_(k.le(ONE, block), k.le(block, k.num(MOST_THREADS))),
            "shared": k.and_(k.le(ZERO, shared), k.le(shared, k.num(MOST_SHARED))),
        }
        for what, goal in limits.items():
            self._require("launch", "limit", state.facts, goal, what=what, values=(grid, block, shared))
        facts = state.facts.assume(*limits.values())
        context = Context(SETUP, ZERO, grid, block, shared, home=state.block.token)
        return changed(state, facts=facts, context=context, code=state.code[1:])

    def phase(self, state: State) -> State:
        """The next phase, in the same block of code as the launch, so by the whole grid. When the threads end, the grid is
        synchronised; when the kernel ends, nothing of it is left."""
        i = self._next(state, Phase)
        c = state.context
        if c.kind != BEFORE[i.to] or c.home is not state.block.token:
            raise Rejected("launch", "context", context=c, to=i.to)
        if i.to == THREADS:
            after = replace(c, kind=THREADS, threads=state.facts.simplify(k.mul(c.grid, c.block)))
            return changed(state, context=after, code=state.code[1:])
        gone = REGISTER if i.to == TEARDOWN else SHARED
        for name, base in state.bases.items():
            if base.space == gone:
                raise Rejected("launch", "left", base=name, space=gone)
        if i.to == HOST:
            return changed(state, context=Context(), code=state.code[1:])
        state = self._synchronised(state)
        after = replace(c, kind=TEARDOWN, threads=ZERO, busy=())
        return changed(state, context=after, pending_reads=(), code=state.code[1:])


COPIES = {
    "memcpy_host_to_device": (GLOBAL, HOST_MEMORY),
    "memcpy_device_to_host": (HOST_MEMORY, GLOBAL),
    "memcpy_device_to_device": (GLOBAL, GLOBAL),
}
SORTS = {s.name: s for s in (k.INT, k.REAL, k.BOOL)}


def copying(name: str) -> Procedure | None:
    """`memcpy_host_to_device2.real`: host code that copies an array of that rank and sort."""
    stem, _, sort_name = name.partition(".")
    if stem[:-1] not in COPIES or stem[-1] not in "1234" or sort_name not in SORTS:
        return None
    rank, sort = int(stem[-1]), SORTS[sort_name]
    dims = tuple(k.var(f"n{i}", k.INT) for i in range(rank))
    params = [Parameter(p, sort, dims, space) for p, space in zip(("to", "from"), COPIES[stem[:-1]])]
    value = k.app(k.var("A", k.fun_sort((k.INT,) * rank, sort)), *arguments(rank))
    source = CellClaim(box("from", dims), KNOWN, value, READ)
    target, copied = CellClaim(box("to", dims), UNINIT), CellClaim(box("to", dims), KNOWN, value)
    sizes = tuple(k.le(k.ZERO, d) for d in dims)
    contract = Contract((value.args[0],), sizes, (target, source), (copied,), ())
    return Procedure(name, (*params, *(Parameter(str(d.data), k.INT) for d in dims)), contract, (), primitive=True)
