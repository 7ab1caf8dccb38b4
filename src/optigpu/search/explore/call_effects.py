"""Calls in an exploration: what a function's contract says it leaves in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from optigpu.kernel import instructions as kc
from optigpu.kernel.call_rules import seen_through
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, UNINIT, CellClaim, Cells, Terms, arguments
from optigpu.logic.terms import Term
from optigpu.search.explore.symbolic_memory import Memory, Update, World, is_opaque
from optigpu.search.search_tools import SearchTools

ReadCell: TypeAlias = Callable[[str, Terms], Term]  # from a base and an index: what the cell holds
ValueOf: TypeAlias = Callable[[Term], Term]  # from a term of the program: its value here


class CallEffects:
    def __init__(
        self, memory: Memory, functions: Mapping[str, kc.Procedure], declared: Mapping[int, Mapping[str, Term]]
    ) -> None:
        """`declared`: values that users gave for logical variables, by the `at` of calls."""
        self.memory, self.functions, self.declared = memory, functions, declared

    def call(self, i: kc.Invoke, w: World) -> None:
        f = self.functions[i.function]
        sub, views = call_arguments(f, i, w.value)
        given = self.declared.get(i.at, {})
        sub.update((x, w.value(given[str(x.data)])) for x in f.contract.variables if str(x.data) in given)
        for claim in f.contract.pre:
            bind_variables(
                self.memory.tools,
                claim,
                views,
                sub,
                f.contract.variables,
                lambda base, index: self.memory.read(self.memory.content(base, w), index, w.facts),
            )
        for x in f.contract.variables:
            sub.setdefault(x, self.memory.tools.opaque(x.sort))
        if f.contract.result is not None:
            result = self.memory.tools.opaque(f.contract.result.sort)
            sub[f.contract.result] = result
            if i.target is not None:
                w.env[i.target] = result
        posts = []
        for claim in f.contract.post:
            c = seen_through(claim.substitute(sub), views)
            known = c.contents != UNINIT and c.value is not None
            new = (
                c.value
                if known and c.value is not None
                else self.memory.tools.opaque(self.memory.sort_of(c.cells.base, w))
            )
            posts.append(Update(c.cells, new, i.at, c.contents != UNINIT))
        taken = [seen_through(c.substitute(sub), views).cells for c in f.contract.pre if c.share == FULL]
        for u in self.together(taken, posts, w):
            self.memory.write(u.cells.base, u, w)
        w.facts = w.facts.assume(*(k.substitute(p, sub) for p in f.contract.ensures))
        if f.contract.result is not None and i.target is not None:
            w.env[i.target] = w.facts.simplify(w.env[i.target])

    def together(self, taken: list[Cells], posts: list[Update], w: World) -> list[Update]:
        """What a call leaves in several parts of cells that it took as one: one update of all of them.

        Parts of which nothing is known count as uninitialised: a value is either known in all cells or in none.
        """
        out = list(posts)
        for cells in taken:
            parts = [u for u in out if u.cells.base == cells.base]
            if len(parts) < 2:
                continue
            xs = self.memory.tools.temporaries(cells.arity)
            inside = w.facts.assume(cells.domain(xs))
            found = [u.member(self.memory.tools, cells.at(xs), inside) for u in parts]
            if any(f is None for f in found):
                continue
            init, value = k.FALSE, self.memory.tools.opaque(parts[0].value.sort)
            for f, u in zip(found, parts):
                assert f is not None
                condition, known = inside.simplify(f[0]), u.written and not is_opaque(u.value)
                if known:
                    init, value = k.or_(init, condition), f[1] if init is k.FALSE else k.ite(condition, f[1], value)
            whole = Update(cells, k.abstract(value, xs), parts[0].at, True, k.abstract(inside.simplify(init), xs))
            out = [u for u in out if u not in parts] + [whole]
        return out


def call_arguments(f: kc.Procedure, i: kc.Invoke, value: ValueOf) -> tuple[dict[Term, Term], dict[str, kc.ArrayView]]:
    sub: dict[Term, Term] = {}
    views: dict[str, kc.ArrayView] = {}
    for p, a in zip(f.params, i.args):
        if isinstance(a, kc.ArrayView):
            views[p.name] = kc.ArrayView(a.base, tuple(value(t) for t in a.lead), value(a.shift))
        else:
            sub[k.var(p.name, p.sort)] = value(a)
    return sub, views


def bind_variables(
    tools: SearchTools,
    claim: CellClaim,
    views: dict[str, kc.ArrayView],
    sub: dict[Term, Term],
    variables: Terms,
    read: ReadCell,
) -> None:
    """Find logical variables by matching: a claim that cells hold R(b) makes R the contents of those cells."""
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
