"""Inferred loop contracts as annotations: a verified program with everything written out, which itself checks."""

from __future__ import annotations

from optigpu.checker.verdict import ProgramResult
from optigpu.syntax.program import Program


def annotated(program: Program, result: ProgramResult) -> Program:
    return program
