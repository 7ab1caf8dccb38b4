"""Loops over a row that the threads of a block share."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import replace
from optigpu.schedules.nest_reading import elements_of
from optigpu.schedules.new_names import NewNames
from optigpu.script.handles import Handle
from optigpu.script.targets import Decl as DeclTarget
from optigpu.script.targets import For, Target, TargetLike, Write
from optigpu.syntax.exprs import Array, Binary, Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Decl, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import root_name, statements, stmt_exprs, subexpressions
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.reduce.reductions import operand
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.declared_types import declared
from optigpu.transform.tools.simplified import conjunction, folded, lit, mod, value_of

ARITHMETIC = ("+", "-", "*", "/")


def spread(
    s: TransformSession, new: NewNames, loop: str, at: Target, *, threads: int, vector: int, in_flight: int
) -> None:
    """Divide the loop around a statement into t, u, strip, lane: adjacent threads t have adjacent groups of `vector` elements,
    which `lane` counts, and in each iteration of u a thread has `in_flight` such groups, which `strip` counts."""
    inner = For(loop, body=at).first
    s.loop.tile(inner, in_flight * threads * vector, outer=new.u, tail="guard")
    s.loop.tile(inner, threads * vector, outer=new.strip)
    if vector > 1:
        s.loop.tile(inner, vector, outer=new.t)
        s.loop.rename(inner, new.lane)
        s.loop.reorder(new.t, new.u, new.strip, new.lane, at=at)
    else:
        s.loop.rename(inner, new.t)
        s.loop.reorder(new.t, new.u, new.strip, at=at)
    s.loop.unroll_hint(For(new.strip, body=at).first, in_flight)


def one_result_each(s: TransformSession, loop: str, results: Sequence[str]) -> None:
    """Divide the loops over an index that write several of the results, so that each result has a loop of its own. What is declared
    in their bodies is computed in each."""
    loops = dict.fromkeys(s.handle(s.find(For(loop, body=Write(result)).first)) for result in results)
    for over in loops:
        body = loop_at(s, over)[1].body
        written = dict.fromkeys(root_name(x.target) for x in statements(body) if isinstance(x, Store))
        _, *later = [name for name in written if name in results]
        for name in [x.name for x in body if isinstance(x, Decl) and x.const and later]:
            s.variable.inline(over / DeclTarget(name))
        for name in later:
            over = s.loop.fission(before=over / Write(name)).second


def start_at_element(s: TransformSession, loop: str, var: str) -> None:
    """Let a maximum or minimum that starts at INFINITY, and is subtracted later, start at the first element: what is infinite
    cannot be subtracted."""
    path = s.find(DeclTarget(var))
    first = s.at(path)
    assert isinstance(first, Decl)
    if first.init is None or "INFINITY" not in free_vars(first.init):
        return
    _, over = loop_at(s, For(loop, body=Write(var)).first)
    update = s.at((For(loop) / Write(var)).first)
    assert isinstance(update, Store)
    element = operand(update)
    for x in reversed(over.body):
        if isinstance(x, Decl) and x.const and x.init is not None:
            element = substitute(element, {x.name: x.init})
    element = substitute(element, {over.index: over.range.start})
    rest = s.around(path)[path.index :]
    computed = [x for y in statements(rest) for e in stmt_exprs(y) for x in subexpressions(e) if isinstance(x, Binary)]
    is_subtracted = any(x.op in ARITHMETIC and var in free_vars(x) for x in computed)
    if is_subtracted and not free_vars(element) & {x.name for x in statements(rest) if isinstance(x, Decl)}:
        s.put(path, replace(first, init=element))


def length_of(s: TransformSession, loop: TargetLike) -> Expr:
    """The number of iterations of a loop from 0."""
    return loop_at(s, loop)[1].range.bound


def row_sizes(s: TransformSession, loops: Sequence[TargetLike]) -> tuple[Expr, ...]:
    """The sizes of the rows that loops run along, each once: of the last dimensions of arrays that have several. Rows may be longer
    than the loops, then their starts are further apart."""
    sizes: dict[Expr, None] = {}
    for loop in loops:
        path, over = loop_at(s, loop)
        for e in elements_of(s, path):
            kind = declared(s, path, e.array)
            along = len(e.indices) > 1 and e.indices[-1] == Var(over.index)
            if along and isinstance(kind, Array) and len(kind.dims) == len(e.indices) and kind.dims[-1] is not None:
                sizes[kind.dims[-1]] = None
    return tuple(sizes)


def whole_vectors(s: TransformSession, sizes: Sequence[Expr], vector: int) -> list[Expr]:
    """The conditions under which vectors divide these sizes, so that rows of such sizes start at multiples of a vector: none for
    numbers that they divide, `0` for other numbers."""
    tests: list[Expr] = []
    for size in dict.fromkeys(folded(substitute(e, constants_of(s.program))) for e in sizes):
        number = value_of(size)
        if number is None or number % vector != 0:
            tests.append(Binary("==", mod(size, lit(vector)), lit(0)) if number is None else lit(0))
    return tests if vector > 1 else []


def without_guards(s: TransformSession, loop: TargetLike, sizes: Sequence[Expr], vector: int) -> Handle:
    """Run a loop without guards where all its iterations exist; with vectors, only if they divide these sizes of rows."""
    tests = whole_vectors(s, sizes, vector)
    return s.loop.fast_path(loop, when=conjunction(tests) if tests else None)
