"""Rules that describe the same memory in another way; no instruction is executed."""

from __future__ import annotations

from optigpu.kernel.causes import NotOwner, Operation, OutOfOrder, Rejected, WrongShape
from optigpu.kernel.side_conditions import SideConditions, Take, arbitrary, family_of, member, require_known, terms_of
from optigpu.kernel.state import State, changed, take_number
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, CellFamily, Cells, Owner, Terms, arguments, unknown
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.terms import INT, Term, fun_sort, instantiate, rule_var


def tidy(c: SideConditions, state: State, family: int) -> State:
    """The contents of a family, simplified by what holds of its cells.

    F, b in r |- r.value(b) = v(b),  r.init(b) = i(b)
    -------------------------------------------------
    {F; H, r} {F; H, r with value v and init i}
    """
    r = state.held[family]
    b, inside = arbitrary(state.facts, r.cells)
    value = k.abstract(inside.simplify(r.value_at(b)), b)
    init = k.abstract(inside.simplify(r.init_at(b)), b)
    owner = r.owner and Owner(*(k.abstract(inside.simplify(t), b) for t in terms_of(r.owner.at(b))))
    return changed(state, held={**state.held, family: replace(r, value=value, init=init, owner=owner)})


def restate(c: SideConditions, state: State, family: int, where: Term, value: Term, steps: EqualitySteps) -> State:
    """The contents of a family, written in another way.

        F, b in r, where(b), r.init(b) |- r.value(b) = value(b)   by `steps`
        --------------------------------------------------------------------
        {F; H, r} {F; H, r with value (where ? value : x)}                      x is a new function of the binders

    Sound: elsewhere the contents get a new name, of which nothing is known.
    """
    require_known(state, where, value, steps)
    r, n = state.held[family], state.held[family].cells.arity
    want = CellFamily(r.cells, value, k.and_(where, r.init))
    c.require_contents(Operation.RESTATE, state.facts, want, r, arguments(n), steps, False)
    names = dict(state.names)
    number = take_number(names, r.cells.base, state.block.depth)
    other = unknown(r.cells.base, number, n, state.bases[r.cells.base].sort)
    new = replace(r, value=k.ite(where, value, other))
    return changed(state, held={**state.held, family: new}, names=names)


def name(c: SideConditions, state: State, family: int) -> State:
    """The contents of a family get a name.

        D' = D, x(b) = r.value(b)
        ---------------------------------------------
        {D; F; H, r} {D'; F; H, r with value x(b)}          x is a new function of the binders

    Sound: a new name may stand for anything that there is.
    """
    r, n = state.held[family], state.held[family].cells.arity
    b, _ = state.facts.arbitrary(*(INT,) * n)
    names = dict(state.names)
    value = unknown(r.cells.base, take_number(names, r.cells.base, state.block.depth), n, r.value.sort)
    x, meaning = (value.args[0], k.lam(b, r.value_at(b))) if n else (value, r.value)
    held = {**state.held, family: replace(r, value=value)}
    return changed(state, held=held, definitions={**state.definitions, x: meaning}, names=names)


def unfold(c: SideConditions, state: State, names: Terms) -> State:
    """Names of contents are replaced by what they stand for, one after the other.

        D has x = t
        ---------------------------------------------
        {D; F; H} {D; F, F[t/x]; H[t/x]}

    Sound: both are equal, and t has no variable that did not exist when x was introduced.
    """
    for x in names:
        if x not in state.definitions:
            raise Rejected(OutOfOrder(Operation.ORDER, text=f"{x} is no name of contents here"))
        t = {x: state.definitions[x]}
        held = {n: replace(r, value=k.substitute(r.value, t)) for n, r in state.held.items()}
        env = {y: k.substitute(value, t) for y, value in state.env.items()}
        facts = state.facts.assume(*(k.substitute(p, t) for p in state.facts.assumptions if x in p.free))
        state = changed(state, held=held, env=env, facts=facts)
    return state


def inverse(c: SideConditions, state: State, f: Term, low: Term, high: Term) -> State:
    """An injective function has a left inverse.

        F, i and j in low..high, f(i) = f(j) |- i = j
        -------------------------------------------------------
        {F; H} {F, for all i in low..high: g(f(i)) = i; H}          g is a new function

    Sound: g may map f(i) to i, since no other index of the range has this value, and all other numbers to 0. In the outermost block
    only, where a new name lasts to the end of the function.
    """
    require_known(state, f, low, high)
    if (
        any(t.level for t in (f, low, high))
        or f.sort is not fun_sort((INT,), INT)
        or (low.sort, high.sort) != (INT, INT)
    ):
        raise Rejected(OutOfOrder(Operation.ORDER, text=f"{f} is no function of one integer"))
    if state.block.before is not None:
        raise Rejected(OutOfOrder(Operation.ORDER, text="an inverse is introduced in the body of a function"))
    (i, j), inner = state.facts.arbitrary(INT, INT)
    ranges = (k.le(low, i), k.lt(i, high), k.le(low, j), k.lt(j, high))
    c.require(
        inner.assume(*ranges, k.eq(k.app(f, i), k.app(f, j))), k.eq(i, j), OutOfOrder(Operation.ORDER, text="injective")
    )
    names = dict(state.names)
    g = rule_var("inverse", take_number(names, "inverse", 0), f.sort)
    at = k.bound(0, INT)
    fact = k.big("all", low, high, k.eq(k.app(g, k.app(f, at)), at))
    return changed(state, facts=state.facts.assume(fact), names=names)


def gather(c: SideConditions, state: State, cells: Cells, test: Term, takes: tuple[Take, Take]) -> State:
    """Cells of two families as one family.

        {cells | test} taken from r,   {cells | not test} taken from what is left of s
        --------------------------------------------------------------------------------------------------
        {F; H, r, s} {F; H, r and s without them, {cells} with value (test ? r.value : s.value)}

    Side conditions: both families are held in full, by the whole group, and have no pending reads.
    Sound: the new family is injective. Two binders of one cell are on the same side of the test, since what is taken second is not
    what was taken first and no cell is in two families; and on one side they are equal, by *take*.
    """
    require_known(state, cells, test, takes)
    if test.level > cells.arity:
        raise Rejected(WrongShape(Operation.GATHER, cells.base))
    held, contents = dict(state.held), []
    for take, side in zip(takes, (test, k.not_(test)), strict=True):
        r = family_of(Operation.GATHER, held, take.family, cells.base, FULL)
        if r.owner is not None or any(read.family == take.family for read in state.pending_reads):
            raise Rejected(NotOwner(Operation.GATHER, cells.base))
        part = replace(cells, where=k.and_(cells.where, side))
        c.require_cells(Operation.GATHER, state.facts, part, r, take.forward, take.back)
        contents.append((instantiate(r.value, take.forward), instantiate(r.init, take.forward)))
        left = r.without(member(part, r, take.back))
        _, inside = arbitrary(state.facts, left.cells)
        held |= {take.family: left}
        if c.judge.proves(inside, k.FALSE):  # no cell is left
            del held[take.family]
    (value, init), (other, other_init) = contents
    held[state.counter] = CellFamily(cells, k.ite(test, value, other), k.ite(test, init, other_init))
    return changed(state, held=held, counter=state.counter + 1)
