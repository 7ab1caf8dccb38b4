"""Long runs: tasks in parallel, in shards, resumed where they were stopped. Results are lines of JSON."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

RESULTS = Path("build/evidence")
Task = tuple[str, Any]


def arguments(what: str, description: str | None) -> argparse.ArgumentParser:
    """The options of every long run."""
    parser = argparse.ArgumentParser(prog=f"python -m tests.evidence.{what}", description=description)
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="only the I-th of N parts of the tasks")
    parser.add_argument(
        "--out", type=Path, default=RESULTS / f"{what}.jsonl", help="results, one task a line; also what is done"
    )
    parser.add_argument("--fresh", action="store_true", help="forget earlier results")
    return parser


def shard(tasks: Sequence[Task], part: str) -> list[Task]:
    i, n = map(int, part.split("/"))
    return [t for k, t in enumerate(tasks) if k % n == i - 1]


def read(path: Path) -> list[dict[str, Any]]:
    """Results so far; a line that was cut off is not counted."""
    out = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            out.append(json.loads(line))
        except ValueError:
            continue
    return out


def run(
    tasks: Sequence[Task], work: Callable[[Task], dict[str, Any]], args: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Results of this shard's tasks: those of earlier runs first, then new ones as they come. Each is written down at once."""
    args.out.parent.mkdir(parents=True, exist_ok=True)
    if args.fresh:
        args.out.unlink(missing_ok=True)
    mine = shard(tasks, args.shard)
    wanted = {name for name, _ in mine}
    done = {r["task"]: r for r in read(args.out) if r["task"] in wanted}
    yield from done.values()
    left = [t for t in mine if t[0] not in done]
    with args.out.open("a", encoding="utf-8") as file:
        for result in _results(left, work, args.jobs):
            file.write(json.dumps(result) + "\n")
            file.flush()
            yield result


def _results(tasks: list[Task], work: Callable[[Task], dict[str, Any]], jobs: int) -> Iterator[dict[str, Any]]:
    if jobs == 1:
        sys.setrecursionlimit(10_000)
        yield from map(work, tasks)
        return
    with multiprocessing.get_context("fork").Pool(jobs, sys.setrecursionlimit, (10_000,), maxtasksperchild=20) as pool:
        yield from pool.imap_unordered(work, tasks)
