"""What attention looks like: for each row, scores that are products with keys, and sums of values weighted by their exponentials.

score = f(sum over inner of queries[grid][rows][inner] * factors[grid][keys][inner])
out[grid][rows][cols] = sum over keys of exp(score) * values[grid][keys][cols] / sum over keys of exp(score)
"""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.light_dataclass import dataclass
from optigpu.schedules.product_reading import extent_of, factors_of
from optigpu.schedules.reading import Element, IndependentNest, Reduction, loop_nest, without_casts
from optigpu.script.editing import StatementPath
from optigpu.syntax.exprs import Array, Binary, Call, Expr, Index, Int, Real, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Decl, For, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import statements
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.declared_types import array_of


@dataclass(frozen=True)
class AttentionReading:
    """The parts of attention. `score` is an expression of `dot`, the row and the key; the number of keys may depend on the row.
    `scale`: the score is `dot` times this number, which is positive; None if it is another expression."""

    path: StatementPath
    grid: tuple[For, ...]
    rows: For
    keys: For
    inner: For
    cols: For
    queries: Element
    factors: Element
    values: Element
    out: Element
    dot: str
    score: Expr
    elem: Scalar
    key_limit: Expr  # the number of keys that there are
    scale: Expr | None

    @property
    def key_count(self) -> Expr:
        """The number of keys of a row."""
        return counted(self.keys).count


@dataclass(frozen=True)
class _Scores:
    """The sums of products of a row and a key."""

    dot: Reduction
    queries: Element
    factors: Element

    @property
    def keys(self) -> For:
        return self.dot.loops[-2]

    @property
    def inner(self) -> For:
        return self.dot.loops[-1]


def only_attention(s: TransformSession) -> AttentionReading | str:
    """The attention that is the one outermost loop of a program, or why there is none."""
    loops = [(p, x) for p, x in ((p, s.at(p)) for p in s.outermost_searched()) if isinstance(x, For)]
    if len(loops) != 1:
        return f"the program has {len(loops)} outermost loops"
    path, loop = loops[0]
    nest = loop_nest(loop)
    if not nest.grid:
        return f"the iterations of the loop over `{loop.index}` depend on each other"
    *grid, rows = nest.grid
    scores = _scores(nest, rows)
    if isinstance(scores, str):
        return scores
    score = _score(nest, scores)
    if isinstance(score, str):
        return score
    results = [(e, around[-1]) for e, around in nest.written if e.depends_on(rows.index) and around]
    if len(results) != 1:
        return "the results of a row are not written in one loop"
    out, cols = results[0]
    values = _values(nest, scores, cols)
    if isinstance(values, str):
        return values
    if not all(is_plain(x) for x in (*nest.grid, scores.keys, scores.inner, cols)):
        return "a loop does not count up from 0"
    if any(extent_of(s, x) is None for x in (scores.inner, cols)):
        return f"the numbers of iterations of `{scores.inner.index}` and `{cols.index}` are not numbers"
    kinds = {array_of(s, path, e.array).elem for e in (scores.queries, scores.factors, values)}
    if len(kinds) != 1:
        return "queries, keys and values are numbers of different types"
    (elem,) = kinds
    limit = _size_along(array_of(s, path, scores.factors.array), scores.factors, scores.keys)
    if limit is None:
        return f"`{scores.keys.index}` is no index of `{scores.factors.array}`"
    return AttentionReading(
        path, tuple(grid), rows, scores.keys, scores.inner, cols, scores.queries, scores.factors, values, out,
        scores.dot.var, score, elem, limit, _scale(s, path, score, scores.dot.var),
    )  # fmt: skip


def _scores(nest: IndependentNest, rows: For) -> _Scores | str:
    """The one sum of products of elements of inputs of which one depends on the row, and the other on a key."""
    found: list[_Scores] = []
    for r in nest.reductions:
        pair = factors_of(r.value) if r.is_sum and len(r.loops) > 1 else None
        if pair is None or any(x.array in nest.outputs for x in pair):
            continue
        keys, inner = r.loops[-2:]
        queries = [x for x in pair if x.depends_on(rows.index) and not x.depends_on(keys.index)]
        factors = [x for x in pair if x.depends_on(keys.index) and not x.depends_on(rows.index)]
        if len(queries) == len(factors) == 1 and all(x.ends_with(inner.index) for x in pair):
            found.append(_Scores(r, queries[0], factors[0]))
    if len(found) != 1:
        return f"there are {len(found)} sums of products of an element of the row and one of a key"
    return found[0]


def _score(nest: IndependentNest, scores: _Scores) -> Expr | str:
    """The score of a key, which is stored as an element of an array."""
    dot = Var(scores.dot.var)
    stored = [
        s.value
        for s in statements(scores.keys.body)
        if isinstance(s, Store) and isinstance(s.target, Index) and dot.name in free_vars(s.value) and s.op is None
    ]
    if len(stored) != 1:
        return f"what is computed of `{dot.name}` is not stored as the one score of a key"
    local = {s.name for s in statements(nest.body) if isinstance(s, Decl)} - {dot.name}
    if more := sorted(local & free_vars(stored[0])):
        return f"the score depends on `{more[0]}`"
    return stored[0]


def _scale(s: TransformSession, path: StatementPath, score: Expr, dot: str) -> Expr | None:
    """The positive number that a score is `dot` times, if there is one."""
    match without_casts(score):
        case Binary("*", a, b) if without_casts(b) == Var(dot):
            scale = a
        case Binary("*", a, b) if without_casts(a) == Var(dot):
            scale = b
        case _:
            return None
    constants = {d.name: d.init for d in s.around(path) if isinstance(d, Decl) and d.const and d.init is not None}
    return scale if is_positive(scale, constants) else None


def is_positive(e: Expr, constants: Mapping[str, Expr]) -> bool:
    """Is it seen at once that a number is positive: made of positive literals by products, quotients and roots?"""
    match without_casts(e):
        case Int(value) | Real(value):
            return value > 0
        case Binary("*" | "/", a, b):
            return is_positive(a, constants) and is_positive(b, constants)
        case Call("sqrtf" | "sqrt" | "rsqrtf" | "rsqrt", (x,)):
            return is_positive(x, constants)
        case Var(name):
            return name in constants and is_positive(constants[name], constants)
        case _:
            return False


def _values(nest: IndependentNest, scores: _Scores, cols: For) -> Element | str:
    """The elements that are weighted, in terms of the keys of the scores."""
    found: dict[Element, None] = {}
    for r in nest.reductions:
        for x in r.elements:
            keys = [loop.index for loop in r.loops if loop is not cols and x.depends_on(loop.index)]
            if x.ends_with(cols.index) and len(keys) == 1 and x.array not in nest.outputs:
                indices = tuple(substitute(e, {keys[0]: Var(scores.keys.index)}) for e in x.indices)
                found[Element(x.array, indices)] = None
    if len(found) != 1:
        return f"there are {len(found)} arrays whose elements depend on a key and on `{cols.index}`"
    return next(iter(found))


def _size_along(array: Array, e: Element, loop: For) -> Expr | None:
    """The size of the dimension of an array whose index is that of a loop."""
    sizes = [size for index, size in zip(e.indices, array.dims) if index == Var(loop.index)]
    return sizes[0] if len(array.dims) == len(e.indices) and sizes else None
