"""Which parts of a precondition a call checks, and which it reports as unchecked."""

from __future__ import annotations

import math
import re
import tracemalloc
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.codegen.cuda.cuda_unit import emit_cuda
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime import preconditions
from optigpu.runtime.arrays import ArrayBuffer
from optigpu.runtime.call_error import CallError
from optigpu.runtime.manifest import signature_from_json, signature_to_json
from optigpu.runtime.signature import Signature, signature_of
from optigpu.runtime.unchecked import Unchecked
from optigpu.syntax.exprs import BigOp, Forall
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.unfolding import definitions_of, unfolded


def signature(text: str) -> Signature:
    program = parse_text(text, "f.c")
    f = without_constants(program, program.functions()[-1])
    return signature_of(f, effective_types(f), definitions_of(program))


def check(s: Signature, **arguments: Any) -> tuple[str, ...]:
    """Also as a file keeps it."""
    first = s.check(s.bind((), dict(arguments)))
    signature = signature_from_json(signature_to_json(s))
    assert signature.unchecked() == s.unchecked()
    assert signature.check(signature.bind((), dict(arguments))) == first
    return first


def of_array(fact: str, before: str = "") -> Signature:
    return signature(
        f"""{before}
        void f(int n, int m, int a[n]) {{
          __requires("A: int -> int"); __reads("a ~> Matrix1(n, A)"); __requires("{fact}");
        }}"""
    )


# fact -> (contents that satisfy it, contents that do not)
QUANTIFIED = {
    "forall (i: int) (h: 0 <= i && i < n) -> A(i) > 0": ([1, 2, 3], [1, 2, 0]),
    "forall (i: int) (h: 0 <= i) (g: i < n) -> A(i) > 0": ([1, 2, 3], [0, 2, 3]),
    "forall (i: int) (h: n > i && i >= 0) -> A(i) > 0": ([1, 2, 3], [1, 0, 3]),
    "forall (i: int) (h: 0 < i && i <= n - 1) -> A(i - 1) <= A(i)": ([1, 2, 3], [1, 3, 2]),
    "forall (i: int) -> 0 <= i && i < n ==> A(i) > 0": ([1, 2, 3], [1, 2, 0]),
    "forall (i: int) -> 0 <= i ==> i < n ==> A(i) > 0": ([1, 2, 3], [1, 2, 0]),
    "forall (i: int) (h: in_range(i, 0..n)) -> A(i) > 0": ([1, 2, 3], [1, 2, 0]),
    "forall (i: int) (j: int) (h: 0 <= i && i < j && j < n) -> A(i) < A(j)": ([1, 2, 3], [1, 3, 3]),
    "forall (j: int) (i: int) (h: 0 <= i && i <= j && j < n) -> A(i) <= A(j)": ([1, 1, 3], [1, 3, 2]),
    "forall (i: int) (h: i == n - 1 && n > 0) -> A(i) == 7": ([1, 2, 7], [7, 7, 1]),
    "n > 2 ==> (forall (i: int) (h: 0 <= i && i < n) -> A(i) > 0)": ([1, 2, 3], [1, 2, 0]),
    "Any(i in 0..n, A(i) == 7)": ([1, 7, 3], [1, 2, 3]),
}


@pytest.mark.parametrize("fact", QUANTIFIED)
def test_a_quantifier_whose_hypotheses_give_a_range_is_checked(fact: str) -> None:
    good, bad = QUANTIFIED[fact]
    s = of_array(fact)
    assert s.unchecked() == ()
    assert check(s, m=0, a=np.array(good, np.int32)) == ()
    with pytest.raises(CallError, match="does not hold"):
        check(s, m=0, a=np.array(bad, np.int32))


@pytest.mark.parametrize(
    "fact",
    [
        "forall (i: int) -> A(i) > 0",
        "forall (i: int) (h: 0 <= i) -> A(i) > 0",
        "forall (x: float) (h: 0 <= x && x < 1) -> x < 2",
        "Sum(i in 0..n, A(i)) == 6",
        "sqrt((float)n) > 1.0",
    ],
)
def test_what_is_not_checked_is_listed(fact: str) -> None:
    s = of_array(fact)
    assert len(s.unchecked()) == 1
    assert check(s, m=0, a=np.array([1, 2, 3], np.int32)) == s.unchecked()


# parameters, a clause that has no value at some arguments, the clause that excludes them, arguments of both kinds
WITHOUT_A_VALUE = [
    ("float x", "1.0 /. x >. 0.0", "x !=. 0.0", {"x": 2.0}, {"x": 0.0}),
    ("float x", "1.0 / x > 0.0", "x != 0.0", {"x": 2.0}, {"x": -0.0}),
    ("int n, int m", "n / m >= 0", "m != 0", {"n": 7, "m": 2}, {"n": 7, "m": 0}),
    ("int n, int m", "n % m == 1", "m != 0", {"n": 7, "m": 2}, {"n": 7, "m": 0}),
    ("int n, int k", "n == 1 << k", "k >= 0", {"n": 8, "k": 3}, {"n": 1, "k": -1}),
    ("int n, int k", "n >> k == 1", "k >= 0", {"n": 8, "k": 3}, {"n": 1, "k": -1}),
    ("int n, int k", "n < 1 << k", "k < 31", {"n": 8, "k": 4}, {"n": 1, "k": 1_000_000_000}),
    ("float x, int k", "x < (float)(1 << k)", "k < 31", {"x": 8.0, "k": 4}, {"x": 1.0, "k": 1024}),
    ("float x, int k", "x + (float)(1 << k) > 0.0", "k < 31", {"x": 8.0, "k": 4}, {"x": 1.0, "k": 1024}),
]


@pytest.mark.parametrize(("params", "partial", "guard", "good", "bad"), WITHOUT_A_VALUE)
def test_a_clause_without_a_value_leaves_it_to_the_others(
    params: str, partial: str, guard: str, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    s = signature(f'void f({params}) {{ __requires("{partial}"); __requires("{guard}"); }}')
    assert check(s, **good) == ()
    with pytest.raises(CallError, match=f"the precondition {re.escape(s.requirements[1].text)} does not hold"):
        check(s, **bad)


def test_a_huge_shift_takes_no_memory() -> None:
    s = signature('void f(int k) { __requires("1 << k > 0"); }')
    assert check(s, k=30) == ()
    tracemalloc.start()
    try:
        assert check(s, k=1_000_000_000) == ("1 << k > 0",)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


# fact -> (contents that satisfy it, contents that do not); m is 12
GUARDED = {
    "forall i in 0..n -> A(i) != 0 ==> m % A(i) == 0": ([0, 6, 4], [0, 7]),
    "forall i in 0..n -> A(i) == 0 || m % A(i) == 0": ([0, 6, 4], [0, 7]),
    "forall i in 0..n -> !(A(i) != 0 && m % A(i) != 0)": ([0, 6, 4], [0, 7]),
    "forall i in 0..n -> A(i) == 0 ? true : m % A(i) == 0": ([0, 6, 4], [0, 7]),
    "forall i in 0..n -> (A(i) == 0 ? 12 : m / A(i)) >= 2": ([0, 6, 4], [0, 7]),
    "forall i in 0..n -> A(i) != 0 ==> exact_div(m, A(i)) >= 2": ([0, 6, 4], [0, 7]),
    "forall i in 0..n -> A(i) >= 0 ==> m >> A(i) > 0": ([-1, 3], [-1, 4]),
    "forall i in 0..n -> A(i) != 0 ==> 12.0 /. (float)(A(i)) >=. 2.0": ([0, 6], [0, 7]),
    "forall i in 0..n -> i > 0 ==> A(i - 1) != 0 ==> A(i) % A(i - 1) == 0": ([0, 3, 6], [0, 3, 7]),
    "forall i in 0..n -> A(i) != 0 ==> m / A(i) != 0 ==> 13 % (m / A(i)) == 0": ([0, 13, 12], [0, 13, 2]),
    "forall i in 0..n -> A(i) != 0 ==> (forall j in 0..n -> A(j) % A(i) == 0)": ([0, 3, -3], [0, 3, 6]),
    "forall i in 0..n -> forall j in 0..n -> A(i) != 0 ==> A(j) % A(i) == 0": ([0, 3, -3], [0, 3, 6]),
    "forall i in 0..n -> forall j in 0..n -> i != j && A(i) != 0 ==> A(j) % A(i) != 0": ([2, 3, 5], [2, 3, 0]),
    "forall i in 0..n -> A(i) != 0 ==> Any(j in 0..n, j != i && A(j) % A(i) == 0)": ([0, 3], [5, 3]),
    "Any(i in 0..n, A(i) != 0 && m % A(i) == 0)": ([0, 6], [0, 7]),
}


@pytest.mark.parametrize("points", [1, 2, 1 << 20])
@pytest.mark.parametrize("fact", GUARDED)
def test_a_guard_excludes_points_without_a_value(fact: str, points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preconditions, "POINTS_AT_ONCE", points)
    good, bad = GUARDED[fact]
    s = of_array(fact)
    assert check(s, m=12, a=np.array(good, np.int32)) == ()
    with pytest.raises(CallError, match="does not hold"):
        check(s, m=12, a=np.array(bad, np.int32))


def test_a_guard_that_lets_a_point_without_a_value_through_decides_nothing() -> None:
    s = of_array("forall i in 0..n -> A(i) != 1 ==> m % A(i) == 0")
    assert check(s, m=12, a=np.array([1, 6], np.int32)) == ()
    assert check(s, m=12, a=np.array([1, 0, 6], np.int32)) == ("forall i in 0..n -> A(i) != 1 ==> m % A(i) == 0",)


def test_real_numbers_in_an_array_are_divided_where_a_guard_allows_it() -> None:
    s = signature(
        'void f(int n, float a[n]) { __requires("A: int -> float, forall i in 0..n -> A(i) !=. 0.0 ==> 1.0 /. A(i) <=. 2.0");'
        ' __reads("a ~> Matrix1(n, A)"); }'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert check(s, a=np.array([0, 0.5], np.float32)) == ()
        with pytest.raises(CallError, match="does not hold"):
            check(s, a=np.array([0, 0.25], np.float32))


@pytest.mark.parametrize("form", ["UninitMatrix1(k)", "Cells1(k)"])
def test_a_size_is_not_taken_for_contents(form: str) -> None:
    s = signature(
        'void f(int n, float a[n]) { __requires("k: int"); __requires("0 <= k && k <= n");'
        f' __consumes("a ~> {form}"); __produces("a ~> {form}"); }}'
    )
    assert s.unchecked() == ("0 <= k && k <= n",)
    assert check(s, a=np.zeros(4, np.float32)) == s.unchecked()


def test_contents_are_known_beside_a_size() -> None:
    s = signature(
        'void f(int n, int a[n], int b[n]) { __requires("k: int, A: int -> int"); __requires("A(0) == 1");'
        ' __reads("a ~> Matrix1(n, A)"); __consumes("b ~> UninitMatrix1(k)"); __produces("b ~> UninitMatrix1(k)"); }'
    )
    assert check(s, a=np.ones(4, np.int32), b=np.zeros(4, np.int32)) == ()
    with pytest.raises(CallError, match="does not hold"):
        check(s, a=np.zeros(4, np.int32), b=np.zeros(4, np.int32))


def test_a_range_is_never_too_small() -> None:
    """Hypotheses stay: a range of a quantifier may be wider than they say."""
    program = parse_text(
        'void f(int n) { __requires("forall (i: int) (j: int) (h: i < j && 0 <= i && j <= n) -> i + j > 0"); }', "f.c"
    )
    fact = program.functions()[0].contract[0].items[0].body
    conjuncts = unfolded(fact, {})
    assert isinstance(fact, Forall)
    assert isinstance(conjuncts, BigOp)
    s = signature('void f(int n) { __requires("forall (i: int) (j: int) (h: i < j && 0 <= i && j <= n) -> j != n"); }')
    check(s, n=0)
    with pytest.raises(CallError, match="does not hold"):
        check(s, n=3)


DEFINITIONS = """#define LEAST 2
__DEF(small, "fun (x: int) -> x < 4 + LEAST");
__DEF(sorted, "fun (B: int -> int) (k: int) -> forall (i: int) (h: 0 < i && i < k) -> B(i - 1) <= B(i)");
__DEF(fine, "fun (B: int -> int) (k: int) -> sorted(B, k) && small(k)");
"""


def test_what_is_behind_a_definition_is_checked() -> None:
    s = of_array("fine(A, n)", DEFINITIONS)
    assert s.unchecked() == ()
    check(s, m=0, a=np.array([1, 2, 3], np.int32))
    for bad in ([3, 2, 1], list(range(6))):
        with pytest.raises(CallError, match=r"the precondition fine\(A, n\) does not hold"):
            check(s, m=0, a=np.array(bad, np.int32))


def test_a_parameter_hides_a_definition() -> None:
    s = signature('__DEF(limit, "3"); void f(int n, int limit) { __requires("n < limit"); }')
    check(s, n=5, limit=9)
    with pytest.raises(CallError, match="does not hold"):
        check(s, n=5, limit=4)
    with pytest.raises(CallError, match="does not hold"):
        check(signature('__DEF(limit, "3"); void f(int n) { __requires("n < limit"); }'), n=5)


def test_declared_functions_stay_open() -> None:
    s = of_array("p(n)", '__DECL(p, "int -> bool"); ')
    assert s.unchecked() == ("p(n)",)


def test_contents_on_a_device_are_listed_and_said_once() -> None:
    s = of_array("forall i in 0..n -> A(i) > 0")
    assert s.unchecked() == ()
    assert s.unchecked(on_device=True) == ("forall i in 0..n -> A(i) > 0",)
    view = ArrayBuffer((3,), "int32", 4096, True, True, 0, "torch")
    open_ = s.check_views(s.bind((), {"n": 3, "m": 0, "a": SimpleNamespace(shape=(3,))}), {"a": view})
    assert open_ == s.unchecked(on_device=True)
    unchecked = Unchecked("f")
    with pytest.warns(UserWarning, match="forall i in 0..n -> A"):
        unchecked.say(open_)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        unchecked.say(open_)


def test_a_built_function_has_the_list_and_warns_once(tmp_path: Path) -> None:
    text = """#include <optigpu.h>
__DEF(positive, "fun (B: int -> float) (k: int) -> forall (i: int) (h: 0 <= i && i < k) -> B(i) > 0");
float f(int n, float x, float a[n]) {
  __requires("A: int -> float, h: int, n > 0, positive(A, n)"); __requires("n == 2 * h");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == x / A(0)");
  return x / a[0];
}
"""
    (tmp_path / "f.c").write_text(text)
    f = og.Script(str(tmp_path / "f.c")).build()
    assert f.unchecked == ("n == 2 * h",)
    with pytest.warns(UserWarning, match="n == 2"):
        assert f(1.0, np.array([2, 1], np.float32)) == 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert f(1.0, np.array([4, 1], np.float32)) == 0.25
    with pytest.raises(CallError, match="positive"):
        f(1.0, np.array([4, 0], np.float32))
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(CallError, match="the contract speaks of a number"):
            f(bad, np.array([4, 1], np.float32))


@pytest.mark.parametrize(("kind", "large"), [("float", 1e39), ("double", 10**309), ("float", -1e39)])
def test_a_number_that_does_not_fit_is_refused(kind: str, large: float) -> None:
    s = signature(f"void f({kind} x) {{ }}")
    check(s, x=1e38)
    with pytest.raises(CallError, match="does not fit"):
        check(s, x=large)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float32("nan"), np.float64("inf")])
def test_what_is_no_number_is_refused_where_the_contract_speaks_of_it(value: float) -> None:
    with pytest.raises(CallError, match="the contract speaks of a number"):
        check(signature('float f(float x) { __requires("x != 0"); return x; }'), x=value)
    with pytest.raises(CallError, match="the contract speaks of a number"):
        check(signature('float f(float x) { __ensures("_Res == x"); return x; }'), x=value)
    check(signature('float f(float x) { __ensures("_Res == 1"); return 1; }'), x=value)


def test_what_is_no_number_in_an_array_is_not_different_from_zero() -> None:
    s = signature(
        'void f(int n, float a[n]) { __requires("A: int -> float, forall i in 0..n -> A(i) != 0");'
        ' __reads("a ~> Matrix1(n, A)"); }'
    )
    check(s, a=np.array([1, 2], np.float32))
    for bad in (0, math.nan):
        with pytest.raises(CallError, match="does not hold"):
            check(s, a=np.array([1, bad], np.float32))


KERNEL = """#include <optigpu.h>
__DEF(whole, "fun (k: int) -> k % 32 == 0 && k > 0");
void f(int n, float a[n]) {
  __requires("whole(n)"); __writes("a ~> Matrix1(n, fun i -> 1)");
  float* const d = __gmem_malloc1<float>(n);
  kernel_launch(n / 32, 32, 0);
  kernel_setup_end();
  thread for (int b = 0; b < n / 32; b++) { thread for (int t = 0; t < 32; t++) { d[b * 32 + t] = 1; } }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, d, n);
  gmem_free(d);
}
"""


def test_emitted_code_checks_what_is_behind_a_definition() -> None:
    text = emit_cuda(parse_text(KERNEL, "f.c")).text
    assert '"f: whole(n) does not hold"' in text
    assert "n % 32" in text.split("whole(n) does not hold")[0]
