"""Replaying certificates in a separate process, so that emitted code does not rest on untrusted code that ran in this one.

The other process is an isolated Python (`-I`: no PYTHONPATH, no user site, no current folder) that imports OptiGPU from where this
process has it. Requests and answers are lines of JSON on a pipe. It has its own kernel, its own solver, and no cache of answers on
disk. It stays alive for the next request and ends with this process.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import subprocess
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

from optigpu.check.audit import AuditResult, audit, certified
from optigpu.frontend import parse_file
from optigpu.logic.judge import Solver
from optigpu.solver.answer_cache import CachedSolver
from optigpu.syntax.diagnostic import InputError

ROOT = Path(__file__).resolve().parent.parent.parent
START = (  # what is imported is no garbage
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); from optigpu.check.replay import serve; gc.freeze(); serve()"
)


class ReplayRequest(TypedDict):
    """A line to the other process: a certificate, and the file that it is about, or None for its own program."""

    certificate: str
    file: str | None


class ReplayAnswer(TypedDict, total=False):
    """A line from the other process: the fields of an `AuditResult`, or why there is none."""

    result: dict[str, Any]
    error: str


class ReplayError(Exception):
    """The other process could not be started, or has ended."""


class Replayer:
    """The replaying process, started with the first request."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0  # process that started it: a fork must not use the pipe of its parent

    def replay(self, certificate: str, file: str | None = None) -> AuditResult:
        """What a certificate proves of its own program, or of a file. Raises ValueError if it is no certificate."""
        path = None if file is None else os.path.abspath(file)
        with self._lock:
            answer = self._answer({"certificate": certificate, "file": path})
        if "error" in answer:
            raise ValueError(answer["error"])
        return AuditResult(**answer["result"])

    def _answer(self, request: ReplayRequest) -> ReplayAnswer:
        process = self._running_process()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        except BaseException:  # an interrupt: its answer must not be read as that of the next request
            self._stop(process)
            raise
        if not line:
            self._stop(process)
            raise ReplayError("the process that replays proofs has ended")
        answer: ReplayAnswer = json.loads(line)
        return answer

    def _running_process(self) -> subprocess.Popen[str]:
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return self._process
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", START, str(ROOT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
            )
        except OSError as e:
            raise ReplayError(f"no process can be started that replays proofs: {e}") from None
        self._owner = os.getpid()
        return self._process

    def close(self) -> None:
        if self._process is not None and self._owner == os.getpid():
            self._stop(self._process)

    def _stop(self, process: subprocess.Popen[str]) -> None:
        process.kill()
        process.communicate()
        self._process = None


REPLAYER = Replayer()
atexit.register(REPLAYER.close)


def serve() -> None:
    """The main loop of the other process: one request a line. The solver is imported here, as only this process uses it."""
    from optigpu.solver.z3_solver import Z3Solver

    sys.setrecursionlimit(10_000)
    gc.set_threshold(50_000, 20, 100)
    gc.enable()
    sys.set_int_max_str_digits(0)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints must not write into the answers
    solver = CachedSolver(Z3Solver())  # answers are kept in memory alone
    for line in iter(sys.stdin.readline, ""):
        answers.write(json.dumps(_answer(json.loads(line), solver)) + "\n")
        answers.flush()


def _answer(request: ReplayRequest, solver: Solver) -> ReplayAnswer:
    try:
        text, file = request["certificate"], request["file"]
        program = certified(text).program if file is None else parse_file(file)
        return {"result": asdict(audit(program, text, solver))}
    except (ValueError, InputError) as e:
        return {"error": str(e)}
