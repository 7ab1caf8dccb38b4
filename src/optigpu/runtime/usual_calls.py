"""Compiled checks for the kinds of calls that a function got before: which parameters, of which library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from optigpu.runtime.compiled_checks import Check, Library, PassedArguments, checks_of, library_of
from optigpu.runtime.signature import Argument, Arguments, Signature


class UsualCalls:
    """A kind of call is learnt after the first one of it was checked in full, and what is unchecked was said."""

    def __init__(self, signature: Signature, alignment: Mapping[str, int], libraries: tuple[str, ...]) -> None:
        self.signature = signature
        self.alignment = alignment
        self.libraries = libraries
        # By the number of arguments: the parameters, the index of the first array among them, and by its type the check.
        self._known: dict[int, tuple[tuple[str, ...], int, dict[type, tuple[Check, Library]]]] = {}
        self._tried: set[tuple[int, str]] = set()

    def passed(self, args: Sequence[Argument], kwargs: Arguments) -> tuple[PassedArguments, Library] | None:
        """What to pass to the compiled code; None if the call is not of a known kind, or its checks do not hold."""
        known = self._known.get(len(args) + len(kwargs))
        if known is None:
            return None
        order, first, checks = known
        if kwargs:
            try:
                args = (*args, *[kwargs[name] for name in order[len(args) :]])
            except KeyError:
                return None
        check = checks.get(type(args[first]))
        if check is None:
            return None
        out = check[0](*args)
        return None if out is None else (out, check[1])

    def learn(self, args: Sequence[Argument], kwargs: Arguments, kind: str) -> None:
        """Compile the checks of calls like this one, which was accepted; `kind`: the library of its arrays."""
        count = len(args) + len(kwargs)
        if kind not in self.libraries or (count, kind) in self._tried:
            return
        self._tried.add((count, kind))
        order, library = self.signature.order_of(args, kwargs), library_of(kind)
        if len(order) != count or library is None:
            return
        first = next((i for i, name in enumerate(order) if self.signature.is_array(name)), None)
        check = checks_of(self.signature, order, library, self.alignment)
        if check is None or first is None:
            return
        checks: dict[type, Any] = self._known.setdefault(count, (order, first, {}))[2]
        if self._known[count][0] == order:
            checks |= dict.fromkeys(library.types, (check, library))
