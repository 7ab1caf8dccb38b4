"""Preconditions over pairs at a call: right, and without memory for all pairs."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime import preconditions
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.pairs import order_of_pairs
from optigpu.runtime.signature import signature_of
from optigpu.syntax.exprs import BigOp

TEXT = """void f(int n, TYPE a[n]) {
  __requires("A: int -> LOGIC, FACT");
  __reads("a ~> Matrix1(n, A)");
}
"""
SORTED = {  # facts that sorting decides, and the same for two values
    "All(i in 0..n, j in 0..n, i != j ==> A(i) != A(j))": lambda i, j, x, y: i == j or x < y or x > y,
    "All(i in 0..n, All(j in 0..n, i == j || A(j) != A(i)))": lambda i, j, x, y: i == j or x < y or x > y,
    "All(i in 0..n, j in 0..n, i < j ==> A(i) <= A(j))": lambda i, j, x, y: not i < j or x <= y,
    "All(i in 0..n, j in 0..n, i < j ==> A(j) < A(i))": lambda i, j, x, y: not i < j or y < x,
    "All(i in 0..n, j in 0..n, j < i ==> A(i) >= A(j))": lambda i, j, x, y: not j < i or x >= y,
    "All(i in 0..n, j in 0..n, i > j ==> A(i) + 1 != A(j) + 1)": lambda i, j, x, y: not i > j or x < y or x > y,
}
OTHERS = {
    "All(i in 0..n, j in 0..n, i <= j ==> A(i) <= A(j))": lambda i, j, x, y: not i <= j or x <= y,
    "All(i in 0..n, j in 0..n, A(i) + A(j) >= 0)": lambda i, j, x, y: x + y >= 0,
    "All(i in 0..n, j in 0..n, i != j ==> A(i) != A(j) + 1)": lambda i, j, x, y: i == j or x < y + 1 or x > y + 1,
    "All(i in 0..n, j in 0..n, i < j ==> A(i) == A(j))": lambda i, j, x, y: not i < j or x == y,
}


def compiled(fact: str, elem: str = "int") -> CFunction:
    logic = "float" if elem == "float" else "int"
    program = parse_text(TEXT.replace("FACT", fact).replace("TYPE", elem).replace("LOGIC", logic))
    f = program.function("f")
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


def accepts(f: CFunction, a: Any) -> bool:
    try:
        f(a)
    except CallError as e:
        assert "does not hold" in str(e)
        return False
    return True


@pytest.mark.parametrize("points", [1, 7, 1 << 20])
@pytest.mark.parametrize("fact", [*SORTED, *OTHERS])
def test_pairs_are_checked(fact: str, points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preconditions, "POINTS_AT_ONCE", points)
    holds = {**SORTED, **OTHERS}[fact]
    rng = np.random.default_rng(3)
    seen = set()
    for elem in ("int", "float", "uint8_t", "int64_t"):
        f = compiled(fact, elem)
        dtype = {"int": "int32", "float": "float32", "uint8_t": "uint8", "int64_t": "int64"}[elem]
        for n in (0, 1, 2, 3, 5):
            for kind in range(8):
                a = rng.integers(0, 9, n)
                if kind in (1, 2):
                    a = np.sort(a)[:: 1 if kind == 1 else -1]
                elif kind in (3, 4):
                    a = (np.arange(n) * 2)[:: 1 if kind == 3 else -1]
                a = np.ascontiguousarray(a).astype(dtype)
                if kind == 5 and elem == "float" and n:
                    a[rng.integers(0, n)] = np.nan
                values = [v.item() for v in a]
                expected = all(holds(i, j, x, y) for i, x in enumerate(values) for j, y in enumerate(values))
                assert accepts(f, a) == expected, (fact, a)
                seen.add(expected)
    assert seen == {True, False} or "+ A(j) >= 0" in fact


def test_what_sorting_decides_is_known() -> None:
    for facts, known in ((SORTED, True), (OTHERS, False)):
        for text in facts:
            f = compiled(text)
            (prop,) = [r.prop for r in f.signature.requirements if isinstance(r.prop, BigOp)]
            binders, body = prop.binders, prop.body
            if isinstance(body, BigOp):
                binders, body = binders + body.binders, body.body
            assert (order_of_pairs(binders, body) is not None) == known, text


@pytest.mark.parametrize("fact", [next(iter(SORTED)), "All(i in 0..n, j in 0..n, A(i) + A(j) >= 0)"])
def test_memory_is_not_that_of_all_pairs(fact: str) -> None:
    f = compiled(fact)
    a = np.arange(4000, dtype=np.int32)  # 16 million pairs
    f(a)
    tracemalloc.start()
    try:
        f(a)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 80 << 20
    a[17] = -1 if "+" in fact else a[99]
    a[3] = 0
    with pytest.raises(CallError, match="does not hold"):
        f(a)


def test_a_million_different_values() -> None:
    f = compiled(next(iter(SORTED)))
    a = np.random.default_rng(1).permutation(1_000_000).astype(np.int32)
    f(a)
    a[5] = a[999_999]
    with pytest.raises(CallError, match="does not hold"):
        f(a)


def test_too_many_points_are_said() -> None:
    """It would take hours: nothing is promised, and that is said."""
    f = compiled("All(i in 0..n, j in 0..n, A(i) + A(j) >= 0)")
    with pytest.warns(UserWarning, match="does not check"):
        f(np.zeros(1_000_000, np.int32))
