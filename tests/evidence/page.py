# ruff: noqa: E501 (the text of a page)
"""`docs/evidence.md`, from the results of the long runs.

`make evidence` runs everything and writes the page. What the runs found is kept in docs/evidence.json, so the page can be written again
without them, and parts that were run elsewhere can be put together (build/evidence/*.jsonl).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.evidence import certificates, fuzz, inputs, meanings, program_mutants, side_conditions, work
from tests.evidence.survivors import explained
from tests.evidence.trial import ASSUMING, OUTCOMES, WRONG

ROOT = Path(__file__).parents[2]
KEPT, PAGE = ROOT / "docs" / "evidence.json", ROOT / "docs" / "evidence.md"
ON_GPU = work.RESULTS / "gpu_run.json"  # of gpu_run.py, on a machine that has one

HEAD = """# Evidence

What was done to find a wrong VERIFIED, and what came out. `make evidence` does it again (hours on one core; its parts run in parallel and
are resumed where they were stopped) and writes this page; the tests do a little of each part.

"Misbehaves" means: in a run by the interpreter on inputs that the contract allows, there was a race, a divergent barrier, an access outside,
a read of unwritten memory, a leak, a division by zero, a number that does not fit its place, or the postcondition was not true. A program that
is refused only because a number may not fit (OG336) is checked again with integers assumed to fit; then such a number is its own fault.
"""


def summaries() -> dict[str, Any]:
    """What the runs in build/evidence found, with what is kept from earlier ones for parts that were not run."""
    kept: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    repeated_runs = kept.setdefault("again", {})
    for name, make in (
        ("fuzz", fuzz.table),
        ("program_mutants", program_mutants.table),
        ("certificates", certificates.table),
        ("inputs", inputs.table),
        ("meanings", meanings.table),
        ("kernel_mutants", kernel_table),
    ):
        results = [r for path in sorted(work.RESULTS.glob(f"{name}*.jsonl")) for r in work.read(path)]
        if results:
            kept[name] = make(list({r["task"]: r for r in results}.values()))
        repeated = work.read(work.RESULTS / f"again-{name}.jsonl")
        if repeated:
            repeated_runs[name] = make(repeated)
    if ON_GPU.exists():
        report = json.loads(ON_GPU.read_text(encoding="utf-8"))
        kept["gpu"] = {n: report[n] for n in ("on", "repeat", "total", "bad")}
    return kept


def kernel_table(results: list[dict[str, Any]]) -> dict[str, Any]:
    """Only conditions that the kernel has now: it may have changed since they were tried. Laws are counted apart from rules."""
    now = {s.name: s.module in side_conditions.LAWS for s in side_conditions.all_sites()}
    results = [r for r in results if r["task"] in now]
    parts = {law: [r for r in results if now[r["task"]] == law] for law in (False, True)}
    about = {law: _conditions(part, sum(v == law for v in now.values())) for law, part in parts.items()}
    killers = Counter(r["killed"].partition("[")[0].partition(":")[0] for r in results if r.get("killed"))
    return {**about[False], "laws": about[True], "killers": dict(killers.most_common(12))}


def _conditions(results: list[dict[str, Any]], total: int) -> dict[str, Any]:
    rules: dict[str, Counter[str]] = {}
    survivors = []
    for r in results:
        killed = bool(r.get("killed", r.get("lost")))
        rules.setdefault(r["task"].partition(" · ")[0], Counter())["killed" if killed else "survived"] += 1
        if not killed:
            survivors.append({"condition": r["task"], "why": explained(r["task"])})
    return {
        "conditions": total,
        "tried": len(results),
        "killed": len(results) - len(survivors),
        "rules": {rule: dict(c) for rule, c in sorted(rules.items())},
        "survivors": sorted(survivors, key=lambda s: str(s["condition"])),
    }


def repeated(repeated_runs: dict[str, Any]) -> str:
    """What was run again with the present code, where a larger run is of earlier code."""
    lines = []
    if f := repeated_runs.get("fuzz"):
        sums = Counter[str]()
        for row in f["rows"].values():
            sums.update(row)
        lines.append(
            f"- {f['programs']:,} random programs, {f['runs']:,} runs: {sums['verified and clean']:,} verified, {sums[ASSUMING]:,} more with integers "
            f"assumed to fit, {sums['rejected and misbehaving']:,} rejected and misbehaving; wrongly verified: **{len(f['bad'])}**."
        )
    if m := repeated_runs.get("program_mutants"):
        sums = Counter[str]()
        for row in m["rows"].values():
            sums.update(row)
        wrong = len([b for b in m["bad"] if b["outcome"] == WRONG])
        lines.append(
            f"- {sum(sums.values()):,} mutants of {len(m['rows'])} programs, {m['runs']:,} runs: {sums['rejected and misbehaving']:,} misbehave and are "
            f"rejected, {_verified(sums):,} are verified; misbehaving and verified: **{wrong}**."
        )
    if c := repeated_runs.get("certificates"):
        changes = sum(sum(row.values()) for row in c["rows"].values())
        lines.append(
            f"- {c['replay']} of {c['programs']} certificates replay; {changes:,} changes, not detected: **{len(c['bad'])}**."
        )
    if i := repeated_runs.get("inputs"):
        lines.append(f"- {i['inputs']:,} damaged inputs: **{len(i['bad']) + len(i['lost'])}** bad answers.")
    head = (
        "## Run again\n\nThe runs above of random programs, mutants, certificates and damaged inputs are of the code before integers were proved to fit\n"
        "their types and floats were left open in proofs of safety. With the code as it is now:\n\n"
    )
    return head + "\n".join(lines) if lines else ""


def fuzz_part(f: dict[str, Any]) -> str:
    lines = [
        "## Random programs",
        "",
        f"{f['programs']:,} programs, {f['runs']:,} runs. Wrongly verified: **{len(f['bad'])}**.",
        "",
        "| programs | number | verified | of these with integers assumed | verified and misbehaving | rejected, misbehaving | rejected, clean in all runs | other |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for kind, row in f["rows"].items():
        total = sum(row.values())
        assuming = row.get(ASSUMING, 0)
        verified = row["verified and clean"] + assuming + row[WRONG] + row["verified, no input to run on"]
        rejected, clean = row["rejected and misbehaving"], row["rejected, clean in all runs"]
        other = total - verified - rejected - clean
        label = kind.replace("right by construction", "meant to be right")
        lines.append(
            f"| {label} | {total:,} | {verified:,} | {assuming:,} | {row[WRONG]} | {rejected:,} | {clean:,} | {other} |"
        )
    seen = ", ".join(f"{code} {n:,}" for code, n in list(f["misbehaviour"].items())[:12])
    lines += [
        "",
        "Programs are meant to be right (every phase says what the arrays hold after it, which gives the contract), such programs with one",
        'or two mutations, of the code or of the contract alone, or random. "Rejected, clean" is the checker\'s incompleteness, and programs whose fault no run showed. "Other": no input',
        f"satisfies the contract, or a check took longer than {fuzz.LIMIT} s. What the interpreter saw: {seen} (`optigpu explain CODE`).",
    ]
    return "\n".join(lines)


def mutants_part(m: dict[str, Any]) -> str:
    rows = m["rows"]
    total = sum(sum(r.values()) for r in rows.values())
    lines = [
        "## Mutants of all programs",
        "",
        "Every example, every hand-written kernel and the last program of every script, with one small change: barrier deleted, moved,",
        "duplicated; index and bound one off; indices, operands, arguments swapped; operator, constant, initial value changed; guard",
        "dropped or negated; memory space, extent, loop mode changed; statement deleted, duplicated, swapped; contract clause dropped or weakened.",
        "Large kernels marked `[small]` have smaller tiles and blocks (`tests/evidence/smaller.py`): the same code with other constants, and",
        "verified like the original, of which a run has many tiles.",
        "",
        f"{total:,} mutants, {m['runs']:,} runs. Misbehaving and verified: **{len([b for b in m['bad'] if b['outcome'] == WRONG])}**.",
        "",
        "| program | tried | mutants | misbehaving | of these rejected | not seen to misbehave | of these verified | rejected | other |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    sums = Counter[str]()
    for name, row in rows.items():
        lines.append(_mutants_row(name, f"{100 * m['shares'][name]:.0f} %", row))
        sums.update(row)
    lines.append(_mutants_row("**all**", "", {o: sums[o] for o in OUTCOMES}))
    lines += ["", "| mutation | mutants | misbehaving | verified | rejected, clean |", "|---|---:|---:|---:|---:|"]
    for kind, row in m["kinds"].items():
        bad = row["rejected and misbehaving"] + row[WRONG]
        lines.append(
            f"| {kind} | {sum(row.values()):,} | {bad:,} | {_verified(row):,} | {row['rejected, clean in all runs']:,} |"
        )
    return "\n".join(lines)


def _verified(row: dict[str, int]) -> int:
    return row["verified and clean"] + row.get(ASSUMING, 0)


def _mutants_row(name: str, tried: str, row: dict[str, int]) -> str:
    bad = row["rejected and misbehaving"] + row[WRONG]
    verified, rejected = _verified(row), row["rejected, clean in all runs"]
    total = sum(row.values())
    other = total - bad - verified - rejected
    return (
        f"| {name} | {tried} | {total:,} | {bad:,} | {row['rejected and misbehaving']:,} | {verified + rejected:,} | {verified:,} | "
        f"{rejected:,} | {other} |"
    )


def kernel_part(t: dict[str, Any]) -> str:
    lines = [
        "## Mutants of the kernel",
        "",
        "Each side condition of each rule of the kernel, removed: a check, a refusal, one operand of one, one conjunct of a goal or a test, the",
        "exactness of a pattern, what is asked of an instruction or a family; of the laws of terms and facts, the test under which they are",
        "applied. A mutant is killed by a test that fails, or by a wrong program that is VERIFIED without it.",
        "",
        f"{t['tried']} of {t['conditions']} conditions tried, {t['killed']} killed, {len(t['survivors'])} survivors.",
        "",
        "| rule | conditions | killed |",
        "|---|---:|---:|",
    ]
    for rule, row in t["rules"].items():
        killed = row.get("killed", 0)
        lines.append(f"| `{rule}` | {killed + row.get('survived', 0)} | {killed} |")
    if t["survivors"]:
        lines += ["", "Survivors, and why they may:", ""]
        lines += [
            f"- `{s['condition'].replace('|', '/')}`: {s['why'] or '**not explained yet**'}" for s in t["survivors"]
        ]
    if laws := t.get("laws"):
        named = ", ".join(f"`{s['condition'].partition(' · ')[0]}`" for s in laws["survivors"] if not s["why"])
        lines += [
            "",
            "The laws of the normaliser, of the judge and of the constructors of terms (`facts.py`, `judge.py`, `terms/`) have tests beside evaluation with numbers. Here, too,",
            "tests and guards under which a law is applied, and exceptions before it, were removed; without some of them nothing untrue follows, but",
            "less, or later:",
            f"{laws['tried']} of {laws['conditions']} conditions tried, {laws['killed']} killed, {len(laws['survivors'])} survivors.",
            *([f"Not looked into yet: {named}."] if named else []),
        ]
    lines += ["", "Who killed most: " + ", ".join(f"{name} ({n})" for name, n in t["killers"].items()) + "."]
    return "\n".join(lines)


def certificates_part(c: dict[str, Any]) -> str:
    changes = sum(sum(row.values()) for row in c["rows"].values())
    lines = [
        "## Certificates",
        "",
        f"{c['replay']} of {c['programs']} certificates (examples, kernels, last programs of scripts) replay without the checker's search.",
        "A certificate holds the program, the hashes of its contracts, how code was made of it, what is assumed, tool and solver, and a hash of all",
        f"this. One thing changed at a time, at random places: {changes:,} of {changes:,} changes detected, as the hash does not fit any more."
        if not c["bad"]
        else f"One thing changed at a time, at random places: **{len(c['bad'])} of {changes:,} changes not detected, or a crash**.",
        "The table is of the same changes with the hash made to fit, as somebody would who wants to deceive: a change is *detected* if `audit`",
        "says that the file is no certificate or does not fit the program, or the kernel refuses a step; otherwise what the file holds is *still",
        "a proof* of the same program and contract: another witness that does as well, a term or state that nothing uses, a name that is bound,",
        "or the name of the tool or solver, which only the hash protects. (`emitted` was the hash of the code, which nothing else protected; now",
        "the code is made again from the program that was proved, and compared: `tests/check/test_audit_code.py`.)",
        "",
        f"| part of the file, change | {' | '.join(certificates.OUTCOMES)} |",
        "|---|---:|---:|---:|---:|",
    ]
    for kind, row in c["rows"].items():
        lines.append(f"| {kind} | {' | '.join(str(row[what]) for what in certificates.OUTCOMES)} |")
    return "\n".join(lines)


def models_part() -> str:
    """Which model each public rule of the kernel is compared with; the tests fail for a rule without one."""
    from tests.support.rule_models import EXAMPLES, MODELS, MORE, public_rules

    lines = [
        "## Finite models",
        "",
        "A heap is a dictionary, a family the set of its cells, owners and lent reads are sets (`tests/support/model.py`). Sizes are symbolic for",
        "the kernel and small numbers for the model: negative, 0, 1 and more. Every public rule is run beside it on random programs and arguments",
        f"({EXAMPLES} of each model in the tests, `tests/kernel/test_models.py`): what a rule accepts must be so in the model, for all these numbers.",
        "",
        "| rule | model |",
        "|---|---|",
    ]
    for rule in public_rules():
        models = [MODELS[rule][0], *([MORE[rule]] if rule in MORE else [])]
        descriptions = "; ".join(f"`{m.__name__}`: {str(m.__doc__).splitlines()[0].rstrip('.')}" for m in models)
        lines.append(f"| `{rule}` | {descriptions} |")
    return "\n".join(lines)


DAMAGES = (
    "bytes flipped, inserted, deleted, NULs, truncation; tokens swapped, deleted, doubled, replaced, inserted; lines deleted, doubled, swapped;\n"
    "brackets, huge and odd numbers, very long names, deep nesting, long lists, odd Unicode, line ends, tabs; text inside the quotes of contracts,\n"
    "pragmas, definitions, includes (missing, of itself, of folders)"
)


def inputs_part(f: dict[str, Any]) -> str:
    head = [*inputs.GOOD, "bad"]
    lines = [
        "## Damaged inputs",
        "",
        f"Programs, headers, scripts, certificates and built files, with one to three damages each ({DAMAGES}), each put to a command. An",
        "answer is good if the exit code is 0, 1 or 2, bad input is told with its place, there is no stack trace, nothing half written, and a",
        f"small program takes less than {inputs.SECONDS:.0f} s. Programs that `check` verifies all the same are run as above.",
        "",
        f"{f['inputs']:,} inputs, {f['runs']:,} runs. Bad answers: **{len(f['bad']) + len(f['lost'])}**.",
        "",
        f"| what | inputs | {' | '.join(head)} |",
        f"|---|---:|{'---:|' * len(head)}",
    ]
    for what, row in f["rows"].items():
        if not what.startswith("damage "):
            cells = " | ".join(f"{row[o]:,}" for o in head)
            lines.append(
                f"| {what.replace('command ', '`optigpu ')}{'`' * what.startswith('command ')} | {sum(row.values()):,} | {cells} |"
            )
    return "\n".join(lines)


def meanings_part(m: dict[str, Any]) -> str:
    lines = [
        "## Four readers of one text",
        "",
        "Random small functions of numbers (all operators, types and kinds of loops, arrays, calls), with their arguments as precondition, read by a C",
        "compiler, by the interpreter, as the C that is emitted (both with and without optimisation), and by the checker, which must not prove that",
        "the result is not the one of C, and must not verify what the interpreter says misbehaves: what C leaves undefined, what overflows.",
        "",
        f"{m['functions']:,} functions. Read differently: **{len(m['bad']) + len(m['lost'])}**.",
        "",
        "| outcome | functions |",
        "|---|---:|",
        *(f"| {o} | {m['outcomes'][o]:,} |" for o in meanings.OUTCOMES),
    ]
    return "\n".join(lines)


FOUND = """## What was found

Each of these was VERIFIED, or emitted, or believed, before it was found; each is fixed and has its test. Figures above are of the time after, or of
programs that the fix does not concern.

- By random programs: untrue read clauses in the contracts of loops, which nothing checked because nothing depended on them; a crash where
  a sum has a condition on values; a proof that failed because of what the solver had been asked before (its answers are independent now).
- By reading the kernel as a forger: a device function that ended its caller's kernel; a shuffle into an array that the lanes share; loose
  indices as values of logical variables; owners that are nobody or outside the group; terms of one sort where another is meant; two names
  with one hash, which lost a coefficient; a cover with more binders than its mark (`tests/kernel/test_forgeries.py`, `test_attacks.py`).
- By reading the front end as a C compiler: joined lines, trigraphs and comments that swallow code; macros with another value in C; unsigned
  differences; casts in sizes and in formulas; rows of plain pointers; calls before declarations; unordered side effects; names of C's library
  and of compilers; parameters named like words of formulas; binders that capture an array's size; two layouts of one pointer; square roots and
  logarithms where C has no number; literals that C rounds to infinity; quantifiers over unsigned numbers; arrays of no element; chunks of
  no iteration (`tests/cases/c_*`).
- By reading what is emitted: constants and casts that lost their 64 bits, folding that changed signs, host loops that overflow, entry checks
  that were computed under what they check, preconditions with named constants, alignment, device memory read by the host, functions that
  take the place of CUDA's, names that have another type in C++ than in the program, shared arrays that a local one hides, divisions in
  place without a sign, functions of a library that the process has too, code that was audited with other ends of lines than it has, sizes of
  memory beyond 64 bits, memory that is not there, entry points that the system's functions of their names are mistaken for
  (`tests/codegen/test_emitted_cuda.py`, `test_emitted_c.py`).
- By misusing scripts and the runtime: programs put in place by hand or left by an interrupted check, functions moved into headers, trees with
  code in their names, names of a class of their own that print as code, literals of one kind with the type of another, numbers that have no
  text, steps and scripts whose trees nothing had read, admitted functions that a script changed, scripts that end inside a phase and were
  called verified, arrays of no declared size, preconditions that wrap around, contents that a contract asks for and nobody looked at, masks,
  truth values that are neither 0 nor 1, launches without a compiler that lost fractions too late, calls prepared for another GPU
  (`tests/script/test_unchecked_programs.py`, `test_call_checks.py`).
- On a GPU, and by reading for what a machine does: `__restrict__` on arrays that threads exchange data through, counters and indices that
  wrap around, unsigned numbers that do not, an index or a branch that a rounded float or a NaN decides, sizes computed modulo 2^bits,
  a bound cast to unsigned, an unsigned index that doubles to 0, macros computed over the reals, promises of admitted functions about
  floats, assumptions that a remembered theorem lost (`tests/codegen/test_exchange.py`, `test_machine_integers.py`, `test_open_floats.py`).
- By reading what is emitted once more, when integers and floats were the machine's: `(uint64_t)(b - 5)` computed modulo 2^32, `MINDEX` taken
  to fit an `int`, `x %= -1` of the least number, `-(-x)` printed with `--`, ranges of a parameter or a logical variable used of a local or a
  thread of its name, pointers evaluated again in functions that are put in place, floats left to the compiler where they fit no integer,
  local arrays that the stack has no room for; integers in cells, sizes and macros that floats decide; preconditions without a value, which
  ended in Python's errors (`tests/codegen/test_integer_widths.py`, `test_emitted_cuda.py`, `test_float_conversions.py`, `test_host_memory.py`,
  `test_unchecked_preconditions.py`).
- By reading what formulas are taken for: assertions that read one cell where they name many, maxima over ranges that depend on each other and
  had a term too many, `exact_div` and `%` of what cannot be divided, contracts of loops that are unrolled or name cells that no
  iteration has, two claims on one cell of which one counted, shared memory that a device function asks for, vectors in arrays that
  nothing aligns (`tests/cases/c_*`).
- By programs whose values are made of each other, again and again: chains of choices, the text of a value in an error, and keys of the
  solver's answers took twice the time with each level; products of sums had no limit.
- By reading one text four times: `--x` in an expression, which was read as `-(-x)`, so that what is no expression of the language had another
  value in C; `~` of the interpreter, which was C's on no type; emitted C that lacked the headers of types in macros, in the
  heads of loops and in `sizeof`.
- By removing conditions of the laws: nothing untrue, but thirteen conditions that laws need and no test had noticed (`tests/logic/test_term_laws.py`).
- By mutants: wrong values in trees of sums that took minutes to be rejected; the search counts its work now.
- By tampering: parts of certificates that nothing read, kept answers of the solver (both are sealed by a hash now); emitted code whose hash in the
  certificate was the word of whoever sealed it (`audit` makes the code again now).
"""
REST = """## What else there is

- `tests/support/thread_model.py` runs every access of every thread of random kernels.
- Attacks on each rule by its arguments alone, as a forged certificate would make them: `tests/kernel/test_attacks.py`.
- A wrong program for each rule of `docs/logic.md`, rejected: `tests/cases/rules`.
- Wrong mutants of right programs, each with the verdict, code and place it must get: `tests/cases`.
- Random scripts on all examples, each step compared with the original by running both: `make fuzz`.
- The command line with bad files, large programs, no compilers, a full disk, a failing solver, interrupts, a shared or damaged cache or
  output folder, scripts that stop in the middle, poor surroundings: `tests/cli/test_environment.py`.
- Every transformation with wrong arguments of many kinds: `tests/script/test_arguments.py`.
"""


def gpu_part(g: dict[str, Any]) -> str:
    total = g["total"]
    return "\n".join(
        [
            "## Kernels on a GPU",
            "",
            f"{total['kernels']:,} verified kernels, compiled by nvcc at -O3 and run on {g['on']}: {total['runs']:,} runs, {g['repeat']} on each of",
            f"{total['inputs']:,} inputs. Other results than the interpreter's: **{total['differing']}**; no answer: **{total['lost']}**. {total['exchanging']:,} of the kernels exchange data: a",
            "thread reads what another one of its block wrote in the same launch, or gets it by a shuffle. Integers are compared exactly, floats up to",
            "2·10⁻⁴. Most kernels are random (`tests/evidence/gpu_kernels.py` makes them, `gpu_run.py` runs them); those of `tests/programs/exchange` were",
            "written for this.",
        ]
    )


def render(results: dict[str, Any]) -> str:
    parts = [HEAD.rstrip()]
    for name, part in (
        ("fuzz", fuzz_part),
        ("program_mutants", mutants_part),
        ("kernel_mutants", kernel_part),
        ("certificates", certificates_part),
        ("inputs", inputs_part),
        ("again", repeated),
        ("meanings", meanings_part),
        ("gpu", gpu_part),
    ):
        if results.get(name):
            parts.append(part(results[name]))
    return "\n\n".join([*parts, models_part(), FOUND.rstrip(), REST])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.page", description=__doc__)
    parser.parse_args()
    results = summaries()
    KEPT.write_text(json.dumps(results, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    PAGE.write_text(render(results), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)}: {', '.join(results)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
