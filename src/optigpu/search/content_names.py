"""Names for large contents, so that what happened before a piece of code does not enlarge the terms inside it. Untrusted.

A loop that works on sums over sums works on `x(i)` instead, a name that the kernel introduces for them (kernel/contents_rules.py).
At the end of a block, the names that were given in it are unfolded: contracts and postconditions are about what they stand for.

Only reals get names. Integers are indices and bounds, of which more must be known than that they are numbers.
"""

from __future__ import annotations

from itertools import islice

from optigpu.kernel import Kernel, State
from optigpu.kernel.causes import Cause, Leak, MissingPermission, NotOwner, Overflow, Overlap, Uninitialised
from optigpu.kernel.side_conditions import terms_of
from optigpu.logic.terms import REAL, Term, substitute, subterms
from optigpu.search.search_causes import SharedByThreads

LARGE = 12  # subterms
OF_CELLS_ALONE = (MissingPermission, Overlap, NotOwner, Leak, Overflow, Uninitialised, SharedByThreads)


class ContentNames:
    """Gives names and unfolds them."""

    def __init__(self, kernel: Kernel, allowed: bool) -> None:
        self.kernel, self.allowed = kernel, allowed

    def named(self, state: State) -> State:
        """Name contents that are large."""
        for n, r in state.held.items() if self.allowed else ():
            if r.value.sort is REAL and _is_large(r.value):
                state = self.kernel.name(state, n)
        return state

    def unfolded(self, state: State, since: State | None = None) -> State:
        """Unfold the names that were given since a state, or all, the latest first."""
        before = () if since is None else since.definitions
        names = [x for x in reversed(list(state.definitions)) if x not in before]
        if not names:
            return state
        unfolded = self.kernel.unfold(state, tuple(names))
        for n, r in unfolded.held.items():
            if r.value is not state.held[n].value:
                unfolded = self.kernel.tidy(unfolded, n)
        return unfolded


def may_matter(state: State | None, cause: Cause) -> bool:
    """May a proof that failed for this cause succeed without names?"""
    if state is None or not state.definitions:
        return False
    mentioned = {x for t in terms_of(cause) for x in t.free}
    return not isinstance(cause, OF_CELLS_ALONE) or not mentioned.isdisjoint(state.definitions)


def meaning(state: State, t: Term) -> Term:
    """A term with all names unfolded, for reading."""
    for x in reversed(list(state.definitions)):
        t = substitute(t, {x: state.definitions[x]})
    return t


def _is_large(t: Term) -> bool:
    return len(list(islice(subterms(t), LARGE + 1))) > LARGE
