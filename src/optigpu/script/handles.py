"""Handles: a statement that a script keeps hold of while the program around it changes."""

from __future__ import annotations

from typing import Protocol, TypeAlias

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.call_site import call_site
from optigpu.script.editing import Region, StatementPath, function_at, statement_at, statements_of
from optigpu.syntax.builtins import ATOMICS
from optigpu.syntax.diagnostic import Diagnostic, InputError, Label
from optigpu.syntax.exprs import Int
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import CallStmt, Decl, For, Ghost, If, Mode, Program, Stmt, Store
from optigpu.syntax.source import NOWHERE, StatementId
from optigpu.syntax.walk import inner_bodies


class HasProgram(Protocol):
    """A session, as far as a handle needs one."""

    @property
    def program(self) -> Program: ...


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Handle:
    """A statement that a script keeps hold of. It is valid as long as the statement is in the program, wherever it moves.

    `handle / For("v")` is the loop over v inside the statement. What a step returns is a handle too: of the statement that is
    mostly meant, with others that the step made as its attributes (`tile.outer`, `tile.inner`).
    """

    session: HasProgram
    id: StatementId

    def path(self) -> StatementPath:
        """Where the statement is now."""
        return find_statement(self.session.program, self.id)

    def statement(self) -> Stmt:
        """The statement as it is now."""
        return statement_at(self.session.program, self.path())

    @property
    def parent(self) -> Handle:
        """The statement whose body this one is in."""
        path = _found(self).path()
        if path.is_top_level:
            message = f"{self} is outermost in `{path.function}`: no statement is around it"
            raise InputError(Diagnostic("OG601", message, call_site().loc))
        return Handle(self.session, statement_at(self.session.program, path.parent).id)

    @property
    def body(self) -> tuple[Handle, ...]:
        """The statements in the body of a loop, in the then-part of an `if`; none for other statements."""
        return _body_of(self, 0)

    @property
    def then(self) -> IfBranch:
        """The then-part of an `if`."""
        return _branch_of(self, 0)

    @property
    def otherwise(self) -> IfBranch:
        """The else-part of an `if`."""
        return _branch_of(self, 1)

    @property
    def loops(self) -> tuple[Handle, ...]:
        """The loops in the statement in program order, so outer loops before those in them."""
        return _loops_in(self.session, Region(_found(self).path()))

    def __truediv__(self, inner: str) -> Handle:
        """`handle / For("i")` is a target; a name alone is not."""
        refuse_name(inner)
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        """Are they handles of the same statement?"""
        return isinstance(other, Handle) and self.id is other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __str__(self) -> str:
        try:
            return f"<{headline(self.statement())}>"
        except InputError:
            return "<a statement that is gone>"

    def __repr__(self) -> str:
        return str(self)


def refuse_name(inner: object) -> None:
    """Say of `place / "i"` what to write instead."""
    if isinstance(inner, str):
        message = f'after `/` stands a target, not the name "{inner}"'
        help = f'place / For("{inner}"), or Write, Read, Decl; in `with s.inside(place):` a name means what is inside'
        raise InputError(Diagnostic("OG604", message, call_site().loc, help=help))


@dataclass(frozen=True, slots=True)
class IfBranch:
    """A branch of an `if`, as a place to search: `condition.otherwise / For("i")`, `with s.inside(condition.then):`."""

    condition: Handle
    number: int  # 0: the then-part, 1: the else-part

    @property
    def body(self) -> tuple[Handle, ...]:
        """The statements of the branch."""
        return _body_of(self.condition, self.number)

    @property
    def loops(self) -> tuple[Handle, ...]:
        """The loops in the branch in program order, so outer loops before those in them."""
        return _loops_in(self.condition.session, Region(_found(self.condition).path(), self.number))

    def __truediv__(self, inner: str) -> Handle:
        refuse_name(inner)
        return NotImplemented

    def __str__(self) -> str:
        return f"{self.condition}.{('then', 'otherwise')[self.number]}"

    def __repr__(self) -> str:
        return str(self)


Place: TypeAlias = Handle | IfBranch


def region_inside(program: Program, place: Place, *, itself: bool = False) -> Region:
    """The part of the program that is inside a place; with `itself`, together with the statement of a handle."""
    if isinstance(place, IfBranch):
        return Region(find_statement(program, place.condition.id), place.number)
    return Region(find_statement(program, place.id), itself=itself)


def find_statement(program: Program, statement_id: StatementId) -> StatementPath:
    """The path of the statement with this id, or of the only statement that was made from it."""
    derived: list[tuple[StatementPath, Stmt]] = []
    for f in program.functions():
        for path, s in statements_of(f):
            if s.id is statement_id:
                return path
            ancestor: StatementId | None = s.id
            while ancestor is not None and ancestor is not statement_id:
                ancestor = ancestor.parent
            if ancestor is not None:
                derived.append((path, s))
    if len(derived) == 1:
        return derived[0][0]
    help_ = "a step returns handles of what it made; or name the statement: For(…), Write(…), …"
    message = "the statement of this handle is gone"
    if derived:
        message = f"the statement of this handle was copied: {len(derived)} statements were made from it"
    labels = tuple(Label(s.loc, f"{path.function}: {headline(s)}") for path, s in derived)
    raise InputError(Diagnostic("OG601", message, NOWHERE, labels, (), help_))


def _body_of(handle: Handle, branch: int) -> tuple[Handle, ...]:
    bodies = inner_bodies(_found(handle).statement())
    return tuple(Handle(handle.session, s.id) for s in bodies[branch]) if bodies else ()


def _branch_of(handle: Handle, number: int) -> IfBranch:
    if not isinstance(_found(handle).statement(), If):
        message = f"{handle} is not an `if`: it has no branches"
        raise InputError(Diagnostic("OG601", message, call_site().loc, help="handle.body has the statements in it"))
    return IfBranch(handle, number)


def _loops_in(session: HasProgram, region: Region) -> tuple[Handle, ...]:
    f = function_at(session.program, region.around)
    return tuple(Handle(session, s.id) for path, s in statements_of(f) if path in region and isinstance(s, For))


def _found(handle: Handle) -> Handle:
    """The handle, if its statement is in the program; else the error has the place in the script."""
    try:
        handle.path()
    except InputError as e:
        raise InputError(replace(e.diagnostic, loc=call_site().loc)) from None
    return handle


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
