"""Where things come from: source places, and the marks by which statements are followed through edits."""

from __future__ import annotations

from dataclasses import dataclass


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
class Mark:
    """The identity of a statement: where it was written, or which step made it from what.

    Marks compare by identity. A transformation that keeps a statement keeps its mark, so a handle on the mark still finds it;
    one that replaces a statement gives the new one a mark whose `parent` is the old one.
    """

    loc: Loc = NOWHERE
    step: int | None = None
    parent: Mark | None = None

    def origin(self) -> Loc:
        """The nearest place in a source file."""
        mark: Mark | None = self
        while mark is not None:
            if mark.loc is not NOWHERE:
                return mark.loc
            mark = mark.parent
        return NOWHERE


UNMARKED = Mark()


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
        from bisect import bisect_right

        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Loc:
        line, column = self.place(start)
        end_line, end_column = self.place(max(end, start))
        return Loc(self.name, line, column, end_line, end_column)

    def line(self, number: int) -> str:
        lines = self.text.split("\n")
        return lines[number - 1] if 0 < number <= len(lines) else ""
