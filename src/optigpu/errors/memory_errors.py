"""Errors of proofs about memory: which cells are held, written, given back and freed."""

from __future__ import annotations

from optigpu.errors.cause_keys import no_contract, obligations, rejections
from optigpu.errors.details import Details
from optigpu.errors.error_row import ProofErrorRow
from optigpu.kernel.causes import (
    ClaimedTwice,
    ClaimOutside,
    DifferentBranches,
    Leak,
    MissingPermission,
    NegativeSize,
    NotAllocated,
    Operation,
    Overlap,
    Uninitialised,
)
from optigpu.kernel.instructions import Obligation
from optigpu.search.search_causes import NoLoopContract, Obstacle, ReadOnly


def _not_held(d: Details) -> str:
    if isinstance(d.cause, NoLoopContract) and d.cause.obstacle is Obstacle.NO_MEMORY:
        return f"{d.array} is not held here: it has been freed, or the contract does not mention it"
    return f"this access of {d.array} is not shown to stay within the cells that are held"


def _help_not_held(d: Details) -> str:
    if d.unclaimed is not None:
        return f'__reads("{d.base} ~> {d.unclaimed}"), or __preserves if it is written'
    if isinstance(d.cause, NoLoopContract):
        return f"use {d.base} before it is freed, and where it is declared"
    return "compare the loop's bounds with the sizes in the contract, or add a __requires"


def _read_only(d: Details) -> str:
    known = "the contract only reads it" if d.unclaimed is None else "the contract does not mention it"
    return f"{d.array} is written, but {known}"


def _help_read_only(d: Details) -> str:
    if d.unclaimed is not None:
        return f'__writes("{d.base} ~> {d.unclaimed}")'
    return f'__consumes("{d.base} ~> …") and __produces("{d.base} ~> …") instead of __reads'


def _not_an_allocation(d: Details) -> str:
    if isinstance(d.cause, NoLoopContract) and d.cause.obstacle is Obstacle.FREED:
        return f"{d.array} comes from outside the loop and is freed in each iteration"
    return f"{d.array} is not an allocation that can be freed here"


TILE_OPERATIONS = (Operation.MULTIPLY, Operation.REDUCE_ROWS, Operation.COPY)

MEMORY_ERRORS = (
    ProofErrorRow(
        "OG302",
        "access outside the cells that are held",
        "An access is not shown to be to a cell that is held. Holding a cell means being within the array and having\n"
        "permission; `need` shows the cell, `have` the cells there are. Usual causes: a bound that is off by one, a size that the\n"
        "contract does not relate to the loop's bound, memory that was freed, an array that no clause of the contract mentions.",
        causes=(
            *rejections(MissingPermission, Operation.LOAD, Operation.STORE, Operation.LOOP, Operation.SHUFFLE),
            *rejections(MissingPermission, Operation.ATOMIC, *TILE_OPERATIONS),
            *no_contract(Obstacle.NO_MEMORY),
        ),
        message=_not_held,
        help=_help_not_held,
    ),
    ProofErrorRow(
        "OG303",
        "write to memory that the contract only reads",
        "Memory is written that the contract only reads, or does not mention: __writes if all of it is written before it is\n"
        "read, __preserves, or __consumes and __produces.",
        causes=rejections(ReadOnly, Operation.STORE, Operation.ATOMIC, Operation.LOOP, *TILE_OPERATIONS),
        message=_read_only,
        help=_help_read_only,
    ),
    ProofErrorRow(
        "OG304",
        "read of an uninitialised cell",
        "A cell is read that may not have been written: not on every path, or not for every size.",
        causes=rejections(Uninitialised, Operation.LOAD, Operation.ATOMIC, Operation.SHUFFLE, *TILE_OPERATIONS),
        message="{array} is read where it may not have been written",
        help="write {base} before this, or initialise it",
    ),
    ProofErrorRow(
        "OG306",
        "promised cells are not written",
        "The contract promises cells that are not all written, or not all held, at the end.",
        causes=(*rejections(Uninitialised, Operation.POST), *rejections(MissingPermission, Operation.POST)),
        message="not all cells of {array} that the contract promises have been written",
        help="does the loop reach every index, and every size?",
    ),
    ProofErrorRow(
        "OG308",
        "memory leak",
        "Memory is lost: an allocation that is never freed, or a permission that is not given back.",
        causes=(*rejections(Leak, Operation.LEAVE, Operation.LEAK), *rejections(MissingPermission, Operation.LEAVE)),
        message="{array} is not given back or freed: a leak",
        help="free({base}), or give it back with __produces",
    ),
    ProofErrorRow(
        "OG309",
        "free of something that cannot be freed",
        "Something is freed that is not an allocation, not held completely, or already freed.",
        causes=(
            *rejections(NotAllocated, Operation.FREE),
            *rejections(MissingPermission, Operation.FREE),
            *no_contract(Obstacle.FREED),
        ),
        message=_not_an_allocation,
    ),
    ProofErrorRow(
        "OG314",
        "allocation of a negative size",
        "An allocation needs sizes that are not negative.",
        causes=rejections(NegativeSize, Operation.ALLOCATE),
        message="the size of {array} may be negative",
        help="add a __requires that gives the range",
    ),
    ProofErrorRow(
        "OG320",
        "branches that disagree on ownership",
        "One branch of an if allocates, frees or gives away something and the other does not.",
        causes=rejections(DifferentBranches, Operation.JOIN),
        message="the two branches leave {array} in different hands",
        help="allocate before the if and free after it, or do both in both branches",
    ),
    ProofErrorRow(
        "OG323",
        "contract that claims a cell twice",
        "Two claims of a contract may speak of the same cell. No caller could fulfil that.",
        causes=(*rejections(ClaimedTwice, Operation.BEGIN), *rejections(Overlap, Operation.POST)),
        message="the contract may claim a cell of {array} twice",
    ),
    ProofErrorRow(
        "OG332",
        "contract that claims cells outside the array",
        "A contract claims a[i] for an i that is not shown to be within the sizes that a is declared with.",
        causes=rejections(ClaimOutside, Operation.BEGIN),
        message="the contract claims cells of {array} that are not shown to lie within its declared sizes",
    ),
    ProofErrorRow(
        "OG334",
        "local array without elements",
        "A local array has at least one element: what happens with none C leaves open. MALLOC1 may allocate none.",
        causes=obligations(Obligation.EMPTY_ARRAY),
        message="this array may have no elements",
        help="add a __requires that gives the range",
    ),
    ProofErrorRow(
        "OG335",
        "pointer outside its array",
        "A pointer goes to an element of its array, or to the place after the last one: &a[n]. C has no others, not\n"
        "even where nothing is accessed through them: &a[n + 5] may not be formed. A pointer into a row needs that row.",
        causes=obligations(Obligation.POINTER),
        message="this pointer may lie outside its array",
        help="add a __requires that gives the range",
    ),
)
