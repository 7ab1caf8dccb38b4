"""Runs the command line in its own process, with the environment of a user."""

from __future__ import annotations

import os
import signal
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
    """Run `optigpu` with these arguments in its own process."""
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
    """The environment of a user: output is buffered."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return {**variables, "PYTHONPATH": str(ROOT / "src"), "OPTIGPU_CACHE": str(cache or cwd / "cache")}


def heed_interrupts() -> None:
    """In a new process: what is started in the background inherits that they are ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def without_stack_trace(err: str) -> None:
    assert "Traceback" not in err and 'File "' not in err, err
    assert "internal error" not in err, err


# The cache


def intact(cache: Path) -> bool:
    database = sqlite3.connect(cache / "answers.sqlite")
    try:
        return bool(database.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
    finally:
        database.close()
