"""Names that loops beside each other share: no variable is taken for another one that had the same name."""

from __future__ import annotations

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Verifier
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.frontend import parse_text
from optigpu.kernel import instructions as kc
from optigpu.report.verdict_text import render_function
from optigpu.solver.z3_solver import Z3Solver

FIVE = """
void e(int a[9], int b[9]) {
  __writes("a ~> Cells1(9)");
  __writes("b ~> Matrix1(9, fun i -> i)");
  for (int i = 0; i < 9; i++) a[i] = 0;
  int g = 5;
  for (int i = 0; i < 9; i++) {
    __xrequires("g == 5");
    b[i] = i;
  }
}
"""
ANY_NUMBER = """
void f(int a[9], int b[9]) {
  __writes("a ~> Cells1(9)");
  __writes("b ~> Matrix1(9, fun i -> i)");
  for (int i = 0; i < 9; i++) a[i] = 0;
  for (int s = 4; s > 0; s >>= 1) {
    int g = 5;
    a[s] = g;
  }
  for (int i = 0; i < 9; i++) {
    __xrequires("g: int, g == 5");
    b[i] = i;
  }
}
"""
REGISTER_AND_SHARED = """
void f(int B, float h[B][256]) {
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {
    for (int u = 2; u > 0; u >>= 1) {
      thread for (int t = 0; t < 256; t++) {
        float x = d[b][t];
        x += 1.0f;
        d[b][t] = x;
      }
      blocksync();
      {
        __shared__ float x[256];
        thread for (int t = 0; t < 256; t++)
          x[t] = 0.0f;
      }
    }
    blocksync();
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}
"""
SHADOWS = """
int f(int n, int m) {
  __requires("0 <= n, n <= 10, 0 <= m");
  __ensures("_Res == (n > 3 ? 14 : 7) + m % 2 + 31");
  int r = 0;
  if (n > 3) {
    for (int s = 4; s > 0; s >>= 1) {
      int x = 2 * s;
      r += x;
    }
  } else {
    for (int s = 4; s > 0; s >>= 1) {
      int x = s;
      r += x;
    }
  }
  int x = m % 2;
  for (int s = 4; s > 0; s >>= 1) {
    int x = s;
    x += 1;
    for (int t = 4; t > 0; t >>= 1) {
      int x = t;
      r += x;
    }
    r += x;
  }
  return r + x;
}
"""


def verified(*texts: str) -> ProgramResult:
    """The result of all these functions as one program."""
    return Verifier().verify(parse_text("#include <optigpu.h>\n" + "".join(texts), "names.c"))


def test_a_variable_of_a_contract_has_no_value() -> None:
    """Not that of a variable of an unrolled loop before it. A loop with such a variable in its contract is never proved."""
    result = verified(ANY_NUMBER)
    assert result.functions[0].problem is not None
    assert result.functions[0].problem.code == "OG321"  # the clause itself is not shown


def test_a_variable_of_a_contract_has_no_value_where_the_same_loop_was_proved() -> None:
    result = verified(FIVE, ANY_NUMBER)
    assert [f.verdict for f in result.functions] == [Verdict.VERIFIED, Verdict.UNPROVED]


def test_variables_of_contracts_are_no_others_of_the_function() -> None:
    program = parse_text("#include <optigpu.h>\n" + ANY_NUMBER, "names.c")
    elaborated = elaborate(program)
    (spec,) = elaborated.specs.values()
    bound = {i.target for i in kc.instructions_in(elaborated.program.functions["f"].body) if isinstance(i, kc.Bind)}
    assert len(spec.variables) == 1 and bound.isdisjoint(spec.variables)


def test_a_register_is_not_taken_for_a_shared_array_in_use() -> None:
    result = verified(REGISTER_AND_SHARED)
    assert result.verified, "\n".join(map(render_function, result.functions))


def test_a_shared_array_in_use_is_not_taken_again() -> None:
    """Without the barrier in the loop, its second iteration uses the same memory."""
    result = verified(REGISTER_AND_SHARED.replace("      blocksync();\n", ""))
    assert result.functions[0].problem is not None and result.functions[0].problem.code == "OG352"


def test_unrolled_loops_keep_the_variables_around_them() -> None:
    result = verified(SHADOWS)
    assert result.verified, "\n".join(map(render_function, result.functions))
    program = parse_text("#include <optigpu.h>\n" + SHADOWS, "names.c")
    assert audit(program, certificate_of(program, result), Z3Solver()).failures == {}


@pytest.mark.parametrize("wrong", ["+ m % 2 + 30", "+ 1 + 31", "+ m % 2 + 24", "+ 4 + 31"])
def test_unrolled_loops_with_other_results_are_not_proved(wrong: str) -> None:
    assert not verified(SHADOWS.replace("+ m % 2 + 31", wrong)).verified


def test_more_temporaries_than_a_loop_usually_has() -> None:
    """Inner loops do not use the names of the loop around them."""
    many = "\n".join("    s += a[i];" for _ in range(600))
    text = f"""
    float f(int n, float a[n]) {{
      __requires("A: int -> float");
      __reads("a ~> Matrix1(n, A)");
      __ensures("_Res == Sum(i in 0..n, 601 * A(i) + 3 * A(0))");
      float s = 0.0f;
      for (int i = 0; i < n; i++) {{
        float first = a[i];
        {many}
        for (int k = 0; k < 3; k++) s += a[0];
        s += first;
      }}
      return s;
    }}
    """
    assert verified(text).verified
    assert not verified(text.replace("s += first", "s += a[0]")).verified
