"""Programs that are too large: an error at its place, and no more work than their length asks for."""

from __future__ import annotations

import pytest

from tests.support.verdicts import VERIFIED, unbounded_verifier, verdict_of


def chained(levels: int, step: str, last: str) -> str:
    """Values that are made of those before them."""
    params = ", ".join(f"int a{i}" for i in range(levels))
    body = "".join(f"  const int x{i + 1} = {step.format(i=i)};\n" for i in range(levels))
    result = f"x{levels}"
    return f'int f(int x0, {params}) {{\n  __requires("x0 > 0");\n{body}  return {last.format(x=result)};\n}}\n'


def test_a_chain_of_choices_takes_no_more_work_than_its_length() -> None:
    """Forty choices in a row have 2^40 outcomes."""
    choices = "a{i} > 0 ? x{i} + 1 : x{i} + 2"
    assert verdict_of(chained(40, choices, "12 / ({x} > 0 ? {x} : 1)"), verifier=unbounded_verifier()) == VERIFIED
    assert verdict_of(chained(40, choices, "12 / ({x} > 0 ? 0 : 1)"), verifier=unbounded_verifier()) == "OG310 43:10"


def test_what_has_too_many_summands_is_too_large() -> None:
    assert verdict_of(chained(4, "x{i} * x{i} + a{i}", "{x}"), verifier=unbounded_verifier()) == VERIFIED
    assert verdict_of(chained(12, "x{i} * x{i} + a{i}", "{x}")) == "OG015 1:5"


LONG = " + ".join(["1"] * 300)
NESTED = "(" * 300 + "int -> int" + " -> int)" * 300


@pytest.mark.parametrize(
    ("text", "place"),
    [(f"#define N ({LONG})", "2:412"), (f'__DEF(N, "{LONG}");', "2:411"), (f'__AXIOM(N, "{LONG} == 300");', "2:417"),
     (f'__DECL(N, "{NESTED}");', "2:1"), (f'void g(int a[{LONG}]) {{\n  __reads("HostCtx");\n}}', "2:414"),
     (f'void g() {{\n  __requires("N: {NESTED}");\n}}', "3:18")],
    ids=["macro", "definition", "axiom", "declaration", "size", "logical variable"],
)  # fmt: skip
def test_what_is_nested_too_deep_is_an_error_at_its_place(text: str, place: str) -> None:
    program = 'int f(int x) {\n  __ensures("_Res == x");\n  return x;\n}\n'
    assert verdict_of(f"#include <optigpu.h>\n{program}") == VERIFIED
    assert verdict_of(f"#include <optigpu.h>\n{text}\n{program}") == f"OG015 {place}"
