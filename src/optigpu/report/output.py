"""Standard output and standard error that never fail in the middle of a command.

A reader that leaves (`| head -1`) changes neither what the command does nor its exit code. Any other failure, such as a full disk,
is remembered: the command line turns it into an exit code. Python alone would fail at a print, and once more when it exits.
"""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:  # Python 3.12 has it in collections.abc
    from _typeshed import ReadableBuffer as Buffer


class _Descriptor(io.FileIO):
    """A descriptor that takes every write; after the first failure it writes nothing more, since a part would be missing."""

    def __init__(self, number: int) -> None:
        super().__init__(number, "w", closefd=False)
        self.lost = False
        self.failure: OSError | None = None

    def write(self, data: Buffer) -> int:
        size = memoryview(data).nbytes
        if self.lost:
            return size
        try:
            while (written := super().write(data)) is None:
                select.select([], [self], [])  # a descriptor that does not block, and whose reader is slow
        except OSError as e:
            self.lost = True
            self.failure = None if isinstance(e, BrokenPipeError) else e
            return size
        return written


class Output:
    """What became of the two streams."""

    def __init__(self, out: TextIO | None, err: TextIO | None) -> None:
        self.out, self._out = _patient(out)
        self.err, self._err = _patient(err)

    def failure(self) -> OSError | None:
        """Why something that was printed to standard output is not there; a reader that left is no reason."""
        for stream in (self.out, self.err):
            with suppress(OSError, ValueError):
                stream.flush()
        return None if self._out is None else self._out.failure


def _patient(stream: TextIO | None) -> tuple[TextIO, _Descriptor | None]:
    """A stream that takes any text: a closed one swallows it, one of a poor encoding gets escapes."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8"), None
    if not isinstance(stream, io.TextIOWrapper):
        return stream, None
    try:
        stream.flush()
        descriptor = _Descriptor(stream.fileno())
    except (OSError, ValueError):  # in memory, or closed
        stream.reconfigure(errors="backslashreplace")
        return stream, None
    text = io.TextIOWrapper(
        io.BufferedWriter(descriptor),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    return text, descriptor


@contextmanager
def patient_output() -> Iterator[Output]:
    """Standard output and standard error are such streams meanwhile."""
    before = sys.stdout, sys.stderr
    output = Output(*before)
    sys.stdout, sys.stderr = output.out, output.err
    try:
        yield output
    finally:
        output.failure()  # flushes
        sys.stdout, sys.stderr = before
