"""A transformed program keeps the specification of the original; otherwise the error names the first clause that differs."""

from __future__ import annotations

import pytest

from optigpu.check.specification_change import specification_change
from optigpu.frontend import parse_text

ORIGINAL = """
#include <optigpu.h>

__DEF(twice, "fun (x: int) -> x + x");
__DECL(c, "int");
__DECL(d, "int");
__AXIOM(positive, "0 < c");

float shifted(float x) {
  __admitted();
  __ensures("_Res == x + 1.f");
  return x + 1.f;
}

void fill(float* a, int n) {
  __writes("a ~> Matrix1(n, fun (i: int) -> 0.f)");
  for (int i = 0; i < n; i++) {
    a[i] = 0.f;
  }
}
"""
CHANGES = {
    "contract": ("-> 0.f)", "-> 1.f)", "`fill` has another contract"),
    "clause": ('__writes("a', '__requires("n < 9");\n  __writes("a', "`fill` has another contract"),
    "parameter": ("int n)", "int n, int m)", "`fill` has another contract"),
    "parameter type": ("int n)", "long n)", "`fill` has another contract"),
    "gone": ("void fill(", "void full(", "`fill` is gone"),
    "definition": ("-> x + x", "-> x + x + 1", "`twice` is defined differently"),
    "constant": ('(d, "int")', '(d, "float")', "`d` is defined differently"),
    "axiom": ("0 < c", "1 < c", "`positive` is defined differently"),
    "new axiom": ("float shifted", '__AXIOM(more, "0 < 1");\nfloat shifted', "`more` is a new assumption"),
    "admitted": ("int n) {", "int n) {\n  __admitted();", "`fill` has another contract"),
    "not admitted": ("  __admitted();\n", "", "`shifted` has another contract"),
    "admitted body": ("return x + 1.f", "return 1.f + x", "`shifted` is assumed to be right as it was"),
    "new admitted": (
        "void fill",
        "void other(int n) {\n  __admitted();\n}\n\nvoid fill",
        "`other` is a new assumption",
    ),
}  # fmt: skip


@pytest.mark.parametrize("old, new", [("i < n", "i <= n - 1"), ("void fill", "void unused(int k) {\n}\n\nvoid fill")])
def test_code_may_change(old: str, new: str) -> None:
    assert ORIGINAL.count(old) == 1
    assert specification_change(parse_text(ORIGINAL, "x.c"), parse_text(ORIGINAL.replace(old, new), "x.c")) is None


@pytest.mark.parametrize("name", CHANGES)
def test_the_specification_may_not_change(name: str) -> None:
    old, new, expected = CHANGES[name]
    assert ORIGINAL.count(old) == 1
    text = ORIGINAL.replace(old, new)
    change = specification_change(parse_text(ORIGINAL, "x.c"), parse_text(text, "x.c"))
    assert change is not None
    assert f"`{change.name}` {change.change}" == expected
    assert change.loc.line > 1
