"""What a name means at a place: declarations and parameters around it."""

from __future__ import annotations

from optigpu.frontend.parameter_types import effective_type
from optigpu.script.editing import StatementPath, body_around
from optigpu.script.session import Session
from optigpu.syntax.exprs import Alloc, Array, Type
from optigpu.syntax.program import Decl, For
from optigpu.syntax.types import INT, Pointer, Scalar
from optigpu.transform.loop_nests import refuse


def declared(script: Session, place: StatementPath, name: str) -> Type | None:
    """The type of a variable seen from a place; a pointer to an allocation is the array it points to."""
    levels = [StatementPath(place.function, place.path[:n]) for n in range(len(place.path), 0, -1)]
    for level in levels:
        for s in reversed(body_around(script.program, level)[: level.index]):
            if isinstance(s, Decl) and s.name == name:
                if isinstance(s.init, Alloc):
                    return Array(s.init.elem, s.init.dims, s.init.space)
                return s.type
        if len(level.path) > 1:
            loop = script.at(level.parent)
            if isinstance(loop, For) and loop.index == name:
                return INT
    f = script.function_of(place)
    for p in f.params:
        if p.name == name:
            return effective_type(f, p.name, p.type)
    return None


def scalar_of(script: Session, place: StatementPath, name: str) -> Scalar:
    t = declared(script, place, name)
    if not isinstance(t, Scalar):
        raise refuse(f"`{name}` is not a scalar variable here", code="OG603" if t is not None else "OG601")
    return t


def array_of(script: Session, place: StatementPath, name: str) -> Array:
    t = declared(script, place, name)
    if isinstance(t, Pointer) or not isinstance(t, Array):
        raise refuse(f"`{name}` is not an array here", code="OG603" if t is not None else "OG601")
    return t
