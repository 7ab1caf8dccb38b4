"""Every program of tests/cases, and every mutant, gets the answer that its file states: verdict, code and place."""

from __future__ import annotations

from pathlib import Path

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.commands.differential import compare, numpy_arguments
from optigpu.frontend import parse_text
from optigpu.interp.runner import Runner
from optigpu.interp.testing import run_once
from optigpu.runtime.call_error import CallError
from optigpu.search.contract_annotations import annotated
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.printer import print_program
from tests.conftest import EXAMPLES
from tests.support.cases import CaseError, Checked, Variant, check, is_at, place_of, read_case, read_cases, run
from tests.support.cuda import on_standin

VARIANTS = read_cases()
SCHEDULES = 8


def parametrised(variants: list[Variant]) -> pytest.MarkDecorator:
    rows = [pytest.param(v, id=v.name, marks=pytest.mark.slow if v.slow else ()) for v in variants]
    return pytest.mark.parametrize("variant", rows)


@parametrised(VARIANTS)
def test_answer(variant: Variant) -> None:
    checked = check(variant)
    assert str(checked.answer) == str(variant.expected), checked.explanation()
    if checked.answer.verdict == "VERIFIED":
        assert checked.result is not None and checked.result.functions
        assert len(checked.result.axioms) + len(checked.result.admitted) == variant.assumptions
    if "annotated" in variant.checks:
        assert_annotated_program_verifies(checked)
    if "replay" in variant.checks:
        assert checked.program is not None and checked.result is not None
        audited = audit(checked.program, certificate_of(checked.program, checked.result), Z3Solver())
        assert audited.failures == {}


def assert_annotated_program_verifies(checked: Checked) -> None:
    """With its inferred loop contracts written out, the program verifies again."""
    assert checked.program is not None and checked.result is not None
    loops = {loop: contract for f in checked.result.functions for loop, contract in f.loops.items()}
    text = print_program(annotated(checked.program, loops))
    result = Verifier().verify(parse_text(text, "annotated.c"))
    assert result.verified, text


@parametrised([v for v in VARIANTS if v.run is not None])
def test_run(variant: Variant) -> None:
    """The interpreter sees what is expected; where a race is expected under all schedules, under each of them."""
    answer, report = run(variant)
    assert str(answer) == str(variant.run)
    if answer.verdict == "clean":
        assert report.runs >= 2 and not report.skipped and report.gave_up is None
    if "schedules" in variant.checks:
        assert report.failure is not None
        program = variant.program()
        for seed in range(SCHEDULES):
            failure = run_once(Runner(program), variant.run_function(program), report.failure.inputs, seed)
            assert failure is not None and failure.misbehaviour.code == answer.code == "OG210"


@parametrised([v for v in VARIANTS if "standin" in v.checks])
def test_emitted_text_on_the_standin(variant: Variant) -> None:
    """What is right computes what the interpreter computes; a race is found on linear addresses too."""
    program = variant.program()
    compiled = on_standin(program)
    if variant.run is not None and variant.run.verdict == "clean":
        difference = compare(compiled, Runner(program), variant.run_function(program), runs=4)
        assert difference is None, difference
        return
    _, report = run(variant)
    assert report.failure is not None
    with pytest.raises(CallError, match="data race"):
        compiled(*numpy_arguments(compiled.signature, report.failure.inputs))


# The corpus as a whole -------------------------------------------------------------------------------------------------------


def test_no_case_is_lost() -> None:
    mutants = [v for v in VARIANTS if "-" in v.name]
    assert len(VARIANTS) - len(mutants) >= 554 and len(mutants) >= 1840
    right = [
        v.name for v in mutants if v.expected.verdict == "VERIFIED"
    ]  # changes that leave a program right, on purpose
    assert len(right) <= len(mutants) // 31, right


def test_every_misbehaviour_of_kernels_is_seen_in_a_run() -> None:
    seen = {v.run.code for v in VARIANTS if v.run is not None}
    assert seen >= {"OG201", "OG202", "OG204", "OG205", "OG210", "OG212"} | {f"OG22{k}" for k in (0, 1, *range(3, 10))}


def test_every_example_has_a_mutant() -> None:
    assert {v.file for v in VARIANTS if "-" in v.name} >= {f"examples/{path.name}" for path in EXAMPLES}


# The format ------------------------------------------------------------------------------------------------------------------

PROGRAM = "\nint f(int x) {\n  return x;\n}\n"
GOOD = "// What it tests.\n// expect: VERIFIED\n"


def case(tmp_path: Path, text: str) -> list[Variant]:
    path = tmp_path / "area" / "case.c"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return read_case(path)


@pytest.mark.parametrize(
    "header",
    [
        "",
        "// expect: VERIFIED\n",
        "// What it tests.\n",
        "// What it tests.\n// expct: VERIFIED\n",
        "// What it tests.\n// expect VERIFIED\n",
        "// What it tests.\n// Expect: VERIFIED\n",
        "// What it tests.\n// expect: VERYFIED\n",
        "// What it tests.\n// expect: REFUTED\n",
        "// What it tests.\n// expect: REFUTED[OG302]\n",
        "// What it tests.\n// expect: REFUTED[OG3021] x\n",
        "// What it tests.\n// expect: REFUTED(OG302) x\n",
        f"{GOOD}// expect: VERIFIED\n",
        f"{GOOD}// options: integers=bounded\n",
        f"{GOOD}// also: replays\n",
        f"{GOOD}// run: dirty\n",
        f"{GOOD}// run: OG210\n",
        f"{GOOD}//   run: clean\n",
        f"{GOOD}// assumptions: none\n",
        f'{GOOD}// mutate: "x;" -> "y;"\n',
        f'{GOOD}// mutate: "x;" -> "y;" => REJECTED[OG100]\n',
        f'{GOOD}// mutate: "x" -> "y" => REJECTED[OG100] y\n',
        f'{GOOD}// mutate: "z" -> "y" => REJECTED[OG100] y\n',
        f'{GOOD}// mutate: "x;" => REJECTED[OG100] y\n',
        f'{GOOD}// mutate: "x;" -> "x;" => VERIFIED\n',
        f'{GOOD}// mutate: "x;" -> "y;" => REJECTED[OG100] y\n//   expect: VERIFIED\n',
    ],
)
def test_a_misspelt_case_is_an_error_of_the_test(tmp_path: Path, header: str) -> None:
    with pytest.raises(CaseError):
        case(tmp_path, header + PROGRAM)


def test_directives_stand_in_the_leading_comment(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="leading comment"):
        case(tmp_path, f"{GOOD}\nint f() {{\n  // expect: VERIFIED\n  return 0;\n}}\n")


def test_a_mutant_is_read_with_its_details(tmp_path: Path) -> None:
    header = f"""{GOOD}// mutate: "int x" -> 'int "x"', "x;" -> "y\\n;"
//   => REFUTED[OG302] y
//   run: OG210 y
//   also: schedules
"""
    right, mutant = case(tmp_path, header + PROGRAM)
    assert right.name == "area/case" and right.text == "\n" * 7 + PROGRAM[1:]
    assert mutant.name == "area/case-1"
    assert mutant.text == right.text.replace("int x", 'int "x"').replace("x;", "y\n;")
    assert str(mutant.expected) == "REFUTED[OG302] y" and str(mutant.run) == "misbehaves[OG210] y"
    assert mutant.checks == {"schedules"} and right.checks == frozenset()


def test_a_wrong_answer_is_seen(tmp_path: Path) -> None:
    """The code alone is not enough, nor is the place."""
    mutate = '// mutate: "return x" -> "return y" => REJECTED[OG100] '
    for place, answer in (("y", "REJECTED[OG100] y"), ("return", "REJECTED[OG100] y")):
        _, mutant = case(tmp_path, f"{GOOD}{mutate}{place}\n{PROGRAM}")
        assert str(check(mutant).answer) == answer


def test_places_are_unique() -> None:
    text = "int f(int x) {\n  int y = x;\n  y = x;\n  return y;\n}\n"
    loc = parse_text(text).functions()[0].body[1].loc
    assert place_of(text, loc) == "2nd y = x;"
    assert is_at("2nd y = x", text, loc) and not is_at("1st y = x", text, loc) and not is_at("3rd y = x", text, loc)
    with pytest.raises(CaseError, match="2 times"):
        is_at("y = x", text, loc)
