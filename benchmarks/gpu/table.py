"""What was measured on a GPU, as the tables of README.md and docs/performance.md.

python benchmarks/gpu/table.py [RESULTS]     # results.json of run.py: becomes benchmarks/gpu/results.json, and the tables follow
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RESULTS = Path(__file__).parent / "results.json"
BEGIN, END = "<!-- measured: benchmarks/gpu/table.py writes this -->", "<!-- end of measured -->"
ROWS = ((16384, 16384), (262144, 1000), (65536, 4096), (65536, 4095), (49152, 5000), (8192, 40000))
# (family, size) -> (what it is held against, at least this much of it)
TARGETS: dict[tuple[str, tuple[int, ...]], tuple[str, float]] = {
    ("vector_add", (2**28,)): ("device copy", 0.97),
    ("transpose", (16384, 16384)): ("cuBLAS geam", 0.95),
    ("transpose", (16383, 16385)): ("cuBLAS geam", 0.85),
    ("transpose", (4096, 4096)): ("cuBLAS geam", 0.95),
    ("transpose", (4095, 4097)): ("cuBLAS geam", 0.85),
    ("reduce", (2**28,)): ("CUB DeviceReduce", 0.95),
    **{("scan", (n,)): ("CUB DeviceScan", 0.95) for n in (2**28, 2**24, 2**20, 2**16, 2**28 - 3, 2**24 + 4)},
    **{(name, size): (f"torch {name}", 1.0) for name in ("softmax", "layer_norm", "rms_norm") for size in ROWS},
    ("stencil2d", (16384, 16384)): ("device copy", 0.85),
    ("stencil2d", (16383, 16385)): ("device copy", 0.85),
    ("matmul", (4096, 4096, 4096)): ("cuBLAS sgemm", 0.97),
    ("matmul", (1024, 1024, 1024)): ("cuBLAS sgemm", 0.9),
    ("matmul", (1000, 1000, 1000)): ("cuBLAS sgemm", 0.9),
    ("matmul", (128, 8192, 8192)): ("cuBLAS sgemm", 0.9),
    ("matmul", (4095, 4097, 4099)): ("cuBLAS sgemm", 0.7),
    ("matmul_bf16", (8192, 8192, 8192)): ("cuBLAS bf16", 0.9),
    ("matmul_bf16", (4096, 4096, 4096)): ("cuBLAS bf16", 0.9),
    ("matmul_tf32", (4096, 4096, 4096)): ("cuBLAS TF32", 0.9),
    ("attention_bf16", (16, 8192)): ("torch", 0.75),
    ("attention_causal_bf16", (16, 8192)): ("torch", 0.75),
}
Row = dict[str, Any]


def judged(row: Row, manifest: dict[str, Any]) -> Row:
    """A measured row with what it is, whether it is verified, and how it stands to its target."""
    entry = manifest.get(row["kernel"], {})
    reference, target = TARGETS.get((row["family"], tuple(row["size"])), ("", 0.0))
    if reference in ("", "torch"):  # without a target, the fastest library; of PyTorch, its fastest kernel
        libraries = (name for name in row["ratios"] if name != "device copy" and name.startswith(reference))
        reference = min(libraries, key=row["ratios"].__getitem__, default="")
    ratio = row["ratios"].get(reference) if row["ours"] else None
    met = None if ratio is None or not target else ratio >= target
    return {
        **row,
        "program": entry.get("program"),
        "verified": bool(entry.get("verified")) if row["ours"] else None,
        "reference": reference,
        "ratio": ratio,
        "target": target if row["ours"] else None,
        "met": met,
    }


def table(rows: list[Row]) -> str:
    lines = ["| kernel | made from | size | verified | rate | beside | target |", "|---|---|---|---|---|---|---|"]
    for r in rows:
        size = " × ".join(map(str, r["size"]))
        verified = "" if r["verified"] is None else "yes" if r["verified"] else "**not verified**"
        rate = f"{r['rate']:,.1f} {r['unit']}" if r["unit"] == "TFLOP/s" else f"{r['rate']:,.0f} {r['unit']}"
        beside = "" if r["ratio"] is None else f"{r['ratio']:.2f} × {r['reference']}"
        target = "" if r["met"] is None else f"{r['target']:.2f} {'✓' if r['met'] else '✗'}"
        program = f"`{r['program']}`" if r["program"] else ""
        lines.append(f"| {r['kernel']} | {program} | {size} | {verified} | {rate} | {beside} | {target} |")
    return "\n".join(lines)


def best(rows: list[Row]) -> list[Row]:
    """For each family and size the fastest verified kernel that was written by hand, and the fastest that a script made; also the
    fastest of all where that is not verified."""
    out: list[Row] = []
    ours = [r for r in rows if r["ours"]]
    for key in dict.fromkeys((r["family"], tuple(r["size"])) for r in ours):
        group = sorted((r for r in ours if (r["family"], tuple(r["size"])) == key), key=lambda r: -r["rate"])
        proved = [r for r in group if r["verified"]]
        chosen = [next((r for r in proved if is_script(r) is made), None) for made in (False, True)]
        out += [r for r in group if r in chosen or (r is group[0] and not r["verified"])]
    return out


def is_script(row: Row) -> bool:
    return str(row["program"]).endswith(".py")


def replaced(text: str, new: str) -> str:
    """The text with the part between the marks replaced."""
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return f"{text[:begin]}\n{new}\n{text[end:]}"


def pages(results: dict[str, Any]) -> dict[Path, str]:
    """What goes where: the best of each in the README, of further sizes those of scripts; everything in the docs."""
    rows = results["rows"]
    first = {r["family"]: r["size"] for r in reversed(rows)}
    shown = [r for r in best(rows) if is_script(r) or r["size"] == first[r["family"]]]
    return {ROOT / "README.md": table(shown), ROOT / "docs" / "performance.md": table(rows)}


def main() -> int:
    if len(sys.argv) > 1:
        RESULTS.write_text(Path(sys.argv[1]).read_text(encoding="utf-8"), encoding="utf-8")
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    for path, new in pages(results).items():
        path.write_text(replaced(path.read_text(encoding="utf-8"), new), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
