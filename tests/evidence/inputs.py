"""Damaged inputs: whatever a file contains, a command reports what is wrong and where, and never crashes.

`python -m tests.evidence.inputs --inputs 20000 --jobs 16` damages programs, headers, scripts, certificates and built files, and
puts each to a command: exit code 0, 1 or 2; bad input is told with its place; no stack trace, nothing half written, no long wait.
A damaged program that is still VERIFIED is run: it must behave as its contract says.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from optigpu.api import Script
from optigpu.check.verify import Verifier
from optigpu.cli import main as optigpu
from optigpu.frontend import parse_text
from optigpu.runtime.manifest import save
from optigpu.syntax.diagnostic import InputError
from tests.evidence import work
from tests.evidence.damage import DAMAGE, damaged
from tests.evidence.trial import WRONG, trial
from tests.support.limits import TooSlow, within

ROOT = Path(__file__).parents[2]
CHUNK = 50
SMALL, SECONDS, MORE_SECONDS = 2500, 10.0, 60.0  # bytes of a small program; CPU time for it, and for others
HANG = 150  # seconds until a command is stopped
MEMORY = 8 << 30  # bytes
PLACE = re.compile(r"[^\s:]+:\d+:\d+: ")
SCRIPT_PLACE = re.compile(r"[^\s:]+:\d+(:\d+)?: ")

TILE = """import optigpu as og

s = og.Script("copy.c")
s.loop.tile("i", 4, outer="t", tail="guard")
s.loop.unroll("i")
s.emit("out.c")
"""
LAUNCH = """import optigpu as og

s = og.Script("add.c")
s.loop.tile("i", 8, outer="b", tail="guard")
with s.phase("names"):
    s.loop.rename("i", "k")
    s.variable.bind("x", "a[b * 8 + k]", at=og.Write("c"))
s.print()
h = s.find(og.For("b") / og.For("k"))
s.emit("out.c")
"""
ADD = "examples/vector_add.c"


@dataclass(frozen=True)
class Input:
    """A file that can be damaged: what kind it is, its name in a folder, and what lies beside it."""

    origin: str
    kind: str  # program, header, script, certificate, built
    name: str
    data: bytes
    beside: tuple[tuple[str, bytes], ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()


PROGRAM_COMMANDS = (
    *[("check", "{}")] * 8, ("check", "{}", "--json"), ("check", "{}", "--show-proof"),
    ("check", "{}", "--certificate", "out.json"),
    ("parse", "{}"), ("print", "{}"), ("print", "{}", "--plain"), ("test", "{}", "--seconds", "0.2"), ("audit", "{}"),
    ("build", "{}", "-o", "out.c"), ("build", "{}", "-o", "out.cu"), ("bench", "{}"), ("run-c", "{}"),
)  # fmt: skip
SCRIPT_COMMANDS = (
    ("run", "{}", "--trace", "out.html"),
    ("diff", "{}"),
    ("build", "{}", "-o", "out2.c"),
    ("bench", "{}"),
)


@cache
def corpus() -> list[Input]:
    """Everything that is damaged."""
    return [*_programs(), *_scripts(), *_certificates(), *_built()]


@cache
def _pools() -> dict[str, list[Input]]:
    pools: dict[str, list[Input]] = {"programs": [], "malformed": [], "others": []}
    for i in corpus():
        malformed = i.origin.startswith("tests/malformed")
        pools["malformed" if malformed else "programs" if i.kind == "program" else "others"].append(i)
    return pools


def _programs() -> Iterator[Input]:
    library = [(p.name, p.read_bytes()) for p in sorted((ROOT / "examples" / "gpu" / "library").glob("*.h"))]
    for folder in ("examples", "tests/programs", "tests/malformed"):
        for path in sorted((ROOT / folder).rglob("*.c")):
            origin = path.relative_to(ROOT).as_posix()
            beside = tuple((f"library/{name}", text) for name, text in library)
            yield Input(origin, "program", "x.c", path.read_bytes(), beside, PROGRAM_COMMANDS)
    user = (ROOT / "examples" / "gpu" / "reduce_library.c").read_bytes()
    commands = tuple(tuple("x.c" if a == "{}" else a for a in c) for c in PROGRAM_COMMANDS)
    for name, text in library:
        yield Input(f"examples/gpu/library/{name}", "header", f"library/{name}", text, (("x.c", user),), commands)
    ghosts = ROOT / "src" / "optigpu" / "frontend" / "include" / "ghosts.h"
    yield Input("ghosts.h", "header", "x.c", ghosts.read_bytes(), (), PROGRAM_COMMANDS)


def _scripts() -> Iterator[Input]:
    beside = tuple((name, (ROOT / path).read_bytes()) for name, path in (("copy.c", "examples/copy.c"), ("add.c", ADD)))
    for name, text in (("tile", TILE), ("launch", LAUNCH)):
        yield Input(f"script {name}", "script", "x.py", text.encode(), beside, SCRIPT_COMMANDS)
        program = beside[0] if name == "tile" else beside[1]
        others = (("x.py", text.encode()), *beside)
        commands = tuple(tuple("x.py" if a == "{}" else a for a in c) for c in SCRIPT_COMMANDS)
        yield Input(f"program of script {name}", "script", program[0], program[1], others, commands)


def _certificates() -> Iterator[Input]:
    for origin in ("examples/sum.c", "examples/copy.c", "examples/gpu/vector_add.c"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "c.json"
            put("check", str(ROOT / origin), "--certificate", str(path))
            certificate = path.read_bytes()
        beside = (("x.c", (ROOT / origin).read_bytes()),)
        command = ("audit", "x.c", "--certificate", "{}")
        yield Input(f"certificate of {origin}", "certificate", "c.json", certificate, beside, (command,))


def _built() -> Iterator[Input]:
    with tempfile.TemporaryDirectory() as folder:
        save(Script(ROOT / "examples" / "gpu" / "vector_add.c").built_cuda(), Path(folder), "x")
        files = {name: (Path(folder) / name).read_bytes() for name in ("x.cu", "x.json")}
    bench = ("bench", "x.cu", "--cpu", "--size", "n=100", "--repeats", "1")
    for name, other in (("x.json", "x.cu"), ("x.cu", "x.json")):
        yield Input(f"built {name}", "built", name, files[name], ((other, files[other]),), (bench,))


@dataclass
class Answer:
    code: int
    out: str
    err: str
    seconds: float  # of CPU time


def put(*argv: str) -> Answer:
    """A command, in this process."""
    out, err = io.StringIO(), io.StringIO()
    start = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            code = optigpu(list(argv))
        except SystemExit as e:  # argparse
            code = e.code if isinstance(e.code, int) else 99
        except Exception:
            code = 99
            traceback.print_exc(file=err)
    return Answer(code, out.getvalue(), err.getvalue(), time.process_time() - start)


@dataclass
class Case:
    origin: str
    kind: str
    damage: str
    command: str
    outcome: str
    detail: str = ""
    data: bytes = b""
    runs: int = 0


BAD_INPUT, REJECTED, ACCEPTED = "bad input, told where", "not verified, or wrong", "accepted"
VERIFIED = "verified, and clean in all runs"
GOOD = (BAD_INPUT, REJECTED, ACCEPTED, VERIFIED)
BAD = (
    WRONG,
    "stack trace",
    "internal error",
    "no place",
    "nothing said",
    "half written",
    "too slow",
    "another exit code",
)


def case(seed: int, number: int, largest: int = 1 << 30) -> Case:
    """One damaged input put to one command; of files that are no larger than so many bytes."""
    r = Random(f"{seed}/{number}")
    pool = r.choices(list(_pools().values()), [0.6, 0.1, 0.3])[0]
    chosen = r.choice([i for i in pool if len(i.data) <= largest])
    names, data = _damaged(chosen, r)
    command = r.choice(chosen.commands)
    before = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="inputs-") as folder:
        here = Path(folder)
        for name, text in (*chosen.beside, (chosen.name, data)):
            (here / name).parent.mkdir(exist_ok=True)
            (here / name).write_bytes(text)
        input_files = {p.relative_to(here).as_posix() for p in here.rglob("*")}
        os.chdir(here)
        try:
            outcome, detail, runs = judged(
                chosen, data, [chosen.name if a == "{}" else a for a in command], input_files, number
            )
        finally:
            os.chdir(before)
    return Case(chosen.origin, chosen.kind, "+".join(names), " ".join(command), outcome, detail, data, runs)


def _damaged(chosen: Input, r: Random) -> tuple[list[str], bytes]:
    """A damage; for half of the programs one of a few that leaves a program, if there is one: the checker should see some."""
    tries = 8 if chosen.kind == "program" and r.random() < 0.5 else 1
    for _ in range(tries):
        names = r.choices(list(DAMAGE), k=r.choice([1, 1, 1, 2, 3]))
        data = damaged(chosen.data, names, r)
        with contextlib.suppress(InputError, UnicodeDecodeError):
            parse_text(data.decode())
            break
    return names, data


def judged(chosen: Input, data: bytes, argv: list[str], input_files: set[str], number: int) -> tuple[str, str, int]:
    limit = SECONDS if max(len(data), len(chosen.data)) <= SMALL else MORE_SECONDS
    try:
        with within(HANG):
            answer = put(*argv)
    except TooSlow:
        return "too slow", f"no answer in {HANG} s", 0
    output = answer.out + answer.err
    fault = faulty(chosen, argv, answer, output) or left_over(answer, input_files)
    if fault is None and answer.seconds > limit:
        fault = "too slow", f"{answer.seconds:.1f} s"
    if fault is not None:
        return *fault, 0
    if answer.code == 0 and argv[0] == "check":
        t = trial(Path(argv[1]).read_bytes().decode(), Verifier(), seed=number, runs=15, seconds=1.0, limit=HANG)
        if t.outcome in (WRONG, "crashed"):
            return WRONG, f"{t.outcome}: {t.detail}", t.runs
        return VERIFIED, "", t.runs
    return {0: ACCEPTED, 1: REJECTED, 2: BAD_INPUT}[answer.code], "", 0


def faulty(chosen: Input, argv: list[str], answer: Answer, output: str) -> tuple[str, str] | None:
    """What is wrong with an answer."""
    if "Traceback" in output or ('File "' in output and chosen.kind != "script"):
        return "stack trace", output[-3000:]
    if "internal error" in output or answer.code == 3:
        return "internal error", output[-3000:]
    if answer.code not in (0, 1, 2):
        return "another exit code", f"{answer.code}: {output[-3000:]}"
    if answer.code and not output.strip():
        return "nothing said", str(answer.code)
    if answer.code == 2 and chosen.kind in ("program", "header", "script") and not told_where(argv, output):
        return "no place", output[-3000:]
    return None


NO_PLACE = ("no GPU was found", "compiler", "launches no kernel", "makes no script", "no function", "cannot be tested")


def told_where(argv: list[str], output: str) -> bool:
    where = SCRIPT_PLACE if argv[1].endswith(".py") else PLACE
    return bool(where.search(output)) or any(words in output for words in NO_PLACE)


def left_over(answer: Answer, input_files: set[str]) -> tuple[str, str] | None:
    """Files that a command should not have left: half written ones, or output of what failed."""
    new = {p.relative_to(Path.cwd()).as_posix() for p in Path.cwd().rglob("*")} - input_files
    half = {n for n in new if Path(n).name.startswith(".") or n.endswith(".new")}
    return ("half written", ", ".join(sorted(half))) if half else None


def chunk(task: work.Task) -> dict[str, Any]:
    name, (seed, start, count) = task
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    outcomes, bad, runs = Counter[str](), [], 0
    folder = tempfile.mkdtemp(prefix="inputs-cache-")
    os.environ |= {"OPTIGPU_CACHE": folder, "PATH": ""}  # no compilers
    try:
        for number in range(start, start + count):
            c = case(seed, number)
            runs += c.runs
            outcomes[f"{c.kind}: {c.outcome}"] += 1
            for damage in c.damage.split("+"):
                outcomes[f"damage {damage}: {c.outcome}"] += 1
            outcomes[f"command {c.command.split()[0]}: {c.outcome}"] += 1
            if c.outcome in BAD:
                description = {
                    "seed": seed,
                    "number": number,
                    "origin": c.origin,
                    "damage": c.damage,
                    "command": c.command,
                }
                bad.append({**description, "outcome": c.outcome, "detail": c.detail})
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return {"task": name, "outcomes": outcomes, "runs": runs, "bad": bad}


KINDS = ("program", "header", "script", "certificate", "built")


def table(results: list[dict[str, Any]]) -> dict[str, Any]:
    """What all chunks found, as the page shows it."""
    total = Counter[str]()
    for r in results:
        total.update(r.get("outcomes", {}))
    rows: dict[str, dict[str, int]] = {}
    for key, n in sorted(total.items()):
        what, _, outcome = key.partition(": ")
        row = rows.setdefault(what, dict.fromkeys((*GOOD, "bad"), 0))
        row[outcome if outcome in GOOD else "bad"] += n
    return {
        "inputs": sum(sum(rows.get(kind, {}).values()) for kind in KINDS),
        "runs": sum(r.get("runs", 0) for r in results),
        "rows": rows,
        "bad": [b for r in results for b in r.get("bad", [])],
        "lost": [r["task"] for r in results if "lost" in r],
    }


def bad_input_text(b: dict[str, Any]) -> str:
    place = f"--seed {b['seed']} --number {b['number']}"
    return f"{b['outcome']}: {place}: {b['origin']} ({b['damage']}), {b['command']}\n{b['detail']}"


def main() -> int:
    parser = work.arguments("inputs", __doc__)
    parser.add_argument("--inputs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, help="only this input: print it and what was found")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    corpus()
    if args.number is not None:
        c = case(args.seed, args.number)
        sys.stdout.buffer.write(c.data[:100_000])
        print(f"\n{c.origin} ({c.damage}), {c.command}: {c.outcome}\n{c.detail}")
        return int(c.outcome in BAD)
    starts = range(0, args.inputs, CHUNK)
    counts = [min(CHUNK, args.inputs - start) for start in starts]
    tasks = [(f"{args.seed}:{start}+{n}", (args.seed, start, n)) for start, n in zip(starts, counts)]
    results = []
    for r in work.run(tasks, chunk, args):
        results.append(r)
        for b in r.get("bad", []):
            print(bad_input_text(b), flush=True)
    summary = table(results)
    for what, row in summary["rows"].items():
        print(f"{what:<32}", "  ".join(f"{o}: {n}" for o, n in row.items() if n))
    print(
        f"{summary['inputs']} inputs, {summary['runs']} runs, {len(summary['bad'])} bad, {len(summary['lost'])} chunks lost"
    )
    return 1 if summary["bad"] or summary["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
