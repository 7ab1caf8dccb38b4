"""Axioms, admitted functions and definitions: a verdict lists every assumption that it depends on, as the program has it now."""

from __future__ import annotations

from optigpu.frontend import parse_text
from tests.support.verdicts import VERIFIED, unbounded_verifier, verdict_of


def test_assumptions_are_told() -> None:
    """An axiom or an admitted function may prove anything, and the verdict says so."""
    text = 'int g(int n) {\n  __ensures("_Res > n && _Res < n");\n  __admitted();\n  return n;\n}\n'
    text += 'int f(int n) {\n  __ensures("_Res == 0");\n  const int x = g(n);\n  return x;\n}\n'
    result = unbounded_verifier().verify(parse_text(text))
    assert result.verified and result.admitted == ["g"]
    axiom = '__DECL(g, "int -> int");\n__AXIOM(next, "forall (n: int) -> g(n) == n + 1");\n'
    axiom += 'int f(int n) {\n  __ensures("_Res == g(n)");\n  return n + 1;\n}\n'
    verifier = unbounded_verifier()
    result = verifier.verify(parse_text(axiom))
    assert result.verified and result.axioms == ["next"]
    assert verdict_of(axiom.replace('n + 1")', 'n + 2")'), verifier=verifier) == "OG307 4:14"


def test_definitions_count_for_what_they_say_now() -> None:
    """A verifier that has seen another definition of the same name."""
    text = (
        '__DEF(twice, "fun (x: int) -> 2 * x");\nint f(int n) {\n  __ensures("_Res == twice(n)");\n  return 2 * n;\n}\n'
    )
    verifier = unbounded_verifier()
    assert verdict_of(text, verifier=verifier) == VERIFIED
    assert verdict_of(text.replace("-> 2 * x", "-> 3 * x"), verifier=verifier) == "OG307 3:14"
    callee = (
        text.replace("f(int n)", "g(int n)")
        + 'int f(int n) {\n  __ensures("_Res == 2 * n");\n  const int x = g(n);\n  return x;\n}\n'
    )
    assert verdict_of(callee, verifier=verifier) == VERIFIED
    assert verdict_of(callee.replace("return 2 * n", "return 3 * n"), verifier=verifier) == "OG330 8:17"
