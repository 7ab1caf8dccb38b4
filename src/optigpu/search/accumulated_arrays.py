"""Arrays that code changes by atomic operations: which, by which operator, and where the group has to hold them for that."""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.kernel import instructions as kc
from optigpu.logic.cells import CellClaim
from optigpu.search.loop_memo import LoopMemo


def bases_in(i: kc.Instruction) -> Iterator[str]:
    """Yield the arrays that an instruction names, but not those of instructions inside it."""
    stack: list[object] = [] if isinstance(i, kc.Branch | kc.CountedLoop) else [i]
    while stack:
        x = stack.pop()
        if isinstance(x, kc.CellAddress | kc.ArrayView | kc.Allocate | kc.Release):
            yield x.base
        elif isinstance(x, CellClaim):
            yield x.cells.base
        elif isinstance(x, tuple):
            stack.extend(x)


def _accumulated_in(loop: kc.CountedLoop) -> dict[str, str]:
    """Find the arrays that the body of a loop only changes by one atomic operator, with the operator."""
    operators: dict[str, str] = {}
    others: set[str] = set()
    for i in kc.instructions_in(loop.body):
        if isinstance(i, kc.AccumulateCell):
            base = i.place.base
            if operators.setdefault(base, i.operator) != i.operator:
                others.add(base)
        else:
            others.update(bases_in(i))
    return {base: operator for base, operator in operators.items() if base not in others}


accumulated_in: LoopMemo[dict[str, str]] = LoopMemo(_accumulated_in)


def left_accumulating(code: kc.Instructions) -> dict[str, str]:
    """Find the arrays to which threads add in this code of a group, with no barrier of the group after that."""
    left: dict[str, str] = {}
    for i in code:
        match i:
            case kc.Barrier():
                left.clear()
            case kc.CountedLoop(mode=kc.THREAD | kc.PARALLEL | kc.MAGIC_THREAD):
                left |= accumulated_in(i)
            case kc.CountedLoop():
                left |= left_accumulating(i.body)
            case kc.Branch():
                left |= left_accumulating(i.then) | left_accumulating(i.other)
            case _:
                pass
    return left
