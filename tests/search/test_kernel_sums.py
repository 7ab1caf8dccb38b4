"""Proofs about sums: those of the fast reduction, scan and matrix multiply replay, and sums cancel index by index."""

from __future__ import annotations

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_file
from optigpu.solver.z3_solver import Z3Solver
from tests.conftest import ROOT
from tests.support.verdicts import VERIFIED, verdict_of


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reduce", "scan", "matmul"])
def test_proofs_of_fast_kernels_replay(name: str) -> None:
    program = parse_file(ROOT / "examples" / "gpu" / "fast" / f"{name}.c")
    audited = audit(program, certificate_of(program, Verifier().verify(program)), Z3Solver())
    assert audited.failures == {}, audited.failures


def test_sums_of_integers_cancel_index_by_index() -> None:
    sums = [f"Sum(k in 0..n, {body})" for body in ("max(F(k), G(k))", "min(F(k), G(k))", "F(k)", "G(k)")]
    goal = f"{sums[0]} + {sums[1]} == {sums[2]} + {sums[3]}"
    text = f'int f(int n) {{\n  __requires("F: int -> int, G: int -> int");\n  __ensures("{goal}");\n  return 0;\n}}\n'
    assert verdict_of(text) == VERIFIED
    assert verdict_of(text.replace("== Sum", "== 2 * Sum")) == "OG307 3:14"


def test_a_guard_is_a_bound_of_the_range_whichever_of_the_two_is_less() -> None:
    """All that a prefix leaves out is zero; nothing compares the prefix with the array."""
    text = """
    void prefix(int n, int m, float a[n], float c[1]) {
      __requires("A: int -> float, 0 <= m, m < 1000, zeros: forall k in 0..n -> m <= k ==> A(k) =. 0.0f");
      __reads("a ~> Matrix1(n, A)");
      __writes("c ~> Matrix1(1, fun i -> Sum(k in 0..n, A(k)))");
      float sum = 0.0f;
      for (int k = 0; k < m + 7; k++) {
        if (k < n) { sum += a[k]; }
      }
      c[0] = sum;
    }"""
    assert verdict_of(text) == VERIFIED
    assert verdict_of(text.replace("m + 7", "m - 1")) == "OG305 5:17"
