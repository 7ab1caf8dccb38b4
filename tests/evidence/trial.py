"""Check one program and run it in the interpreter: a verified program must not misbehave."""

from __future__ import annotations

from dataclasses import dataclass, field

from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.misbehaviour import CannotEvaluate
from optigpu.interp.refute import describe_inputs
from optigpu.interp.runner import Runner
from optigpu.interp.testing import TestReport, test_function
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Role
from tests.support.limits import TooSlow, within

test_function.__test__ = False  # type: ignore[attr-defined]
TestReport.__test__ = False  # type: ignore[attr-defined]
OVERFLOW = "OG209"  # seen by the interpreter
MAY_OVERFLOW = "OG336"  # said by the checker

WRONG = "verified and misbehaving"  # must never happen
ASSUMING = "verified with integers assumed to fit, and clean"  # but for overflow
OUTCOMES = (
    WRONG,
    "verified and clean",
    ASSUMING,
    "rejected and misbehaving",
    "rejected, clean in all runs",
    "rejected, no input to run on",
    "verified, no input to run on",
    "too slow",
    "crashed",
    "malformed",
)


@dataclass
class Trial:
    outcome: str
    code: str = ""  # what the interpreter saw
    says: str = ""  # the checker's code, if rejected
    runs: int = 0
    detail: str = ""
    text: str = field(default="", repr=False)


def trial(
    text: str,
    verifier: Verifier,
    *,
    seed: int = 0,
    runs: int = 30,
    other_runs: int = 10,
    seconds: float = 5.0,
    limit: int = 0,
) -> Trial:
    """Verify a program and run it: `runs` times if it is verified, `other_runs` times, and half as long, if not.

    What is refused for its integers alone is verified once more with integers assumed to fit; then overflow is its own fault.
    """
    try:
        with within(limit):
            return _trial(text, verifier, seed, runs, other_runs, seconds)
    except TooSlow:
        return Trial("too slow", text=text)
    except (RecursionError, MemoryError):
        return Trial("too slow", detail="too deep", text=text)
    except Exception as e:
        return Trial("crashed", detail=f"{type(e).__name__}: {e}", text=text)


def _trial(text: str, verifier: Verifier, seed: int, runs: int, other_runs: int, seconds: float) -> Trial:
    try:
        program = parse_text(text, "trial.c")
    except InputError as e:
        return Trial("malformed", e.diagnostic.code, text=text)
    result = verifier.verify(program)
    assuming = not result.verified and _says(result) == MAY_OVERFLOW
    if assuming:
        result = Verifier(Settings(unbounded=True)).verify(program)
    verdicts = {f.name: f.verdict is Verdict.VERIFIED for f in result.functions}
    runner = Runner(program)
    done, failed = 0, None
    for f in program.functions():
        if f.role is not Role.HOST or f.name not in verdicts:
            continue
        most, time = (runs, seconds) if verdicts[f.name] else (other_runs, seconds / 2)
        report = _report(runner, f.name, seed, most, time)
        done += report.runs
        if report.failure is None:
            continue
        seen, inputs = report.failure.misbehaviour, report.failure.inputs
        failed = failed or seen.code
        if verdicts[f.name] and not (assuming and seen.code == OVERFLOW):
            return Trial(WRONG, seen.code, "", done, f"{seen} on {describe_inputs(inputs)}", text)
    says = MAY_OVERFLOW if assuming and result.verified else _says(result)
    if failed is not None:
        return Trial("rejected and misbehaving", failed, says, done, text=text)
    if not done:
        stem = "verified" if result.verified else "rejected"
        return Trial(f"{stem}, no input to run on", "", says, 0, text=text)
    clean = (ASSUMING if assuming else "verified and clean") if result.verified else "rejected, clean in all runs"
    return Trial(clean, "", says, done, text=text)


def _says(result: ProgramResult) -> str:
    return next((f.problem.code for f in result.functions if f.problem is not None), "")


def _report(runner: Runner, name: str, seed: int, most: int, seconds: float) -> TestReport:
    f = runner.program.function(name)
    try:
        return test_function(runner, f, seed=seed, seconds=seconds, most=most, simplest=False)
    except CannotEvaluate:
        return TestReport(f)
