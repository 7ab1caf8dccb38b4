"""Values that a program gives to logical variables are used, whatever was proved of the program before they were changed."""

from __future__ import annotations

import pytest

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text

CALL = """
#include <optigpu.h>
int g(int x) {
  __requires("k: int, x == 2 * k, 0 <= k, k <= 100");
  __ensures("_Res == k");
  return x / 2;
}
int f(int n) {
  __requires("0 <= n, n <= 100");
  __ensures("_Res == n");
  int r = 0;
  r = g(2 * n);
  __with("k := n");
  return r;
}
"""
LEMMA = """
#include <optigpu.h>
__DECL(f, "int -> int");
__AXIOM(f_zero, "f(0) == 0");
__AXIOM(f_next, "forall (n: int) (h: n >= 0) -> f(n + 1) == f(n) + 2");
__GHOST(f_is_double) {
  __requires("n: int, pos: n >= 0");
  __ensures("twice: f(n) == 2 * n");
  for (int i = 0; i < n; i++) {
    __invariant("f(i) == 2 * i");
  }
}
void fill(int n, int a[n]) {
  __requires("n <= 1000000");
  __writes("a ~> Matrix1(n, fun b -> f(b))");
  for (int b = 0; b < n; b++) {
    __xwrites("&a[b] ~~> f(b)");
    __ghost(f_is_double, "n := b");
    a[b] = 2 * b;
  }
}
"""


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (CALL, "k := n", "k := n + 1"),
        (LEMMA, "n := b", "n := b - 1"),
        (LEMMA, "n := b", "n := 2 * b + 2"),
    ],
)
def test_other_values_are_not_proved_by_those_before(text: str, right: str, wrong: str) -> None:
    verifier = Verifier()
    for given in (right, wrong, right):
        program = parse_text(text.replace(f'"{right}"', f'"{given}"'), "values.c")
        alone = Verifier().verify(program)
        assert alone.verified == (given == right)
        assert verifier.verify(program).verified == alone.verified


def test_the_same_loop_twice_with_other_values() -> None:
    """In one program: what was proved of the first function is not used for the second."""
    second = LEMMA[LEMMA.index("void fill") :].replace("void fill", "void again")
    assert Verifier().verify(parse_text(LEMMA + second, "values.c")).verified
    assert not Verifier().verify(parse_text(LEMMA + second.replace("n := b", "n := b - 1"), "values.c")).verified
