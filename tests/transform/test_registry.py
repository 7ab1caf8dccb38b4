"""The registry names every transformation once, under the name of its step."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest

import optigpu as og
import optigpu.transform
from optigpu.cli import main
from optigpu.syntax.diagnostic import InputError
from optigpu.transform.registry import GROUPS, GroupAttribute, TransformSession, transformations_of
from optigpu.transform.step_names import SYNONYMS
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


@pytest.mark.parametrize(
    ("call", "column", "help_"),
    [
        ('s.loop.interchange("i", "j")', 8, "did you mean s.loop.reorder or s.loop.swap?"),
        ('s.loop.split("i", 4)', 8, "did you mean s.loop.tile?"),
        ('s.loop.unswitch("i")', 8, "did you mean s.loop.fast_path?"),
        ('s.gpu.vectorise("i")', 7, "did you mean s.gpu.vectorize or s.loop.simd?"),
        ('s.loop.stage("a")', 8, "did you mean s.matrix.stage?"),
        ('s.loop.tiel("i", 4)', 8, "did you mean s.loop.tile?"),
        ('s.tile("i", 4)', 3, "did you mean s.loop.tile?"),
        ('s.loops.tile("i", 4)', 3, "did you mean s.loop?"),
        ("s.arith.qqqq()", 9, "s.arith has simplify"),
        ("s.qqqq()", 3, "groups of steps: s.loop, s.variable,"),
    ],
)
def test_unknown_steps_name_those_that_are_meant(
    call: str, column: int, help_: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "x.py"
    script.write_text(f'import optigpu as og\ns = og.Script(r"{ROOT / "examples" / "copy.c"}")\n{call}\n')
    assert main(["run", str(script), "--trace", str(tmp_path / "trace.html")]) == 2
    err = capsys.readouterr().err
    assert f"x.py:3:{column}: error[OG601]: " in err and f"  help: {help_}" in err


def test_synonyms_are_of_steps_that_exist_and_name_none_of_their_group() -> None:
    steps = {f"{group.name}.{name}" for group in GROUPS for name in transformations_of(group)}
    for name, meant in SYNONYMS.items():
        assert set(meant) <= steps, name
        assert not {f"{m.split('.')[0]}.{name}" for m in meant} & steps - set(meant), name


def test_one_text_for_a_list_is_told_with_the_list() -> None:
    s = og.Script(ROOT / "examples" / "copy.c")
    with pytest.raises(InputError) as error:
        s.gpu.launch(grid="i", block=["j"])
    assert error.value.diagnostic.code == "OG604" and error.value.diagnostic.help == 'grid=["i"]'
