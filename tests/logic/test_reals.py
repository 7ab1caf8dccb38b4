"""Laws of real numbers: exponentials, reciprocals, roots, logarithms, signs. Beside each law stands where it must not be used."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts, Guide
from optigpu.logic.signs import ANY, NEGATIVE, NOT_NEGATIVE, POSITIVE, ZERO, Square
from optigpu.logic.terms import INT, REAL, Term
from optigpu.search.advice import SearchGuide

ONE_REAL = k.fun_sort((REAL,), REAL)
X = k.var("X", k.fun_sort((INT,), REAL))
Y = k.var("Y", k.fun_sort((INT,), REAL))
n, m = k.var("n", INT), k.var("m", INT)
x, y, z = (k.var(name, REAL) for name in "xyz")
ZERO_REAL, ONE = k.num(0, REAL), k.num(1, REAL)
INDEX = k.bound(0, INT)


def f(name: str, *args: Term) -> Term:
    return k.app(k.function_var(name, ONE_REAL), *args)


def sum_of(body: Term, high: Term = n) -> Term:
    return k.big("sum", k.ZERO, high, body)


def facts(*props: Term) -> Facts:
    return Facts(SearchGuide()).assume(*props)


def value(t: Term, env: dict[Term, float], stack: tuple[int, ...] = ()) -> float:
    """The value of a term with floats, where 1 / 0 is 0."""

    def ev(a: Term) -> float:
        return value(a, env, stack)

    match t.op:
        case "num":
            return float(t.data)
        case "var":
            return env[t]
        case "bound":
            return stack[-1 - t.data]
        case "poly":
            return sum(float(c) * math.prod(map(ev, monomial)) for monomial, c in t.data)
        case "inv":
            return 1 / a if (a := ev(t.args[0])) else 0.0
        case "real":
            return ev(t.args[0])
        case "max":
            return max(map(ev, t.args))
        case "app" if t.args[0] in (X, Y):
            return math.sin(ev(t.args[1]) * (2 if t.args[0] is X else 5) + 1)
        case "app":
            return {"exp": math.exp, "exp2": lambda a: 2**a, "log": math.log, "sqrt": math.sqrt}[t.args[0].data.stem](
                ev(t.args[1])
            )
        case "sum":
            low, high, body = t.args
            return sum(value(body, env, (*stack, i)) for i in range(int(ev(low)), int(ev(high))))
        case _:
            raise NotImplementedError(t.op)


class Maker:
    """Random terms of exponentials, products, quotients and sums, with their meaning."""

    def __init__(self, seed: int) -> None:
        self.r = Random(seed)

    def make(self, depth: int, bound: int = 0) -> tuple[Term, object]:
        r = self.r
        if depth == 0:
            match r.randrange(3):
                case 0:
                    c = Fraction(r.randint(-3, 3), r.choice([1, 2]))
                    return k.num(c, REAL), lambda env, st: float(c)
                case 1 if bound:
                    i = r.randrange(bound)
                    return k.app(X, k.bound(i, INT)), lambda env, st: math.sin(st[-1 - i] * 2 + 1)
                case _:
                    v = r.choice([x, y])
                    return v, lambda env, st: env[v]
        a, fa = self.make(depth - 1, bound)
        b, fb = self.make(depth - 1, bound)
        match r.randrange(8):
            case 0:
                return k.add(a, b), lambda env, st: fa(env, st) + fb(env, st)
            case 1 | 2:
                return k.mul(a, b), lambda env, st: fa(env, st) * fb(env, st)
            case 3:
                return k.inv(a), lambda env, st: 1 / fa(env, st) if fa(env, st) else 0.0
            case 4:
                return f("exp", a), lambda env, st: math.exp(fa(env, st))
            case 5:
                return f("exp2", a), lambda env, st: 2 ** fa(env, st)
            case 6:
                return k.max_(a, k.neg(a)), lambda env, st: abs(fa(env, st))
            case _:
                body, fbody = self.make(depth - 1, bound + 1)
                return k.big("sum", k.ZERO, n, body), lambda env, st: sum(
                    fbody(env, (*st, i)) for i in range(int(env[n]))
                )


@pytest.mark.parametrize("seed", range(300))
def test_constructors_keep_the_value(seed: int) -> None:
    term, meaning = Maker(seed).make(4)
    for number in range(4):
        r = Random(seed * 7 + number)
        env = {x: r.uniform(-2, 2), y: r.choice([0.0, 1.0, r.uniform(-2, 2)]), n: float(r.randint(-1, 3))}
        try:
            expected = meaning(env, ())  # type: ignore[operator]
            got = value(term, env)
        except OverflowError:
            continue
        if abs(expected) < 1e9 and math.isfinite(expected):
            assert got == pytest.approx(expected, rel=1e-4, abs=1e-4) or abs(expected) > 1e6 or _is_near_pole(got)


def _is_near_pole(got: float) -> bool:
    """A difference that is 0 but for rounding may have been divided by."""
    return abs(got) > 1e6


def test_exponentials_multiply() -> None:
    assert k.mul(f("exp", x), f("exp", y)) is f("exp", k.add(x, y))
    assert k.inv(f("exp", x)) is f("exp", k.neg(x))
    assert k.mul(f("exp", x), f("exp", k.neg(x))) is ONE and f("exp", ZERO_REAL) is ONE
    assert k.mul(f("exp2", x), f("exp", y), f("exp2", x)) is k.mul(f("exp", y), f("exp2", k.scale(2, x)))
    assert k.mul(f("exp", x), f("exp2", y)).op == "poly"  # of different bases
    assert f("log", f("exp", x)) is x and f("log", f("exp2", x)).op == "app"


def test_a_shift_moves_out_of_a_sum_and_cancels() -> None:
    shifted = f("exp", k.sub(k.app(X, INDEX), x))
    assert sum_of(shifted) is k.mul(f("exp", k.neg(x)), sum_of(f("exp", k.app(X, INDEX))))
    quotient = k.mul(f("exp", k.sub(y, x)), k.inv(sum_of(shifted)))
    assert quotient is k.mul(f("exp", y), k.inv(sum_of(f("exp", k.app(X, INDEX)))))
    other = k.mul(f("exp", k.sub(y, z)), k.inv(sum_of(shifted)))
    assert other is not quotient


def test_a_shift_moves_out_of_a_guarded_sum_unless_it_depends_on_the_index() -> None:
    guard = k.le(INDEX, k.num(5))

    def guarded(exponent: Term) -> Term:
        return sum_of(k.ite(guard, f("exp", exponent), ZERO_REAL))

    element = k.app(X, INDEX)
    assert guarded(k.sub(element, x)) is k.mul(f("exp", k.neg(x)), guarded(element))
    moving = guarded(k.sub(element, k.mul(x, k.to_real(INDEX))))
    assert moving.op == "sum" and moving is not guarded(element)


def test_reciprocals() -> None:
    assert k.inv(k.mul(x, y)) is k.mul(k.inv(x), k.inv(y)) and k.inv(k.inv(x)) is x and k.inv(ZERO_REAL) is ZERO_REAL
    assert k.inv(k.add(k.mul(x, y), k.mul(x, z))) is k.mul(k.inv(x), k.inv(k.add(y, z)))
    assert k.inv(k.sub(x, y)) is k.neg(k.inv(k.sub(y, x)))
    assert facts().simplify(k.mul(x, k.inv(x))) is not ONE  # x may be 0
    assert facts(k.not_(k.eq(x, ZERO_REAL))).simplify(k.mul(x, k.inv(x))) is ONE


def test_absolute_values() -> None:
    d = k.sub(x, y)
    size = k.max_(d, k.neg(d))
    assert k.mul(size, size) is k.mul(d, d) and k.mul(size, size, size) is k.mul(size, d, d)
    greatest = k.max_(x, y)
    assert k.mul(greatest, greatest) is not k.mul(x, y)


def test_roots_need_a_number_that_is_not_negative() -> None:
    root = f("sqrt", x)
    assert facts(k.le(ZERO_REAL, x)).simplify(k.mul(root, root)) is x
    assert facts().simplify(k.mul(root, root)) is not x
    assert facts().simplify(f("sqrt", k.mul(x, x))) is k.max_(x, k.neg(x))
    assert facts(k.le(ZERO_REAL, y)).simplify(f("sqrt", k.mul(x, x, y))) is k.mul(k.max_(x, k.neg(x)), f("sqrt", y))
    assert facts().simplify(f("sqrt", k.mul(x, y))).op == "app"  # both may be negative
    assert facts().simplify(f("sqrt", k.num(Fraction(9, 4), REAL))) is k.num(Fraction(3, 2), REAL)
    assert facts().simplify(f("sqrt", k.num(-4, REAL))).op == "app"


def test_logarithms_need_positive_numbers() -> None:
    positive = facts(k.lt(ZERO_REAL, x), k.lt(ZERO_REAL, y))
    assert positive.simplify(f("log", k.mul(x, k.inv(y)))) is k.sub(f("log", x), f("log", y))
    assert facts(k.lt(ZERO_REAL, k.mul(x, y))).simplify(f("log", k.mul(x, y))).op == "app"  # both may be negative
    assert positive.simplify(f("exp", k.add(f("log", x), z))) is k.mul(x, f("exp", z))
    assert facts().simplify(f("exp", f("log", x))) is not x
    assert facts().simplify(f("exp", k.scale(Fraction(1, 2), f("log", x)))).op == "app"


def test_the_logarithm_of_a_root_that_is_said_to_be_positive() -> None:
    """sqrt of a negative number is some number: that it is positive says nothing of its square."""
    stated = facts(k.lt(ZERO_REAL, f("sqrt", x)))
    assert stated.simplify(f("log", f("sqrt", x))).op == "app"


def mean_of(body: Term, high: Term = n) -> Term:
    return k.mul(sum_of(body, high), k.inv(k.to_real(high)))


def variance(high: Term = n) -> Term:
    d = k.sub(k.app(X, INDEX), k.shift(mean_of(k.app(X, INDEX), high), 1))
    return mean_of(k.mul(d, d), high)


def test_sums_of_squares_are_not_negative() -> None:
    some = facts(k.lt(k.ZERO, n))
    difference = k.sub(k.app(X, INDEX), k.app(Y, INDEX))
    for p in (sum_of(k.mul(difference, difference)), variance(), k.mul(k.sub(x, y), k.sub(x, y))):
        assert some.proves(k.le(ZERO_REAL, p))
        assert not some.proves(k.lt(ZERO_REAL, p))
        assert some.proves(k.lt(ZERO_REAL, k.add(p, ONE)))
        assert not some.proves(k.le(ZERO_REAL, k.sub(p, ONE)))
    assert facts(k.lt(k.ZERO, n), k.lt(ZERO_REAL, x)).proves(k.lt(ZERO_REAL, f("sqrt", k.add(variance(), x))))


def test_what_is_no_sum_of_squares() -> None:
    some = facts(k.lt(k.ZERO, n))
    mixed = sum_of(k.mul(k.app(X, INDEX), k.app(Y, INDEX)))
    cube = sum_of(k.mul(k.app(X, INDEX), k.app(X, INDEX), k.app(X, INDEX)))
    form = k.sub(k.add(k.mul(x, x), k.mul(y, y)), k.scale(3, k.mul(x, y)))
    too_much = k.sub(k.mul(k.to_real(n), variance()), mean_of(k.mul(k.app(X, INDEX), k.app(X, INDEX))))
    for p in (mixed, cube, form, too_much, k.add(variance(), x)):
        assert not some.proves(k.le(ZERO_REAL, p)) and not some.proves(k.le(p, ZERO_REAL))
    assert not facts(k.lt(n, k.ZERO)).proves(k.le(ZERO_REAL, k.add(k.scale(-1, variance(m)), x)))


def test_signs_of_terms() -> None:
    some = facts(k.lt(k.ZERO, n), k.lt(ZERO_REAL, x), k.le(k.ZERO, m), k.lt(k.add(y, ONE), ZERO_REAL))
    positive_body, empty = f("exp", k.app(X, INDEX)), sum_of(f("exp", k.app(X, INDEX)), m)
    for term, sign in (
        (sum_of(positive_body), POSITIVE),
        (empty, NOT_NEGATIVE),
        (k.inv(empty), NOT_NEGATIVE),
        (k.mul(x, k.inv(sum_of(positive_body))), POSITIVE),
        (y, NEGATIVE),
        (k.mul(y, y), POSITIVE),
        (k.mul(x, y), NEGATIVE),
        (z, ANY),
        (k.mul(z, z), NOT_NEGATIVE),
        (k.to_real(n), POSITIVE),
        (k.to_real(m), NOT_NEGATIVE),
        (k.max_(z, k.neg(z)), NOT_NEGATIVE),
        (k.max_(z, x), POSITIVE),
        (f("sqrt", x), POSITIVE),
        (f("sqrt", y), ANY),
        (f("sqrt", z), ANY),
        (f("log", x), ANY),
        (sum_of(k.app(X, INDEX)), ANY),
        (k.big("prod", k.ZERO, m, f("exp", k.app(X, INDEX))), POSITIVE),
        (k.big("fold_max", k.ZERO, m, f("exp", k.app(X, INDEX)), z), ANY),
        (k.big("fold_max", k.ZERO, n, f("exp", k.app(X, INDEX)), z), POSITIVE),
        (k.big("fold_max", k.ZERO, m, k.app(X, INDEX), x), POSITIVE),
        (k.sub(x, y), POSITIVE),
        (k.add(x, y), ANY),
    ):
        assert some.sign(some.reduce(term)) == sign, term


def test_factors_of_a_product_that_is_not_zero() -> None:
    product = facts(k.lt(k.ZERO, k.mul(n, m)))
    real = k.mul(k.to_real(m), k.to_real(n))
    assert product.proves(k.not_(k.eq(real, ZERO_REAL))) and product.proves(k.lt(ZERO_REAL, real))
    assert product.proves(k.not_(k.eq(k.to_real(n), ZERO_REAL))) and not product.proves(k.lt(ZERO_REAL, k.to_real(n)))
    assert not facts(k.le(k.ZERO, k.mul(n, m))).proves(k.not_(k.eq(k.to_real(n), ZERO_REAL)))
    assert facts(k.not_(k.eq(k.mul(x, y), ZERO_REAL))).sign(x) == NEGATIVE | POSITIVE


def test_equations_are_multiplied_by_divisors_that_are_not_zero() -> None:
    i = k.to_real(n)
    following = k.add(i, ONE)
    equation = k.eq(k.sub(k.inv(i), k.inv(following)), k.mul(k.inv(i), k.inv(following)))
    assert facts(k.lt(k.ZERO, n)).proves(equation)
    assert not facts(k.le(k.ZERO, n)).proves(equation)  # 1 / 0 - 1 is not 0
    assert not facts(k.lt(k.ZERO, n)).proves(k.eq(k.sub(k.inv(i), k.inv(following)), k.inv(following)))


class BadSquares(Guide):
    """Advice that is not to be followed."""

    def __init__(self, *squares: Square) -> None:
        self.proposed = squares

    def squares(self, facts: Facts, p: Term) -> list[tuple[Square, ...]]:
        return [self.proposed]


def test_wrong_squares_prove_nothing() -> None:
    p = k.add(k.mul(x, y), k.mul(z, z, z))
    assert k.num(0, REAL) is ZERO_REAL
    for square in (
        Square(k.neg(ONE), (), x),
        Square(z, (), z),  # a factor of unknown sign: z * z * z
        Square(ONE, (), k.app(X, INDEX)),  # a loose index
        Square(k.app(X, INDEX), (), x),
        Square(ONE, ((k.ZERO, n),), k.app(X, k.bound(1, INT))),
    ):
        some = Facts(BadSquares(square)).assume(k.le(ZERO_REAL, k.mul(x, y)))
        assert not some.proves(k.le(ZERO_REAL, p)) and some.sign(p) & NEGATIVE and some.sign(p) & ZERO
    with pytest.raises(TypeError):
        Facts(BadSquares((ONE, (), x))).proves(k.le(ZERO_REAL, p))  # type: ignore[arg-type]


def test_a_maximum_is_decided_by_a_fact_about_one_value() -> None:
    values = k.big("fold_max", k.ZERO, n, k.app(X, INDEX), y)
    both = k.max_(x, values)
    assert facts(k.le(x, values)).simplify(both) is values
    assert facts(k.lt(values, x)).simplify(both) is x
    assert facts(k.le(y, x)).simplify(both) is both  # other values may be greater
    assert facts(k.le(x, k.big("fold_max", k.ZERO, m, k.app(X, INDEX), y))).simplify(both) is both


def test_integers_converted_to_reals_have_their_sign() -> None:
    less = k.sub(k.to_real(n), ONE)
    assert facts(k.lt(k.num(1), n)).sign(less) == POSITIVE and facts(k.lt(k.ZERO, n)).sign(less) == NOT_NEGATIVE
    half = k.sub(k.scale(Fraction(1, 2), k.to_real(n)), ONE)
    assert facts(k.lt(k.num(2), n)).sign(half) == POSITIVE and facts(k.lt(k.num(1), n)).sign(half) == NOT_NEGATIVE
    assert facts(k.lt(k.ZERO, n)).sign(half) == ANY
