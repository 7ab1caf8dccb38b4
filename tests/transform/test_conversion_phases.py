"""The phases of Figure 5.3 and the steps of Figure 5.4: each step verifies by itself, shows who owns what, and runs as it is."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import optigpu as og
from optigpu import Call, For, Write
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend import parse_text
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function as run_tests
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT
from tests.support.default_memory_random import random_kernel
from tests.support.running import PATIENCE

run_tests.__test__ = False
THESIS = ROOT / "examples" / "thesis"


@pytest.fixture(scope="module")
def phases() -> og.Script:
    s: og.Script = runpy.run_path(str(THESIS / "figure_5_3.py"))["s"]
    return s


def test_every_step_of_figure_5_3_verifies_by_itself(phases: og.Script) -> None:
    assert len(phases.steps) == 12
    for step in phases.steps:
        assert step.result is not None and step.result.verified, step.title


def test_every_step_of_figure_5_3_runs_clean(phases: og.Script) -> None:
    for step in phases.steps:
        report = run_tests(Runner(step.after), step.after.functions()[-1], seconds=PATIENCE, most=2)
        assert report.failure is None, step.title


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (1, "`t` is default memory, allocated in a kernel"),
        (4, "a magic thread loop has no counterpart in CUDA device code"),
        (5, "`t` is default memory, allocated in a kernel"),
        (6, "`a` is host memory: a kernel cannot use it"),
        (7, "`magic_barrier` has no counterpart in CUDA device code"),
    ],
)
def test_a_step_that_is_no_gpu_program_is_not_emitted(phases: og.Script, number: int, message: str) -> None:
    with pytest.raises(InputError) as e:
        emit_cuda(phases.steps[number].after)
    assert e.value.diagnostic.message == message
    assert "s.gpu." in (e.value.diagnostic.help or "")


def test_the_last_step_of_figure_5_3_is_a_gpu_program(phases: og.Script) -> None:
    text = emit_cuda(phases.program).text
    assert text.count("__syncthreads();") == 1 and "__shared__" in text


def test_every_step_of_figure_5_4_verifies_by_itself() -> None:
    s: og.Script = runpy.run_path(str(THESIS / "figure_5_4.py"))["s"]
    assert [step.title.split("(")[0] for step in s.steps[1:5]] == [
        "gpu.seq_for_to_magic_thread_for", "loop.fission", "gpu.remove_loop_around_barrier", "gpu.seq_for_to_magic_thread_for"
    ]  # fmt: skip
    assert all(step.result is not None and step.result.verified for step in s.steps)
    assert s.text().count("magic_barrier();") == 2


def test_a_magic_loop_without_the_barrier_that_the_next_loop_needs_is_rejected() -> None:
    s = og.Script(THESIS / "figure_5_3.c")
    s.gpu.create_kernel_launch("i", grid="n", block=32)
    s.gpu.seq_for_to_magic_thread_for(For("j", body=Write("t")))
    with pytest.raises(StepError) as e:
        s.instr.delete(Call("magic_barrier"))
    assert "OG341" in str(e.value) or "magic barrier" in str(e.value)


def test_barriers_become_real_after_memory_and_not_before() -> None:
    s = og.Script(THESIS / "figure_5_3.c")
    s.gpu.create_kernel_launch("i", grid="n", block=32, smem="32 * sizeof(float)")
    s.gpu.seq_for_to_magic_thread_for(For("j", body=Write("t")))
    s.gpu.seq_for_to_magic_thread_for(For("j", body=Write("b")))
    s.gpu.seq_for_to_magic_thread_for("i")
    s.gpu.convert_magic_thread_fors("i")
    with pytest.raises(StepError):
        s.gpu.magic_barrier_to_blocksync(Call("magic_barrier").first)
    s.gpu.convert_to_shared_mem("t")
    s.gpu.magic_barrier_to_blocksync(Call("magic_barrier").first)


def test_memory_of_the_gpu_is_refused_in_magic_loops() -> None:
    s = og.Script(THESIS / "figure_5_3.c")
    s.gpu.create_kernel_launch("i", grid="n", block=32)
    s.gpu.seq_for_to_magic_thread_for("i")
    with pytest.raises(StepError):
        s.gpu.copy_to_device("a")


def test_the_trace_says_who_owns_what_after_a_magic_loop(phases: og.Script, tmp_path: Path) -> None:
    page = phases.trace(tmp_path / "trace.html").read_text(encoding="utf-8")
    assert "of a magic thread loop until a magic barrier" in page


@pytest.mark.parametrize("seed", range(60))
def test_a_random_kernel_on_default_memory_that_verifies_has_no_race(seed: int) -> None:
    program = parse_text(random_kernel(seed), "random.c")
    if Verifier(Settings(refuter=None)).verify(program).verified:
        report = run_tests(Runner(program), program.functions()[-1], seconds=PATIENCE, most=3)
        assert report.failure is None, random_kernel(seed)


@pytest.mark.parametrize("name", ["listing_3_7", "listing_3_10"])
def test_the_listings_verify_in_full_size(name: str) -> None:
    program = parse_text((THESIS / f"{name}.c").read_text(encoding="utf-8"), f"{name}.c")
    assert Verifier(Settings(refuter=None)).verify(program).verified
