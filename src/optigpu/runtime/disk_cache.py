"""A disk cache keyed by content, shared by processes.

An entry is used only if its checksum matches, so a truncated one is made again. Entries are made in locked work folders; those of
killed processes are removed. If the cache is full, least recently used entries are removed.
"""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from optigpu.runtime.call_error import BuildError

WORK = "new-"  # prefix of work folders
LOCK = "lock"  # lock file of a work folder, held by its maker
SUM = ".sha256"
MAX_CACHE_BYTES = 2 << 30  # unless $OPTIGPU_CACHE_BYTES is set
IN_USE = 600.0  # seconds; an entry used this recently may not be loaded yet


class _NoFolder(BuildError):
    """No folder can hold the cache."""


def cache_folder() -> Path:
    """$OPTIGPU_CACHE, or the user's cache folder. Never one that others can write to: its contents are trusted."""
    if chosen := os.environ.get("OPTIGPU_CACHE"):
        return Path(chosen)
    try:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        raise _NoFolder("there is no home folder to keep compiled code in: set OPTIGPU_CACHE") from None
    return Path(base) / "optigpu"


def answers_folder() -> Path | None:
    """The folder of the solver's answers; None if there is none."""
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
    """The file of this key; if it is missing or damaged, `make` writes it to the given path.

    If the cache folder cannot be written, a temporary folder of this process is used, with one warning.
    """
    name = key + suffix
    try:
        return _cached_in(cache_folder(), name, make)
    except OSError as e:
        reason = f"the cache folder {e.filename or cache_folder()} cannot be used: {e.strerror or e}"
    except _NoFolder as e:
        reason = str(e)
    try:
        return _cached_in(_own_folder(reason), name, make)
    except OSError as e:
        raise BuildError(f"{reason}; nor can {e.filename or tempfile.gettempdir()}: {e.strerror or e}") from None


def _cached_in(folder: Path, name: str, make: Callable[[Path], None]) -> Path:
    path = folder / name
    if _is_whole(path):
        with suppress(OSError):
            os.utime(path)
        return path
    with _work_folder(folder) as work:
        fresh = work / name
        make(fresh)
        _keep(fresh, path)
    _limit(folder, path)
    return path


# Entries


def _is_whole(path: Path) -> bool:
    try:
        return _sum_of(path).read_text(encoding="ascii") == _checksum(path)
    except (OSError, ValueError):
        return False


def _keep(fresh: Path, path: Path) -> None:
    """Move the file first, then its checksum: a file without a matching checksum is made again."""
    fresh_sum = _sum_of(fresh)
    fresh_sum.write_text(_checksum(fresh), encoding="ascii")
    for new, old in ((fresh, path), (fresh_sum, _sum_of(path))):
        if old.is_dir():
            shutil.rmtree(old)
        os.replace(new, old)


def _sum_of(path: Path) -> Path:
    return path.with_name(path.name + SUM)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Folders to work in


@contextmanager
def _work_folder(folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    with _locked(folder) as locked:
        if locked:
            _sweep(folder)
        work = Path(tempfile.mkdtemp(dir=folder, prefix=WORK))
        held = os.open(work / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        with suppress(OSError):  # without locks in the file system, no maker counts as dead
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)
        os.close(held)


@contextmanager
def _locked(folder: Path) -> Iterator[bool]:
    """Hold the lock for making and removing work folders; yields whether it was acquired."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)


def _sweep(folder: Path) -> None:
    """Remove work folders of killed processes: their lock is not held, or was never made."""
    for work in folder.glob(f"{WORK}*"):
        try:
            descriptor = os.open(work / LOCK, os.O_RDWR)
        except FileNotFoundError:
            shutil.rmtree(work, ignore_errors=True)
            continue
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(work, ignore_errors=True)
        except OSError:
            continue
        finally:
            os.close(descriptor)


@cache
def _own_folder(reason: str) -> Path:
    """A temporary folder of this process, removed at exit."""
    folder, maker = Path(tempfile.mkdtemp(prefix="optigpu-")), os.getpid()

    def remove() -> None:
        if os.getpid() == maker:  # not in a forked child
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    message = (
        f"{reason}. Compiled code is kept in {folder} until this process ends (OPTIGPU_CACHE names another folder)"
    )
    warnings.warn(message, stacklevel=2)
    return folder


# Size limit


def _limit(folder: Path, new_entry: Path) -> None:
    """Remove least recently used entries; never recent ones, which may be about to be loaded."""
    most = _most_bytes()
    entries: list[tuple[float, int, Path]] = []
    for path in folder.glob(f"*{SUM}"):
        entry = path.with_name(path.name.removesuffix(SUM))
        with suppress(OSError):
            status = entry.stat()
            entries.append((status.st_mtime, status.st_size, entry))
    total, now = sum(size for _, size, _ in entries), time.time()
    for used, size, entry in sorted(entries):
        if total <= most or now - used < IN_USE:
            return
        if entry != new_entry:
            with suppress(OSError):
                entry.unlink()
                _sum_of(entry).unlink()
            total -= size


def _most_bytes() -> int:
    setting = os.environ.get("OPTIGPU_CACHE_BYTES")
    if not setting:
        return MAX_CACHE_BYTES
    if not setting.isdecimal():
        raise BuildError(f"OPTIGPU_CACHE_BYTES is a number of bytes, not `{setting}`")
    return int(setting)
