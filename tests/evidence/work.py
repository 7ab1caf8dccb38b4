"""Long runs: tasks in parallel, in shards, resumed where they were stopped. Results are lines of JSON."""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import wait
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
    tasks: Sequence[Task], work: Callable[[Task], dict[str, Any]], args: argparse.Namespace, limit: float = 3600
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
        for result in in_processes(left, work, args.jobs, limit):
            file.write(json.dumps(result) + "\n")
            file.flush()
            yield result


def in_processes(
    tasks: Sequence[Task], work: Callable[[Task], dict[str, Any]], jobs: int, limit: float
) -> Iterator[dict[str, Any]]:
    """Every task in a process of its own, forked from this one; one that ends or takes too long leaves `lost`."""
    fork = multiprocessing.get_context("fork")
    waiting, running = list(reversed(tasks)), dict[Any, tuple[Task, Any, float]]()
    while waiting or running:
        while waiting and len(running) < jobs:
            task = waiting.pop()
            ours, theirs = fork.Pipe(duplex=False)
            child = fork.Process(target=_report, args=(theirs, work, task))
            child.start()
            theirs.close()
            running[ours] = (task, child, time.monotonic() + limit)
        ready = set(wait(list(running), timeout=1.0))
        for pipe, (task, child, deadline) in list(running.items()):
            if pipe in ready or time.monotonic() > deadline:
                del running[pipe]
                yield _received(pipe, task) if pipe in ready else {"task": task[0], "lost": "no answer in time"}
                child.kill()
                child.join()
                pipe.close()


def _received(pipe: Any, task: Task) -> dict[str, Any]:
    try:
        result: dict[str, Any] = pipe.recv()
    except EOFError:
        return {"task": task[0], "lost": "the process ended"}
    return result


def _report(pipe: Any, work: Callable[[Task], dict[str, Any]], task: Task) -> None:
    sys.setrecursionlimit(10_000)
    gc.disable()  # a task is short, and what it leaves behind goes with its process
    pipe.send(work(task))
