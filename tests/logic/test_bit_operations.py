"""The kernel's laws of `&`, `|` and `^` hold for the bits of all integers, negative ones with infinitely many leading ones."""

from __future__ import annotations

from itertools import product

import pytest

from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.judge import laws_of_bits
from optigpu.logic.terms import INT, ZERO
from tests.support.terms import evaluate

X, Y, Z = (k.var(n, INT) for n in "xyz")
NUMBERS = range(-9, 18)


def test_exclusive_or_cancels_and_gathers_numbers() -> None:
    xor = lambda a, b: k.bitwise("bxor", a, b)  # noqa: E731
    assert xor(X, X) is ZERO
    assert xor(X, ZERO) is X
    assert xor(xor(X, Y), X) is Y
    assert xor(xor(X, k.num(5)), k.num(4)) is xor(k.num(1), X)
    assert xor(xor(X, Y), Z) is xor(Z, xor(Y, X))
    assert xor(X, k.num(1)) is not xor(X, k.num(2))
    assert xor(X, Y) is not ZERO


@pytest.mark.parametrize("op", ["band", "bor", "bxor"])
def test_laws_hold_of_two_variables(op: str) -> None:
    laws = laws_of_bits(k.bitwise(op, X, Y))
    assert laws
    for x, y in product((*NUMBERS, -70000, -300, -129, 127, 128, 200, 255, 256, 40000, 70000), repeat=2):
        assert all(evaluate(law, {"x": x, "y": y}) for law in laws), (x, y)


@pytest.mark.parametrize("c", [0, 1, 2, 3, 4, 5, 8, 12, 31, -1, -2, -5])
@pytest.mark.parametrize("op", ["band", "bor", "bxor"])
def test_laws_hold_of_a_constant(op: str, c: int) -> None:
    t = k.bitwise(op, X, k.num(c))
    for x in range(-70, 70):
        assert evaluate(t, {"x": x}) == {"band": x & c, "bor": x | c, "bxor": x ^ c}[op]
        if t.op == op:
            assert all(evaluate(law, {"x": x}) for law in laws_of_bits(t)), x


def test_bounds_of_exclusive_or_are_those_of_its_high_bits() -> None:
    """With a number that is not negative they stay; with a negative one they change."""
    known = Facts().assume(k.le(ZERO, X))
    assert known.proves(k.le(ZERO, k.bitwise("bxor", X, k.num(5))))
    for c in (-1, -2, -5):
        assert not known.proves(k.le(ZERO, k.bitwise("bxor", X, k.num(c))))
        assert not Facts().assume(k.le(X, k.num(7))).proves(k.le(k.bitwise("bxor", X, k.num(c)), k.num(7)))
