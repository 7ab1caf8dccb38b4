"""Shows what a long check is doing: one line on a terminal, rewritten, and removed when the check is over."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TextIO

from optigpu.elaborate.weakening import closed_name
from optigpu.search.watch import Doing
from optigpu.syntax.source import NOWHERE

ERASED_LINE = "\r\x1b[K"


def render_doing(doing: Doing) -> str:
    """`step 3: tile("i", 8) · sum.c: checking sum, loop at line 8 (4 s)`"""
    title = f"{doing.title} · " if doing.title else ""
    place = doing.phase if doing.loc is NOWHERE else f"{doing.phase} at {Path(doing.loc.file).name}:{doing.loc.line}"
    return f"{title}checking {closed_name(doing.function)}: {place} ({doing.seconds:.0f} s)"


class ProgressLine:
    """Shows what is being done on a stream. A stream that is no terminal gets a line each time that the place changes."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.rewrites = stream.isatty()
        self.last = ""

    def __call__(self, doing: Doing | None) -> None:
        if doing is None:
            if self.rewrites:
                self.stream.write(ERASED_LINE)
                self.stream.flush()
            self.last = ""
            return
        text = render_doing(doing)
        if self.rewrites:
            self.stream.write(ERASED_LINE + text[: shutil.get_terminal_size().columns - 1])
        elif (place := text.rpartition(" (")[0]) != self.last:
            self.stream.write(text + "\n")
            self.last = place
        self.stream.flush()


def progress_on(stream: TextIO, wanted: bool = False) -> ProgressLine | None:
    """Progress is shown on a terminal, or where it is asked for."""
    return ProgressLine(stream) if wanted or stream.isatty() else None
