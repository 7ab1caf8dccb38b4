"""Names of variables by the loops they are in: a loop has the same code whatever is beside it, and no two variables meet in one."""

from __future__ import annotations

import pytest

from optigpu.elaborate.program_elaboration import elaborate
from optigpu.elaborate.weakening import open_name
from optigpu.frontend import parse_text
from optigpu.kernel import instructions as kc
from tests.support.verdicts import verdict_of

FILL = "for (int i = 0; i < n; i++) { float x = b[i]; x = x + b[i]; a[i] = x; }"
BEFORE = (
    "for (int i = 0; i < n; i++) { float x = 0.0f; x = x + b[i] * b[i]; for (int j = 0; j < 3; j++) x = x + 1.0f; }"
)


def code_of(body: str, name: str = "f") -> kc.Instructions:
    text = f'void f(int n, float a[n], float b[n]) {{ __writes("a ~> Cells1(n)"); __reads("b ~> Cells1(n)"); {body} }}'
    return elaborate(parse_text(text, "names.c")).program.functions[name].body


def loops_of(code: kc.Instructions) -> list[kc.CountedLoop]:
    return [i for i in kc.instructions_in(code) if isinstance(i, kc.CountedLoop)]


def test_a_loop_has_the_same_code_whatever_is_before_it() -> None:
    (alone,) = loops_of(code_of(FILL))
    for before in (BEFORE, BEFORE * 2, f"{{ {FILL} }}", "if (n > 3) { " + BEFORE + " }"):
        assert loops_of(code_of(before + FILL))[-1] == alone
    assert loops_of(code_of("float x = 0.0f; x = x + 1.0f;" + FILL))[-1] != alone  # it has an x of its own


def test_names_in_a_loop_are_not_those_around_it() -> None:
    code = code_of("for (int i = 0; i < n; i++) for (int i = 0; i < 3; i++) { int i = 2; a[0] = b[i - 2]; }")
    outer, inner = loops_of(code)
    (bound,) = (i.target for i in inner.body if isinstance(i, kc.Bind))
    assert len({outer.index, inner.index, bound}) == 3


def test_many_temporaries_do_not_meet_those_of_inner_loops() -> None:
    """An inner loop starts with a number that is beyond those of the loop around it, however many there are."""
    many = "a[i] = b[0]; " * 1100
    code = code_of(f"for (int i = 0; i < n; i++) {{ {many} for (int j = 0; j < 1; j++) a[i] = b[0]; }}")
    outer, inner = loops_of(code)
    targets = [i.target for i in (*outer.body, *inner.body) if isinstance(i, kc.LoadCell)]
    assert len(targets) == len(set(targets)) == 1101


def test_arrays_of_loops_beside_each_other_have_names_of_their_own() -> None:
    """Sizes, widths of vectors and shared memory in use are looked up by these names."""
    body = "for (int i = 0; i < n; i++) { float t[4]; t[0] = 1.0f; a[i] = t[0]; }"
    code = code_of(body + body)
    bases = [i.base for i in kc.instructions_in(code) if isinstance(i, kc.Allocate)]
    assert len(bases) == len(set(bases)) == 2


def test_each_comparison_of_floats_has_an_outcome_of_its_own() -> None:
    body = "for (int i = 0; i < n; i++) { if (b[i] < 1.0f) a[i] = 0.0f; }"
    code = code_of(body + body, open_name("f"))
    tests = [i.test for i in kc.instructions_in(code) if isinstance(i, kc.Branch)]
    assert len(tests) == 2 and tests[0].args[0] is not tests[1].args[0]


PROGRAM = """void f(int n, float a[n]) {{
  __writes("a ~> Matrix1(n, fun i -> {formula})");
{body}}}
"""
BODIES = {
    "a variable of the loop before": (
        "for (int i = 0; i < n; i++) { float x = 1.0f; x += 1.0f; a[i] = x; }"
        "for (int i = 0; i < n; i++) { float x = 3.0f; x += a[i]; a[i] = x; }",
        "5",
        "4",
    ),
    "a variable around, after a loop with one of the same name": (
        "float x = 7.0f; x += 0.0f; for (int i = 0; i < n; i++) { float x = 1.0f; x += 1.0f; a[i] = x; }"
        "for (int i = 0; i < n; i++) a[i] = x;",
        "7",
        "2",
    ),
    "the index of a loop around": (
        "for (int i = 0; i < n; i++) { float s = 0.0f;"
        " for (int j = 0; j < 2; j++) { float i = 6.0f; s += i; } a[i] = s; }",
        "12",
        "2 * i",
    ),
    "unrolled": (
        "for (int i = 0; i < n; i++) { float s = 0.0f; for (int k = 1; k < 8; k *= 2) {"
        " float x = 1.0f; x += 1.0f; for (int j = 0; j < 2; j++) { float y = x; y += 1.0f; x = y; } s += x; } a[i] = s; }",
        "12",
        "6",
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_names_mean_what_they_mean_in_c(name: str) -> None:
    body, right, wrong = BODIES[name]
    assert verdict_of(PROGRAM.format(formula=right, body=body)) == "VERIFIED"
    assert verdict_of(PROGRAM.format(formula=wrong, body=body)) != "VERIFIED"
