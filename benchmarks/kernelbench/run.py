"""Verify the hundred operators, reject their wrong twins, run their scripts, and compare the emitted CUDA with NumPy on the CPU.

python -m benchmarks.kernelbench.run [--jobs N] [--only NUMBER …] [--skip check twin script stand-in]

The emitted functions are written to build/kernelbench/, for `benchmarks/gpu/kernelbench.py` on a machine with a GPU.
"""

from __future__ import annotations

import argparse
import json
import runpy
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.kernelbench import OPERATORS, Operator

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file, parse_text
from optigpu.runtime.call_error import BuildError, CallError
from optigpu.runtime.manifest import BuiltCuda, save
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.recursion_limit import deep_calls

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "kernelbench"
TARGET = ROOT / "build" / "kernelbench"
STAGES = ("check", "twin", "script", "stand-in")
Row = dict[str, Any]


def checked(operator: Operator) -> Row:
    path = PROGRAMS / f"{operator.name}.c"
    start = time.process_time()
    with deep_calls():
        result = Verifier(Settings()).verify(parse_file(path))
    return {"check": "VERIFIED" if result.verified else "not verified", "check_s": time.process_time() - start}


def twin(operator: Operator) -> Row:
    text = (PROGRAMS / f"{operator.name}.c").read_text(encoding="utf-8")
    old, new = operator.wrong
    if text.count(old) < 1:
        return {"twin": f"the program has no {old!r}"}
    body = text.index("\nvoid ")
    start = time.process_time()
    with deep_calls():
        program = parse_text(text[:body] + text[body:].replace(old, new, 1), operator.name + "_wrong.c")
        result = Verifier(Settings()).verify(program)
    return {"twin": "accepted" if result.verified else "rejected", "twin_s": time.process_time() - start}


def scripted(operator: Operator) -> tuple[Row, BuiltCuda | None]:
    path = PROGRAMS / f"{operator.name}.py"
    if not path.exists():
        return {"script": "no script"}, None
    start = time.process_time()
    script = runpy.run_path(str(path))["s"]
    seconds = time.process_time() - start
    built: BuiltCuda = script.built_cuda()
    save(built, TARGET, operator.name)
    return {"script": "VERIFIED", "script_s": seconds, "steps": len(script.steps)}, built


def error_of(got: np.ndarray, want: np.ndarray) -> float:
    """The largest difference, relative to the largest number."""
    if not got.size:
        return 0.0
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    difference = np.where(same, 0.0, np.abs(got.astype(np.float64) - want))
    finite = np.abs(want[np.isfinite(want)])
    return float(difference.max() / max(1.0, finite.max() if finite.size else 1.0))


def compared(operator: Operator, built: BuiltCuda) -> Row:
    """On the CPU stand-in, at sizes that no tile divides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        f = built.function(standin=True)
        worst = 0.0
        for sizes in operator.small:
            inputs = operator.inputs(sizes)
            kinds = {k: a.data.partition(" ")[2] or "float32" for k, a in operator.arrays.items()}
            outputs = {
                k: np.full(s, -7 if "int" in kinds[k] else np.nan, kinds[k]) for k, s in operator.outputs(sizes).items()
            }
            f(**inputs, **outputs, **operator.scalars)
            wide = [x.astype(np.float64) if x.dtype == np.float32 else x for x in inputs.values()]
            want = operator.numpy(*wide, *operator.scalars.values())
            worst = max(worst, error_of(next(iter(outputs.values())), want))
    right = worst <= operator.allowed_error(built.source)
    return {"stand_in": "right" if right else f"WRONG: error {worst:.3g}", "error": worst}


def evaluate(number: int, stages: tuple[str, ...]) -> Row:
    operator = next(o for o in OPERATORS if o.number == number)
    row: Row = {"name": operator.name}
    try:
        if "check" in stages:
            row |= checked(operator)
        if "twin" in stages:
            row |= twin(operator)
        if "script" in stages:
            more, built = scripted(operator)
            row |= more
            if built is not None and "stand-in" in stages:
                row |= compared(operator, built)
    except (StepError, InputError, CallError, BuildError) as e:
        row["problem"] = f"{type(e).__name__}: {e}"
    return row


def line(row: Row) -> str:
    parts = [f"{row['name']:44}"]
    for key in ("check", "twin", "script", "stand_in"):
        seconds = f" {row[key + '_s']:.1f} s" if key + "_s" in row else ""
        parts.append(f"{row[key]}{seconds}" if key in row else "-")
    return " | ".join(parts) + (f"\n    {row['problem']}" if "problem" in row else "")


def good(row: Row) -> bool:
    wanted = {"check": ("VERIFIED",), "twin": ("rejected",), "script": ("VERIFIED",), "stand_in": ("right",)}
    return "problem" not in row and all(row[k] in v for k, v in wanted.items() if k in row)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jobs", type=int, default=1)
    options.add_argument("--only", type=int, nargs="+", metavar="NUMBER")
    options.add_argument("--skip", nargs="+", choices=STAGES, default=[])
    chosen = options.parse_args()
    operators = [o for o in OPERATORS if not chosen.only or o.number in chosen.only]
    stages = tuple(s for s in STAGES if s not in chosen.skip)
    TARGET.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    with ProcessPoolExecutor(chosen.jobs) as pool:
        for row in pool.map(evaluate, [o.number for o in operators], [stages] * len(operators)):
            rows.append(row)
            print(line(row), flush=True)
    (TARGET / "results.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")
    bad = [r["name"] for r in rows if not good(r)]
    print(f"{len(rows) - len(bad)} of {len(rows)} as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
