"""The commands on Python files: they run the file, and work on the programs that it makes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from optigpu.cli import main
from tests.conftest import ROOT
from tests.support.python_programs import HEADER

SUM = str(ROOT / "examples" / "python" / "sum.py")
FILL = """@og.program
@og.writes("a ~> Matrix1(n, fun i -> i)")
def fill(a: og.i32[n]):
    for i in og.range(n):
        a[i] = {}
"""


def written(folder: Path, text: str, name: str = "fill.py") -> str:
    path = folder / name
    path.write_text(HEADER + text, encoding="utf-8")
    return str(path)


def test_check_verifies_the_programs_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, FILL.format("i"))]) == 0
    assert "VERIFIED fill" in capsys.readouterr().out


def test_check_shows_the_line_of_the_python_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, FILL.format("i + 1"))
    assert main(["check", file]) == 1
    out = capsys.readouterr().out
    assert f"{file}:10:13: REFUTED[OG305]" in out and '10 | @og.writes("a ~> Matrix1(n, fun i -> i)")' in out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (FILL.format("i / 2"), ":13:16: error[OG017]: in Python `/` of integers is a float"),
        ("x = 1\n", "has no program: @og.program above a function makes one"),
        ("x = 1 / 0\n", ":9: ZeroDivisionError: division by zero"),
        ("def f(:\n", ":9:7: invalid syntax"),
        ("@og.program\n@og.requires\ndef f(k: int):\n    pass\n", ":10:1: error[OG008]: a contract takes a formula"),
        ("raise SystemExit(0)\n", ":9: SystemExit: 0"),
        ("import no_such_module\n", ":9: ModuleNotFoundError"),
    ],
)
@pytest.mark.parametrize("command", ["check", "audit", "print"])
def test_bad_files(text: str, says: str, command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, written(tmp_path, text)]) == 2
    err = capsys.readouterr().err
    assert says in err and "Traceback" not in err


def test_a_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "missing.py"]) == 2
    assert "`missing.py` does not exist" in capsys.readouterr().err


def test_what_is_under_main_does_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = FILL.format("i") + "if __name__ == '__main__':\n    raise ValueError\n"
    assert main(["parse", written(tmp_path, text)]) == 0
    assert "ok" in capsys.readouterr().out


def test_a_file_imports_what_stands_beside_it(tmp_path: Path) -> None:
    written(tmp_path, FILL.format("i"), "helper_beside.py")
    text = "import helper_beside\n@og.program\ndef f(a: og.i32[n]):\n    helper_beside.fill(a)\n"
    assert main(["parse", written(tmp_path, text)]) == 0


def test_tests_and_compiled_code_of_a_python_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", SUM, "--seconds", "0.2"]) == 0
    assert main(["run-c", SUM]) == 0
    assert "C and interpreter agree" in capsys.readouterr().out


def test_audit_with_a_certificate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, certificate = written(tmp_path, FILL.format("i")), str(tmp_path / "fill.cert.json")
    assert main(["check", file, "--certificate", certificate]) == 0
    assert main(["audit", file, "--certificate", certificate]) == 0
    written(tmp_path, FILL.format("0 + i"))
    assert main(["audit", file, "--certificate", certificate]) == 1
    assert "it is not the one that was certified" in capsys.readouterr().out


def test_build_a_python_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sum.c"
    assert main(["build", SUM, "-o", str(out)]) == 0
    assert main(["audit", str(out), "--certificate", str(tmp_path / "sum.cert.json")]) == 0
    assert main(["build", written(tmp_path, FILL.format("2")), "-o", str(tmp_path / "x.c")]) == 1
    assert main(["build", written(tmp_path, "x = 1\n"), "-o", str(tmp_path / "x.c")]) == 2
    assert not (tmp_path / "x.c").exists()


IMPORTS = """import optigpu as og
from {} import N


@og.program
@og.ensures("_Res == 1")
def f() -> int:
    return N
"""


def test_each_file_imports_what_lies_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `python file.py`: not what another file has imported, nor what lies in the current folder, nor a module of Python
    of this name."""
    for folder, number in (("one", 1), ("two", 2)):
        (tmp_path / folder).mkdir()
        for module in ("common", "colorsys", "copy"):
            (tmp_path / folder / f"{module}.py").write_text(f"N = {number}\n", encoding="utf-8")
            written(tmp_path / folder, IMPORTS.format(module), f"uses_{module}.py")
    monkeypatch.chdir(tmp_path / "one")
    monkeypatch.syspath_prepend(tmp_path / "one")
    before = dict(sys.modules)
    for module in ("common", "colorsys", "copy"):
        right, wrong = (str(tmp_path / folder / f"uses_{module}.py") for folder in ("one", "two"))
        assert main(["check", right]) == 0
        assert main(["check", right, wrong]) == main(["check", wrong, right]) == main(["check", wrong]) == 1
    out = capsys.readouterr().out
    assert out.count("VERIFIED f") == 9 and out.count("REFUTED[OG307]") == 9
    assert all(sys.modules[name] is module for name, module in before.items()) and "common" not in sys.modules


def test_a_file_may_have_the_name_of_a_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("copy", "numpy", "types", "__main__", "optigpu"):
        assert main(["check", written(tmp_path, FILL.format("i"), f"{name}.py")]) == 0
        (tmp_path / f"{name}.py").unlink()


def test_run_is_for_scripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = written(tmp_path, FILL.format("i"))
    assert main(["run", file, "--no-trace"]) == 2
    assert "`optigpu check` is for programs" in capsys.readouterr().err
    text = FILL.format("i") + "s = og.Script(fill)\ns.loop.tile('i', 4, tail='guard')\n"
    assert main(["run", written(tmp_path, text), "--no-trace"]) == 0
    assert "VERIFIED 1 step" in capsys.readouterr().out
