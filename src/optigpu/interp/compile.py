"""Programs compiled to Python closures: the executable semantics of the language.

Each expression and statement becomes one closure, which takes the machine and the frame of the running function (a list with one
slot for each local name). Expressions return numbers or views of memory. Ghost statements are not executed; contracts and
assertions are checked by the machine.
"""

from __future__ import annotations

from itertools import count

from optigpu.interp.compile_expressions import FrameScope, SlotCounter
from optigpu.interp.compile_statements import StatementCompiler
from optigpu.interp.machine import Closure, CompiledFunction
from optigpu.syntax.exprs import Array
from optigpu.syntax.program import Define, Function, Program, Role


def compile_program(program: Program) -> dict[str, CompiledFunction]:
    """All functions of a program but its ghosts."""
    functions = [f for f in program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST]
    names = frozenset(f.name for f in functions)
    macros = {d.name: d.value for d in program.flat_items() if isinstance(d, Define)}
    keys = count(1)
    return {f.name: _compiled(f, StatementCompiler(f, names, macros, keys)) for f in functions}


def _compiled(f: Function, compiler: StatementCompiler) -> CompiledFunction:
    slots = SlotCounter()
    scope = FrameScope(None, slots)
    for p in f.params:
        scope.new(p.name, False)
    inner_sizes: list[list[Closure] | None] = []
    for p in f.params:
        declared = p.type.dims if isinstance(p.type, Array) else ()
        sizes = [compiler.expr(d, scope) for d in declared[1:] if d is not None]
        inner_sizes.append(sizes if isinstance(p.type, Array) else None)
    body = compiler.body(f.body, scope.inner())
    return CompiledFunction(f, slots.taken, body, inner_sizes)
