"""Side conditions whose removal no test notices, each with the reason why nothing untrue gets through without it."""

from __future__ import annotations

# (part of the name, reason); the first that fits counts.
SURVIVORS = [
    (
        "Rules._accessed · check · self._in_reach",
        "`_allowed`, which the same rule asks, starts with the same condition; this one comes first for a better message.",
    ),
    (
        "Rules._home · exact pattern · 'threads' (place 3) in ['SMem', False, False, 'threads']",
        "the case goes on to `_level`, which refuses every context but that of threads.",
    ),
    (
        "Rules.join_if · refusal, one operand · before is None",
        "states in a branch are made by `enter_if` alone, which gives them one; the condition is for the type checker.",
    ),
    (
        "Rules.join_if · refusal, one operand · yes.block is no.block",
        "two states of one branch have the same condition, so that theirs are not opposite: the next operand refuses them too.",
    ),
    (
        "Rules.join_if · refusal, one operand · k.not_(test) is not opposite",
        "two states with one state before them are of the same branch (refused by the operand before) or of the two opposite ones.",
    ),
    (
        "LoopRules.leave_loop · check · self._nothing_left",
        "cells held in full at the end of a body are those of its contract, which `_given_back` takes out, and those of"
        " allocations, which the comparison of bases counts.",
    ),
    ("rules._where · conjunct", "without it a mark says that more was read, which is weaker and refuses more."),
]


def explained(name: str) -> str:
    return next((why for part, why in SURVIVORS if part in name), "")
