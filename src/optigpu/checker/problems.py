"""From a rejected rule to a problem: which code, which place, which data."""

from __future__ import annotations

from optigpu.checker.elaborate import Elaborated
from optigpu.checker.execute import Failed
from optigpu.checker.verdict import Problem
from optigpu.syntax.source import NOWHERE, Loc

# (rule, why) -> code; a rule alone where it does not matter why.
CODES: dict[tuple[str, str], str] = {
    ("begin", "twice"): "OG323",
    ("begin", "outside"): "OG332",
    ("load", "permission"): "OG302",
    ("load", "init"): "OG304",
    ("store", "permission"): "OG302",
    ("store", "read-only"): "OG303",
    ("loop", "read-only"): "OG303",
    ("loop", "permission"): "OG302",
    ("loop", "overlap"): "OG326",
    ("loop", "parallel"): "OG324",
    ("loop", "step"): "OG325",
    ("loop", "init"): "OG318",
    ("loop", "value"): "OG318",
    ("loop", "invariant"): "OG318",
    ("leave", "init"): "OG318",
    ("leave", "value"): "OG318",
    ("leave", "invariant"): "OG318",
    ("leave", "leak"): "OG308",
    ("leave", "permission"): "OG308",
    ("leak", "leak"): "OG308",
    ("post", "value"): "OG305",
    ("post", "init"): "OG306",
    ("post", "permission"): "OG306",
    ("post", "overlap"): "OG323",
    ("ensures", "fact"): "OG307",
    ("free", "not allocated"): "OG309",
    ("free", "permission"): "OG309",
    ("oblige", "division"): "OG310",
    ("oblige", "exact_div"): "OG311",
    ("oblige", "shift"): "OG312",
    ("oblige", "bits"): "OG312",
    ("oblige", "conversion"): "OG313",
    ("allocate", "size"): "OG314",
    ("call", "fact"): "OG315",
    ("call", "permission"): "OG316",
    ("call", "overlap"): "OG316",
    ("call", "value"): "OG316",
    ("call", "init"): "OG316",
    ("call", "sizes"): "OG317",
    ("call", "shape"): "OG317",
    ("call", "variable"): "OG331",
    ("infer", "geometric"): "OG319",
    ("infer", "variables"): "OG319",
    ("infer", "index"): "OG319",
    ("infer", "no memory"): "OG302",
    ("infer", "freed"): "OG309",
    ("join", "branches"): "OG320",
    ("assert", "fact"): "OG321",
    ("ghost", "fact"): "OG322",
    ("ghost", "value"): "OG322",
    ("ghost", "init"): "OG322",
    ("ghost", "permission"): "OG322",
    ("ghost", "overlap"): "OG322",
}
OTHER = "OG399"


def problem_of(failure: Failed, elaborated: Elaborated) -> Problem:
    r = failure.rejected
    code = CODES.get((r.rule, r.why), OTHER)
    data = {"rule": r.rule, "why": r.why, "facts": r.facts, "goal": r.goal, "function": failure.function, **r.data}
    statement = elaborated.statements[failure.at] if failure.clause is None else 0
    return Problem(code, _place(failure, elaborated), data, statement=statement)


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
