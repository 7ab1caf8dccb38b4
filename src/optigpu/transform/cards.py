"""The cards of the transformations, read from their docstrings: what the reference is made of, and what a test runs."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent

from optigpu.script.transformation import TransformGroup
from optigpu.transform.registry import GROUPS


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


def cards() -> list[Card]:
    return [
        card_of(group, name, f)
        for group in GROUPS
        for name, f in vars(group).items()
        if not name.startswith("_") and inspect.isfunction(f)
    ]


def card_of(group: type[TransformGroup], name: str, f: Callable[..., object]) -> Card:
    text = inspect.getdoc(f) or ""
    parts = re.split(r"^(Before|Step|After|Needs|Fails):", text.replace(". Fails:", ".\nFails:"), flags=re.MULTILINE)
    found = {parts[i]: parts[i + 1] for i in range(1, len(parts) - 1, 2)}

    def code(key: str) -> str:
        return dedent(found.get(key, "").strip("\n")).strip("\n")

    def prose(key: str) -> str:
        return " ".join(found.get(key, "").split())

    return Card(
        f"{group.name}.{name}",
        signature_of(f),
        parts[0].strip(),
        code("Before"),
        found.get("Step", "").strip(),
        code("After"),
        prose("Needs"),
        prose("Fails"),
    )


def signature_of(f: Callable[..., object]) -> str:
    """The parameters as they are written."""
    _, *parameters = inspect.signature(f).parameters.values()
    shown: list[str] = []
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not any(s.startswith("*") for s in shown):
            shown.append("*")
        star = "*" if p.kind is p.VAR_POSITIONAL else ""
        default = "" if p.default is p.empty else f" = {p.default!r}".replace("'", '"')
        shown.append(f"{star}{p.name}: {p.annotation}{default}")
    return f"({', '.join(shown)})"
