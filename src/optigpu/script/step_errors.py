"""Errors of a step, with their places: in the script, in the program that the step made, and in the original file."""

from __future__ import annotations

from copy import copy

from optigpu.check.verdict import FunctionResult, ProgramResult, Refuter
from optigpu.check.verify import Verifier
from optigpu.errors.other_errors import TIME_IS_OVER
from optigpu.errors.problem import Problem
from optigpu.frontend import parse_text
from optigpu.light_dataclass import replace
from optigpu.script.call_site import call_site
from optigpu.script.editing import statements_of
from optigpu.script.step import Step
from optigpu.syntax.diagnostic import Diagnostic, InputError, Label
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program
from optigpu.syntax.source import NOWHERE, Loc

ABOUT_ARGUMENTS = ("OG601", "OG602", "OG603", "OG604")  # these are errors of the script first, not of the program


class StepError(Exception):
    """The checker rejected a step, which was undone; `step` holds the rejected program."""

    def __init__(
        self, step: Step, failed: FunctionResult | None, diagnostic: Diagnostic, texts: dict[str, str]
    ) -> None:
        super().__init__(diagnostic.message)
        self.step = step
        self.failed = failed  # the function that is no longer verified; its problem is placed in the changed program
        self.diagnostic = diagnostic
        self.texts = texts  # the changed program as text, by the file name that the places use
        self.rendered: str | None = None

    def __str__(self) -> str:
        return self.rendered or f"step {self.step.number} {self.step.title}: {self.diagnostic.message}"


def at_script_line(e: InputError, number: int, title: str) -> InputError:
    """An error that a step raised, with the step and its line in the script."""
    d, place = e.diagnostic, call_site().loc
    notes = (("step", f"{number}  {title}"), *d.notes)
    if d.loc is NOWHERE or d.code in ABOUT_ARGUMENTS:
        labels = d.labels if d.loc is NOWHERE else (Label(d.loc, "here"), *d.labels)
        return InputError(Diagnostic(d.code, d.message, place, labels, notes, d.help))
    return InputError(Diagnostic(d.code, d.message, d.loc, (Label(place, "this step"), *d.labels), notes, d.help))


def explained_rejection(
    step: Step, result: ProgramResult, original: str, refuter: Refuter | None, verifier: Verifier
) -> StepError:
    """Explain why a step was rejected, in the text of the changed program: print it, prove it again from there, and look for a
    counterexample. `original` is the file of the original program; `verifier` is the one that rejected the step, so that what it
    remembers is used."""
    name = f"{original} after step {step.number}" if step.number else original
    texts: dict[str, str] = {}
    again = copy(verifier)
    again.settings = replace(verifier.settings, refuter=refuter)
    if any(f.problem is not None and f.problem.code == TIME_IS_OVER.code for f in result.failures):
        pass  # another proof would take as long: it is explained at the places of the original
    elif step.number:
        texts[name] = print_program(step.after)
        try:
            explained = again.checked(parse_text(texts[name], name))
            result = explained if explained.failures else result
        except InputError:
            pass  # a program that cannot be read back is explained at the places of the original
    elif refuter is not None:
        explained = again.checked(step.after)
        result = explained if explained.failures else result
    result = result.in_full()
    failed = result.failures[0]
    assert failed.problem is not None
    problem = failed.problem
    origin = _origin(step.after, failed.name, problem, name, texts)
    labels = () if origin is None else (Label(origin, "where this was written"),)
    diagnostic = Diagnostic(problem.code, f"{failed.name} is not verified after this step", step.loc, labels)
    return StepError(replace(step, result=result, error=problem), failed, diagnostic, texts)


def _origin(after: Program, function: str, problem: Problem, name: str, texts: dict[str, str]) -> Loc | None:
    """The place in the original file of the statement that the problem is about."""
    if name not in texts or problem.loc.file != name:
        return None
    try:
        read_back = parse_text(texts[name], name).function(function)
        changed = after.function(function)
    except (InputError, KeyError):
        return None
    origin: Loc | None = None
    for (_, s), (_, t) in zip(statements_of(changed), statements_of(read_back)):
        if t.loc.line <= problem.loc.line <= t.loc.end_line and s.loc is not NOWHERE:
            origin = s.loc
    return origin
