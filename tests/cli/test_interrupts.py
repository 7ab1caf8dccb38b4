"""Control-C, a killed process and a solver that fails: exit code 130, no stack trace, no wrong answer, a cache that still works."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from optigpu.logic import terms as k
from optigpu.solver.answer_cache import CachedSolver
from optigpu.solver.z3_solver import Z3Solver
from tests.conftest import ROOT
from tests.support.command_line import (
    COPY,
    HANGS,
    SUM,
    environment,
    heed_interrupts,
    intact,
    optigpu,
    without_stack_trace,
)
from tests.support.pigeons import pigeons

# The solver


def test_a_question_that_is_too_hard_is_not_answered() -> None:
    assert not Z3Solver(rlimit=20_000).valid(pigeons(9), k.FALSE)


INTERRUPTED = """
import os, signal, sys, threading, time
sys.path[:0] = {paths!r}
from tests.support.pigeons import pigeons
from optigpu.logic.terms import FALSE
from optigpu.solver.answer_cache import CachedSolver
from optigpu.solver.z3_solver import Z3Solver
from pathlib import Path
facts, solver = pigeons(11), CachedSolver(Z3Solver(rlimit=50_000), Path({cache!r}))
def insist():  # Python drops one that comes while an object is finalised
    for _ in range(20):
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=insist, daemon=True).start()
try:
    for n in range(200):
        solver.valid(facts[n:], FALSE)
except KeyboardInterrupt:
    os._exit(130)
"""


def test_an_interrupt_is_no_answer_of_the_solver(tmp_path: Path) -> None:
    """z3 would take the signal for itself and say "unknown", which would be remembered as a "no"."""
    code = INTERRUPTED.format(paths=[str(ROOT / "src"), str(ROOT)], cache=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], timeout=HANGS, preexec_fn=heed_interrupts, check=False)
    assert done.returncode == 130


def test_a_solver_that_fails_is_no_answer(tmp_path: Path) -> None:
    class Failing(Z3Solver):
        def valid(self, facts: object, goal: object) -> bool:
            raise MemoryError

    x = k.var("x", k.INT)
    goal = k.lt(k.ZERO, x)
    failing = CachedSolver(Failing(), tmp_path)
    with pytest.raises(MemoryError):
        failing.valid([], goal)
    assert CachedSolver(Z3Solver(), tmp_path).valid([goal], goal)
    assert CachedSolver(Failing(), tmp_path).valid([goal], goal)  # from the cache now


# Interrupts

INTERRUPT = """
import os, signal, sys
sys.path.insert(0, {src!r})
from optigpu.cli import main
left = {calls}
def count(frame, event, argument):  # a place in the work instead of a time
    global left
    left -= event == "call"
    if left == 0:
        sys.setprofile(None)
        os.kill(os.getpid(), signal.{signal})
sys.setprofile(count)
sys.exit(main({argv!r}))
"""


def interrupted(argv: list[str], cwd: Path, calls: int, name: str = "SIGINT") -> subprocess.CompletedProcess[str]:
    """The command line, with a signal after so many calls of Python functions."""
    code = INTERRUPT.format(src=str(ROOT / "src"), calls=calls, signal=name, argv=argv)
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env=environment(cwd),
        capture_output=True,
        text=True,
        timeout=HANGS,
        preexec_fn=heed_interrupts,
        check=False,
    )


@pytest.mark.parametrize("calls", [50_000, 1_000_000])
def test_control_c_during_a_check(tmp_path: Path, calls: int) -> None:
    files = [str(ROOT / "examples" / "gpu" / f"{name}.c") for name in ("scan", "matmul_shared", "reduce")]
    done = interrupted(["check", *files], tmp_path, calls)
    assert done.returncode == 130
    assert done.stderr.strip() == "interrupted"


DROPPED = """
import os, signal, sys, time
sys.path.insert(0, {src!r})
from optigpu import cli
from optigpu.commands import check_command
class Finalised:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
def check(*_):
    Finalised()
    for _ in range(1000):  # an interrupt that is sent by a thread does not end a sleep
        time.sleep(0.02)
    return 0
check_command.check_command = check
sys.exit(cli.main(["check", "any.c"]))
"""


def test_control_c_while_an_object_is_finalised(tmp_path: Path) -> None:
    """Python would drop it, and show a stack trace."""
    command = [sys.executable, "-c", DROPPED.format(src=str(ROOT / "src"))]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=HANGS, preexec_fn=heed_interrupts, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stderr.strip()) == (130, "interrupted")


def test_control_c_during_a_script_leaves_no_output(tmp_path: Path) -> None:
    done = interrupted(["run", str(ROOT / "examples" / "gpu" / "scripts" / "matmul.py")], tmp_path, 1_000_000)
    assert done.returncode == 130
    without_stack_trace(done.stderr)
    assert [p for p in tmp_path.rglob("*") if p.is_file() and "cache" not in p.parts] == []


def test_a_killed_check_leaves_a_cache_that_works(tmp_path: Path) -> None:
    done = interrupted(
        ["check", str(ROOT / "examples" / "histogram.c"), str(ROOT / "examples" / "gpu" / "scan.c")],
        tmp_path,
        500_000,
        "SIGKILL",
    )
    assert done.returncode == -signal.SIGKILL
    assert optigpu("check", SUM, COPY, cwd=tmp_path).returncode == 0
    assert intact(tmp_path / "cache")
