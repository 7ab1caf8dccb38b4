"""Rules for atomic operations: cells to which many threads add (docs/logic.md, "Atomics")."""

from __future__ import annotations

from optigpu.kernel.causes import (
    MissingPermission,
    NotOwner,
    Operation,
    Rejected,
    Uninitialised,
    WrongShape,
    WrongSpace,
)
from optigpu.kernel.context import HOST, THREADS, everyone
from optigpu.kernel.instructions import GLOBAL, HOST_MEMORY, SHARED, AccumulateCell
from optigpu.kernel.side_conditions import SideConditions, arbitrary, next_instruction, require_known, within
from optigpu.kernel.state import State, changed
from optigpu.kernel.thread_conditions import require_access, require_group_size, require_read_within
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, ADDING, FULL, CellFamily, Terms, arguments, same, single
from optigpu.logic.facts import Facts
from optigpu.logic.terms import ONE, TRUE, Term

ATOMIC_MEMORY = {HOST: (HOST_MEMORY,), THREADS: (GLOBAL, SHARED)}  # by who executes


def collect(c: SideConditions, state: State, family: int, operator: str) -> State:
    """From here on, the threads of the group may change the cells of a family by one atomic operator; nobody reads or writes them.

        r in H (full share)     for all b in r:  r.owner(b) has all threads of the group, nobody has read the cell
        ----------------------------------------------------------------------------------------------------------
        {F; H, r} {F; H, r in the share of the operator}

    Sound: the group alone holds the cells, and all that was done to them is ordered before what any of its threads does. What is
    given up is the right to read and write, up to a barrier of the group (`settled`).
    """
    r = state.held.get(family)
    if r is None or r.share != FULL or operator not in ACCUMULATING:
        raise Rejected(WrongShape(Operation.ATOMIC))
    _require_atomic_memory(state, r.cells.base)
    if r.owner is not None and state.context.kind != HOST:
        b, inside = arbitrary(state.facts, r.cells)
        owner, cell = r.owner.at(b), r.cells.at(b)
        goal = owner.contains(everyone(state.context))
        c.require(inside, goal, NotOwner(Operation.ATOMIC, r.cells.base, cell=cell, other=owner))
    for read in state.pending_reads:
        if read.family == family:
            require_read_within(c, state, r.cells, read, None, Operation.ATOMIC)
    reads = tuple(read for read in state.pending_reads if read.family != family)
    held = {**state.held, family: replace(r, share=operator, owner=None)}
    return changed(state, held=held, pending_reads=reads)


def accumulate(c: SideConditions, state: State, family: int, at: Terms) -> State:
    """atomicAdd(&a[e], x), and the like for other operators (*).

        r in H (in the share of *, or full),   F |- r.e(w) = e,  w in r,  r.init(w),  x within the limits of a
        ------------------------------------------------------------------------------------------------------
        {F; H, r} a[e] *= x {F; H, r with value(b) = (b = w ? r.value(b) * x : r.value(b))}

    Side conditions: one thread executes it, on memory that has atomic instructions.
    Sound: on cells held in full it is a load and a store. In the share of *, the value is the one that the cell would have if the
    iterations around had run one after the other; whether it fits its type is asked when it can be read (`settled`).
    """
    i = next_instruction(state, AccumulateCell)
    require_known(state, at)
    base = i.place.base
    _require_atomic_memory(state, base)
    r = state.held.get(family)
    if r is None or r.cells.base != base or r.share not in (FULL, i.operator) or i.operator not in ACCUMULATING:
        raise Rejected(MissingPermission(Operation.ATOMIC, base))
    need = single(base, state.values(i.place.index))
    c.require_cells(Operation.ATOMIC, state.facts, need, r, at)
    if r.share == FULL:
        require_access(c, Operation.ATOMIC, state, r, at, write=True)
    elif state.context.kind == THREADS:
        require_group_size(c, Operation.ATOMIC, state, ONE, base=base)
    c.require(state.facts, r.init_at(at), Uninitialised(Operation.ATOMIC, base, cells=need))
    value = state.value(i.value)
    c.require_fits(Operation.ATOMIC, state, value, state.bases[base].limits, base)
    here = same(arguments(r.cells.arity), at)
    if r.share == FULL:
        value = _in_machine(c, state, state.facts, base, i.operator, combined(i.operator, r.value_at(at), value))
        new = r.updated(here, value, TRUE)
    else:
        new = replace(r, value=k.ite(here, combined(i.operator, r.value, value), r.value))
    return changed(state, held={**state.held, family: new}, code=state.code[1:])


def settled(c: SideConditions, state: State, r: CellFamily) -> CellFamily:
    """Cells to which the threads of the group have added, after a barrier of the group: held in full, by all of it.

        F, b in r, r.init(b) |- r.value(b) within the limits of a
        ---------------------------------------------------------
        {F; H, r in the share of *} barrier {F; H, r}

    Sound: every operation on a cell since `collect` was by this operator, which is commutative and associative; so the cell holds
    what it would hold if the iterations had run one after the other. Machines add modulo 2^w, in any order: so only the number at
    the end has to fit. Unsigned numbers that are not shown to fit are taken modulo 2^w.
    """
    b, inside = arbitrary(state.facts, r.cells)
    facts = inside.assume(r.init_at(b))
    value = _in_machine(c, state, facts, r.cells.base, r.share, r.value_at(b))
    return replace(r, share=FULL, value=r.value if value is r.value_at(b) else k.abstract(value, b))


def combined(operator: str, old: Term, new: Term) -> Term:
    """What an atomic operator makes of the contents of a cell."""
    match operator:
        case "atomicAdd":
            return k.add(old, new)
        case "atomicMax":
            return k.max_(old, new)
        case "atomicMin":
            return k.min_(old, new)
        case _:
            return k.bitwise({"atomicAnd": "band", "atomicOr": "bor", "atomicXor": "bxor"}[operator], old, new)


def _in_machine(c: SideConditions, state: State, facts: Facts, base: str, operator: str, value: Term) -> Term:
    """The number that is stored for a value: the value itself, shown to fit; a sum of unsigned numbers modulo 2^w.

    The greatest and the least of two numbers of a type, and what bit operations make of them, are numbers of that type.
    """
    limits = state.bases[base].limits
    if operator != ADDING or limits is None:
        return value
    if limits[0] == 0 and not c.judge.proves(facts, within(value, limits)):
        return k.fmod(value, k.num(limits[1] + 1))
    c.require_fits(Operation.ATOMIC, changed(state, facts=facts), value, limits, base)
    return value


def _require_atomic_memory(state: State, base: str) -> None:
    """Threads have atomic instructions on global and shared memory, host code on its own."""
    space = state.bases[base].space
    if space not in ATOMIC_MEMORY.get(state.context.kind, ()):
        raise Rejected(WrongSpace(Operation.ATOMIC, base, space=space, context=state.context))
