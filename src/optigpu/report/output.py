"""Standard output and standard error that do not raise errors in the middle of a command.

A reader that closes the pipe (`| head -1`) changes neither the command nor its exit code. Any other write error, such as a full
disk, is recorded, and the command line returns it as an exit code. Plain Python would raise at a print, and again at exit.
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
    """A descriptor that accepts every write; after the first error it discards all output, since a part is missing."""

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
                select.select([], [self], [])  # a non-blocking descriptor with a slow reader
        except OSError as e:
            self.lost = True
            self.failure = None if isinstance(e, BrokenPipeError) else e
            return size
        return written


class Output:
    """The two streams and their write errors."""

    def __init__(self, out: TextIO | None, err: TextIO | None) -> None:
        self.out, self._out = _patient(out)
        self.err, self._err = _patient(err)

    def failure(self) -> OSError | None:
        """The error because of which output is missing; None if there is none. A closed pipe does not count."""
        for stream in (self.out, self.err):
            with suppress(OSError, ValueError):
                stream.flush()
        return None if self._out is None else self._out.failure


def _patient(stream: TextIO | None) -> tuple[TextIO, _Descriptor | None]:
    """A stream that accepts any text: if closed it discards it, and characters outside its encoding are escaped."""
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
    """Replace standard output and standard error by such streams."""
    before = sys.stdout, sys.stderr
    output = Output(*before)
    sys.stdout, sys.stderr = output.out, output.err
    try:
        yield output
    finally:
        output.failure()  # flushes
        sys.stdout, sys.stderr = before
