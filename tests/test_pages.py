"""The rendered pages of the API and of the schedules are up to date, and complete."""

from __future__ import annotations

import inspect

from tools.api_page import TARGET, api_page
from tools.reference import SCHEDULES, schedules_page

import optigpu as og
from optigpu import schedules
from optigpu.transform.cards import card_of


def test_the_page_of_the_api_is_up_to_date() -> None:
    written = TARGET.read_text(encoding="utf-8")
    assert written == api_page(), "python tools/api_page.py writes it"
    assert 'integers: str = "machine"' in written


def test_the_page_of_the_api_has_every_public_name() -> None:
    written = TARGET.read_text(encoding="utf-8")
    assert not [name for name in og.__all__ if f"### og.{name}\n" not in written]
    assert "\n\n\n" not in written, "something has no docstring"


def test_the_page_of_schedules_is_up_to_date() -> None:
    written = SCHEDULES.read_text(encoding="utf-8")
    assert written == schedules_page(), "python tools/reference.py writes it"
    assert not [name for name in schedules.__all__ if f"## {name}\n" not in written and name.islower()]


def test_a_card_of_a_schedule_is_whole() -> None:
    found = [card_of(name, f) for name in schedules.__all__ if inspect.isfunction(f := getattr(schedules, name))]
    assert all(card.what for card in found)
    for card in (x for x in found if x.step):
        assert card.before and card.after and card.needs and card.fails, card.name
        assert card.step.startswith(f"schedules.{card.name}(s"), card.name
