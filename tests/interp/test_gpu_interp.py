"""GPU programs in the interpreter: case studies run clean, races name both accesses, schedules differ. (tests/cases has more.)"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from optigpu.frontend import parse_file, parse_text
from optigpu.interp.inputs import Inputs
from optigpu.interp.machine import Machine
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.refute import refute
from optigpu.interp.runner import Runner
from optigpu.interp.testing import TestReport as Report
from optigpu.interp.testing import run_once
from optigpu.interp.testing import test_function as run_tests
from optigpu.syntax.diagnostic import InputError
from tests.conftest import GPU_EXAMPLES, GPU_PROGRAMS
from tests.support.cases import clean_kernels, variant_of
from tests.support.counting import switches_of
from tests.support.kernel_texts import rows
from tests.support.running import PATIENCE, array, parse

run_tests.__test__ = False
REVERSE = "gpu_barriers/write_barrier_read"


# Case studies


@pytest.mark.parametrize(
    "path", [*GPU_EXAMPLES, *[p for p in GPU_PROGRAMS if p.stem == "block_reverse"]], ids=lambda p: p.stem
)
def test_case_study_runs_clean(path: Path) -> None:
    program = parse_file(path)
    for f in program.functions():
        report = run_tests(Runner(program), f, seconds=PATIENCE, most=4)
        assert report.failure is None, str(report.failure)
        assert report.runs >= 3 and not report.skipped


SIZES = {
    "transpose": {"W": 32, "H": 32},
    "transpose_any": {"W": 9, "H": 5},
    "matmul_shared": {"m": 16, "n": 16, "p": 32},
    "matmul": {"m": 32, "n": 32, "p": 64},
    "reduce": {"n": 5},
    "reduce_warp": {"n": 5},
    "stencil2d": {"h": 4, "w": 4},
    "softmax_rows": {"h": 1, "w": 3},
    "scan": {"n": 9},
}
SHAPES = {"transpose": "HW WH", "transpose_any": "HW WH", "matmul": "mp pn mn", "matmul_shared": "mp pn mn", "reduce": "n",
          "reduce_warp": "n", "stencil2d": "hw hw", "softmax_rows": "hw hw", "scan": "n n"}  # fmt: skip
BARRIER = re.compile(r"blocksync\(\);")
DELETIONS = [  # tests/cases/gpu_atomics has those of histograms, whose inputs are keys
    (path, k)
    for path in GPU_EXAMPLES
    if "histogram" not in path.stem
    for k, _ in enumerate(BARRIER.finditer(path.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize(("path", "which"), DELETIONS, ids=lambda x: x.stem if isinstance(x, Path) else str(x))
def test_case_study_without_one_barrier_is_caught(path: Path, which: int) -> None:
    text = path.read_text(encoding="utf-8")
    at = [m.start() for m in BARRIER.finditer(text)][which]
    program = parse_text(text[:at] + text[at:].replace("blocksync();", ";", 1))
    f = program.functions()[0]
    sizes = SIZES[path.stem]
    inputs = Inputs(dict(sizes), {}, {})
    arrays = [p.name for p in f.params if p.name not in sizes]
    for name, dims in zip(arrays, SHAPES[path.stem].split(), strict=True):
        inputs.shapes[name] = tuple(sizes[d] for d in dims)
        length = 1
        for d in dims:
            length *= sizes[d]
        inputs.arrays[name] = [i % 7 - 3 for i in range(length)]
    for seed in range(2):
        outcome = run_once(Runner(program), f, inputs, seed)
        assert outcome is not None and outcome.misbehaviour.code == "OG210"


# Words, witnesses, schedules


def test_a_race_names_the_threads_the_cell_and_both_places() -> None:
    program = parse(variant_of(f"{REVERSE}-1").code())
    witness = refute(program, "f")
    assert witness is not None and witness.diagnostic.code == "OG210"
    assert re.match(r"data race on s\[\d\]: ", witness.diagnostic.message)
    who = r"thread \d of block 0 \(b = 0, t = \d\)"
    story = rf"{who} (reads|writes) s\[\d\] at line 1[13]; {who} (reads|writes) it at line 1[13]; nothing orders them"
    assert re.fullmatch(story, dict(witness.diagnostic.notes)["witness"])
    lines = {witness.diagnostic.loc.line, witness.diagnostic.labels[0].loc.line}
    assert lines == {11, 13}
    assert witness.inputs.startswith("B = 1, h")


def test_a_right_program_is_not_refuted() -> None:
    assert refute(parse(variant_of(REVERSE).code()), "f", seconds=0.3) is None


def test_barrier_at_the_wrong_level_shows_the_level() -> None:
    program = parse(rows("thread for (int g = 0; g < 2; g++) blocksync();"))
    failure = run_tests(Runner(program), program.function("f"), seconds=PATIENCE).failure
    assert failure is not None
    assert "an operation of a block, 8 threads" in failure.misbehaviour.message
    assert "a level of 4 threads (in the thread loops b = 0, g = 0)" in failure.misbehaviour.message


DIVERGES = rows(
    """
    thread for (int t = 0; t < 8; t++) if (t == 0) d[b][0] = 1.0f - d[b][0];
    if (d[b][0] > 0.0f) blocksync();
    """
)


def test_divergence_is_a_race_first() -> None:
    program = parse(DIVERGES)
    failure = run_tests(Runner(program), program.function("f"), seconds=PATIENCE).failure
    assert failure is not None and failure.misbehaviour.code == "OG210"


def test_a_barrier_reached_by_a_part_of_the_block_is_divergence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the race that makes it possible being reported."""
    monkeypatch.setattr(Machine, "note", lambda *args, **kwargs: None)
    program = parse(DIVERGES)
    runner = Runner(program)
    codes = set()
    for seed in range(12):
        outcome = run_once(runner, program.function("f"), Inputs({"B": 1}, {"h": (1, 8)}, {"h": [0] * 8}), seed)
        codes.add(outcome.misbehaviour.code if outcome is not None else None)
    assert "OG222" in codes


def test_schedules_differ_and_a_seed_repeats_one() -> None:
    """The last writer of a cell that all threads write is another one on another schedule."""
    program = parse(
        """void f(float h[1]) {
  float* const d = __gmem_malloc1<float>(1);
  kernel_launch(2, 8, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 16; t++) d[0] = t;
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, 1);
  gmem_free(d);
}"""
    )

    def last_writer(seed: int) -> int:
        machine = Runner(program).start(seed)
        machine.note = lambda *args, **kwargs: None  # type: ignore[method-assign]
        h = array(machine, "h", [0])
        machine.call("f", [h], program.function("f").loc)
        return int(h.alloc.data[0])

    results = [last_writer(seed) for seed in range(12)]
    assert len(set(results)) > 3
    assert results == [last_writer(seed) for seed in range(12)]


def test_device_memory_may_come_from_the_caller() -> None:
    text = """void f(int n, float *d) {
  __requires("A: int -> float");
  __consumes("d ~> Matrix1Of(n, GMem, A)");
  __produces("d ~> Matrix1Of(n, GMem, fun i -> A(i) + 1)");
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) d[i] += 1.0f;
  kernel_teardown_begin();
  kernel_kill();
}"""
    program = parse(text)
    report = run_tests(Runner(program), program.function("f"), seconds=PATIENCE, most=20)
    assert report.failure is None and report.runs >= 10
    wrong = parse(text.replace("__consumes", "__reads").replace("__produces", "__ensures").replace(
        "d ~> Matrix1Of(n, GMem, fun i -> A(i) + 1)", "true"))  # fmt: skip
    failure = run_tests(Runner(wrong), wrong.function("f"), seconds=PATIENCE).failure
    assert failure is not None and failure.misbehaviour.code == "OG215"


def test_contracts_of_thread_loops_and_device_functions_are_evaluated() -> None:
    text = rows(
        """
        thread for (int t = 0; t < 8; t++) {
          __xconsumes("&d[b][t] ~~>[GMem] A(b, t)");
          __xproduces("&d[b][t] ~~>[GMem] A(b, t) + 1");
          increment(&d[b][t]);
        }
        """,
        "A(b, t) + 1",
        before="""
        __device__ void increment(float *p) {
          __requires("x: float");
          __consumes("p ~~>[GMem] x");
          __produces("p ~~>[GMem] x + 1");
          p[0] += 1.0f;
        }
        """,
    )
    program = parse(text)
    report = run_tests(Runner(program), program.function("f"), seconds=PATIENCE, most=10)
    assert report.failure is None and report.runs >= 5
    for old, new, code in (
        ("p[0] += 1.0f", "p[0] += 2.0f", "OG212"),
        ('A(b, t) + 1");\n      inc', 'A(b, t)");\n      inc', "OG213"),
    ):
        assert old in text
        wrong = parse(text.replace(old, new))
        failure = run_tests(Runner(wrong), wrong.function("f"), seconds=PATIENCE).failure
        assert failure is not None and failure.misbehaviour.code == code


def test_a_block_of_64_threads_takes_few_switches() -> None:
    text = rows(
        """
        __shared__ float s[64];
        for (int k = 0; k < 20; k++) {
          thread for (int t = 0; t < 64; t++) s[t] = d[b][t];
          blocksync();
          thread for (int t = 0; t < 64; t++) d[b][t] = s[63 - t];
          __syncthreads();
        }
        """,
        threads=64,
        shared="64 * sizeof(float)",
    )
    program = parse(text)
    inputs = Inputs({"B": 1}, {"h": (1, 64)}, {"h": [1] * 64})
    report = Report(program.function("f"))
    switches = switches_of(lambda: run_once(Runner(program), program.function("f"), inputs, 1, report))
    assert (report.failure, report.runs) == (None, 1)
    assert switches < 64 * 20 * 10  # two accesses and two barriers a thread and turn


def test_misbehaviour_in_a_kernel_leaves_nothing_running() -> None:
    program = parse(variant_of(f"{REVERSE}-1").code())
    machine = Runner(program).start(3)
    h = array(machine, "h", [0] * 8, 1, 8)
    with pytest.raises(Misbehaviour):
        machine.call("f", [1, h], program.function("f").loc)
    assert machine.thread is None and machine.hub is None and machine.path == ()


def test_a_block_calls_a_device_function_together() -> None:
    text = rows(
        """
        __shared__ float s[8];
        thread for (int t = 0; t < 8; t++) s[t] = d[b][t];
        block_sum(s);
        const float sum = s[0];
        thread for (int t = 0; t < 8; t++) d[b][t] = sum;
        """,
        "Sum(k in 0..8, A(b, k))",
        shared="8 * sizeof(float)",
        before="""
        __device__ void block_sum(float *s) {
          __requires("S: int -> float, t: int");
          __preserves("ThreadsCtx(t ..+ 8)");
          __consumes("s ~> Matrix1Of(8, SMem, S)");
          __produces("&s[0] ~~>[SMem] Sum(k in 0..8, S(k)), for i in 1..8 -> &s[i] ~>[SMem] Cell");
          blocksync();
          for (int half = 4; half > 0; half >>= 1) {
            thread for (int t = 0; t < 8; t++) if (t < half) s[t] += s[t + half];
            blocksync();
          }
        }
        """,
    )
    program = parse(text)
    report = run_tests(Runner(program), program.function("f"), seconds=PATIENCE, most=10)
    assert report.failure is None, str(report.failure)
    assert report.runs >= 5
    wrong = parse(text.replace("      blocksync();\n  }", "  }").replace("    blocksync();\n  }", "  }"))
    failure = run_tests(Runner(wrong), wrong.function("f"), seconds=PATIENCE).failure
    assert failure is not None and failure.misbehaviour.code == "OG210"


@pytest.mark.parametrize("name", ["tree", "shuffles", "reads_stay_pending", "parts_with_at_least_one_thread"])
def test_a_function_for_a_group_of_threads_cannot_be_run_alone(name: str) -> None:
    program = variant_of(f"gpu_functions/{name}").program()
    alone = run_tests(Runner(program), program.functions()[0], seconds=1.0)
    assert alone.failure is None and not alone.runs and "threads" in str(alone.gave_up)


INSERTED = [
    "blocksync();", "warpsync();", "magic_barrier();", "thread for (int q = 0; q < 2; q++)", "for (int q = 0; q < 2; q++)",
    "if (b == 0)", "magic thread for (int q = 0; q < 3; q++)", "kernel_kill();", "kernel_setup_end();", "kernel_teardown_begin();",
    "{", "}", "const float c = d[b][0];", "float z = 1.0f;", "__shared__ float z[2];", "d[b][0] = 1.0f;",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_programs_changed_at_random_never_crash_the_interpreter(seed: int) -> None:
    """Whatever they do is clean or a misbehaviour, never an error of ours."""
    chance = random.Random(seed)
    programs = [v.code() for v in clean_kernels()]
    ran = 0
    while ran < 40:
        lines = chance.choice(programs).split("\n")
        at = chance.randrange(4, len(lines) - 1)
        match chance.randrange(3):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, chance.choice(INSERTED))
            case _:
                other = chance.randrange(4, len(lines) - 1)
                lines[at], lines[other] = lines[other], lines[at]
        try:
            program = parse("\n".join(lines))
        except InputError:
            continue
        ran += 1
        try:
            run_tests(Runner(program), program.functions()[-1], seconds=0.2, most=3)
        except CannotEvaluate:
            continue
