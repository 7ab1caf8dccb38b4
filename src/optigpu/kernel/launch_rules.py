"""Rules for launching a kernel: host code, setup, threads, teardown, host code again (docs/logic.md, "Kernels")."""

from __future__ import annotations

from optigpu.kernel.causes import LaunchLimit, LeftInKernel, Operation, Rejected, WrongContext
from optigpu.kernel.context import HOST, SETUP, TEARDOWN, THREADS, Context
from optigpu.kernel.instructions import FRAGMENT, REGISTER, SHARED, LaunchKernel, Phase
from optigpu.kernel.side_conditions import SideConditions, next_instruction
from optigpu.kernel.state import State, changed
from optigpu.kernel.thread_rules import ALL_MEMORY, synchronised
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.terms import ONE, ZERO

MOST_THREADS = 1024  # in a block
MOST_SHARED = 227 * 1024  # bytes in a block
MOST_BLOCKS = 2**31 - 1
PHASE_BEFORE = {THREADS: SETUP, TEARDOWN: THREADS, HOST: TEARDOWN}


def launch(c: SideConditions, state: State) -> State:
    """kernel_launch(grid, block, shared): the host starts a kernel.

        F |- 0 <= grid,  1 <= block <= 1024,  0 <= shared <= 227 KiB
        ------------------------------------------------------------
        {F; H} launch {F; H, in the setup of the kernel}

    A number of blocks that is known here is at most 2^31 - 1. One that is not known may turn out to be too large: then the launch
    fails with an error, and nothing runs.
    """
    i = next_instruction(state, LaunchKernel)
    if state.context.kind != HOST:
        raise Rejected(WrongContext(Operation.LAUNCH, context=state.context, to=SETUP))
    grid, block, shared = state.values((i.grid, i.block, i.shared))
    most = grid if not k.is_num(grid) else k.num(MOST_BLOCKS)
    limits = {
        "blocks": k.and_(k.le(ZERO, grid), k.le(grid, most)),
        "threads": k.and_(k.le(ONE, block), k.le(block, k.num(MOST_THREADS))),
        "shared": k.and_(k.le(ZERO, shared), k.le(shared, k.num(MOST_SHARED))),
    }
    for what, goal in limits.items():
        c.require(state.facts, goal, LaunchLimit(Operation.LAUNCH, what=what, values=(grid, block, shared)))
    facts = state.facts.learn(*limits.values())
    context = Context(SETUP, ZERO, grid, block, shared, home=state.block.token)
    return changed(state, facts=facts, context=context, code=state.code[1:])


def phase(c: SideConditions, state: State) -> State:
    """kernel_setup_end, kernel_teardown_begin, kernel_kill: the next phase of a kernel.

    Side conditions: the phase before it is the current one, and it is in the block of code of the launch, so that the whole grid
    gets there. Registers do not outlive the threads, shared memory does not outlive the kernel.
    Sound: the end of the threads orders all their accesses before what follows, for the grid and the host, so that there is no
    pending read afterwards.
    """
    i = next_instruction(state, Phase)
    context = state.context
    if context.kind != PHASE_BEFORE[i.to] or context.home is not state.block.token:
        raise Rejected(WrongContext(Operation.LAUNCH, context=context, to=i.to))
    if i.to == THREADS:
        threads = state.facts.simplify(k.mul(context.grid, context.block))
        return changed(state, context=replace(context, kind=THREADS, threads=threads), code=state.code[1:])
    ending = (REGISTER, FRAGMENT) if i.to == TEARDOWN else (SHARED,)
    for name, base in state.bases.items():
        if base.space in ending:
            raise Rejected(LeftInKernel(Operation.LAUNCH, name, space=base.space))
    if i.to == HOST:
        return changed(state, context=Context(), code=state.code[1:])
    state = synchronised(c, state, ALL_MEMORY)
    after = replace(context, kind=TEARDOWN, threads=ZERO, busy=())
    return changed(state, context=after, pending_reads=(), code=state.code[1:])
