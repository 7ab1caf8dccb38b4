"""Writes docs/ghosts.md: the ghosts of the library, from their table `frontend/include/ghosts.h` and the cases that use them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "src" / "optigpu" / "frontend" / "include" / "ghosts.h"
EXAMPLES = ROOT / "tests" / "cases" / "ghosts"
TARGET = ROOT / "docs" / "ghosts.md"
HEAD = """# Ghosts

Written by `tools/ghosts_page.py` from `src/optigpu/frontend/include/ghosts.h`. Every example is a part of a program in
`tests/cases/ghosts`, which a test verifies; there each ghost also stands with a false claim, and is rejected at its place.

A ghost is a step of a proof: `__ghost(name, "parameter := value", "h <- result")`. It changes nothing, and none is admitted.
Where it stands, the checker proves its `__requires` and finds its `__consumes` among what is held there; then it finds its
`__produces`, and proves its `__ensures`, which can get a name (`h <- result`). So a ghost can say no more than what is true, and
a program that verifies with ghosts verifies without them, except for facts that the search does not find by itself.

`__GHOST_BEGIN(label, name, "…")` is the same, and `__GHOST_END(label)` checks the ghost from its end to its start: what it
produces, then what it consumes. A ghost with `__reverts(g)` does this by itself.

Arguments are given by name, or by position (types do not count). Some can be left out: the sizes and contents of an array that is
given (`matrix`), the sides of an equation that is given as a fact (`by := h`), fractions and types. A fact about a parameter
without a value is left out. In permissions all other parameters need a value (OG115).

A ghost of your own is a contract without a body, `__GHOST(name) { __requires("…"); __consumes("…"); __produces("…"); }`, checked
in the same way; with a body it is a lemma, which is proved once. Parameters can have the types `int`, `float`, `Prop`, `HProp`,
`Range`, `_Fraction`, functions to these, and `ptr(T)` with `T: Type` for an array of any type.

"""
INSTANCES = ROOT / "tests" / "cases" / "hypotheses" / "instances_by_hand.c"
BY_HAND = """## What to do when something stays UNPROVED

A hypothesis or an axiom about all values (`forall`) is used at terms that occur in the goal and in other facts. Where a proof needs
it at other terms, say which: assert the instance before the place that is not proved, or give the fact a name and apply it to
values, `__ghost(assert_prop, "proof := add(2, 2)")`. Either is proved where it stands, is known afterwards, and brings in its terms
for what follows. Hypotheses (`h: forall …`) and axioms (`__AXIOM(h, "forall …")`) are applied in the same way; what they need (a
range, another hypothesis) is proved at that place. A fact that takes several steps is a lemma of your own, `__GHOST(name) {{ … }}`.

```c
{example}
```

"""


@dataclass(frozen=True)
class GhostRow:
    name: str
    area: str
    about: str
    contract: str  # the text of its declaration


def ghost_rows() -> list[GhostRow]:
    """The ghosts in the order of the table."""
    rows: list[GhostRow] = []
    area, about = "", ""
    text = TABLE.read_text(encoding="utf-8")
    pattern = r"^// # ([^\n]+)$|^// ([^\n]+)$|^__GHOST\((\w+)\) \{(?:[^\n]+\}|\n.*?^\})$"
    for match in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        if match[1]:
            area = match[1]
        elif match[2]:
            about = match[2]
        else:
            rows.append(GhostRow(match[3], area, about, match[0]))
    return rows


def _code(path: Path) -> str:
    """A case without its comment."""
    return "\n".join(x for x in path.read_text(encoding="utf-8").split("\n") if not x.startswith("//")).strip()


def examples() -> dict[str, str]:
    """A ghost -> the function of a case that uses it."""
    out: dict[str, str] = {}
    for path in sorted(EXAMPLES.glob("*.c")):
        code = _code(path)
        for function in re.findall(r"^(?:__device__ )?\w+ \w+\([^\n]*\) \{\n.*?^\}", code, re.MULTILINE | re.DOTALL):
            for name in re.findall(r"__ghost\((\w+)|__GHOST_BEGIN\(\w+, (\w+)", function):
                out.setdefault(name[0] or name[1], function)
    return out


def ghosts_page() -> str:
    parts, area, uses = [HEAD, BY_HAND.format(example=_code(INSTANCES))], "", examples()
    for row in ghost_rows():
        if row.area != area:
            area = row.area
            parts.append(f"## {area}\n\n")
        parts.append(f"### {row.name}\n\n{row.about}\n\n```c\n{row.contract}\n```\n\n```c\n{uses[row.name]}\n```\n\n")
    return "".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    TARGET.write_text(ghosts_page(), encoding="utf-8")
