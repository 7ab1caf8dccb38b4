"""Runs independent tasks in processes of their own; results come in the order of the tasks.

A process is a copy of this one (`fork`), so that nothing has to be sent to it; its result comes back through a pipe. A process that
ends without a result, for whatever reason, gives none: its task is then run here, with the messages that it has here. What a task
prints comes with its result, so that it appears in the order of the tasks. A process has a group of its own, with all processes
that it starts: they end together.
"""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from typing import IO, Generic, TextIO, TypeAlias, TypeVar

from optigpu.light_dataclass import dataclass

T = TypeVar("T")
CHUNK = 1 << 16
Sent: TypeAlias = tuple[T, str, str]  # a result, and what was printed to standard output and to standard error


@dataclass
class _Worker:
    task: int
    process: int
    received: bytearray = field(default_factory=bytearray)


class WorkerProcesses(Generic[T]):
    """Up to `jobs` processes at a time."""

    def __init__(self, tasks: Sequence[Callable[[], T]], jobs: int) -> None:
        self.tasks, self.jobs = tasks, jobs
        self.running: dict[int, _Worker] = {}  # by the pipe from it
        self.started = 0
        self.finished: dict[int, bytes | None] = {}

    def results(self) -> Iterator[T]:
        """The results in the order of the tasks. However this ends, also by an interrupt, no process is left."""
        try:
            for number, task in enumerate(self.tasks):
                while number not in self.finished:
                    self._start()
                    self._receive()
                sent = self.finished.pop(number)
                yield task() if sent is None else _told(pickle.loads(sent))
        finally:
            self._kill()

    def _start(self) -> None:
        while len(self.running) < self.jobs and self.started < len(self.tasks):
            sys.stdout.flush()
            sys.stderr.flush()
            reading, writing = os.pipe()
            process = os.fork()
            if process == 0:
                _work(self.tasks[self.started], writing)
            with suppress(OSError):  # the process does the same: whoever is first
                os.setpgid(process, process)
            os.close(writing)
            self.running[reading] = _Worker(self.started, process)
            self.started += 1

    def _receive(self) -> None:
        for pipe in select.select(list(self.running), [], [])[0]:
            worker = self.running[pipe]
            chunk = os.read(pipe, CHUNK)
            if chunk:
                worker.received += chunk
                continue
            del self.running[pipe]
            os.close(pipe)
            _, status = os.waitpid(worker.process, 0)
            self.finished[worker.task] = bytes(worker.received) if status == 0 else None

    def _kill(self) -> None:
        for pipe, worker in self.running.items():
            with suppress(ProcessLookupError):
                os.killpg(worker.process, signal.SIGKILL)
            os.waitpid(worker.process, 0)
            os.close(pipe)
        self.running.clear()


def _told(sent: Sent[T]) -> T:
    result, out, err = sent
    sys.stdout.write(out)
    sys.stderr.write(err)
    return result


def _work(task: Callable[[], T], pipe: int) -> None:
    """In the new process: run the task, send its result, and end without what the parent does at its end."""
    code = 1
    try:
        with suppress(OSError):
            os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sent = memoryview(pickle.dumps(_with_output(task)))
        while sent:
            sent = sent[os.write(pipe, sent) :]
        code = 0
    finally:
        os._exit(code)


def _with_output(task: Callable[[], T]) -> Sent[T]:
    """Run a task; what it prints, and what programs print that it runs, goes to files."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        for file, stream in ((out, 1), (err, 2)):
            os.dup2(file.fileno(), stream)
        sys.stdout, sys.stderr = _stream(1), _stream(2)
        result = task()
        sys.stdout.flush()
        sys.stderr.flush()
        return result, _contents(out), _contents(err)


def _stream(number: int) -> TextIO:
    """Printing to a descriptor, whatever this process had in its place (in tests, a text in memory)."""
    buffer = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
    return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace")


def _contents(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", errors="backslashreplace")


def process_count(jobs: int) -> int:
    """How many processes `--jobs` means."""
    return jobs or os.cpu_count() or 1


def in_processes(tasks: Sequence[Callable[[], T]], jobs: int) -> Iterator[T]:
    """The results of the tasks, in their order: in this process if there is nothing to gain from others."""
    if jobs <= 1 or len(tasks) <= 1 or not hasattr(os, "fork"):
        return (task() for task in tasks)
    return WorkerProcesses(tasks, jobs).results()
