"""A cell that an iteration writes twice, the second time under an equation that gives its index another name."""

from __future__ import annotations

import pytest

from tests.support.pairs import Pair, Wrong
from tests.support.twin_checks import assert_rejected, assert_verifies, twins

PAIRS = [
    Pair(
        "one_cell",
        """void one_cell(int n, float a[n], float b[7]) {
  __requires("B: int -> float");
  __reads("b ~> Matrix1(7, B)");
  __writes("a ~> Matrix1(n, fun i -> i == 5 ? B(6) : 0)");
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    if (i == 5) a[i] = b[6];
  }
}
""",
        (
            Wrong("if (i == 5)", "if (i == 4)", "OG305", "fun i -> i == 5"),
            Wrong("= b[6]", "= b[7]", "OG302", "= b[7]"),
            Wrong("a[i] = b[6]", "a[5] = b[5]", "OG305", "fun i -> i == 5"),
            Wrong("a[i] = 0;", "if (i != 4) a[i] = 0;", "OG302", "a[i] = 0"),
        ),
    ),
    Pair(
        "either_way",
        """void either_way(int n, float a[n], float b[7]) {
  __requires("B: int -> float");
  __reads("b ~> Matrix1(7, B)");
  __writes("a ~> Matrix1(n, fun i -> i == 5 ? B(6) : 0)");
  for (int i = 0; i < n; i++) {
    if (i == 5) a[i] = b[6];
    else a[i] = 0;
  }
}
""",
        (Wrong("else a[i] = 0", "else a[i] = 1", "OG305", "fun i -> i == 5"),),
    ),
    Pair(
        "identity",
        """void identity(int n, int m, float a[n][m]) {
  __writes("a ~> Matrix2(n, m, fun i j -> i == j ? 1 : 0)");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      a[i][j] = 0;
      if (i == j) a[i][j] = 1;
    }
  }
}
""",
        (
            Wrong("if (i == j)", "if (i == j + 1)", "OG305", "fun i j"),
            Wrong("a[i][j] = 1", "a[j][i] = 2", "OG305", "fun i j"),
        ),
    ),
    Pair(
        "added_twice",
        """void added_twice(int n, int k, float a[n]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> i == k ? A(i) + 2 : A(i) + 1)");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    a[i] += 1;
    if (i == k) a[k] += 1;
  }
}
""",
        (
            Wrong("if (i == k)", "if (i <= k)", "OG324", "a[i] += 1"),
            Wrong("a[k] += 1", "a[k - 1] += 1", "OG324", "a[i] += 1"),
            Wrong("A(i) + 2", "A(i) + 1", "OG305", "fun i ->"),
        ),
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_overwrites_are_followed(pair: Pair) -> None:
    assert_verifies(pair)


@pytest.mark.parametrize(("name", "pair", "wrong"), twins(PAIRS), ids=lambda x: x if isinstance(x, str) else "")
def test_wrong_overwrites_are_rejected(name: str, pair: Pair, wrong: Wrong) -> None:
    assert_rejected(pair, wrong)
