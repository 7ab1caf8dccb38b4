"""The command line in a process of its own, as a user has it."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tests.conftest import ROOT

COPY, SUM = ROOT / "examples" / "copy.c", ROOT / "examples" / "sum.c"
HANGS = 600  # seconds after which a process is taken to hang, however loaded the machine is


def optigpu(
    *args: str | Path,
    cwd: Path,
    cache: Path | None = None,
    limit: Callable[[], None] | None = None,
    env: dict[str, str] | None = None,
    stdout: int = subprocess.PIPE,
) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "optigpu", *map(str, args)],
        cwd=cwd,
        env={**environment(cwd, cache), **(env or {})},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
        timeout=HANGS,
        check=False,
    )


def environment(cwd: Path, cache: Path | None = None) -> dict[str, str]:
    """As a user has it: output is buffered."""
    given = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**given, "PYTHONPATH": str(ROOT / "src"), "OPTIGPU_CACHE": str(cache or cwd / "cache")}


def without_stack_trace(err: str) -> None:
    assert "Traceback" not in err and 'File "' not in err, err
    assert "internal error" not in err, err


# The cache


def intact(cache: Path) -> bool:
    database = sqlite3.connect(cache / "obligations.sqlite")
    try:
        return bool(database.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
    finally:
        database.close()
