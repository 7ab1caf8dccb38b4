"""When, and from which folders, this process has loaded the package: no other module of it is loaded before this one."""

from __future__ import annotations

import os
import time


def clocks() -> tuple[int, int]:
    """This moment by the clock that times of files are read from, and by one that nobody can set: in nanoseconds."""
    return time.time_ns(), time.monotonic_ns()


LOADED_AT, STEADY_AT = clocks()


def folders_below(root: str) -> dict[str, tuple[int, int]]:
    """The folders of source files, relative to `root`, with what the system knows each of them by, whatever its name is."""
    found = {}
    for folder, inner, _ in os.walk(root):
        inner[:] = [name for name in inner if name != "__pycache__"]
        about = os.stat(folder)
        found[os.path.relpath(folder, root)] = about.st_dev, about.st_ino
    return found


LOADED_FOLDERS = folders_below(os.path.dirname(os.path.abspath(__file__)))
