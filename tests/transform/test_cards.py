"""Every transformation has a card, and its example does what it shows."""

from __future__ import annotations

import pytest
from tools.reference import reference

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.script.handles import Handle, IfBranch, Place
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
    returned = eval(
        card.step,
        {"s": s, **{n: getattr(og, n) for n in ("For", "Write", "Read", "Decl", "Call", "If")}},
    )
    assert print_function(s.program.function("f")).splitlines() == body_of(card.after)
    assert part or s.result.verified
    assert bool(card.returns) == (returned is not None), "a card says what is returned"
    for name, value in named_results(returned).items():
        assert f"`{name}`" in card.returns, "a card names what is returned"
        for made in value if isinstance(value, tuple) else (value,):
            assert made is None or (made.body if isinstance(made, IfBranch) else made.statement())


def named_results(returned: object) -> dict[str, Place | tuple[Handle, ...] | None]:
    """The attributes that the result of a step has, and handles in general do not."""
    if not isinstance(returned, Handle) or type(returned) is Handle:
        return {}
    own = {name for name in dir(returned) if not name.startswith("_")} - set(dir(Handle)) | set(vars(type(returned)))
    return {name: getattr(returned, name) for name in sorted(own) if not name.startswith("_")}


def test_reference_is_up_to_date() -> None:
    written = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    assert written == reference(), "python tools/reference.py writes it"
    assert 'tail: str = "divides", all: bool = False)' in written
