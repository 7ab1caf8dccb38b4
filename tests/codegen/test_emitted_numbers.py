"""Integers in emitted CUDA: indices, bounds and arguments have the value and sign that the program computes."""

from __future__ import annotations

import numpy as np
import pytest

from optigpu.check.verify import Settings, Verifier
from tests.evidence.translation import examine
from tests.support.cuda import emitted, kernel_text, on_standin, refused
from tests.support.emitted_programs import BACK, eight, host, launch, one_block


@pytest.mark.parametrize(
    ("loop", "type_"),
    [
        ("int s = n; s >= -2147483647; s -= 5", "long long"),
        ("int s = n; s >= -2147483640; s -= 5", "int"),
        ("int s = 1; s < n; s *= 2", "long long"),
        ("int s = 1; s < n; s <<= 1", "long long"),
        ("int s = 1; s < 1024; s *= 2", "int"),
        ("int s = n; s > 0; s /= 2", "int"),
    ],
)
def test_an_index_that_leaves_32_bits_when_its_loop_ends_has_more(loop: str, type_: str) -> None:
    text = host(launch("1", f"for ({loop}) e[t] = 1.0f;") + BACK)
    assert f"for ({type_} s = " in kernel_text(text)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        ("n * n / c[t]", "long long"),
        ("n / c[t]", "int"),
        ("n * n / (0 - m)", "long long"),
        ("n * n % (m * m)", "long long"),
        ("n % m", "int"),
        ("abs(n * n - m)", "long long"),
        ("abs(t - 4)", "int"),
        ("n * n | 1", "long long"),
        ("n | 1", "int"),
        ("n * n ^ m", "long long"),
        ("(0 - n * n) >> 1", "long long"),
        ("1 << t", "int"),
        ("n << t", "long long"),
    ],
)
def test_a_value_is_not_taken_to_fit_because_its_type_does(value: str, type_: str) -> None:
    text = host(
        launch("1", f"const int x = {value}; e[t] = x;") + BACK + "gmem_free(c);",
        ", int m",
        '__requires("m >= 1"); int* const c = __gmem_malloc1<int>(8);',
    )
    assert f"const {type_} x = " in kernel_text(text)


@pytest.mark.parametrize(("argument", "printed"), [("n * n", "n * n"), ("n", "n"), ("t * 8 + b", "t * 8")])
def test_an_argument_is_proved_to_fit_its_type(argument: str, printed: str) -> None:
    """So that its outermost operation needs no more bits. There is one block, number 0."""
    text = "__device__ float real(int k) { return k; }" + host(launch("1", f"e[t] = real({argument});") + BACK)
    assert f"real({printed})" in kernel_text(text)


def in_kernel(value: str, contract: str = '__requires("u >= 1, u <= 100, v >= 1");') -> str:
    """A value that a thread computes of m, k (int), u, v (unsigned), y (64 bits)."""
    params = ", int m, int k, unsigned u, unsigned v, int64_t y"
    return kernel_text(host(launch("1", f"e[t] = {value};") + BACK, params, contract))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("(int64_t)100000 * n", "(long long)100000 * n"),
        ("(int64_t)100000 * t", "100000 * t"),
        ("(int64_t)1 << (t + 40)", "(long long)1 << (t + 40)"),
        ("(int64_t)1 << n % 63", "(long long)1 << n % 63"),
        ("n + 4294967295", "n + 4294967295LL"),
        ("v * v", "v * v"),
        ("u * u", "u * u"),
        ("(int)v", "(int)v"),
        ("(int)u", "(int)u"),
        ("(int)y", "(int)y"),
        ("(int)(y + y)", "(int)(y + y)"),
        ("(unsigned)(m * k * m)", "(unsigned)((long long)m * k) * m"),
        ("((int)u * 4 - 3) / 4 - 5", "(long long)u - 6"),
        ("((int)u * 4) / 4 < m ? 1.0f : 0.0f", "(long long)u < m ? 1.0f : 0.0f"),
        ("((int)u * 4) / 4 < t ? 1.0f : 0.0f", "u < t ? 1.0f : 0.0f"),
        ("t < 4 ? ((int)u * 4) / 4 : m", "t < 4 ? (long long)u : m"),
        ("v - u", "v - u"),
        ("(v - u) / 2u", "(v - u) / 2"),
        ("-m", "-m"),
        ("-((int)v)", "-(long long)(int)v"),
        ("abs((int)v)", "(((long long)(int)v) < 0 ? -((long long)(int)v) : ((long long)(int)v))"),
        ("m / k", "m / k"),
        ("min(m * k, n)", "min((long long)((long long)m * k), (long long)n)"),
    ],
)
def test_a_thread_computes_with_the_numbers_of_the_program(value: str, text: str) -> None:
    """C++ would compute some of these in 32 bits, or without a sign."""
    contract = '__requires("u >= 1, u <= 100, v >= 1, k != 0");'
    assert f"e[t] = {text};" in in_kernel(value, contract)


@pytest.mark.parametrize(("bound", "refused_"), [("y >= 0", True), ("y >= 0, y <= 10000", False)])
def test_no_number_needs_more_than_64_bits(bound: str, refused_: bool) -> None:
    text = host(launch("1", "e[t] = y * y * m;") + BACK, ", int m, int64_t y", f'__requires("{bound}");')
    assert "OG404" in refused(text) if refused_ else "e[t] = y * y * m;" in kernel_text(text)


def test_what_was_loaded_may_be_the_least_number() -> None:
    """Its opposite does not fit 32 bits."""
    text = host(
        launch("1", "e[t] = -c[t] + abs(c[t]) + c[t] / c[7 - t];") + BACK + "gmem_free(c);",
        contract="int* const c = __gmem_malloc1<int>(8);",
    )
    wide = "(long long)c[t]"
    expected = f"e[t] = -{wide} + (({wide}) < 0 ? -({wide}) : ({wide})) + {wide} / c[7 - t];"
    assert expected in " ".join(kernel_text(text).split())


def test_large_numbers_are_computed_as_the_program_says() -> None:
    values = [
        "(int64_t)100000 * n",
        "(int64_t)1 << (t + 40)",
        "n + 4294967295",
        "u * u",
        "((int)u * 4 - 3) / 4 - 5",
        "-n - n",
    ]
    body = "".join(f"if (t == {i}) e[t] = {v};" for i, v in enumerate(values))
    text = host(launch("1", body) + BACK, ", unsigned u", '__requires("u >= 1, u <= 100000");').replace(
        "float", "double"
    )
    n, u = 2_000_000_000, 99_999
    for u in (99_999, 1):
        h = np.zeros(8)
        on_standin(text, races=False)(n, h, u)
        assert h[:6].tolist() == [100_000 * n, 1 << 41, n + 4294967295, u * u % 2**32, u - 6, -2 * n]


@pytest.mark.parametrize(
    ("loop", "head"),
    [
        ("int s = 1; s < n; s *= 2", "for (long long s = 1; s < n; s *= 2)"),
        ("int s = 1; s < 1024; s *= 2", "for (int s = 1; s < 1024; s *= 2)"),
        ("int s = n; s > 0; s /= 2", "for (int s = n; s > 0; s /= 2)"),
        ("int s = -3; s < ((int)u * 4) / 4; s++", "for (int s = -3; (long long)s < u; ++s)"),
        ("unsigned s = 1; s < v; s *= 2", "for (long long s = 1; s < v; s *= 2)"),
        ("unsigned s = 1; s < u; s *= 2", "for (unsigned s = 1; s < u; s *= 2)"),
    ],
)
def test_loops_of_the_host_end_as_those_of_a_thread(loop: str, head: str) -> None:
    params, contract = ", unsigned u, unsigned v", '__requires("u >= 1, u <= 100, v >= 1");'
    inside = host(launch("1", f"for ({loop}) e[t] = 1.0f;") + BACK, params, contract)
    around = host(f"for ({loop}) {{" + launch("1", "e[t] = 1.0f;") + "}" + BACK, params, contract)
    assert head in kernel_text(inside)
    assert head in emitted(around).text.split("__global__")[1]


@pytest.mark.parametrize(
    ("fact", "check"),
    [
        ("u - v >= 0", "if ((long long)u - v < 0)"),
        ("u - 5 >= 0", "if ((long long)u - 5 < 0)"),
        ("m >= u", "if ((long long)m < u)"),
        ("m * k <= 10", "if ((long long)m * k > 10)"),
        ("u >= 5", "if (u < 5)"),
        ("m >= k", "if (m < k)"),
        ("w <= 9", "if (w > 9)"),
        ("w - 9 <= 0", None),
    ],
)
def test_what_is_required_is_checked_as_a_fact_about_numbers(fact: str, check: str | None) -> None:
    """`u - v < 0` is never true of unsigned numbers in C++."""
    params = ", int m, int k, unsigned u, unsigned v, uint64_t w"
    text = emitted(host(launch("1", "e[t] = 1.0f;") + BACK, params, f'__requires("u <= 100, v <= 100, {fact}");')).text
    assert f"The caller sees to: {fact}" in text if check is None else check in text


def test_a_result_is_proved_to_fit_its_type() -> None:
    f = """__device__ int square(int k) { __requires("k >= 0, k <= 100000"); return k * k; }"""
    assert "return k * k;" in emitted(f + host(launch("1", "e[t] = square(t);") + BACK)).text
    wide = f.replace("k * k", "k * k / 4")
    assert "return (long long)k * k / 4;" in emitted(wide + host(launch("1", "e[t] = square(t);") + BACK)).text


SIGNS = {
    "an index without a sign is an int of the thread": eight("e[t] = t * 600000000;", index="unsigned t"),
    "64 bits without a sign, less than zero": eight(
        "e[t] = ((int64_t)w * 4 - 3) / 4 - 5;", params=", uint64_t w", contract='__requires("w >= 1, w <= 4");'
    ),
    "64 bits without a sign, compared": eight(
        "e[t] = ((int64_t)w * 4) / 4 < t - m ? 1.0 : 0.0;",
        params=", uint64_t w, int m", contract='__requires("w >= 1, w <= 4, m >= 5, m <= 9");',
    ),
    "64 bits without a sign, taken away": eight(
        "e[t] = t - ((int64_t)w * 4) / 4;", params=", uint64_t w", contract='__requires("w >= 1, w <= 4");'
    ),
    "a quotient in place": eight(
        "int s = t - 8; s /= ((int)u * 4) / 4; e[t] = s;", params=", unsigned u", contract='__requires("u >= 1, u <= 4");'
    ),
    "a remainder in place": eight(
        "int s = t - 8; s %= ((int)u * 4) / 4; e[t] = s;", params=", unsigned u", contract='__requires("u >= 3, u <= 4");'
    ),
    "the greatest of two numbers, one without a sign": eight(
        "const unsigned x = t * 500000000; e[t] = max(x, t) / 2;", index="unsigned t"
    ),
    "a constant of 64 bits without a sign": eight(
        "e[t] = w < (uint64_t)9223372036854775807 + 5 ? 1.0 : 2.0;", params=", uint64_t w"
    ),
    "a size of an array of which nothing is said": eight(
        "double r[8]; e[t] = g(t - 3, r);", pre="__device__ double g(int n, double a[n]) { return n >= 0 ? 1.0 : 2.0; }\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNS)
def test_numbers_keep_their_signs(name: str) -> None:
    assert examine("#include <optigpu.h>\n" + SIGNS[name], Verifier(Settings(unbounded=True)), 1) == ("agrees", "")


@pytest.mark.parametrize(("bound", "wide"), [("w <= 100", "long long"), ("w >= 5", "__int128")])
def test_no_comparison_loses_a_sign(bound: str, wide: str) -> None:
    text = eight(
        "e[t] = ((int64_t)w * 4) / 4 < m ? 1.0 : 0.0;",
        params=", uint64_t w, int m", contract=f'__requires("{bound}");',
    )  # fmt: skip
    assert f"({wide})w < m" in kernel_text(text)


@pytest.mark.parametrize("bound", ["n * n + 2", "n + 2"])
def test_the_index_of_a_host_loop_reaches_the_kernel_whole(bound: str) -> None:
    """In each iteration it is proved to fit its type; it may leave that when the loop ends."""
    type_ = "int"
    loop = f"for (int i = n; i < {bound}; i++) {{" + launch("1", "e[t] = i;") + "}" + BACK
    text = host(loop, contract='__requires("n >= 1, n <= 2000000000");')
    assert f"f_kernel({type_} i, " in kernel_text(text)
    assert f"launch_f_kernel({type_} i, " in emitted(text).text
    assert ("for (long long i" in emitted(text).text) is (bound == "n * n + 2")


# (parameters, type of b, what a thread does, contract, arguments, what b[255] is): natural readings of ranges that were wrong
WIDE = {
    "cast of a difference": ("int x", "uint64_t", "d[t] = (uint64_t)(x - t);", "", (-(2**31),), 2**64 - 2**31 - 255),
    "constants put together": (
        "uint64_t u", "uint64_t", "const uint64_t v = u / 2u * 2u; d[t] = v + 1u + 5u;", "", (2**40,), 2**40 + 6,
    ),
    "a local that hides a parameter": (
        "int n, unsigned u", "unsigned", "const unsigned n = u; d[t] = (n + 2000000000u) / 2u;", "",
        (1, 2**32 - 10), 999999995,
    ),
    "an index helper in a condition": (
        "int h, int w, int r", "int", "d[t] = MINDEX2(h, w, r, 7) < 3000000000 ? 1 : 0;",
        '__requires("0 <= r && r < h, 7 < w");', (100000, 100000, 99999), 0,
    ),
    "wrapping around is no reason to refuse an argument": (
        "int n", "unsigned", "d[t] = (unsigned)n + 2147484000u;", '__requires("n >= 0");', (2**31 - 1,), 351,
    ),
    "remainders in place": (
        "int x, int y", "int", "int z = x; z %= y; d[t] = z;", '__requires("y == -1");', (-(2**31), -1), 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE)
def test_numbers_are_no_smaller_than_they_are(name: str) -> None:
    params, type_, body, contract, args, last = WIDE[name]
    out = np.full(256, 77, {"int": "i4", "unsigned": "u4"}.get(type_, type_.removesuffix("_t")))
    on_standin(one_block(params, type_, body, contract))(*args, out)
    assert out[255] == last


@pytest.mark.parametrize(
    ("params", "fact"), [("int n, int m, int k", "n * m * k <= 9"), ("int64_t n, int64_t m", "n * m <= 9")]
)
def test_a_fact_that_needs_more_than_64_bits_is_left_to_the_caller(params: str, fact: str) -> None:
    text = emitted(one_block(params, "int", "d[t] = 1;", f'__requires("{fact}");')).text
    assert f"// The caller sees to: {fact}\n" in text
    assert f"{fact} does not hold" not in text
    narrow = emitted(one_block("int n, int m", "int", "d[t] = 1;", '__requires("n * m <= 9");')).text
    assert "n * m <= 9 does not hold" in narrow


ROWS_BY_ONE_INDEX = """
void f(int n, int m, float a[n][m]) {
  __requires("n >= 0, m > 0, n * m <= 1000000");
  __consumes("a ~> Cells2(n, m)"); __produces("a ~> Cells2(n, m)");
  float* const d = __gmem_malloc2<float>(n, m);
  kernel_launch(n * m, 1, 0);
  kernel_setup_end();
  thread for (int t = 0; t < n * m; t++) { d[ROW][COL] = 1.0f * t; }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(a, d, n, m);
  gmem_free(d);
}"""


def test_a_quotient_and_a_remainder_by_the_length_of_a_row_are_one_index() -> None:
    text = ROWS_BY_ONE_INDEX.replace("ROW", "t / m").replace("COL", "t % m")
    assert "d[t] =" in kernel_text(text)
    a = np.full((3, 5), np.nan, np.float32)
    on_standin(text)(a=a)
    assert (a == np.arange(15).reshape(3, 5)).all()


@pytest.mark.parametrize("row, col", [("t / n", "t % n"), ("t / m", "t % n"), ("t / m", "(t + 1) % m")])
def test_other_quotients_stay(row: str, col: str) -> None:
    assert "%" in kernel_text(ROWS_BY_ONE_INDEX.replace("ROW", row).replace("COL", col))
