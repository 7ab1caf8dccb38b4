"""All single mutants of all programs: those that misbehave in a run must be rejected.

`python -m tests.evidence.program_mutants --jobs 16` mutates every example, every hand-written kernel and the last program of every
script, puts each mutant to the checker and runs it in the interpreter.
"""

from __future__ import annotations

import re
import runpy
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from optigpu.api import Script, observe
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_file, parse_text
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Include, Program, TopLevel
from tests.evidence import work
from tests.evidence.mutations import distinct_mutants, rendered
from tests.evidence.smaller import SMALLER, Sizes, smaller_script, with_sizes
from tests.evidence.trial import OUTCOMES, WRONG, trial

ROOT = Path(__file__).parents[2]
SOURCES = [*sorted((ROOT / "examples").glob("*.c")), *sorted((ROOT / "examples" / "scripts").glob("*.c"))]
KERNELS = [
    *sorted((ROOT / "examples" / "gpu").glob("*.c")),
    *sorted((ROOT / "examples" / "gpu" / "fast").glob("*.c")),
    *sorted((ROOT / "examples" / "gpu" / "scripts").glob("*.c")),
    *sorted((ROOT / "tests" / "programs" / "gpu").glob("*.c")),
]
SCRIPTS = [
    *sorted((ROOT / "examples" / "scripts").glob("*.py")),
    *sorted((ROOT / "examples" / "gpu" / "scripts").glob("*.py")),
]
CHUNK = 12
LIMIT = 15  # seconds for one mutant
RUNS, SECONDS = 32, 2.0  # of a mutant that is verified: half as many of one that is not
BAD = (WRONG, "crashed")
SMALL = "[small]"  # after the name of a kernel with smaller tiles and blocks


def finished(path: Path) -> Script:
    """A script after its last step."""
    scripts: list[Script] = []
    before = sys.argv, sys.stdout
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    try:
        with observe(lambda script, step: scripts.append(script)):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        sys.argv, sys.stdout = before
        sys.path.pop(0)
    return scripts[-1]


def whole(path: Path) -> str:
    """The text of a program with that of the files it includes."""
    program = parse_file(path)
    return print_program(replace(program, items=tuple(opened(program.items))))


def opened(items: Iterable[TopLevel]) -> Iterator[TopLevel]:
    for item in items:
        if isinstance(item, Include) and item.items:
            yield from opened(item.items)
        else:
            yield item


def texts(which: str) -> Iterator[tuple[str, str]]:
    """Names and texts of the programs that are mutated."""
    for path in SOURCES if which in ("all", "cpu") else []:
        yield path.relative_to(ROOT).as_posix(), whole(path)
    for path in KERNELS if which in ("all", "gpu") else []:
        name = path.relative_to(ROOT).as_posix()
        sizes = SMALLER.get(name)
        yield (name, whole(path)) if sizes is None else (name + SMALL, with_sizes(whole(path), sizes))
    for path in SCRIPTS if which in ("all", "scripts") else []:
        name = path.relative_to(ROOT).as_posix()
        sizes = SMALLER.get(name)
        yield name if sizes is None else name + SMALL, last_program(path, sizes)


def last_program(path: Path, sizes: Sizes | None) -> str:
    """Of a script; kept, since it takes its time."""
    small = "" if sizes is None else "-small"
    kept = work.RESULTS / "programs" / f"{path.parent.parent.name}-{path.stem}{small}.c"
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        made = path if sizes is None else smaller_script(path, sizes, kept.parent / kept.stem)
        kept.write_text(print_program(finished(made).program), encoding="utf-8")
    return kept.read_text(encoding="utf-8")


@cache
def mutants_of(text: str) -> list[tuple[str, Program]]:
    """Found once, before the processes that try them are forked."""
    return distinct_mutants(parse_text(text, "original.c"))


def chunk(task: work.Task) -> dict[str, Any]:
    name, (program, numbers) = task
    verifier, original = Verifier(), parse_text(program, "original.c")
    if len(list(original.functions())) > 1:
        verifier.verify(original)  # functions that a mutation leaves alone are proved once
    mutants = mutants_of(program)
    outcomes, kinds, bad, clean, runs = Counter[str](), Counter[str](), [], [], 0
    for kind, tree in (mutants[n] for n in numbers):
        text = rendered(tree)
        if text is None:
            continue
        t = trial(text, verifier, runs=RUNS, other_runs=RUNS // 2, seconds=SECONDS, limit=LIMIT)
        outcomes[t.outcome] += 1
        kinds[f"{kind.removeprefix('contract: ')}: {t.outcome}"] += 1
        runs += t.runs
        if t.outcome in BAD:
            bad.append({"kind": kind, "outcome": t.outcome, "detail": t.detail, "text": t.text})
        elif t.outcome == "rejected, clean in all runs":
            clean.append(f"{kind} ({t.says})")
    return {"task": name, "outcomes": outcomes, "kinds": kinds, "bad": bad, "clean": clean, "runs": runs}


def tasks(which: str, only: str | None, sample: int) -> list[work.Task]:
    """Mutants in an order of their own, so that a run that is stopped has tried some of every kind, of every program."""
    out: list[tuple[int, work.Task]] = []
    for name, text in texts(which):
        if only is None or only in name:
            numbers = list(range(len(mutants_of(text))))
            Random(name).shuffle(numbers)
            for i in range(0, min(sample or len(numbers), len(numbers)), CHUNK):
                out.append((i, (f"{name} {i}+{CHUNK}/{len(numbers)}", (text, numbers[i : i + CHUNK]))))
    return [task for _, task in sorted(out, key=lambda item: item[0])]


def table(results: list[dict[str, Any]]) -> dict[str, Any]:
    lost = [r["task"] for r in results if "lost" in r]
    results = [r for r in results if "lost" not in r]
    rows: dict[str, Counter[str]] = {}
    shares: dict[str, tuple[int, int]] = {}
    kinds = Counter[str]()
    for r in results:
        name, _, part = r["task"].partition(" ")
        rows.setdefault(name, Counter()).update(r["outcomes"])
        start, size, of = map(int, re.split(r"[+/]", part))
        shares[name] = shares.get(name, (0, of))[0] + min(size, of - start), of
        kinds.update(r["kinds"])
    by_kind: dict[str, dict[str, int]] = {}
    for key, n in kinds.items():
        kind, _, outcome = key.partition(": ")
        by_kind.setdefault(kind, dict.fromkeys(OUTCOMES, 0))[outcome] += n
    return {
        "rows": {name: {o: row[o] for o in OUTCOMES} for name, row in sorted(rows.items())},
        "shares": {name: tried / of for name, (tried, of) in shares.items()},
        "kinds": dict(sorted(by_kind.items())),
        "runs": sum(r["runs"] for r in results),
        "bad": [b for r in results for b in r["bad"]],
        "lost": lost,
    }


def main() -> int:
    parser = work.arguments("program_mutants", __doc__)
    parser.add_argument("--which", choices=("all", "cpu", "gpu", "scripts"), default="all")
    parser.add_argument("--only", help="programs whose path contains this")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants of each program (0: all)")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    results = []
    for r in work.run(tasks(args.which, args.only, args.sample), chunk, args):
        results.append(r)
        for b in r.get("bad", []):
            print(f"{b['outcome']}: {r['task']} {b['kind']}: {b['detail']}\n{b['text']}", flush=True)
    summary = table(results)
    for name, row in summary["rows"].items():
        print(f"{name:<40}", "  ".join(f"{o}: {n}" for o, n in row.items() if n))
    print(
        f"{sum(sum(r.values()) for r in summary['rows'].values())} mutants, {summary['runs']} runs, {len(summary['bad'])} bad"
    )
    return 1 if summary["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
