"""The type of a name at a statement, from the declarations and parameters around it."""

from __future__ import annotations

from collections.abc import Callable

from optigpu.frontend.parameter_types import effective_type
from optigpu.script.editing import StatementPath, body_around
from optigpu.script.session import Session
from optigpu.syntax.exprs import Alloc, Array, Type
from optigpu.syntax.program import Decl, For
from optigpu.syntax.types import INT, Pointer, Scalar
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.unknown_names import no_such_name


def declared(session: Session, path: StatementPath, name: str) -> Type | None:
    """The type of a variable that is visible at a statement; a pointer to an allocation has the type of the allocated array."""
    for level in [path, *reversed(path.ancestors())]:
        for s in reversed(body_around(session.program, level)[: level.index]):
            if isinstance(s, Decl) and s.name == name:
                if isinstance(s.init, Alloc):
                    return Array(s.init.elem, s.init.dims, s.init.space)
                return s.type
        if len(level.positions) > 1:
            loop = session.at(level.parent)
            if isinstance(loop, For) and loop.index == name:
                return INT
    f = session.function_of(path)
    for p in f.params:
        if p.name == name:
            return effective_type(f, p.name, p.type)
    return None


def visible_names(session: Session, path: StatementPath, is_kind: Callable[[Type | None], bool]) -> list[str]:
    """The names at a statement whose type is of a kind: those of the function's parameters, and of declarations around it."""
    f = session.function_of(path)
    names = [p.name for p in f.params]
    for level in [*path.ancestors(), path]:
        names += [s.name for s in body_around(session.program, level)[: level.index] if isinstance(s, Decl)]
    return [name for name in dict.fromkeys(names) if is_kind(declared(session, path, name))]


def scalar_of(session: Session, path: StatementPath, name: str) -> Scalar:
    t = declared(session, path, name)
    if t is None:
        scalars = visible_names(session, path, lambda kind: isinstance(kind, Scalar))
        raise no_such_name(f"`{name}` is not a scalar variable here", name, scalars)
    if not isinstance(t, Scalar):
        raise refuse(f"`{name}` is not a scalar variable here")
    return t


def array_of(session: Session, path: StatementPath, name: str) -> Array:
    t = declared(session, path, name)
    if t is None:
        arrays = visible_names(session, path, lambda kind: isinstance(kind, Array))
        raise no_such_name(f"`{name}` is not an array here", name, arrays)
    if isinstance(t, Pointer) or not isinstance(t, Array):
        raise refuse(f"`{name}` is not an array here")
    return t
