"""Random testing of functions against their contracts: small inputs, tiles, random ones; the smallest failing one is reported."""

from __future__ import annotations

import contextlib
import copy
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.contract_evaluation import BEFORE, facts, resources
from optigpu.interp.machine import DEFAULT_FUEL, Machine
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour, OutOfFuel
from optigpu.interp.numeric_values import Number, rounded, simplest
from optigpu.interp.runner import Runner
from optigpu.interp.thread_scheduler import ORDERED
from optigpu.syntax.builtins import MATH
from optigpu.syntax.exprs import Array, Binary, Call, Expr, Int, Real, Type, Var
from optigpu.syntax.float_literals import lost
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Define, For, Function, Param, Program
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import Kind, Scalar
from optigpu.syntax.walk import statements, stmt_exprs, subexpressions

SMALL = (0, 1, 2, 3, 4, -1, 5, 7, 8, -2, -3)
MAX_SIZE = 130
MAX_CONSTANT = 1100
RUNS_PER_SIZE = 2
DRAWS = 200  # before giving up that random sizes satisfy the contract
TRIES_PER_SIZE = 8  # contents that do not satisfy the precondition do not count
SMALLEST_FIRST = 3  # so many of the smallest sizes, then tiles
SMALLER_TRIED = 60  # so many of the smallest sizes, once a larger one has failed
SMALL_SIZES = 30  # so many of the smallest sizes, with unusual numbers for the rest
WHOLE = 64  # cells: larger arrays hold whole numbers
LARGE = 1500  # cells: only whole and partial tiles may have more
KERNEL_FUEL = 600_000  # a kernel's steps take longer
SECONDS_PER_CELL = 1.1e-4  # that a kernel takes, about
LONGEST = 3.0  # seconds for one run
MAGNITUDES = (1000, 2**20, 2**30, Fraction(1, 1024), Fraction(1, 2**20))  # of floats that are converted to `int`, too
EXACT = frozenset({"fabs", "floor", "ceil", "fmax", "fmin", "fma"})  # functions of floats whose results are not rounded
MODERATE = 16  # floats in programs that round: the error of larger ones could look like a wrong result


@dataclass(slots=True)
class Inputs:
    """Arguments as plain data, from which a run is started afresh each time."""

    scalars: dict[str, Number]
    shapes: dict[str, tuple[int, ...]]
    arrays: dict[str, list[Number]]


@dataclass(frozen=True, slots=True)
class Failure:
    misbehaviour: Misbehaviour
    inputs: Inputs
    seed: int


@dataclass(slots=True)
class TestReport:
    function: Function
    runs: int = 0
    failure: Failure | None = None
    skipped: dict[Any, str] = field(default_factory=dict)  # clauses that could not be evaluated
    gave_up: str | None = None  # why nothing, or not all, could be run


@deep
def test_function(
    runner: Runner, f: Function, *, seed: int = 0, seconds: float = 2.0, most: int = 300, simplest: bool = True
) -> TestReport:
    """Run f on inputs that satisfy its precondition until one fails, time is up, or enough have passed.

    The failure reported is that of the `simplest` inputs found, or the first one.
    """
    report = TestReport(f)
    try:
        generator, deadline = _Generator(runner, f, seed), time.thread_time() + seconds
        failure = _test_sizes(generator, report, seed, deadline, most)
        if failure is None:
            failure = _test_numbers(generator, report, seed, deadline, most // 2)
        if failure is not None and simplest:
            until = time.thread_time() + seconds
            failure = shrink(generator, smaller(generator, failure, until), until)
        report.failure = failure
    except CannotEvaluate as e:
        report.gave_up = e.why
    if report.failure is None and report.runs == 0 and report.gave_up is None:
        report.gave_up = "no input was found that satisfies the precondition"
    return report


def _test_sizes(generator: _Generator, report: TestReport, seed: int, deadline: float, most: int) -> Failure | None:
    """Many values of the integer parameters, each with few and small numbers for the rest."""
    tiles = list(generator.tiled())
    tried = 0
    for sizes in islice(generator.sizes(), 10 * most):
        wanted = report.runs + RUNS_PER_SIZE
        for attempt in range(TRIES_PER_SIZE):
            left = deadline - time.thread_time()
            if report.runs >= min(most, wanted) or left < 0:
                break
            tried += 1
            inputs = generator.fill(sizes, attempt)
            if inputs is None or cells(inputs) > (min(left, LONGEST) / SECONDS_PER_CELL if sizes in tiles else LARGE):
                break
            failure = run_once(generator.runner, generator.f, inputs, seed + tried, report)
            if failure is not None:
                return failure
            if not cells(inputs) or cells(inputs) > LARGE:
                break  # once is enough
        if report.runs >= most or time.thread_time() > deadline:
            break
    return None


def _test_numbers(generator: _Generator, report: TestReport, seed: int, deadline: float, most: int) -> Failure | None:
    """Some of the smallest sizes, with many numbers for the rest, also unusual ones."""
    f = generator.f
    if len(generator.integers) == len(f.params):
        return None
    wide, smallest = generator.widened(seed), islice(generator.smallest(), SMALL_SIZES)
    seen: list[Inputs] = []  # there are few if all are truth values
    for attempt, sizes in enumerate(islice(cycle(smallest), most)):
        if time.thread_time() > deadline:
            break
        inputs = wide.fill(sizes, attempt)
        if inputs is None or inputs in seen or cells(inputs) > LARGE:
            continue
        seen.append(inputs)
        failure = run_once(generator.runner, f, inputs, seed + attempt, report)
        if failure is not None:
            return failure
    return None


def smaller(generator: _Generator, failure: Failure, deadline: float) -> Failure:
    """A misbehaviour on one of the smallest sizes, if there is one."""
    runner, f, size = generator.runner, generator.f, magnitude(failure.inputs)
    for sizes in islice(generator.smallest(), SMALLER_TRIED):
        for attempt in range(2):
            inputs = generator.fill(sizes, attempt)
            if inputs is None or magnitude(inputs) >= size or time.thread_time() > deadline:
                break
            found = run_once(runner, f, inputs, failure.seed)
            if found is not None:
                return found
    return failure


def valid_inputs(runner: Runner, f: Function, *, seed: int = 0, most: int = 20) -> Iterator[Inputs]:
    """Inputs that satisfy the precondition, as the tests use them."""
    generator = _Generator(runner, f, seed)
    found = 0
    for sizes in islice(generator.sizes(), 50 * most):
        for attempt in range(TRIES_PER_SIZE):
            inputs = generator.fill(sizes, attempt)
            if inputs is not None and is_valid(runner, f, inputs):
                yield inputs
                found += 1
                break
        if found >= most:
            return


def satisfying_input(runner: Runner, f: Function, suggested: dict[str, int]) -> Inputs | None:
    """An input of which all of the precondition could be evaluated, and is true. `suggested`: integers that are worth a try."""
    generator = _Generator(runner, f, 0)
    for sizes in (*islice(generator.sizes(), 200), suggested):
        for attempt in range(TRIES_PER_SIZE):
            inputs = generator.fill(sizes, attempt) if generator.allowed(sizes) else None
            if inputs is None:
                break
            machine = runner.start()
            with contextlib.suppress(Misbehaviour):
                machine.prepare(f.name, arguments(machine, f, inputs), NOWHERE)
                if not machine.skipped.reasons:
                    return inputs
    return None


def is_valid(runner: Runner, f: Function, inputs: Inputs) -> bool:
    machine = runner.start()
    try:
        machine.prepare(f.name, arguments(machine, f, inputs), NOWHERE)
    except Misbehaviour:
        return False
    return True


def run_once(
    runner: Runner, f: Function, inputs: Inputs, seed: int, report: TestReport | None = None
) -> Failure | None:
    """One run. Inputs that the contract excludes count as nothing."""
    machine = runner.start(seed, KERNEL_FUEL if f.name in runner.kernels else DEFAULT_FUEL)
    try:
        call = machine.prepare(f.name, arguments(machine, f, inputs), NOWHERE)
    except Misbehaviour as m:
        return Failure(m, inputs, seed) if m.code == "OG217" else None
    try:
        machine.run(call)
    except Misbehaviour as m:
        return Failure(m, inputs, seed)
    except OutOfFuel:
        return None
    finally:
        if report is not None:
            report.skipped.update(machine.skipped.reasons)
    if report is not None:
        report.runs += 1
    return None


def arguments(machine: Machine, f: Function, inputs: Inputs) -> list[Any]:
    types = dict(zip((p.name for p in f.params), effective_types(f)))
    args: list[Any] = []
    for p in f.params:
        type_ = types[p.name]
        if isinstance(type_, Array):
            view = machine.allocate(p.name, type_.elem, inputs.shapes[p.name], p.loc, heap=False, space=type_.space)
            view.alloc.data[:] = inputs.arrays[p.name]
            args.append(view)
        else:
            args.append(inputs.scalars[p.name])
    return args


class _Generator:
    def __init__(self, runner: Runner, f: Function, seed: int) -> None:
        self.runner = runner
        self.f = f
        self.random = random.Random(seed)
        self.types: dict[str, Type] = dict(zip((p.name for p in f.params), effective_types(f)))
        self.integers = [p for p in f.params if is_integer(self.types[p.name])]
        self.pool = candidate_sizes(runner.program, f)
        elements = {t.elem if isinstance(t, Array) else t for t in self.types.values()}
        floats = candidate_floats(runner.program, f)
        self.unusual = {t: values_of(t, self.pool, floats) for t in elements if isinstance(t, Scalar)}
        self.launches = f.name in runner.kernels
        self.machine = runner.start()
        self.names = [p.name for p in self.integers]
        self.props = [i.body for i in facts(f.contract, "requires") if free_vars(i.body) <= set(self.names)]
        self.pools = [self.alone(n) for n in self.names]
        self.tiles = {n: self.tile(n) for n in self.names}
        self.wide = False

    def widened(self, seed: int) -> _Generator:
        """One that also draws unusual numbers; what this one draws next stays the same."""
        other = copy.copy(self)
        other.random, other.wide = random.Random(seed), True
        return other

    def sizes(self) -> Iterator[dict[str, int]]:
        """Values of the integer parameters that the facts about them allow: a few of the smallest, tiles, then random ones."""
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
        """Whether the parameter's type has this value: what no caller can pass shows nothing of the function."""
        t = self.types[name]
        return isinstance(t, Scalar) and t.low <= value <= t.high

    def holds(self, prop: Expr, values: dict[str, int]) -> bool:
        """Not where it has no value: what divides by zero allows nothing."""
        try:
            return self.machine.contracts.holds(prop, values, lenient=True)
        except Misbehaviour:
            return False

    def alone(self, name: str) -> list[int]:
        """The candidates that what is said of this number alone allows."""
        own = [p for p in self.props if free_vars(p) == {name}]
        return [v for v in self.pool if self.fits(name, v) and all(self.holds(p, {name: v}) for p in own)]

    def tile(self, name: str) -> int:
        """The largest constant that divides the number, of those that are allowed as its value; 2 if there is none."""
        found = divisors(self.machine, self.f, name)
        own = [p for p in self.props if free_vars(p) == {name}]
        allowed = (c for c in found if self.fits(name, c) and all(self.holds(p, {name: c}) for p in own))
        return max(allowed, default=max(found, default=2))

    def smallest(self) -> Iterator[dict[str, int]]:
        return (v for v in (dict(zip(self.names, values)) for values in by_cost(self.pools)) if self.allowed(v))

    def drawn(self) -> Iterator[dict[str, int]]:
        pools = self.pools
        if self.launches:
            pools = [[v for v in p if v <= max(SMALL) or v <= 2 * t + 1] for p, t in zip(pools, self.tiles.values())]
        while self.names and all(pools):
            for _ in range(DRAWS):
                values = {n: self.random.choice(pool) for n, pool in zip(self.names, pools)}
                if self.allowed(values):
                    yield values
                    break
            else:
                return

    def tiled(self) -> Iterator[dict[str, int]]:
        """One cell more than a tile; a whole one; three tiles in one direction and more than two in the others; whole ones."""
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
        """Random contents; later attempts try other ranges of integers, for preconditions on what arrays hold."""
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
                inputs.shapes[p.name] = shape
                inputs.arrays[p.name] = self.contents(type_.elem, top, size)
        return inputs

    def contents(self, t: Scalar, top: int, size: int) -> list[Number]:
        """Fractions in small arrays only: they are slow, and a large array of whole numbers shows as much."""
        if t.kind is Kind.FLOAT and size > WHOLE:
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
        """The sizes of an array: from its type, or from the cells that the contract claims of it."""
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
        env: dict[str, Any] = {q.name: large for q in self.f.params if isinstance(self.types[q.name], Array)}
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


def cells(inputs: Inputs) -> int:
    return sum(len(a) for a in inputs.arrays.values())


def magnitude(inputs: Inputs) -> float:
    """How large inputs look to a person."""
    return cells(inputs) + sum(abs(float(x)) for x in inputs.scalars.values())


def is_integer(t: Type) -> bool:
    return isinstance(t, Scalar) and t.kind is Kind.INT


def mentions(e: Expr, name: str) -> bool:
    return any(isinstance(x, Var) and x.name == name for x in subexpressions(e))


def parts_of(program: Program, f: Function) -> Iterator[Expr]:
    """All expressions of the function and its contract, and those that macros stand for."""
    exprs: list[Expr] = [i.body for c in f.contract for i in c.items]
    exprs += [e for s in statements(f.body) for e in stmt_exprs(s)]
    exprs += [d.value for d in program.flat_items() if isinstance(d, Define)]
    return (x for e in exprs for x in subexpressions(e))


def candidate_floats(program: Program, f: Function) -> list[Number]:
    """Large and small numbers, and those around the constants of the program; whole numbers first, the smallest of them first."""
    constants = {Fraction(x.value) for x in parts_of(program, f) if isinstance(x, Int | Real)}
    around = {n for c in constants for n in (c - 1, c, c + 1, -c)}
    found = around | {Fraction(sign * m) for m in MAGNITUDES for sign in (1, -1)} | {Fraction(0), Fraction(1)}
    functions = (g for g in program.flat_items() if isinstance(g, Function))
    called = {x.func for g in functions for x in parts_of(program, g) if isinstance(x, Call)}
    if any(n in MATH and MATH[n].real_name not in EXACT for n in called):
        found = {x for x in found if abs(x) <= MODERATE}
    return [simplest(x) for x in sorted(found, key=lambda x: (x.denominator, abs(x), x < 0))]


def values_of(t: Scalar, integers: list[int], floats: list[Number]) -> list[Number]:
    """The candidates that the type has."""
    match t.kind:
        case Kind.BOOL:
            return [False, True]
        case Kind.INT:
            return [v for v in integers if t.low <= v <= t.high]
        case Kind.FLOAT:
            return [v for v in floats if not lost(Fraction(v), t) and rounded(v, t) == v]


def candidate_sizes(program: Program, f: Function) -> list[int]:
    """Small numbers, and those around the constants of the program: block sizes, strides, thresholds."""
    constants = {x.value for x in parts_of(program, f) if isinstance(x, Int) and 1 < x.value <= MAX_CONSTANT}
    around = {n for c in constants for n in (c - 1, c, c + 1, 2 * c, 2 * c + 1, -c) if abs(n) <= MAX_CONSTANT}
    return [*SMALL, *sorted(around - set(SMALL), key=abs)]


def divisors(machine: Machine, f: Function, name: str) -> set[int]:
    """The constants that the number is divided by, also in remainders and by the steps of loops up to it."""
    exprs = [i.body for c in f.contract for i in c.items] + [e for s in statements(f.body) for e in stmt_exprs(s)]
    parts: list[tuple[Expr, Expr]] = [
        (s.range.bound, s.range.amount) for s in statements(f.body) if isinstance(s, For) and s.range.op == "+"
    ]
    for x in (x for e in exprs for x in subexpressions(e)):
        match x:
            case Binary("/" | "%", number, divisor) | Call("exact_div", (number, divisor)):
                parts.append((number, divisor))
            case _:
                pass
    found = set[int]()
    for number, divisor in parts:
        if mentions(number, name):
            with contextlib.suppress(CannotEvaluate, Misbehaviour, KeyError):
                found.add(machine.evaluator.value(divisor, {}))
    return {c for c in found if 2 <= c <= MAX_CONSTANT}


def by_cost(pools: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """All tuples of one number from each pool, in the order of the sum of their positions."""

    def of_cost(cost: int, at: int) -> Iterator[tuple[int, ...]]:
        if at == len(pools):
            if cost == 0:
                yield ()
            return
        for position in range(min(cost, len(pools[at]) - 1) + 1):
            for rest in of_cost(cost - position, at + 1):
                yield (pools[at][position], *rest)

    for cost in range(sum(len(pool) - 1 for pool in pools) + 1):
        yield from of_cost(cost, 0)


def is_simpler(a: Number, b: Number) -> bool:
    """Of two floats: smaller, and with no more digits."""
    x, y = Fraction(a), Fraction(b)
    return abs(x) < abs(y) and x.denominator <= y.denominator


def shrink(generator: _Generator, failure: Failure, deadline: float) -> Failure:
    """Simpler contents with the same misbehaviour: zeros and ones where they do; of floats, the simplest candidates.

    Kernels also get a simpler schedule, so that a race is shown between the first two threads that have it.
    """
    runner, f, best = generator.runner, generator.f, failure
    if f.name in runner.kernels:
        in_order = run_once(runner, f, failure.inputs, ORDERED)
        if in_order is not None and in_order.misbehaviour.code == failure.misbehaviour.code:
            best = in_order

    def fails(inputs: Inputs) -> bool:
        nonlocal best
        trial = run_once(runner, f, inputs, best.seed)
        if trial is None or trial.misbehaviour.code != best.misbehaviour.code:
            return False
        best = trial
        return True

    def simpler(name: str, contents: list[Number]) -> bool:
        return fails(replace(best.inputs, arrays={**best.inputs.arrays, name: contents}))

    for name, value in failure.inputs.scalars.items():
        t = generator.types[name]
        if isinstance(t, Scalar) and t.kind is Kind.FLOAT:
            for candidate in (v for v in generator.unusual[t] if is_simpler(v, value)):
                scalars = {**best.inputs.scalars, name: candidate}
                if time.thread_time() > deadline or fails(replace(best.inputs, scalars=scalars)):
                    break
    for name, values in failure.inputs.arrays.items():
        if simpler(name, [0] * len(values)):
            continue
        for at in range(min(len(values), 200)):
            for simple in (0, 1):
                if time.thread_time() > deadline or best.inputs.arrays[name][at] == simple:
                    break
                changed = list(best.inputs.arrays[name])
                changed[at] = simple
                if simpler(name, changed):
                    break
    return best
