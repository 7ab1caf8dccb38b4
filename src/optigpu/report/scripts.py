"""Steps of scripts as text: one line when accepted; the script's line, both programs and the cause when rejected."""

from __future__ import annotations

from optigpu.report.diagnostics import PLAIN, Style, read_source, render
from optigpu.report.verdicts import render_function
from optigpu.syntax.source import SourceText
from optigpu.transform.script import StepError


def render_step_error(e: StepError, style: Style = PLAIN) -> str:
    """Where in the script, what it did, and why the result is not accepted, in the text of the changed program."""

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
