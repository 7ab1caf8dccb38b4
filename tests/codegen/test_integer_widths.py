"""Emitted C and CUDA compute integers as the interpreter does: mathematical where signed, modulo 2^bits where unsigned."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.runner import Runner
from optigpu.runtime.compilers import c_compiler
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.source import NOWHERE
from tests.support.cuda import on_standin
from tests.support.random_integers import PARAMS, arguments, function, literal
from tests.support.running import parse, run

INCLUDE = "#include <optigpu.h>\n"
HELD = '__writes("a ~> Cells1(n)");'
INT_MAX = 2**31 - 1
UINT_MAX = 2**32 - 1
TRAPS = ("-O0", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error")

# Texts of functions of integers, with arguments at which a width matters
CASES: list[tuple[str, tuple[int, ...]]] = [
    ("int f(int n) { return (n + 31) / 32; }", (INT_MAX,)),
    ("int f(int n) { const int m = n * 2; return m / 4; }", (INT_MAX,)),
    ("int f(int n) { int m = n * 2; return m / 4; }", (INT_MAX,)),
    ("int f(int a, int b) { return (a + b) / 2; }", (INT_MAX, INT_MAX)),
    ("int f(int a, int b) { return a % b; }", (-(2**31), -1)),
    ("int f(int a) { return abs(a) - 1; }", (-(2**31),)),
    ("int f(int a, int b) { return (a < 0 ? -a : a) / b; }", (-(2**31), 2)),
    ("int64_t f(int a, int b) { return a * b; }", (INT_MAX, INT_MAX)),
    ("int64_t f(int64_t a, int64_t b, int64_t c) { return a + b - c; }", (2**63 - 1, 2**63 - 1, 2**63 - 1)),
    ("unsigned f(unsigned x, unsigned y) { return x + y * 3 - 7; }", (UINT_MAX, UINT_MAX)),
    ("unsigned f(unsigned x) { return x << 5; }", (UINT_MAX,)),
    ("unsigned f(int a, int b, int c) { return (unsigned)(a * b * c); }", (INT_MAX, -(2**31), INT_MAX)),
    ("int f(int x) { return (uint8_t)(x * x * x * x); }", (INT_MAX,)),
    ("int f(unsigned i, unsigned k) { return i + k < 10 ? 1 : 0; }", (UINT_MAX, 3)),
    ("int f(unsigned x) { const int i = x; return i - 1; }", (INT_MAX,)),
    ("unsigned f(unsigned x) { return -x; }", (1,)),
    ("uint64_t f(int64_t a, int64_t b) { return (uint64_t)(-(-(a * b))); }", (2**63 - 1, 2**63 - 1)),
    ("uint64_t f(int b) { return (uint64_t)(b - 5); }", (-1,)),
    ("uint64_t f(int a, int b) { return (uint64_t)(a * 2 - b); }", (INT_MAX, -(2**31))),
    ("uint64_t f(int a, int b) { return (uint64_t)(a + 1) * (uint64_t)b; }", (INT_MAX, 7)),
    ("int f(int a, int y) { int x = a; x %= y; return x; }", (-(2**31), -1)),
    ("int64_t f(int64_t a, int64_t y) { int64_t x = a; x %= y; return x; }", (-(2**63), -1)),
    ("int64_t f(int h, int w, int i) { return MINDEX2(h, w, i, 5); }", (65536, 65536, 65535)),
    ("int f(int h, int w, int i) { return MINDEX2(h, w, i, 5) < 3000000000 ? 1 : 0; }", (65536, 65536, 65535)),
    ("int64_t f(unsigned u) { return (int64_t)(MINDEX1(u, u) - 1u); }", (0,)),
    ("uint64_t f(uint64_t n) { return MSIZE2(n, n) / 3; }", (2**32 + 5,)),
    ("uint64_t f(unsigned x, unsigned y) { return x * y; }", (UINT_MAX, UINT_MAX)),
    ("uint64_t f(unsigned x, unsigned y) { return (uint64_t)x * y; }", (UINT_MAX, UINT_MAX)),
    ("uint64_t f(uint64_t x, unsigned y) { return x * y + (x - 1); }", (2**64 - 1, UINT_MAX)),
    ("uint64_t f(int x) { return (uint64_t)x; }", (-5,)),
    ("int f(uint8_t x, uint8_t y) { return x - y; }", (3, 255)),
    ("int f(uint8_t x, uint8_t y) { return x * y * 1000; }", (255, 255)),
    ("int f(uint16_t x, uint16_t y) { return (uint16_t)(x * y); }", (65535, 65535)),
    ("int64_t f(uint16_t x, uint16_t y) { return x * y; }", (65535, 65535)),
    ("int8_t f(int8_t x, int8_t y) { return x / y * y; }", (-128, -1)),
    ("int f(int a, unsigned u) { int x = a; x /= 3; x -= 5; return x + (int)u; }", (-100, 200)),
    ("uint64_t f(uint64_t a) { uint64_t x = a; x *= 3; x -= 1u; x <<= 3; return x >> 2; }", (2**64 - 1,)),
    ("int64_t f(int64_t a, int64_t b) { return a % b + 5; }", (-(2**63), -1)),
    ("int64_t f(int64_t a, int64_t b) { return a % b + 5; }", (-(2**63), 10)),
    ("uint64_t f(int64_t a) { return abs(a) - 1; }", (-(2**63),)),
    ("int f(int64_t a) { return abs(a) > 5 ? 1 : 0; }", (-(2**63),)),
    ("int64_t f(int64_t a) { return abs(a); }", (1 - 2**63,)),
    # loops whose last step leaves the type
    ("int f(int n) { int c = 0; for (int i = 2147483640; i < n; i += 4) c++; return c; }", (INT_MAX,)),
    ("int f(int n) { int c = 0; for (int i = 2147483640; i <= n; i++) c++; return c; }", (INT_MAX,)),
    ("int f(int n) { int c = 0; for (int i = -2147483640; i >= n; i--) c++; return c; }", (-(2**31),)),
    ("int f(int n) { int c = 0; for (int i = 1; i < n; i *= 2) c++; return c; }", (INT_MAX,)),
    ("int f(int n) { int c = 0; for (int i = 1; i < n; i <<= 3) c++; return c; }", (INT_MAX,)),
    ("int f(unsigned n) { int c = 0; for (unsigned i = 4294967290u; i < n; i += 4u) c++; return c; }", (UINT_MAX,)),
    ("int f(int n) { int c = 0; for (int i = n; i < n + 3; i++) c++; return c; }", (INT_MAX - 2,)),
    # tiles of a loop to n = 2^31 - 1: the last of them
    (
        "int f(int n) { int c = 0; const int last = (n + 99) / 100 - 1;"
        " for (int i = 0; i < 100; i++) if (last * 100 + i < n) c++; return c; }",
        (INT_MAX,),
    ),
    (
        "int f(int n) { int c = 0; for (int t = 21474830; t < (n + 99) / 100; t++)"
        " for (int i = 0; i < 100; i++) if (t * 100 + i < n) c++; return c; }",
        (INT_MAX,),
    ),
]


@pytest.mark.parametrize(("text", "args"), CASES, ids=[c[0] for c in CASES])
def test_c_computes_what_the_program_means(text: str, args: tuple[int, ...]) -> None:
    program = parse(INCLUDE + text)
    f = program.function("f")
    compiled = CFunction(emit_c(program), signature_of(f, effective_types(f)))
    assert compiled(*args) == run(INCLUDE + text, *args)[0]


def test_an_openmp_loop_counts_beyond_its_type() -> None:
    text = """
void f(int n, int y[2]) {
  __writes("y ~> Cells1(2)");
  #pragma omp parallel for
  for (int i = 2147483640; i < n; i += 4) y[(i - 2147483640) / 4] = i / 4;
}"""
    program = parse(INCLUDE + text)
    f = program.function("f")
    assert "for (int64_t i = 2147483640; i < n; i += 4)" in emit_c(program)
    y = np.zeros(2, np.int32)
    CFunction(emit_c(program), signature_of(f, effective_types(f)))(INT_MAX, y)
    assert list(y) == [2147483640 // 4, 2147483644 // 4]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = 1; }", "for (int i = 0; i < n; i++) {"),
        ("void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = i * 2; }", "a[i] = i * 2;"),
        ("void f(int n, int a[n]) { for (int i = 0; i < n - 1; i++) a[i + 1] = a[i] + 1; }", "a[i + 1] = a[i] + 1;"),
        (
            "void f(int n, int a[n]) { " + HELD + " for (int i = n - 1; i >= 0; i--) a[i] = a[n - 1 - i]; }",
            "for (int i = n - 1; i >= 0; i--) {\n    a[i] = a[n - 1 - i];",
        ),
        ("void f(unsigned n, int a[n]) { for (unsigned i = 0; i < n; i++) a[i] = 1; }", "for (unsigned i = 0; i < n;"),
        ("unsigned f(unsigned x, unsigned y) { return x * y + 1; }", "return x * y + 1;"),
        ("int f(int a, int b) { return a + b; }", "return a + b;"),
        ("int f(int a, int b) { int x = a + b; x = a * x; return x; }", "x = a * x;"),
        ("int64_t f(int64_t a, int64_t b) { return a * b; }", "return a * b;"),
        # and where it would not do
        ("int64_t f(int a, int b) { return a + b; }", "return (int64_t)a + b;"),
        ("int f(int a, int b) { return a + b > 0 ? 1 : 0; }", "return (int64_t)a + b > 0 ? 1 : 0;"),
        ("int f(int n) { int m = n * 2; return m / 2; }", "int64_t m = (int64_t)n * 2;"),
        ("void f(int n, int a[n]) { for (int i = 0; i < n; i += 2) a[i] = 1; }", "for (int64_t i = 0; i < n; i += 2)"),
    ],
)
def test_text_is_as_plain_as_the_ranges_allow(text: str, line: str) -> None:
    assert line in emit_c(parse(INCLUDE + text))


def test_a_constant_is_not_taken_to_fit_because_its_type_is_wider() -> None:
    text = "int64_t f(int a, int b, int c) { const int64_t p = a * b * c; return p / (b * c); }"
    assert "const __int128 p = (__int128)((int64_t)a * b) * c;" in emit_c(parse(text))
    assert "const int64_t p = (int64_t)a * b;" in emit_c(parse(text.replace(" * c", "").replace("(b)", "b")))


def test_a_number_that_may_need_more_than_64_bits_has_128() -> None:
    text = "int f(int64_t a, int64_t b) { return a * b > 5 ? 1 : 0; }"
    assert "(__int128)a * b > 5" in emit_c(parse(text))
    bounded = '__requires("a >= 0"); __requires("a <= 9"); __requires("b >= 0"); __requires("b <= 9");'
    assert "return a * b > 5" in emit_c(parse(INCLUDE + text.replace("{ ", "{ " + bounded)))


def test_a_number_that_may_need_more_than_128_bits_is_refused_at_its_place() -> None:
    with pytest.raises(InputError) as refused:
        emit_c(parse("int f(int64_t a, int64_t b, int c) {\n  return a * b * c > 5 ? 1 : 0;\n}"))
    found = refused.value.diagnostic
    assert (found.code, found.loc.line, found.loc.column) == ("OG404", 2, 10)
    assert "a * b * c" in found.message
    assert "__requires" in (found.help or "")


def defined_calls(seed: int, count: int) -> list[tuple[str, str, list[int], int, str]]:
    """Random functions with arguments at which the interpreter computes a result: text, result type, arguments, result, C."""
    rng = Random(seed)
    out: list[tuple[str, str, list[int], int, str]] = []
    for k in range(count):
        text = function(rng, f"f{k}")
        try:
            program = parse_text(INCLUDE + text)
            c = emit_c(program)
        except InputError as e:
            assert e.diagnostic.code in ("OG404", "OG102", "OG103"), e
            continue
        runner = Runner(program)
        for _ in range(12):
            args = arguments(rng)
            try:
                result = runner.start().call(f"f{k}", args, NOWHERE)
            except Misbehaviour:
                continue
            out.append((text, text.split()[0], args, result, c))
    return out


@pytest.mark.parametrize("seed", range(3))
def test_random_functions_in_c(seed: int, tmp_path: Path) -> None:
    calls = defined_calls(seed, 250)
    assert len({t for t, *_ in calls}) > 40
    names = {t: t.split("(")[0].split()[1] for t, *_ in calls}
    texts = {names[t]: c.replace("#include <stdint.h>", "").replace("#include <stdbool.h>", "") for t, *_, c in calls}
    lines = [
        f'  printf("%d\\n", {names[t]}({", ".join(map(literal, args, PARAMS.values()))}) == ({r}){literal(result, r)});'
        for t, r, args, result, _ in calls
    ]
    source = tmp_path / "all.c"
    head = "#include <stdint.h>\n#include <stdio.h>\n#include <stdbool.h>\n"
    source.write_text(head + "\n".join(texts.values()) + "\nint main(void) {\n" + "\n".join(lines) + "\n}\n")
    for flags in (TRAPS, ("-O2",)):
        command = [c_compiler() or "cc", "-std=c11", "-w", *flags, "-o", str(tmp_path / "all"), str(source)]
        subprocess.run(command, check=True)
        done = subprocess.run([str(tmp_path / "all")], capture_output=True, text=True, check=False)
        results = done.stdout.split()
        wrong = [call for call, same in zip(calls, results) if same != "1"]
        assert not wrong, wrong[0]
        assert done.returncode == 0, f"undefined: {calls[len(results)]}"


KERNEL = """
void f({params}, uint64_t h[{count}]) {{
  __writes("h ~> Cells1({count})");
  uint64_t* const on_gpu = __gmem_malloc1<uint64_t>({count});
  kernel_launch(1, 1, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 1; t++) {{ {stores} }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, on_gpu, {count});
  gmem_free(on_gpu);
}}
"""


@pytest.mark.parametrize("inline", [False, True], ids=["device functions", "in the kernel"])
def test_random_functions_in_a_kernel(inline: bool) -> None:
    calls = defined_calls(100 + inline, 250)
    rng = Random(7)
    texts = {t for t, *_ in calls if not inline or t.count(";") == 1}
    for values in [arguments(rng) for _ in range(3)]:
        functions, stores, results = [], [], []
        for text in sorted(texts):
            try:
                results.append(run(INCLUDE + text, *values)[0] % 2**64)
            except Misbehaviour:
                continue
            name, k = text.split("(")[0].split()[1], len(stores)
            functions.append(f"__device__ {text}\n")
            value = text[text.index("return ") + 7 : text.rindex(";")] if inline else f"{name}({', '.join(PARAMS)})"
            stores.append(f"on_gpu[{k}] = (uint64_t)({value});")
        assert len(stores) >= 6
        params = ", ".join(f"{t} {n}" for n, t in PARAMS.items())
        kernel = KERNEL.format(params=params, count=len(stores), stores=" ".join(stores))
        h = np.zeros(len(stores), np.uint64)
        on_standin(INCLUDE + ("" if inline else "".join(functions)) + kernel, races=False)(*values, h)
        wrong = [(f, have, want) for f, have, want in zip(functions, map(int, h), results) if have != want]
        assert not wrong, (wrong[0], values)
