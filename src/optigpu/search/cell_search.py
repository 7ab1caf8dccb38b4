"""Finding cells: the family that holds the cells a rule needs, the index maps between them, and why it holds the values wanted."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel import Rejected, State
from optigpu.kernel.causes import MissingPermission, Operation
from optigpu.kernel.side_conditions import Take
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, CellClaim, CellFamily, Cells, Terms, same
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.equalities.equality_search import EqualitySearch
from optigpu.search.equalities.maxima import Guess
from optigpu.search.equalities.sum_terms import abstract_step
from optigpu.search.search_tools import SearchTools


class CellSearch:
    def __init__(self, tools: SearchTools, equalities: EqualitySearch) -> None:
        self.tools, self.equalities = tools, equalities

    def candidates(self, held: dict[int, CellFamily], base: str, share: str, index: Terms = ()) -> list[int]:
        """Families of a base, full ones first; single cells that are plainly other ones than that at `index` last."""
        found = [n for n, r in held.items() if r.cells.base == base and (share != FULL or r.share == FULL)]
        return sorted(found, key=lambda n: (_elsewhere(held[n].cells, index), held[n].share != FULL))

    def find_claim(self, operation: Operation, state: State, held: dict[int, CellFamily], claim: CellClaim) -> Take:
        for n in self.candidates(
            held, claim.cells.base, claim.share, claim.cells.index if not claim.cells.arity else ()
        ):
            maps = self.maps(state.facts, claim.cells, held[n])
            if maps is not None and self.includes(state.facts, claim.cells, held[n], maps[0]):
                return Take(n, *maps)
        options = self.candidates(held, claim.cells.base, claim.share)
        if not options:
            raise Rejected(MissingPermission(operation, claim.cells.base, need=claim.cells, facts=state.facts))
        maps = self.maps(state.facts, claim.cells, held[options[0]])
        if maps is None:
            raise Rejected(MissingPermission(operation, claim.cells.base, need=claim.cells, facts=state.facts))
        return Take(options[0], *maps)

    def home(self, state: State, cells: Cells, families: list[int]) -> tuple[int, tuple[Terms, Terms] | None]:
        """The family that has the cells, and the maps; the first one if none is seen to have them."""
        found = [(n, self.maps(state.facts, cells, state.held[n])) for n in families]
        for n, maps in found if len(found) > 1 else ():
            if maps is not None and self.includes(state.facts, cells, state.held[n], maps[0]):
                return n, maps
        return found[0]

    def maps(self, facts: Facts, need: Cells, r: CellFamily) -> tuple[Terms, Terms] | None:
        """forward (from the binders of need to those of r) and back."""
        xs = self.tools.temporaries(need.arity)
        forward = self.tools.invert(r.cells, need.at(xs), facts.assume(need.domain(xs)))
        ys = self.tools.temporaries(r.cells.arity)
        back = self.tools.invert(need, r.cells.at(ys), facts.assume(r.cells.domain(ys)))
        if forward is None or back is None:
            return None
        return tuple(k.abstract(t, xs) for t in forward), tuple(k.abstract(t, ys) for t in back)

    def includes(self, facts: Facts, need: Cells, r: CellFamily, forward: Terms) -> bool:
        xs = self.tools.temporaries(need.arity)
        inside = facts.assume(need.domain(xs))
        image = tuple(instantiate(t, xs) for t in forward)
        goal = k.and_(same(r.cells.at(image), need.at(xs)), r.cells.domain(image))
        return self.tools.proves(inside, goal)

    def inverse(self, claim: CellClaim) -> Terms:
        """The binders of a claim, read off its index."""
        xs = self.tools.temporaries(len(claim.cells.index))
        found = self.tools.invert(claim.cells, xs, self.tools.judge.root)
        if found is None:
            return tuple(k.ZERO for _ in range(claim.cells.arity))
        return tuple(k.abstract(t, xs) for t in found)

    def member(self, cells: Cells, r: CellFamily, back: Terms) -> Term:
        return k.and_(cells.domain(back), same(cells.at(back), r.cells.index))

    def with_steps(self, facts: Facts, claim: CellClaim, r: CellFamily, take: Take) -> Take:
        if claim.contents != KNOWN or claim.value is None:
            return take
        want = CellFamily(claim.cells, claim.value, TRUE)
        return replace(take, steps=self.value_steps(facts, want, r, take.forward))

    def value_steps(
        self, facts: Facts, want: CellFamily, r: CellFamily, forward: Terms, guess: Guess | None = None
    ) -> EqualitySteps:
        """Steps that show r to hold what is wanted, under the binders of what is wanted."""
        xs, inside = facts.arbitrary(
            *(k.INT,) * want.cells.arity
        )  # as the kernel names them: names decide how terms simplify
        inside = inside.assume(want.cells.domain(xs)).assume(want.init_at(xs))
        image = tuple(instantiate(t, xs) for t in forward)
        found = self.equalities.find(inside, r.value_at(image), want.value_at(xs), guess)
        return tuple(abstract_step(self.tools, s, xs) for s in found or ())

    def fact_steps(self, facts: Facts, goal: Term) -> EqualitySteps:
        if goal.op != "eq" or self.tools.proves(facts, goal):
            return ()
        p = goal.args[0]
        return self.equalities.find(facts, p, k.num(0, p.sort)) or ()


def _elsewhere(cells: Cells, index: Terms) -> bool:
    """Is a family one cell, at a place that differs from this one by a number?"""
    return not cells.arity and any(k.is_num(d) and d.data != 0 for d in map(k.sub, cells.index, index))
