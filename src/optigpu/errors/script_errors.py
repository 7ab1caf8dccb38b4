"""Errors of the steps of a script."""

from __future__ import annotations

from optigpu.errors.error_row import ErrorRow

SCRIPT_ERRORS = (
    ErrorRow(
        "OG601",
        "target not found",
        "A step of a script names something that is not there. The candidates are listed with their places.",
    ),
    ErrorRow(
        "OG602",
        "ambiguous target",
        "A target fits several places. Say which: .first, .nth(1), .last, .all, or what is around or inside it:\n"
        '  For("bi") / Write("sum"), For("y", body=Write("out"))',
    ),
    ErrorRow(
        "OG603",
        "transformation that does not apply",
        "A transformation does not apply to this statement: it is not a loop, or not of the form that the card asks for.\n"
        "docs/reference.md has the cards.",
    ),
    ErrorRow(
        "OG604",
        "invalid argument",
        "An argument of a transformation makes no sense: text that is not C, a size or a number that it cannot take.",
    ),
    ErrorRow(
        "OG605",
        "step that makes no program",
        "What a step made is not a program: it uses a name where it is not declared, or a value of the wrong type.",
    ),
    ErrorRow(
        "OG606",
        "changed specification",
        "A script must keep the contracts of the original, and its definitions and axioms: that is what is proved.",
    ),
    ErrorRow(
        "OG607",
        "no schedule fits",
        "`schedules.auto` looked at the program, and none of the schedules that it knows fits. For each it says why.\n"
        "Write the steps that make the kernels, or a schedule of your own: a function with @og.transformation.",
    ),
)
