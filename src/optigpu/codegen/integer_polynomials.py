"""Integer expressions of programs as polynomials, and back: `(n + 32 - 1) / 32` and `(31 + n) / 32` are equal.

Operations are mathematical, also those of unsigned type: `wrapping.py` puts a cast around each that may wrap around.
"""

from __future__ import annotations

from optigpu.syntax.builtins import index_helper
from optigpu.syntax.exprs import Binary, Call, Cast, Expr, Int, SizeOf, Unary, Var, is_int
from optigpu.syntax.polynomials import Polynomial, atom_polynomial, constant_polynomial
from optigpu.syntax.printer import print_expr
from optigpu.syntax.types import INT, INT64, UINT64
from optigpu.syntax.walk import map_children, subexpressions


def poly(e: Expr) -> Polynomial:
    """The polynomial that an integer expression denotes."""
    match e:
        case Int(value):
            return constant_polynomial(value)
        case SizeOf(of):
            return constant_polynomial(of.size)
        case Unary("-", arg):
            return poly(arg).scaled(-1)
        case Cast(to, arg) if is_int(to) and is_int(arg.type):
            return poly(arg) if keeps_value(e) else atom_polynomial(e)
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
            return atom_polynomial(e)
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


def opaque(e: Expr) -> Polynomial:
    """An atom with normalised operands, so that `(n + 32 - 1) / 32` and `(31 + n) / 32` are equal."""
    return atom_polynomial(map_children(e, lambda x: expression(poly(x)) if is_int(x.type) else x))


def same_value(a: Expr, b: Expr) -> bool:
    return poly(a) == poly(b)


def expression(p: Polynomial) -> Expr:
    """An expression that denotes the polynomial: positive terms first, then by degree and text."""
    out: Expr | None = None
    for m, c in sorted(p.terms, key=lambda t: (t[1] < 0, -len(t[0]), [print_expr(a) for a in t[0]])):
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


def mentioned(p: Polynomial) -> set[str]:
    """The variables of a polynomial, including those inside atoms."""
    return {x.name for m, _ in p.terms for a in m for x in subexpressions(a) if isinstance(x, Var)}
