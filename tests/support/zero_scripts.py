"""A script on a program that sets an array to zero, and what it may become."""

from __future__ import annotations

from pathlib import Path

import optigpu as og
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text

ZERO = """#include <optigpu.h>
void zero(int n, float a[n]) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 0.0f)");
  for (int i = 0; i < n; i++) a[i] = 0.0f;
}
"""
ONES = ZERO.replace("a[i] = 0.0f", "a[i] = 1.0f")
BACKWARDS = ZERO.replace("a[i] = 0.0f", "a[n - 1 - i] = 0.0f")
OTHER = ONES.replace("fun i -> 0.0f", "fun i -> 1.0f")  # verified, but against another specification


@og.transformation
def become(script: og.Script, text: str) -> None:
    script.update(parse_text(text))


def zero(verifier: Verifier | None = None) -> og.Script:
    return og.Script(parse_text(ZERO), verifier=verifier or Verifier())


def emitted(script: og.Script, folder: Path) -> str:
    return script.emit(folder / "out.c").read_text(encoding="utf-8")
