"""A verdict is not remembered under the hash of a checker that is not the one that ran, however its files came to be there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from optigpu.check import checker_source
from optigpu.check.trusted import ROOT
from optigpu.loaded import LOADED_AT, folders_below

CODE = """
import os, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from optigpu import loaded
from optigpu.check import checker_source
checker_source.clocks = lambda: (loaded.LOADED_AT, loaded.STEADY_AT)
for here, there in zip(sys.argv[2::2], sys.argv[3::2]):
    os.replace(here, there)
print(checker_source.checker_hash())
"""


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two checkers, `one` and `two`, of which the second has another law; `current` is a link to the first."""
    for name in ("one", "two"):
        shutil.copytree(ROOT, tmp_path / name / "optigpu", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "two/optigpu/logic/facts.py").open("a", encoding="utf-8") as f:
        f.write("# another law\n")
    (tmp_path / "current").symlink_to("one")
    (tmp_path / "next").symlink_to("two")
    time.sleep(2 * checker_source.JUST_BEFORE / 1e9)
    return tmp_path


def hash_in(folder: Path, package: str, *moves: str) -> str:
    run = [sys.executable, "-c", CODE, str(folder / package), *moves]
    return subprocess.run(run, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def test_each_checker_has_its_own_hash(two: Path) -> None:
    hashes = [hash_in(two, name) for name in ("one", "two")]
    assert "None" not in hashes and hashes[0] != hashes[1]


@pytest.mark.parametrize(
    ("package", "moves"),
    [
        ("current", ("next", "current")),
        ("one", ("one/optigpu/logic", "away", "two/optigpu/logic", "one/optigpu/logic")),
        ("one", ("one", "away", "two", "one")),
    ],
)
def test_a_checker_that_was_replaced_has_no_hash(two: Path, package: str, moves: tuple[str, ...]) -> None:
    assert hash_in(two, package, *moves) == "None"


def test_a_clock_that_was_set_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker_source, "LOADED_AT", LOADED_AT + 10_000_000_000)  # before it was set back by 10 s
    monkeypatch.setattr(checker_source, "ROOT", tmp_path)
    (tmp_path / "facts.py").write_text("changed while the process runs", encoding="utf-8")
    monkeypatch.setattr(checker_source, "checker_files", lambda: (Path("facts.py"),))
    monkeypatch.setattr(checker_source, "LOADED_FOLDERS", folders_below(str(tmp_path)))
    assert not checker_source.is_as_loaded()
