"""One sum in a simpler form: nested ranges as one range, guards as bounds of the range.

Sum(0, B, b: Sum(0, 32, x: f(32 * b + x))) is Sum(0, 32 * B, f); Sum(0, n, i: i < m ? f(i) : 0) is Sum(0, m, f) if m <= n.
"""

from __future__ import annotations

from collections.abc import Iterable

from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.equality import Case, Equality, EqualityStep, EqualitySteps, Extend, Reindex, Split, peel
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.sum_nests import SumNests
from optigpu.search.equalities.sum_terms import big_operators, bind_step, lower_bound, rewrite_result, upper_bound
from optigpu.search.search_tools import SearchTools

MAX_PLAIN_STEPS = 64
SUMS = ("sum", "prod")


def neutral(op: str, body: Term) -> Term:
    """What changes nothing in a sum, or in a product."""
    return k.num(int(op == "prod"), body.sort)


class SumForms:
    """Steps that make one sum simpler."""

    def __init__(self, tools: SearchTools) -> None:
        self.tools = tools
        self.equality = Equality(tools.judge)
        self.nests = SumNests(tools)
        self._kept: set[Term] = set()  # sums whose guard is wanted as it is

    def restart(self) -> None:
        self._kept.clear()

    def keep_guards(self, sums: Iterable[Term]) -> None:
        """From now on, the guards of these sums do not become bounds."""
        self._kept.update(sums)

    def holds(self, facts: Facts, step: Reindex | Split) -> bool:
        """Will the kernel accept the step?"""
        return self.equality.replacement(facts, step) is not None

    def plain(self, facts: Facts, t: Term) -> tuple[Term, EqualitySteps]:
        """Rewrite nested and guarded sums in a term into sums over one range; return the term and the steps."""
        t = facts.simplify(t)
        steps: list[EqualityStep] = []
        for _ in range(MAX_PLAIN_STEPS):
            step = next((s for x in big_operators(t) if (s := self.simpler(facts, x))), None)
            if step is None:
                break
            steps.append(step)
            t = facts.simplify(k.replace_subterms(t, {step.old: rewrite_result(step)}))
        return t, tuple(steps)

    def simpler(self, facts: Facts, t: Term) -> Reindex | Split | None:
        """Merge two nested ranges of a sum or product into one, or turn a guard into a bound of the range."""
        if t.op not in SUMS:
            return None
        steps = [self._merged(facts, t), self._trimmed(facts, t), self.nests.merged_pair(facts, t)]
        return next((step for step in steps if step is not None and self.holds(facts, step)), None)

    def _merged(self, facts: Facts, t: Term) -> Reindex | None:
        """Merge nested ranges b in 0..B, x in 0..X, if guard and body depend on X*b + x (or on b + B*x) alone."""
        nested = peel(t, 2, t.op)
        if nested is None:
            return None
        (low1, high1), (low2, high2) = nested.ranges
        b, x, i = self.tools.temporaries(3, "m")
        low2, high2 = instantiate(low2, (b,)), instantiate(high2, (b,))
        if b in low2.free or b in high2.free:
            return None
        outer, inner = k.sub(high1, low1), k.sub(high2, low2)
        b0, x0 = k.sub(b, low1), k.sub(x, low2)
        # (the one index i, the index that is the quotient, the other one in terms of i, both in terms of i)
        b_major = (
            k.add(k.mul(inner, b0), x0),
            b,
            {x: k.add(low2, k.sub(i, k.mul(inner, b0)))},
            (k.add(low1, k.fdiv(i, inner)), k.add(low2, k.fmod(i, inner))),
        )
        x_major = (
            k.add(k.mul(outer, x0), b0),
            x,
            {b: k.add(low1, k.sub(i, k.mul(outer, x0)))},
            (k.add(low1, k.fmod(i, outer)), k.add(low2, k.fdiv(i, outer))),
        )
        for index, quotient, remainder, back in (b_major, x_major):
            body = k.substitute(nested.at((b, x))[0], remainder)
            where = k.substitute(instantiate(nested.where, (b, x)), remainder)
            inside = facts.assume(nested.domain((b, x)), k.eq(i, index))
            if quotient in body.free:
                body = inside.simplify(body)
            if quotient in where.free:  # by the ranges alone: it is itself what the sum is over
                ranges = replace(nested, where=k.TRUE).domain((b, x))
                where = facts.assume(ranges, k.eq(i, index)).simplify(where)
            if {b, x} & (body.free | where.free):
                continue
            new = self._sum_where(facts, t.op, i, k.ZERO, k.mul(outer, inner), where, body)
            if new.op != t.op:  # what is summed up does not depend on the index
                guarded = k.ite(where, body, neutral(t.op, body))
                new = k.big(t.op, k.ZERO, k.mul(outer, inner), k.abstract(guarded, (i,)))
            return Reindex(t, new, (k.abstract(index, (b, x)),), tuple(k.abstract(u, (i,)) for u in back))
        return None

    def _trimmed(self, facts: Facts, t: Term) -> Reindex | Split | None:
        """Turn a guard that bounds the index into a bound of the range."""
        guarded = peel(t, 1, t.op)
        if guarded is None or guarded.where is k.TRUE or t in self._kept:
            return None
        (i,) = self.tools.temporaries(1, "t")
        low, high = guarded.ranges[0]
        new = self._sum_where(facts, t.op, i, low, high, instantiate(guarded.where, (i,)), guarded.at((i,))[0])
        if new.op != t.op:  # what is summed up does not depend on the index
            ends = (upper_bound(c, i) for c in k.conjuncts(instantiate(guarded.where, (i,))))
            return next((Split(t, end) for end in ends if end is not None), None)
        if new is t or peel(new, 1, t.op) is None:
            return None
        identity = (k.bound(0, k.INT),)
        return Reindex(t, new, identity, identity)

    def bounded(self, facts: Facts, t: Term) -> Reindex | None:
        """Turn a guard `i < u` into a bound of the range low..high, which is then low..min(high, u): nothing says which is less."""
        guarded = peel(t, 1) if t.op == "sum" else None
        if guarded is None or guarded.where is k.TRUE or t in self._kept:
            return None
        (i,) = self.tools.temporaries(1, "t")
        low, high = guarded.ranges[0]
        if k.is_num(k.sub(high, low)):
            return None
        tests = k.conjuncts(instantiate(guarded.where, (i,)))
        bound, end = next(((c, u) for c in tests if (u := upper_bound(c, i)) is not None), (k.TRUE, high))
        if bound is k.TRUE:
            return None
        rest = k.ite(k.and_(*(c for c in tests if c is not bound)), guarded.at((i,))[0], k.num(0, t.sort))
        new = k.big("sum", low, k.min_(high, end), k.abstract(rest, (i,)))
        identity = (k.bound(0, k.INT),)
        step = Reindex(t, new, identity, identity)
        return step if peel(new, 1) is not None and self.holds(facts, step) else None

    def _sum_where(self, facts: Facts, op: str, i: Term, low: Term, high: Term, where: Term, body: Term) -> Term:
        """Build the sum or product over low..high under a guard; conjuncts that bound the index become bounds of the range."""
        guards: list[Term] = []
        for c in k.conjuncts(where):
            upper, lower = upper_bound(c, i), lower_bound(c, i)
            if upper is not None and self.tools.proves(facts, k.le(upper, high)):
                high = upper
            elif lower is not None and self.tools.proves(facts, k.le(low, lower)):
                low = lower
            else:
                guards.append(c)
        guarded = k.ite(k.and_(*guards), body, neutral(op, body))
        return k.big(op, low, high, k.abstract(guarded, (i,)))

    def absorbed_first_index(self, facts: Facts, t: Term) -> Extend | None:
        """Drop a choice that treats the first index apart, if the other case is right for it too: `x <= 0 ? f(0) : f(x)`."""
        if t.op != "sum":
            return None
        (x,) = self.tools.temporaries(1, "c")
        low, high, under = t.args
        body, inside = instantiate(under, (x,)), facts.assume(k.le(low, x), k.lt(x, high))
        between: list[tuple[Term, Term]] = []  # the sums between, with a value of their index
        while body.op == "sum":
            (y,) = self.tools.temporaries(1, "e")
            between.append((body, y))
            inside = inside.assume(k.le(body.args[0], y), k.lt(y, body.args[1]))
            body = instantiate(body.args[2], (y,))
        for choice in [c for c in k.subterms_with(body, "ite") if c.level == 0 and x in c.args[0].free]:
            test, then, other = choice.args
            for condition, first, rest in ((test, then, other), (k.not_(test), other, then)):
                agree = k.eq(k.substitute(rest, {x: low}), first)
                if self.tools.proves(inside.assume(condition), k.eq(x, low)) and self.tools.proves(inside, agree):
                    new = k.replace_subterms(body, {choice: rest})
                    steps: EqualitySteps = (Case(k.eq(x, low), (), ()),)
                    for old, y in reversed(between):
                        steps = (Extend(old, k.abstract(new, (y,)), tuple(bind_step(self.tools, s, y) for s in steps)),)
                        new = k.big("sum", old.args[0], old.args[1], k.abstract(new, (y,)))
                    return Extend(t, k.abstract(new, (x,)), tuple(bind_step(self.tools, s, x) for s in steps))
        return None
