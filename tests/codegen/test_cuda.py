"""The emitted CUDA text runs on the CPU stand-in and does what the program does; what has no lowering is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.check_cuda import complaints, sources, unit_of

from optigpu.check.verify import Verifier
from optigpu.codegen.cuda import emit_cuda
from optigpu.commands.differential import compare, compare_on, numpy_arguments
from optigpu.errors.catalogue import CATALOGUE
from optigpu.interp.runner import Runner
from optigpu.interp.testing import run_once, valid_inputs
from optigpu.interp.testing import test_function as run_tests
from optigpu.runtime.call_error import CallError
from optigpu.runtime.nvcc import nvcc
from optigpu.syntax.program import CallStmt
from optigpu.syntax.walk import statements
from tests.conftest import ROOT
from tests.support.cases import variant_of
from tests.support.cuda import GRID_OF_TWO_LOOPS, emitted, kernel_text, on_standin, one_kernel, parsed, refused
from tests.support.gpu_random import random_program

run_tests.__test__ = False
EXAMPLES = sorted((ROOT / "examples" / "gpu").glob("*.c"))
GOLDEN = ROOT / "tests" / "golden" / "cuda"
GROUP_FUNCTIONS = ("tree", "shuffles", "reads_stay_pending", "parts_with_at_least_one_thread")
rng = np.random.default_rng(7)


def name_of(path: Path) -> str:
    return path.stem


def random(*shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


def poison(*shape: int) -> Any:
    return np.full(shape, np.nan, np.float32)


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
    assert set(answers) <= {"clean", "race"}


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


# The text -------------------------------------------------------------------------------------------------------------------


def test_a_loop_of_16_by_32_and_one_of_512_name_the_same_threads() -> None:
    text = one_kernel(
        """thread for (int b = 0; b < B; b++) {
          __shared__ float s[512];
          thread for (int y = 0; y < 16; y++) { thread for (int x = 0; x < 32; x++) { s[32 * y + x] = 1.0f; } }
          blocksync();
          thread for (int t = 0; t < 512; t++) { if (t < 8) { d[b][t] = s[511 - t]; } }
        }""",
        block="512",
    )  # fmt: skip
    kernel = kernel_text(text)
    assert "const int y = threadIdx.x / 32;" in kernel and "const int x = threadIdx.x % 32;" in kernel
    assert "const int t = threadIdx.x;" in kernel
    h = random(2, 8)
    on_standin(text)(h)
    assert (h == 1).all()


def test_direct_indices_up_to_three_dimensions() -> None:
    text = one_kernel(
        """thread for (int b = 0; b < B; b++) {
          thread for (int z = 0; z < 2; z++) { thread for (int y = 0; y < 2; y++) { thread for (int x = 0; x < 2; x++) {
            d[b][4 * z + 2 * y + x] = z + 10.0f * y + 100.0f * x;
          } } }
        }"""
    )
    kernel = kernel_text(text)
    assert all(f"const int {i} = threadIdx.{i};" in kernel for i in "xyz")
    assert "dim3(2, 2, 2)" in emitted(text).text
    h = random(2, 8)
    on_standin(text)(h)
    assert h[1].tolist() == [0, 100, 10, 110, 1, 101, 11, 111]


@pytest.mark.parametrize("n", [0, 1, 65535, 65536, 140000])
def test_grids_beyond_65535_blocks_run_in_slices(n: int) -> None:
    text = GRID_OF_TWO_LOOPS.replace("REQUIRES", "")
    assert "const int i = first_y + blockIdx.y;" in kernel_text(text)
    a = poison(n, 2)
    on_standin(text, races=False)(a)
    assert (a == 2 * np.arange(n)[:, None] + np.arange(2)).all()


@pytest.mark.parametrize(("bound", "sliced"), [(65535, False), (65536, True)])
def test_grids_that_fit_are_launched_at_once(bound: int, sliced: bool) -> None:
    text = emitted(GRID_OF_TWO_LOOPS.replace("REQUIRES", f'__requires("small: n <= {bound}");')).text
    assert ("first_y" in text) == sliced
    assert f"n <= {bound} does not hold" in text


def test_a_grid_of_too_many_blocks_is_refused_by_name() -> None:
    """Two ways of dividing the grid make it linear: x alone counts all blocks, of which there may be more than 2^31 - 1."""
    text = GRID_OF_TWO_LOOPS.replace("REQUIRES", "").replace(
        "kernel_teardown_begin", "thread for (int k = 0; k < n * m; k++) { } kernel_teardown_begin"
    )
    whole = emitted(text).text
    assert (
        "const long long blocks = (long long)m * n;" in whole or "const long long blocks = (long long)n * m;" in whole
    )
    assert '"f_kernel: the grid would have more than 2147483647 blocks"' in whole


def test_64_bit_loops_have_64_bit_indices() -> None:
    text = """
void f(int64_t n, float a[n]) {
  __requires("n_blocks: n % 32 == 0"); __consumes("a ~> Cells1(n)"); __produces("a ~> Cells1(n)");
  float* const d = __gmem_malloc1<float>(n);
  kernel_launch(n / 32, 32, 0);
  kernel_setup_end();
  thread for (int64_t b = 0; b < n / 32; b++) { thread for (int i = 0; i < 32; i++) { d[b * 32 + i] = 2.0f; } }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, d, n);
  gmem_free(d);
}"""
    assert "const int64_t b = blockIdx.x;" in kernel_text(text)
    assert "const int b = blockIdx.x;" in kernel_text(text.replace("int64_t", "int"))
    a = poison(96)
    on_standin(text)(a)
    assert (a == 2).all()


def test_more_than_2_to_the_32_threads_are_numbered_in_64_bits() -> None:
    def text(requires: str) -> str:
        return f"""
void f(int n, int m, float a[n][32 * m]) {{
  __requires("m_some: m >= 1"); {requires} __consumes("a ~> Cells2(n, 32 * m)"); __produces("a ~> Cells2(n, 32 * m)");
  float* const d = __gmem_malloc2<float>(n, 32 * m);
  kernel_launch(n, 32 * m, 0);
  kernel_setup_end();
  thread for (int k = 0; k < n * m; k++) {{ thread for (int t = 0; t < 32; t++) {{ d[k / m][(k % m) * 32 + t] = k; }} }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(a, d, n, 32 * m);
  gmem_free(d);
}}"""

    assert "(int64_t)blockIdx.x" in kernel_text(text(""))
    assert "(int64_t)" not in kernel_text(text('__requires("n_small: n <= 1000, m_small: m <= 32");'))
    assert "const int64_t k = " in kernel_text(text(""))
    a = poison(3, 64)
    on_standin(text(""))(3, 2, a)
    assert (a == np.repeat(np.arange(6), 32).reshape(3, 64)).all()


def test_one_loop_over_all_threads() -> None:
    text = """
void f(int n, float a[n]) {
  __requires("n_blocks: n % 32 == 0"); __consumes("a ~> Cells1(n)"); __produces("a ~> Cells1(n)");
  float* const d = __gmem_malloc1<float>(n);
  kernel_launch(n / 32, 32, 0);
  kernel_setup_end();
  thread for (int i = 0; i < (n / 32) * 32; i++) { d[i] = 2.0f * i; }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, d, n);
  gmem_free(d);
}"""
    assert "const int i = blockIdx.x * 32 + threadIdx.x;" in kernel_text(text)
    a = poison(96)
    on_standin(text)(a)
    assert (a == 2 * np.arange(96)).all()


def test_indices_are_as_wide_as_they_must_be() -> None:
    def text(index: str, size: str) -> str:
        return f"""
void f(int n, int m, float a[{size}]) {{
  __requires("n_pos: n >= 0, m_pos: m >= 0"); __consumes("a ~> Cells1({size})"); __produces("a ~> Cells1({size})");
  float* const d = __gmem_malloc1<float>({size});
  memcpy_host_to_device1(d, a, {size});
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {{ const int at = {index}; d[at] = 1.0f; }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(a, d, {size});
  gmem_free(d);
}}"""

    assert "const int at = i + 5;" in kernel_text(text("i + 5", "n + 5"))
    assert "const long long at = (long long)i * m;" in kernel_text(text("i * m", "n * m"))
    assert refused(text("i * m * n * m", "n * m")).startswith("OG404")


def test_shared_memory_beyond_48_kib_is_dynamic_and_opted_in() -> None:
    text = one_kernel(
        """thread for (int b = 0; b < B; b++) {
          __shared__ float big[100][130];
          __shared__ double small[3];
          __shared__ float last[8];
          thread for (int t = 0; t < 8; t++) { big[99][t] = 1.0f; small[t / 4] = 2.0; last[t] = d[b][t]; }
          blocksync();
          thread for (int t = 0; t < 8; t++) { d[b][t] = big[99][7 - t] + last[7 - t]; }
        }""".replace("small[t / 4] = 2.0;", "if (t < 3) { small[t] = 2.0; }"),
        shared="100 * 130 * 4 + 24 + 32",
    )  # fmt: skip
    whole = emitted(text).text
    assert "cudaFuncAttributeMaxDynamicSharedMemorySize" in whole
    assert "double* const small = reinterpret_cast<double*>(shared_memory + 52000);" in whole
    assert "float* const last = reinterpret_cast<float*>(shared_memory + 52032);" in whole
    assert "big[99 * 130 + t]" in whole
    h = random(2, 8)
    want = 1 + h[:, ::-1]
    on_standin(text)(h)
    assert (h == want).all()


def test_values_from_memory_are_not_taken_to_stay_the_same() -> None:
    """`x` is what c[t] held before: nothing about c[t] follows from it later. Likewise for a variable."""
    text = """
void f(int n, int c[n]) {
  __requires("n_size: n == 8"); __consumes("c ~> Cells1(n)"); __produces("c ~> Cells1(n)");
  int* const d = __gmem_malloc1<int>(n);
  memcpy_host_to_device1(d, c, n);
  kernel_launch(1, 8, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 8; t++) {
    const int x = d[t];
    d[t] = x + 1;
    int k = t;
    const int y = k;
    k += 3;
    if (d[t] > x) { d[t] += 10; }
    if (k > y) { d[t] += 100; }
    for (int i = 0; i < 2; i++) { const int z = k; k += 1; if (k > z) { d[t] += 1000; } }
    for (int i = k; i < 11; i++) { if (i >= k) { k = 20; d[t] += 10000; } }
  }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(c, d, n);
  gmem_free(d);
}"""
    kernel = kernel_text(text)
    assert "if (i >= k)" in kernel and "if (d[t] > x)" in kernel and "if (k > y)" in kernel and "if (k > z)" in kernel
    c = np.arange(8, dtype=np.int32)
    on_standin(text)(c)
    assert (c == np.arange(8) + 2111 + 10000 * (np.arange(8) + 5 < 11)).all()


def test_dead_code_is_gone() -> None:
    text = one_kernel(
        """thread for (int b = 0; b < B; b++) {
          thread for (int t = 0; t < 8; t++) {
            const int unused = 3 * t;
            for (int k = 0; k < 0; k++) { d[b][t] = 7.0f; }
            if (t < 8) { d[b][t] = 32 * 32 / 4; } else { d[b][t] = 5.0f; }
          }
          blocksync();
        }"""
    )
    kernel = kernel_text(text)
    assert kernel.count("\n") == 5 and "= 256;" in kernel
    for gone in ("unused", "for", "if", "__syncthreads"):
        assert gone not in kernel.split("{", 1)[1]


def test_barriers_carry_their_reason_and_loops_their_unrolling() -> None:
    text = one_kernel(
        """thread for (int b = 0; b < B; b++) {
          __shared__ float s[8];
          thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
          blocksync();
          blocksync();
          thread for (int t = 0; t < 8; t++) {
            #pragma unroll 4
            for (int k = 0; k < 8; k++) d[b][t] += s[k];
          }
        }"""
    )
    program = parsed(text)
    barriers = [
        s
        for f in program.functions()
        for s in statements(f.body)
        if isinstance(s, CallStmt) and s.call.func == "blocksync"
    ]
    unit = emit_cuda(program, header=["VERIFIED"], reasons={barriers[0].id: "as it must be"})
    assert unit.text.count("__syncthreads();") == 1
    assert "__syncthreads();  // `s` is complete before other threads use it" in unit.text
    unrelated = parsed(text.replace("+= s[k]", "= 1.0f").replace("s[t] = d[b][t]", "s[t] = 1.0f"))
    statement_ids = [s.id for f in unrelated.functions() for s in statements(f.body)]
    assert "__syncthreads();\n" in emit_cuda(unrelated).text
    told = emit_cuda(unrelated, reasons=dict.fromkeys(statement_ids, "as it must be"))
    assert "__syncthreads();  // as it must be" in told.text
    assert "#pragma unroll 4\n  for (int k = 0; k < 8; ++k)" in unit.text
    assert unit.text.splitlines()[1] == "// VERIFIED"


def test_launches_in_host_loops_and_branches() -> None:
    text = """
void f(int n, int steps, int twice, double a[n]) {
  __requires("steps_some: steps >= 0"); __consumes("a ~> Cells1(n)"); __produces("a ~> Cells1(n)");
  double* const x = __gmem_malloc1<double>(n);
  double* const y = __gmem_malloc1<double>(n);
  memcpy_host_to_device1(x, a, n);
  for (int s = 0; s < steps; s++) {
    kernel_launch(n, 1, 0);
    kernel_setup_end();
    thread for (int i = 0; i < n; i++) { y[i] = x[(i + 1) % n] + s; }
    kernel_teardown_begin();
    kernel_kill();
    if (twice > 0) {
      kernel_launch(n, 1, 0);
      kernel_setup_end();
      thread for (int i = 0; i < n; i++) { x[i] = 2.0 * y[i]; }
      kernel_teardown_begin();
      kernel_kill();
    } else {
      memcpy_device_to_device1(x, y, n);
    }
  }
  memcpy_device_to_host1(a, x, n);
  gmem_free(x);
  gmem_free(y);
}"""
    for twice in (0, 1):
        a = rng.standard_normal(5)
        want = a.copy()
        for s in range(3):
            want = (np.roll(want, -1) + s) * (1 + twice)
        on_standin(text)(5, 3, twice, a)
        np.testing.assert_allclose(a, want)


@pytest.mark.parametrize(
    ("name", "dtype"), [("int", np.int32), ("unsigned", np.uint32), ("int64_t", np.int64), ("uint8_t", np.uint8)]
)
def test_integer_arrays(name: str, dtype: Any) -> None:
    text = f"""
void f(int n, {name} a[n], {name} b[n]) {{
  __reads("a ~> Cells1(n)"); __writes("b ~> Cells1(n)");
  {name}* const x = __gmem_malloc1<{name}>(n);
  {name}* const y = __gmem_malloc1<{name}>(n);
  memcpy_host_to_device1(x, a, n);
  kernel_launch((n + 31) / 32, 32, 32 * sizeof({name}));
  kernel_setup_end();
  thread for (int b = 0; b < (n + 31) / 32; b++) {{
    __shared__ {name} s[32];
    thread for (int t = 0; t < 32; t++) {{ if (32 * b + t < n) {{ s[t] = x[32 * b + t]; }} else {{ s[t] = 0; }} }}
    blocksync();
    thread for (int t = 0; t < 32; t++) {{ if (32 * b + t < n) {{ y[32 * b + t] = max(s[t], s[31 - t]); }} }}
  }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, y, n);
  gmem_free(x);
  gmem_free(y);
}}"""
    a, b = rng.integers(0, 100, 70).astype(dtype), np.zeros(70, dtype)
    on_standin(text)(a, b)
    padded = np.concatenate([a, np.zeros(26, dtype)]).reshape(3, 32)
    assert (b == np.maximum(padded, padded[:, ::-1]).reshape(-1)[:70]).all()
