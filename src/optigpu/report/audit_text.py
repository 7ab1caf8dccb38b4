"""Audit results as text."""

from __future__ import annotations

from optigpu.check.audit import AuditResult
from optigpu.check.trusted import TRUSTED, TRUSTED_FOR_CODE
from optigpu.report.diagnostics import PLAIN, Style


def render_audit(file: str, a: AuditResult, style: Style = PLAIN) -> str:
    lines = [style.bold(f"audit of {file}")]
    for name, contract in a.theorems.items():
        lines.append(f"  {style.green('proved')}     {name}  contract {contract[:16]}")
    for name, why in a.failures.items():
        lines.append(f"  {style.red('not proved')} {name}: {why}")
    if a.code:
        lines.append(f"  code         made again from the program that was proved, as {a.code}: the same to the byte")
    lines.append(f"  obligations  {a.normaliser} by the normaliser, {a.solver_answers} by {a.solver}")
    lines.append(f"  written by   {a.written_by}")
    lines.append(f"  axioms       {', '.join(a.axioms) or 'none'}")
    lines.append(f"  admitted     {', '.join(a.admitted) or 'none'}")
    if a.unbounded:
        lines.append(f"  assumed      that integers fit in statements {', '.join(map(str, a.unbounded))}")
    lines.append("  model        safe on machine integers and floats, result over the reals")
    lines.append(f"  trusted      {sum(a.trusted_lines.values())} lines of ours, {', '.join(a.programs)}")
    tasks = {**TRUSTED, **TRUSTED_FOR_CODE}
    lines += [f"    {n:5}  {folder}: {tasks[folder]}" for folder, n in a.trusted_lines.items()]
    return "\n".join(lines)


AROUND = 40  # characters shown before and after a difference


def first_difference(actual: str, expected: str) -> str | None:
    """The first difference of two texts, with its place; None if they are equal."""
    if actual == expected:
        return None
    expected_lines, actual_lines = expected.split("\n"), actual.split("\n")
    shorter = min(len(expected_lines), len(actual_lines))
    n = next((i for i, (a, b) in enumerate(zip(expected_lines, actual_lines)) if a != b), shorter)
    if n == len(actual_lines):
        return f"it ends before line {n + 1}, `{_excerpt(expected_lines[n], 0)}`"
    if n == len(expected_lines):
        return f"line {n + 1} is one too many: `{_excerpt(actual_lines[n], 0)}`"
    a, b = expected_lines[n], actual_lines[n]
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return f"line {n + 1}, column {at + 1}: `{_excerpt(b, at)}` should be `{_excerpt(a, at)}`"


def _excerpt(line: str, at: int) -> str:
    """The part of a line around a column, with invisible characters escaped."""
    first, last = max(0, at - AROUND), at + AROUND
    part = "".join(c if c.isprintable() else repr(c)[1:-1] for c in line[first:last])
    return f"{'…' * (first > 0)}{part}{'…' * (last < len(line))}".strip()
