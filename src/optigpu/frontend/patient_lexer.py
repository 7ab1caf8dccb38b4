"""A lexer that compiles the terminals of a parser state together once the state is met often.

Lark compiles one pattern of all terminals that may follow, for each state of the parser; for a short program that takes longer than
to parse it. Here each terminal is compiled by itself, once, and those of a state are tried in the order of lark's pattern: so the
first that matches is the same one.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from lark.lexer import BasicLexer, ContextualLexer, PatternRE

OFTEN = 30  # uses of a state; a use with separate terminals takes a few microseconds longer


class PatientLexer(BasicLexer):
    """The lexer for states with the same terminals."""

    def __init__(self, conf: Any, comparator: Any = None) -> None:
        super().__init__(conf, comparator)
        self.callback = {}
        self.uses = 0
        self.patterns: list[tuple[str, re.Pattern[str]]] = []

    def match(self, text: Any, pos: int) -> Any:
        """The text and the name of the next terminal; None if there is none."""
        if self.uses == 0:
            self._begin()
        self.uses += 1
        if self.uses > OFTEN:
            return self.scanner.match(text, pos)
        source, end = (text, len(text)) if isinstance(text, str) else (text.text, text.end)  # lark 1.3 passes slices
        for name, pattern in self.patterns:
            if found := pattern.match(source, pos, end):
                return found.group(), name
        return None

    def _begin(self) -> None:
        flags = self.g_regex_flags
        expressions = [t for t in self.terminals if isinstance(t.pattern, PatternRE)]
        texts = [t for t in self.terminals if not isinstance(t.pattern, PatternRE)]
        if any(is_matched(t.pattern.value, e.pattern.to_regexp(), flags) for t in texts for e in expressions):
            self.uses = OFTEN  # lark has a treatment for texts that an expression matches too, such as keywords
        else:
            self.patterns = [(t.name, compiled(t.pattern.to_regexp(), flags)) for t in self.terminals]


class PatientContextualLexer(ContextualLexer):
    BasicLexer = PatientLexer


@cache
def compiled(expression: str, flags: int) -> re.Pattern[str]:
    return re.compile(expression, flags)


@cache
def is_matched(text: str, expression: str, flags: int) -> bool:
    """As lark decides it: does the expression match at the start, and match all of the text?"""
    found = compiled(expression, flags).match(text)
    return found is not None and found.group() == text
