"""Diagnostics as text: place, source line with a caret, labels, notes, help."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from pathlib import Path

from optigpu.syntax.diagnostic import Diagnostic
from optigpu.syntax.source import Loc, SourceText

Sources = Callable[[str], SourceText | None]


class Style:
    """Terminal colours, or none."""

    def __init__(self, colours: bool) -> None:
        self.colours = colours

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colours else text

    def bold(self, text: str) -> str:
        return self.paint(text, "1")

    def red(self, text: str) -> str:
        return self.paint(text, "1;31")

    def green(self, text: str) -> str:
        return self.paint(text, "1;32")

    def blue(self, text: str) -> str:
        return self.paint(text, "1;34")


PLAIN = Style(False)


def read_source(name: str) -> SourceText | None:
    """The text of a file; None if it cannot be read, as for a program that was parsed from a string."""
    if name == "<optigpu>/ghosts.h":
        from importlib.resources import files  # takes long to import, and is rarely needed

        return SourceText(name, files("optigpu.frontend").joinpath("include/ghosts.h").read_text(encoding="utf-8"))
    try:
        return SourceText(name, Path(name).read_text(encoding="utf-8", errors="replace"))
    except (OSError, ValueError):
        cell = linecache.getlines(name)  # of a notebook, which Python knows under a name that is no file
        return SourceText(name, "".join(cell)) if cell else None


def render(d: Diagnostic, word: str = "error", style: Style = PLAIN, sources: Sources = read_source) -> str:
    """`file:line:column: error[OG100]: message`, with the line and a caret below."""
    lines = [f"{style.bold(str(d.loc))}: {style.red(f'{word}[{d.code}]')}: {style.bold(d.message)}"]
    lines += excerpt(d.loc, style, sources)
    for label in d.labels:
        if label.loc.line:
            lines.append(f"  {style.blue('note')}: {label.loc}: {label.text}")
            lines += excerpt(label.loc, style, sources)
        else:
            lines.append(f"  {style.blue('note')}: {label.text}")
    for name, text in d.notes:
        indented = text.replace("\n", "\n" + " " * (len(name) + 4))
        lines.append(f"  {style.blue(name)}: {indented}")
    if d.help:
        lines.append(f"  {style.green('help')}: {d.help}")
    return "\n".join(lines)


def excerpt(loc: Loc, style: Style, sources: Sources) -> list[str]:
    source = sources(loc.file) if loc.line else None
    text = source.line(loc.line) if source is not None else ""
    if source is None or not text.strip():
        return []
    line = text.expandtabs(4)
    start = len(text[: loc.column - 1].expandtabs(4))
    end_column = loc.end_column if loc.end_line == loc.line else len(text) + 1
    end = len(text[: end_column - 1].expandtabs(4))
    if len(line) > 160:  # show only the part around the place
        cut = max(0, start - 60)
        line, start, end = "…" + line[cut + 1 : cut + 150], start - cut, end - cut
    width = max(1, min(end, len(line)) - start)
    number = str(loc.line)
    gutter = " " * len(number)
    return [
        f"  {style.blue(number + ' |')} {line}",
        f"  {style.blue(gutter + ' |')} {' ' * start}{style.red('^' * width)}",
    ]
