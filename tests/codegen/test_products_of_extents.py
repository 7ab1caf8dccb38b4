"""Products of many extents: grids of four and more loops, flattened loops, and what an entry point refuses."""

from __future__ import annotations

import re
from math import prod

import numpy as np
import pytest

from optigpu.check.verify import Verifier
from optigpu.codegen.c import emit_c
from optigpu.codegen.launch_plan import PlanProduct
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.launching import Launcher
from optigpu.runtime.signature import signature_of
from optigpu.syntax.diagnostic import InputError
from tests.support.cuda import emitted, kernel_text, on_standin, one_kernel, parsed
from tests.support.running import parse

NAMES = "abcdefgh"


def nested(rank: int) -> str:
    """A kernel that doubles an array of several dimensions, with a thread loop for each."""
    names = NAMES[:rank]
    sizes = ", ".join(f"n{x}" for x in names)
    cell = f"MINDEX{rank}({sizes}, {', '.join(names[:-1])}, k * 32 + t)"
    loops = "".join(f"thread for (int {x} = 0; {x} < n{x}; {x}++) " for x in names[:-1])
    last = f"(n{names[-1]} + 31) / 32"
    dims = "".join(f"[n{x}]" for x in names)
    of = " ".join(names)
    return f"""#include <optigpu.h>
void f({", ".join(f"int n{x}" for x in names)}, float x{dims}) {{
  __requires("X: {" * ".join(["int"] * rank)} -> float");
  __consumes("x ~> Matrix{rank}({sizes}, X)");
  __produces("x ~> Matrix{rank}({sizes}, fun {of} -> 2.0f * X({", ".join(names)}))");
  float* const dev = __gmem_malloc{rank}<float>({sizes});
  memcpy_host_to_device{rank}(dev, x, {sizes});
  kernel_launch({" * ".join(f"n{x}" for x in names[:-1])} * ({last}), 32, 0);
  kernel_setup_end();
  {loops}
    thread for (int k = 0; k < {last}; k++)
      thread for (int t = 0; t < 32; t++)
        if (k * 32 + t < n{names[-1]}) dev[{cell}] = 2.0f * dev[{cell}];
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host{rank}(x, dev, {sizes});
  gmem_free(dev);
}}
"""


@pytest.mark.parametrize("rank", [4, 5, 8])
def test_a_grid_of_many_extents_is_verified_and_runs(rank: int) -> None:
    text = nested(rank)
    assert Verifier().verify(parsed(text)).verified
    shape = (2, 3, 1, 2, 1, 2, 2, 33)[-rank:]
    x = np.arange(prod(shape), dtype=np.float32).reshape(shape)
    want = 2 * x
    on_standin(text)(x)
    assert (x == want).all()


@pytest.mark.parametrize("rank", [4, 8])
def test_the_indices_of_a_grid_of_many_extents_are_divided_in_32_bits(rank: int) -> None:
    kernel = kernel_text(nested(rank))
    assert "long long" not in kernel.split("if (")[0]
    assert "__int128" not in kernel


def inner_parts(rank: int) -> str:
    """The same kernel for extents that are differences, as those of a convolution are."""
    text = re.sub(r"(?<!int )\b(n[a-h])\b", r"(\1 - 2)", nested(rank))
    return text.replace('__requires("X', f'__requires("{", ".join(f"n{x} >= 2" for x in NAMES[:rank])}, X')


def test_extents_that_are_differences_are_divided_by_in_32_bits() -> None:
    text = inner_parts(4)
    assert Verifier().verify(parsed(text)).verified
    indices = [line for line in kernel_text(text).splitlines() if "blockIdx" in line]
    assert len(indices) == 4 and not any("__int128" in line for line in indices)
    assert "(unsigned)" in indices[0]
    for shape in ((2, 3, 2, 33), (1, 1, 1, 1), (3, 0, 2, 5), (0, 1, 1, 1)):
        x = np.arange(prod(shape), dtype=np.float32).reshape(shape)
        want = 2 * x
        on_standin(text)(*(n + 2 for n in shape), x)
        assert (x == want).all()


@pytest.mark.parametrize("rank", [4, 8])
def test_a_product_of_extents_that_does_not_fit_is_refused_before_the_launch(rank: int) -> None:
    unit = emitted(nested(rank))
    assert unit.plan is not None
    products = [p for p in unit.plan if isinstance(p, PlanProduct)]
    assert products
    for p in products:
        assert f"f: {p.text} is too large for 64-bit indices" in unit.text
    program = parsed(nested(rank))
    f = program.function("f")
    launcher = Launcher(signature_of(f, effective_types(f)), unit.plan, b"")
    for p in products:
        fitting = dict.fromkeys(NAMES[:rank], 1) | {p.names[0][1:]: p.most >> 30, p.names[1][1:]: 1 << 30}
        launcher.arguments([*fitting.values(), 0])
        with pytest.raises(CallError, match="too large for 64-bit indices"):
            launcher.arguments([*(2 * n for n in fitting.values()), 0])


def test_a_grid_that_the_hardware_has_no_room_for_is_refused_at_its_launch() -> None:
    assert 'if (blocks > 2147483647) return "f_kernel: the grid would have more than' in emitted(nested(4)).text


def test_a_device_function_computes_products_that_need_more_than_64_bits() -> None:
    function = "__device__ int g(int a, int b, int c) { return a * b * c > 4611686018427387904 ? 1 : 0; }\n"
    text = function + one_kernel(
        "thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) d[b][t] = g(B, B, t);"
    )
    assert "(__int128)((long long)a * b) * c > 4611686018427387904LL" in emitted(text).text
    h = np.zeros((3, 8), np.float32)
    on_standin(text)(h)
    assert not h.any()


def test_a_launch_names_the_place_and_the_bound_that_is_missing() -> None:
    text = one_kernel("thread for (int64_t u = 0; u < B; u++) thread for (int t = 0; t < 8; t++) { d[u][t] = K; }")
    text = text.replace("K", "p * q * r > 5 ? 1.0f : 2.0f").replace("int B,", "int64_t p, int64_t q, int64_t r, int B,")
    with pytest.raises(InputError) as refused:
        emitted(text)
    found = refused.value.diagnostic
    assert (found.code, found.loc.line) == ("OG404", 1 + text[: text.index("p * q * r")].count("\n"))
    assert "__requires" in (found.help or "")
    bounded = text.replace('__requires("A:', '__requires("p >= 0, q >= 0, r >= 0, p * q * r <= 1000, A:')
    assert "p * q * r" in kernel_text(bounded)
    assert "__int128" not in kernel_text(bounded)


def test_a_flattened_loop_of_five_extents_in_c() -> None:
    text = """#include <optigpu.h>
void f(int n, int c, int d, int h, int w, int64_t y[n * c * d * h * w]) {
  __requires("n >= 1, c >= 1, d >= 1, h >= 1, w >= 1");
  __writes("y ~> Cells1(n * c * d * h * w)");
  for (int64_t i = 0; i < n * c * d * h * w; i++) y[i] = i / (c * d * h * w) + i % w;
}"""
    program = parse(text)
    c = emit_c(program)
    assert "__int128" not in c
    y = np.zeros(2 * 3 * 2 * 2 * 3, np.int64)
    f = program.function("f")
    CFunction(c, signature_of(f, effective_types(f)))(2, 3, 2, 2, 3, y)
    i = np.arange(y.size)
    assert (y == i // 36 + i % 3).all()
