"""Names for large contents, so that what happened before a piece of code does not enlarge the terms inside it. Untrusted.

A loop that works on sums over sums works on `x(i)` instead, a name that the kernel introduces for them (kernel/contents_rules.py).
At the end of a block, the names that were given in it are unfolded: contracts and postconditions are about what they stand for.

Only reals get names. Integers are indices and bounds, of which more must be known than that they are numbers.
"""

from __future__ import annotations

from dataclasses import field
from itertools import islice

from optigpu.kernel import Kernel, State
from optigpu.kernel.causes import Cause, Leak, MissingPermission, NotOwner, Overflow, Overlap, Uninitialised
from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.terms import REAL, Term, substitute, subterms
from optigpu.search.search_causes import DataRace, SharedByThreads

LARGE = 12  # subterms
BIG = frozenset(("sum", "prod", "fold_max", "argmax"))
MAX_RESTARTS = 4  # of a proof, with fewer names each time
OF_CELLS_ALONE = (MissingPermission, Overlap, NotOwner, DataRace, Leak, Overflow, Uninitialised, SharedByThreads)


@dataclass
class Nameless:
    """What gets no name, since a proof failed where it had one: some bases, or everything."""

    bases: set[str] = field(default_factory=set)
    everything: bool = False

    def copy(self) -> Nameless:
        return Nameless(set(self.bases), self.everything)

    def extended(self, state: State | None, cause: Cause) -> bool:
        """Add what may have made a proof fail in this state, for this cause. False if there is nothing of that kind."""
        if self.everything or state is None or not state.definitions:
            return False
        mentioned = {x for t in terms_of(cause) for x in t.free if x in state.definitions}
        if isinstance(cause, OF_CELLS_ALONE) and not mentioned:
            return False
        if mentioned and len(self.bases) < MAX_RESTARTS:
            self.bases |= {x.data.stem for x in mentioned}
        else:
            self.everything = True
        return True


class ContentNames:
    """Gives names and unfolds them."""

    def __init__(self, kernel: Kernel, nameless: Nameless) -> None:
        self.kernel, self.nameless = kernel, nameless
        self.allowed = True

    def named(self, state: State) -> State:
        """Name contents that are large."""
        for n, r in state.held.items() if self.allowed and not self.nameless.everything else ():
            if r.value.sort is REAL and r.cells.base not in self.nameless.bases and _is_large(r.value):
                state = self.kernel.name(state, n)
        return state

    def unfolded(self, state: State, since: State | None = None) -> State:
        """Unfold the names that were given since a state, or all, and simplify what they stood for."""
        unfolded = self.as_defined(state, since)
        for n, r in unfolded.held.items():
            if r.value is not state.held[n].value:
                unfolded = self.kernel.tidy(unfolded, n)
        return unfolded

    def as_defined(self, state: State, since: State | None) -> State:
        """Unfold the names that were given since a state, or all, the latest first."""
        before = () if since is None else since.definitions
        names = tuple(x for x in reversed(list(state.definitions)) if x not in before)
        return self.kernel.unfold(state, names) if names else state


def readable(state: State) -> State:
    """A state for people to look at: with contents and values instead of names. No rule accepts it."""
    if not state.definitions:
        return state
    held = {n: replace(r, value=meaning(state, r.value)) for n, r in state.held.items()}
    env = {x: meaning(state, value) for x, value in state.env.items()}
    rest = (state.bases, state.code, state.block, state.counter, state.names, state.context, state.pending_reads)
    return State(state.facts, env, held, *rest, {})


def meaning(state: State, t: Term, since: State | None = None) -> Term:
    """A term with the names unfolded that were given since a state, or all, for reading."""
    before = () if since is None else since.definitions
    for x in reversed([x for x in state.definitions if x not in before]):
        t = substitute(t, {x: state.definitions[x]})
    return t


def _is_large(t: Term) -> bool:
    """Is it a term with sums or maxima, and others? Choices alone are decided soon."""
    return not BIG.isdisjoint(t.ops) and len(list(islice(subterms(t), LARGE + 1))) > LARGE
