"""One program text, four results: C compiler, interpreter, emitted C and checker agree wherever C defines the result.

`python -m tests.evidence.meanings --programs 5000 --jobs 2` looks for a function that they read differently. Each has its arguments
as precondition. The checker must not prove that the result is not what C computes, and should prove that it is. Where an
intermediate value overflows in C, the program still has a meaning (docs/language.md): then the interpreter and the C that is
emitted have to agree. Where the interpreter says that a function misbehaves (a number does not fit the place it is put into, a
division by zero), the checker must not verify it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

from optigpu.check.verify import Verifier
from optigpu.codegen.c import emit_c
from optigpu.codegen.conversions import PREFIX
from optigpu.frontend import parse_text
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.runner import Runner
from optigpu.runtime.compilers import c_compiler
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.source import NOWHERE
from tests.evidence import work
from tests.evidence.small_functions import FLOATS, SmallFunction, SmallFunctionMaker, literal
from tests.evidence.trial import OVERFLOW
from tests.support.limits import TooSlow, within

CHUNK = 40
LIMIT = 3  # seconds of the processor for one check
BAD = "disagree"  # must never happen
PROVED, OPEN, REJECTED = "all agree", "agree, checker cannot tell", "agree, checker rejects the run"
ROUNDED, OVERFLOWS, UNDEFINED, REFUSED = "rounded", "overflow", "undefined in C", "not in the language"
OUTCOMES = (BAD, PROVED, OPEN, REJECTED, ROUNDED, OVERFLOWS, UNDEFINED, REFUSED, "too slow")

INCLUDE = "#include <optigpu.h>\n"
UNDEFINED_TRAPS = (
    "-O0",
    "-fsanitize=undefined,float-cast-overflow,float-divide-by-zero",
    "-fsanitize-undefined-trap-on-error",
)
OPTIMISED = ("-O2",)
# each function in a process of its own, so that one that is undefined does not end the others
DRIVER = r"""
#include <fenv.h>
#include <stdio.h>
#include <stdint.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>
{calls}
static void (*const calls[])(void) = {{{names}}};
int main(void) {{
  for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++) {{
    fflush(stdout);
    if (fork() == 0) {{
      alarm(2);
      calls[i]();
      fflush(stdout);
      _exit(0);
    }}
    int status;
    wait(&status);
    if (status != 0) printf("undefined\n");
  }}
  return 0;
}}
"""


@dataclass(frozen=True)
class Computed:
    """What a compiled function returned; nothing where that is undefined."""

    value: Fraction | None
    rounded: bool = False


@dataclass(frozen=True)
class Meaning:
    outcome: str
    detail: str = ""


def program(seed: int, number: int) -> SmallFunction:
    return SmallFunctionMaker(Random(f"meanings/{seed}/{number}"), number).make()


def caller(f: SmallFunction) -> str:
    """A C function that prints the result, and whether a float was rounded."""
    form, type_ = ("%a", "double") if f.result in FLOATS else ("%lld", "long long")
    show = f'printf("{form} %d\\n", ({type_})result, !!fetestexcept(FE_INEXACT));'
    return f"static void call_{f.name}(void) {{ feclearexcept(FE_ALL_EXCEPT); {f.call()} {show} }}\n"


def computed(texts: Sequence[str], functions: Sequence[SmallFunction], flags: tuple[str, ...]) -> list[Computed]:
    """The functions of these texts, compiled together and called once each."""
    calls = "".join(caller(f) for f in functions)
    driver = DRIVER.format(calls=calls, names=", ".join(f"call_{f.name}" for f in functions))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "functions.c"), Path(folder, "functions")
        source.write_text("\n".join([*together(texts), driver]), encoding="utf-8")
        header = str(files("optigpu.frontend") / "include")
        compiler = c_compiler() or "cc"
        options = ("-std=c11", "-w", "-ffp-contract=off", *flags, "-I", header)
        command = [compiler, *options, "-o", str(target), str(source), "-lm"]
        compiled = subprocess.run(command, check=False, capture_output=True, text=True)
        if compiled.returncode:
            raise ValueError(f"C rejects what was accepted, or emitted:\n{compiled.stderr}")
        lines = subprocess.run([str(target)], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == len(functions)
    return [read_line(line) for line in lines]


def together(texts: Sequence[str]) -> list[str]:
    """Emitted texts in one file, which has each conversion of floats once."""
    lines = "\n".join(texts).splitlines()
    helpers = [x for x in lines if PREFIX in x and x.startswith("static inline")]
    return ["#include <stdint.h>", *dict.fromkeys(helpers), *(x for x in lines if x not in helpers)]


def read_line(line: str) -> Computed:
    value, _, rounded = line.partition(" ")
    if value == "undefined" or "inf" in value or "nan" in value:
        return Computed(None)
    return Computed(Fraction(float.fromhex(value)) if "x" in value else Fraction(int(value)), rounded == "1")


def interpreted(text: str, f: SmallFunction) -> Fraction | Misbehaviour:
    arguments = [
        bool(v) if t == "bool" else int(v) if v.denominator == 1 else v for (_, t), v in zip(f.params, f.arguments)
    ]
    try:
        return Fraction(Runner(parse_text(text)).start().call(f.name, arguments, NOWHERE))
    except Misbehaviour as m:
        return m


def proved(f: SmallFunction, value: Fraction, verifier: Verifier) -> tuple[bool, bool]:
    """Whether the checker proves that the result is this value, and that it is another."""
    value_text = literal(value, f.result)
    text = (
        INCLUDE + f.above + f.text(f.name, f"_Res == {value_text}") + f.text(f.name + "_not", f"_Res != {value_text}")
    )
    result = verifier.verify(parse_text(text))
    verdicts = {r.name: r.verdict.name == "VERIFIED" for r in result.functions}
    return verdicts.get(f.name, False), verdicts.get(f.name + "_not", False)


def accepted(f: SmallFunction, text: str, verifier: Verifier) -> bool:
    """Whether the checker verifies the function, whatever its result is."""
    return any(r.name == f.name and r.verdict.name == "VERIFIED" for r in verifier.verify(parse_text(text)).functions)


def compared(f: SmallFunction, text: str, readings: Sequence[Computed], verifier: Verifier) -> Meaning:
    """`readings`: the text and what is emitted for it, each as it stands (with traps) and optimised."""
    ours = interpreted(text, f)
    there, there_fast, emitted, emitted_fast = readings
    try:
        with within(LIMIT):
            if isinstance(ours, Misbehaviour) and accepted(f, text, verifier):
                return Meaning(BAD, f"verified, but {ours.message}")
            if there.value is None:
                if isinstance(ours, Misbehaviour):
                    return Meaning(OVERFLOWS if ours.code == OVERFLOW else UNDEFINED)
                # an intermediate value that overflows in C: what is emitted has the bits for it
                there = there_fast = Computed(ours, emitted.rounded)
            if there.value != there_fast.value:
                return Meaning(ROUNDED if there.rounded else BAD, f"C: {there.value}, optimised {there_fast.value}")
            if isinstance(ours, Misbehaviour) and ours.code == OVERFLOW:
                return Meaning(OVERFLOWS)  # a conversion that C leaves to the compiler
            others = {"emitted": emitted.value, "emitted, optimised": emitted_fast.value}
            if not isinstance(ours, Misbehaviour):
                others["interpreted"] = ours
            different = {who: v for who, v in others.items() if v != there.value}
            if different:
                return Meaning(ROUNDED if there.rounded else BAD, f"C: {there.value}, {different}")
            assert there.value is not None
            same, another = proved(f, there.value, verifier)
    except TooSlow:
        return Meaning("too slow")
    if another:
        return Meaning(BAD, f"the checker proves that it is not {there.value}")
    if isinstance(ours, Misbehaviour):
        return Meaning(REJECTED)
    return Meaning(PROVED if same else OPEN)


def examine(functions: Sequence[SmallFunction], verifier: Verifier) -> list[tuple[SmallFunction, str, Meaning]]:
    out: list[tuple[SmallFunction, str, Meaning]] = []
    emitted: list[tuple[SmallFunction, str, str]] = []
    for f in functions:
        text = INCLUDE + f.above + f.text(f.name)
        try:
            emitted.append((f, text, emit_c(parse_text(text))))
        except InputError as e:
            out.append((f, text, Meaning(REFUSED, e.diagnostic.message)))
    fs = [f for f, _, _ in emitted]
    readings = [
        computed(texts, fs, flags)
        for texts in ([text for _, text, _ in emitted], [code for _, _, code in emitted])
        for flags in (UNDEFINED_TRAPS, OPTIMISED)
    ]
    for (f, text, _), *results in zip(emitted, *readings):
        out.append((f, text, compared(f, text, results, verifier)))
    return out


def chunk(task: work.Task) -> dict[str, Any]:
    name, (seed, start, count) = task
    outcomes, bad, refusals = Counter[str](), [], Counter[str]()
    for f, text, meaning in examine([program(seed, n) for n in range(start, start + count)], Verifier()):
        outcomes[meaning.outcome] += 1
        if meaning.outcome == REFUSED:
            refusals[re.sub(r"`[^`]*`|-?\d+", "…", meaning.detail)] += 1
        if meaning.outcome == BAD:
            bad.append({"seed": seed, "name": f.name, "detail": meaning.detail, "text": text})
    return {"task": name, "outcomes": outcomes, "bad": bad, "refusals": refusals}


def table(results: list[dict[str, Any]]) -> dict[str, Any]:
    """What all chunks found, as the page shows it."""
    outcomes = Counter[str]()
    for r in results:
        outcomes.update(r.get("outcomes", {}))
    return {
        "functions": sum(outcomes.values()),
        "outcomes": {o: outcomes[o] for o in OUTCOMES},
        "bad": [b for r in results for b in r.get("bad", [])],
        "lost": [r["task"] for r in results if "lost" in r],
    }


def main() -> int:
    parser = work.arguments("meanings", __doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    sys.setrecursionlimit(10_000)
    sizes = [(start, min(CHUNK, args.programs - start)) for start in range(0, args.programs, CHUNK)]
    tasks = [(f"{args.seed}:{start}+{count}", (args.seed, start, count)) for start, count in sizes]
    results, refusals = [], Counter[str]()
    for r in work.run(tasks, chunk, args):
        results.append(r)
        refusals.update(r.get("refusals", {}))
        for b in r.get("bad", []):
            print(f"--seed {b['seed']}, {b['name']}: {b['detail']}\n{b['text']}", flush=True)
    summary = table(results)
    print(f"{summary['functions']} functions:", ", ".join(f"{n} {o}" for o, n in summary["outcomes"].items() if n))
    for why, n in refusals.most_common(12):
        print(f"  {n} {REFUSED}: {why}")
    return 1 if summary["bad"] or summary["lost"] else 0


if __name__ == "__main__":
    sys.exit(main())
