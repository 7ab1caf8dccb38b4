"""GPU programs checked directly: what is right verifies, what is wrong is rejected with the right code."""

from __future__ import annotations

from pathlib import Path

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.errors.catalogue import CATALOGUE
from optigpu.frontend import parse_file, parse_text
from optigpu.interp.refute import refute
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function as run_tests
from optigpu.report.verdict_text import render_function
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.source import SourceText
from tests.conftest import ROOT
from tests.support.gpu_group_functions import GROUP_FUNCTIONS
from tests.support.gpu_programs import GPU_PAIRS, GpuPair

run_tests.__test__ = False


def check(text: str) -> ProgramResult:
    return Verifier().verify(parse_text(text))


def explain(result: ProgramResult) -> str:
    return "\n".join(render_function(f) for f in result.functions)


ALL_PAIRS = [*GPU_PAIRS, *GROUP_FUNCTIONS]


@pytest.mark.parametrize("pair", ALL_PAIRS, ids=lambda p: p.name)
def test_right_programs_verify(pair: GpuPair) -> None:
    program = parse_text(pair.text())
    result = Verifier().verify(program)
    assert result.verified, explain(result)
    assert result.assumptions == 0
    found = audit(program, certificate_of(program, result), Z3Solver())
    assert found.failures == {}, found.failures


SOFTMAX = ROOT / "examples" / "gpu" / "softmax_rows.c"
FAST_SOFTMAX = ROOT / "examples" / "gpu" / "fast" / "softmax.c"


@pytest.mark.parametrize("path", [SOFTMAX, FAST_SOFTMAX], ids=lambda p: p.stem)
def test_softmax_verifies(path: Path) -> None:
    program = parse_file(path)
    result = Verifier().verify(program)
    assert result.verified and result.assumptions == 0, explain(result)
    assert audit(program, certificate_of(program, result), Z3Solver()).failures == {}


SOFTMAX_MISTAKES = [
    ("    blocksync();\n    const float top", "    const float top"),
    ("    blocksync();\n    const float total", "    const float total"),
    ("width: w > 0", "width: w >= 0"),
]
WRONG_VALUES = [  # the search for a proof takes its time to give up
    ("float best = d_a[i][0];", "float best = 0.0f;"),  # too large for a row of negative numbers
    ("        best = fmaxf(best, d_a[i][j]);\n", "        best = d_a[i][j];\n"),
    ("s_max[t] = fmaxf(s_max[t], s_max[t + half]);", "s_max[t] = fmaxf(s_max[t], s_max[half]);"),
    ("const float top = s_max[0];", "const float top = d_a[i][0];"),
    ("      for (int j = t; j < w; j += 8) {\n        sum", "      for (int j = t; j < w - 1; j += 8) {\n        sum"),
]


@pytest.mark.parametrize(
    ("old", "new"), [*SOFTMAX_MISTAKES, *(pytest.param(*m, marks=pytest.mark.slow) for m in WRONG_VALUES)]
)
def test_softmax_with_a_mistake_is_rejected(old: str, new: str) -> None:
    """With blocks of 8 threads: the proofs are the same, and there are fewer passes of the trees."""
    text = SOFTMAX.read_text(encoding="utf-8").replace("128", "8").replace("half = 64", "half = 4")
    assert old in text
    assert not check(text.replace(old, new, 1)).verified


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("float m = v[DMINDEX1(THREADS, t)][0][0];", "float m = 0.0f;"),
        ("m = fmaxf(m, s_max[32 * j + t]);", "m = fmaxf(m, s_max[32 * j]);"),
        ("m = fmaxf(m, s_max[32 * j + t]);", "m = fmaxf(m, s_max[16 * j + t]);"),
        (
            "    blocksync();\n    thread for (int t = 0; t < THREADS; t++) {\n      float m = s_max32[0];",
            "    thread for (int t = 0; t < THREADS; t++) {\n      float m = s_max32[0];",
        ),
        ("sum += s_sum[32 * j + t];", "sum += s_sum[32 * j];"),
        ("for (int j = 1; j < 32; j++)", "for (int j = 1; j < 31; j++)"),
    ],
)
def test_fast_softmax_with_a_mistake_is_rejected(old: str, new: str) -> None:
    text = FAST_SOFTMAX.read_text(encoding="utf-8")
    assert old in text
    assert not check(text.replace(old, new, 1)).verified


WRONG = [(p, i) for p in ALL_PAIRS for i in range(len(p.wrong))]


@pytest.mark.parametrize(("pair", "number"), WRONG, ids=[f"{p.name}-{i}-{p.wrong[i][2]}" for p, i in WRONG])
def test_wrong_programs_are_rejected(pair: GpuPair, number: int) -> None:
    code = pair.wrong[number][2]
    try:
        result = check(pair.broken(number))
    except InputError as e:
        assert e.diagnostic.code == code, e
        return
    problems = [f.problem for f in result.functions if f.problem is not None and f.problem.code != "OG330"]
    assert problems, "verified"
    assert problems[0].code == code, explain(result)


@pytest.mark.parametrize("pair", GROUP_FUNCTIONS, ids=lambda p: p.name)
def test_functions_for_groups_run_clean(pair: GpuPair) -> None:
    """Called by kernels in the interpreter; by itself such a function cannot be run."""
    program = parse_text(pair.text())
    report = run_tests(Runner(program), program.functions()[-1], seconds=2.0, most=4)
    assert report.failure is None and report.runs and not report.skipped, str(report.failure)
    alone = run_tests(Runner(program), program.functions()[0], seconds=1.0)
    assert alone.failure is None and not alone.runs and "threads" in str(alone.gave_up)


# One text for each kind of mistake with threads: (pair, which of its wrong twins).
SPOKEN = (
    ("each_thread_its_own_cell", 0),  # two threads write a cell
    ("each_thread_its_own_cell", 1),  # one writes what another reads
    ("reversed_through_shared_memory", 0),  # no barrier after a write
    ("one_warp_at_a_time", 0),  # none within a warp
    ("write_after_read_in_a_straight_line", 0),  # none after a read
    ("across_iterations", 1),  # nor in a loop
    ("between_blocks", 0),  # blocks
    ("registers_of_a_block", 0),  # registers of another thread
    ("reversed_through_shared_memory", 2),  # shared memory of another block
    ("barrier_at_block_level", 6),  # a barrier of the whole grid
    ("barrier_at_block_level", 8),  # of a thread
    ("reversed_through_shared_memory", 1),  # the wrong one
    ("one_warp_at_a_time", 1),  # of a warp
    ("only_one_thread_writes", 0),  # a store by 256 threads
    ("barrier_at_block_level", 2),  # shared memory of a thread
    ("a_device_function", 1),  # a device function on the host
    ("what_a_function_reads_stays_read", 6),  # or by the wrong number of threads
    ("a_tree_in_a_function", 1),  # no barrier at its end
    ("a_tree_in_a_function", 6),  # for a whole block?
    ("each_thread_its_own_cell", 6),  # extents
    ("each_thread_its_own_cell", 9),
    ("each_thread_its_own_cell", 3),  # spaces
    ("each_thread_its_own_cell", 17),
    ("more_than_1024_threads", 0),  # limits
    ("each_thread_its_own_cell", 10),
    ("each_thread_its_own_cell", 11),
    ("barrier_at_block_level", 3),
    ("each_thread_its_own_cell", 14),  # phases
    ("reversed_through_shared_memory", 5),  # a leak
    ("reversed_through_shared_memory", 6),
    ("shared_memory_of_an_iteration", 0),  # reuse
    ("four_cells_at_once", 0),  # alignment
    ("a_sum_by_shuffles", 3),  # lanes
)
OF_THREADS = {f"OG{n}" for n in range(340, 355)}


def test_errors_of_threads_read_well(golden) -> None:
    """Both places, who, which cell, the sizes, the levels, and what to do (DESIGN, section 2)."""
    pairs, texts, codes = {p.name: p for p in ALL_PAIRS}, [], set()
    for name, number in SPOKEN:
        text = pairs[name].broken(number)
        result = Verifier(Settings(refuter=refute)).verify(parse_text(text, f"{name}-{number}.c"))
        bad = next(f for f in result.functions if f.verdict is not Verdict.VERIFIED)
        assert bad.problem is not None
        codes.add(bad.problem.code)
        source = SourceText("", text)
        texts.append(render_function(bad, sources=lambda _, s=source: s))
    assert codes == OF_THREADS <= CATALOGUE.keys()
    golden(ROOT / "tests" / "golden" / "gpu_errors.txt", "\n\n".join(texts) + "\n")
