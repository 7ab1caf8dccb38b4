"""Finding cells: the family that holds the cells a rule needs, the index maps between them, and why it holds the values wanted.

For the claim a[32 * b + x] of a function, in a family that holds a[i] for i in 0..n: forward i = 32 * b + x, back b = i div 32 and
x = i mod 32.
"""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.kernel import Rejected, State
from optigpu.kernel.causes import MissingPermission, Operation
from optigpu.kernel.side_conditions import Take
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import ACCUMULATING, FULL, KNOWN, LENT, CellClaim, CellFamily, Cells, Terms, same
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.equalities.equality_search import EqualitySearch
from optigpu.search.equalities.maxima import Guess
from optigpu.search.equalities.sum_terms import abstract_step
from optigpu.search.fresh_names import scoped
from optigpu.search.search_tools import SearchTools


class CellSearch:
    """Finds the families, index maps and equality steps that the kernel's rules take as arguments."""

    def __init__(self, tools: SearchTools, equalities: EqualitySearch) -> None:
        self.tools, self.equalities = tools, equalities

    # Families

    def candidates(self, held: dict[int, CellFamily], base: str, share: str, index: Terms = ()) -> list[int]:
        """List the families of a base: full ones first, single cells at an index that is surely another one last."""
        full = {FULL: (True,), LENT: (False,)}.get(share, (True, False))
        of_base = [(n, r.share) for n, r in held.items() if r.cells.base == base and r.share not in ACCUMULATING]
        numbers = [n for n, held_share in of_base if (held_share == FULL) in full]
        return sorted(numbers, key=lambda n: (_is_elsewhere(held[n].cells, index), held[n].share != FULL))

    def accumulating(self, held: Mapping[int, CellFamily], base: str) -> list[int]:
        """List the families of a base that threads change by atomic operations."""
        return [n for n, r in held.items() if r.cells.base == base and r.share in ACCUMULATING]

    def take(
        self, operation: Operation, state: State, held: dict[int, CellFamily], claim: CellClaim, facts: Facts
    ) -> Take:
        """Take a claim out of a family, with equality steps for its contents. Removes the claimed cells from `held`."""
        take = self._find(operation, state, held, claim)
        r = held[take.family]
        held[take.family] = r.without(
            k.and_(claim.cells.domain(take.back), same(claim.cells.at(take.back), r.cells.index))
        )
        return self._with_steps(facts, claim, r, take)

    def borrow(
        self, operation: Operation, state: State, held: dict[int, CellFamily], claim: CellClaim, facts: Facts
    ) -> Take:
        """Find the family for a claim to read. The cells stay in `held`."""
        take = self._find(operation, state, held, claim)
        return self._with_steps(facts, claim, held[take.family], take)

    def _find(self, operation: Operation, state: State, held: dict[int, CellFamily], claim: CellClaim) -> Take:
        need = claim.cells
        for n in self.candidates(held, need.base, claim.share, need.index if not need.arity else ()):
            maps = self.maps(state.facts, need, held[n])
            if maps is not None and self.includes(state.facts, need, held[n], maps[0]):
                return Take(n, *maps)
        families = self.candidates(held, need.base, claim.share)
        maps = self.maps(state.facts, need, held[families[0]]) if families else None
        if maps is None:
            raise Rejected(MissingPermission(operation, need.base, need=need, facts=state.facts))
        return Take(families[0], *maps)

    def home(self, state: State, cells: Cells, families: list[int]) -> tuple[int, tuple[Terms, Terms] | None]:
        """Return the family that contains the cells, with the index maps; the first family if none is seen to contain them."""
        candidates = [(n, self.maps(state.facts, cells, state.held[n])) for n in families]
        for n, maps in candidates if len(candidates) > 1 else ():
            if maps is not None and self.includes(state.facts, cells, state.held[n], maps[0]):
                return n, maps
        return candidates[0]

    # Index maps

    @scoped
    def maps(self, facts: Facts, need: Cells, r: CellFamily) -> tuple[Terms, Terms] | None:
        """Compute the index maps between needed cells and a family: forward from the binders of `need` to those of r, and back."""
        xs = self.tools.temporaries(need.arity)
        forward = self.tools.invert(r.cells, need.at(xs), facts.assume(need.domain(xs)))
        ys = self.tools.temporaries(r.cells.arity)
        back = self.tools.invert(need, r.cells.at(ys), facts.assume(r.cells.domain(ys))) if need.arity else ()
        if forward is None or back is None:
            return None
        return tuple(k.abstract(t, xs) for t in forward), tuple(k.abstract(t, ys) for t in back)

    @scoped
    def includes(self, facts: Facts, need: Cells, r: CellFamily, forward: Terms) -> bool:
        """Are all needed cells in the family?"""
        xs = self.tools.temporaries(need.arity)
        inside = facts.assume(need.domain(xs))
        image = tuple(instantiate(t, xs) for t in forward)
        goal = k.and_(same(r.cells.at(image), need.at(xs)), r.cells.domain(image))
        return self.tools.proves(inside, goal)

    @scoped
    def inverse(self, claim: CellClaim, facts: Facts) -> Terms:
        """Compute the binders of a claim from the indices of its cells."""
        xs = self.tools.temporaries(len(claim.cells.index))
        binders = self.tools.invert(claim.cells, xs, facts)
        if binders is None:
            return tuple(k.ZERO for _ in range(claim.cells.arity))
        return tuple(k.abstract(t, xs) for t in binders)

    # Equality steps

    def _with_steps(self, facts: Facts, claim: CellClaim, r: CellFamily, take: Take) -> Take:
        if claim.contents != KNOWN or claim.value is None:
            return take
        want = CellFamily(claim.cells, claim.value, TRUE)
        return replace(take, steps=self.value_steps(facts, want, r, take.forward))

    @scoped
    def value_steps(
        self, facts: Facts, want: CellFamily, r: CellFamily, forward: Terms, guess: Guess | None = None
    ) -> EqualitySteps:
        """Find equality steps which show that r holds the wanted value, under the binders of `want`."""
        # Binders are named as in the kernel: names decide how terms simplify.
        xs, inside = facts.arbitrary(*(k.INT,) * want.cells.arity)
        inside = inside.assume(want.cells.domain(xs)).assume(want.init_at(xs))
        image = tuple(instantiate(t, xs) for t in forward)
        steps = self.equalities.find(inside, r.value_at(image), want.value_at(xs), guess)
        return tuple(abstract_step(self.tools, s, xs) for s in steps or ())

    @scoped
    def fact_steps(self, facts: Facts, goal: Term) -> EqualitySteps:
        """Find equality steps for an equation, if the judge does not prove it without any."""
        if goal.op != "eq" or self.tools.proves(facts, goal):
            return ()
        p = goal.args[0]
        return self.equalities.find(facts, p, k.num(0, p.sort)) or ()


def _is_elsewhere(cells: Cells, index: Terms) -> bool:
    """Is the family a single cell whose index differs from this one by a nonzero number?"""
    return not cells.arity and any(x is not y and _are_distinct(x, y) for x, y in zip(cells.index, index))


def _are_distinct(x: Term, y: Term) -> bool:
    """Do two integers that are not the same term differ by a number?"""
    return k.is_num(x) if k.is_num(y) else k.is_num(k.sub(x, y))
