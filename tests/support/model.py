"""The finite model: with numbers for all variables, a family is a set of cells and a dictionary of contents.

A state is its permissions: which cells are held and what they hold, which threads may access them, which have read them. A program
is run on a dictionary of cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.logic.cells import FULL, UNINIT, CellClaim, CellFamily, Cells
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term
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


def contents(family: CellFamily, env: Env) -> dict[tuple[int, ...], Any]:
    """The contents of the family: the value of each written cell, None for each unwritten one."""
    out: dict[tuple[int, ...], Any] = {}
    for b in binders(family.cells, env):
        written = evaluate(family.init, env, b)
        out[cell_of(family.cells, b, env)] = evaluate(family.value, env, b) if written else None
    return out


def is_injective(cells: Cells, env: Env) -> bool:
    indices = cell_list(cells, env)
    return len(indices) == len(set(indices))


def environments(names: tuple[str, ...], values: range, facts: Facts, functions: Env) -> Iterator[dict[str, Any]]:
    """All small assignments under which the facts hold."""
    for chosen in product(values, repeat=len(names)):
        env: dict[str, Any] = {**functions, **dict(zip(names, chosen))}
        if all(evaluate(f, env) for f in facts.assumptions):
            yield env


def holds(t: Term, env: Env) -> bool:
    return bool(evaluate(t, env))


# Permissions --------------------------------------------------------------------------------------------------------------

Cell = tuple[str, tuple[int, ...]]
UNKNOWN = object()  # contents that have only a name


@dataclass
class Permissions:
    """The permissions of a state: cells with contents (None: not written), their owners, and the reads since the last barrier."""

    full: dict[Cell, Any] = field(default_factory=dict)
    lent: dict[Cell, Any] = field(default_factory=dict)
    owners: dict[Cell, set[int]] = field(default_factory=dict)
    readers: set[tuple[Cell, int]] = field(default_factory=set)


def permissions(state: State, env: Env) -> Permissions:
    """The permissions of a state for these numbers. No cell is held twice, and none is both held in full and lent."""
    out = Permissions()
    threads = range(evaluate(state.context.threads, env))
    for r in state.held.values():
        for b in binders(r.cells, env):
            cell = (r.cells.base, cell_of(r.cells, b, env))
            assert cell not in out.full, f"held twice: {cell}"
            assert r.share != FULL or cell not in out.lent, f"held in full and lent: {cell}"
            (out.full if r.share == FULL else out.lent)[cell] = _content(r, env, b)
            start, size = (evaluate(t, env, b) for t in (r.owner.start, r.owner.size)) if r.owner else (0, len(threads))
            out.owners[cell] = set(range(start, start + size))
    for m in state.pending_reads:
        for b in binders(m.cells, env):
            start, size = (evaluate(t, env, b) for t in (m.reader.start, m.reader.size))
            out.readers |= {((m.cells.base, cell_of(m.cells, b, env)), t) for t in range(start, start + size)}
    return out


def _content(r: CellFamily, env: Env, b: tuple[int, ...]) -> Any:
    if not evaluate(r.init, env, b):
        return None
    try:
        return evaluate(r.value, env, b)
    except KeyError:
        return UNKNOWN


def must_allow(claimed: Permissions, so: Permissions) -> None:
    """Assert that the claimed permissions are sound: the same cells, true contents, no extra owner, no missing reader."""
    assert claimed.full.keys() == so.full.keys()
    assert claimed.lent.keys() <= so.lent.keys() | so.full.keys()
    actual = {**so.lent, **so.full}
    for cell, content in {**claimed.lent, **claimed.full}.items():
        assert content is None or actual[cell] is not None, f"not written: {cell}"
        assert content is None or content is UNKNOWN or content == actual[cell], (cell, content, actual[cell])
        assert cell not in so.owners or claimed.owners[cell] <= so.owners[cell], (cell, claimed.owners[cell])
    assert so.readers <= claimed.readers


class Misbehaved(AssertionError):
    """A program did what no rule may accept."""


@dataclass
class Memory:
    """A run of straight-line code: variables, arrays, and a dictionary of cells."""

    env: dict[str, Any]
    cells: dict[Cell, Any]
    heap: set[str] = field(default_factory=set)

    def value(self, t: Term) -> Any:
        return evaluate(t, self.env)

    def cell(self, place: kc.CellAddress) -> Cell:
        cell = (place.base, tuple(self.value(e) for e in place.index))
        if cell not in self.cells:
            raise Misbehaved(f"outside: {cell}")
        return cell

    def step(self, i: kc.Instruction) -> None:
        match i:
            case kc.Bind(x, value):
                self.env[str(x.data)] = self.value(value)
            case kc.LoadCell(x, place):
                content = self.cells[self.cell(place)]
                if content is None:
                    raise Misbehaved(f"not written: {place}")
                self.env[str(x.data)] = content
            case kc.StoreCell(place, value):
                self.cells[self.cell(place)] = self.value(value)
            case kc.Allocate(base, _, dims):
                sizes = [self.value(d) for d in dims]
                if base in self.heap or any(s < 0 for s in sizes):
                    raise Misbehaved(f"allocation: {base} {sizes}")
                self.heap.add(base)
                self.cells.update({(base, at): None for at in product(*map(range, sizes))})
            case kc.Release(base):
                if base not in self.heap:
                    raise Misbehaved(f"freed: {base}")
                self.heap.remove(base)
                self.cells = {c: v for c, v in self.cells.items() if c[0] != base}
            case kc.Oblige(prop) | kc.Assertion(prop):
                if not self.value(prop):
                    raise Misbehaved(f"untrue: {prop}")
            case kc.GhostStep(_, requires, pre, post, ensures):
                if not all(map(self.value, (*requires, *ensures))):
                    raise Misbehaved("untrue")
                self.claimed(pre)
                self.claimed(post)
            case _:
                raise NotImplementedError(type(i).__name__)

    def claimed(self, claims: tuple[CellClaim, ...]) -> set[Cell]:
        """The claims are true, all at once; the cells that they claim in full."""
        full, read = set[Cell](), set[Cell]()
        for claim in claims:
            for b in binders(claim.cells, self.env):
                cell = (claim.cells.base, cell_of(claim.cells, b, self.env))
                if cell not in self.cells or cell in full or (claim.share == FULL and cell in read):
                    raise Misbehaved(f"not there, or claimed twice: {cell}")
                (full if claim.share == FULL else read).add(cell)
                if claim.contents != UNINIT and self.cells[cell] is None:
                    raise Misbehaved(f"not written: {cell}")
                if claim.value is not None and evaluate(claim.value, self.env, b) != self.cells[cell]:
                    raise Misbehaved(f"holds something else: {cell}")
        return full
