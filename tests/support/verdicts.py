"""The checker's verdict on a short program as a string that tests compare."""

from __future__ import annotations

from optigpu.check.verdict import Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError

VERIFIED = "VERIFIED"


def verdict_of(text: str, *, verifier: Verifier | None = None) -> str:
    """`VERIFIED`, or the code and the place (line:column) of the input error or of the first problem of the last function."""
    try:
        program = parse_text(text, "test.c")
    except InputError as e:
        return f"{e.diagnostic.code} {e.diagnostic.loc.line}:{e.diagnostic.loc.column}"
    result = (verifier or Verifier()).verify(program).functions[-1]
    if result.verdict is Verdict.VERIFIED:
        return VERIFIED
    assert result.problem is not None
    loc = result.problem.loc
    return f"{result.problem.code} {loc.line}:{loc.column}"


def unbounded_verifier() -> Verifier:
    """Integers are assumed to fit their types: whether they do is another matter (tests/elaborate/test_machine_integers.py)."""
    return Verifier(Settings(unbounded=True))
