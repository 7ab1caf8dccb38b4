"""Sums of products, such as matrix products and convolutions: a block computes a tile of the result from tiles in shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from optigpu.light_dataclass import dataclass, replace
from optigpu.schedules.pipelined_contraction import BlockTile, Contraction, pipelined
from optigpu.schedules.quotients import bind_quotients
from optigpu.schedules.required_names import require_product
from optigpu.script.handles import Handle
from optigpu.script.targets import For, Target, Write
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Binary, Expr, Index, Int, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Decl, If
from optigpu.syntax.program import For as Loop
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import body_subexpressions, root_name, statements
from optigpu.transform.gpu.memory_spaces import pad
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.array_declarations import dims_of
from optigpu.transform.tools.c_text import as_expression
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import conjunction, folded, value_of

HALF = 4  # adjacent rows, or columns, of a thread; it has two such groups of each


@dataclass(frozen=True)
class Tile:
    """How many rows and columns a block computes, and how many summands it stages at a time. A thread computes 8 x 8."""

    rows: int
    cols: int
    depth: int

    @property
    def threads(self) -> int:
        return self.rows * self.cols // (4 * HALF * HALF)


@dataclass(frozen=True)
class Factor:
    """A factor, the loops of its copy in shared memory, and how many elements of the tile are in a group of a thread's rows."""

    array: str
    copy: str
    loops: tuple[str, str, str, str]  # of the program: threads, halves, elements of a half, summands
    names: tuple[str, str, str, str]  # in the copy
    extents: tuple[int, int, int, int]
    along: bool  # are adjacent summands adjacent in memory, rather than adjacent rows or columns?
    size: Expr | None  # of the last dimension, if vector accesses are wanted


@transformation
def contraction(
    s: TransformSession,
    *,
    rows: str,
    cols: str,
    inner: str,
    left: str,
    right: str,
    out: str,
    grid: Sequence[str] = (),
    taps: Sequence[str] = (),
    inside: Sequence[str] = (),
    total: str = "sum",
    tile: tuple[int, int, int] = (64, 128, 16),
    each: tuple[int, int] = (8, 8),
    vector: Sequence[str] = (),
    skip: Sequence[str] = (),
    name: str = "",
) -> None:
    """A kernel of `out[rows][cols] = sum over taps and inner of left[rows] * right[cols]`, for any sizes.

    `grid`: the other loops of the result. `taps`: loops of the sum around `inner`, which is divided into chunks that are staged in
    shared memory, with zeros outside the arrays. `inside`: loops of the sum, of constant size, that are staged together with a
    chunk. `left` does not depend on `cols`, nor `right` on `rows`. `vector`: arrays that are accessed four elements at a time where
    the size of their last dimension is a multiple of 4. `skip`: conditions on the loops of blocks and taps, and on `chunk`, without
    which all summands are zero: they are tested once for a block.

    `tile`: rows and columns of a block, and summands of a chunk; `each`: rows and columns of a thread, 8 x 8 if the sum has `taps`
    or `inside`. Without these the next chunk is loaded while the present one is used, and `name` is a prefix of the names of new
    loops and arrays, for programs with several such kernels.
    """
    inline_constants(s)
    require_product(s, rows=rows, cols=cols, inner=inner, left=left, right=right, out=out, total=total)
    sizes = {a: _last_size(s, a) for a in vector}
    along = _is_along(s, left, inner, rows), _is_along(s, right, inner, cols)
    c = Contraction(rows, cols, inner, left, right, out, grid, total, sizes, name, *along)
    if taps or inside or skip:
        _chunk_by_chunk(s, c, Tile(*tile), taps, inside, [as_expression(text) for text in skip])
    else:
        pipelined(s, c, BlockTile(*tile, each))


def _chunk_by_chunk(
    s: TransformSession, c: Contraction, t: Tile, taps: Sequence[str], inside: Sequence[str], skip: Sequence[Expr]
) -> None:
    """Stage a chunk of the factors, with the loops `inside`, then compute with it."""
    for loop in inside:
        _number_bound(s, loop)
    rows, cols, inner, sizes = c.rows, c.cols, c.inner, c.sizes
    f = _factor(s, c.left, "ls", ("tr", "hr", rows, inner), (t.rows // 8, 2, HALF, t.depth), sizes)
    g = _factor(s, c.right, "rs", ("tc", "hc", cols, inner), (t.cols // 8, 2, HALF, t.depth), sizes)
    blocks = [*c.grid, "br", "bc"]
    _tiled(s, rows, "br", "hr", "tr", t.rows)
    _tiled(s, cols, "bc", "hc", "tc", t.cols)
    s.loop.tile(inner, t.depth, outer="chunk", tail="guard")
    s.loop.reorder(*blocks, "tr", "tc", "hr", rows, "hc", cols)
    s.loop.reorder(*blocks, *taps, "chunk", "tr", "tc", *inside, inner, "hr", rows, "hc", cols)
    _skip(s, c.total, skip, taps=taps)
    _stage(s, f, g, c.total)
    (threads, whole), (more, whole_too) = _copied(s, t, f, inside), _copied(s, t, g, inside)
    for array, loops in ((f.copy, threads), (g.copy, more)):
        bind_quotients(s, _copy(array, loops[0]))
    stored = s.loop.fast_path(For(cols, body=Write(c.out)), when=_divided(sizes[c.out])) if c.out in sizes else None
    for loop in (*inside, inner):
        s.loop.unroll_hint(For(loop, body=Write(c.total)))
    shared = {x.copy: pad(1, 0) if x.along else None for x in (f, g)}
    resident = 2 if t.threads == 256 else None
    block = ["tr", "tc", *threads, *more]
    s.gpu.launch(grid=blocks, block=block, shared=shared, registers={c.total: 2}, blocks_per_multiprocessor=resident)
    _vectorized(s, ((f, whole), (g, whole_too)), stored, rows, cols)


def _vectorized(
    s: TransformSession,
    copies: Sequence[tuple[Factor, Handle | None]],
    stored: Handle | None,
    rows: str,
    cols: str,
) -> None:
    """Access four elements at a time: of the factors and of the result where they are aligned, and of the copies."""
    for x, whole_loop in copies:
        if whole_loop is not None:
            s.gpu.vectorize(whole_loop, arrays=["d_" + x.array] if x.along else None)
    if stored is not None:
        s.gpu.vectorize(stored)
    s.gpu.vectorize(For(rows, body=Write("lv")))
    s.gpu.vectorize(For(cols, body=Write("rv")))


def _factor(
    s: TransformSession,
    array: str,
    copy: str,
    loops: tuple[str, str, str, str],
    extents: tuple[int, int, int, int],
    sizes: dict[str, Expr],
) -> Factor:
    first = copy[0]
    names = (f"{first}t", f"{first}h", f"{first}e", f"{first}k")
    along = _is_along(s, array, loops[3], loops[2])
    return Factor(array, copy, loops, names, extents, along, sizes.get(array))


def _skip(s: TransformSession, total: str, tests: Sequence[Expr], first: str = "tr", taps: Sequence[str] = ()) -> None:
    """Test each condition as far outside as the loops of taps that it speaks of allow, or once for a chunk."""
    inner = [*taps, "chunk"]
    levels = [max((n for n, loop in enumerate(inner, 1) if loop in free_vars(e)), default=0) for e in tests]
    for level in sorted({*levels}, reverse=True):
        whole = For("chunk") / For(first, body=Write(total))
        path, loop = loop_at(s, For(inner[level], body=Write(total)) if level < len(inner) else whole)
        s.put(path, If(conjunction([e for e, own in zip(tests, levels) if own == level]), (loop,)))


def _stage(s: TransformSession, f: Factor, g: Factor, total: str) -> None:
    """Read the factors through shared memory, and from there through registers."""
    at, summed = For("tr", body=Write(total)), For("chunk") / Write(total)
    for x, other in ((f, g), (g, f)):
        s.loop.hoist_expr(
            summed, x.copy, read=x.array, before=For("chunk") / at, indep=list(other.loops[:3]), outside=0
        )
    s.loop.unguard(at.all)
    for x, name in ((f, "lv"), (g, "rv")):
        s.matrix.stage(x.copy, at=For(x.loops[3], body=Write(total)) / For("hr", body=Write(total)), name=name)


def inline_constants(s: TransformSession) -> None:
    """Let the indices of accesses speak of loops, in place of constants that are declared inside the loops."""
    loops = [x for f in s.program.functions() for x in statements(f.body) if isinstance(x, Loop)]
    inside = [x for loop in loops for x in statements(loop.body) if isinstance(x, Decl)]
    names = {x.name: None for x in inside if x.const and isinstance(x.type, Scalar)}
    for name in names:
        s.variable.inline(name)


def _number_bound(s: TransformSession, name: str) -> int:
    """Write the bound of a loop as a number, in place of a macro."""
    path, loop = loop_at(s, name)
    bound = folded(substitute(loop.range.bound, constants_of(s.program)))
    s.put(path, replace(loop, range=replace(loop.range, bound=bound)))
    count = value_of(bound)
    if count is None:
        raise refuse(f"the bound of the loop over `{name}` is not a number", loop)
    return count


def _tiled(s: TransformSession, loop: str, block: str, half: str, thread: str, size: int) -> None:
    s.loop.tile(loop, size, outer=block, tail="guard")
    s.loop.tile(loop, size // 2, outer=half)
    s.loop.tile(loop, HALF, outer=thread)


def _copied(s: TransformSession, t: Tile, x: Factor, inside: Sequence[str]) -> tuple[list[str], Handle | None]:
    """Distribute the copy of a factor among the threads. Returns its thread loops, and the loop of its vector accesses."""
    _reorder_dims(s, x.copy, [*inside, x.loops[3], x.loops[1], x.loops[0], x.loops[2]])
    outer = [f"{x.copy[0]}_{loop}" for loop in inside]
    for loop, name in zip((*x.loops, *inside), (*x.names, *outer)):
        s.loop.rename(_copy(x.copy, loop), name)
    extents = dict(zip(x.names, x.extents))
    threads, halves, elements, summands = x.names
    if x.size is None:
        order = [summands, threads, halves, elements] if x.along else [elements, threads, halves, summands]
        return _spread(s, x.copy, t, order, extents, outer), None
    if not x.along:
        spread = _spread(s, x.copy, t, [threads, halves, summands], extents, outer, elements)
        return spread, s.loop.fast_path(_copy(x.copy, elements), when=_divided(x.size))
    groups = summands + "q"
    s.loop.tile(_copy(x.copy, summands), HALF, outer=groups)
    extents[groups] = extents[summands] // HALF
    spread = _spread(s, x.copy, t, [groups, elements, threads, halves], extents, outer, summands)
    return spread, s.loop.fast_path(_copy(x.copy, summands), when=_divided(x.size))


def _spread(
    s: TransformSession,
    array: str,
    t: Tile,
    order: Sequence[str],
    extents: dict[str, int],
    outer: Sequence[str],
    last: str | None = None,
) -> list[str]:
    """Take loops as thread loops, the fastest first, until there are enough threads; a loop may be divided."""
    threads: list[str] = []
    rest: list[str] = []
    missing = t.threads
    for loop in order:
        taken = gcd(extents[loop], missing)
        if taken == 1:
            rest.append(loop)
            continue
        if taken < extents[loop]:
            rest.append(loop + "_rest")
            s.loop.tile(_copy(array, loop), taken, outer=rest[-1])
        threads.append(loop)
        missing //= taken
    if missing > 1:
        raise refuse(
            f"{t.threads} threads cannot share the copy of a tile {t.rows} x {t.cols} x {t.depth}", code="OG604"
        )
    s.loop.reorder(*reversed(threads), *outer, *rest, *([last] if last else []), at=Write(array).first)
    return threads


def _copy(array: str, loop: str) -> Target:
    return For(loop, body=Write(array).first)


def _divided(size: Expr, by: int = 4) -> Expr:
    return Binary("==", Binary("%", size, Int(by)), Int(0))


def _accesses(s: TransformSession, array: str) -> list[Index]:
    exprs = [x for f in s.program.functions() for x in body_subexpressions(f.body) if isinstance(x, Index)]
    return [x for x in exprs if root_name(x) == array]


def _is_along(s: TransformSession, array: str, inner: str, other: str) -> bool:
    """Does the loop of the sum move a later index of a factor than the loop over rows or columns?"""
    indices = _accesses(s, array)[0].indices

    def last(loop: str) -> int:
        return max((n for n, e in enumerate(indices) if loop in free_vars(e)), default=-1)

    return last(inner) > last(other)


def _last_size(s: TransformSession, array: str) -> Expr:
    params = [p for f in s.program.functions() for p in f.params if p.name == array]
    sizes = [p.type.dims[-1] for p in params if isinstance(p.type, Array)]
    decls = [x for f in s.program.functions() for x in statements(f.body) if isinstance(x, Decl) and x.name == array]
    sizes += [dims[-1] for x in decls if (dims := dims_of(x))]
    size = next((d for d in sizes if d is not None), None)
    if size is None:
        raise refuse(f"`{array}` is no array of the function", code="OG601")
    return size


def _reorder_dims(s: TransformSession, array: str, wanted: Sequence[str]) -> None:
    """Put the dimensions of a staged array in the order of the loop indices that it is read with."""
    names = [i.name for i in _accesses(s, array)[0].indices if isinstance(i, Var)]
    s.matrix.reorder_dims(array, [names.index(w) for w in wanted])
