"""The finite model that each rule of the kernel is compared with, and how often the rule must be accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.kernel.sealed import RULES
from tests.support.atomic_models import atomics
from tests.support.block_models import barriers, block, gathered, recalled, shuffles
from tests.support.fragment_models import multiplying, reducing
from tests.support.pipeline_models import copying, pipelines
from tests.support.sequential_models import calls, contracts, inverses, launches, loops, machine, straight

Model = Callable[[Random], Counter[str]]
MODELS: dict[str, tuple[Model, int]] = {  # rule -> what runs it beside the model, and how often it is accepted in a test
    "begin": (contracts, 10), "finish": (contracts, 2),
    "let": (straight, 5), "load": (straight, 5), "store": (straight, 5), "allocate": (straight, 3), "free": (straight, 2),
    "oblige": (straight, 2), "assertion": (straight, 2), "ghost": (straight, 2), "tidy": (straight, 5), "restate": (straight, 3),
    "name": (straight, 5), "unfold": (straight, 3),
    "gather": (gathered, 5), "recall": (recalled, 5), "choose": (machine, 5),
    "inverse": (inverses, 20),
    "enter_if": (straight, 2), "join_if": (straight, 1), "unroll": (straight, 1),
    "range_of": (loops, 20), "enter_loop": (loops, 10), "leave_loop": (loops, 8), "call": (calls, 5),
    "collect": (atomics, 20), "accumulate": (atomics, 20),
    "multiply_tiles": (multiplying, 5), "reduce_rows": (reducing, 10), "copy_tile": (copying, 20), "await_stage": (pipelines, 20),
    "launch": (launches, 5), "phase": (launches, 5), "barrier": (block, 5), "forget": (block, 2), "shuffle": (shuffles, 10),
}  # fmt: skip
MORE: dict[str, Model] = {
    "let": machine,
    "load": machine,
    "store": machine,
    "enter_loop": block,
    "leave_loop": block,
    "barrier": barriers,
}  # rules that threads use, too
EXAMPLES = 150
_ACCEPTED: dict[Model, Counter[str]] = {}


def accepted(model: Model) -> Counter[str]:
    """How often each rule is accepted in EXAMPLES random examples. Rules that share a model share one run."""
    if model not in _ACCEPTED:
        count = _ACCEPTED[model] = Counter[str]()

        @settings(max_examples=EXAMPLES, deadline=None)
        @given(st.integers(0, 2**32))
        def beside(seed: int) -> None:
            count.update(model(Random(seed)))

        beside()
    return _ACCEPTED[model]


def public_rules() -> list[str]:
    return sorted((*RULES, "range_of"))
