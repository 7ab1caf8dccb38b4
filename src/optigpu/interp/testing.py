"""Tests a function against its contract on drawn inputs, and reports the simplest input that fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import field
from fractions import Fraction
from itertools import cycle, islice

from optigpu.interp.effort import SECOND
from optigpu.interp.input_generator import InputGenerator
from optigpu.interp.inputs import Inputs, arguments, cells, magnitude
from optigpu.interp.machine import DEFAULT_FUEL
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour, OutOfFuel
from optigpu.interp.rounded_numbers import Number, plain
from optigpu.interp.runner import Runner
from optigpu.interp.thread_scheduler import ORDERED
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.program import Function
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import Kind, Scalar

RUNS_PER_SIZE = 2
TRIES_PER_SIZE = 8  # inputs that do not satisfy the precondition do not count as runs
SMALLER_TRIED = 60  # so many of the smallest sizes are tried once a larger one has failed
SMALL_SIZES = 30  # so many of the smallest sizes get unusual numbers
MAX_CELLS = 1500  # only inputs made of whole and partial tiles may have more
KERNEL_FUEL = 600_000  # a step of a kernel takes longer than one of the host
EFFORT_PER_CELL = 55  # that a kernel takes, about
MAX_RUN_EFFORT = 3 * SECOND  # for one run


@dataclass(frozen=True, slots=True)
class Failure:
    """An input on which a run misbehaves. `seed`: the schedule of the run."""

    misbehaviour: Misbehaviour
    inputs: Inputs
    seed: int


@dataclass(slots=True)
class TestReport:
    """The result of testing one function."""

    function: Function
    runs: int = 0
    failure: Failure | None = None
    skipped: dict[Loc, str] = field(default_factory=dict)  # clauses that could not be evaluated
    gave_up: str | None = None  # why nothing, or not all, could be run


@deep
def test_function(
    runner: Runner, f: Function, *, seed: int = 0, seconds: float = 2.0, most: int = 300, simplest: bool = True
) -> TestReport:
    """Run f on inputs that satisfy its precondition, until one fails, `most` runs have passed, or as much is computed as a usual
    machine computes in so many seconds.

    The failure reported is that of the `simplest` inputs found, or the first one.
    """
    report = TestReport(f)
    try:
        limit = runner.effort.after(seconds)
        generator = InputGenerator(runner, f, seed)
        failure = _test_sizes(generator, report, seed, limit, most)
        if failure is None:
            failure = _test_numbers(generator, report, seed, limit, most // 2)
        if failure is not None and simplest:
            limit = runner.effort.after(seconds)
            failure = shrink(generator, smaller(generator, failure, limit), limit)
        report.failure = failure
    except CannotEvaluate as e:
        report.gave_up = e.why
    if report.failure is None and report.runs == 0 and report.gave_up is None:
        report.gave_up = "no input was found that satisfies the precondition"
    return report


def _test_sizes(generator: InputGenerator, report: TestReport, seed: int, limit: int, most: int) -> Failure | None:
    """Try many values of the integer parameters, each with a few small numbers for the other inputs."""
    tiles, effort = list(generator.tiled()), generator.runner.effort
    tried = 0
    for sizes in islice(generator.sizes(), 10 * most):
        wanted = report.runs + RUNS_PER_SIZE
        for attempt in range(TRIES_PER_SIZE):
            left = limit - effort.spent
            if report.runs >= min(most, wanted) or left < 0:
                break
            tried += 1
            inputs = generator.fill(sizes, attempt)
            if inputs is None or cells(inputs) > (
                min(left, MAX_RUN_EFFORT) / EFFORT_PER_CELL if sizes in tiles else MAX_CELLS
            ):
                break
            failure = run_once(generator.runner, generator.f, inputs, seed + tried, report)
            if failure is not None:
                return failure
            if not cells(inputs) or cells(inputs) > MAX_CELLS:
                break  # once is enough
        if report.runs >= most or effort.spent > limit:
            break
    return None


def _test_numbers(generator: InputGenerator, report: TestReport, seed: int, limit: int, most: int) -> Failure | None:
    """Try some of the smallest sizes with many numbers for the other inputs, unusual ones among them."""
    f, effort = generator.f, generator.runner.effort
    if len(generator.integers) == len(f.params):
        return None
    wide, smallest = generator.widened(seed), islice(generator.smallest(), SMALL_SIZES)
    seen: list[Inputs] = []  # there are few if all are truth values
    for attempt, sizes in enumerate(islice(cycle(smallest), most)):
        if effort.spent > limit:
            break
        inputs = wide.fill(sizes, attempt)
        if inputs is None or inputs in seen or cells(inputs) > MAX_CELLS:
            continue
        seen.append(inputs)
        failure = run_once(generator.runner, f, inputs, seed + attempt, report)
        if failure is not None:
            return failure
    return None


def valid_inputs(runner: Runner, f: Function, *, seed: int = 0, most: int = 20) -> Iterator[Inputs]:
    """Up to `most` inputs that satisfy the precondition."""
    generator = InputGenerator(runner, f, seed)
    count = 0
    for sizes in islice(generator.sizes(), 50 * most):
        for attempt in range(TRIES_PER_SIZE):
            inputs = generator.fill(sizes, attempt)
            if inputs is not None and is_valid(runner, f, inputs):
                yield inputs
                count += 1
                break
        if count >= most:
            return


def satisfying_input(runner: Runner, f: Function, suggested: dict[str, int]) -> Inputs | None:
    """An input for which the whole precondition can be evaluated and is true. `suggested`: values of integers to try last."""
    generator = InputGenerator(runner, f, 0)
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
    """Run the function once. None if it passes, runs out of fuel, or if the contract excludes the input."""
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


def smaller(generator: InputGenerator, failure: Failure, limit: int) -> Failure:
    """A failure on one of the smallest sizes, if there is one, or else the given failure."""
    runner, f, size = generator.runner, generator.f, magnitude(failure.inputs)
    effort = runner.effort
    for sizes in islice(generator.smallest(), SMALLER_TRIED):
        for attempt in range(2):
            inputs = generator.fill(sizes, attempt)
            if inputs is None or magnitude(inputs) >= size or effort.spent > limit:
                break
            smaller_failure = run_once(runner, f, inputs, failure.seed)
            if smaller_failure is not None:
                return smaller_failure
    return failure


def shrink(generator: InputGenerator, failure: Failure, limit: int) -> Failure:
    """The same failure on simpler contents: zeros and ones where they fail too, and the simplest candidates for floats.

    Kernels also get a simpler schedule, so that a race is shown between the first two threads that have it.
    """
    runner, f, best = generator.runner, generator.f, failure
    effort = runner.effort
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
                if effort.spent > limit or fails(replace(best.inputs, scalars=scalars)):
                    break
    for name, values in failure.inputs.arrays.items():
        if simpler(name, [0] * len(values)):
            continue
        for at in range(min(len(values), 200)):
            for simple in (0, 1):
                if effort.spent > limit or best.inputs.arrays[name][at] == simple:
                    break
                changed = list(best.inputs.arrays[name])
                changed[at] = simple
                if simpler(name, changed):
                    break
    return best


def is_simpler(a: Number, b: Number) -> bool:
    """Whether one float is simpler than another: smaller in magnitude, with a denominator that is not larger."""
    x, y = Fraction(plain(a)), Fraction(plain(b))
    return abs(x) < abs(y) and x.denominator <= y.denominator
