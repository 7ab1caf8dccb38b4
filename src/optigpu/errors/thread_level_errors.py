"""Errors of proofs about thread groups: what a block, a warp or a single thread has to run."""

from __future__ import annotations

from optigpu.errors.cause_keys import Rejection, obligations, rejections
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.errors.race_errors import loop_of_group
from optigpu.kernel.causes import (
    EmptyGroup,
    NoWholeWarps,
    Operation,
    ShuffleOutsideWarp,
    UnequalParts,
    WrongContext,
    WrongGroup,
)
from optigpu.kernel.instructions import Obligation
from optigpu.kernel.thread_conditions import WARP


def _operation(d: Details) -> str:
    if d.operation is Operation.SHUFFLE:
        return "a shuffle"
    barrier = d.cause.barrier if isinstance(d.cause, WrongGroup | WrongContext) else None
    return "warpsync" if barrier == "warp" else "blocksync"


def _barrier(d: Details) -> str:
    operation = _operation(d)
    if isinstance(d.cause, NoWholeWarps):
        return f"the threads of a block are not shown to be whole warps of {WARP}"
    if isinstance(d.cause, WrongContext) and d.cause.barrier == "magic":
        return "magic_barrier is for the threads of a kernel, and this is not run by them"
    if isinstance(d.cause, WrongContext) and d.kind == "magic":
        return f"{operation} is for the threads of a kernel, and this is an iteration of a magic thread loop"
    if isinstance(d.cause, WrongContext):
        return f"{operation} is for the threads of a kernel, and this is not run by them"
    group = f"a whole block ({d.block} threads)" if operation == "blocksync" else f"a warp ({WARP} threads)"
    return f"{operation} must be reached by {group}, but this is run by groups of {d.threads}"


def _level_of_barrier(d: Details) -> str | None:
    if not isinstance(d.cause, WrongGroup):
        return None
    group = "block" if _operation(d) == "blocksync" else "warp"
    inside = loop_of_group(d, group)
    if inside:
        return f"move it to where a whole {group} runs{inside}"
    callers = [n for v, n in d.levels if v.endswith("()")]
    if group == "block" and callers:
        return f'if a whole block calls this function, say so: __reads("KernelParams(_, {d.show(callers[0])}, _)")'
    if group == "block":
        return "put it inside a thread loop over the blocks"
    return f"put it inside thread loops whose iterations have {WARP} threads"


def _level(d: Details) -> str:
    match d.cause:
        case WrongGroup(operation=Operation.ALLOCATE):
            return f"{d.array} is shared memory: it is declared where a whole block runs, not {d.threads} threads"
        case WrongContext(operation=Operation.CALL, function=name):
            who = {"host": "host code", "magic": "a magic thread loop"}.get(d.kind, "threads of a kernel")
            return f"`{name}` is a function for other code than this, which is run by {who}"
        case EmptyGroup(operation=Operation.CALL):
            return (
                f"this is called by a group of {d.threads} threads, which may be none: then nobody does what it ensures"
            )
        case EmptyGroup(operation=Operation.FREE):
            return f"{d.array} is freed by a group of {d.threads} threads, which may be none: then it is not freed"
        case EmptyGroup():
            return f"{d.array} is written by a group of {d.threads} threads, which may be none: then nothing is written"
        case WrongGroup(operation=Operation.CALL, function=name, size=size):
            return f"`{name}` is for groups of {d.show(size)} threads, but this is run by groups of {d.threads}"
        case _:
            return f"{d.threads} threads write {d.array} at once: only a single thread can"


def _other_level(d: Details) -> str | None:
    match d.operation:
        case _ if isinstance(d.cause, EmptyGroup):
            return "launch at least one block: __requires that the numbers of blocks and threads are positive"
        case Operation.STORE | Operation.ATOMIC:
            return "put it into a thread for, or test for one thread inside of one"
        case Operation.ALLOCATE:
            return "declare it outside of the thread loops over the block's threads"
        case Operation.CALL if isinstance(d.cause, WrongContext) and d.kind == "threads":
            return (
                "mark it __device__; in a script, s.gpu.launch copies it as one, s.function.inline puts its body there"
            )
        case Operation.CALL if isinstance(d.cause, WrongGroup):
            return "call it in a thread for, where as many threads run as its contract names"
        case _:
            return None


def _unequal_parts(d: Details) -> str:
    extent = d.show(d.cause.extent) if isinstance(d.cause, UnequalParts) else "?"
    return f"{d.threads} threads are not shown to be {extent} equal parts"


THREAD_LEVEL_ERRORS = (
    ProofErrorRow(
        "OG345",
        "barrier or shuffle at the wrong level",
        "A barrier is reached by a group of threads that it is not for. blocksync() stands where a whole block runs:\n"
        "inside the thread loops over blocks, outside of those over threads. A thread-dependent condition around it is\n"
        "rejected for the same reason.",
        causes=tuple(
            Rejection(cause, operation)
            for operation in (Operation.BARRIER, Operation.SHUFFLE)
            for cause in (WrongGroup, WrongContext, NoWholeWarps)
        ),
        message=_barrier,
        help=_level_of_barrier,
        draws_levels=True,
    ),
    ProofErrorRow(
        "OG346",
        "store, declaration or call at the wrong level",
        "Something that single threads do (a store) or that a block does (declaring shared memory) stands where another\n"
        "number of threads runs; or a device function is called by another number than its contract names: ThreadsCtx(32), or a\n"
        "single thread where it names none.",
        causes=(
            *rejections(WrongGroup, Operation.STORE, Operation.ATOMIC, Operation.ALLOCATE, Operation.CALL),
            *rejections(EmptyGroup, Operation.STORE, Operation.FREE, Operation.CALL),
            *rejections(WrongContext, Operation.CALL),
        ),
        message=_level,
        help=_other_level,
        draws_levels=True,
    ),
    ProofErrorRow(
        "OG347",
        "thread loop that does not divide its threads",
        "`thread for (i < N)` divides the threads of its group into N equal parts. Their number must be N times\n"
        "something; over all nested loops the extents multiply to the launched number of threads.",
        causes=rejections(UnequalParts, Operation.LOOP),
        message=_unequal_parts,
        help="the extents of nested thread loops multiply to the threads of the launch",
        draws_levels=True,
    ),
    ProofErrorRow(
        "OG353",
        "vector access that is not aligned",
        "A vector load or store of n cells starts at an offset (from the start of the array, row by row) that n divides.",
        causes=obligations(Obligation.ALIGNED),
        message="this vector access is not shown to be aligned: its first cell is at a multiple of its width",
        help="start it at a multiple of its width, also in each row: the inner sizes of the array count",
    ),
    ProofErrorRow(
        "OG354",
        "shuffle beyond the warp",
        f"The amount of a shuffle is a lane or a distance between lanes: 0 to {WARP - 1}.",
        causes=rejections(ShuffleOutsideWarp, Operation.SHUFFLE),
        message=f"a shuffle is by 0 to {WARP - 1} lanes",
        help=f"a shuffle stays in its warp: beyond {WARP} threads, go through shared memory",
    ),
)
