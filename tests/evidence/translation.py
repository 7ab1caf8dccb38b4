"""Random verified kernels: their CUDA text, on the CPU stand-in with its race detector, does what the interpreter does.

`python -m tests.evidence.translation --programs 2000 --jobs 2` looks for one where it does not. What is not verified, or has no
lowering, is counted and left out.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

from optigpu.check.verify import Verifier
from optigpu.codegen.cuda import emit_cuda
from optigpu.commands.differential import compare_on
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.runner import Runner
from optigpu.interp.testing import valid_inputs
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.signature import signature_of
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.macro_constants import without_constants
from tests.evidence import work
from tests.evidence.gpu_programs import GpuMaker

CHUNK = 20
INPUTS = 3  # of each program
WRONG = "wrong"  # must never happen
OUTCOMES = (WRONG, "agrees", "not verified", "no lowering", "no input")


def program(seed: int, number: int) -> str:
    return GpuMaker(random.Random(f"translation/{seed}/{number}")).program()


def examine(
    text: str, verifier: Verifier, number: int, change: Callable[[str], str] = lambda cuda: cuda
) -> tuple[str, str]:
    """The outcome, and what differs. `change`: what is done to the emitted text, to see that faults are found."""
    parsed = parse_text(text)
    if not verifier.verify(parsed).verified:
        return "not verified", ""
    try:
        unit = emit_cuda(parsed)
    except InputError as e:
        return "no lowering", e.diagnostic.message
    f = parsed.function(unit.name)
    seen = without_constants(parsed, f)
    compiled = CudaFunction(change(unit.text), signature_of(seen, effective_types(seen)), standin=True, races=True)
    runner, ran = Runner(parsed), False
    for inputs in valid_inputs(runner, f, seed=number, most=INPUTS):
        ran = True
        try:
            difference = compare_on(compiled, runner, f, inputs)
        except CallError as e:
            return WRONG, str(e)
        if difference is not None:
            return WRONG, f"{difference.what}: {difference.compiled}, interpreted {difference.interpreted}"
    return ("agrees", "") if ran else ("no input", "")


def chunk(task: work.Task) -> dict[str, Any]:
    name, (seed, start, count) = task
    verifier, outcomes, bad = Verifier(), Counter[str](), []
    for number in range(start, start + count):
        text = program(seed, number)
        outcome, detail = examine(text, verifier, number)
        outcomes[outcome] += 1
        if outcome == WRONG:
            bad.append({"seed": seed, "number": number, "detail": detail, "text": text})
    return {"task": name, "outcomes": outcomes, "bad": bad}


def main() -> int:
    parser = work.arguments("translation", __doc__)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    starts = range(0, args.programs, CHUNK)
    sizes = [(start, min(CHUNK, args.programs - start)) for start in starts]
    tasks = [(f"{args.seed}:{start}+{count}", (args.seed, start, count)) for start, count in sizes]
    total, bad = Counter[str](), 0
    for r in work.run(tasks, chunk, args):
        total.update(r.get("outcomes", {"lost": 1}))
        for b in r.get("bad", []):
            bad += 1
            print(f"--seed {b['seed']}, program {b['number']}: {b['detail']}\n{b['text']}", flush=True)
    print(f"{args.programs} kernels:", ", ".join(f"{total[o]} {o}" for o in (*OUTCOMES, "lost") if total[o]))
    return 1 if bad or total["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
