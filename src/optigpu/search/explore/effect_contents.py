"""What the effects of a loop say of its cells: their contents at the start of iteration v, and after the loop."""

from __future__ import annotations

from typing import assert_never

from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Terms, arguments, outermost, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.explore.accumulation import Accumulator, accumulated_value, at_cells
from optigpu.search.explore.loop_effects import (
    Accumulation,
    DeclaredInvariant,
    Effect,
    LoopSummary,
    OwnCells,
    RotatingBuffer,
    Scratch,
    UnknownEffect,
)
from optigpu.search.explore.symbolic_memory import Unexplorable, Update
from optigpu.search.fresh_names import WHOLE_EXTENT
from optigpu.search.search_causes import Obstacle
from optigpu.search.search_tools import SearchTools


class EffectContents:
    """Computes the contents of cells from the effects of one loop."""

    def __init__(self, tools: SearchTools, summary: LoopSummary) -> None:
        self.tools, self.summary = tools, summary

    # At the start of iteration v

    def value_at_start(self, effect: Effect, cell: Terms, entry: Term, facts: Facts) -> Term:
        """Compute what the cell holds at the start of iteration v, if it held `entry` before the loop."""
        value = entry
        for u in effect.updates:
            value = self._value_at_start(effect, u, cell, value, facts)
        return value

    def _value_at_start(self, effect: Effect, u: Update, cell: Terms, entry: Term, facts: Facts) -> Term:
        v, low = self.summary.v, self.summary.range.low
        match effect:
            case OwnCells():
                if not effect.read_later:
                    return entry
                at, written = self._written_earlier(u, cell, facts)
                return k.ite(written, instantiate(outermost(u.value, v, u.cells.arity), at), entry)
            case Accumulation():
                at, inside = self._located(u, cell, facts)
                return k.ite(inside, instantiate(self._accumulated(effect.accumulator, u, v), at), entry)
            case DeclaredInvariant():
                at, inside = self._located(u, cell, facts)
                return k.ite(inside, instantiate(u.value, at), entry)
            case RotatingBuffer():
                _, writer = last_writer(u, cell, v)
                at, inside = self._located(replace(writer, cells=replace(writer.cells, where=TRUE)), cell, facts)
                return k.ite(inside, instantiate(writer.value, at), entry)
            case Scratch():
                at, inside = self._located(u, cell, facts)
                last = k.substitute(instantiate(u.value, at), {v: k.sub(v, k.ONE)})
                return k.ite(k.and_(inside, k.lt(low, v)), last, entry)
            case UnknownEffect():
                return entry
            case _:
                assert_never(effect)

    def init_at_start(self, effect: Effect, cell: Terms, entry: Term, facts: Facts) -> Term:
        """Is the cell initialised at the start of iteration v? `entry`: whether it was before the loop."""
        v, low = self.summary.v, self.summary.range.low
        init = entry
        for u in effect.updates:
            match effect:
                case Scratch():
                    at, inside = self._located(u, cell, facts)
                    last_init = k.substitute(instantiate(u.init, at), {v: k.sub(v, k.ONE)})
                    init = k.ite(k.and_(inside, k.lt(low, v)), last_init, init)
                case RotatingBuffer():
                    last, writer = last_writer(u, cell, v)
                    _, inside = self._located(writer, cell, facts)
                    init = k.ite(k.le(low, last), inside, init)
                case DeclaredInvariant():
                    _, inside = self._located(u, cell, facts)
                    init = k.ite(inside, TRUE if u.written else k.FALSE, init)
                case OwnCells():
                    _, written = self._written_earlier(u, cell, facts) if effect.read_later else ((), k.FALSE)
                    init = k.or_(written, init)
                case Accumulation() | UnknownEffect():
                    pass
                case _:
                    assert_never(effect)
        return init

    def _written_earlier(self, u: Update, cell: Terms, facts: Facts) -> tuple[Terms, Term]:
        """Return the iteration (with binders) that writes the cell, and the condition that it is one before v."""
        whole = self.summary.of_all_iterations(u.cells)
        at = self.tools.invert(whole, cell, facts)
        if at is None:
            raise Unexplorable(Obstacle.INDEX, u.cells.base)
        return at, k.and_(whole.domain(at), same(whole.at(at), cell), k.lt(at[0], self.summary.v))

    def _located(self, u: Update, cell: Terms, facts: Facts) -> tuple[Terms, Term]:
        """Return the binders at which an update has the cell, and the condition that it has it."""
        if any(WHOLE_EXTENT in t.free for t in terms_of(u.cells)):
            return cell, TRUE
        at = self.tools.invert(u.cells, cell, facts)
        if at is None:
            raise Unexplorable(Obstacle.INDEX, u.cells.base)
        return at, k.and_(u.cells.domain(at), same(u.cells.at(at), cell))

    def _accumulated(self, accumulator: Accumulator, u: Update, end: Term) -> Term:
        """Compute the accumulated value of iterations from low up to `end`, under the binders of the update."""
        summary = self.summary
        entry = summary.entry[u.cells.base].initial(u.cells.index)
        xs = self.tools.temporaries(u.cells.arity, "z")
        summand = k.abstract(instantiate(u.value, xs), (summary.v,))
        total = accumulated_value(at_cells(accumulator, xs), instantiate(entry, xs), summary.range.low, end, summand)
        return k.abstract(total, xs)

    # After the loop

    def updates_of_loop(self, effect: Effect) -> list[Update]:
        """Express the effect of the whole loop as updates of the contents before it."""
        return [self._update_of_loop(effect, u) for u in effect.updates]

    def _update_of_loop(self, effect: Effect, u: Update) -> Update:
        summary, n = self.summary, u.cells.arity
        low, high, v = summary.range.low, summary.range.high, summary.v
        match effect:
            case OwnCells():
                whole = summary.of_all_iterations(u.cells)
                return Update(whole, outermost(u.value, v, n), u.at, init=outermost(u.init, v, n))
            case Accumulation():
                return replace(u, value=self._accumulated(effect.accumulator, u, high))
            case Scratch():
                last = u.substitute({v: k.sub(high, k.ONE)})
                some_iteration = k.shift(k.lt(low, high), n)
                cells = replace(last.cells, where=k.and_(some_iteration, last.cells.where))
                return Update(cells, last.value, u.at, init=last.init)
            case DeclaredInvariant():
                end = {v: summary.range.end}
                return Update(u.cells.substitute(end), k.substitute(u.value, end), init=TRUE if u.written else k.FALSE)
            case RotatingBuffer() | UnknownEffect():
                values = self.tools.opaque(k.fun_sort((INT,) * (n + 1), u.value.sort))
                return Update(summary.of_all_iterations(u.cells), k.app(values, *arguments(n + 1)), u.at)
            case _:
                assert_never(effect)

    # Compaction

    def surely_filled(self, effect: UnknownEffect, cell: Terms) -> Term:
        """Have the iterations before v surely written the cell? `b[c] = …; c++;` fills b from the first c on.

        c is an entry value and a sum over the iterations before v, whose summand is 1 (or -1) where the cell is written, else 0.
        """
        v, low = self.summary.v, self.summary.range.low
        u = effect.updates[0]
        moving = [n for n, e in enumerate(u.cells.index) if v in e.free]
        if len(effect.updates) > 1 or u.cells.arity or len(moving) != 1 or not u.written:
            return k.FALSE
        (at,) = moving
        e = u.cells.index[at]
        counts = [
            (m[0], c) for m, c in k.coefficients(e).items() if len(m) == 1 and m[0].op == "sum" and m[0].args[1] is v
        ]
        if len(counts) != 1 or counts[0][1] not in (1, -1) or counts[0][0].args[0] is not low:
            return k.FALSE
        total, sign = counts[0]
        summand = instantiate(total.args[2], (v,))
        step = k.ite(u.cells.where, k.ONE, k.ZERO)
        if v in k.sub(e, k.scale(sign, total)).free:
            return k.FALSE
        way = next((d for d in (1, -1) if self.tools.proves(self.summary.facts, k.eq(summand, k.scale(d, step)))), 0)
        if way == 0:
            return k.FALSE
        first = k.substitute(e, {v: low})
        upwards = k.and_(k.le(first, cell[at]), k.lt(cell[at], e))
        between = upwards if sign == way else k.and_(k.lt(e, cell[at]), k.le(cell[at], first))
        return k.and_(between, *(k.eq(x, t) for n, (x, t) in enumerate(zip(cell, u.cells.index)) if n != at))


def last_writer(u: Update, cell: Terms, v: Term) -> tuple[Term, Update]:
    """Return the last iteration before v that wrote the cell's slot of a rotating buffer, and its update."""
    slot = rotating_slot(u, v)
    assert slot is not None
    at, size, shift = slot
    before = k.sub(v, k.ONE)
    last = k.sub(before, k.fmod(k.sub(k.add(before, shift), cell[at]), size))
    return last, u.substitute({v: last})


def rotating_slot(u: Update, v: Term) -> tuple[int, Term, Term] | None:
    """Return (position, m, c) if the index at that position is (v + c) mod m and no other part of the cells depends on v."""
    moving = [n for n, e in enumerate(u.cells.index) if v in e.free]
    if len(moving) != 1 or any(v in t.free for r in u.cells.ranges for t in r):
        return None
    e = u.cells.index[moving[0]]
    for a in k.subterms(e):
        if a.op == "fdiv" and k.is_num(a.args[1]) and e is k.fmod(*a.args) and k.is_num(k.sub(a.args[0], v)):
            return moving[0], a.args[1], k.sub(a.args[0], v)
    return None
