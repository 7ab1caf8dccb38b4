"""Checks of contracts by themselves: some input satisfies the precondition, and every part of a formula has a value.

No rule of the kernel asks for this. But a precondition that nothing satisfies proves anything, and a formula with `1 / 0` in it is
about an arbitrary number: the theorem would be true, and not mean what the contract's reader takes it to mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol

from optigpu.check.input_facts import input_facts
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.formula_definedness import ContractFacts, ValueCondition
from optigpu.errors.check_causes import Contradiction
from optigpu.errors.problem import Problem
from optigpu.frontend.parameter_types import effective_types
from optigpu.kernel.causes import Operation, UnmetObligation
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.judge import AT_MOST_ONE, ObligationJudge
from optigpu.logic.quantifiers import UNIVERSAL, instance
from optigpu.logic.reals import FUNCTIONS
from optigpu.logic.terms import FALSE, INT, REAL, TRUE, Term
from optigpu.syntax.program import Function
from optigpu.syntax.types import Kind, Scalar

MAX_CASE_SPLITS = 4  # on conditions in a goal
LAWFUL = (*FUNCTIONS, *AT_MOST_ONE, "pow")  # mathematical functions with laws


class ModelFinder(Protocol):
    """A solver that gives values of variables with which facts hold and a goal does not."""

    def model(self, facts: Sequence[Term], goal: Term) -> dict[Term, int | Fraction | bool] | None: ...


def contract_problem(judge: ObligationJudge, elaborated: Elaborated, f: Function) -> Problem | None:
    """The problem of a contract by itself; None if none was found."""
    clauses = contract_facts(elaborated, f)
    core = contradiction(judge, [s for s in clauses if not s.after])
    if core is not None:
        return _unsatisfiable(core, f)
    for c, facts in undefined(judge, clauses):
        labels = ((c.within, "in this definition"),) if c.within is not None else ()
        cause = UnmetObligation(Operation.OBLIGE, obligation=c.why, facts=facts, goal=c.goal)
        return Problem("OG361", c.loc, cause, labels, function=f.name)
    return None


def contract_facts(elaborated: Elaborated, f: Function) -> list[ContractFacts]:
    """All facts about inputs and outputs of a function: axioms, types of its parameters, clauses."""
    procedure, places = elaborated.program.functions[f.name], elaborated.clauses[f.name].pre
    return [*elaborated.axioms, *input_facts(f, procedure, places), *elaborated.contract_facts[f.name]]


def suggested_sizes(solver: ModelFinder, elaborated: Elaborated, f: Function) -> dict[str, int]:
    """Values of the integer parameters with which a solver sees no contradiction in the precondition."""
    facts = precondition(s for s in contract_facts(elaborated, f) if not s.after)
    model = solver.model([t for t in facts if t.op not in UNIVERSAL], FALSE) or {}
    values = {name: model.get(k.var(name, INT), 0) for name in (p.name for p in f.params)}
    types = dict(zip(values, effective_types(f)))
    return {n: int(v) for n, v in values.items() if isinstance(t := types[n], Scalar) and t.kind is Kind.INT}


def contradiction(judge: ObligationJudge, clauses: Sequence[ContractFacts]) -> list[ContractFacts] | None:
    """A minimal set of clauses that no input satisfies together; None if no contradiction was found."""
    core = sorted((s for s in clauses if any(t is not TRUE for t in s.facts)), key=lambda s: not s.typed)
    if not excluded(judge, core):
        return None
    step = len(core)
    while step > 1:  # try to drop half of them, then a quarter, …, then one by one; types first
        step, at = (step + 1) // 2, 0
        while at < len(core):
            fewer = core[:at] + core[at + step :]
            if excluded(judge, fewer):
                core = fewer
            else:
                at += step
    return [s for s in clauses if any(s is t for t in core)]


def excluded(judge: ObligationJudge, clauses: Iterable[ContractFacts]) -> bool:
    """Is it proved that no input satisfies these clauses? Laws of functions, products and sums apply to goals: so it is also tried
    to prove of each fact with such terms that it does not hold where the others do."""
    facts = precondition(clauses)
    if judge.proves(judge.root.assume(*facts), FALSE, count=False):
        return True
    lawful = [t for t in facts if _has_laws(t)]
    rests = (([f for f in facts if f is not t], t) for t in lawful)
    return any(judge.proves(judge.root.assume(*rest), k.not_(t), count=False) for rest, t in rests)


def _has_laws(t: Term) -> bool:
    """Does a fact compare something that the judge knows laws of?"""
    comparison = t.args[0] if t.op == "not" else t
    if comparison.op not in ("le", "lt", "eq"):
        return False
    p = comparison.args[0]
    products = p.sort is REAL and any(len(m) > 1 for m in k.coefficients(p))
    functions = any(k.is_function(x, LAWFUL) for x in k.subterms_with(comparison, "app"))
    return products or functions or not comparison.ops.isdisjoint(("inv", "sum", "argmax"))


def precondition(clauses: Iterable[ContractFacts]) -> list[Term]:
    """The facts, with instances of universal ones at the ends of their ranges, where they often contradict each other."""
    facts = [t for s in clauses for fact in s.facts for t in k.conjuncts(fact)]
    new = facts
    for _ in range(2):
        new = [t for u in new if u.op in UNIVERSAL for fact in _instances(u) for t in k.conjuncts(fact)]
        facts = facts + new
    return list(dict.fromkeys(facts))


def _instances(u: Term) -> list[Term]:
    if u.op == "all":
        low, high, _ = u.args
        return [instance(u, (low,)), instance(u, (k.sub(high, k.ONE),))]
    return [instance(u, (k.ZERO,) * len(u.data))] if all(s is INT for s in u.data) else []


def _unsatisfiable(core: list[ContractFacts], f: Function) -> Problem:
    """The problem is at the last of the clauses; the others are labels."""
    written = [s for s in core if not s.typed]
    last = written[-1] if written else core[-1] if core else None
    labels = tuple((s.loc, s.text if s.typed else f"together with {s.text}") for s in core if s is not last)
    text = last.text if last is not None else ""
    cause = Contradiction(Operation.BEGIN, function=f.name, text=text)
    return Problem("OG360", last.loc if last is not None else f.loc, cause, labels, function=f.name)


def undefined(judge: ObligationJudge, clauses: Sequence[ContractFacts]) -> Iterable[tuple[ValueCondition, Facts]]:
    """The value conditions of clauses that are not proved, with the facts from which they should follow.

    These are the hypotheses around the part, and other clauses: all that have a value whatever the inputs are, and those above
    it. So clauses may stand in any order, and no two of them justify each other.
    """
    for i, s in enumerate(clauses):
        if s.conditions:
            known = [t for j, t in enumerate(clauses) if _usable(t, j < i, s)]
            facts = judge.root.assume(*(f for t in known for f in t.facts if not (t.typed and _of_floats(f))))
            for c in s.conditions:
                if not follows(judge, facts.assume(*c.hypotheses), c.goal):
                    written = (f for t in known if not t.typed for f in t.facts)
                    yield c, judge.root.assume(*written, *c.hypotheses)


def follows(judge: ObligationJudge, facts: Facts, goal: Term, splits: int = MAX_CASE_SPLITS) -> bool:
    """Does the goal follow, with a case split on each condition in it? `A(t % 2 == 0 ? t + 1 : t - 1)` is about two cells."""
    if judge.proves(facts, goal, count=False):
        return True
    if goal.op == "and":
        return all(follows(judge, facts, g, splits) for g in goal.args)
    conditionals = [t for t in k.subterms_with(goal, "ite") if t.level == 0]
    first = next((t for t in conditionals if "ite" not in t.args[0].ops), None)
    if first is None or splits == 0:
        return False
    test, then, other = first.args
    cases = ((test, then), (k.not_(test), other))
    return all(
        follows(judge, facts.assume(c), k.replace_subterms(goal, {first: value}), splits - 1) for c, value in cases
    )


def _of_floats(fact: Term) -> bool:
    """Is this the range of a float? It proves nothing here, and is long."""
    return any(t.args[0].sort is REAL for t in k.subterms_with(fact, "le", "lt"))


def _usable(t: ContractFacts, above: bool, s: ContractFacts) -> bool:
    """May the conditions of clause s be proved from clause t?"""
    if t.loc == s.loc and not t.typed:
        return False
    return (not t.after or s.after) and (above or not t.conditions or (s.after and not t.after))
