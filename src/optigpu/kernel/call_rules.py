"""The rule for calls, and all rules together."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from optigpu.kernel.context import HOST, THREADS
from optigpu.kernel.instructions import DEVICE, GLOBAL, REGISTER, SHARED, ArrayView, Invoke, Parameter, Procedure
from optigpu.kernel.launch_rules import LaunchRules, copying
from optigpu.kernel.ledger import Theorem
from optigpu.kernel.loop_rules import LoopRules
from optigpu.kernel.rules import Rules
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import Rejected, State, changed
from optigpu.kernel.thread_rules import ANY_LAUNCH, ThreadConditions, chosen
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, READ, CellClaim, Terms
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.terms import Term, instantiate

Gives: TypeAlias = tuple[Take | None, ...]
Names: TypeAlias = tuple[dict[Term, Term], dict[str, ArrayView]]


class CallRules(ThreadConditions):
    def call(
        self,
        state: State,
        variables: Terms,
        takes: tuple[Take, ...],
        steps: tuple[EqualitySteps, ...],
        gives: Gives = (),
    ) -> State:
        """A call of a function that has been proved (or is admitted): its precondition is taken, its postcondition put.

        Full claims are taken one after the other, so they do not overlap; then reading claims are found in what is left. Cells that
        are given back as they were taken, or are found (`gives`, one for each claim of the postcondition) among those that were,
        stay in their family, with new contents.

        A device function is executed by the whole current group, which has the number of threads it asks for; it counts them as the
        group does, so owners mean the same in its contract. What it reads is marked: after a barrier, anyone may have read it.

        A lemma without parameters holds no memory and is not executed: its facts follow for all values of its variables, anywhere.
        """
        i = self._next(state, Invoke)
        self._known(state, variables, steps, gives)
        f = self.program.functions[i.function]
        if f != copying(f.name):
            self.ledger.used(f)
        if not (f.lemma and not f.params) and state.context.kind != (THREADS if f.device else HOST):
            raise Rejected("call", "context", context=state.context, function=f.name)
        sub, views = self._arguments(state, f, i, variables)
        if f.device:
            self._level("call", state, k.substitute(f.threads, sub), function=f.name)
        for p, by in zip(f.contract.requires, steps, strict=True):
            self._prove_fact("call", state.facts, k.substitute(p, sub), by)
        pre = [seen_through(c.substitute(sub), views) for c in f.contract.pre]
        held, taken, pending_reads = dict(state.held), [], state.pending_reads
        for share in (FULL, READ):
            for claim, take in zip(pre, takes, strict=True):
                if claim.share == share:
                    r = self._claimed("call", state, held, claim, take)
                    if f.device:
                        self._in_reach("call", state, claim.cells.base)
                        self._handed("call", state, r, claim, take)
                    if share == READ:
                        pending_reads = self._read(
                            changed(state, pending_reads=pending_reads), take.family, claim.cells
                        )
                    if share == FULL:
                        member = self._member(claim.cells, r, take.back)
                        held[take.family] = r.without(member)
                        taken.append((claim.cells, take, member))
        counter, env = state.counter + 1, dict(state.env)
        if f.contract.result is not None:
            result = sub[f.contract.result] = state.fresh(f.name, f.contract.result.sort)
            if i.target is not None:
                env[i.target] = result
        held = {n: state.held.get(n, r) for n, r in held.items()}
        posts = [seen_through(c.substitute(sub), views) for c in f.contract.post]
        again = {p.cells for p in posts}
        gone = {t.family: k.FALSE for _, t, _ in taken}  # which cells of a family are not given back as they were taken
        for cells, take, member in taken:
            gone[take.family] = gone[take.family] if cells in again else k.or_(gone[take.family], member)
        for post, give in zip(posts, gives or (None,) * len(posts), strict=True):
            new = post.family(f"{post.cells.base}#{counter}", state.bases[post.cells.base].sort)
            same = next((t for t in taken if t[0] == post.cells), None)
            home = give if same is None else same[1]
            if home is None:
                held[counter] = new
            else:
                r = held[home.family]
                member = self._member(post.cells, r, home.back)
                if same is None:
                    left = gone.get(home.family, k.FALSE)
                    there = replace(r, cells=replace(r.cells, where=k.and_(r.cells.where, left)))
                    self._found("call", state.facts, post.cells, there, home.forward, home.back)
                    gone[home.family] = k.and_(left, k.not_(member))
                else:
                    taken.remove(same)
                r = r.updated(member, instantiate(new.value, home.back), instantiate(new.init, home.back))
                owner = chosen(state.context, member, post.owner and post.owner.at(home.back), r.owner)
                held[home.family] = replace(r, owner=owner)
            counter += 1
        for n, member in gone.items():  # what is not given back at all
            b, inside = self._arbitrary(state.facts, held[n].cells)
            if not self.judge.proves(inside, k.not_(instantiate(member, b))):
                held[n] = held[n].without(member)
        facts = state.facts.assume(*(k.substitute(p, sub) for p in f.contract.ensures))
        return changed(
            state, facts=facts, env=env, held=held, code=state.code[1:], counter=counter, pending_reads=pending_reads
        )

    def recall(self, theorem: Theorem) -> Theorem:
        """A theorem that was proved of another program: this one has the same function, the same axioms, and the same functions
        that it calls, each proved or admitted. Where integers are assumed to fit, the places are of that program: not then."""
        f, functions = theorem.function, self.program.functions
        if (
            theorem.unbounded
            or theorem.axioms != self.program.axioms
            or any(functions.get(g.name) != g for g in (f, *theorem.callees))
        ):
            raise ValueError(f"{f.name} was proved of another program")
        for g in theorem.callees:
            if g != copying(g.name):
                self.ledger.used(g)
        self.ledger.axioms.update(name for name, _ in theorem.axioms)
        self.ledger.theorems[f.name] = theorem
        return theorem

    def _arguments(self, state: State, f: Procedure, i: Invoke, variables: Terms) -> Names:
        """What all names of the contract stand for at the call: one left out would be taken for a name of the caller's, and a loose
        index for another value at each cell of a claim. What is given back for reading the caller would hold twice."""
        wrong = any(v.sort is not x.sort or v.level for v, x in zip(variables, f.contract.variables))
        if wrong or any(c.share != FULL for c in f.contract.post):
            raise Rejected("call", "shape")
        sub = dict(zip(ANY_LAUNCH, (state.context.grid, state.context.block)))
        sub.update(zip(f.contract.variables, variables, strict=True))
        views: dict[str, ArrayView] = {}
        for p, a in zip(f.params, i.args, strict=True):
            if isinstance(a, ArrayView) and p.dims is not None:
                views[p.name] = ArrayView(a.base, state.values(a.lead), state.value(a.shift))
            elif isinstance(a, Term) and p.dims is None and a.sort is p.sort:
                sub[k.var(p.name, p.sort)] = state.value(a)
            else:
                raise Rejected("call", "shape")
        for p in f.params:
            if p.dims is not None:
                self._same_layout(state, p, views[p.name], sub)
        limits = [(state.bases[views[p.name].base].limits, p.limits) for p in f.params if p.dims is not None]
        if len({mine for mine, _ in limits}) > 1 if f.primitive else any(mine != p for mine, p in limits):
            raise Rejected("call", "shape", base=f.params[0].name)  # what fits the one need not fit the other
        return sub, views

    def _same_layout(self, state: State, p: Parameter, view: ArrayView, sub: dict[Term, Term]) -> None:
        """The inner sizes of an array parameter are those of the array passed: they fix where its elements lie."""
        base, dims = state.bases[view.base], p.dims or ()
        mine = base.dims[len(view.lead) :]
        if len(mine) != len(dims) or base.sort is not p.sort:
            raise Rejected("call", "shape", base=view.base)
        if base.space != p.space and not (p.space == DEVICE and base.space in (GLOBAL, SHARED, REGISTER)):
            raise Rejected("call", "space", base=view.base, space=base.space, context=state.context)
        for have, want in zip(mine[1:], dims[1:]):
            if have is None or want is None:
                raise Rejected("call", "sizes", base=view.base)
            self._require("call", "sizes", state.facts, k.eq(have, k.substitute(want, sub)), base=view.base)


def seen_through(claim: CellClaim, views: dict[str, ArrayView]) -> CellClaim:
    """A claim about a parameter, as one about the array it is a view of."""
    view, n = views[claim.cells.base], claim.cells.arity
    first, *rest = claim.cells.index
    lead = tuple(k.shift(t, n) for t in view.lead)
    index = (*lead, k.add(k.shift(view.shift, n), first), *rest)
    return replace(claim, cells=replace(claim.cells, base=view.base, index=index))


class AllRules(Rules, LoopRules, CallRules, LaunchRules):
    """All rules, for states that the caller may have made: what they say of such a state is worth as much as the state is."""
