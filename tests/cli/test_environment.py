"""The command line when things go wrong around it: a clear message, the right exit code, no stack trace, nothing half written."""

from __future__ import annotations

import errno
import json
import os
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import optigpu as og
from optigpu.check.certificate import sealed
from optigpu.cli import main
from optigpu.logic import terms as k
from optigpu.runtime import compilers
from optigpu.runtime.manifest import load, save
from optigpu.solver.answer_cache import CachedSolver
from optigpu.solver.z3_solver import Z3Solver
from tests.conftest import ROOT
from tests.support.command_line import COPY, HANGS, SUM, environment, intact, optigpu, without_stack_trace

WRONG = SUM.read_text(encoding="utf-8").replace("i < n", "i <= n")


def refuses(capsys: pytest.CaptureFixture[str], *args: str | Path, code: int = 2) -> str:
    assert main([str(a) for a in args]) == code
    err = capsys.readouterr().err
    without_stack_trace(err)
    assert err.strip()
    return err


# Bad files


def test_files_that_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    binary = tmp_path / "binary.c"
    binary.write_bytes(bytes(range(256)))
    empty_certificate = tmp_path / "empty.json"
    empty_certificate.write_text("", encoding="utf-8")
    other = tmp_path / "other.json"
    other.write_text('{"format": 1, "terms": [["num", "x", "int"]], "proofs": {}}', encoding="utf-8")
    for command in ("check", "audit", "parse", "print", "test", "run-c"):
        for file in (tmp_path / "missing.c", tmp_path, binary):
            refuses(capsys, command, file)
    for certificate in (tmp_path / "missing.json", tmp_path, binary, empty_certificate, other):
        refuses(capsys, "audit", COPY, "--certificate", certificate)
    for command in ("run", "diff", "build"):
        for file in (tmp_path / "missing.py", tmp_path):
            refuses(capsys, command, file)
    refuses(capsys, "check", COPY, "--certificate", tmp_path / "no" / "such" / "folder.json")
    refuses(capsys, "check", COPY, "--certificate", tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["binary.c", "empty.json", "other.json"]


@pytest.mark.parametrize("certificate", ["[]", "null", "1", '"x"', "{", '{"format": 3}', '{"format": 2}', "[" * 100_000,
                                         '{"format":' + "9" * 10_000 + "}", "\ud800", "\x00"])  # fmt: skip
def test_certificates_of_any_kind_are_read_without_a_crash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], certificate: str
) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(certificate.encode("utf-8", "surrogatepass"))
    assert main(["audit", str(COPY), "--certificate", str(path)]) == 2
    captured = capsys.readouterr()
    without_stack_trace(captured.err)


@pytest.mark.parametrize("parts", [{"terms": 3}, {"proofs": []}, {"terms": [["sum", 7, 8, 9]]}, {"terms": [["what"]]},
                                   {"proofs": {"copy": 3}}, {"proofs": {"copy": [{"!": "RuleCall"}]}},
                                   {"proofs": {"copy": [{"!": "Nothing"}]}}, {"contracts": 3}, {"ledger": []}, {"program": 1},
                                   {"terms": [["num", "1/0", "int"]]}, {"terms": [["num", "1/2", "int"]]},
                                   {"terms": [["bound", -1, "int"], ["max", 0, 0]]}, {"tool": None}, {"emission": 7},
                                   {"format": "3"}, {"proofs": None}, {"ledger": {"solver": {}}}])  # fmt: skip
def test_sealed_certificates_of_any_kind_are_read_without_a_crash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], parts: dict[str, Any]
) -> None:
    path = tmp_path / "c.json"
    assert main(["check", str(COPY), "--certificate", str(path)]) == 0
    path.write_text(sealed({**json.loads(path.read_text(encoding="utf-8")), **parts}), encoding="utf-8")
    assert main(["audit", str(COPY), "--certificate", str(path)]) in (1, 2)
    captured = capsys.readouterr()
    without_stack_trace(captured.err)


def test_links_that_lead_nowhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "broken.c").symlink_to(tmp_path / "nothing.c")
    (tmp_path / "circle.c").symlink_to(tmp_path / "circle.c")
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")
    for name in ("broken.c", "circle.c"):
        assert f"{name}:1:1" in refuses(capsys, "check", tmp_path / name)
        assert f"{name}" in refuses(capsys, "check", COPY, "--certificate", tmp_path / name / "x.json")
    refuses(capsys, "run", tmp_path / "circle.py")


@pytest.mark.parametrize(
    "include",
    ['"a\0b"', '"."', '"/"', '"' + "a" * 5000 + '"', '"x.c"', '"y.h"', '"/dev/null/x"', '"circle.h"', '""'],
    ids=len,
)
def test_includes_that_cannot_be(
    include: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("circle.h").symlink_to("circle.h")
    Path("y.h").write_text('#include "x.c"\n', encoding="utf-8")
    Path("x.c").write_text(f"// one\n#include {include}\n", encoding="utf-8")
    err = refuses(capsys, "check", "x.c")
    assert err.startswith(("x.c:2:", "y.h:1:")), err


def test_built_files_that_were_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = ROOT / "examples" / "gpu" / "vector_add.c"
    save(og.Script(program).built_cuda(), tmp_path, "x")
    text = (tmp_path / "x.json").read_text(encoding="utf-8")
    load(tmp_path, "x")
    for changed in (
        "", "[]", "null", "{", text[:-20], text.replace('"Scalar"', '"Nothing"'), text.replace('"array"', '"scalar"', 1),
        text.replace('"verified": true', '"verified": 1'), "[" * 100_000, text.replace('"signature"', '"other"'),
    ):  # fmt: skip
        (tmp_path / "x.json").write_text(changed, encoding="utf-8")
        refuses(capsys, "bench", tmp_path / "x.cu", "--cpu", "--size", "n=10")
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    (tmp_path / "x.cu").write_bytes(b"\xff\xfe")
    refuses(capsys, "bench", tmp_path / "x.cu", "--cpu", "--size", "n=10")


def test_a_file_without_functions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.c"
    file.write_text("// nothing\n", encoding="utf-8")
    for command in ("check", "parse", "print", "test", "run-c", "audit"):
        assert main([command, str(file)]) == 0
    capsys.readouterr()
    assert "no function" in refuses(capsys, "build", file, "-o", tmp_path / "x.c")
    assert "no function" in refuses(capsys, "build", file, "-o", tmp_path / "x.cu")
    refuses(capsys, "bench", file, "--cpu")


def test_options_that_make_no_sense(capsys: pytest.CaptureFixture[str]) -> None:
    for args in (
        ["nonsense"], [], ["check"], ["check", "--bogus", str(COPY)], ["check", str(COPY), "--seed", "x"],
        ["test", str(COPY), "--seconds", "x"], ["bench", str(COPY), "--compiler", "tcc"],
    ):  # fmt: skip
        with pytest.raises(SystemExit) as e:
            main(args)
        assert e.value.code == 2
        assert capsys.readouterr().err.startswith("usage: optigpu")
    for args in (["explain", ""], ["check", ""], ["run", ""], ["build", ""], ["audit", str(COPY), "--certificate", ""],
                 ["check", str(COPY), "--certificate", ""], ["bench", str(COPY), "--cpu", "--size", "n"]):  # fmt: skip
        refuses(capsys, *args)


# Surroundings


@pytest.mark.parametrize(
    "env",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
        {"TERM": "dumb", "COLUMNS": "1", "OPTIGPU_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "/dev/null/none"},
        {"OPTIGPU_CACHE": "/proc/nothing"},
    ],
    ids=["ascii", "no home", "cache that cannot be"],
)
def test_poor_surroundings(env: dict[str, str], tmp_path: Path) -> None:
    done = optigpu("check", COPY, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert "VERIFIED" in done.stdout and not done.stderr
    assert list(tmp_path.iterdir()) in ([], [tmp_path / "cache"])


def test_a_user_without_a_home(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def none() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("OPTIGPU_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", none)
    assert main(["check", str(COPY)]) == 0
    assert main(["doctor"]) == 0
    assert not capsys.readouterr().err
    assert main(["run-c", str(COPY)]) == 0
    assert "no home folder to keep compiled code in: set OPTIGPU_CACHE" in capsys.readouterr().err


def test_nobody_listens(tmp_path: Path) -> None:
    """Closed output, and a reader that leaves (`| head -1`)."""
    command = f"{sys.executable} -m optigpu"
    wrong = tmp_path / "wrong.c"
    wrong.write_text(WRONG, encoding="utf-8")
    for line, code in (
        (f"{command} print {COPY} >&-", 0),
        (f"{command} check {tmp_path}/none.c 2>&- >&-", 2),
        (f"{command} print {COPY} | true; exit ${{PIPESTATUS[0]}}", 0),
        (f"{command} --help | true; exit ${{PIPESTATUS[0]}}", 0),
        (f"{command} check {COPY} {wrong} {COPY} | head -1 >/dev/null; exit ${{PIPESTATUS[0]}}", 1),  # the verdict
        (f"PYTHONUNBUFFERED=1 {command} check {wrong} {COPY} | true; exit ${{PIPESTATUS[0]}}", 1),
        (f"{command} check {wrong} --certificate c.json 2>&1 | true; exit ${{PIPESTATUS[0]}}", 1),
    ):
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=tmp_path,
            env=environment(tmp_path),
            capture_output=True,
            text=True,
            timeout=HANGS,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, ""), (line, done.stderr)


def test_warnings_say_nothing_of_our_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "x.py"
    script.write_text(
        f"import warnings\nimport optigpu as og\ns = og.Script({str(COPY)!r})\nwarnings.warn('so it is')\n",
        encoding="utf-8",
    )
    assert main(["run", "--no-trace", str(script)]) == 0
    assert capsys.readouterr().err == "warning: so it is\n"


def test_what_is_too_large_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for error in (MemoryError, RecursionError):
        monkeypatch.setattr(
            "optigpu.commands.check_command.program_of_file", lambda path, e=error: (_ for _ in ()).throw(e)
        )
        assert "too large" in refuses(capsys, "check", COPY)


# Large programs


def large(kind: str) -> str:
    match kind:
        case "statements":
            body = "".join(f"  a[{i % 7}] = {i}.0f;\n" for i in range(1500))
            return f'void f(int n, float a[n]) {{\n  __requires("n > 7");\n  __preserves("a ~> Cells1(n)");\n{body}}}\n'
        case "loops":
            heads = "".join(f"for (int i{i} = 0; i{i} < n; i{i}++) {{ " for i in range(60))
            return f'void f(int n, float a[n]) {{\n  __preserves("a ~> Cells1(n)");\n  {heads}{"}" * 60}\n}}\n'
        case "expression":
            total = " + ".join(f"{i} * n" for i in range(2000))
            return f"int f(int n) {{\n  __pure();\n  return {total};\n}}\n"
        case "functions":
            one = 'int f{0}(int n) {{\n  __ensures("_Res == n + {0}");\n  return n + {0};\n}}\n'
            return "".join(one.format(i) for i in range(60))
        case "clauses":
            facts = "".join(f'  __requires("n > {i}");\n' for i in range(400))
            return f'int f(int n) {{\n{facts}  __ensures("_Res > 100");\n  return n;\n}}\n'
        case _:
            tests = "".join(f"  if (n > {i}) {{ a[{i}] = 1.0f; }}\n" for i in range(60))
            return f'void f(int n, float a[n]) {{\n  __preserves("a ~> Cells1(n)");\n{tests}}}\n'


@pytest.mark.parametrize("kind", ["expression", "functions", "clauses", "loops"])
def test_large_programs_get_a_verdict(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "large.c"
    file.write_text(large(kind), encoding="utf-8")
    assert main(["check", str(file)]) in (0, 1, 2)
    without_stack_trace(capsys.readouterr().err)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["statements", "branches"])
def test_larger_programs_get_a_verdict(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test_large_programs_get_a_verdict(kind, tmp_path, capsys)


def test_numbers_of_thousands_of_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "large.c"
    factor = " * ".join(["4000000000000000000"] * 50)
    product = " * ".join([f"({factor})"] * 6)
    path.write_text(f'int f(int a) {{\n  __ensures("_Res != {product}");\n  return a;\n}}\n', encoding="utf-8")
    assert main(["check", str(path)]) == 0  # no int is that large
    path.write_text(path.read_text(encoding="utf-8").replace("!=", "=="), encoding="utf-8")
    assert main(["check", str(path)]) == 1
    without_stack_trace(capsys.readouterr().err)


# Compilers


def test_missing_compilers_are_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(compilers, "c_compiler", compilers.c_compiler.__wrapped__)  # not what was found before
    assert "compiler" in refuses(capsys, "run-c", COPY)
    monkeypatch.chdir(tmp_path)
    refuses(capsys, "build", COPY)
    assert main(["doctor"]) == 0
    assert main(["check", str(COPY)]) == 0  # needs none


# A full disk


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))


def test_a_full_disk_leaves_what_was_there(tmp_path: Path) -> None:
    """No file may grow beyond 600 bytes: certificates and the cache of answers do not fit."""
    target = tmp_path / "copy.json"
    target.write_text("as before", encoding="utf-8")
    done = optigpu("check", COPY, "--certificate", target, cwd=tmp_path, limit=small_files)
    assert done.returncode == 2, done.stderr
    without_stack_trace(done.stderr)
    assert "error" in done.stderr
    assert target.read_text(encoding="utf-8") == "as before"
    assert not list(tmp_path.glob(".*")), "a half-written file is left"
    assert optigpu("check", SUM, cwd=tmp_path, limit=small_files).returncode == 0  # without a cache it goes as well
    assert optigpu("check", SUM, "--certificate", target, cwd=tmp_path).returncode == 0
    json.loads(target.read_text(encoding="utf-8"))


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize(
    "args", [("print", COPY), ("check", COPY), ("--help",), ("explain", "OG302")], ids=lambda a: a[0]
)
def test_output_that_cannot_be_written(args: tuple[str | Path, ...], unbuffered: str, tmp_path: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = optigpu(*args, cwd=tmp_path, stdout=full.fileno(), env={"PYTHONUNBUFFERED": unbuffered})
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert done.stderr == f"error: the output cannot be written: {os.strerror(errno.ENOSPC)}\n"


def test_neither_output_nor_errors_can_be_written(tmp_path: Path) -> None:
    command = f"{sys.executable} -m optigpu check {COPY} >/dev/full 2>/dev/full"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(tmp_path), timeout=HANGS, check=False)
    assert done.returncode == 2


def test_two_processes_share_a_cache(tmp_path: Path) -> None:
    files = [str(ROOT / "examples" / f"{name}.c") for name in ("histogram", "tiled_guard", "strided", "stencil1d")]
    command = [sys.executable, "-m", "optigpu", "check"]
    both = [
        subprocess.Popen(
            [*command, *order],
            cwd=tmp_path,
            env=environment(tmp_path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for order in (files, files[::-1])
    ]
    for process in both:
        out, err = process.communicate(timeout=HANGS)
        assert process.returncode == 0, out + err
    assert intact(tmp_path / "cache")


def test_two_processes_share_an_output_folder(tmp_path: Path) -> None:
    """What is there in the end is what one of them wrote, and its certificate fits."""
    both = [
        subprocess.Popen(
            [sys.executable, "-m", "optigpu", "build", str(COPY), "-o", "out/copy.c"],
            cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for _ in range(2)
    ]  # fmt: skip
    for process in both:
        out, err = process.communicate(timeout=HANGS)
        assert process.returncode == 0, out + err
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["copy.c", "copy.cert.json"]
    assert (
        main(["audit", str(tmp_path / "out" / "copy.c"), "--certificate", str(tmp_path / "out" / "copy.cert.json")])
        == 0
    )


@pytest.mark.parametrize("damage", [b"", b"this is no database", bytes(4096)])
def test_a_damaged_cache_is_as_good_as_none(tmp_path: Path, damage: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "answers.sqlite").write_bytes(damage)
    monkeypatch.setenv("OPTIGPU_CACHE", str(tmp_path))
    assert main(["check", str(ROOT / "examples" / "histogram.c")]) == 0


def test_changed_answers_are_not_believed(tmp_path: Path) -> None:
    x = k.var("x", k.INT)
    goal, facts = k.lt(k.ZERO, x), [k.lt(k.num(-1, k.INT), x)]  # not a consequence
    assert not CachedSolver(Z3Solver(), tmp_path).valid(facts, goal)
    database = sqlite3.connect(tmp_path / "answers.sqlite")
    code, kept = database.execute("SELECT code, text FROM entries").fetchone()
    assert kept == "no"
    for forged in ("yes", "", 1, None):
        with database:
            database.execute("UPDATE entries SET text = ?", (forged,))
        assert not CachedSolver(Z3Solver(), tmp_path).valid(facts, goal)
        assert database.execute("SELECT code, text FROM entries").fetchone() == (code, kept)
    database.close()


def test_a_cache_that_is_a_file_is_as_good_as_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    monkeypatch.setenv("OPTIGPU_CACHE", str(file))
    assert main(["check", str(COPY)]) == 0


# Scripts that stop in the middle

SCRIPT = """
import optigpu as og
s = og.Script({source!r})
s.loop.tile("i", 4, outer="t", tail="guard")
{middle}
s.emit("out.c")
"""


@pytest.mark.parametrize(
    ("middle", "code", "says"),
    [
        ("raise ValueError('planted')", 2, "ValueError: planted"),
        ("1 / 0", 2, "ZeroDivisionError"),
        ("s.nothing.at_all()", 2, "OG601"),
        ("s.loop.tile('nowhere', 4, outer='q')", 2, "nowhere"),
        ("s.loop.tile()", 2, "OG604"),
        ("raise SystemExit(7)", 7, ""),
        ("raise SystemExit('enough')", 2, "enough"),
        ("import no_such_module", 2, "no_such_module"),
        ("def f(:", 2, "error"),
        ("s.instr.delete(og.Write('b'))", 1, "OG"),
    ],
)  # fmt: skip
def test_a_script_that_stops_leaves_the_last_good_output(
    tmp_path: Path,
    middle: str,
    code: int,
    says: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "script.py"
    script.write_text(dedent(SCRIPT.format(source=str(COPY), middle="")), encoding="utf-8")
    assert main(["run", "--no-trace", str(script)]) == 0
    good = (tmp_path / "out.c").read_bytes(), (tmp_path / "out.cert.json").read_bytes()
    capsys.readouterr()
    script.write_text(dedent(SCRIPT.format(source=str(COPY), middle=middle)), encoding="utf-8")
    assert main(["run", "--no-trace", str(script)]) == code
    err = capsys.readouterr().err
    without_stack_trace(err)
    assert says in err
    assert ((tmp_path / "out.c").read_bytes(), (tmp_path / "out.cert.json").read_bytes()) == good
    assert not list(tmp_path.glob(".*"))
