"""From a rejected rule to a problem: its place in the program, and its data. The error catalogue has the code."""

from __future__ import annotations

from optigpu.elaborate.elaborated import Elaborated
from optigpu.errors.catalogue import code_of
from optigpu.errors.problem import FunctionInputs, Problem
from optigpu.logic.terms import var
from optigpu.search.failure import Failed
from optigpu.search.search_causes import DataRace, RaceKind
from optigpu.syntax.source import NOWHERE, Loc


def problem_of(failure: Failed, elaborated: Elaborated) -> Problem:
    cause, labels, sync_line = failure.cause, tuple[tuple[Loc, str], ...](), 0
    if isinstance(cause, DataRace):
        if cause.barrier is not None and cause.barrier.before:
            sync_line = elaborated.places[cause.barrier.before].line
        if cause.earlier is not None:
            done = "read" if cause.kind is RaceKind.AFTER_READ else "written"
            labels = ((elaborated.places[cause.earlier], f"{done} here, by another thread"),)
    return Problem(
        code_of(cause),
        _place(failure, elaborated),
        cause,
        labels,
        function=failure.function,
        statement=elaborated.statements[failure.at] if failure.clause is None else 0,
        levels=failure.levels,
        sync_line=sync_line,
        inputs=_inputs(failure.function, elaborated),
    )


def _inputs(function: str, elaborated: Elaborated) -> FunctionInputs:
    f = elaborated.program.functions.get(function)
    if f is None:
        return FunctionInputs()
    numbers = [var(p.name, p.sort) for p in f.params if p.dims is None]
    arrays = tuple((p.name, p.dims) for p in f.params if p.dims is not None)
    claimed = frozenset(c.cells.base for c in f.contract.pre)
    return FunctionInputs(frozenset((*numbers, *f.contract.variables)), arrays, claimed)


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
