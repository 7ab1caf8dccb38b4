"""Integer polynomials over expressions: normal forms in which `(n + 32 - 1) / 32` and `(31 + n) / 32` are equal.

Operations are mathematical, also those of unsigned type: `wrapping.py` puts a cast around each that may wrap around.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from optigpu.syntax.builtins import index_helper
from optigpu.syntax.exprs import Binary, Call, Cast, Expr, Int, SizeOf, Unary, Var, is_int
from optigpu.syntax.printer import print_expr
from optigpu.syntax.types import INT, INT64, UINT64
from optigpu.syntax.walk import map_children, subexpressions

Factors = tuple[Expr, ...]  # the factors of a monomial, sorted by their text


@dataclass(frozen=True)
class Poly:
    """A polynomial with integer coefficients over atoms: variables and expressions that are not polynomials."""

    terms: tuple[tuple[Factors, int], ...]

    @cached_property
    def table(self) -> dict[Factors, int]:
        return dict(self.terms)

    def __add__(self, other: Poly) -> Poly:
        out = dict(self.terms)
        for m, c in other.terms:
            out[m] = out.get(m, 0) + c
        return from_terms(out)

    def __mul__(self, other: Poly) -> Poly:
        out: dict[Factors, int] = {}
        for m, c in self.terms:
            for n, d in other.terms:
                key = tuple(sorted(m + n, key=print_expr))
                out[key] = out.get(key, 0) + c * d
        return from_terms(out)

    def scaled(self, k: int) -> Poly:
        return from_terms({m: c * k for m, c in self.terms})

    def __sub__(self, other: Poly) -> Poly:
        return self + other.scaled(-1)

    @property
    def constant(self) -> int | None:
        """The value of a polynomial without atoms, else None."""
        if not self.terms:
            return 0
        return self.terms[0][1] if len(self.terms) == 1 and self.terms[0][0] == () else None

    def divided(self, other: Poly) -> Poly | None:
        """self / other, if other is one monomial that divides every term."""
        if len(other.terms) != 1:
            return const(1) if self == other and self.terms else None
        (divisor, k), out = other.terms[0], {}
        for m, c in self.terms:
            rest = without_factors(m, divisor)
            if rest is None or k == 0 or c % k:
                return None
            out[rest] = c // k
        return from_terms(out)

    def split_multiples(self, k: int) -> tuple[Poly, Poly]:
        """(q, r) with self = k·q + r, where q collects the terms whose coefficient k divides."""
        q: dict[Factors, int] = {}
        r: dict[Factors, int] = {}
        for m, c in self.terms:
            q[m] = c // k if c % k == 0 or m == () else 0
            r[m] = c - k * q[m]
        return from_terms(q), from_terms(r)


def from_terms(terms: Mapping[Factors, int]) -> Poly:
    kept = [(m, c) for m, c in terms.items() if c != 0]
    return Poly(tuple(sorted(kept, key=lambda t: (-len(t[0]), [print_expr(a) for a in t[0]]))))


def const(n: int) -> Poly:
    return from_terms({(): n})


def atom(e: Expr) -> Poly:
    return from_terms({(e,): 1})


def poly(e: Expr) -> Poly:
    """The polynomial that an integer expression denotes."""
    match e:
        case Int(value):
            return const(value)
        case SizeOf(of):
            return const(of.size)
        case Unary("-", arg):
            return poly(arg).scaled(-1)
        case Cast(to, arg) if is_int(to) and is_int(arg.type):
            return poly(arg) if keeps_value(e) else atom(e)
        case Binary("+", a, b):
            return poly(a) + poly(b)
        case Binary("-", a, b):
            return poly(a) - poly(b)
        case Binary("*", a, b):
            return poly(a) * poly(b)
        case Binary("<<", a, Int(k)) if 0 <= k < 63:
            return poly(a).scaled(1 << k)
        case Binary("/", a, b) | Call("exact_div", (a, b)):
            quotient = poly(a).divided(poly(b))
            return opaque(Binary("/", a, b, type=e.type, loc=e.loc)) if quotient is None else quotient
        case Call(name) if (helper := index_helper(name)) is not None:
            return poly(expand_index_helper(e, helper))
        case Var():
            return atom(e)
        case _:
            return opaque(e)


def expand_index_helper(e: Call, helper: tuple[str, int]) -> Expr:
    """MSIZEn and MINDEXn as arithmetic without wrap-around."""
    stem, rank = helper
    sizes, indices = e.args[:rank], e.args[rank:]
    if stem == "MSIZE":
        out: Expr = sizes[0]
        for n in sizes[1:]:
            out = Binary("*", out, n, type=INT64)
        return out
    out = indices[0]
    for n, i in zip(sizes[1:], indices[1:]):
        out = Binary("+", Binary("*", out, n, type=INT64), i, type=INT64)
    return out


def keeps_value(e: Cast) -> bool:
    """Whether a conversion between integers is proved to keep the value. An explicit cast to an unsigned type computes modulo
    2^bits, unless its argument has already been converted to that type."""
    return e.implicit or e.to.signed or (isinstance(e.arg, Cast) and e.arg.implicit and e.arg.to == e.to)


def opaque(e: Expr) -> Poly:
    """An atom with normalised operands, so that `(n + 32 - 1) / 32` and `(31 + n) / 32` are equal."""
    return atom(map_children(e, lambda x: expression(poly(x)) if is_int(x.type) else x))


def same_value(a: Expr, b: Expr) -> bool:
    return poly(a) == poly(b)


def expression(p: Poly) -> Expr:
    """An expression that denotes the polynomial, positive terms first."""
    out: Expr | None = None
    for m, c in sorted(p.terms, key=lambda t: t[1] < 0):
        term: Expr | None = None
        for a in m:
            term = a if term is None else binary("*", term, a)
        size = abs(c) if out is not None else c
        if term is None:
            term = number(size)
        elif size != 1:
            term = binary("*", term, number(size)) if size != -1 else Unary("-", term, type=INT)
        out = term if out is None else binary("-" if c < 0 else "+", out, term)
    return number(0) if out is None else out


def number(n: int) -> Expr:
    if n > INT64.high:
        return Int(n, UINT64, type=UINT64)
    return Int(n, type=INT if INT.low <= n <= INT.high else INT64)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    return Binary(op, a, b, type=INT64 if INT64 in (a.type, b.type) or UINT64 in (a.type, b.type) else INT)


def mentioned(p: Poly) -> set[str]:
    """The variables of a polynomial, including those inside atoms."""
    return {x.name for m, _ in p.terms for a in m for x in subexpressions(a) if isinstance(x, Var)}


def without_factors(m: Factors, factors: Factors) -> Factors | None:
    """A product divided by some of its factors; None if they are not all factors of it."""
    rest = list(m)
    for a in factors:
        if a not in rest:
            return None
        rest.remove(a)
    return tuple(rest)
