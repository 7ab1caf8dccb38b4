"""Symbolic execution that drives the kernel: finds the families, maps, loop contracts and proof steps that the rules ask for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optigpu.elaborate.functions import Elaborated
from optigpu.kernel import instructions as kc
from optigpu.kernel.call_rules import seen_through
from optigpu.kernel.context import THREADS
from optigpu.kernel.ledger import Theorem
from optigpu.kernel.loop_contract import Exclusive, Invariant, LoopContract
from optigpu.kernel.sealed import Kernel
from optigpu.kernel.side_conditions import Take, terms_of
from optigpu.kernel.state import Rejected, State
from optigpu.kernel.thread_rules import lanes
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, CellClaim, CellFamily, Cells, Terms, arguments, box, same
from optigpu.logic.equality import EqualitySteps
from optigpu.logic.facts import Facts
from optigpu.logic.terms import TRUE, Term, instantiate
from optigpu.search.covers import CoverSearch, combined
from optigpu.search.explore.call_effects import bind_variables, call_arguments
from optigpu.search.explore.explorer import Explorer
from optigpu.search.explore.loop_effects import (
    Effect,
    LoopSummary,
    filled,
    located,
    over_all,
    rotation,
    start_contents,
)
from optigpu.search.explore.symbolic_memory import Unexplorable, World, unknown_content
from optigpu.search.explore.tree_reduction import find_tree, halved, halving_steps, stated
from optigpu.search.gathering import gathered
from optigpu.search.inferred_contracts import ShownLoop
from optigpu.search.inverse import NAMES, invert, temporaries
from optigpu.search.maxima import Guess
from optigpu.search.proof_states import Points
from optigpu.search.questions import follows
from optigpu.search.races import Access, explain
from optigpu.search.sums import Found, SumProver, abstract_step
from optigpu.search.thread_search import ThreadSearch


@dataclass
class Failed(Exception):
    """A rule was rejected at an instruction."""

    rejected: Rejected
    at: int
    function: str
    clause: tuple[str, int] | None = None  # which clause of the function's contract

    def __str__(self) -> str:
        return str(self.rejected)


ATTEMPTS = 4  # at a loop whose start has to be weakened to what its end leaves
# Which of several reasons not to access a cell says most.
REASONS = ("permission", "overlap", "init", "owner", "level", "space")

NEAR = 8  # instructions in which the side conditions of an expression follow a load


class Executor:
    def __init__(self, kernel: Kernel, elaborated: Elaborated, found: Found | None = None) -> None:
        self.kernel = kernel
        self.judge = kernel.judge
        self.elaborated = elaborated
        self.explorer = Explorer(kernel.judge, elaborated)
        self.sums = SumProver(kernel.judge, found)
        self.threads = ThreadSearch(kernel)
        self.function = ""
        self.place = 0
        self.clause: tuple[str, int] | None = None
        self.shown: dict[int, ShownLoop] = {}  # by the `at` of loops
        self.allocated: dict[str, int] = {}  # where bases were allocated
        self.points: Points | None = None  # kept if there is one
        self.accesses: list[Access] = []  # loads and stores so far
        self.current: State | None = None  # where the executor is

    # Functions

    def verify(self, name: str) -> Theorem:
        self.function, self.place, self.clause = name, 0, None
        self.accesses, self.current = [], None
        self.explorer.names, self.explorer.found = {}, {}
        NAMES.restart()
        f = self.kernel.program.functions[name]
        try:
            state = self.current = self.kernel.begin(name, tuple(self.inverse(c) for c in f.contract.pre))
            end = self.run(state)
            self.place = 0
            return self.finish_whole(end, f)
        except Rejected as r:
            clause = self.clause
            if self.current is not None:
                self.place = r.data.get("place") or self.place
                explain(self.judge, self.current, r, self.accesses, self.place)
            if r.why in ("leak", "branches") and r.data.get("base") in self.allocated:
                self.place, clause = self.allocated[r.data["base"]], None
            if r.rule == "begin" and "claims" in r.data:
                clause = ("pre", r.data["claims"][1])
            raise Failed(r, self.place, name, clause) from None

    def inverse(self, claim: CellClaim) -> Terms:
        """The binders of a claim, read off its index."""
        xs = temporaries(len(claim.cells.index))
        found = invert(claim.cells, xs, self.kernel.judge.root)
        if found is None:
            return tuple(k.ZERO for _ in range(claim.cells.arity))
        return tuple(k.abstract(t, xs) for t in found)

    def finish_whole(self, state: State, f: kc.Procedure) -> Theorem:
        """The end of a function; what a claim asks for may be in several families."""
        try:
            return self.finish(state, f)
        except Rejected as r:
            whole = gathered(self.kernel, state, r.data.get("base", "")) if r.why == "permission" else None
            if whole is None:
                raise
            return self.finish(whole, f)

    def finish(self, state: State, f: kc.Procedure) -> Theorem:
        takes: list[Take] = []
        held = dict(state.held)
        for i, said in enumerate(f.contract.post):
            self.clause = ("post", i)
            claim = said.substitute(dict(state.env))  # it may speak of the result
            take = self.find_claim("post", state, held, claim)
            r = held[take.family]
            takes.append(self.with_steps(state.facts, claim, r, take))
            held[take.family] = r.without(self.member(claim.cells, r, take.back))
        self.clause = None
        steps = tuple(self.fact_steps(state.facts, state.value(p)) for p in f.contract.ensures)
        try:
            return self.kernel.finish(state, tuple(takes), steps)
        except Rejected as r:
            self.clause = self.failed_clause(state, f, r)
            raise

    def failed_clause(self, state: State, f: kc.Procedure, r: Rejected) -> tuple[str, int] | None:
        """Which clause of the postcondition a rejection is about."""
        if r.rule == "ensures":
            return next((("ensures", i) for i, p in enumerate(f.contract.ensures) if state.value(p) is r.goal), None)
        cells, env = r.data.get("cells") or r.data.get("need"), dict(state.env)
        return next((("post", i) for i, c in enumerate(f.contract.post) if c.cells.substitute(env) == cells), None)

    def member(self, cells: Cells, r: CellFamily, back: Terms) -> Term:
        return k.and_(cells.domain(back), same(cells.at(back), r.cells.index))

    def fact_steps(self, facts: Facts, goal: Term) -> EqualitySteps:
        if goal.op != "eq" or follows(self.judge, facts, goal):
            return ()
        p = goal.args[0]
        return self.sums.find(facts, p, k.num(0, p.sort)) or ()

    # Finding cells

    def candidates(self, held: dict[int, CellFamily], base: str, share: str, index: Terms = ()) -> list[int]:
        """Families of a base, full ones first; single cells that are plainly other ones than that at `index` last."""
        found = [n for n, r in held.items() if r.cells.base == base and (share != FULL or r.share == FULL)]
        return sorted(found, key=lambda n: (_elsewhere(held[n].cells, index), held[n].share != FULL))

    def find_claim(self, rule: str, state: State, held: dict[int, CellFamily], claim: CellClaim) -> Take:
        for n in self.candidates(
            held, claim.cells.base, claim.share, claim.cells.index if not claim.cells.arity else ()
        ):
            maps = self.maps(state.facts, claim.cells, held[n])
            if maps is not None and self.includes(state.facts, claim.cells, held[n], maps[0]):
                return Take(n, *maps)
        options = self.candidates(held, claim.cells.base, claim.share)
        if not options:
            raise Rejected(rule, "permission", state.facts, None, base=claim.cells.base, need=claim.cells)
        maps = self.maps(state.facts, claim.cells, held[options[0]])
        if maps is None:
            raise Rejected(rule, "permission", state.facts, None, base=claim.cells.base, need=claim.cells)
        return Take(options[0], *maps)

    def maps(self, facts: Facts, need: Cells, r: CellFamily) -> tuple[Terms, Terms] | None:
        """forward (from the binders of need to those of r) and back."""
        xs = temporaries(need.arity)
        forward = invert(r.cells, need.at(xs), facts.assume(need.domain(xs)))
        ys = temporaries(r.cells.arity)
        back = invert(need, r.cells.at(ys), facts.assume(r.cells.domain(ys)))
        if forward is None or back is None:
            return None
        return tuple(k.abstract(t, xs) for t in forward), tuple(k.abstract(t, ys) for t in back)

    def includes(self, facts: Facts, need: Cells, r: CellFamily, forward: Terms) -> bool:
        xs = temporaries(need.arity)
        inside = facts.assume(need.domain(xs))
        image = tuple(instantiate(t, xs) for t in forward)
        goal = k.and_(same(r.cells.at(image), need.at(xs)), r.cells.domain(image))
        return follows(self.judge, inside, goal)

    def with_steps(self, facts: Facts, claim: CellClaim, r: CellFamily, take: Take) -> Take:
        if claim.contents != KNOWN or claim.value is None:
            return take
        want = CellFamily(claim.cells, claim.value, TRUE)
        return replace(take, steps=self.value_steps(facts, want, r, take.forward))

    def value_steps(
        self, facts: Facts, want: CellFamily, r: CellFamily, forward: Terms, guess: Guess | None = None
    ) -> EqualitySteps:
        """Steps that show r to hold what is wanted, under the binders of what is wanted."""
        xs, inside = facts.arbitrary(
            *(k.INT,) * want.cells.arity
        )  # as the kernel names them: names decide how terms simplify
        inside = inside.assume(want.cells.domain(xs)).assume(want.init_at(xs))
        image = tuple(instantiate(t, xs) for t in forward)
        found = self.sums.find(inside, r.value_at(image), want.value_at(xs), guess)
        return tuple(abstract_step(s, xs) for s in found or ())

    # Running code

    def run(self, state: State) -> State:
        while state.next is not None:
            if self.points is not None:
                self.points.seen(state)
            state = self.one(state)
        if self.points is not None:
            self.points.seen(state)
        return state

    def one(self, state: State) -> State:
        """The next instruction."""
        assert state.next is not None
        self.place = state.next.at or self.place
        self.current = state
        try:
            return self.step(state)
        except Rejected as r:
            whole = gathered(self.kernel, state, r.data.get("base", "")) if r.why == "permission" else None
            if whole is None:
                raise
            self.place, self.current = state.next.at or self.place, whole
            return self.step(whole)

    def step(self, state: State) -> State:
        match state.next:
            case kc.Bind():
                return self.kernel.let(state)
            case kc.Havoc():
                return self.kernel.choose(state)
            case kc.LoadCell(_, place):
                return self.access(state, place, "load")
            case kc.StoreCell(place):
                return self.access(state, place, "store")
            case kc.Allocate():
                self.allocated[state.next.base] = state.next.at
                return self.kernel.allocate(state)
            case kc.Release(base):
                return self.free(state, base)
            case kc.Oblige():
                return self.kernel.oblige(state)
            case kc.Assertion(prop):
                return self.kernel.assertion(state, self.fact_steps(state.facts, state.value(prop)))
            case kc.Branch():
                yes, no = self.kernel.enter_if(state)
                yes = self.run(yes)
                no = self.run(no)
                return self.kernel.join_if(yes, no)
            case kc.CountedLoop() as loop:
                return self.loop(state, loop)
            case kc.Invoke() as call:
                return self.call(state, call)
            case kc.GhostStep() as ghost:
                return self.ghost(state, ghost)
            case kc.LaunchKernel():
                return self.kernel.launch(state)
            case kc.Phase():
                return self.kernel.phase(state)
            case kc.Barrier():
                return self.kernel.barrier(state)
            case kc.Shuffle() as shuffle:
                return self.shuffle(state, shuffle)
            case _:
                raise Rejected("order", "nothing to execute")

    def shuffle(self, state: State, i: kc.Shuffle) -> State:
        found: list[tuple[int, tuple[Terms, Terms]]] = []
        for view, share in ((i.source, "any"), (i.target, FULL)):
            families = self.candidates(dict(state.held), view.base, share)
            n, maps = self.home(state, lanes(state, view), families) if families else (0, None)
            if maps is None:
                raise Rejected("shuffle", "permission", state.facts, None, base=view.base)
            found.append((n, maps))
        (source, (forward, _)), (target, (forward2, back)) = found
        return self.kernel.tidy(self.kernel.shuffle(state, source, forward, target, forward2, back), target)

    def access(self, state: State, place: kc.CellAddress, rule: str) -> State:
        index = state.values(place.index)
        last: Rejected | None = None
        for n in self.candidates(dict(state.held), place.base, FULL if rule == "store" else "any", index):
            at = invert(state.held[n].cells, index, state.facts)
            if at is None:
                continue
            try:
                if rule == "load":
                    after = self.kernel.load(self.plain_sums(state, n), n, at)
                else:
                    after = self.kernel.store(state, n, at)
                self.accesses.append((place.base, rule, self.place))
                return after
            except Rejected as r:
                last = r if last is None or _telling(r) > _telling(last) else last
        if last is not None:
            raise last
        readable = any(r.cells.base == place.base for r in state.held.values())
        why = "read-only" if rule == "store" and readable else "permission"
        raise Rejected(rule, why, state.facts, None, base=place.base, index=index)

    def plain_sums(self, state: State, n: int) -> State:
        """What a family holds, with nested sums as sums over one range, if a side condition is about it: those have no steps."""
        load = state.next
        near = state.code[1:NEAR]
        if not isinstance(load, kc.LoadCell) or not any(
            isinstance(i, kc.Oblige) and load.target in i.prop.free for i in near
        ):
            return state
        r = state.held[n]
        xs = temporaries(r.cells.arity)
        inside = state.facts.assume(r.cells.domain(xs), r.init_at(xs))
        value, steps = self.sums.plain(inside, r.value_at(xs))
        if not steps:
            return state
        return self.kernel.restate(state, n, TRUE, k.abstract(value, xs), tuple(abstract_step(s, xs) for s in steps))

    def free(self, state: State, base: str) -> State:
        info = state.bases.get(base)
        families = self.candidates(dict(state.held), base, FULL)
        if info is None or not families or any(d is None for d in info.dims):
            raise Rejected("free", "not allocated", state.facts, None, base=base)
        whole = box(base, tuple(d for d in info.dims if d is not None))
        xs = temporaries(whole.arity)
        forward = invert(state.held[families[0]].cells, xs, state.facts.assume(whole.domain(xs)))
        if forward is None:
            raise Rejected("free", "permission", state.facts, None, base=base)
        return self.kernel.free(state, families[0], tuple(k.abstract(t, xs) for t in forward))

    # Loops

    def loop(self, state: State, loop: kc.CountedLoop, bounded: bool = True) -> State:
        """The loop by a contract that is found here; `bounded`: with ranges of the variables that it changes."""
        if loop.op not in ("+", "-"):
            return self.unrolled(state, loop)
        if loop.mode == kc.THREAD and state.context.kind == THREADS:
            self.threads.extents(state, loop, state.context.threads)
        world = self.world(state)
        try:
            summary = self.explorer.again(loop, world) or self.explorer.loop(loop, world)
            contract = self.contract(state, summary, bounded)
        except Unexplorable as e:
            if e.why == "race":
                raise Rejected("loop", "race", base=e.base, place=e.at, scope="block") from None
            raise Rejected("infer", e.why, state.facts, None, base=e.base) from None
        if any(e.kind == "unknown" for e in summary.effects.values()) and self.explorer.few(loop, world):
            return self.kernel.unroll(state)
        contract = replace(contract, invariant=tuple(self.entry_steps(state, summary, i) for i in contract.invariant))
        contract = self.threads.contract(state, loop, summary, contract)
        number = state.counter + 1
        v = state.fresh(str(loop.index.data), k.INT)
        self.explorer.names[summary.v] = v
        for _ in range(ATTEMPTS):
            self.current = state
            try:
                body = self.kernel.enter_loop(state, contract)
            except Rejected as r:
                self.blame(summary, r)
                if loop.mode == kc.THREAD and r.why == "overlap":
                    r.why = "race"
                raise
            end = self.threads.outliving(self.run(body), state)
            wider = self.threads.widened(state, end, contract, summary, v)
            if wider is None:
                break
            contract = wider
        self.place = loop.at
        self.shown[loop.at] = ShownLoop(loop, contract, summary.range, v, state)
        exclusive, invariant = self.exit_steps(end, contract, v, number)
        covers = self.threads.exit_covers(end, contract, v)
        self.current = end
        try:
            after = self.kernel.leave_loop(end, exclusive, invariant, covers)
        except Rejected as r:
            if r.why == "law":  # the actual contents do not show what those of the exploration did
                return self.loop(state, loop, False)
            if r.why in ("value", "init") and self.explorer.few(loop, world):
                return self.kernel.unroll(state)
            raise
        for n in {x.family for x in contract.exclusive} | {i.family for i in contract.invariant}:
            after = self.kernel.tidy(after, n)
        return after

    def world(self, state: State) -> World:
        """The start of an exploration from here."""
        contents = {b: unknown_content(b, len(info.dims), info.sort) for b, info in state.bases.items()}
        return World(state.facts, dict(state.env), contents)

    def unrolled(self, state: State, loop: kc.CountedLoop) -> State:
        """A loop over known numbers, one iteration after the other; a tree reduction with its contents said anew after each."""
        start = self.kernel.unroll(state)
        world = self.world(state)
        values = self.explorer.known_values(loop, world)
        tree = find_tree(self.explorer.run, loop, world, values) if values else None
        if tree is None or values is None:
            return start
        families = self.candidates(dict(state.held), tree.base, FULL)
        if len(families) != 1:
            return start
        (n,) = families
        after, each = len(state.code) - 1, 1 + len(loop.body)
        entry, state = state.held[n], start
        for done, h in enumerate(values, 1):
            while len(state.code) > after + each * (len(values) - done):
                state = self.one(state)
            stated_ = stated(tree, h, entry, state.held[n], state.facts)
            if stated_ is not None:
                want = CellFamily(entry.cells, stated_[1], stated_[0])
                if tree.op == "sum":
                    steps = halving_steps(tree, h, want, state.facts)
                else:
                    steps = self.value_steps(state.facts, want, state.held[n], arguments(want.cells.arity), halved)
                try:
                    state = self.kernel.tidy(self.kernel.restate(state, n, *stated_, steps), n)
                except Rejected:
                    continue
        return state

    def blame(self, summary: LoopSummary, r: Rejected) -> None:
        """The statement in the loop because of which its contract needs what it does not have."""
        effect = summary.effects.get(r.data.get("base", ""))
        if effect is not None:
            self.place = next((u.at for u in effect.updates if u.at), self.place)

    def with_law(self, state: State, summary: LoopSummary, inv: Invariant, laws: dict[str, Term]) -> Invariant:
        """With bounds of a variable that the loop changes."""
        r = state.held[inv.family]
        law = laws.get(r.cells.base, TRUE) if r.cells.arity == 0 else TRUE
        said = k.and_(*(p for p in k.conjuncts(law) if _expressible(p)))
        return replace(inv, law=said) if said is not TRUE else inv

    def contract(self, state: State, summary: LoopSummary, bounded: bool = True) -> LoopContract:
        exclusive: list[Exclusive] = []
        invariant: list[Invariant] = []
        actual = self.entry_values(state, summary)
        for effect in summary.effects.values():
            families = self.candidates(dict(state.held), effect.base, FULL)
            if not families:
                rejected = Rejected("loop", "read-only", state.facts, None, base=effect.base)
                self.blame(summary, rejected)
                raise rejected
            if effect.kind == "each" and not effect.progressive:
                exclusive += self.exclusive(state, summary, effect, families, actual)
            else:
                invariant.append(self.invariant(state, summary, effect, families[0], actual))
        laws = summary.ranges(self.judge, state.facts, actual) if bounded else {}
        invariant = [self.with_law(state, summary, i, laws) for i in invariant]
        invariant.sort(
            key=lambda i: state.held[i.family].cells.arity > 0
        )  # where others are written may depend on a counter
        facts = tuple(k.substitute(p, actual) for p in summary.invariants)
        return LoopContract(tuple(exclusive), tuple(invariant), facts)

    def entry_values(self, state: State, summary: LoopSummary) -> dict[Term, Term]:
        """What the names of entry contents stand for: the values of the families held here."""
        out: dict[Term, Term] = {}
        effects = tuple(summary.effects.values())
        used = (effects, summary.invariants, summary.reads, tuple(t for _, t in summary.finals), summary.learned)
        mentioned = {x for t in terms_of(used) for x in t.free}
        kept = {e.base for e in effects if e.progressive or e.kind != "each"}  # their start is part of their law
        for base, content in summary.entry.items():
            families = self.candidates(dict(state.held), base, "any")
            if not families or (content.start not in mentioned and base not in kept):
                continue
            xs = temporaries(content.rank, "x")
            value: Term | None = None
            for n in families:
                r = state.held[n]
                at = invert(r.cells, xs, state.facts)
                if at is None:
                    continue
                here = r.value_at(at)
                inside = k.and_(r.cells.domain(at), same(r.cells.at(at), xs))
                value = here if value is None else k.ite(inside, here, value)
            if value is not None:
                out[content.start] = k.lam(xs, value) if content.rank else value
        return out

    def exclusive(
        self, state: State, summary: LoopSummary, effect: Effect, families: list[int], actual: dict[Term, Term]
    ) -> list[Exclusive]:
        out: list[Exclusive] = []
        v = summary.v
        covering = self.covering(state, summary, effect, families, actual)
        if covering is not None:
            return [covering]
        for u in effect.updates:
            cells = u.cells.substitute(actual)
            whole = over_all(cells, summary)
            xs = temporaries(cells.arity, "x")
            inside = summary.facts.assume(cells.domain(xs))
            value = inside.simplify(k.substitute(inside.simplify(instantiate(u.value, xs)), actual))
            n, maps = self.home(state, whole, families)
            init: Term = k.abstract(instantiate(u.init, xs), (v, *xs)) if u.written else k.FALSE
            if maps is None:
                raise Rejected("loop", "permission", state.facts, None, base=effect.base, need=whole)
            if u.perhaps:
                init = instantiate(state.held[n].init, maps[0])
            known = u.written and _expressible(value)
            out.append(Exclusive(n, whole, *maps, init, k.abstract(value, (v, *xs)) if known else None))
        return out

    def covering(
        self, state: State, summary: LoopSummary, effect: Effect, families: list[int], actual: dict[Term, Term]
    ) -> Exclusive | None:
        """One set of cells for an iteration instead of the pieces that it writes, where they overlap or it reads around them."""
        reads = [c for c in summary.reads if c.base == effect.base]
        if len(effect.updates) < 2 and not reads:
            return None
        updates = [replace(u, cells=u.cells.substitute(actual)) for u in effect.updates]
        reads = [c.substitute(actual) for c in reads]
        for n in families:
            r, v = state.held[n], summary.v
            cells = CoverSearch(self.judge, summary, r).cover(replace(effect, updates=tuple(updates)), reads)
            if cells is None:
                continue
            whole = over_all(cells, summary)
            maps = self.maps(state.facts, whole, r)
            if maps is None:
                continue
            xs = temporaries(cells.arity, "x")
            inside = summary.facts.assume(cells.domain(xs))
            at = tuple(instantiate(t, (v, *xs)) for t in maps[0])
            value, init = combined(updates, cells, inside, r.value_at(at), r.init_at(at), xs)
            value = inside.simplify(k.substitute(inside.simplify(value), actual))
            init = inside.simplify(k.substitute(init, actual))
            known = _expressible(value)
            bound = (v, *xs)
            return Exclusive(n, whole, *maps, k.abstract(init, bound), k.abstract(value, bound) if known else None)
        return None

    def home(self, state: State, cells: Cells, families: list[int]) -> tuple[int, tuple[Terms, Terms] | None]:
        """The family that has the cells, and the maps; the first one if none is seen to have them."""
        found = [(n, self.maps(state.facts, cells, state.held[n])) for n in families]
        for n, maps in found if len(found) > 1 else ():
            if maps is not None and self.includes(state.facts, cells, state.held[n], maps[0]):
                return n, maps
        return found[0]

    def invariant(
        self, state: State, summary: LoopSummary, effect: Effect, n: int, actual: dict[Term, Term]
    ) -> Invariant:
        r = state.held[n]
        v, low = summary.v, summary.range.low
        ys = temporaries(r.cells.arity)
        facts = state.facts.assume(r.cells.domain(ys))
        inside_loop = facts.assume(k.le(low, v))
        index, init = r.cells.at(ys), r.init_at(ys)
        bound = (v, *ys)
        if effect.kind == "unknown":
            done = filled(effect, summary, index, self.judge)
            done = inside_loop.simplify(k.substitute(done, actual))
            init = k.or_(init, done) if _expressible(done) else init
            return Invariant(n, k.abstract(init, bound), None)
        value = start_contents(effect, summary, index, r.value_at(ys), inside_loop)
        value = inside_loop.simplify(k.substitute(value, actual))
        if effect.op.startswith("flag"):
            value = _without_choice(value, inside_loop)
        for u in effect.updates:
            if effect.kind == "scratch":
                where, here = located(u, index, inside_loop)
                last = k.substitute(instantiate(u.init, where), {v: k.sub(v, k.ONE)})
                init = k.ite(k.and_(here, k.lt(low, v)), last, init)
            elif effect.kind == "rotating":
                last, earlier = rotation(u, index, v)
                _, here = located(earlier, index, inside_loop)
                init = k.ite(k.le(low, last), here, init)
            elif effect.kind == "given":
                _, here = located(u, index, inside_loop)
                init = k.ite(here, TRUE if u.written else k.FALSE, init)
            elif effect.kind == "each":
                written = start_contents(
                    replace(effect, updates=(replace(u, value=TRUE),)), summary, index, k.FALSE, inside_loop
                )
                init = k.or_(written, init)
        init = inside_loop.simplify(k.substitute(init, actual))
        return Invariant(n, k.abstract(init, bound), k.abstract(value, bound) if _expressible(value) else None)

    def entry_steps(self, state: State, summary: LoopSummary, inv: Invariant) -> Invariant:
        if inv.value is None:
            return inv
        r = state.held[inv.family]
        args = (summary.range.low, *arguments(r.cells.arity))
        want = replace(r, value=instantiate(inv.value, args), init=instantiate(inv.init, args))
        return replace(inv, steps=self.value_steps(state.facts, want, r, arguments(r.cells.arity)))

    def exit_steps(
        self, end: State, contract: LoopContract, v: Term, number: int
    ) -> tuple[tuple[EqualitySteps, ...], tuple[EqualitySteps, ...]]:
        exclusive: list[EqualitySteps] = []
        for i, x in enumerate(contract.exclusive):
            mine = end.held.get(number + i)
            if mine is None or x.value is None:
                exclusive.append(())
                continue
            args = (v, *arguments(mine.cells.arity))
            want = CellFamily(mine.cells, instantiate(x.value, args), instantiate(x.init, args))
            exclusive.append(self.value_steps(end.facts, want, mine, arguments(mine.cells.arity)))
        invariant: list[EqualitySteps] = []
        for inv in contract.invariant:
            mine = end.held.get(inv.family)
            if mine is None or inv.value is None:
                invariant.append(())
                continue
            args = (k.add(v, k.ONE), *arguments(mine.cells.arity))
            want = CellFamily(mine.cells, instantiate(inv.value, args), instantiate(inv.init, args))
            invariant.append(self.value_steps(end.facts, want, mine, arguments(mine.cells.arity)))
        return tuple(exclusive), tuple(invariant)

    # Calls and ghosts

    def call(self, state: State, call: kc.Invoke) -> State:
        f = self.kernel.program.functions[call.function]
        sub, views = call_arguments(f, call, state.value)

        def read(base: str, index: Terms) -> Term:
            for n in self.candidates(dict(state.held), base, "any"):
                at = invert(state.held[n].cells, index, state.facts)
                if at is not None:
                    return state.held[n].value_at(at)
            raise Rejected("call", "permission", state.facts, None, base=base)

        given = self.elaborated.given.get(call.at, {})
        sub.update((x, state.value(given[str(x.data)])) for x in f.contract.variables if str(x.data) in given)
        for claim in f.contract.pre:
            bind_variables(claim, views, sub, f.contract.variables, read)
        missing = [x for x in f.contract.variables if x not in sub]
        for x in missing:
            sub[x] = self.solve_variable(x, f, sub, state.facts)
        held = dict(state.held)
        pre = [seen_through(c.substitute(sub), views) for c in f.contract.pre]
        takes: dict[int, Take] = {}
        for share in (FULL, "read"):
            for i, claim in enumerate(pre):
                if claim.share != share:
                    continue
                take = self.find_claim("call", state, held, claim)
                r = held[take.family]
                takes[i] = self.with_steps(state.facts, claim, r, take)
                if share == FULL:
                    held[take.family] = r.without(self.member(claim.cells, r, take.back))
        steps = tuple(self.fact_steps(state.facts, k.substitute(p, sub)) for p in f.contract.requires)
        variables = tuple(sub[x] for x in f.contract.variables)
        posts = [seen_through(c.substitute(sub), views) for c in f.contract.post]
        homes = [(c.cells, takes[i].family) for i, c in enumerate(pre) if c.share == FULL]
        gives = tuple(self.given_back(state, c, homes) for c in posts)
        after = self.kernel.call(state, variables, tuple(takes[i] for i in range(len(pre))), steps, gives)
        for n in {t.family for i, t in takes.items() if pre[i].share == FULL}:
            after = self.kernel.tidy(after, n)
        return after

    def given_back(self, state: State, post: CellClaim, homes: list[tuple[Cells, int]]) -> Take | None:
        """The family that cells of a postcondition come from, if they are some of those of one claim of the precondition."""
        for cells, n in homes:
            if cells.base == post.cells.base and cells != post.cells:
                within, maps = CellFamily(cells, k.ZERO, TRUE), self.maps(state.facts, post.cells, state.held[n])
                found = self.maps(state.facts, post.cells, within)
                if maps and found and self.includes(state.facts, post.cells, within, found[0]):
                    return Take(n, *maps)
        return None

    def solve_variable(self, x: Term, f: kc.Procedure, sub: dict[Term, Term], facts: Facts) -> Term:
        """A logical variable that only a fact determines: `n == 32 * w`."""
        for p in f.contract.requires:
            t = k.substitute(p, sub)
            if t.op == "eq" and x in t.free and x.sort is k.INT:
                cs = k.coefficients(t.args[0])
                c = cs.get((x,), 0)
                rest = k.sub(t.args[0], k.scale(c, x)) if c else None
                if rest is not None and x not in rest.free:
                    return facts.simplify(k.fdiv(k.scale(-1 if c > 0 else 1, rest), k.num(abs(c))))
        raise Rejected("call", "variable", facts, None, name=str(x.data))

    def ghost(self, state: State, ghost: kc.GhostStep) -> State:
        takes: list[Take] = []
        facts = state.facts.assume(*state.values(ghost.requires))
        for side in (ghost.pre, ghost.post):
            held = dict(state.held)
            for claim in side:
                c = claim.substitute(dict(state.env))
                take = self.find_claim("ghost", state, held, c)
                r = held[take.family]
                takes.append(self.with_steps(facts, c, r, take))
                if c.share == FULL:
                    held[take.family] = r.without(self.member(c.cells, r, take.back))
        steps = tuple(self.fact_steps(facts, p) for p in state.values(ghost.ensures))
        return self.kernel.ghost(state, tuple(takes), steps)


def _expressible(value: Term) -> bool:
    """Is it said by the proof's own terms, without contents that only the exploration has names for?"""
    return not any(str(x.data).startswith("@") for x in value.free)


def _without_choice(value: Term, facts: Facts) -> Term:
    """x for c ? x : y where x is y if c does not hold: `0 < v ? All(…) : true` before the first iteration."""
    if value.op == "ite":
        c, a, b = value.args
        for test, x, y in ((k.not_(c), a, b), (c, b, a)):
            if facts.assume(test).simplify(x) is y:
                return x
        for p in k.conjuncts(c):
            rest = k.and_(*(q for q in k.conjuncts(c) if q is not p))
            if facts.assume(k.not_(p)).simplify(rest) is k.FALSE:
                return k.ite(rest, a, b)
    return value


def _elsewhere(cells: Cells, index: Terms) -> bool:
    """Is a family one cell, at a place that differs from this one by a number?"""
    return not cells.arity and any(k.is_num(d) and d.data != 0 for d in map(k.sub, cells.index, index))


def _telling(r: Rejected) -> int:
    return REASONS.index(r.why) if r.why in REASONS else -1
