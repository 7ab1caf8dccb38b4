"""The source of the checker: what verdicts of earlier runs depend on besides the program.

A verdict belongs to the files that were loaded. A file that was changed since then, or just before, is not known to be the one that
runs: then there is no hash, and nothing is remembered. Times of files can be late by a tick of the system's clock: `JUST_BEFORE`.
A clock that runs backwards, or a file from the future, costs time alone: what is not remembered is proved.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from optigpu.check.trusted import ROOT, TRUSTED, files_of, tables_of
from optigpu.version import LOADED_AT

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
    return all(_is_old(ROOT / path) for path in checker_files())


@cache
def checker_files() -> tuple[Path, ...]:
    """The files, relative to the package."""
    return tuple(path for part in CHECKER for path in (*files_of(part), *tables_of(part)))


def _is_old(file: Path) -> bool:
    """Was the file last changed before this process started? `st_ctime` is also that of a renaming or of setting other times."""
    try:
        about = file.stat()
    except OSError:
        return False
    return max(about.st_mtime_ns, about.st_ctime_ns) < LOADED_AT - JUST_BEFORE
