"""What the benchmarks of the checker share: CPU seconds, ratios to a calibration loop of the same run, tables and JSON."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class _Node:
    op: str
    args: tuple[Any, ...]


def calibration_work() -> int:
    """A fixed amount of work like the checker's: small objects, tuples, dictionaries, attributes, recursion."""
    known: dict[tuple[str, tuple[int, ...]], _Node] = {}

    def built(depth: int, seed: int) -> _Node:
        key = ("add" if seed % 2 else "mul", (depth, seed % 97))
        node = known.get(key)
        if node is None:
            args = (built(depth - 1, seed * 5 + 1), built(depth - 1, seed * 3 + 2)) if depth else (seed,)
            node = known[key] = _Node(key[0], args)
        return node

    def size(node: Any) -> int:
        return 1 + sum(map(size, node.args)) if isinstance(node, _Node) else 1

    return sum(size(built(12, seed)) for seed in range(20))


def cpu_seconds(work: Callable[[], T]) -> tuple[float, T]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


class Calibration:
    """The seconds of the calibration loop, measured before and after what is compared with it: the machine may be busy."""

    def __init__(self) -> None:
        self.samples: list[float] = []
        self.measure()

    def measure(self) -> None:
        self.samples += [cpu_seconds(calibration_work)[0] for _ in range(3)]

    @property
    def seconds(self) -> float:
        return quantile(self.samples, 0.5)

    def ratio(self, seconds: float) -> float:
        return seconds / self.seconds


def quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def fitted_exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """The slope of log(seconds) over log(size), by least squares; None for less than two sizes."""
    points = [(log(n), log(max(s, 1e-6))) for n, s in zip(sizes, seconds, strict=True) if n > 0]
    if len(points) < 2:
        return None
    x, y = (sum(p[k] for p in points) / len(points) for k in (0, 1))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns of equal width: the first to the left, numbers to the right."""
    texts = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(len(row[k]) for row in texts) for k in range(len(head))]
    return "\n".join(
        " ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in texts
    )


def options(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
    parser.add_argument("--json", metavar="FILE", help="also write the figures as JSON")
    parser.add_argument("names", nargs="*", help="only those whose name contains one of these")
    return parser


def wanted(name: str, names: Sequence[str]) -> bool:
    return not names or any(part in name for part in names)


def write_json(path: str | None, calibration: Calibration, figures: dict[str, Any]) -> None:
    if path is not None:
        head = {"python": platform.python_version(), "calibration_seconds": calibration.seconds}
        Path(path).write_text(json.dumps(head | figures, indent=1) + "\n", encoding="utf-8")


@contextmanager
def own_cache() -> Iterator[str]:
    """An empty folder for what checks remember on disk, and the settings of the command line for memory."""
    gc.set_threshold(50_000, 20, 100)
    with tempfile.TemporaryDirectory() as folder:
        before = os.environ.get("OPTIGPU_CACHE")
        os.environ["OPTIGPU_CACHE"] = folder
        try:
            yield folder
        finally:
            if before is None:
                del os.environ["OPTIGPU_CACHE"]
            else:
                os.environ["OPTIGPU_CACHE"] = before
