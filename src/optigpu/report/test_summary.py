"""Test reports as text."""

from __future__ import annotations

from optigpu.interp.inputs import Inputs
from optigpu.interp.rounded_numbers import Number
from optigpu.interp.testing import TestReport
from optigpu.report.diagnostics import PLAIN, Sources, Style, read_source, render


def render_test(report: TestReport, style: Style = PLAIN, sources: Sources = read_source) -> str:
    f = report.function
    if report.failure is not None:
        head = render(report.failure.misbehaviour.diagnostic(), "failed", style, sources)
        return f"{head}\n  {style.blue('input')}: {f.name}({show_inputs(report.failure.inputs)})"
    lines: list[str] = []
    if report.gave_up is not None:
        lines.append(f"{style.bold(f.name)}: not tested: {report.gave_up}")
    else:
        lines.append(f"{style.bold(f.name)}: {style.green('passed')} {report.runs} runs")
    for loc, why in report.skipped.items():
        lines.append(f"  {style.blue('note')}: {loc}: not evaluated: {why}")
    return "\n".join(lines)


def show_inputs(inputs: Inputs) -> str:
    parts = [f"{name} = {number(value)}" for name, value in inputs.scalars.items()]
    for name, values in inputs.arrays.items():
        parts.append(f"{name} = {nested(values, inputs.shapes[name])}")
    return ", ".join(parts)


def nested(values: list[Number], shape: tuple[int, ...]) -> str:
    if len(values) > 64:
        return f"<{'×'.join(map(str, shape))} values>"
    if len(shape) <= 1:
        return "[" + ", ".join(number(v) for v in values) + "]"
    step = len(values) // shape[0] if shape[0] else 0
    return "[" + ", ".join(nested(values[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])) + "]"


def number(x: Number) -> str:
    return f"{float(x):g}" if not isinstance(x, int) else str(x).lower()
