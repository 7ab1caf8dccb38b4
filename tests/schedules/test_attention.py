"""`schedules.attention`: scores, softmax and sums of values in one kernel, for any number of rows and keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.runtime.cuda import CudaFunction
from optigpu.schedules import attention
from optigpu.syntax.diagnostic import InputError
from tests.support.cuda import emitted, on_standin
from tests.support.tiles import as_floats, filled, stored, unset

# No name is one that a schedule has as a default. KEYS: how many keys row x has; WIDTH: of queries and keys, OUT: of values.
ATTENTION = """#include <optigpu.h>
void weigh(int count, int n, int m, TYPE ask[count][n][WIDTH], TYPE find[count][m][WIDTH], TYPE take[count][m][OUT],
           TYPE res[count][n][OUT]) {
  __requires("Q: int * int * int -> float, K: int * int * int -> float, V: int * int * int -> float, 1 <= m, CONDITION");
  __reads("ask ~> Matrix3(count, n, WIDTH, Q), find ~> Matrix3(count, m, WIDTH, K), take ~> Matrix3(count, m, OUT, V)");
  __writes("res ~> Matrix3(count, n, OUT, fun h x z -> "
           "Sum(y in 0..KEYS, exp(Sum(u in 0..WIDTH, Q(h, x, u) * K(h, y, u)) / 8) * V(h, y, z)) / "
           "Sum(y in 0..KEYS, exp(Sum(u in 0..WIDTH, Q(h, x, u) * K(h, y, u)) / 8)))");
  for (int h = 0; h < count; h++) {
    for (int x = 0; x < n; x++) {
      float* const score = MALLOC1(float, KEYS);
      for (int y = 0; y < KEYS; y++) {
        float p = 0.0f;
        for (int u = 0; u < WIDTH; u++) {
          p += ask[h][x][u] * find[h][y][u];
        }
        score[y] = p / 8.0f;
      }
      float top = score[0];
      for (int y = 1; y < KEYS; y++) {
        top = fmaxf(top, score[y]);
      }
      float all = 0.0f;
      for (int y = 0; y < KEYS; y++) {
        all += expf(score[y] - top);
      }
      for (int z = 0; z < OUT; z++) {
        float w = 0.0f;
        for (int y = 0; y < KEYS; y++) {
          w += expf(score[y] - top) * take[h][y][z];
        }
        res[h][x][z] = w / all;
      }
      free(score);
    }
  }
}
"""
WHOLE = {"KEYS": "m", "CONDITION": "1 <= n"}
CAUSAL = {"KEYS": "x + 1", "CONDITION": "n <= m"}


def program(elem: str, width: int, out: int, keys: dict[str, str]) -> str:
    return filled(ATTENTION, TYPE=elem, WIDTH=width, OUT=out, **keys)


def scheduled(text: str, **options: Any) -> og.Script:
    s = og.Script(parse_text(text, "f.c"))
    attention(s, **options)
    assert s.result.verified and not s.result.assumptions and len(s.steps) == 2
    return s


def weighed(
    ask: NDArray[np.float64], find: NDArray[np.float64], take: NDArray[np.float64], causal: bool
) -> NDArray[np.float64]:
    score = np.einsum("hxu,hyu->hxy", ask, find) / 8
    if causal:
        score = np.where(np.tril(np.ones(score.shape[1:], bool)), score, -np.inf)
    weights = np.exp(score - score.max(axis=2, keepdims=True))
    return np.asarray(np.einsum("hxy,hyz->hxz", weights, take) / weights.sum(axis=2, keepdims=True))


def assert_weighs(
    f: CudaFunction, elem: str, width: int, out: int, causal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right for tiles that are not full, by both forms of the kernel in turns."""
    tolerance = {"float": 1e-5, "bf16": 2e-2}[elem]
    for call, (count, n, m) in enumerate(((1, 1, 1), (1, 70, 70), (2, 33, 67), (0, 3, 3))):
        monkeypatch.setenv("OPTIGPU_STANDIN_CAPABILITY", str(8 + call % 2))
        rng = np.random.default_rng(n)
        sizes = ((count, n, width), (count, m, width), (count, m, out))
        numbers = [stored(elem, 2 * rng.standard_normal(shape).astype(np.float32)) for shape in sizes]
        result = unset(elem, count, n, out)
        f(*numbers, result)
        ask, find, take = (as_floats(elem, x) for x in numbers)
        wanted = weighed(ask, find, take, causal)
        assert np.allclose(as_floats(elem, result), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("causal", [pytest.param(False, marks=pytest.mark.slow), True])
def test_numbers_of_16_bits_are_multiplied_by_tensor_cores(causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    width, out, keys = (64, 64, 64) if causal else (64, 32, 32)
    s = scheduled(program("bf16", width, out, CAUSAL if causal else WHOLE), rows=64, keys=keys)
    text = s.text()
    assert text.count("kernel_launch(") == 1 and "#pragma pipeline 2" in text and "mma_nt(" in text
    assert "frag_row_max(" in text and "__expf(" in text and "_kernel_bulk<<<" in emitted(text).text
    assert_weighs(on_standin(s.program), "bf16", width, out, causal, monkeypatch)


@pytest.mark.parametrize("causal", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_floats_are_multiplied_by_their_cores(causal: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    s = scheduled(program("float", 64, 64, CAUSAL if causal else WHOLE), rows=32, keys=32 if causal else 16, stages=3)
    text = s.text()
    assert text.count("kernel_launch(") == 1 and "#pragma pipeline 3" in text and "mma" not in text
    assert "frag_row_max(" in text and "expf(" in text and "__expf(" not in text
    f = on_standin(s.program)
    assert_weighs(f, "float", 64, 64, causal, monkeypatch)
    if not causal:
        assert_no_overflow(f)


def assert_no_overflow(f: CudaFunction) -> None:
    """Scores are relative to the greatest one of a row so far, also where that one comes last."""
    ask, find = np.ones((1, 3, 64), np.float32), np.ones((1, 40, 64), np.float32)
    take = np.random.default_rng(1).standard_normal((1, 40, 64)).astype(np.float32)
    for factor in (100.0, -100.0):
        find[0] = factor * np.arange(40)[:, None]
        result = unset("float", 1, 3, 64)
        f(ask, find, take, result)
        assert np.allclose(result, take[:, [39 if factor > 0 else 0]], rtol=1e-6)


# The reading does not depend on what a contract promises.
BASE = program("float", 16, 16, WHOLE).replace(
    program("float", 16, 16, WHOLE).split("  __writes(")[1].split(");\n  for")[0], '"res ~> Cells3(count, n, 16)"'
)
SCORES, SUMS, LOOP = (
    "score[y] = p / 8.0f;",
    "w += expf(score[y] - top) * take[h][y][z];",
    "  for (int h = 0; h < count; h++) {\n",
)
STORE = "res[h][x][z] = w / all;"
FILLED = (
    "  for (int h = 0; h < count; h++) for (int x = 0; x < n; x++) for (int z = 0; z < 16; z++) res[h][x][z] = 0.0f;\n"
)
UNFIT = {
    "the program has 2 outermost loops": (LOOP, FILLED + LOOP),
    "the iterations of the loop over `h` depend on each other": (LOOP, f"  float kept = 0.0f;\n{LOOP}    kept += 1.0f;\n"),
    "there are 0 sums of products of an element of the row and one of a key": ("* find[h][y][u];", "* find[h][y][0];"),
    "what is computed of `p` is not stored as the one score of a key": (SCORES, f"{SCORES} score[y] = p / 8.0f;"),
    "the score depends on `old`": (SCORES, "const float old = ask[h][x][0]; score[y] = p / 8.0f + old;"),
    "the results of a row are not written in one loop": (
        STORE, f"{STORE} }} for (int z = 0; z < 16; z++) {{ res[h][x][z] *= 2.0f;",
    ),
    "there are 0 arrays whose elements depend on a key and on `z`": (SUMS, SUMS.replace("take[h][y][z]", "take[h][0][z]")),
    "there are 2 arrays whose elements depend on a key and on `z`": (SUMS, SUMS.replace(";", " * find[h][y][z];")),
    "a loop does not count up from 0": ("for (int u = 0;", "for (int u = 1;"),
    "the numbers of iterations of `u` and `z` are not numbers": ("u < 16;", "u < (n < 16 ? n : 16);"),
    "queries, keys and values are numbers of different types": ("float take[", "half take["),
    "`y` is no index of `find`": ("* find[h][y][u];", "* find[h][m - 1 - y][u];"),
}  # fmt: skip


def refused(text: str, **options: Any) -> tuple[str, str]:
    """The code and message of the schedule, which leaves the program as it is."""
    s = og.Script(parse_text(text, "f.c"))
    with pytest.raises(InputError) as e:
        attention(s, **options)
    assert len(s.steps) == 1 and s.program == s.original
    return e.value.diagnostic.code, e.value.diagnostic.message


@pytest.mark.parametrize("why", UNFIT)
def test_another_program_is_refused_with_the_reason(why: str) -> None:
    old, new = UNFIT[why]
    assert old in BASE
    assert refused(BASE.replace(old, new, 1)) == ("OG603", f"attention does not fit: {why}")


@pytest.mark.parametrize(
    ("elem", "options", "why"),
    [
        ("bf16", {"rows": 96}, "a tile of 96 rows and 128 keys does not consist of fragments of 64 x 16"),
        ("float", {"rows": 40}, "a tile of 40 rows and 64 keys does not consist of fragments of 16 x 16"),
        ("bf16", {"keys": 24}, "a tile of 128 rows and 24 keys does not consist of fragments of 64 x 16"),
        ("bf16", {"keys": -16}, "tile=(128, -16) has a size that is not positive"),
        ("float", {"stages": 0}, "stages=(0,) has a size that is not positive"),
        ("float", {"stages": 10}, "a pipeline has 1 to 9 stages, not 10"),
    ],
)
def test_tiles_that_do_not_fit_are_refused(elem: str, options: dict[str, int], why: str) -> None:
    assert refused(program(elem, 16, 16, WHOLE), **options) == ("OG604", why)


def test_what_is_no_function_is_refused() -> None:
    code, why = refused(program("float", 16, 16, WHOLE), exponential="power")
    assert code == "OG605" and "`power` is not declared" in why


def test_tiles_beyond_what_a_block_has_are_rejected() -> None:
    for options, why in (
        ({"rows": 1024, "keys": 16}, "2048 threads a block"),
        ({"keys": 4096}, "bytes of shared memory"),
    ):
        with pytest.raises(og.StepError, match="OG349") as e:
            scheduled(program("bf16", 16, 16, WHOLE), **options)
        assert why in str(e.value)


def test_attention_that_the_contract_does_not_promise_is_rejected() -> None:
    with pytest.raises(og.StepError):
        scheduled(program("float", 16, 16, WHOLE).replace("p / 8.0f", "p / 4.0f"))
