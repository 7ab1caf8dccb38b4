"""The text of emitted CUDA: thread indices and their widths, grids, shared memory, barriers, launches in host code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from optigpu.codegen.cuda import emit_cuda
from optigpu.syntax.program import CallStmt
from optigpu.syntax.walk import statements
from tests.support.cuda import GRID_OF_TWO_LOOPS, emitted, kernel_text, on_standin, one_kernel, parsed
from tests.support.cuda_arrays import poison, random, rng

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
    assert "const long long at = (long long)i * m * n * m;" in kernel_text(text("i * m * n * m", "n * m"))


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
    text_with_reasons = emit_cuda(unrelated, reasons=dict.fromkeys(statement_ids, "as it must be"))
    assert "__syncthreads();  // as it must be" in text_with_reasons.text
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
