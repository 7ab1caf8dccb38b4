"""The rule for calls."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.kernel.causes import (
    EmptyGroup,
    Operation,
    Rejected,
    WrongContext,
    WrongShape,
    WrongSizes,
    WrongSpace,
    WrongStage,
)
from optigpu.kernel.context import HOST, THREADS, PendingReads, owner_where
from optigpu.kernel.instructions import DEVICE, GLOBAL, REGISTER, SHARED, ArrayView, Invoke, Parameter, Procedure
from optigpu.kernel.memory_copies import copying
from optigpu.kernel.pipeline_rules import is_ahead
from optigpu.kernel.side_conditions import SideConditions, Take, arbitrary, member, next_instruction, require_known
from optigpu.kernel.state import State, changed, take_number
from optigpu.kernel.thread_conditions import (
    ANY_LAUNCH,
    launch_of,
    reads_after,
    require_group_size,
    require_handover,
    require_reach,
)
from optigpu.kernel.thread_rules import SYNCHRONISED, in_reach, not_in_use, synchronised
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, CellClaim, CellFamily, Cells, Terms
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.terms import Term, instantiate

Gives: TypeAlias = tuple[Take | None, ...]
Arguments: TypeAlias = tuple[dict[Term, Term], dict[str, ArrayView]]


@dataclass(frozen=True, slots=True)
class TakenCells:
    """Cells that a call has taken from a family of the caller's, and which of the family's they are."""

    cells: Cells
    take: Take
    member: Term


def call(
    c: SideConditions,
    state: State,
    variables: Terms,
    takes: tuple[Take, ...],
    steps: tuple[EqualitySteps, ...],
    gives: Gives = (),
) -> State:
    """x = f(arguments), for values of the logical variables of f's contract.

        F |- requires     H = pre, H'  (full claims taken one after the other, reading claims found in the rest)
        ------------------------------------------------------------------------------------------------------
        {F; pre, H'} x = f(..) {F, ensures; post, H'}

    Side conditions: f has been proved as it is, or is admitted and then in the ledger (there is no recursion). Cells that are given
    back as they were taken, or are found by `gives` (one for each claim of the postcondition) among those that were, stay in their
    family with new contents.
    A device function is executed by the whole current group, which has the number of threads that f asks for. It counts threads as
    the group does, so that owners mean the same in its contract. After a barrier inside, any thread of the group may have read what
    f reads.
    An admitted function may be a barrier for some memory (`synchronises`): its contract is assumed for every permission H, takes H
    and gives Sync(H). Here H is all that the group holds of this memory beside pre and has `in_reach`: it is `synchronised`, for
    this group. The cells of pre and post are not in H, and what f reads may be read after the barrier. An admitted device function
    is called by at least one thread: what it ensures, somebody does.
    A lemma without parameters holds no memory and is not executed: its facts hold for all values of its variables, in any context.
    """
    i = next_instruction(state, Invoke)
    require_known(state, variables, steps, gives)
    f = _callee(c, state, i)
    values, views = _arguments(c, state, f, i, variables)
    if is_ahead(state) and f.threads is not k.ONE:
        raise Rejected(
            WrongStage(Operation.CALL, text=f"`{f.name}` may have barriers, in a part of a loop that runs ahead")
        )
    if f.device:
        require_group_size(c, Operation.CALL, state, k.substitute(f.threads, values), function=f.name)
        if f.admitted:
            c.require(
                state.facts, k.le(k.ONE, state.context.threads), EmptyGroup(Operation.CALL, context=state.context)
            )
    for p, by in zip(f.contract.requires, steps, strict=True):
        c.require_fact(Operation.CALL, state.facts, k.substitute(p, values), by)
    spaces = in_reach(c, state, f.synchronises)
    after = synchronised(c, state, spaces)
    if SHARED in spaces and c.judge.proves(state.facts, k.eq(state.context.threads, state.context.block)):
        after = not_in_use(after)
    pre = [_actual(p, values, views) for p in f.contract.pre]
    taken, reads = _take_precondition(c, state, f, pre, takes, after.pending_reads)
    env, names = dict(state.env), dict(state.names)
    if f.contract.result is not None:
        result = values[f.contract.result] = state.fresh(f.name, f.contract.result.sort)
        take_number(names, f.name, state.block.depth)
        if i.target is not None:
            env[i.target] = result
    post = [_actual(p, values, views) for p in f.contract.post]
    held = _give_postcondition(c, after, post, gives or (None,) * len(post), taken, names)
    facts = state.facts.assume(*(k.substitute(p, values) for p in f.contract.ensures))
    counter = state.counter + 1 + len(post)
    after = changed(after, facts=facts, env=env, held=held, code=state.code[1:], counter=counter, names=names)
    return changed(after, pending_reads=reads)


def _callee(c: SideConditions, state: State, i: Invoke) -> Procedure:
    """The function called: proved or admitted, or a copy that the kernel defines; and called by who may call it."""
    f = c.program.functions[i.function]
    if f != copying(f.name):
        c.ledger.used(f)
    if not set(f.synchronises) <= set(
        SYNCHRONISED if f.admitted and f.device else ()
    ):  # no rule proves that code is a barrier
        raise Rejected(WrongShape(Operation.CALL))
    if not (f.lemma and not f.params) and state.context.kind != (THREADS if f.device else HOST):
        raise Rejected(WrongContext(Operation.CALL, context=state.context, function=f.name))
    return f


def _arguments(c: SideConditions, state: State, f: Procedure, i: Invoke, variables: Terms) -> Arguments:
    """What every name of the contract stands for at the call: terms for scalars, views for arrays.

    A name left out would be taken for one of the caller's, and a loose index would be another value at each cell of a claim. A
    postcondition gives nothing back for reading: the caller has not lost it, and would hold it twice.
    """
    wrong = any(v.sort is not x.sort or v.level for v, x in zip(variables, f.contract.variables))
    if wrong or any(p.share != FULL for p in f.contract.post):
        raise Rejected(WrongShape(Operation.CALL))
    values = dict(zip(ANY_LAUNCH, launch_of(state.context)))
    values.update(zip(f.contract.variables, variables, strict=True))
    views: dict[str, ArrayView] = {}
    for p, a in zip(f.params, i.args, strict=True):
        if isinstance(a, ArrayView) and p.dims is not None:
            views[p.name] = ArrayView(a.base, state.values(a.lead), state.value(a.shift))
        elif isinstance(a, Term) and p.dims is None and a.sort is p.sort:
            values[k.var(p.name, p.sort)] = state.value(a)
        else:
            raise Rejected(WrongShape(Operation.CALL))
    for p in f.params:
        if p.dims is not None:
            _require_same_layout(c, state, p, views[p.name], values)
    limits = [(state.bases[views[p.name].base].limits, p.limits) for p in f.params if p.dims is not None]
    if len({actual for actual, _ in limits}) > 1 if f.primitive else any(actual != p for actual, p in limits):
        raise Rejected(WrongShape(Operation.CALL, f.params[0].name))  # what fits the one need not fit the other
    return values, views


def _require_same_layout(
    c: SideConditions, state: State, p: Parameter, view: ArrayView, values: dict[Term, Term]
) -> None:
    """The array passed has the parameter's element type, memory and inner sizes: they fix where its elements lie."""
    base, dims = state.bases[view.base], p.dims or ()
    sizes = base.dims[len(view.lead) :]
    if len(sizes) != len(dims) or base.sort is not p.sort:
        raise Rejected(WrongShape(Operation.CALL, view.base))
    if base.space != p.space and not (p.space == DEVICE and base.space in (GLOBAL, SHARED, REGISTER)):
        raise Rejected(WrongSpace(Operation.CALL, view.base, space=base.space, context=state.context))
    for have, want in zip(sizes[1:], dims[1:]):
        if have is None or want is None:
            raise Rejected(WrongSizes(Operation.CALL, view.base))
        c.require(state.facts, k.eq(have, k.substitute(want, values)), WrongSizes(Operation.CALL, view.base))


def _actual(claim: CellClaim, values: dict[Term, Term], views: dict[str, ArrayView]) -> CellClaim:
    """A claim of the contract, for these arguments."""
    return seen_through(claim.substitute(values), views)


def seen_through(claim: CellClaim, views: dict[str, ArrayView]) -> CellClaim:
    """A claim about a parameter, as one about the array it is a view of."""
    view, n = views[claim.cells.base], claim.cells.arity
    first, *rest = claim.cells.index
    lead = tuple(k.shift(t, n) for t in view.lead)
    index = (*lead, k.add(k.shift(view.shift, n), first), *rest)
    return replace(claim, cells=replace(claim.cells, base=view.base, index=index))


def _take_precondition(
    c: SideConditions, state: State, f: Procedure, pre: list[CellClaim], takes: tuple[Take, ...], reads: PendingReads
) -> tuple[list[TakenCells], PendingReads]:
    """The caller holds the cells of the precondition, with their contents. Returns those with full share, and the pending reads.

    Full claims are taken one after the other, so that no cell is taken twice; reading claims are found in what is left. A device
    function can reach the memory of the cells it gets, and their owners gain no access. `reads`: the pending reads that are left.
    """
    held, taken = dict(state.held), list[TakenCells]()
    for share in (FULL, READ):
        for claim, take in zip(pre, takes, strict=True):
            if claim.share == share:
                r = c.claimed_family(Operation.CALL, state, held, claim, take)
                if f.device:
                    require_reach(Operation.CALL, state, claim.cells.base, called=True)
                    require_handover(c, Operation.CALL, state, r, claim, take)
                if share == READ:
                    reads = reads_after(changed(state, pending_reads=reads), take.family, claim.cells)
                if share == FULL:
                    taken.append(TakenCells(claim.cells, take, member(claim.cells, r, take.back)))
                    held[take.family] = r.without(taken[-1].member)
    return taken, reads


def _give_postcondition(
    c: SideConditions,
    state: State,
    post: list[CellClaim],
    gives: Gives,
    taken: list[TakenCells],
    names: dict[str, int],
) -> dict[int, CellFamily]:
    """What the caller holds after the call: its families, with the contents of the postcondition, less what is not given back.

    `missing` has for each family the cells that were taken and are not given back so far. A claim of the postcondition is given
    back as it was taken; or found by `gives` among the missing cells, so that no cell is held twice; or it is a new family.
    """
    held, waiting = dict(state.held), list(taken)
    missing = _not_returned(taken, {p.cells for p in post})
    for counter, (claim, give) in enumerate(zip(post, gives, strict=True), state.counter + 1):
        number = take_number(names, claim.cells.base, state.block.depth)
        new = claim.family(number, state.bases[claim.cells.base].sort)
        returned = next((t for t in waiting if t.cells == claim.cells), None)
        home = give if returned is None else returned.take
        if home is None:
            held[counter] = new
            continue
        r = held[home.family]
        part = member(claim.cells, r, home.back)
        if returned is None:
            left = missing.get(home.family, k.FALSE)
            available = replace(r, cells=replace(r.cells, where=k.and_(r.cells.where, left)))
            c.require_cells(Operation.CALL, state.facts, claim.cells, available, home.forward, home.back)
            missing[home.family] = k.and_(left, k.not_(part))
        else:
            waiting.remove(returned)
        r = r.updated(part, instantiate(new.value, home.back), instantiate(new.init, home.back))
        owner = owner_where(state.context, part, claim.owner and claim.owner.at(home.back), r.owner)
        held[home.family] = replace(r, owner=owner)
    return _without_missing(c, state, held, missing)


def _not_returned(taken: list[TakenCells], returned: set[Cells]) -> dict[int, Term]:
    """For each family, which of its cells were taken and are not given back as they were taken."""
    missing = {t.take.family: k.FALSE for t in taken}
    for t in taken:
        if t.cells not in returned:
            missing[t.take.family] = k.or_(missing[t.take.family], t.member)
    return missing


def _without_missing(
    c: SideConditions, state: State, held: dict[int, CellFamily], missing: dict[int, Term]
) -> dict[int, CellFamily]:
    """The families without the cells that are not given back at all; a family from which none is missing stays as it is."""
    for n, part in missing.items():
        b, inside = arbitrary(state.facts, held[n].cells)
        if not c.judge.proves(inside, k.not_(instantiate(part, b))):
            held[n] = held[n].without(part)
    return held
