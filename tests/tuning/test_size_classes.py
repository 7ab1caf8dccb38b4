"""Which sizes share options, and the conditions that tell them apart."""

from __future__ import annotations

import pytest

from optigpu.runtime.call_error import CallError
from optigpu.tuning.size_classes import SizeClass, SizeSplit, chosen, described, size_classes

ORDER = ["a", "b", "c"]


def test_neighbours_with_the_same_best_options_are_one_class() -> None:
    times = [
        ({"n": 16}, {"a": 1.0, "b": 2.0}),
        ({"n": 64}, {"a": 1.0, "b": 2.0}),
        ({"n": 1024}, {"a": 2.0, "b": 1.0}),
        ({"n": 4096}, {"a": 2.0, "b": 1.0}),
    ]
    classes = size_classes(times, ORDER)
    assert classes == SizeSplit(("n",), 256, SizeClass("a"), SizeClass("b"))
    assert [chosen(classes, {"n": n}) for n in (1, 256, 257, 10**9)] == ["a", "a", "b", "b"]
    assert described(classes) == [("n <= 256", "a"), ("n > 256", "b")]


def test_one_class_where_one_candidate_is_best_or_nearly() -> None:
    times = [({"n": 1}, {"a": 1.02, "b": 1.0}), ({"n": 2}, {"a": 1.0, "b": 1.5})]
    assert size_classes(times, ORDER) == SizeClass("a")
    assert size_classes(times, ORDER, tolerance=0.0) == SizeSplit(("n",), 1, SizeClass("b"), SizeClass("a"))
    assert size_classes([({"n": 5}, {"b": 1.0, "a": 1.0})], ORDER) == SizeClass("a")  # the first of equal ones


def test_a_class_between_two_of_another() -> None:
    best = ["a", "a", "b", "b", "a", "a"]
    times = [({"n": 4**k}, {x: 1.0 if x == b else 2.0 for x in "ab"}) for k, b in enumerate(best)]
    classes = size_classes(times, ORDER)
    assert [chosen(classes, s) for s, _ in times] == best and len(described(classes)) == 3


def test_conditions_on_several_sizes() -> None:
    """Whether all is small, or rows are short: whichever tells the sizes apart."""
    sizes = [{"h": h, "w": w} for h, w in ((16, 16), (4096, 16), (16, 4096), (4096, 4096))]
    by_area = [(s, {"a": 1.0, "b": 2.0} if s["h"] * s["w"] < 1 << 20 else {"a": 2.0, "b": 1.0}) for s in sizes]
    classes = size_classes(by_area, ORDER)
    assert isinstance(classes, SizeSplit) and classes.condition == "(int64_t)h * w <= 1048576"
    by_width = [(s, {"a": 1.0, "b": 2.0} if s["w"] == 16 else {"a": 2.0, "b": 1.0}) for s in sizes]
    classes = size_classes(by_width, ORDER)
    assert isinstance(classes, SizeSplit) and classes.condition == "w <= 256"
    with pytest.raises(CallError, match="the best options depend on `w`"):
        chosen(classes, {"h": 1})


def test_a_candidate_that_failed_at_a_size_is_not_chosen_there() -> None:
    times = [({"n": 1}, {"a": 1.0, "b": 3.0}), ({"n": 100}, {"b": 3.0})]
    assert size_classes(times, ORDER) == SizeSplit(("n",), 10, SizeClass("a"), SizeClass("b"))


def test_bounds_lie_between_the_sizes() -> None:
    """Also where sizes are adjacent, or zero."""
    for low, high in ((0, 1), (7, 8), (1, 3), (5, 10**12)):
        times = [({"n": low}, {"a": 1.0, "b": 2.0}), ({"n": high}, {"a": 2.0, "b": 1.0})]
        classes = size_classes(times, ORDER)
        assert isinstance(classes, SizeSplit) and low <= classes.bound < high
