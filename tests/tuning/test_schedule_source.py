"""What the hash of a schedule depends on: its code and what it uses of the user's, and nothing else."""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import Any

import pytest

from optigpu.frontend import parse_text
from optigpu.schedules import elements, elementwise
from optigpu.tuning.schedule_source import program_key, schedule_key

TEXT = """
import os
from optigpu.schedules import elements
WIDTH = 64
def helper(s, i):
    elements(s, i)
def schedule(s, threads=128):
    helper(s, "i")
    return [os.sep for _ in range(WIDTH)]
def unrelated():
    return 1
"""


def key_of(folder: Path, text: str, name: str = "schedule") -> str:
    path = folder / f"schedules{len(list(folder.iterdir()))}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return schedule_key(getattr(module, name))


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("import os", "# a comment\nimport os", True),
        ('    helper(s, "i")', "    # a comment\n\n    helper( s,  'i' )", True),
        ("return 1", "return 2", True),
        ("threads=128", "threads=64", False),
        ('"i"', '"j"', False),
        ("elements(s, i)", "elements(s, i, threads=1)", False),
        ("WIDTH = 64", "WIDTH = 65", False),
        ("range(WIDTH)", "range(2 * WIDTH)", False),
    ],
)
def test_a_schedule_is_its_code_and_what_it_uses(tmp_path: Path, old: str, new: str, same: bool) -> None:
    assert old in TEXT
    assert (key_of(tmp_path, TEXT) == key_of(tmp_path, TEXT.replace(old, new))) is same


def test_schedules_of_the_package_partial_ones_and_closures() -> None:
    def with_value(value: object) -> Any:
        return lambda s: elements(s, str(value))

    def recursive(s: object, n: int = 0) -> None:
        recursive(s, n)

    assert schedule_key(elements) == schedule_key(elements) != schedule_key(elementwise)
    keys = [functools.partial(elements, threads=t) for t in (1, 2)]
    assert len({schedule_key(k) for k in (*keys, elements)}) == 3
    assert schedule_key(with_value(1)) == schedule_key(with_value(1)) != schedule_key(with_value(2))
    assert schedule_key(recursive)


def test_a_program_is_its_text_and_what_is_assumed() -> None:
    text = "void f(int n) { int k = n; }"
    key = program_key(parse_text(text, "f.c"), None, False)
    assert key == program_key(parse_text("// x\n" + text.replace(";", " ;"), "g.c"), None, False)
    assert key != program_key(parse_text(text.replace("k", "l"), "f.c"), None, False)
    assert key != program_key(parse_text(text, "f.c"), "f", False)
    assert key != program_key(parse_text(text, "f.c"), None, True)
