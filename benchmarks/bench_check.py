"""The checker's speed: seconds, obligations and who settled them per example; re-checking; growth with the number of functions."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file, parse_text
from optigpu.syntax.program import Program

ROOT = Path(__file__).parent.parent
LOOPS = ROOT / "tests" / "programs" / "check" / "loops.c"


def seconds(verifier: Verifier, program: Program) -> tuple[float, object]:
    start = time.perf_counter()
    result = verifier.verify(program)
    return time.perf_counter() - start, result


def main() -> None:
    sys.setrecursionlimit(10_000)
    rows = []
    Verifier().verify(parse_file(ROOT / "examples" / "copy.c"))  # load the solver
    print(f"{'function':<22} {'seconds':>8} {'obligations':>12} {'normaliser':>11} {'solver':>7}")
    for path in [*sorted((ROOT / "examples").glob("*.c")), LOOPS]:
        for f in Verifier(Settings()).verify(parse_file(path)).functions:
            total = f.normaliser + f.solver
            rows.append(
                {
                    "function": f.name,
                    "seconds": f.seconds,
                    "obligations": total,
                    "normaliser": f.normaliser,
                    "verdict": f.verdict.value,
                }
            )
            share = f"{100 * f.normaliser / total:.0f} %"
            print(f"{f.name:<22} {f.seconds:>8.3f} {total:>12} {share:>11} {f.solver:>7}")
    slowest = max(r["seconds"] for r in rows)
    print(f"slowest: {slowest:.2f} s")

    text = LOOPS.read_text(encoding="utf-8")
    verifier = Verifier(Settings())
    first, _ = seconds(verifier, parse_text(text))
    changed = text.replace(
        "for (int i = n - 1; i >= 0; i--) s += a[i];", "for (int i = n - 1; i >= 0; i--) s = s + a[i];"
    )
    assert changed != text
    second, _ = seconds(verifier, parse_text(changed))
    print(f"re-check after changing one statement: {second:.3f} s of {first:.3f} s = {second / first:.2f}")

    one = (ROOT / "examples" / "matmul.c").read_text(encoding="utf-8").replace("#include <optigpu.h>", "")
    growth = []
    for n in (1, 4, 16):
        program = parse_text("".join(one.replace("matmul", f"matmul{i}") for i in range(n)))
        taken, _ = seconds(Verifier(Settings()), program)
        growth.append(taken / n)
    print("seconds per function for 1, 4, 16 functions: " + ", ".join(f"{g:.3f}" for g in growth))
    if len(sys.argv) > 1:
        data = {"functions": rows, "recheck_ratio": second / first, "per_function": growth}
        Path(sys.argv[1]).write_text(json.dumps(data, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
