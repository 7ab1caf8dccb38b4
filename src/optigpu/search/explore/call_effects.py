"""Calls in a symbolic execution: what the contract of a function says it leaves in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from optigpu.kernel import instructions as kc
from optigpu.kernel.call_rules import seen_through
from optigpu.kernel.thread_conditions import ANY_LAUNCH
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, UNINIT, CellClaim, Cells, Terms, arguments
from optigpu.logic.facts import Facts
from optigpu.logic.terms import Term
from optigpu.search.explore.symbolic_memory import Memory, Update, World
from optigpu.search.fresh_names import is_opaque
from optigpu.search.search_tools import SearchTools

ReadCell: TypeAlias = Callable[[str, Terms], Term]  # from a base and an index: what the cell holds
ValueOf: TypeAlias = Callable[[Term], Term]  # from a term of the program: its value here
LemmaArguments: TypeAlias = Mapping[int, Mapping[str, Term]]  # by the `at` of calls: values of logical variables


class CallEffects:
    """Applies the contracts of called functions to symbolic memory."""

    def __init__(self, memory: Memory, functions: Mapping[str, kc.Procedure], lemma_arguments: LemmaArguments) -> None:
        self.memory, self.tools = memory, memory.tools
        self.functions, self.lemma_arguments = functions, lemma_arguments

    def call(self, i: kc.Invoke, w: World) -> None:
        """Apply the contract of the called function."""
        f = self.functions[i.function]
        contract = f.contract
        sub, views = call_arguments(f, i, w.value)
        bind_lemma_arguments(contract.variables, self.lemma_arguments.get(i.at, {}), sub, w.value)

        def read(base: str, index: Terms) -> Term:
            return self.memory.read(w.content(base), index, w.facts)

        sub.update((x, w.env[x]) for x in ANY_LAUNCH if x in w.env)
        bind_solved_variables(f, sub, w.facts)
        for claim in contract.pre:
            bind_variables(self.tools, claim, views, sub, contract.variables, read)
        for x in contract.variables:
            sub.setdefault(x, self.tools.opaque(x.sort))
        if contract.result is not None:
            result = sub[contract.result] = self.tools.opaque(contract.result.sort)
            equations = (solved(k.substitute(p, sub), result, w.facts) for p in contract.ensures)
            result = sub[contract.result] = next((v for v in equations if v is not None), result)
            if i.target is not None:
                w.env[i.target] = result
        posts: list[Update] = []
        for claim in contract.post:
            c = seen_through(claim.substitute(sub), views)
            initialised = c.contents != UNINIT
            value = c.value if initialised else None
            posts.append(Update(c.cells, value or self.tools.opaque(w.content(c.cells.base).sort), i.at, initialised))
        taken = [seen_through(c.substitute(sub), views).cells for c in contract.pre if c.share == FULL]
        for u in self._merged(taken, posts, w):
            self.memory.write(u.cells.base, u, w)
        w.facts = w.facts.assume(*(k.substitute(p, sub) for p in contract.ensures))
        if contract.result is not None and i.target is not None:
            w.env[i.target] = w.facts.simplify(w.env[i.target])

    def _merged(self, taken: list[Cells], posts: list[Update], w: World) -> list[Update]:
        """Merge what a call leaves in several parts of cells that it took as one, into one update.

        Parts without a known value count as uninitialised: every cell of a family has a known value, or none has.
        """
        updates = list(posts)
        for cells in taken:
            parts = [u for u in updates if u.cells.base == cells.base]
            if len(parts) < 2:
                continue
            xs = self.tools.temporaries(cells.arity)
            inside = w.facts.assume(cells.domain(xs))
            members = [u.member(self.tools, cells.at(xs), inside) for u in parts]
            if any(m is None for m in members):
                continue
            init, value = k.FALSE, self.tools.opaque(parts[0].value.sort)
            for member, u in zip(members, parts):
                assert member is not None
                condition = inside.simplify(member[0])
                if u.written and not is_opaque(u.value):
                    value = member[1] if init is k.FALSE else k.ite(condition, member[1], value)
                    init = k.or_(init, condition)
            whole = Update(cells, k.abstract(value, xs), parts[0].at, True, k.abstract(inside.simplify(init), xs))
            updates = [u for u in updates if u not in parts] + [whole]
        return updates


def call_arguments(f: kc.Procedure, i: kc.Invoke, value: ValueOf) -> tuple[dict[Term, Term], dict[str, kc.ArrayView]]:
    """Bind a function's scalar parameters to values, and its pointer parameters to views of arrays."""
    sub: dict[Term, Term] = {}
    views: dict[str, kc.ArrayView] = {}
    for p, a in zip(f.params, i.args):
        if isinstance(a, kc.ArrayView):
            views[p.name] = kc.ArrayView(a.base, tuple(value(t) for t in a.lead), value(a.shift))
        else:
            sub[k.var(p.name, p.sort)] = value(a)
    return sub, views


def bind_lemma_arguments(
    variables: Terms, lemma_arguments: Mapping[str, Term], sub: dict[Term, Term], value: ValueOf
) -> None:
    """Bind the logical variables whose values the user wrote at the use of a lemma."""
    sub.update((x, value(lemma_arguments[str(x.data)])) for x in variables if str(x.data) in lemma_arguments)


def bind_variables(
    tools: SearchTools,
    claim: CellClaim,
    views: dict[str, kc.ArrayView],
    sub: dict[Term, Term],
    variables: Terms,
    read: ReadCell,
) -> None:
    """Bind logical variables by matching: a claim that cells hold R(b) makes R the contents of those cells."""
    value = claim.value
    if value is None:
        return
    n = claim.cells.arity
    if value.op == "var" and value in variables and value not in sub and n == 0:
        c = seen_through(claim.substitute(sub), views)
        sub[value] = read(c.cells.base, c.cells.index)
    elif value.op == "app" and value.args[0] in variables and value.args[0] not in sub:
        f, args = value.args[0], value.args[1:]
        if sorted(a.data for a in args if a.op == "bound") == list(range(n)) and len(args) == n:
            c = seen_through(claim.substitute(sub), views)
            xs = tools.temporaries(n, "m")
            order = [args.index(b) for b in arguments(n)]  # binder i is argument order[i]
            binders = tuple(xs[order[i]] for i in range(n))
            sub[f] = k.lam(xs, read(c.cells.base, c.cells.at(binders)))


def bind_solved_variables(f: kc.Procedure, sub: dict[Term, Term], facts: Facts) -> None:
    """Bind the integer variables that an equation of the precondition determines: `n == 32 * w` gives w."""
    for x in f.contract.variables:
        value = _solution(x, f, sub, facts) if x not in sub and x.sort is k.INT else None
        if value is not None:
            sub[x] = value


def _solution(x: Term, f: kc.Procedure, sub: dict[Term, Term], facts: Facts) -> Term | None:
    """The value of x by an equation, in which the other variables have values. Variables of the caller may have the same names."""
    open_ = {v: k.placeholder("open", n, v.sort) for n, v in enumerate(f.contract.variables) if v not in sub}
    for p in f.contract.requires:
        t = k.substitute(p, {**sub, **open_})
        if t.free & set(open_.values()) == {open_[x]} and (value := solved(t, open_[x], facts)) is not None:
            return value
    return None


def solved(p: Term, x: Term, facts: Facts) -> Term | None:
    """The value of x by an equation of integers: `n == 32 * x` gives n / 32."""
    c = k.coefficients(p.args[0]).get((x,), 0) if p.op == "eq" and x.sort is k.INT and x in p.free else 0
    rest = k.sub(p.args[0], k.scale(c, x)) if c else None
    if rest is None or x in rest.free:
        return None
    return facts.simplify(k.fdiv(k.scale(-1 if c > 0 else 1, rest), k.num(abs(c))))
