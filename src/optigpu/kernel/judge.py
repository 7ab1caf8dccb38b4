"""Obligations: every side condition of every rule is put to a Judge, who asks the normaliser first and then the solver.

The solver is behind a protocol and is trusted to say "valid" only of valid formulas. What is handed to it is quantifier-free:
universal facts are instantiated here, at the terms that occur, which is sound whatever terms are chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from optigpu.kernel import terms as k
from optigpu.kernel.facts import Facts, universal
from optigpu.kernel.terms import INT, TRUE, Term, instantiate

MAX_INSTANCES = 120
POSITIVE = ("fn:exp", "fn:exp2")  # mathematical functions by name, see checker/formulas.py
NOT_NEGATIVE = ("fn:sqrt",)
ROUNDS = 2


class Solver(Protocol):
    """A decision procedure for quantifier-free formulas over integers, reals and uninterpreted functions."""

    @property
    def description(self) -> str:
        """Name and version, as the ledger prints them."""
        ...

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        """True only if the goal follows from the facts; False if it does not or it could not be decided."""
        ...


class NoSolver:
    """The normaliser alone."""

    description = "no solver"

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        return False


@dataclass
class Counts:
    """How many obligations were settled by whom; what the verdict's last line reports."""

    normaliser: int = 0
    solver: int = 0

    @property
    def total(self) -> int:
        return self.normaliser + self.solver


@dataclass
class Judge:
    solver: Solver = field(default_factory=NoSolver)
    counts: Counts = field(default_factory=Counts)
    root: Facts = field(default_factory=Facts)  # no facts; shared, so that what was found out is found again

    def proves(self, facts: Facts, goal: Term, count: bool = True) -> bool:
        """Does the goal follow from the facts? `count`: it is an obligation, and not a question of the search."""
        goal = facts.reduce(goal)
        if facts.inconsistent or facts.proves(goal):
            self.counts.normaliser += count
            return True
        if goal.op == "and":
            return all(self.proves(facts, g, count) for g in goal.args)
        if goal.op in ("all", "forall"):
            return self._proves_universal(facts, goal, count)
        if goal not in facts.answers:
            facts.answers[goal] = self._ask(facts, goal)
        self.counts.solver += count and facts.answers[goal]
        return facts.answers[goal]

    def _proves_universal(self, facts: Facts, goal: Term, count: bool) -> bool:
        if goal.op == "all":
            low, high, body = goal.args
            (i,), inner = facts.arbitrary(INT)
            return self.proves(inner.assume(k.le(low, i), k.lt(i, high)), instantiate(body, (i,)), count)
        xs, inner = facts.arbitrary(*goal.data)
        return self.proves(inner, instantiate(goal.args[0], xs), count)

    def _ask(self, facts: Facts, goal: Term) -> bool:
        ground = [i for i in facts.items if i.op not in ("all", "forall")]
        known = len(ground)
        ground += instances(universal(facts.items), [*ground, goal])
        ground += self._laws(facts, goal)
        if len(ground) > known and facts.assume(*ground[known:]).proves(goal):
            return True
        return self.solver.valid(ground, goal)

    def _laws(self, facts: Facts, goal: Term) -> list[Term]:
        """What holds of functions and sums that occur in the goal, whatever the facts: exp(x) > 0, and signs of sums."""
        out: list[Term] = []
        for t in k.subterms(goal):
            zero = k.num(0, t.sort) if t.sort.numeric else TRUE
            if t.level == 0 and t.op == "app" and t.args[0].data in POSITIVE:
                out.append(k.lt(zero, t))
            elif t.level == 0 and t.op == "app" and t.args[0].data in NOT_NEGATIVE:
                out.append(k.le(zero, t))
            elif t.level == 0 and t.op == "sum":
                low, high, body = t.args
                (i,), inner = facts.arbitrary(INT)
                inside, summand = inner.assume(k.le(low, i), k.lt(i, high)), instantiate(body, (i,))
                if self.proves(inside, k.lt(zero, summand), count=False):
                    out += [k.implies(k.lt(low, high), k.lt(zero, t)), k.le(zero, t)]
                elif self.proves(inside, k.le(zero, summand), count=False):
                    out.append(k.le(zero, t))
                    first = k.and_(k.lt(low, high), k.lt(zero, instantiate(body, (low,))))
                    if self.proves(facts, first, count=False):  # one is positive, and none negative
                        out.append(k.lt(zero, t))
        return out


def instances(universals: Sequence[Term], ground: Sequence[Term]) -> list[Term]:
    """Instances of universal facts at terms that occur in ground ones; a few rounds, since instances bring in new terms."""
    found: dict[Term, None] = {}
    for _ in range(ROUNDS):
        applications = [t for g in (*ground, *found) for t in k.subterms(g) if t.op == "app" and t.level == 0]
        before = len(found)
        for u in universals:
            for binding in _matches(u, applications):
                if len(found) >= MAX_INSTANCES:
                    return list(found)
                found[_instance(u, binding)] = None
        if len(found) == before:
            break
    return [f for f in found if f is not TRUE]


def _instance(u: Term, args: tuple[Term, ...]) -> Term:
    if u.op == "all":
        low, high, body = u.args
        return k.implies(k.and_(k.le(low, args[0]), k.lt(args[0], high)), instantiate(body, args))
    return instantiate(u.args[0], args)


def _matches(u: Term, applications: Sequence[Term]) -> Iterator[tuple[Term, ...]]:
    """Values for the bound variables at which some applied function of the fact is one of the applications."""
    sorts = u.data if u.op == "forall" else (INT,)
    n = len(sorts)
    patterns = [t for t in k.subterms(u.args[-1]) if t.op == "app" and 0 < t.level <= n]

    def search(known: dict[int, Term], left: list[Term]) -> Iterator[dict[int, Term]]:
        if len(known) == n:
            yield known
            return
        for at, pattern in enumerate(left):
            for a in applications:
                more = _match(pattern, a, known)
                if more is not None and len(more) > len(known):
                    yield from search(more, left[at + 1 :])

    for binding in search({}, patterns):
        yield tuple(binding[n - 1 - i] for i in range(n))


def _match(p: Term, t: Term, known: dict[int, Term]) -> dict[int, Term] | None:
    """Match a pattern with bound variables against a closed term; linear patterns `x + c` are solved for x."""
    if p.level == 0:
        return known if p is t else None
    if p.sort is not t.sort:
        return None
    if p.op == "bound":
        return {**known, p.data: t} if known.get(p.data, t) is t else None
    if p.op == "poly":
        for m, c in p.data:
            if c == 1 and len(m) == 1 and m[0].op == "bound":
                rest = k.sub(p, m[0])
                if rest.level == 0:
                    value = k.sub(t, rest)
                    return {**known, m[0].data: value} if known.get(m[0].data, value) is value else None
        return None
    if p.op != t.op or len(p.args) != len(t.args) or p.data != t.data or t.op in ("lam", "sum"):
        return None
    for x, y in zip(p.args, t.args):
        more = _match(x, y, known)
        if more is None:
            return None
        known = more
    return known
