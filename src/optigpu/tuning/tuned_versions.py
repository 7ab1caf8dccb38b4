"""Applies what a tuning found: one function with a version for each class of sizes, each with its best options."""

from __future__ import annotations

from pathlib import Path

from optigpu.api import Script
from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.nvcc import gpu_architecture, gpu_name
from optigpu.script.call_site import call_site
from optigpu.script.handles import IfBranch
from optigpu.tuning.candidate_space import Schedule, schedule_name
from optigpu.tuning.schedule_source import program_key, schedule_key
from optigpu.tuning.size_classes import TOLERANCE, SizeClass, SizeClasses
from optigpu.tuning.tuned_file import Tuning, read_tuned
from optigpu.tuning.tuning_results import NO_MEASUREMENT, TuningResult, result_of


def tuned(path: str | Path, name: str | None = None, *, gpu: str | None = None) -> TuningResult:
    """What is known of a tuning: `og.tuned("tuned.json").best_options({"n": 4096})`.

    `name`: of the tuning, if the file has several. `gpu`: the GPU whose times count; by default that of this machine, or the only
    one.
    """
    file = read_tuned(beside_script(path))
    names = ", ".join(t.name for t in file.tunings) or "none"
    if name is None and len(file.tunings) != 1:
        raise CallError(
            f"{file.path} has several tunings, so give a name: {names}" if file.tunings else f"{file.path} is empty"
        )
    found = file.tunings[0] if name is None else file.get(name)
    if found is None:
        raise CallError(f"{file.path} has no tuning `{name}` (it has: {names})")
    return result_of(found, gpu, _this_gpu())


def apply_tuned(
    s: Script,
    schedule: Schedule,
    path: str | Path,
    *,
    name: str | None = None,
    gpu: str | None = None,
    tolerance: float = TOLERANCE,
) -> None:
    """Apply a schedule with the best options for each size: versions of the function, if they differ.

    The file's times must be of this program and this schedule. `tolerance`: options that are slower by so much are as good, so that
    there are fewer versions. Every version is verified, like any step.
    """
    result = _times_of(s, schedule, path, name, gpu)
    if not result.measured:
        import warnings

        warnings.warn(f"{result.tuning.name}: {NO_MEASUREMENT}", stacklevel=2)
    _apply(_Applied(s, schedule, result.tuning), result.classes(tolerance), None)


@dataclass(frozen=True)
class _Applied:
    script: Script
    schedule: Schedule
    tuning: Tuning


def _apply(a: _Applied, classes: SizeClasses, at: IfBranch | None) -> None:
    s = a.script
    if isinstance(classes, SizeClass):
        options = a.tuning.of(classes.best).options
        if at is None:
            a.schedule(s, **options)
            return
        with s.inside(at):
            a.schedule(s, **options)
        return
    versions = s.function.versions(classes.condition, at=at)
    _apply(a, classes.below, versions.fast)
    _apply(a, classes.above, versions.rest)


def _times_of(s: Script, schedule: Schedule, path: str | Path, name: str | None, gpu: str | None) -> TuningResult:
    """The times of this program and this schedule."""
    file = read_tuned(beside_script(path))
    if len(s.steps) > 1:
        raise CallError("apply_tuned is the first step: put steps before the schedule into the schedule itself")
    subject = program_key(s.original, s.only, s.verifier.settings.unbounded), schedule_key(schedule)
    named = [t for t in file.tunings if name in (None, t.name)]
    found = [t for t in named if t.subject == subject]
    if len(found) == 1:
        return result_of(found[0], gpu, _this_gpu())
    if found:
        raise CallError(f"{file.path} has several tunings of this: give name= ({', '.join(t.name for t in found)})")
    same_program = [t for t in named if t.program_key == subject[0] and t.schedule == schedule_name(schedule)]
    if same_program:
        raise CallError(
            f"{file.path}: the schedule {schedule_name(schedule)} was changed since it was tuned: tune again"
        )
    same_schedule = [t for t in named if t.schedule_key == subject[1]]
    if same_schedule:
        raise CallError(f"{file.path}: {s.original.file} is not the program that was tuned, {same_schedule[0].program}")
    names = ", ".join(f"{t.name} ({t.schedule} of {t.program})" for t in file.tunings) or "none"
    raise CallError(f"{file.path} has no tuning of {schedule_name(schedule)} and {s.original.file} (it has: {names})")


def beside_script(path: str | Path) -> Path:
    """A path as it is, or beside the script that is running."""
    given = Path(path)
    if given.is_absolute() or given.exists():
        return given
    beside = Path(call_site().file).parent / given
    return beside if beside.exists() else given


def _this_gpu() -> str | None:
    return None if gpu_architecture() is None else gpu_name()
