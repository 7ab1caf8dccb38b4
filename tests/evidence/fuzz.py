"""Random programs: a verified program misbehaves on none of the inputs and schedules that are tried.

`python -m tests.evidence.fuzz --programs 20000 --jobs 16` looks for one that does. Programs are right by construction, nearly right
(with one or two mutations, of the program or of its contracts alone), or random.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.syntax.program import Program
from tests.evidence import work
from tests.evidence.cpu_programs import CpuMaker
from tests.evidence.cpu_shapes import CpuShapes
from tests.evidence.gpu_programs import GpuMaker
from tests.evidence.gpu_shapes import GpuShapes
from tests.evidence.mutations import contract_mutants, raw_mutants, rendered
from tests.evidence.trial import OUTCOMES, WRONG, Trial, trial
from tests.support.checked_programs import CheckedProgramMaker
from tests.support.random_kernels import KernelMaker

CHUNK = 50
LIMIT = 30  # seconds of the processor for one program
BAD = (WRONG, "crashed")


Mutants = Callable[[Program], Iterator[tuple[str, Program]]]


def mutated(text: str, r: random.Random, mutants: Mutants = raw_mutants) -> str:
    """A program with one or two mutations, if there are any that leave a program."""
    for _ in range(r.choice([1, 1, 2])):
        candidates = list(mutants(parse_text(text)))
        for _, program in r.sample(candidates, min(8, len(candidates))):
            new = rendered(program)
            if new is not None and new != text:
                text = new
                break
    return text


def cpu(r: random.Random) -> str:
    return r.choice([CpuMaker, CpuShapes])(r).program()


def gpu(r: random.Random) -> str:
    return r.choice([GpuMaker, GpuShapes])(r).program()


MAKERS: dict[str, tuple[float, Callable[[random.Random], str]]] = {
    "CPU, right by construction": (0.15, cpu),
    "CPU, mutated": (0.2, lambda r: mutated(cpu(r), r)),
    "CPU, contract mutated": (0.1, lambda r: mutated(cpu(r), r, contract_mutants)),
    "GPU, right or lacking barriers": (0.2, gpu),
    "GPU, mutated": (0.2, lambda r: mutated(gpu(r), r)),
    "GPU, contract mutated": (0.1, lambda r: mutated(gpu(r), r, contract_mutants)),
    "CPU, random": (0.025, lambda r: CheckedProgramMaker(r).program()),
    "GPU, random": (0.025, lambda r: KernelMaker(r).program()),
}


def program(seed: int, number: int) -> tuple[str, str]:
    """The kind and the text of a program."""
    r = random.Random(f"{seed}/{number}")
    kind = r.choices(list(MAKERS), [weight for weight, _ in MAKERS.values()])[0]
    return kind, MAKERS[kind][1](r)


def examine(seed: int, number: int, verifier: Verifier) -> tuple[str, Trial]:
    kind, text = program(seed, number)
    return kind, trial(text, verifier, seed=number, runs=40, other_runs=12, limit=LIMIT)


def chunk(task: work.Task) -> dict[str, Any]:
    name, (seed, start, count) = task
    verifier, outcomes, bad, runs = Verifier(), Counter[str](), [], 0
    codes = Counter[str]()
    for number in range(start, start + count):
        kind, t = examine(seed, number, verifier)
        outcomes[f"{kind}: {t.outcome}"] += 1
        codes[t.code] += 1
        runs += t.runs
        if t.outcome in BAD:
            bad.append({"seed": seed, "number": number, "outcome": t.outcome, "detail": t.detail, "text": t.text})
    return {"task": name, "outcomes": outcomes, "codes": codes, "runs": runs, "bad": bad}


def table(results: list[dict[str, Any]]) -> dict[str, Any]:
    """What all chunks found, as the page shows it."""
    lost = [r["task"] for r in results if "lost" in r]
    results = [r for r in results if "lost" not in r]
    total = Counter[str]()
    for r in results:
        total.update(r["outcomes"])
    rows = {kind: {o: total[f"{kind}: {o}"] for o in OUTCOMES} for kind in MAKERS}
    codes = Counter[str]()
    for r in results:
        codes.update(r["codes"])
    del codes[""]
    return {
        "programs": sum(total.values()),
        "runs": sum(r["runs"] for r in results),
        "rows": rows,
        "misbehaviour": dict(codes.most_common()),
        "bad": [b for r in results for b in r["bad"]],
        "lost": lost,
    }


def main() -> int:
    parser = work.arguments("fuzz", __doc__)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, help="only this program: print it and what was found")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    if args.number is not None:
        kind, t = examine(args.seed, args.number, Verifier())
        print(f"{t.text}\n{kind}: {t}")
        return t.outcome in BAD
    tasks = [
        (
            f"{args.seed}:{start}+{min(CHUNK, args.programs - start)}",
            (args.seed, start, min(CHUNK, args.programs - start)),
        )
        for start in range(0, args.programs, CHUNK)
    ]
    results = []
    for r in work.run(tasks, chunk, args):
        results.append(r)
        for b in r.get("bad", []):
            print(f"{b['outcome']}: --seed {b['seed']} --number {b['number']}: {b['detail']}\n{b['text']}", flush=True)
    summary = table(results)
    for kind, row in summary["rows"].items():
        print(f"{kind:<32}", "  ".join(f"{o}: {n}" for o, n in row.items() if n))
    print(f"{summary['programs']} programs, {summary['runs']} runs, {len(summary['bad'])} bad")
    return 1 if summary["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
