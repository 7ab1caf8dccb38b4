"""`og.tune`: verifies candidates, measures them, and keeps what is known in a file, from which the next run goes on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from optigpu.api import Script
from optigpu.frontend.python.python_program import TranslatedProgram
from optigpu.light_dataclass import dataclass, replace
from optigpu.report.progress_bar import progress_bar
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.disk_cache import content_key
from optigpu.runtime.manifest import manifest_text, save
from optigpu.runtime.nvcc import gpu_architecture
from optigpu.script.step_errors import StepError
from optigpu.syntax.program import Program
from optigpu.tuning.candidate_space import (
    Candidate,
    Schedule,
    Sizes,
    Space,
    candidates_of,
    options_text,
    schedule_name,
    sizes_of,
)
from optigpu.tuning.forked_tasks import TaskEnd, in_forks
from optigpu.tuning.measuring import Measurer, MeasureSettings, MeasuringHere, known_tuning, valid_times
from optigpu.tuning.measuring_folder import measured_folder
from optigpu.tuning.measuring_process import built_name, cases_name
from optigpu.tuning.same_outputs import write_cases
from optigpu.tuning.schedule_source import package_key, program_key, schedule_key
from optigpu.tuning.tuned_file import TUNED, TunedCandidate, TunedFile, Tuning, opened
from optigpu.tuning.tuning_results import TuningResult
from optigpu.tuning.verified_candidates import (
    Attempt,
    TunedProgram,
    attempt,
    plain_results,
    require_sizes,
    whole_sizes,
)

FOLDER = Path("build/tune")
VERIFY_SECONDS = 900.0  # for one candidate
CASES_SECONDS = 120.0  # for the plain program on small inputs


@dataclass(frozen=True)
class TuneSettings:
    """What is the same for all tunings of a run. `measure`: not only prepare the folder. `output`: a file that gets the result."""

    folder: Path = FOLDER
    output: Path | None = Path(TUNED)
    jobs: int = 1
    limit: float = VERIFY_SECONDS
    cluster: str | None = None
    measure: bool = True
    measuring: MeasureSettings = MeasureSettings()
    progress: bool = False


_settings: ContextVar[TuneSettings | None] = ContextVar("tune_settings", default=None)
_observers: ContextVar[tuple[Callable[[TuningResult], None], ...]] = ContextVar("tune_observers", default=())


@contextmanager
def tuning_with(settings: TuneSettings, observer: Callable[[TuningResult], None]) -> Iterator[None]:
    """The settings of every `og.tune` inside the `with`, whatever it says itself; `observer` is given each result."""
    tokens = _settings.set(settings), _observers.set((*_observers.get(), observer))
    try:
        yield
    finally:
        _settings.reset(tokens[0])
        _observers.reset(tokens[1])


class Preparer(Protocol):
    """Where candidates are verified: processes here, or tasks of a cluster."""

    def __call__(
        self, program: TunedProgram, schedule: Schedule, candidates: Sequence[Candidate], limit: float
    ) -> Generator[TaskEnd[Attempt], None, None]: ...


def tune(
    schedule: Schedule,
    space: Space,
    *,
    program: str | Path | Program | TranslatedProgram,
    sizes: Sequence[Mapping[str, int]] | Mapping[str, int | Sequence[int]],
    where: Callable[..., bool] | None = None,
    default: Mapping[str, Any] | None = None,
    name: str | None = None,
    function: str | None = None,
    integers: str = "machine",
    path: str | Path = TUNED,
    folder: str | Path = FOLDER,
    jobs: int = 1,
    timeout: float = VERIFY_SECONDS,
    cluster: str | None = None,
    cpu: bool = False,
    compiler: str | None = None,
    repeats: int = 20,
    progress: bool = False,
) -> TuningResult:
    """Find the options of a schedule that make the fastest kernels of a program, for each size.

    `space`: values for each option, `{"threads": [64, 128]}`, or a list of options, or a function that returns one; `where`, a
    function of options, leaves some out. `sizes`: `[{"n": 1024}, …]`; a mapping of lists means all combinations. Each candidate is
    verified in a process of its own, then measured at each size. One that fails is reported and left out.

    What is known is kept in `folder`, from which an interrupted run goes on, and written to `path`. `default`: the options to which
    others are compared. `jobs`: processes. `cluster="ray"`: verify and measure on a Ray cluster. `cpu`: the CPU stand-in in place
    of a GPU, which measures nothing. `timeout`: seconds for a candidate.
    """
    settings = _settings.get()
    if settings is None:
        if repeats < 1 or jobs < 0 or not timeout > 0:
            raise CallError("repeats are 1 or more, jobs 0 or more (0: one a core), and the timeout is positive")
        jobs = jobs or os.cpu_count() or 1
        how = MeasureSettings(cpu, compiler, repeats, jobs=jobs)
        settings = TuneSettings(Path(folder), Path(path), jobs, timeout, cluster, True, how, progress)
    candidates = candidates_of(schedule, space, where, default)
    all_sizes = sizes_of(sizes)
    require_place(settings)
    script = Script(program, function=function, integers=integers)
    title = tuning_name(name, f"{Path(script.original.file).stem}-{schedule_name(schedule)}")
    tuned = TunedProgram(script.original, function, integers)
    result = _whole_run(title, tuned, schedule, candidates, all_sizes, settings)
    for observer in _observers.get():
        observer(result)
    return result


def require_place(settings: TuneSettings) -> None:
    """Refuse to verify what cannot be measured afterwards, or whose results could not be written."""
    if settings.cluster not in (None, "ray"):
        raise CallError(f'there is no cluster {settings.cluster!r} (there is: "ray")')
    if settings.measure and settings.cluster is None and not settings.measuring.standin and gpu_architecture() is None:
        raise BuildError("no GPU was found, so there is nothing to measure on (--cpu, or cpu=True: the CPU stand-in)")
    if settings.output is not None:
        opened(settings.output)  # a damaged file is refused


def _whole_run(
    name: str,
    program: TunedProgram,
    schedule: Schedule,
    candidates: Sequence[Candidate],
    sizes: Sequence[Sizes],
    settings: TuneSettings,
) -> TuningResult:
    signature = program.signature()
    for s in sizes:
        require_sizes(signature, s)
    file = opened(settings.folder / TUNED)
    old = file.get(name)
    tuning = started(file, name, program, schedule, candidates, [whole_sizes(signature, s) for s in sizes])
    result = _run(file.put(tuning), name, program, schedule, settings)
    if old is not None:
        now = valid_times(result.tuning)
        result = replace(result, stale=sum(t not in now for t in old.times if t.where == result.where))
    if settings.output is not None:
        opened(settings.output).put(result.tuning)
    return result


def tuning_name(given: str | None, proposed: str) -> str:
    """The name of a tuning, from which the names of files are made."""
    if given is None:
        return "".join(c if c.isalnum() or c in "-_" else "_" for c in proposed)
    if not given or not all(c.isalnum() or c in "-_" for c in given):
        raise CallError(f"the name of a tuning is made of letters, digits, - and _, not {given!r}")
    return given


def started(
    file: TunedFile,
    name: str,
    program: TunedProgram,
    schedule: Schedule,
    candidates: Sequence[Candidate],
    sizes: Sequence[Sizes],
) -> Tuning:
    """The tuning with what earlier runs found out about the same program and the same schedule."""
    new = Tuning(
        name,
        Path(program.program.file).name,
        program_key(program.program, program.function, program.integers == "unbounded"),
        schedule_name(schedule),
        schedule_key(schedule),
        package_key(),
        candidates[0].key,
        tuple(sizes),
        tuple(TunedCandidate(c.key, c.options) for c in candidates),
    )
    old = file.get(name)
    if old is None or old.subject != new.subject:
        return new
    known = {c.key: c for c in old.candidates if is_known(file.path.parent, old, c, new.package)}
    kept = tuple(known.get(c.key, c) for c in new.candidates)
    keys = {c.key for c in kept}
    return replace(new, candidates=kept, times=tuple(t for t in old.times if t.candidate in keys), note=old.note)


def is_known(folder: Path, old: Tuning, c: TunedCandidate, package: str) -> bool:
    """Need a candidate not be verified again? Its code is there, or it would fail again."""
    if old.package != package:
        return False
    if c.code is None:
        return c.failure is not None and c.final
    file = folder / f"{built_name(old.name, c.key)}.json"
    return file.exists() and content_key(file.read_text(encoding="utf-8")) == c.code


def _run(file: TunedFile, name: str, program: TunedProgram, schedule: Schedule, settings: TuneSettings) -> TuningResult:
    cluster = None
    prepare: Preparer = partial(verified_here, settings.jobs)
    measurer: Measurer = MeasuringHere(settings.measuring)
    if settings.cluster is not None:
        from optigpu.tuning.ray_cluster import RayCluster

        cluster = RayCluster(settings.measuring)
        prepare, measurer = cluster.verified, cluster
    try:
        file = prepared(file, name, program, schedule, prepare, settings)
        if not settings.measure:
            tuning = known_tuning(file, name)
            return TuningResult(tuning, "")
        return measured_folder(file, [name], settings.measuring, measurer, settings.progress)[0]
    finally:
        if cluster is not None:
            cluster.close()


def prepared(
    file: TunedFile,
    name: str,
    program: TunedProgram,
    schedule: Schedule,
    prepare: Preparer,
    settings: TuneSettings,
) -> TunedFile:
    """Verify the candidates that are not known yet, and write their code. Each is written as soon as it is there."""
    tuning, folder = known_tuning(file, name), file.path.parent
    file = file.put(with_cases(tuning, folder, program))
    open_ = [
        Candidate(c.key, c.options) for c in tuning.candidates if c.code is None and (c.failure is None or not c.final)
    ]
    bar = progress_bar(sys.stderr, "verify", settings.progress)
    try:
        with closing(prepare(program, schedule, open_, settings.limit)) as ends:
            for done, end in enumerate(ends, 1):
                c = open_[end.number]
                file = file.put(known_tuning(file, name).with_candidate(_kept(folder, name, c, end)))
                bar(done, len(open_), f"{name}: {options_text(c.options)}")
    finally:
        bar.close()
    return file


def _kept(folder: Path, name: str, c: Candidate, end: TaskEnd[Attempt]) -> TunedCandidate:
    """The candidate, with its code in the folder."""
    if end.result is None:  # its process was ended
        return TunedCandidate(c.key, c.options, None, end.failure, final=False, seconds=end.seconds)
    built = end.result.built
    if built is None:
        return TunedCandidate(c.key, c.options, None, end.result.failure, end.result.final, end.seconds)
    save(built, folder, built_name(name, c.key))
    return TunedCandidate(c.key, c.options, content_key(manifest_text(built)), seconds=end.seconds)


def with_cases(tuning: Tuning, folder: Path, program: TunedProgram) -> Tuning:
    """The tuning, with a file of what the plain program computes; or with a note why there is none."""
    cases = folder / cases_name(tuning.name)
    if cases.exists() and tuning.times:
        return tuning
    cases.unlink(missing_ok=True)

    def task() -> str | None:
        try:
            results = plain_results(program, tuning.sizes[0])
        except (CallError, BuildError, StepError, OSError) as e:
            return str(e)
        if not results:
            return "no small sizes satisfy the contract"
        write_cases(cases, results)
        return None

    end = next(in_forks([task], 1, CASES_SECONDS))
    return replace(tuning, note=end.failure or end.result)


def verified_here(
    jobs: int, program: TunedProgram, schedule: Schedule, candidates: Sequence[Candidate], limit: float
) -> Generator[TaskEnd[Attempt], None, None]:
    """Verify candidates in processes of this machine."""
    return in_forks([partial(attempt, program, schedule, c.options) for c in candidates], jobs, limit)
