"""When, and from which folders, this process has loaded the package: no other module of it is loaded before this one."""

from __future__ import annotations

import os
import time

LOADED_AT = time.time_ns()
STEADY_AT = time.monotonic_ns()  # the same moment, by a clock that nobody can set


def folders_below(root: str) -> dict[str, tuple[int, int]]:
    """The folders of source files, relative to `root`, with what the system knows each of them by, whatever its name is."""
    found = {}
    for folder, inner, _ in os.walk(root):
        inner[:] = [name for name in inner if name != "__pycache__"]
        about = os.stat(folder)
        found[os.path.relpath(folder, root)] = about.st_dev, about.st_ino
    return found


LOADED_FOLDERS = folders_below(os.path.dirname(os.path.abspath(__file__)))
