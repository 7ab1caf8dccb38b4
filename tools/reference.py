"""Writes docs/reference.md, which is rendered from the cards of all transformations."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from textwrap import indent

from optigpu.transform.cards import Card, cards
from optigpu.transform.registry import GROUPS

TARGET = Path(__file__).parent.parent / "docs" / "reference.md"
HEAD = """# Transformations

Rendered by `tools/reference.py` from the docstrings in `src/optigpu/transform/`; a test runs every example. How scripts work:
[scripts.md](scripts.md). A transformation does not decide whether its result is correct: "fails" says when the checker rejects it.
`TargetLike` is a name, a [target](scripts.md#targets) or a [handle](scripts.md#handles); `Size` is a number or C text: `"n / 2"`.
"returns" names the attributes of what a step returns, which is itself a handle: "as a target" says of which statement.

"""


def reference() -> str:
    groups = [(name, list(group)) for name, group in groupby(cards(), key=lambda c: c.name.split(".")[0])]
    assert len(groups) == len(GROUPS)
    table = ["| group | transformations |", "|---|---|"]
    for name, group in groups:
        links = (f"[{c.name.split('.')[1]}](#{anchor(c)})" for c in group)
        table.append(f"| `s.{name}` | {' '.join(links)} |")
    return HEAD + "\n".join(table) + "\n\n" + "\n".join(f"## {n}\n\n" + "\n".join(map(shown, g)) for n, g in groups)


def anchor(card: Card) -> str:
    """As GitHub names a heading."""
    return card.name.replace(".", "")


def shown(card: Card) -> str:
    code = "\n".join([indent(card.before, "  "), f"// {card.step}", indent(card.after, "  ")])
    what = " ".join(card.what.split())
    returns = f"- returns: {card.returns}\n" if card.returns else ""
    return (
        f"### {card.name}\n\n`{card.name}{card.signature}`\n\n{what}\n\n```c\n{code}\n```\n\n"
        f"- needs: {card.needs}\n- fails: {card.fails}\n{returns}"
    )


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
