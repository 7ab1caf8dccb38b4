"""Ranges of integer variables that a loop changes: bounds that hold at the start of every iteration. Untrusted.

What one iteration makes of a variable is a choice between *leaves*. A leaf adds something to the variable (`c + 1`) or replaces it
(`i`, `-1`). From bounds of the leaves follow candidates for bounds of the variable:

    min(entry, least replacement) + least increment * (v - low)  <=  x  <=  max(entry, …) + greatest increment * (v - low)

Candidates are then shown to be inductive, all together: one that is not is dropped, and the others are tried again without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from optigpu.kernel.iterations import IterationRange
from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.quantifiers import instance, universals
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.fresh_names import is_transient
from optigpu.search.search_tools import SearchTools

MAX_LEAVES = 16  # more cases than these are not looked at
MAX_ATOMS_BOUNDED = 5  # atoms that are replaced by bounds, one after the other
BOUNDS_TRIED = 2  # of an atom


@dataclass(frozen=True, slots=True)
class Changed:
    """An integer variable that a loop changes."""

    start: Term  # the name of its value at the start of an iteration
    final: Term  # its value at the end of the iteration
    entry: Term  # its value before the loop


class RangeSearch:
    """Finds inductive bounds of all integer variables of one loop together."""

    def __init__(
        self,
        tools: SearchTools,
        facts: Facts,
        v: Term,
        range_: IterationRange,
        changed: Mapping[str, Changed],
        unstable: Iterable[Term],
    ) -> None:
        """`facts`: what is known at the end of an iteration v. `unstable`: names of what the loop changes."""
        self.tools, self.facts, self.v, self.range = tools, facts, v, range_
        self.changed = changed
        self.unstable = {v, *unstable, *(c.start for c in changed.values())}
        self.leaves = {b: cases for b, c in changed.items() if (cases := leaves(c.final)) is not None}
        (self.x,) = self.tools.temporaries(1, "r")
        self.own: Term | None = None  # the variable for which candidates are looked for
        self.complete = True  # does every variable have candidates on both sides?

    def laws(self) -> dict[str, Term]:
        """Return the bounds of each variable that has any, under v and its value."""
        bounds: dict[str, list[Term]] = {b: [] for b in self.leaves}
        for _ in range(2):  # bounds of a variable may come from those of another, or of its own other side
            self.complete = True
            known = self.with_laws(bounds)
            candidates = {b: list(dict.fromkeys([*ps, *self.candidates(b, known)])) for b, ps in bounds.items()}
            bounds = self.inductive_subset(candidates)
            if self.complete:
                break
        return {b: k.abstract(k.and_(*strongest(ps)), (self.v, self.x)) for b, ps in bounds.items() if ps}

    def inductive_subset(self, candidates: dict[str, list[Term]]) -> dict[str, list[Term]]:
        """Drop candidates until those left hold after an iteration if they hold before it."""
        while True:
            known = self.with_laws(candidates)
            kept = {b: [p for p in ps if self.inductive(b, p, known)] for b, ps in candidates.items()}
            if kept == candidates:
                return kept
            candidates = kept

    def with_laws(self, laws: dict[str, list[Term]]) -> Facts:
        """Assume the laws at the start of an iteration."""
        bounds = [k.substitute(p, {self.x: self.changed[b].start}) for b, ps in laws.items() for p in ps]
        return self.facts.assume(*bounds)

    def inductive(self, base: str, law: Term, known: Facts) -> bool:
        """Does the law hold at the start of iteration v + 1, in every case of what iteration v makes of the variable?"""
        after = k.substitute(law, {self.v: k.add(self.v, k.ONE)})
        return all(
            self.tools.proves(known.assume(condition), k.substitute(after, {self.x: leaf}))
            for condition, leaf in self.leaves[base]
        )

    # Candidates

    def candidates(self, base: str, facts: Facts) -> list[Term]:
        """List inequalities that may hold of the variable at the start of every iteration."""
        c = self.changed[base]
        increments: list[tuple[Facts, Term]] = []
        replacements: list[tuple[Facts, Term]] = []
        for condition, leaf in self.leaves[base]:
            inside = self.instantiated(facts.assume(condition), leaf)
            added = k.sub(leaf, c.start)
            if c.start in leaf.free and c.start not in added.free:
                increments.append((inside, added))
            else:
                replacements.append((inside, leaf))
        candidates: list[Term] = []
        for lower in (True, False):
            for which in range(BOUNDS_TRIED):
                bound = self.combined(c, increments, replacements, lower, which, facts)
                self.complete &= bound is not None
                if bound is not None:
                    candidates.append(k.le(bound, self.x) if lower else k.le(self.x, bound))
            if replacements:  # halving, bisection, and other ways not to leave the range
                hull = [x.entry for x in self.changed.values()]
                ends = (k.min_(k.ZERO, c.entry), k.min_(*hull)) if lower else (c.entry, k.max_(*hull))
                candidates += [k.le(t, self.x) if lower else k.le(self.x, t) for t in map(facts.simplify, ends)]
        return list(dict.fromkeys(candidates))

    def combined(
        self,
        c: Changed,
        increments: list[tuple[Facts, Term]],
        replacements: list[tuple[Facts, Term]],
        lower: bool,
        which: int,
        facts: Facts,
    ) -> Term | None:
        """Combine bounds of the leaves into one of the variable.

        `which`: 0 for the first bound of each leaf, 1 for the last one, which may mention the variable.
        """
        self.own = c.start if which else None
        extreme = k.min_ if lower else k.max_
        rates: list[Term] = [k.ZERO] if replacements or not increments else []
        for inside, added in increments:
            bounds = self.bounds(added, lower, inside, MAX_ATOMS_BOUNDED)
            if bounds:
                rates.append(bounds[-1 if which else 0])
            elif not self.tools.proves(inside, k.FALSE):
                return None
        ends: list[Term] = [c.entry]
        for inside, leaf in replacements:
            bounds = self.previous_value(leaf, lower) or self.bounds(leaf, lower, inside, MAX_ATOMS_BOUNDED)
            if bounds:
                end = bounds[-1 if which else 0]
                added = k.sub(end, c.start)
                if c.start in end.free and c.start not in added.free:  # at most so much more, by a loop inside
                    rates.append(added)
                else:
                    ends.append(k.substitute(end, {c.start: c.entry}))
            elif not self.tools.proves(inside, k.FALSE):
                return None
        rate = facts.simplify(extreme(*rates or [k.ZERO]))
        return k.add(facts.simplify(extreme(*ends)), k.mul(rate, k.sub(self.v, self.range.low)))

    def previous_value(self, leaf: Term, lower: bool) -> list[Term]:
        """If a leaf moves with the iterations, bound it by what iteration v - 1 made of it."""
        rate = k.coefficients(leaf).get((self.v,), 0)
        rest = k.sub(leaf, k.scale(rate, self.v))
        if not rate or not self.stable(rest):
            return []
        if (rate > 0) == lower:
            return [k.substitute(leaf, {self.v: self.range.low})]
        return [k.substitute(leaf, {self.v: k.sub(self.v, k.ONE)})]

    def instantiated(self, facts: Facts, leaf: Term) -> Facts:
        """Instantiate universal facts at the leaf."""
        general = [u for i in facts.items for u in universals(i)]
        if not general or "app" not in leaf.ops:
            return facts
        instances = facts.guide.instances(general, [k.le(leaf, k.ZERO)])
        return facts.assume(*(facts.simplify(instance(u, args)) for u, args in instances))

    # Bounds of terms

    def stable(self, t: Term) -> bool:
        """Is the term constant over the iterations, except for the variable whose bounds are sought?"""
        return not any(x is not self.own and (x in self.unstable or is_transient(x)) for x in t.free)

    def bounds(self, e: Term, lower: bool, facts: Facts, steps: int) -> list[Term]:
        """List terms that may bound e and do not change over the iterations: replace atoms by their bounds, v last."""
        e = facts.simplify(e)
        if self.stable(e) and (self.own is None or self.own not in e.free):
            return [e]
        remainder = self.remainder(e) if steps else None
        if remainder is not None:
            rest, divisor = remainder
            return self.bounds(rest if lower else k.add(rest, divisor, k.num(-1)), lower, facts, steps - 1)
        if self.stable(e) or steps == 0:
            return [e] if steps else []
        moving = [(m, c, [a for a in m if not self.stable(a)]) for m, c in k.coefficients(e).items()]
        m, c, atoms = min((summand for summand in moving if summand[2]), key=lambda summand: self.v in summand[2])
        if len(atoms) != 1:
            return []
        factor = k.polynomial({tuple(a for a in m if a is not atoms[0]): c}, INT)
        rest = k.sub(e, k.mul(factor, atoms[0]))
        bounds: list[Term] = []
        for option in self.atom_bounds(atoms[0], lower == (c > 0), facts, steps)[:BOUNDS_TRIED]:
            bounds += self.bounds(k.add(rest, k.mul(factor, option)), lower, facts, steps - 1)
        return list(dict.fromkeys(bounds))

    def remainder(self, e: Term) -> tuple[Term, Term] | None:
        """Return (rest, d) if e is rest + a mod d."""
        for a in k.coefficients(e):
            for q in a:
                if q.op == "fdiv" and q.level == 0 and self.stable(q.args[1]):
                    rest = k.sub(e, k.fmod(*q.args))
                    if not any(q in m for m in k.coefficients(rest)):
                        return rest, q.args[1]
        return None

    def atom_bounds(self, a: Term, lower: bool, facts: Facts, steps: int) -> list[Term]:
        """List bounds of an atom, the best first: from facts that compare it, and from its parts."""
        if a is self.v:
            return [self.range.low if lower else k.sub(self.range.high, k.ONE)]
        numbers: list[Term] = []
        others: list[Term] = []
        for item in facts.items:
            if item.op != "le" or item.args[0].sort is not INT or a not in item.args[0].parts:
                continue
            p = item.args[0]
            c = k.coefficients(p).get((a,), 0)
            rest = k.sub(p, k.scale(c, a))
            if c == (-1 if lower else 1) and a not in rest.parts:
                bound = rest if lower else k.neg(rest)
                (numbers if k.is_num(bound) else others).append(bound)
        best = sorted(numbers, key=lambda t: t.data, reverse=lower)[:1]
        others.sort(key=lambda t: not self.stable(t))
        match a.op:
            case "fdiv" if k.is_num(a.args[1]) and a.args[1].data > 0:
                others += [k.fdiv(b, a.args[1]) for b in self.bounds(a.args[0], lower, facts, steps - 1)]
            case "fdiv":
                others.append(k.ZERO if lower else a.args[0])
            case "max" if lower:
                others += a.args
            case "max":
                parts = [self.bounds(x, lower, facts, steps - 1)[:1] for x in a.args]
                others += [k.max_(*chain(*parts))] if all(parts) else []
            case "band":
                best = [k.ZERO] if lower else [b for b in a.args if k.is_num(b)]
        return best + others


def leaves(t: Term) -> list[tuple[Term, Term]] | None:
    """Split a number into its cases: (condition, number) for each."""
    cases: list[tuple[Term, Term]] = []
    pending = [(TRUE, t)]
    while pending:
        condition, x = pending.pop()
        choice = next((a for m in k.coefficients(x) for a in m if a.op in ("ite", "max") and a.level == 0), None)
        if choice is None:
            cases.append((condition, x))
        elif choice.op == "ite":
            test, a, b = choice.args
            for c, y in ((k.not_(test), b), (test, a)):
                pending.append((k.and_(condition, c), k.replace_subterms(x, {choice: y})))
        else:
            for a in choice.args:
                greatest = k.and_(*(k.le(b, a) for b in choice.args if b is not a))
                pending.append((k.and_(condition, greatest), k.replace_subterms(x, {choice: a})))
        if len(cases) + len(pending) > MAX_LEAVES:
            return None
    return [(c, x) for c, x in cases if c is not k.FALSE]


def strongest(laws: list[Term]) -> list[Term]:
    """Drop inequalities p <= 0 that another one implies because it differs by a number."""

    def weaker(p: Term, q: Term) -> bool:
        less = k.sub(p.args[0], q.args[0])
        return p is not q and k.is_num(less) and less.data < 0

    return [p for p in laws if not any(weaker(p, q) for q in laws)]


def holds_after(law: Term, range_: IterationRange, value: Term) -> Term:
    """Instantiate a law at the end of the loop."""
    return instantiate(law, (range_.end, value))
