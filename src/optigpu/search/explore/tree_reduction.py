"""Tree reductions: `for (h = P/2; h > 0; h >>= 1) { barrier; thread for t: if (t < h) s[t] += s[t + h]; }`.

The distance h is the index of the loop, or a term of it such as `1 << (i - 1)`. The loop is unrolled. After the step h the contents
are restated: s[t] is the sum of the entry values at t, t + h, t + 2h, … for t < h. That keeps values small, and leaves a sum over
the whole array in s[0]. The same for maxima and minima.

A register may accumulate beside the array: `s[t] = x[t] = x[t] + s[t + h]`. Then the entry values below the first h are those of x.

A loop of symbolically many steps h = 1 << e gets an invariant: before the step h, s[t] is the sum of the entry values at t, t + 2h,
t + 4h, … for t < 2h, and nothing is said of the cells above.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

from optigpu.kernel import instructions as kc
from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import CellFamily, Cells, Terms, arguments, over, same
from optigpu.logic.equality import EqualityStep, EqualitySteps, Reindex, Split
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term
from optigpu.search.equalities.sum_terms import abstract_step
from optigpu.search.explore.accumulation import Monoid, difference, other_of_maximum
from optigpu.search.explore.loop_effects import DeclaredInvariant, Effect, LoopSummary
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
class TreeArray:
    """An array that a tree reduction works on, and which of its cells t stands for."""

    base: str
    fixed: Terms  # indices before the one that the tree is over
    rest: Terms  # and after it
    offset: Term

    def cell(self, t: Term) -> Terms:
        return (*self.fixed, k.add(self.offset, t), *self.rest)


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree reduction: the array, the operation, the steps h."""

    array: TreeArray
    register: TreeArray | None  # accumulates the same values
    monoid: Monoid  # a sum, a maximum or a minimum
    steps: tuple[int, ...]
    values: tuple[tuple[Term, int], ...] = ()  # of the index in each step: the variable of the exploration, the number
    scratch: tuple[Update, ...] = ()  # what else is written in each step
    reads: tuple[Cells, ...] = ()  # what is read in all of them

    @property
    def size(self) -> int:
        """The number of cells."""
        return 2 * self.steps[0]

    @property
    def arrays(self) -> tuple[TreeArray, ...]:
        return (self.array,) if self.register is None else (self.array, self.register)

    def entry_value(self, t: Term, value: Callable[[TreeArray, Term], Term | None]) -> Term | None:
        """Compute the value number t that the tree combines, from values of cells at its entry."""
        here = value(self.array, t)
        if self.register is None or here is None:
            return here
        own = value(self.register, t)
        return None if own is None else k.ite(k.lt(t, k.num(self.steps[0])), own, here)


def total(monoid: Monoid, count: Term, body: Term) -> Term:
    """Combine so many values, at least one: `body` is under the number of the value."""
    if monoid is Monoid.SUM:
        return k.big("sum", ZERO, count, body)
    sign = -1 if monoid is Monoid.MINIMUM else 1
    values = k.scale(sign, body)
    return k.scale(sign, k.big("fold_max", ZERO, count, values, k.instantiate(values, (ZERO,))))


def find_tree(tools: SearchTools, run: RunCode, loop: kc.CountedLoop, w: World, values: list[int]) -> Tree | None:
    """Recognise a tree reduction by what its body does for a symbolic index with these values."""
    if not values:
        return None
    with tools.names.inside_loop():
        return _find_tree(tools, run, loop, w, values)


def _find_tree(tools: SearchTools, run: RunCode, loop: kc.CountedLoop, w: World, values: list[int]) -> Tree | None:
    i = tools.temporaries(1, "h")[0]
    facts = w.facts.assume(k.le(k.num(min(values)), i), k.le(i, k.num(max(values))))
    at_start = unknown_contents(tools, w.contents)
    inner = World(facts, {**w.env, loop.index: i}, dict(at_start), outer=frozenset(at_start))
    try:
        run(loop.body, inner)
    except (Unexplorable, SharedCells):
        return None
    written = {b: c for b, c in inner.contents.items() if b in at_start and c.updates}
    for base in written:
        tree = _tree_of(tools, base, written, i, facts, values)
        if tree is None:
            continue
        others = written.keys() - {a.base for a in tree.arrays}
        scratch = tuple(u for b, c in written.items() if b in others for u in c.updates)
        if not any(i in t.free for u in scratch for t in terms_of(u.cells)):
            reads = tuple(_in_all_steps(c, i, values) for c in inner.reads if c.base in at_start)
            return replace(tree, values=tuple((i, v) for v in values), scratch=scratch, reads=reads)
    return None


def _in_all_steps(c: Cells, i: Term, values: list[int]) -> Cells:
    return over(c, i, k.num(min(values)), k.num(max(values) + 1)) if any(i in t.free for t in terms_of(c)) else c


@dataclass(frozen=True, slots=True)
class TreeStep:
    """One step of a tree reduction: the arrays, the operation, the distance of the cells that are combined."""

    array: TreeArray
    register: TreeArray | None
    monoid: Monoid
    distance: Term


def _tree_of(
    tools: SearchTools, base: str, written: dict[str, Content], i: Term, facts: Facts, values: list[int]
) -> Tree | None:
    """Recognise a tree reduction whose distances are known numbers."""
    step = _step_of(tools, base, written, i, facts)
    steps = None if step is None else _halvings(step.distance, i, values)
    return None if step is None or steps is None else Tree(step.array, step.register, step.monoid, steps)


def _step_of(tools: SearchTools, base: str, written: dict[str, Content], i: Term, facts: Facts) -> TreeStep | None:
    """Recognise the update `s[t] = s[t] (op) s[t + h]`, or `s[t] = x[t] = x[t] (op) s[t + h]`, in an iteration i."""
    content = written[base]
    u = content.updates[0]
    if len(content.updates) != 1 or u.cells.arity != 1:
        return None
    (x,) = tools.temporaries(1)
    inside = facts.assume(u.cells.domain((x,)))
    index, value = u.cells.at((x,)), inside.simplify(k.instantiate(u.value, (x,)))
    for accumulator in (base, *(b for b in written if b != base and _accumulates_too(written[b], u))):
        own = written[accumulator]
        cell = own.updates[0].cells.at((x,))
        combination = _combination(value, inside.simplify(own.initial(cell)))
        if combination is None or combination[1].op != "app" or combination[1].args[0] is not content.start:
            continue
        other = combination[1].args[1:]
        moved = [n for n, (a, b) in enumerate(zip(index, other)) if a is not b]
        array, register = _along(base, index, x, i), _along(accumulator, cell, x, i)
        if len(moved) != 1 or array is None or register is None or len(array.fixed) != moved[0]:
            continue
        distance = k.sub(other[moved[0]], index[moved[0]])
        return TreeStep(array, register if accumulator != base else None, combination[0], distance)
    return None


def _accumulates_too(content: Content, u: Update) -> bool:
    """Does the array get the values of the update, for the same t?"""
    same_values = len(content.updates) == 1 and content.updates[0].value is u.value
    return same_values and replace(content.updates[0].cells, base=u.cells.base, index=u.cells.index) == u.cells


def _halvings(distance: Term, i: Term, values: list[int]) -> tuple[int, ...] | None:
    """Evaluate the distance at the values of the loop's index, if each is half of the one before and the last is 1."""
    steps = [k.substitute(distance, {i: k.num(v)}) for v in values]
    if not all(k.is_num(h) for h in steps) or steps[-1] is not ONE:
        return None
    return None if any(a.data != 2 * b.data for a, b in pairwise(steps)) else tuple(h.data for h in steps)


def _along(base: str, index: Terms, x: Term, i: Term) -> TreeArray | None:
    """Find the index that x moves along, `offset + x`; the others do not change in the loop."""
    moving = [n for n, e in enumerate(index) if x in e.free]
    if len(moving) != 1:
        return None
    fixed, rest, offset = index[: moving[0]], index[moving[0] + 1 :], k.sub(index[moving[0]], x)
    if any(x in t.free or i in t.free for t in (*fixed, *rest, offset)):
        return None
    return TreeArray(base, fixed, rest, offset)


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


def tree_invariants(tools: SearchTools, summary: LoopSummary, written: dict[str, Content]) -> dict[str, Effect]:
    """Find the invariants of a tree of sums with symbolically many steps, by the array.

    `written`: the contents at the end of an iteration.
    """
    v, low, high = summary.v, summary.range.low, summary.range.high
    for base in written:
        step = _step_of(tools, base, written, v, summary.facts)
        width = None if step is None else _twice(step.distance)  # the cells that are still in use, at the start of v
        if step is None or width is None or step.monoid is not Monoid.SUM:
            continue
        here, before, after = width, k.substitute(width, {v: low}), k.substitute(width, {v: k.add(v, ONE)})
        more = summary.facts.assume(k.lt(k.add(v, ONE), high))
        if after is before or not tools.proves(more, k.eq(here, k.scale(2, after))):
            continue
        count = k.pow2(k.sub(before.args[0], here.args[0]))
        (t, j) = tools.temporaries(2, "j")
        origin = summary.entry[base].initial(step.array.cell(k.add(t, k.mul(j, here))))
        value = k.abstract(k.big("sum", ZERO, count, k.abstract(origin, (j,))), (t,))
        opaque = tools.opaque(summary.entry[base].sort)
        effects: dict[str, Effect] = {}
        for a in (step.array, step.register) if step.register is not None else (step.array,):
            index = tuple(k.abstract(e, (t,)) for e in a.cell(t))
            used = Update(Cells(a.base, ((ZERO, here),), TRUE, index), value)
            effects[a.base] = DeclaredInvariant(
                a.base, (used, Update(Cells(a.base, ((here, before),), TRUE, index), opaque))
            )
        return effects
    return {}


def _twice(distance: Term) -> Term | None:
    """Double a power of two that is not a number, as one power: 2 * (1 << e) is 1 << (e + 1)."""
    ((m, c),) = k.coefficients(distance).items() if len(k.coefficients(distance)) == 1 else (((), 0),)
    if len(m) != 1 or m[0].op != "pow2" or c < 1 or c & (c - 1):
        return None
    return k.pow2(k.add(m[0].args[0], k.num(int(c).bit_length())))


def apply_tree(tools: SearchTools, memory: Memory, tree: Tree, w: World, at: int) -> None:
    """Apply the loop in an exploration: the first cell holds the total, the others count as uninitialised."""
    w.reads += tree.reads
    (j,) = tools.temporaries(1, "j")
    inside = w.facts.assume(k.le(ZERO, j), k.lt(j, k.num(tree.size)))
    entry = tree.entry_value(j, lambda a, t: memory.read(w.content(a.base), a.cell(t), inside))
    assert entry is not None
    for u in tree.scratch:
        n, sort = u.cells.arity, u.value.sort
        values = tools.opaque(k.fun_sort((INT,) * n, sort) if n else sort)
        memory.write(u.cells.base, Update(u.cells, k.app(values, *arguments(n)) if n else values, u.at), w)
    combined = k.shift(total(tree.monoid, k.num(tree.size), k.abstract(entry, (j,))), 1)
    for a in tree.arrays:
        cells = Cells(a.base, ((ZERO, k.num(tree.size)),), TRUE, tuple(k.abstract(t, (j,)) for t in a.cell(j)))
        memory.write(a.base, Update(cells, combined, at, init=k.eq(k.bound(0, INT), ZERO)), w)


def contents_after_step(
    tools: SearchTools,
    tree: Tree,
    array: TreeArray,
    h: int,
    entry: dict[str, CellFamily],
    now: CellFamily,
    facts: Facts,
) -> tuple[Term, Term] | None:
    """Compute (init, value) of the array's family after the step h, under its binders, from the contents at entry."""
    ys = tools.temporaries(now.cells.arity)
    inside = facts.assume(now.cells.domain(ys))
    index = now.cells.at(ys)
    d = len(array.fixed)
    t = k.sub(index[d], array.offset)
    (j,) = tools.temporaries(1, "j")
    among = k.and_(same((*index[:d], *index[d + 1 :]), (*array.fixed, *array.rest)), k.le(ZERO, t))
    among = inside.simplify(k.and_(among, k.lt(t, k.num(tree.size))))

    def value_of(a: TreeArray, number: Term) -> Term | None:
        cell = a.cell(number) if a is not array else (*index[:d], k.add(a.offset, number), *index[d + 1 :])
        origin = tools.invert(entry[a.base].cells, cell, inside)
        return None if origin is None else entry[a.base].value_at(origin)

    combined = tree.entry_value(k.add(t, k.scale(h, j)), value_of)
    if combined is None:
        return None
    value = total(tree.monoid, k.num(tree.size // h), k.abstract(combined, (j,)))
    value = k.ite(among, value, now.value_at(ys))
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
