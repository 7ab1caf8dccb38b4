"""Classes made by `light_dataclass` behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, FrozenInstanceError, field, fields, replace
from typing import Any, ClassVar

import pytest

from optigpu import light_dataclass
from optigpu.syntax.exprs import Int, Var
from optigpu.syntax.source import Loc

Maker = Callable[..., Any]
MAKERS: dict[str, Maker] = {"standard": dataclasses.dataclass, "light": light_dataclass.dataclass}


def point(make: Maker, **options: Any) -> Any:
    class Point:
        unit: ClassVar[str] = "m"
        x: int
        y: int = 7
        note: str = field(default="", compare=False, repr=False)

    return make(**options)(Point)


def outcome(f: Callable[[], Any]) -> object:
    """What is returned, or that it fails; the standard library raises a TypeError for some changes of frozen instances."""
    try:
        return f()
    except (TypeError, AttributeError, KeyError) as e:
        assert isinstance(e, TypeError | FrozenInstanceError | KeyError) or "attribute" in str(e)
        return "fails"


FROZEN = {"frozen": True, "slots": True}
ACTIONS: dict[str, Callable[[Any], Any]] = {
    "defaults": lambda c: (c(1).x, c(1).y, c(1).note, c.unit),
    "by name": lambda c: (c(x=1, y=2).x, c(1, y=2).y),
    "missing argument": lambda c: c(),
    "unknown argument": lambda c: c(1, z=3),
    "too many arguments": lambda c: c(1, 2, "", 4),
    "argument twice": lambda c: c(1, x=2),
    "equal": lambda c: (c(1, 2) == c(1, 2, "other"), c(1, 2) == c(1, 3), c(1) != c(2), c(1) == (1, 7)),
    "as keys": lambda c: {c(1): "a", c(1, 7, "other"): "b"}[c(1)],
    "repr": lambda c: repr(c(1, 2, "hidden")).split(".")[-1],
    "fields": lambda c: [(f.name, f.default, f.compare, f.kw_only) for f in fields(c)],
    "replaced by the light one": lambda c: repr(light_dataclass.replace(c(x=1, y=2), x=3)).split(".")[-1],
    "wrongly replaced by the light one": lambda c: light_dataclass.replace(c(x=1), z=3),
    "assigned": lambda c: setattr(c(1), "x", 2),
    "assigned anew": lambda c: setattr(c(1), "z", 2),
    "deleted": lambda c: delattr(c(1), "x"),
    "replaced": lambda c: repr(replace(c(1, 2), x=3)).split(".")[-1],
    "wrongly replaced": lambda c: replace(c(1, 2), z=3),
    "arguments of patterns": lambda c: c.__match_args__,
    "copied": lambda c: copy.copy(c(1, 2)) == c(1, 2) == copy.deepcopy(c(1, 2)),
    "as dictionary": lambda c: dataclasses.asdict(c(1, 2)),
    "later instances": lambda c: [c(i).x for i in range(3)],
}


@pytest.mark.parametrize("action", ACTIONS.values(), ids=ACTIONS)
@pytest.mark.parametrize(
    "options",
    [{}, FROZEN, {"frozen": True}, {"slots": True}, {**FROZEN, "eq": False}, {**FROZEN, "kw_only": True}],
    ids=str,
)
def test_it_behaves_like_the_standard_library(options: dict[str, Any], action: Callable[[Any], Any]) -> None:
    standard, light = (outcome(lambda m=m: action(point(m, **options))) for m in MAKERS.values())
    assert standard == light


def derived(make: Maker) -> Any:
    @make(frozen=True)
    class Base:
        a: int
        _: KW_ONLY
        late: int = 5

    @make(frozen=True, kw_only=True)
    class Derived(Base):
        """Has fields of its own."""

        b: list[int] = field(default_factory=list)

    class Inherits(Derived):
        """Has none."""

    return Base, Derived, Inherits


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_inheritance_and_factories(make: Maker) -> None:
    base, derived_class, inherits = derived(make)
    x, y = derived_class(1), derived_class(1)
    assert (x.a, x.late, x.b) == (1, 5, []) and x.b is not y.b and x == y and base(1) != x
    assert inherits(1, b=[2]).b == [2] and inherits(1) != x and isinstance(inherits(1), base)
    with pytest.raises(TypeError):
        derived_class(1, 5)
    with pytest.raises(TypeError):
        hash(x)  # a list is in it


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_methods_of_the_class_stay(make: Maker) -> None:
    @make(frozen=True, slots=True)
    class Named:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

        def __hash__(self) -> int:
            return 3

    assert repr(Named("n")) == "<n>" and hash(Named("n")) == 3 and Named("n") == Named("n")


def test_nodes_of_syntax_are_values() -> None:
    x = Var("x", loc=Loc("f.c", 1, 1, 1, 2))
    assert pickle.loads(pickle.dumps(x)) == x == Var("x") and pickle.loads(pickle.dumps(x)).loc == x.loc
    assert hash(x) == hash(Var("x")) and x != Var("y") and x != Int(1)
    for change in (lambda: setattr(x, "name", "y"), lambda: delattr(x, "name"), lambda: setattr(x, "other", 1)):
        with pytest.raises((FrozenInstanceError, AttributeError, TypeError)):
            change()
    assert x.name == "x" and not hasattr(x, "__dict__")


def test_a_number_that_is_not_equal_to_itself_is_compared_as_in_tuples() -> None:
    """So does the standard library before Python 3.13."""
    nan = float("nan")
    for name, make in MAKERS.items():
        if name == "standard" and sys.version_info >= (3, 13):
            continue
        c = make(frozen=True)(type("C", (), {"__annotations__": {"value": float}}))
        assert c(nan) == c(nan) and c(nan) != c(float("nan"))
