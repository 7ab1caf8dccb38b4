"""The candidates of a tuning, which are options of a schedule, and the sizes at which they are measured."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import CallError
from optigpu.runtime.disk_cache import content_key

Options: TypeAlias = dict[str, Any]
Sizes: TypeAlias = dict[str, int]
Schedule: TypeAlias = Callable[..., object]
Space: TypeAlias = Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]] | Callable[[], Iterable[Mapping[str, Any]]]
MAX_CANDIDATES = 10_000  # more are a mistake: each is verified and compiled


@dataclass(frozen=True, slots=True)
class Candidate:
    """Options of a schedule. `key` is made from them."""

    key: str
    options: Options


def candidate(options: Mapping[str, Any]) -> Candidate:
    values = {name: option_value(name, value) for name, value in options.items()}
    return Candidate(content_key(json.dumps(values, sort_keys=True))[:12], values)


def option_value(name: str, value: Any) -> Any:
    """A value as the schedule gets it: what a file can hold, with tuples for lists."""
    match value:
        case None | bool() | int() | float() | str():
            return value
        case list() | tuple():
            return tuple(option_value(name, v) for v in value)
        case Mapping() if all(isinstance(k, str) for k in value):
            return {k: option_value(name, v) for k, v in value.items()}
        case _:
            raise CallError(
                f"the option `{name}` cannot be {value!r:.60}: numbers, texts, lists and dictionaries can be kept in a file"
            )


def options_text(options: Mapping[str, Any]) -> str:
    """`threads=64, tile=(32, 32)`"""
    return ", ".join(f"{name}={value!r}" for name, value in options.items()) or "the defaults"


def candidates_of(
    schedule: Schedule,
    space: Space,
    where: Callable[..., bool] | None = None,
    default: Mapping[str, Any] | None = None,
) -> tuple[Candidate, ...]:
    """All candidates, without duplicates. The first one is that to which the others are compared: `default`, or the schedule
    without options, or the first of the space if the schedule cannot do without."""
    name, accepted, required = signature_of_schedule(schedule)
    found: dict[str, Candidate] = {}
    for options in combinations(space):
        for option in options:
            if accepted is not None and option not in accepted:
                known = ", ".join(accepted) or "none"
                raise CallError(f"{name} has no option `{option}` (it has: {known})")
        if where is None or condition_holds(where, options):
            c = candidate(options)
            found[c.key] = c
            if len(found) > MAX_CANDIDATES:
                raise CallError(f"the space has more than {MAX_CANDIDATES} candidates")
    if not found:
        raise CallError("the space is empty: give values for at least one option, and a `where` that some of them meet")
    first = None
    if default is not None:
        if accepted is not None and (unknown := [o for o in default if o not in accepted]):
            raise CallError(f"{name} has no option `{unknown[0]}` (it has: {', '.join(accepted) or 'none'})")
        first = candidate(default)
    elif not required:
        first = candidate({})
    if first is not None:
        found = {first.key: first} | found
    for c in found.values():
        missing = [r for r in required if r not in c.options]
        if missing:
            raise CallError(f"{name} needs `{missing[0]}`, which {options_text(c.options)} does not give")
    return tuple(found.values())


def combinations(space: Space) -> list[Mapping[str, Any]]:
    if callable(space):
        space = list(space())
    if isinstance(space, Mapping):
        for option, values in space.items():
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise CallError(f"the space gives a list of values for each option: {option}=[…], not {values!r:.60}")
            if not values:
                raise CallError(f"the space is empty: there is no value for `{option}`")
        return [dict(zip(space, values)) for values in product(*space.values())] if space else []
    if isinstance(space, str) or not isinstance(space, Sequence) or not all(isinstance(o, Mapping) for o in space):
        raise CallError('a space is {"option": [values]}, a list of options, or a function that returns such a list')
    return list(space)


def condition_holds(where: Callable[..., bool], options: Mapping[str, Any]) -> bool:
    try:
        return bool(where(**options))
    except TypeError as e:
        raise CallError(f"`where` takes the options of the space by name: {e}") from None


def signature_of_schedule(schedule: Schedule) -> tuple[str, tuple[str, ...] | None, tuple[str, ...]]:
    """The name of a schedule, the options that it has (None: any), and those that it cannot do without."""
    if not callable(schedule):
        raise CallError(f"a schedule is a function of a script and options, not {type(schedule).__name__}")
    name = schedule_name(schedule)
    parameters = list(inspect.signature(schedule).parameters.values())
    if not parameters or parameters[0].kind not in (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    ):
        raise CallError(f"{name} is no schedule: its first parameter is the script")
    named = [p for p in parameters[1:] if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    any_option = any(p.kind is p.VAR_KEYWORD for p in parameters)
    accepted = None if any_option else tuple(p.name for p in named)
    return name, accepted, tuple(p.name for p in named if p.default is p.empty)


def schedule_name(schedule: Schedule) -> str:
    while hasattr(schedule, "func"):  # of functools.partial
        schedule = schedule.func
    return getattr(schedule, "__name__", type(schedule).__name__)


def sizes_of(sizes: Sequence[Mapping[str, int]] | Mapping[str, int | Sequence[int]]) -> tuple[Sizes, ...]:
    """The sizes one by one. A mapping of parameters to lists means all combinations."""
    if isinstance(sizes, Mapping):
        lists = [(v,) if isinstance(v, int) else tuple(v) for v in sizes.values()]
        sizes = [dict(zip(sizes, values)) for values in product(*lists)]
    if isinstance(sizes, str) or not isinstance(sizes, Sequence) or not all(isinstance(s, Mapping) for s in sizes):
        raise CallError('sizes are a list such as [{"n": 1024}, {"n": 4096}]')
    if not sizes:
        raise CallError("no size is given: nothing can be measured")
    for s in sizes:
        for name, value in s.items():
            if isinstance(value, bool) or not isinstance(value, int):
                raise CallError(f"the size `{name}` is an integer, not {value!r:.60}")
    return tuple({name: int(value) for name, value in sorted(s.items())} for s in unique(sizes))


def unique(sizes: Iterable[Mapping[str, int]]) -> list[Mapping[str, int]]:
    return list({tuple(sorted(s.items())): s for s in sizes}.values())


def sizes_text(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items()) or "no sizes"
