"""z3 as the judge's solver.

A product of variables is an uninterpreted function of its factors, so that every query is linear arithmetic with uninterpreted
functions: decidable, quick, and bounded by a deterministic resource limit instead of a time. Every query has a z3 context of its
own, since the search of z3 depends on what its context has seen before, and an answer must not depend on earlier queries.

Most obligations never reach a solver, so z3 is imported by the first query.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from optigpu.logic.judge import Solver
from optigpu.logic.terms import Term
from optigpu.solver.package_versions import package_version

Z3_RLIMIT = 400_000  # z3's unit of work, per query


class Z3Solver(Solver):
    """z3 with a resource limit."""

    def __init__(self, seed: int = 0, rlimit: int = Z3_RLIMIT) -> None:
        self.seed = seed
        self.rlimit = rlimit

    @property
    def description(self) -> str:
        return f"z3 {installed_z3()}"

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        from optigpu.solver.z3_queries import unsatisfiable_negation

        return unsatisfiable_negation(facts, goal, self.seed, self.rlimit)

    def model(self, facts: Sequence[Term], goal: Term) -> dict[Term, int | Fraction | bool] | None:
        """Values of the variables at which the facts hold and the goal does not, if there are any."""
        from optigpu.solver.z3_queries import counter_model

        return counter_model(facts, goal, self.seed, self.rlimit)


@cache
def installed_z3() -> str:
    """The version of z3 in the words of its library: 4.13.0 for the package 4.13.0.0. Without a package, z3 itself is asked."""
    numbers = re.match(r"\d+\.\d+\.\d+", package_version("z3", "z3-solver"))
    if numbers is not None:
        return numbers[0]
    from optigpu.solver.z3_queries import z3_version

    return z3_version()
