"""Ranges of integer variables that loops change are inferred: of last matches, counters, wrapped positions, bisections."""

from __future__ import annotations

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.kernel.iterations import IterationRange
from optigpu.logic import terms as k
from optigpu.logic.facts import Facts
from optigpu.logic.judge import Judge
from optigpu.logic.names import Name, Origin
from optigpu.logic.terms import INT, TRUE, ZERO
from optigpu.search.search_tools import SearchTools
from optigpu.search.variable_ranges import Changed, RangeSearch, leaves, strongest
from optigpu.solver.z3_solver import Z3Solver
from tests.support.pairs import Pair, Wrong
from tests.support.twin_checks import assert_rejected, assert_verifies, explain, twins

PAIRS = [
    Pair(
        "last_match",
        """int last_match(int n, int x, int a[n]) {
  __requires("A: int -> int");
  __reads("a ~> Matrix1(n, A)");
  __ensures("-1 <= _Res");
  __ensures("_Res < n");
  int r = -1;
  for (int i = 0; i < n; i++) {
    if (a[i] == x) r = i;
  }
  return r;
}
""",
        (
            Wrong("r = i;", "r = i + 1;", "OG307", "_Res < n"),
            Wrong("r = i;", "r = i - 2;", "OG307", "-1 <= _Res"),
            Wrong("int r = -1", "int r = 0", "OG307", "_Res < n"),
        ),
    ),
    Pair(
        "use_match",
        """float use_match(int n, float x, float a[n]) {
  __reads("a ~> Cells1(n)");
  int r = -1;
  float y = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] == x) r = i;
  }
  if (r >= 0) {
    y = a[r];
  }
  return y;
}
""",
        (
            Wrong("r = i;", "r = i + 1;", "OG302", "y = a[r]"),
            Wrong("r >= 0", "r >= -1", "OG302", "y = a[r]"),
            Wrong("i < n", "i <= n", "OG302", "if (a[i] == x)"),
        ),
    ),
    Pair(
        "match_in_a_matrix",
        """float match_in_a_matrix(int n, int m, float x, float a[n][m]) {
  __reads("a ~> Cells2(n, m)");
  int r = -1;
  int c = -1;
  float y = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      if (a[i][j] == x) {
        r = i;
        c = j;
      }
    }
  }
  if (r >= 0 && c >= 0) {
    y = a[r][c];
  }
  return y;
}
""",
        (
            Wrong("c = j;", "c = i;", "OG302", "y = a[r][c]"),
            Wrong("r = i;", "r = i + 1;", "OG302", "y = a[r][c]"),
        ),
    ),
    Pair(
        "compaction",
        """int compaction(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __preserves("b ~> Cells1(n)");
  __ensures("0 <= _Res && _Res <= n");
  int c = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      b[c] = a[i];
      c++;
    }
  }
  return c;
}
""",
        (
            Wrong("c++;", "c += 2;", "OG302", "b[c] = a[i]"),
            Wrong("c++;", "c--;", "OG302", "b[c] = a[i]"),
            Wrong("int c = 0", "int c = 1", "OG302", "b[c] = a[i]"),
            Wrong("_Res <= n", "_Res < n", "OG307", "0 <= _Res"),
        ),
    ),
    Pair(
        "compaction_of_a_matrix",
        """int compaction_of_a_matrix(int n, int m, float a[n][m], float b[n * m]) {
  __reads("a ~> Cells2(n, m)");
  __preserves("b ~> Cells1(n * m)");
  int c = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      if (a[i][j] > 0) {
        b[c] = a[i][j];
        c++;
      }
    }
  }
  return c;
}
""",
        (Wrong("c++;", "c += 2;", "OG302", "b[c] = a[i][j]"),),
    ),
    Pair(
        "from_the_end",
        """int from_the_end(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __preserves("b ~> Cells1(n)");
  int c = n;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      c--;
      b[c] = a[i];
    }
  }
  return c;
}
""",
        (
            Wrong("c--;", "c -= 2;", "OG302", "b[c] = a[i]"),
            Wrong("int c = n", "int c = n + 1", "OG302", "b[c] = a[i]"),
        ),
    ),
    Pair(
        "ring",
        """float ring(int n, float a[16]) {
  __reads("a ~> Cells1(16)");
  int k = 0;
  float s = 0;
  for (int i = 0; i < n; i++) {
    s += a[k];
    if (a[k] > 0) k = (k + 1) % 16;
  }
  return s;
}
""",
        (
            Wrong("% 16;", "% 17;", "OG302", "s += a[k]", "UNPROVED"),
            Wrong("int k = 0", "int k = 16", "OG302", "s += a[k]"),
        ),
    ),
    Pair(
        "runs",
        """void runs(int n, float a[n], int h[n + 1]) {
  __reads("a ~> Cells1(n)");
  __preserves("h ~> Cells1(n + 1)");
  int run = 0;
  int best = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) run++;
    else run = 0;
    if (run > best) best = run;
    h[run] = 1;
  }
  h[best] = 2;
}
""",
        (
            Wrong("run++;", "run += 2;", "OG302", "h[run] = 1"),
            Wrong("else run = 0;", "else run = -1;", "OG302", "h[run] = 1"),
            Wrong("best = run;", "best = run + 1;", "OG302", "h[best] = 2"),
        ),
    ),
    Pair(
        "every_fourth",
        """int every_fourth(int n, float a[n]) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  __ensures("0 <= _Res && _Res < n");
  int r = 0;
  for (int i = 0; i < n; i += 4) {
    if (a[i] > 0) r = i;
  }
  return r;
}
""",
        (Wrong("r = i;", "r = i + 3;", "OG307", "_Res < n"),),
    ),
    Pair(
        "downwards",
        """int downwards(int n, float a[n]) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  __ensures("0 <= _Res && _Res <= n");
  int r = n;
  for (int i = n - 1; i >= 0; i--) {
    if (a[i] > 0) r = i;
  }
  return r;
}
""",
        (Wrong("r = i;", "r = i - 1;", "OG307", "_Res <= n"),),
    ),
    Pair(
        "bounded_summands",
        """int bounded_summands(int n, int a[n]) {
  __requires("A: int -> int");
  __requires("forall i in 0..n -> A(i) >= 0, n <= 1000000");
  __requires("forall i in 0..n -> A(i) <= 255");
  __reads("a ~> Matrix1(n, A)");
  __ensures("0 <= _Res && _Res <= 255 * n");
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
""",
        (
            Wrong("s += a[i];", "s += a[i] + 1;", "OG307", "_Res <= 255", "UNPROVED"),
            Wrong("s += a[i];", "s -= a[i];", "OG307", "_Res <= 255"),
        ),
    ),
    Pair(
        "one_behind_the_other",
        """float one_behind_the_other(int n, float a[n], float x) {
  __reads("a ~> Cells1(n)");
  int now = 0;
  int before = 0;
  float s = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > x) {
      before = now;
      now = i;
    }
    s += a[before];
  }
  return s;
}
""",
        (Wrong("before = now;", "before = now - 1;", "OG302", "s += a[before]"),),
    ),
    Pair(
        "bisection",
        """float bisection(int n, float a[n], float x) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  int lo = 0;
  int hi = n - 1;
  for (int i = 0; i < 32; i++) {
    if (lo < hi) {
      const int mid = (lo + hi) / 2;
      if (a[mid] < x) lo = mid + 1;
      else hi = mid;
    }
  }
  return a[lo];
}
""",
        (
            Wrong("lo < hi", "lo <= hi", "OG302", "a["),
            Wrong("hi = n - 1", "hi = n", "OG302", "a["),
        ),
    ),
    Pair(
        "in_a_thread",
        """void in_a_thread(int G, float d[G][8], float out[G]) {
  __requires("G >= 0");
  __reads("for b in 0..G -> for t in 0..8 -> &d[b][t] ~>[GMem] Cell");
  __preserves("for b in 0..G -> &out[b] ~>[GMem] Cell");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    int r = 0;
    for (int i = 0; i < 8; i++) {
      if (d[b][i] > d[b][r]) r = i;
    }
    out[b] = d[b][r];
  }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (Wrong("r = i;", "r = i + 1;", "OG302", "d[b][r]"),),
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_ranges_are_inferred(pair: Pair) -> None:
    assert_verifies(pair)


@pytest.mark.parametrize(("name", "pair", "wrong"), twins(PAIRS), ids=lambda x: x if isinstance(x, str) else "")
def test_wrong_ranges_are_rejected(name: str, pair: Pair, wrong: Wrong) -> None:
    assert_rejected(pair, wrong)


@pytest.mark.parametrize("pair", PAIRS[:4], ids=lambda p: p.name)
def test_proofs_with_ranges_replay(pair: Pair) -> None:
    program = parse_text(pair.good, f"{pair.name}.c")
    result = Verifier().verify(program)
    assert result.verified, explain(result)
    found = audit(program, certificate_of(program, result), Z3Solver())
    assert found.failures == {}


# The search by itself

V, N, R = (k.var(name, INT) for name in ("v", "n", "r"))
TEST = k.var("test", k.BOOL)


def laws(final: k.Term, entry: k.Term = ZERO) -> k.Term:
    tools = SearchTools(Judge(Z3Solver()))
    facts = Facts().assume(k.le(ZERO, V), k.lt(V, N))
    found = RangeSearch(
        tools, facts, V, IterationRange(ZERO, N, k.bound(0, INT)), {"r": Changed(R, final, entry)}, ()
    ).laws()
    return k.instantiate(found.get("r", k.abstract(TRUE, (V, R))), (V, R))


def test_a_counter_is_at_most_the_number_of_iterations() -> None:
    law = Facts().assume(laws(k.ite(TEST, k.add(R, k.ONE), R)))
    assert law.proves(k.and_(k.le(ZERO, R), k.le(R, V)))
    assert not law.proves(k.lt(R, V))


def test_nothing_is_said_of_what_is_not_bounded() -> None:
    unknown = k.var(Name(Origin.OPAQUE, "", 1), INT)
    assert laws(k.ite(TEST, unknown, R)) is TRUE
    law = Facts().assume(laws(k.mul(R, k.num(3)), k.ONE))
    assert law.proves(k.le(ZERO, R)) and not law.proves(k.le(R, V))


def test_weaker_bounds_are_left_out() -> None:
    r, x = k.le(ZERO, R), k.le(R, N)
    assert strongest([k.le(k.num(-1), R), r, x, k.le(R, k.add(N, k.ONE))]) == [r, x]


def test_leaves_are_all_cases() -> None:
    t = k.add(k.ite(TEST, k.ONE, R), k.max_(V, N))
    found = leaves(t)
    assert found is not None and len(found) == 4
    judge = Judge(Z3Solver())
    for condition, leaf in found:
        assert judge.proves(Facts().assume(condition), k.eq(leaf, t))
    assert judge.proves(Facts(), k.or_(*(condition for condition, _ in found)))
