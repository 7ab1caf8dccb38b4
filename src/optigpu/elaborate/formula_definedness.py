"""Definedness of formulas in contracts: a divisor is not zero, a range is not empty, an index is within a model.

This is about formulas only. The obligations of C code (divisors, shifts, conversions, pointers) are in `expression_values.py`.

A logical function that is the model of an array (`a ~> Matrix1(n, A)`) has a value where the array has a cell. Its other values
are not determined by any input, so a contract must not depend on them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from optigpu.kernel.instructions import Obligation
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, CellClaim, Terms
from optigpu.logic.terms import Term
from optigpu.syntax.source import Loc


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """A part of a formula has a value only if `goal` follows from the hypotheses around it.

    If `why` is UNDEFINED_MODEL, the goal is still the application `A(i)` itself, until `resolved` replaces it by a condition on i.
    `variables` are bound around the part. `within` is the place of the part in the definition that is used at `loc`.
    """

    variables: tuple[Term, ...]
    hypotheses: tuple[Term, ...]
    goal: Term
    why: Obligation
    loc: Loc
    within: Loc | None = None

    def closed(self) -> Term:
        """The condition as one fact, in which the variables are bound."""
        fact = k.implies(k.and_(*self.hypotheses), self.goal)
        return k.forall(self.variables, fact) if self.variables else fact


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """The facts that a clause, an axiom or a parameter's type states, and the conditions under which its formulas have a value.

    Facts are about inputs; if `after` is set, about outputs. `typed`: they come from a type, not from a formula.
    """

    text: str
    loc: Loc
    facts: tuple[Term, ...]
    conditions: tuple[ValueCondition, ...] = ()
    after: bool = False
    typed: bool = False


class ValueConditions:
    """Collects value conditions, each with the hypotheses and bound variables around its part of the formula."""

    def __init__(self) -> None:
        self.collected: dict[tuple[Term | tuple[Term, ...] | Obligation, ...], ValueCondition] = {}
        self.variables: tuple[Term, ...] = ()
        self.hypotheses: tuple[Term, ...] = ()
        self.use: Loc | None = None  # of the definition whose body is being elaborated
        self.uses: set[tuple[int, tuple[Term, ...], tuple[Term, ...]]] = set()  # of definitions, since the last `take`

    def add(self, goal: Term, why: Obligation, loc: Loc) -> None:
        if goal is not k.TRUE:
            at, within = (loc, None) if self.use is None else (self.use, loc)
            condition = ValueCondition(self.variables, self.hypotheses, goal, why, at, within)
            self.collected.setdefault((self.hypotheses, goal, why), condition)

    @contextmanager
    def under(self, *hypotheses: Term, binding: tuple[Term, ...] = ()) -> Iterator[None]:
        """Parts that are elaborated inside stand under these hypotheses and bound variables."""
        before = self.variables, self.hypotheses
        self.variables = (*self.variables, *binding)
        self.hypotheses = (*self.hypotheses, *(h for h in hypotheses if h is not k.TRUE))
        try:
            yield
        finally:
            self.variables, self.hypotheses = before

    @contextmanager
    def used_at(self, loc: Loc) -> Iterator[None]:
        """Conditions that are added inside belong to the body of a definition that is used here."""
        before, self.use = self.use, self.use or loc
        try:
            yield
        finally:
            self.use = before

    @contextmanager
    def ignored(self) -> Iterator[None]:
        """Drop the conditions that are added inside: a function passed as an argument has none, as it is not applied here."""
        before = dict(self.collected)
        try:
            yield
        finally:
            self.collected = before

    def take(self) -> tuple[ValueCondition, ...]:
        """Remove and return the conditions collected so far."""
        collected, self.collected = tuple(self.collected.values()), {}
        self.uses.clear()
        return collected

    def known_use(self, definition: int, args: tuple[Term, ...]) -> bool:
        """Was a definition used with these arguments before, under the same hypotheses?"""
        key = (definition, args, self.hypotheses)
        known = key in self.uses
        self.uses.add(key)
        return known


Models = Mapping[Term, tuple[CellClaim, ...]]  # logical functions, with the claims on the cells that hold their values


def models_of(variables: Iterable[Term], claims: Iterable[CellClaim]) -> Models:
    """The functions that are models of arrays by the claims of a precondition: cell i holds `A(i)`."""
    models: dict[Term, tuple[CellClaim, ...]] = {}
    unclear: set[Term] = set()
    wanted = set(variables)
    for c in claims:
        if c.contents == KNOWN and c.value is not None and c.value.op == "app" and c.value.args[0] in wanted:
            f, binders = c.value.args[0], c.value.args[1:]
            n = c.cells.arity
            if len(binders) == n and {b.data for b in binders if b.op == "bound"} == set(range(n)):
                models[f] = (*models.get(f, ()), c)
            else:
                unclear.add(f)
    return {f: cs for f, cs in models.items() if f not in unclear}


def in_model(application: Term, models: Models) -> Term:
    """That some array holds the value of this application; true if the function is no model of an array."""
    f, args = application.args[0], application.args[1:]
    if f not in models:
        return k.TRUE
    return k.or_(*(c.cells.domain(_binders(c, args)) for c in models[f]))


def _binders(c: CellClaim, args: Terms) -> Terms:
    """The binders of a claim on cells that hold `A(j, i)`, from the arguments of A."""
    assert c.value is not None
    n = c.cells.arity
    values = {n - 1 - b.data: a for b, a in zip(c.value.args[1:], args)}
    return tuple(values[i] for i in range(n))


def resolved(conditions: Iterable[ValueCondition], models: Models) -> tuple[ValueCondition, ...]:
    """The conditions with the goals that the models give for applications, without those that are true."""
    out: list[ValueCondition] = []
    for c in conditions:
        goal = in_model(c.goal, models) if c.why is Obligation.UNDEFINED_MODEL else c.goal
        if goal is not k.TRUE:
            out.append(replace(c, goal=goal))
    return tuple(out)
