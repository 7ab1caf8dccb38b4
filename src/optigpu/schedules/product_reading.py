"""What a sum of products looks like: which loops are its rows, columns and summands, and which array is which factor.

out[grid][rows][cols] = sum over taps and inner of left[grid][rows][…] * right[grid][cols][…]
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from optigpu.light_dataclass import dataclass
from optigpu.schedules.reading import Element, IndependentNest, elements_in, loop_nest, without_casts
from optigpu.script.editing import StatementPath
from optigpu.syntax.exprs import Array, Binary, Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import For, If
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import FLOAT, Scalar
from optigpu.syntax.walk import statements
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.declared_types import declared
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import folded, value_of

LISTS = ("grid", "taps")
Given = Mapping[str, object]  # roles that a script names itself: rows="i"


@dataclass(frozen=True)
class ProductReading:
    """The parts of a sum of products. `vector`: arrays in which four adjacent elements can be accessed at once."""

    path: StatementPath
    nest: tuple[For, ...]  # over results, outermost first
    rows: For
    cols: For
    taps: tuple[For, ...]
    inner: For
    left: Element
    right: Element
    out: Element
    total: str
    vector: tuple[str, ...]
    is_guarded: bool  # is the sum only over some of the products, as at the borders of an image?
    is_scaled: bool  # are there other factors than the two elements?

    @property
    def grid(self) -> tuple[For, ...]:
        return tuple(x for x in self.nest if x not in (self.rows, self.cols))

    @property
    def summed(self) -> tuple[For, ...]:
        return (*self.taps, self.inner)

    @property
    def is_windowed(self) -> bool:
        """Does an index of a factor move with a loop of the result and with one of the sum, as in a convolution?"""
        summed, results = ({x.index for x in loops} for loops in (self.summed, self.nest))
        indices = (free_vars(e) for x in (self.left, self.right) for e in x.indices)
        return any(names & summed and names & results for names in indices)

    @property
    def has_tiles(self) -> bool:
        """Are factors matrices, or arrays of matrices, of which tiles can be copied, and whose products are added up alone?"""
        if self.taps or self.is_guarded or self.is_scaled or not self.is_rectangular:
            return False
        return all(
            {Var(x.index) for x in (loop, self.inner)} == set(e.indices[-2:])
            and not any({loop.index, self.inner.index} & free_vars(i) for i in e.indices[:-2])
            for e, loop in ((self.left, self.rows), (self.right, self.cols))
        )

    @property
    def is_rectangular(self) -> bool:
        """Do the loops count from 0, up to bounds that none of them changes?"""
        names = {x.index for x in (*self.nest, *self.summed)}
        return all(is_plain(x) and not names & free_vars(x.range.bound) for x in (*self.nest, *self.summed))

    def has_known_sizes(self, s: TransformSession) -> bool:
        """Are the sizes made of numbers that the function takes, and of macros?"""
        numbers = {x.name for x in s.function_of(self.path).params if isinstance(x.type, Scalar)}
        return all(free_vars(x.range.bound) <= {*numbers, *constants_of(s.program)} for x in (*self.nest, *self.summed))

    def names(self) -> dict[str, Any]:
        """The arguments of a schedule of sums of products, without those that are empty or have their default."""
        lists = {"grid": [x.index for x in self.grid], "taps": [x.index for x in self.taps]}
        return {
            "rows": self.rows.index,
            "cols": self.cols.index,
            "inner": self.inner.index,
            "left": self.left.array,
            "right": self.right.array,
            "out": self.out.array,
            **{key: value for key, value in lists.items() if value},
            **({} if self.total == "sum" else {"total": self.total}),
        }


def products(s: TransformSession, given: Given | None = None) -> list[ProductReading] | str:
    """The sums of products among the outermost loops of a program, or why there are none. `given`: roles that are not read."""
    loops = [(path, x) for path, x in ((path, s.at(path)) for path in s.outermost_searched()) if isinstance(x, For)]
    if not loops:
        return "the program has no loops"
    read = [product_of(s, path, loop_nest(loop), given or {}) for path, loop in loops]
    found = [x for x in read if isinstance(x, ProductReading)]
    return found or next(x for x in read if isinstance(x, str))


def only_product(s: TransformSession, schedule: str, roles: Mapping[str, str], **given: object) -> ProductReading:
    """The one product of a program. `given`: the arguments of the schedule that name loops and arrays, None if they are to be read;
    `roles`: what those are called here that the schedule has other words for."""
    named = {roles.get(key, key): value for key, value in given.items() if value is not None}
    found = products(s, named)
    if isinstance(found, str):
        for key, role in roles.items():
            found = found.replace(f"{role}=", f"{key}=")
        given = named
        if given and not isinstance(products(s), str):
            raise refuse(found, help=f"without them, the names are read from the program: {schedule}(s)", code="OG601")
        raise refuse(f"{schedule} does not fit: {found}", help="schedules.contraction takes all names as arguments")
    if len(found) > 1:
        names = "; ".join(f"out={x.out.array!r}" for x in found)
        raise refuse(f"there are {len(found)} products: {names}", help=f'{schedule}(s, out="…")', code="OG602")
    return found[0]


def single_product(s: TransformSession) -> ProductReading | str:
    """The product that is the one outermost loop of a program, or why there is none."""
    loops = [x for x in map(s.at, s.outermost_searched()) if isinstance(x, For)]
    if len(loops) > 1:
        return f"there are {len(loops)} outermost loops, and it makes kernels of one"
    found = products(s)
    return found if isinstance(found, str) else found[0]


def product_of(s: TransformSession, path: StatementPath, nest: IndependentNest, given: Given) -> ProductReading | str:
    """A nest as a sum of products, or why it is none."""
    why_not = _why_no_sum(nest)
    if why_not is not None:
        return why_not
    (summed,), out = nest.reductions, nest.written[0][0]
    pair = factors_of(summed.value)
    if pair is None:
        return f"`{summed.var}` does not add up products of the elements of two arrays"
    last = out.indices[-1] if out.indices else None
    cols = given.get("cols", last.name if isinstance(last, Var) else None)
    if cols not in nest.indices:
        if "cols" in given:
            return _not_among("cols", cols, nest.indices)
        return f"no loop over results has adjacent elements of `{out.array}`"
    assert isinstance(cols, str)
    right = [x for x in pair if x.depends_on(cols)]
    if len(right) != 1:
        return f"{'both factors depend' if right else 'no factor depends'} on `{cols}`, the loop of adjacent results"
    left = pair[0] if pair[1] is right[0] else pair[1]
    candidates = [x for x in nest.indices if x != cols and left.depends_on(x) and not right[0].depends_on(x)]
    if not candidates:
        return f"there is no loop over results that `{left.array}` depends on and `{right[0].array}` does not"
    rows = given.get("rows", candidates[-1])
    if rows not in candidates:
        return _not_among("rows", rows, candidates)
    if any(not (left.depends_on(x.index) and right[0].depends_on(x.index)) for x in summed.loops):
        return "a factor does not depend on all loops of the sum"
    inner = _chunked(s, summed.loops, given)
    if inner is None:
        return _not_among("inner", given["inner"], [x.index for x in summed.loops])
    by_name = {x.index: x for x in nest.grid}
    taps = tuple(x for x in summed.loops if x is not inner)
    vector = _vectors(s, path, {left: (rows, inner.index), right[0]: (cols, inner.index), out: (cols,)})
    guarded = any(isinstance(x, If) for x in statements(nest.body))
    found = ProductReading(
        path, nest.grid, by_name[rows], by_name[cols], taps, inner, left, right[0], out, summed.var, vector, guarded,
        len(_multiplied(summed.value)) > len(pair),
    )  # fmt: skip
    return _contradiction(found, given) or found


def _why_no_sum(nest: IndependentNest) -> str | None:
    if len(nest.grid) < 2:
        return "there are no two nested loops over independent results"
    if len(nest.reductions) != 1 or not nest.reductions[0].is_sum:
        return "a result is not one sum"
    if any(isinstance(x, For) for x in statements(nest.body) if x not in nest.reductions[0].loops):
        return "there are more loops inside a result than those of its sum"
    if len(nest.written) != 1 or nest.written[0][1]:
        return "the result is not written once, after the sum"
    return None


def _contradiction(p: ProductReading, given: Given) -> str | None:
    """Names that are given and are not those of the product."""
    read: dict[str, object] = {"grid": [], "taps": [], "total": p.total, **p.names()}
    for role, name in given.items():
        names = read[role]
        if isinstance(names, list) and isinstance(name, Sequence):
            if sorted(map(str, name)) != sorted(names):
                return f"{role}={list(name)}, and the loops that are left are {', '.join(names) or 'none'}"
        elif name != names:
            return _not_among(role, name, [str(names)])
    return None


def _not_among(role: str, name: object, candidates: Iterable[str]) -> str:
    return f'{role}="{name}" is none of the names that fit: {", ".join(candidates)}'


def factors_of(value: Expr) -> tuple[Element, Element] | None:
    """The two elements whose product is added up; other factors are numbers."""
    e = without_casts(value)
    if not isinstance(e, Binary) or e.op != "*":
        return None
    parts = [list(dict.fromkeys(elements_in(x))) for x in _multiplied(e)]
    found = [elements[0] for elements in parts if elements]
    return (found[0], found[1]) if len(found) == 2 and all(len(x) <= 1 for x in parts) else None


def _multiplied(e: Expr) -> list[Expr]:
    x = without_casts(e)
    return [*_multiplied(x.left), *_multiplied(x.right)] if isinstance(x, Binary) and x.op == "*" else [x]


def _chunked(s: TransformSession, loops: Sequence[For], given: Given) -> For | None:
    """The loop of a sum that is staged in chunks: the first one whose length is not a number, else the last."""
    if "inner" in given:
        return next((x for x in loops if x.index == given["inner"]), None)
    return next((x for x in loops if extent_of(s, x) is None), loops[-1])


def extent_of(s: TransformSession, loop: For) -> int | None:
    """How many iterations a loop from 0 has, if that is a number."""
    return value_of(folded(substitute(loop.range.bound, constants_of(s.program)))) if is_plain(loop) else None


def _vectors(s: TransformSession, path: StatementPath, loops: Mapping[Element, Sequence[str]]) -> tuple[str, ...]:
    """Of arrays of floats with several dimensions, those whose last index is one of these loops itself."""
    types = {x.array: declared(s, path, x.array) for x in loops}
    if not all(isinstance(kind, Array) and kind.elem == FLOAT for kind in types.values()):
        return ()
    found = []
    for x, names in loops.items():
        kind = types[x.array]
        if isinstance(kind, Array) and len(kind.dims) == len(x.indices) > 1 and x.indices[-1] in [*map(Var, names)]:
            found.append(x.array)
    return tuple(found)
