"""What the checker says of each function of a short program, in a form that tests can compare."""

from __future__ import annotations

from optigpu.check.verdict import Verdict
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text

VERIFIED = "VERIFIED"


def verdict_of(text: str) -> str:
    """`VERIFIED`, or the code and the place (line:column) of the first problem of the last function."""
    result = Verifier().verify(parse_text(text, "test.c")).functions[-1]
    if result.verdict is Verdict.VERIFIED:
        return VERIFIED
    assert result.problem is not None
    loc = result.problem.loc
    return f"{result.problem.code} {loc.line}:{loc.column}"
