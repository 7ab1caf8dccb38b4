"""Shared set-up: compiled code goes to a cache of the test run."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from optigpu import loaded
from optigpu.check import checker_source

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.c"))
GPU_EXAMPLES = sorted((ROOT / "examples" / "gpu").glob("*.c"))
GPU_PROGRAMS = sorted((ROOT / "tests" / "programs" / "gpu").glob("*.c"))

sys.setrecursionlimit(10_000)
# The same examples in every run, however long they take: a test that fails here fails everywhere. `make fuzz` looks further.
settings.register_profile(
    "same", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write what is printed now as what is expected")


def pytest_collection_finish() -> None:
    """Collect cyclic garbage rarely: modules and test items live as long as the worker, and terms have no cycles."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 50)


@pytest.fixture(scope="session", autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One cache for all workers of a run: verdicts, answers and compiled code of one test help the others. A test of what is
    cached has a folder of its own."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    os.environ["OPTIGPU_CACHE"] = str(folder / "cache")


@pytest.fixture(scope="session", autouse=True)
def _steady_clock() -> None:
    """No test depends on a clock: one that is set while the tests run would let nothing be remembered any more."""
    checker_source.clocks = lambda: (loaded.LOADED_AT, loaded.STEADY_AT)


@pytest.fixture
def golden(request: pytest.FixtureRequest):
    """Compare text with a file, or write the file when asked to."""

    def check(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), (
            f"{path.name} differs (pytest --update-golden accepts the change)"
        )

    return check
