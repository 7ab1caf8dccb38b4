"""Rules for counted loops: sequential ones with invariants, parallel and thread loops without.

A contract (loop_contract.py) says for iteration v: exclusive cells X(v) and what they hold afterwards, invariant families and what
they hold at the start of v, and facts of v.
"""

from __future__ import annotations

from optigpu.kernel.atomic_rules import settled
from optigpu.kernel.causes import (
    BrokenInvariant,
    BrokenLaw,
    DependentIterations,
    Leak,
    MissingPermission,
    NotUnrolled,
    Operation,
    Rejected,
    StepNotPositive,
    WrongContext,
    WrongShape,
    WrongStage,
)
from optigpu.kernel.context import HOST, NOWHERE, PendingReads, imaginary, owner_where, with_reads
from optigpu.kernel.instructions import IN_SEQUENCE, PIPELINED, SEQUENTIAL, Bind, CountedLoop, LaunchKernel, Phase
from optigpu.kernel.iterations import IterationRange, holds_for, iterations, values_of
from optigpu.kernel.loop_contract import Cover, EnteredLoop, Exclusive, Invariant, LoopContract
from optigpu.kernel.pipeline_rules import is_ahead, run_ahead, still_in_use
from optigpu.kernel.side_conditions import (
    SideConditions,
    all_cells,
    ended,
    family_of,
    member,
    next_instruction,
    require_known,
)
from optigpu.kernel.state import OpenBlock, State, changed, take_number
from optigpu.kernel.thread_conditions import require_covered, require_read_within
from optigpu.kernel.thread_loop_conditions import (
    context_after,
    group_of_iteration,
    invariant_reads,
    lent_owner,
    owner_inside,
    owner_outside,
    reads_after_loop,
    require_owned_by,
)
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, LENT, READ, CellFamily, Cells, Owner, arguments, unknown
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ONE, ZERO, Term, instantiate, instantiate_all


def enter_loop(c: SideConditions, state: State, contract: LoopContract) -> State:
    """The body of a loop, for an arbitrary iteration v in low..high.

        X taken from H, with v as first binder     F |- I(low), facts(low)     {F, low <= v < high, facts(v); X(v), I(v), H'} body
        ------------------------------------------------------------------------------------------------------------------------
        {F; H} for (v in low..high) body {see leave_loop}

    Everything else in H is lent to the body (H'), which may read it. A parallel or thread loop has no invariants but of families
    in the share of an atomic operator.
    Sound: X is injective by *take*, and v is a binder of it, so different iterations have different cells. Iterations of a parallel
    loop then share only cells that they read. Facts of v are not known in the body of one: the iterations before v need not have
    run, or have got the memory that they allocate. Iteration v of a thread loop is executed by an equal part of the group; its
    threads own its exclusive cells, and nobody else has read them since the last barrier. An iteration of a magic loop of a kernel
    acts as one, and shares only cells that it reads with others; the group around owns its exclusive cells and nobody has read
    them, so that all earlier accesses are ordered before it. Nothing orders it before what follows, up to a magic barrier.
    """
    loop = next_instruction(state, CountedLoop)
    require_known(state, contract)
    range_ = range_of(c, state, loop)
    v = state.iteration(loop.index)
    context, first, division = group_of_iteration(c, state, loop, contract, range_, v)
    entered = EnteredLoop(contract, range_, v, context, first, (), division)
    if loop.mode not in IN_SEQUENCE:
        _require_accumulating(state, entered)
    number, names = state.counter + 1, dict(state.names)
    take_number(names, v.data.stem, state.block.depth + 1)
    held, body = dict(state.held), dict[int, CellFamily]()
    reads: PendingReads = ()
    for x in contract.exclusive:
        r = family_of(Operation.LOOP, held, x.family, x.cells.base, FULL)
        body[number], own_reads = _exclusive_inside(c, state, loop, entered, x, r, number)
        reads = with_reads(reads, *own_reads)
        held[x.family] = r.without(member(x.cells, r, x.back))
        number += 1
    for inv in contract.invariant:
        if inv.family not in held or held[inv.family] is not state.held[inv.family]:
            raise Rejected(WrongShape(Operation.LOOP))
        body[inv.family] = _invariant_inside(c, state, entered, inv, names)
        if loop.mode not in IN_SEQUENCE:  # other iterations add to it at the same time: no barrier in here ends that
            body[inv.family] = replace(body[inv.family], owner=imaginary())
        del held[inv.family]
    _require_reads_covered(c, state, entered)
    reads = with_reads(reads, *invariant_reads(contract, v))
    for n, r in held.items():
        if r.share not in ACCUMULATING:
            share = LENT if loop.mode in IN_SEQUENCE and r.share != READ else READ
            body[n] = replace(r, share=share, owner=lent_owner(state, entered, r))
    for p in contract.facts:
        c.require(state.facts, instantiate(p, (range_.low,)), BrokenInvariant(Operation.LOOP))
    facts = _facts_inside(state, loop, entered, body)
    env = {**state.env, loop.index: instantiate(range_.index, (v,))}
    block = OpenBlock(replace(entered, pending_reads=reads), state)
    state = changed(state, facts=facts, env=env, held=body, code=loop.body, block=block, counter=number, names=names)
    state = changed(state, context=entered.context, pending_reads=reads)
    return run_ahead(state, loop.stages) if loop.mode == PIPELINED else state


def range_of(c: SideConditions, state: State, loop: CountedLoop) -> IterationRange:
    """The iterations of a counted loop. Its step is positive, and it counts towards its bound."""
    range_ = iterations(loop, *state.values((loop.start, loop.bound, loop.amount)))
    c.require(state.facts, k.lt(ZERO, state.value(loop.amount)), StepNotPositive(Operation.LOOP))
    return replace(range_, high=state.facts.simplify(range_.high))


def _require_accumulating(state: State, entered: EnteredLoop) -> None:
    """Invariants of a parallel or thread loop are of cells that its iterations change by an atomic operator, and nobody reads.

    So what an iteration does depends neither on their contents nor on the iterations before it, and the operator is commutative and
    associative: the cells end up as if the iterations had run one after the other, for which the invariant is proved. Nothing
    is assumed of iterations before v that only their having run would show: no law, and cells are written that were written before.
    """
    for inv in entered.contract.invariant:
        r = state.held.get(inv.family)
        if r is None or r.share not in ACCUMULATING or entered.first is NOWHERE:
            raise Rejected(DependentIterations(Operation.LOOP, "" if r is None else r.cells.base))
        if inv.law is not k.TRUE or instantiate(inv.init, (entered.v, *arguments(r.cells.arity))) is not r.init:
            raise Rejected(WrongShape(Operation.LOOP, r.cells.base))


def _exclusive_inside(
    c: SideConditions, state: State, loop: CountedLoop, entered: EnteredLoop, x: Exclusive, r: CellFamily, number: int
) -> tuple[CellFamily, PendingReads]:
    """The cells X(v) that iteration v takes from r, and their pending reads, as the body sees them under `number`.

    All X(v) are cells of r, and no cell is in two of them. In a thread loop, the threads of the iteration own them, and every
    pending read of one of them is by those threads; that says nothing if there is a single one. In a magic loop of a kernel, the
    whole group owns them, and there is no pending read of one of them.
    """
    if not x.cells.ranges or x.cells.ranges[0] != (entered.range.low, entered.range.high):
        raise Rejected(WrongShape(Operation.LOOP, x.cells.base))
    c.require_cells(Operation.LOOP, state.facts, x.cells, r, x.forward, x.back)
    binders, threads = (entered.v, *arguments(x.cells.arity - 1)), entered.context.threads
    at = instantiate_all(x.forward, binders)
    owner = r.owner and r.owner.at(at)
    reads = tuple(replace(read, family=number) for read in state.pending_reads if read.family == x.family)
    magic = entered.first is NOWHERE
    if entered.division is not None or magic:
        inner = owner_inside(c, state, r, x, entered)
        owner = inner and inner.at(binders)
        first = k.bound(x.cells.arity - 1, INT)
        part = None if entered.division is None else entered.division.part(first)
        known = k.TRUE if entered.division is None else instantiate(entered.division.known, (first,))
        for read in reads:
            require_read_within(c, state, x.cells, read, part, known=known)
        moved = (replace(read, reader=read.reader.moved(k.neg(entered.first))) for read in reads)
        reads = () if magic or threads is ONE else tuple(moved)
    cells = x.cells.under((entered.v,))
    return CellFamily(cells, instantiate(r.value, at), instantiate(r.init, at), FULL, owner), reads


def _invariant_inside(
    c: SideConditions, state: State, entered: EnteredLoop, inv: Invariant, names: dict[str, int]
) -> CellFamily:
    """An invariant family at the start of iteration v. Before the loop, it holds what the invariant says of the first iteration."""
    r = state.held[inv.family]
    if r.share not in ACCUMULATING:
        r = family_of(Operation.LOOP, state.held, inv.family, r.cells.base, FULL)
    low = entered.range.low
    begin = _at_iteration(r, inv, low, r.value)
    c.require_contents(Operation.LOOP, state.facts, begin, r, arguments(r.cells.arity), inv.steps, False)
    if inv.law.level > r.cells.arity + 2 or inv.law.sort is not k.BOOL:
        raise Rejected(WrongShape(Operation.LOOP, r.cells.base))
    if inv.law is not k.TRUE:
        c.require(state.facts, law_of(inv, replace(r, init=begin.init), low), BrokenLaw(Operation.LOOP))
    require_owned_by(c, Operation.LOOP, state, r, begin.owner)
    return _at_iteration(r, inv, entered.v, _unknown_contents(state, r, names))


def _at_iteration(r: CellFamily, inv: Invariant, v: Term, others: Term) -> CellFamily:
    """What an invariant says of its family at iteration v. `others`: the values of the cells of which it gives no value.

    Where the invariant is shown, these are the actual values: it says that there are some. Who ends the atomic operations on
    a family stays the same.
    """
    args = (v, *arguments(r.cells.arity))
    value = others if inv.value is None else k.ite(instantiate(inv.known, args), instantiate(inv.value, args), others)
    owner = r.owner if r.share in ACCUMULATING else inv.owner and inv.owner.at(args)
    return replace(r, value=value, init=instantiate(inv.init, args), owner=owner)


def _unknown_contents(state: State, r: CellFamily, names: dict[str, int]) -> Term:
    """New names for the values of a family."""
    base = r.cells.base
    return unknown(base, take_number(names, base, state.block.depth), r.cells.arity, state.bases[base].sort)


def _require_reads_covered(c: SideConditions, state: State, entered: EnteredLoop) -> None:
    """The pending reads of invariant families before the loop are covered by those that the contract states."""
    contract = entered.contract
    stated = invariant_reads(contract, entered.range.low)
    before = [read for read in state.pending_reads if read.family in {i.family for i in contract.invariant}]
    for read, cover in zip(before, contract.covers, strict=True):
        require_covered(c, Operation.LOOP, state.facts, read, stated, cover)


def _facts_inside(state: State, loop: CountedLoop, entered: EnteredLoop, body: dict[int, CellFamily]) -> Facts:
    """What is known in iteration v: its range, the loop's own condition (by the choice of high), who executes it, the contract's
    facts and laws."""
    contract, range_, v = entered.contract, entered.range, entered.v
    condition = holds_for(loop, instantiate(range_.index, (v,)), state.value(loop.bound))
    facts = state.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), condition)
    if entered.division is not None:
        facts = facts.assume(instantiate(entered.division.known, (v,)))
    facts = facts.assume(*(instantiate(p, (v,)) for p in contract.facts if loop.mode in IN_SEQUENCE))
    return facts.assume(*(law_of(i, body[i.family], v) for i in contract.invariant))


def leave_loop(
    c: SideConditions,
    end: State,
    exclusive: tuple[EqualitySteps, ...],
    invariant: tuple[EqualitySteps, ...],
    covers: tuple[Cover, ...] = (),
) -> State:
    """After a loop.

        {F'; X(v) as promised, I(v+1), H'} end of the body     F', facts(v) |- facts(v+1)
        -----------------------------------------------------------------------------------
        {F, facts(max(low, high)); H with X(v) as promised for all v, I(max(low, high))}

    Side conditions: the body leaves no other cell with full share and no allocation, and ends in its context.
    Sound: by induction over the iterations; those before v do not access X(v). All of them have ended here, in whatever order they
    ran, so that what each has shown is true. max(low, high) is the first iteration not taken,
    also of an empty range. After a thread loop, exclusive cells belong to the threads of their iteration, and what iterations have
    read stays pending. After a pipelined loop, threads may still use the last copies of its arrays.
    """
    entered = ended(end, EnteredLoop)
    contract, range_ = entered.contract, entered.range
    require_known(end, exclusive, invariant, covers)
    before = end.block.before
    assert before is not None
    if is_ahead(end) != is_ahead(before):
        raise Rejected(WrongStage(Operation.LEAVE, text="the body of a pipelined loop does not wait"))
    rest = dict(end.held)
    owners = _exclusive_at_end(c, before, end, entered, rest, exclusive)
    end = _invariants_at_end(c, before, end, entered, rest, invariant)
    c.require_no_leak(Operation.LEAVE, end.facts, rest)
    if end.bases != before.bases:
        raise Rejected(Leak(Operation.LEAVE, next(iter(end.bases.keys() ^ before.bases.keys()), "")))
    known = end.facts
    if next_instruction(before, CountedLoop).mode not in IN_SEQUENCE:  # those of v are not known in the body
        known = known.assume(*(instantiate(p, (entered.v,)) for p in contract.facts))
    for p in contract.facts:
        c.require(known, instantiate(p, (k.add(entered.v, ONE),)), BrokenInvariant(Operation.LEAVE))
    context = context_after(before, end, entered)
    if next_instruction(before, CountedLoop).mode == PIPELINED:
        context = still_in_use(context, end)
    outer = {before.counter + 1 + n: x.family for n, x in enumerate(contract.exclusive)}
    reads = reads_after_loop(c, before, end, entered, outer, covers)
    held, names = _families_after(before, entered, owners)
    facts = before.facts.assume(*(instantiate(p, (range_.end,)) for p in contract.facts))
    facts = facts.assume(*(law_of(i, held[i.family], range_.end) for i in contract.invariant))
    after = changed(before, facts=facts, held=held, counter=end.counter, names=names)
    if next_instruction(before, CountedLoop).mode not in IN_SEQUENCE and context.kind == HOST:
        after = changed(after, held={n: _after_host_loop(c, after, r) for n, r in held.items()})
    return changed(after, code=before.code[1:], context=context, pending_reads=reads)


def _after_host_loop(c: SideConditions, state: State, r: CellFamily) -> CellFamily:
    """The iterations of a parallel loop of the host have ended: so have their atomic operations, if no loop around has others."""
    return settled(c, state, r) if r.share in ACCUMULATING and r.owner is None else r


def _exclusive_at_end(
    c: SideConditions,
    before: State,
    end: State,
    entered: EnteredLoop,
    rest: dict[int, CellFamily],
    steps: tuple[EqualitySteps, ...],
) -> list[Owner | None]:
    """At the end of the body, X(v) is held, with what was promised. Takes it from `rest`; returns the owners after the loop."""
    owners = []
    for n, (x, by) in enumerate(zip(entered.contract.exclusive, steps, strict=True)):
        cells = x.cells.under((entered.v,))
        args = (entered.v, *arguments(cells.arity))
        r = _given_back(rest, before.counter + 1 + n, cells, FULL)
        value = ZERO if x.value is None else instantiate(x.value, args)
        want = CellFamily(cells, value, instantiate(x.init, args))
        c.require_contents(Operation.LEAVE, end.facts, want, r, arguments(cells.arity), by, x.value is None)
        owners.append(owner_outside(before, entered, r))
    return owners


def _invariants_at_end(
    c: SideConditions,
    before: State,
    end: State,
    entered: EnteredLoop,
    rest: dict[int, CellFamily],
    steps: tuple[EqualitySteps, ...],
) -> State:
    """At the end of the body, the invariant families are held, with what the contract says of v + 1. Takes them from `rest`.

    That an integer variable has its value at v + 1 is a fact, once shown, for the invariants after it: which cells of a buffer are
    written may depend on a counter.
    """
    following = k.add(entered.v, ONE)
    for inv, by in zip(entered.contract.invariant, steps, strict=True):
        family = before.held[inv.family]
        r = _given_back(rest, inv.family, family.cells, family.share)
        want = _at_iteration(r, inv, following, r.value)
        c.require_contents(Operation.LEAVE, end.facts, want, r, arguments(r.cells.arity), by, False)
        if inv.law is not k.TRUE:
            law = law_of(inv, replace(r, init=want.init), following)
            c.require(end.facts, law, BrokenLaw(Operation.LEAVE, r.cells.base))
        require_owned_by(c, Operation.LEAVE, end, r, want.owner)
        if inv.value is not None and not r.cells.ranges and r.value.sort is INT:
            equal = k.implies(k.and_(r.cells.where, want.init), k.eq(r.value, want.value))
            end = changed(end, facts=end.facts.assume(equal))
    return end


def _given_back(rest: dict[int, CellFamily], number: int, cells: Cells, share: str) -> CellFamily:
    """The family is held in this share, with the cells it had at the start of the body. It is removed from `rest`."""
    r = rest.pop(number, None)
    if r is None or r.cells != cells or r.share != share:
        raise Rejected(MissingPermission(Operation.LEAVE, cells.base))
    return r


def _families_after(
    before: State, entered: EnteredLoop, owners: list[Owner | None]
) -> tuple[dict[int, CellFamily], dict[str, int]]:
    """The families after the loop: exclusive cells as their iteration left them, invariants at the first iteration not taken."""
    held, names = dict(before.held), dict(before.names)
    for x, owner in zip(entered.contract.exclusive, owners, strict=True):
        r = before.held[x.family]
        value = _unknown_contents(before, replace(r, cells=x.cells), names) if x.value is None else x.value
        exclusive = member(x.cells, r, x.back)
        after = held[x.family].updated(exclusive, instantiate(value, x.back), instantiate(x.init, x.back))
        owner = owner_where(before.context, exclusive, owner and owner.at(x.back), after.owner)
        held[x.family] = replace(after, owner=owner)
    for inv in entered.contract.invariant:
        r = held[inv.family]
        held[inv.family] = _at_iteration(r, inv, entered.range.end, _unknown_contents(before, r, names))
    return held, names


def law_of(inv: Invariant, r: CellFamily, v: Term) -> Term:
    """The invariant's law holds of iteration v, and of the binders and the value of every cell of r that is written.

    It is shown of the actual contents at entry and at the end of the body, where the invariant says that cells are written. So by
    induction it holds of the contents at the start of every iteration and after the last one, whether `value` tells them or not.
    """
    return all_cells(r, instantiate(inv.law, (v, *arguments(r.cells.arity), r.value)))


def unroll(c: SideConditions, state: State) -> State:
    """A sequential loop over known numbers is its body for each of them, one after the other.

    Side condition: a kernel that the body launches ends in the body.
    """
    loop = next_instruction(state, CountedLoop)
    numbers = [state.facts.simplify(state.value(t)) for t in (loop.start, loop.bound, loop.amount)]
    if loop.mode != SEQUENTIAL or not all(k.is_num(t) for t in numbers):
        raise Rejected(NotUnrolled(Operation.UNROLL))
    phases = [i for i in loop.body if isinstance(i, LaunchKernel | Phase)]
    if phases and (state.context.kind != HOST or phases[-1] != Phase(HOST)):
        raise Rejected(WrongContext(Operation.LAUNCH, context=state.context, to=HOST))
    values = values_of(loop, *(t.data for t in numbers))
    code = tuple(i for value in values for i in (Bind(loop.index, k.num(value), at=loop.at), *loop.body))
    return changed(state, code=code + state.code[1:])
