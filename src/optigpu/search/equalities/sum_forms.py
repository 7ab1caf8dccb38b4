"""One sum in a simpler form: nested ranges as one range, guards as bounds of the range."""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.equality import Case, Equality, EqualityStep, EqualitySteps, Extend, Reindex, peel
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.sum_terms import bigs, bind_step, lower_bound, upper_bound
from optigpu.search.search_tools import SearchTools

DEPTH = 4  # nested sums that are made plain


class SumForms:
    def __init__(self, tools: SearchTools) -> None:
        self.tools = tools
        self.equality = Equality(tools.judge)
        self.kept: set[Term] = set()  # sums whose condition is wanted as it is

    def holds(self, facts: Facts, step: Reindex) -> bool:
        """Will the kernel accept the step?"""
        return self.equality._checked(facts, step) is not None

    def plain(self, facts: Facts, t: Term) -> tuple[Term, EqualitySteps]:
        """A term with nested and guarded sums as sums over one range, and the steps to it."""
        t = facts.simplify(t)
        steps: list[EqualityStep] = []
        for _ in range(DEPTH):
            step = next((s for x in bigs(t) if (s := self.simpler(facts, x))), None)
            if step is None:
                break
            steps.append(step)
            t = facts.simplify(k.replace_subterms(t, {step.old: step.new}))
        return t, tuple(steps)

    def simpler(self, facts: Facts, t: Term) -> Reindex | None:
        if t.op != "sum":
            return None
        found = (step for step in (self.merged(facts, t), self.trimmed(facts, t)) if step is not None)
        return next((step for step in found if self.holds(facts, step)), None)

    def merged(self, facts: Facts, t: Term) -> Reindex | None:
        """Two nested ranges as one: b in 0..B, x in 0..X, and everything depends on X*b + x (or on b + B*x) alone."""
        nested = peel(t, 2)
        if nested is None:
            return None
        (low1, high1), (low2, high2) = nested.ranges
        b, x, i = self.tools.temporaries(3, "m")
        low2b, high2b = instantiate(low2, (b,)), instantiate(high2, (b,))
        if b in low2b.free or b in high2b.free:
            return None
        outer, inner = k.sub(high1, low1), k.sub(high2b, low2b)
        b0, x0 = k.sub(b, low1), k.sub(x, low2b)
        size = k.mul(outer, inner)
        for index, big_one, solve in (
            (k.add(k.mul(inner, b0), x0), "b", {x: k.add(low2b, k.sub(i, k.mul(inner, b0)))}),
            (k.add(k.mul(outer, x0), b0), "x", {b: k.add(low1, k.sub(i, k.mul(outer, x0)))}),
        ):
            body = k.substitute(nested.at((b, x))[0], solve)
            where = k.substitute(instantiate(nested.where, (b, x)), solve)
            gone = b if big_one == "b" else x
            inside = facts.assume(nested.domain((b, x)), k.eq(i, index))
            if gone in body.free:
                body = inside.simplify(body)
            if gone in where.free:
                where = inside.simplify(where)
            if {b, x} & (body.free | where.free):
                continue
            if big_one == "b":
                back = (k.add(low1, k.fdiv(i, inner)), k.add(low2b, k.fmod(i, inner)))
            else:
                back = (k.add(low1, k.fmod(i, outer)), k.add(low2b, k.fdiv(i, outer)))
            new = self.over(facts, i, k.ZERO, size, where, body)
            return Reindex(t, new, (k.abstract(index, (b, x)),), tuple(k.abstract(u, (i,)) for u in back))
        return None

    def settled(self, facts: Facts, t: Term) -> Extend | None:
        """A choice that sets the first index apart, although what the others have is right for it too: `x <= 0 ? f(0) : f(x)`."""
        if t.op != "sum":
            return None
        (x,) = self.tools.temporaries(1, "c")
        low, high, under = t.args
        body, inside = instantiate(under, (x,)), facts.assume(k.le(low, x), k.lt(x, high))
        around: list[tuple[Term, Term]] = []  # the sums between, with a value of their index
        while body.op == "sum":
            (y,) = self.tools.temporaries(1, "e")
            around.append((body, y))
            inside = inside.assume(k.le(body.args[0], y), k.lt(y, body.args[1]))
            body = instantiate(body.args[2], (y,))
        for choice in [c for c in k.subterms(body) if c.op == "ite" and c.level == 0 and x in c.args[0].free]:
            test, then, other = choice.args
            for condition, first, rest in ((test, then, other), (k.not_(test), other, then)):
                agree = k.eq(k.substitute(rest, {x: low}), first)
                if self.tools.proves(inside.assume(condition), k.eq(x, low)) and self.tools.proves(inside, agree):
                    new = k.replace_subterms(body, {choice: rest})
                    steps: EqualitySteps = (Case(k.eq(x, low), (), ()),)
                    for old, y in reversed(around):
                        steps = (Extend(old, k.abstract(new, (y,)), tuple(bind_step(self.tools, s, y) for s in steps)),)
                        new = k.big("sum", old.args[0], old.args[1], k.abstract(new, (y,)))
                    return Extend(t, k.abstract(new, (x,)), tuple(bind_step(self.tools, s, x) for s in steps))
        return None

    def over(self, facts: Facts, i: Term, low: Term, high: Term, where: Term, body: Term) -> Term:
        """The sum over low..high where `where`, with the condition in the range if it is a bound."""
        left: list[Term] = []
        for c in k.conjuncts(where):
            upper, lower = upper_bound(c, i), lower_bound(c, i)
            if upper is not None and self.tools.proves(facts, k.le(upper, high)):
                high = upper
            elif lower is not None and self.tools.proves(facts, k.le(low, lower)):
                low = lower
            else:
                left.append(c)
        guarded = k.ite(k.and_(*left), body, k.num(0, body.sort))
        return k.big("sum", low, high, k.abstract(guarded, (i,)))

    def trimmed(self, facts: Facts, t: Term) -> Reindex | None:
        """A guard that is a bound on the index becomes a bound of the range."""
        one = peel(t, 1)
        if one is None or one.where is k.TRUE or t in self.kept:
            return None
        (i,) = self.tools.temporaries(1, "t")
        low, high = one.ranges[0]
        new = self.over(facts, i, low, high, instantiate(one.where, (i,)), one.at((i,))[0])
        if new.op != "sum" or new is t or peel(new, 1) is None:
            return None
        same = (k.bound(0, k.INT),)
        return Reindex(t, new, same, same)
