"""The checker's speed: CPU seconds, obligations and who proved them for each example; a check after one change.

`python benchmarks/bench_check.py [--json FILE] [NAME ...]`.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.measuring import ROOT, Calibration, cpu_seconds, options, own_cache, quantile, table, wanted, write_json

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file, parse_text
from optigpu.syntax.recursion_limit import deep_calls

LOOPS = ROOT / "tests" / "programs" / "check" / "loops.c"
CHANGE = "for (int i = n - 1; i >= 0; i--) s += a[i];", "for (int i = n - 1; i >= 0; i--) s = s + a[i];"


def example_files() -> list[Path]:
    examples = ROOT / "examples"
    return [
        *sorted(examples.glob("*.c")),
        *sorted((examples / "gpu").glob("*.c")),
        *sorted((examples / "gpu" / "fast").glob("*.c")),
        LOOPS,
    ]


def checked(path: Path) -> dict[str, Any]:
    """The figures of one file, by a verifier that remembers nothing."""
    parsing, program = cpu_seconds(lambda: parse_file(path))
    seconds, result = cpu_seconds(lambda: Verifier(Settings()).verify(program))
    return {
        "file": path.relative_to(ROOT).as_posix(),
        "seconds": seconds,
        "parsing": parsing,
        "functions": len(result.functions),
        "normaliser": sum(f.normaliser for f in result.functions),
        "solver": sum(f.solver for f in result.functions),
        "verified": result.verified,
    }


def checked_again() -> tuple[float, float]:
    """The seconds of a check, and those after one statement was changed."""
    text, verifier = LOOPS.read_text(encoding="utf-8"), Verifier(Settings())
    first, second = parse_text(text), parse_text(text.replace(*CHANGE))
    assert first != second
    return cpu_seconds(lambda: verifier.verify(first))[0], cpu_seconds(lambda: verifier.verify(second))[0]


def main() -> None:
    args = options(__doc__).parse_args()
    calibration = Calibration()
    with own_cache(), deep_calls():
        checked(ROOT / "examples" / "copy.c")  # load what is loaded once
        rows = [checked(path) for path in example_files() if wanted(path.as_posix(), args.names)]
        calibration.measure()
        first, second = checked_again()
    for row in rows:
        row["ratio"] = calibration.ratio(row["seconds"])
    head = ("file", "CPU s", "ratio", "parsing", "functions", "normaliser", "solver", "verified")
    keys = ("file", "seconds", "ratio", "parsing", "functions", "normaliser", "solver", "verified")
    print(table(head, [[row[key] for key in keys] for row in rows]))
    times = [row["seconds"] for row in rows]
    print(
        f"median {quantile(times, 0.5):.3f} s, 95 % {quantile(times, 0.95):.3f} s, slowest {max(times, default=0.0):.3f} s"
    )
    print(f"after a change of one statement: {second:.3f} s of {first:.3f} s")
    print(f"ratio: to a calibration loop of {calibration.seconds:.3f} s in the same run")
    write_json(args.json, calibration, {"files": rows, "first_check": first, "after_a_change": second})


if __name__ == "__main__":
    main()
