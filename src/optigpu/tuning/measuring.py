"""Measures what was prepared in a folder: in a process that is started again when a candidate takes it down. Needs the runtime
alone."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Protocol

from optigpu.light_dataclass import dataclass, replace
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.manifest import load
from optigpu.tuning.candidate_space import Sizes, options_text, sizes_text
from optigpu.tuning.measuring_process import DONE, READY, START, Request, built_name, compiled, too_large
from optigpu.tuning.tuned_file import TunedFile, TunedTime, Tuning

MEASURE_SECONDS = 300.0  # for one candidate at one size, with compiling


@dataclass(frozen=True, slots=True)
class MeasureSettings:
    """How to measure. `limit`: seconds for one candidate at one size."""

    standin: bool = False
    compiler: str | None = None
    repeats: int = 20
    limit: float = MEASURE_SECONDS
    jobs: int = 1  # compilers at a time


class Measurer(Protocol):
    """Where candidates are measured: a process here, or tasks of a cluster."""

    def place(self) -> tuple[str, int]:
        """The name of the GPU, and its memory in bytes."""
        ...

    def groups(self, requests: Sequence[Request]) -> Generator[tuple[int, dict[str, Any]], None, None]:
        """For each candidate of each request, in any order: the number of the request, and times or a failure."""
        ...


Told = Callable[[int, int, str], None]  # how many of how many are done, and what is being done


class MeasuringHere:
    """Measures in a process of this machine, one candidate at a time."""

    def __init__(self, how: MeasureSettings) -> None:
        self.how = how
        self.process: subprocess.Popen[bytes] | None = None
        self.buffer = b""
        self.where: tuple[str, int] = ("", 0)

    def place(self) -> tuple[str, int]:
        self._start()
        return self.where

    def groups(self, requests: Sequence[Request]) -> Generator[tuple[int, dict[str, Any]], None, None]:
        try:
            for number, request in enumerate(requests):
                for answer in self.group(request):
                    yield number, answer
        finally:
            self.close()

    def group(self, request: Request) -> Iterator[dict[str, Any]]:
        """The answers to one request. A candidate that ends the process has failed; the others are measured in a new one."""
        left, kept = list(request.candidates), list(request.kept)
        while left:
            self._start()
            self._send(replace(request, candidates=tuple(left), kept=tuple(kept)))
            current, before = None, len(left)
            while "failure" not in (answer := self._answer()) or "candidate" in answer:
                event, key = answer.get("event"), str(answer.get("candidate"))
                if event == DONE:
                    return
                if event == START:
                    current = key
                    continue
                left.remove(key)
                current = None
                if answer.get("same_as") == key:
                    kept.append(key)
                yield answer | {"where": self.where[0]}
            # The process has ended.
            failed = [current] if current is not None else left if len(left) == before and not kept else []
            if current is None and len(left) == before:
                kept.clear()  # one of them may be why
            for key in list(failed):
                left.remove(key)
                yield {"candidate": key, "failure": answer["failure"], "where": self.where[0]}

    def close(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                with suppress(OSError):
                    stream.close()
            self.process = None

    def _start(self) -> None:
        if self.process is not None:
            return
        package = str(Path(__file__).parents[2])
        path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "optigpu.tuning.measuring_process", *(["--cpu"] if self.how.standin else [])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # an interrupt is for us: we end it
        )
        self.buffer = b""
        ready = self._answer()
        if ready.get("event") != READY or "failure" in ready:
            self.close()
            raise BuildError(ready.get("failure", "the process that measures does not start"))
        self.where = ready["where"], ready["memory"]

    def _send(self, request: Request) -> None:
        assert self.process is not None and self.process.stdin is not None
        with suppress(BrokenPipeError):  # its end is seen when its answer is read
            data = {n: getattr(request, n) for n in type(request).__match_args__}
            self.process.stdin.write(json.dumps(data).encode() + b"\n")
            self.process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        """The next line; a failure if the process has ended, or takes too long and is ended."""
        assert self.process is not None and self.process.stdout is not None
        end = time.monotonic() + self.how.limit
        while b"\n" not in self.buffer:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                self.close()
                return {"failure": f"it took more than {self.how.limit:g} s"}
            chunk = os.read(self.process.stdout.fileno(), 1 << 16)
            if not chunk:
                code = self.process.wait()
                self.close()
                why = f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
                return {"failure": f"its process {why}"}
            self.buffer += chunk
        line, _, self.buffer = self.buffer.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer


def compile_all(tuning: Tuning, folder: Path, how: MeasureSettings, told: Told) -> None:
    """Compile the candidates side by side into the cache of compiled code. What fails here fails again when it is measured."""
    keys = different_codes(tuning)
    with ThreadPoolExecutor(max(1, how.jobs)) as pool:
        tasks = {pool.submit(compiled, folder, tuning.name, key, how.standin, how.compiler): key for key in keys}
        for done, task in enumerate(as_completed(tasks), 1):
            told(done, len(keys), options_text(tuning.of(tasks[task]).options))
            with suppress(CallError, BuildError, OSError):
                task.result()


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run of measurements did. `counts`: by tuning, how many times are of earlier runs, and how many are new."""

    file: TunedFile
    counts: dict[str, tuple[int, int]]


def measured(file: TunedFile, names: Sequence[str], how: MeasureSettings, measurer: Measurer, told: Told) -> Measured:
    """Measure the tunings of a prepared folder. Each result is written to the file as soon as it is there."""
    where, memory = measurer.place()
    requests: list[Request] = []
    reused, new = Counter[str](), Counter[str]()
    for name in names:
        tuning = known_tuning(file, name)
        for sizes in tuning.sizes:
            known = {
                t.candidate: t
                for t in valid_times(tuning)
                if t.sizes == sizes and t.where == where and t.failure is None
            }
            reused[name] += len(known)
            missing = tuple(key for key in different_codes(tuning) if key not in known)
            if missing:
                require_room(tuning, file.path.parent, missing[0], sizes, memory)
                kept = tuple(dict.fromkeys(t.same_as for t in known.values() if t.same_as in known))
                requests.append(request(file.path.parent, name, missing, kept, sizes, how))
    total = sum(len(r.candidates) for r in requests)
    with closing(measurer.groups(requests)) as answers:
        for number, answer in answers:
            r = requests[number]
            tuning = known_tuning(file, r.name)
            entry = time_of_answer(tuning, r.sizes, answer)
            file = file.put(tuning.with_time(entry))
            new[r.name] += 1
            text = f"{r.name}, {sizes_text(r.sizes)}: {options_text(tuning.of(entry.candidate).options)}"
            told(new.total(), total, text)
    return Measured(file, {name: (reused[name], new[name]) for name in names})


def different_codes(tuning: Tuning) -> list[str]:
    """The verified candidates: of those with the same code, the first."""
    first: dict[str, str] = {}
    for c in tuning.candidates:
        if c.code is not None:
            first.setdefault(c.code, c.key)
    return list(first.values())


def request(
    folder: Path, name: str, missing: tuple[str, ...], kept: tuple[str, ...], sizes: Sizes, how: MeasureSettings
) -> Request:
    return Request(str(folder), name, missing, kept, sizes, how.standin, how.compiler, how.repeats)


def known_tuning(file: TunedFile, name: str) -> Tuning:
    tuning = file.get(name)
    if tuning is None:
        raise CallError(
            f"{file.path} has no tuning `{name}` (it has: {', '.join(t.name for t in file.tunings) or 'none'})"
        )
    return tuning


def require_room(tuning: Tuning, folder: Path, key: str, sizes: Sizes, memory: int) -> None:
    signature = load(folder, built_name(tuning.name, key)).signature
    why = too_large(signature, sizes, memory)
    if why is not None:
        raise CallError(f"{tuning.name} at {sizes_text(sizes)}: {why}")


def time_of_answer(tuning: Tuning, sizes: Sizes, answer: dict[str, Any]) -> TunedTime:
    c = tuning.of(answer["candidate"])
    numbers = {n: answer.get(n) for n in ("milliseconds", "fastest", "slowest")}
    return TunedTime(
        candidate=c.key,
        code=c.code or "",
        sizes=sizes,
        where=answer["where"],
        **numbers,
        same_as=answer.get("same_as"),
        failure=answer.get("failure"),
    )


def valid_times(tuning: Tuning) -> tuple[TunedTime, ...]:
    """The times of the code that there is now: others are of what the candidates once were."""
    code = {c.key: c.code for c in tuning.candidates}
    return tuple(t for t in tuning.times if t.code == code[t.candidate])
