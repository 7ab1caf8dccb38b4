"""From the updates of one symbolic iteration to the effect of the whole loop on each array.

Updates are over the contents at the start of iteration v. Arrays are classified one after the other: once the effect on one is
known, its contents at the start of v are known, and are put in wherever updates of the others read it.
"""

from __future__ import annotations

from optigpu.kernel.side_conditions import terms_of
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Terms, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.explore.accumulation import (
    NUMERIC_MONOIDS,
    Latch,
    Monoid,
    MonoidStep,
    Scaled,
    Telescoped,
    accumulated_value,
    accumulation,
    difference,
    first_maximum,
    latched,
)
from optigpu.search.explore.effect_contents import EffectContents, rotating_slot
from optigpu.search.explore.iteration_dependence import IterationDependence
from optigpu.search.explore.loop_effects import (
    Accumulation,
    Effect,
    LoopSummary,
    OwnCells,
    RotatingBuffer,
    Scratch,
    UnknownEffect,
)
from optigpu.search.explore.scattered_cells import scattered_cells
from optigpu.search.explore.symbolic_memory import Content, Update
from optigpu.search.explore.telescoping_sums import telescoped
from optigpu.search.explore.weighted_sums import weighted_sum
from optigpu.search.fresh_names import at_entry, is_expressible, scoped, search_var
from optigpu.search.search_tools import SearchTools


class EffectInference:
    """Infers the effects of one loop from the contents at the end of an iteration."""

    def __init__(
        self, tools: SearchTools, summary: LoopSummary, written: dict[str, Content], declared: dict[str, Effect]
    ) -> None:
        """`written`: contents at the end of iteration v. `declared`: effects that the user wrote down."""
        self.tools, self.summary, self.declared = tools, summary, declared
        self.dependence = IterationDependence(tools, summary)
        self.contents = EffectContents(tools, summary)
        self.updates = {b: list(c.updates) for b, c in written.items()}
        # Real variables, and arrays as functions of their indices, at the start of iteration v, as they are for every v
        self._closed_forms: list[tuple[int, Term]] = []

    @scoped
    def infer(self) -> None:
        """Put an effect for each written array into the summary."""
        effects: dict[str, Effect] = {}
        pending = set(self.updates)
        progress = True
        while pending and progress:
            progress = False
            for base in sorted(pending):
                effect = self._classify(base, pending)
                if effect is not None:
                    effects[base] = effect
                    pending.discard(base)
                    self._substitute_contents(base, effect)
                    progress = True
        for base in sorted(pending):
            updates = self.updates[base]
            effects[base] = UnknownEffect(base, tuple(updates), self.dependence.has_flow(base, updates))
        starts = {at_entry(self._start_of(b)): self._start_of(b) for b in self.updates}
        for base, effect in effects.items():
            self.summary.effects[base] = replace(effect, updates=tuple(u.substitute(starts) for u in effect.updates))

    def _start_of(self, base: str) -> Term:
        return self.summary.entry[base].start

    @scoped
    def _classify(self, base: str, pending: set[str]) -> Effect | None:
        updates = self.updates[base]
        if base in self.declared:
            return self.declared[base]
        mentions = self.dependence.mentions
        others = [b for b in sorted(pending) if b != base and any(mentions(u, b) for u in updates)]
        independent = self.dependence.reads_no_earlier_write
        if not all(independent(u, b, self.updates[b]) for u in updates for b in others):
            return None
        entry_names = {self._start_of(b): at_entry(self._start_of(b)) for b in others}
        updates = [u.substitute(entry_names) for u in updates]
        if self.dependence.disjoint(updates):
            return self._rare_accumulation(base, updates) or self._own_cells(base, updates)
        if len(updates) == 1:
            return self._overwritten(base, updates[0])
        return self._scattered(base, updates) if all(mentions(u, base) for u in updates) else None

    # Cells that one iteration has to itself

    def _own_cells(self, base: str, updates: list[Update]) -> OwnCells | None:
        """Classify cells that no two iterations share. Reads see the entry contents, unless an earlier iteration wrote the cell."""
        if not any(self.dependence.mentions(u, base) for u in updates) or all(
            self.dependence.reads_no_earlier_write(u, base, updates) for u in updates
        ):
            return OwnCells(base, tuple(updates), self.dependence.has_flow(base, updates))
        return self._prefix_recurrence(base, updates[0]) if len(updates) == 1 else None

    def _prefix_recurrence(self, base: str, u: Update) -> OwnCells | None:
        """Solve x[v] = x[v - 1] (op) f(v), which continues what the previous iteration wrote."""
        v, low = self.summary.v, self.summary.range.low
        content = self.summary.entry[base]
        xs = self.tools.temporaries(u.cells.arity)
        inside = self.summary.facts.assume(u.cells.domain(xs))
        index = u.cells.at(xs)
        previous = tuple(k.substitute(e, {v: k.sub(v, k.ONE)}) for e in index)
        # The cell before stands for itself; other reads must see what the loop found there.
        before = self.tools.temporaries(1, "p")[0] if u.value.sort is INT else search_var("p", 0, u.value.sort)
        old = inside.simplify(content.initial(previous))
        value = k.replace_subterms(inside.simplify(instantiate(u.value, xs)), {old: before})
        step = accumulation(value, before, before)
        moving = any(v in t.free for t in (u.cells.where, *(r for p in u.cells.ranges for r in p)))
        if step is None or step.monoid not in NUMERIC_MONOIDS or moving:
            return None
        first = content.initial(tuple(k.substitute(e, {v: k.sub(low, k.ONE)}) for e in index))
        summand = k.substitute(step.summand, {before: first})
        reads = self.dependence.reads(summand, base, inside)
        if not all(self.dependence.not_written_earlier(at, [u], known) for at, known in reads):
            return None
        total = accumulated_value(step.monoid, first, low, k.add(v, k.ONE), k.abstract(summand, (v,)))
        return OwnCells(base, (replace(u, value=k.abstract(total, xs)),), read_later=True)

    # Cells that every iteration writes

    def _overwritten(self, base: str, u: Update) -> Effect | None:
        v = self.summary.v
        u = self._always_written(base, u)
        reads_itself = self.dependence.mentions(u, base)
        if rotating_slot(u, v) is not None and not reads_itself:
            return RotatingBuffer(base, (u,))
        moving = any(v in t.free for t in terms_of(u.cells))
        if moving:
            return self._scattered(base, [u])
        if not reads_itself:
            return Scratch(base, (u,))
        return self._accumulation(base, u) or (None if u.cells.where is TRUE else self._scattered(base, [u]))

    def _rare_accumulation(self, base: str, updates: list[Update]) -> Accumulation | None:
        """Classify `if (c(v)) s += f(v)` where c holds in at most one iteration, as (3 * v + i) % 5 == 0 does for v in 0..3.

        If c does not tell which iteration that is, the cells of an iteration cannot be described.
        """
        if len(updates) != 1 or self.dependence.tells_iteration(updates[0].cells):
            return None
        u = self._always_written(base, updates[0])
        return self._accumulation(base, u) if u is not updates[0] else None

    def _accumulation(self, base: str, u: Update) -> Accumulation | None:
        """Classify cells that each iteration rewrites from what they held: s += f(v)."""
        xs = self.tools.temporaries(u.cells.arity)
        inside = self.summary.facts.assume(u.cells.domain(xs))
        value = inside.simplify(instantiate(u.value, xs))
        start = self._start_of(base)
        old = self.summary.entry[base].initial(u.cells.at(xs))
        step = accumulation(value, old, start)
        if step is not None:
            closed = self._telescoped(step, xs, inside)
            accumulator, summand = closed if closed is not None else (step.monoid, step.summand)
            return Accumulation(base, (replace(u, value=k.abstract(summand, xs)),), accumulator)
        if (weighted := self._weighted_sum(value, old, start, xs, u.cells.at(xs), inside)) is not None:
            return Accumulation(base, (replace(u, value=k.abstract(weighted[1], xs)),), weighted[0])
        first = first_maximum(value, old, self.summary.v) if not xs and not self._is_read_by_others(base) else None
        if first is not None:
            return Accumulation(base, (replace(u, value=k.ZERO),), first)
        latch = latched(value, old, start)
        if latch is None or not self._is_constant(latch[1], xs):
            return None
        return Accumulation(base, (replace(u, value=k.abstract(latch[0], xs)),), Latch(latch[1]))

    def _telescoped(self, step: MonoidStep, xs: Terms, inside: Facts) -> tuple[Telescoped, Term] | None:
        """Find a closed form of a sum whose summands have prefix sums as factors."""
        if step.monoid is not Monoid.SUM:
            return None
        v = self.summary.v
        found = telescoped(inside, step.summand, v, self.summary.range.low)
        return None if found is None else (Telescoped(k.abstract(found[0], (*xs, v))), found[1])

    def _weighted_sum(
        self, value: Term, old: Term, start: Term, xs: Terms, index: Terms, inside: Facts
    ) -> tuple[Scaled, Term] | None:
        """Find the weight of an accumulator whose scale changes: that of a variable, or of an array's element with the same first
        indices."""
        v = self.summary.v
        fitting = ((rank, f) for rank, f in self._closed_forms if rank <= len(index))
        forms = [self._chosen(k.app(f, *index[:rank]) if rank else f, inside) for rank, f in fitting]
        found = weighted_sum(self.tools, inside, value, old, start, v, forms)
        return None if found is None else (Scaled(k.abstract(found[0], (*xs, v))), found[1])

    def _chosen(self, t: Term, facts: Facts) -> Term:
        """Take the branch of a choice that is the one here. It is not simplified: guards of a last tile stay."""
        while t.op == "ite":
            test, a, b = t.args
            if self.tools.proves(facts, test):
                t = a
            elif self.tools.proves(facts, k.not_(test)):
                t = b
            else:
                break
        return t

    def _is_read_by_others(self, base: str) -> bool:
        """Is the content used in the updates of another array?"""
        return any(self.dependence.mentions(u, base) for b, us in self.updates.items() if b != base for u in us)

    def _is_constant(self, t: Term, xs: Terms) -> bool:
        """Is a term the same in all iterations and for all cells?"""
        return is_expressible(t) and not any(x is self.summary.v or x in xs for x in t.free)

    def _always_written(self, base: str, u: Update) -> Update:
        """Turn a conditional update of fixed cells into one in all iterations, which writes back the old value in the others.

        Conditions that are the same in all iterations say which cells are written.
        """
        v, xs = self.summary.v, self.tools.temporaries(u.cells.arity)
        fixed = not any(v in t.free for t in (*u.cells.index, *(r for p in u.cells.ranges for r in p)))
        conjuncts = k.conjuncts(instantiate(u.cells.where, xs))
        sometimes = [c for c in conjuncts if v in c.free]
        if not fixed or not sometimes:
            return u
        if not u.written or not self.dependence.mentions(u, base):
            return u
        old = self.summary.entry[base].initial(u.cells.at(xs))
        value = k.ite(k.and_(*sometimes), instantiate(u.value, xs), old)
        where = k.and_(*(c for c in conjuncts if v not in c.free))
        return replace(u, cells=replace(u.cells, where=k.abstract(where, xs)), value=k.abstract(value, xs))

    def _scattered(self, base: str, updates: list[Update]) -> Accumulation | None:
        """Recognise a histogram or a guarded accumulator: the cell varies, so it is an update of all cells that may be it, most
        with no change."""
        content, facts = self.summary.entry[base], self.summary.facts
        cells = scattered_cells(self.tools, content, updates, self.summary.v)
        xs = self.tools.temporaries(cells.arity, "c")
        index = cells.at(xs)
        within = [k.and_(k.le(k.ZERO, e), k.lt(e, d)) for e, d in zip(index, content.dims) if d is not None]
        inside = facts.assume(*within)
        value = old = content.initial(index)
        for u in updates:
            member = u.member(self.tools, index, facts)
            if member is None:
                return None
            condition, new = _without_consequences(inside, member[0]), member[1]
            if any(not k.is_num(q.args[1]) for q in k.subterms_with(condition, "fdiv")):
                total = self._summed(u, content, index, inside)
                if total is not None:
                    value = k.add(value, total)
                    continue
            if u.cells.arity == 0:  # where the cell is the one, reading it is reading this one
                new = k.replace_subterms(new, {content.initial(u.cells.index): old})
            if content.rank:
                new = self._in_terms_of(new, old, facts.assume(condition))
            value = k.ite(condition, new, value)
        step = accumulation(value, old, content.start)
        if step is None or step.monoid not in NUMERIC_MONOIDS:
            return None
        return Accumulation(base, (Update(cells, k.abstract(step.summand, xs), updates[0].at),), step.monoid)

    def _summed(self, u: Update, content: Content, index: Terms, facts: Facts) -> Term | None:
        """Compute what an update adds to the cell at this index as a sum over its binders, at most one of which has that cell:
        where quotients would tell which."""
        bs = self.tools.temporaries(u.cells.arity, "c")
        at = u.cells.at(bs)
        summand = difference(instantiate(u.value, bs), content.initial(at))
        if summand is None or content.start in summand.free:
            return None
        known = {e: x for e, x in zip(at, index) if e in bs}
        ranges = [(b, lo, hi) for b, (lo, hi) in zip(bs, u.cells.ranges) if b not in known]
        if any(r.level for _, *ends in ranges for r in ends):
            return None
        where = k.and_(u.cells.domain(bs), same(at, index))
        bounds = facts.assume(*(k.and_(k.le(lo, b), k.lt(b, hi)) for b, lo, hi in ranges))
        condition = _without_consequences(bounds, k.substitute(where, known))
        total = k.ite(condition, k.substitute(summand, known), k.num(0, summand.sort))
        for b, lo, hi in reversed(ranges):
            total = k.big("sum", lo, hi, k.abstract(total, (b,)))
        return total

    def _in_terms_of(self, t: Term, old: Term, facts: Facts) -> Term:
        """Replace other readings of a cell by `old`, where the index is known to be the same; take it out of choices."""
        start = old.args[0]
        if start not in t.free or t.level or t is old:
            return t
        if t.op == "app" and t.args[0] is start:
            return old if self.tools.proves(facts, same(t.args[1:], old.args[1:])) else t
        if t.op == "ite":
            test, a, b = t.args
            a, b = (self._in_terms_of(x, old, facts.assume(p)) for x, p in ((a, test), (b, k.not_(test))))
            x, y = difference(a, old), difference(b, old)
            if x is None or y is None or start in x.free or start in y.free:
                return k.ite(test, a, b)
            return k.add(old, k.ite(test, x, y))
        parts = {p: self._in_terms_of(p, old, facts) for p in t.parts if start in p.free}
        return k.replace_subterms(t, parts)

    # Using effects that are known

    def _substitute_contents(self, base: str, effect: Effect) -> None:
        """Replace contents at the start of iteration v by their value in terms of the entry, in the updates of other arrays."""
        start = self._start_of(base)
        content = self.summary.entry[base]
        if isinstance(effect, Accumulation) and content.sort is k.REAL:
            self._closed_forms.append((content.rank, self._contents_at_start(base, effect, self.summary.facts)))
        for other, updates in self.updates.items():
            if other == base or not any(self.dependence.mentions(u, base) for u in updates):
                continue
            replaced: list[Update] = []
            for u in updates:
                xs = self.tools.temporaries(u.cells.arity)
                inside = self.summary.facts.assume(u.cells.domain(xs))
                at_start = {start: self._contents_at_start(base, effect, inside)}
                cells = u.cells.substitute(at_start)
                value = inside.simplify(k.substitute(instantiate(u.value, xs), at_start))
                replaced.append(replace(u, cells=cells, value=k.abstract(value, xs)))
            self.updates[other] = replaced

    def _contents_at_start(self, base: str, effect: Effect, facts: Facts) -> Term:
        """Return the contents at the start of iteration v: a value, or a function of the index."""
        content = self.summary.entry[base]
        xs = self.tools.temporaries(content.rank, "x")
        value = self.contents.value_at_start(effect, xs, content.initial(xs), facts)
        return k.lam(xs, value) if content.rank else value


def _without_consequences(facts: Facts, condition: Term) -> Term:
    """Drop the conjuncts that follow from the equations among them: of `0 <= e && e < n && e == c`, for c in 0..n, two."""
    conjuncts = k.conjuncts(condition)
    equations = [c for c in conjuncts if c.op == "eq"]
    known = facts.assume(*equations)
    return k.and_(*equations, *(c for c in conjuncts if c.op != "eq" and not known.proves(c)))
