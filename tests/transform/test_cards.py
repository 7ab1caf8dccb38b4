"""Every transformation has a card, and its example does what it shows."""

from __future__ import annotations

import pytest
from tools.reference import reference

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.syntax.printer import print_function
from optigpu.transform.cards import Card, cards
from tests.conftest import ROOT
from tests.support.card_context import CONTEXT, AcceptingVerifier


def body_of(text: str) -> list[str]:
    """The statements of `f`, as printed."""
    f = parse_text(CONTEXT.format(body=text)).function("f")
    return print_function(f).splitlines()


@pytest.mark.parametrize("card", cards(), ids=lambda c: c.name)
def test_example_of_card(card: Card) -> None:
    assert card.what and card.needs and card.fails, "a card says what, what it needs and how it fails"
    part = card.name.startswith("gpu.") and card.name != "gpu.launch"  # of a kernel: shown without the rest
    program = parse_text(CONTEXT.format(body=card.before))
    s = og.Script(program, function="f", verifier=AcceptingVerifier() if part else None)
    eval(
        card.step,
        {"s": s, **{n: getattr(og, n) for n in ("For", "Write", "Read", "Decl", "Call", "If")}},
    )
    assert print_function(s.program.function("f")).splitlines() == body_of(card.after)
    assert part or s.result.verified


def test_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert written == reference(), "python tools/reference.py writes it"
    assert 'tail: str = "divides", all: bool = False)' in written
