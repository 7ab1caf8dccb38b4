"""Programs without a function that could be verified: nothing is proved of them, and no code is made from them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import optigpu as og
from optigpu.check.verify import Verifier
from optigpu.cli import main
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError

EMPTY = '#include <optigpu.h>\n__DECL(c, "int");\n__AXIOM(positive, "0 < c");\n'
ADMITTED = "#include <optigpu.h>\nvoid f(int n) {\n  __admitted();\n}\n"
RIGHT = "#include <optigpu.h>\nvoid f(int n) {\n}\n"
NOTHING = pytest.mark.parametrize("text", [EMPTY, ADMITTED], ids=["empty", "admitted"])


@NOTHING
def test_nothing_is_not_verified(text: str) -> None:
    result = Verifier().verify(parse_text(text, "x.c"))
    assert not result.verified and not result.failures
    assert Verifier().verify(parse_text(RIGHT, "x.c")).verified


@NOTHING
def test_check_says_that_there_is_nothing_to_verify(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.c"
    path.write_text(text)
    assert main(["check", str(path)]) == 0
    assert "nothing to verify · 0 obligations" in capsys.readouterr().out
    assert main(["check", "--json", str(path)]) == 0
    assert json.loads(capsys.readouterr().out)[0]["verified"] is False
    assert main(["audit", str(path)]) == 0
    assert "proved" not in capsys.readouterr().out


@NOTHING
def test_no_code_is_made_from_nothing(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.c"
    path.write_text(text)
    assert main(["build", str(path), "-o", str(tmp_path / "out.c")]) == 2
    assert "has no function that is verified, so no code is made from it" in capsys.readouterr().err
    script = og.Script(path)
    for target in ("out.c", "out.cu"):
        with pytest.raises(CallError, match="no function that is verified"):
            script.emit(tmp_path / target)
    with pytest.raises(CallError, match="no function that is verified"):
        script.build()
    assert not list(tmp_path.glob("out.*"))
    assert '"word":"UNCHECKED"' in script.trace(tmp_path / "trace.html").read_text()


@NOTHING
def test_a_script_of_nothing_is_not_verified(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.c").write_text(text)
    (tmp_path / "s.py").write_text('import optigpu as og\ns = og.Script("x.c")\n')
    assert main(["run", "--no-trace", str(tmp_path / "s.py")]) == 0
    out = capsys.readouterr().out
    assert "nothing to verify" in out and "VERIFIED" not in out
