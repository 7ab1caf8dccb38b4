"""What is known of tunings, as a JSON file that people can read: candidates, whether they were verified, and how long they took."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from optigpu.light_dataclass import dataclass, replace
from optigpu.runtime.call_error import CallError
from optigpu.runtime.files import write_whole
from optigpu.tuning.candidate_space import Options, Sizes, candidate, option_value

TUNED_FORMAT = 1  # version of the file
TUNED = "tuned.json"
STANDIN = "the CPU stand-in"
TEXTS = ("name", "program", "program_key", "schedule", "schedule_key", "package", "default")  # of a tuning


@dataclass(frozen=True, slots=True)
class TunedCandidate:
    """Options that were verified, and the hash of the code that was emitted for them; or why there is none."""

    key: str
    options: Options
    code: str | None = None
    failure: str | None = None
    final: bool = True  # would the same attempt fail again?
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TunedTime:
    """The time of a candidate at a size, or why there is none. `where`: the GPU. `same_as`: the candidate with whose results the
    results were compared, and agree."""

    candidate: str
    code: str
    sizes: Sizes
    where: str
    milliseconds: float | None = None  # the median run
    fastest: float | None = None
    slowest: float | None = None
    same_as: str | None = None
    failure: str | None = None


@dataclass(frozen=True, slots=True)
class Tuning:
    """Candidates for one program and one schedule. `default` is the candidate to which the others are compared. The keys are hashes
    of what the results depend on: the program's text, the schedule's source, the source of the package."""

    name: str
    program: str
    program_key: str
    schedule: str
    schedule_key: str
    package: str
    default: str
    sizes: tuple[Sizes, ...]
    candidates: tuple[TunedCandidate, ...]
    times: tuple[TunedTime, ...] = ()
    note: str | None = None  # why results were not compared with those of the plain program

    @property
    def subject(self) -> tuple[str, str]:
        """What the times are of: they say nothing about another program or schedule."""
        return self.program_key, self.schedule_key

    def of(self, key: str) -> TunedCandidate:
        return next(c for c in self.candidates if c.key == key)

    def with_candidate(self, new: TunedCandidate) -> Tuning:
        return replace(self, candidates=tuple(new if c.key == new.key else c for c in self.candidates))

    def with_time(self, new: TunedTime) -> Tuning:
        others = (t for t in self.times if (t.candidate, t.sizes, t.where) != (new.candidate, new.sizes, new.where))
        return replace(self, times=(*others, new))


@dataclass(frozen=True, slots=True)
class TunedFile:
    """All tunings of a file, by name."""

    path: Path
    tunings: tuple[Tuning, ...] = ()

    def get(self, name: str) -> Tuning | None:
        return next((t for t in self.tunings if t.name == name), None)

    def put(self, tuning: Tuning) -> TunedFile:
        """The same with a tuning added or replaced, written to the file."""
        known = {t.name: t for t in self.tunings} | {tuning.name: tuning}
        out = replace(self, tunings=tuple(known.values()))
        out.write()
        return out

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, file_text(self.tunings))


def read_tuned(path: Path) -> TunedFile:
    """The tunings of a file. CallError if it is not there, or is something else."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CallError(f"{path} is not there: `optigpu tune` writes it") from None
    except (OSError, UnicodeDecodeError) as e:
        raise CallError(f"{path} cannot be read: {e}") from None
    try:
        data = json.loads(text)
        if not isinstance(data, dict) or "format" not in data:
            raise CallError(f"{path} is not what `optigpu tune` writes")
        if data["format"] != TUNED_FORMAT:
            raise CallError(f"{path} was written by another version of OptiGPU: tune again, into another file")
        return TunedFile(path, tuple(map(tuning_of, data["tunings"])))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        if isinstance(e, CallError):
            raise
        raise CallError(f"{path} is not what `optigpu tune` writes: {type(e).__name__}: {e}") from None


def opened(path: Path) -> TunedFile:
    """The tunings of a file that need not be there yet."""
    return read_tuned(path) if path.exists() else TunedFile(path)


# As JSON


def tuning_of(data: dict[str, Any]) -> Tuning:
    candidates = tuple(candidate_of(c) for c in data["candidates"])
    keys = {c.key for c in candidates}
    times = tuple(time_of(t) for t in data["times"])
    if data["default"] not in keys or any(t.candidate not in keys for t in times):
        raise ValueError("it speaks of a candidate that is not there")
    texts = {n: data[n] for n in TEXTS}
    if not all(isinstance(t, str) for t in texts.values()):
        raise ValueError("names and keys are texts")
    sizes = tuple(checked_sizes(s) for s in data["sizes"])
    return Tuning(**texts, sizes=sizes, candidates=candidates, times=times, note=data.get("note"))


def candidate_of(data: dict[str, Any]) -> TunedCandidate:
    options = {name: option_value(name, value) for name, value in data["options"].items()}
    if candidate(options).key != data["key"]:
        raise ValueError(f"the options of candidate {data['key']} were changed")
    code, failure = data.get("code"), data.get("failure")
    if (code is None) == (failure is None) and failure is not None:
        raise ValueError(f"candidate {data['key']} was verified, and was not")
    return TunedCandidate(
        data["key"], options, code, failure, bool(data.get("final", True)), float(data.get("seconds", 0.0))
    )


def time_of(data: dict[str, Any]) -> TunedTime:
    failure = data.get("failure")
    numbers: dict[str, Any] = {n: data.get(n) for n in ("milliseconds", "fastest", "slowest")}
    if failure is None and not all(isinstance(n, float | int) and n > 0 for n in numbers.values()):
        raise ValueError("a time is a number of milliseconds")
    texts = {n: data[n] for n in ("candidate", "code", "where")}
    return TunedTime(
        **texts, sizes=checked_sizes(data["sizes"]), **numbers, same_as=data.get("same_as"), failure=failure
    )


def checked_sizes(data: Mapping[str, Any]) -> Sizes:
    if not all(isinstance(v, int) and not isinstance(v, bool) for v in data.values()):
        raise ValueError("sizes are integers")
    return dict(data)


def file_text(tunings: Iterable[Tuning]) -> str:
    """The file: a line for each candidate and each time."""
    return f'{{"format": {TUNED_FORMAT}, "tunings": {_listed([_tuning_text(t) for t in tunings], 1)}}}\n'


def _tuning_text(t: Tuning) -> str:
    head = {n: getattr(t, n) for n in TEXTS} | ({} if t.note is None else {"note": t.note})
    fields = [f"{json.dumps(n)}: {json.dumps(v)}" for n, v in head.items()]
    fields.append(f'"sizes": {json.dumps(t.sizes)}')
    fields.append(f'"candidates": {_listed([json.dumps(_candidate_json(c)) for c in t.candidates], 3)}')
    fields.append(f'"times": {_listed([json.dumps(_time_json(x)) for x in t.times], 3)}')
    inside = ",\n".join(f"  {f}" for f in fields)
    return f"{{\n{inside}\n }}"


def _listed(texts: list[str], depth: int) -> str:
    indent = " " * depth
    return "[\n" + ",\n".join(indent + t for t in texts) + "\n" + " " * (depth - 1) + "]" if texts else "[]"


def _candidate_json(c: TunedCandidate) -> dict[str, Any]:
    data: dict[str, Any] = {"key": c.key, "options": c.options}
    if c.code is not None:
        data["code"] = c.code
    if c.failure is not None:
        data |= {"failure": c.failure, "final": c.final}
    return data | {"seconds": round(c.seconds, 2)}


def _time_json(t: TunedTime) -> dict[str, Any]:
    data = {n: getattr(t, n) for n in ("candidate", "sizes", "where", "milliseconds", "fastest", "slowest")}
    data |= {"same_as": t.same_as, "failure": t.failure, "code": t.code}
    return {n: v for n, v in data.items() if v is not None}
