"""The loops and arrays that a schedule is given are those of the program, and its numbers are possible: told before the first step
changes anything."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.script.targets import For, Read, Target, Write
from optigpu.syntax.exprs import Index
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import For as Loop
from optigpu.syntax.walk import root_name, stmt_exprs, subexpressions
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.refusal import refuse


def require_in_nest(s: TransformSession, grid: Sequence[str], loop: str, written: Sequence[str]) -> None:
    """In the loops of the grid there is, for each name, a loop over `loop` that writes it."""
    if not grid:
        raise refuse("name the loops of the grid, outermost first", code="OG604")
    nest = For(grid[0])
    for index in grid[1:]:
        nest = nest / For(index)
    for name in written:
        s.find_all(For(loop, body=Write(name)), "for")
        s.find_all(nest / For(loop, body=Write(name)), "for")


def require_product(
    s: TransformSession,
    *,
    rows: str,
    cols: str,
    inner: str,
    others: Sequence[str],
    left: str,
    right: str,
    out: str,
    total: str,
) -> None:
    """`total` sums up left * right over `inner`, left does not depend on `cols`, right not on `rows`, and `out` gets the sum.
    `others`: the other loops around the sum."""
    for loop in (rows, cols, inner, *others):
        s.find_all(loop, "for")
    summed = For(inner, body=Write(total))
    s.find_all(summed, "for")
    _require_all_named(s, summed / Write(total), {rows, cols, inner, *others})
    s.find_all(For(rows, body=Write(out)), "for")
    s.find_all(For(cols, body=Write(out)), "for")
    for option, array, other, index in (("left", left, "cols", cols), ("right", right, "rows", rows)):
        if _depends_on(s, summed / Read(array), array, index):
            message = f"{option}= is the factor that does not depend on {other}=, and `{array}` depends on `{index}`"
            raise refuse(message, s.at(summed / Read(array).first), "exchange left= and right=, or rows= and cols=")


def _require_all_named(s: TransformSession, target: Target, names: set[str]) -> None:
    around = (s.at(path) for path in s.find_all(target)[0].ancestors())
    unnamed = [loop for loop in around if isinstance(loop, Loop) and loop.index not in names]
    if unnamed:
        message = f"the loop over `{unnamed[0].index}` is around the sum, and no option names it"
        raise refuse(message, unnamed[0], "grid= has the loops of the result, taps= those of the sum", code="OG604")


def _depends_on(s: TransformSession, target: Target, array: str, index: str) -> bool:
    """Is an array read at a place that depends on an index?"""
    reads = (x for path in s.find_all(target) for e in stmt_exprs(s.at(path)) for x in subexpressions(e))
    elements = (x for x in reads if isinstance(x, Index) and root_name(x) == array)
    return any(index in free_vars(e) for x in elements for e in x.indices)


def require_powers_of_two(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1 or number & (number - 1):
            raise refuse(f"{name}={number} is no power of two", code="OG604")


def require_positive(**numbers: Sequence[int]) -> None:
    for name, sizes in numbers.items():
        if any(n < 1 for n in sizes):
            raise refuse(f"{name}={tuple(sizes)} has a size that is not positive", code="OG604")
