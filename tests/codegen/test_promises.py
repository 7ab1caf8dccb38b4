"""What emitted code promises the compiler is in the table of docs/cuda.md, and nothing else is."""

from __future__ import annotations

import re
import runpy
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
SYNTAX = {"__global__", "__CUDA_ARCH__", "__CUDACC__", "__CUDA_ARCH_FEAT_SM90_ALL"}
INSTRUCTION = re.compile(r'asm(?: volatile)?\("(?:\{\\n[^"]*?\\n(?:again: |setp[^;]*;\\n)?)?([a-z]\w*(?:\.\w+)*)')


def words(text: str) -> set[str]:
    """What could be a promise, in the code without its comments."""
    return set(KEYWORDS.findall(re.sub(r"//.*", "", text)))


JUSTIFIED = words("\n".join(x.split("|")[1] for x in PROMISES.splitlines() if x.startswith("|")))


NAMED = re.findall(
    r"`([a-z]\w*(?:\.\w+)+|setmaxnreg)`", "\n".join(x.split("|")[1] for x in PROMISES.splitlines() if x.startswith("|"))
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.stem)
def test_what_is_promised_is_justified(path: Path) -> None:
    assert {w for w in words(emitted(path).text) - JUSTIFIED - SYNTAX if not SHUFFLE.fullmatch(w)} == set()


@pytest.mark.parametrize("name", ["half", "bf16", "tf32"])
def test_numbers_that_are_only_stored_promise_what_is_justified(name: str) -> None:
    text = emitted(eight_elements(name)).text
    found = words(text.replace('asm("cvt.rna.tf32.f32', '"'))  # the only one
    assert found - JUSTIFIED - SYNTAX == set() and ("__host__" in found) == (name == "tf32")


@pytest.mark.parametrize("name", ["matmul_bf16", "batched_matmul_f16", "matmul_tf32", "attention_bf16"])
def test_kernels_of_tiles_promise_what_is_justified(name: str) -> None:
    script = runpy.run_path(str(ROOT / "examples" / "gpu" / "scripts" / f"{name}.py"))["s"]
    text = script.built_cuda().source
    instructions = set(INSTRUCTION.findall(text))
    assert {x for x in instructions if not any(x.startswith(known) for known in NAMED)} == set() and len(
        instructions
    ) > 12
    found = words(INSTRUCTION.sub("", text)) - {"asm", "volatile"}
    assert {w for w in found - JUSTIFIED - SYNTAX if not SHUFFLE.fullmatch(w)} == set()


def test_an_instruction_that_is_not_in_the_table_is_seen() -> None:
    (found,) = INSTRUCTION.findall('asm volatile("ld.volatile.global.u32 %0, [%1];")')
    assert not any(found.startswith(known) for known in NAMED)


def test_a_word_that_is_not_in_the_table_is_seen() -> None:
    text = "volatile float v = __ldg(&a[i]);  // __builtin_assume"
    assert words(text) - JUSTIFIED == {"volatile", "__ldg"}
    assert not JUSTIFIED & {"restrict", "asm", "__builtin_assume"}


def eight_elements(name: str) -> str:
    """A kernel whose threads load and store vectors of a type, and convert its numbers."""
    width = 4 if name == "tf32" else 8
    return f"""#include <optigpu.h>
void f(int n, {name} a[n][{width}]) {{
  __requires("n >= 0"); __consumes("a ~> Cells2(n, {width})"); __produces("a ~> Cells2(n, {width})");
  {name}* const d = __gmem_malloc2<{name}>(n, {width});
  memcpy_host_to_device2(d, a, n, {width});
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) {{
    __shared__ {name} s[{width}];
    {name} r[{width}];
    vload{width}(&r[0], &d[i][0]);
    for (int k = 0; k < {width}; k++) r[k] *= 2.0f;
    vstore{width}(&s[0], &r[0]);
    vload{width}(&r[0], &s[0]);
    vstore{width}(&d[i][0], &r[0]);
  }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(a, d, n, {width});
  gmem_free(d);
}}"""


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
