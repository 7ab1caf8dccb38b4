"""A disk cache keyed by content. Entries are written whole or not at all, so two processes can share it."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from optigpu.runtime.errors import BuildError


def cache_folder() -> Path:
    """$OPTIGPU_CACHE, or the user's cache folder. Never one that others can write to: what is in it is believed."""
    if chosen := os.environ.get("OPTIGPU_CACHE"):
        return Path(chosen)
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        raise BuildError("there is no home folder to keep compiled code in: set OPTIGPU_CACHE") from None
    return Path(base) / "optigpu"


def answers_folder() -> Path | None:
    """Where the solver's answers are kept; none if there is no place for them."""
    try:
        return cache_folder()
    except BuildError:
        return None


def content_key(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part.encode())
    return digest.hexdigest()[:32]


def cached_file(key: str, suffix: str, make: Callable[[Path], None]) -> Path:
    """The file of this key; `make` writes it to the path it is given if it is not there yet."""
    folder = cache_folder()
    path = folder / (key + suffix)
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="new-") as work:
        fresh = Path(work) / path.name
        make(fresh)
        os.replace(fresh, path)
    return path
