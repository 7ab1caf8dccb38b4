"""Symbolic execution of code on memory of which nothing is known but its name. Untrusted: the kernel checks the result.

A loop's body is run once, for a symbolic iteration v. From its updates follows what the whole loop does: cells written by one
iteration only, accumulators, scratch, or nothing that follows a law.
"""

from __future__ import annotations

from dataclasses import replace

from optigpu.elaborate.elaborated import Elaborated
from optigpu.kernel import instructions as kc
from optigpu.kernel.iterations import IterationRange, holds_for, iterations, values_of
from optigpu.kernel.side_conditions import terms_of, within
from optigpu.kernel.thread_conditions import WARP
from optigpu.kernel.thread_rules import at_choice, lane_read
from optigpu.logic import terms as k
from optigpu.logic.cells import UNINIT, Cells, single
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.explore.call_effects import CallEffects
from optigpu.search.explore.loop_effects import Effect, LoopSummary, over_all, shared_by_iterations, whole_loop_updates
from optigpu.search.explore.recurrences import Recurrences
from optigpu.search.explore.symbolic_memory import (
    OPAQUE,
    Memory,
    Unexplorable,
    Update,
    World,
    is_said,
    unknown_content,
)
from optigpu.search.explore.tree_reduction import apply_tree, find_tree
from optigpu.search.ranges import holds_after
from optigpu.search.search_tools import SearchTools

FEW = 10  # iterations that may be run one by one


class Explorer:
    def __init__(self, tools: SearchTools, elaborated: Elaborated) -> None:
        self.tools = tools
        self.memory = Memory(tools)
        self.calls = CallEffects(self.memory, elaborated.program.functions, elaborated.lemma_arguments)
        self.specs = elaborated.specs  # what users wrote at loops
        self.found: dict[
            int, tuple[LoopSummary, dict[Term, Term]]
        ] = {}  # by the `at` of loops, with what they depend on
        self.names: dict[Term, Term] = {}  # iterations of explored loops, as the proof calls them

    # Running

    def run(self, code: kc.Instructions, w: World) -> None:
        for i in code:
            self.step(i, w)

    def step(self, i: kc.Instruction, w: World) -> None:
        match i:
            case kc.Bind(target, value, bits):
                w.env[target] = w.facts.simplify(k.fmod(w.value(value), k.num(1 << bits))) if bits else w.value(value)
            case kc.Havoc(target, limits):
                w.env[target] = self.tools.opaque(target.sort)
                w.facts = w.facts.assume(within(w.env[target], limits))
            case kc.LoadCell(target, place):
                index = w.index(place)
                w.env[target] = self.memory.read(self.memory.content(place.base, w), index, w.facts)
                w.touched += ((place.base, index),)
                w.reads += (single(place.base, index),)
            case kc.StoreCell(place, value):
                index = w.index(place)
                self.memory.write(place.base, Update(single(place.base, index), w.value(value), i.at), w)
                w.touched += ((place.base, index),)
            case kc.Allocate(base, sort):
                w.contents[base] = unknown_content(self.tools, base, len(i.dims) + i.distributed, sort)
            case kc.Release(base):
                if base in w.outer:
                    raise Unexplorable("freed", base)
                w.contents.pop(base, None)
            case kc.Oblige(prop) | kc.Assertion(prop):
                w.facts = w.facts.assume(w.value(prop))
            case kc.GhostStep():
                w.facts = w.facts.assume(*w.values(i.ensures))
            case kc.Branch():
                self.branch(i, w)
            case kc.CountedLoop():
                self.nested_loop(i, w)
            case kc.Invoke():
                self.calls.call(i, w)
            case kc.LaunchKernel() | kc.Phase() | kc.Barrier():
                pass
            case kc.Shuffle():
                self.shuffle(i, w)

    def shuffle(self, i: kc.Shuffle, w: World) -> None:
        (lane,) = self.tools.temporaries(1, "l")
        inside = w.facts.assume(k.le(k.ZERO, lane), k.lt(lane, k.num(WARP)))
        source, target = ((*w.values(v.lead), w.value(v.shift)) for v in (i.source, i.target))
        other = inside.simplify(lane_read(i.op, lane, w.value(i.amount)))
        held = self.memory.content(i.source.base, w)
        value = at_choice(other, lambda o: self.memory.read(held, (*source[:-1], k.add(source[-1], o)), inside))
        index = tuple(k.abstract(t, (lane,)) for t in (*target[:-1], k.add(target[-1], lane)))
        cells = Cells(i.target.base, ((k.ZERO, k.num(WARP)),), TRUE, index)
        self.memory.write(i.target.base, Update(cells, k.abstract(value, (lane,)), i.at), w)
        w.reads += (Cells(i.source.base, cells.ranges, TRUE, (*source[:-1], k.add(source[-1], k.bound(0, INT)))),)

    def branch(self, i: kc.Branch, w: World) -> None:
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
                w.contents[base] = self.memory.joined(base, before, test, yes, no, w.touched)
        w.touched += tuple(t for t in yes.touched[len(w.touched) :] if t in no.touched)
        before_reads = len(w.reads)
        for side, condition in ((yes, test), (no, k.not_(test))):
            for c in side.reads[before_reads:]:
                known = condition if is_said(condition) else TRUE
                w.reads += (replace(c, where=k.and_(c.where, k.shift(known, c.arity))),)

    # Loops

    def nested_loop(self, loop: kc.CountedLoop, w: World) -> None:
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
            return self.memory.resolve(t, entry, before, w.facts)

        w.reads += tuple(over_all(c, summary) for c in summary.reads)
        for effect in summary.effects.values():
            for u in whole_loop_updates(self.tools, effect, summary):
                cells = replace(u.cells, where=now(u.cells.where), index=tuple(now(e) for e in u.cells.index))
                b = self.tools.temporaries(u.cells.arity)
                inside = w.facts.assume(u.cells.domain(b))
                value = k.abstract(self.memory.resolve(instantiate(u.value, b), entry, before, inside), b)
                self.memory.write(effect.base, Update(cells, value, u.at, init=now(u.init)), w)
        mentioned = {x for t in (*summary.learned, *(t for _, t in summary.finals)) for x in t.free}
        actual = {c.start: now(c.start) for c in summary.entry.values() if c.start in mentioned}
        for base, law in summary.ranges(self.tools, w.facts, actual).items():
            after = self.memory.read(w.contents[base], (), w.facts)
            w.facts = w.facts.assume(holds_after(law, summary.range, after))

    def few(self, loop: kc.CountedLoop, w: World) -> list[int] | None:
        """The values of a sequential loop that has only a few iterations, known by number."""
        numbers = [w.facts.simplify(w.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if loop.mode != kc.SEQUENTIAL or loop.at in self.specs or not all(k.is_num(t) for t in numbers):
            return None
        start, bound, step = (t.data for t in numbers)
        if step <= 0 or abs(bound - start) > FEW * step:
            return None
        return values_of(loop, start, bound, step)

    def reduce_tree(self, loop: kc.CountedLoop, w: World, values: list[int]) -> bool:
        """A loop that is a tree reduction, as one operation."""
        tree = find_tree(self.tools, self.run, loop, w, values)
        if tree is None:
            return False
        apply_tree(self.tools, self.memory, tree, w, loop.at)
        return True

    def known_values(self, loop: kc.CountedLoop, w: World) -> list[int] | None:
        """Geometric loops over known numbers are run as they are."""
        if loop.op in ("+", "-"):
            return None
        numbers = [w.facts.simplify(w.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if not all(k.is_num(t) for t in numbers):
            raise Unexplorable("geometric")
        return values_of(loop, *(t.data for t in numbers))

    def loop(self, loop: kc.CountedLoop, w: World) -> LoopSummary:
        """Run the body once, for a symbolic iteration, and find out what the loop does to each base."""
        start, bound, step = (w.value(t) for t in (loop.start, loop.bound, loop.amount))
        range_ = iterations(loop, start, bound, step)
        range_ = replace(range_, high=w.facts.simplify(range_.high))
        v = self.tools.temporaries(1, str(loop.index.data))[0]
        index = instantiate(range_.index, (v,))
        facts = w.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), holds_for(loop, index, bound))
        now = {
            b: unknown_content(self.tools, b, c.rank, c.start.sort.result or c.start.sort)
            for b, c in w.contents.items()
        }
        summary = LoopSummary(v, range_, now, {}, facts)
        given = self.given(loop, w, summary, index)
        facts = summary.facts = facts.assume(*(instantiate(p, (v,)) for p in summary.invariants))
        inner = World(facts, {**w.env, loop.index: index}, dict(now), outer=frozenset(now))
        self.run(loop.body, inner)
        summary.reads = inner.reads
        written = {b: c for b, c in inner.contents.items() if b in now and (c.updates or b in given)}
        Recurrences(self.tools, summary, written, given).solve()
        summary.finals = tuple(
            (b, self.memory.read(c, (), inner.facts)) for b, c in written.items() if self.is_variable(summary, b)
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

    def again(self, loop: kc.CountedLoop, w: World) -> LoopSummary | None:
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
        range_ = IterationRange(named(r.low), named(r.high), named(r.index))
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

    def given(self, loop: kc.CountedLoop, w: World, summary: LoopSummary, index: Term) -> dict[str, Effect]:
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
                sort = self.memory.sort_of(base, w)
                value = c.value if c.value is not None else self.tools.opaque(sort)
                out.setdefault(base, []).append(Update(c.cells, value, written=c.contents != UNINIT))
                kinds[base] = kind
        return {b: Effect(kinds[b], b, tuple(us)) for b, us in out.items()}


def variables_of(i: kc.Instruction) -> set[Term]:
    """The variables that occur in an instruction."""
    out: set[Term] = set()
    for t in terms_of(i):
        out |= t.free
    return out
