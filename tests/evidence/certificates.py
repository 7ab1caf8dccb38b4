"""Certificates: every proof replays without the search, and no changed certificate makes `audit` accept a false statement.

`python -m tests.evidence.certificates --jobs 16` writes the certificate of every example, hand-written kernel and last program of a
script, replays it, and replays it again with one thing in the file changed. As the file has a hash of all its parts, every change
must be detected. Then the changed file gets the hash that it should have, as somebody would who wants to deceive: the change is
detected by what else `audit` compares or by the kernel, or what is left is still a proof of the same program and contract.
"""

from __future__ import annotations

import copy
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from optigpu.check.audit import audit
from optigpu.check.audit import certified as claims
from optigpu.check.certificate import sealed
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_file
from optigpu.solver.answer_cache import CachedSolver
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.program import Program
from tests.evidence import work
from tests.evidence.program_mutants import KERNELS, ROOT, SCRIPTS, SOURCES, finished
from tests.support.limits import TooSlow, within

OUTCOMES = DETECTED, STILL, CRASHED, SLOW = "detected", "still a proof", "crashed", "too slow"
LIMIT = 60
PATHS = {
    "cpu": SOURCES,
    "gpu": [*KERNELS, *sorted((ROOT / "examples" / "gpu" / "fast").glob("*.c"))],
    "scripts": SCRIPTS,
}


def places(x: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every node of a JSON value."""
    yield path
    if isinstance(x, dict):
        for key, y in x.items():
            yield from places(y, (*path, key))
    elif isinstance(x, list):
        for i, y in enumerate(x):
            yield from places(y, (*path, i))


def changes(x: Any, random: Random) -> list[tuple[str, Any]]:
    """Other values for a node, with the kind of the change."""
    if isinstance(x, bool):
        return [("truth value", not x)]
    if isinstance(x, int):
        return [("number", x + 1), ("number", x - 1)]
    if isinstance(x, str):
        number = x.lstrip("-").isdigit()
        return [("number", str(int(x) + 1)), ("number", str(-int(x)))] if number else [("name", x + "x"), ("name", "")]
    if x is None:
        return [("nothing", 0)]
    if isinstance(x, list) and x:
        i, j = random.randrange(len(x)), random.randrange(len(x))
        swapped = list(x)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        return [("left out", x[:i] + x[i + 1 :]), ("doubled", [*x[:i], x[i], *x[i:]]), ("swapped", swapped)]
    if isinstance(x, dict) and x:
        key = random.choice(sorted(x))
        return [("left out", {k: v for k, v in x.items() if k != key})]
    return []


def put(data: Any, path: tuple[Any, ...], new: Any) -> Any:
    out = copy.deepcopy(data)
    if not path:
        return new
    node = out
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = new
    return out


def tampered(text: str, count: int, seed: int = 0) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """So many changed certificates: the part of the file and the kind of the change, the place, and what the file says then."""
    data, random = json.loads(text), Random(seed)
    everywhere = [p for p in places(data) if p]
    steps = [p for p in everywhere if p[0] == "proofs"]
    header = [p for p in everywhere if p[0] not in ("proofs", "terms")]
    for n in range(count):
        path = random.choice(header if n % 10 == 0 else steps if n % 2 else everywhere)
        node = data
        for step in path:
            node = node[step]
        options = [(kind, new) for kind, new in changes(node, random) if new != node]
        if options:
            kind, new = random.choice(options)
            yield f"{path[0]}, {kind}", where(data, path), put(data, path, new)


def where(data: Any, path: tuple[Any, ...]) -> str:
    """A place for people: the rule and its argument, in a proof."""
    if path[0] == "proofs" and len(path) > 2:
        rule = data["proofs"][path[1]][path[2]]["rule"]
        return ".".join(map(str, (rule, *path[3:])))
    return ".".join(map(str, path))


def outcome(program: Program, text: str, solver: CachedSolver) -> str:
    try:
        with within(LIMIT):
            audited = audit(program, text, solver)
    except ValueError:
        return DETECTED
    except TooSlow:
        return SLOW
    except Exception as e:
        return f"{CRASHED}: {type(e).__name__}: {e}"
    return DETECTED if audited.failures else STILL


def certified(path: Path) -> tuple[Program, str] | None:
    """A program and its certificate; of a script, what it made last, read back from the certificate. None if it is not verified."""
    if path.suffix == ".py":
        script = finished(path)
        text = certificate_of(script.program, script.result)
        return claims(text).program, text
    program = parse_file(path)
    result = Verifier().verify(program)
    return (program, certificate_of(program, result)) if result.verified else None


def examine(program: Program, certificate: str, count: int) -> dict[str, Any]:
    """A certificate, as it is and tampered with."""
    solver = CachedSolver(Z3Solver())
    replayed = outcome(program, certificate, solver)
    outcomes, bad, still = Counter[str](), [], Counter[str]()
    for kind, place, changed in tampered(certificate, count):
        plain = json.dumps(changed, separators=(",", ":"), sort_keys=True) + "\n"
        plainly = outcome(program, plain, solver)
        what = outcome(program, sealed(changed) if place != "seal" else plain, solver)
        outcomes[f"{kind}: {what.partition(':')[0]}"] += 1
        if plainly != DETECTED or what.startswith(CRASHED):
            bad.append(f"{kind} at {place}: {plainly}; sealed again, {what}")
        if what == STILL:
            still[f"{kind}: {place}"] += 1
    return {
        "replays": replayed == STILL,
        "functions": len(json.loads(certificate)["proofs"]),
        "bytes": len(certificate),
        "outcomes": outcomes,
        "still": still,
        "bad": bad,
    }


def task(t: work.Task) -> dict[str, Any]:
    name, (path, count) = t
    certificate = certified(path)
    return (
        {"task": name, "verified": False}
        if certificate is None
        else {"task": name, "verified": True, **examine(*certificate, count)}
    )


def table(results: list[dict[str, Any]]) -> dict[str, Any]:
    outcomes = Counter[str]()
    for r in results:
        outcomes.update(r.get("outcomes", {}))
    rows: dict[str, dict[str, int]] = {}
    for key, n in sorted(outcomes.items()):
        kind, _, what = key.partition(": ")
        rows.setdefault(kind, dict.fromkeys(OUTCOMES, 0))[what] += n
    return {
        "programs": len([r for r in results if r.get("verified")]),
        "replay": len([r for r in results if r.get("replays")]),
        "rows": rows,
        "bad": [f"{r['task']}: {b}" for r in results for b in r.get("bad", [])],
        "not verified": [r["task"] for r in results if not r.get("verified", True)],
        "lost": [r["task"] for r in results if "lost" in r],
    }


def main() -> int:
    parser = work.arguments("certificates", __doc__)
    parser.add_argument("--which", choices=("all", "cpu", "gpu", "scripts"), default="all")
    parser.add_argument("--changes", type=int, default=60, help="of each certificate")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    paths = [p for which, some in PATHS.items() if args.which in ("all", which) for p in some]
    tasks = [(p.relative_to(ROOT).as_posix(), (p, args.changes)) for p in paths]
    summary = table(list(work.run(tasks, task, args)))
    print(json.dumps(summary, indent=2))
    return 1 if summary["bad"] or summary["replay"] != summary["programs"] else 0


if __name__ == "__main__":
    sys.exit(main())
