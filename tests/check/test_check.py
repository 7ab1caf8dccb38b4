"""`optigpu check`: what must verify verifies, what is wrong is rejected with the right code and place, and verdicts are stable."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from random import Random
from typing import Any

import pytest

import optigpu as og
from optigpu.check.audit import audit
from optigpu.check.certificate import sealed
from optigpu.check.certified_text import TOOL
from optigpu.check.certify import certificate_of
from optigpu.check.trusted import line_count
from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.cli import main
from optigpu.errors.catalogue import CATALOGUE
from optigpu.frontend import parse_file, parse_text
from optigpu.interp.refute import refute
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function as run_tests
from optigpu.report.verdict_text import as_json, render_function
from optigpu.search.contract_annotations import annotated
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program
from optigpu.version import VERSION
from tests.conftest import EXAMPLES, ROOT
from tests.support.cases import read_cases, variant_of
from tests.support.checked_programs import CheckedProgramMaker
from tests.support.properties import accepted

run_tests.__test__ = False
LOOPS = ROOT / "tests" / "programs" / "check" / "loops.c"
SEEDED = ("loops/", "sums/", "memory/", "calls/", "arithmetic/", "contracts/", "parallel/")
LEMMAS = ROOT / "tests" / "programs" / "check" / "lemmas.c"


def verify(program: Program, **settings_: object) -> ProgramResult:
    return Verifier(Settings(**settings_)).verify(program)  # type: ignore[arg-type]


def explain(result: ProgramResult) -> str:
    return "\n".join(render_function(f) for f in result.functions)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_verify_without_loop_annotations(path: Path) -> None:
    result = verify(parse_file(path))
    assert result.verified, explain(result)
    assert result.admitted == []
    assert result.axioms == (["reduce_sum_add_right", "reduce_sum_empty"] if path.stem == "reduce" else [])


def test_loop_orders_tilings_strides_and_recurrences_verify() -> None:
    """Matrix multiply in six orders, tiled and strided sums, transposes through a tile, prefix sums, flattened indices."""
    result = verify(parse_file(LOOPS))
    assert result.verified, explain(result)
    assert len(result.functions) >= 19


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_inferred_contracts_check_when_written_out(path: Path) -> None:
    program = parse_file(path)
    result = verify(program)
    loops = {mark: contract for f in result.functions for mark, contract in f.loops.items()}
    text = print_program(annotated(program, loops))
    annotated_program = parse_text(text, f"{path.stem}-annotated.c")
    assert "__xproduces" in text or "__spreserves" in text
    second = verify(annotated_program)
    assert second.verified, text + explain(second)
    for f in annotated_program.functions():
        assert run_tests(Runner(annotated_program), f, seconds=0.3, most=40).failure is None


@pytest.mark.parametrize("group", range(4))
def test_verdicts_do_not_depend_on_the_solver_seed(group: int) -> None:
    programs = [parse_file(p) for p in (*EXAMPLES, LOOPS)]
    mutants = [v for v in read_cases() if v.name.startswith(SEEDED) and v.expected.verdict != "REJECTED"]
    programs += [v.program() for v in mutants[::7]]
    assert len(programs) >= 45
    programs = programs[group::4]
    expected = [[f.verdict for f in verify(p).functions] for p in programs]
    for seed in range(1, 5):
        verifier = Verifier(Settings(seed=seed * 7919))
        for program, want in list(zip(programs, expected))[seed % 2 :: 2]:
            assert [f.verdict for f in verifier.verify(program).functions] == want


def test_verdicts_are_the_same_with_cvc5() -> None:
    verifier = Verifier(Settings(second=True))
    for path in (*EXAMPLES, LOOPS):
        assert verifier.verify(parse_file(path)).verified, path.stem
    assert "cvc5" in verifier.solver.description


def test_verdicts_do_not_depend_on_what_was_checked_before() -> None:
    one = Verifier()
    for path in (LOOPS, *EXAMPLES, LOOPS):
        assert one.verify(parse_file(path)).verified, path.stem


def test_a_lemma_is_proved_by_a_loop_and_used() -> None:
    result = verify(parse_file(LEMMAS))
    assert [f.verdict.value for f in result.functions] == ["VERIFIED", "VERIFIED", "UNPROVED", "UNPROVED"]
    assert result.axioms == ["f_next", "f_zero"]


def test_a_wrong_lemma_is_rejected() -> None:
    text = LEMMAS.read_text(encoding="utf-8").replace("twice: f(n) == 2 * n", "twice: f(n) == 2 * n + 1")
    result = verify(parse_text(text.replace("f(i) == 2 * i", "f(i) == 2 * i + 1")))
    assert [f.verdict.value for f in result.functions[:2]] == ["UNPROVED", "UNPROVED"]


def test_admitted_functions_are_in_the_ledger() -> None:
    text = """
void magic(int n, float a[n]) { __writes("a ~> Matrix1(n, fun i -> 7)"); __admitted(); }
void f(int n, float a[n]) { __writes("a ~> Matrix1(n, fun i -> 7)"); magic(n, a); }
"""
    result = verify(parse_text(text))
    assert result.verified and result.admitted == ["magic"] and result.assumptions == 1


def test_callers_of_unverified_functions_are_not_verified() -> None:
    text = """
void g(int n, float a[n]) { __writes("a ~> Matrix1(n, fun i -> 7)"); }
void f(int n, float a[n]) { __writes("a ~> Matrix1(n, fun i -> 7)"); g(n, a); }
"""
    result = verify(parse_text(text))
    assert [f.problem.code for f in result.functions if f.problem] == ["OG306", "OG330"]


def verified_program_is_clean(seed: int) -> bool:
    program = parse_text(CheckedProgramMaker(Random(seed)).program())
    if not verify(program).verified:
        return False
    report = run_tests(Runner(program), program.functions()[0], seconds=1.0, most=60, seed=seed)
    assert report.failure is None, f"WRONG VERIFIED: {report.failure}"
    return True


def test_verified_random_programs_never_misbehave() -> None:
    assert accepted(verified_program_is_clean, 120) >= 6


# Certificates


def certified(path: Path) -> tuple[Program, str]:
    program = parse_file(path)
    result = verify(program)
    return program, certificate_of(program, result)


@pytest.mark.parametrize("path", [*EXAMPLES, LOOPS], ids=lambda p: p.stem)
def test_certificates_replay_without_inference(path: Path) -> None:
    program, text = certified(path)
    audited = audit(program, text, Z3Solver())
    assert audited.failures == {}
    assert set(audited.theorems) == {f.name for f in program.functions()}


def test_versions_agree(capsys: pytest.CaptureFixture[str]) -> None:
    """The version stands in one place, and everything else takes it from there."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" in pyproject["project"]["dynamic"]
    assert pyproject["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "optigpu.version.VERSION"}
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"optigpu {VERSION}\n" == f"{TOOL}\n"
    assert og.__version__ == VERSION


def test_the_kernel_is_small() -> None:
    """The language of proofs and the rules are what a reader has to believe."""
    logic, kernel = (line_count(folder) for folder in ("logic", "kernel"))
    assert kernel <= 4500 and logic <= 3840


def test_a_certificate_does_not_fit_another_program() -> None:
    program, text = certified(ROOT / "examples" / "transpose.c")
    source = (ROOT / "examples" / "transpose.c").read_text(encoding="utf-8")
    for old, new in (
        ("b[x][y] = a[y][x]", "b[x][y] = 0.0f"),
        ("fun i j -> A(j, i)", "fun i j -> 0"),
        ("x < W", "x < W - 1"),
    ):
        assert audit(parse_text(source.replace(old, new)), text, Z3Solver()).failures
    assert audit(program, text, Z3Solver()).failures == {}


@pytest.mark.parametrize(
    ("path", "user", "used"),
    [(LEMMAS, "g", "f_is_double"), (ROOT / "examples" / "gpu" / "reduce_library.c", "reduce_library", "sum_warp")],
    ids=lambda x: getattr(x, "stem", x),
)
def test_a_certificate_proves_what_is_used(path: Path, user: str, used: str) -> None:
    """Lemmas, and functions of included files."""
    program, text = certified(path)
    audited = audit(program, text, Z3Solver())
    assert {user, used} <= audited.theorems.keys() and user not in audited.failures
    without = json.loads(text)
    del without["proofs"][used]
    assert user in audit(program, sealed(without), Z3Solver()).failures


def test_damaged_certificates_are_rejected() -> None:
    program, text = certified(ROOT / "examples" / "sum.c")
    for damaged in (
        "",
        "{}",
        "[1, 2]",
        text[: len(text) // 2],
        text.replace('"format":9', '"format":10'),
        text.replace("leave_loop", "begin"),
        text.replace('"floats":"reals', '"floats":"exact'),
        text.replace(",", ", "),
        text.replace('"format":', '"more":1,"format":'),
        text.replace('"format":', '"format":1,"format":'),
    ):
        with pytest.raises(ValueError):
            audit(program, damaged, Z3Solver())


def changed_and_sealed(text: str, **parts: Any) -> str:
    return sealed({**json.loads(text), **parts})


def test_what_a_certificate_says_is_compared_even_if_its_seal_is_right() -> None:
    program, text = certified(ROOT / "examples" / "sum.c")
    data = json.loads(text)
    assert audit(program, changed_and_sealed(text), Z3Solver()).failures == {}
    other = data["program"].replace("total +=", "total -=")
    assert other != data["program"]
    for part, value in (
        ("program", other),
        ("program", data["program"] + " "),
        ("contracts", {}),
        ("contracts", {**data["contracts"], "more": "0"}),
        ("ledger", {**data["ledger"], "axioms": ["false"]}),
        ("ledger", {**data["ledger"], "floats": "exact"}),
        ("proofs", {}),
        ("proofs", {"sum": data["proofs"]["sum"][:-1]}),
    ):
        assert audit(program, changed_and_sealed(text, **{part: value}), Z3Solver()).failures, part


def test_a_certificate_covers_what_is_included() -> None:
    path = ROOT / "examples" / "gpu" / "reduce_library.c"
    program, text = certified(path)
    audited = audit(program, text, Z3Solver())
    assert not audited.failures and set(audited.theorems) == {"sum_block", "sum_warp", "reduce_library"}
    alone = parse_text(json.loads(text)["program"])  # nothing is included any more
    assert audit(alone, text, Z3Solver()).failures == {}
    proofs = json.loads(text)["proofs"]
    del proofs["sum_warp"]
    assert "reduce_library" in audit(program, changed_and_sealed(text, proofs=proofs), Z3Solver()).failures


def test_a_certificate_is_of_one_whole_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, copy = tmp_path / "c.json", str(ROOT / "examples" / "copy.c")
    for more in ([copy], ["--function", "copy"]):
        assert main(["check", copy, *more, "--certificate", str(out)]) == 2
        assert "one whole file" in capsys.readouterr().err
    assert not out.exists()


# The command line


def test_check_prints_verdicts_and_exits_by_them(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(ROOT / "examples" / "sum.c")]) == 0
    out = capsys.readouterr().out
    assert out.startswith("VERIFIED sum") and "safe on machine integers and floats" in out and "z3" in out
    Path("wrong.c").write_text(variant_of("loops/fill-1").code(), encoding="utf-8")
    assert main(["check", "wrong.c"]) == 1
    out = capsys.readouterr().out
    assert (
        "wrong.c:4:5: REFUTED[OG302]" in out and "witness: fill(n = 0" in out and "need: a[i]" in out and "help:" in out
    )
    Path("unsupported.c").write_text("float f(float x) {\n  return x + INFINITY;\n}\n", encoding="utf-8")
    assert main(["check", "unsupported.c"]) == 2
    assert "UNSUPPORTED[OG300]" in capsys.readouterr().out


def test_check_json_and_certificate(tmp_path: Path, capsys) -> None:
    certificate = tmp_path / "c.json"
    assert main(["check", "--json", "--certificate", str(certificate), str(ROOT / "examples" / "sum.c")]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data[0]["verified"] and data[0]["functions"][0]["verdict"] == "VERIFIED"
    assert main(["audit", "--certificate", str(certificate), str(ROOT / "examples" / "sum.c")]) == 0
    assert "proved     sum" in capsys.readouterr().out
    assert main(["audit", "--certificate", str(certificate), str(ROOT / "examples" / "dot.c")]) == 1


def test_audit_says_what_a_proof_rests_on(capsys) -> None:
    assert main(["audit", str(ROOT / "examples" / "reduce.c")]) == 0
    out = capsys.readouterr().out
    assert "reduce_sum_add_right" in out and "trusted" in out
    assert main(["audit", "--no-assumptions", str(ROOT / "examples" / "reduce.c")]) == 1
    assert main(["audit", "--no-assumptions", str(ROOT / "examples" / "matmul.c")]) == 0


def test_show_proof_prints_a_program(capsys) -> None:
    assert main(["check", "--show-proof", str(ROOT / "examples" / "matmul.c")]) == 0
    assert "__spreserves(" in capsys.readouterr().out


@pytest.mark.parametrize(
    "path", ["examples/gpu/reduce.c", pytest.param("examples/gpu/softmax_rows.c", marks=pytest.mark.slow)]
)
def test_shown_proofs_of_loops_that_start_at_an_outer_index_check_themselves(path: str, tmp_path: Path, capsys) -> None:
    """Loops inside unrolled ones have no one contract, and are left alone."""
    assert main(["check", "--show-proof", str(ROOT / path)]) == 0
    printed_program = capsys.readouterr().out.partition("VERIFIED")[0]
    assert "__spreserves" in printed_program
    printed_file = tmp_path / "again.c"
    printed_file.write_text(printed_program, encoding="utf-8")
    assert main(["check", str(printed_file)]) == 0


def test_every_code_is_explained(capsys) -> None:
    import re

    used = set()
    for path in (ROOT / "src").rglob("*.py"):
        used |= set(re.findall(r'"(OG\d{3})"', path.read_text(encoding="utf-8")))
    assert used <= CATALOGUE.keys()
    assert main(["explain", "og302"]) == 0
    assert "permission" in capsys.readouterr().out
    assert main(["explain", "nonsense"]) == 2


def test_json_of_a_refutation() -> None:
    result = verify(parse_text(variant_of("loops/fill-1").code(), "x.c"), refuter=refute)
    data = as_json(result)["functions"][0]
    assert data["error"]["code"] == "OG302" and data["error"]["line"] == 4 and "n = 0" in data["witness"]["inputs"]


def test_witnesses_meet_preconditions_with_logical_numbers() -> None:
    """A size that must be a multiple, said with a logical variable: no witness with another size."""
    text = """#include <optigpu.h>
    void f(int H, float b[H]) {
      __requires("h: int, H == 4 * h");
      __writes("b ~> Matrix1(H, fun i -> 1)");
      for (int i = 0; i < exact_div(H, 4) * 4; i++) b[i] = 1 + (i > 5 ? 1 : 0);
    }"""
    (result,) = Verifier(Settings(refuter=refute)).verify(parse_text(text)).functions
    assert result.verdict is Verdict.REFUTED
    assert result.counterexample is not None and "H = 8" in result.counterexample.inputs
