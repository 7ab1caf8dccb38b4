"""Source text, places in it, and the ids by which scripts follow statements through edits."""

from __future__ import annotations

from bisect import bisect_right

from optigpu.light_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Loc:
    """A span of source text. Lines and columns count from 1; the end is exclusive in its column."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Loc) -> Loc:
        """The span from the start of this one to the end of the other."""
        if self is NOWHERE or other is NOWHERE:
            return other if self is NOWHERE else self
        return Loc(self.file, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Loc("<made>", 0, 0, 0, 0)


@dataclass(frozen=True, slots=True, eq=False)
class StatementId:
    """The identity of a statement: where it was written, or which step of a script made it.

    Ids compare by identity. A transformation that keeps a statement keeps its id, so a handle that holds the id still finds the
    statement. A statement made from another one has an id whose `parent` is the id of the original.
    """

    loc: Loc = NOWHERE
    step: int | None = None
    parent: StatementId | None = None

    def origin(self) -> Loc:
        """The source place of this statement, or of the nearest ancestor that has one."""
        ancestor: StatementId | None = self
        while ancestor is not None:
            if ancestor.loc is not NOWHERE:
                return ancestor.loc
            ancestor = ancestor.parent
        return NOWHERE


NO_ID = StatementId()  # of a statement that was built and not yet put into a program


class SourceText:
    """A file's text, with offsets turned into places."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        self._starts = [0]
        for i, ch in enumerate(text):
            if ch == "\n":
                self._starts.append(i + 1)

    def place(self, offset: int) -> tuple[int, int]:
        """(line, column) of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Loc:
        line, column = self.place(start)
        end_line, end_column = self.place(max(end, start))
        return Loc(self.name, line, column, end_line, end_column)

    def line(self, number: int) -> str:
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""
