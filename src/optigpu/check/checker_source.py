"""The source of the checker: what verdicts of earlier runs depend on besides the program.

A verdict belongs to the files that were loaded. A file that was changed since then, or just before, is not known to be the one that
runs: then there is no hash, and nothing is remembered. Times of files can be late by a tick of the system's clock: `JUST_BEFORE`.
They do not tell that a folder or a link above was replaced, so the folders are compared themselves; and they tell nothing if the
clock was set since. A file from the future costs time alone: what is not remembered is proved.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from optigpu.check.trusted import ROOT, TRUSTED, files_of, tables_of
from optigpu.loaded import LOADED_AT, LOADED_FOLDERS, STEADY_AT, clocks, folders_below

CHECKER = (*TRUSTED, "search", "errors")  # folders and files whose code decides verdicts
JUST_BEFORE = 100_000_000  # nanoseconds


@cache
def checker_hash() -> str | None:
    """A hash of the source files of the checker; None if they may not be what this process has loaded."""
    digest = source_hash(ROOT)
    return digest if is_as_loaded() else None  # after the hash: so they were not changed while they were read


def source_hash(root: Path) -> str:
    digest = hashlib.sha256()
    for path in checker_files():
        content = (root / path).read_bytes()
        digest.update(f"{path} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def is_as_loaded() -> bool:
    """Is each file the one that was there when this process started?"""
    return (
        _clock_is_steady()
        and folders_below(str(ROOT)) == LOADED_FOLDERS
        and all(_is_old(ROOT / p) for p in checker_files())
    )


def _clock_is_steady() -> bool:
    """Has the clock that times of files are read from run as the other one since this process started?"""
    now, steady = clocks()
    return abs((now - LOADED_AT) - (steady - STEADY_AT)) < JUST_BEFORE // 2


@cache
def checker_files() -> tuple[Path, ...]:
    """The files, relative to the package."""
    return tuple(path for part in CHECKER for path in (*files_of(part), *tables_of(part)))


def _is_old(file: Path) -> bool:
    """Was the file last changed before this process started? `st_ctime` is also that of a renaming or of setting other times."""
    try:
        times = [t for about in (file.stat(), file.lstat()) for t in (about.st_mtime_ns, about.st_ctime_ns)]
    except OSError:
        return False
    return max(times) < LOADED_AT - JUST_BEFORE
