"""From a rejected rule to a problem: its place in the program, and its data. The error catalogue has the code."""

from __future__ import annotations

from optigpu.check.problem import Problem
from optigpu.elaborate.elaborated import Elaborated
from optigpu.errors.catalogue import code_of
from optigpu.search.failure import Failed
from optigpu.syntax.source import NOWHERE, Loc


def problem_of(failure: Failed, elaborated: Elaborated) -> Problem:
    r = failure.rejected
    code = code_of(r)
    data = {"rule": r.rule, "why": r.why, "facts": r.facts, "goal": r.goal, "function": failure.function, **r.data}
    labels: tuple[tuple[Loc, str], ...] = ()
    if data.get("sync_before"):
        data["sync_line"] = elaborated.places[data["sync_before"]].line
    if "before" in r.data:
        at, what = r.data["before"]
        labels = ((elaborated.places[at], f"{what} here, by another thread"),)
    statement = elaborated.statements[failure.at] if failure.clause is None else 0
    return Problem(code, _place(failure, elaborated), data, labels, statement=statement)


def _place(failure: Failed, elaborated: Elaborated) -> Loc:
    clauses = elaborated.clauses.get(failure.function)
    if failure.clause is not None and clauses is not None:
        kind, number = failure.clause
        places = {"pre": clauses.pre, "post": clauses.post, "ensures": clauses.ensures}[kind]
        if number < len(places):
            return places[number]
    loc = elaborated.places[failure.at] if failure.at < len(elaborated.places) else NOWHERE
    if loc is NOWHERE and clauses is not None:
        for places in (clauses.post, clauses.ensures, clauses.pre):
            if places:
                return places[0]
    return loc
