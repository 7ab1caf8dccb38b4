"""`template <typename T>` before the declaration of a built-in function: its type becomes a token that the grammars know as a type.

Every other character stays where it is, so that places in the text are right.
"""

from __future__ import annotations

import re

from optigpu.frontend.number_literals import ELEMENT_TOKEN

SKIPPED = r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/'  # strings and comments
PART = re.compile(rf"{SKIPPED}|[{{}};]", re.DOTALL)
TEMPLATE = re.compile(
    rf"{SKIPPED}|[{{}}]|\btemplate\s*<\s*(?:typename|class)\s+([A-Za-z_]\w*)\s*>", re.ASCII | re.DOTALL
)


def with_element_types(text: str) -> str:
    """The text with the types of its templates replaced."""
    out, at, depth = [], 0, 0
    for match in TEMPLATE.finditer(text):
        if match.start() < at:
            continue
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
        if match.group(1) is not None and depth == 0:
            end = _end_of_function(text, match.end())
            head = re.sub(r"\S", " ", match.group())
            token = ELEMENT_TOKEN.ljust(len(match.group(1)))
            out += [text[at : match.start()], head, re.sub(rf"\b{match.group(1)}\b", token, text[match.end() : end])]
            at = end
    return "".join(out) + text[at:]


def _end_of_function(text: str, start: int) -> int:
    """Where the function that begins here ends: at its closing brace, or at a semicolon before it has an opening one."""
    depth = 0
    for part in PART.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(part.group(), 0)
        if depth == 0 and part.group() in ("}", ";"):
            return part.end()
    return len(text)
