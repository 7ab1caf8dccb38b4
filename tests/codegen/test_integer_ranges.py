"""Index arithmetic of the code generator: folding keeps values, bounds hold, and 32 bits are used only where they suffice."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.codegen.folding import simplify
from optigpu.codegen.integer_polynomials import expression, poly
from optigpu.codegen.value_ranges import Ranges
from optigpu.syntax.exprs import Binary, Bool, Call, Cond, Expr, Int, Unary, Var
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.types import BOOL, INT

LIMITS = {"n": (0, 1000), "m": (1, 60), "t": (0, 31), "b": (0, 7), "k": (-5, 20)}
RANGES = Ranges()
for _name, (_low, _high) in LIMITS.items():
    RANGES = RANGES.having(_name, constant_polynomial(_low), constant_polynomial(_high))
RANGES = RANGES.having("j", constant_polynomial(0), poly(Binary("/", Var("n", type=INT), Int(4, type=INT), type=INT)))
VALUES = st.fixed_dictionaries({n: st.integers(low, high) for n, (low, high) in LIMITS.items()}).flatmap(
    lambda env: st.integers(0, env["n"] // 4).map(lambda j: {**env, "j": j})
)


def number(n: int) -> Expr:
    return Int(n, type=INT)


def binary(op: str, a: Expr, b: Expr) -> Expr:
    return Binary(op, a, b, type=INT)


def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    positive = st.integers(1, 40).map(number)
    return st.one_of(
        st.builds(binary, st.sampled_from("+-*"), inner, inner),
        st.builds(binary, st.sampled_from("/%"), inner, positive),
        st.builds(lambda a: Unary("-", a, type=INT), inner),
        st.builds(lambda f, a, b: Call(f, (a, b), type=INT), st.sampled_from(["min", "max"]), inner, inner),
        st.builds(
            lambda op, a, b, x, y: Cond(Binary(op, a, b, type=BOOL), x, y, type=INT),
            st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), inner, inner, inner, inner,
        ),
    )  # fmt: skip


LEAVES = st.one_of(st.sampled_from([*LIMITS, "j"]).map(lambda n: Var(n, type=INT)), st.integers(-40, 40).map(number))
EXPRESSIONS = st.recursive(LEAVES, grow, max_leaves=8)


def value(e: Expr, env: dict[str, int]) -> int:
    """C's arithmetic without limits of size."""
    match e:
        case Int(v) | Bool(v):
            return int(v)
        case Var(name):
            return env[name]
        case Unary("-", a):
            return -value(a, env)
        case Call("min", (a, b)):
            return min(value(a, env), value(b, env))
        case Call("max", (a, b)):
            return max(value(a, env), value(b, env))
        case Cond(test, a, b):
            return value(a, env) if value(test, env) else value(b, env)
        case Binary(op, a, b):
            x, y = value(a, env), value(b, env)
            quotient = (abs(x) // abs(y) if (x < 0) == (y < 0) else -(abs(x) // abs(y))) if op in "/%" else 0
            return {
                "+": x + y, "-": x - y, "*": x * y, "/": quotient, "%": x - y * quotient, "<": x < y, "<=": x <= y, ">": x > y,
                ">=": x >= y, "==": x == y, "!=": x != y,
            }[op]  # fmt: skip
    raise AssertionError(e)


@settings(max_examples=600, deadline=None)
@given(EXPRESSIONS, VALUES)
def test_folding_keeps_the_value(e: Expr, env: dict[str, int]) -> None:
    assert value(simplify(e, RANGES), env) == value(e, env)


@settings(max_examples=600, deadline=None)
@given(EXPRESSIONS, VALUES)
def test_bounds_hold(e: Expr, env: dict[str, int]) -> None:
    low, high = RANGES.interval(e)
    assert low <= value(e, env) <= high


@settings(max_examples=300, deadline=None)
@given(EXPRESSIONS, VALUES)
def test_a_polynomial_is_the_expression(e: Expr, env: dict[str, int]) -> None:
    assert value(expression(poly(e)), env) == value(e, env)


def test_the_index_of_a_guarded_tail_fits_32_bits() -> None:
    n = Var("n", type=INT)
    blocks = binary("/", binary("+", n, number(255)), number(256))
    ranges = (
        Ranges()
        .having("n", constant_polynomial(0), constant_polynomial(2**31 - 1025))
        .having("b", constant_polynomial(0), poly(blocks) - constant_polynomial(1))
    )
    ranges = ranges.having("t", constant_polynomial(0), constant_polynomial(255))
    index = binary("+", binary("*", number(256), Var("b", type=INT)), Var("t", type=INT))
    assert ranges.fits(index)
    assert not ranges.fits(binary("+", index, number(1100)))


def test_mixed_radix_is_resolved() -> None:
    index = binary("+", binary("*", Var("b", type=INT), number(32)), Var("t", type=INT))
    assert simplify(binary("/", index, number(32)), RANGES) == Var("b")
    assert simplify(binary("%", index, number(32)), RANGES) == Var("t")
    assert simplify(binary("%", index, number(16)), RANGES) != Var("t")
