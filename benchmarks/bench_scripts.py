"""The scripts of the examples: CPU seconds for each step, cold and unchanged, and what was remembered instead of searched.

`python benchmarks/bench_scripts.py [--json FILE] [NAME ...]`. Each run is a process of its own, as it is for a user; the second one
finds on disk what the first one left.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.measuring import ROOT, Calibration, options, own_cache, quantile, table, wanted, write_json

RUN = """
import gc, json, runpy, sys, time
gc.set_threshold(50_000, 20, 100)
from optigpu.api import observe
stamps = [time.process_time()]
steps = []
def stepped(script, step):
    stamps.append(time.process_time())
    steps.append(step)
with observe(stepped):
    runpy.run_path(sys.argv[1])
results = [s.result for s in steps if s.result is not None]
figures = {
    "seconds": [b - a for a, b in zip(stamps, stamps[1:])],
    "titles": [s.title for s in steps],
    "obligations": sum(f.normaliser + f.solver for r in results for f in r.functions),
    "from_cache": sum(r.cached[0] for r in results),
    "questions": sum(r.cached[1] for r in results),
    "process": time.process_time(),
}
print("\\n" + json.dumps(figures))
"""


def scripts() -> list[Path]:
    """The Python files of the examples that make a script `s`."""
    files = sorted((ROOT / "examples").rglob("*.py"))
    return [p for p in files if any(line.startswith("s = ") for line in p.read_text(encoding="utf-8").splitlines())]


def measured(path: Path) -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", RUN, str(path)], capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return {"script": path.relative_to(ROOT / "examples").as_posix(), **figures}


def main() -> None:
    args = options(__doc__).parse_args()
    calibration = Calibration()
    data: dict[str, Any] = {}
    paths = [p for p in scripts() if wanted(p.as_posix(), args.names)]
    with own_cache():
        for run in ("cold", "unchanged"):
            rows = data[run] = [measured(path) for path in paths]
            calibration.measure()
            print(f"{run}:")
            print(table(HEAD, [_row(r, calibration) for r in rows]))
            times = [t for r in rows for t in r["seconds"]]
            steps = {"median": quantile(times, 0.5), "95 %": quantile(times, 0.95), "slowest": max(times, default=0.0)}
            print("steps: " + ", ".join(f"{word} {seconds:.3f} s" for word, seconds in steps.items()) + "\n")
            data[f"{run}_steps"] = steps
    print(f"ratio: to a calibration loop of {calibration.seconds:.3f} s in the same run")
    write_json(args.json, calibration, data)


HEAD = (
    "script",
    "steps",
    "process s",
    "ratio",
    "median step",
    "95 %",
    "slowest",
    "obligations",
    "questions",
    "remembered",
)


def _row(r: dict[str, Any], calibration: Calibration) -> list[object]:
    times = r["seconds"]
    share = f"{r['from_cache'] / r['questions']:.0%}" if r["questions"] else "-"
    return [
        r["script"], len(times) - 1, r["process"], calibration.ratio(r["process"]), quantile(times, 0.5),
        quantile(times, 0.95), max(times), r["obligations"], r["questions"], share,
    ]  # fmt: skip


if __name__ == "__main__":
    main()
