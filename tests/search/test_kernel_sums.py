"""The fast reduction, scan and matrix multiply verify by their contracts; their wrong twins do not."""

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
from tests.support.limits import within


def program(name: str) -> str:
    return (ROOT / "examples" / "gpu" / "fast" / f"{name}.c").read_text(encoding="utf-8")


def explain(result: ProgramResult) -> str:
    return "\n".join(render_function(f) for f in result.functions)


@pytest.mark.parametrize("name", ["reduce", "matmul", pytest.param("scan", marks=pytest.mark.slow)])
def test_fast_kernels_verify(name: str) -> None:
    result = Verifier().verify(parse_text(program(name)))
    assert result.verified, explain(result)
    assert result.assumptions == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["reduce", "scan", "matmul"])
def test_their_proofs_replay(name: str) -> None:
    parsed = parse_text(program(name))
    found = audit(parsed, certificate_of(parsed, Verifier().verify(parsed)), Z3Solver())
    assert found.failures == {}, found.failures


def test_matmul_verifies_with_larger_tiles() -> None:
    result = Verifier().verify(parse_text(program("matmul").replace("#define BK 8", "#define BK 16")))
    assert result.verified, explain(result)


REST = "        sum += d_a[i];\n      }\n      s[t] = sum;\n    }\n"
GROUPS = "          groups[t] = sum;\n        }\n      }\n"
SCANNED = "            sums[t][i] = sum;\n            sum += x[i];"
WRONG = [
    ("reduce", f"{REST}    blocksync();\n", REST, "OG341"),
    ("reduce", "d_a[(BLOCKS * k + b) * 4096 + 1024 * u + 4 * t]", "d_a[(BLOCKS * k + b) * 4096 + 1024 * u]", "OG305"),
    ("reduce", "i += BLOCKS * 256", "i += BLOCKS * 512", "OG305"),
    ("reduce", "256 * b + t; i < n", "256 * b + t; i < n - 1", "OG305"),
    ("reduce", "for (int v = 0; v < 4; v++)", "for (int v = 0; v < 3; v++)", "OG305"),
    ("scan", f"{GROUPS}      blocksync();\n", GROUPS, "OG341"),
    ("scan", "if (g < t / 32) {", "if (g <= t / 32) {", "OG305"),
    ("scan", SCANNED, "            sum += x[i];\n            sums[t][i] = sum;", "OG305"),
    ("matmul", "        blocksync();\n      }\n", "      }\n", "OG341"),
    ("matmul", "      blocksync();\n      for (int kt", "      for (int kt", "OG341"),
    ("matmul", "s_a[(kt + 1) % 2][4 * q + i]", "s_a[kt % 2][4 * q + i]", "OG318"),
    ("matmul", "&s_a[kt % 2][k]", "&s_a[(kt + 1) % 2][k]", "OG304"),
    ("matmul", "s_a[0][4 * q + i]", "s_a[1][4 * q + i]", "OG318"),
    ("matmul", "h + r][BK * (kt + 1) + 4 * q]", "h + r][BK * kt + 4 * q]", "OG318"),
    ("matmul", "[hj][j] = 0.0f;", "[hj][j] = 1.0f;", "OG305"),
    ("matmul", "for (int k = 0; k < BK; k++)", "for (int k = 1; k < BK; k++)", "OG305"),
    ("matmul", "BK * h + r][4 * q]);", "BK * h + r][4 * q + 8]);", "OG302"),
]
QUICK = ("OG318", "OG302")


def row(name: str, old: str, new: str, code: str) -> object:
    marks = () if name == "matmul" and code in QUICK else pytest.mark.slow
    return pytest.param(name, old, new, code, marks=marks)


@pytest.mark.parametrize(("name", "old", "new", "code"), [row(*w) for w in WRONG])
def test_wrong_twins_are_rejected(name: str, old: str, new: str, code: str) -> None:
    text = program(name)
    assert text.count(old) == 1, text.count(old)
    result = Verifier().verify(parse_text(text.replace(old, new)))
    problems = [f.problem for f in result.functions if f.problem is not None]
    assert problems, "verified"
    assert problems[0].code == code, explain(result)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("reduce", "s[t] += s[t + half];", "s[t] -= s[t + half];"),
        ("reduce_warp", "sum[DMINDEX1(128, t)] += d_a[i];", "sum[DMINDEX1(128, t)] = d_a[i];"),
    ],
)
def test_wrong_values_of_trees_are_rejected_soon(name: str, old: str, new: str) -> None:
    """Sixty-four sums that do not cancel: the search gives up after an amount of work."""
    text = (ROOT / "examples" / "gpu" / f"{name}.c").read_text(encoding="utf-8")
    assert text.count(old) == 1
    with within(40):
        result = Verifier().verify(parse_text(text.replace(old, new)))
    assert [f.problem.code for f in result.functions if f.problem is not None] == ["OG307"]


def test_sums_of_integers_cancel_index_by_index() -> None:
    sums = [f"Sum(k in 0..n, {body})" for body in ("max(F(k), G(k))", "min(F(k), G(k))", "F(k)", "G(k)")]
    goal = f"{sums[0]} + {sums[1]} == {sums[2]} + {sums[3]}"
    text = f'int f(int n) {{\n  __requires("F: int -> int, G: int -> int");\n  __ensures("{goal}");\n  return 0;\n}}\n'
    assert Verifier().verify(parse_text(text)).verified
    assert not Verifier().verify(parse_text(text.replace("== Sum", "== 2 * Sum"))).verified
