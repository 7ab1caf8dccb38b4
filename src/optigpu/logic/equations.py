"""Equations as substitutions: the variable that an equation determines, and quotient variables.

From `n mod 16 = c` follows `n = 16 * q + c`, where q is the quotient variable n/16. It stands for `n div 16` wherever it occurs.
"""

from __future__ import annotations

from fractions import Fraction

from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.terms import INT, Term


def solved(item: Term) -> tuple[Term, Term] | None:
    """(v, value) if the fact is an equation p = 0 that gives a variable v its value.

    Either v occurs in p only once, with coefficient 1 or -1 (of reals: any), or p = 0 says n mod d = c, for a number d > c >= 0.
    """
    if item.op != "eq":
        return None
    p = item.args[0]
    cs = k.coefficients(p)
    real = p.sort is not INT
    variables = [m[0] for m, c in cs.items() if len(m) == 1 and m[0].op == "var" and (real or c in (1, -1))]
    for v in sorted(variables, key=elimination_order, reverse=True):
        factor = Fraction(-1) / cs[(v,)] if real else -cs[(v,)]
        rest = k.scale(factor, k.polynomial({m: d for m, d in cs.items() if m != (v,)}, p.sort))
        if v not in rest.free:
            return v, rest
    constant = cs.pop((), 0)
    if p.sort is INT and len(cs) == 2:
        (m1, c1), (m2, c2) = cs.items()
        for n, cn, q, cq in ((m1, c1, m2, c2), (m2, c2, m1, c1)):
            if len(n) == 1 and len(q) == 1 and n[0].op == "var" and q[0].op == "fdiv" and q[0].args[0] is n[0]:
                d = q[0].args[1]
                if d.op == "num" and cq == -cn * d.data and 0 <= (c := -constant * cn) < d.data:  # cn is 1 or -1
                    return n[0], k.add(k.mul(d, _quotient_var(n[0], d.data)), k.num(c))
    return None


def elimination_order(a: Term) -> tuple[int, int, int]:
    """The greatest is eliminated first: arbitrary constants, then loop indices, inner ones first, then sizes."""
    return (*max([x.data.age for x in a.free], default=(0, 0)), a.key)


def _quotient_var(n: Term, divisor: int) -> Term:
    return k.var(replace(n.data, divisors=(*n.data.divisors, divisor)), INT)


def without_quotient_vars(t: Term) -> Term:
    """n div 16 for the variable n/16, everywhere in the term."""
    quotients = [x for x in t.free if x.data.divisors and x.sort is INT]
    if not quotients:
        return t
    return k.substitute(t, {x: k.fdiv(without_quotient_vars(n), d) for x in quotients for n, d in (_quotient(x),)})


def _quotient(x: Term) -> tuple[Term, Term]:
    """Of the variable n/16: n and 16."""
    *divisors, last = x.data.divisors
    return k.var(replace(x.data, divisors=tuple(divisors)), INT), k.num(last)
