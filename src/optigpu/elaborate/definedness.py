"""What the parts of formulas need to have a value: a divisor that is not zero, a range that is not empty, an index within a model.

A logical function that is what an array holds (`a ~> Matrix1(n, A)`) has a value where the array has a cell. Elsewhere no caller
could say what it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, CellClaim, Terms
from optigpu.logic.terms import REAL, Term
from optigpu.syntax.source import Loc


@dataclass(frozen=True, slots=True)
class Need:
    """`goal` has to follow from what stands around the part, or (`why` is "model") the function's model has these arguments.

    `within`: where the part stands in the definition that is used at `loc`.
    """

    variables: tuple[Term, ...]
    hypotheses: tuple[Term, ...]
    goal: Term
    why: str
    loc: Loc
    within: Loc | None = None

    def closed(self) -> Term:
        """As one fact, without the variables that formulas bind."""
        fact = k.implies(k.and_(*self.hypotheses), self.goal)
        return k.forall(self.variables, fact) if self.variables else fact


@dataclass(frozen=True, slots=True)
class ContractFacts:
    """A clause of a contract, an axiom, or what the type of a parameter says: facts about inputs (or, `after`, about outputs), and
    what its formulas need to mean something."""

    text: str
    loc: Loc
    facts: tuple[Term, ...]
    needs: tuple[Need, ...] = ()
    after: bool = False
    typed: bool = False  # no formula says so


class Needs:
    """Collects needs, each under the conditions and bound variables that stand around its part of the formula."""

    def __init__(self) -> None:
        self.found: dict[tuple[object, ...], Need] = {}
        self.variables: tuple[Term, ...] = ()
        self.hypotheses: tuple[Term, ...] = ()
        self.use: Loc | None = None  # of the definition whose body is looked at
        self.uses: set[tuple[object, ...]] = set()  # of definitions, since the last time

    def add(self, goal: Term, why: str, loc: Loc) -> None:
        if goal is not k.TRUE:
            at, within = (loc, None) if self.use is None else (self.use, loc)
            need = Need(self.variables, self.hypotheses, goal, why, at, within)
            self.found.setdefault((self.hypotheses, goal, why), need)

    @contextmanager
    def under(self, *conditions: Term, binding: tuple[Term, ...] = ()) -> Iterator[None]:
        before = self.variables, self.hypotheses
        self.variables = (*self.variables, *binding)
        self.hypotheses = (*self.hypotheses, *(c for c in conditions if c is not k.TRUE))
        try:
            yield
        finally:
            self.variables, self.hypotheses = before

    @contextmanager
    def used_at(self, loc: Loc) -> Iterator[None]:
        before, self.use = self.use, self.use or loc
        try:
            yield
        finally:
            self.use = before

    @contextmanager
    def unasked(self) -> Iterator[None]:
        """Nothing is needed of a function that is an argument: what it is applied to is not known here."""
        before = dict(self.found)
        try:
            yield
        finally:
            self.found = before

    def take(self) -> tuple[Need, ...]:
        """What was found since the last time."""
        found, self.found = tuple(self.found.values()), {}
        self.uses.clear()
        return found

    def known_use(self, definition: int, args: tuple[Term, ...]) -> bool:
        """Whether a definition was used with these arguments already, under the same conditions."""
        key = (definition, args, self.hypotheses)
        known = key in self.uses
        self.uses.add(key)
        return known


Models = Mapping[Term, tuple[CellClaim, ...]]  # a logical function, and the claims that say which cells hold its values


def models_of(variables: Iterable[Term], claims: Iterable[CellClaim]) -> Models:
    """Functions of which a precondition says that they are what arrays hold, cell by cell: `A(i)` for a cell i."""
    found: dict[Term, tuple[CellClaim, ...]] = {}
    unclear: set[Term] = set()
    wanted = set(variables)
    for c in claims:
        if c.contents == KNOWN and c.value is not None and c.value.op == "app" and c.value.args[0] in wanted:
            f, binders = c.value.args[0], c.value.args[1:]
            if {b.data for b in binders if b.op == "bound"} == set(range(c.cells.arity)) and len(
                binders
            ) == c.cells.arity:
                found[f] = (*found.get(f, ()), c)
            else:
                unclear.add(f)
    return {f: cs for f, cs in found.items() if f not in unclear}


def in_model(application: Term, models: Models) -> Term:
    """That some array holds the value of this application, if it is of a function that is the model of arrays."""
    f, args = application.args[0], application.args[1:]
    if f not in models:
        return k.TRUE
    return k.or_(*(c.cells.domain(_binders(c, args)) for c in models[f]))


def _binders(c: CellClaim, args: Terms) -> Terms:
    """The binders of a claim on cells that hold `A(j, i)`, by the arguments of A."""
    assert c.value is not None
    n = c.cells.arity
    values = {n - 1 - b.data: a for b, a in zip(c.value.args[1:], args)}
    return tuple(values[i] for i in range(n))


def resolved(needs: Iterable[Need], models: Models) -> tuple[Need, ...]:
    """With the goals that the models give; without those that say nothing."""
    out: list[Need] = []
    for n in needs:
        goal = in_model(n.goal, models) if n.why == "model" else n.goal
        if goal is not k.TRUE:
            out.append(Need(n.variables, n.hypotheses, goal, n.why, n.loc, n.within))
    return tuple(out)


def defined(function: str, args: list[Term]) -> Term:
    """Where a mathematical function is one of real numbers: elsewhere C computes an infinity, or something that is no number."""
    zero, x = k.num(0, REAL), args[0]
    match function:
        case "sqrt":
            return k.le(zero, x)
        case "rsqrt" | "log" | "log2":
            return k.lt(zero, x)
        case "pow" if k.is_num(y := args[1]) and y.data.denominator == 1:
            return k.TRUE if y.data >= 0 else k.not_(k.eq(x, zero))
        case "pow":
            return k.or_(k.lt(zero, x), k.and_(k.eq(x, zero), k.le(zero, args[1])))
        case _:
            return k.TRUE
