"""Values that universal facts give to applications: zeros of a triangular matrix, A(i, k) = A(k, i) of a symmetric one.

Products are opaque to the solver, so a factor is replaced by what it is equal to, by a step of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from optigpu.logic import terms as k
from optigpu.logic.equality import Extend, Replace
from optigpu.logic.facts import Facts
from optigpu.logic.monomials import linear_in
from optigpu.logic.quantifiers import instance, universals
from optigpu.logic.terms import Term, instantiate
from optigpu.search.equalities.sum_terms import bind_step
from optigpu.search.search_tools import SearchTools


def _equations(facts: Facts) -> list[Term]:
    """List the universal facts that have an equation of reals."""
    general = (u for i in facts.items for u in universals(i))
    return [u for u in general if any(e.args[0].sort is k.REAL for e in k.subterms_with(u, "eq"))]


def vanishing_sum(tools: SearchTools, facts: Facts, t: Term) -> Extend | None:
    """Replace a sum whose summands are known to be zero by 0: each product in the summand has a factor that is."""
    if t.op != "sum" or t.sort is not k.REAL or t.level or not (general := _equations(facts)):
        return None
    functions = {f for u in general for f in u.free}
    low, high, body = t.args
    (x,) = tools.temporaries(1, "z")
    summand = instantiate(body, (x,))
    inside = facts.assume(k.le(low, x), k.lt(x, high))
    guarded = inside
    while k.is_guarded(summand):
        guarded, summand = guarded.assume(summand.args[0]), summand.args[1]
    zero = k.num(0, k.REAL)
    zeros: dict[Term, None] = {}
    for m in k.coefficients(summand):
        factors = [a for a in m if a.op == "app" and a.args[0] in functions]
        known = next((a for a in factors if a in zeros or tools.proves(inside, k.eq(a, zero))), None)
        if known is None:
            return None
        zeros[known] = None
    return Extend(t, zero, tuple(bind_step(tools, Replace(a, zero), x) for a in zeros))


def known_equation(tools: SearchTools, facts: Facts, a: Term, b: Term) -> Replace | None:
    """Replace an application on one side by a value that a universal fact gives it, made of applications on the other side."""
    general = _equations(facts) if a.sort is k.REAL else []
    if not general:
        return None
    functions = {f for u in general for f in u.free}
    in_a, in_b = (_applications(t, functions) for t in (a, b))
    for own, other in ((in_a, in_b), (in_b, in_a)):
        for x in (x for x in own if x not in other):
            for value in _values(facts, general, x):
                made_of = set(_applications(value, functions))
                if x not in made_of and made_of <= set(other) and tools.proves(facts, k.eq(x, value)):
                    return Replace(x, value)
    return None


def _applications(t: Term, functions: set[Term]) -> list[Term]:
    return [x for x in k.subterms_with(t, "app") if x.level == 0 and x.sort is k.REAL and x.args[0] in functions]


def _values(facts: Facts, general: list[Term], x: Term) -> Iterator[Term]:
    """Yield what equations in instances of universal facts say of x."""
    for fact in facts.guide.instances(general, [k.eq(x, k.num(0, x.sort))]):
        made = instance(*fact)
        for e in k.subterms_with(made, "eq"):
            linear = linear_in(k.coefficients(e.args[0]), x) if e.args[0].sort is x.sort and e.level == 0 else None
            if linear is not None and k.is_num(linear[0]) and not k.is_zero(linear[0]):
                yield k.scale(Fraction(-1) / linear[0].data, linear[1])
