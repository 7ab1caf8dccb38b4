"""Kernels with hard index arithmetic: shifted windows, guarded vector paths, halos, half warps. And their wrong twins."""

from __future__ import annotations

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.report.verdict_text import render_function
from optigpu.solver.z3_solver import Z3Solver
from tests.conftest import ROOT
from tests.support.gpu_twins import rows

HALF_A_WARP = rows(
    """
    float* const x = __treg_malloc0<float>();
    float* const y = __treg_malloc0<float>();
    thread for (int t = 0; t < 64; t++) x[DMINDEX1(64, t)] = d[b][t];
    thread for (int w = 0; w < 2; w++) {
      for (int k = 8; k > 0; k >>= 1) {
        shfl_down(&y[DMINDEX2(2, 32, w, 0)], &x[DMINDEX2(2, 32, w, 0)], k);
        thread for (int l = 0; l < 32; l++)
          if (l < k) x[DMINDEX2(2, 32, w, l)] += y[DMINDEX2(2, 32, w, l)];
      }
    }
    thread for (int t = 0; t < 64; t++) if (t % 32 == 0) d[b][t] = x[DMINDEX1(64, t)];
    """,
    "t % 32 == 0 ? Sum(k in 0..16, A(b, t + k)) : A(b, t)",
    threads=64,
)


def example(path: str) -> str:
    return (ROOT / "examples" / "gpu" / path).read_text(encoding="utf-8")


PROGRAMS = {
    "transpose_aligned": example("fast/transpose_aligned.c"),
    "fast_stencil": example("fast/stencil2d.c"),
    "stencil": example("stencil2d.c"),
    "half_a_warp": HALF_A_WARP,
}
WRONG = [
    ("transpose_aligned", "      blocksync();\n", "", "OG341"),
    ("transpose_aligned", "64 * by + x - shift < H", "64 * by + x - shift <= H", "OG302"),
    ("transpose_aligned", "tile[x + 8 - shift][ROWS * j + y]", "tile[ROWS * j + y][x + 8 - shift]", "OG302"),
    ("transpose_aligned", "kernel_launch(((H + 70) / 64)", "kernel_launch(((H + 69) / 64)", "OG347"),
    ("transpose_aligned", "(H + 70)", "(H + 63)", "OG316"),
    ("transpose_aligned", "tile[72][65]", "tile[71][65]", "OG302"),
    ("fast_stencil", "128 * (bx + 1) < w", "128 * (bx + 1) <= w", "OG302"),
    ("fast_stencil", "0 < by && ", "", "OG302"),
    ("fast_stencil", "w % 4 == 0 && ", "", "OG353"),
    ("fast_stencil", "(w + 127)", "(w + 126)", "OG316"),
    ("fast_stencil", "v[j + 1][2] + after[j]", "v[j + 1][2] + before[j]", "OG305"),
    ("fast_stencil", "left = 128 * bx + 4 * x", "left = 128 * by + 4 * x", "OG340"),
    ("stencil", "      blocksync();\n", "", "OG341"),
    ("stencil", "x == 15 &&", "x == 14 &&", "OG305"),
    ("stencil", "s[y + 1][0] = d_a[i][j - 1]", "s[0][y + 1] = d_a[i][j - 1]", "OG340"),
    ("stencil", "(h + 15)", "(h + 14)", "OG316"),
    ("half_a_warp", "Sum(k in 0..16", "Sum(k in 0..15", "OG305"),
    ("half_a_warp", "k = 8;", "k = 16;", "OG305"),
    ("half_a_warp", "+= y[DMINDEX2(2, 32, w, l)]", "+= y[DMINDEX2(2, 32, w, l ^ 1)]", "OG344"),
]


def explain(result: ProgramResult) -> str:
    return "\n".join(render_function(f) for f in result.functions)


@pytest.mark.parametrize("name", PROGRAMS)
def test_kernel_verifies_with_contracts_alone(name: str) -> None:
    program = parse_text(PROGRAMS[name])
    result = Verifier().verify(program)
    assert result.verified, explain(result)
    assert result.assumptions == 0
    assert audit(program, certificate_of(program, result), Z3Solver()).failures == {}


@pytest.mark.parametrize(
    ("name", "old", "new", "code"), WRONG, ids=[f"{n}-{c}-{i}" for i, (n, _, _, c) in enumerate(WRONG)]
)
def test_wrong_twin_of_a_kernel_is_rejected(name: str, old: str, new: str, code: str) -> None:
    text = PROGRAMS[name]
    assert old in text
    result = Verifier().verify(parse_text(text.replace(old, new)))
    problems = [f.problem for f in result.functions if f.problem is not None]
    assert problems, "verified"
    assert problems[0].code == code, explain(result)
