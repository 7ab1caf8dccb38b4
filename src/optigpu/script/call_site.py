"""The line of the user's script that is running: the place of a step in error messages and in the trace."""

from __future__ import annotations

import inspect
import linecache
from pathlib import Path
from types import FrameType

from optigpu.light_dataclass import dataclass
from optigpu.syntax.source import NOWHERE, Loc

OUR_CODE = str(Path(__file__).parent.parent)  # frames of this package are not places of a script


@dataclass(frozen=True, slots=True)
class CallSite:
    file: str  # "" if there is none
    line: int  # 0 if there is none
    source: str  # the text of the line

    @property
    def loc(self) -> Loc:
        return Loc(self.file, self.line, 1, self.line, len(self.source) + 1) if self.line else NOWHERE


def call_site() -> CallSite:
    """The innermost call that does not come from this package."""
    frame: FrameType | None = inspect.currentframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((OUR_CODE, "<frozen")) and "contextlib" not in file:
            return CallSite(file, frame.f_lineno, linecache.getline(file, frame.f_lineno).rstrip("\n"))
        frame = frame.f_back
    return CallSite("", 0, "")
