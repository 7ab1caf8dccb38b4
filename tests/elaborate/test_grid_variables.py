"""Variables and registers of all threads of a grid, declared between kernel_setup_end and the thread loops, end with the kernel."""

from __future__ import annotations

import pytest

from tests.support.attempts import verified
from tests.support.pairs import Pair, Wrong
from tests.support.twin_checks import assert_rejected, assert_verifies, twins

PAIRS = [
    Pair(
        "registers",
        """void registers(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 2)");
  kernel_launch(G, 8, 0);
  kernel_setup_end();
  float* const x = __treg_malloc0<float>();
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) x[DMINDEX2(G, 8, b, t)] = d[b][t] + 1;
  }
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) d[b][t] = x[DMINDEX2(G, 8, b, t)] + 1;
  }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (
            Wrong("= x[DMINDEX2(G, 8, b, t)] + 1", "= x[DMINDEX2(G, 8, b, 7 - t)] + 1", "OG344", "7 - t"),
            Wrong("x[DMINDEX2(G, 8, b, t)] = d[b][t] + 1;", "x[DMINDEX2(G, 8, b, t)] = d[b][t];", "OG305", "fun b t"),
            Wrong("x[DMINDEX2(G, 8, b, t)] = d[b][t] + 1;", "d[b][t] = d[b][t] + 1;", "OG304", "d[b][t] = x["),
        ),
    ),
    Pair(
        "variable",
        """void variable(int G, float d[G][8]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 8, GMem, D)");
  __produces("d ~> Matrix2Of(G, 8, GMem, fun b t -> D(b, t) + 2)");
  kernel_launch(G, 8, 0);
  kernel_setup_end();
  float c = 1;
  c = c + 1;
  thread for (int b = 0; b < G; b++) {
    thread for (int t = 0; t < 8; t++) d[b][t] = d[b][t] + c;
  }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (Wrong("c = c + 1;", "c = c + 2;", "OG305", "fun b t"),),
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_what_the_whole_grid_holds_ends_with_the_kernel(pair: Pair) -> None:
    assert_verifies(pair)


@pytest.mark.parametrize(("name", "pair", "wrong"), twins(PAIRS), ids=lambda x: x if isinstance(x, str) else "")
def test_wrong_uses_are_rejected(name: str, pair: Pair, wrong: Wrong) -> None:
    assert_rejected(pair, wrong)


def test_nothing_is_used_after_the_kernel() -> None:
    good = PAIRS[1].good.replace("  kernel_kill();\n", "  kernel_kill();\n  float y = 0;\n  y = 1;\n")
    assert verified(good)
    assert not verified(good.replace("y = 1;", "y = c;"))


def test_variables_of_the_host_are_not_those_of_the_kernel() -> None:
    """One that was declared before the launch is there after the kernel, and not in it."""
    before = PAIRS[1].good.replace("  kernel_launch", "  float y = 0;\n  kernel_launch")
    good = before.replace("  kernel_kill();\n", "  kernel_kill();\n  y = 1;\n")
    assert verified(good)
    assert not verified(good.replace("c = c + 1;", "c = c + 1 + y;"))
