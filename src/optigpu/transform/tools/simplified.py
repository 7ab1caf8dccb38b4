"""Constructors of expressions and loops that fold constants and drop zeros and ones: `plus(e, lit(0))` is `e`.

What a step writes then reads as if a person had written it. `collect_terms` simplifies a whole sum of products.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Binary, Call, Cast, Expr, Index, Int, Real, Unary, Var, is_float
from optigpu.syntax.polynomials import Polynomial, atom_polynomial, constant_polynomial
from optigpu.syntax.program import Body, For, LoopRange
from optigpu.syntax.types import Kind, Scalar
from optigpu.syntax.walk import rewrite, rewrite_body

INT_BITS, INT_MAX = 31, 2**31 - 1  # of an int that is not negative


def lit(n: int) -> Expr:
    return Int(n)


def literal_of(t: Scalar, n: int) -> Expr:
    """A number as a literal of this type."""
    return Real(Fraction(n)) if is_float(t) else lit(n)


def zero_of(t: Scalar) -> Expr:
    return literal_of(t, 0)


def value_of(e: Expr) -> int | None:
    """The value of an integer literal, also after a conversion that keeps it, or of a literal that is shifted by one (`1 << 8`);
    None for any other expression."""
    match e:
        case Int(value):
            return value
        case Unary("-", Int(value)):
            return -value
        case Binary("<<", Int(value), Int(bits)) if value >= 0 and 0 <= bits < INT_BITS and value << bits <= INT_MAX:
            return value << bits
        case Cast(Scalar(kind=Kind.INT) as to, arg):
            number = value_of(arg)
            return number if number is not None and to.low <= number <= to.high else None
        case _:
            return None


def plus(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None:
        return lit(x + y)
    if x == 0 or y == 0:
        return b if x == 0 else a
    if y is not None and y < 0:
        return Binary("-", a, lit(-y))
    if isinstance(b, Binary) and b.op == "+":
        return plus(plus(a, b.left), b.right)
    return Binary("+", a, b)


def minus(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None:
        return lit(x - y)
    if y == 0:
        return a
    return lit(0) if a == b else Binary("-", a, b)


def times(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None:
        return lit(x * y)
    if x == 0 or y == 0:
        return lit(0)
    if x == 1 or y == 1:
        return b if x == 1 else a
    return Binary("*", a, b)


def product(factors: Sequence[Expr]) -> Expr:
    out: Expr = lit(1)
    for e in factors:
        out = times(out, e)
    return out


def exact_div(a: Expr, b: Expr) -> Expr:
    """a / b where b divides a, which the checker then has to prove."""
    x, y = value_of(a), value_of(b)
    if x is not None and y is not None and y > 0 and x % y == 0:
        return lit(x // y)
    return a if y == 1 else Call("exact_div", (a, b))


def div(a: Expr, b: Expr) -> Expr:
    """C's division; folded only where nothing is negative."""
    x, y = value_of(a), value_of(b)
    if x is not None and x >= 0 and y is not None and y > 0:
        return lit(x // y)
    return a if y == 1 else Binary("/", a, b)


def mod(a: Expr, b: Expr) -> Expr:
    """C's remainder; folded only where nothing is negative."""
    x, y = value_of(a), value_of(b)
    if x is not None and x >= 0 and y is not None and y > 0:
        return lit(x % y)
    return Binary("%", a, b)


def ceil_div(a: Expr, b: Expr) -> Expr:
    return div(plus(a, minus(b, lit(1))), b)


def less(a: Expr, b: Expr) -> Expr:
    return Binary("<", a, b)


def minimum(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    return lit(min(x, y)) if x is not None and y is not None else Call("min", (a, b))


def conjunction(tests: Sequence[Expr]) -> Expr:
    out = tests[0]
    for test in tests[1:]:
        out = Binary("&&", out, test)
    return out


def cell(name: str, indices: Sequence[Expr]) -> Index:
    return Index(Var(name), tuple(indices))


def up_to(index: str, bound: Expr, body: Body, start: Expr | None = None, like: For | None = None) -> For:
    """`for (int index = start; index < bound; index++)`; everything else (mode, hints, contract, id) is that of `like`."""
    range_ = LoopRange(lit(0) if start is None else start, "<", bound, "+", lit(1))
    if like is None:
        return For(index, range_, body)
    return replace(like, index=index, range=range_, body=body)


def flattened_sums(body: Body) -> Body:
    """`a + (b + c)` as `a + b + c`, where the inner sum was just substituted for an index (it has no type yet)."""

    def flat(e: Expr) -> Expr:
        match e:
            case Binary("+", left, Binary("+", a, b) as right) if right.type is None:
                return flat(replace(e, left=flat(replace(e, left=left, right=a)), right=b))
            case _:
                return e

    return rewrite_body(body, lambda e: rewrite(e, flat))


def folded(e: Expr) -> Expr:
    """Fold neighbouring constants in sums and products, and drop zeros and ones; the order of terms stays."""

    def fold(x: Expr) -> Expr:
        match x:
            case Binary("*", left, right):
                return times(left, right)
            case Binary("+", Binary("+", rest, a), b) if value_of(a) is not None and value_of(b) is not None:
                return plus(rest, plus(a, b))
            case Binary("+", left, right) if (
                lit(0) in (left, right) or (value_of(left), value_of(right)).count(None) == 0
            ):
                return plus(left, right)
            case _:
                return x

    return rewrite(e, fold)


def collect_terms(e: Expr) -> Expr:
    """A sum of products with like terms collected, in the order in which they first appear: `i + 2 - 1 + i` is `2 * i + 1`."""
    return from_polynomial(polynomial(e), is_float(e.type) or _has_real(e)) if isinstance(e, Binary | Unary) else e


def _has_real(e: Expr) -> bool:
    match e:
        case Real():
            return True
        case Binary(_, left, right):
            return _has_real(left) or _has_real(right)
        case Unary(_, arg):
            return _has_real(arg)
        case _:
            return is_float(e.type)


def polynomial(e: Expr) -> Polynomial:
    """An expression as a polynomial; whatever is no sum, product or whole number is an atom."""
    match e:
        case Int(value):
            return constant_polynomial(value)
        case Real(value) if value.denominator == 1:
            return constant_polynomial(int(value))
        case Unary("-", arg):
            return polynomial(arg).scaled(-1)
        case Binary("+", left, right):
            return polynomial(left) + polynomial(right)
        case Binary("-", left, right):
            return polynomial(left) - polynomial(right)
        case Binary("*", left, right):
            return polynomial(left) * polynomial(right)
        case Binary("<<") if (number := value_of(e)) is not None:
            return constant_polynomial(number)
        case _:
            return atom_polynomial(e)


def quotient_and_rest(e: Expr, size: int) -> tuple[Expr, Expr]:
    """An index divided by a number: the terms that the number divides, and the others. `4 * i + j` by 4 is `i` and `j`.

    If it divides none of several terms, C's `/` and `%`.
    """
    quotient, rest = polynomial(e).split_multiples(size)
    if rest.constant is None and quotient.constant is not None:
        return div(e, lit(size)), mod(e, lit(size))
    return from_polynomial(quotient, False), from_polynomial(rest, False)


def from_polynomial(p: Polynomial, real: bool = False) -> Expr:
    """A polynomial as a sum of products, positive terms first."""

    def number(c: int) -> Expr:
        return Real(Fraction(c)) if real else Int(c)

    out: Expr | None = None
    # A positive term first, so that no unary minus is needed where one can be avoided.
    terms = sorted(p.terms, key=lambda term: (term[1] < 0, not term[0]))
    for atoms, c in terms:
        factors: list[Expr] = ([] if abs(c) == 1 and atoms else [number(abs(c))]) + sorted(atoms, key=repr)
        term = factors[0]
        for f in factors[1:]:
            term = Binary("*", term, f)
        if out is None:
            out = term if c > 0 else Unary("-", term)
        else:
            out = Binary("+" if c > 0 else "-", out, term)
    return number(0) if out is None else out
