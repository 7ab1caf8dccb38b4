"""Random scripts: random transformations with random arguments, applied to the examples one after the other.

Whatever is asked, a step is refused (InputError), rejected by the checker (StepError, and the program is as it was), or leaves a
program that computes what the original does. `python -m tests.support.random_scripts --steps 5000` looks for a step that does not.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_file, parse_text
from optigpu.script.editing import statements_of
from optigpu.script.step import Step
from optigpu.script.step_errors import StepError
from optigpu.script.transformation import TransformGroup
from optigpu.syntax import program as sp
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Program, Role
from optigpu.syntax.source import NOWHERE
from optigpu.transform.registry import GROUPS, GpuTransforms, TransformSession, transformations_of
from tests.support.limits import TooSlow, within
from tests.support.random_arguments import Draw, arguments_for
from tests.support.same_behaviour import Behaviour

ROOT = Path(__file__).parent.parent.parent
SOURCES = [*sorted((ROOT / "examples").glob("*.c")), *sorted((ROOT / "examples" / "scripts").glob("*.c"))]
KERNELS = sorted((ROOT / "examples" / "gpu").glob("*.c"))
THREADS = (sp.Mode.THREAD, sp.Mode.MAGIC_THREAD)
LENGTH = 14  # attempts in one script
HEAVY = {"loop.unroll", "loop.split_range", "instr.copy", "loop.fission"}  # let programs grow: drawn less often


def transformations() -> list[tuple[type[TransformGroup], str, Callable[..., Any]]]:
    """Those of programs for the CPU."""
    groups = [group for group in GROUPS if group is not GpuTransforms]  # kernels do not run as C
    return [(group, name, f) for group in groups for name, f in transformations_of(group).items()]


class Quick(TransformSession):
    """A script that explains few of its rejections: to explain is to prove again."""

    explains = False

    def rejection(self, step: Step, result: ProgramResult) -> StepError:
        if self.explains:
            return super().rejection(step, result)
        return StepError(step, None, Diagnostic("OG300", "rejected", NOWHERE), {})


@dataclass
class Tally:
    outcomes: Counter[str] = field(default_factory=Counter)
    by_name: Counter[tuple[str, str]] = field(default_factory=Counter)
    bugs: list[str] = field(default_factory=list)
    runs: int = 0
    compiled: int = 0

    @property
    def steps(self) -> int:
        return sum(self.outcomes.values())

    def count(self, name: str, outcome: str) -> None:
        self.outcomes[outcome] += 1
        self.by_name[name, outcome] += 1


def sequences(seed: int, sources: list[Path]) -> Iterator[tuple[int, Path]]:
    number = 0
    while True:
        order = list(sources)
        random.Random(f"{seed}/{number}").shuffle(order)
        for path in order:
            yield number, path
            number += 1


def run_sequence(
    seed: int,
    number: int,
    path: Path,
    verifier: Verifier,
    tally: Tally,
    *,
    length: int = LENGTH,
    compiled: float = 0.1,
    limit: int = 0,
) -> None:
    """One random script. What goes wrong is noted in the tally, with how to see it again."""
    rng = random.Random(f"{seed}:{number}")
    try:
        script = Quick(parse_file(path), verifier=verifier)
    except StepError:
        tally.bugs.append(f"{path.name} is not verified")
        return
    behaviour = Behaviour(script.original, rng.randrange(1000))
    known = transformations()
    weights = [0.3 if f"{group.name}.{name}" in HEAVY else 1.0 for group, name, _ in known]
    done: list[str] = []

    def bug(what: str) -> None:
        steps = "\n".join(f"    {title}" for title in done)
        tally.bugs.append(f"--seed {seed} --sequence {number} ({path.name}): {what}\n{steps}")

    for _ in range(length):
        group, name, f = rng.choices(known, weights)[0]
        full = f"{group.name}.{name}"
        before, count = script.program, len(script.steps)
        try:
            args, kwargs = arguments_for(Draw(rng, script), full, f)
        except LookupError:
            continue  # there is nothing of the kind in this program
        script.explains = rng.random() < 0.05
        call = f"{full}({', '.join([*map(repr, args), *(f'{k}={v!r}' for k, v in kwargs.items())])})"
        try:
            with within(limit):
                getattr(getattr(script, group.name), name)(*args, **kwargs)
        except (InputError, StepError, TooSlow) as e:
            refused = {InputError: "refused", StepError: "rejected"}.get(type(e), "too slow")
            tally.count(full, refused)
            if script.program is not before or len(script.steps) != count:
                bug(f"{refused}, but the program was changed: {call}")
                return
            continue
        except Exception:
            tally.count(full, "crashed")
            bug(f"crashed: {call}\n{traceback.format_exc(limit=-6)}")
            return
        done.append(script.steps[-1].title)
        tally.count(full, "accepted")
        if script.program is before:
            continue
        wrong = malformed(script.program)
        if wrong is None:
            also = rng.random() < compiled and not has_kernels(script.program)
            wrong = behaviour.difference(script.program, rng, compiled=also)
        if wrong is not None:
            text = print_program(script.program)
            bug(f"WRONG after {call}: {wrong}\nbefore:\n{print_program(before)}\nafter:\n{text}")
            return
        if len(list(sp_statements(script.program))) > 150:
            break
    tally.runs += behaviour.runs
    tally.compiled += behaviour.compiled


def sp_statements(program: Program) -> Iterator[sp.Stmt]:
    return (s for f in program.functions() for _, s in statements_of(f))


def malformed(program: Program) -> str | None:
    """What every result must be: one id a statement, the same program when printed and parsed, C."""
    statement_ids = [s.id for f in program.functions() if f.role is not Role.GHOST for _, s in statements_of(f)]
    if len(set(map(id, statement_ids))) != len(statement_ids):
        return "two statements share an id"
    try:
        reparsed = parse_text(print_program(program), program.file)
    except InputError as e:
        return f"the printed program does not parse: {e.diagnostic.message}"
    if reparsed.items != program.items:
        return f"the printed program is another one when parsed: {first_difference(program.items, reparsed.items)}"
    if not has_kernels(program):
        emit_c(program)
    return None


def has_kernels(program: Program) -> bool:
    return any(isinstance(s, sp.For) and s.mode in THREADS for s in sp_statements(program))


def first_difference(a: Any, b: Any) -> str:
    """The innermost nodes in which two programs differ."""
    if type(a) is type(b) and isinstance(a, tuple) and len(a) == len(b):
        return next((first_difference(x, y) for x, y in zip(a, b) if x != y), "nothing")
    if type(a) is type(b) and is_dataclass(a):
        for part in fields(a):
            x, y = getattr(a, part.name), getattr(b, part.name)
            if part.compare and x != y:
                return first_difference(x, y)
    return f"{a} and {b}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sequence", type=int, help="only this one, as a failure names it")
    parser.add_argument("--gpu", action="store_true", help="the examples with kernels")
    parser.add_argument("--only", help="examples whose name contains this")
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    tally, start = Tally(), time.perf_counter()
    verifier = Verifier(Settings())
    sources = [p for p in (KERNELS if args.gpu else SOURCES) if args.only is None or args.only in p.name]
    printed_bugs = 0
    for number, path in sequences(args.seed, sources):
        if args.sequence is not None and number < args.sequence:
            continue
        run_sequence(args.seed, number, path, verifier, tally, limit=30)
        if len(tally.bugs) > printed_bugs:
            print("\n".join(tally.bugs[printed_bugs:]), flush=True)
            printed_bugs = len(tally.bugs)
        if number % 50 == 49:
            print(f"{tally.steps} steps, {time.perf_counter() - start:.0f} s: {dict(tally.outcomes)}", flush=True)
            verifier = Verifier(Settings())
        done = tally.steps >= args.steps or time.perf_counter() - start > args.seconds
        if done or args.sequence is not None:
            break
    print(f"{'transformation':<26} accepted rejected refused  too slow  crashed")
    for group, name, _ in transformations():
        full = f"{group.name}.{name}"
        row = [tally.by_name[full, o] for o in ("accepted", "rejected", "refused", "too slow", "crashed")]
        print(f"{full:<26} {row[0]:>8} {row[1]:>8} {row[2]:>7} {row[3]:>9} {row[4]:>8}")
    print(
        f"{tally.steps} steps: {dict(tally.outcomes)}; {tally.runs} runs by the interpreter, {tally.compiled} compiled programs;"
        f" {len(tally.bugs)} bugs; {time.perf_counter() - start:.0f} s"
    )
    return 1 if tally.bugs else 0


if __name__ == "__main__":
    sys.exit(main())
