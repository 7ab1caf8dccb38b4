"""Errors of proofs about data races between threads of a kernel."""

from __future__ import annotations

from optigpu.errors.cause_keys import Race, rejections
from optigpu.errors.details import Details, level_name
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import NotOwner, Operation, SharedMemoryInUse, StillInUse
from optigpu.kernel.instructions import FRAGMENT, REGISTER
from optigpu.kernel.thread_conditions import WARP
from optigpu.search.search_causes import DataRace


def _missing_barrier(d: Details) -> str:
    return f"a {_group(d)} barrier is missing{'' if _group(d) != 'magic' else ', which alone orders default memory'}"


def _group(d: Details) -> str:
    """The group for which a barrier is missing: a block or a warp; `magic`, of any group, for default memory."""
    return d.cause.barrier.level if isinstance(d.cause, DataRace) and d.cause.barrier is not None else "block"


def _where_to_put_it(d: Details) -> str:
    group = _group(d)
    call = {"warp": "warpsync()", "magic": "magic_barrier()"}.get(group, "blocksync()")
    if d.operation is Operation.POST:
        return f"put {call} at the end of the function, or let the contract say whose the cells are: desync_for"
    where = f"before line {d.sync_line}" if d.sync_line else "between the two accesses"
    if group == "magic":
        return f"put {call} {where}, where the group runs that includes both"
    return f"put {call} {where}, where a whole {group} runs{loop_of_group(d, group)}"


def loop_of_group(d: Details, group: str) -> str:
    """The thread loop in whose body a whole block, or a warp, runs."""
    size = str(WARP) if group == "warp" else d.block
    loops = [level_name(v) for v, n in d.levels if v and d.show(n) == size]
    return f" (in `{loops[-1]}`)" if loops else ""


def _private_memory(d: Details) -> str:
    if d.space == FRAGMENT:
        return f"{d.array} is a fragment: an iteration (i, j) of loops over fragments has the element [i][j] alone, one of rows [i]"
    if d.space == REGISTER:
        return f"{d.array} is in registers: a thread cannot access those of another thread, nor change what its group shares"
    return f"{d.array} is in shared memory: a block cannot access that of another block"


def _exchange(d: Details) -> str | None:
    if d.space == FRAGMENT:
        return "the loops over fragments are `frag for` over rows and inside over columns; frag_row_sum and the like add up rows"
    if d.space == REGISTER:
        return "threads exchange values through shared memory and blocksync(), or by a shuffle within a warp"
    return "blocks exchange values through global memory, from one kernel to the next"


RACE_ERRORS = (
    ProofErrorRow(
        "OG340",
        "data race within a thread loop",
        "Two threads of one thread loop access the same cell and at least one of them writes it. No barrier helps: each\n"
        "thread needs cells of its own.",
        causes=(Race.ONE_LOOP,),
        message="data race on {array}: {race}",
        help="give each thread its own cells",
        race="threads of one loop access the same cell, and one of them writes it",
    ),
    ProofErrorRow(
        "OG341",
        "data race: no barrier after a write",
        "A thread accesses a cell that another thread of its block wrote, and no barrier lies between. Put blocksync()\n"
        "between the two loops, where the whole block runs.",
        causes=(Race.ACCESS_AFTER_WRITE,),
        message="data race on {array}: {race}",
        help=_where_to_put_it,
        race=_missing_barrier,
    ),
    ProofErrorRow(
        "OG342",
        "data race: no barrier after a read",
        "A thread writes a cell that another thread of its block may still be reading: write after read. Put blocksync()\n"
        "between the two loops; in a loop with a barrier, often a second one is needed at the end of the body.",
        causes=(Race.WRITE_AFTER_READ,),
        message="data race on {array}: {race}",
        help=_where_to_put_it,
        race=_missing_barrier,
    ),
    ProofErrorRow(
        "OG343",
        "data race between blocks",
        "Two blocks access the same cell in one kernel and at least one of them writes it. Blocks run in any order and\n"
        "cannot wait for each other: split the kernel in two.",
        causes=(Race.BLOCKS,),
        message="data race on {array} between blocks: {race}",
        help="end the kernel between the two accesses, and launch another one",
        race="nothing orders blocks before the kernel ends",
    ),
    ProofErrorRow(
        "OG344",
        "memory of another thread or block",
        "Registers belong to a thread and shared memory to a block; nobody else can access them.",
        causes=(Race.PRIVATE_MEMORY, *rejections(NotOwner, Operation.SHUFFLE)),
        message=_private_memory,
        help=_exchange,
    ),
    ProofErrorRow(
        "OG352",
        "shared array in use at the end of its scope",
        "A __shared__ array in a loop uses the same memory in each iteration, so threads must be done with it at the end\n"
        "of the body: put blocksync() there.",
        causes=rejections(SharedMemoryInUse, Operation.LEAVE, Operation.ALLOCATE),
        message="shared {race}",
        help="put blocksync() at the end of the loop's body",
        race="this memory goes out of scope while threads may still be using it, and the next iteration uses it again",
    ),
    ProofErrorRow(
        "OG358",
        "default memory freed while it is in use",
        "A group of threads frees default memory as one, when all of it belongs to the whole group: put magic_barrier()\n"
        "after the last thread loop that accesses it.",
        causes=rejections(StillInUse, Operation.FREE),
        message="{array} is freed while threads may still be using it",
        help="put magic_barrier() before it",
    ),
)
