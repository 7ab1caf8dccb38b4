"""Compiled checks for the kinds of calls that a function got before: which parameters, of which library.

Calls by position on device arrays are checked and made by one function, since at a few microseconds each step in between counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from optigpu.runtime.compiled_checks import (
    Check,
    CheckedCall,
    Library,
    PassedArguments,
    checked_call_of,
    checks_of,
    library_of,
)
from optigpu.runtime.signature import Argument, Arguments, Signature


class UsualCalls:
    """A kind of call is learnt after the first one of it was checked in full, and what is unchecked was said."""

    def __init__(self, signature: Signature, alignment: Mapping[str, int], libraries: tuple[str, ...]) -> None:
        self.signature = signature
        self.alignment = alignment
        self.libraries = libraries
        # By the number of arguments: the parameters, the index of the first array among them, and by its type the check.
        self._known: dict[int, list[tuple[tuple[str, ...], int, dict[type, tuple[Check, Library]]]]] = {}
        self._tried: set[tuple[tuple[str, ...], str]] = set()
        self.entry: Callable[..., Any] | None = None  # of the compiled code, with a stream as its last argument
        # By the number of arguments: each returns MISSED, or has made the call.
        self.by_position: dict[int, tuple[CheckedCall, ...]] = {}

    def passed(self, args: tuple[Argument, ...], kwargs: Arguments) -> tuple[PassedArguments, Library] | None:
        """What to pass to the compiled code; None if the call is not of a known kind, or its checks do not hold."""
        for order, first, checks in self._known.get(len(args) + len(kwargs), ()):
            if kwargs:
                try:
                    in_order = (*args, *[kwargs[name] for name in order[len(args) :]])
                except KeyError:
                    continue
            else:
                in_order = args
            check = checks.get(type(in_order[first]))
            if check is not None and (out := check[0](*in_order)) is not None:
                return out, check[1]
        return None

    def learn(self, args: Sequence[Argument], kwargs: Arguments, kind: str) -> None:
        """Compile the checks of calls like this one, which was accepted; `kind`: the library of its arrays."""
        order = self.signature.order_of(args, kwargs)
        if kind not in self.libraries or (order, kind) in self._tried:
            return
        self._tried.add((order, kind))
        library, count = library_of(kind), len(args) + len(kwargs)
        if len(order) != count or library is None:
            return
        first = next((i for i, name in enumerate(order) if self.signature.is_array(name)), None)
        check = checks_of(self.signature, order, library, self.alignment)
        if check is None or first is None:
            return
        call = self.entry and checked_call_of(self.signature, order, library, self.alignment, self.entry)
        if call is not None:
            self.by_position[count] = (*self.by_position.get(count, ()), call)
        entries = self._known.setdefault(count, [])
        checks = next((checks for known, _, checks in entries if known == order), None)
        if checks is None:
            checks = {}
            entries.append((order, first, checks))
        checks |= dict.fromkeys(library.types, (check, library))
