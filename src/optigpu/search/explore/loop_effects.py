"""What a loop does to memory: an effect for each array it writes, and what the effects say of contents."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from optigpu.kernel.iterations import IterationRange
from optigpu.kernel.side_conditions import terms_of
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, arguments, outermost, over, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.explore.accumulation import combine
from optigpu.search.explore.symbolic_memory import Content, Unexplorable, Update
from optigpu.search.ranges import Changed, RangeSearch
from optigpu.search.search_tools import SearchTools


@dataclass(frozen=True, slots=True)
class Effect:
    """What a loop does to one base. Terms are over v and the entry contents; `cells` and `value` are under the binders.

    each: `value` is what iteration v leaves in its own cells; `progressive` if later iterations read them.
    accumulate: at the start of iteration v the cells hold entry (op) the big operator of `value` up to v.
    scratch: at the start of an iteration the cells hold what the one before left (`value` at v - 1), or what they held at entry.
    rotating: iteration v writes slot (v + c) mod m of a buffer. At its start a slot holds what the last iteration that wrote it
      left; what it held at entry stands for iterations before the first one, as a software pipeline's prologue leaves it.
    given: the user says what the cells hold at the start of iteration v.
    unknown: nothing follows.
    """

    kind: str
    base: str
    updates: tuple[Update, ...]
    op: str = ""
    progressive: bool = False
    to: Term | None = None  # latch: what the cells hold once a summand, which is a condition, was true


@dataclass
class LoopSummary:
    v: Term
    range: IterationRange
    entry: dict[str, Content]  # contents at the loop's entry, by name
    effects: dict[str, Effect] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)  # those of the body
    invariants: tuple[Term, ...] = ()  # facts of the user's, under v
    reads: tuple[Cells, ...] = ()  # all cells that an iteration reads
    finals: tuple[
        tuple[str, Term], ...
    ] = ()  # integer variables it changes, with their values at the end of an iteration
    learned: tuple[Term, ...] = ()  # what is known there besides the facts of the body

    def ranges(self, tools: SearchTools, facts: Facts, actual: dict[Term, Term]) -> dict[str, Term]:
        """Laws of the integer variables that the loop changes, as terms under v and the value. See ranges.py.

        `actual`: what the names of entry contents stand for. Of what the loop changes, they name what an iteration starts with.
        """
        if not self.finals:
            return {}
        starts = {b: self.entry[b].start for b in self.effects}
        names = {x: t for x, t in actual.items() if x not in starts.values()}
        changed = {
            b: Changed(starts[b], k.substitute(t, names), actual[starts[b]])
            for b, t in self.finals
            if starts[b] in actual
        }
        inside = facts.assume(k.le(self.range.low, self.v), k.lt(self.v, self.range.high))
        inside = inside.assume(*(k.substitute(p, names) for p in self.learned))
        return RangeSearch(tools, inside, self.v, self.range, changed, starts.values()).laws()


def shared_by_iterations(summary: LoopSummary) -> Effect | None:
    """An effect that threads cannot have side by side: what one reads or writes, another one writes."""
    progressive = [e for e in summary.effects.values() if e.progressive]
    return next((e for e in (*progressive, *summary.effects.values()) if e.progressive or e.kind != "each"), None)


def alike(a: Cells, b: Cells) -> bool:
    """Are these the same cells but for a condition?"""
    return a.ranges == b.ranges and a.index == b.index


def distinct(tools: SearchTools, facts: Facts, cells: Cells) -> bool:
    """Can the binders be read off the cell?"""
    xs = tools.temporaries(cells.arity)
    inside = facts.assume(cells.domain(xs))
    back = tools.invert(cells, cells.at(xs), inside)
    return back is not None and tools.proves(inside, same(back, xs))


def over_all(cells: Cells, summary: LoopSummary) -> Cells:
    """The cells of all iterations: v becomes the first binder."""
    return over(cells, summary.v, summary.range.low, summary.range.high)


def accumulated(tools: SearchTools, effect: Effect, u: Update, summary: LoopSummary, upto: Term) -> Term:
    """entry (op) big operator of the summand from low up to `upto`, under the binders of the update."""
    n = u.cells.arity
    entry = summary.entry[effect.base].initial(u.cells.index)
    xs = tools.temporaries(n, "z")
    body = k.abstract(instantiate(u.value, xs), (summary.v,))
    return k.abstract(combine(effect.op, instantiate(entry, xs), summary.range.low, upto, body, effect.to), xs)


def whole_loop_updates(tools: SearchTools, effect: Effect, summary: LoopSummary) -> list[Update]:
    """The updates of a whole loop."""
    low, high, v = summary.range.low, summary.range.high, summary.v
    out: list[Update] = []
    for u in effect.updates:
        n = u.cells.arity
        match effect.kind:
            case "each":
                init = outermost(u.init, v, n)
                out.append(Update(over_all(u.cells, summary), outermost(u.value, v, n), u.at, init=init))
            case "accumulate":
                out.append(replace(u, value=accumulated(tools, effect, u, summary, high)))
            case "scratch":
                last = {v: k.sub(high, k.ONE)}
                ran = k.shift(k.lt(low, high), n)
                where = k.and_(ran, k.substitute(u.cells.where, last))
                index = tuple(k.substitute(e, last) for e in u.cells.index)
                ranges = tuple((k.substitute(a, last), k.substitute(b, last)) for a, b in u.cells.ranges)
                cells = Cells(u.cells.base, ranges, where, index)
                init = k.substitute(u.init, last)
                out.append(Update(cells, k.substitute(u.value, last), u.at, init=init))
            case "given":
                final = {v: summary.range.end}
                out.append(Update(u.cells.substitute(final), k.substitute(u.value, final)))
            case _:
                f = tools.opaque(k.fun_sort((INT,) * (n + 1), u.value.sort))
                out.append(Update(over_all(u.cells, summary), k.app(f, *arguments(n + 1)), u.at))
    return out


def start_contents(
    tools: SearchTools, effect: Effect, summary: LoopSummary, xs: Terms, entry: Term, facts: Facts
) -> Term:
    """What cell xs holds at the start of iteration v, if it held `entry` before the loop."""
    v, low = summary.v, summary.range.low
    result = entry
    for u in effect.updates:
        match effect.kind:
            case "each":
                if not effect.progressive:
                    continue
                whole = over_all(u.cells, summary)
                at = tools.invert(whole, xs, facts)
                if at is None:
                    raise Unexplorable("index", effect.base)
                written = k.and_(whole.domain(at), same(whole.at(at), xs), k.lt(at[0], v))
                result = k.ite(written, instantiate(outermost(u.value, v, u.cells.arity), at), result)
            case "accumulate":
                at, inside = located(tools, u, xs, facts)
                value = instantiate(accumulated(tools, effect, u, summary, v), at)
                result = k.ite(inside, value, result)
            case "given":
                at, inside = located(tools, u, xs, facts)
                result = k.ite(inside, instantiate(u.value, at), result)
            case "rotating":
                _, earlier = rotation(u, xs, v)
                at, inside = located(tools, replace(earlier, cells=replace(earlier.cells, where=TRUE)), xs, facts)
                result = k.ite(inside, instantiate(earlier.value, at), result)
            case "scratch":
                at, inside = located(tools, u, xs, facts)
                last = k.substitute(instantiate(u.value, at), {v: k.sub(v, k.ONE)})
                result = k.ite(k.and_(inside, k.lt(low, v)), last, result)
            case _:
                pass
    return result


def filled(tools: SearchTools, effect: Effect, summary: LoopSummary, xs: Terms) -> Term:
    """Is cell xs one that the iterations before v have surely written: b[c] = …; c++; fills b from the first c on.

    c is an entry value and a sum over the iterations before v, of a summand that is 1 (or -1) where the cell is written, else 0.
    """
    v, low = summary.v, summary.range.low
    u = effect.updates[0]
    moving = [n for n, e in enumerate(u.cells.index) if v in e.free]
    if len(effect.updates) > 1 or u.cells.arity or len(moving) != 1 or not u.written:
        return k.FALSE
    (at,) = moving
    e = u.cells.index[at]
    counts = [(m[0], c) for m, c in k.coefficients(e).items() if len(m) == 1 and m[0].op == "sum" and m[0].args[1] is v]
    if len(counts) != 1 or counts[0][1] not in (1, -1) or counts[0][0].args[0] is not low:
        return k.FALSE
    total, sign = counts[0]
    summand = instantiate(total.args[2], (v,))
    step = k.ite(u.cells.where, k.ONE, k.ZERO)
    if v in k.sub(e, k.scale(sign, total)).free:
        return k.FALSE
    way = next((w for w in (1, -1) if tools.proves(summary.facts, k.eq(summand, k.scale(w, step)))), 0)
    if way == 0:
        return k.FALSE
    first = k.substitute(e, {v: low})
    between = (
        k.and_(k.le(first, xs[at]), k.lt(xs[at], e)) if sign == way else k.and_(k.lt(e, xs[at]), k.le(xs[at], first))
    )
    return k.and_(between, *(k.eq(x, t) for n, (x, t) in enumerate(zip(xs, u.cells.index)) if n != at))


def rotation(u: Update, xs: Terms, v: Term) -> tuple[Term, Update]:
    """The last iteration before v that wrote the slot in which cell xs is, and its update."""
    slot = rotating_slot(u, v)
    assert slot is not None
    at, size, shift = slot
    before = k.sub(v, k.ONE)
    last = k.sub(before, k.fmod(k.sub(k.add(before, shift), xs[at]), size))
    return last, replace(u, cells=u.cells.substitute({v: last}), value=k.substitute(u.value, {v: last}))


def rotating_slot(u: Update, v: Term) -> tuple[int, Term, Term] | None:
    """(which index, m, c) if that index of the cells is (v + c) mod m and nothing else of them depends on v."""
    moving = [n for n, e in enumerate(u.cells.index) if v in e.free]
    if len(moving) != 1 or any(v in t.free for r in u.cells.ranges for t in r):
        return None
    e = u.cells.index[moving[0]]
    for a in k.subterms(e):
        if a.op == "fdiv" and k.is_num(a.args[1]) and e is k.fmod(*a.args) and k.is_num(k.sub(a.args[0], v)):
            return moving[0], a.args[1], k.sub(a.args[0], v)
    return None


def located(tools: SearchTools, u: Update, xs: Terms, facts: Facts) -> tuple[Terms, Term]:
    if any(t.data == "@extent" for t in terms_of(u.cells) for t in t.free):
        return xs, TRUE
    at = tools.invert(u.cells, xs, facts)
    if at is None:
        raise Unexplorable("index", u.cells.base)
    return at, k.and_(u.cells.domain(at), same(u.cells.at(at), xs))
