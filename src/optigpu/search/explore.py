"""What code does to memory, found by running it on symbolic contents (DESIGN, section 7). Untrusted: the kernel checks the result.

Memory is explored without permissions: each base is a function from indices to values, with a log of updates on top. A loop's
body is run once, for a symbolic iteration v, on contents of which nothing is known but their name. From its updates follows what
the whole loop does: cells written by one iteration only, accumulators, scratch, or nothing that follows a law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from optigpu.elaborate.functions import Elaborated
from optigpu.kernel import instructions as kc
from optigpu.kernel.call_rules import seen_through
from optigpu.kernel.loop_contract import Range, holds_for, iterations, values_of
from optigpu.kernel.side_conditions import terms_of, within
from optigpu.kernel.thread_rules import WARP, at_choice, lane_read
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, UNINIT, CellClaim, Cells, Terms, arguments, box, same, single
from optigpu.logic.equality import parts
from optigpu.logic.facts import Facts
from optigpu.logic.judge import Judge
from optigpu.logic.terms import INT, TRUE, Sort, Term, instantiate
from optigpu.search.inverse import NAMES, invert, temporaries
from optigpu.search.questions import follows
from optigpu.search.ranges import Changed, RangeSearch, holds_after

OPAQUE = "@opaque."  # what values are called of which nothing is known
FEW = 10  # iterations that may be run one by one
NUMERIC = ("sum", "prod", "fold_max", "fold_min")


@dataclass(frozen=True, slots=True)
class Update:
    """New contents of some cells: `value` is under the binders of `cells`."""

    cells: Cells
    value: Term
    at: int = field(default=0, compare=False)  # the instruction that makes it
    written: bool = True  # False: the cells count as uninitialised
    init: Term = TRUE  # which of them count as initialised, under the binders
    perhaps: bool = False  # made or not: cells that were initialised still are

    def member(self, index: Terms, facts: Facts) -> tuple[Term, Term] | None:
        """(is this one of the cells, its value), or None if that cannot be told."""
        at = invert(self.cells, index, facts)
        if at is None:
            return None
        return k.and_(self.cells.domain(at), same(self.cells.at(at), index)), instantiate(self.value, at)


@dataclass(frozen=True, slots=True)
class Content:
    """What a base holds: what it held (a function of the index) and the updates since."""

    start: Term
    rank: int
    updates: tuple[Update, ...] = ()

    def initial(self, index: Terms) -> Term:
        return k.app(self.start, *index) if self.rank else self.start


def unknown_content(base: str, rank: int, sort: Sort) -> Content:
    name = f"@{base}.{next(NAMES.numbers)}"
    return Content(k.var(name, k.fun_sort((INT,) * rank, sort) if rank else sort), rank)


@dataclass
class World:
    """A point of an exploration."""

    facts: Facts
    env: dict[Term, Term]
    contents: dict[str, Content]
    touched: tuple[tuple[str, Terms], ...] = ()  # cells that were accessed on every path to here
    reads: tuple[Cells, ...] = ()  # all cells that were read so far, on any path
    outer: frozenset[str] = frozenset()  # bases from outside the loop that is explored

    def copy(self) -> World:
        return World(self.facts, dict(self.env), dict(self.contents), self.touched, self.reads, self.outer)

    def value(self, t: Term) -> Term:
        return k.substitute(t, self.env)

    def values(self, ts: Sequence[Term]) -> Terms:
        return tuple(self.value(t) for t in ts)

    def index(self, place: kc.Place) -> Terms:
        return tuple(self.facts.simplify(self.value(t)) for t in place.index)


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
    range: Range
    entry: dict[str, Content]  # contents at the loop's entry, by name
    effects: dict[str, Effect] = field(default_factory=dict)
    facts: Facts = field(default_factory=Facts)  # those of the body
    invariants: tuple[Term, ...] = ()  # facts of the user's, under v
    reads: tuple[Cells, ...] = ()  # all cells that an iteration reads
    finals: tuple[
        tuple[str, Term], ...
    ] = ()  # integer variables it changes, with their values at the end of an iteration
    learned: tuple[Term, ...] = ()  # what is known there besides the facts of the body

    def ranges(self, judge: Judge, facts: Facts, actual: dict[Term, Term]) -> dict[str, Term]:
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
        return RangeSearch(judge, inside, self.v, self.range, changed, starts.values()).laws()


def is_opaque(t: Term) -> bool:
    return t.op == "var" and str(t.data).startswith(OPAQUE)


def is_said(condition: Term) -> bool:
    """Can a proof say it, or does it depend on values of which nothing is known?"""
    return not any(is_opaque(x) for x in condition.free)


class Unexplorable(Exception):
    """The loop cannot be summarised: why, and about which base."""

    def __init__(self, why: str, base: str = "", at: int = 0) -> None:
        super().__init__(why)
        self.why, self.base, self.at = why, base, at


class Explorer:
    def __init__(self, judge: Judge, elaborated: Elaborated) -> None:
        self.judge = judge
        self.program = elaborated.program
        self.specs = elaborated.specs  # what users wrote at loops
        self.given_values = elaborated.given  # and at uses of lemmas
        self.found: dict[
            int, tuple[LoopSummary, dict[Term, Term]]
        ] = {}  # by the `at` of loops, with what they depend on
        self.names: dict[Term, Term] = {}  # iterations of explored loops, as the proof calls them

    # Reading

    def read(self, content: Content, index: Terms, facts: Facts) -> Term:
        chain: list[tuple[Term, Term]] = []
        result: Term | None = None
        for u in reversed(content.updates):
            found = u.member(index, facts)
            if found is None:
                result = self.opaque(u.value.sort)
                break
            condition, value = facts.simplify(found[0]), found[1]
            if condition is TRUE or follows(self.judge, facts, condition):
                result = value
                break
            if condition is not k.FALSE and not follows(self.judge, facts, k.not_(condition)):
                chain.append((condition, value))
        if result is None:
            result = content.initial(index)
        for condition, value in reversed(chain):
            result = k.ite(condition, value, result)
        return facts.simplify(result)

    def opaque(self, sort: Sort) -> Term:
        return k.var(f"{OPAQUE}{next(NAMES.numbers)}", sort)

    # Running

    def run(self, code: kc.Code, w: World) -> None:
        for i in code:
            self.step(i, w)

    def step(self, i: kc.Instr, w: World) -> None:
        match i:
            case kc.Let(target, value, bits):
                w.env[target] = w.facts.simplify(k.fmod(w.value(value), k.num(1 << bits))) if bits else w.value(value)
            case kc.Choose(target, limits):
                w.env[target] = self.opaque(target.sort)
                w.facts = w.facts.assume(within(w.env[target], limits))
            case kc.Load(target, place):
                index = w.index(place)
                w.env[target] = self.read(self.content(place.base, w), index, w.facts)
                w.touched += ((place.base, index),)
                w.reads += (single(place.base, index),)
            case kc.Store(place, value):
                index = w.index(place)
                self.write(place.base, Update(single(place.base, index), w.value(value), i.at), w)
                w.touched += ((place.base, index),)
            case kc.Alloc(base, sort):
                w.contents[base] = unknown_content(base, len(i.dims) + i.distributed, sort)
            case kc.Free(base):
                if base in w.outer:
                    raise Unexplorable("freed", base)
                w.contents.pop(base, None)
            case kc.Oblige(prop) | kc.Assert(prop):
                w.facts = w.facts.assume(w.value(prop))
            case kc.Ghost():
                w.facts = w.facts.assume(*w.values(i.ensures))
            case kc.If():
                self.branch(i, w)
            case kc.Loop():
                self.nested_loop(i, w)
            case kc.Call():
                self.call(i, w)
            case kc.Launch() | kc.Phase() | kc.Barrier():
                pass
            case kc.Shuffle():
                self.shuffle(i, w)

    def shuffle(self, i: kc.Shuffle, w: World) -> None:
        (lane,) = temporaries(1, "l")
        inside = w.facts.assume(k.le(k.ZERO, lane), k.lt(lane, k.num(WARP)))
        source, target = ((*w.values(v.lead), w.value(v.shift)) for v in (i.source, i.target))
        other = inside.simplify(lane_read(i.op, lane, w.value(i.amount)))
        held = self.content(i.source.base, w)
        value = at_choice(other, lambda o: self.read(held, (*source[:-1], k.add(source[-1], o)), inside))
        index = tuple(k.abstract(t, (lane,)) for t in (*target[:-1], k.add(target[-1], lane)))
        cells = Cells(i.target.base, ((k.ZERO, k.num(WARP)),), TRUE, index)
        self.write(i.target.base, Update(cells, k.abstract(value, (lane,)), i.at), w)
        w.reads += (Cells(i.source.base, cells.ranges, TRUE, (*source[:-1], k.add(source[-1], k.bound(0, INT)))),)

    def content(self, base: str, w: World) -> Content:
        found = w.contents.get(base)
        if found is None:
            raise Unexplorable("no memory", base)
        return found

    def write(self, base: str, u: Update, w: World) -> None:
        """Later updates hide earlier ones of the same cells."""
        content = self.content(base, w)
        kept = [old for old in content.updates if not self.hides(u, old, w.facts)]
        w.contents[base] = replace(content, updates=(*kept, u))

    def hides(self, new: Update, old: Update, facts: Facts) -> bool:
        if new.cells == old.cells:
            return True
        b = temporaries(old.cells.arity)
        inside = facts.assume(old.cells.domain(b))
        found = new.member(old.cells.at(b), inside)
        return found is not None and follows(self.judge, inside, found[0])

    def branch(self, i: kc.If, w: World) -> None:
        test = w.facts.simplify(w.value(i.test))
        if test in (TRUE, k.FALSE):
            self.run(i.then if test is TRUE else i.other, w)
            return
        yes, no = w.copy(), w.copy()
        yes.facts, no.facts = w.facts.assume(test), w.facts.assume(k.not_(test))
        self.run(i.then, yes)
        self.run(i.other, no)
        w.env = {x: k.ite(test, yes.env[x], no.env[x]) for x in yes.env.keys() & no.env.keys()}
        for base, before in w.contents.items():
            if base in yes.contents and base in no.contents:
                w.contents[base] = self.joined(base, before, test, yes, no, w.touched)
        w.touched += tuple(t for t in yes.touched[len(w.touched) :] if t in no.touched)
        before_reads = len(w.reads)
        for side, condition in ((yes, test), (no, k.not_(test))):
            for c in side.reads[before_reads:]:
                known = condition if is_said(condition) else TRUE
                w.reads += (replace(c, where=k.and_(c.where, k.shift(known, c.arity))),)

    def joined(
        self, base: str, before: Content, test: Term, yes: World, no: World, touched: tuple[tuple[str, Terms], ...]
    ) -> Content:
        a, b = yes.contents[base], no.contents[base]
        if a.updates == b.updates:
            return a
        if before.rank == 0:
            value = k.ite(test, self.read(a, (), yes.facts), self.read(b, (), no.facts))
            return replace(before, updates=(Update(single(base, ()), value),))
        kept = [u for u in before.updates if u in a.updates and u in b.updates]
        new: list[Update] = []
        held = {index for name, index in touched if name == base}
        a, b = self.renamed(a, b, held, yes.facts), self.renamed(b, a, held, no.facts)
        for mine, other, condition in ((a, b, test), (b, a, k.not_(test))):
            for u in mine.updates:
                if u in kept:
                    continue
                twin = next((t for t in other.updates if t.cells == u.cells and t not in kept), None)
                if twin is not None:
                    merged = Update(
                        u.cells,
                        k.ite(test, u.value, twin.value) if condition is test else k.ite(test, twin.value, u.value),
                    )
                    if merged not in new:
                        new.append(merged)
                elif u.cells.arity == 0 and u.cells.index in held:  # a cell that the other branch leaves as it was
                    old = self.read(before, u.cells.index, yes.facts if condition is test else no.facts)
                    new.append(Update(u.cells, k.ite(condition, u.value, old), u.at))
                elif not is_said(condition):
                    new.append(self.perhaps(u, before, condition, yes.facts if condition is test else no.facts))
                else:
                    where = k.and_(u.cells.where, k.shift(condition, u.cells.arity))
                    new.append(replace(u, cells=replace(u.cells, where=where)))
        return replace(before, updates=(*kept, *new))

    def perhaps(self, u: Update, before: Content, condition: Term, facts: Facts) -> Update:
        """An update that is made or not, and nobody can say where: its cells are taken in any case."""
        b = temporaries(u.cells.arity)
        old = self.read(before, u.cells.at(b), facts.assume(u.cells.domain(b)))
        return replace(u, value=k.abstract(k.ite(condition, instantiate(u.value, b), old), b), perhaps=True)

    def renamed(self, mine: Content, other: Content, held: set[Terms], facts: Facts) -> Content:
        """Cells that an equation of the branch has given another name (a[5] for a[i]), under the name they have outside of it."""
        names = held | {u.cells.index for u in other.updates if u.cells.arity == 0}
        known = {tuple(facts.simplify(t) for t in index): index for index in sorted(names, key=_index_key)}
        updates = tuple(
            replace(u, cells=single(u.cells.base, known.get(u.cells.index, u.cells.index)))
            if u.cells.arity == 0 and u.cells.where is TRUE
            else u
            for u in mine.updates
        )
        return replace(mine, updates=updates)

    # Calls

    def call(self, i: kc.Call, w: World) -> None:
        f = self.program.functions[i.function]
        sub, views = call_arguments(f, i, w.values, w.value)
        given = self.given_values.get(i.at, {})
        sub.update((x, w.value(given[str(x.data)])) for x in f.contract.variables if str(x.data) in given)
        for claim in f.contract.pre:
            bind_variables(
                claim,
                views,
                sub,
                f.contract.variables,
                lambda base, index: self.read(self.content(base, w), index, w.facts),
            )
        for x in f.contract.variables:
            sub.setdefault(x, self.opaque_function(x.sort))
        if f.contract.result is not None:
            result = self.opaque(f.contract.result.sort)
            sub[f.contract.result] = result
            if i.target is not None:
                w.env[i.target] = result
        posts = []
        for claim in f.contract.post:
            c = seen_through(claim.substitute(sub), views)
            known = c.contents != UNINIT and c.value is not None
            new = c.value if known and c.value is not None else self.opaque(self.sort_of(c.cells.base, w))
            posts.append(Update(c.cells, new, i.at, c.contents != UNINIT))
        taken = [seen_through(c.substitute(sub), views).cells for c in f.contract.pre if c.share == FULL]
        for u in self.together(taken, posts, w):
            self.write(u.cells.base, u, w)
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
            xs = temporaries(cells.arity)
            inside = w.facts.assume(cells.domain(xs))
            found = [u.member(cells.at(xs), inside) for u in parts]
            if any(f is None for f in found):
                continue
            init, value = k.FALSE, self.opaque(parts[0].value.sort)
            for f, u in zip(found, parts):
                assert f is not None
                condition, known = inside.simplify(f[0]), u.written and not is_opaque(u.value)
                if known:
                    init, value = k.or_(init, condition), f[1] if init is k.FALSE else k.ite(condition, f[1], value)
            whole = Update(cells, k.abstract(value, xs), parts[0].at, True, k.abstract(inside.simplify(init), xs))
            out = [u for u in out if u not in parts] + [whole]
        return out

    def opaque_function(self, sort: Sort) -> Term:
        return k.var(f"{OPAQUE}{next(NAMES.numbers)}", sort)

    def sort_of(self, base: str, w: World) -> Sort:
        start = self.content(base, w).start
        return start.sort.result or start.sort

    # Loops

    def nested_loop(self, loop: kc.Loop, w: World) -> None:
        """Run a loop inside an exploration: summarise it, and apply what it does to the contents."""
        values = self.known_values(loop, w)
        if values is not None:
            if self.reduce_tree(loop, w, values):
                return
            for number in values:
                w.env[loop.index] = k.num(number)
                self.run(loop.body, w)
            return
        summary = self.loop(loop, w)
        shared = shared_by_iterations(summary) if loop.mode == kc.THREAD else None
        if shared is not None:
            raise Unexplorable("race", shared.base, next((u.at for u in shared.updates if u.at), 0))
        few = self.few(loop, w) if any(e.kind == "unknown" for e in summary.effects.values()) else None
        if few:
            for number in few:
                w.env[loop.index] = k.num(number)
                self.run(loop.body, w)
            return
        entry = {c.start: (base, c) for base, c in summary.entry.items()}
        before = dict(w.contents)

        def now(t: Term) -> Term:
            """A term over the loop's entry contents, with what they are here."""
            return self.resolve(t, entry, before, w.facts)

        w.reads += tuple(over_all(c, summary) for c in summary.reads)
        for effect in summary.effects.values():
            for u in self.after(effect, summary):
                cells = replace(u.cells, where=now(u.cells.where), index=tuple(now(e) for e in u.cells.index))
                b = temporaries(u.cells.arity)
                inside = w.facts.assume(u.cells.domain(b))
                value = k.abstract(self.resolve(instantiate(u.value, b), entry, before, inside), b)
                self.write(effect.base, Update(cells, value, u.at, init=now(u.init)), w)
        mentioned = {x for t in (*summary.learned, *(t for _, t in summary.finals)) for x in t.free}
        actual = {c.start: now(c.start) for c in summary.entry.values() if c.start in mentioned}
        for base, law in summary.ranges(self.judge, w.facts, actual).items():
            after = self.read(w.contents[base], (), w.facts)
            w.facts = w.facts.assume(holds_after(law, summary.range, after))

    def resolve(
        self, t: Term, entry: dict[Term, tuple[str, Content]], contents: dict[str, Content], facts: Facts
    ) -> Term:
        """Replace the names of entry contents by what the contents are."""
        if not (t.free & entry.keys()):
            return t
        scalars = {s: self.read(contents[b], (), facts) for s, (b, c) in entry.items() if c.rank == 0}
        lambdas: dict[Term, Term] = {}
        for start, (base, c) in entry.items():
            if c.rank and start in t.free:
                xs = temporaries(c.rank, "x")
                lambdas[start] = k.lam(xs, self.read(contents[base], xs, facts))
        return facts.simplify(k.substitute(t, {**scalars, **lambdas}))

    def few(self, loop: kc.Loop, w: World) -> list[int] | None:
        """The values of a sequential loop that has only a few iterations, known by number."""
        numbers = [w.facts.simplify(w.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if loop.mode != kc.SEQUENTIAL or loop.at in self.specs or not all(k.is_num(t) for t in numbers):
            return None
        start, bound, step = (t.data for t in numbers)
        if step <= 0 or abs(bound - start) > FEW * step:
            return None
        return values_of(loop, start, bound, step)

    def reduce_tree(self, loop: kc.Loop, w: World, values: list[int]) -> bool:
        """A loop that is a tree reduction, as one operation."""
        from optigpu.search.trees import apply_tree, find_tree

        tree = find_tree(self, loop, w, values)
        if tree is None:
            return False
        apply_tree(self, tree, w, loop.at)
        return True

    def known_values(self, loop: kc.Loop, w: World) -> list[int] | None:
        """Geometric loops over known numbers are run as they are."""
        if loop.op in ("+", "-"):
            return None
        numbers = [w.facts.simplify(w.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if not all(k.is_num(t) for t in numbers):
            raise Unexplorable("geometric")
        return values_of(loop, *(t.data for t in numbers))

    def loop(self, loop: kc.Loop, w: World) -> LoopSummary:
        """Run the body once, for a symbolic iteration, and find out what the loop does to each base."""
        start, bound, step = (w.value(t) for t in (loop.start, loop.bound, loop.amount))
        range_ = iterations(loop, start, bound, step)
        range_ = replace(range_, high=w.facts.simplify(range_.high))
        v = temporaries(1, str(loop.index.data))[0]
        index = instantiate(range_.index, (v,))
        facts = w.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), holds_for(loop, index, bound))
        now = {b: unknown_content(b, c.rank, c.start.sort.result or c.start.sort) for b, c in w.contents.items()}
        summary = LoopSummary(v, range_, now, {}, facts)
        given = self.given(loop, w, summary, index)
        facts = summary.facts = facts.assume(*(instantiate(p, (v,)) for p in summary.invariants))
        inner = World(facts, {**w.env, loop.index: index}, dict(now), outer=frozenset(now))
        self.run(loop.body, inner)
        summary.reads = inner.reads
        written = {b: c for b, c in inner.contents.items() if b in now and (c.updates or b in given)}
        _Recurrences(self, summary, written, given).solve()
        summary.finals = tuple(
            (b, self.read(c, (), inner.facts)) for b, c in written.items() if self.is_variable(summary, b)
        )
        summary.learned = inner.facts.given[len(w.facts.given) :] if summary.finals else ()
        if loop.at not in self.specs:
            self.found[loop.at] = (summary, {x: w.value(x) for x in variables_of(loop)})
        return summary

    def is_variable(self, summary: LoopSummary, base: str) -> bool:
        """Is this an integer variable of which more may be known than what an iteration makes of it?"""
        effect = summary.effects[base]
        told = effect.kind == "scratch" and not any(
            str(x.data).startswith(OPAQUE) for x in effect.updates[0].value.free
        )
        return summary.entry[base].start.sort is INT and not told

    def again(self, loop: kc.Loop, w: World) -> LoopSummary | None:
        """What was found out about a loop when one around it was explored, if it depends on the same things here."""
        if loop.at not in self.found:
            return None
        summary, inputs = self.found[loop.at]
        names = {x: t for x, t in self.names.items() if x is not summary.v}
        if any(k.substitute(t, names) is not w.value(x) for x, t in inputs.items()):
            return None
        if summary.entry.keys() != w.contents.keys():
            return None

        def named(t: Term) -> Term:
            return k.substitute(t, names)

        v, r = summary.v, summary.range
        range_ = Range(named(r.low), named(r.high), named(r.index))
        index = instantiate(range_.index, (v,))
        taken = holds_for(loop, index, w.value(loop.bound))
        facts = w.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), taken)
        effects = {}
        for base, e in summary.effects.items():
            updates = (
                replace(u, cells=u.cells.substitute(names), value=named(u.value), init=named(u.init)) for u in e.updates
            )
            effects[base] = replace(e, updates=tuple(updates), to=e.to and named(e.to))
        reads = tuple(c.substitute(names) for c in summary.reads)
        finals = tuple((b, named(t)) for b, t in summary.finals)
        learned = tuple(named(t) for t in summary.learned)
        return LoopSummary(v, range_, summary.entry, effects, facts, (), reads, finals, learned)

    def given(self, loop: kc.Loop, w: World, summary: LoopSummary, index: Term) -> dict[str, Effect]:
        """What the user says of a loop, used as it is written."""
        spec = self.specs.get(loop.at)
        if spec is None:
            return {}
        if spec.variables:
            raise Unexplorable("variables")
        sub = {**w.env, loop.index: index}
        summary.invariants = tuple(k.abstract(k.substitute(p, sub), (summary.v,)) for p in spec.facts)
        out: dict[str, list[Update]] = {}
        kinds: dict[str, str] = {}
        for kind, claims in (("given", spec.invariant), ("each", spec.exclusive_post)):
            for claim in claims:
                c = claim.substitute(sub)
                base = c.cells.base
                if base not in summary.entry:
                    raise Unexplorable("no memory", base)
                sort = self.sort_of(base, w)
                value = c.value if c.value is not None else self.opaque(sort)
                out.setdefault(base, []).append(Update(c.cells, value, written=c.contents != UNINIT))
                kinds[base] = kind
        return {b: Effect(kinds[b], b, tuple(us)) for b, us in out.items()}

    def after(self, effect: Effect, summary: LoopSummary) -> list[Update]:
        """The updates of a whole loop."""
        low, high, v = summary.range.low, summary.range.high, summary.v
        out: list[Update] = []
        for u in effect.updates:
            n = u.cells.arity
            match effect.kind:
                case "each":
                    init = bind(u.init, v, n)
                    out.append(Update(over_all(u.cells, summary), bind(u.value, v, n), u.at, init=init))
                case "accumulate":
                    out.append(replace(u, value=accumulated(effect, u, summary, high)))
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
                    f = k.var(f"@opaque.{next(NAMES.numbers)}", k.fun_sort((INT,) * (n + 1), u.value.sort))
                    out.append(Update(over_all(u.cells, summary), k.app(f, *arguments(n + 1)), u.at))
        return out


def _index_key(index: Terms) -> tuple[int, ...]:
    return tuple(t.key for t in index)


def variables_of(i: kc.Instr) -> set[Term]:
    """The variables that occur in an instruction."""
    out: set[Term] = set()
    for t in terms_of(i):
        out |= t.free
    return out


def shared_by_iterations(summary: LoopSummary) -> Effect | None:
    """An effect that threads cannot have side by side: what one reads or writes, another one writes."""
    progressive = [e for e in summary.effects.values() if e.progressive]
    return next((e for e in (*progressive, *summary.effects.values()) if e.progressive or e.kind != "each"), None)


def alike(a: Cells, b: Cells) -> bool:
    """Are these the same cells but for a condition?"""
    return a.ranges == b.ranges and a.index == b.index


def distinct(judge: Judge, facts: Facts, cells: Cells) -> bool:
    """Can the binders be read off the cell?"""
    xs = temporaries(cells.arity)
    inside = facts.assume(cells.domain(xs))
    back = invert(cells, cells.at(xs), inside)
    return back is not None and follows(judge, inside, same(back, xs))


def bind(t: Term, v: Term, depth: int) -> Term:
    """A term under `depth` binders with v bound outside of them."""
    xs = temporaries(depth, "z")
    return k.abstract(instantiate(t, xs), (v, *xs))


def over_all(cells: Cells, summary: LoopSummary) -> Cells:
    """The cells of all iterations: v becomes the first binder."""
    v, n = summary.v, cells.arity
    ranges = ((bind(lo, v, i), bind(hi, v, i)) for i, (lo, hi) in enumerate(cells.ranges))
    whole = ((summary.range.low, summary.range.high), *ranges)
    return Cells(cells.base, whole, bind(cells.where, v, n), tuple(bind(e, v, n) for e in cells.index))


def accumulated(effect: Effect, u: Update, summary: LoopSummary, upto: Term) -> Term:
    """entry (op) big operator of the summand from low up to `upto`, under the binders of the update."""
    n = u.cells.arity
    entry = summary.entry[effect.base].initial(u.cells.index)
    xs = temporaries(n, "z")
    body = k.abstract(instantiate(u.value, xs), (summary.v,))
    return k.abstract(combine(effect.op, instantiate(entry, xs), summary.range.low, upto, body, effect.to), xs)


def combine(op: str, start: Term, low: Term, high: Term, body: Term, to: Term | None = None) -> Term:
    """start (op) the big operator of the body over low..high."""
    never = k.big("all", low, high, k.not_(body)) if body.sort is k.BOOL else TRUE
    match op:
        case "all":
            return k.and_(start, k.big("all", low, high, body))
        case "any":
            return k.or_(start, k.not_(never))
        case "flag_all" | "flag_any":  # of C's numbers 0 and 1: the first iteration makes any other number one of them
            flag = k.not_(k.eq(start, k.ZERO))
            holds = k.and_(flag, k.big("all", low, high, body)) if op == "flag_all" else k.or_(flag, k.not_(never))
            return k.ite(k.lt(low, high), k.ite(holds, k.ONE, k.ZERO), start)
        case "latch":
            assert to is not None
            return k.ite(never, start, to)
        case "sum":
            return k.add(start, k.big("sum", low, high, body))
        case "prod":
            return k.mul(start, k.big("prod", low, high, body))
        case "fold_min":  # -max(-start, …), with a body that is negated already
            return k.neg(k.big("fold_max", low, high, body, k.neg(start)))
        case _:
            return k.big(op, low, high, body, start)


class _Recurrences:
    """From the updates of one iteration, over the contents `now` at its start, to what the loop does."""

    def __init__(
        self, explorer: Explorer, summary: LoopSummary, written: dict[str, Content], given: dict[str, Effect]
    ) -> None:
        self.given = given
        self.judge = explorer.judge
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
        w = temporaries(1, "w")[0]
        xs, ys = temporaries(a.arity), temporaries(b.arity)
        moved = b.substitute({v: w})
        both = facts.assume(a.domain(xs), *self.judge_facts_at(w), moved.domain(ys))
        both = both.assume(same(a.at(xs), moved.at(ys)))
        return follows(self.judge, both, k.eq(v, w))

    def judge_facts_at(self, w: Term) -> list[Term]:
        r = self.summary.range
        return [k.le(r.low, w), k.lt(w, r.high)]

    def inverts(self, cells: Cells) -> bool:
        """Can the iteration be read off the cell?"""
        if cells not in self.inverted:
            self.inverted[cells] = distinct(self.judge, self.summary.facts, over_all(cells, self.summary))
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
        xs = temporaries(u.cells.arity)
        inside = self.summary.facts.assume(u.cells.domain(xs))
        index = u.cells.at(xs)
        previous = tuple(k.substitute(e, {v: k.sub(v, k.ONE)}) for e in index)
        # The cell before stands for itself; other reads must see what the loop found there.
        before = temporaries(1, "p")[0] if u.value.sort is INT else k.var("p!real", u.value.sort)
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
        xs = temporaries(u.cells.arity)
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
                (y,) = temporaries(1, "y")
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
            xs = temporaries(depth, "y")
            index = tuple(instantiate(t, xs) for t in index)
        for u in updates:
            whole = over_all(u.cells, self.summary)
            at = invert(whole, index, facts)
            if at is None:
                return False
            written_before = k.and_(whole.domain(at), same(whole.at(at), index), k.lt(at[0], self.summary.v))
            if not follows(self.judge, facts, k.not_(written_before)):
                return False
        return True

    def read_elsewhere(self, base: str, updates: list[Update]) -> bool:
        """Does an iteration read cells that an earlier one wrote?"""
        for c in self.summary.reads:
            if c.base == base:
                xs = temporaries(c.arity)
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
        xs = temporaries(n)
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
        v, xs = self.summary.v, temporaries(u.cells.arity)
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
        xs = temporaries(content.rank, "c")
        found = u.member(xs, self.summary.facts) if u.cells.arity == 0 else None
        if u.cells.arity:
            at = invert(u.cells, xs, self.summary.facts)
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
                xs = temporaries(u.cells.arity)
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
        xs = temporaries(content.rank, "x")
        value = start_contents(effect, summary, xs, content.initial(xs), facts)
        return k.lam(xs, value) if content.rank else value


def start_contents(effect: Effect, summary: LoopSummary, xs: Terms, entry: Term, facts: Facts) -> Term:
    """What cell xs holds at the start of iteration v, if it held `entry` before the loop."""
    v, low = summary.v, summary.range.low
    result = entry
    for u in effect.updates:
        match effect.kind:
            case "each":
                if not effect.progressive:
                    continue
                whole = over_all(u.cells, summary)
                at = invert(whole, xs, facts)
                if at is None:
                    raise Unexplorable("index", effect.base)
                written = k.and_(whole.domain(at), same(whole.at(at), xs), k.lt(at[0], v))
                result = k.ite(written, instantiate(bind(u.value, v, u.cells.arity), at), result)
            case "accumulate":
                at, inside = located(u, xs, facts)
                value = instantiate(accumulated(effect, u, summary, v), at)
                result = k.ite(inside, value, result)
            case "given":
                at, inside = located(u, xs, facts)
                result = k.ite(inside, instantiate(u.value, at), result)
            case "rotating":
                _, earlier = rotation(u, xs, v)
                at, inside = located(replace(earlier, cells=replace(earlier.cells, where=TRUE)), xs, facts)
                result = k.ite(inside, instantiate(earlier.value, at), result)
            case "scratch":
                at, inside = located(u, xs, facts)
                last = k.substitute(instantiate(u.value, at), {v: k.sub(v, k.ONE)})
                result = k.ite(k.and_(inside, k.lt(low, v)), last, result)
            case _:
                pass
    return result


def filled(effect: Effect, summary: LoopSummary, xs: Terms, judge: Judge) -> Term:
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
    way = next((w for w in (1, -1) if follows(judge, summary.facts, k.eq(summand, k.scale(w, step)))), 0)
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


def located(u: Update, xs: Terms, facts: Facts) -> tuple[Terms, Term]:
    if any(t.data == "@extent" for t in terms_of(u.cells) for t in t.free):
        return xs, TRUE
    at = invert(u.cells, xs, facts)
    if at is None:
        raise Unexplorable("index", u.cells.base)
    return at, k.and_(u.cells.domain(at), same(u.cells.at(at), xs))


def accumulation(value: Term, old: Term, start: Term) -> tuple[str, Term] | None:
    """`value` as `old (op) summand`, where the summand does not read these contents.

    Of a maximum it may mention `old`, which then stands for what the cell held at first: that is never more than what it holds.
    """
    if value.sort is k.BOOL:
        return conjunction(value, old, start)
    summand = difference(value, old)
    if summand is not None and start not in summand.free:
        return "sum", summand
    most = growth(value, old, start)
    if most is not None:
        return "fold_max", most
    least = growth(k.neg(value), k.neg(old), start)
    if least is not None:
        return "fold_min", least
    factor = quotient(value, old)
    if factor is not None and start not in factor.free:
        return "prod", factor
    return flag(value, old, start) if value.sort is INT else None


def conjunction(value: Term, old: Term, start: Term) -> tuple[str, Term] | None:
    """ok && p, or ok || p: what a truth value becomes if it is true, and if it is false."""
    if_true, if_false = (k.replace_subterms(value, {old: t}) for t in (TRUE, k.FALSE))
    if if_false is k.FALSE and start not in if_true.free:
        return "all", if_true
    if if_true is TRUE and start not in if_false.free:
        return "any", if_false
    return None


def flag(value: Term, old: Term, start: Term) -> tuple[str, Term] | None:
    """The same of a number that stands for a truth value: `ok = ok && p` is (ok != 0 && p) ? 1 : 0."""
    zero = k.eq(old, k.ZERO)
    if_set, if_not = (k.replace_subterms(value, {zero: t}) for t in (k.FALSE, TRUE))
    for op, fixed, other in (("flag_all", if_not, if_set), ("flag_any", if_set, if_not)):
        number = k.ZERO if op == "flag_all" else k.ONE
        if fixed is number and other.op == "ite" and other.args[1:] in ((k.ONE, k.ZERO), (k.ZERO, k.ONE)):
            test = other.args[0] if other.args[1] is k.ONE else k.not_(other.args[0])
            return None if start in test.free else (op, test)
    return None


def latched(value: Term, old: Term, start: Term) -> tuple[Term, Term] | None:
    """(c, t) if the value is c ? t : old, and neither reads these contents."""
    if value.op == "ite":
        c, a, b = value.args
        for test, new, kept in ((c, a, b), (k.not_(c), b, a)):
            if kept is old and start not in new.free and start not in test.free:
                return test, new
    return None


def difference(value: Term, old: Term) -> Term | None:
    """value - old, where choices inside value are between terms with that summand."""
    if value.op == "ite":
        c, a, b = value.args
        x, y = difference(a, old), difference(b, old)
        return None if x is None or y is None else k.ite(c, x, y)
    if value is old:
        return k.num(0, value.sort)
    coefficient = k.coefficients(value).get((old,), 0)
    return k.sub(value, old) if coefficient == 1 else None


def growth(value: Term, old: Term, start: Term) -> Term | None:
    """A summand of the maximum that value is: of old, and of terms that do not read these contents."""
    most = greater(value, old)
    if most is not None and start not in most.free:
        return most
    others = [p for p in parts(value) if p.index != (old,)]
    read = any(start in t.free for t in terms_of(tuple(others)))
    return _without(value, old) if not read and _never_less(value, old) else None


def _without(value: Term, old: Term) -> Term:
    """The maximum without a term that it is compared with anyway, where there are others."""
    match value.op:
        case "max" if old in value.args:
            return k.max_(*(a for a in value.args if a is not old))
        case "ite":
            c, a, b = value.args
            return k.ite(c, _without(a, old), _without(b, old))
        case _:
            return value


def _never_less(value: Term, old: Term) -> bool:
    """Is old one of the terms of this maximum, in every case?"""
    match value.op:
        case "max":
            return any(_never_less(a, old) for a in value.args)
        case "fold_max":
            return _never_less(value.args[0], old)
        case "ite":
            return all(_never_less(a, old) for a in value.args[1:])
        case _:
            return value is old


def greater(value: Term, old: Term) -> Term | None:
    """The other arguments of max(old, …); `if (new > old) old = new;` is a maximum too."""
    if value.op == "max" and old in value.args:
        return k.max_(*(a for a in value.args if a is not old))
    choice = value if value.op == "ite" else _negated_choice(value)
    if choice is not None:
        c, a, b = choice.args
        for new, kept, condition in ((a, b, c), (b, a, k.not_(c))):
            if kept is old and condition in (k.lt(old, new), k.le(old, new)):
                return new
    return None


def _negated_choice(value: Term) -> Term | None:
    """-(c ? a : b) as c ? -a : -b."""
    cs = k.coefficients(value)
    if len(cs) == 1 and (only := next(iter(cs.items())))[1] == -1 and len(only[0]) == 1 and only[0][0].op == "ite":
        c, a, b = only[0][0].args
        return k.ite(c, k.neg(a), k.neg(b))
    return None


def quotient(value: Term, old: Term) -> Term | None:
    out: dict[tuple[Term, ...], object] = {}
    for m, c in k.coefficients(value).items():
        if m.count(old) != 1:
            return None
        left = list(m)
        left.remove(old)
        out[tuple(left)] = c
    return k.polynomial(out, value.sort) if out else None


# Calls ------------------------------------------------------------------------------------------------------------------------


def call_arguments(
    f: kc.Function, i: kc.Call, values: object, value: object
) -> tuple[dict[Term, Term], dict[str, kc.View]]:
    sub: dict[Term, Term] = {}
    views: dict[str, kc.View] = {}
    for p, a in zip(f.params, i.args):
        if isinstance(a, kc.View):
            views[p.name] = kc.View(a.base, values(a.lead), value(a.shift))  # type: ignore[operator]
        else:
            sub[k.var(p.name, p.sort)] = value(a)  # type: ignore[operator]
    return sub, views


def bind_variables(
    claim: CellClaim, views: dict[str, kc.View], sub: dict[Term, Term], variables: Terms, read: object
) -> None:
    """Find logical variables by matching: a claim that cells hold R(b) makes R the contents of those cells."""
    value = claim.value
    if value is None:
        return
    n = claim.cells.arity
    if value.op == "var" and value in variables and value not in sub and n == 0:
        c = seen_through(claim.substitute(sub), views)
        sub[value] = read(c.cells.base, c.cells.index)  # type: ignore[operator]
    elif value.op == "app" and value.args[0] in variables and value.args[0] not in sub:
        f, args = value.args[0], value.args[1:]
        if sorted(a.data for a in args if a.op == "bound") == list(range(n)) and len(args) == n:
            c = seen_through(claim.substitute(sub), views)
            xs = temporaries(n, "m")
            order = [args.index(b) for b in arguments(n)]  # binder i is argument order[i]
            binders = tuple(xs[order[i]] for i in range(n))
            sub[f] = k.lam(xs, read(c.cells.base, c.cells.at(binders)))  # type: ignore[operator]
