"""Audits as text."""

from __future__ import annotations

from optigpu.checker.audit import AuditResult
from optigpu.report.diagnostics import PLAIN, Style


def render_audit(file: str, a: AuditResult, style: Style = PLAIN) -> str:
    lines = [style.bold(f"audit of {file}")]
    for name, contract in a.theorems.items():
        lines.append(f"  {style.green('proved')}     {name}  contract {contract[:16]}")
    for name, why in a.failures.items():
        lines.append(f"  {style.red('not proved')} {name}: {why}")
    lines.append(f"  obligations  {a.normaliser} by the normaliser, {a.solver_answers} by {a.solver}")
    lines.append(f"  written by   {a.written_by}")
    lines.append(f"  axioms       {', '.join(a.axioms) or 'none'}")
    lines.append(f"  admitted     {', '.join(a.admitted) or 'none'}")
    lines.append("  model        floats as reals, integers unbounded")
    trusted = ", ".join(f"{what} {n}" for what, n in a.trusted_lines.items())
    lines.append(f"  trusted      {trusted} lines")
    return "\n".join(lines)
