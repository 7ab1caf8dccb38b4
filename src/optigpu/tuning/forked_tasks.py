"""Runs tasks in copies of this process (`fork`): one that crashes, or takes too long, has failed, and the others go on."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Generic, TypeVar

from optigpu.light_dataclass import dataclass

R = TypeVar("R")
GLANCE = 0.5  # seconds between two looks at the clock


@dataclass(frozen=True, slots=True)
class TaskEnd(Generic[R]):
    """How a task ended: with a result, or by a failure of its process. `final`: would the same happen again?"""

    number: int
    result: R | None
    failure: str | None
    seconds: float


@dataclass
class _Forked:
    number: int
    process: ForkProcess
    started: float


def in_forks(tasks: Sequence[Callable[[], R]], jobs: int, limit: float | None) -> Generator[TaskEnd[R], None, None]:
    """The ends of the tasks, in the order in which they end. However this generator ends, no process is left."""
    context = multiprocessing.get_context("fork")
    running: dict[Connection, _Forked] = {}
    waiting = list(enumerate(tasks))
    try:
        while running or waiting:
            while waiting and len(running) < max(1, jobs):
                number, task = waiting.pop(0)
                sys.stdout.flush()
                sys.stderr.flush()
                reading, writing = context.Pipe(duplex=False)
                process = context.Process(target=_run_forked, args=(task, writing))
                process.start()
                writing.close()
                running[reading] = _Forked(number, process, time.monotonic())
            ready = wait(list(running), GLANCE)
            for pipe in list(running):
                seconds = time.monotonic() - running[pipe].started
                if pipe in ready:
                    yield _received(pipe, running.pop(pipe), seconds)
                elif limit is not None and seconds > limit:
                    forked = running.pop(pipe)
                    _end(forked, pipe)
                    yield TaskEnd(forked.number, None, f"it took more than {limit:g} s", seconds)
    finally:
        for pipe, forked in running.items():
            _end(forked, pipe)


def _received(pipe: Connection, forked: _Forked, seconds: float) -> TaskEnd[R]:
    result, failure = None, None
    try:
        result = pipe.recv()
    except (EOFError, OSError):
        forked.process.join()
        code = forked.process.exitcode or 0
        failure = (
            f"its process was ended by {signal.Signals(-code).name}"
            if code < 0
            else f"its process ended with code {code}"
        )
    _end(forked, pipe)
    return TaskEnd(forked.number, result, failure, seconds)


def _end(forked: _Forked, pipe: Connection) -> None:
    """End a process with all that it started."""
    pid = forked.process.pid
    assert pid is not None
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if forked.process.is_alive():
        forked.process.kill()
    forked.process.join()
    pipe.close()


def _run_forked(task: Callable[[], R], pipe: Connection) -> None:
    """In the new process, which leads a group of its own: what it starts ends with it."""
    with suppress(OSError):
        os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.dup2(2, 1)  # what the user's schedule prints is no result
    pipe.send(task())
    pipe.close()
