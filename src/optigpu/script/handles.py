"""Handles: a statement that a script keeps hold of while the program around it changes."""

from __future__ import annotations

from typing import Protocol

from optigpu.light_dataclass import dataclass
from optigpu.script.editing import StatementPath, statement_at, statements_of
from optigpu.syntax.builtins import ATOMICS
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.exprs import Int
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import CallStmt, Decl, For, Ghost, If, Mode, Program, Stmt, Store
from optigpu.syntax.source import NOWHERE, StatementId


class HasProgram(Protocol):
    """A session, as far as a handle needs one."""

    @property
    def program(self) -> Program: ...


@dataclass(frozen=True, slots=True)
class Handle:
    """A statement that a transformation made or moved. The handle is valid as long as the statement is in the program."""

    session: HasProgram
    id: StatementId

    def path(self) -> StatementPath:
        """Where the statement is now."""
        return find_statement(self.session.program, self.id)

    def statement(self) -> Stmt:
        return statement_at(self.session.program, self.path())

    def __str__(self) -> str:
        return f"<{headline(self.statement())}>"


def find_statement(program: Program, statement_id: StatementId) -> StatementPath:
    """The path of the statement with this id, or of the only statement that was made from it."""
    derived: list[StatementPath] = []
    for f in program.functions():
        for path, s in statements_of(f):
            if s.id is statement_id:
                return path
            ancestor: StatementId | None = s.id
            while ancestor is not None and ancestor is not statement_id:
                ancestor = ancestor.parent
            if ancestor is not None:
                derived.append(path)
    if len(derived) == 1:
        return derived[0]
    message = "the statement was copied; say which one" if derived else "the statement of this handle is gone"
    raise InputError(Diagnostic("OG601", message, NOWHERE))


def headline(s: Stmt) -> str:
    """A statement on one line, without its body."""
    match s:
        case For(index, r):
            mode = "" if s.mode is Mode.SEQUENTIAL else f"{s.mode.value} "
            step = "" if r.op in "+-" and r.amount == Int(1) else f", {r.op}= {print_expr(r.amount)}"
            return f"{mode}for {index} = {print_expr(r.start)}; {index} {r.relation} {print_expr(r.bound)}{step}"
        case Store(target, value, op) if op in ATOMICS:
            return f"{op}(&{print_expr(target)}, {print_expr(value)})"
        case Store(target, value, op):
            return f"{print_expr(target)} {op or ''}= {print_expr(value)}"
        case Decl(name, _, init):
            return f"declaration of {name}" + ("" if init is None else f" = {print_expr(init)}")
        case If(test):
            return f"if ({print_expr(test)})"
        case CallStmt(call):
            return print_expr(call)
        case Ghost(func):
            return f"__ghost({func})"
        case _:
            return type(s).__name__.lower()
