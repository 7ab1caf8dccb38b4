"""Verdicts as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.check.verdict import FunctionResult, ProgramResult, Verdict
from optigpu.light_dataclass import replace
from optigpu.report.diagnostics import PLAIN, Sources, Style, read_source, render
from optigpu.report.problem_text import NEXT, diagnostic_of, race_message
from optigpu.syntax.diagnostic import Diagnostic, Label

DATA_RACE = "OG210"  # a data race in a run of the interpreter


def render_function(r: FunctionResult, style: Style = PLAIN, sources: Sources = read_source) -> str:
    if r.verdict is Verdict.VERIFIED:
        effort = (
            f"{r.normaliser + r.solver} obligations ({r.normaliser} normaliser, {r.solver} solver), {r.seconds:.2f} s"
        )
        return f"{style.green('VERIFIED')} {style.bold(r.name)}  {effort}"
    assert r.problem is not None
    diagnostic = combined(r)
    text = render(diagnostic, r.verdict.value, style, sources)
    if r.counterexample is not None:
        word = "input" if any(name == "witness" for name, _ in diagnostic.notes) else "witness"
        text += f"\n  {style.blue(word)}: {r.name}({r.counterexample.inputs})"
    return text


def combined(r: FunctionResult) -> Diagnostic:
    """The checker's problem, combined with the misbehaviour that the interpreter observed on a counterexample."""
    assert r.problem is not None
    d = diagnostic_of(r.problem)
    if r.counterexample is None:
        return d
    observed = r.counterexample.diagnostic
    d = replace(d, notes=tuple(n for n in d.notes if n[0] != NEXT))
    race = race_message(r.problem, observed.message) if observed.code == DATA_RACE else None
    if race is not None:
        return Diagnostic(d.code, race, observed.loc, observed.labels, observed.notes, d.help)
    if (observed.loc.file, observed.loc.line, observed.loc.column) == (d.loc.file, d.loc.line, d.loc.column):
        return Diagnostic(d.code, observed.message, d.loc, d.labels, d.notes, d.help)
    label = Label(d.loc, d.message)
    return Diagnostic(d.code, observed.message, observed.loc, (label, *d.labels), d.notes, d.help)


def render_result(r: ProgramResult) -> str:
    """What `optigpu check` prints."""
    return "\n".join([*map(render_function, r.functions), f"{r.file}: {summary(r)}"])


def summary(r: ProgramResult, style: Style = PLAIN) -> str:
    """The last line: verdicts, number of obligations, assumptions."""
    counts = {v: sum(f.verdict is v for f in r.functions) for v in Verdict}
    obligations = sum(f.normaliser + f.solver for f in r.functions)
    normaliser = sum(f.normaliser for f in r.functions)
    verdicts = " · ".join(f"{n} {v.value}" for v, n in counts.items() if n) or "nothing to verify"
    colour = style.red if r.failures else style.green
    effort = f"{obligations} obligations ({normaliser} normaliser, {obligations - normaliser} solver)"
    return f"{colour(verdicts)} · {effort} · {assumptions(r)}"


def assumptions(r: ProgramResult) -> str:
    if r.failures:  # no claim, so no assumptions
        return r.solver
    return assuming(r.axioms, r.admitted, r.solver, [str(p) for p in r.unbounded])


def assuming(axioms: Sequence[str], admitted: Sequence[str], solver: str, unbounded: Sequence[str] = ()) -> str:
    """The meaning of a verdict and its assumptions. `unbounded`: places where integers are assumed to fit their types."""
    parts = ["safe on machine integers and floats" if not unbounded else "safe if integers do not overflow"]
    parts.append("result over the reals")
    if unbounded:
        parts.append(f"assuming that integers fit at {', '.join(unbounded)}")
    if axioms:
        parts.append(f"assuming {len(axioms)} axiom{'s' * (len(axioms) != 1)}: {', '.join(axioms)}")
    if admitted:
        parts.append(f"admitted: {', '.join(admitted)}")
    return f"{'; '.join(parts)}; {solver}"


def as_json(r: ProgramResult) -> dict[str, object]:
    functions = []
    for f in r.functions:
        entry: dict[str, object] = {
            "name": f.name, "verdict": f.verdict.value, "seconds": round(f.seconds, 4),
            "obligations": {"normaliser": f.normaliser, "solver": f.solver},
        }  # fmt: skip
        if f.problem is not None:
            d = diagnostic_of(f.problem)
            entry["error"] = {
                "code": d.code, "message": d.message, "file": d.loc.file, "line": d.loc.line, "column": d.loc.column,
                "notes": dict(d.notes), "help": d.help,
            }  # fmt: skip
        if f.counterexample is not None:
            observed = f.counterexample.diagnostic
            entry["witness"] = {
                "inputs": f.counterexample.inputs,
                "code": observed.code,
                "message": observed.message,
                "line": observed.loc.line,
            }
        functions.append(entry)
    ledger = {
        "axioms": r.axioms,
        "admitted": r.admitted,
        "solver": r.solver,
        "floats": "reals in results, left open in safety",
        "integers": "machine" if not r.unbounded else "assumed to fit",
        "unbounded": [str(p) for p in r.unbounded],
    }
    return {"file": r.file, "verified": r.verified, "functions": functions, "ledger": ledger}
