"""Runs independent tasks in processes of their own; results come in the order of the tasks.

A process is a copy of this one (`fork`), so that nothing has to be sent to it; its result comes back through a pipe. A process that
ends without a result, for whatever reason, gives none: its task is then run here, with the messages that it has here.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from typing import Generic, TypeVar

from optigpu.light_dataclass import dataclass

T = TypeVar("T")
CHUNK = 1 << 16


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
                yield task() if sent is None else pickle.loads(sent)
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
                os.kill(worker.process, signal.SIGKILL)
            os.waitpid(worker.process, 0)
            os.close(pipe)
        self.running.clear()


def _work(task: Callable[[], T], pipe: int) -> None:
    """In the new process: run the task, send its result, and end without what the parent does at its end."""
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sent = memoryview(pickle.dumps(task()))
        while sent:
            sent = sent[os.write(pipe, sent) :]
        code = 0
    finally:
        os._exit(code)


def in_processes(tasks: Sequence[Callable[[], T]], jobs: int) -> Iterator[T]:
    """The results of the tasks, in their order: in this process if there is nothing to gain from others."""
    if jobs <= 1 or len(tasks) <= 1 or not hasattr(os, "fork"):
        return (task() for task in tasks)
    return WorkerProcesses(tasks, jobs).results()
