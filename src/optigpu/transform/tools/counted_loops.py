"""Loops as a number of iterations: how many there are, and the index of each."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.program import Clause, For, ordered_hints
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import map_clauses
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import collect_terms, div, lit, minus, plus, times, value_of


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop as `count` iterations; iteration k has the index `value(k)`."""

    count: Expr
    value: Callable[[Expr], Expr]


def counted(loop: For) -> Counted:
    r = loop.range
    step = value_of(r.amount)
    if r.op not in "+-" or step is None or step <= 0:
        raise refuse(f"the loop over `{loop.index}` does not count by a constant", loop)
    up = r.op == "+"
    if up != (r.relation in ("<", "<=")):
        raise refuse(f"the loop over `{loop.index}` counts away from its bound", loop)
    span = minus(r.bound, r.start) if up else minus(r.start, r.bound)
    if r.relation in ("<=", ">="):
        span = plus(span, lit(1))
    if value_of(collect_terms(span)) is not None:
        span = collect_terms(span)
    count = span if step == 1 else div(plus(span, lit(step - 1)), lit(step))
    start = r.start

    def value(k: Expr) -> Expr:
        distance = times(lit(step), k)
        return plus(start, distance) if up else minus(start, distance)

    return Counted(count, value)


def is_plain(loop: For) -> bool:
    """Is this `for (i = 0; i < n; i++)`?"""
    r = loop.range
    return value_of(r.start) == 0 and counts_up_by_one(loop)


def counts_up_by_one(loop: For) -> bool:
    """Is this `for (i = …; i < n; i++)`?"""
    return (loop.range.relation, loop.range.op, value_of(loop.range.amount)) == ("<", "+", 1)


def iteration_number(loop: For) -> Expr:
    """The number of the current iteration, from 0, in terms of the index."""
    r = loop.range
    if is_plain(loop):
        return Var(loop.index)
    if r.op == "+" and r.relation == "<" and counted(loop).count == minus(r.bound, r.start):
        return minus(Var(loop.index), r.start)
    raise refuse(f"let the loop over `{loop.index}` start at 0 and count up by one", loop, "s.loop.shift_range")


def hinted(loop: For, stem: str, hint: str) -> For:
    """The loop with a hint, which replaces a hint with the same stem."""
    return replace(loop, hints=ordered_hints((*(h for h in loop.hints if not h.startswith(stem)), hint)))


def substituted_contract(loop: For, value: Expr) -> tuple[Clause, ...]:
    """The loop's contract with a value for its index."""
    return map_clauses(loop.contract, lambda e: substitute(e, {loop.index: value}))
