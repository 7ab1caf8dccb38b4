"""Errors that a run of the interpreter shows on an input."""

from __future__ import annotations

from optigpu.errors.error_row import ErrorRow
from optigpu.kernel.launch_rules import MOST_SHARED, MOST_THREADS
from optigpu.kernel.thread_conditions import WARP

RUN_ERRORS = (
    ErrorRow(
        "OG201",
        "run: access out of bounds",
        "A run accessed an element outside its array, or made a pointer to one, or allocated a negative size.",
    ),
    ErrorRow(
        "OG202",
        "run: read of uninitialised memory",
        "A run read memory before anything was written to it.",
    ),
    ErrorRow(
        "OG203",
        "run: use after free",
        "A run used memory after it was freed.",
    ),
    ErrorRow(
        "OG204",
        "run: invalid free",
        "A run freed something twice, or something that was not allocated.",
    ),
    ErrorRow(
        "OG205",
        "run: memory leak",
        "A run ended without freeing an allocation.",
    ),
    ErrorRow(
        "OG206",
        "run: division by zero",
        "A run divided by zero.",
    ),
    ErrorRow(
        "OG207",
        "run: division that is not exact",
        "A run called exact_div(a, b) with b not dividing a.",
    ),
    ErrorRow(
        "OG208",
        "run: invalid shift or bit operation",
        "A run shifted by a negative amount or too far, or applied a bit operation to a negative number.",
    ),
    ErrorRow(
        "OG209",
        "run: integer overflow",
        "A run computed an integer that does not fit its machine type.",
    ),
    ErrorRow(
        "OG210",
        "run: data race",
        "Two iterations of a parallel loop, or two threads of a kernel, accessed the same cell, at least one of them\n"
        "writing, and nothing orders them. Threads of a block are ordered by blocksync(), those of different blocks by nothing"
        " before\nthe kernel ends.",
    ),
    ErrorRow(
        "OG211",
        "run: precondition violated",
        "A call did not satisfy the precondition of the called function.",
    ),
    ErrorRow(
        "OG212",
        "run: postcondition violated",
        "A function ended without its postcondition being true.",
    ),
    ErrorRow(
        "OG213",
        "run: loop contract violated",
        "A loop contract was not true in a run.",
    ),
    ErrorRow(
        "OG214",
        "run: assertion violated",
        "An assertion was not true in a run.",
    ),
    ErrorRow(
        "OG215",
        "run: access that the contract does not allow",
        "A function used memory that its contract does not mention, or wrote what it only reads.",
    ),
    ErrorRow(
        "OG216",
        "run: loop that does not end",
        "A loop that would never end.",
    ),
    ErrorRow(
        "OG217",
        "run: contract that claims a cell twice",
        "The contract claims the same cell twice.",
    ),
    ErrorRow(
        "OG218",
        "run: array argument of other sizes",
        "An array is passed with other inner sizes than the parameter declares.",
    ),
    ErrorRow(
        "OG220",
        "run: thread loop that does not divide its threads",
        "A thread loop ran a number of iterations that does not divide the number of threads that came to it.",
    ),
    ErrorRow(
        "OG221",
        "run: operation at the wrong thread level",
        "blocksync() or a shared array at another level than that of a block, or a warp operation at another level than\n"
        f"that of the {WARP} threads of a warp.",
    ),
    ErrorRow(
        "OG222",
        "run: barrier divergence",
        "A barrier was reached by a part of its threads: the others wait elsewhere, or have ended.",
    ),
    ErrorRow(
        "OG223",
        "run: access to memory of the other side",
        "Host code accessed device memory, or device code host memory. memcpy_host_to_device1 and the like cross.",
    ),
    ErrorRow(
        "OG224",
        "run: access to another thread's or block's memory",
        "A thread accessed a register of another thread, or the shared memory of another block.",
    ),
    ErrorRow(
        "OG225",
        "run: too much shared memory",
        "The shared arrays of a block took more bytes than kernel_launch asked for.",
    ),
    ErrorRow(
        "OG226",
        "run: launch out of order",
        "A launch out of order: host, kernel_launch, kernel_setup_end, device code, kernel_teardown_begin, kernel_kill, host.",
    ),
    ErrorRow(
        "OG227",
        "run: limit of the hardware",
        f"A kernel was launched with more than the hardware has: {MOST_THREADS} threads a block, {MOST_SHARED >> 10} KB of"
        " shared memory.",
    ),
    ErrorRow(
        "OG228",
        "run: store by several threads",
        "A store or a local variable where several threads run the same code. It takes thread loops down to single threads.",
    ),
    ErrorRow(
        "OG229",
        "run: vector access that is not aligned",
        "A vector access to cells whose offset is not a multiple of its width.",
    ),
    ErrorRow(
        "OG230",
        "run: part of a pipelined loop that cannot run ahead",
        "In a pipelined loop, what stands before pipeline_wait() may run ahead of earlier iterations: it reads only what no\n"
        "iteration changes, and writes only the shared arrays that it declares, which nothing else writes.",
    ),
)
