"""The parsers of the grammars, loaded from their tables: making the tables anew would be most of the time of a short check.

`c.table.json` lies beside `c.lark`, and `formula.table.json` beside `formula.lark`; `python tools/grammar_tables.py` writes them,
and a test compares them with what the grammars give. A table of another grammar, other options or another version of lark is
not used: then the parser is made from the grammar. The tables are data (JSON, no pickles), and are only read from the package.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import lark
from lark import Lark
from lark.grammar import Rule
from lark.lexer import TerminalDef

from optigpu.frontend.patient_lexer import PatientContextualLexer

FOLDER = Path(__file__).parent
STARTS = {
    "c": ("program", "expr"),
    "formula": ("items", "ghost_arguments", "ghost_results", "logic_type", "proposition"),
}
OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "g_regex_flags": int(re.ASCII),
    "keep_all_tokens": True,
    "maybe_placeholders": False,
}
PLUGINS: dict[str, Any] = {
    "_plugins": {"ContextualLexer": PatientContextualLexer}
}  # a parser is the same with or without


def parser_of(grammar: str) -> Lark:
    """The parser of `c.lark` or `formula.lark`."""
    try:
        stored = json.loads(table_file(grammar).read_text(encoding="utf-8"), object_hook=_with_numbers)
    except (OSError, ValueError):
        stored = None
    if isinstance(stored, dict) and stored.get("made_from") == _made_from(grammar):
        stored["table"]["data"]["options"] |= PLUGINS
        return Lark.load(stored["table"])
    return parser_from_grammar(grammar, **PLUGINS)


def parser_from_grammar(grammar: str, **options: Any) -> Lark:
    return Lark(_text(grammar), start=list(STARTS[grammar]), **OPTIONS, **options)


def table_file(grammar: str) -> Path:
    return FOLDER / f"{grammar}.table.json"


def table_text(grammar: str) -> str:
    """The table of a grammar, as it is stored."""
    data, memo = parser_from_grammar(grammar).memo_serialize([TerminalDef, Rule])
    stored = {"made_from": _made_from(grammar), "table": {"data": data, "memo": memo}}
    return json.dumps(stored, separators=(",", ":")) + "\n"


def _made_from(grammar: str) -> list[str]:
    """What a table depends on: lark, the grammar and the options."""
    sources = json.dumps([_text(grammar), STARTS[grammar], OPTIONS])
    return [lark.__version__, hashlib.sha256(sources.encode()).hexdigest()]


def _text(grammar: str) -> str:
    return (FOLDER / f"{grammar}.lark").read_text(encoding="utf-8")


def _with_numbers(data: dict[str, Any]) -> dict[Any, Any]:
    """The numbers of states, tokens and rules, which JSON writes as texts, are numbers again."""
    return {int(key): value for key, value in data.items()} if data and all(map(str.isdecimal, data)) else data
