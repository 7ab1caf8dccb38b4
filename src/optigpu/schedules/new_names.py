"""Names of the loops and variables that a schedule makes."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, count

from optigpu.script.program_names import names_seen_from
from optigpu.script.targets import TargetLike
from optigpu.syntax.free_names import fresh_name
from optigpu.transform.registry import TransformSession


def unused_prefix(s: TransformSession, at: TargetLike, prefix: str, names: Collection[str]) -> str:
    """`prefix`, or the first of m_, m1_, m2_, … with which none of `names` is one that the function uses already."""
    path = s.find(at)
    taken = names_seen_from(s.function_of(path), path)
    numbered = (f"m{n or ''}_" for n in count())
    return next(p for p in chain((prefix,), numbered) if not any(p + name in taken for name in names))


class NewNames:
    """The names of a schedule's text, as attributes: `new.t` is "t", or the first of "t1", "t2", … that the function did not use
    before, other branches of its conditions aside. Each stays what it is."""

    def __init__(self, s: TransformSession, at: TargetLike) -> None:
        path = s.find(at)
        self._taken = names_seen_from(s.function_of(path), path)
        self._chosen: dict[str, str] = {}

    def __getattr__(self, name: str) -> str:
        return self[name]

    def __getitem__(self, name: str) -> str:
        if name not in self._chosen:
            self._chosen[name] = fresh_name(name, self._taken)
            self._taken.add(self._chosen[name])
        return self._chosen[name]
