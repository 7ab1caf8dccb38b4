"""Loops that accumulate `and` and `or` in a flag compute All and Any; a flag that is set once holds what it was set to."""

from __future__ import annotations

import pytest

from tests.support.pairs import Pair, Wrong
from tests.support.twin_checks import assert_rejected, assert_verifies, twins

HEAD = """{type} check(int n, int a[n]) {{
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("{ensures}");
  {type} ok = {start};
  for (int i = 0; i < n; i++) {body}
  return ok;
}}
"""
WRONG = {
    "true": Wrong("ok = true", "ok = false", "OG307", "__ensures"),
    "false": Wrong("ok = false", "ok = true", "OG307", "__ensures"),
    "1": Wrong("int ok = 1", "int ok = 0", "OG307", "__ensures"),
    "0": Wrong("int ok = 0", "int ok = 1", "OG307", "__ensures"),
}


def flag(name: str, start: str, ensures: str, body: str, *wrong: tuple[str, str]) -> Pair:
    kind = "int" if start in ("0", "1") else "bool"
    good = HEAD.format(type=kind, ensures=ensures, start=start, body=body)
    twins_ = [Wrong(old, new, "OG307", "__ensures") for old, new in wrong]
    if good.count(WRONG[start].old) == 1 and "==>" not in ensures:  # what starts as false implies everything
        twins_.append(WRONG[start])
    return Pair(name, good, tuple(twins_))


ALL, ANY = "All(i in 0..n, A(i) > 0)", "Any(i in 0..n, A(i) > 0)"
PAIRS = [
    flag("and", "true", f"_Res == {ALL}", "ok = ok && a[i] > 0;", ("a[i] > 0", "a[i] > 1"), ("i = 0", "i = 1")),
    flag("forall", "true", "_Res == (forall i in 0..n -> A(i) > 0)", "ok = ok && a[i] > 0;", ("&&", "||")),
    flag("implied", "true", "_Res ==> (forall i in 0..n -> A(i) > 0)", "ok = ok && a[i] > 0;", ("ok && a", "a")),
    flag("cleared", "true", f"_Res == {ALL}", "if (a[i] <= 0) ok = false;", ("a[i] <= 0", "a[i] < 0")),
    flag("or", "false", f"_Res == {ANY}", "ok = ok || a[i] > 0;", ("a[i] > 0", "a[i] >= 0"), ("||", "&&")),
    flag("set", "false", f"_Res == {ANY}", "if (a[i] > 0) ok = true;", ("i = 0", "i = 1")),
    flag("number_and", "1", f"(_Res == 1) == {ALL}", "ok = ok && a[i] > 0;", ("&&", "||")),
    flag("number_or", "0", f"(_Res == 1) == {ANY}", "ok = ok || a[i] > 0;", ("||", "&&")),
    flag("number_cleared", "1", f"_Res == ({ALL} ? 1 : 0)", "if (a[i] <= 0) ok = 0;", ("ok = 0", "ok = 2")),
    flag("number_set", "0", f"_Res == ({ANY} ? 7 : 0)", "if (a[i] > 0) ok = 7;", ("ok = 7", "ok = i")),
    Pair(
        "sorted",
        """bool sorted(int n, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == (forall i in 1..n -> A(i - 1) <= A(i))");
  bool ok = true;
  for (int i = 1; i < n; i++) ok = ok && a[i - 1] <= a[i];
  return ok;
}
""",
        (
            Wrong("a[i - 1] <= a[i]", "a[i - 1] < a[i]", "OG307", "__ensures"),
            Wrong("int i = 1", "int i = 0", "OG302", "a[i - 1]"),
            Wrong("i < n;", "i < n - 1;", "OG307", "__ensures"),
        ),
    ),
    Pair(
        "rows",
        """void rows(int n, int m, int a[n][m], bool b[n]) {
  __requires("A: int * int -> int");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("b ~> Matrix1(n, fun i -> All(j in 0..m, A(i, j) > 0))");
  for (int i = 0; i < n; i++) {
    bool ok = true;
    for (int j = 0; j < m; j++) ok = ok && a[i][j] > 0;
    b[i] = ok;
  }
}
""",
        (
            Wrong("b[i] = ok;", "b[i] = !ok;", "OG305", "__writes"),
            Wrong("int j = 0", "int j = 1", "OG305", "__writes"),
        ),
    ),
    Pair(
        "whole_matrix",
        """bool whole_matrix(int n, int m, int a[n][m]) {
  __requires("A: int * int -> int");
  __reads("a ~> Matrix2(n, m, A)");
  __ensures("_Res == All(i in 0..n, All(j in 0..m, A(i, j) > 0))");
  bool ok = true;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) ok = ok && a[i][j] > 0;
  }
  return ok;
}
""",
        (Wrong("int i = 0", "int i = 1", "OG307", "__ensures"),),
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_flags_are_followed(pair: Pair) -> None:
    assert_verifies(pair)


@pytest.mark.parametrize(("name", "pair", "wrong"), twins(PAIRS), ids=lambda x: x if isinstance(x, str) else "")
def test_wrong_flags_are_rejected(name: str, pair: Pair, wrong: Wrong) -> None:
    assert_rejected(pair, wrong)
