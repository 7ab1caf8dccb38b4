"""What every search uses: answers of the judge, fresh variables, inverses of index maps."""

from __future__ import annotations

from optigpu.logic.cells import Cells, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import Sort, Term
from optigpu.search.fresh_names import FreshNames
from optigpu.search.inverse import invert
from optigpu.search.refutation import refuted
from optigpu.search.samples import advice
from optigpu.search.watch import Watch


class SearchTools:
    """The judge and the fresh variables of one search."""

    def __init__(self, judge: ObligationJudge, watch: Watch | None = None) -> None:
        self.judge = judge
        self.watch = watch or Watch()
        self.names = FreshNames()

    def proves(self, facts: Facts, goal: Term) -> bool:
        """Ask the judge, unless a model at hand refutes the goal."""
        self.watch.tick()
        return not refuted(facts, goal) and self.judge.proves(facts, goal, count=False)

    def temporaries(self, n: int, stem: str = "b") -> Terms:
        return self.names.temporaries(n, stem)

    def opaque(self, sort: Sort) -> Term:
        return self.names.opaque(sort)

    def invert(self, cells: Cells, target: Terms, facts: Facts) -> Terms | None:
        """Compute the values of the binders at which the index of the cells is `target`."""
        known = advice(facts).answers
        if (cells, target) not in known:
            first = self.names.temporaries_made
            known[cells, target] = invert(cells, target, facts, self.names)
            self.names.temporaries_made = first
        values: Terms | None = known[cells, target]
        return values
