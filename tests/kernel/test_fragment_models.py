"""The rules for fragments, copies of tiles and pipelined loops beside finite models: all layouts of two threads, all places of a
tile, all orders in which a pipelined loop may run. Without one of its side conditions, a rule accepts what the model finds wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from optigpu.kernel import fragment_rules, loop_rules, pipeline_rules, sealed
from tests.support.dropped_conditions import Function, without
from tests.support.fragment_models import LAYOUTS, THREADS, looping, multiplying, reducing
from tests.support.model_runs import Counting
from tests.support.pipeline_models import (
    AHEAD,
    REST,
    WRONG_AHEAD,
    PipelinedProgram,
    Statement,
    copying,
    each_thread,
    pipelines,
    warps_of_one_thread,
)
from tests.support.rule_models import accepted

TRIALS = 600  # random examples in which a missing condition is seen
Model = Callable[..., Counter[str]]

# What the rules accept is right ----------------------------------------------------------------------------------------------


@pytest.mark.hypothesis
@pytest.mark.parametrize(
    "model, rule, least",
    [
        (multiplying, "multiply_tiles", 10),
        (reducing, "reduce_rows", 15),
        (looping, "leave_loop", 15),
        (copying, "copy_tile", 12),
        (pipelines, "await_stage", 8),
    ],
)
def test_what_is_accepted_is_right_in_all_runs(model: Model, rule: str, least: int) -> None:
    """With the number of times that the rule must be accepted: a rejection proves nothing."""
    assert accepted(model)[rule] >= least


def test_all_layouts_of_two_threads_are_tried() -> None:
    """A row belongs to thread 0, to thread 1, or to both; then each of its elements to either."""
    assert len(set(LAYOUTS)) == (1 + 1 + 2 * 2) ** 2
    assert {t for layout in LAYOUTS for row in layout.elements for t in row} == set(range(THREADS))


# Without a condition, they are not -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Dropped:
    model: Model
    rule: Function
    place: Function
    condition: str
    instead: str = "pass"


MULTIPLY, REDUCE, COPY = fragment_rules.multiply_tiles, fragment_rules.reduce_rows, pipeline_rules.copy_tile
OF_FRAGMENTS: dict[str, tuple[Function, str, str]] = {
    "the thread of an element has it": (
        fragment_rules._fragment,
        "c.require(inside, owner.contains(wanted), NotOwner(operation, need.base, cell=need.at(b), other=owner))",
        "pass",
    ),
    "elements have been written": (
        fragment_rules._real_cells,
        "r.init_at(instantiate_all(found.forward, b))",
        "TRUE",
    ),
    "elements are where they are said to be": (
        fragment_rules._real_cells,
        "c.require_cells(operation, state.facts, need, r, found.forward, back)",
        "pass",
    ),
    "what is changed is held in full": (
        fragment_rules._real_cells,
        "family_of(operation, state.held, found.family, need.base, share)",
        "family_of(operation, state.held, found.family, need.base, READ)",
    ),
    "fragments are in fragment memory": (fragment_rules._real_cells, "or base.space != space", ""),
}
DROPPED = {
    **{f"product: {name}": Dropped(multiplying, MULTIPLY, *what) for name, what in OF_FRAGMENTS.items()},
    **{f"reduction: {name}": Dropped(reducing, REDUCE, *what) for name, what in OF_FRAGMENTS.items()},
    "product: the whole group may read a shared factor": Dropped(
        multiplying,
        MULTIPLY,
        fragment_rules._shared_tile,
        "c.require(inside, goal, NotOwner(Operation.MULTIPLY, need.base, cell=need.at(b), other=owner))",
    ),
    "product: the whole group has read a shared factor": Dropped(
        multiplying,
        MULTIPLY,
        MULTIPLY,
        "reads = with_reads(reads, PendingRead(found.family, need, everyone(state.context)))",
    ),
    "product: the sums are no factor": Dropped(
        multiplying, MULTIPLY, MULTIPLY, "raise Rejected(WrongShape(Operation.MULTIPLY, view.base))"
    ),
    "copy: the tile is held in full": Dropped(
        copying,
        COPY,
        COPY,
        "family_of(Operation.COPY, state.held, target.family, need.base, FULL)",
        "family_of(Operation.COPY, state.held, target.family, need.base, READ)",
    ),
    "copy: the cells of the tile are where they are said to be": Dropped(
        copying,
        COPY,
        COPY,
        "c.require_cells(Operation.COPY, state.facts, need, w, target.forward, target.back)",
    ),
    "copy: the elements are where they are said to be": Dropped(
        copying,
        COPY,
        COPY,
        "c.require_cells(Operation.COPY, state.facts, inner, r, source.forward)",
    ),
    "copy: the elements have been written": Dropped(
        copying,
        COPY,
        COPY,
        "c.require(inside, written, Uninitialised(Operation.COPY, inner.base, cells=inner, at=b))",
    ),
    "copy: the whole block may access both": Dropped(
        copying,
        COPY,
        COPY,
        "c.require(inside, goal, NotOwner(Operation.COPY, cells.base, cell=cells.at(b), other=owner))",
    ),
    "copy: nobody may be reading the tile": Dropped(
        copying, COPY, COPY, "require_read_within(c, state, need, read, None, Operation.COPY)"
    ),
    "copy: the tile belongs to nobody": Dropped(
        copying, COPY, COPY, "owner=owner_where(state.context, here, imaginary(), w.owner)", "owner=w.owner"
    ),
    "copy: the elements are being read": Dropped(
        copying,
        COPY,
        COPY,
        "with_reads(state.pending_reads, PendingRead(source.family, inner, everyone(state.context)))",
        "state.pending_reads",
    ),
    "copy: there are zeros outside": Dropped(copying, COPY, COPY, "k.instantiate(exists, target.back)", "TRUE"),
}


@pytest.mark.parametrize("name", DROPPED)
def test_without_the_condition_the_model_finds_a_wrong_run(name: str) -> None:
    what = DROPPED[name]
    with warps_of_one_thread():
        changed_rule = without(what.rule, what.place, what.condition, what.instead)

    def change(kernel: Counting) -> None:
        vars(kernel)[what.rule.__name__] = partial(changed_rule, kernel.conditions)

    def is_wrong(seed: int) -> bool:
        try:
            what.model(Random(seed), change)
        except AssertionError:
            return True
        return False

    assert any(is_wrong(seed) for seed in range(TRIALS))


def test_a_rule_that_is_compiled_again_is_as_right_as_the_rule() -> None:
    """So what makes it accept a wrong run is the condition that is missing."""
    again = without(MULTIPLY, MULTIPLY, "WrongShape", "WrongShape")

    def change(kernel: Counting) -> None:
        vars(kernel)["multiply_tiles"] = partial(again, kernel.conditions)

    for seed in range(60):
        multiplying(Random(seed), change)


# Pipelined loops -------------------------------------------------------------------------------------------------------------

COPIES, ADDS = AHEAD[0], REST[0]
GROWS = next(s for s in REST if s.text.endswith("u[t] += x[DMINDEX1(2, t)];"))
READS_WHAT_GROWS = next(s for s in WRONG_AHEAD if s.text.endswith("s[0][t] = u[t];"))
REGISTER = Statement("float* const q = __treg_malloc0<float>();", lambda memory, v, stage: None)
FILLS_REGISTER = each_thread("q[DMINDEX1(2, t)] = a[k][t];", lambda v, s, t: ("q", t), lambda M, v, s, t: M["a", v, t])
USES_REGISTER = each_thread(
    "x[DMINDEX1(2, t)] += q[DMINDEX1(2, t)];", lambda v, s, t: ("x", t), lambda M, v, s, t: M["x", t] + M["q", t]
)


def test_a_part_that_runs_ahead_does_not_see_what_the_loop_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiles of later iterations would hold what earlier ones have not made yet."""
    program = PipelinedProgram(2, 3, (READS_WHAT_GROWS,), (ADDS, GROWS))
    assert not program.verified()
    hides = "hidden = tuple((n, r) for n, r in state.held.items() if r.share == FULL or r.share in ACCUMULATING)"
    run_ahead = pipeline_rules.run_ahead
    monkeypatch.setattr(loop_rules, "run_ahead", without(run_ahead, run_ahead, hides, "hidden = ()"))
    assert program.verified()
    assert program.wrong_order() is not None


def test_a_part_that_runs_ahead_leaves_no_registers(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is one register, and not one for each stage."""
    program = PipelinedProgram(2, 3, (REGISTER, COPIES, FILLS_REGISTER), (USES_REGISTER,))
    assert not program.verified()
    wait = pipeline_rules.await_stage
    rules: dict[str, Any] = {
        **sealed.RULES,
        "await_stage": without(
            wait, wait, "raise Rejected(LeftAhead(Operation.BARRIER, name, space=state.bases[name].space))"
        ),
    }
    monkeypatch.setattr(sealed, "RULES", MappingProxyType(rules))
    assert program.verified()
    assert program.wrong_order() is not None


def test_more_stages_than_copies_of_the_tile_are_wrong() -> None:
    """A tile is filled again only after the iteration that has used it: with one copy less, some order is wrong."""
    program = PipelinedProgram(2, 3, (COPIES,), (ADDS,))
    assert program.verified() and program.wrong_order() is None
    orders = list(program.orders())
    assert any(program.run(order, 1) != program.run(orders[0], 2) for order in orders)
    assert all(program.run(order, 3) == program.run(orders[0], 2) for order in orders)
