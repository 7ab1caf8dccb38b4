"""Tuning as a user does it: candidates that fail are reported, results are kept, and scripts apply them."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.light_dataclass import replace
from optigpu.runtime.call_error import CallError
from optigpu.runtime.nvcc import gpu_architecture
from optigpu.tuning.tuned_file import STANDIN, TunedFile, TunedTime, read_tuned
from tests.conftest import ROOT
from tests.support.command_line import HANGS, environment, heed_interrupts
from tests.support.tuned_programs import inside, write_spec

TUNE = ["tune", "spec.py", "--cpu", "--repeats", "1"]
pytestmark = pytest.mark.filterwarnings("ignore:no GPU was found", "ignore:.*says nothing about a GPU")


@pytest.fixture(scope="module")
def tuned_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned")
    write_spec(folder)
    assert inside(folder, [*TUNE, "--jobs", "2"]) == 0
    return folder


@pytest.fixture
def folder(tuned_folder: Path, tmp_path: Path) -> Path:
    """A copy, which a test may change."""
    return shutil.copytree(tuned_folder, tmp_path / "copy")


def with_times(folder: Path, times: dict[int, dict[int, float]], where: str = "a GPU") -> TunedFile:
    """The file with other times: by n, by threads."""
    file = read_tuned(folder / "tuned.json")
    (tuning,) = file.tunings
    threads = {c.options.get("threads", 128): c for c in reversed(tuning.candidates)}
    for n, row in times.items():
        for t, ms in row.items():
            c = threads[t]
            tuning = tuning.with_time(
                TunedTime(c.key, c.code or "", {"n": n}, where, ms, ms, ms, c.key if t == 128 else threads[128].key)
            )
    return file.put(tuning)


def schedule_of(folder: Path) -> Any:
    return runpy.run_path(str(folder / "spec.py"))["scaled"]


# Preparing and measuring


def test_what_fails_is_reported_and_the_rest_is_measured(tuned_folder: Path) -> None:
    (tuning,) = read_tuned(tuned_folder / "tuned.json").tunings
    failures = {c.options.get("threads"): c.failure or "" for c in tuning.candidates}
    assert not failures[None] and not failures[64] and not failures[128]
    assert failures[1] == "its process ended with code 3"
    assert "step 1" in failures[2] and "was rejected: OG3" in failures[2]
    assert failures[3] == "the schedule raised KeyError: 'three'"
    assert "a tile of 0 iterations" in failures[0]
    assert {(t.where, t.failure) for t in tuning.times} == {(STANDIN, None)}
    assert [t.sizes["n"] for t in tuning.times] == [100, 100, 3000, 3000]  # code that is the same is measured once
    result = og.tuned(tuned_folder / "tuned.json")
    assert not result.measured and result.complete and len(result.failures) == 4
    text = str(result)
    assert "which says nothing about a GPU" in text and "n = 3000" in text and "failed: threads=1: its process" in text


def test_a_second_run_uses_what_is_known(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = read_tuned(folder / "tuned.json").tunings[0].times
    assert inside(folder, TUNE) == 0
    assert "4 of 4 times are from earlier runs" in capsys.readouterr().out
    assert read_tuned(folder / "tuned.json").tunings[0].times == before


def test_an_interrupted_run_goes_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "build" / "tune" / "tuned.json"
    file = read_tuned(path)
    (tuning,) = file.tunings
    file.put(replace(tuning, times=tuning.times[:3]))
    (folder / "tuned.json").unlink()
    assert inside(folder, TUNE) == 0
    assert "3 of 4 times are from earlier runs" in capsys.readouterr().out
    assert len(read_tuned(folder / "tuned.json").tunings[0].times) == 4


def test_times_of_another_schedule_are_not_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = folder / "spec.py"
    text = (
        spec.read_text(encoding="utf-8")
        .replace('KeyError("three")', 'KeyError("3")')
        .replace("[64, 128, 1, 2, 3, 0]", "[64]")
    )
    spec.write_text("# a comment\n" + text, encoding="utf-8")
    assert inside(folder, TUNE) == 0
    out = capsys.readouterr().out
    assert "from earlier runs" not in out and "4 earlier times do not count" in out


def test_what_was_prepared_is_measured_where_no_solver_is(folder: Path) -> None:
    assert inside(folder, ["tune", "spec.py", "--prepare", "carried"]) == 0
    assert not read_tuned(folder / "carried" / "tuned.json").tunings[0].times
    code = """
import sys
sys.modules.update(dict.fromkeys(("lark", "greenlet", "z3", "cvc5")))
from optigpu.cli import main
assert main(["tune", "spec.py", "--cpu"]) == 2
sys.exit(main(["tune", "--measure", "carried", "--cpu", "--repeats", "1", "--json", "-o", "out.json"]))
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "is not installed" in result.stderr
    (data,) = json.loads(result.stdout)
    assert data["measured_on_gpu"] is False and data["new"] == 4 and len(data["rows"]) == 2
    assert len(read_tuned(folder / "out.json").tunings[0].times) == 4


# Applying


def test_versions_for_classes_of_sizes_compute_the_same(folder: Path) -> None:
    with_times(folder, {100: {64: 1.0, 128: 2.0}, 3000: {64: 2.0, 128: 1.0}})
    result = og.tuned(folder / "tuned.json", "scale")
    assert result.measured and result.where == "a GPU" and [row.gain for row in result.rows] == [2.0, 1.0]
    assert result.best_options({"n": 100}) == result.best_options({"n": 7}) == {"threads": 64}
    assert result.best_options({"n": 10**6}) == {}
    s = og.Script(folder / "scale.c")
    og.apply_tuned(s, schedule_of(folder), folder / "tuned.json")
    assert [step.title.split("(")[0] for step in s.steps[1:]] == ["function.versions", "elements", "elements"]
    text = s.text()
    assert "if (n <= 547)" in text and text.count("kernel_launch") == 2
    scale = s.build()
    for n in (0, 1, 100, 547, 548, 3000):
        a, b = np.random.default_rng(n).random(n, np.float32), np.zeros(n, np.float32)
        scale(n=n, a=a, b=b)
        assert (b == 2 * a).all()


def test_a_class_between_two_others(folder: Path) -> None:
    file = with_times(folder, {100: {64: 1.0, 128: 2.0}, 3000: {64: 2.0, 128: 1.0}})
    (tuning,) = file.tunings
    file.put(replace(tuning, sizes=(*tuning.sizes, {"n": 40000})))
    with_times(folder, {40000: {64: 1.0, 128: 2.0}})
    s = og.Script(folder / "scale.c")
    og.apply_tuned(s, schedule_of(folder), folder / "tuned.json")
    assert [name for name in ("n <= 547", "n <= 10954") if name in s.text()] == ["n <= 547", "n <= 10954"]
    scale = s.build()
    for n in (100, 600, 12000):
        a, b = np.ones(n, np.float32), np.zeros(n, np.float32)
        scale(n=n, a=a, b=b)
        assert (b == 2).all()


def test_one_class_is_the_schedule_with_its_best_options(folder: Path) -> None:
    with_times(folder, {100: {64: 1.0, 128: 2.0}, 3000: {64: 1.0, 128: 1.02}})
    s = og.Script(folder / "scale.c")
    og.apply_tuned(s, schedule_of(folder), folder / "tuned.json")
    assert len(s.steps) == 2 and "kernel_launch((n + 63) / 64, 64, 0)" in s.text()


def test_which_gpu_counts(folder: Path) -> None:
    with_times(folder, {100: {64: 1.0, 128: 2.0}})
    assert og.tuned(folder / "tuned.json").where == "a GPU"  # rather than the stand-in
    with_times(folder, {100: {64: 2.0, 128: 1.0}}, where="another GPU")
    with pytest.raises(CallError, match="was measured on a GPU, another GPU: say whose times count"):
        og.tuned(folder / "tuned.json")
    assert og.tuned(folder / "tuned.json", gpu="another GPU").best_options({"n": 100}) == {}
    with pytest.raises(CallError, match="was not measured on a third"):
        og.tuned(folder / "tuned.json", gpu="a third")


def test_times_of_something_else_are_not_applied(folder: Path) -> None:
    scaled, path = schedule_of(folder), folder / "tuned.json"

    def other(s: og.Script, threads: int = 1) -> None:
        pass

    def changed(s: og.Script, threads: int = 1) -> None:
        pass

    changed.__name__ = "scaled"
    transpose = ROOT / "examples" / "transpose.c"
    for program, schedule, message in (
        (folder / "scale.c", changed, "the schedule scaled was changed since it was tuned"),
        (transpose, scaled, r"transpose.c is not the program that was tuned, scale.c"),
        (transpose, other, "has no tuning of other and .*transpose.c .it has: scale .scaled of scale.c.."),
    ):
        with pytest.raises(CallError, match=message):
            og.apply_tuned(og.Script(program), schedule, path)
    s = og.Script(folder / "scale.c")
    s.loop.rename("i", "k")
    with pytest.raises(CallError, match="apply_tuned is the first step"):
        og.apply_tuned(s, scaled, path)
    with pytest.raises(CallError, match="has no tuning `x`"):
        og.tuned(path, "x")


# Bad input


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"threads": [64', '"thread": [64'), "scaled has no option `thread`"),
        (("[64, 128, 1, 2, 3, 0]", "[]"), "the space is empty"),
        (('{"n": [100, 3000]}', "[{}]"), "the sizes no sizes miss `n` of scale"),
        (('{"n": [100, 3000]}', '[{"n": 1, "m": 2}]'), "scale has no size `m`"),
        (('{"n": [100, 3000]}', '[{"n": 1 << 40}]'), "does not fit `int`"),
        (('{"n": [100, 3000]}', '[{"n": -1}]'), "`a` would have a negative size"),
        (('name="scale"', 'name="a/b"'), "the name of a tuning is made of letters"),
        (('program="scale.c"', 'program="none.c"'), "none.c"),
        (("og.tune(scaled, {", "dict(x={"), "spec.py tunes nothing"),
    ],
)
def test_bad_input_is_explained(
    tmp_path: Path, change: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = write_spec(tmp_path)
    spec.write_text(spec.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    assert inside(tmp_path, TUNE) == 2
    err = capsys.readouterr().err
    assert message in err and "Traceback" not in err
    assert not (tmp_path / "tuned.json").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["tune"], "give a Python file"),
        (["tune", "spec.py", "--measure", "x"], "give no SPEC.py"),
        (["tune", "--measure", "none"], "none/tuned.json is not there"),
        (["tune", "spec.py", "--cpu", "--repeats", "0"], "at least one run"),
        (["tune", "spec.py", "--prepare", "x", "-o", "y"], "--prepare measures nothing"),
        (["tune", "spec.py", "--cpu", "--only", "x"], "--only goes with --measure"),
        (["tune", "--measure", "x", "--ray"], "--ray goes with SPEC.py"),
        (["tune", "none.py", "--cpu"], "the script `none.py` does not exist"),
    ],
)
def test_bad_options_are_explained(
    tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_spec(tmp_path)
    assert inside(tmp_path, options) == 2
    assert message in capsys.readouterr().err


@pytest.mark.skipif(gpu_architecture() is not None, reason="a GPU is here")
def test_without_a_gpu_nothing_is_verified_in_vain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_spec(tmp_path)
    assert inside(tmp_path, ["tune", "spec.py"]) == 2
    assert "no GPU was found, so there is nothing to measure on" in capsys.readouterr().err
    assert not (tmp_path / "build").exists()


def test_sizes_beyond_memory_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from optigpu.tuning.measuring import MeasuringHere

    monkeypatch.setattr(MeasuringHere, "place", lambda self: (STANDIN, 1000))
    assert inside(folder, ["tune", "spec.py", "--prepare", "carried"]) == 0
    assert inside(folder, ["tune", "--measure", "carried", "--cpu"]) == 2
    assert "scale at n = 3000: the arrays need" in capsys.readouterr().err.replace("n = 100", "n = 3000")


def test_a_program_that_is_not_verified_is_not_tuned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_spec(tmp_path)
    program = tmp_path / "scale.c"
    program.write_text(program.read_text(encoding="utf-8").replace("b[i] = 2.0f", "b[i] = 3.0f"), encoding="utf-8")
    assert inside(tmp_path, TUNE) == 1
    assert "REFUTED" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"format": 9}', '{"format": 1, "tunings": [{}]}', '{"format": 1, "tunings": 3}']
)
def test_a_damaged_file_is_refused(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "tuned.json").write_text(text, encoding="utf-8")
    assert inside(tmp_path, ["tune", "--measure", "."]) == 2
    err = capsys.readouterr().err
    assert "tuned.json" in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"threads": 64', '"threads": 65'),
        ('"milliseconds": ', '"milliseconds": -'),
        ('"n": 100}, "where"', '"n": "x"}, "where"'),
        ('"name": "scale"', '"name": 3'),
        ('{"candidate": "', '{"candidate": "x'),
    ],
)
def test_a_changed_file_is_refused(tuned_folder: Path, tmp_path: Path, old: str, new: str) -> None:
    text = (tuned_folder / "tuned.json").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "tuned.json").write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(CallError, match="is not what `optigpu tune` writes"):
        og.tuned(tmp_path / "tuned.json")


def test_the_example_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = (ROOT / "docs" / "tuning.md").read_text(encoding="utf-8").split("```python\n")[1:]
    spec, script = (block.split("```")[0] for block in blocks)
    shutil.copy(ROOT / "examples" / "vector_add.c", tmp_path)
    (tmp_path / "tune_add.py").write_text(spec, encoding="utf-8")
    (tmp_path / "add.py").write_text(script, encoding="utf-8")
    assert inside(tmp_path, ["tune", "tune_add.py", "--cpu", "--repeats", "1", "--jobs", "2"]) == 0
    (tuning,) = read_tuned(tmp_path / "tuned.json").tunings
    assert [c.failure for c in tuning.candidates] == [None] * 4 and len(tuning.times) == 8
    assert inside(tmp_path, ["build", "add.py"]) == 0


def test_an_interrupt_keeps_the_candidates_that_were_verified(folder: Path) -> None:
    import optigpu.tuning.tuning_run as run
    from optigpu.tuning.tuned_file import TunedCandidate
    from optigpu.tuning.verified_candidates import TunedProgram

    program = TunedProgram(og.Script(folder / "scale.c").original)
    file = read_tuned(folder / "build" / "tune" / "tuned.json")
    (tuning,) = file.tunings
    fresh = replace(tuning, candidates=tuple(TunedCandidate(c.key, c.options) for c in tuning.candidates), times=())
    settings = run.TuneSettings(folder=file.path.parent)

    def interrupted(*args: Any) -> Any:
        yield next(run.verified_here(1, *args))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run.prepared(file.put(fresh), "scale", program, schedule_of(folder), interrupted, settings)
    kept = read_tuned(file.path).tunings[0].candidates
    assert [c.code is not None for c in kept] == [True] + [False] * (len(kept) - 1)
    assert not any(c.failure for c in kept)


def test_an_interrupt_ends_all_processes_and_the_next_run_goes_on(tmp_path: Path) -> None:
    """One candidate never ends: the interrupt comes when the other one is known."""
    spec = write_spec(tmp_path)
    hangs = (
        "import time\n        (__import__('pathlib').Path('pid')).write_text(str(os.getpid()))\n        time.sleep(600)"
    )
    spec.write_text(spec.read_text(encoding="utf-8").replace("os._exit(3)", hangs), encoding="utf-8")
    command = [sys.executable, "-m", "optigpu", *TUNE, "--jobs", "2"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,  # noqa: PLW1509 (no other thread is running)
    )
    path, pid = tmp_path / "build" / "tune" / "tuned.json", tmp_path / "pid"
    while process.poll() is None and not (
        pid.exists() and path.exists() and '"code"' in path.read_text(encoding="utf-8")
    ):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and "interrupted" in err and "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text(encoding="utf-8")), 0)
    kept = read_tuned(path).tunings[0].candidates
    assert any(c.code is not None for c in kept) and not any(c.failure == "interrupted" for c in kept)
