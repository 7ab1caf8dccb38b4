"""From a rejected rule to a problem: which code, which place, which data."""

from __future__ import annotations

from optigpu.check.verdict import Problem
from optigpu.elaborate.functions import Elaborated
from optigpu.kernel.context import HOST, THREADS
from optigpu.kernel.state import Rejected
from optigpu.search.execute import Failed
from optigpu.search.races import RACES
from optigpu.syntax.source import NOWHERE, Loc

# (rule, why) -> code; a rule alone where it does not matter why.
CODES: dict[tuple[str, str], str] = {
    ("begin", "twice"): "OG323",
    ("begin", "outside"): "OG332",
    ("load", "permission"): "OG302",
    ("load", "init"): "OG304",
    ("store", "permission"): "OG302",
    ("store", "read-only"): "OG303",
    ("store", "overflow"): "OG336",
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
    ("oblige", "domain"): "OG333",
    ("oblige", "empty"): "OG334",
    ("oblige", "pointer"): "OG335",
    ("oblige", "exact_div"): "OG311",
    ("oblige", "undefined division"): "OG361",
    ("oblige", "undefined domain"): "OG361",
    ("oblige", "undefined exact_div"): "OG361",
    ("oblige", "undefined bits"): "OG361",
    ("oblige", "undefined empty"): "OG361",
    ("oblige", "undefined model"): "OG361",
    ("oblige", "shift"): "OG312",
    ("oblige", "bits"): "OG312",
    ("oblige", "conversion"): "OG313",
    ("oblige", "overflow"): "OG336",
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
# Rules about threads.
CODES |= {
    ("store", "level"): "OG346",
    ("shuffle", "level"): "OG345",
    ("shuffle", "context"): "OG345",
    ("shuffle", "warp"): "OG345",
    ("shuffle", "space"): "OG348",
    ("shuffle", "owner"): "OG344",
    ("shuffle", "permission"): "OG302",
    ("shuffle", "amount"): "OG354",
    ("shuffle", "init"): "OG304",
    ("oblige", "aligned"): "OG353",
    ("allocate", "level"): "OG346",
    ("call", "level"): "OG346",
    ("call", "context"): "OG346",
    ("barrier", "level"): "OG345",
    ("barrier", "context"): "OG345",
    ("barrier", "warp"): "OG345",
    ("loop", "extent"): "OG347",
    ("loop", "context"): "OG350",
    ("load", "space"): "OG348",
    ("store", "space"): "OG348",
    ("call", "space"): "OG348",
    ("begin", "space"): "OG348",
    ("launch", "limit"): "OG349",
    ("allocate", "shared"): "OG349",
    ("launch", "context"): "OG350",
    ("launch", "level"): "OG350",
    ("allocate", "context"): "OG350",
    ("free", "context"): "OG350",
    ("join", "context"): "OG350",
    ("leave", "context"): "OG350",
    ("launch", "left"): "OG351",
    ("leave", "shared"): "OG352",
    ("allocate", "busy"): "OG352",
    ("oblige", "free sizes"): "OG351",
}
OTHER = "OG399"


def code_of(r: Rejected) -> str:
    """Races: within one loop, a barrier missing after a write or a read, other blocks, memory that is not shared at all."""
    if r.why in RACES and "scope" in r.data:
        if r.data.get("space") == "TReg" or (r.data.get("space") == "SMem" and r.data["scope"] == "grid"):
            return "OG344"
        if r.why == "race":
            return "OG340"
        if r.data["scope"] == "grid":
            return "OG343"
        return "OG342" if r.why == "read" else "OG341"
    if (r.rule, r.why) == ("call", "context") and r.data["context"].kind not in (HOST, THREADS):
        return "OG350"
    return CODES.get((r.rule, r.why), OTHER)


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
