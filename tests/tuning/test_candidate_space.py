"""Candidates and sizes: all combinations once, the default first, and errors that say what is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from optigpu.runtime.call_error import CallError
from optigpu.tuning.candidate_space import candidates_of, options_text, sizes_of


def schedule(s: object, threads: int = 128, vector: int = 4, tile: tuple[int, int] = (8, 8)) -> None:
    pass


def needs(s: object, threads: int, vector: int = 4) -> None:
    pass


def anything(s: object, **options: object) -> None:
    pass


def options(*args: Any, **kwargs: Any) -> list[dict[str, Any]]:
    return [c.options for c in candidates_of(*args, **kwargs)]


def test_a_space_is_all_combinations_after_the_default() -> None:
    found = options(
        schedule, {"threads": [64, 128], "vector": [1, 4]}, where=lambda threads, vector: threads * vector < 512
    )
    assert found == [
        {},
        {"threads": 64, "vector": 1},
        {"threads": 64, "vector": 4},
        {"threads": 128, "vector": 1},
    ]


def test_a_space_is_a_list_or_a_function_too() -> None:
    listed = [{"threads": 64}, {"tile": [4, 4]}, {"threads": 64}]
    expected = [{}, {"threads": 64}, {"tile": (4, 4)}]
    assert options(schedule, listed) == options(schedule, lambda: iter(listed)) == expected
    assert options(anything, [{"x": {"a": [1]}}]) == [{}, {"x": {"a": (1,)}}]


def test_the_default_is_given_or_the_first_if_the_schedule_needs_options() -> None:
    assert options(schedule, {"threads": [64]}, default={"threads": 32}) == [{"threads": 32}, {"threads": 64}]
    assert options(schedule, {"threads": [64, 32]}, default={"threads": 32}) == [{"threads": 32}, {"threads": 64}]
    assert options(needs, {"threads": [64, 32]}) == [{"threads": 64}, {"threads": 32}]
    assert options(partial(needs, threads=1), {"vector": [2]}) == [{}, {"vector": 2}]


def test_keys_are_made_of_options() -> None:
    a, b = candidates_of(schedule, {"threads": [64]})
    assert a.key != b.key and candidates_of(anything, [{"threads": 64}])[1].key == b.key
    assert (
        options_text({"threads": 64, "tile": (4, 4)}) == "threads=64, tile=(4, 4)"
        and options_text({}) == "the defaults"
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: options(schedule, {"thread": [1]}),
            r"schedule has no option `thread` \(it has: threads, vector, tile\)",
        ),
        (lambda: options(schedule, [{}], default={"x": 1}), "schedule has no option `x`"),
        (lambda: options(schedule, {}), "the space is empty"),
        (lambda: options(schedule, []), "the space is empty"),
        (lambda: options(schedule, {"threads": []}), "there is no value for `threads`"),
        (lambda: options(schedule, {"threads": [64]}, where=lambda threads: False), "the space is empty"),
        (lambda: options(schedule, {"threads": [64]}, where=lambda vector: True), "`where` takes the options"),
        (lambda: options(schedule, {"threads": 64}), "a list of values for each option"),
        (lambda: options(schedule, "threads"), "a space is"),
        (lambda: options(schedule, {"threads": [object()]}), "the option `threads` cannot be <object"),
        (lambda: options(schedule, {"threads": list(range(20_000))}), "more than 10000 candidates"),
        (lambda: options(needs, [{"vector": 2}]), "needs needs `threads`, which vector=2 does not give"),
        (lambda: options("schedule", {"threads": [1]}), "a schedule is a function"),
        (lambda: options(lambda: None, {"threads": [1]}), "its first parameter is the script"),
        (lambda: sizes_of([]), "no size is given"),
        (lambda: sizes_of([{"n": 1.5}]), "the size `n` is an integer, not 1.5"),  # type: ignore[dict-item]
        (lambda: sizes_of([3]), "sizes are a list"),  # type: ignore[list-item]
    ],
)
def test_what_is_no_space_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(CallError, match=message):
        make()


def test_sizes_are_given_one_by_one_or_as_combinations() -> None:
    assert sizes_of([{"m": 2, "n": 1}, {"n": 1, "m": 2}]) == ({"m": 2, "n": 1},)
    assert sizes_of({"n": [1, 2], "m": 3}) == ({"m": 3, "n": 1}, {"m": 3, "n": 2})
