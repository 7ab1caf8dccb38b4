"""The emitted CUDA text runs on the CPU stand-in and does what the program does; what has no lowering is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.check_cuda import complaints, sources, unit_of

from optigpu.check.verify import Verifier
from optigpu.commands.differential import compare, compare_on, numpy_arguments
from optigpu.errors.catalogue import CATALOGUE
from optigpu.interp.runner import Runner
from optigpu.interp.testing import run_once, valid_inputs
from optigpu.interp.testing import test_function as run_tests
from optigpu.runtime.call_error import CallError
from optigpu.runtime.nvcc import nvcc
from tests.conftest import ROOT
from tests.support.cases import variant_of
from tests.support.cuda import emitted, kernel_text, on_standin, one_kernel, parsed, refused
from tests.support.cuda_arrays import poison, random
from tests.support.gpu_random import random_program

run_tests.__test__ = False
EXAMPLES = sorted((ROOT / "examples" / "gpu").glob("*.c"))
GOLDEN = ROOT / "tests" / "golden" / "cuda"
GROUP_FUNCTIONS = ("tree", "shuffles", "reads_stay_pending", "parts_with_at_least_one_thread")


def name_of(path: Path) -> str:
    return path.stem


# Against the interpreter ----------------------------------------------------------------------------------------------------


def same_answer(seed: int) -> str:
    """Interpreter and emitted text on one random program: both find a race, or both compute the same."""
    program = parsed(random_program(seed))
    runner, f = Runner(program), program.function("f")
    k = on_standin(program)
    for inputs in valid_inputs(runner, f, seed=seed, most=2):
        failure = run_once(runner, f, inputs, seed)
        if failure is None:
            assert compare_on(k, runner, f, inputs) is None, seed
        elif failure.misbehaviour.code == "OG210":
            with pytest.raises(CallError, match="data race"):
                k(*numpy_arguments(k.signature, inputs))
            return "race"
        else:
            return failure.misbehaviour.code
    return "clean"


@pytest.mark.parametrize("first", range(0, 12, 6))
def test_random_programs_agree_with_the_interpreter(first: int) -> None:
    answers = [same_answer(seed) for seed in range(first, first + 6)]
    assert {"clean", "race"} == set(answers)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 400, 20))
def test_many_random_programs_agree_with_the_interpreter(first: int) -> None:
    answers = [same_answer(seed) for seed in range(first, first + 20)]
    assert {"clean", "race"} == set(answers)


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_case_studies_agree_with_the_interpreter(path: Path) -> None:
    program = parsed(path)
    k = on_standin(program)
    f = program.function(k.signature.name)
    difference = compare(k, Runner(program), f, runs=2)
    assert difference is None, difference


# Against NumPy --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("races", [False, True], ids=["quick", "watched"])
@pytest.mark.parametrize("n", [0, 1, 31, 33, 1024, 5003])
def test_vector_add(n: int, races: bool) -> None:
    a, b, c = random(n), random(n), poison(n)
    on_standin(ROOT / "examples/gpu/fast/vector_add.c", races=races)(a, b, c)
    assert (c == a + b).all()


@pytest.mark.parametrize("name", ["transpose", "transpose_aligned"])
@pytest.mark.parametrize("shape", [(1, 1), (31, 33), (64, 128), (65, 129), (1, 1000)])
def test_transpose_of_any_size(shape: tuple[int, int], name: str) -> None:
    a, b = random(*shape), poison(*shape[::-1])
    on_standin(ROOT / f"examples/gpu/fast/{name}.c")(a, b)
    assert (b == a.T).all()


def test_transpose_by_vectors() -> None:
    a, b = random(64, 192), poison(192, 64)
    on_standin(ROOT / "examples/gpu/fast/transpose_vector.c")(a, b)
    assert (b == a.T).all()


@pytest.mark.parametrize("n", [0, 1, 33, 5003])
def test_reduce(n: int) -> None:
    a, out = random(n), poison(1)
    on_standin(ROOT / "examples/gpu/fast/reduce.c")(a, out)
    np.testing.assert_allclose(out[0], a.astype(np.float64).sum(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", [0, 4, 20000])
def test_scan(n: int) -> None:
    a, out = random(n), poison(n)
    on_standin(ROOT / "examples/gpu/fast/scan.c")(a, out)
    np.testing.assert_allclose(out, a.astype(np.float64).cumsum(), rtol=1e-3, atol=1e-3)


def test_softmax() -> None:
    x, y = random(2, 16384), poison(2, 16384)
    on_standin(ROOT / "examples/gpu/fast/softmax.c")(x, y)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    np.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (37, 140), (100, 392)])
def test_stencil(shape: tuple[int, int]) -> None:
    a, b = random(*shape), poison(*shape)
    on_standin(ROOT / "examples/gpu/fast/stencil2d.c")(a, b)
    want = a.astype(np.float64)
    inner = want[:-2, 1:-1] + want[2:, 1:-1] + want[1:-1, :-2] + want[1:-1, 2:]
    want[1:-1, 1:-1] = 0.5 * want[1:-1, 1:-1] + 0.125 * inner
    np.testing.assert_allclose(b, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["matmul", "matmul_plain"])
def test_matmul(name: str) -> None:
    a, b, c = random(128, 48), random(48, 256), poison(128, 256)
    on_standin(ROOT / f"examples/gpu/fast/{name}.c")(a, b, c)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, rtol=1e-3, atol=1e-4)


def test_a_function_can_return_a_number() -> None:
    a = random(1000)
    assert on_standin(ROOT / "examples/gpu/reduce.c")(a) == pytest.approx(float(a.sum()), abs=1e-3)


# The stand-in's own checks --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GROUP_FUNCTIONS)
def test_functions_for_groups_stand_where_they_are_called(name: str) -> None:
    assert "__device__" not in kernel_text(variant_of(f"gpu_functions/{name}").code())


MEETING = """__device__ float shifted(int t, float s[8], float w) {
  __requires("A: int -> float, r: t >= 0, q: t < 8");
  __preserves("ThreadsCtx(8)");
  __reads("KernelParams(_, 8, _)");
  __consumes("desync_for i in ..8 -> &s[i] ~~>[SMem] A(i)");
  __produces("for i in ..8 -> &s[i] ~~>[SMem] A(i) + w");
  __ensures("_Res == A(t) + w");
  const float b = w;
  thread for (int d = 0; d < 8; d++) s[d] += b;
  blocksync();
  const float x = s[t];
  blocksync();
  return x;
}
"""


def test_names_of_a_function_for_groups_do_not_meet_those_of_its_caller() -> None:
    body = """thread for (int b = 0; b < B; b++) {
    __shared__ float s[16];
    thread for (int t = 0; t < 8; t++) s[t + 8] = d[b][t];
    const float x = shifted((b + 3) % 8, &s[8], 2.0f + b);
    const float y = shifted(1, &s[8], x);
    thread for (int t = 0; t < 8; t++) d[b][t] = x + y;
  }"""
    text = one_kernel(body, before=MEETING, shared="64")
    assert Verifier().verify(parsed(text)).verified
    a = random(5, 8)
    h = a.copy()
    on_standin(text)(h)
    for b in range(5):
        x = a[b, (b + 3) % 8] + 2 + b
        assert h[b] == pytest.approx(x + a[b, 1] + 2 + b + x, abs=1e-4)


def test_divergent_barrier_is_reported() -> None:
    text = one_kernel(
        "thread for (int b = 0; b < B; b++) { thread for (int t = 0; t < 8; t++) { if (t < 4) { d[b][t] = 1.0f; } } }"
    )
    on_standin(text)(random(2, 8))
    wrong = emitted(text).text.replace("d[(size_t)b * 8 + t] = 1.0f;", "d[(size_t)b * 8 + t] = 1.0f; __syncthreads();")
    from optigpu.runtime.cuda import CudaFunction

    k = on_standin(text)
    with pytest.raises(CallError, match="divergent barrier"):
        CudaFunction(wrong, k.signature, standin=True)(random(2, 8))


def test_an_access_beyond_an_array_is_reported() -> None:
    text = one_kernel(
        "thread for (int b = 0; b < B; b++) { thread for (int t = 0; t < 8; t++) { d[b][t] = d[b][t]; } }"
    )
    on_standin(text)(random(3, 8))
    with pytest.raises(CallError, match="beyond the end"):
        on_standin(text.replace("= d[b][t]", "= d[b][t + 8]"))(random(1, 8))


def test_blocks_that_share_a_cell_race() -> None:
    text = one_kernel("thread for (int b = 0; b < B; b++) { thread for (int t = 0; t < 8; t++) { d[b][t] = 1.0f; } }")
    on_standin(text)(random(3, 8))
    with pytest.raises(CallError, match=r"data race.*global"):
        on_standin(text.replace("d[b][t] =", "d[0][t] ="))(random(3, 8))


# What is refused ------------------------------------------------------------------------------------------------------------

BODY = "thread for (int b = 0; b < B; b++) { thread for (int t = 0; t < 8; t++) { d[b][t] = 1.0f; } }"


def with_variable(body: str) -> str:
    """A kernel after the declaration of a variable of the host, and of a pointer into an array of the host."""
    start = "float y = 0.0f; y = 2.0f; float* const p = &h[0][0]; kernel_launch"
    return one_kernel(body).replace("kernel_launch", start, 1)


def test_the_plain_program_is_emitted() -> None:
    assert "d[(size_t)b * 8 + t] = 1.0f;" in emitted(one_kernel(BODY)).text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (one_kernel(BODY.replace("thread for (int t", "magic thread for (int t")), "OG401: a magic thread loop"),
        (one_kernel("magic_barrier(); " + BODY), "OG401: `magic_barrier`"),
        (one_kernel(BODY.replace("t < 8", "t < 5")), "OG402: the extent of this thread loop"),
        (one_kernel(BODY.replace("int t = 0; t < 8; t++", "int t = 7; t >= 0; t--")), "OG402: a thread loop counts upwards"),
        (one_kernel(BODY.replace("d[b][t] =", "h[b][t] =")), "OG403: `h` is host memory"),
        (one_kernel(BODY).replace("memcpy_device_to_host2", "d[0][0] = 1; memcpy_device_to_host2"), "OG403: `d` is GPU memory"),
        (with_variable(BODY.replace("= 1.0f", "= y")), "OG403: `y` is host memory"),
        (with_variable(BODY.replace("d[b][t] = 1.0f", "y = 1.0f")), "OG403: `y` is host memory"),
        (with_variable(BODY.replace("= 1.0f", "= p[0]")), "OG403: `p` is host memory"),
        (one_kernel("float* const t = MALLOC1(float, 4); free(t); " + BODY), "OG403: `t` is default memory, allocated in a kernel"),
        (one_kernel(BODY, block="2048").replace("t < 8", "t < 2048"), "OG402: a block has 1 to 1024 threads"),
        (one_kernel(BODY, setup="const int k = 3;"), "OG400: the setup of a kernel"),
        (one_kernel(BODY).replace("kernel_kill();", "const int k = 3; kernel_kill();"), "OG400: the teardown of a kernel"),
        (one_kernel(BODY).replace("kernel_setup_end();", ""), "OG400: a kernel needs `kernel_setup_end"),
        (one_kernel(BODY).replace("kernel_kill();", ""), "OG400: this kernel_launch has no kernel_kill"),
        (one_kernel(BODY).replace("void f(int B", "void f(int new, int B"), "OG405: `new`"),
        (
            one_kernel(BODY.replace("d[b][t] =", "int k = t; float* const p = &d[b][k]; k = 0; p[0] =")),
            "OG401: the pointer `p` depends on something that may change",
        ),
        ("void f(int n) { }", "OG400: no function launches a kernel"),
    ],
)  # fmt: skip
def test_what_has_no_lowering_is_refused(text: str, message: str) -> None:
    assert refused(text).startswith(message)


def test_every_code_is_explained() -> None:
    used: set[str] = set()
    for path in (ROOT / "src/optigpu/codegen").rglob("*.py"):
        used |= set(re.findall(r'"(OG\d+)"', path.read_text(encoding="utf-8")))
    assert used <= CATALOGUE.keys()


# nvcc -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(nvcc() is None, reason="nvcc is not here")
@pytest.mark.parametrize("name", ["reduce_warp.c", "scan.c", "fast/reduce.c", "fast/transpose_vector.c"])
def test_nvcc_compiles_without_warnings(name: str) -> None:
    assert complaints(emitted(ROOT / "examples" / "gpu" / name).text) == ""


@pytest.mark.slow
@pytest.mark.skipif(nvcc() is None, reason="nvcc is not here")
@pytest.mark.parametrize("path", sources(), ids=name_of)
def test_nvcc_compiles_everything_without_warnings(path: Path) -> None:
    unit = unit_of(path)
    assert complaints(unit.text) == ""
    assert complaints(unit.device_text, alone=True) == ""


@pytest.mark.skipif(nvcc() is None, reason="nvcc is not here")
def test_a_warning_of_nvcc_is_found() -> None:
    text = "__global__ void f(int* a) { *a = 1; }\n"
    assert complaints(text, alone=True) == ""
    assert "unused" in complaints(text.replace("{ ", "{ int unused; "), alone=True)


STUDIES = [
    "vector_add",
    "transpose",
    "transpose_any",
    "reduce_warp",
    "matmul",
    "matmul_shared",
    "stencil2d",
    "softmax_rows",
]
STUDIES += ["scan", "fast/reduce"]


@pytest.mark.parametrize("path", [ROOT / "examples" / "gpu" / f"{name}.c" for name in STUDIES], ids=name_of)
def test_emitted_text_as_people_read_it(path: Path, golden: Any) -> None:
    folder = "fast_" if path.parent.name == "fast" else ""
    golden(GOLDEN / f"{folder}{path.stem}.cu", emitted(path).text)


def test_what_a_script_makes_as_people_read_it(golden: Any) -> None:
    """With the verdict and what it rests on in the header, and barriers that the script has put."""
    text = unit_of(ROOT / "examples/gpu/scripts/transpose.py").text
    golden(GOLDEN / "script_transpose.cu", re.sub(r"z3 [\d.]+", "z3 (version)", text))


@pytest.mark.parametrize(("second", "declared"), [("2 * t + b", 1), ("2 * t + b + 1", 2)])
def test_a_value_keeps_its_name_where_the_name_means_nothing_else(second: str, declared: int) -> None:
    text = one_kernel(
        f"""thread for (int b = 0; b < B; b++) {{ thread for (int t = 0; t < 4; t++) {{
          {{ const int i = 2 * t + b; if (i < 8) {{ d[b][i] = 1.0f; }} }}
          {{ const int i = {second}; if (i < 8 && 2 * t + b < 7) {{ d[b][i] += 10.0f; }} }}
        }} }}""",
        block="4",
    )
    assert kernel_text(text).count("const int i = ") == declared
    h = np.zeros((2, 8), np.float32)
    want = np.zeros((2, 8), np.float32)
    want[0, ::2] = want[1, 1::2] = 1
    want[0, declared - 1 :: 2] += 10
    want[1, 1:7:2] += 10 if declared == 1 else 0
    want[1, 2::2] += 10 if declared == 2 else 0
    on_standin(text)(h)
    assert (h == want).all()
