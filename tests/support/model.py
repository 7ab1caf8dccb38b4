"""The finite model: with numbers for all variables, a family is a set of cells and a dictionary of contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from optigpu.kernel.cells import Cells, Family
from optigpu.kernel.facts import Facts
from optigpu.kernel.terms import Term
from tests.support.terms import evaluate

Env = Mapping[str, Any]


def binders(cells: Cells, env: Env) -> Iterator[tuple[int, ...]]:
    """All values of the binders."""

    def go(done: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(done) == cells.arity:
            if evaluate(cells.where, env, done):
                yield done
            return
        low, high = (evaluate(t, env, done) for t in cells.ranges[len(done)])
        for i in range(low, high):
            yield from go((*done, i))

    yield from go(())


def cell_of(cells: Cells, b: tuple[int, ...], env: Env) -> tuple[int, ...]:
    return tuple(evaluate(e, env, b) for e in cells.index)


def cell_list(cells: Cells, env: Env) -> list[tuple[int, ...]]:
    return [cell_of(cells, b, env) for b in binders(cells, env)]


def contents(family: Family, env: Env) -> dict[tuple[int, ...], Any]:
    """What the family holds: values of the cells that are written, None for those that are not."""
    out: dict[tuple[int, ...], Any] = {}
    for b in binders(family.cells, env):
        written = evaluate(family.init, env, b)
        out[cell_of(family.cells, b, env)] = evaluate(family.value, env, b) if written else None
    return out


def is_injective(cells: Cells, env: Env) -> bool:
    found = cell_list(cells, env)
    return len(found) == len(set(found))


def environments(names: tuple[str, ...], values: range, facts: Facts, functions: Env) -> Iterator[dict[str, Any]]:
    """All small assignments under which the facts hold."""
    for chosen in product(values, repeat=len(names)):
        env: dict[str, Any] = {**functions, **dict(zip(names, chosen))}
        if all(evaluate(f, env) for f in facts.given):
            yield env


def holds(t: Term, env: Env) -> bool:
    return bool(evaluate(t, env))
