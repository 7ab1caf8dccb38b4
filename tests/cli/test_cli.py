"""The command line: what it prints, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from optigpu.cli import main
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
WRONG = 'int f(int n) {\n  __requires("n > 0");\n  __ensures("_Res == n");\n  return n > 3 ? 3 : n;\n}\n'


def test_parse_print_and_plain(capsys) -> None:
    assert main(["parse", str(EXAMPLES / "copy.c"), str(EXAMPLES / "sum.c")]) == 0
    assert "ok (copy)" in capsys.readouterr().out
    assert main(["print", str(EXAMPLES / "copy.c")]) == 0
    assert "__reads" in capsys.readouterr().out
    assert main(["print", "--plain", str(EXAMPLES / "copy.c")]) == 0
    assert "__" not in capsys.readouterr().out


def test_test_passes_and_fails(tmp_path: Path, capsys) -> None:
    assert main(["test", "--seconds", "0.5", str(EXAMPLES / "sum.c")]) == 0
    assert "passed" in capsys.readouterr().out
    file = tmp_path / "wrong.c"
    file.write_text(WRONG, encoding="utf-8")
    assert main(["test", str(file)]) == 1
    out = capsys.readouterr().out
    assert "wrong.c:3:14: failed[OG212]: the postcondition of `f` does not hold: _Res == n" in out
    assert "input: f(n = 4)" in out


def test_check_says_what_is_verified_and_not_yet_cuda(capsys) -> None:
    """A kernel between two steps of a script verifies, and `build` refuses it: `check` says so at the place."""
    assert main(["check", str(EXAMPLES / "thesis" / "listing_3_7.c")]) == 0
    out = capsys.readouterr().out
    assert "listing_3_7.c:17:9: no CUDA yet[OG403]: `out` is host memory" in out and "VERIFIED transpose" in out
    assert main(["check", str(EXAMPLES / "gpu" / "vector_add.c")]) == 0
    assert "no CUDA yet" not in capsys.readouterr().out


def test_run_c_compares_with_the_interpreter(capsys) -> None:
    assert main(["run-c", str(EXAMPLES / "matmul.c")]) == 0
    assert "agree" in capsys.readouterr().out


def test_doctor(capsys) -> None:
    assert main(["doctor"]) == 0
    assert "C compiler" in capsys.readouterr().out


def test_bad_usage_is_exit_code_2(capsys) -> None:
    for argv in ([], ["no-such-command"], ["test"], ["test", "--function", "nope", str(EXAMPLES / "sum.c")]):
        try:
            code = main(argv)
        except SystemExit as e:
            code = e.code
        assert code == 2, argv
        assert capsys.readouterr().err


def test_a_bug_of_ours_is_exit_code_3_without_a_stack_trace(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def broken(*_: object) -> None:
        raise AssertionError("planted")

    monkeypatch.setattr("optigpu.commands.program_commands.program_of_file", broken)
    assert main(["parse", "x.c"]) == 3
    err = capsys.readouterr().err
    assert "bug in OptiGPU" in err and "Traceback" not in err


@pytest.mark.filterwarnings("ignore:no GPU was found")
def test_build_compiles_what_is_verified_and_nothing_else(tmp_path: Path, capsys) -> None:
    assert main(["build", str(EXAMPLES / "axpy.c"), "-o", str(tmp_path / "axpy.c")]) == 0
    assert main(["build", str(EXAMPLES / "gpu/scripts/vector_add.py"), "-o", str(tmp_path / "add.cu")]) == 0
    assert "add.cu" in capsys.readouterr().out
    file = tmp_path / "wrong.c"
    file.write_text(WRONG, encoding="utf-8")
    assert main(["build", str(file), "-o", str(tmp_path / "never.c")]) == 1
    assert "wrong.c:3:14: REFUTED[OG307]" in capsys.readouterr().err
    assert not list(tmp_path.glob("never*"))
    assert main(["build", str(tmp_path / "nowhere.c")]) == 2


def test_run_and_diff_of_scripts(tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", str(EXAMPLES / "scripts/reduce.py")]) == 0
    out = capsys.readouterr().out
    assert "VERIFIED 6 steps · 0 assumptions · race-free" in out
    assert (tmp_path / "trace.html").exists() and (tmp_path / "build/reduce.c").exists()
    assert main(["diff", str(EXAMPLES / "scripts/reduce.py"), "--step", "3"]) == 0
    assert "+    float psums = 0.0f;" in capsys.readouterr().out
    script = tmp_path / "bad.py"
    script.write_text("import optigpu as og\ns = og.Script('nowhere.c')\n", encoding="utf-8")
    assert main(["run", str(script)]) == 2
    script.write_text("x = 1\ny = x.nothing\n", encoding="utf-8")
    assert main(["run", str(script)]) == 2
    assert "bad.py:2: error: AttributeError" in capsys.readouterr().err
    script.write_text("x = (\n", encoding="utf-8")
    assert main(["run", str(script)]) == 2
