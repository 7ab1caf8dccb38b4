"""Declarations of arrays: their element type, their sizes, and the statements that free them."""

from __future__ import annotations

from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Var
from optigpu.syntax.program import Body, CallStmt, Decl, Return, Stmt
from optigpu.syntax.types import Pointer, Scalar
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import value_of

MAX_STACK_CELLS = 1 << 14  # larger arrays are allocated on the heap


def elem_of(decl: Decl) -> Scalar:
    match decl.type:
        case Array(elem) | Pointer(elem):
            return elem
        case Scalar():
            return decl.type
        case _:
            raise refuse(f"`{decl.name}` has no element type", decl)


def dims_of(decl: Decl) -> tuple[Expr, ...]:
    """The sizes of what is declared; none for a scalar."""
    if isinstance(decl.init, Alloc):
        return decl.init.dims
    if isinstance(decl.type, Array):
        return tuple(d for d in decl.type.dims if d is not None)
    if isinstance(decl.type, Scalar):
        return ()
    raise refuse(f"the sizes of `{decl.name}` are not known", decl)


def array_decl(name: str, elem: Scalar, dims: tuple[Expr, ...]) -> tuple[Decl, Body]:
    """The declaration of a new array, on the stack if it is small and else allocated, and the statements that free it."""
    if not dims:
        return Decl(name, elem), ()
    cells = 1
    for d in dims:
        n = value_of(d)
        cells = cells * n if n is not None and cells >= 0 else -1
    if 0 <= cells <= MAX_STACK_CELLS:
        return Decl(name, Array(elem, dims)), ()
    return heap_array(name, elem, dims)


def heap_array(name: str, elem: Scalar, dims: tuple[Expr, ...]) -> tuple[Decl, Body]:
    """The allocation of a new array on the heap, and the statements that free it."""
    return Decl(name, Pointer(elem), Alloc(elem, dims), const=True), (CallStmt(Call("free", (Var(name),))),)


def is_free_of(s: Stmt, name: str) -> bool:
    """Is this `free(name)`?"""
    return isinstance(s, CallStmt) and s.call == Call("free", (Var(name),))


def freed_at_end(rest: Body, free: Stmt) -> Body:
    """What follows a declaration up to the end of its scope, with a statement at the end that frees what is declared."""
    end = len(rest) - 1 if rest and isinstance(rest[-1], Return) else len(rest)
    return (*rest[:end], free, *rest[end:])


def array_declaration_at(session: Session, path: StatementPath) -> Decl:
    s = session.at(path)
    if not isinstance(s, Decl) or not dims_of(s):
        raise refuse("this is not the declaration of an array", s)
    return s
