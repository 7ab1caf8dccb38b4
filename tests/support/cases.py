"""The programs of tests/cases: C files whose leading comment says what the checker must answer.

tests/cases/README.md describes the format. `python -m tests.support.cases FILE ...` prints what the checker answers now, in the
words of the format.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from optigpu.check.verdict import FunctionResult, ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.refute import Witness, witness_of
from optigpu.interp.runner import Runner
from optigpu.interp.testing import Failure, TestReport
from optigpu.interp.testing import test_function as run_tests
from optigpu.report.verdict_text import render_function
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import Function, Program, Role
from optigpu.syntax.source import Loc
from tests.support.running import PATIENCE

run_tests.__test__ = False  # type: ignore[attr-defined]  # a function of the interpreter, not a test of pytest's
TestReport.__test__ = False  # type: ignore[attr-defined]
ROOT = Path(__file__).parent.parent.parent
CASES = ROOT / "tests" / "cases"
INPUTS = 600  # tried before a program counts as clean where it should misbehave
CLEAN_INPUTS = 8
CHECKS = {"annotated", "replay", "standin", "schedules"}
OPTIONS = {"integers=unbounded"}
OF_FILE = ("expect", "function", "options", "also", "run", "program", "replace", "assumptions", "slow", "mutate")
OF_MUTANT = ("also", "run", "slow", "function")
ANSWER = re.compile(r"(VERIFIED)|(REFUTED|UNPROVED|UNSUPPORTED|REJECTED)\[(OG\d{3})\] (\S.*)")
RUN = re.compile(r"(clean)|(OG\d{3}) (\S.*)")
STRING = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
REPLACEMENT = re.compile(rf"({STRING}) -> ({STRING})(?: \((\d+) times\))?")
OCCURRENCE = re.compile(r"(\d+)(?:st|nd|rd|th) (\S.*)")


class CaseError(Exception):
    """A case file that is malformed: the test is wrong, whatever the checker answers."""


@dataclass(frozen=True)
class Answer:
    """A verdict, and for all but VERIFIED the code of the first problem and the source text at its place."""

    verdict: str
    code: str = ""
    place: str = ""

    def __str__(self) -> str:
        return f"{self.verdict}[{self.code}] {self.place}" if self.code else self.verdict


@dataclass(frozen=True)
class Replacement:
    old: str
    new: str
    times: int = 1


@dataclass(frozen=True)
class Variant:
    """A program with what is expected of it: the one of a file, or a mutant of that."""

    name: str
    file: str
    text: str
    expected: Answer
    run: Answer | None = None  # what the interpreter sees: the verdict `clean`, or a code and its place
    function: str = ""  # the one that the interpreter runs; the last one if not named
    unbounded: bool = False
    assumptions: int = 0
    checks: frozenset[str] = frozenset()
    slow: bool = False

    def program(self) -> Program:
        return parse_text(self.text, self.file)

    def code(self) -> str:
        """The text without the empty lines in the place of the leading comment."""
        return self.text.lstrip("\n")

    def run_function(self, program: Program) -> Function:
        return program.function(self.function) if self.function else program.functions()[-1]


# Reading ---------------------------------------------------------------------------------------------------------------------


@dataclass
class Directive:
    key: str
    value: str
    line: int
    details: list[Directive] = field(default_factory=list)


def read_cases(folder: Path = CASES) -> list[Variant]:
    return [variant for path in sorted(folder.rglob("*.c")) for variant in read_case(path)]


def variant_of(name: str) -> Variant:
    """The program or mutant of that name: `loops/fill`, `loops/fill-1`."""
    stem, _, number = name.partition("-")
    return read_case(CASES / f"{stem}.c")[int(number or 0)]


def clean_kernels() -> list[Variant]:
    """The GPU programs that the interpreter runs without misbehaviour."""
    return [v for v in read_cases() if v.name.startswith("gpu_") and v.run is not None and v.run.verdict == "clean"]


def read_case(path: Path) -> list[Variant]:
    """The program of a file, then its mutants."""
    try:
        return list(_variants(path))
    except CaseError as e:
        raise CaseError(f"{path}: {e}") from None


def _variants(path: Path) -> Iterator[Variant]:
    header, text = split_header(path.read_text(encoding="utf-8"))
    directives = _directives(header)
    values = {d.key: d.value for d in directives if d.key != "mutate"}
    file = path.name
    if "program" in values:
        if text.strip():
            raise CaseError("a case of another program has no code of its own")
        file = values["program"]
        text = (ROOT / file).read_text(encoding="utf-8")
    if "replace" in values:
        text = _replaced(text, _replacements(values["replace"]))
    name = "/".join(path.with_suffix("").parts[-2:])
    right = Variant(
        name,
        file,
        text,
        _answer(_needed(values, "expect")),
        _run(values),
        values.get("function", ""),
        "integers=unbounded" in _listed(values, "options", OPTIONS),
        _number(values.get("assumptions", "0")),
        _listed(values, "also", CHECKS),
        "slow" in values,
    )
    yield right
    seen = {right.text}
    for number, directive in enumerate((d for d in directives if d.key == "mutate"), 1):
        replacements, arrow, expected = directive.value.partition(" => ")
        if not arrow:
            raise CaseError(f"line {directive.line}: a mutant has its expectation behind =>")
        try:
            changed = _replaced(text, _replacements(replacements))
            details = {d.key: d.value for d in directive.details}
            mutant = replace(
                right,
                name=f"{name}-{number}",
                text=changed,
                expected=_answer(expected),
                run=_run(details),
                function=details.get("function", right.function),
                checks=_listed(details, "also", CHECKS),
                slow=right.slow or "slow" in details,
            )
        except CaseError as e:
            raise CaseError(f"line {directive.line}: {e}") from None
        if changed in seen:
            raise CaseError(f"line {directive.line}: this mutant is the same program as another one of the file")
        seen.add(changed)
        yield mutant


def split_header(text: str) -> tuple[list[str], str]:
    """The lines of the leading comment, and the program with empty lines in their place, so that line numbers stay."""
    lines = text.split("\n")
    count = next((n for n, line in enumerate(lines) if not line.startswith("//")), len(lines))
    if not count:
        raise CaseError("a case begins with a comment that says what it tests")
    for number, line in enumerate(lines[count:], count + 1):
        if re.match(rf"\s*//\s*({'|'.join(OF_FILE)})\s*:", line):
            raise CaseError(f"line {number}: directives stand in the leading comment")
    return lines[:count], "\n" * count + "\n".join(lines[count:])


def _directives(header: list[str]) -> list[Directive]:
    """Lines `// key: value`; further lines of a value, and details of a mutant, are indented by three blanks."""
    out: list[Directive] = []
    prose = 0
    for number, line in enumerate(header, 1):
        content = line[2:]
        indented = content.startswith("   ")
        directive = re.match(r"\s*(\w+)\s*:(?: (.*))?$", content)
        first = re.match(r"\s*(\w+)", content)
        if directive is not None:
            key, value = directive.group(1), (directive.group(2) or "").strip()
            if key not in (OF_MUTANT if indented else OF_FILE):
                raise CaseError(f"line {number}: there is no directive `{key}` here")
            if indented and (not out or out[-1].key != "mutate"):
                raise CaseError(f"line {number}: details belong to a mutant")
            group = out[-1].details if indented else out
            if key != "mutate" and any(d.key == key for d in group):
                raise CaseError(f"line {number}: a second `{key}`")
            group.append(Directive(key, value, number))
        elif indented:
            if not out or out[-1].details:
                raise CaseError(f"line {number}: this line continues nothing")
            out[-1].value = f"{out[-1].value} {content.strip()}".strip()
        elif first is not None and first.group(1).lower() in OF_FILE:
            raise CaseError(f"line {number}: `{first.group(1)}` without a colon")
        elif content.strip():
            prose += 1
    if not prose:
        raise CaseError("the leading comment says what the case tests")
    return out


def _needed(values: dict[str, str], key: str) -> str:
    if key not in values:
        raise CaseError(f"a case needs `// {key}:`")
    return values[key]


def _answer(text: str) -> Answer:
    match = ANSWER.fullmatch(text)
    if match is None:
        raise CaseError(f"{text!r} is no expectation: VERIFIED, or VERDICT[CODE] and the source text at the place")
    return Answer("VERIFIED") if match[1] else Answer(match[2], match[3], match[4])


def _run(values: dict[str, str]) -> Answer | None:
    if "run" not in values:
        return None
    match = RUN.fullmatch(values["run"])
    if match is None:
        raise CaseError(f"{values['run']!r} is no run: `clean`, or CODE and the source text at the place")
    return Answer("clean") if match[1] else Answer("misbehaves", match[2], match[3])


def _listed(values: dict[str, str], key: str, known: set[str]) -> frozenset[str]:
    items = frozenset(values[key].split(", ")) if key in values else frozenset()
    if not items <= known:
        raise CaseError(f"`{key}` has {', '.join(sorted(items - known))}; there are {', '.join(sorted(known))}")
    return items


def _number(text: str) -> int:
    if not text.isdecimal():
        raise CaseError(f"{text!r} is no number")
    return int(text)


def _replacements(text: str) -> list[Replacement]:
    out: list[Replacement] = []
    position = 0
    while True:
        match = REPLACEMENT.match(text, position)
        if match is None:
            raise CaseError(f'{text[position:]!r} is no replacement: "old" -> "new"')
        out.append(Replacement(ast.literal_eval(match[1]), ast.literal_eval(match[2]), int(match[3] or 1)))
        position = match.end()
        if position == len(text):
            return out
        if not text.startswith(", ", position):
            raise CaseError(f"{text[position:]!r} follows a replacement")
        position += 2


def _replaced(text: str, replacements: list[Replacement]) -> str:
    for r in replacements:
        if text.count(r.old) != r.times:
            raise CaseError(f"{r.old!r} occurs {text.count(r.old)} times and not {r.times}")
        text = text.replace(r.old, r.new)
    return text


# Places ----------------------------------------------------------------------------------------------------------------------


def is_at(place: str, text: str, loc: Loc) -> bool:
    """Whether the caret stands at this text. A text that occurs more than once says which one it is: `2nd free(t)`.

    A text in quotes is a Python string.
    """
    match = OCCURRENCE.fullmatch(place)
    wanted = match[2] if match else place
    if re.fullmatch(STRING, wanted):
        wanted = ast.literal_eval(wanted)
    starts = occurrences(wanted, text)
    if match is None and len(starts) > 1:
        raise CaseError(f"{wanted!r} occurs {len(starts)} times: say which one (`2nd {wanted}`)")
    number = int(match[1]) if match else 1
    return number <= len(starts) and starts[number - 1] == offset_of(text, loc)


def place_of(text: str, loc: Loc) -> str:
    """A description of the place that `is_at` takes: the text of its span, or more of the line if that occurs elsewhere too."""
    start = offset_of(text, loc)
    if start is None:
        return "nowhere"
    rest = text[start:].split("\n", 1)[0].rstrip()
    span = rest[: loc.end_column - loc.column].rstrip() if loc.end_line == loc.line else rest
    wanted = next((t for t in (span, rest) if t and len(occurrences(t, text)) == 1), rest)
    starts = occurrences(wanted, text)
    number = starts.index(start) + 1
    which = "" if len(starts) == 1 else f"{number}{({1: 'st', 2: 'nd', 3: 'rd'}).get(number, 'th')} "
    plain = wanted.isprintable() and wanted == wanted.strip() and not re.fullmatch(STRING, wanted)
    return which + (wanted if plain else json.dumps(wanted))


def offset_of(text: str, loc: Loc) -> int | None:
    """The offset of a place; None for one that is not in this text."""
    lines = text.split("\n")
    if not 0 < loc.line <= len(lines):
        return None
    return sum(len(line) + 1 for line in lines[: loc.line - 1]) + loc.column - 1


def occurrences(wanted: str, text: str) -> list[int]:
    return [m.start() for m in re.finditer(f"(?={re.escape(wanted)})", text)]


# Answers ---------------------------------------------------------------------------------------------------------------------


@dataclass
class Checked:
    """What the checker said of a variant: its answer, where there is a problem, and the result for further checks."""

    answer: Answer
    loc: Loc | None = None
    program: Program | None = None
    result: ProgramResult | None = None

    def explanation(self) -> str:
        return "\n".join(render_function(f) for f in self.result.functions) if self.result else ""


def first_witness(program: Program, function: str, seconds: float = PATIENCE) -> Witness | None:
    """The first input found on which the function misbehaves, however long the search takes on this machine."""
    f = program.function(function)
    if f.role is Role.GHOST:
        return None
    try:
        report = run_tests(Runner(program), f, seconds=seconds, most=400, simplest=False)
    except (CannotEvaluate, InputError, Misbehaviour):  # the last of these: a constant of the program has no value
        return None
    return None if report.failure is None else witness_of(report.failure)


def brief_witness(program: Program, function: str) -> Witness | None:
    return first_witness(program, function, 0.2)


def check(variant: Variant) -> Checked:
    """The answer of the checker, with the place in the words of the expectation if that is where the problem is.

    A witness is searched for where REFUTED is expected; elsewhere only for a moment, in which none must be found.
    """
    try:
        program = variant.program()
    except InputError as e:
        loc = e.diagnostic.loc
        return Checked(Answer("REJECTED", e.diagnostic.code, _place(variant, loc)), loc)
    refuter = first_witness if variant.expected.verdict == "REFUTED" else brief_witness
    result = Verifier(Settings(refuter=refuter, unbounded=variant.unbounded)).verify(program)
    bad = first_problem(result)
    if bad is None:
        return Checked(Answer("VERIFIED"), None, program, result)
    assert bad.problem is not None
    answer = Answer(bad.verdict.value, bad.problem.code, _place(variant, bad.problem.loc))
    return Checked(answer, bad.problem.loc, program, result)


def _place(variant: Variant, loc: Loc) -> str:
    expected = variant.expected.place
    return expected if expected and is_at(expected, variant.text, loc) else place_of(variant.text, loc)


def first_problem(result: ProgramResult) -> FunctionResult | None:
    """The first function that is not verified; one that only calls such a function comes last."""
    bad = [f for f in result.functions if f.verdict is not Verdict.VERIFIED]
    own = [f for f in bad if f.problem is not None and f.problem.code != "OG330"]
    return next(iter(own or bad), None)


def run(variant: Variant) -> tuple[Answer, TestReport]:
    """What the interpreter sees: on few inputs where the program should be clean, on many where it should misbehave."""
    program = variant.program()
    clean = variant.run is None or variant.run.verdict == "clean"
    most = CLEAN_INPUTS if clean else INPUTS
    report = run_tests(Runner(program), variant.run_function(program), seconds=PATIENCE, most=most)
    return _seen(variant, report.failure), report


def _seen(variant: Variant, failure: Failure | None) -> Answer:
    if failure is None:
        return Answer("clean")
    misbehaviour = failure.misbehaviour
    expected = variant.run.place if variant.run is not None else ""
    there = bool(expected) and is_at(expected, variant.text, misbehaviour.loc)
    place = expected if there else place_of(variant.text, misbehaviour.loc)
    return Answer("misbehaves", misbehaviour.code, place)


def main(paths: list[str]) -> None:
    for path in paths:
        for variant in read_case(Path(path).resolve()):
            print(f"{variant.name}: {check(variant).answer}", end="")
            print(f"   run: {run(variant)[0]}" if variant.run is not None else "")


if __name__ == "__main__":
    main(sys.argv[1:])
