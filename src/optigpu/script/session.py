"""A session: a program, the steps that change it, and the check after each.

A transformation edits `session.program` through `update`, and is not trusted. When the outermost one returns, the whole program is
checked against the contracts of the original; then the step is recorded, or undone.
"""

from __future__ import annotations

import linecache
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from optigpu.check.specification_change import specification_change
from optigpu.check.verdict import ProgramResult, Refuter
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file, recheck
from optigpu.frontend.program_loading import retyped
from optigpu.frontend.typed_statements import TypedStatements
from optigpu.frontend.wellformed import NODES, reject_malformed
from optigpu.light_dataclass import dataclass
from optigpu.script.call_site import call_site
from optigpu.script.editing import (
    StatementPath,
    assign_ids,
    body_around,
    edit_body,
    function_at,
    insert_at,
    replace_at,
    statement_at,
)
from optigpu.script.handles import Handle, IfBranch, Place, region_inside
from optigpu.script.kept_annotations import AnnotationChanges, settle_annotations
from optigpu.script.program_names import names_seen_from
from optigpu.script.resolution import SearchSpace, resolve, searchable
from optigpu.script.script_phase import ScriptPhase
from optigpu.script.step import Record, Step
from optigpu.script.step_errors import StepError, at_script_line, explained_rejection
from optigpu.script.targets import Target, TargetLike
from optigpu.script.text_arguments import undeclared_in_arguments
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.free_names import fresh_name
from optigpu.syntax.program import Body, Function, Program, Stmt
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import NOWHERE, StatementId

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _Checkpoint:
    """What a step that fails goes back to."""

    program: Program
    typed_afresh: Program
    annotation_changes: AnnotationChanges
    before_check: tuple[Callable[[], None], ...]
    steps: int
    phases: tuple[_OpenPhase, ...]
    within: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class _OpenPhase:
    """A phase that has begun: in how many transformations, when, and what it goes back to if it fails."""

    phase: ScriptPhase
    depth: int
    start: float
    before: _Checkpoint


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
        self._program = self._updated = self._typed_afresh = assign_ids(self.original, 0)
        self._typed_statements = TypedStatements()
        self.only = function
        if function is not None and function not in searchable(self.program):
            known = ", ".join(searchable(self.program)) or "none"
            raise InputError(Diagnostic("OG601", f"there is no function `{function}` (there is: {known})", NOWHERE))
        self.steps: list[Step] = []
        self.attempts: list[Step] = []  # accepted and rejected
        self.reasons: dict[StatementId, str] = {}  # why each barrier is needed
        self.residents: dict[
            StatementId, int
        ] = {}  # by kernel launch: how many blocks a multiprocessor should hold at once
        self.annotation_changes = AnnotationChanges()  # of the steps since the last check
        self._before_check: tuple[Callable[[], None], ...] = ()  # what steps left to be done before the next check
        self._depth = 0  # how many transformations are running, one inside the other
        self._phases: tuple[_OpenPhase, ...] = ()  # that are open, one inside the other
        self._within: tuple[Place, ...] = ()  # where alone names and targets are looked for
        self._checked: tuple[Program, ProgramResult] | None = None  # the last program that was checked
        title = f'Script("{self.original.file}")'
        self.stepped(self._record(title, self.program, self.program, start, check=True))

    @property
    def program(self) -> Program:
        """The program as it is now. A step that sets it, without `update`, changes it too."""
        return self._program

    @program.setter
    def program(self, program: Program) -> None:
        with _named_as_result():
            reject_malformed(program, known=self._typed_statements)
        self._program = program

    @property
    def result(self) -> ProgramResult:
        """The checker's verdict on the current program."""
        self._type_afresh()
        program = self.program
        known = self._checked
        if known is None or known[0] is not program:
            known = self._checked = program, self.verifier.verify(program)
        return known[1]

    @property
    def unchecked(self) -> str | None:
        """Why the current program has not been checked against the original; None if it has."""
        return self.why_unchecked(self.program)

    def why_unchecked(self, program: Program) -> str | None:
        """Why a program is not the current one, checked against the original; None if it is."""
        if self._phases:
            return "a phase is still open: what it made has not been verified"
        if program is not self._verified_program():
            return "the program was changed outside a step: it has not been checked against the original"
        change = specification_change(self.original, program)
        return None if change is None else f"`{change.name}` {change.change}: the program has another specification"

    def _verified_program(self) -> Program | None:
        """The program after the last step, if that has a verdict."""
        return self.steps[-1].after if self.steps and self.steps[-1].result is not None else None

    @property
    def record(self) -> Record:
        """All steps, rejected ones too: `s.record.steps`, each with `title`, `before`, `after`, `result`, `seconds`, `error`."""
        return self._record_of(self.attempts)

    @property
    def accepted(self) -> Record:
        """The steps that led to the current program: `s.accepted.steps`."""
        return self._record_of(self.steps)

    def _record_of(self, steps: list[Step]) -> Record:
        file = self.attempts[-1].file if self.attempts else ""
        text = "".join(linecache.getlines(file)) if file else ""
        return Record(self.original.file, text, tuple(steps))

    def find(self, target: TargetLike, kind: str = "any") -> StatementPath:
        """The one statement that a target means."""
        return resolve(self._search_space(), target, kind)[0]

    def find_those(self, target: TargetLike, kind: str = "any") -> list[StatementPath]:
        """The one statement that a target means, or all that fit if it says `.all`."""
        return resolve(self._search_space(), target, kind)

    def find_all(self, target: TargetLike, kind: str = "any") -> list[StatementPath]:
        """All statements that fit a target."""
        return resolve(self._search_space(), target, kind, many=True)

    def searched(self) -> list[tuple[StatementPath, Stmt]]:
        """All statements that names and targets can mean, in program order."""
        return self._search_space().matches(Target(()))

    def outermost_searched(self) -> list[StatementPath]:
        """Of the statements that names and targets can mean, those that are in no other one."""
        searched = {path: None for path, _ in self.searched()}
        return [path for path in searched if not any(around in searched for around in path.ancestors())]

    def at(self, target: TargetLike, kind: str = "any") -> Stmt:
        return statement_at(self.program, self.find(target, kind))

    def handle(self, path: StatementPath) -> Handle:
        return Handle(self, statement_at(self.program, path).id)

    def around(self, path: StatementPath) -> Body:
        """The body that a statement is in."""
        return body_around(self.program, path)

    def function_of(self, path: StatementPath) -> Function:
        return function_at(self.program, path)

    def fresh(self, name: str, path: StatementPath) -> str:
        """`name`, or the first of name1, name2, … that the function does not use, other branches of its conditions aside."""
        return fresh_name(name, names_seen_from(self.function_of(path), path))

    def _search_space(self) -> SearchSpace:
        functions = (self.only,) if self.only is not None else tuple(searchable(self.program))
        return SearchSpace(self.program, functions, self._within)

    @contextmanager
    def inside(self, place: TargetLike | IfBranch) -> Iterator[None]:
        """In the `with`, names and targets mean statements of one statement alone (itself, and those in it), or of one branch of
        an `if`: `with s.inside(condition.then):`. Handles mean what they did."""
        try:
            where = place if isinstance(place, IfBranch) else self.handle(self.find(place))
            region_inside(self.program, where)
        except InputError as e:
            raise at_script_line(e, len(self.steps), f"inside({_argument_text(place)})") from None
        around = self._within
        self._within = (*around, where)
        try:
            yield
        finally:
            self._within = around

    def update(self, program: Program) -> None:
        """Replace the program: types are filled in where it changed, and every statement has an id of its own."""
        with _named_as_result():
            reject_malformed(program, known=self._typed_statements)
            typed = retyped(assign_ids(program, len(self.steps)), self._typed_statements)
        self._program = self._updated = typed

    def _type_afresh(self) -> None:
        """Check and type the whole program, as a program is that is parsed: nothing that is verified rests on remembered types."""
        if self.program is self._verified_program():
            self._updated = self._typed_afresh = self.program
        if self.program is not self._typed_afresh:
            with _named_as_result():
                reject_malformed(self.program)
                typed = retyped(assign_ids(self.program, len(self.steps)))
            self._program = self._updated = self._typed_afresh = typed

    def put(self, path: StatementPath, *new: Stmt) -> None:
        """Replace one statement by others."""
        self.update(replace_at(self.program, path, *new))

    def insert(self, path: StatementPath, *new: Stmt) -> None:
        """Insert statements before a point."""
        self.update(insert_at(self.program, path, *new))

    def edit_body(self, path: StatementPath, change: Callable[[Body], Body]) -> None:
        """Change the body that a statement is in."""
        self.update(edit_body(self.program, path, change))

    @deep
    def run_step(self, name: str, body: Callable[[], R], args: tuple[object, ...], kwargs: dict[str, object]) -> R:
        """Run a transformation as one step: check the result and record it, or undo it."""
        if self._depth:
            return body()
        title = f"{name}({', '.join([*map(_argument_text, args), *(f'{k}={_argument_text(v)}' for k, v in kwargs.items())])})"
        start, before = time.perf_counter(), self._checkpoint()
        self.verifier.watch.title = f"step {len(self.steps)}: {title}"
        try:
            with self._running(before):
                out = body()
        except InputError as e:
            self._go_back(before)
            e = undeclared_in_arguments(e, (*args, *kwargs.values()), self.program)
            raise at_script_line(e, len(self.steps), title) from None
        except BaseException:
            self._go_back(before)
            raise
        self._accept(title, before, start, check=not self._phases)
        return out

    @contextmanager
    def _running(self, before: _Checkpoint) -> Iterator[None]:
        """Code of a step: the transformations that it calls are parts of the step, and it closes the phases that it opens."""
        depth, within = self._depth, self._within
        try:
            self._depth = depth + 1
            yield
        finally:
            self._depth, self._within = depth, within
        if self._phases != before.phases:
            raise _wrong_phase("the step leaves a phase open, or closes one that it did not open")

    def before_check(self, action: Callable[[], None]) -> None:
        """Let an action look at the verdict, and repair the program, before the step or phase that is running is checked."""
        self._before_check += (action,)

    def do_before_check(self) -> None:
        """Do what steps left to be done before the next check, for a step that needs a verified program."""
        actions, self._before_check = self._before_check, ()
        for action in actions:
            action()

    def _checkpoint(self) -> _Checkpoint:
        changes = self.annotation_changes.copy()
        return _Checkpoint(
            self.program, self._typed_afresh, changes, self._before_check, len(self.steps), self._phases, self._within
        )

    def _go_back(self, to: _Checkpoint) -> None:
        self._program = self._updated = to.program
        self._typed_afresh = to.typed_afresh
        self.annotation_changes, self._before_check = to.annotation_changes, to.before_check
        del self.steps[to.steps :]
        self._phases, self._within = to.phases, to.within

    def phase(self, name: str) -> ScriptPhase:
        """Steps that are checked once, at the end: in between, the program need not be provable."""
        if not isinstance(name, str):
            raise at_script_line(_wrong_phase("the name of a phase is a text"), len(self.steps), f"phase({name})")
        return ScriptPhase(name, self._open_phase, self._close_phase)

    def _open_phase(self, phase: ScriptPhase) -> None:
        if any(p.phase is phase for p in self._phases):
            raise at_script_line(_wrong_phase("this phase is open already"), len(self.steps), _title(phase))
        self._phases += (_OpenPhase(phase, self._depth, time.perf_counter(), self._checkpoint()),)

    def _close_phase(self, phase: ScriptPhase, error: BaseException | None) -> None:
        if isinstance(error, SystemExit | GeneratorExit):
            return  # nobody went on after the phase, so it stays open
        opened = next((p for p in self._phases if p.phase is phase), None)
        if opened is None and error is not None:
            return  # undone already, with what is around it
        if opened is None or opened.depth != self._depth:
            message = "this phase is not open" if opened is None else "a phase is closed where it was opened"
            raise at_script_line(_wrong_phase(message), len(self.steps), _title(phase))
        if error is not None:
            self._go_back(opened.before)
        elif self._phases[-1] is not opened:
            self._go_back(opened.before)
            message = "phases are closed in the reverse order of their opening: another one is open inside this one"
            raise at_script_line(_wrong_phase(message), len(self.steps), _title(phase))
        elif opened.before.phases:
            self._phases = opened.before.phases
        else:
            self._accept(_title(phase), opened.before, opened.start, check=True)

    def _accept(self, title: str, before: _Checkpoint, start: float, *, check: bool) -> None:
        """Check and record a step; any failure, also an interrupt, undoes it."""
        steps = len(self.steps)
        try:
            if self.program is not self._updated:  # a transformation may have set it without `update`
                self._type_last(title)
            if check:
                with self._running(self._checkpoint()):
                    self.do_before_check()
                self._type_last(title)
            step = self._record(title, before.program, self.program, start, check=check)
            self._phases = before.phases
            self.stepped(step)
        except BaseException:
            self.attempts = [a for a in self.attempts if a not in self.steps[steps:]]
            self._go_back(before)
            raise

    def _type_last(self, title: str) -> None:
        try:
            self._type_afresh()
        except InputError as e:
            raise at_script_line(e, len(self.steps), title) from None

    def _record(self, title: str, before: Program, after: Program, start: float, *, check: bool) -> Step:
        site = call_site()
        number = len(self.steps)
        result = None
        removed: tuple[str, ...] = ()
        if check:
            self._keep_specification(after, title)
            changes, self.annotation_changes = self.annotation_changes, AnnotationChanges()
            known = self._checked[1] if self._checked is not None and self._checked[0] is after else None
            settled = settle_annotations(self.verifier, before, after, changes, known)
            after, result, removed = settled.program, settled.result, settled.removed
            self._program = self._updated = self._typed_afresh = after
        seconds = time.perf_counter() - start
        phases = () if check else tuple(p.phase.name for p in self._phases)
        step = Step(
            number, title, site.file, site.line, site.source, phases, before, after, result, seconds, removed=removed
        )
        if result is not None and result.failures:
            error = self.rejection(step, result)
            self.attempts.append(error.step)
            raise error
        if result is not None:
            self._checked = after, result
        self.steps.append(step)
        self.attempts.append(step)
        return step

    def rejection(self, step: Step, result: ProgramResult) -> StepError:
        """The error for a step that is not verified."""
        return explained_rejection(step, result, self.original.file, self.refuter, self.verifier)

    def refusal(self, e: InputError) -> InputError:
        """An error that leaves a schedule, which is no step itself."""
        return e

    def stepped(self, step: Step) -> None:
        """Called after each step that was accepted."""

    def _keep_specification(self, after: Program, title: str) -> None:
        """Refuse a step after which the program no longer has the specification of the original."""
        change = specification_change(self.original, after)
        if change is not None:
            message = f"`{change.name}` {change.change}: a script must keep what was specified"
            raise at_script_line(InputError(Diagnostic("OG606", message, change.loc)), len(self.steps), title)


@contextmanager
def _named_as_result() -> Iterator[None]:
    """Say of an error in a program that a transformation has made it."""
    try:
        yield
    except InputError as e:
        d = e.diagnostic
        message = f"the result is not a program: {d.message}"
        raise InputError(Diagnostic("OG605", message, d.loc, d.labels, d.notes, d.help)) from e


def _wrong_phase(message: str) -> InputError:
    return InputError(Diagnostic("OG604", message, NOWHERE))


def _title(phase: ScriptPhase) -> str:
    return f'phase("{phase.name}")'


def _argument_text(value: object) -> str:
    """An argument in the title of a step."""
    if isinstance(value, str):
        return f'"{value}"'
    if type(value) in NODES:  # the text of a tree may be very long
        return type(value).__name__
    return str(value) if not isinstance(value, list | tuple) else f"[{', '.join(map(_argument_text, value))}]"
