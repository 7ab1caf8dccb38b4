"""`half`, `bf16` and `tf32` are types that <optigpu.h> declares, not words of C: a text may use them as names of its own.

Where they are types, they become tokens that the grammars know, as the types of templates do (`template_types.py`). Every other
character stays where it is.
"""

from __future__ import annotations

import re
from functools import cache

from optigpu.frontend.number_literals import STORED_FLOAT_TOKENS
from optigpu.syntax.types import SCALAR_NAMES, STORED_FLOATS

TOKENS = {t.name: token for token, t in STORED_FLOAT_TOKENS.items()}
WORD = re.compile(rf"\b({'|'.join(TOKENS)})\b", re.ASCII)
DIRECTIVE = r"^[ \t]*#[ \t]*(?:pragma|include)\b(?:\\\n|[^\n])*"
# Strings, which are formulas; comments and other texts, which are none of the program's words.
PART = re.compile(rf'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/|{DIRECTIVE}', re.DOTALL | re.MULTILINE)
TYPE = "|".join(sorted(SCALAR_NAMES, key=len, reverse=True))


@cache
def _as_a_name(word: str) -> re.Pattern[str]:
    """What shows that the word is the name of something: a type before it, or an operator beside it."""
    before = r"\b(?:" + TYPE + r")(?:[\s*]|\bconst\b)+|[-+/%?&|^!\[]\s*|(?<!:)=\s*"
    after = r"[=;\[:+/%?&|^!<]|\((?!\s*\*)|-(?!>)|in\b"
    return re.compile(rf"(?:{before})\b{word}\b|\b{word}\s*(?:{after})", re.ASCII)


def with_stored_floats(text: str) -> str:
    """The text with these types as tokens."""
    if WORD.search(text) is None:
        return text
    code = PART.sub(lambda m: m.group(1) or " ", text)
    types = {word for word in TOKENS if _as_a_name(word).search(code) is None}
    out, at = [], 0
    for part in PART.finditer(text):
        if part.group(1) is None:
            out += [_marked(text[at : part.start()], types), part.group()]
            at = part.end()
    return "".join(out) + _marked(text[at:], types)


def _marked(code: str, types: set[str]) -> str:
    return WORD.sub(lambda m: TOKENS[m.group()].ljust(len(m.group())) if m.group() in types else m.group(), code)


def readable(text: str) -> str:
    """A text or a token as it was written."""
    for word, token in TOKENS.items():
        text = text.replace(token.ljust(len(word)), word).replace(token, word)
    return text


assert TOKENS.keys() == {t.name for t in STORED_FLOATS}
