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

    monkeypatch.setattr("optigpu.cli.parse_file", broken)
    assert main(["parse", "x.c"]) == 3
    err = capsys.readouterr().err
    assert "bug in OptiGPU" in err and "Traceback" not in err
