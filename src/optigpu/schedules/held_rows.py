"""Rows that a block holds in registers or in shared memory while it reduces and writes them: memory is read once, written once."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import dataclass, replace
from optigpu.schedules.nest_reading import elements_of
from optigpu.schedules.row_loops import whole_vectors
from optigpu.script.handles import Handle
from optigpu.script.targets import Call, For, Write
from optigpu.syntax.exprs import Binary, Expr, Var
from optigpu.syntax.exprs import Call as CallOf
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import CallStmt, If, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import rewrite, statements, subexpressions
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.reduce.reductions import operand
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, conjunction, folded, lit, value_of

WARP = 32  # threads
VECTORS = 1, 2, 4


@dataclass(frozen=True)
class HeldRows:
    """Rows of at most `most` elements, which `threads` threads of a block hold as vectors of `vector` elements, in their registers
    or in shared memory. Vectors of more than one need rows of whole vectors, whose starts are aligned."""

    most: int
    threads: int
    vector: int = 4
    shared: bool = False

    @property
    def turns(self) -> int:
        """How many vectors a thread holds."""
        return self.most // (self.threads * self.vector)

    def fits(self, s: TransformSession, length: Expr, sizes: Sequence[Expr]) -> bool | Expr:
        """Whether rows of a length fit, in arrays whose rows have these sizes; the condition for it if they are not all numbers."""
        number = value_of(folded(substitute(length, constants_of(s.program))))
        tests: list[Expr] = [Binary("<=", length, lit(self.most))] if number is None else []
        tests += whole_vectors(s, (length, *sizes), self.vector)
        if (number is not None and number > self.most) or lit(0) in tests:
            return False
        return conjunction(tests) if tests else True

    @property
    def is_possible(self) -> bool:
        """Do whole warps hold the same number of vectors each?"""
        return self.threads > 0 and self.vector in VECTORS and self._is_divided

    @property
    def _is_divided(self) -> bool:
        return self.threads % WARP == 0 and self.turns > 0 and self.turns * self.threads * self.vector == self.most


def require_possible(held: Sequence[HeldRows]) -> None:
    for form in held:
        if not form.is_possible:
            message = f"{form.threads} threads do not hold {form.most} elements in equal parts of whole vectors"
            raise refuse(message, code="OG604")


@dataclass(frozen=True)
class LoopNames:
    """The indices of the loops of a block, none of which the program uses: threads, turns of a thread, elements of a vector, groups
    of threads, lanes of a warp."""

    t: str
    u: str
    v: str
    g: str
    lane: str


def held_rows(
    s: TransformSession,
    grid: Sequence[str],
    *,
    loop: str,
    reductions: Sequence[str],
    outputs: Sequence[str],
    inputs: Sequence[str],
    form: HeldRows,
) -> None:
    """A kernel with a block for each iteration of `grid`, whose threads load the rows of `inputs` into registers or shared memory
    first."""
    results = (*reductions, *outputs)
    loops = distinct_loops(s, loop, results)
    names = LoopNames(*(s.fresh(name, loops[0].path()) for name in ("t", "u", "v", "g", "lane")))
    copies = [held_copy(s, array, loop, loops) for array in inputs]
    kept = _kept_values(s, loop, reductions, outputs, loops[-1]) if not form.shared else []
    held = [*copies, *kept]
    for result in (*copies, *(_written_in(s, over, results) for over in loops)):
        _spread(s, loop, result, form, names)
    for name in held:
        s.matrix.pad(name, 0, to=form.most)
        if not form.shared:
            _divide_among_threads(s, name, form)
    for var in reductions:
        _combined(s, var, form.threads, names)
    shared = [f"{var}_{kind}" for var in reductions for kind in ("parts", "groups")[: 1 + (form.threads > WARP)]]
    registers = dict.fromkeys(reductions, 0)  # every thread computes the results
    if form.shared:
        shared += held
    else:
        registers |= dict.fromkeys(held, 1)
    s.gpu.launch(grid=grid, block=[names.t], shared=shared, registers=registers)
    for result in (*copies, *(f"d_{output}" for output in outputs)):
        if form.vector > 1:
            s.gpu.vectorize(For(names.v, body=Write(result)))
    if form.shared:
        _reduce_by_vectors(s, reductions, copies, form, names)


def _divide_among_threads(s: TransformSession, name: str, form: HeldRows) -> None:
    """Make the thread the first dimension of a row: what is left are the registers of a thread."""
    if form.vector > 1:
        s.matrix.split_dim(name, 0, form.vector)
    if form.turns > 1:
        s.matrix.split_dim(name, 0, form.threads)
        s.matrix.reorder_dims(name, [1, 0, 2] if form.vector > 1 else [1, 0])


def _reduce_by_vectors(
    s: TransformSession, reductions: Sequence[str], copies: Sequence[str], form: HeldRows, names: LoopNames
) -> None:
    """Read shared memory by vectors where a row is reduced, too, and have all loads of a thread under way at once."""
    for var in reductions if form.vector > 1 else ():
        over = s.handle(s.find(For(names.v, body=Write(f"{var}_part"))))
        read = {e.array for e in elements_of(s, over)}
        s.gpu.vectorize(over, arrays=[name for name in copies if name in read])
    for turns in s.find_all(For(names.u)):
        s.loop.unroll_hint(s.handle(turns), form.turns)


def distinct_loops(s: TransformSession, loop: str, results: Sequence[str]) -> list[Handle]:
    """The loops over an index that write the results, each once, which start at 0 then."""
    loops = list(dict.fromkeys(s.handle(s.find(For(loop, body=Write(result)))) for result in results))
    for over in loops:
        if value_of(loop_at(s, over)[1].range.start) != 0:
            s.loop.widen_range(over, 0)
    return loops


def _written_in(s: TransformSession, loop: Handle, results: Sequence[str]) -> str:
    """The first of the results that a loop writes."""
    return next(x for x in results if s.find(Write(x)).inside(loop.path()))


def _spread(s: TransformSession, loop: str, result: str, form: HeldRows, names: LoopNames) -> None:
    """Divide the loop that writes a result: adjacent threads have adjacent vectors, each thread one in each of its turns. A vector
    is tested as a whole."""
    over = For(loop, body=Write(result))
    if form.vector > 1:
        tiles = s.loop.tile(over, form.vector, outer=names.t)
        s.loop.rename(tiles.inner, names.v)
        vectors = tiles.outer
    else:
        vectors = s.loop.rename(over, names.t)
    s.loop.extend_range(vectors, form.most // form.vector)
    if form.turns > 1:
        s.loop.tile(vectors, form.threads, outer=names.u)
        s.loop.reorder(names.t, names.u, at=Write(result))


def _combined(s: TransformSession, var: str, threads: int, names: LoopNames) -> None:
    """Let each thread reduce its own elements, then the threads of one warp some of these each, and every thread what they leave:
    two barriers, where a tree has one for each of its levels."""
    parts = s.reduce.parts(For(names.t, body=Write(var)), var=var, parts=f"{var}_parts", part=f"{var}_part")
    if threads == WARP:
        s.loop.rename(parts.combine, names.lane)
        return
    by_lane = s.loop.tile(parts.combine, WARP, outer=names.g)
    s.loop.reorder(names.t, names.g, at=Write(var))
    lanes = s.reduce.parts(by_lane.inner, var=var, parts=f"{var}_groups", part=f"{var}_group")
    s.loop.extend_range(lanes.loop, threads)
    s.loop.rename(lanes.combine, names.lane)


def held_copy(s: TransformSession, array: str, loop: str, loops: Sequence[Handle], most: int | None = None) -> str:
    """Copy a row of an array to a local array before the loops, which then use the copy: of its length, or of `most` cells.
    Returns its name."""
    found = {e for x in loops for e in elements_of(s, x) if e.array == array}
    if len(found) != 1:
        raise refuse(f"`{array}` is read with {len(found)} different indices in rows", loops[0].statement())
    (row,) = found
    length = loop_at(s, loops[0])[1].range.bound if most is None else lit(most)
    window = [(lit(0), length) if e == Var(loop) else (e, 1) for e in row.indices]
    name = f"{array}_row"
    copy = s.matrix.local_name_tile(loops[0], to=loops[-1], var=array, local_var=name, tile=window, clip=True)
    assert copy.copy_in is not None
    copied = s.loop.rename(copy.copy_in, loop)
    if most is None and any(isinstance(x, If) for x in statements((s.at(copied),))):
        s.loop.unguard(copied)  # the loops go no further than the rows of the array
    if len(window) > 1:
        s.matrix.merge_dims(name, 0, len(window))
    return name


def _kept_values(
    s: TransformSession, loop: str, reductions: Sequence[str], outputs: Sequence[str], last: Handle
) -> list[str]:
    """Local arrays of the elements that are summed up, where later loops compute them once more."""
    results = (*reductions, *outputs)
    pairs = [(var, later) for k, var in enumerate(reductions) for later in results[k + 1 :]]
    kept = [_kept(s, var, loop, later, last) for var, later in pairs]
    return [name for name in kept if name is not None]


def _kept(s: TransformSession, var: str, loop: str, later: str, last: Handle) -> str | None:
    """If a later loop computes the elements that are summed up once more, by a function call, let it use those of the sum. Returns
    the name of the local array of them."""
    update, other = s.at(For(loop) / Write(var)), s.at(For(loop) / Write(later))
    assert isinstance(update, Store) and isinstance(other, Store)
    value = operand(update)
    if not any(isinstance(x, CallOf) for x in subexpressions(value)) or value not in subexpressions(other.value):
        return None
    s.variable.bind(For(loop) / Write(var), f"{var}_kept", value)
    s.loop.hoist(f"{var}_kept")
    for path in s.find_all(Call("free")):
        if s.at(path) == CallStmt(CallOf("free", (Var(f"{var}_kept"),))):
            s.instr.move(path, after=last)
    path = s.find(For(loop) / Write(later))
    element = cell(f"{var}_kept", [Var(loop)])
    s.put(path, replace(other, value=rewrite(other.value, lambda e: element if e == value else e)))
    return f"{var}_kept"
