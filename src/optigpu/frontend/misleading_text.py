"""Rejects source text that C compilers, or people at a screen, read differently from the grammar.

Before it splits a text into tokens, C replaces trigraphs and joins a line that ends with a backslash with the next one; screens
reorder text around bidirectional control characters. The grammar does neither.
"""

from __future__ import annotations

import re

from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.source import SourceText

MISREAD = (
    (
        re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"),
        "with this character, what people see is in another order than what compilers read",
        "remove it",
    ),
    (
        re.compile(r"\r(?!\n)"),
        "a carriage return ends this line for some C compilers",
        "end the line with a newline",
    ),
    (
        re.compile(r"\?\?[=/'()!<>-]"),
        "a trigraph is another character to some C compilers",
        "write something between the question marks",
    ),
    (
        re.compile(r"\\[^\S\n]+(?=\n)"),
        "blanks after this backslash: to some C compilers it joins this line with the next one",
        "remove the blanks, or the backslash",
    ),
    (
        re.compile(r"(?<=\S)\\(?=\n)"),
        "this backslash joins the last word of this line with the first one of the next",
        "put a blank before it",
    ),
)


def reject_misread_lines(source: SourceText) -> None:
    """Raise OG002 for the first misleading part of a text."""
    for pattern, message, fix in MISREAD:
        if match := pattern.search(source.text):
            raise input_error("OG002", message, source.span(*match.span()), help=fix)
