"""What memory-bound schedules look up in the program: its one nest, the access of an array, the type of an array, versions."""

from __future__ import annotations

from optigpu.schedules.reading import Element, IndependentNest, code, dependence, elements_in, loop_nest
from optigpu.script.handles import Handle
from optigpu.script.targets import For, TargetLike, Write
from optigpu.syntax.exprs import Array, Expr
from optigpu.syntax.program import Body
from optigpu.syntax.program import For as Loop
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import statements, stmt_exprs
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.declared_types import array_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import value_of


def body_of(s: TransformSession) -> Body:
    """The executed statements of the function, or of the version of it that is searched."""
    firsts = s.outermost_searched()
    return code(tuple(s.at(path) for path in firsts))


def one_nest(s: TransformSession) -> IndependentNest | str:
    """The nest of independent loops that is the whole function; else why there is none."""
    functions = {path.function for path in s.outermost_searched()}
    if len(functions) != 1:
        return f"the program has {len(functions)} functions that a schedule could mean"
    match body_of(s):
        case (Loop() as loop,):
            nest = loop_nest(loop)
            if nest.grid:
                return nest
            return f"the iterations of the loop over `{loop.index}` depend on each other, by {dependence(loop)}"
        case _:
            return "the function is not one loop nest"


def index_of(loop: Handle) -> str:
    """The name of a loop's index."""
    statement = loop.statement()
    assert isinstance(statement, Loop)
    return statement.index


def nest_writing(s: TransformSession, output: str) -> Handle:
    """The outermost loop around the write of an array."""
    path = s.find(Write(output))
    searched = {p for p, _ in s.searched()}
    loops = [p for p in path.ancestors() if p in searched and isinstance(s.at(p), Loop)]
    if not loops:
        raise refuse(f"no loop is around the write of `{output}`", s.at(path))
    return s.handle(min(loops, key=lambda p: len(p.positions)))


def array_at(s: TransformSession, name: str, loop: TargetLike) -> Array:
    """The type of an array where a loop is."""
    return array_of(s, s.find(loop, "for"), name)


def size_of_elements(array: Array) -> int:
    """In bytes."""
    return array.elem.bits // 8 if isinstance(array.elem, Scalar) else 4


def elements_of(s: TransformSession, loop: TargetLike) -> list[Element]:
    """The elements of arrays that the statements in a loop read, in program order, and the accesses of stores."""
    inside = statements((s.at(loop),))
    return [e for x in inside for expr in stmt_exprs(x) for e in elements_in(expr)]


def one_access(s: TransformSession, array: str, loop: TargetLike, *, write: bool = False) -> Element:
    """The element of an array that the statements in a loop access, which is the same at every access."""
    if write:
        found = {e for e, _ in loop_nest_at(s, loop).written if e.array == array}
    else:
        found = {e for e in elements_of(s, loop) if e.array == array}
    if len(found) != 1:
        raise refuse(f"`{array}` is accessed with {len(found)} different indices in the loop", s.at(loop))
    return found.pop()


def loop_nest_at(s: TransformSession, loop: TargetLike) -> IndependentNest:
    statement = s.at(loop, "for")
    assert isinstance(statement, Loop)
    return loop_nest(statement)


def require_loops(s: TransformSession, loops: tuple[str, ...], output: str) -> None:
    """There are loops over these indices, around a write of `output`."""
    for index in loops:
        s.find_all(For(index), "for")
        s.find_all(For(index, body=Write(output)), "for")


def is_multiple(size: Expr, of: int) -> bool:
    """Is a size a number that is a multiple of another one?"""
    number = value_of(size)
    return number is not None and number % of == 0
