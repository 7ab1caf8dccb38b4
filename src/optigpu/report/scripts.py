"""Script steps as text: one line for an accepted step; script line, diff and cause for a rejected one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from optigpu.report.diagnostics import PLAIN, Style, read_source, render
from optigpu.report.diffs import changed
from optigpu.report.verdict_text import assuming, assumptions, render_function
from optigpu.script.step import Record, Step
from optigpu.script.step_errors import StepError
from optigpu.syntax.program import For, Function, Mode, Program
from optigpu.syntax.source import SourceText
from optigpu.syntax.walk import statements

if TYPE_CHECKING:
    from optigpu.codegen.emission import Emission


def render_step(step: Step, style: Style = PLAIN) -> str:
    """One line: number, transformation, changed lines, obligations, time; and one for each annotation that it removed."""
    added, removed = changed(step.before, step.after)
    change = f"+{added} -{removed}" if step.number else ""
    if step.result is None:
        effort = "in a phase"
    else:
        effort = f"{sum(f.normaliser + f.solver for f in step.result.functions)} obligations"
    title = step.title if len(step.title) <= 72 else step.title[:71] + "…"
    indent = "  " * len(step.phase)
    line = f"{step.number:>3}  {indent}{title:<72}  {change:>9}  {effort:>16}  {step.seconds:6.2f} s"
    return "\n".join([line, *(f"     {indent}not kept: {text}" for text in step.removed)])


def render_script(record: Record, style: Style = PLAIN) -> str:
    """The summary line of a script: what was proved."""
    result = next(s.result for s in reversed(record.steps) if s.result is not None)
    if not result.functions:
        return "nothing to verify"
    word = style.green("VERIFIED") if result.verified else style.red("NOT VERIFIED")
    properties = proved(record.steps[-1].after.functions(), len(record.steps) - 1, result.assumptions)
    return f"{word} {properties} ({assumptions(result)})"


def proved(functions: Iterable[Function], steps: int, assumed: int) -> str:
    """Steps, assumptions and proved properties (such as race-free) of verified functions."""
    loops = [x for f in functions for x in statements(f.body) if isinstance(x, For)]
    properties = [f"{steps} step{'s' * (steps != 1)}", f"{assumed} assumption{'s' * (assumed != 1)}"]
    if any(x.meaning is not Mode.SEQUENTIAL for x in loops):
        properties.append("race-free")
    if any(x.mode is Mode.THREAD for x in loops):
        properties.append("no divergent barrier")
    return " · ".join([*properties, "no leak", "result equals spec"])


def emitted_header(
    emission: Emission,
    program: Program,
    axioms: Sequence[str],
    admitted: Sequence[str],
    solver: str,
    unbounded: Sequence[int] = (),
) -> list[str]:
    """The header of generated code: verdict and assumptions. `unbounded`: numbers of statements assumed not to overflow."""
    functions = map(program.function, emission.functions)
    properties = proved(functions, emission.steps, len(axioms) + len(admitted) + len(unbounded))
    return [f"VERIFIED {properties}", assuming(axioms, admitted, solver, [f"statement {n}" for n in unbounded])]


def render_step_error(e: StepError, style: Style = PLAIN) -> str:
    """The script line, the step's diff, and the error in the text of the changed program."""

    def sources(name: str) -> SourceText | None:
        return SourceText(name, e.texts[name]) if name in e.texts else read_source(name)

    lines = []
    if e.step.line:
        lines.append(f"{style.bold(f'{e.step.file}:{e.step.line}')}: step {e.step.number} was rejected")
        lines.append(f"  {style.blue(f'{e.step.line} |')} {e.step.source.strip()}")
    else:
        lines.append(f"step {e.step.number} was rejected: {e.step.title}")
    if e.failed is not None:
        lines.append(render_function(e.failed, style, sources))
    else:
        lines.append(render(e.diagnostic, "error", style, sources))
    for label in e.diagnostic.labels:
        lines.append(f"  {style.blue('before')}: {label.loc}: {label.text}")
        source = sources(label.loc.file)
        if source is not None:
            lines.append(f"    {style.blue(f'{label.loc.line} |')} {source.line(label.loc.line).strip()}")
    return "\n".join(lines)
