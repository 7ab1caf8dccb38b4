"""Tuning on a Ray cluster, which the tests start on this machine: a lost worker loses no result."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import optigpu as og
from optigpu.runtime.call_error import BuildError
from optigpu.schedules import elements
from optigpu.tuning import ray_cluster
from optigpu.tuning.candidate_space import candidate
from optigpu.tuning.measuring import MeasureSettings
from optigpu.tuning.ray_cluster import RayCluster, timed_attempt
from optigpu.tuning.tuned_file import STANDIN, read_tuned
from optigpu.tuning.verified_candidates import TunedProgram
from tests.conftest import ROOT
from tests.support.tuned_programs import SCALE

MARK = f"OPTIGPU_TEST_CLUSTER={os.getpid()}"
HERE = MeasureSettings(standin=True, repeats=1)


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    try:
        ray = ray_cluster.ray_module()
    except BuildError:
        pytest.skip("Ray is not installed")
    name, _, value = MARK.partition("=")
    environment = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), name: value}
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        object_store_memory=80 << 20,
        runtime_env={"env_vars": environment},
    )
    assert ray.nodes()[0]["NodeManagerAddress"] == "127.0.0.1"
    yield
    ray.shutdown()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "scale.c"
    path.write_text(SCALE, encoding="utf-8")
    return path


class MeasuringKiller(threading.Thread):
    """Kills the first worker of the cluster that measures."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.killed: int | None = None
        self.over = threading.Event()

    def run(self) -> None:
        while self.killed is None and not self.over.wait(0.05):
            for process in Path("/proc").glob("[0-9]*"):
                with suppress(OSError, IndexError, ValueError):
                    if b"optigpu.tuning.measuring_process" not in (process / "cmdline").read_bytes():
                        continue
                    if MARK.encode() not in (process / "environ").read_bytes():
                        continue
                    worker = int((process / "stat").read_text().rpartition(")")[2].split()[1])
                    os.kill(worker, signal.SIGKILL)
                    self.killed = worker
                    return


def test_workers_that_are_killed_lose_no_result(cluster: None, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One is killed while it verifies a candidate, one while it measures."""
    monkeypatch.chdir(program.parent)
    mark = program.parent / "killed"

    def scaled(s: og.Script, threads: int = 128) -> None:
        if threads == 64 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        elements(s, "i", threads=min(threads, 128))

    killer = MeasuringKiller()
    killer.start()
    space = {"threads": [64, 256, 0]}
    result = og.tune(scaled, space, program=program, sizes={"n": [100]}, cluster="ray", cpu=True, repeats=1)
    killer.over.set()
    assert mark.exists() and killer.killed is not None
    assert result.complete and result.where == STANDIN
    (tuning,) = read_tuned(Path("tuned.json")).tunings
    assert [c.code is not None for c in tuning.candidates] == [True, True, True, False]
    assert [f.options["threads"] for f in result.failures] == [0]
    assert len(tuning.times) == 2 and not any(t.failure for t in tuning.times)


def test_a_worker_that_always_dies_is_reported(cluster: None, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_cluster, "RETRIES", 0)

    def scaled(s: og.Script, threads: int = 128) -> None:
        if threads == 64:
            os._exit(3)
        elements(s, "i", threads=threads)

    tuned = TunedProgram(og.Script(program).original)
    candidates = [candidate({"threads": 64}), candidate({})]
    ends = {e.number: e for e in RayCluster(HERE).verified(tuned, scaled, candidates, 100.0)}
    assert ends[0].result is None and ends[0].failure == "its worker process ended 1 times"
    assert ends[1].result is not None and ends[1].result.built is not None


def test_a_cluster_without_a_gpu_measures_nothing(cluster: None) -> None:
    with pytest.raises(BuildError, match="the Ray cluster has no GPU"):
        RayCluster(MeasureSettings()).place()


def test_a_candidate_is_interrupted_in_its_worker(program: Path) -> None:
    """The alarm passes through a schedule that catches every error."""
    import time

    def sleeps(s: og.Script) -> None:
        try:
            time.sleep(600)
        except Exception:
            time.sleep(600)

    tuned = TunedProgram(og.Script(program).original)
    before = signal.getsignal(signal.SIGALRM)
    end = timed_attempt((tuned, sleeps), {}, 0.1)
    assert end.failure == "it took more than 0.1 s" and end.result is None
    assert signal.getsignal(signal.SIGALRM) is before


def test_without_ray_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(BuildError, match=r"pip install 'optigpu\[ray\]'"):
        RayCluster(HERE)
