"""Parts of terms that a search for an equality looks at: big operators, conditions, bounds; and binders in equality steps.

A big operator has the arguments (low, high, body), where the body is under the index; fold_max has a first value before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from optigpu.logic import terms as k
from optigpu.logic.cells import Terms
from optigpu.logic.equality import (
    EqualityStep,
    Extend,
    Maximum,
    Partition,
    Reindex,
    Replace,
    Split,
    map_terms,
    partition,
    peel,
    split,
)
from optigpu.logic.equations import solved
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term, instantiate
from optigpu.search.search_tools import SearchTools

BIG_OPERATORS = ("sum", "prod", "all", "fold_max", "argmax")

Rewrite: TypeAlias = (
    Split | Reindex | Extend | Partition | Replace | Maximum
)  # equality steps that replace one term by another


def rewrite_result(step: Rewrite) -> Term:
    """Return the term that replaces `step.old`."""
    match step:
        case Split(old, at):
            return split(old, at)
        case Partition(old, test):
            return partition(old, test)
        case Extend(old, body):
            *start, low, high, _ = old.args
            return k.big(old.op, low, high, body, *start)
        case Reindex() | Replace() | Maximum():
            return step.new


def bind_step(tools: SearchTools, step: EqualityStep, x: Term) -> EqualityStep:
    """Turn a step about x into a step under one binder."""
    return abstract_step(tools, step, (x,))


def abstract_step(tools: SearchTools, step: EqualityStep, xs: Terms) -> EqualityStep:
    """Turn a step about variables into a step under as many binders."""

    def under_binders(t: Term, binders: int) -> Term:
        ys = tools.temporaries(binders, "y")
        return k.abstract(instantiate(t, ys), (*xs, *ys))

    return map_terms(step, under_binders)


def matching_indices(nested_body: Term, body: Term, i: Term) -> Iterator[Term]:
    """Yield values of i at which an application in `body` equals one in `nested_body`: f(i) and f(32*k + t) give i = 32*k + t."""
    wanted = [a for a in k.subterms_with(body, "app") if i in a.free]
    for a in k.subterms(nested_body):
        for b in wanted if a.op == "app" else ():
            if a.args[0] is b.args[0]:
                for p, q in zip(a.args[1:], b.args[1:]):
                    closed = p.level == q.level == 0
                    if closed and i in q.free and k.coefficients(q).get((i,), 0) == 1 and i not in k.sub(q, i).free:
                        yield k.sub(p, k.sub(q, i))


def big_operators(t: Term) -> list[Term]:
    """List the closed big operators in a term, outermost first."""
    return [x for x in k.subterms_with(t, *BIG_OPERATORS) if x.level == 0]


def one_sided(a: Term, b: Term) -> list[Term]:
    """List the big operators that occur in only one of two terms."""
    in_a, in_b = big_operators(a), big_operators(b)
    return [t for t in (*in_a, *in_b) if (t in in_a) != (t in in_b)]


def nesting(t: Term) -> int:
    """How many big operators there are inside a term."""
    return len(k.subterms_with(t, *BIG_OPERATORS))


def term_size(t: Term) -> int:
    """How many subterms a term has."""
    return sum(1 for _ in k.subterms(t))


def nested_sums(t: Term, factors: bool = False) -> int:
    """How many sums stand around the summand of a nested sum. `factors`: also where factors stand between them."""
    depth = 0
    while peel(t, depth + 1, factors=factors) is not None:
        depth += 1
    return depth


def conditions(*terms: Term) -> list[Term]:
    """List the closed conditions of choices in the terms."""
    tests: dict[Term, None] = {}
    for t in terms:
        for x in k.subterms(t):
            if x.op == "ite" and x.args[0].level == 0:
                tests[x.args[0]] = None
    return list(tests)


def possible_ranges(facts: Facts, a: Term, b: Term) -> list[Term]:
    """List the conditions that the range of a sum has no negative length, for sums beside one of the same body, and that the range
    of an argmax has one index."""
    sides = one_sided(a, b)
    sums = [t for t in sides if t.op == "sum"]
    beside = [t for t in sums if any(s is not t and s.args[2] is t.args[2] for s in sums)]
    ordered = [k.le(t.args[0], t.args[1]) for t in beside]
    ordered += [k.eq(t.args[0], k.sub(t.args[1], k.ONE)) for t in sides if t.op == "argmax"]
    return [c for c in dict.fromkeys(ordered) if not facts.proves(c) and not facts.proves(k.not_(c))]


def only_values(facts: Facts, *terms: Term) -> list[Term]:
    """List equations v = c for the integers v in terms without sums and maxima that the facts bound by c from both sides, or by
    c and another number, which they exclude."""
    if any(map(big_operators, terms)):
        return []
    bounds = _bounds_of_variables(facts)
    equations = [k.eq(v, c) for v, c in single_values(facts).items()]
    two = {e for p in bounds if k.sub(k.neg(p), k.ONE) in bounds for e in (k.eq(p, k.ZERO), k.eq(p, k.num(-1)))}
    equations += [e for e in two if facts.proves(e)]
    return sorted(e for e in equations if any(e.free <= t.free for t in terms))


def single_values(facts: Facts) -> dict[Term, Term]:
    """The integers that the facts bound by one number from both sides, with that number."""
    bounds = _bounds_of_variables(facts)
    equations = sorted({k.eq(p, k.ZERO) for p in bounds if k.neg(p) in bounds})
    solutions = (solved(e) for e in equations)
    return {s[0]: s[1] for s in solutions if s is not None and k.is_num(s[1])}


def _bounds_of_variables(facts: Facts) -> set[Term]:
    """The terms p of one variable, of which the facts say that p <= 0."""
    return {i.args[0] for i in facts.items if i.op == "le" and i.args[0].sort is k.INT and len(i.args[0].free) == 1}


def zero_divisors(facts: Facts, *terms: Term) -> list[Term]:
    """List equations i = 0 for the integers i by which the terms divide and that are not known to be another number."""
    divisors = {q.args[0] for t in terms for q in k.subterms_with(t, "inv") if q.level == 0 and q.args[0].op == "real"}
    equations = sorted({k.eq(d.args[0], k.ZERO) for d in divisors})
    return [e for e in equations if decides(facts, e) and not facts.proves(k.not_(e))]


def first_atom(c: Term) -> Term:
    """Return the first conjunct or disjunct, recursively."""
    return first_atom(c.args[0]) if c.op in ("and", "or") else c


def decides(facts: Facts, c: Term) -> bool:
    """Does assuming the condition, or its negation, decide it? Otherwise a case distinction would make no progress."""
    return facts.assume(c).simplify(c) is k.TRUE and facts.assume(k.not_(c)).simplify(c) is k.FALSE


def upper_bound(c: Term, i: Term) -> Term | None:
    """Return u if the condition is i < u."""
    if c.op != "le" or c.args[0].sort is not k.INT:
        return None
    rest = k.sub(c.args[0], i)
    return k.sub(k.ONE, rest) if i not in rest.free else None


def lower_bound(c: Term, i: Term) -> Term | None:
    """Return l if the condition is l <= i."""
    if c.op != "le" or c.args[0].sort is not k.INT:
        return None
    rest = k.add(c.args[0], i)
    return rest if i not in rest.free else None
