"""A loop that writes b[c] and counts c under a condition fills b up to the count, and no further."""

from __future__ import annotations

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import WrongValue
from optigpu.kernel.loop_contract import Invariant, LoopContract
from optigpu.logic import terms as k
from optigpu.logic.terms import INT, ONE, TRUE, ZERO
from optigpu.solver.z3_solver import Z3Solver
from tests.support.kernel_states import B0, begun, loop, refused
from tests.support.pairs import Pair, Wrong
from tests.support.twin_checks import assert_rejected, assert_verifies, twins

PAIRS = [
    Pair(
        "filled",
        """int filled(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __consumes("b ~> UninitMatrix1(n)");
  __ensures("0 <= _Res && _Res <= n");
  __produces("for j in 0.._Res -> &b[j] ~> Cell");
  __produces("for j in _Res..n -> &b[j] ~> UninitCell");
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
            Wrong("return c;", "return n;", "OG306", "0.._Res"),
            Wrong("      c++;\n    }", "    }\n    c++;", "OG302", "for (int i"),
            Wrong("0.._Res ->", "0..n ->", "OG306", "0..n"),
        ),
    ),
    Pair(
        "from_the_end",
        """int from_the_end(int n, float a[n], float b[n]) {
  __reads("a ~> Cells1(n)");
  __consumes("b ~> UninitMatrix1(n)");
  __ensures("0 <= _Res && _Res <= n");
  __produces("for j in _Res..n -> &b[j] ~> Cell");
  __produces("for j in 0.._Res -> &b[j] ~> UninitCell");
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
            Wrong("return c;", "return 0;", "OG306", "_Res..n"),
            Wrong("      c--;\n      b[c] = a[i];", "      b[c] = a[i];\n      c--;", "OG302", "b[c] = a[i]"),
        ),
    ),
    Pair(
        "used",
        """float used(int n, float a[n]) {
  __requires("n > 0");
  __reads("a ~> Cells1(n)");
  float* const b = MALLOC1(float, n);
  int c = 0;
  for (int i = 0; i < n; i++) {
    if (a[i] > 0) {
      b[c] = a[i];
      c++;
    }
  }
  float s = 0;
  for (int j = 0; j < c; j++) s += b[j];
  free(b);
  return s;
}
""",
        (
            Wrong("j < c;", "j < n;", "OG304", "s += b[j]"),
            Wrong("j < c;", "j <= c;", "OG302", "s += b[j]"),
            Wrong(
                "a[i] > 0) {\n      b[c] = a[i];", "a[i] > 0) {\n      if (a[i] > 1) b[c] = a[i];", "OG304", "s += b[j]"
            ),
        ),
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_compaction_verifies(pair: Pair) -> None:
    assert_verifies(pair)


@pytest.mark.parametrize(("name", "pair", "wrong"), twins(PAIRS), ids=lambda x: x if isinstance(x, str) else "")
def test_wrong_compaction_is_rejected(name: str, pair: Pair, wrong: Wrong) -> None:
    assert_rejected(pair, wrong)


def test_a_proof_of_compaction_replays() -> None:
    program = parse_text(PAIRS[0].good, "filled.c")
    result = Verifier().verify(program)
    assert audit(program, certificate_of(program, result), Z3Solver()).failures == {}


def test_what_is_known_at_the_end_of_a_body_was_shown() -> None:
    """The value of a variable at v + 1 is a fact for later invariants only where the body makes it that."""
    i, x = k.var("i", INT), kc.CellAddress("x", ())
    start = (kc.Allocate("x", INT, (), heap=False), kc.StoreCell(x, ZERO))
    kernel, state = begun(*start, loop(kc.StoreCell(x, k.add(i, ONE))), pre=())
    state = kernel.store(kernel.allocate(state), 1, ())
    good = Invariant(1, TRUE, B0)
    end = kernel.store(kernel.enter_loop(state, LoopContract((), (good,))), 1, ())
    kernel.leave_loop(end, (), ((),))
    wrong = Invariant(1, TRUE, k.mul(B0, B0))
    end = kernel.store(kernel.enter_loop(state, LoopContract((), (wrong,))), 1, ())
    assert isinstance(refused(kernel.leave_loop, end, (), ((),)), WrongValue)
