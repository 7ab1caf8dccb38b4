"""Loop contracts: from the effects of a loop to the cells of an iteration, the invariants, and steps that prove them.

A loop that writes a[i] in iteration i gets the cells a[i] exclusively; an accumulator is an invariant, `s = s0 + Sum(0, i, f)`.
"""

from __future__ import annotations

from optigpu.kernel import Rejected, State
from optigpu.kernel.causes import MissingPermission, Operation
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, CellFamily, arguments, same
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.cell_search import CellSearch
from optigpu.search.covers import CoverSearch, combined
from optigpu.search.explore.accumulation import FLAG_MONOIDS, Scaled
from optigpu.search.explore.default_terms import with_default_terms
from optigpu.search.explore.effect_contents import EffectContents
from optigpu.search.explore.loop_effects import (
    Accumulation,
    DeclaredInvariant,
    Effect,
    LoopSummary,
    OwnCells,
    UnknownEffect,
    has_no_law,
    is_private,
)
from optigpu.search.fresh_names import is_expressible, scoped
from optigpu.search.search_causes import ReadOnly
from optigpu.search.search_tools import SearchTools


class LoopContractSearch:
    """Builds the contract of a loop, and the equality steps that prove it, from the summary of an exploration."""

    def __init__(self, tools: SearchTools, cells: CellSearch) -> None:
        self.tools, self.cells = tools, cells

    def contract(self, state: State, summary: LoopSummary, bounded: bool = True) -> LoopContract:
        """Build the contract from the effects; `bounded`: with ranges of the variables that the loop changes."""
        exclusive: list[Exclusive] = []
        invariant: list[Invariant] = []
        actual = self.entry_values(state, summary)
        for effect in summary.effects.values():
            families = self.cells.accumulating(state.held, effect.base)
            if families:  # all that iterations add to is an invariant, also cells that are added to once
                added = replace(effect, read_later=True) if isinstance(effect, OwnCells) else effect
                invariant.append(self.invariant(state, summary, added, families[0], actual))
                continue
            families = self.cells.candidates(dict(state.held), effect.base, FULL)
            if not families:
                raise Rejected(ReadOnly(Operation.LOOP, effect.base, facts=state.facts))
            if isinstance(effect, OwnCells) and not effect.read_later:
                exclusive += self.exclusive(state, summary, effect, families, actual)
            else:
                invariant.append(self.invariant(state, summary, effect, families[0], actual))
        laws = summary.ranges(self.tools, state.facts, actual) if bounded else {}
        invariant = [self.with_law(state, summary, i, laws) for i in invariant]
        # Variables first: where cells of arrays are written may depend on a counter.
        invariant.sort(key=lambda i: state.held[i.family].cells.arity > 0)
        facts = tuple(k.substitute(p, actual) for p in summary.invariants)
        return LoopContract(tuple(exclusive), tuple(invariant), facts)

    def with_law(self, state: State, summary: LoopSummary, inv: Invariant, laws: dict[str, Term]) -> Invariant:
        """Add the bounds of a variable that the loop changes to its invariant."""
        r = state.held[inv.family]
        law = laws.get(r.cells.base, TRUE) if r.cells.arity == 0 and r.share == FULL else TRUE
        bounds = k.and_(*(p for p in k.conjuncts(law) if is_expressible(p)))
        return replace(inv, law=bounds) if bounds is not TRUE else inv

    @scoped
    def entry_values(self, state: State, summary: LoopSummary) -> dict[Term, Term]:
        """Map the names of entry contents to the values of the families held here."""
        values: dict[Term, Term] = {}
        effects = tuple(summary.effects.values())
        used = (effects, summary.invariants, summary.reads, tuple(t for _, t in summary.finals), summary.learned)
        mentioned = {x for t in terms_of(used) for x in t.free}
        in_invariants = {e.base for e in effects if not is_private(e)}  # an invariant starts from the contents at entry
        for base, content in summary.entry.items():
            families = self.cells.candidates(dict(state.held), base, "any")
            families += self.cells.accumulating(state.held, base)
            if not families or (content.start not in mentioned and base not in in_invariants):
                continue
            xs = self.tools.temporaries(content.rank, "x")
            value: Term | None = None
            for n in families:
                r = state.held[n]
                at = self.tools.invert(r.cells, xs, state.facts)
                if at is None:
                    continue
                here = r.value_at(at)
                inside = k.and_(r.cells.domain(at), same(r.cells.at(at), xs))
                value = here if value is None else k.ite(inside, here, value)
            if value is not None:
                values[content.start] = k.lam(xs, value) if content.rank else value
        return values

    @scoped
    def exclusive(
        self, state: State, summary: LoopSummary, effect: OwnCells, families: list[int], actual: dict[Term, Term]
    ) -> list[Exclusive]:
        """Build the part of the contract for cells that each iteration has exclusively, with what it leaves in them."""
        pieces: list[Exclusive] = []
        v = summary.v
        covering = self.covering(state, summary, effect, families, actual)
        if covering is not None:
            return [covering]
        for u in effect.updates:
            cells = u.cells.substitute(actual)
            whole = summary.of_all_iterations(cells)
            xs = self.tools.temporaries(cells.arity, "x")
            inside = summary.facts.assume(cells.domain(xs))
            value = inside.simplify(k.substitute(inside.simplify(instantiate(u.value, xs)), actual))
            value = self.plain(inside, value) if u.written else value
            n, maps = self.cells.home(state, whole, families)
            init: Term = k.abstract(instantiate(u.init, xs), (v, *xs)) if u.written else k.FALSE
            if maps is None:
                raise Rejected(MissingPermission(Operation.LOOP, effect.base, need=whole, facts=state.facts))
            if u.uncertain:
                init = instantiate(state.held[n].init, maps[0])
            known = u.written and is_expressible(value)
            pieces.append(Exclusive(n, whole, *maps, init, k.abstract(value, (v, *xs)) if known else None))
        return pieces

    def plain(self, facts: Facts, value: Term) -> Term:
        """State sums of partial sums as sums over one range where a function is applied to them, as in `log(Sum(t, Sum(k, f)))`:
        what is computed from the value later need not be proved equal inside of the function."""
        arguments = (x for t in k.subterms_with(value, "app", "inv") for x in t.args)
        if not any(_is_nested(t) for x in arguments for t in k.subterms_with(x, "sum")):
            return value
        return self.cells.equalities.forms.plain(facts, value)[0]

    @scoped
    def covering(
        self, state: State, summary: LoopSummary, effect: OwnCells, families: list[int], actual: dict[Term, Term]
    ) -> Exclusive | None:
        """Use one footprint for an iteration, where the pieces that it writes overlap or it reads around them."""
        reads = [c for c in summary.reads if c.base == effect.base]
        if len(effect.updates) < 2 and not reads:
            return None
        updates = [replace(u, cells=u.cells.substitute(actual)) for u in effect.updates]
        reads = [c.substitute(actual) for c in reads]
        for n in families:
            r, v = state.held[n], summary.v
            cells = CoverSearch(self.tools, summary, r).cover(replace(effect, updates=tuple(updates)), reads)
            if cells is None:
                continue
            whole = summary.of_all_iterations(cells)
            maps = self.cells.maps(state.facts, whole, r)
            if maps is None:
                continue
            xs = self.tools.temporaries(cells.arity, "x")
            inside = summary.facts.assume(cells.domain(xs))
            at = tuple(instantiate(t, (v, *xs)) for t in maps[0])
            value, init = combined(self.tools, updates, cells, inside, r.value_at(at), r.init_at(at), xs)
            value = inside.simplify(k.substitute(inside.simplify(value), actual))
            init = inside.simplify(k.substitute(init, actual))
            known = is_expressible(value)
            bound = (v, *xs)
            return Exclusive(n, whole, *maps, k.abstract(init, bound), k.abstract(value, bound) if known else None)
        return None

    @scoped
    def invariant(
        self, state: State, summary: LoopSummary, effect: Effect, n: int, actual: dict[Term, Term]
    ) -> Invariant:
        """Build the invariant of a family: values and initialisation of its cells at the start of iteration v."""
        r = state.held[n]
        v, low = summary.v, summary.range.low
        ys = self.tools.temporaries(r.cells.arity)
        facts = state.facts.assume(r.cells.domain(ys))
        inside_loop = facts.assume(k.le(low, v))
        index, init = r.cells.at(ys), r.init_at(ys)
        bound = (v, *ys)
        contents = EffectContents(self.tools, summary)
        if r.share in ACCUMULATING and isinstance(effect, UnknownEffect):
            return Invariant(n, r.init, None)
        if isinstance(effect, UnknownEffect):
            filled = inside_loop.simplify(k.substitute(contents.surely_filled(effect, index), actual))
            init = k.or_(init, filled) if is_expressible(filled) else init
            return Invariant(n, k.abstract(init, bound), None)
        value = contents.value_at_start(effect, index, r.value_at(ys), inside_loop)
        value = inside_loop.simplify(with_default_terms(k.substitute(value, actual)))
        if has_no_law(effect, value):
            return Invariant(n, k.abstract(init, bound), None)
        if isinstance(effect, Accumulation) and effect.accumulator in FLAG_MONOIDS:
            value = _without_choice(value, inside_loop)
        if isinstance(effect, Accumulation) and isinstance(effect.accumulator, Scaled):
            entry = facts.simplify(r.value_at(ys))
            at_entry = facts.simplify(k.substitute(value, {v: low}))
            value = value if at_entry is entry else k.ite(k.lt(low, v), value, entry)
        known, value = _known_part(value) if isinstance(effect, DeclaredInvariant) else (TRUE, value)
        stated = k.abstract(value, bound) if is_expressible(value) else None
        if r.share in ACCUMULATING:
            return Invariant(n, r.init, stated, known=k.abstract(known, bound))
        init = contents.init_at_start(effect, index, init, inside_loop)
        init = inside_loop.simplify(k.substitute(init, actual))
        return Invariant(n, k.abstract(init, bound), stated, known=k.abstract(known, bound))

    def entry_steps(self, state: State, summary: LoopSummary, inv: Invariant) -> Invariant:
        """Add the steps that prove the invariant before the first iteration."""
        if inv.value is None:
            return inv
        r = state.held[inv.family]
        args = (summary.range.low, *arguments(r.cells.arity))
        value = k.ite(instantiate(inv.known, args), instantiate(inv.value, args), r.value)
        want = replace(r, value=value, init=instantiate(inv.init, args))
        return replace(inv, steps=self.cells.value_steps(state.facts, want, r, arguments(r.cells.arity)))

    def exit_steps(
        self, end: State, contract: LoopContract, v: Term, number: int
    ) -> tuple[tuple[EqualitySteps, ...], tuple[EqualitySteps, ...]]:
        """Find steps for the end of the body: for its exclusive cells, and for the invariants at the next iteration."""

        def steps(family: int, value: Term | None, init: Term, iteration: Term, known: Term = TRUE) -> EqualitySteps:
            r = end.held.get(family)
            if r is None or value is None:
                return ()
            args = (iteration, *arguments(r.cells.arity))
            stated = k.ite(instantiate(known, args), instantiate(value, args), r.value)
            want = CellFamily(r.cells, stated, instantiate(init, args))
            return self.cells.value_steps(end.facts, want, r, arguments(r.cells.arity))

        exclusive = tuple(steps(number + i, x.value, x.init, v) for i, x in enumerate(contract.exclusive))
        invariant = tuple(steps(i.family, i.value, i.init, k.add(v, k.ONE), i.known) for i in contract.invariant)
        return exclusive, invariant


def _is_nested(t: Term) -> bool:
    """Is it a sum of sums, or of summands with a guard?"""
    return t.level == 0 and t.args[-1].op in ("sum", "ite")


def _known_part(value: Term) -> tuple[Term, Term]:
    """Return where a value is not opaque, and the value there: for c ? x : y with an opaque y, c and x."""
    if is_expressible(value):
        return TRUE, value
    if value.op != "ite" or not is_expressible(value.args[0]):
        return k.FALSE, value
    c = value.args[0]
    (known_a, a), (known_b, b) = _known_part(value.args[1]), _known_part(value.args[2])
    if known_a is k.FALSE:
        return k.and_(k.not_(c), known_b), b
    if known_b is k.FALSE:
        return k.and_(c, known_a), a
    return k.ite(c, known_a, known_b), k.ite(c, a, b)


def _without_choice(value: Term, facts: Facts) -> Term:
    """Simplify c ? x : y to x, if x equals y where c is false: `0 < v ? All(…) : true` before the first iteration."""
    if value.op == "ite":
        c, a, b = value.args
        for test, x, y in ((k.not_(c), a, b), (c, b, a)):
            if facts.assume(test).simplify(x) is y:
                return x
        for p in k.conjuncts(c):
            rest = k.and_(*(q for q in k.conjuncts(c) if q is not p))
            if facts.assume(k.not_(p)).simplify(rest) is k.FALSE:
                return k.ite(rest, a, b)
    return value
