"""Programs with many cells, claims, choices and variables: their number alone makes no proof fail, nor one of 2^n cases.

Each program is of a size at which enumerating cases would not end; its twin has one wrong cell, claim or choice.
"""

from __future__ import annotations

import pytest
from benchmarks import growth_cases as growth

from optigpu.check.verdict import FunctionResult
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text


def lines(texts: list[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def numbered_cells(n: int) -> str:
    stores = lines([f"  a[{i}] = {i}.0f;" for i in range(n)])
    return f'void f(float a[{n}]) {{\n  __writes("a ~> Matrix1({n}, fun i -> i)");\n{stores}}}\n'


def stores_under_conditions(n: int) -> str:
    stores = lines([f"  if (m > {i}) a[{i}] = {i}.0f;" for i in range(n)])
    return f"""void f(int m, float a[{n}]) {{
  __requires("A: int -> float");
  __consumes("a ~> Matrix1({n}, A)");
  __produces("a ~> Matrix1({n}, fun i -> i < m ? i : A(i))");
{stores}}}
"""


def counted(n: int) -> str:
    """An integer that n conditions may increase: the sum fits its type."""
    steps = lines([f"  if (a[{i}] > 0) x = x + 1;" for i in range(n)])
    return f"""int f(int a[{n}]) {{
  __reads("a ~> Cells1({n})");
  __ensures("0 <= _Res && _Res <= {n}");
  int x = 0;
{steps}  return x;
}}
"""


def variables(n: int) -> str:
    """A sum of many numbers fits its type."""
    parameters = ", ".join(f"int n{i}" for i in range(n))
    bounds = lines([f'  __requires("0 <= n{i} && n{i} <= 1000");' for i in range(n)])
    steps = lines([f"  s = s + n{i};" for i in range(n)])
    return f"int f({parameters}) {{\n{bounds}  int s = 0;\n{steps}  return s;\n}}\n"


# program, what makes it wrong, and the code and the line of the problem
CASES = {
    "cells": (numbered_cells(256), "a[77] = 77.0f", "a[77] = 78.0f", "OG305", 2),
    "a cell left out": (numbered_cells(256), "a[77] = 77.0f", "a[76] = 76.0f", "OG306", 2),
    "the last cell left out": (growth.cells_one_by_one(256), "  a[255] = 3.0f;\n", "", "OG306", 2),
    "values": (growth.values_one_by_one(256), "a[77] = 154.0f", "a[77] = 155.0f", "OG305", 2),
    "the first value": (growth.values_one_by_one(64), "a[0] = 0.0f * x", "a[0] = x", "OG305", 2),
    "claims": (growth.single_claims(200), "c[7] = 2.0f * a[7]", "c[7] = 2.0f * a[6]", "OG305", 210),
    "claims of a family": (growth.claims_of_a_family(200), "&a[7] ~~> 1", "&a[7] ~~> 2", "OG305", 10),
    "a claim made twice": (growth.claims_of_a_family(100), "&a[7] ~~> 1", "&a[6] ~~> 1", "OG306", 9),
    "sizes": (growth.distinct_sizes(64), "a7[i] = 7.0f", "a7[i] = 8.0f", "OG305", 9),
    "stores": (stores_under_conditions(24), "a[11] = 11.0f", "a[11] = 12.0f", "OG305", 4),
    "choices": (growth.choices(16), "x = x + 3.0f", "x = x + 4.0f", "OG305", 2),
    "a choice left out": (growth.choices(16), "    if (i % 9 == 0) x = x + 8.0f;\n", "", "OG305", 2),
    "counts": (counted(32), "if (a[7] > 0) x = x + 1;", "if (a[7] > 0) x = x + 2147483647;", "OG336", 12),
    "variables": (variables(24), "n5 <= 1000", "n5 <= 2147483647", "OG336", 32),
    "unrolled": (growth.unrolled_copy(64), "2.0f * a[64 * b + 7]", "2.0f * a[64 * b + 6]", "OG305", 4),
    "unrolled, one left out": (growth.unrolled_copy(32), "c[32 * b + 7]", "c[32 * b + 6]", "OG306", 4),
    "unrolled sum": (growth.unrolled_sum(64), "s += a[64 * b + 7]", "s += a[64 * b + 6]", "OG307", 4),
    "unrolled sum, one left out": (growth.unrolled_sum(32), "    s += a[32 * b + 7];\n", "", "OG307", 4),
}


def verified(text: str) -> FunctionResult:
    return Verifier().verify(parse_text(text, "many.c")).functions[0]


@pytest.mark.parametrize("name", CASES)
def test_many_parts_are_verified_and_a_wrong_one_is_rejected(name: str) -> None:
    text, old, new, code, line = CASES[name]
    assert verified(text).verdict.value == "VERIFIED"
    assert old in text
    wrong = verified(text.replace(old, new)).problem
    assert wrong is not None and (wrong.code, wrong.loc.line) == (code, line)
