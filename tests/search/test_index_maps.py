"""Index maps that have an inverse: exclusive or, rotations, reversals. Each iteration then has a cell of its own.

Beside each stands a map that has none, or another one than is said.
"""

from __future__ import annotations

import pytest

from optigpu.logic import terms as k
from optigpu.logic.cells import Cells
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT
from optigpu.search.fresh_names import FreshNames
from optigpu.search.inverse import invert
from tests.support.terms import evaluate
from tests.support.verdicts import VERIFIED, verdict_of

SCATTER = """void f(int n, int m, float a[n], float b[n]) {{
  __requires("A: int -> float, {requires}");
  __reads("a ~> Matrix1(n, A)");
  {clause}("b ~> {what}");
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {{
    b[{index}] = a[i];
  }}
}}
"""


def scatter(requires: str, index: str, value: str) -> str:
    what = f"Matrix1(n, fun j -> A({value}))"
    return SCATTER.format(requires=requires, index=index, clause="__writes", what=what)


ACCEPTED = [
    ("n >= 1", "(i + 1) % n", "(j + n - 1) % n"),
    ("n >= 1, m >= 0", "(i + m) % n", "(j - m % n + n) % n"),
    ("n == 32", "(i + 1) % 32", "(j + 31) % 32"),
    ("n >= 1", "n - 1 - i", "n - 1 - j"),
    ("n >= 0, n % 2 == 0", "i ^ 1", "j ^ 1"),
    ("n == 64", "i ^ 37", "j ^ 37"),
    ("n == 32", "(i ^ 1) ^ 4", "j ^ 5"),
]


@pytest.mark.parametrize("case", ACCEPTED, ids=str)
def test_maps_with_an_inverse(case: tuple[str, str, str]) -> None:
    assert verdict_of(scatter(*case)) == VERIFIED


# Either two iterations write one cell, or a cell is outside, or the value is another one.
REJECTED = [
    ("n >= 1", "(i + 1) % n", "(j + n + 1) % n", "OG305 4:13"),
    ("n >= 2", "(i + 1) % (n - 1)", "j", "OG324 7:5"),
    ("n >= 1", "(i + 1) % (n + 1)", "j", "OG302 7:5"),
    ("n >= 1", "(2 * i + 1) % n", "j", "OG324 7:5"),
    ("n >= 1", "n - i", "j", "OG302 7:5"),
    ("n >= 0", "i ^ 1", "j ^ 1", "OG361 4:38"),  # n may be odd
    ("n == 32", "i ^ 1", "j ^ 2", "OG305 4:13"),
    ("n == 32", "i ^ 37", "j ^ 37", "OG361 4:38"),
    ("n == 32", "i & 30", "j", "OG324 7:5"),
    ("n == 32", "i | 1", "j", "OG324 7:5"),
]


@pytest.mark.parametrize("case", REJECTED, ids=str)
def test_maps_without_one(case: tuple[str, str, str, str]) -> None:
    *program, message = case
    assert verdict_of(scatter(*program)) == message


WARPS = """void f(int n, float b[32 * n]) {{
  __requires("n >= 0");
  __writes("b ~> Matrix1(32 * n, fun j -> 1)");
  #pragma omp parallel for
  for (int w = 0; w < n; w++) {{
    for (int l = 0; l < 32; l++) {{
      b[{index}] = 1.0f;
    }}
  }}
}}
"""


@pytest.mark.parametrize(
    "index", ["32 * w + 31 - l", "32 * (n - 1 - w) + l", "32 * w + (l + 5) % 32", "32 * w + (l ^ 7)"]
)
def test_warps_with_their_lanes_in_another_order(index: str) -> None:
    assert verdict_of(WARPS.format(index=index)) == VERIFIED


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ("31 * w + 31 - l", "OG324 7:7"),
        ("32 * w + 32 - l", "OG302 7:7"),
        ("32 * w + (l + 5) % 31", "OG326 7:7"),
        ("32 * w + (l ^ 32)", "OG324 7:7"),
    ],
)
def test_warps_that_meet_each_other(index: str, message: str) -> None:
    assert verdict_of(WARPS.format(index=index)) == message


NUMBER = 'int f(int x, int y) {{\n  __requires("x >= 0, y >= 0, {requires}");\n  __ensures("{ensures}");\n  return {value};\n}}\n'


@pytest.mark.parametrize(
    ("requires", "value", "ensures"),
    [
        ("true", "x ^ x", "_Res == 0"),
        ("true", "x ^ y ^ x", "_Res == y"),
        ("true", "x | x", "_Res == x"),
        ("x < 32", "x ^ 5", "0 <= _Res && _Res < 32"),
        ("x < y && y % 2 == 0", "x ^ 1", "_Res < y"),
        ("x % 2 == 0", "x ^ 1", "_Res == x + 1"),
        ("y < 9", "x & y", "0 <= _Res && _Res < 9"),
        ("true", "x | y", "_Res <= x + y"),
    ],
)
def test_arithmetic_of_bits(requires: str, value: str, ensures: str) -> None:
    assert verdict_of(NUMBER.format(requires=requires, value=value, ensures=ensures)) == VERIFIED


@pytest.mark.parametrize(
    ("requires", "value", "ensures"),
    [
        ("true", "x ^ y", "_Res == 0"),
        ("x < 31", "x ^ 5", "_Res < 31"),
        ("x < 32", "x ^ 33", "_Res < 32"),
        ("x < y", "x ^ 1", "_Res < y"),
        ("true", "x ^ 1", "_Res == x + 1"),
        ("x < 9", "x | y", "_Res < 9"),
        ("true", "x | y", "_Res >= x + y"),
    ],
)
def test_what_does_not_hold_of_bits(requires: str, value: str, ensures: str) -> None:
    assert verdict_of(NUMBER.format(requires=requires, value=value, ensures=ensures)) == "OG307 3:14"


SHUFFLE = """void f(int G, float d[G][32]) {{
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 32, GMem, D)");
  __produces("d ~> Matrix2Of(G, 32, GMem, fun b t -> D(b, t) + D(b, t ^ {claimed_lane}))");
  kernel_launch(G, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {{
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 32; t++) {{ x[DMINDEX1(32, t)] = d[b][t]; }}
    shfl_xor(y, x, {amount});
    thread for (int t = 0; t < 32; t++) {{ d[b][t] = x[DMINDEX1(32, t)] + y[DMINDEX1(32, t)]; }}
  }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""


@pytest.mark.parametrize("amount", [1, 5, 16])
def test_a_shuffle_gives_the_value_of_the_other_lane(amount: int) -> None:
    assert verdict_of(SHUFFLE.format(claimed_lane=amount, amount=amount)) == VERIFIED


@pytest.mark.parametrize(("claimed_lane", "amount"), [(1, 2), (5, 4), (5, 7)])
def test_a_shuffle_does_not_give_that_of_a_third(claimed_lane: int, amount: int) -> None:
    assert verdict_of(SHUFFLE.format(claimed_lane=claimed_lane, amount=amount)) == "OG305 4:15"


@pytest.mark.parametrize("stride", [1, 2, 5, 16, -3])
def test_strides_with_offsets_are_inverted(stride: int) -> None:
    """b is found from stride * b + offset, whatever the sign of the offset; the same quotient serves all offsets."""
    t, quotients = k.var("t", INT), set()
    for offset in range(-20, 21):
        cells = Cells("a", ((k.num(-9), k.num(10)),), k.TRUE, (k.add(k.scale(stride, k.bound(0, INT)), k.num(offset)),))
        found = invert(cells, (t,), Facts(), FreshNames())
        assert found is not None
        quotients |= set(k.subterms_with(found[0], "fdiv"))
        for b in range(-9, 10):
            assert evaluate(found[0], {"t": stride * b + offset}) == b
    assert len(quotients) <= 1 or stride < 0
