"""Rules for functions: the start, the end, and theorems that were proved before."""

from __future__ import annotations

from optigpu.kernel.causes import ClaimedTwice, ClaimOutside, Leak, Operation, Rejected, WrongContext, WrongSpace
from optigpu.kernel.context import HOST, THREADS, Context
from optigpu.kernel.instructions import GLOBAL, HOST_MEMORY, Procedure
from optigpu.kernel.ledger import Theorem
from optigpu.kernel.memory_copies import copying
from optigpu.kernel.side_conditions import (
    SideConditions,
    Take,
    all_cells,
    arbitrary,
    ended,
    member,
    require_known,
    within,
)
from optigpu.kernel.state import Base, OpenBlock, State, changed, first_state, take_number
from optigpu.kernel.thread_conditions import DEVICE_MEMORY, any_launch, require_handover
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, CellFamily, Terms, same
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.facts import Facts
from optigpu.logic.terms import ZERO, instantiate_all


def begin(c: SideConditions, name: str, inverses: tuple[Terms, ...]) -> State:
    """The start of a function: its precondition is assumed.

        axioms, requires |- for each claim: its cells lie within the declared sizes;
                            a full claim is injective, by an inverse of its index (binders as terms under the index);
                            it overlaps no other claim on the same array, unless both only read
        ----------------------------------------------------------------------------------------------------------
        {axioms, requires; claims of the precondition} body

    Sound: it is what callers show (`call`). If a claim named a cell twice, no caller could fulfil the contract, and anything would
    follow from it; beyond the declared sizes, different indices could be one cell. What a claim says is written is a number of the
    element type, since every store is checked. An array that is claimed exists, so its size has an upper bound.
    """
    f = c.program.functions[name]
    facts = c.judge.root.assume(*(p for _, p in c.program.axioms), *f.contract.requires)
    c.ledger.axioms.update(a for a, _ in c.program.axioms)
    bases = {p.name: Base(p.sort, p.dims, p.space, False, limits=p.limits) for p in f.params if p.dims is not None}
    if any(b.space not in (DEVICE_MEMORY if f.device else (HOST_MEMORY, GLOBAL)) for b in bases.values()):
        raise Rejected(WrongSpace(Operation.BEGIN, next(iter(bases))))
    sizes = {p.name: p.bytes if p.space in (HOST_MEMORY, GLOBAL) else 0 for p in f.params}
    for claim in f.contract.pre:
        facts = c.in_memory(facts, claim.cells, sizes[claim.cells.base])
    context = any_launch(f.threads) if f.device else Context()
    state = first_state(facts, bases, f.body, OpenBlock(f, None), len(f.contract.pre) + 1, context)
    require_known(state, inverses)
    held: dict[int, CellFamily] = {}
    names: dict[str, int] = {}
    for i, claim in enumerate(f.contract.pre):
        base = bases[claim.cells.base]
        _require_consistent(c, facts, f, i, inverses, base)
        r = held[i + 1] = claim.family(take_number(names, claim.cells.base, 0), base.sort)
        facts = facts.assume(all_cells(r, within(r.value, base.limits)))
    return changed(state, held=held, facts=facts, names=names)


def _require_consistent(
    c: SideConditions, facts: Facts, f: Procedure, i: int, inverses: tuple[Terms, ...], base: Base
) -> None:
    """Claim i of the precondition lies within its array, names no cell twice, and shares none with the claims before it."""
    claim = f.contract.pre[i]
    cells = claim.cells
    b, inside = arbitrary(facts, cells)
    for e, d in zip(cells.at(b), base.dims):
        if d is not None:
            c.require(
                inside, k.and_(k.le(ZERO, e), k.lt(e, d)), ClaimOutside(Operation.BEGIN, cells.base, claims=(i, i))
            )
    if claim.share == FULL:
        once = same(instantiate_all(inverses[i], cells.at(b)), b)
        c.require(inside, once, ClaimedTwice(Operation.BEGIN, cells.base, claims=(i, i)))
    for j, other in enumerate(f.contract.pre[:i]):
        if other.cells.base == cells.base and FULL in (claim.share, other.share):
            b2, both = arbitrary(inside, other.cells)
            goal = k.not_(same(cells.at(b), other.cells.at(b2)))
            c.require(both, goal, ClaimedTwice(Operation.BEGIN, cells.base, claims=(j, i)))


def finish(c: SideConditions, state: State, takes: tuple[Take, ...], steps: tuple[EqualitySteps, ...]) -> Theorem:
    """The end of a function: the theorem that it meets its contract.

        F |- ensures      H = claims of the postcondition, taken one after the other, each with its contents
        ---------------------------------------------------------------------------------------------------
        {F; H} end of the body                                            |- {precondition} f {postcondition}

    Side conditions: no cell with full share is left over (a leak), no allocation, and no kernel is running. Cells belong to the
    threads that own them by the postcondition, and nobody else has read them since the last barrier.
    """
    f = ended(state, Procedure)
    require_known(state, steps)
    if state.context.kind != (THREADS if f.device else HOST):
        raise Rejected(WrongContext(Operation.LAUNCH, context=state.context, to=HOST))
    held = dict(state.held)
    for claim, take in zip((p.substitute(dict(state.env)) for p in f.contract.post), takes, strict=True):
        r = c.claimed_family(Operation.POST, state, held, claim, take)
        require_handover(c, Operation.POST, state, r, claim, take)
        held[take.family] = r.without(member(claim.cells, r, take.back))
    for goal, by in zip(f.contract.ensures, steps, strict=True):
        c.require_fact(Operation.ENSURES, state.facts, state.value(goal), by)
    c.require_no_leak(Operation.LEAK, state.facts, held)
    for name, base in state.bases.items():
        if base.heap:
            raise Rejected(Leak(Operation.LEAK, name))
    return c.ledger.proved(f, c.program)


def recall(c: SideConditions, theorem: Theorem) -> Theorem:
    """A theorem that was proved of another program holds in this one.

    Side conditions: this program has the same function, the same axioms, and the same functions that it calls, each proved or
    admitted here. A theorem that assumes integers to fit is not recalled: its ledger lists instructions of the other program.
    """
    f, functions = theorem.function, c.program.functions
    if (
        theorem.unbounded
        or theorem.axioms != c.program.axioms
        or any(functions.get(g.name) != g for g in (f, *theorem.callees))
    ):
        raise ValueError(f"{f.name} was proved of another program")
    for g in theorem.callees:
        if g != copying(g.name):
            c.ledger.used(g)
    c.ledger.axioms.update(name for name, _ in theorem.axioms)
    c.ledger.theorems[f.name] = theorem
    return theorem
