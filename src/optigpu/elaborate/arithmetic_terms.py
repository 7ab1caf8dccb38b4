"""C's operators and the functions of formulas on integers and reals, as terms."""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.terms import INT, REAL, Term


def pure_operation(op: str, a: Term, b: Term) -> Term:
    """The value of a binary operator of C; its side conditions are up to the caller."""
    match op:
        case "+":
            return k.add(a, b)
        case "-":
            return k.sub(a, b)
        case "*":
            return k.mul(a, b)
        case "/":
            return k.mul(a, k.inv(b)) if a.sort is REAL else quotient(a, b)
        case "%":
            return k.sub(a, k.mul(b, quotient(a, b)))
        case "<<":
            return k.mul(a, k.pow2(b))
        case ">>":
            return k.fdiv(a, k.pow2(b))
        case "&" | "|" | "^":
            return k.bitwise({"&": "band", "|": "bor", "^": "bxor"}[op], a, b)
        case "<":
            return k.lt(a, b)
        case "<=":
            return k.le(a, b)
        case ">":
            return k.lt(b, a)
        case ">=":
            return k.le(b, a)
        case "==":
            return k.eq(a, b)
        case "!=":
            return k.not_(k.eq(a, b))
        case _:
            raise ValueError(op)


def quotient(a: Term, b: Term) -> Term:
    """C's division of integers, which rounds towards zero."""
    positive = k.ite(k.le(k.ZERO, a), k.fdiv(a, b), k.neg(k.fdiv(k.neg(a), b)))
    if k.is_num(b) and b.data > 0:
        return positive
    negative = k.ite(k.le(k.ZERO, a), k.neg(k.fdiv(a, k.neg(b))), k.fdiv(k.neg(a), k.neg(b)))
    return k.ite(k.lt(k.ZERO, b), positive, negative)


def is_multiple(a: Term, b: Term) -> Term:
    """`a % b == 0`, for b != 0: whichever way the quotient is rounded."""
    return k.eq(a, k.mul(b, k.fdiv(a, b)))


def remainder(a: Term, b: Term) -> Term:
    """`%` in a formula: unknown for a division by zero."""
    return k.add(pure_operation("%", a, b), k.ite(k.eq(b, k.ZERO), _unknown_remainder(a, b), k.ZERO))


def no_remainder(a: Term, b: Term) -> Term:
    """`a % b == 0` in a formula."""
    unknown = k.eq(k.add(a, _unknown_remainder(a, b)), k.ZERO)
    return k.ite(k.eq(b, k.ZERO), unknown, is_multiple(a, b))


def _unknown_remainder(a: Term, b: Term) -> Term:
    return k.app(k.var("%", k.fun_sort((INT, INT), INT)), a, b)


def exact_quotient(a: Term, b: Term) -> Term:
    """`exact_div` in a formula: unknown where b does not divide a."""
    something = k.app(k.var("exact_div", k.fun_sort((INT, INT), INT)), a, b)
    return k.ite(is_multiple(a, b), k.fdiv(a, b), something)


def divides(a: Term, b: Term) -> Term:
    return k.and_(k.not_(k.eq(b, k.ZERO)), is_multiple(a, b))


def linear(helper: tuple[str, int], args: list[Term]) -> Term:
    """MSIZEn and (D)MINDEXn: sizes and offsets of arrays in row-major order."""
    stem, rank = helper
    if stem == "MSIZE":
        return k.mul(k.ONE, *args)
    out = args[rank]
    for n, i in zip(args[1:rank], args[rank + 1 :]):
        out = k.add(k.mul(out, n), i)
    return out
