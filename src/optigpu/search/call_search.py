"""Calls and ghost steps: values of logical variables, and the families that claims are taken from.

For `f(x, n)` with the precondition x[i] = X(i) for i in 0..n, X becomes what the caller's cells hold.
"""

from __future__ import annotations

from optigpu.elaborate.elaborated import Elaborated
from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.call_rules import seen_through
from optigpu.kernel.causes import MissingPermission, Operation
from optigpu.kernel.context import GROUP_SIZE
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.thread_conditions import ANY_LAUNCH, launch_of
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, CellClaim, CellFamily, Cells, Terms
from optigpu.logic.terms import TRUE, Term
from optigpu.search.cell_search import CellSearch
from optigpu.search.explore.call_effects import (
    bind_lemma_arguments,
    bind_solved_variables,
    bind_variables,
    call_arguments,
)
from optigpu.search.search_causes import UnknownVariable
from optigpu.search.search_tools import SearchTools


class CallSearch:
    """The arguments of the rules for calls and ghost steps."""

    def __init__(self, tools: SearchTools, kernel: Kernel, elaborated: Elaborated, cells: CellSearch) -> None:
        self.tools, self.kernel, self.elaborated, self.cells = tools, kernel, elaborated, cells

    def call(self, state: State, call: kc.Invoke) -> State:
        """Apply the rule for calls."""
        f = self.kernel.program.functions[call.function]
        sub, views = call_arguments(f, call, state.value)
        sub.update(zip(ANY_LAUNCH, launch_of(state.context)))

        def read(base: str, index: Terms) -> Term:
            for n in self.cells.candidates(dict(state.held), base, "any"):
                at = self.tools.invert(state.held[n].cells, index, state.facts)
                if at is not None:
                    return state.held[n].value_at(at)
            raise Rejected(MissingPermission(Operation.CALL, base, facts=state.facts))

        contract = f.contract
        bind_lemma_arguments(contract.variables, self.elaborated.lemma_arguments.get(call.at, {}), sub, state.value)
        bind_solved_variables(f, sub, state.facts)
        if f.threads in contract.variables:  # a function for groups of any size
            sub.setdefault(f.threads, state.context.threads)
        for claim in contract.pre:
            bind_variables(self.tools, claim, views, sub, contract.variables, read)
        bind_solved_variables(f, sub, state.facts)
        for x in [x for x in contract.variables if x not in sub]:
            raise Rejected(UnknownVariable(Operation.CALL, name=str(x.data), facts=state.facts))
        pre = [seen_through(c.substitute(sub), views) for c in contract.pre]
        takes = self._takes(state, pre)
        steps = tuple(self.cells.fact_steps(state.facts, k.substitute(p, sub)) for p in contract.requires)
        variables = tuple(sub[x] for x in contract.variables)
        post = [seen_through(c.substitute(sub), views) for c in contract.post]
        taken = [(c.cells, take.family) for c, take in zip(pre, takes) if c.share == FULL]
        gives = tuple(self._returned_to(state, c, taken) for c in post)
        after = self.kernel.call(state, variables, takes, steps, gives)
        for n in {family for _, family in taken}:
            after = self.kernel.tidy(after, n)
        return after

    def _takes(self, state: State, pre: list[CellClaim]) -> tuple[Take, ...]:
        """Find the families that the claims of a precondition are taken from: full claims first, as the kernel does."""
        held = dict(state.held)
        takes: dict[int, Take] = {}
        for share in (FULL, READ):
            for i, claim in enumerate(pre):
                if claim.share == share:
                    take = self.cells.take if share == FULL else self.cells.borrow
                    takes[i] = take(Operation.CALL, state, held, claim, state.facts)
        return tuple(takes[i] for i in range(len(pre)))

    def _returned_to(self, state: State, post: CellClaim, taken: list[tuple[Cells, int]]) -> Take | None:
        """Find the family that cells of a postcondition came from, if one claim of the precondition contains them."""
        for cells, n in taken:
            if cells.base == post.cells.base and cells != post.cells:
                maps = self.cells.maps(state.facts, post.cells, state.held[n])
                claimed = CellFamily(cells, k.ZERO, TRUE)
                inside = self.cells.maps(state.facts, post.cells, claimed)
                if maps and inside and self.cells.includes(state.facts, post.cells, claimed, inside[0]):
                    return Take(n, *maps)
        return None

    def ghost(self, state: State, ghost: kc.GhostStep) -> State:
        """Apply the rule for ghost steps: a ghost step only restates what is held."""
        takes: list[Take] = []
        facts = state.facts.assume(*state.values(ghost.requires))
        for side in (ghost.pre, ghost.post):
            held = dict(state.held)
            for claim in side:
                c = claim.substitute({**state.env, GROUP_SIZE: state.context.threads})
                take = self.cells.take if c.share == FULL else self.cells.borrow
                takes.append(take(Operation.GHOST, state, held, c, facts))
        steps = tuple(self.cells.fact_steps(facts, p) for p in state.values(ghost.ensures))
        return self.kernel.ghost(state, tuple(takes), steps)
