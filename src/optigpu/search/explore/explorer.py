"""Symbolic execution of code on memory of which nothing is known but its name. Untrusted: the kernel checks the result.

A loop's body is run once, for a symbolic iteration v. From its updates follows the effect of the whole loop: cells written by one
iteration only, accumulators, scratch, or nothing that follows a law (effect_inference.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from optigpu.elaborate.elaborated import Elaborated
from optigpu.kernel import Rejected
from optigpu.kernel import instructions as kc
from optigpu.kernel.atomic_rules import combined
from optigpu.kernel.causes import DependentIterations, Operation
from optigpu.kernel.iterations import IterationRange, holds_for, iterations, values_of
from optigpu.kernel.side_conditions import terms_of, within
from optigpu.kernel.thread_conditions import WARP
from optigpu.kernel.thread_rules import at_choice, lane_read
from optigpu.light_dataclass import replace
from optigpu.logic import terms as k
from optigpu.logic.cells import UNINIT, CellClaim, Cells, single
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.accumulated_arrays import accumulated_in
from optigpu.search.explore.branch_join import joined_content
from optigpu.search.explore.call_effects import CallEffects
from optigpu.search.explore.effect_contents import EffectContents
from optigpu.search.explore.effect_inference import EffectInference
from optigpu.search.explore.loop_effects import (
    DeclaredInvariant,
    Effect,
    LoopSummary,
    OwnCells,
    Scratch,
    first_instruction,
    has_no_law,
    may_be_unknown,
    same_but_for_guard,
    substituted,
)
from optigpu.search.explore.remembered_summaries import RememberedSummaries, RememberedSummary, arrays_in, moved
from optigpu.search.explore.symbolic_memory import (
    Content,
    Memory,
    SharedCells,
    Unexplorable,
    Update,
    World,
    unknown_content,
    unknown_contents,
)
from optigpu.search.explore.tile_effects import TileEffects
from optigpu.search.explore.tree_reduction import apply_tree, find_tree, tree_invariants
from optigpu.search.fresh_names import mentions_opaque, scoped
from optigpu.search.loop_memo import LoopMemo
from optigpu.search.search_causes import Obstacle
from optigpu.search.search_tools import SearchTools
from optigpu.search.variable_ranges import holds_after

MAX_UNROLLED_ITERATIONS = 10  # of a loop of which nothing else is found out


class Explorer:
    """Runs code on symbolic memory; remembers the summaries of loops."""

    def __init__(
        self, tools: SearchTools, elaborated: Elaborated, remembered: RememberedSummaries | None = None
    ) -> None:
        self.tools = tools
        self.remembered = remembered or RememberedSummaries()
        self.memory = Memory(tools)
        self.calls = CallEffects(self.memory, elaborated.program.functions, elaborated.lemma_arguments)
        self.tiles = TileEffects(tools, self.memory)
        self.specs = elaborated.specs  # what users wrote at loops
        self.variables_of: LoopMemo[frozenset[Term]] = LoopMemo(self._variables_of)
        self.restart()

    def restart(self) -> None:
        """Forget what was found out about the loops of another function."""
        # summaries by the `at` of loops, with the values of the variables that they depend on
        self.summaries: dict[int, tuple[LoopSummary, dict[Term, Term]]] = {}
        self.iterations: dict[Term, Term] = {}  # iterations of explored loops, as the proof calls them

    # Instructions

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
            case kc.LoadCell(target, address):
                index = w.index(address)
                w.env[target] = self.memory.read(w.content(address.base), index, w.facts)
                w.touched += ((address.base, index),)
                w.reads += (single(address.base, index),)
            case kc.StoreCell(address, value):
                index = w.index(address)
                self.memory.write(address.base, Update(single(address.base, index), w.value(value), i.at), w)
                w.touched += ((address.base, index),)
            case kc.AccumulateCell(address, operator, value):
                index = w.index(address)
                old = self.memory.read(w.content(address.base), index, w.facts)
                new = combined(operator, old, w.value(value))
                self.memory.write(address.base, Update(single(address.base, index), new, i.at), w)
                w.touched += ((address.base, index),)
            case kc.Allocate(base, sort):
                dims = (*(None,) * i.distributed, *w.values(i.dims))
                w.contents[base] = unknown_content(self.tools, base, dims, sort)
            case kc.Release(base):
                if base in w.outer:
                    raise Unexplorable(Obstacle.FREED, base)
                w.contents.pop(base, None)
            case kc.Oblige(prop):
                w.facts = w.facts.learn(w.value(prop))
            case kc.Assertion(prop):
                w.facts = w.facts.assume(w.value(prop))
            case kc.GhostStep():
                w.facts = w.facts.assume(*w.values(i.ensures))
            case kc.Branch():
                self.branch(i, w)
            case kc.CountedLoop():
                self.nested_loop(i, w)
            case kc.Invoke():
                self.calls.call(i, w)
            case kc.LaunchKernel() | kc.Phase() | kc.Barrier() | kc.AwaitStage():
                pass
            case kc.Shuffle():
                self.shuffle(i, w)
            case kc.MultiplyTiles() | kc.ReduceRows() | kc.CopyTile():
                self.tiles.apply(i, w)
            case _:
                assert_never(i)

    @scoped
    def shuffle(self, i: kc.Shuffle, w: World) -> None:
        """Each lane of a warp reads the source of another lane."""
        (lane,) = self.tools.temporaries(1, "l")
        inside = w.facts.assume(k.le(k.ZERO, lane), k.lt(lane, k.num(WARP)))
        source, target = ((*w.values(v.lead), w.value(v.shift)) for v in (i.source, i.target))
        other = inside.simplify(lane_read(i.op, lane, w.value(i.amount)))
        content = w.content(i.source.base)
        value = at_choice(other, lambda o: self.memory.read(content, (*source[:-1], k.add(source[-1], o)), inside))
        index = tuple(k.abstract(t, (lane,)) for t in (*target[:-1], k.add(target[-1], lane)))
        cells = Cells(i.target.base, ((k.ZERO, k.num(WARP)),), TRUE, index)
        self.memory.write(i.target.base, Update(cells, k.abstract(value, (lane,)), i.at), w)
        w.reads += (Cells(i.source.base, cells.ranges, TRUE, (*source[:-1], k.add(source[-1], k.bound(0, INT)))),)

    def branch(self, i: kc.Branch, w: World) -> None:
        """Run both branches from here, and join what they leave."""
        test = w.facts.simplify(w.value(i.test))
        if test in (TRUE, k.FALSE):
            self.run(i.then if test is TRUE else i.other, w)
            return
        yes, no = w.copy(), w.copy()
        yes.facts, no.facts = w.facts.assume(test), w.facts.assume(k.not_(test))
        self.run(i.then, yes)
        self.run(i.other, no)
        w.env = {x: k.ite(test, yes.env[x], no.env[x]) for x in yes.env.keys() & no.env.keys()}
        for base in w.contents:
            if base in yes.contents and base in no.contents:
                w.contents[base] = joined_content(self.memory, base, w, test, yes, no)
        w.touched += tuple(t for t in yes.touched[len(w.touched) :] if t in no.touched)
        reads_before = len(w.reads)
        for side, condition in ((yes, test), (no, k.not_(test))):
            guard = TRUE if mentions_opaque(condition) else condition
            for c in side.reads[reads_before:]:
                w.reads += (replace(c, where=k.and_(c.where, k.shift(guard, c.arity))),)

    # Loops

    def nested_loop(self, loop: kc.CountedLoop, w: World) -> None:
        """Run a loop inside an exploration: summarise it, and apply its effects to the contents."""
        values = self.geometric_values(loop, w)
        if values is not None:
            self.run_values(loop, w, values)
            return
        summary = self.summarise(loop, w)
        shared = summary.shared_effect(accumulated_in(loop)) if loop.mode in (kc.THREAD, kc.FRAG) else None
        if shared is not None:
            raise SharedCells(shared.base, first_instruction(shared) or 0)
        has_unknown = any(may_be_unknown(e) for e in summary.effects.values())
        few_values = self.few_values(loop, w) if has_unknown else None
        if few_values:
            self.run_values(loop, w, few_values)
        else:
            self.apply_summary(summary, w)

    def run_values(self, loop: kc.CountedLoop, w: World, values: list[int]) -> None:
        """Run a loop for each value of its index, or all at once if it is a tree reduction."""
        tree = find_tree(self.tools, self.run, loop, w, values)
        if tree is not None:
            apply_tree(self.tools, self.memory, tree, w, loop.at)
            return
        for number in values:
            w.env[loop.index] = k.num(number)
            self.run(loop.body, w)

    @scoped
    def apply_summary(self, summary: LoopSummary, w: World) -> None:
        """Apply the effects of a loop to the state before it."""
        entry = {c.start: (base, c) for base, c in summary.entry.items()}
        before = dict(w.contents)

        def here(t: Term) -> Term:
            """Replace the loop's entry contents by the contents here."""
            return self.memory.resolve(t, entry, before, w.facts)

        w.reads += tuple(summary.of_all_iterations(c) for c in summary.reads)
        contents = EffectContents(self.tools, summary)
        for effect in summary.effects.values():
            for u in contents.updates_of_loop(effect):
                cells = replace(u.cells, where=here(u.cells.where), index=tuple(here(e) for e in u.cells.index))
                b = self.tools.temporaries(u.cells.arity)
                inside = w.facts.assume(u.cells.domain(b))
                value = k.abstract(self.memory.resolve(instantiate(u.value, b), entry, before, inside), b)
                if has_no_law(effect, value):
                    value = self.tools.opaque(value.sort)
                self.memory.write(effect.base, Update(cells, value, u.at, init=here(u.init)), w)
        mentioned = {x for t in (*summary.learned, *(t for _, t in summary.finals)) for x in t.free}
        actual = {c.start: here(c.start) for c in summary.entry.values() if c.start in mentioned}
        for base, law in summary.ranges(self.tools, w.facts, actual).items():
            value = self.memory.read(w.contents[base], (), w.facts)
            w.facts = w.facts.assume(holds_after(law, summary.range, value))

    def few_values(self, loop: kc.CountedLoop, w: World) -> list[int] | None:
        """List the index values of a sequential loop with known bounds and few iterations."""
        numbers = [w.facts.simplify(w.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if loop.mode != kc.SEQUENTIAL or loop.at in self.specs or not all(k.is_num(t) for t in numbers):
            return None
        start, bound, step = (t.data for t in numbers)
        if step <= 0 or abs(bound - start) > MAX_UNROLLED_ITERATIONS * step:
            return None
        return values_of(loop, start, bound, step)

    def geometric_values(self, loop: kc.CountedLoop, w: World) -> list[int] | None:
        """List the index values of a loop that multiplies or divides its index. It must have known bounds, and is unrolled."""
        if loop.op in ("+", "-"):
            return None
        numbers = [w.facts.simplify(w.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if not all(k.is_num(t) for t in numbers):
            raise Unexplorable(Obstacle.GEOMETRIC)
        return values_of(loop, *(t.data for t in numbers))

    # Summaries of loops

    def summarise(self, loop: kc.CountedLoop, w: World) -> LoopSummary:
        """Run the body once, for a symbolic iteration, and infer the effect of the loop on each array."""
        with self.tools.names.inside_loop():
            if any(isinstance(i, kc.Invoke) or i.at in self.specs for i in kc.instructions_in((loop,))):
                return self._summarise(loop, w)
            names = self.tools.names
            question = self.remembered.question(loop, w, self.variables_of(loop), names.depth)
            known = self.remembered.recall(question, loop, w)
            if known is not None:
                return self._summary_again(known, loop)
            opaque = names.opaque_made
            summary = self._summarise(loop, w)
            if names.opaque_made == opaque:  # else it has names that mean something else elsewhere
                places = [i.at for i in kc.instructions_in((loop,))]
                inner = tuple((n, self.summaries[at]) for n, at in enumerate(places) if at in self.summaries)
                self.remembered.add(question, RememberedSummary(loop, arrays_in(w), summary, inner))
            return summary

    def _summary_again(self, known: RememberedSummary, loop: kc.CountedLoop) -> LoopSummary:
        """A summary from an earlier program, and those of the loops inside."""
        places = [i.at for i in kc.instructions_in((loop,))]
        new = dict(zip((i.at for i in kc.instructions_in((known.loop,))), places))
        self.summaries.update((places[n], moved(x, new)) for n, x in known.inner)
        return self.summaries[loop.at][0]

    def _summarise(self, loop: kc.CountedLoop, w: World) -> LoopSummary:
        start, bound, step = (w.value(t) for t in (loop.start, loop.bound, loop.amount))
        range_ = iterations(loop, start, bound, step)
        range_ = replace(range_, high=w.facts.simplify(range_.high))
        v = self.tools.names.iteration(loop.index)
        index = instantiate(range_.index, (v,))
        facts = w.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), holds_for(loop, index, bound))
        at_start = {**unknown_contents(self.tools, w.contents), **described_contents(loop, w)}
        summary = LoopSummary(v, range_, at_start, {}, facts)
        declared = self.declared_effects(loop, w, summary, index)
        facts = summary.facts = facts.assume(*(instantiate(p, (v,)) for p in summary.invariants))
        inner = World(facts, {**w.env, loop.index: index}, dict(at_start), outer=frozenset(at_start))
        self.run(loop.body, inner)
        summary.reads = inner.reads
        written = {b: c for b, c in inner.contents.items() if b in at_start and (c.updates or b in declared)}
        EffectInference(self.tools, summary, written, declared).infer()
        if any(may_be_unknown(e) for e in summary.effects.values()) and self.few_values(loop, w) is None:
            summary.effects |= tree_invariants(self.tools, summary, written) if loop.mode in kc.IN_SEQUENCE else {}
        summary.finals = tuple(
            (b, self.memory.read(c, (), inner.facts)) for b, c in written.items() if _needs_range(summary, b)
        )
        summary.learned = inner.facts.assumptions[len(w.facts.assumptions) :] if summary.finals else ()
        if loop.at not in self.specs:
            self.summaries[loop.at] = (summary, {x: w.value(x) for x in self.variables_of(loop)})
        return summary

    def _variables_of(self, loop: kc.CountedLoop) -> frozenset[Term]:
        """Return the variables that occur in the code of a loop."""
        parts = (loop.index, loop.start, loop.bound, loop.amount)
        inner = [self.variables_of(i) if isinstance(i, kc.CountedLoop) else frozenset(terms_of(i)) for i in loop.body]
        return frozenset(x for t in (*parts, *(t for ts in inner for t in ts)) for x in t.free)

    def recalled_summary(self, loop: kc.CountedLoop, w: World) -> LoopSummary | None:
        """Return the summary made when an outer loop was explored, if the loop depends on the same values here."""
        if loop.at not in self.summaries:
            return None
        summary, inputs = self.summaries[loop.at]
        names = {x: t for x, t in self.iterations.items() if x is not summary.v}
        if any(k.substitute(t, names) is not w.value(x) for x, t in inputs.items()):
            return None
        if summary.entry.keys() != w.contents.keys():
            return None

        def renamed(t: Term) -> Term:
            return k.substitute(t, names)

        v, r = summary.v, summary.range
        range_ = IterationRange(renamed(r.low), renamed(r.high), renamed(r.index))
        runs = holds_for(loop, instantiate(range_.index, (v,)), w.value(loop.bound))
        facts = w.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), runs)
        effects = {base: substituted(e, names) for base, e in summary.effects.items()}
        reads = tuple(c.substitute(names) for c in summary.reads)
        finals = tuple((b, renamed(t)) for b, t in summary.finals)
        learned = tuple(renamed(t) for t in summary.learned)
        return LoopSummary(v, range_, summary.entry, effects, facts, (), reads, finals, learned)

    def declared_effects(self, loop: kc.CountedLoop, w: World, summary: LoopSummary, index: Term) -> dict[str, Effect]:
        """Turn the user's annotations of a loop into effects."""
        spec = self.specs.get(loop.at)
        if spec is None:
            return {}
        if spec.facts and loop.mode not in kc.IN_SEQUENCE:
            raise Rejected(DependentIterations(Operation.LOOP))
        if spec.variables:
            raise Unexplorable(Obstacle.VARIABLES)
        sub = {**w.env, loop.index: index}
        v, low = summary.v, summary.range.low
        facts = [k.substitute(p, sub) for p, _ in spec.facts]
        for p, _ in spec.ensures:  # of all iterations before v
            facts.append(k.big("all", low, v, k.abstract(k.substitute(p, sub), (v,))))
        summary.invariants = tuple(k.abstract(p, (v,)) for p in facts)
        invariants = self._declared_updates((c for c, _ in spec.invariant), sub, w)
        own_cells = self._declared_updates((c for c, _ in spec.exclusive_post), sub, w)
        effects: dict[str, Effect] = {}
        for base in invariants | own_cells:
            updates = (*invariants.get(base, ()), *own_cells.get(base, ()))
            declared = DeclaredInvariant(base, updates)
            effects[base] = OwnCells(base, _as_one(updates)) if base in own_cells else declared
        return effects

    def _declared_updates(
        self, claims: Iterable[CellClaim], sub: dict[Term, Term], w: World
    ) -> dict[str, tuple[Update, ...]]:
        """Collect what claims state of the contents of each array."""
        updates: dict[str, tuple[Update, ...]] = {}
        for claim in claims:
            c = claim.substitute(sub)
            content = w.content(c.cells.base)
            value = c.value if c.value is not None else self.tools.opaque(content.sort)
            update = Update(c.cells, value, written=c.contents != UNINIT)
            updates[c.cells.base] = (*updates.get(c.cells.base, ()), update)
        return updates


def described_contents(loop: kc.CountedLoop, w: World) -> dict[str, Content]:
    """The contents of integers that facts speak of, and that the loop does not change."""
    code = list(kc.instructions_in((loop,)))
    changed = {i.place.base for i in code if isinstance(i, kc.StoreCell | kc.AccumulateCell)}
    changed |= {a.base for i in code if isinstance(i, kc.Invoke) for a in i.args if isinstance(a, kc.ArrayView)}
    changed |= {i.target.base for i in code if isinstance(i, kc.Shuffle | kc.CopyTile)}
    integers = {b: c for b, c in w.contents.items() if c.sort is INT and c.rank and not c.updates and b not in changed}
    return {b: c for b, c in integers.items() if any(c.start in i.free for i in w.facts.items)}


def _needs_range(summary: LoopSummary, base: str) -> bool:
    """Is this an integer variable whose value after an iteration is not known exactly?"""
    effect = summary.effects[base]
    known = isinstance(effect, Scratch) and not mentions_opaque(effect.updates[0].value)
    return summary.entry[base].start.sort is INT and not known


def _as_one(updates: tuple[Update, ...]) -> tuple[Update, ...]:
    """Write cells that are initialised on a condition, and otherwise not, as one update."""
    match updates:
        case (Update(cells, written=True) as some, Update(others, written=False)) if same_but_for_guard(cells, others):
            where = k.or_(cells.where, others.where)
            return (replace(some, cells=replace(cells, where=where), init=k.and_(some.init, cells.where)),)
        case _:
            return updates
