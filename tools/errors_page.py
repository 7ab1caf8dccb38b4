"""Writes docs/errors.md: every error code with its explanation, from the catalogue."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from optigpu.errors.catalogue import CATALOGUE
from optigpu.errors.error_row import ErrorRow, ProofErrorRow

TARGET = Path(__file__).parent.parent / "docs" / "errors.md"
AREAS = {
    "OG0": "The text of a program",
    "OG1": "Names and types",
    "OG2": "Runs of the interpreter",
    "OG3": "Proofs",
    "OG4": "CUDA code",
    "OG5": "C code",
    "OG6": "Scripts",
}
HEAD = """# Errors

Written by `tools/errors_page.py` from the catalogue in `src/optigpu/errors/`. `optigpu explain OG302` prints one entry.

"""


def errors_page() -> str:
    areas = [(AREAS[prefix], list(rows)) for prefix, rows in groupby(CATALOGUE.values(), key=lambda r: r.code[:3])]
    return HEAD + "\n".join(f"## {area}\n\n" + "\n".join(map(entry, rows)) for area, rows in areas)


def entry(row: ErrorRow) -> str:
    text = f"### {row.code}: {row.title}\n\n{explanation(row)}\n"
    if isinstance(row, ProofErrorRow) and isinstance(row.message, str):
        text += f"\nMessage: {sample(row, row.message)}\n"
    if isinstance(row, ProofErrorRow) and isinstance(row.help, str):
        text += f"\nHelp: {sample(row, row.help)}\n"
    return text


def sample(row: ProofErrorRow, wording: str) -> str:
    """A wording about an array `a`."""
    race = row.race if isinstance(row.race, str) else "a block barrier is missing"
    return wording.format(array="`a`", base="a", race=race).replace("__", "\\_\\_")


def explanation(row: ErrorRow) -> str:
    """Paragraphs on one line each; indented lines as code."""
    parts: list[str] = []
    for is_code, lines in groupby(row.explanation.split("\n"), key=lambda line: line.startswith("  ")):
        if is_code:
            parts.append("```c\n" + "\n".join(line.strip() for line in lines) + "\n```")
        else:
            parts.append(" ".join(lines).replace("__", "\\_\\_"))
    return "\n\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(errors_page(), encoding="utf-8")
