"""Cards: the docstrings of the transformations. The reference is rendered from them, and a test runs their examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from textwrap import dedent

from optigpu.light_dataclass import dataclass
from optigpu.transform.registry import GROUPS, transformations_of


@dataclass(frozen=True, slots=True)
class Card:
    name: str  # loop.tile
    signature: str
    what: str
    before: str
    step: str
    after: str
    needs: str
    fails: str
    returns: str  # "" if the step returns nothing


def cards() -> list[Card]:
    return [card_of(f"{group.name}.{name}", f) for group in GROUPS for name, f in transformations_of(group).items()]


def card_of(name: str, f: Callable[..., object]) -> Card:
    """The card of a transformation, or of a schedule."""
    text = inspect.getdoc(f) or ""
    parts = re.split(
        r"^(Before|Step|After|Needs|Fails|Returns):", text.replace(". Fails:", ".\nFails:"), flags=re.MULTILINE
    )
    sections = {parts[i]: parts[i + 1] for i in range(1, len(parts) - 1, 2)}

    def code(key: str) -> str:
        return dedent(sections.get(key, "").strip("\n")).strip("\n")

    def prose(key: str) -> str:
        return " ".join(sections.get(key, "").split())

    return Card(
        name,
        _parameters_text(f),
        parts[0].strip(),
        code("Before"),
        sections.get("Step", "").strip(),
        code("After"),
        prose("Needs"),
        prose("Fails"),
        prose("Returns"),
    )


def _parameters_text(f: Callable[..., object]) -> str:
    """The parameters as they are written, without the session."""
    _, *parameters = inspect.signature(f).parameters.values()
    texts: list[str] = []
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not any(text.startswith("*") for text in texts):
            texts.append("*")
        star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        default = "" if p.default is p.empty else f" = {p.default!r}".replace("'", '"')
        texts.append(f"{star}{p.name}: {p.annotation}{default}")
    return f"({', '.join(texts)})"
