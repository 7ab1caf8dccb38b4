"""A small program to tune, as the file of a user, and a folder with its candidates."""

from __future__ import annotations

import os
from pathlib import Path

SCALE = """#include <optigpu.h>
void scale(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int i = 0; i < n; i++) b[i] = 2.0f * a[i];
}
"""
SPEC = """import os
import optigpu as og
from optigpu.schedules import elements

def scaled(s, threads=128):
    if threads == 1:
        os._exit(3)
    if threads == 2:
        s.instr.replace(og.Write("b"), "b[i] = 3.0f * a[i];")
    if threads == 3:
        raise KeyError("three")
    elements(s, "i", threads=threads)

if __name__ == "__main__":
    og.tune(scaled, {"threads": [64, 128, 1, 2, 3, 0]}, program="scale.c", sizes={"n": [100, 3000]}, name="scale")
"""


def write_spec(folder: Path) -> Path:
    """`scale.c`, and `spec.py`, which tunes it: two candidates that differ, one that is the default, four that fail."""
    (folder / "scale.c").write_text(SCALE, encoding="utf-8")
    (folder / "spec.py").write_text(SPEC, encoding="utf-8")
    return folder / "spec.py"


def inside(folder: Path, command: list[str]) -> int:
    """Run the command line in a folder."""
    from optigpu.cli import main

    before = Path.cwd()
    os.chdir(folder)
    try:
        return main(command)
    finally:
        os.chdir(before)
