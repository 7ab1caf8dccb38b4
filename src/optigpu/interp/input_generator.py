"""Draws inputs of a function: integers that its precondition allows, and contents of its arrays."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from itertools import islice

from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.candidate_values import (
    SMALL_INTEGERS,
    by_cost,
    candidate_floats,
    candidate_sizes,
    divisors,
    mentions,
    values_of,
)
from optigpu.interp.contract_evaluation import BEFORE, facts, resources
from optigpu.interp.heap import MemoryView, Uninit
from optigpu.interp.inputs import Inputs, arguments
from optigpu.interp.machine import Machine
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import RuntimeValue, convert
from optigpu.interp.rounded_numbers import Number
from optigpu.interp.runner import Runner
from optigpu.syntax.exprs import Array, Expr, Type, is_float, is_int
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Function, Param
from optigpu.syntax.types import Kind, Scalar

MAX_SIZE = 130  # an array has at most 4 * MAX_SIZE^2 cells
MAX_DRAWS = 200  # of random integers that the precondition rejects, before the generator gives up
SMALLEST_FIRST = 3  # so many of the smallest sizes come before the tiles
MAX_STATED_CELLS = 10_000  # that get the value which the precondition states
MAX_FRACTION_CELLS = 64  # larger arrays hold whole numbers


class InputGenerator:
    """Draws inputs for one function. With `wide`, half of the numbers are unusual ones: large, or near constants."""

    def __init__(self, runner: Runner, f: Function, seed: int) -> None:
        self.runner = runner
        self.f = f
        self.random = random.Random(seed)
        self.types: dict[str, Type] = dict(zip((p.name for p in f.params), effective_types(f)))
        self.integers = [p for p in f.params if is_int(self.types[p.name])]
        self.pool = candidate_sizes(runner.program, f)
        elements = {t.elem if isinstance(t, Array) else t for t in self.types.values()}
        floats = candidate_floats(runner.program, f)
        self.unusual = {t: values_of(t, self.pool, floats) for t in elements if isinstance(t, Scalar)}
        self.launches = f.name in runner.kernels
        self.machine = runner.start()
        self.names = [p.name for p in self.integers]
        self.props = [i.body for i in facts(f.contract, "requires") if free_vars(i.body) <= set(self.names)]
        # permissions whose contents depend on the parameters alone, such as `&a[0] ~~> n`
        self.stated = [i.body for _, i in resources(f.contract, BEFORE) if free_vars(i.body) <= self.types.keys()]
        self.pools = [self.alone(n) for n in self.names]
        self.tiles = {n: self.tile(n) for n in self.names}
        self.wide = False

    def widened(self, seed: int) -> InputGenerator:
        """A copy that also draws unusual numbers, with a random state of its own."""
        other = copy.copy(self)
        other.random, other.wide = random.Random(seed), True
        return other

    def sizes(self) -> Iterator[dict[str, int]]:
        """Values of the integer parameters that the precondition allows: a few of the smallest, then tiles, then random ones
        and more of the smallest in turn."""
        smallest = self.smallest()
        yield from islice(smallest, SMALLEST_FIRST)
        yield from self.tiled()
        ways = [self.drawn(), smallest]
        while ways:
            for way in list(ways):
                values = next(way, None)
                if values is None:
                    ways.remove(way)
                else:
                    yield values

    def allowed(self, values: dict[str, int]) -> bool:
        return all(self.fits(n, v) for n, v in values.items()) and all(self.holds(p, values) for p in self.props)

    def fits(self, name: str, value: int) -> bool:
        """Whether the value fits the type of the parameter."""
        t = self.types[name]
        return isinstance(t, Scalar) and t.low <= value <= t.high

    def holds(self, prop: Expr, values: dict[str, int]) -> bool:
        """Whether a fact is true. A fact that has no value, because it divides by zero, does not hold."""
        try:
            return self.machine.contracts.holds(prop, values, lenient=True)
        except Misbehaviour:
            return False

    def alone(self, name: str) -> list[int]:
        """The candidates for a parameter that the facts about it alone allow."""
        facts_about_it = [p for p in self.props if free_vars(p) == {name}]
        return [v for v in self.pool if self.fits(name, v) and all(self.holds(p, {name: v}) for p in facts_about_it)]

    def tile(self, name: str) -> int:
        """A tile size for a parameter: the largest constant by which the program divides it, if possible one that is an allowed
        value of it; 2 if there is none."""
        constants = divisors(self.machine, self.f, name)
        facts_about_it = [p for p in self.props if free_vars(p) == {name}]
        allowed = (c for c in constants if self.fits(name, c) and all(self.holds(p, {name: c}) for p in facts_about_it))
        return max(allowed, default=max(constants, default=2))

    def smallest(self) -> Iterator[dict[str, int]]:
        return (v for v in (dict(zip(self.names, values)) for values in by_cost(self.pools)) if self.allowed(v))

    def drawn(self) -> Iterator[dict[str, int]]:
        pools = self.pools
        if self.launches:
            pools = [
                [v for v in p if v <= max(SMALL_INTEGERS) or v <= 2 * t + 1] for p, t in zip(pools, self.tiles.values())
            ]
        while self.names and all(pools):
            for _ in range(MAX_DRAWS):
                values = {n: self.random.choice(pool) for n, pool in zip(self.names, pools)}
                if self.allowed(values):
                    yield values
                    break
            else:
                return

    def tiled(self) -> Iterator[dict[str, int]]:
        """Sizes in tiles: one tile and one cell, one tile, three tiles in one dimension with two tiles and one cell in the
        others, two tiles, three tiles."""
        tiles = self.tiles
        patterns = [
            {n: t + 1 for n, t in tiles.items()},
            tiles,
            *({n: 3 * t if n == p else 2 * t + 1 for n, t in tiles.items()} for p in reversed(self.names)),
            {n: 2 * t for n, t in tiles.items()},
            {n: 3 * t for n, t in tiles.items()},
        ]
        yield from (values for values in patterns if self.names and self.allowed(values))

    def fill(self, sizes: dict[str, int], attempt: int) -> Inputs | None:
        """Inputs of these sizes with random contents. Odd attempts draw integers up to a size, for arrays that hold indices."""
        machine = self.runner.start()
        inputs = Inputs(dict(sizes), {}, {})
        top = self.random.choice([*[s for s in sizes.values() if s > 0], 3]) if attempt % 2 else 3
        for p in self.f.params:
            type_ = self.types[p.name]
            if isinstance(type_, Scalar) and p.name not in sizes:
                inputs.scalars[p.name] = self.number(type_, top)
        for p in self.f.params:
            type_ = self.types[p.name]
            if isinstance(type_, Array):
                shape = self.shape(machine, p, type_, inputs)
                if shape is None:
                    return None
                size = 1
                for n in shape:
                    size *= n
                if size > 4 * MAX_SIZE * MAX_SIZE:
                    return None
                self.runner.effort.spent += size
                inputs.shapes[p.name] = shape
                inputs.arrays[p.name] = self.contents(type_.elem, top, size)
        if self.stated:
            self.put_stated_contents(machine, inputs)
        return inputs

    def put_stated_contents(self, machine: Machine, inputs: Inputs) -> None:
        """Put the values into cells that the precondition states as numbers."""
        env = dict(zip((p.name for p in self.f.params), arguments(machine, self.f, inputs)))
        for h in self.stated:
            with suppress(CannotEvaluate, Misbehaviour):
                for claim in islice(machine.evaluator.claims(h, env), MAX_STATED_CELLS):
                    if not isinstance(claim.contents, str):
                        value, elem = machine.evaluator.value(claim.contents, claim.env), claim.view.alloc.elem
                        claim.view.alloc.data[claim.flat()] = convert(value, elem, h.loc) if is_float(elem) else value
        for name, view in env.items():
            if isinstance(view, MemoryView):
                inputs.arrays[name] = [x for x in view.alloc.data if not isinstance(x, Uninit)]

    def contents(self, t: Scalar, top: int, size: int) -> list[Number]:
        """Random contents of an array. Large arrays of floats hold whole numbers: fractions are slow, and find no more errors."""
        if t.kind is Kind.FLOAT and size > MAX_FRACTION_CELLS:
            return list(self.random.choices(range(-9, 10), k=size))
        return [self.number(t, top) for _ in range(size)]

    def number(self, t: Scalar, top: int) -> Number:
        if self.wide and self.random.random() < 0.5:
            return self.random.choice(self.unusual[t])
        match t.kind:
            case Kind.BOOL:
                return self.random.random() < 0.5
            case Kind.INT:
                low = 0 if not t.signed or self.random.random() < 0.7 else -top
                return self.random.randint(max(low, t.low), min(max(top - 1, 0), t.high))
            case Kind.FLOAT:
                whole = self.random.randint(-4, 4)
                return whole if self.random.random() < 0.8 else whole + Fraction(self.random.randint(1, 3), 4)

    def shape(self, machine: Machine, p: Param, array: Array, inputs: Inputs) -> tuple[int, ...] | None:
        """The sizes of an array: those of its type, or as many as the cells need that the contract claims of it."""
        out: list[int] = []
        for axis, d in enumerate(array.dims):
            if d is None:
                n = self.claimed_extent(machine, p, array, axis, inputs)
            else:
                try:
                    n = machine.evaluator.value(d, inputs.scalars)
                except (CannotEvaluate, Misbehaviour):
                    n = self.random.choice(self.pool[:8])
            if n < 0:
                return None
            out.append(n)
        return tuple(out)

    def claimed_extent(self, machine: Machine, p: Param, array: Array, axis: int, inputs: Inputs) -> int:
        large = machine.allocate(p.name, array.elem, (1,) * len(array.dims), p.loc, heap=False)
        env: dict[str, RuntimeValue] = {q.name: large for q in self.f.params if isinstance(self.types[q.name], Array)}
        env.update(inputs.scalars)
        extent = 0
        for _, item in resources(self.f.contract, BEFORE | frozenset({"produces"})):
            if not mentions(item.body, p.name):
                continue
            try:
                for claim in islice(machine.evaluator.claims(item.body, {**env, p.name: large}), 100_000):
                    if claim.view.alloc is large.alloc:
                        full = claim.view.full_index(claim.indices)
                        extent = max(extent, full[axis] + 1)
            except (CannotEvaluate, Misbehaviour):
                continue
        return extent
