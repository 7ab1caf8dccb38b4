"""Scripts: a program, the steps that change it, and the check after each.

A transformation edits `script.program` through `update`; nothing it does is believed. When the outermost one returns, the whole
program is checked again against the contracts of the original, and either the step is recorded or the program is as it was before.
"""

from __future__ import annotations

import linecache
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from optigpu.check.problem import Problem
from optigpu.check.verdict import FunctionResult, ProgramResult, Refuter, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file, parse_text, recheck
from optigpu.frontend.program_loading import retyped
from optigpu.frontend.wellformed import NODES, reject_malformed
from optigpu.script.editing import (
    StatementPath,
    assign_ids,
    body_around,
    function_at,
    insert_at,
    replace_at,
    statement_at,
    statements_of,
)
from optigpu.script.handles import Handle
from optigpu.script.step import Record, Step
from optigpu.script.targets import TargetLike, resolve, searchable
from optigpu.syntax.diagnostic import Diagnostic, InputError, Label
from optigpu.syntax.free_names import body_free_vars, bound_after, clause_free_vars, free_vars, fresh_name
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Axiom, Body, For, Function, Include, Program, Stmt, TopLevel
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import NOWHERE, Loc, StatementId
from optigpu.syntax.walk import statements, stmt_exprs

R = TypeVar("R")
HERE = str(Path(__file__).parent.parent)  # frames of ours are not places of a script


class StepError(Exception):
    """A step was rejected. The program is as it was before; `step` holds what was tried."""

    def __init__(
        self, step: Step, failed: FunctionResult | None, diagnostic: Diagnostic, texts: dict[str, str]
    ) -> None:
        super().__init__(diagnostic.message)
        self.step = step
        self.failed = (
            failed  # the function that is no longer verified, with its problem in the text of the changed program
        )
        self.diagnostic = diagnostic
        self.texts = texts  # the changed program as text, by the name that the places use
        self.rendered: str | None = None

    def __str__(self) -> str:
        return self.rendered or f"step {self.step.number} {self.step.title}: {self.diagnostic.message}"


class Session:
    """A program under transformation; every step is verified."""

    @deep
    def __init__(
        self,
        source: str | Path | Program,
        *,
        function: str | None = None,
        verifier: Verifier | None = None,
        refuter: Refuter | None = None,
    ) -> None:
        start = time.perf_counter()
        self.verifier = verifier or Verifier(Settings())
        self.refuter = refuter
        self.original = recheck(source) if isinstance(source, Program) else parse_file(source)
        self.program = self._updated = assign_ids(self.original, 0)
        self.only = function
        if function is not None and function not in searchable(self.program):
            known = ", ".join(searchable(self.program)) or "none"
            raise InputError(Diagnostic("OG601", f"there is no function `{function}` (there is: {known})", NOWHERE))
        self.steps: list[Step] = []
        self.attempts: list[Step] = []  # also those that were rejected
        self.reasons: dict[StatementId, str] = {}  # why barriers are where they are
        self.residents: dict[StatementId, int] = {}  # blocks that a multiprocessor should hold, by the launch
        self._depth = 0
        self._phases: list[str] = []
        self._checked: tuple[Program, ProgramResult] | None = None  # the last program that was checked
        self._record(f'Script("{self.original.file}")', self.program, self.program, start, check=True)

    # Reading ---------------------------------------------------------------------------------------------

    @property
    def result(self) -> ProgramResult:
        """What the checker said of the program as it is now."""
        if self._checked is None or self._checked[0] is not self.program:
            self._checked = self.program, self.verifier.verify(self.program)
        return self._checked[1]

    @property
    def unchecked(self) -> str | None:
        """Why the program as it is now has not been checked against the original; None if it has."""
        if self._phases:
            return "a phase is still open: what it made has not been verified"
        if self.program is not self.steps[-1].after:
            return "the program was changed outside a step: it has not been checked against the original"
        return None

    @property
    def record(self) -> Record:
        """Everything that was tried."""
        return self._record_of(self.attempts)

    @property
    def accepted(self) -> Record:
        """The steps that made the program what it is."""
        return self._record_of(self.steps)

    def _record_of(self, steps: list[Step]) -> Record:
        file = self.attempts[-1].file if self.attempts else ""
        text = "".join(linecache.getlines(file)) if file else ""
        return Record(self.original.file, text, tuple(steps))

    def find(self, aim: TargetLike, kind: str = "any") -> StatementPath:
        """The one place that is meant."""
        return resolve(self.program, self._functions(), aim, kind)[0]

    def find_those(self, aim: TargetLike, kind: str = "any") -> list[StatementPath]:
        """The one place that is meant, or all of them if the target says so."""
        return resolve(self.program, self._functions(), aim, kind)

    def find_all(self, aim: TargetLike, kind: str = "any") -> list[StatementPath]:
        return resolve(self.program, self._functions(), aim, kind, many=True)

    def at(self, aim: TargetLike, kind: str = "any") -> Stmt:
        return statement_at(self.program, self.find(aim, kind))

    def handle(self, place: StatementPath) -> Handle:
        return Handle(self, statement_at(self.program, place).id)

    def around(self, place: StatementPath) -> Body:
        return body_around(self.program, place)

    def function_of(self, place: StatementPath) -> Function:
        return function_at(self.program, place)

    def fresh(self, name: str, place: StatementPath) -> str:
        """`name`, or the first of name1, name2, … that the function does not use."""
        return fresh_name(name, program_names(self.function_of(place)))

    def _functions(self) -> list[str]:
        return [self.only] if self.only is not None else searchable(self.program)

    # Editing, for transformations ------------------------------------------------------------------------

    def update(self, program: Program) -> None:
        """Replace the program: types are filled in again, and every statement has an id of its own."""
        try:
            reject_malformed(program)
            self.program = self._updated = retyped(assign_ids(program, len(self.steps)))
        except InputError as e:
            d = e.diagnostic
            message = f"the result is not a program: {d.message}"
            raise InputError(Diagnostic("OG605", message, d.loc, d.labels, d.notes, d.help)) from None

    def put(self, place: StatementPath, *new: Stmt) -> None:
        """Statements in the place of one."""
        self.update(replace_at(self.program, place, *new))

    def insert(self, place: StatementPath, *new: Stmt) -> None:
        """Statements before a place."""
        self.update(insert_at(self.program, place, *new))

    # Steps -----------------------------------------------------------------------------------------------

    @deep
    def run_step(self, name: str, body: Callable[[], R], args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        if self._depth:
            return body()
        title = f"{name}({', '.join([*map(_shown, args), *(f'{k}={_shown(v)}' for k, v in kwargs.items())])})"
        start, before = time.perf_counter(), self.program
        self._depth += 1
        try:
            out = body()
        except InputError as e:
            self.program = before
            raise self._refused(title, e) from None
        except BaseException:
            self.program = before
            raise
        finally:
            self._depth -= 1
        self._accept(title, before, start, check=not self._phases)
        return out

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Steps that are checked once, at the end: in between, the program need not be provable."""
        before, count, start = self.program, len(self.steps), time.perf_counter()
        self._phases.append(name)
        try:
            yield
        except BaseException:
            self.program = before
            del self.steps[count:]
            raise
        finally:
            self._phases.pop()
        if not self._phases:
            try:
                self._accept(f'phase("{name}")', before, start, check=True)
            except BaseException:
                del self.steps[count:]
                raise

    def _accept(self, title: str, before: Program, start: float, *, check: bool) -> None:
        """Record the step; whatever keeps it from being checked, the program is then as it was before."""
        try:
            if self.program is not self._updated:  # a transformation may have put it there by itself
                self._update_last(title)
            self._record(title, before, self.program, start, check=check)
        except BaseException:
            self.program = before
            raise

    def _update_last(self, title: str) -> None:
        try:
            self.update(self.program)
        except InputError as e:
            raise self._refused(title, e) from None

    def _record(self, title: str, before: Program, after: Program, start: float, *, check: bool) -> None:
        file, line, source = _caller()
        number = len(self.steps)
        result = None
        if check:
            self._keep_contracts(after, title)
            result = self.verifier.verify(after)
        seconds = time.perf_counter() - start
        step = Step(number, title, file, line, source, tuple(self._phases), before, after, result, seconds)
        if result is not None and not result.verified:
            error = self.rejection(step, result)
            self.attempts.append(error.step)
            raise error
        if result is not None:
            self._checked = after, result
        self.steps.append(step)
        self.attempts.append(step)
        self.stepped(step)

    def stepped(self, step: Step) -> None:
        """Called after each step that was accepted."""

    def _keep_contracts(self, after: Program, title: str) -> None:
        """The functions of the original are still there, with the same parameters and contracts; and what it defines and assumes is
        the same, no more and no less assumed, so that the contracts mean the same."""
        items = {i.name: i for i in after.flat_items() if not isinstance(i, Include)}
        given = {i.name: i for i in self.original.flat_items() if not isinstance(i, Include)}
        own = {f.name for f in after.functions()}  # all of these are checked, included ones if they are called
        for f in self.original.functions():
            if f.name not in own:
                items.pop(f.name, None)
        assumed = {name: i for name, i in items.items() if is_assumed(i)}
        for name, i in {**assumed, **given}.items():
            what = changed_promise(given.get(name), items.get(name))
            if what is not None:
                d = Diagnostic("OG606", f"`{name}` {what}: a script must keep what was specified", i.loc)
                raise self._refused(title, InputError(d))

    def _refused(self, title: str, e: InputError) -> InputError:
        """The same error, with the line of the script."""
        file, line, source = _caller()
        d = e.diagnostic
        place = Loc(file, line, 1, line, len(source) + 1) if line else NOWHERE
        notes = (("step", f"{len(self.steps)}  {title}"), *d.notes)
        if d.loc is NOWHERE or d.code in ("OG601", "OG602", "OG603", "OG604"):
            labels = d.labels if d.loc is NOWHERE else (Label(d.loc, "here"), *d.labels)
            return InputError(Diagnostic(d.code, d.message, place, labels, notes, d.help))
        return InputError(Diagnostic(d.code, d.message, d.loc, (Label(place, "this step"), *d.labels), notes, d.help))

    def rejection(self, step: Step, result: ProgramResult) -> StepError:
        """Explain a rejection in the text of the changed program: prove it again from there, and look for a counterexample."""
        name = f"{self.original.file} after step {step.number}" if step.number else self.original.file
        texts: dict[str, str] = {}
        settings = Settings(refuter=self.refuter, points=self.verifier.settings.points)
        if step.number:
            texts[name] = print_program(step.after)
            try:
                explained = Verifier(settings).verify(parse_text(texts[name], name))
                result = result if explained.verified else explained
            except InputError:
                pass  # what cannot be read back is explained from where it was written
        elif self.refuter is not None:
            explained = Verifier(settings).verify(step.after)
            result = result if explained.verified else explained
        failed = next(f for f in result.functions if f.verdict is not Verdict.VERIFIED)
        assert failed.problem is not None
        problem = failed.problem
        step = Step(
            step.number, step.title, step.file, step.line, step.source, step.phase, step.before, step.after, result,
            step.seconds, problem,
        )  # fmt: skip
        message = f"{failed.name} is not verified after this step"
        labels: tuple[Label, ...] = ()
        origin = self._origin(step.after, failed.name, problem, name, texts)
        if origin is not None:
            labels = (Label(origin, "where this was written"),)
        place = Loc(step.file, step.line, 1, step.line, len(step.source) + 1) if step.line else NOWHERE
        return StepError(step, failed, Diagnostic(problem.code, message, place, labels), texts)

    def _origin(self, after: Program, function: str, problem: Problem, name: str, texts: dict[str, str]) -> Loc | None:
        """The place in the original file of the statement that the problem is about."""
        if name not in texts or problem.loc.file != name:
            return None
        try:
            read_back = parse_text(texts[name], name).function(function)
            mine = after.function(function)
        except (InputError, KeyError):
            return None
        found: Loc | None = None
        for (_, s), (_, t) in zip(statements_of(mine), statements_of(read_back)):
            if t.loc.line <= problem.loc.line <= t.loc.end_line and s.loc is not NOWHERE:
                found = s.loc
        return found


def program_names(f: Function) -> set[str]:
    """What a new name must not be: every name of the function, except those that formulas bind for themselves."""
    return names_apart_from_indices(f) | names_in(f.body)


def names_apart_from_indices(f: Function) -> set[str]:
    """Those that mean the same in the whole function, as far as they are seen."""
    names = {f.name, *(p.name for p in f.params)} | clause_free_vars(f.contract) | body_free_vars(f.body)
    return names.union(*(bound_after(s) for s in statements(f.body)))


def names_in(body: Body) -> set[str]:
    """All names that statements use or declare, except those that formulas bind for themselves."""
    names = set[str]()
    for s in statements(body):
        names |= bound_after(s)
        if isinstance(s, For):
            names |= {s.index} | clause_free_vars(s.contract)
        for e in stmt_exprs(s):
            names |= free_vars(e)
    return names


def is_assumed(i: TopLevel) -> bool:
    """Whether nothing proves it."""
    return isinstance(i, Axiom) or (isinstance(i, Function) and i.admitted)


def changed_promise(old: TopLevel | None, new: TopLevel | None) -> str | None:
    """How a part of the program no longer says what it said; None if it does."""
    if old is None:
        return "is a new assumption"
    if new is None:
        return "is gone"
    if isinstance(old, Function) and isinstance(new, Function):
        if not same_promise(old, new):
            return "has another contract"
        return "is assumed to be right as it was" if old.admitted and old.body != new.body else None
    return None if old == new else "is defined differently"


def same_promise(f: Function, g: Function) -> bool:
    """Same parameters, result and contract."""
    same_params = [(p.name, p.type) for p in f.params] == [(p.name, p.type) for p in g.params]
    return (
        same_params
        and (f.role, f.result) == (g.role, g.result)
        and f.contract == g.contract
        and f.admitted == g.admitted
    )


def _caller() -> tuple[str, int, str]:
    """The line of the script that called: the innermost frame that is not ours."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((HERE, "<frozen")) and "contextlib" not in file:
            return file, frame.f_lineno, linecache.getline(file, frame.f_lineno).rstrip("\n")
        frame = frame.f_back  # type: ignore[assignment]
    return "", 0, ""


def caller_file() -> str:
    return _caller()[0]


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if type(value) in NODES:  # whose text may be long beyond measure
        return type(value).__name__
    return str(value) if not isinstance(value, list | tuple) else f"[{', '.join(map(_shown, value))}]"
