"""Errors of proofs about launches: memory spaces, limits of the hardware, phases of a kernel."""

from __future__ import annotations

from optigpu.errors.cause_keys import Misplaced, obligations, rejections
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import (
    LaunchLimit,
    LeftInKernel,
    Operation,
    SharedMemoryExceeded,
    UnmetObligation,
    WrongContext,
    WrongSpace,
)
from optigpu.kernel.instructions import REGISTER, SHARED, Obligation
from optigpu.kernel.launch_rules import MOST_SHARED, MOST_THREADS
from optigpu.syntax.types import INT

SPACE_NAMES = {"Any": "host", "GMem": "global", "SMem": "shared", "TReg": "register", "Device": "device"}
PROTOCOL = "kernel_launch, kernel_setup_end, kernel_teardown_begin, kernel_kill come in this order"


def _space(d: Details) -> str:
    space = SPACE_NAMES.get(d.space or "", "other")
    if d.operation is Operation.CALL:
        return f"{d.array} is {space} memory, which is not what the called function takes"
    who = {"host": "host code", "threads": "device code"}.get(d.kind, f"the {d.kind} of a kernel")
    if d.kind == "magic":
        return (
            f"{d.array} is {space} memory: a magic thread loop, which no thread executes, accesses only default memory"
        )
    return f"{d.array} is {space} memory: {who} cannot access it"


def _converted(d: Details) -> str:
    if d.kind == "magic":
        return "convert the loop to a thread loop before its memory: s.gpu.convert_magic_thread_fors"
    return "memcpy_host_to_device and memcpy_device_to_host copy between host and global memory"


def _limit(d: Details) -> str:
    if isinstance(d.cause, SharedMemoryExceeded):
        used, launched = d.show(d.cause.context.used), d.show(d.cause.context.shared)
        return f"with {d.array} a block uses {used} bytes of shared memory, but the kernel is launched with {launched}"
    match _what(d):
        case "threads":
            return f"a block has 1 to {MOST_THREADS} threads"
        case "shared":
            return f"a block has at most {MOST_SHARED} bytes of shared memory"
        case _:
            return f"a kernel has 0 to {INT.high} blocks"


def _limit_help(d: Details) -> str | None:
    if isinstance(d.cause, SharedMemoryExceeded):
        used = d.show(d.cause.context.used)
        return f"ask for it in kernel_launch: the third argument counts bytes, {used} are needed"
    if _what(d) == "blocks":
        return "add a __requires that gives the range"
    return "smaller loops of threads; in a script: s.loop.tile before the launch" if _what(d) == "threads" else None


def _what(d: Details) -> str:
    """What the limit is on."""
    return d.cause.what if isinstance(d.cause, LaunchLimit) else ""


def _phase(d: Details) -> str:
    places = {"host": "host code", "threads": "the threads of a kernel", "magic": "a magic thread loop of a kernel"}
    where = places.get(d.kind, f"the {d.kind} of a kernel")
    cause = d.cause
    match d.operation:
        case Operation.LAUNCH:
            return f"this cannot follow in {where}: {PROTOCOL}"
        case Operation.ALLOCATE:
            return f"{d.array} cannot be allocated in {where}"
        case Operation.FREE:
            return f"{d.array} cannot be freed in {where}"
        case Operation.CALL if isinstance(cause, WrongContext) and cause.function is not None:
            return f"`{cause.function.partition('.')[0]}` cannot be called in {where}: {PROTOCOL}"
        case Operation.LOOP if isinstance(cause, WrongContext):
            return f"a {cause.mode} loop has no meaning in {where}"
        case _:
            return "a kernel that is started here must also end here"


def _has_other_sizes(d: Details) -> bool:
    """Is an array freed with other sizes than it was allocated with?"""
    return isinstance(d.cause, UnmetObligation) and d.cause.obligation is Obligation.FREED_SIZES


def _not_freed(d: Details) -> str:
    if _has_other_sizes(d):
        return "this is not the size it was allocated with"
    if d.space == REGISTER:
        return f"{d.array} is a register array of the whole grid: it would outlive the kernel"
    return f"{d.array} is shared memory of the kernel and is not freed when the kernel ends"


def _free_it(d: Details) -> str | None:
    if d.space == SHARED:
        return f"__smem_free1({d.base}, n) between kernel_teardown_begin() and kernel_kill()"
    return "free it with the sizes of its __smem_malloc" if _has_other_sizes(d) else None


LAUNCH_ERRORS = (
    ProofErrorRow(
        "OG348",
        "memory of the wrong space",
        "Host code accesses host memory, threads access global, shared and register memory. memcpy copies between the\n"
        "two. Default memory (of the host) in a kernel is an intermediate step, for which no code is made; it cannot be passed\n"
        "to a device function. A magic thread loop in a kernel accesses default memory alone.",
        causes=rejections(
            WrongSpace,
            Operation.LOAD,
            Operation.STORE,
            Operation.ATOMIC,
            Operation.CALL,
            Operation.BEGIN,
            Operation.SHUFFLE,
            Operation.LOOP,
        ),
        message=_space,
        help=_converted,
    ),
    ProofErrorRow(
        "OG349",
        "limit of the hardware or the launch",
        f"A limit of the hardware or of the launch is exceeded: {MOST_THREADS} threads a block, {MOST_SHARED >> 10} KiB"
        " of shared memory a block,\n"
        "and no more shared memory than kernel_launch asks for; what is declared counts in bytes, all that lives at one\n"
        "time together.",
        causes=(
            *rejections(LaunchLimit, Operation.LAUNCH),
            *rejections(SharedMemoryExceeded, Operation.ALLOCATE),
        ),
        message=_limit,
        help=_limit_help,
    ),
    ProofErrorRow(
        "OG350",
        "statement in the wrong phase of a launch",
        "A kernel goes through phases: kernel_launch, allocation of shared memory, kernel_setup_end, its threads,\n"
        "kernel_teardown_begin, freeing, kernel_kill. Each statement has its place in them.",
        causes=(
            *rejections(WrongContext, Operation.LOOP, Operation.LAUNCH, Operation.ALLOCATE, Operation.FREE),
            *rejections(WrongContext, Operation.JOIN, Operation.LEAVE),
            Misplaced.CALL,
        ),
        message=_phase,
        help="kernel_launch(…); kernel_setup_end(); thread loops; kernel_teardown_begin(); kernel_kill();",
    ),
    ProofErrorRow(
        "OG351",
        "shared memory that is not freed",
        "Shared memory that was allocated before kernel_setup_end is freed, with its sizes, before kernel_kill.",
        causes=(*rejections(LeftInKernel, Operation.LAUNCH), *obligations(Obligation.FREED_SIZES)),
        message=_not_freed,
        help=_free_it,
    ),
)
