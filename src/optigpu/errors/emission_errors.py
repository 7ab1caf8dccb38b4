"""Errors of code generation."""

from __future__ import annotations

from optigpu.errors.error_row import ErrorRow

EMISSION_ERRORS = (
    ErrorRow(
        "OG400",
        "malformed launch",
        "A launch that is not of the form kernel_launch, setup, kernel_setup_end, device code, kernel_teardown_begin,\n"
        "teardown, kernel_kill, in one block. The setup declares shared memory, the teardown frees it; other code belongs before\n"
        "or after.",
    ),
    ErrorRow(
        "OG401",
        "construct without CUDA counterpart",
        "A construct that CUDA code is not generated for: magic thread loops and barriers, which stand only between steps\n"
        "of a script; host functions called from a kernel; a call of a device function for a group inside an expression.",
    ),
    ErrorRow(
        "OG402",
        "thread loop without a thread index",
        "A thread loop whose iterations cannot be told from the thread's number: it counts upwards, and the product of the\n"
        "extents of nested thread loops is the number of threads that kernel_launch names.",
    ),
    ErrorRow(
        "OG403",
        "memory of the other side",
        "Memory used from the wrong side: a kernel sees arrays of __gmem_malloc, host code those of the host; memcpy crosses.",
    ),
    ErrorRow(
        "OG404",
        "integer that no machine type holds",
        "An integer that may not fit 64 bits, nor, for a part of an expression, 128 bits: no machine type is known to hold it.\n"
        "Products of the sizes of arrays are no such integers: entry points check at each call that they fit. For others, state\n"
        'a bound in the contract: __requires("a >= 0, b >= 0, c >= 0, a * b * c <= 1000000000000").',
    ),
    ErrorRow(
        "OG405",
        "name with a meaning in CUDA C++",
        "A name that means something else in C++ or in CUDA. Choose another.",
    ),
    ErrorRow(
        "OG406",
        "too much shared memory",
        "Shared arrays that need more bytes together than a block has. Two arrays take the same bytes if neither is declared\n"
        "in the scope of the other and a barrier stands between all their uses; each begins at a multiple of 16 bytes.",
    ),
    ErrorRow(
        "OG407",
        "call of a function without code",
        "A function that is declared by its contract alone, and admitted, is called by code that is to be emitted. Programs that\n"
        "call it can be verified, but neither run nor emitted: write its body, or call a built-in function.",
    ),
    ErrorRow(
        "OG408",
        "loop that tensor cores cannot run",
        "A loop with #pragma tensor_cores is not one that the instruction of a warp computes: three loops of 8, 2 and 2\n"
        "iterations of `sum[h][e] += x * y`, with floats x and y in shared or global memory, inside thread loops over the\n"
        "8 x 4 threads of a warp, which all run it. x depends on the thread by the index of the outer thread loop alone, y by\n"
        "that of the inner one.",
    ),
    ErrorRow(
        "OG409",
        "tiles or fragments that no instruction takes",
        "A fragment, a product or copy of tiles, or a pipelined loop, with sizes or places that no instruction of the GPU has:\n"
        "fragments have a multiple of 16 rows (of 64, for four warps) and of 8 columns, results of products a multiple of 16\n"
        "(the other way round in kernels that multiply TF32 by rows of the right factor, and have no vectors of rows);\n"
        "factors are tiles in shared memory with rows of 32, 64 or multiples of 128 bytes, and a multiple of 8 rows, from a\n"
        "multiple of 16 bytes of a row on; products add up multiples of 16 numbers of 16 bits, or of 8 of TF32. An element of a\n"
        "fragment is accessed by the indices of the loops around, and by nothing else. A pipelined loop counts up from 0 by one.",
    ),
    ErrorRow(
        "OG500",
        "construct without counterpart",
        "A construct that has no counterpart in the language that code is generated for.",
    ),
)
