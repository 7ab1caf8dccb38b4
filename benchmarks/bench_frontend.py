"""Time to parse and print programs of growing size: it must grow linearly. Prints a table and writes JSON."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from optigpu.frontend import parse_text
from optigpu.syntax.printer import print_program

SIZES = (625, 1250, 2500, 5000)


def program_of(statements: int) -> str:
    """Functions of 50 statements: loops, branches, stores, contracts."""
    parts = ["#include <optigpu.h>\n"]
    for f in range(statements // 50):
        lines = []
        for k in range(10):
            lines.append(f"  for (int i = {k}; i < n; i++) {{")
            lines.append(f"    if (i % {k + 2} == 0) {{")
            lines.append(f"      a[i] = 0.5f * a[i] + s * {k}.25f;")
            lines.append(f"      b[i][{k}] += a[i] * (s - {k});")
            lines.append("    }")
            lines.append("  }")
            lines.append(f"  a[{k}] = sqrtf(a[{k}] + b[{k}][0]);")
        contract = '  __requires("A: int -> float");\n  __preserves("a ~> Matrix1(n, A), b ~> Cells2(n, 16)");\n'
        parts.append(
            f"void f{f}(int n, float s, float a[n], float b[n][16]) {{\n{contract}" + "\n".join(lines) + "\n}\n"
        )
    return "\n".join(parts)


def measure(statements: int) -> dict[str, float]:
    text = program_of(statements)
    best_parse, best_print = float("inf"), float("inf")
    for _ in range(2):
        start = time.perf_counter()
        program = parse_text(text)
        middle = time.perf_counter()
        print_program(program)
        best_parse = min(best_parse, middle - start)
        best_print = min(best_print, time.perf_counter() - middle)
    return {"statements": statements, "lines": text.count("\n"), "parse": best_parse, "print": best_print}


def main() -> None:
    parse_text("void warm_up(int n) { }")
    rows = [measure(n) for n in SIZES]
    print(f"{'statements':>10} {'lines':>7} {'parse s':>9} {'print s':>9} {'parse µs/stmt':>14} {'ratio':>6}")
    first = rows[0]["parse"] / rows[0]["statements"]
    for r in rows:
        each = r["parse"] / r["statements"]
        r["ratio"] = each / first
        print(
            f"{r['statements']:>10} {r['lines']:>7} {r['parse']:>9.3f} {r['print']:>9.3f} {each * 1e6:>14.0f} {r['ratio']:>6.2f}"
        )
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(rows, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
