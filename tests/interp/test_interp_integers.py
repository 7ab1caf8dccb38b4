"""Integers in the interpreter: signed expressions are mathematical, unsigned ones wrap, and a stored value must fit its type."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optigpu.codegen.cuda.entry_checks import requirements
from optigpu.codegen.cuda.statement_printer import CudaExprs
from optigpu.codegen.value_ranges import Ranges
from optigpu.runtime.preconditions import holds, integer_value
from optigpu.syntax.program import For
from tests.support.running import misbehaves, parse, run

INT_MAX = 2**31 - 1
UINT_MAX = 2**32 - 1


@pytest.mark.parametrize(
    ("text", "args", "result"),
    [
        ("int f(int n) { return (n + 31) / 32; }", (INT_MAX,), 2**26),
        ("int f(int n) { return n * 8 / 8; }", (INT_MAX,), INT_MAX),
        ("int f(int n) { return -(-n) ; }", (-(2**31),), -(2**31)),
        ("int f(int n) { return (n << 4) >> 4; }", (INT_MAX,), INT_MAX),
        ("int f(int n) { return abs(n) - 1; }", (-(2**31),), INT_MAX),
        ("int f(int n) { return n + n > n ? 1 : 0; }", (INT_MAX,), 1),
        ("int f(int n) { const int m = n * 2; return m / 4; }", (INT_MAX,), (2**32 - 2) // 4),
        ("unsigned f(unsigned x, unsigned y) { return x + y; }", (UINT_MAX, 3), 2),
        ("unsigned f(unsigned x, unsigned y) { return x - y; }", (1, 3), UINT_MAX - 1),
        ("unsigned f(unsigned x, unsigned y) { return x * y; }", (UINT_MAX, UINT_MAX), 1),
        ("unsigned f(unsigned x) { return x << 4; }", (UINT_MAX,), UINT_MAX - 15),
        ("unsigned f(unsigned x) { return ~x; }", (0,), UINT_MAX),
        ("uint64_t f(uint64_t x, unsigned y) { return x * y + y; }", (2**64 - 1, 2), 0),
        ("uint64_t f(unsigned x) { return x + x; }", (2**31,), 0),
        ("uint64_t f(unsigned x) { return x + (uint64_t)x; }", (2**31,), 2**32),
        ("unsigned f(unsigned x) { unsigned i = x; i -= 4; return i; }", (3,), UINT_MAX),
        ("int f(uint8_t x, uint8_t y) { return x - y; }", (3, 5), -2),
        ("int f(uint8_t x, uint8_t y) { return (uint8_t)(x - y); }", (3, 5), 254),
        ("int f(int x) { return (uint16_t)x; }", (-1,), 65535),
        ("unsigned f(int x) { return (unsigned)x; }", (-1,), UINT_MAX),
        ("uint64_t f(int x) { return (uint64_t)x; }", (-1,), 2**64 - 1),
        ("int f(unsigned x) { return (int)(x / 2u); }", (UINT_MAX,), INT_MAX),
    ],
)
def test_the_value_of_an_expression(text: str, args: tuple[int, ...], result: int) -> None:
    assert run(text, *args)[0] == result


@pytest.mark.parametrize(
    ("text", "bad", "good"),
    [
        # places: a cell, an element, an argument, a result
        ("int f(int n) { int x = n + 1; x = 0; return x; }", INT_MAX, INT_MAX - 1),
        ("int f(int n) { int x = 0; x = n * 2; return 0; }", 2**30, 2**30 - 1),
        ("int f(int n) { int x = n; x += 1; return 0; }", INT_MAX, INT_MAX - 1),
        ("int f(int n) { int a[2]; a[0] = n + 1; return 0; }", INT_MAX, INT_MAX - 1),
        ("int g(int x) { return 0; } int f(int n) { return g(n - 1); }", -(2**31), 1 - 2**31),
        ("int f(int n) { return n - 1; }", -(2**31), 1 - 2**31),
        ("int f(int n) { int8_t x = 1; x += n; return 0; }", 127, 126),
        # conversions that nobody asked for, and those to signed types, keep the value
        ("int f(unsigned x) { const int i = x; return 0; }", 2**31, INT_MAX),
        ("int f(unsigned x) { return (int)x; }", 2**31, INT_MAX),
        ("int f(int n) { const int64_t x = n; return (int)(x * 2); }", 2**30, 2**30 - 1),
        ("int f(int n) { unsigned x = 1u; x += n; return 0; }", -1, 1),
        ("int f(int n) { int x = n; x += 1u; return 0; }", -1, 1),
        ("int f(int n) { return n < 1u ? 0 : 1; }", -1, 1),
        # an index fits in every iteration
        ("int f(int n) { int c = 0; for (unsigned i = 4294967290u; i < 4294967295ll + n; i++) c++; return c; }", 2, 1),
        ("int f(int n) { int c = 0; for (int i = 2147483640; i < 2147483647ll + n; i++) c++; return c; }", 2, 1),
        ("int f(int n) { int c = 0; for (int i = 2147483640; i < n + 1; i += 4) c++; return c; }", None, INT_MAX),
        ("int f(int n) { int c = 0; for (int i = -2147483645; i >= n; i -= 3) c++; return c; }", None, -(2**31)),
        ("int f(int n) { int c = 0; for (int i = 1; i < n; i *= 2) c++; return c; }", None, INT_MAX),
    ],
)
def test_what_is_stored_fits(text: str, bad: int | None, good: int) -> None:
    if bad is not None:
        assert misbehaves(text, bad).code == "OG209"
    run(text, good)


def test_a_last_step_may_leave_the_type() -> None:
    text = "int f(int n) { int c = 0; for (int i = 2147483640; i < n; i += 4) c++; return c; }"
    assert run(text, INT_MAX)[0] == 2


@given(st.integers(), st.sampled_from([8, 16, 32, 64]))
def test_wrap_in_formulas(e: int, bits: int) -> None:
    text = f'int f(int x, int y) {{ __ensures("wrap{bits}(x) == y"); return 0; }}'
    run(text, e, e % 2**bits)
    assert misbehaves(text, e, e % 2**bits + 1).code == "OG212"


@pytest.mark.parametrize(("x", "holds_"), [(-1, False), (256, True), (511, False)])
def test_a_wrap_in_a_precondition_is_evaluated(x: int, holds_: bool) -> None:
    f = parse('#include <optigpu.h>\nint f(int x) { __requires("wrap8(x) == 0"); return 0; }').function("f")
    (item,) = f.contract[0].items
    assert holds(item.body, {"x": x}) is holds_
    assert holds(item.body, {"x": np.array([x, x])}) is holds_
    ((text, condition),), assumed = requirements(f, {})
    assert (text, assumed) == ("wrap8(x) == 0", [])
    assert CudaExprs(False, {}, Ranges()).show(condition) == "(uint8_t)x == 0"


def test_sizes_of_a_launch_wrap_as_in_c() -> None:
    f = parse("void f(unsigned n) { for (unsigned i = 0u; i < n * 2u; i++) { } }").function("f")
    (loop,) = f.body
    assert isinstance(loop, For)
    assert integer_value(loop.range.bound, {"n": 2**31 + 3}) == 6
