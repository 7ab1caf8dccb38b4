"""Contents of an array after an `if`: the updates of both branches as updates under conditions.

`if (t) a[i] = 1; else a[i] = 2;` is one update of a[i] with `t ? 1 : 2`; a cell that one branch writes alone is written under its
condition, or keeps its value under the other one.
"""

from __future__ import annotations

from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Terms, single
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.explore.symbolic_memory import Content, Memory, Update, World
from optigpu.search.fresh_names import mentions_opaque


@dataclass(frozen=True, slots=True)
class _Branch:
    condition: Term
    facts: Facts
    updates: tuple[Update, ...]


def joined_content(memory: Memory, base: str, before: World, test: Term, yes: World, no: World) -> Content:
    """Join the contents of an array after two branches; `before` is the state at the test."""
    content, then, other = before.contents[base], yes.contents[base], no.contents[base]
    if then.updates == other.updates:
        return then
    if content.rank == 0:
        values = memory.read(then, (), yes.facts), memory.read(other, (), no.facts)
        return replace(content, updates=(Update(single(base, ()), _joined_number(test, *values, yes.facts, no.facts)),))
    unchanged = [u for u in content.updates if u in then.updates and u in other.updates]
    accessed = {index for name, index in before.touched if name == base}
    if_true = _Branch(test, yes.facts, _renamed(then, other, accessed, yes.facts))
    if_false = _Branch(k.not_(test), no.facts, _renamed(other, then, accessed, no.facts))
    new: list[Update] = []
    for branch, sibling in ((if_true, if_false), (if_false, if_true)):
        for u in branch.updates:
            if u in unchanged:
                continue
            twin = next((t for t in sibling.updates if t.cells == u.cells and t not in unchanged), None)
            if twin is None:
                new.append(_conditional(memory, u, content, branch, accessed))
                continue
            made, otherwise = (u, twin) if branch is if_true else (twin, u)
            merged = Update(u.cells, _joined_value(memory, made, otherwise, if_true, if_false))
            if merged not in new:
                new.append(merged)
    return replace(content, updates=(*unchanged, *new))


def _joined_value(memory: Memory, then: Update, other: Update, if_true: _Branch, if_false: _Branch) -> Term:
    """What two branches leave in the same cells: the value of one of them, if it is that of the other one where the other runs.

    `if (4 * b + 3 < n) a[…] = f; else a[…] = 4 * b + i < n ? f : 0;` leaves `4 * b + i < n ? f : 0`.
    """
    cells, xs = then.cells, memory.tools.temporaries(then.cells.arity)
    for here, there, branch in ((then.value, other.value, if_true), (other.value, then.value, if_false)):
        if there.op == "ite":
            inside = branch.facts.assume(cells.domain(xs))
            if inside.simplify(instantiate(there, xs)) is inside.simplify(instantiate(here, xs)):
                return there
    return k.ite(if_true.condition, then.value, other.value)


def _joined_number(test: Term, then: Term, other: Term, if_true: Facts, if_false: Facts) -> Term:
    """What two branches leave in a variable: the value of one of them, if it is that of the other one where the other runs.

    A sum with guards, and without them where all of them hold, is the sum with guards.
    """
    for here, there, facts in ((then, other, if_true), (other, then, if_false)):
        if _same(facts, here, there):
            return there
    return k.ite(test, then, other)


def _same(facts: Facts, a: Term, b: Term) -> bool:
    """Are they simplified to the same term? What numbers have in common is not looked at: many branches may add to it."""
    if a.sort.numeric:
        return k.is_zero(facts.simplify(k.sub(a, b)))
    return facts.simplify(a) is facts.simplify(b)


def _conditional(memory: Memory, u: Update, before: Content, branch: _Branch, accessed: set[Terms]) -> Update:
    """Guard an update that only one branch makes."""
    cells, condition = u.cells, branch.condition
    if cells.arity == 0 and cells.index in accessed:  # a cell that the other branch leaves as it was
        old = memory.read(before, cells.index, branch.facts)
        return Update(cells, k.ite(condition, u.value, old), u.at)
    if mentions_opaque(condition):  # made or not, and no proof can say where: its cells are taken in any case
        b = memory.tools.temporaries(cells.arity)
        old = memory.read(before, cells.at(b), branch.facts.assume(cells.domain(b)))
        return replace(u, value=k.abstract(k.ite(condition, instantiate(u.value, b), old), b), uncertain=True)
    where = k.and_(cells.where, k.shift(condition, cells.arity))
    return replace(u, cells=replace(cells, where=where))


def _renamed(content: Content, sibling: Content, accessed: set[Terms], facts: Facts) -> tuple[Update, ...]:
    """Give cells the index they have outside of the branch, where an equation of the branch simplified it (a[5] for a[i])."""
    indices = accessed | {u.cells.index for u in sibling.updates if u.cells.arity == 0}
    names = {tuple(facts.simplify(t) for t in index): index for index in sorted(indices, key=_index_key)}
    return tuple(
        replace(u, cells=single(u.cells.base, names.get(u.cells.index, u.cells.index)))
        if u.cells.arity == 0 and u.cells.where is TRUE
        else u
        for u in content.updates
    )


def _index_key(index: Terms) -> tuple[int, ...]:
    return tuple(t.key for t in index)
