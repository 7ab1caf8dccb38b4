"""Host functions on device arrays: several kernels, branches, loops, scratch memory and results, compiled and by a plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optigpu.runtime.call_error import CallError
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.launching import Launcher
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT
from tests.support.cuda import emitted, on_standin
from tests.support.device_arrays import DeviceArray
from tests.support.launching import StandinDriver

rng = np.random.default_rng(11)


def launch(body: str, grid: str = "n", block: str = "1") -> str:
    return f"kernel_launch({grid}, {block}, 0); kernel_setup_end(); {body} kernel_teardown_begin(); kernel_kill();"


def each(statement: str) -> str:
    return launch(f"thread for (int i = 0; i < n; i++) {{ {statement} }}")


def on(name: str = "a", dims: str = "n") -> str:
    return f'__consumes("{name} ~> Cells1({dims})"); __produces("{name} ~> Cells1({dims})");'


ATTENTION = f"""void f(int n, int d, float q[n][d], float k[n][d], float v[n][d], float out[n][d]) {{
  __requires("Q: int * int -> float, K: int * int -> float, V: int * int -> float");
  __reads("q ~> Matrix2(n, d, Q), k ~> Matrix2(n, d, K), v ~> Matrix2(n, d, V)"); __writes("out ~> Cells2(n, d)");
  float* const dq = __gmem_malloc2<float>(n, d);
  float* const dk = __gmem_malloc2<float>(n, d);
  float* const dv = __gmem_malloc2<float>(n, d);
  float* const s = __gmem_malloc2<float>(n, n);
  float* const sums = __gmem_malloc1<float>(n);
  float* const dout = __gmem_malloc2<float>(n, d);
  memcpy_host_to_device2(dq, q, n, d); memcpy_host_to_device2(dk, k, n, d);
  {
    launch(
        '''thread for (int i = 0; i < n; i++) { thread for (int j = 0; j < n; j++) {
    float x = 0.0f; for (int c = 0; c < d; c++) { x += dq[i][c] * dk[j][c]; } s[i][j] = x; } }''',
        "n * n",
    )
}
  {each("float x = 0.0f; for (int j = 0; j < n; j++) { s[i][j] = expf(s[i][j]); x += s[i][j]; } sums[i] = x;")}
  memcpy_host_to_device2(dv, v, n, d);
  {
    launch(
        '''thread for (int i = 0; i < n; i++) { thread for (int c = 0; c < d; c++) {
    float x = 0.0f; for (int j = 0; j < n; j++) { x += s[i][j] / sums[i] * dv[j][c]; } dout[i][c] = x; } }''',
        "n * d",
    )
}
  memcpy_device_to_host2(out, dout, n, d);
  gmem_free(s); gmem_free(sums); gmem_free(dq); gmem_free(dk); gmem_free(dv); gmem_free(dout);
}}"""


def version(value: str) -> str:
    return f"""float* const x = __gmem_malloc1<float>(n); float* const y = __gmem_malloc1<float>(n);
    memcpy_host_to_device1(x, a, n); {each(f"y[i] = {value};")} memcpy_device_to_host1(b, y, n); gmem_free(x); gmem_free(y);"""


READS_A = '__requires("A: int -> float"); __reads("a ~> Matrix1(n, A)");'
VERSIONS = f"""void f(int n, float a[n], float b[n]) {{ {READS_A} __writes("b ~> Cells1(n)");
  if (n % 4 == 0) {{ {version("2.0f * x[i]")} }} else {{ {version("3.0f * x[i]")} }}
}}"""
# One version does its work in the memory of the other's result.
UNEVEN = f"""void f(int n, float a[n], float b[n]) {{ {READS_A} __writes("b ~> Cells1(n)");
  float* const x = __gmem_malloc1<float>(n); float* const y = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(x, a, n);
  if (n % 4 == 0) {{ {each("y[i] = 2.0f * x[i];")} memcpy_device_to_host1(b, y, n); }}
  else {{ {each("x[i] = x[i] + 1.0f;")} memcpy_device_to_host1(b, x, n); }}
  gmem_free(x); gmem_free(y);
}}"""
PING_PONG = f"""void f(int n, int steps, float a[n]) {{ __requires("steps >= 0"); {on()}
  float* const x = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(x, a, n);
  for (int s = 0; s < steps; s++) {{
    float* const y = __gmem_malloc1<float>(n);
    const int total = s * (s + 1) / 2;
    {each("y[i] = x[i] + total;")}
    {each("x[i] = 2.0f * y[i];")}
    gmem_free(y);
    memcpy_device_to_host1(a, x, n);
  }}
  memcpy_device_to_host1(a, x, n);
  gmem_free(x);
}}"""
USED_AFTER = f"""void f(int n, float a[n], float b[n]) {{ {READS_A} __writes("b ~> Cells1(n)");
  float* const x = __gmem_malloc1<float>(n); float* const y = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(x, a, n);
  {each("y[i] = x[i] + 1.0f;")}
  memcpy_device_to_host1(b, y, n);
  {each("y[i] = 0.0f; x[i] = 0.0f;")}
  memcpy_host_to_device1(x, a, n);
  {each("y[i] = 2.0f * x[i];")}
  memcpy_device_to_host1(b, y, n);
  {each("y[i] = 5.0f;")}
  gmem_free(x); gmem_free(y);
}}"""
CHANGED_SIZE = f"""void f(int n, float a[n]) {{ __requires("n == 8"); {on()}
  float* const x = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(x, a, n);
  {each("x[i] = x[i] + 1.0f;")}
  memcpy_device_to_host1(a, x, n / 2);
  gmem_free(x);
}}"""
RESULT = f"""float f(int n, float a[n], float b[n]) {{ {READS_A} __writes("b ~> Cells1(n)"); __requires("n >= 1");
  float result;
  if (n % 4 == 0) {{ {version("2.0f * x[i]")} result = 4.0f; }} else {{
    float* const x = __gmem_malloc1<float>(n); float* const y = __gmem_malloc1<float>(n);
    memcpy_host_to_device1(x, a, n);
    {each("y[i] = x[i] - 1.0f;")}
    float* const h = MALLOC1(float, n);
    memcpy_device_to_host1(h, y, n);
    result = 0.0f;
    for (int i = 0; i < n; i++) {{ result += h[i]; h[i] = h[i] + 7.0f; }}
    memcpy_host_to_device1(y, h, n);
    free(h);
    memcpy_device_to_host1(b, y, n);
    gmem_free(x); gmem_free(y);
  }}
  return result;
}}"""


# Branches and loops that only copy.
COPIES = f"""void f(int n, float a[n], float b[n]) {{ {READS_A} __writes("b ~> Cells1(n)");
  float* const x = __gmem_malloc1<float>(n); float* const y = __gmem_malloc1<float>(n);
  if (n % 4 == 0) {{ memcpy_host_to_device1(x, a, n); }}
  else {{ memcpy_host_to_device1(y, a, n); memcpy_device_to_device1(x, y, n); }}
  {each("x[i] = x[i] + 1.0f;")}
  for (int s = 0; s < 2; s++) {{ memcpy_device_to_host1(b, x, n); memcpy_host_to_device1(y, b, n); }}
  {each("x[i] = y[i] + x[i];")}
  memcpy_device_to_host1(b, x, n);
  gmem_free(x); gmem_free(y);
}}"""


def floats(*shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


def attention(q: Any, k: Any, v: Any) -> Any:
    e = np.exp(q @ k.T)
    return e / e.sum(1, keepdims=True) @ v


def stepped(a: Any, steps: int) -> Any:
    for s in range(steps):
        a = 2 * (a + s * (s + 1) // 2)
    return a


CALLS: dict[str, tuple[str, list[tuple[tuple[Any, ...], Callable[..., Any]]]]] = {
    "attention": (ATTENTION, [((5, 3, floats(5, 3), floats(5, 3), floats(5, 3)), lambda n, d, q, k, v: attention(q, k, v))]),
    "versions": (VERSIONS, [((8, floats(8)), lambda n, a: 2 * a), ((7, floats(7)), lambda n, a: 3 * a)]),
    "uneven": (UNEVEN, [((8, floats(8)), lambda n, a: 2 * a), ((7, floats(7)), lambda n, a: a + 1)]),
    "copies": (COPIES, [((8, floats(8)), lambda n, a: 2 * (a + 1)), ((7, floats(7)), lambda n, a: 2 * (a + 1))]),
    "used after": (USED_AFTER, [((6, floats(6)), lambda n, a: 2 * a)]),
}  # fmt: skip


def as_if_on_gpu(source: str) -> CudaFunction:
    k = on_standin(source, races=False)
    k.standin = False
    return k


@pytest.mark.parametrize("name", CALLS)
def test_functions_of_several_kernels_run_on_device_arrays(name: str) -> None:
    source, calls = CALLS[name]
    k = as_if_on_gpu(source)
    for args, expected in calls:
        want, kept = expected(*args), [np.copy(x) for x in args]
        out = np.full(want.shape, np.nan, np.float32)
        arrays = [DeviceArray(x) if isinstance(x, np.ndarray) else x for x in args]
        assert k(*arrays, DeviceArray(out)) is None
        np.testing.assert_allclose(out, want, rtol=1e-5)
        assert all(np.array_equal(x, y) for x, y in zip(args, kept)), "what is read is not changed"


@pytest.mark.parametrize("name", CALLS)
def test_plans_of_several_kernels_run_on_device_arrays(name: str) -> None:
    source, calls = CALLS[name]
    for args, expected in calls:
        want, kept = expected(*args), [np.copy(x) for x in args]
        out = np.full(want.shape, np.nan, np.float32)
        driver = planned_on_device(source, (*args, out))
        np.testing.assert_allclose(out, want, rtol=1e-5)
        assert all(np.array_equal(x, y) for x, y in zip(args, kept)) and not driver.memory


def planned_on_device(source: str, args: tuple[Any, ...]) -> StandinDriver:
    unit, driver = emitted(source), StandinDriver()
    assert unit.plan is not None
    signature = on_standin(source, races=False).signature
    launcher = Launcher(signature, unit.plan, unit.device_text.encode(), lambda number: driver)
    raw = [x.ctypes.data if isinstance(x, np.ndarray) else x for x in args]
    launcher.on_device(*raw, stream=0, device=0)
    return driver


@pytest.mark.parametrize("steps", [0, 1, 4])
def test_copies_and_scratch_memory_in_loops(steps: int) -> None:
    a = np.arange(6, dtype=np.float32)
    by_code, by_plan = a.copy(), a.copy()
    as_if_on_gpu(PING_PONG)(6, steps, DeviceArray(by_code))
    driver = planned_on_device(PING_PONG, (6, steps, by_plan))
    assert np.array_equal(by_code, stepped(a, steps)) and np.array_equal(by_plan, by_code)
    assert not driver.memory


def test_a_part_is_copied_as_a_part() -> None:
    a = np.arange(8, dtype=np.float32)
    as_if_on_gpu(CHANGED_SIZE)(DeviceArray(a))
    assert np.array_equal(a, np.arange(8) + np.repeat([1, 0], 4))


@pytest.mark.parametrize("n", [8, 7])
def test_results_come_from_device_arrays(n: int) -> None:
    a, out = floats(n), np.zeros(n, np.float32)
    k = as_if_on_gpu(RESULT)
    result = k(DeviceArray(a), DeviceArray(out))
    assert result == pytest.approx(4 if n == 8 else (a - 1).sum(), rel=1e-4)
    np.testing.assert_allclose(out, 2 * a if n == 8 else a + 6, rtol=1e-5)
    assert on_standin(RESULT, races=False)(a, out) == pytest.approx(result)
    assert emitted(RESULT).plan is None, "what the host computes needs a compiler"


def test_the_result_of_the_reduction() -> None:
    a = np.arange(5000, dtype=np.float32)
    assert as_if_on_gpu((ROOT / "examples/gpu/reduce.c").read_text())(DeviceArray(a)) == pytest.approx(a.sum())


def device_part(source: str) -> str:
    return emitted(source).text.partition("_on_device(")[2]


def test_arrays_are_used_in_place_where_that_is_the_same() -> None:
    for source in (ATTENTION, VERSIONS):
        assert "cudaMemcpy" not in device_part(source)
    assert set(re.findall(r"scratch_array<float> (\w+);", device_part(ATTENTION))) == {"s", "sums"}
    assert "scratch_array" not in device_part(VERSIONS)


def test_arrays_are_copied_where_it_is_not_the_same() -> None:
    """A copy after a change, a change after a copy, two arrays for a parameter."""
    assert set(re.findall(r"scratch_array<float> (\w+);", device_part(USED_AFTER))) == {"x", "y"}
    assert set(re.findall(r"scratch_array<float> (\w+);", device_part(UNEVEN))) == {"x", "y"}
    assert set(re.findall(r"scratch_array<float> (\w+);", device_part(PING_PONG))) == {"x", "y"}


IN_GPU_MEMORY = f"""void f(int n, float a[n], float g[n]) {{ {on()}
  __consumes("g ~> Cells1Of(n, GMem)"); __produces("g ~> Cells1Of(n, GMem)");
  float* const d = __gmem_malloc1<float>(n);
  BODY
  gmem_free(d);
}}"""
# Host parameters that are also copied with a parameter in GPU memory: what a and g hold in the end, from a and g.
EXCHANGES: dict[str, tuple[str, Callable[..., tuple[Any, Any]]]] = {
    "swapped": (
        f"memcpy_host_to_device1(d, a, n); memcpy_device_to_host1(a, g, n); {each('g[i] = d[i];')}",
        lambda a, g: (g, a),
    ),
    "copied between": (
        f"memcpy_host_to_device1(d, a, n); {each('d[i] = d[i] + 1.0f;')} memcpy_host_to_device1(g, a, n); "
        f"memcpy_device_to_host1(a, d, n); {each('g[i] = 2.0f * g[i];')}",
        lambda a, g: (a + 1, 2 * a),
    ),
    "written by copies alone": (
        f"memcpy_host_to_device1(g, a, n); {each('d[i] = g[i] + 1.0f;')} memcpy_device_to_host1(a, d, n);",
        lambda a, g: (a + 1, a),
    ),
    "written by a copy on the device": (
        f"memcpy_host_to_device1(d, a, n); {each('d[i] = d[i] + 1.0f;')} memcpy_device_to_device1(g, d, n);",
        lambda a, g: (a, a + 1),
    ),
}


@pytest.mark.parametrize("name", EXCHANGES)
def test_parameters_in_gpu_memory_beside_those_of_the_host(name: str) -> None:
    body, expected = EXCHANGES[name]
    source = IN_GPU_MEMORY.replace("BODY", body)
    before = floats(5), floats(5)
    want = expected(*before)
    host, device, plan = ([x.copy() for x in before] for _ in range(3))
    on_standin(source, races=False)(5, *host)
    as_if_on_gpu(source)(5, *map(DeviceArray, device))
    planned_on_device(source, (5, *plan))
    for have in (host, device, plan):
        for x, y in zip(have, want):
            np.testing.assert_array_equal(x, y)


RESIZED = f"""void f(int n, float a[n][4]) {{ {on(dims="n").replace("Cells1(n)", "Cells2(n, 4)")}
  int m = 4;
  float* const d = __gmem_malloc2<float>(SIZES); memcpy_host_to_device2(d, a, n, 4);
  m = 8;
  {launch("thread for (int i = 0; i < n; i++) { thread for (int j = 0; j < 4; j++) { d[i][j] = d[i][j] + 1.0f; } }", "n * 4")}
  memcpy_device_to_host2(a, d, n, 4); gmem_free(d);
}}"""


def test_inner_sizes_that_change_after_the_allocation_are_refused() -> None:
    """Kernels compute them again at each access."""
    for sizes in ("n, m", "n, m + 0"):
        with pytest.raises(InputError, match="an inner size of `d` may change after it is allocated"):
            emitted(RESIZED.replace("SIZES", sizes))
    scratch = f"""float f(int n, float a[n][3]) {{ __requires("n >= 2"); {on(dims="n").replace("Cells1(n)", "Cells2(n, 3)")}
      int k = 3;
      float* const h = MALLOC2(float, n, k);
      float* const d = __gmem_malloc2<float>(n, 3); memcpy_host_to_device2(d, a, n, 3);
      {launch("thread for (int i = 0; i < n; i++) { d[i][0] = 1.0f; }")}
      memcpy_device_to_host2(h, d, n, 3); gmem_free(d);
      k = 1;
      const float x = h[1][2];
      free(h);
      return x;
    }}"""
    with pytest.raises(InputError, match="an inner size of `h` may change"):
        emitted(scratch)
    a = floats(3, 4)
    want = a + 1
    on_standin(RESIZED.replace("SIZES", "n, 4").replace("m = 8;", "m = n;"), races=False)(a)
    np.testing.assert_array_equal(a, want)


def test_outer_sizes_may_change() -> None:
    a = floats(6)
    want = a + 1
    source = f"""void f(int n, float a[n]) {{ {on()}
      int m = n;
      float* const d = __gmem_malloc1<float>(m); memcpy_host_to_device1(d, a, n);
      m = 1;
      {each("d[i] = d[i] + 1.0f;")}
      memcpy_device_to_host1(a, d, n); gmem_free(d);
    }}"""
    on_standin(source, races=False)(a)
    np.testing.assert_array_equal(a, want)


def test_rows_are_copied() -> None:
    source = f"""void f(int n, int m, float a[n][m]) {{ __requires("n >= 2, m >= 2");
      {on(dims="n").replace("Cells1(n)", "Cells2(n, m)")}
      float* const d = __gmem_malloc2<float>(n, m); memcpy_host_to_device2(d, a, n, m);
      {launch("thread for (int i = 0; i < n; i++) { thread for (int j = 0; j < m; j++) { d[i][j] = d[i][j] + 1.0f; } }", "n * m")}
      memcpy_device_to_host2(&a[1], d, n - 1, m); gmem_free(d);
    }}"""
    for call in (on_standin(source, races=False), lambda a: as_if_on_gpu(source)(DeviceArray(a))):
        a = floats(3, 4)
        want = np.concatenate([a[:1], a[:2] + 1])
        call(a)
        np.testing.assert_array_equal(a, want)


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("a[0] = 1.0f;", "line 5 uses elements of `a` on the host"),
        ("for (int i = 0; i < n; i++) { a[i] = 1.0f; }", "line 5 uses elements of `a`"),
        ("if (a[0] > 0.0f) { memcpy_host_to_device1(x, a, n); }", "line 5 uses elements of `a`"),
        ("const float first = a[0];", "line 5 uses elements of `a`"),
    ],
)
def test_host_code_that_uses_elements_is_named(statement: str, says: str) -> None:
    source = f"""void f(int n, float a[n]) {{ __requires("n >= 1"); {on()}
  float* const x = __gmem_malloc1<float>(n);
  memcpy_host_to_device1(x, a, n);
  {each("x[i] = x[i] + 1.0f;")}
  {statement}
  memcpy_device_to_host1(a, x, n); gmem_free(x);
}}"""
    unit = emitted(source)
    assert not unit.on_device and unit.plan is None and "_on_device" not in unit.text
    assert unit.host_work.startswith(says)
    k = on_standin(source, races=False)
    k.standin, k.host_work = False, unit.host_work
    with pytest.raises(CallError, match="takes arrays in host memory, since it works on them there: line 5"):
        k(DeviceArray(np.zeros(4, np.float32)))


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_memory_is_freed_when_a_plan_fails_midway(failing: int) -> None:
    unit, driver = emitted(ATTENTION), StandinDriver()
    assert unit.plan is not None
    done = driver.launch

    def launched(*args: Any) -> None:
        if len(driver.launches) == failing:
            raise CallError("refused")
        done(*args)

    driver.launch = launched  # type: ignore[method-assign]
    signature = on_standin(ATTENTION, races=False).signature
    launcher = Launcher(signature, unit.plan, unit.device_text.encode(), lambda number: driver)
    arrays = [floats(5, 3) for _ in range(4)]
    with pytest.raises(CallError, match="refused"):
        launcher.on_device(5, 3, *(x.ctypes.data for x in arrays), stream=0, device=0)
    assert not driver.memory
