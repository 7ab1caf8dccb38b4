"""The registry names every transformation once, under the name of its step."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import pytest

import optigpu as og
import optigpu.transform
from optigpu.transform.registry import GROUPS, GroupAttribute, TransformSession, transformations_of
from tests.conftest import ROOT


def test_groups_are_attributes_with_their_names() -> None:
    attributes = {n: a.group for n, a in vars(TransformSession).items() if isinstance(a, GroupAttribute)}
    assert {name: group.name for name, group in attributes.items()} == {group.name: group.name for group in GROUPS}


def test_transformations_have_the_names_of_their_steps() -> None:
    for group in GROUPS:
        for name, f in transformations_of(group).items():
            assert f.__name__ == name


def test_every_transformation_is_registered() -> None:
    registered = {f for group in GROUPS for f in transformations_of(group).values()}
    written = set()
    for module in pkgutil.walk_packages(optigpu.transform.__path__, "optigpu.transform."):
        for _, f in inspect.getmembers(importlib.import_module(module.name), inspect.isfunction):
            if hasattr(f, "__wrapped__") and "session" in inspect.signature(f).parameters:
                written.add(f)
    assert len(registered) > 60 and written == registered


def test_names_that_are_not_registered_are_attribute_errors() -> None:
    s = og.Script(ROOT / "examples" / "copy.c")
    with pytest.raises(AttributeError, match="lop"):
        s.lop  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="tiel"):
        s.loop.tiel  # type: ignore[attr-defined]  # noqa: B018
