"""How the time of a check grows with the program: CPU seconds, and the exponent fitted over the sizes, for each growth case.

`python benchmarks/bench_growth.py [--json FILE] [--limit SECONDS] [NAME ...]`. A size over the limit ends its case.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.growth_cases import CASES, GrowthCase
from benchmarks.measuring import (
    Calibration,
    cpu_seconds,
    fitted_exponent,
    options,
    own_cache,
    table,
    wanted,
    write_json,
)

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.syntax.recursion_limit import deep_calls


def measured(case: GrowthCase, limit: float, calibration: Calibration) -> dict[str, Any]:
    """The figures of a case, for its sizes up to the first that is not proved within the limit."""
    rows: list[dict[str, Any]] = []
    for n in case.sizes:
        program = parse_text(case.program(n))
        seconds, result = cpu_seconds(
            lambda p=program: Verifier(Settings(timeout=limit, clock=time.process_time)).verify(p)
        )
        verdict = result.functions[-1].verdict.value
        over = any(f.problem is not None and f.problem.code == "OG398" for f in result.functions)
        rows.append({"n": n, "seconds": seconds, "verdict": f"over {limit:.0f} s" if over else verdict})
        if over:
            break
    calibration.measure()
    done = [r for r in rows if not r["verdict"].startswith("over")]
    exponent = fitted_exponent([r["n"] for r in done], [r["seconds"] for r in done])
    return {"case": case.name, "named": case.named, "sizes": rows, "exponent": exponent}


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds for one size (default 30)")
    args = parser.parse_args()
    calibration, figures = Calibration(), []
    with own_cache(), deep_calls():
        for case in (c for c in CASES if wanted(c.name, args.names)):
            figures.append(measured(case, args.limit, calibration))
            print(f"{case.name}: {len(figures[-1]['sizes'])} sizes", file=sys.stderr)
    for row in (row for case in figures for row in case["sizes"]):
        row["ratio"] = calibration.ratio(row["seconds"])
    rows = [
        (c["case"] if k == 0 else "", r["n"], r["seconds"], r["ratio"], r["verdict"], _exponent(c) if k == 0 else "")
        for c in figures
        for k, r in enumerate(c["sizes"])
    ]
    print(table(("case", "n", "CPU s", "ratio", "verdict", "exponent"), rows))
    print(f"ratio: to a calibration loop of {calibration.seconds:.3f} s in the same run")
    write_json(args.json, calibration, {"growth": figures})


def _exponent(case: dict[str, Any]) -> str:
    return "-" if case["exponent"] is None else f"{case['exponent']:.2f}"


if __name__ == "__main__":
    main()
