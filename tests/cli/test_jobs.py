"""`--jobs`: the same answers in the same order, from several processes."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from optigpu.cli import main
from optigpu.commands.file_answers import independent_parts
from optigpu.commands.worker_processes import WorkerProcesses, in_processes
from optigpu.frontend import parse_text
from tests.conftest import ROOT

FILL = """
void fill{k}(int n, float a[n]) {{
  __writes("a ~> Matrix1(n, fun i -> {value})");
  for (int i = 0; i < n; i++) {{
    a[i] = {k}.0f;
  }}
}}
"""
CALLER = """
void caller(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  fill0(n, a);
}
"""
PROGRAM = "".join(FILL.format(k=k, value=k if k != 2 else 7) for k in range(4)) + CALLER


def answers(argv: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Exit code and output, without the seconds."""
    code = main(argv)
    out, err = capsys.readouterr()
    return code, re.sub(r'[0-9.]+ s$|"seconds": [0-9.]+', "SECONDS", out, flags=re.MULTILINE), err


@pytest.fixture
def program(tmp_path: Path) -> str:
    file = tmp_path / "fill.c"
    file.write_text(PROGRAM, encoding="utf-8")
    return str(file)


def test_parts_do_not_call_each_other() -> None:
    assert independent_parts(parse_text(PROGRAM)) == [
        frozenset({"fill0", "caller"}), frozenset({"fill1"}), frozenset({"fill2"}), frozenset({"fill3"}),
    ]  # fmt: skip
    assert independent_parts(parse_text(CALLER.replace("fill0(n, a)", "").replace("fun i -> 0", "fun i -> 0"))) == [
        None
    ]


@pytest.mark.parametrize("options", [[], ["--json"], ["-v"], ["--function", "fill1"], ["--show-proof"]])
def test_output_is_that_of_one_process(program: str, options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    files = [program, str(ROOT / "examples" / "sum.c")] if "--function" not in options else [program]
    one = answers(["check", *options, *files], capsys)
    assert one[0] == (1 if "--function" not in options else 0)
    assert answers(["check", "--jobs", "3", *options, *files], capsys) == one


def test_an_error_comes_after_the_answers_before_it(
    program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text("void f( {\n", encoding="utf-8")
    files = [str(ROOT / "examples" / "sum.c"), program, str(bad), program]
    one = answers(["check", *files], capsys)
    assert one[0] == 2 and "fill2" in one[1] and "bad.c:1" in one[2]
    assert answers(["check", "--jobs", "2", *files], capsys) == one


def test_a_certificate_is_written_all_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "right.c", tmp_path / "right.cert.json"
    file.write_text("".join(FILL.format(k=k, value=k) for k in range(3)), encoding="utf-8")
    assert main(["check", "--jobs", "2", "--certificate", str(out), str(file)]) == 0
    assert main(["audit", "--certificate", str(out), str(file)]) == 0


# Processes -------------------------------------------------------------------------------------------------------------------


def numbers(n: int) -> list[Callable[[], int]]:
    return [lambda k=k: k * k for k in range(n)]  # type: ignore[misc]


def test_results_come_in_order() -> None:
    assert list(in_processes(numbers(20), 3)) == [k * k for k in range(20)]


def test_a_process_that_dies_or_fails_gives_no_result_and_its_task_is_run_here() -> None:
    here = os.getpid()

    def dies() -> int:
        if os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return 7

    def fails() -> int:
        raise ValueError(os.getpid() == here)

    assert list(in_processes([dies, *numbers(2)], 2)) == [7, 0, 1]
    with pytest.raises(ValueError, match="True"):
        list(in_processes([fails, *numbers(2)], 2))


def test_no_process_is_left_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    here, fork = os.getpid(), os.fork
    processes: list[int] = []

    def recorded() -> int:
        process = fork()
        processes.append(process)
        return process

    monkeypatch.setattr(os, "fork", recorded)
    reading, writing = os.pipe()

    def waits() -> int:
        if os.getpid() != here:
            os.close(writing)
            os.read(reading, 1)  # until the parent ends, or kills it
        return 0

    def interrupted() -> int:
        if os.getpid() != here:
            os._exit(1)
        raise KeyboardInterrupt

    workers = WorkerProcesses([interrupted, waits, waits], 3)
    with pytest.raises(KeyboardInterrupt):
        next(workers.results())
    os.close(reading)
    os.close(writing)
    assert not workers.running and len(processes) == 3
    for process in processes:
        with pytest.raises(ChildProcessError):  # ended, and waited for
            os.waitpid(process, os.WNOHANG)
