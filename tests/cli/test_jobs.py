"""`--jobs`: the same answers in the same order, from several processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from optigpu.cli import main
from optigpu.commands.file_answers import independent_parts
from optigpu.commands.worker_processes import WorkerProcesses, in_processes
from optigpu.frontend import parse_text
from tests.conftest import ROOT

# the command line forks before it has any threads; the process of a test run has some, of which Python warns from 3.12 on
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
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


# Other commands --------------------------------------------------------------------------------------------------------------


SMALL = [str(ROOT / "examples" / f"{name}.c") for name in ("sum", "copy", "vector_add")]


def test_audits_are_those_of_one_process(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    one = answers(["audit", *SMALL], capsys)
    assert one[0] == 0 and all(file in one[1] for file in SMALL)
    assert answers(["audit", "--jobs", "2", *SMALL], capsys) == one
    stopped = answers(["audit", SMALL[0], program, SMALL[1]], capsys)
    assert stopped[0] == 1 and SMALL[0] in stopped[1] and SMALL[1] not in stopped[1]
    assert answers(["audit", "--jobs", "3", SMALL[0], program, SMALL[1]], capsys) == stopped


def test_an_audit_with_an_error_comes_after_those_before_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text("void f( {\n", encoding="utf-8")
    one = answers(["audit", SMALL[0], str(bad), SMALL[1]], capsys)
    assert one[0] == 2 and SMALL[0] in one[1] and SMALL[1] not in one[1] and "bad.c:1" in one[2]
    assert answers(["audit", "--jobs", "3", SMALL[0], str(bad), SMALL[1]], capsys) == one


@pytest.mark.parametrize("command", [["test", "--seconds", "0.05"], ["run-c"]], ids=lambda c: c[0])
def test_functions_are_run_in_their_order(
    command: list[str], program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def without_counts(argv: list[str]) -> tuple[int, str, str]:
        code, out, err = answers(argv, capsys)
        return code, re.sub(r"\b\d+ (inputs|runs|tests)\b[^\n]*", "COUNT", out), err

    bad = tmp_path / "bad.c"
    bad.write_text("void f( {\n", encoding="utf-8")
    files = [SMALL[0], program, SMALL[1]]
    one = without_counts([*command, *files])
    assert one[0] == 1 and "fill1" in one[1]
    assert without_counts([*command, "--jobs", "3", *files]) == one
    one = without_counts([*command, SMALL[0], str(bad), SMALL[1]])
    assert one[0] == 2 and "sum" in one[1] and "bad.c:1" in one[2]
    assert without_counts([*command, "--jobs", "2", SMALL[0], str(bad), SMALL[1]]) == one
    assert without_counts([*command, "--jobs", "2", *files, "--function", "none"])[0] == 2


def test_builds_are_those_of_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "made.py"
    script.write_text(
        "import os, sys\nimport optigpu as og\n"
        f"s = og.Script({SMALL[1]!r})\nprint('from the script')\nprint('as an error', file=sys.stderr)\n"
        "sys.stdout.flush()\nos.system('echo from a program')\n",
        encoding="utf-8",
    )
    sources = [SMALL[0], str(script), SMALL[2]]
    made = ("sum", "made", "vector_add")
    code = main(["build", "--jobs", "2", *sources])
    out, err = capsys.readouterr()
    assert code == 0 and err == "as an error\n"
    assert [name for line in out.splitlines() for name in made if f"build/{name}.c" in line] == list(made)
    assert (
        out.index("build/sum.c")
        < out.index("from the script")
        < out.index("from a program")
        < out.index("build/made.c")
    )
    for name in made:
        assert (tmp_path / "build" / f"{name}.cert.json").exists()
    one = answers(["build", SMALL[0], program, SMALL[2]], capsys)
    assert one[0] == 1 and "fill2" in one[2] and "vector_add" not in one[1]
    assert answers(["build", "--jobs", "3", SMALL[0], program, SMALL[2]], capsys) == one
    assert main(["build", "-o", "x.c", *sources]) == 2


@pytest.mark.parametrize("other", ["other/sum.c", "sum.py", SMALL[0]])
def test_two_builds_do_not_write_one_file(
    other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = answers(["build", "--jobs", "2", SMALL[0], SMALL[1], other], capsys)
    assert code == 2 and not out and f"{SMALL[0]} and {other} would both be written to build/sum" in err
    assert not (tmp_path / "build").exists()


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


def test_what_a_task_prints_comes_with_its_result(capfd: pytest.CaptureFixture[str]) -> None:
    def task(k: int) -> Callable[[], int]:
        def run() -> int:
            print(f"out {k} \u2713")
            print(f"err {k}", file=sys.stderr)
            sys.stdout.flush()
            os.system(f"echo program {k}")
            return k

        return run

    assert list(in_processes([task(k) for k in range(3)], 3)) == [0, 1, 2]
    out, err = capfd.readouterr()
    assert out == "".join(f"out {k} \u2713\nprogram {k}\n" for k in range(3))
    assert err == "err 0\nerr 1\nerr 2\n"


def test_what_a_failing_task_printed_is_printed_once(capfd: pytest.CaptureFixture[str]) -> None:
    def fails() -> int:
        print("once")
        raise ValueError

    with pytest.raises(ValueError):
        list(in_processes([fails, *numbers(2)], 2))
    assert capfd.readouterr().out == "once\n"


def test_programs_that_a_task_has_started_end_with_it(tmp_path: Path) -> None:
    """An interrupt of the parent alone must not leave a compiler, or a process that replays proofs, behind."""
    here = os.getpid()
    started = tmp_path / "started"
    os.mkfifo(started)

    def waits() -> int:
        subprocess.run(
            [
                sys.executable,
                "-c",
                f"import os, time; open({str(started)!r}, 'w').write(str(os.getpid())); time.sleep(600)",
            ],
            check=True,
        )
        return 0

    def interrupted() -> int:
        if os.getpid() != here:
            os._exit(1)
        processes.append(int(started.read_text()))  # waits until it was started
        raise KeyboardInterrupt

    processes: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        next(WorkerProcesses([interrupted, waits], 2).results())
    for _ in range(1000):
        if not is_running(processes[0]):
            break
        time.sleep(0.01)
    assert not is_running(processes[0])


def is_running(process: int) -> bool:
    """Is there a process of this number that has not ended?"""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


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
