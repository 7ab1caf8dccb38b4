"""Calls and ghost steps: values of logical variables, and the families that claims are taken from."""

from __future__ import annotations

from optigpu.elaborate.elaborated import Elaborated
from optigpu.kernel import Kernel, Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.call_rules import seen_through
from optigpu.kernel.causes import MissingPermission, Operation
from optigpu.kernel.side_conditions import Take
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, CellClaim, CellFamily, Cells, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term
from optigpu.search.cell_search import CellSearch
from optigpu.search.explore.call_effects import bind_variables, call_arguments
from optigpu.search.search_causes import UnknownVariable
from optigpu.search.search_tools import SearchTools


class CallSearch:
    def __init__(self, tools: SearchTools, kernel: Kernel, elaborated: Elaborated, cells: CellSearch) -> None:
        self.tools, self.kernel, self.elaborated, self.cells = tools, kernel, elaborated, cells

    def call(self, state: State, call: kc.Invoke) -> State:
        f = self.kernel.program.functions[call.function]
        sub, views = call_arguments(f, call, state.value)

        def read(base: str, index: Terms) -> Term:
            for n in self.cells.candidates(dict(state.held), base, "any"):
                at = self.tools.invert(state.held[n].cells, index, state.facts)
                if at is not None:
                    return state.held[n].value_at(at)
            raise Rejected(MissingPermission(Operation.CALL, base, facts=state.facts))

        given = self.elaborated.lemma_arguments.get(call.at, {})
        sub.update((x, state.value(given[str(x.data)])) for x in f.contract.variables if str(x.data) in given)
        for claim in f.contract.pre:
            bind_variables(self.tools, claim, views, sub, f.contract.variables, read)
        missing = [x for x in f.contract.variables if x not in sub]
        for x in missing:
            sub[x] = self.solve_variable(x, f, sub, state.facts)
        held = dict(state.held)
        pre = [seen_through(c.substitute(sub), views) for c in f.contract.pre]
        takes: dict[int, Take] = {}
        for share in (FULL, "read"):
            for i, claim in enumerate(pre):
                if claim.share != share:
                    continue
                take = self.cells.find_claim(Operation.CALL, state, held, claim)
                r = held[take.family]
                takes[i] = self.cells.with_steps(state.facts, claim, r, take)
                if share == FULL:
                    held[take.family] = r.without(self.cells.member(claim.cells, r, take.back))
        steps = tuple(self.cells.fact_steps(state.facts, k.substitute(p, sub)) for p in f.contract.requires)
        variables = tuple(sub[x] for x in f.contract.variables)
        posts = [seen_through(c.substitute(sub), views) for c in f.contract.post]
        homes = [(c.cells, takes[i].family) for i, c in enumerate(pre) if c.share == FULL]
        gives = tuple(self.given_back(state, c, homes) for c in posts)
        after = self.kernel.call(state, variables, tuple(takes[i] for i in range(len(pre))), steps, gives)
        for n in {t.family for i, t in takes.items() if pre[i].share == FULL}:
            after = self.kernel.tidy(after, n)
        return after

    def given_back(self, state: State, post: CellClaim, homes: list[tuple[Cells, int]]) -> Take | None:
        """The family that cells of a postcondition come from, if they are some of those of one claim of the precondition."""
        for cells, n in homes:
            if cells.base == post.cells.base and cells != post.cells:
                within, maps = CellFamily(cells, k.ZERO, TRUE), self.cells.maps(state.facts, post.cells, state.held[n])
                found = self.cells.maps(state.facts, post.cells, within)
                if maps and found and self.cells.includes(state.facts, post.cells, within, found[0]):
                    return Take(n, *maps)
        return None

    def solve_variable(self, x: Term, f: kc.Procedure, sub: dict[Term, Term], facts: Facts) -> Term:
        """A logical variable that only a fact determines: `n == 32 * w`."""
        for p in f.contract.requires:
            t = k.substitute(p, sub)
            if t.op == "eq" and x in t.free and x.sort is k.INT:
                cs = k.coefficients(t.args[0])
                c = cs.get((x,), 0)
                rest = k.sub(t.args[0], k.scale(c, x)) if c else None
                if rest is not None and x not in rest.free:
                    return facts.simplify(k.fdiv(k.scale(-1 if c > 0 else 1, rest), k.num(abs(c))))
        raise Rejected(UnknownVariable(Operation.CALL, name=str(x.data), facts=facts))

    def ghost(self, state: State, ghost: kc.GhostStep) -> State:
        takes: list[Take] = []
        facts = state.facts.assume(*state.values(ghost.requires))
        for side in (ghost.pre, ghost.post):
            held = dict(state.held)
            for claim in side:
                c = claim.substitute(dict(state.env))
                take = self.cells.find_claim(Operation.GHOST, state, held, c)
                r = held[take.family]
                takes.append(self.cells.with_steps(facts, c, r, take))
                if c.share == FULL:
                    held[take.family] = r.without(self.cells.member(c.cells, r, take.back))
        steps = tuple(self.cells.fact_steps(facts, p) for p in state.values(ghost.ensures))
        return self.kernel.ghost(state, tuple(takes), steps)
