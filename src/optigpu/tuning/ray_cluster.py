"""Verifies and measures on a Ray cluster: a task for each candidate on the CPUs, one for each size on the GPUs.

A worker that is lost loses no result: Ray runs its task again elsewhere, and the driver keeps what comes as it comes.
"""

from __future__ import annotations

import inspect
import os
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from optigpu.light_dataclass import replace
from optigpu.runtime.call_error import BuildError
from optigpu.runtime.files import write_whole_bytes
from optigpu.tuning.candidate_space import Candidate, Options, Schedule
from optigpu.tuning.forked_tasks import TaskEnd
from optigpu.tuning.measuring import MeasureSettings, MeasuringHere
from optigpu.tuning.measuring_process import Request, built_name, cases_name
from optigpu.tuning.verified_candidates import Attempt, TunedProgram, attempt

RETRIES = 3  # of a task whose worker was lost


def ray_module() -> Any:
    """Ray, without its usage reports. A cluster that is started here has the addresses of this machine alone."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if not os.environ.get("RAY_ADDRESS"):
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")  # loopback addresses, as on those systems
    try:
        import ray
    except ImportError:
        raise BuildError("Ray is not installed: pip install 'optigpu[ray]'") from None
    return ray


class RayCluster:
    """A cluster that is running ($RAY_ADDRESS), one that the program has connected to, or one that is started here and ended."""

    def __init__(self, how: MeasureSettings) -> None:
        self.how = how
        self.ray = ray_module()
        self.started = not self.ray.is_initialized()
        if self.started:
            address = os.environ.get("RAY_ADDRESS")
            try:
                if address:
                    self.ray.init(address=address, log_to_driver=False)
                else:
                    self.ray.init(include_dashboard=False, log_to_driver=False, logging_level="ERROR")
            except (ConnectionError, RuntimeError, ValueError) as e:
                raise BuildError(f"Ray does not start: {e}") from None

    def close(self) -> None:
        if self.started:
            self.ray.shutdown()

    def verified(
        self, program: TunedProgram, schedule: Schedule, candidates: Sequence[Candidate], limit: float
    ) -> Generator[TaskEnd[Attempt], None, None]:
        """Verify candidates, in the order in which they end. One that runs too long is cancelled."""
        task = self.ray.remote(num_cpus=1, max_retries=RETRIES)(timed_attempt)
        shared = self.ray.put((program, self._by_value(schedule)))
        tasks = [task.remote(shared, c.options, limit) for c in candidates]
        with closing(self._ends(tasks)) as ends:
            for number, end, failure in ends:
                yield TaskEnd(number, None, failure, 0.0) if end is None else replace(end, number=number)

    def _by_value(self, schedule: Schedule) -> Schedule:
        """A schedule whose module the workers need not be able to import."""
        function: Any = schedule
        while hasattr(function, "func"):  # of functools.partial
            function = function.func
        module = sys.modules.get(getattr(inspect.unwrap(function), "__module__", None) or "")
        if module is not None and module.__name__.split(".")[0] not in ("optigpu", "__main__"):
            self.ray.cloudpickle.register_pickle_by_value(module)
        return schedule

    def place(self) -> tuple[str, int]:
        task = self._on_gpu(measuring_place)
        where: tuple[str, int] | str = self.ray.get(task.remote(self.how))
        if isinstance(where, str):
            raise BuildError(where)
        return where

    def groups(self, requests: Sequence[Request]) -> Generator[tuple[int, dict[str, Any]], None, None]:
        """Measure each size in a task. Its candidates have one process there, which is started again if one of them ends it."""
        task = self._on_gpu(measured_group)
        files = {r.name: self.ray.put(files_of(requests, r.name)) for r in requests}
        tasks = [task.remote(files[r.name], r, self.how) for r in requests]
        with closing(self._ends(tasks)) as ends:
            for number, answers, failure in ends:
                if answers is None:
                    where, _ = self.place()
                    failed = {"failure": failure, "where": where}
                    answers = [{"candidate": key, **failed} for key in requests[number].candidates]
                for answer in answers:
                    yield number, answer

    def _on_gpu(self, f: Any) -> Any:
        if self.how.standin:
            return self.ray.remote(num_cpus=1, max_retries=RETRIES)(f)
        if not self.ray.cluster_resources().get("GPU"):
            raise BuildError("the Ray cluster has no GPU, so there is nothing to measure on (--cpu: the CPU stand-in)")
        return self.ray.remote(num_cpus=1, num_gpus=1, max_retries=RETRIES)(f)

    def _ends(self, tasks: Sequence[Any]) -> Generator[tuple[int, Any, str | None], None, None]:
        """The number of each task, and its result or why it has none."""
        numbers = {task: number for number, task in enumerate(tasks)}
        open_ = list(tasks)
        try:
            while open_:
                done, open_ = self.ray.wait(open_, num_returns=1)
                for task in done:
                    try:
                        yield numbers[task], self.ray.get(task), None
                    except self.ray.exceptions.WorkerCrashedError:
                        yield numbers[task], None, f"its worker process ended {RETRIES + 1} times"
                    except self.ray.exceptions.RayError as e:
                        yield numbers[task], None, f"{type(e).__name__}: {str(e).splitlines()[0]:.200}"
        finally:
            for task in open_:  # an interrupt
                self.ray.cancel(task, force=True)


# What runs in the workers


class _TooLongError(BaseException):
    """A candidate takes too long. It is no error of the schedule, which could catch it."""


def timed_attempt(shared: tuple[TunedProgram, Schedule], options: Options, limit: float) -> TaskEnd[Attempt]:
    """Verify a candidate in the main thread of a worker, which an alarm interrupts."""

    def ring(number: int, frame: object) -> None:
        raise _TooLongError

    start = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        result = attempt(*shared, options)
        return TaskEnd(0, result, None, time.monotonic() - start)
    except _TooLongError:
        return TaskEnd(0, None, f"it took more than {limit:g} s", time.monotonic() - start)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def measuring_place(how: MeasureSettings) -> tuple[str, int] | str:
    here = MeasuringHere(how)
    try:
        return here.place()
    except BuildError as e:
        return str(e)
    finally:
        here.close()


def files_of(requests: Sequence[Request], name: str) -> dict[str, bytes]:
    """The files of the candidates that are measured or compared: workers need not see our folder."""
    out: dict[str, bytes] = {}
    for r in requests:
        if r.name == name:
            stems = [built_name(name, key) for key in (*r.candidates, *r.kept)]
            for file in [f"{stem}{suffix}" for stem in stems for suffix in (".cu", ".json")] + [cases_name(name)]:
                path = Path(r.folder) / file
                if file not in out and path.exists():
                    out[file] = path.read_bytes()
    return out


def measured_group(files: dict[str, bytes], request: Request, how: MeasureSettings) -> list[dict[str, Any]]:
    """The answers to one request."""
    with tempfile.TemporaryDirectory(prefix="optigpu-") as folder:
        for name, content in files.items():
            write_whole_bytes(Path(folder) / name, content)
        here = MeasuringHere(how)
        try:
            return list(here.group(replace(request, folder=folder)))
        except BuildError as e:
            return [{"candidate": key, "failure": str(e), "where": ""} for key in request.candidates]
        finally:
            here.close()
