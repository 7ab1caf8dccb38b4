"""From the updates of one iteration to what the whole loop does: own cells, accumulators, recurrences, scratch."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel.side_conditions import terms_of
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms, box, same
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.explore.accumulation import NUMERIC, accumulation, combine, latched
from optigpu.search.explore.loop_effects import (
    Effect,
    LoopSummary,
    alike,
    distinct,
    over_all,
    rotating_slot,
    start_contents,
)
from optigpu.search.explore.symbolic_memory import Content, Update
from optigpu.search.search_tools import SearchTools


class Recurrences:
    """From the updates of one iteration, over the contents `now` at its start, to what the loop does."""

    def __init__(
        self, tools: SearchTools, summary: LoopSummary, written: dict[str, Content], given: dict[str, Effect]
    ) -> None:
        self.given = given
        self.tools = tools
        self.summary = summary
        self.updates = {b: list(c.updates) for b, c in written.items()}
        self.names = {c.start: b for b, c in summary.entry.items()}
        self.solved: dict[str, Effect] = {}
        self.inverted: dict[Cells, bool] = {}

    def solve(self) -> None:
        pending = set(self.updates)
        progress = True
        while pending and progress:
            progress = False
            for base in sorted(pending):
                effect = self.classify(base, pending)
                if effect is not None:
                    self.solved[base] = effect
                    pending.discard(base)
                    self.substitute_solved(base, effect)
                    progress = True
        for base in sorted(pending):
            updates = self.updates[base]
            self.solved[base] = Effect("unknown", base, tuple(updates), "", self.read_elsewhere(base, updates))
        entry = {self.at_entry(b): self.start_of(b) for b in self.updates}
        for base, effect in self.solved.items():
            renamed = tuple(self.renamed(u, entry) for u in effect.updates)
            self.summary.effects[base] = replace(effect, updates=renamed)

    def start_of(self, base: str) -> Term:
        return self.summary.entry[base].start

    def mentions(self, u: Update, base: str) -> bool:
        start = self.start_of(base)
        return any(start in t.free for t in (*terms_of(u.cells), u.value))

    def at_entry(self, base: str) -> Term:
        """The name of the contents before the loop, where it must be told from that of the contents at the start of v."""
        start = self.start_of(base)
        return k.var(f"{start.data}!entry", start.sort)

    def renamed(self, u: Update, names: dict[Term, Term]) -> Update:
        cells, value, init = u.cells.substitute(names), k.substitute(u.value, names), k.substitute(u.init, names)
        return replace(u, cells=cells, value=value, init=init)

    def classify(self, base: str, pending: set[str]) -> Effect | None:
        updates = self.updates[base]
        if base in self.given:
            return self.given[base]
        others = [b for b in pending if b != base and any(self.mentions(u, b) for u in updates)]
        if not all(self.own_or_untouched(u, b, self.updates[b]) for u in updates for b in others):
            return None
        updates = [self.renamed(u, {self.start_of(b): self.at_entry(b) for b in others}) for u in updates]
        if self.disjoint(updates):
            return self.classify_each(base, updates)
        if len(updates) == 1:
            return self.classify_repeated(base, updates[0])
        return None

    # Cells that one iteration has to itself

    def disjoint(self, updates: list[Update]) -> bool:
        """Different iterations write different cells."""
        return all(self.apart(a.cells, b.cells) for i, a in enumerate(updates) for b in updates[i:])

    def apart(self, a: Cells, b: Cells) -> bool:
        """Is v = w where iteration v writes a cell of a, and w the same one as a cell of b?"""
        v, facts = self.summary.v, self.summary.facts
        if alike(a, b) and self.inverts(replace(a, where=TRUE)):
            return True
        if a is b and self.inverts(a):
            return True
        w = self.tools.temporaries(1, "w")[0]
        xs, ys = self.tools.temporaries(a.arity), self.tools.temporaries(b.arity)
        moved = b.substitute({v: w})
        both = facts.assume(a.domain(xs), *self.judge_facts_at(w), moved.domain(ys))
        both = both.assume(same(a.at(xs), moved.at(ys)))
        return self.tools.proves(both, k.eq(v, w))

    def judge_facts_at(self, w: Term) -> list[Term]:
        r = self.summary.range
        return [k.le(r.low, w), k.lt(w, r.high)]

    def inverts(self, cells: Cells) -> bool:
        """Can the iteration be read off the cell?"""
        if cells not in self.inverted:
            self.inverted[cells] = distinct(self.tools, self.summary.facts, over_all(cells, self.summary))
        return self.inverted[cells]

    def classify_each(self, base: str, updates: list[Update]) -> Effect | None:
        """Reads of these cells see what they held at entry, unless an earlier iteration wrote them."""
        if not any(self.mentions(u, base) for u in updates):
            return Effect("each", base, tuple(updates), progressive=self.read_elsewhere(base, updates))
        if all(self.own_or_untouched(u, base, updates) for u in updates):
            return Effect("each", base, tuple(updates), progressive=self.read_elsewhere(base, updates))
        return self.recurrence(base, updates[0]) if len(updates) == 1 else None

    def recurrence(self, base: str, u: Update) -> Effect | None:
        """x[v] = x[v - 1] (op) f(v): the cell that the iteration before wrote, continued."""
        v, low = self.summary.v, self.summary.range.low
        content = self.summary.entry[base]
        xs = self.tools.temporaries(u.cells.arity)
        inside = self.summary.facts.assume(u.cells.domain(xs))
        index = u.cells.at(xs)
        previous = tuple(k.substitute(e, {v: k.sub(v, k.ONE)}) for e in index)
        # The cell before stands for itself; other reads must see what the loop found there.
        before = self.tools.temporaries(1, "p")[0] if u.value.sort is INT else k.var("p!real", u.value.sort)
        old = inside.simplify(content.initial(previous))
        value = k.replace_subterms(inside.simplify(instantiate(u.value, xs)), {old: before})
        law = accumulation(value, before, before)
        if (
            law is None
            or law[0] not in NUMERIC
            or any(v in t.free for t in (u.cells.where, *(r for p in u.cells.ranges for r in p)))
        ):
            return None
        op, summand = law
        first = content.initial(tuple(k.substitute(e, {v: k.sub(low, k.ONE)}) for e in index))
        summand = k.substitute(summand, {before: first})
        if not all(self.not_earlier(at, [u], known) for at, known in self.reads(summand, base, inside)):
            return None
        body = k.abstract(summand, (v,))
        value = combine(op, first, low, k.add(v, k.ONE), body)
        return Effect("each", base, (replace(u, value=k.abstract(value, xs)),), progressive=True)

    def own_or_untouched(self, u: Update, base: str, updates: list[Update]) -> bool:
        xs = self.tools.temporaries(u.cells.arity)
        inside = self.summary.facts.assume(u.cells.domain(xs))
        terms = (*(instantiate(t, xs) for t in (u.value, u.cells.where, *u.cells.index)),)
        return all(self.not_earlier(i, updates, known) for t in terms for i, known in self.reads(t, base, inside))

    def reads(self, t: Term, base: str, facts: Facts) -> list[tuple[Terms, Facts]]:
        """The indices at which a term reads the contents of base, with what is known there: ranges of sums and tests of choices."""
        start, out = self.start_of(base), list[tuple[Terms, Facts]]()
        if not self.summary.entry[base].rank:
            return [((), facts)] if start in t.free else []

        def go(x: Term, inside: Facts) -> None:
            if start not in x.free:
                return
            if x.op in ("sum", "prod", "all", "fold_max"):
                for a in x.args[:-1]:
                    go(a, inside)
                (y,) = self.tools.temporaries(1, "y")
                within = inside.assume(k.le(x.args[-3], y), k.lt(y, x.args[-2]))
                go(instantiate(x.args[-1], (y,)), within)
                return
            if x.op == "ite" and x.level == 0:
                test, a, b = x.args
                go(test, inside)
                go(a, inside.assume(test))
                go(b, inside.assume(k.not_(test)))
                return
            if x.op == "app" and x.args[0] is start:
                out.append((x.args[1:], inside))
            for a in x.parts:
                go(a, inside)

        go(t, facts)
        return out

    def not_earlier(self, index: Terms, updates: list[Update], facts: Facts) -> bool:
        """No earlier iteration has written this cell."""
        if any(t.level > 0 for t in index):
            depth = max(t.level for t in index)
            xs = self.tools.temporaries(depth, "y")
            index = tuple(instantiate(t, xs) for t in index)
        for u in updates:
            whole = over_all(u.cells, self.summary)
            at = self.tools.invert(whole, index, facts)
            if at is None:
                return False
            written_before = k.and_(whole.domain(at), same(whole.at(at), index), k.lt(at[0], self.summary.v))
            if not self.tools.proves(facts, k.not_(written_before)):
                return False
        return True

    def read_elsewhere(self, base: str, updates: list[Update]) -> bool:
        """Does an iteration read cells that an earlier one wrote?"""
        for c in self.summary.reads:
            if c.base == base:
                xs = self.tools.temporaries(c.arity)
                if not self.not_earlier(c.at(xs), updates, self.summary.facts.assume(c.domain(xs))):
                    return True
        return False

    # Cells that every iteration writes

    def classify_repeated(self, base: str, u: Update) -> Effect | None:
        v = self.summary.v
        u = self.always_written(base, u)
        if rotating_slot(u, v) is not None and not self.mentions(u, base):
            return Effect("rotating", base, (u,))
        moving = any(v in t.free for t in terms_of(u.cells))
        if moving or u.cells.where is not TRUE:
            return self.classify_scattered(base, u)
        n = u.cells.arity
        xs = self.tools.temporaries(n)
        inside = self.summary.facts.assume(u.cells.domain(xs))
        value = inside.simplify(instantiate(u.value, xs))
        index = u.cells.at(xs)
        if not self.mentions(u, base):
            return Effect("scratch", base, (u,))
        old = self.summary.entry[base].initial(index)
        law = accumulation(value, old, self.start_of(base))
        if law is not None:
            op, summand = law
            return Effect("accumulate", base, (replace(u, value=k.abstract(summand, xs)),), op)
        latch = latched(value, old, self.start_of(base))
        if latch is None or not self.constant(latch[1], xs):
            return None
        return Effect("accumulate", base, (replace(u, value=k.abstract(latch[0], xs)),), "latch", to=latch[1])

    def constant(self, t: Term, xs: Terms) -> bool:
        """The same in all iterations, and for all cells?"""
        return not any(x is self.summary.v or x in xs or str(x.data).startswith("@") for x in t.free)

    def always_written(self, base: str, u: Update) -> Update:
        """A cell that stays the same, written in some iterations: in the others it is written with what it holds."""
        v, xs = self.summary.v, self.tools.temporaries(u.cells.arity)
        fixed = not any(v in t.free for t in (*u.cells.index, *(r for p in u.cells.ranges for r in p)))
        conjuncts = k.conjuncts(instantiate(u.cells.where, xs))
        sometimes = [c for c in conjuncts if v in c.free]
        if (
            not fixed
            or not sometimes
            or len(sometimes) != len(conjuncts)
            or not u.written
            or not self.mentions(u, base)
        ):
            return u
        old = self.summary.entry[base].initial(u.cells.at(xs))
        value = k.ite(k.and_(*sometimes), instantiate(u.value, xs), old)
        return replace(u, cells=replace(u.cells, where=TRUE), value=k.abstract(value, xs))

    def classify_scattered(self, base: str, u: Update) -> Effect | None:
        """A cell chosen anew in each iteration (a histogram), or under a condition: an update of all cells of the base."""
        content = self.summary.entry[base]
        xs = self.tools.temporaries(content.rank, "c")
        found = u.member(self.tools, xs, self.summary.facts) if u.cells.arity == 0 else None
        if u.cells.arity:
            at = self.tools.invert(u.cells, xs, self.summary.facts)
            found = (
                None if at is None else (k.and_(u.cells.domain(at), same(u.cells.at(at), xs)), instantiate(u.value, at))
            )
        if found is None:
            return None
        old = content.initial(xs)
        condition, value = found
        if u.cells.arity == 0:  # where the cell is the one, reading it is reading this one
            value = k.replace_subterms(value, {content.initial(u.cells.index): old})
        law = accumulation(k.ite(condition, value, old), old, content.start)
        if law is None or law[0] not in NUMERIC:
            return None
        op, summand = law
        cells = Cells(base, (), TRUE, ()) if not content.rank else box(base, tuple(self.everywhere() for _ in xs))
        return Effect("accumulate", base, (Update(cells, k.abstract(summand, xs), u.at),), op)

    def everywhere(self) -> Term:
        """Stands for the extent of the base in a dimension; replaced by the family's own cells."""
        return k.var("@extent", INT)

    # Using what is solved

    def substitute_solved(self, base: str, effect: Effect) -> None:
        """Contents at the start of iteration v, in terms of the entry, wherever other updates read them."""
        start = self.start_of(base)
        for other, updates in self.updates.items():
            if other == base or not any(self.mentions(u, base) for u in updates):
                continue
            replaced: list[Update] = []
            for u in updates:
                xs = self.tools.temporaries(u.cells.arity)
                inside = self.summary.facts.assume(u.cells.domain(xs))
                contents = self.at_iteration(base, effect, inside)
                table = {start: contents}
                cells = u.cells.substitute(table)
                value = inside.simplify(k.substitute(instantiate(u.value, xs), table))
                replaced.append(replace(u, cells=cells, value=k.abstract(value, xs)))
            self.updates[other] = replaced

    def at_iteration(self, base: str, effect: Effect, facts: Facts) -> Term:
        """The contents at the start of iteration v: a value, or a function of the index."""
        content, summary = self.summary.entry[base], self.summary
        xs = self.tools.temporaries(content.rank, "x")
        value = start_contents(self.tools, effect, summary, xs, content.initial(xs), facts)
        return k.lam(xs, value) if content.rank else value
