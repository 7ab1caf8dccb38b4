"""Quotients that facts make equal though their dividends differ: (x + 1) div 2 is x div 2 where x is even.

Two buffers that take turns hold what iteration 2 * (x div 2) wrote: when one is filled, the other one keeps what it has. The
solver is asked about the quotients by themselves, not inside of the terms that are made of them.
"""

from __future__ import annotations

from optigpu.logic import terms as k
from optigpu.logic.equality import Replace
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term
from optigpu.search.search_tools import SearchTools


def equal_quotient(tools: SearchTools, facts: Facts, a: Term, b: Term) -> Replace | None:
    """Replace a quotient that one side alone has by an equal one of the other side: by the same number, of a dividend that
    differs by less."""
    in_a, in_b = (_quotients(t) for t in (a, b))
    only_a, only_b = ([q for q in own if q not in other] for own, other in ((in_a, in_b), (in_b, in_a)))
    for p, q in ((p, q) for p in only_a for q in only_b if _are_close(p, q)):
        if tools.proves(facts, k.eq(p, q)):
            return Replace(p, q)
    return None


def _quotients(t: Term) -> list[Term]:
    """List the closed quotients by numbers, inner ones first: those of equal parts become equal by themselves."""
    closed = [q for q in k.subterms_with(t, "fdiv") if q.level == 0 and k.is_num(q.args[1])]
    return sorted(closed, key=lambda q: len(k.subterms_with(q, "fdiv")))


def _are_close(p: Term, q: Term) -> bool:
    """Are these quotients by the same number that are equal for some remainders?"""
    apart = k.sub(p.args[0], q.args[0])
    return p.args[1] is q.args[1] and k.is_num(apart) and abs(apart.data) < p.args[1].data
