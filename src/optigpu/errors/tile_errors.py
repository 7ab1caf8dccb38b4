"""Errors of proofs about fragments, copies of tiles and pipelined loops."""

from __future__ import annotations

from optigpu.errors.cause_keys import rejections
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import (
    LeftAhead,
    NoWholeWarps,
    Operation,
    Overlap,
    WrongContext,
    WrongGroup,
    WrongShape,
    WrongSpace,
    WrongStage,
)
from optigpu.kernel.fragment_layouts import GROUPS

_GROUPS = " or ".join(map(str, GROUPS))
_OF_FRAGMENTS = (Operation.FRAGMENT, Operation.MULTIPLY, Operation.REDUCE_ROWS)
_STAGE_OPERATIONS = (
    Operation.LOOP, Operation.LEAVE, Operation.BARRIER, Operation.ALLOCATE, Operation.FREE, Operation.CALL,
)  # fmt: skip


def _group(d: Details) -> str:
    if isinstance(d.cause, NoWholeWarps):
        return "the threads of a block are not shown to be whole groups of those that have fragments together"
    if isinstance(d.cause, WrongContext):
        return "fragments are for the threads of a kernel, outside of loops over fragments"
    return f"fragments are for groups of {_GROUPS} threads, but this is run by groups of {d.threads}"


def _copy_level(d: Details) -> str:
    if isinstance(d.cause, WrongStage):
        return d.cause.text
    return f"a tile is copied by a whole block ({d.block} threads), but this is run by groups of {d.threads}"


def _stage(d: Details) -> str:
    match d.cause:
        case WrongStage(text=text):
            return text
        case LeftAhead():
            return f"{d.array} is declared before the wait, and is no shared array: what runs ahead cannot leave it to the rest"
        case _:
            return "this cannot be in a pipelined loop"


def _shape(d: Details) -> str:
    if d.operation is Operation.MULTIPLY:
        return f"{d.array} is the result of this product and one of its factors"
    if d.operation is Operation.COPY:
        return f"{d.array} has elements of another type than the array that is copied"
    return "a loop over fragments counts up by one"


TILE_ERRORS = (
    ProofErrorRow(
        "OG370",
        "fragment at the wrong level",
        "A fragment belongs to a warp (32 threads) or to four warps (128), from a multiple of their number on. Fragments,\n"
        "products of tiles, reductions of rows and loops over fragments stand where such a group runs:\n"
        "__frag_malloc2<float>(2, 64, 128) makes a fragment for each half of the threads, __fragment__ float c[64][128]; one for\n"
        "the group.",
        causes=tuple(
            key for cause in (WrongGroup, WrongContext, NoWholeWarps) for key in rejections(cause, *_OF_FRAGMENTS)
        ),
        message=_group,
        help=f"put it into thread loops whose iterations have {_GROUPS} threads",
        draws_levels=True,
    ),
    ProofErrorRow(
        "OG371",
        "tile copied at the wrong level",
        "tile_load() is executed by a whole block, of more than 32 threads: it stands inside the thread loops over blocks,\n"
        "outside of those over threads.",
        causes=tuple(
            key for cause in (WrongGroup, WrongContext, WrongStage) for key in rejections(cause, Operation.COPY)
        ),
        message=_copy_level,
        help="move it to where a whole block runs",
        draws_levels=True,
    ),
    ProofErrorRow(
        "OG372",
        "part of a pipelined loop that cannot run ahead",
        "In a loop with `#pragma pipeline 4`, what stands before pipeline_wait() may run up to 3 iterations ahead of the rest.\n"
        "So it reads only what no iteration changes, writes only the shared arrays that it declares, and has no barriers; the\n"
        "rest reads these arrays, and does not write them. The body waits once, not inside of a loop or condition.",
        causes=(
            *rejections(WrongStage, *_STAGE_OPERATIONS),
            *rejections(LeftAhead, Operation.BARRIER),
            *rejections(WrongGroup, Operation.LOOP),
        ),
        message=_stage,
        help="declare shared arrays and copy tiles, then pipeline_wait(), then use the tiles",
    ),
    ProofErrorRow(
        "OG373",
        "tiles that do not fit together",
        "The result of a product of tiles is none of its factors. Factors are in shared memory, or are fragments. A loop over\n"
        "fragments counts up by one.",
        causes=(
            *rejections(WrongShape, Operation.MULTIPLY, Operation.COPY, Operation.REDUCE_ROWS, Operation.LOOP),
            *rejections(WrongSpace, Operation.MULTIPLY, Operation.REDUCE_ROWS, Operation.COPY),
            *rejections(Overlap, Operation.MULTIPLY, Operation.REDUCE_ROWS, Operation.COPY),
        ),
        message=_shape,
        help=None,
    ),
)
