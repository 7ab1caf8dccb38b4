"""What the times of a tuning say: the best candidate for each size, and the candidates that failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.tuning.candidate_space import Options, Sizes, options_text, sizes_text
from optigpu.tuning.measuring import valid_times
from optigpu.tuning.size_classes import TOLERANCE, SizeClasses, chosen, described, size_classes
from optigpu.tuning.tuned_file import STANDIN, TunedCandidate, TunedTime, Tuning

NO_MEASUREMENT = "timed on the CPU stand-in, which says nothing about a GPU"


@dataclass(frozen=True, slots=True)
class SizeRow:
    """The best candidate at a size, beside the default. Times in milliseconds; None if the default has none."""

    sizes: Sizes
    default: float | None
    best: TunedCandidate
    time: float

    @property
    def gain(self) -> float | None:
        """How many times as fast the best candidate is as the default."""
        return None if self.default is None else self.default / self.time


@dataclass(frozen=True, slots=True)
class CandidateFailure:
    """Why a candidate is not chosen, at a size or at all."""

    options: Options
    sizes: Sizes | None
    reason: str


@dataclass(frozen=True, slots=True)
class TuningResult:
    """A tuning with the times of one GPU. `reused`, `new`: how many times are of earlier runs, and of this one. `stale`: how many
    earlier ones do not count, since the program, the schedule or the emitted code has changed."""

    tuning: Tuning
    where: str
    reused: int = 0
    new: int = 0
    stale: int = 0

    @property
    def measured(self) -> bool:
        """Was it measured on a GPU?"""
        return self.where not in ("", STANDIN)

    def times(self, sizes: Mapping[str, int]) -> dict[str, TunedTime]:
        """By candidate: the times at a size of those whose results agree with those of most others."""
        found = {
            t.candidate: t
            for t in valid_times(self.tuning)
            if t.where == self.where and t.sizes == dict(sizes) and t.milliseconds is not None
        }
        right = right_results(found, self.tuning.default)
        return {key: t for key, t in found.items() if t.same_as == right}

    @property
    def rows(self) -> list[SizeRow]:
        out = []
        for sizes in self.tuning.sizes:
            times = {key: t.milliseconds for key, t in self.times(sizes).items() if t.milliseconds is not None}
            if not times:
                continue
            best = min(times, key=lambda key: times[key])
            out.append(SizeRow(sizes, times.get(self.tuning.default), self.tuning.of(best), times[best]))
        return out

    @property
    def failures(self) -> list[CandidateFailure]:
        out = [CandidateFailure(c.options, None, c.failure) for c in self.tuning.candidates if c.failure is not None]
        for t in valid_times(self.tuning):
            options = self.tuning.of(t.candidate).options
            if t.where != self.where:
                continue
            if t.failure is not None:
                out.append(CandidateFailure(options, t.sizes, t.failure))
            elif t.candidate not in (right := self.times(t.sizes)):
                reason = f"it gives another result than {len(right)} other candidates"
                out.append(CandidateFailure(options, t.sizes, reason))
        return out

    @property
    def complete(self) -> bool:
        """Is there a best candidate for each size?"""
        return len(self.rows) == len(self.tuning.sizes)

    def classes(self, tolerance: float = TOLERANCE) -> SizeClasses:
        """Classes of sizes with the same best options."""
        times = []
        for sizes in self.tuning.sizes:
            at_size = {key: t.milliseconds for key, t in self.times(sizes).items() if t.milliseconds is not None}
            if at_size:
                times.append((sizes, at_size))
        if not times:
            raise CallError(f"{self.tuning.name}: no candidate was measured at any size")
        return size_classes(times, [c.key for c in self.tuning.candidates], tolerance)

    def best_options(self, sizes: Mapping[str, int]) -> Options:
        """The best options for a size: one that was measured, or else the class that it is in."""
        measured = next((row for row in self.rows if row.sizes == dict(sizes)), None)
        best = measured.best if measured is not None else self.tuning.of(chosen(self.classes(), sizes))
        return dict(best.options)

    def __str__(self) -> str:
        """A table with a line for each size, the classes, and the failures."""
        t = self.tuning
        lines = [f"{t.name}: {t.schedule} of {t.program}{f' on {self.where}' if self.where else ''}"]
        if self.where == STANDIN:
            lines.append(f"  {NO_MEASUREMENT}")
        lines += [f"  {line}" for line in table_of(self.rows)]
        if self.rows:
            lines += [f"  {line}" for line in self._class_lines()]
        else:
            verified = sum(c.code is not None for c in t.candidates)
            lines.append(f"  {verified} of {len(t.candidates)} candidates verified, none measured")
        if self.reused:
            lines.append(f"  {self.reused} of {self.reused + self.new} times are from earlier runs")
        if self.stale:
            lines.append(
                f"  {self.stale} earlier times do not count: the program, the schedule or the code has changed"
            )
        if t.note is not None:
            lines.append(f"  not compared with the plain program: {t.note}")
        lines += [f"  failed: {failure_text(f)}" for f in self.failures]
        return "\n".join(lines)

    def _class_lines(self) -> list[str]:
        try:
            found = described(self.classes())
        except CallError as e:
            return [f"no classes: {e}"]
        if len(found) == 1:
            return [f"all sizes: {options_text(self.tuning.of(found[0][1]).options)}"]
        return [f"{condition}: {options_text(self.tuning.of(best).options)}" for condition, best in found]


def table_of(rows: Sequence[SizeRow]) -> list[str]:
    if not rows:
        return []
    table = [("size", "default ms", "best ms", "gain", "best options")]
    for row in rows:
        default = "-" if row.default is None else f"{row.default:.4f}"
        gain = "-" if row.gain is None else f"{row.gain:.2f}"
        table.append((sizes_text(row.sizes), default, f"{row.time:.4f}", gain, options_text(row.best.options)))
    widths = [max(len(line[column]) for line in table) for column in range(4)]
    return [
        "  ".join([f"{size:<{widths[0]}}", *(f"{n:>{w}}" for n, w in zip(numbers, widths[1:])), options])
        for size, *numbers, options in table
    ]


def right_results(times: Mapping[str, TunedTime], default: str) -> str | None:
    """The candidate with whose results most others agree; if there are several such groups, that of the default."""
    votes = Counter(t.same_as for t in times.values())
    if not votes:
        return None
    of_default = times[default].same_as if default in times else None
    return max(votes, key=lambda key: (votes[key], key == of_default))


def result_of(tuning: Tuning, where: str | None, this_gpu: str | None) -> TuningResult:
    """The times of one GPU: the one that is asked for, that of this machine, or the only one that there are times of."""
    places = list(dict.fromkeys(t.where for t in valid_times(tuning)))
    gpus = [p for p in places if p != STANDIN]
    if where is not None:
        if where not in places:
            raise CallError(f"{tuning.name} was not measured on {where} (but on: {', '.join(places) or 'nothing'})")
        return TuningResult(tuning, where)
    if this_gpu in gpus:
        return TuningResult(tuning, this_gpu or "")
    if len(gpus) > 1:
        raise CallError(f"{tuning.name} was measured on {', '.join(gpus)}: say whose times count, gpu={gpus[0]!r}")
    if not places:
        raise CallError(f"{tuning.name} was not measured yet: `optigpu tune` does so on a machine with a GPU")
    return TuningResult(tuning, gpus[0] if gpus else STANDIN)


def failure_text(failure: CandidateFailure) -> str:
    at = f" at {sizes_text(failure.sizes)}" if failure.sizes is not None else ""
    reason = " ".join(failure.reason.splitlines()[:2])
    return f"{options_text(failure.options)}{at}: {reason:.300}"


def result_json(result: TuningResult) -> dict[str, object]:
    """A result as data: rows, and what failed."""
    rows = [
        {
            "sizes": row.sizes,
            "default_ms": row.default,
            "best_ms": row.time,
            "gain": row.gain,
            "options": row.best.options,
        }
        for row in result.rows
    ]
    failures = [{"options": f.options, "sizes": f.sizes, "reason": f.reason} for f in result.failures]
    head = {"name": result.tuning.name, "where": result.where, "measured_on_gpu": result.measured}
    return {
        **head,
        "rows": rows,
        "failures": failures,
        "reused": result.reused,
        "new": result.new,
        "stale": result.stale,
    }
