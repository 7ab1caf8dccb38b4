"""What emitted code promises the compiler is in the table of docs/cuda.md, and nothing else is."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from optigpu.check.verify import Verifier
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from tests.conftest import ROOT
from tests.support.cuda import emitted
from tests.support.exchange import EXCHANGES

SOURCES = [*sorted((ROOT / "examples" / "gpu").rglob("*.c")), *(p for p in EXCHANGES if p.stem != "global_shift")]
SOURCES = [p for p in SOURCES if "scripts" not in p.parts]
PROMISES = (
    (ROOT / "docs" / "cuda.md").read_text(encoding="utf-8").split("## What emitted code promises")[1].split("\n## ")[0]
)
KEYWORDS = re.compile(
    r"\b__\w+|\b(?:volatile|restrict|asm|assume\w*|reinterpret_cast|const_cast|static_cast|register|inline)\b"
)
SHUFFLE = re.compile(r"__shfl\w*_sync")
SYNTAX = {"__global__"}


def words(text: str) -> set[str]:
    """What could be a promise, in the code without its comments."""
    return set(KEYWORDS.findall(re.sub(r"//.*", "", text)))


JUSTIFIED = words("\n".join(x.split("|")[1] for x in PROMISES.splitlines() if x.startswith("|")))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_what_is_promised_is_justified(path: Path) -> None:
    assert {w for w in words(emitted(path).text) - JUSTIFIED - SYNTAX if not SHUFFLE.fullmatch(w)} == set()


def test_a_word_that_is_not_in_the_table_is_seen() -> None:
    text = "volatile float v = __ldg(&a[i]);  // __builtin_assume"
    assert words(text) - JUSTIFIED == {"volatile", "__ldg"}
    assert not JUSTIFIED & {"restrict", "asm", "__builtin_assume"}


AROUND = """void ones(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1)");
  PRAGMA
  for (int i = 0; i < n; i++) a[i] = 1.0f;
}
void f(int m, int n, float a[m][n]) {
  __writes("a ~> Matrix2(m, n, fun i j -> 1)");
  #pragma omp OUTER
  for (int i = 0; i < m; i++) BODY
}
"""
CALL = "ones(n, a[i]);"
LOOP = "{ PRAGMA for (int j = 0; j < n; j++) a[i][j] = 1.0f; }"


@pytest.mark.parametrize("body", [CALL, LOOP], ids=["called", "nested"])
@pytest.mark.parametrize(
    ("outer", "inner", "kept"),
    [
        ("simd", "", "simd"),
        ("simd", "simd", "simd"),
        ("simd", "parallel for", ""),
        ("parallel for simd", "parallel for", "parallel for"),
        ("parallel for", "parallel for", "parallel for"),
    ],
)
def test_no_parallel_loop_is_inside_one_for_vectors(body: str, outer: str, inner: str, kept: str) -> None:
    text = AROUND.replace("OUTER", outer).replace("BODY", body)
    program = parse_text(text.replace("PRAGMA", f"\n#pragma omp {inner}\n" if inner else ""))
    assert Verifier().verify(program).verified
    emitted_ = emit_c(program)
    before = emitted_.split("void f(")[1].split("for (int i")[0]
    assert re.findall(r"#pragma omp (.*)", before) == ([kept] if kept else [])
    f, a = program.function("f"), np.zeros((3, 5), np.float32)
    CFunction(emitted_, signature_of(f, effective_types(f)))(a)
    assert (a == 1).all()
