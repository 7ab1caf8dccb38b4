"""A right program verifies, its loop contracts check when they are written out, and each wrong twin is rejected at its place."""

from __future__ import annotations

from optigpu.check.verdict import ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.refute import refute
from optigpu.report.verdict_text import render_function
from optigpu.search.inferred_contracts import annotated
from optigpu.syntax.printer import print_program
from tests.support.pairs import Pair, Wrong


def explain(result: ProgramResult) -> str:
    return "\n".join(render_function(f) for f in result.functions)


def assert_verifies(pair: Pair) -> None:
    program = parse_text(pair.good, f"{pair.name}.c")
    result = Verifier().verify(program)
    assert result.verified, explain(result)
    loops = {mark: shown for f in result.functions for mark, shown in f.loops.items()}
    text = print_program(annotated(program, loops))
    again = Verifier().verify(parse_text(text, f"{pair.name}-annotated.c"))
    assert again.verified, text + explain(again)


def assert_rejected(pair: Pair, wrong: Wrong) -> None:
    assert pair.good.count(wrong.old) == 1, wrong.old
    text = pair.good.replace(wrong.old, wrong.new)
    result = Verifier(Settings(refuter=refute)).verify(parse_text(text, f"{pair.name}.c"))
    bad = [f for f in result.functions if f.verdict is not Verdict.VERIFIED]
    assert bad, f"verified, with {wrong.new!r} for {wrong.old!r}"
    problem = bad[0].problem
    assert problem is not None
    line = text.split("\n")[problem.loc.line - 1] if problem.loc.line else ""
    found = (bad[0].verdict.value, problem.code, wrong.place in line)
    assert found == (wrong.verdict, wrong.code, True), f"{found} at {line!r}\n{explain(result)}"


def twins(pairs: list[Pair]) -> list[tuple[str, Pair, Wrong]]:
    """For parametrize: a name for each wrong twin, its pair, and what is wrong."""
    return [(f"{p.name}-{n}", p, w) for p in pairs for n, w in enumerate(p.wrong, 1)]
