"""What a schedule sees in a plain program: a nest of independent loops, and inside it reductions, reads and writes.

The reading is syntactic and decides nothing: it proposes the arguments of a schedule, and the checker verifies what comes out.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Call, Cast, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Assert, Body, CallStmt, Decl, For, Ghost, Stmt, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import code_exprs, inner_bodies, reads_memory, statements, subexpressions
from optigpu.transform.reduce.reductions import is_reduction, operand

ROW_MAJOR = "MINDEX"  # a[MINDEX2(m, n, i, j)] is a[i][j]


@dataclass(frozen=True)
class Element:
    """An access of an array, by the indices of its dimensions; constants that loops declare are replaced by their values."""

    array: str
    indices: tuple[Expr, ...]

    def depends_on(self, index: str) -> bool:
        return any(index in free_vars(e) for e in self.indices)

    def ends_with(self, index: str) -> bool:
        """Are adjacent iterations of a loop adjacent elements?"""
        return bool(self.indices) and index in free_vars(self.indices[-1])


@dataclass(frozen=True)
class Reduction:
    """A variable that loops add to, multiply, or take a maximum or minimum with. `loops`: those in the nest, outermost first."""

    var: str
    update: Store
    value: Expr  # what is added, with constants replaced by their values
    loops: tuple[For, ...]

    @property
    def is_sum(self) -> bool:
        return self.update.op == "+"

    @property
    def elements(self) -> tuple[Element, ...]:
        return tuple(elements_in(self.value))


@dataclass(frozen=True)
class IndependentNest:
    """Loops with independent iterations, each directly in the one before, and the body of the innermost."""

    grid: tuple[For, ...]
    body: Body
    reductions: tuple[Reduction, ...]
    written: tuple[tuple[Element, tuple[For, ...]], ...]  # with the loops of the body around the write
    read: tuple[Element, ...]

    @property
    def indices(self) -> tuple[str, ...]:
        return tuple(loop.index for loop in self.grid)

    @property
    def inner_loops(self) -> tuple[For, ...]:
        return tuple(s for s in statements(self.body) if isinstance(s, For))

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(e.array for e, _ in self.written))


def code(body: Body) -> Body:
    """The statements of a body that are executed."""
    return tuple(s for s in body if not isinstance(s, Ghost | Assert))


def elements_in(e: Expr) -> Iterator[Element]:
    """The elements of arrays that an expression reads."""
    for x in subexpressions(e):
        if isinstance(x, Index) and isinstance(x.base, Var):
            yield Element(x.base.name, _dimensions(x))


def without_casts(e: Expr) -> Expr:
    while isinstance(e, Cast) and e.implicit:
        e = e.arg
    return e


def loop_nest(loop: For) -> IndependentNest:
    """The nest that starts with a loop. Its grid is empty if the iterations of this loop depend on each other."""
    grid: list[For] = []
    inside: Body = (loop,)
    while len(inside) == 1 and isinstance(inside[0], For) and is_independent(inside[0]):
        grid.append(inside[0])
        inside = code(inside[0].body)
    found = _Found()
    found.visit(inside, (), {})
    return IndependentNest(tuple(grid), inside, tuple(found.reductions), tuple(found.written), tuple(found.read))


def is_independent(loop: For) -> bool:
    """Does every iteration write variables of its own, and elements that depend on its index?"""
    return dependence(loop) is None


def dependence(loop: For) -> str | None:
    """What iterations may depend on each other by: what is written that is not an iteration's own; None if there is nothing."""
    own = {s.name for s in statements(loop.body) if isinstance(s, Decl)}
    for s in statements(loop.body):
        match s:
            case Store(Var(name)):
                if name not in own:
                    return f"`{name}`"
            case Store(Index(base, indices)):
                is_own = isinstance(base, Var) and base.name in own
                # an index that memory says may be the same in several iterations
                if not is_own and not any(loop.index in free_vars(e) and not reads_memory(e) for e in indices):
                    return f"`{print_expr(s.target)}`"
            case CallStmt(call) if call.func != "free":
                return f"the call of `{call.func}`"
            case _:
                pass
    return None


class _Found:
    """What a walk through the body of a nest comes across."""

    def __init__(self) -> None:
        self.reductions: list[Reduction] = []
        self.written: list[tuple[Element, tuple[For, ...]]] = []
        self.read: list[Element] = []

    def visit(self, body: Body, loops: tuple[For, ...], constants: dict[str, Expr]) -> None:
        for s in body:
            for e in _values_of(s):
                self.read += elements_in(substitute(e, constants))
            match s:
                case Decl(name, Scalar(), init) if s.const and init is not None:
                    constants = {**constants, name: substitute(init, constants)}
                case For():
                    self.visit(s.body, (*loops, s), constants)
                case Store(Var(name)) if loops and is_reduction(s):
                    self.reductions.append(Reduction(name, s, substitute(operand(s), constants), loops))
                case Store(Index(Var(name)) as target):
                    at = substitute(target, constants)
                    assert isinstance(at, Index)
                    self.written.append((Element(name, _dimensions(at)), loops))
                case _:
                    for inner in inner_bodies(s):
                        self.visit(inner, loops, constants)


def _values_of(s: Stmt) -> list[Expr]:
    match s:
        case Store(Index(_, indices), value):
            return [value, *indices]
        case Store(_, value):
            return [value]
        case _:
            return code_exprs(s)


def _dimensions(x: Index) -> tuple[Expr, ...]:
    match x.indices:
        case (Call(func, args),) if func.startswith(ROW_MAJOR):
            return args[len(args) // 2 :]
        case indices:
            return indices
