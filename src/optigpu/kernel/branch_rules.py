"""Rules for branches."""

from __future__ import annotations

from optigpu.kernel.causes import DifferentBranches, Operation, OutOfOrder, Rejected, WrongContext
from optigpu.kernel.context import PendingRead, owner_where, with_reads
from optigpu.kernel.instructions import Branch
from optigpu.kernel.side_conditions import SideConditions, ended, next_instruction
from optigpu.kernel.state import OpenBlock, State, TakenBranch, changed
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import CellFamily
from optigpu.logic.terms import Term


def enter_if(c: SideConditions, state: State) -> tuple[State, State]:
    """if (p) A else B: both branches start from the same state, each with its condition.

    {F, p; H} A {..}     {F, not p; H} B {..}
    -----------------------------------------
    {F; H} if (p) A else B {see join_if}
    """
    i = next_instruction(state, Branch)
    test = state.value(i.test)
    out = []
    for condition, code in ((test, i.then), (k.not_(test), i.other)):
        facts = state.facts.assume(condition)
        block = OpenBlock(TakenBranch(condition, len(facts.assumptions)), state)
        out.append(changed(state, facts=facts, code=code, block=block))
    return out[0], out[1]


def join_if(c: SideConditions, yes: State, no: State) -> State:
    """The end of both branches of an `if (p)`.

        {F, F1; H1} end of A     {F, F2; H2} end of B     H1 and H2 have the same cells
        ------------------------------------------------------------------------------
        {F, p => F1, not p => F2; H with value (p ? v1 : v2)}

    Side conditions: what a branch allocates it frees, and both end in the same context, but for shared arrays out of scope: those
    that threads may still use after one branch, they may use after both.
    Sound: all threads of the group take the same branch, so owners and pending reads are those of one branch or the other.
    """
    first, second = ended(yes, TakenBranch), ended(no, TakenBranch)
    test, opposite = first.condition, second.condition
    before = yes.block.before
    if before is None or before is not no.block.before or k.not_(test) is not opposite:
        raise Rejected(OutOfOrder(Operation.JOIN, text="these are not the two branches of one if"))
    if yes.held.keys() != no.held.keys() or yes.bases != no.bases:
        raise Rejected(DifferentBranches(Operation.JOIN, _difference(yes, no)))
    busy = (*yes.context.busy, *(x for x in no.context.busy if x not in yes.context.busy))
    used = k.add(k.max_(yes.context.in_scope, no.context.in_scope), *(size for _, size in busy))
    context = replace(yes.context, used=used, busy=busy)
    if context != replace(no.context, used=used, busy=busy):
        raise Rejected(WrongContext(Operation.JOIN, context=no.context))
    held: dict[int, CellFamily] = {}
    for n, r in yes.held.items():
        s = no.held[n]
        if (r.cells, r.share) != (s.cells, s.share):
            raise Rejected(DifferentBranches(Operation.JOIN, r.cells.base))
        owner = owner_where(context, test, r.owner, s.owner)
        held[n] = replace(r, value=k.ite(test, r.value, s.value), init=k.ite(test, r.init, s.init), owner=owner)
    reads = tuple(read for read in yes.pending_reads if read in no.pending_reads)
    reads = with_reads(reads, *(_read_if(read, test) for read in yes.pending_reads if read not in reads))
    reads = with_reads(reads, *(_read_if(read, opposite) for read in no.pending_reads if read not in yes.pending_reads))
    env = {x: k.ite(test, yes.env[x], no.env[x]) for x in yes.env.keys() & no.env.keys()}
    learned = [k.implies(test, f) for f in yes.facts.assumptions[first.facts_before :]]
    learned += [k.implies(opposite, f) for f in no.facts.assumptions[second.facts_before :]]
    facts, counter = before.facts.assume(*learned), max(yes.counter, no.counter)
    names = {stem: max(yes.names.get(stem, 1), no.names.get(stem, 1)) for stem in yes.names.keys() | no.names.keys()}
    after = changed(before, facts=facts, env=env, held=held, bases=yes.bases, code=before.code[1:], counter=counter)
    return changed(after, names=names, context=context, pending_reads=reads)


def _read_if(read: PendingRead, test: Term) -> PendingRead:
    """A pending read, if the (closed) test holds."""
    return replace(read, cells=replace(read.cells, where=k.and_(read.cells.where, test)))


def _difference(yes: State, no: State) -> str:
    """A base that only one of the states holds, for the message."""
    for n in sorted(yes.held.keys() ^ no.held.keys()):
        return (yes.held.get(n) or no.held[n]).cells.base
    return next(iter(yes.bases.keys() ^ no.bases.keys()), "")
