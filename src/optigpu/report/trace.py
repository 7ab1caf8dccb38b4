"""The trace of a script as one self-contained HTML file, also for notebooks.

The page contains data, not markup: each distinct line of code, permission and proof state is stored once, programs and diffs are
lists of numbers, and the browser draws only the selected step. So a hundred steps open as quickly as one.
"""

from __future__ import annotations

import html
import json
from collections.abc import Hashable
from importlib.resources import files
from typing import Generic, NotRequired, TypeAlias, TypedDict, TypeVar

from optigpu.check.verdict import FunctionResult, ProgramResult, Verdict
from optigpu.errors.problem import Problem
from optigpu.light_dataclass import dataclass
from optigpu.report.diffs import ADDED, CHANGED, INDENTED, REMOVED, SAME, Row, counts, rows
from optigpu.report.listing import (
    ANNOTATED_VIEW,
    INFERRED_VIEW,
    PLAIN_VIEW,
    VIEWS,
    Cache,
    Line,
    code_lines,
    find_line,
    listing,
)
from optigpu.report.permissions import PermissionWriter
from optigpu.report.problem_text import diagnostic_of
from optigpu.report.verdict_text import assumptions, combined
from optigpu.script.step import Record, Step
from optigpu.search.proof_states import ProofStates
from optigpu.syntax.diagnostic import Diagnostic
from optigpu.syntax.program import Program

Item = TypeVar("Item", bound=Hashable)
Numbers: TypeAlias = tuple[int, ...]
# Rows of a diff: [kind, count], or [2, left columns, right columns] for a changed line.
Runs: TypeAlias = list[list[int | list[int]]]
CODES = {SAME: 0, INDENTED: 1, CHANGED: 2, ADDED: 3, REMOVED: 4}


def trace_html(record: Record) -> str:
    """The page, which works offline."""
    data = json.dumps(_Tracer(record).page(), ensure_ascii=False, separators=(",", ":"))
    parts = {
        "title": html.escape(record.name),
        "style": _asset("style.css"),
        "code": _asset("trace.js"),
        "data": data.replace("<", "\\u003c"),  # no text can close the script element
    }
    page = _asset("page.html")
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text, 1)
    return page


def script_repr_html(record: Record, height: int = 640) -> str:
    """The page in an iframe, isolated from the notebook's styles and scripts."""
    page = html.escape(trace_html(record), quote=True)
    style = f"width:100%;height:{height}px;border:1px solid rgba(128,128,128,.3);border-radius:8px"
    return f'<iframe srcdoc="{page}" style="{style}" title="{html.escape(record.name)}"></iframe>'


class TraceError(TypedDict):
    """The error of a rejected step, as `trace.js` reads it."""

    code: str
    message: str
    notes: list[list[str]]  # [name or place, text]
    help: str
    lines: list[int]  # the line of the error in each view; -1 if there is none


class TraceStep(TypedDict):
    """A step, as `trace.js` reads it."""

    n: int
    title: str
    file: str
    line: int
    source: str
    phase: list[str]
    before: int  # numbers of programs
    after: int
    first: int
    diff: list[Runs | None]  # of before and after, in each view
    all: list[Runs | None]  # of first and after
    changed: tuple[int, int]
    ms: float
    word: str  # the verdict
    work: NotRequired[list[int]]  # obligations proved by the normaliser, by the solver
    cached: NotRequired[int]
    error: NotRequired[TraceError]
    closes: NotRequired[bool]  # whether it checks a phase


def _asset(name: str) -> str:
    return files("optigpu.report").joinpath("trace_assets", name).read_text(encoding="utf-8")


class _Table(Generic[Item]):
    """Numbers distinct items."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.numbers: dict[Item, int] = {}

    def number(self, item: Item) -> int:
        if item not in self.numbers:
            self.numbers[item] = len(self.items)
            self.items.append(item)
        return self.numbers[item]


@dataclass(frozen=True, slots=True)
class _Compared:
    """A diff."""

    runs: Runs
    counts: tuple[int, int]  # lines added, lines removed
    pairs: list[tuple[int, int]]  # matching lines


class _Tracer:
    def __init__(self, record: Record) -> None:
        self.record = record
        self.texts = _Table[str]()
        self.permissions = _Table[tuple[bool, str, str]]()
        self.points = _Table[tuple[Numbers, Numbers]]()  # permissions, texts of facts
        self.programs = _Table[tuple[tuple[Numbers, Numbers], ...]]()  # in each view: texts, points
        self.listings: dict[tuple[int, str], tuple[Line, ...]] = {}
        self.point_of: dict[int, int] = {}  # by the identity of states, which the record keeps alive
        self.writer = PermissionWriter()
        self.results = {id(s.after): s.result.in_full() for s in record.steps if s.result is not None}
        self.program_numbers: dict[int, int] = {}  # programs, by identity
        self.printed: Cache = {}
        self.compared: dict[tuple[Hashable, Hashable], _Compared] = {}

    def page(self) -> dict[str, object]:
        steps = [self.step(s) for s in self.record.steps]
        _close_phases(steps)
        return {
            "name": self.record.name,
            "script": self.record.script,
            "views": list(VIEWS),
            "steps": steps,
            "programs": self.programs.items,
            "texts": self.texts.items,
            "permissions": self.permissions.items,
            "points": self.points.items,
            **self.verdict(),
        }

    def verdict(self) -> dict[str, object]:
        """The final verdict and its assumptions."""
        steps = self.record.steps
        checked = [s.result for s in steps if s.result is not None and s.error is None]
        failed = next((s for s in reversed(steps) if s.error is not None), None)
        word = _word(failed) if failed is not None else _overall(checked[-1]) if checked else "UNCHECKED"
        rests_on = assumptions(checked[-1]) if checked else ""
        return {"verdict": word, "failed": -1 if failed is None else failed.number, "restsOn": rests_on}

    # Programs

    def program(self, p: Program) -> int:
        """The number of a program: its lines in each view, and the proof state of each line."""
        known_number = self.program_numbers.get(id(p))
        if known_number is not None:
            return known_number
        result = self.results.get(id(p))
        functions = {f.name: f for f in result.functions} if result is not None else {}
        views = []
        kept = []
        for view in VIEWS:
            lines = listing(p, view, result, self.printed)
            kept.append(lines)
            texts = tuple(self.texts.number(line.text) for line in lines)
            points = tuple(self.point(line, functions) for line in lines)
            views.append((texts, points))
        entry = tuple(views)
        number = self.programs.number(entry)
        self.program_numbers[id(p)] = number
        for view, lines in zip(VIEWS, kept):
            self.listings.setdefault((number, view), lines)
        return number

    def point(self, line: Line, functions: dict[str, FunctionResult]) -> int:
        """The number of the proof state before a line; -1 if none was recorded."""
        f = functions.get(line.function)
        points: ProofStates | None = f.points if f is not None else None
        if points is None:
            return -1
        first = (
            1 if line.statement == 0 and not line.end else line.statement
        )  # the head of a function shows its first state
        state = (points.end if line.end else points.before).get(first)
        if state is None and first == 1 and not line.end:
            state = points.end.get(0)
        if state is None:
            return -1
        if id(state) not in self.point_of:
            held = self.writer.held(state)
            ids = tuple(self.permissions.number((p.read, p.cells, p.contents)) for p in held.permissions)
            facts = tuple(self.texts.number(t) for t in held.facts)
            self.point_of[id(state)] = self.points.number((ids, facts))
        return self.point_of[id(state)]

    def rows(self, before: int, after: int, view: str) -> _Compared:
        at = VIEWS.index(view)
        key = (self.programs.items[before][at][0], self.programs.items[after][at][0])
        if key not in self.compared:
            fixed = [] if view == PLAIN_VIEW else self.code_pairs(before, after, view)
            a, b = ([line.text for line in self.listings[n, view]] for n in (before, after))
            known_rows = rows(a, b, fixed)
            pairs = [(r.left, r.right) for r in known_rows if r.left is not None and r.right is not None]
            self.compared[key] = _Compared(_runs(known_rows), counts(known_rows), pairs)
        return self.compared[key]

    def code_pairs(self, before: int, after: int, view: str) -> list[tuple[int, int]]:
        """Matching lines of code, which are the same in all views."""
        before_lines, after_lines = (
            [code_lines(self.listings[n, v]) for v in (PLAIN_VIEW, view)] for n in (before, after)
        )
        left, right = (dict(zip(*lines)) for lines in (before_lines, after_lines))
        pairs = self.rows(before, after, PLAIN_VIEW).pairs
        return [(left[i], right[j]) for i, j in pairs if i in left and j in right]

    def comparison(self, before: Program, after: Program, view: str) -> Runs | None:
        """The diff of two programs in a view; None if inferred contracts are missing because a program was not checked."""
        a, b = self.program(before), self.program(after)
        if view == INFERRED_VIEW and (id(before) in self.results) != (id(after) in self.results):
            return None
        at = VIEWS.index(view)
        same = self.programs.items[a][at][0] == self.programs.items[b][at][0]
        return None if same else self.rows(a, b, view).runs

    # Steps

    def step(self, s: Step) -> TraceStep:
        before, after = self.program(s.before), self.program(s.after)
        first = self.program(self.record.steps[0].after)
        out: TraceStep = {
            "n": s.number,
            "title": s.title,
            "file": s.file,
            "line": s.line,
            "source": s.source.strip(),
            "phase": list(s.phase),
            "before": before,
            "after": after,
            "first": first,
            "diff": [self.comparison(s.before, s.after, v) for v in VIEWS],
            "all": [self.comparison(self.record.steps[0].after, s.after, v) for v in VIEWS],
            "changed": self.rows(before, after, ANNOTATED_VIEW).counts,
            "ms": round(1000 * s.seconds, 1),
            "word": _word(s),
        }
        if s.result is not None:
            out["work"] = [sum(f.normaliser for f in s.result.functions), sum(f.solver for f in s.result.functions)]
            out["cached"] = s.result.cached[0]
        if s.error is not None:
            out["error"] = self.error(s, after)
        return out

    def error(self, s: Step, after: int) -> TraceError:
        """The parts of an error, and its line in each view."""
        f = _failed(s)
        d = s.error if isinstance(s.error, Diagnostic) else combined(f) if f is not None else diagnostic_of(_problem(s))
        notes = [*d.notes]
        if f is not None and f.counterexample is not None:
            notes.append(("witness", f"{f.name}({f.counterexample.inputs})"))
        return {
            "code": d.code,
            "message": d.message,
            "notes": [*([f"{label.loc}", label.text] for label in d.labels if label.text), *map(list, notes)],
            "help": d.help or "",
            "lines": [self.error_line(s, d, after, view) for view in VIEWS],
        }

    def error_line(self, s: Step, d: Diagnostic, after: int, view: str) -> int:
        lines = self.listings[after, view]
        if not isinstance(s.error, Problem):
            line = next((n for n, x in enumerate(lines) if x.loc.line and x.loc == d.loc and not x.end), None)
            return -1 if line is None else line
        statement, loc = s.error.statement, s.error.loc
        printed = self.listings[after, ANNOTATED_VIEW]
        if not statement and loc.line and not any(x.loc.file == loc.file for x in printed):
            # the place refers to the printed program, which this view shows
            loc = printed[loc.line - 1].loc if loc.line <= len(printed) else loc
        line = find_line(lines, s.error.function, statement, loc)
        return -1 if line is None else line


def _close_phases(steps: list[TraceStep]) -> None:
    """Assign the step that checks a phase to the phase; its time excludes that of the phase's other steps."""
    for n, s in enumerate(steps):
        inside = []
        for x in reversed(steps[:n]):
            if not x["phase"] or s["title"] != f'phase("{x["phase"][0]}")' or x.get("closes"):
                break
            inside.append(x)
        if inside and not s["phase"]:
            s["phase"], s["closes"] = inside[0]["phase"][:1], True
            s["ms"] = round(max(0.0, s["ms"] - sum(x["ms"] for x in inside)), 1)


def _failed(s: Step) -> FunctionResult | None:
    """The function that failed in a rejected step."""
    wrong = [f for f in s.result.functions if f.problem is not None] if s.result is not None else []
    return next((f for f in wrong if f.problem is s.error), None)


def _problem(s: Step) -> Problem:
    assert isinstance(s.error, Problem)
    return s.error


def _word(s: Step) -> str:
    """The verdict of a step; REJECTED if the transformation did not apply, so that nothing was verified."""
    if s.error is not None:
        f = _failed(s)
        return f.verdict.value if f is not None else "UNPROVED" if isinstance(s.error, Problem) else "REJECTED"
    return "" if s.result is None else _overall(s.result)


def _overall(r: ProgramResult) -> str:
    if not r.functions:
        return "UNCHECKED"
    if r.verified:
        return Verdict.VERIFIED.value
    return next(str(v.value) for v in (Verdict.REFUTED, Verdict.UNPROVED, Verdict.UNSUPPORTED) if _has(r, v))


def _has(r: ProgramResult, v: Verdict) -> bool:
    return any(f.verdict is v for f in r.functions)


def _runs(diff_rows: list[Row]) -> Runs:
    out: Runs = []
    for r in diff_rows:
        code = CODES[r.kind]
        if r.kind == CHANGED:
            out.append([code, [x for s in r.left_spans for x in s], [x for s in r.right_spans for x in s]])
            continue
        match out[-1] if out else None:
            case [previous, int(count)] if previous == code:
                out[-1] = [code, count + 1]
            case _:
                out.append([code, 1])
    return out
