"""Building expressions: constants are folded and units left out, so that what a step makes reads as if written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from optigpu.frontend.parser import parse_c
from optigpu.frontend.wellformed import reject_malformed
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Binary, Call, Expr, Index, Int, Real, Unary, Var, is_float
from optigpu.syntax.program import Body, Clause, For, Function, LoopRange, Return, Stmt
from optigpu.syntax.source import NO_ID, NOWHERE, SourceText
from optigpu.syntax.walk import map_bodies, map_stmt_exprs, rewrite, rewrite_body

Size = int | str | Expr


def lit(n: int) -> Expr:
    return Int(n)


def value_of(e: Expr) -> int | None:
    """The number an expression stands for, if it is a literal."""
    match e:
        case Int(value):
            return value
        case Unary("-", Int(value)):
            return -value
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


def exact_div(a: Expr, b: Expr) -> Expr:
    x, y = value_of(a), value_of(b)
    if x is not None and y and x % y == 0:
        return lit(x // y)
    return a if y == 1 else Call("exact_div", (a, b))


def div(a: Expr, b: Expr) -> Expr:
    """C's division, of what is not negative."""
    x, y = value_of(a), value_of(b)
    if x is not None and x >= 0 and y is not None and y > 0:
        return lit(x // y)
    return a if y == 1 else Binary("/", a, b)


def mod(a: Expr, b: Expr) -> Expr:
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


def cell(name: str, indices: Sequence[Expr]) -> Index:
    return Index(Var(name), tuple(indices))


def up_to(index: str, bound: Expr, body: Body, start: Expr | None = None, like: For | None = None) -> For:
    """`for (int index = start; index < bound; index++)`; `like` gives mode, hints and id."""
    range_ = LoopRange(lit(0) if start is None else start, "<", bound, "+", lit(1))
    if like is None:
        return For(index, range_, body)
    return replace(like, index=index, range=range_, body=body)


def flattened(body: Body) -> Body:
    """`a + (b + c)` as `a + b + c`, where the inner sum was put in the place of an index just now (it has no type yet)."""

    def one(e: Expr) -> Expr:
        match e:
            case Binary("+", left, Binary("+", a, b) as right) if right.type is None:
                return one(replace(e, left=one(replace(e, left=left, right=a)), right=b))
            case _:
                return e

    return rewrite_body(body, lambda e: rewrite(e, one))


def folded(e: Expr) -> Expr:
    """Constants that stand side by side in sums and products as one, zeros and units left out."""

    def one(x: Expr) -> Expr:
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

    return rewrite(e, one)


# Text that users give -----------------------------------------------------------------------------------------------------------


def expression(e: Size) -> Expr:
    """A number, C text or an expression."""
    if isinstance(e, int):
        return lit(e)
    if not isinstance(e, str):
        return e
    body = _parsed(f"int f() {{ return {e}; }}", e)
    if len(body) != 1 or not isinstance(body[0], Return) or body[0].value is None:
        raise input_error("OG604", f"`{e}` is not an expression", NOWHERE)
    return _placeless(body[0].value)


def statements_from(text: str) -> Body:
    """Statements written as C, annotations included."""
    body = tuple(without_ids(s) for s in _parsed(f"void f() {{\n{text}\n}}", text))
    if not body:
        raise input_error("OG604", f"there is nothing to insert: `{text}` is no statement", NOWHERE)
    return body


def clauses_from(text: str) -> tuple[Clause, ...]:
    """The annotations of a loop, as they stand at the top of its body."""
    match _parsed(f"void f() {{ for (int i = 0; i < 1; i++) {{ {text} }} }}", text):
        case (For(body=()) as loop,):
            return loop.contract
    raise input_error("OG604", f"`{text}` is not a loop contract alone", NOWHERE)


def _parsed(text: str, shown: str) -> Body:
    try:
        items = parse_c(SourceText("<script>", text), lambda name, loc: ())
        reject_malformed(*items)
    except InputError as e:
        raise input_error("OG604", f"`{shown}` cannot be read: {e.diagnostic.message}", NOWHERE) from None
    match items:
        case (Function(contract=()) as f,):
            return f.body
    raise input_error("OG604", f"`{shown}` cannot stand inside a function", NOWHERE)


def _placeless(e: Expr) -> Expr:
    return rewrite(e, lambda x: replace(x, loc=NOWHERE))


def without_ids(s: Stmt) -> Stmt:
    """A statement made anew: its places say nothing."""
    s = map_bodies(map_stmt_exprs(s, _placeless), lambda b: tuple(without_ids(x) for x in b))
    return replace(s, id=NO_ID)


# Simplification -----------------------------------------------------------------------------------------------------------------

Monomial = tuple[Expr, ...]
Polynomial = dict[Monomial, int]


def gather(e: Expr) -> Expr:
    """A sum of products with equal terms gathered, in the order in which they first appear."""
    return _shown(polynomial(e), is_float(e.type) or _has_real(e)) if isinstance(e, Binary | Unary) else e


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
    match e:
        case Int(value):
            return {(): value} if value else {}
        case Real(value) if value.denominator == 1:
            return {(): int(value)} if value else {}
        case Unary("-", arg):
            return {m: -c for m, c in polynomial(arg).items()}
        case Binary("+" | "-" as op, left, right):
            return subtracted(polynomial(left), polynomial(right if op == "-" else Unary("-", right)))
        case Binary("*", left, right):
            product: Polynomial = {}
            for m, c in polynomial(left).items():
                for n, d in polynomial(right).items():
                    key = _sorted(m + n)
                    product[key] = product.get(key, 0) + c * d
            return {m: c for m, c in product.items() if c}
        case _:
            return {(e,): 1}


def quotient_and_rest(e: Expr, size: int) -> tuple[Expr, Expr]:
    """An index divided by a number: the terms that it divides, and the others; by division if there are none to divide."""
    p = polynomial(e)
    quotient = {m: c // size for m, c in p.items() if c % size == 0 or not m}
    rest = {m: c % size if not m else c for m, c in p.items() if c % size}
    if set(rest) - {()} and not set(quotient) - {()}:
        return div(e, lit(size)), mod(e, lit(size))
    return _shown(quotient, False), _shown(rest, False)


def subtracted(p: Polynomial, q: Polynomial) -> Polynomial:
    out = {m: p.get(m, 0) - q.get(m, 0) for m in (*p, *q)}
    return {m: c for m, c in out.items() if c}


def _sorted(m: Monomial) -> Monomial:
    return tuple(sorted(m, key=repr))


def _shown(p: Polynomial, real: bool) -> Expr:
    def number(c: int) -> Expr:
        return Real(Fraction(c)) if real else Int(c)

    out: Expr | None = None
    # A positive term first, so that no unary minus is needed where one can be avoided.
    terms = sorted(((m, c) for m, c in p.items() if c), key=lambda item: (item[1] < 0, not item[0]))
    for m, c in terms:
        factors: list[Expr] = ([] if abs(c) == 1 and m else [number(abs(c))]) + list(m)
        term = factors[0]
        for f in factors[1:]:
            term = Binary("*", term, f)
        if out is None:
            out = term if c > 0 else Unary("-", term)
        else:
            out = Binary("+" if c > 0 else "-", out, term)
    return number(0) if out is None else out
