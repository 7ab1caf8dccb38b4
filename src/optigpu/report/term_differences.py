"""Where two terms differ: the smallest parts of them that are not the same."""

from __future__ import annotations

from optigpu.logic.terms import Term, coefficients, instantiate, placeholder, polynomial

FIRST_PLACEHOLDER = 1000  # numbers of variables that stand for bound ones, apart from those that printing needs


def smallest_difference(a: Term, b: Term, depth: int = 0) -> tuple[Term, Term]:
    """The smallest parts of a and b without which they would be the same term. Bound variables become placeholders."""
    if a.op == "poly" or b.op == "poly":
        return _of_polynomials(a, b, depth)
    if a.op != b.op or a.data != b.data or len(a.args) != len(b.args):
        return a, b
    unequal = [n for n, (x, y) in enumerate(zip(a.args, b.args)) if x is not y]
    if len(unequal) != 1 or a.args[unequal[0]].sort is not b.args[unequal[0]].sort:
        return a, b
    (n,) = unequal
    x, y = a.args[n], b.args[n]
    if a.binds and n == len(a.args) - 1:
        sorts = a.data if a.data is not None else (a.args[-2].sort,)
        names = tuple(placeholder("k", FIRST_PLACEHOLDER + depth + i, s) for i, s in enumerate(sorts))
        return smallest_difference(instantiate(x, names), instantiate(y, names), depth + len(names))
    return smallest_difference(x, y, depth)


def _of_polynomials(a: Term, b: Term, depth: int) -> tuple[Term, Term]:
    """Without the monomials that both have; of two products, without their common factors."""
    if a.sort is not b.sort or not a.sort.numeric:
        return a, b
    first, second = coefficients(a), coefficients(b)
    left = {m: c for m, c in first.items() if second.get(m) != c}
    right = {m: c for m, c in second.items() if first.get(m) != c}
    if len(left) == len(right) == 1:
        ((m, c),), ((n, d),) = left.items(), right.items()
        own, other = _without(m, n), _without(n, m)
        if c == d and len(own) == len(other) == 1:
            return smallest_difference(own[0], other[0], depth)
    if len(left) + len(right) == len(first) + len(second):
        return a, b
    return polynomial(left, a.sort), polynomial(right, b.sort)


def _without(m: tuple[Term, ...], n: tuple[Term, ...]) -> list[Term]:
    """The factors of m, without those that n has too."""
    rest = list(n)
    out = []
    for a in m:
        if a in rest:
            rest.remove(a)
        else:
            out.append(a)
    return out
