"""A loop that was proved before is proved in the same way: the answer is that of a check that remembers nothing."""

from __future__ import annotations

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.diagnostic import InputError
from tests.support.cases import CASES, Variant, first_problem, read_case

HEADER = "#include <optigpu.h>\n"


def moved(name: str, size: str, after: str) -> str:
    """A function that copies a[0..n] to a[k..k+n], with a bound of k and a postcondition."""
    return f"""
void {name}(int n, int k, int a[2 * n + k]) {{
  __requires("A: int -> int, 0 <= n, n <= 1000, {size} <= k, k <= 100000");
  __consumes("a ~> Matrix1(2 * n + k, A)");
  __produces("a ~> {after}");
  for (int i = 0; i < n; i++) a[i + k] = a[i];
}}
"""


SOME = moved("f", "0", "Cells1(2 * n + k)")
SHIFTED = moved("g", "n", "Matrix1(2 * n + k, fun i -> k <= i && i < k + n ? A(i - k) : A(i))")


def steps_in_shared_memory(name: str, before: str) -> str:
    """A kernel with a loop that begins with a barrier. `before`: what the threads do before it."""
    return f"""
void {name}(int B, float h[B][256]) {{
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, 256, A)");
  __produces("h ~> Cells2(B, 256)");
  float* const d = __gmem_malloc2<float>(B, 256);
  memcpy_host_to_device2(d, h, B, 256);
  kernel_launch(B, 256, 1024);
  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {{
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = 0.0f;
    blocksync();
    {before}
    for (int k = 0; k < 10; k++) {{
      blocksync();
      thread for (int t = 0; t < 256; t++)
        s[t] = s[t] + 1.0f;
    }}
    blocksync();
  }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 256);
  gmem_free(d);
}}
"""


READ = "thread for (int t = 0; t < 256; t++) d[b][t] = s[255 - t];"
PARALLEL = """
void {name}(int n, float a[n]) {{
  __writes("a ~> Matrix1(n, fun i -> 1.0)");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {{
    {clause}("n >= 0");
    a[i] = 1.0f;
  }}
}}
"""


def answers(result: ProgramResult) -> list[tuple[str, str, int]]:
    return [
        (f.verdict.value, f.problem.code if f.problem else "", f.problem.loc.line if f.problem else 0)
        for f in result.functions
    ]


def alone(text: str) -> list[tuple[str, str, int]]:
    """The answers for each function by itself."""
    program = parse_text(HEADER + text, "loops.c")
    return [answers(Verifier().verify(program, only=f.name))[0] for f in program.functions()]


def together(text: str, **settings_: bool) -> ProgramResult:
    return Verifier(Settings(**settings_)).verify(parse_text(HEADER + text, "loops.c"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        SOME + SHIFTED,
        SHIFTED + SOME,
        SOME + SHIFTED.replace("A(i - k)", "A(i)"),
        SOME + SHIFTED.replace("n <= k", "n - 1 <= k"),
        steps_in_shared_memory("f", "") + steps_in_shared_memory("g", READ),
        steps_in_shared_memory("f", READ) + steps_in_shared_memory("g", ""),
        steps_in_shared_memory("f", "") + steps_in_shared_memory("g", READ.replace("255 - t", "256 - t")),
        steps_in_shared_memory("f", READ) + steps_in_shared_memory("g", READ).replace("s[t] + 1.0f", "s[255 - t]"),
        PARALLEL.format(name="f", clause="__xrequires") + PARALLEL.format(name="g", clause="__invariant"),
        PARALLEL.format(name="f", clause="__xrequires") + PARALLEL.format(name="g", clause="__xensures"),
    ],
)
def test_functions_get_the_answers_that_they_get_alone(text: str) -> None:
    assert answers(together(text)) == alone(text)


def test_more_is_known_of_the_second_loop() -> None:
    assert together(SOME + SHIFTED).verified
    assert not together(SOME + SHIFTED.replace("A(i - k)", "A(i)")).verified


def test_an_unordered_read_before_the_second_loop() -> None:
    """The barrier at its start is needed, and enough."""
    text = steps_in_shared_memory("f", "") + steps_in_shared_memory("g", READ)
    assert together(text).verified
    first = "for (int k = 0; k < 10; k++) {\n      blocksync();"
    assert not together(text.replace(first, "for (int k = 0; k < 10; k++) {\n      ;")).verified


def test_integers_that_are_proved_to_fit_are_not_assumed_to() -> None:
    loop = """
int {name}(int n, int k) {{
  __requires("0 <= n, n <= 100{more}");
  int c = 0;
  for (int i = 0; i < n; i++) {{ c += k; if (c > 50) c = 0; }}
  return c;
}}
"""
    small = loop.format(name="g", more=", 0 <= k, k <= 10")
    assert together(small).verified
    result = together(loop.format(name="f", more="") + small, unbounded=True)
    assert result.verified and {place.line for place in result.unbounded} == {6}


def test_certificates_of_functions_with_the_same_loops_are_accepted() -> None:
    for text in (SHIFTED + SHIFTED.replace("void g", "void h"), steps_in_shared_memory("f", READ) * 2):
        text = text.replace("void f", "void e", 1)
        program = parse_text(HEADER + text, "loops.c")
        result = Verifier().verify(program)
        assert result.verified
        assert audit(program, certificate_of(program, result), Z3Solver()).failures == {}


def answer(verifier: Verifier, variant: Variant) -> tuple[str, str] | None:
    try:
        result = verifier.verify(parse_text(variant.text, variant.file))
    except InputError:
        return None
    bad = first_problem(result)
    return ("VERIFIED", "") if bad is None or bad.problem is None else (bad.verdict.value, bad.problem.code)


@pytest.mark.parametrize(
    "case",
    [
        "contracts/lemma_in_kernel",
        "contracts/loop_takes_what_is_held",
        "gpu_declared/allowance",
        "gpu_declared/groups",
        "gpu_functions/launch_parameters",
        "gpu_barriers/across_iterations",
    ],
)
def test_programs_one_after_the_other_get_the_answers_that_they_get_alone(case: str) -> None:
    """Mutants differ from their program in functions that a loop calls, in arguments of lemmas, in clauses, in barriers."""
    variants = [v for v in read_case(CASES / f"{case}.c") if not v.slow]
    verifier = Verifier()
    for variant in (*variants, *reversed(variants)):
        verifier.proved.clear()
        assert answer(verifier, variant) == answer(Verifier(), variant), variant.name
