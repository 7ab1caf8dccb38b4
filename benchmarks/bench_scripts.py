"""The scripts of the examples: seconds per step, and how much of the checking was remembered instead of done again."""

from __future__ import annotations

import json
import os
import runpy
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import optigpu as og
from optigpu.script.step import Step

ROOT = Path(__file__).parent.parent


def scripts() -> list[Path]:
    """The Python files of the examples that make a script `s`."""
    files = sorted((ROOT / "examples").rglob("*.py"))
    return [p for p in files if any(line.startswith("s = ") for line in p.read_text(encoding="utf-8").splitlines())]


def measured(path: Path) -> dict[str, Any]:
    steps: list[Step] = runpy.run_path(str(path))["s"].steps
    hits, asked = (sum(s.result.cached[k] for s in steps if s.result is not None) for k in (0, 1))
    return {
        "script": path.relative_to(ROOT / "examples").as_posix(),
        "steps": len(steps) - 1,
        "seconds": [s.seconds for s in steps],
        "obligations": sum(f.normaliser + f.solver for s in steps if s.result is not None for f in s.result.functions),
        "questions": asked,
        "from_cache": hits,
    }


def main() -> None:
    sys.setrecursionlimit(10_000)
    og.Script(ROOT / "examples" / "copy.c")  # load the solver
    head = f"{'script':<26} {'steps':>5} {'seconds':>8} {'median':>8} {'slowest':>8} {'obligations':>12} {'to the solver':>14}"
    data: dict[str, list[dict[str, Any]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OPTIGPU_CACHE"] = folder
        for run in ("first", "again"):
            print(f"{run} run" if run == "first" else "the same again, with what the first left on disk")
            print(f"{head} {'remembered':>11}")
            rows = data[run] = [measured(p) for p in scripts()]
            for r in rows:
                share = f"{r['from_cache'] / r['questions']:.0%}" if r["questions"] else "-"
                print(
                    f"{r['script']:<26} {r['steps']:>5} {sum(r['seconds']):>8.2f} {median(r['seconds']):>8.3f}"
                    f" {max(r['seconds']):>8.2f} {r['obligations']:>12} {r['questions']:>14} {share:>11}"
                )
            times = [t for r in rows for t in r["seconds"]]
            share = sum(r["from_cache"] for r in rows) / max(1, sum(r["questions"] for r in rows))
            print(f"median step {median(times):.3f} s; {share:.0%} of the questions to the solver were remembered\n")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(data, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
