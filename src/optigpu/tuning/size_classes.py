"""Classes of sizes with the same best options, as conditions on the sizes that a host function can test.

Classes are a decision tree: `n <= 4096`, or a product of two sizes, `m * n <= 1048576`, with bounds between measured sizes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import isqrt, log, prod
from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.tuning.candidate_space import Sizes

TOLERANCE = 0.03  # options that are slower by so much are as good: there is noise, and each version is more code


@dataclass(frozen=True, slots=True)
class SizeClass:
    """A class, and the key of its best candidate."""

    best: str


@dataclass(frozen=True, slots=True)
class SizeSplit:
    """Two sets of classes: sizes whose product of `names` is at most `bound`, and others."""

    names: tuple[str, ...]
    bound: int
    below: SizeClasses
    above: SizeClasses

    @property
    def condition(self) -> str:
        """In C: products are computed in 64 bits."""
        first, *others = self.names
        product = " * ".join([f"(int64_t){first}", *others]) if others else first
        return f"{product} <= {self.bound}"


SizeClasses: TypeAlias = SizeClass | SizeSplit
Times: TypeAlias = Sequence[tuple[Sizes, Mapping[str, float]]]  # by candidate, at each size


def size_classes(times: Times, order: Sequence[str], tolerance: float = TOLERANCE) -> SizeClasses:
    """Few classes, in which every measured size is at most `tolerance` slower than with its own best options. Of equal candidates
    the first of `order` is chosen."""
    best, worst, _ = _best_of_all(times, order)
    if best is not None and worst <= 1 + tolerance:
        return SizeClass(best)
    # Of sizes that tell classes apart equally well, the last one is mostly the length of a row, which options depend on.
    varying = [n for n in times[0][0] if len({s[n] for s, _ in times}) > 1]
    features: list[tuple[str, ...]] = [*((n,) for n in reversed(varying)), *combinations(varying, 2)]
    found: tuple[float, int, int, tuple[str, ...], int] | None = None  # the cost first
    for number, names in enumerate(features):
        values = sorted({_product(s, names) for s, _ in times})
        for low, high in pairwise(values):
            parts = [(len(part), *_best_of_all(part, order)[1:]) for part in _divided(times, names, low)]
            cost = round(sum(part[2] for part in parts), 9)
            done = max((count for count, worst_there, _ in parts if worst_there <= 1 + tolerance), default=0)
            if found is None or (cost, -done, number) < found[:3]:
                found = cost, -done, number, names, max(low, min(high - 1, isqrt(max(0, low * high))))
    if found is None:  # one size
        if best is None:
            raise CallError("no candidate was measured at all sizes of a class")
        return SizeClass(best)
    *_, names, bound = found
    below, above = (size_classes(part, order, tolerance) for part in _divided(times, names, bound))
    if isinstance(below, SizeClass) and below == above:
        return below
    return SizeSplit(names, bound, below, above)


def _best_of_all(times: Times, order: Sequence[str]) -> tuple[str | None, float, float]:
    """The best candidate for all these sizes, by the product of its slowdowns: its worst slowdown, and the log of the product."""
    found: tuple[str | None, float, float] = None, float("inf"), 1e9 * len(times)
    for key in order:
        if all(key in at_size for _, at_size in times):
            slowdowns = [at_size[key] / min(at_size.values()) for _, at_size in times]
            cost = sum(map(log, slowdowns))
            if cost < found[2]:
                found = key, max(slowdowns), cost
    return found


def _divided(times: Times, names: tuple[str, ...], bound: int) -> tuple[Times, Times]:
    below = [entry for entry in times if _product(entry[0], names) <= bound]
    return below, [entry for entry in times if _product(entry[0], names) > bound]


def _product(sizes: Mapping[str, int], names: Sequence[str]) -> int:
    return prod(sizes[n] for n in names)


def chosen(classes: SizeClasses, sizes: Mapping[str, int]) -> str:
    """The candidate of the class that a size is in."""
    while isinstance(classes, SizeSplit):
        missing = [n for n in classes.names if n not in sizes]
        if missing:
            raise CallError(f"the best options depend on `{missing[0]}`: give it")
        classes = classes.below if _product(sizes, classes.names) <= classes.bound else classes.above
    return classes.best


def described(
    classes: SizeClasses, bounds: Mapping[str, tuple[int | None, int | None]] | None = None
) -> list[tuple[str, str]]:
    """Each class: its condition in words, and its best candidate. `bounds`: above which number a product of sizes is, and the
    number up to which it goes."""
    known = bounds or {}
    if isinstance(classes, SizeClass):
        return [
            (" and ".join(_interval(product, *ends) for product, ends in known.items()) or "all sizes", classes.best)
        ]
    product = " * ".join(classes.names)
    above, most = known.get(product, (None, None))
    return [
        *described(classes.below, {**known, product: (above, classes.bound)}),
        *described(classes.above, {**known, product: (classes.bound, most)}),
    ]


def _interval(product: str, above: int | None, most: int | None) -> str:
    if above is None:
        return f"{product} <= {most}"
    return f"{product} > {above}" if most is None else f"{above} < {product} <= {most}"
