"""Tree reductions: `for (h = P/2; h > 0; h >>= 1) { barrier; thread for t: if (t < h) s[t] += s[t + h]; }`.

The loop is unrolled. After the step h the contents are restated: s[t] is the sum of the entry values at t, t + h, t + 2h, … for
t < h. That keeps values small, and leaves a sum over the whole array in s[0]. The same for maxima and minima.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from optigpu.kernel import instructions as kc
from optigpu.kernel.side_conditions import terms_of
from optigpu.logic import terms as k
from optigpu.logic.cells import CellFamily, Cells, Terms, arguments, over, same
from optigpu.logic.equality import EqualityStep, EqualitySteps, Reindex, Split
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term
from optigpu.search.equalities.sum_terms import abstract_step
from optigpu.search.explore.accumulation import Monoid, difference, other_of_maximum
from optigpu.search.explore.symbolic_memory import (
    Content,
    Memory,
    SharedCells,
    Unexplorable,
    Update,
    World,
    unknown_contents,
)
from optigpu.search.search_tools import SearchTools

RunCode: TypeAlias = Callable[[kc.Instructions, World], None]


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree reduction: the array, the operation, the cell that t stands for, the steps h."""

    base: str
    monoid: Monoid  # a sum, a maximum or a minimum
    fixed: Terms  # indices before the one that the tree is over
    rest: Terms  # and after it
    offset: Term
    steps: tuple[int, ...]
    scratch: tuple[Update, ...] = ()  # what else is written in each step
    reads: tuple[Cells, ...] = ()  # what is read in all of them

    @property
    def size(self) -> int:
        """The number of cells."""
        return 2 * self.steps[0]

    def cell(self, t: Term) -> Terms:
        return (*self.fixed, k.add(self.offset, t), *self.rest)

    def total(self, size: int, body: Term) -> Term:
        """Combine so many values, at least one: `body` is under the number of the value."""
        if self.monoid is Monoid.SUM:
            return k.big("sum", ZERO, k.num(size), body)
        sign = -1 if self.monoid is Monoid.MINIMUM else 1
        values = k.scale(sign, body)
        return k.scale(sign, k.big("fold_max", ZERO, k.num(size), values, k.instantiate(values, (ZERO,))))


def find_tree(tools: SearchTools, run: RunCode, loop: kc.CountedLoop, w: World, values: list[int]) -> Tree | None:
    """Recognise a tree reduction by what its body does for a symbolic h."""
    if not values or values[-1] != 1 or any(a != 2 * b for a, b in pairwise(values)):
        return None
    h = tools.temporaries(1, "h")[0]
    facts = w.facts.assume(k.le(ONE, h), k.le(h, k.num(values[0])))
    at_start = unknown_contents(tools, w.contents)
    inner = World(facts, {**w.env, loop.index: h}, dict(at_start), outer=frozenset(at_start))
    try:
        run(loop.body, inner)
    except (Unexplorable, SharedCells):
        return None
    written = {b: c for b, c in inner.contents.items() if b in at_start and c.updates}
    for base, content in written.items():
        scratch = tuple(u for b, c in written.items() if b != base for u in c.updates)
        if len(content.updates) != 1 or content.updates[0].cells.arity != 1:
            continue
        tree = _tree_of(tools, base, content, h, facts, tuple(values))
        if tree is not None and not any(h in t.free for u in scratch for t in terms_of(u.cells)):
            reads = tuple(_in_all_steps(c, h, values) for c in inner.reads if c.base in at_start)
            return replace(tree, scratch=scratch, reads=reads)
    return None


def _in_all_steps(c: Cells, h: Term, values: list[int]) -> Cells:
    return over(c, h, ONE, k.num(values[0] + 1)) if any(h in t.free for t in terms_of(c)) else c


def _tree_of(
    tools: SearchTools, base: str, content: Content, h: Term, facts: Facts, values: tuple[int, ...]
) -> Tree | None:
    """Recognise the update `s[t] = s[t] (op) s[t + h]`."""
    u = content.updates[0]
    (x,) = tools.temporaries(1)
    inside = facts.assume(u.cells.domain((x,)))
    index = u.cells.at((x,))
    value = inside.simplify(k.instantiate(u.value, (x,)))
    combination = _combination(value, inside.simplify(content.initial(index)))
    if combination is None:
        return None
    monoid, other = combination
    if other.op != "app" or other.args[0] is not content.start:
        return None
    moved = [i for i, (a, b) in enumerate(zip(index, other.args[1:])) if a is not b]
    if len(moved) != 1 or k.sub(other.args[1 + moved[0]], index[moved[0]]) is not h:
        return None
    d = moved[0]
    fixed, rest = index[:d], index[d + 1 :]
    offset = k.sub(index[d], x)
    if any(x in t.free or h in t.free for t in (*fixed, *rest, offset)):
        return None
    return Tree(base, monoid, fixed, rest, offset, values)


def _combination(value: Term, old: Term) -> tuple[Monoid, Term] | None:
    """Return the operation and the other operand, if the value combines the old one with another."""
    summand = difference(value, old)
    if summand is not None:
        return Monoid.SUM, summand
    greatest = other_of_maximum(value, old)
    if greatest is not None:
        return Monoid.MAXIMUM, greatest
    least = other_of_maximum(k.neg(value), k.neg(old))
    return None if least is None else (Monoid.MINIMUM, k.neg(least))


def apply_tree(tools: SearchTools, memory: Memory, tree: Tree, w: World, at: int) -> None:
    """Apply the loop in an exploration: the first cell holds the total, the others count as uninitialised."""
    before = w.content(tree.base)
    w.reads += tree.reads
    (j,) = tools.temporaries(1, "j")
    inside = w.facts.assume(k.le(ZERO, j), k.lt(j, k.num(tree.size)))
    body = k.abstract(memory.read(before, tree.cell(j), inside), (j,))
    for u in tree.scratch:
        n, sort = u.cells.arity, u.value.sort
        values = tools.opaque(k.fun_sort((INT,) * n, sort) if n else sort)
        memory.write(u.cells.base, Update(u.cells, k.app(values, *arguments(n)) if n else values, u.at), w)
    cells = Cells(tree.base, ((ZERO, k.num(tree.size)),), TRUE, tuple(k.abstract(t, (j,)) for t in tree.cell(j)))
    total = tree.total(tree.size, body)
    memory.write(tree.base, Update(cells, k.shift(total, 1), at, init=k.eq(k.bound(0, INT), ZERO)), w)


def contents_after_step(
    tools: SearchTools, tree: Tree, h: int, entry: CellFamily, now: CellFamily, facts: Facts
) -> tuple[Term, Term] | None:
    """Compute (init, value) of the family after the step h, under its binders, from the contents at entry."""
    ys = tools.temporaries(now.cells.arity)
    inside = facts.assume(now.cells.domain(ys))
    index = now.cells.at(ys)
    d = len(tree.fixed)
    t = k.sub(index[d], tree.offset)
    (j,) = tools.temporaries(1, "j")
    origin = tools.invert(entry.cells, (*index[:d], k.add(index[d], k.scale(h, j)), *index[d + 1 :]), inside)
    if origin is None:
        return None
    among = k.and_(same((*index[:d], *index[d + 1 :]), (*tree.fixed, *tree.rest)), k.le(ZERO, t))
    among = inside.simplify(k.and_(among, k.lt(t, k.num(tree.size))))
    total = tree.total(tree.size // h, k.abstract(entry.value_at(origin), (j,)))
    value = k.ite(among, total, now.value_at(ys))
    init = k.ite(among, k.lt(t, k.num(h)), TRUE)
    return k.abstract(init, ys), k.abstract(value, ys)


def halved_indices(at: Terms, arity: int) -> list[Terms]:
    """Guess where the term j of a maximum is, when the terms are split into those of even and of odd number, or merged."""
    if arity == len(at) + 1:
        return [(k.num(j), *at) for j in range(4)]
    if arity == len(at) > 0:
        j, rest = at[0], at[1:]
        return [at, *((x, *rest) for x in (k.scale(2, j), k.add(k.scale(2, j), ONE), k.fdiv(j, k.num(2))))]
    return [at[len(at) - arity :]] if arity < len(at) else [()] if arity == 0 else []


def halving_steps(tools: SearchTools, tree: Tree, h: int, want: CellFamily, facts: Facts) -> EqualitySteps:
    """Split a sum over j in 0..2m into the sums over even and over odd j."""
    xs = tools.temporaries(want.cells.arity)
    inside = facts.assume(want.cells.domain(xs), want.init_at(xs))
    value = inside.simplify(want.value_at(xs))
    count = tree.size // h
    steps: list[EqualityStep] = []
    for u in dict.fromkeys(a for m in k.coefficients(value) for a in m if a.op == "sum"):
        low, high, body = u.args
        if low is not ZERO or high is not k.num(count):
            continue
        if count == 2:
            steps.append(Split(u, ONE))
            continue
        r, q, y = tools.temporaries(3, "r")
        part = k.abstract(k.instantiate(body, (k.add(k.scale(2, q), r),)), (q,))
        new = k.big("sum", ZERO, k.num(2), k.abstract(k.big("sum", ZERO, k.num(count // 2), part), (r,)))
        two = k.num(2)
        forward = (k.abstract(k.fmod(y, two), (y,)), k.abstract(k.fdiv(y, two), (y,)))
        steps.append(Reindex(u, new, forward, (k.abstract(k.add(k.scale(2, q), r), (r, q)),)))
        steps.append(Split(new, ONE))
    return tuple(abstract_step(tools, s, xs) for s in steps)
