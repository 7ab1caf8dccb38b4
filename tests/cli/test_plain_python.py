"""Scripts and programs that run as `python file.py`, without the command line: errors read the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.support.command_line import HANGS, environment

PROGRAM = """import optigpu as og
n = og.sizes("n")
@og.program
@og.writes("a ~> Matrix1(n, fun i -> {})")
def f(a: og.i32[n]):
    for i in og.range(n):
        a[i] = 0
"""
SCRIPT = f"""import optigpu as og
s = og.Script({str(ROOT / "examples" / "transpose.c")!r})
{{}}
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PROGRAM.format("(0"), ["file.py:4:40: error[OG005]:", "4 | @og.writes(", "^", "help: add `)`"]),
        (
            PROGRAM.format("0").replace("a[i] = 0", "a[i] = b"),
            ["error[OG100]: `b` is not declared", "7 |         a[i] = b"],
        ),
        (PROGRAM.format("1") + "og.Script(f)\n", ["REFUTED[OG305]", "witness:"]),
        (
            SCRIPT.format('s.loop.tile("z", 3)'),
            ["file.py:3:1: error[OG601]: no loop fits", "transpose: for x = 0; x < W"],
        ),
        (SCRIPT.format('s.instr.replace(og.Write("b"), "b[x][y] = 0.0f;")'), ["REFUTED[OG305]", "step 1"]),
        ('import optigpu as og\nog.define("d", "fun (i: int) -> (i")\n', ["file.py:2:", "error[OG005]"]),
    ],
)
def test_errors_read_as_on_the_command_line(tmp_path: Path, text: str, says: list[str]) -> None:
    (tmp_path / "file.py").write_text(text, encoding="utf-8")
    for more in ({}, {"OPTIGPU_TRACEBACK": "1"}):
        done = subprocess.run(
            [sys.executable, "file.py"], cwd=tmp_path, env=environment(tmp_path) | more, capture_output=True, text=True,
            timeout=HANGS, check=False,
        )  # fmt: skip
        ours = done.stderr.count(f'File "{ROOT / "src" / "optigpu"}')
        assert done.returncode == 1
        if not more:
            assert all(part in done.stderr for part in says), done.stderr
            assert ours <= 3, done.stderr
        else:
            assert ours > 3, "where our own frames are asked for"
