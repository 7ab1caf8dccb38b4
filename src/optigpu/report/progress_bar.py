"""Shows how many of many tasks are done: one line on a terminal, rewritten, and removed at the end."""

from __future__ import annotations

import shutil
import time
from typing import TextIO

ERASED = "\r\x1b[K"
WIDTH = 24  # of the bar
BETWEEN_LINES = 10.0  # seconds, on a stream that is no terminal


def bar_text(title: str, done: int, total: int, text: str) -> str:
    """`measure  [######------------------] 3/12  softmax, h = 64: threads=128`"""
    filled = WIDTH * done // max(1, total)
    return f"{title}  [{'#' * filled}{'-' * (WIDTH - filled)}] {done}/{total}  {text}"


class ProgressBar:
    """A bar on a stream. A stream that is no terminal gets a line from time to time, and at the end."""

    def __init__(self, stream: TextIO, title: str) -> None:
        self.stream, self.title = stream, title
        self.rewrites = stream.isatty()
        self.last = float("-inf")

    def __call__(self, done: int, total: int, text: str) -> None:
        line = bar_text(self.title, done, total, text)
        now = time.monotonic()
        if self.rewrites:
            self.stream.write(ERASED + line[: shutil.get_terminal_size().columns - 1])
        elif done == total or now - self.last >= BETWEEN_LINES:
            self.stream.write(line + "\n")
            self.last = now
        self.stream.flush()

    def close(self) -> None:
        if self.rewrites:
            self.stream.write(ERASED)
            self.stream.flush()


class NoBar(ProgressBar):
    """Where nobody looks."""

    def __init__(self) -> None:
        pass

    def __call__(self, done: int, total: int, text: str) -> None:
        pass

    def close(self) -> None:
        pass


def progress_bar(stream: TextIO, title: str, wanted: bool = False) -> ProgressBar:
    """A bar on a terminal, or where it is asked for."""
    return ProgressBar(stream, title) if wanted or stream.isatty() else NoBar()
