"""Measuring: which results count, what is measured again, and candidates that crash or compute something else."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import optigpu as og
from optigpu.light_dataclass import replace
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.disk_cache import content_key
from optigpu.runtime.manifest import BuiltCuda, manifest_text, save
from optigpu.schedules import elements
from optigpu.tuning.candidate_space import candidate
from optigpu.tuning.forked_tasks import in_forks
from optigpu.tuning.measuring import MeasureSettings, MeasuringHere, measured
from optigpu.tuning.measuring_process import Request, built_name, cases_name
from optigpu.tuning.same_outputs import write_cases
from optigpu.tuning.tuned_file import TunedCandidate, TunedFile, TunedTime, Tuning
from optigpu.tuning.tuning_results import TuningResult, failure_text, result_of
from tests.support.tuned_programs import SCALE

SIZES = ({"n": 10}, {"n": 500})
STANDIN = MeasureSettings(standin=True, repeats=1)


def silent(done: int, total: int, text: str) -> None:
    pass


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> BuiltCuda:
    program = tmp_path_factory.mktemp("program") / "scale.c"
    program.write_text(SCALE, encoding="utf-8")
    s = og.Script(program)
    elements(s, "i", threads=64)
    return s.built_cuda()


def changed(built: BuiltCuda, old: str, new: str) -> BuiltCuda:
    """What a faulty code generator might have emitted."""
    assert old in built.source
    return replace(built, source=built.source.replace(old, new))


def folder_of(folder: Path, codes: Sequence[BuiltCuda]) -> TunedFile:
    """A prepared folder with these candidates, numbered by the option `x`."""
    candidates = []
    for x, b in enumerate(codes):
        c = candidate({"x": x})
        save(b, folder, built_name("scale", c.key))
        candidates.append(TunedCandidate(c.key, c.options, content_key(manifest_text(b))))
    key = candidates[0].key
    tuning = Tuning("scale", "scale.c", "p", "scaled", "s", "v", key, SIZES, tuple(candidates))
    return TunedFile(folder / "tuned.json").put(tuning)


class FakeMeasurer:
    """Times that a test chooses, by candidate and n. It ends after so many answers, as an interrupt does."""

    def __init__(self, times: dict[tuple[int, int], Any], keys: Sequence[str], most: int = 1000) -> None:
        self.times, self.keys, self.most = times, list(keys), most
        self.asked: list[Request] = []

    def place(self) -> tuple[str, int]:
        return "a GPU", 1 << 30

    def groups(self, requests: Sequence[Request]) -> Generator[tuple[int, dict[str, Any]], None, None]:
        self.asked += requests
        for number, r in enumerate(requests):
            for key in r.candidates:
                if self.most == 0:
                    raise KeyboardInterrupt
                self.most -= 1
                ms = self.times[self.keys.index(key), r.sizes["n"]]
                if isinstance(ms, str):
                    yield number, {"candidate": key, "failure": ms, "where": "a GPU"}
                    continue
                numbers = dict.fromkeys(("milliseconds", "fastest", "slowest"), ms)
                yield number, {"candidate": key, "same_as": self.keys[0], "where": "a GPU", **numbers}


def numbered(file: TunedFile) -> list[str]:
    return [c.key for c in file.tunings[0].candidates]


def variants(built: BuiltCuda, count: int) -> list[BuiltCuda]:
    return [replace(built, source=f"// {x}\n{built.source}") for x in range(count)]


def test_the_fastest_is_the_best_and_failures_are_reported(built: BuiltCuda, tmp_path: Path) -> None:
    file = folder_of(tmp_path, variants(built, 3))
    times = {(0, 10): 2.0, (1, 10): 1.0, (2, 10): "out of memory", (0, 500): 2.0, (1, 500): 4.0, (2, 500): 1.0}
    fake = FakeMeasurer(times, numbered(file))
    done = measured(file, ["scale"], STANDIN, fake, silent)
    result = TuningResult(done.file.tunings[0], "a GPU")
    assert [(r.best.options["x"], r.default, r.time, r.gain) for r in result.rows] == [
        (1, 2.0, 1.0, 2.0),
        (2, 2.0, 1.0, 2.0),
    ]
    assert [failure_text(f) for f in result.failures] == ["x=2 at n = 10: out of memory"]
    assert done.counts == {"scale": (0, 6)}
    with pytest.raises(CallError, match="has no tuning `other`"):
        measured(file, ["other"], STANDIN, fake, silent)


def test_an_interrupt_loses_no_result(built: BuiltCuda, tmp_path: Path) -> None:
    file = folder_of(tmp_path, variants(built, 2))
    times = {(x, n): 1.0 + x for x in range(2) for n in (10, 500)}
    with pytest.raises(KeyboardInterrupt):
        measured(file, ["scale"], STANDIN, FakeMeasurer(times, numbered(file), most=3), silent)
    from optigpu.tuning.tuned_file import read_tuned

    kept = read_tuned(file.path)
    assert len(kept.tunings[0].times) == 3
    fake = FakeMeasurer(times, numbered(file))
    done = measured(kept, ["scale"], STANDIN, fake, silent)
    assert done.counts == {"scale": (3, 1)} and [r.sizes["n"] for r in fake.asked] == [500]
    assert fake.asked[0].kept == (numbered(file)[0],)  # with whose result the new one is compared


def test_failures_and_other_gpus_and_other_code_are_measured_again(built: BuiltCuda, tmp_path: Path) -> None:
    file = folder_of(tmp_path, variants(built, 1))
    (key,) = numbered(file)
    (c,) = file.tunings[0].candidates
    assert c.code is not None
    good = TunedTime(key, c.code, {"n": 10}, "a GPU", 1.0, 1.0, 1.0, key)
    for other in (
        replace(good, failure="crashed", milliseconds=None),
        replace(good, where="another GPU"),
        replace(good, code="other"),
        replace(good, sizes={"n": 11}),
    ):
        fake = FakeMeasurer({(0, 10): 1.0, (0, 500): 1.0}, [key])
        measured(file.put(replace(file.tunings[0], times=(other,))), ["scale"], STANDIN, fake, silent)
        assert len(fake.asked) == 2
    fake = FakeMeasurer({(0, 10): 1.0, (0, 500): 1.0}, [key])
    measured(file.put(replace(file.tunings[0], times=(good,))), ["scale"], STANDIN, fake, silent)
    assert len(fake.asked) == 1


def test_the_result_of_most_candidates_is_right(built: BuiltCuda, tmp_path: Path) -> None:
    file = folder_of(tmp_path, variants(built, 3))
    a, b, c = file.tunings[0].candidates

    def at(x: TunedCandidate, ms: float, same_as: str) -> TunedTime:
        return TunedTime(x.key, x.code or "", {"n": 10}, "a GPU", ms, ms, ms, same_as)

    for odd, others in ((c, (a, b)), (a, (b, c))):  # also if the odd one is the default
        times = (at(odd, 0.1, odd.key), *(at(x, 1.0, others[0].key) for x in others))
        result = result_of(replace(file.tunings[0], times=times), None, None)
        assert result.rows[0].best in others
        assert [f.reason for f in result.failures] == ["it gives another result than 2 other candidates"]
    times = (at(a, 1.0, a.key), at(b, 0.1, b.key))  # of two the default is right
    assert result_of(replace(file.tunings[0], times=times), None, None).rows[0].best == a


# The process that measures


def test_a_candidate_that_crashes_or_is_wrong_does_not_stop_the_others(built: BuiltCuda, tmp_path: Path) -> None:
    codes = [
        built,
        changed(built, "2.0f * ", "(__builtin_trap(), 2.0f) * "),
        changed(built, "2.0f * ", "3.0f * "),  # differs from the plain program
        changed(built, "2.0f * ", "(n < 400 ? 2.0f : 4.0f) * "),  # differs from other candidates, for large n
        changed(built, "2.0f * ", "2.0f * this is no C"),
        replace(built, verified=False),
        replace(built, source="// another comment\n" + built.source),
    ]
    file = folder_of(tmp_path, codes)
    x = np.arange(7, dtype=np.float32)
    write_cases(tmp_path / cases_name("scale"), [({"n": 7, "a": x, "b": np.zeros(7, np.float32)}, {"b": 2 * x})])
    here = MeasuringHere(STANDIN)
    done = measured(file, ["scale"], STANDIN, here, silent)
    assert here.process is None
    result = TuningResult(done.file.tunings[0], here.where[0])
    good = {t: {done.file.tunings[0].of(k).options["x"] for k in result.times(s)} for t, s in zip((10, 500), SIZES)}
    assert good == {10: {0, 3, 6}, 500: {0, 6}}
    reasons = {(f.options["x"], f.sizes["n"]): f.reason for f in result.failures if f.sizes is not None}
    assert "its process ended by SIG" in reasons[1, 10]
    assert reasons[2, 10] == "it gives another result than the plain program for n = 7: `b`[1] is 3 instead of 2"
    assert reasons[3, 500] == "it gives another result than 2 other candidates"
    assert "error" in reasons[4, 10] and reasons[5, 10] == "it is not verified"


def test_a_process_that_takes_too_long_is_ended() -> None:
    here = MeasuringHere(MeasureSettings(standin=True, limit=0.01))
    with pytest.raises(BuildError, match=r"it took more than 0.01 s"):
        here.place()
    assert here.process is None


# Processes that verify


def _dies() -> int:
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)
    return 1


def _sleeps() -> int:
    import time

    time.sleep(600)
    return 1


def test_tasks_that_crash_or_take_too_long_fail_alone() -> None:
    ends = {e.number: e for e in in_forks([lambda: 5, _dies, lambda: 6], 2, None)}
    assert ends[0].result == 5 and ends[2].result == 6
    assert ends[1].result is None and ends[1].failure == "its process was ended by SIGKILL"
    (end,) = in_forks([_sleeps], 1, 0.1)
    assert end.failure == "it took more than 0.1 s"


def test_no_process_is_left_when_the_results_are_no_longer_wanted() -> None:
    import multiprocessing

    ends = in_forks([lambda: 1, _sleeps], 2, None)
    assert next(ends).result == 1
    ends.close()
    assert not multiprocessing.active_children()
