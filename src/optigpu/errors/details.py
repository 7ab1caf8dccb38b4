"""The details of a failed proof that messages are made of, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from optigpu.logic.terms import Term

LONGEST_TERM = 300  # characters of a term in a message


class TermWriter(Protocol):
    """Prints terms of the logic; names stay the same within one message."""

    def show(self, t: Term) -> str: ...


def source_name(name: str) -> str:
    """A base or a loop index as the program writes it."""
    return name.split("#", maxsplit=1)[0].split("~", maxsplit=1)[0]


def level_name(v: str) -> str:
    """A level of `races.levels`: the grid, the caller of a device function, or a thread loop."""
    return "grid" if not v else v if v.endswith("()") else f"thread for {source_name(v)}"


class Details:
    """The data of a rejected rule."""

    def __init__(self, data: Mapping[str, Any], writer: TermWriter) -> None:
        self.data = data
        self.writer = writer
        self.base = str(data.get("base", "")).split("~", maxsplit=1)[0]

    @property
    def array(self) -> str:
        """The array, or what else is accessed, in a sentence."""
        return f"`{self.base}`" if self.base else "this"

    @property
    def rule(self) -> str:
        """The rule of the kernel that was rejected."""
        return str(self.data.get("rule", ""))

    @property
    def why(self) -> str:
        """The side condition of the rule that does not hold."""
        return str(self.data.get("why", ""))

    @property
    def space(self) -> str:
        """The memory space of the array."""
        return str(self.data.get("space"))

    @property
    def kind(self) -> str:
        """What runs the code: host, threads, or a phase of a launch."""
        return self.count("kind")

    @property
    def levels(self) -> list[tuple[str, Term]]:
        """The thread groups around the place, outermost first, each with its number of threads."""
        return list(self.data.get("levels", ()))

    def text(self, name: str) -> str:
        return str(self.data.get(name))

    def show(self, t: Term) -> str:
        text = self.writer.show(t)
        return text if len(text) <= LONGEST_TERM else text[: LONGEST_TERM - 3] + "…"

    def count(self, name: str) -> str:
        """A number of the problem, or of the context it is in."""
        value = self.data.get(name, getattr(self.data.get("context"), name, "?"))
        return self.show(value) if isinstance(value, Term) else str(value)
