"""A program as lines of text, each linked to its statement, so that errors and proof states can be shown at their line."""

from __future__ import annotations

from contextlib import suppress

from optigpu.check.verdict import ProgramResult
from optigpu.light_dataclass import dataclass, replace
from optigpu.search.contract_annotations import InferredLoop, annotated
from optigpu.search.formula_writer import Unprintable
from optigpu.syntax.printer import ProgramPrinter
from optigpu.syntax.program import (
    Assert,
    Axiom,
    Body,
    Clause,
    Function,
    Ghost,
    GhostEnd,
    If,
    Include,
    LogicDecl,
    LogicDef,
    Program,
    Role,
    RuleDeclaration,
    Stmt,
    TopLevel,
)
from optigpu.syntax.source import NOWHERE, Loc, StatementId

PLAIN_VIEW, ANNOTATED_VIEW, INFERRED_VIEW = "plain", "annotated", "inferred"
VIEWS = (PLAIN_VIEW, ANNOTATED_VIEW, INFERRED_VIEW)  # code only; with written annotations; with inferred contracts too


@dataclass(frozen=True, slots=True)
class Line:
    """`statement`: its number (see search/proof_states.py); `end`: the line closes its body; `note`: an annotation, which the plain
    view omits."""

    text: str
    function: str = ""
    statement: int = 0
    end: bool = False
    loc: Loc = NOWHERE  # where the statement or clause was written
    note: bool = False


EMPTY = Line("")

Cache = dict[
    tuple[int, ...], tuple[Line, ...]
]  # lines of top-level items, keyed by identity; the items must stay alive


def listing(
    program: Program, view: str = ANNOTATED_VIEW, result: ProgramResult | None = None, cache: Cache | None = None
) -> tuple[Line, ...]:
    """The lines of a program in a view. With a `cache`, items that a step does not change are printed once."""
    return _Lister(view, result, {} if cache is None else cache).lines(program)


class _Lister(ProgramPrinter):
    def __init__(self, view: str, result: ProgramResult | None, cache: Cache) -> None:
        super().__init__()
        self.view = view
        self.plain = view == PLAIN_VIEW
        self.loops = (
            {f.name: f.loops for f in result.in_full().functions}
            if result is not None and view == INFERRED_VIEW
            else {}
        )
        self.cache = cache
        self.line_data: dict[int, Line] = {}  # by line number; texts are filled in at the end
        self.name = ""
        self.count = 0
        self.branching: list[int] = []

    def lines(self, program: Program) -> tuple[Line, ...]:
        if self.plain:
            program = replace(program, items=tuple(i for i in program.items if not _only_proof(i)))
        self.program(program)
        return tuple(self.filled(n) for n in range(self.here))

    def item(self, item: TopLevel) -> None:
        loops = self.loops.get(item.name, {}) if isinstance(item, Function) else {}
        key = (id(item), VIEWS.index(self.view), *(id(contract) for contract in loops.values()))
        first = self.here
        if key not in self.cache:
            super().item(_with_contracts(item, loops))
            if _only_proof(item):
                for n in range(first, self.here):
                    self.line_data[n] = replace(self.line_data.get(n, EMPTY), note=True)
            self.cache[key] = tuple(self.filled(n) for n in range(first, self.here))
        else:
            lines = self.cache[key]
            self.out.lines += [line.text for line in lines]
            self.line_data.update(enumerate(lines, first))

    def filled(self, n: int) -> Line:
        line, text = self.line_data.get(n, EMPTY), self.out.lines[n]
        return replace(line, text=text, note=line.note or text.strip() == "__admitted();")

    @property
    def here(self) -> int:
        return len(self.out.lines)

    def show(self, line: int, statement: int, loc: Loc, end: bool = False, note: bool = False) -> None:
        self.line_data.setdefault(line, Line("", self.name, statement, end, loc, note))

    def function(self, f: Function) -> None:
        self.name, self.count = f.name, 0
        self.show(self.here, 0, f.loc)
        super().function(replace(f, contract=(), admitted=False) if self.plain else f)
        self.show(self.here - 1, 0, f.loc, end=True)
        self.name = ""

    def clauses(self, contract: tuple[Clause, ...]) -> None:
        if self.plain:
            return
        for c in contract:
            loc = next((i.loc for i in c.items if i.loc is not NOWHERE), c.loc)
            self.show(self.here, self.count, loc, note=True)
            super().clauses((c,))

    def statement(self, s: Stmt) -> None:
        if isinstance(s, If):  # also an `else if`, which the printer does not print as a statement
            super().statement(s)
            return
        self.count += 1
        note = isinstance(s, Ghost | GhostEnd | Assert)
        if self.plain and note:
            return
        number, first = self.count, self.here
        super().statement(s)
        if self.here - 1 > first:
            self.show(self.here - 1, number, s.loc, end=True)
        for line in range(first, self.here):  # pragmas precede loop heads
            if line in self.line_data:
                break
            self.show(line, number, s.loc, note=note)

    def conditional(self, s: If, prefix: str) -> None:
        self.count += 1
        number = self.count
        self.show(self.here, number, s.loc)
        self.branching.append(number)
        super().conditional(s, prefix)
        self.branching.pop()
        if not s.other:
            self.show(self.here - 1, number, s.loc, end=True)

    def nested(self, head: str, body: Body, tail: str = "}") -> None:
        if head == "} else":
            self.show(self.here, self.branching[-1], NOWHERE, end=True)
        super().nested(head, body, tail)


def _with_contracts(item: TopLevel, loops: dict[StatementId, InferredLoop]) -> TopLevel:
    with suppress(Unprintable):  # formulas cannot express every contract
        return annotated(Program("", (item,)), loops).items[0] if loops else item
    return item


def _only_proof(item: TopLevel) -> bool:
    match item:
        case Include(path):
            return path.endswith("optigpu.h")
        case LogicDecl() | LogicDef() | Axiom() | RuleDeclaration():
            return True
        case Function(role=role):
            return role is Role.GHOST
        case _:
            return False


def code_lines(lines: tuple[Line, ...]) -> list[int]:
    """The lines that are in every view, in order."""
    return [n for n, line in enumerate(lines) if line.text and not line.note]


def find_line(lines: tuple[Line, ...], function: str, statement: int, loc: Loc) -> int | None:
    """The line of a statement; for statement 0 (the contract), the line of the clause at `loc`, or the head of the function."""
    own_lines = [(n, line) for n, line in enumerate(lines) if line.function == function and not line.end]
    if statement:
        return next((n for n, line in own_lines if line.statement == statement), None)
    if loc is not NOWHERE:
        for n, line in enumerate(lines):
            if line.loc == loc and not line.end:
                return n
    return next((n for n, line in own_lines if line.statement == 0), None) if function else None
