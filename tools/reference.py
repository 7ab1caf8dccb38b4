"""Writes docs/reference.md and docs/schedules.md, which are rendered from the cards of all transformations and schedules."""

from __future__ import annotations

import inspect
from itertools import groupby
from pathlib import Path
from textwrap import indent

from optigpu import schedules
from optigpu.transform.cards import Card, card_of, cards
from optigpu.transform.registry import GROUPS

DOCS = Path(__file__).parent.parent / "docs"
TARGET, SCHEDULES = DOCS / "reference.md", DOCS / "schedules.md"
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


SCHEDULES_HEAD = """# Schedules

Rendered by `tools/reference.py` from the docstrings in `src/optigpu/schedules/`. A schedule makes fast kernels of a plain loop
nest: an ordinary function of [transformations](reference.md), and one step of a script, which is verified like any other. Its
source is meant to be read: copy it where you need something else. `schedules.auto(s)` picks one. "after" says in words what becomes
of the loops, for the default arguments.

```python
import optigpu as og
from optigpu.schedules import matmul

s = og.Script("matmul.c")
matmul(s)
s.emit("matmul.cu")
```

"""


def schedules_page() -> str:
    functions = {name: getattr(schedules, name) for name in schedules.__all__}
    found = [card_of(name, f) for name, f in functions.items() if inspect.isfunction(f)]
    table = ["| schedule | what it makes |", "|---|---|"]
    table += [f"| [{c.name}](#{anchor(c)}) | {_first_sentence(c.what)} |" for c in found]
    return SCHEDULES_HEAD + "\n".join(table) + "\n\n" + "\n".join(map(_shown_schedule, found))


def _first_sentence(what: str) -> str:
    text = " ".join(what.split())
    return text[: text.index(". ") + 1] if ". " in text else text


def _shown_schedule(card: Card) -> str:
    text = f"## {card.name}\n\n`{card.name}{card.signature.replace('(', '(s, ', 1)}`\n\n"
    text += "\n\n".join(" ".join(paragraph.split()) for paragraph in card.what.split("\n\n")) + "\n"
    if not card.step:
        return text
    after = " ".join(card.after.split())
    code = f"\n```c\n{indent(card.before, '  ')}\n// {card.step}\n```\n\n"
    return text + code + f"- after: {after}\n- needs: {card.needs}\n- fails: {card.fails}\n"


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
    SCHEDULES.write_text(schedules_page(), encoding="utf-8")
