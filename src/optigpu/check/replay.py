"""Replaying certificates in a process of our own, so that a verdict that leaves this process rests on nothing that ran in it.

The other process is an isolated Python (`-I`: no PYTHONPATH, no user's site, no current folder) that imports OptiGPU from where
this process has it, and is asked over a pipe. It has its own kernel, its own solver, and no cache of answers on disk. It stays for
the next question and ends with this process.
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
from typing import Any

from optigpu.check.audit import AuditResult, audit, certified
from optigpu.frontend import parse_file
from optigpu.logic.judge import Solver
from optigpu.solver.answer_cache import CachedSolver
from optigpu.syntax.diagnostic import InputError

ROOT = Path(__file__).resolve().parent.parent.parent
START = "import sys; sys.path.insert(0, sys.argv[1]); from optigpu.check.replay import serve; serve()"


class ReplayError(Exception):
    """The other process could not be started, or has ended."""


class Replayer:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = 0  # a forked process has the pipe of another one's

    def replay(self, certificate: str, file: str | None = None) -> AuditResult:
        """What a certificate proves of its own program, or of a file. Raises ValueError if it is no certificate."""
        request = json.dumps({"certificate": certificate, "file": None if file is None else os.path.abspath(file)})
        with self._lock:
            answer = self._asked(request)
        if "error" in answer:
            raise ValueError(answer["error"])
        return AuditResult(**answer["found"])

    def _asked(self, request: str) -> dict[str, Any]:
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(request + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        except BaseException:  # an interrupt: the answer must not be taken for the next question's
            self._ended(process)
            raise
        if not line:
            self._ended(process)
            raise ReplayError("the process that replays proofs has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _started(self) -> subprocess.Popen[str]:
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
            self._ended(self._process)

    def _ended(self, process: subprocess.Popen[str]) -> None:
        process.kill()
        process.communicate()
        self._process = None


REPLAYER = Replayer()
atexit.register(REPLAYER.close)


def serve() -> None:
    """The other process: a certificate a line, until there are no more."""
    from optigpu.solver.z3_solver import Z3Solver

    sys.setrecursionlimit(10_000)
    gc.set_threshold(50_000, 20, 100)
    sys.set_int_max_str_digits(0)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no answer
    solver = CachedSolver(Z3Solver())  # in memory alone
    for line in iter(sys.stdin.readline, ""):
        answers.write(json.dumps(_answer(json.loads(line), solver)) + "\n")
        answers.flush()


def _answer(request: dict[str, Any], solver: Solver) -> dict[str, Any]:
    try:
        text, file = request["certificate"], request["file"]
        program = certified(text).program if file is None else parse_file(file)
        return {"found": asdict(audit(program, text, solver))}
    except (ValueError, InputError) as e:
        return {"error": str(e)}
