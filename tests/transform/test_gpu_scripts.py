"""GPU case studies by script: every step verified, the same results at every step, no race on any schedule, no barrier too many."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.api import has_kernels
from optigpu.check.verdict import Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.commands.differential import compare
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function as run_tests
from optigpu.report.scripts import render_step_error
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.runtime.stored_floats import dtype_of
from optigpu.script.editing import replace_at
from optigpu.script.step_errors import StepError
from optigpu.script.targets import Call
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program
from tests.conftest import ROOT
from tests.support.running import PATIENCE

run_tests.__test__ = False
SCRIPTS = sorted((ROOT / "examples" / "gpu" / "scripts").glob("*.py"))
SLOW = {"softmax_rows", "softmax_fast", "layer_norm", "rms_norm", "scan_fast", "reduce_fast"}  # many steps
SLOW |= {"matmul", "matmul_tensor", "conv2d"}  # several versions, large tiles
SLOW |= {  # of which tests/schedules runs smaller ones
    "matmul_bf16", "linear_bf16", "batched_matmul_f16", "matmul_tf32", "matmul_thin", "attention", "attention_bf16",
    "attention_causal_bf16",
}  # fmt: skip
NAMES = [pytest.param(p.stem, marks=[pytest.mark.slow] if p.stem in SLOW else []) for p in SCRIPTS]
OFTEN = [pytest.param(p.stem, marks=[pytest.mark.slow] if p.stem in {*SLOW, "reduce_warp"} else []) for p in SCRIPTS]
SMALLER = {  # fewer blocks, for the interpreter
    "reduce": (("67584", "512"), ("67583", "511"), ("264", "2")),
    "reduce_warp": (("67584", "512"), ("67583", "511"), ("264", "2")),
    "reduce_fast": (  # and of four threads
        ("512", "8"), ("2097152", "512"), ("2097151", "511"), ("4096", "64"), ("3072", "48"), ("1024", "16"), ("256", "4"),
        ("128", "2"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def done() -> Callable[[str], og.Script]:
    """Each script is run once, when it is first asked for."""
    scripts: dict[str, og.Script] = {}

    def get(name: str) -> og.Script:
        if name not in scripts:
            path = next(p for p in SCRIPTS if p.stem == name)
            scripts[name] = runpy.run_path(str(path))["s"]
        return scripts[name]

    return get


Done = Callable[[str], og.Script]


@pytest.mark.parametrize("name", NAMES)
def test_every_step_is_verified_without_assumptions(done: Done, name: str) -> None:
    s = done(name)
    for step in (x for x in s.steps if not x.phase):  # the end of a phase is a step of its own
        assert step.result is not None and step.result.verified and not step.result.assumptions, step.title
    assert has_kernels(s.program) and not has_kernels(s.original)


@pytest.mark.parametrize("name", OFTEN)
def test_every_step_on_the_host_computes_what_the_original_does(done: Done, name: str) -> None:
    s = done(name)
    f = s.original.functions()[-1]
    runner = Runner(s.original)
    seen: set[str] = set()
    for step in s.steps:
        if has_kernels(step.after) or (text := emit_c(step.after)) in seen:
            continue
        seen.add(text)
        difference = compare(CFunction(text, signature_of(f, effective_types(f))), runner, f, runs=3)
        assert difference is None, (step.title, difference)


@pytest.mark.parametrize("name", OFTEN)
def test_the_kernel_runs_clean_and_meets_its_contract(done: Done, name: str) -> None:
    text = print_program(done(name).program)
    for old, new in SMALLER.get(name, ()):
        text = text.replace(old, new)
    program = parse_text(text)
    report = run_tests(Runner(program), program.functions()[-1], seconds=PATIENCE, most=2)
    assert report.failure is None, str(report.failure)
    assert report.runs >= 1 and not report.skipped


def _softmax(a: Any) -> Any:
    e = np.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def _layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * gamma + beta


def _rms_norm(x: Any, gamma: Any) -> Any:
    return x / np.sqrt((x * x).mean(axis=1, keepdims=True) + 1e-5) * gamma


def _stencil(a: Any) -> Any:
    b = a.copy()
    around = a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]
    b[1:-1, 1:-1] = 0.5 * a[1:-1, 1:-1] + 0.125 * around
    return b


def _convolution(x: Any, k: Any) -> Any:
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    (_, h, w), f = x.shape, k.shape[0]
    windows = np.stack([padded[:, u : u + h, v : v + w] for u in range(3) for v in range(3)], axis=1)
    return np.einsum("quij,oqu->oij", windows, k.reshape(f, -1, 9))


def _attention(q: Any, k: Any, v: Any, *, causal: bool = False) -> Any:
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[2])
    weights = np.exp(scores) * (np.tril(np.ones(scores.shape[1:])) if causal else 1)
    return weights / weights.sum(axis=2, keepdims=True) @ v


def _linear(x: Any, weights: Any, bias: Any) -> Any:
    return np.maximum(x @ weights.T + bias, 0)


HALF, BF16 = np.dtype(np.float16), dtype_of("bfloat16")
KINDS: dict[str, Any] = {
    "histogram": np.int32, "vector_add_half": HALF, "batched_matmul_f16": HALF, "matmul_bf16": BF16, "linear_bf16": BF16,
    "attention_bf16": BF16, "attention_causal_bf16": BF16,
}  # fmt: skip
LESS_ACCURATE = {name: 0.05 for name, kind in KINDS.items() if kind == BF16}
LESS_ACCURATE |= {"batched_matmul_f16": 0.01, "matmul_tf32": 0.02}


# Inputs, the shape of the output (none for a result), and what NumPy says.
EXPECTED: dict[str, tuple[list[tuple[int, ...]], tuple[int, ...] | None, Callable[..., Any]]] = {
    "attention": ([(1, 70, 64)] * 3, (1, 70, 64), _attention),
    "attention_bf16": ([(1, 150, 128)] * 3, (1, 150, 128), _attention),
    "attention_causal_bf16": ([(1, 150, 128)] * 3, (1, 150, 128), partial(_attention, causal=True)),
    "batched_matmul_f16": ([(2, 50, 131), (2, 50, 197)], (2, 131, 197), lambda a, b: a.transpose(0, 2, 1) @ b),
    "conv2d": ([(3, 37, 18), (5, 3, 3, 3)], (5, 37, 18), _convolution),
    "histogram": ([(3000,)], (10,), lambda a: np.bincount(a.astype(np.int32), minlength=10)),
    "layer_norm": ([(3, 500), (500,), (500,)], (3, 500), _layer_norm),
    "matmul": ([(131, 50), (50, 197)], (131, 197), lambda a, b: a @ b),
    "linear_bf16": ([(131, 50), (197, 50), (197,)], (131, 197), _linear),
    "matmul_bf16": ([(131, 50), (50, 197)], (131, 197), lambda a, b: a @ b),
    "matmul_tf32": ([(131, 50), (50, 197)], (131, 197), lambda a, b: a @ b),
    "matmul_thin": ([(131, 50), (50, 197)], (131, 197), lambda a, b: a @ b),
    "matmul_tensor": ([(131, 50), (50, 197)], (131, 197), lambda a, b: a @ b),
    "reduce": ([(70000,)], None, lambda a: a.sum()),
    "reduce_fast": ([(70001,)], (1,), lambda a: a.sum()),
    "reduce_warp": ([(70000,)], None, lambda a: a.sum()),
    "rms_norm": ([(3, 501), (501,)], (3, 501), _rms_norm),
    "scan": ([(9000,)], (9000,), np.cumsum),
    "scan_fast": ([(9001,)], (9001,), np.cumsum),
    "softmax_fast": ([(2, 5000)], (2, 5000), _softmax),
    "softmax_rows": ([(5, 300)], (5, 300), _softmax),
    "stencil2d": ([(37, 50)], (37, 50), _stencil),
    "stencil2d_fast": ([(37, 600)], (37, 600), _stencil),
    "transpose": ([(45, 70)], (70, 45), lambda a: a.T),
    "transpose_fast": ([(45, 170)], (170, 45), lambda a: a.T),
    "vector_add": ([(1000,), (1000,)], (1000,), lambda a, b: a + b),
    "vector_add_fast": ([(2501,), (2501,)], (2501,), lambda a, b: a + b),
    "vector_add_half": ([(5003,), (5003,)], (5003,), lambda a, b: a + b),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_emitted_cuda_agrees_with_numpy(done: Done, name: str) -> None:
    shapes, output, expected = EXPECTED[name]
    rng = np.random.default_rng(1)
    kind = KINDS.get(name, np.float32)
    drawn = (rng.integers(0, 10, x) if kind is np.int32 else rng.standard_normal(x) for x in shapes)
    inputs = [x.astype(kind) for x in drawn]
    wanted = expected(*(x.astype(np.float64) for x in inputs))
    s = done(name)
    signature = signature_of(f := s.program.functions()[-1], effective_types(f))
    arrays = iter([*inputs, *([] if output is None else [np.zeros(output, kind)])])
    args: dict[str, Any] = {p.name: next(arrays) for p in signature.params if hasattr(p, "elem")}
    sizes = _sizes(signature, args)
    result = s.build()(*(args[p.name] if p.name in args else sizes[p.name] for p in signature.params))
    have = result if output is None else list(args.values())[-1]
    allowed = LESS_ACCURATE.get(name, 1e-3)
    assert np.allclose(np.asarray(have, np.float64), wanted, rtol=allowed, atol=allowed)


def _sizes(signature: Any, args: dict[str, Any]) -> dict[str, int]:
    """The sizes that the shapes of the arrays say."""
    out: dict[str, int] = {}
    for p in signature.params:
        if p.name in args:
            for dim, n in zip(p.dims, args[p.name].shape):
                if hasattr(dim, "name"):
                    out[dim.name] = n
    return out


def _verified(program: Program) -> bool:
    return all(f.verdict is Verdict.VERIFIED for f in Verifier(Settings()).verify(program).functions)


@pytest.mark.parametrize("name", OFTEN)
def test_no_barrier_can_be_left_out(done: Done, name: str) -> None:
    s = done(name)
    for place in s.find_all(Call("blocksync")) if "blocksync" in s.text() else []:
        assert not _verified(replace_at(s.program, place)), f"the barrier at {place} is not needed"


def summed(size: int, after: str = "", body: str = "x += t[i];") -> og.Script:
    return og.Script(
        parse_text(f"""
        void f(float a[1], float b[{size}]) {{
          __requires("B: int -> float");
          __reads("b ~> Matrix1({size}, B)");
          __writes("&a[0] ~~> Sum(i in 0..{size}, B(i))");
          float t[{size}];
          for (int i = 0; i < {size}; i++) t[i] = b[i];
          float x = 0.0f;
          for (int i = 0; i < {size}; i++) {{ {body} }}
          a[0] = x{after};
        }}""")
    )


def test_sums_by_shuffles_of_one_and_of_several_warps() -> None:
    for size in (32, 96):
        s = summed(size)
        s.reduce.warp(og.For("i").last)
        assert s.result.verified and f"float sums[{size // 32}];" in s.text()


def test_sums_by_shuffles_take_whole_warps_and_use_the_array_up() -> None:
    for size, body, why in ((48, "x += t[i];", "multiple of 32"), (64, "x += 1.0f * t[i];", "adds up an array")):
        with pytest.raises(InputError, match=why):
            summed(size, body=body).reduce.warp(og.For("i").last)
    with pytest.raises(StepError):
        summed(64, after=" + t[1] - t[1]").reduce.warp(og.For("i").last)


def test_reductions_of_the_library_are_brought_in_and_verified() -> None:
    s = summed(64)
    s.function.insert(str(ROOT / "examples" / "gpu" / "library" / "reductions.h"))
    verdicts = {f.name: f.verdict for f in s.result.functions}
    assert verdicts == dict.fromkeys(("sum_block", "sum_warp", "f"), Verdict.VERIFIED)


def lanes(index: str) -> og.Script:
    """Each thread of a warp copies what another lane has."""
    return og.Script(
        parse_text(f"""
        void f(int n, float a[n][32], float b[n][32]) {{
          __reads("b ~> Cells2(n, 32)");
          __writes("a ~> Cells2(n, 32)");
          for (int k = 0; k < n; k++) {{
            float x[32];
            float y[32];
            for (int i = 0; i < 32; i++) x[i] = b[k][i];
            for (int i = 0; i < 32; i++) y[i] = x[{index}];
            for (int i = 0; i < 32; i++) a[k][i] = y[i];
          }}
        }}""")
    )


def test_a_copy_between_lanes_becomes_a_shuffle() -> None:
    s = lanes("i + 2 < 32 ? i + 2 : i")
    s.gpu.launch(grid=["k"], block=["i"], registers={"x": 1, "y": 1})
    assert s.result.verified and "shfl_down(&y[DMINDEX1(32, 0)], &x[DMINDEX1(32, 0)], 2);" in s.text()


def test_other_copies_between_lanes_do_not() -> None:
    with pytest.raises((StepError, InputError)) as caught:
        lanes("i < 30 ? i + 2 : i").gpu.launch(grid=["k"], block=["i"], registers={"x": 1, "y": 1})
    assert "OG344" in str(caught.value) or "registers" in str(caught.value)


def test_a_deleted_barrier_is_told_as_the_design_says(done: Done, golden: Any) -> None:
    with pytest.raises(StepError) as caught:
        done("transpose").instr.delete(Call("blocksync"))
    lines = [re.sub(r"/\S*/", "", line) for line in render_step_error(caught.value).splitlines()]
    golden(ROOT / "tests" / "golden" / "gpu_script_error.txt", "\n".join(lines[2:]) + "\n")


def windows(body: str, value: str) -> og.Script:
    return og.Script(
        parse_text(f"""
        void f(int n, float a[n], float b[n + 2]) {{
          __requires("B: int -> float, n >= 0");
          __reads("b ~> Matrix1(n + 2, B)");
          __writes("for i in 0..n -> &a[i] ~~> {value}");
          for (int i = 0; i < n; i++) {{
            {body}
          }}
        }}""")
    )


def test_a_tile_with_a_halo_covers_all_reads() -> None:
    s = windows("a[i] = b[i] + b[i + 2];", "B(i) + B(i + 2)")
    s.loop.tile("i", 8, outer="bi", tail="guard")
    s.matrix.stage("b", at=og.For("i"), name="tile")
    text = s.text()
    assert "float tile[10];" in text and "a[bi * 8 + i] = tile[i] + tile[i + 2];" in text


@pytest.mark.parametrize(
    ("body", "value", "array", "why"),
    [
        ("a[i] = b[i]; a[i] = 2.0f * a[i]; a[i] = a[i] + a[i];", "4.0f * B(i)", "a", "is written here"),
        ("a[i] = b[i] + b[n - i];", "B(i) + B(n - i)", "b", "constant distances"),
        ("a[i] = b[i] + b[0];", "B(i) + B(0)", "b", "constant distances"),
    ],
)
def test_a_tile_that_is_not_one_is_refused(body: str, value: str, array: str, why: str) -> None:
    s = windows(body, value)
    with pytest.raises(InputError, match=why):
        s.matrix.stage(array, at="i", name="tile")


def test_prefix_sums_with_a_size_of_zero_are_rejected() -> None:
    s = og.Script(ROOT / "examples" / "prefix_sums.c")
    with pytest.raises(StepError):
        s.reduce.scan("i", "n", outer="t", sums="sums", before="base")


DIVIDED = """
void f(int w, float a[w], float b[w]) {
  __requires("A: int -> float, w > 0");
  __reads("a ~> Matrix1(w, A)");
  __writes("b ~> Matrix1(w, fun i -> 1.0f / Sum(k in 0..w, %s))");
  float total = 0.0f;
  for (int k = 0; k < (w + 7) / 8; k++) {
    for (int j = 0; j < 8; j++) {
      if (8 * k + j < w) {
        total += %s;
      }
    }
  }
  for (int i = 0; i < w; i++) {
    b[i] = 1.0f / total;
  }
}
"""


@pytest.mark.parametrize(
    ("spec", "code", "verified"),
    [
        ("expf(A(k))", "expf(a[8 * k + j])", True),
        ("A(k)", "a[8 * k + j]", False),
        ("(expf(A(k)) - expf(A(k)))", "(expf(a[8 * k + j]) - expf(a[8 * k + j]))", False),
    ],
)
def test_a_sum_in_tiles_may_divide_only_if_it_is_not_zero(spec: str, code: str, verified: bool) -> None:
    text = DIVIDED % (spec, code)
    unsaid = text.replace(f"Matrix1(w, fun i -> 1.0f / Sum(k in 0..w, {spec}))", "Cells1(w)")
    assert unsaid != text
    for program, wrong in ((text, "OG361"), (unsaid, "OG310")):  # the contract divides too
        (f,) = Verifier(Settings()).verify(parse_text(program)).functions
        assert (f.verdict is Verdict.VERIFIED) is verified
        assert verified or (f.problem is not None and f.problem.code == wrong)


def test_a_host_that_looks_at_an_array_keeps_its_copies() -> None:
    """Between two kernels `a` is changed by the host: the second one must get the new contents."""
    s = og.Script(
        parse_text("""
        void f(int n, float a[n]) {
          __requires("n % 32 == 0");
          __writes("a ~> Matrix1(n, fun i -> 3.0f)");
          for (int b = 0; b < n / 32; b++) { for (int t = 0; t < 32; t++) { a[32 * b + t] = 1.0f; } }
          for (int i = 0; i < n; i++) { a[i] += 1.0f; }
          for (int c = 0; c < n / 32; c++) { for (int t = 0; t < 32; t++) { a[32 * c + t] += 1.0f; } }
        }""")
    )
    s.gpu.launch(grid=["b"], block=["t"])
    s.gpu.launch(grid=["c"], block=["t"])
    s.gpu.stay_on_device()
    assert s.text().count("memcpy_host_to_device1") == 1 and s.text().count("memcpy_device_to_host1") == 2


def test_a_kernel_that_only_reads_an_array_leaves_it_as_the_host_has_it() -> None:
    """Three kernels, one device array for `a`; its twin is above: there the host changes it in between."""
    read = "for (int c = 0; c < n / 32; c++) { for (int t = 0; t < 32; t++) { %s[32 * c + t] = a[32 * c + t]; } }"
    s = og.Script(
        parse_text(f"""
        void f(int n, float a[n], float x[n], float y[n]) {{
          __requires("A: int -> float, n % 32 == 0");
          __reads("a ~> Matrix1(n, A)");
          __writes("x ~> Matrix1(n, A), y ~> Matrix1(n, A)");
          {read % "x"}
          {read.replace("c", "d") % "y"}
        }}""")
    )
    s.gpu.launch(grid=["c"], block=["t"])
    s.gpu.launch(grid=["d"], block=["t"])
    s.gpu.stay_on_device()
    assert s.text().count("memcpy_host_to_device1") == 1


def two_kernels(between: str, value: str) -> og.Script:
    """The second kernel reads `b`, the first one does not; a constant of the first one is an element of `a`."""
    s = og.Script(
        parse_text(f"""
        void f(int n, float a[n], float b[n], float x[n], float y[n]) {{
          __requires("A: int -> float, B: int -> float, n % 32 == 0");
          __reads("a ~> Matrix1(n, A)");
          __consumes("b ~> Matrix1(n, B)");
          __produces("b ~> Matrix1(n, fun i -> {value})");
          __writes("x ~> Matrix1(n, A), y ~> Matrix1(n, fun i -> A(i) + {value})");
          for (int c = 0; c < n / 32; c++) {{
            for (int t = 0; t < 32; t++) {{ const float e = a[32 * c + t]; x[32 * c + t] = e; }}
          }}
          {between}
          for (int d = 0; d < n / 32; d++) {{
            for (int t = 0; t < 32; t++) {{ y[32 * d + t] = a[32 * d + t] + b[32 * d + t]; }}
          }}
        }}""")
    )
    s.gpu.launch(grid=["c"], block=["t"])
    s.gpu.launch(grid=["d"], block=["t"])
    s.gpu.stay_on_device()
    return s


def test_arrays_are_copied_before_the_first_kernel_unless_the_host_changes_them_later() -> None:
    def copied_first(s: og.Script) -> bool:
        assert s.text().count("memcpy_host_to_device1(d_a") == 1
        return s.text().index("memcpy_host_to_device1(d_b,") < s.text().index("kernel_launch(")

    assert copied_first(two_kernels("", "B(i)"))
    assert not copied_first(two_kernels("for (int i = 0; i < n; i++) { b[i] = 1.0f; }", "1.0f"))


def blockwise(inner: str) -> og.Script:
    """A variable of a block, between two of its thread loops."""
    return og.Script(
        parse_text(f"""
        void f(int n, float a[n]) {{
          __requires("A: int -> float, n % 8 == 0");
          __consumes("a ~> Matrix1(n, A)");
          __produces("a ~> Matrix1(n, fun i -> A(8 * (i / 8)))");
          for (int b = 0; b < n / 8; b++) {{
            float x = 0.0f;
            {inner}
            for (int t = 0; t < 8; t++) {{ a[8 * b + t] = x; }}
          }}
        }}""")
    )


def test_a_variable_that_one_thread_assigns_for_the_others_is_shared() -> None:
    s = blockwise("x = a[8 * b];")
    s.gpu.launch(grid=["b"], block=["t"])
    assert "__shared__ float x[1];" in s.text() and "blocksync" in s.text()


def test_a_variable_that_all_threads_assign_is_a_race() -> None:
    s = blockwise("for (int t = 0; t < 8; t++) { x = a[8 * b]; }")
    with pytest.raises(StepError, match="race"):
        s.gpu.launch(grid=["b"], block=["t"])
