"""Writes the tables of the parsers beside their grammars: `python tools/grammar_tables.py`, after a change of a grammar."""

from __future__ import annotations

from optigpu.frontend.grammar_tables import STARTS, table_file, table_text


def main() -> None:
    for grammar in STARTS:
        table_file(grammar).write_text(table_text(grammar), encoding="utf-8")


if __name__ == "__main__":
    main()
