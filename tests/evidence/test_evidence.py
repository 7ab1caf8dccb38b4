"""Short, deterministic runs of what `make evidence` and `make fuzz` do at length (docs/evidence.md)."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.interp.runner import Runner
from optigpu.interp.testing import valid_inputs
from optigpu.syntax.printer import print_program
from tests.conftest import ROOT
from tests.evidence import fuzz, inputs, meanings, side_conditions
from tests.evidence.certificates import DETECTED, STILL, certified, examine
from tests.evidence.cpu_programs import CpuMaker
from tests.evidence.cpu_shapes import CpuShapes
from tests.evidence.gpu_programs import GpuMaker
from tests.evidence.gpu_shapes import GpuShapes
from tests.evidence.mutations import contract_mutants, distinct_mutants, rendered
from tests.evidence.program_mutants import whole
from tests.evidence.smaller import SMALLER, with_sizes
from tests.evidence.trial import WRONG, trial
from tests.support.limits import TooSlow, within

EXAMPLES = ROOT / "examples"


@pytest.mark.parametrize("start", [0, 12])
def test_verified_programs_run_clean(start: int) -> None:
    verifier, verified = Verifier(), 0
    for number in range(start, start + 12):
        kind, t = fuzz.examine(1, number, verifier)
        assert t.outcome not in fuzz.BAD, f"{kind}: {t.detail}\n{t.text}"
        verified += t.outcome.startswith("verified")
    assert verified >= 2


@pytest.mark.parametrize(("maker", "least"), [(CpuMaker, 7), (GpuMaker, 4)], ids=["cpu", "gpu"])
def test_programs_that_are_right_by_construction_mostly_verify(
    maker: type[CpuMaker] | type[GpuMaker], least: int
) -> None:
    verifier = Verifier()
    outcomes = [trial(maker(Random(seed)).program(), verifier, runs=5, other_runs=5).outcome for seed in range(10)]
    assert outcomes.count("verified and clean") >= least, outcomes


@pytest.mark.parametrize(("maker", "least"), [(CpuShapes, 14), (GpuShapes, 13)], ids=["cpu", "gpu"])
def test_programs_of_every_shape_mostly_verify(maker: type[CpuShapes] | type[GpuShapes], least: int) -> None:
    verifier, outcomes = Verifier(), {}
    for kind in maker.kinds:
        text = getattr(maker(Random(kind)), kind)()
        outcomes[kind] = trial(text, verifier, runs=5, other_runs=5).outcome
    assert not set(outcomes.values()) & {*fuzz.BAD, "malformed"}, outcomes
    assert list(outcomes.values()).count("verified and clean") >= least, outcomes


def test_contracts_are_mutated_on_their_own() -> None:
    program = parse_text((EXAMPLES / "row_sums.c").read_text(encoding="utf-8"))
    mutants = list(contract_mutants(program))
    assert {"contract: value", "contract: weakened", "contract: index +1", "contract: operator"} <= {
        k for k, _ in mutants
    }
    assert all(f.body == g.body for _, p in mutants for f, g in zip(program.functions(), p.functions()))


def test_a_time_limit_is_seen_behind_other_exceptions() -> None:
    """As when ctypes converts an argument: it makes an exception of its own."""
    with pytest.raises(TooSlow), within(1):
        try:
            while True:
                pass
        except TooSlow:
            raise ValueError from None


def test_whole_and_partial_tiles_are_among_the_first_inputs() -> None:
    """Faults in the blocks inside, and at the edges, of a large kernel are seen."""
    text = (EXAMPLES / "gpu/fast/transpose.c").read_text(encoding="utf-8")
    runner = Runner(parse_text(text))
    sizes = [i.scalars for i in valid_inputs(runner, runner.program.function("transpose"), most=12)]
    assert {"W": 65, "H": 65} in sizes and {"W": 64, "H": 64} in sizes and {"W": 0, "H": 0} in sizes


@pytest.mark.parametrize("name", ["copy", "row_sums", "gpu/vector_add"])
def test_misbehaving_mutants_are_rejected(name: str) -> None:
    program = parse_text(print_program(parse_text((EXAMPLES / f"{name}.c").read_text(encoding="utf-8"))))
    mutants = distinct_mutants(program)
    assert len(mutants) > 20
    verifier, caught = Verifier(), 0
    for kind, tree in Random(name).sample(mutants, 8):
        text = rendered(tree)
        if text is not None:
            t = trial(text, verifier, runs=20, other_runs=20, seconds=2.0)
            assert t.outcome not in fuzz.BAD, f"{kind}: {t.detail}\n{text}"
            caught += t.outcome == "rejected and misbehaving"
    assert caught >= 2


def test_a_wrong_verdict_would_be_noticed() -> None:
    """A checker that says yes to everything."""

    class Gullible(Verifier):
        def verify(self, program, only=None):  # type: ignore[no-untyped-def]
            from dataclasses import replace

            from optigpu.check.verdict import Verdict

            result = super().verify(program, only)
            return replace(result, functions=[replace(f, verdict=Verdict.VERIFIED) for f in result.functions])

    text = (EXAMPLES / "copy.c").read_text(encoding="utf-8").replace("i < n", "i <= n")
    assert trial(text, Gullible()).outcome == WRONG


def test_every_side_condition_can_be_removed() -> None:
    sites = side_conditions.all_sites()
    assert len(sites) > 700
    assert len({s.name for s in sites}) == len(sites)
    for site in sites[::29]:
        compile(side_conditions.without(site), site.module, "exec")


@pytest.mark.parametrize("name", ["sum", "copy"])
def test_tampered_certificates_are_noticed_or_still_proofs(name: str) -> None:
    program = certified(EXAMPLES / f"{name}.c")
    assert program is not None
    outcome = examine(*program, 40)
    assert outcome["replays"] and not outcome["bad"]
    outcomes = {key.partition(": ")[2] for key in outcome["outcomes"]}
    assert outcomes <= {DETECTED, STILL} and DETECTED in outcomes
    for key in outcome["outcomes"]:
        assert not (key.startswith(("contracts", "ledger", "program", "format", "seal")) and key.endswith(STILL)), key


def test_damaged_inputs_are_answered_in_words() -> None:
    cases = [inputs.case(0, number, largest=400) for number in range(12)]
    assert not [
        f"{c.origin} ({c.damage}), {c.command}: {c.outcome} {c.detail}" for c in cases if c.outcome in inputs.BAD
    ]
    assert {c.kind for c in cases} <= set(inputs.KINDS)
    assert inputs.BAD_INPUT in {c.outcome for c in cases}


def test_an_unclear_answer_would_be_noticed() -> None:
    program = next(i for i in inputs.corpus() if i.kind == "program")
    for code, message, fault in (
        (2, "error: no", "no place"),
        (2, "", "nothing said"),
        (3, "x.c:1:1: error: no", "internal error"),
        (1, "Traceback (most recent call last):", "stack trace"),
        (7, "x.c:1:1: error: no", "another exit code"),
    ):
        verdict = inputs.faulty(program, ["check", "x.c"], inputs.Answer(code, "", message, 0.1), message)
        assert verdict is not None and verdict[0] == fault
    assert inputs.faulty(program, ["check", "x.c"], inputs.Answer(2, "", "", 0.1), "x.c:1:1: error[OG001]: no") is None


def test_four_readers_of_one_text_agree() -> None:
    comparisons = meanings.examine([meanings.program(1, n) for n in range(16)], Verifier())
    assert not [(m.detail, text) for _, text, m in comparisons if m.outcome == meanings.BAD]
    assert [m.outcome for _, _, m in comparisons].count(meanings.PROVED) >= 3


def test_a_reader_that_differs_would_be_noticed() -> None:
    """A text in which C reads another number than the others do: the checker and the interpreter are asked about the first."""
    f = meanings.SmallFunction("f0", "int", (("x", "int"),), (Fraction(7),), "", "  return x / -2;\n")
    text, verifier = meanings.INCLUDE + f.text("f0"), Verifier()
    right, wrong = meanings.Computed(Fraction(-3)), meanings.Computed(Fraction(-4))
    assert meanings.compared(f, text, [right] * 4, verifier).outcome == meanings.PROVED
    assert meanings.compared(f, text, [right, right, right, wrong], verifier).outcome == meanings.BAD
    assert meanings.compared(f, text, [wrong] * 4, verifier).outcome == meanings.BAD
    assert meanings.compared(f, text, [meanings.Computed(None)] * 4, verifier).outcome == meanings.BAD
    assert meanings.proved(f, Fraction(-3), verifier) == (True, False)
    assert meanings.proved(f, Fraction(-4), verifier) == (False, True)


@pytest.mark.parametrize("name", ["examples/gpu/fast/reduce.c", "examples/gpu/fast/stencil2d.c"])
def test_kernels_with_smaller_tiles_are_verified_too(name: str) -> None:
    """Otherwise their mutants would say nothing."""
    text = with_sizes(whole(ROOT / name), SMALLER[name])
    assert text != whole(ROOT / name)
    assert Verifier().verify(parse_text(text)).verified
