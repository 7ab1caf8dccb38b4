"""Exact file access: atomic writes, and reads that keep line endings."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path


def read_exact(path: str | Path) -> str:
    """The text with its line endings unchanged: Python would end a line at a lone `\\r`, compilers do not."""
    return Path(path).read_bytes().decode("utf-8")


def write_whole(path: str | Path, text: str) -> None:
    """Write a file atomically. Raises OSError with the name of the file."""
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError as e:
        raise OSError(errno.EINVAL, str(e), str(path)) from None
    write_whole_bytes(path, content)


def write_whole_bytes(path: str | Path, content: bytes) -> None:
    target = Path(path)
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(content)
        os.replace(fresh, target)
    except OSError as e:
        raise OSError(e.errno, e.strerror, str(target)) from None
    except ValueError as e:  # not a valid file name
        raise OSError(errno.EINVAL, str(e), str(target)) from None
    finally:
        with suppress(OSError, ValueError):
            fresh.unlink(missing_ok=True)
