"""The program around the example of a transformation's card, and a verifier for examples that are parts of kernels."""

from __future__ import annotations

from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Verifier
from optigpu.syntax.program import Program

CONTEXT = """#include <optigpu.h>
void fill(int n, float a[n]) {{
  __writes("a ~> Matrix1(n, fun i -> 0)");
  for (int k = 0; k < n; k++) {{
    a[k] = 0.0f;
  }}
}}
void f(int n, float a[n], float b[n], float m[n][n], float m2[n][n]) {{
  __requires("n >= 16, n % 8 == 0");
  __preserves("a ~> Cells1(n), b ~> Cells1(n), m ~> Cells2(n, n), m2 ~> Cells2(n, n)");
{body}
}}
"""


class AcceptingVerifier(Verifier):
    """Accepts all programs."""

    def verify(self, program: Program, only: str | None = None) -> ProgramResult:
        return ProgramResult(program.file, [], [], [], "nothing")
