"""The hundred operators of KernelBench as measured, as the table of docs/kernelbench.md.

python benchmarks/gpu/kernelbench_table.py [FILE …]

The files are results.json of benchmarks/kernelbench/run.py and gpu_results.json of kernelbench.py.

Rows of later files replace those of earlier ones; all are kept in benchmarks/kernelbench/measured.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ROOT / "benchmarks" / "kernelbench" / "measured.json"
PAGE = ROOT / "docs" / "kernelbench.md"
BEGIN, END = "<!-- measured: benchmarks/gpu/kernelbench_table.py writes this -->", "<!-- end of measured -->"
AS_FAST = 0.995  # two runs of one kernel differ by half a percent
Row = dict[str, Any]


def merged(known: dict[str, Row], rows: list[Row]) -> dict[str, Row]:
    """Measurements by operator; variants of a kernel are left out."""
    out = {name: dict(row) for name, row in known.items()}
    for row in rows:
        if "@" not in row["name"]:
            out.setdefault(row["name"], {}).update({k: v for k, v in row.items() if k != "name"})
    return dict(sorted(out.items()))


def seconds(row: Row, key: str) -> str:
    return f"{row[key]:.1f}" if key in row else ""


def ratio(row: Row, key: str) -> str:
    return f"{row[key]:.2f}" if key in row else ""


def table(rows: dict[str, Row]) -> str:
    head = "| operator | check | script | ours | eager | eager, TF32 | compile | × eager | × eager, TF32 | × compile |"
    lines = [head, "|---|---|---|---|---|---|---|---|---|---|"]
    for name, r in rows.items():
        times = [f"{r[k]:.3f}" if k in r else "" for k in ("ours_ms", "eager_ms", "eager_tf32_ms", "compile_ms")]
        cells = [name, seconds(r, "check_s"), seconds(r, "script_s"), *times, ratio(r, "ratio"), ratio(r, "ratio_tf32")]
        cells.append(f"{r['compile_ms'] / r['ours_ms']:.2f}" if "compile_ms" in r else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(rows: dict[str, Row]) -> str:
    measured = [r for r in rows.values() if "ratio" in r]
    as_fast = sum(r["ratio"] >= AS_FAST for r in measured)
    default = sum(r["ratio_tf32"] >= AS_FAST for r in measured)
    compiled = [r for r in measured if "compile_ms" in r]
    as_compiled = sum(r["compile_ms"] / r["ours_ms"] >= AS_FAST for r in compiled)
    verified = sum(r.get("check") == "VERIFIED" for r in rows.values())
    rejected = sum(r.get("twin") == "rejected" for r in rows.values())
    right = sum(bool(r.get("right")) for r in rows.values())
    return (
        f"Verified: {verified}. Wrong twins rejected: {rejected}. On the GPU: {len(measured)}, right at small sizes: {right}. "
        f"As fast as eager PyTorch or faster: {as_fast} without TF32, {default} with PyTorch's defaults. "
        f"As fast as torch.compile with its defaults, or faster: {as_compiled} of {len(compiled)}."
    )


def page(text: str, rows: dict[str, Row]) -> str:
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return f"{text[:begin]}\n{summary(rows)}\n\n{table(rows)}\n{text[end:]}"


def main() -> int:
    rows: dict[str, Row] = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    for path in sys.argv[1:]:
        rows = merged(rows, json.loads(Path(path).read_text(encoding="utf-8")))
    MEASURED.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
