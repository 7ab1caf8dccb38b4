"""What is to be said of a rejected rule about threads: how far apart the threads are, the other access, the levels, a witness.

Nothing here decides anything: it looks for words after the kernel has said no.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from optigpu.kernel import Rejected, State
from optigpu.kernel.context import THREADS
from optigpu.kernel.instructions import Procedure
from optigpu.kernel.loop_contract import EnteredLoop
from optigpu.kernel.thread_conditions import WARP
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, Cells
from optigpu.logic.facts import Facts
from optigpu.logic.terms import INT, ZERO, Term
from optigpu.search.evaluation import Undefined, evaluate
from optigpu.search.search_tools import SearchTools

Access = tuple[str, str, int]  # base, "load" or "store", place
TRIES = 4000
RACES = ("owner", "read", "race")


def explain(tools: SearchTools, state: State, r: Rejected, accesses: list[Access], place: int) -> None:
    """Add to a rejection what a person wants to know."""
    if state.context.kind == THREADS:
        r.data["levels"] = [*levels(state), *r.data.get("inner", ())]
    base = str(r.data.get("base", ""))
    if base not in state.bases:
        return
    r.data.setdefault("space", state.bases[base].space)
    taken = _taken_by(state, base) if _inside(tools, state, r, base) else None
    if r.rule in ("load", "store") and r.why in ("permission", "read-only") and taken is not None:
        r.why = "race"
        r.data["scope"] = _scope(tools, taken)
    elif r.why in RACES and state.context.kind == THREADS:
        r.data["scope"] = _scope(tools, state) if r.rule == "loop" else _lent_to(tools, state, base)
    if r.why in RACES:
        wanted = ("load",) if r.why == "read" else ("store",)
        found = [at for b, what, at in accesses if b == base and what in wanted and at != place]
        if found:
            r.data["before"] = (found[-1], "read" if r.why == "read" else "written")
        if r.facts is not None and r.goal is not None and "other" in r.data:
            _tell(state, r, counterexample(r.facts, r.goal))
        if r.data.get("scope") == "block" and r.why != "race":
            r.data["barrier"], r.data["sync_before"] = _missing_barrier(state, base)
            r.data["block"] = state.context.block


def _inside(tools: SearchTools, state: State, r: Rejected, base: str) -> bool:
    """Is the cell that is needed within the array? If not, that is the problem."""
    need = r.data.get("need")
    if not isinstance(need, Cells) or need.arity:
        return True
    bounds = [k.and_(k.le(ZERO, e), k.lt(e, d)) for e, d in zip(need.at(()), state.bases[base].dims) if d is not None]
    return tools.proves(state.facts, k.and_(*bounds))


def _tell(state: State, r: Rejected, witness: dict[Term, int] | None) -> None:
    """The witness in thread numbers: who accesses which cell now, and who did before."""
    if witness is None or r.facts is None:
        return
    begin = ZERO  # where the current group begins, in its block or in the grid
    s: State | None = state
    while s is not None and s.block.before is not None:
        if r.data.get("scope") == "block" and s.context.threads is s.context.block:
            break
        loop = s.block.opened_by
        if isinstance(loop, EnteredLoop):
            begin = k.add(begin, loop.first)
        s = s.block.before
    other = r.data["other"].moved(begin)
    terms = (k.add(begin, r.data.get("first", ZERO)), other.start, other.size, state.context.block, *r.data["cell"])
    try:
        now, then, size, block, *cell = (_at(r.facts.reduce(t), witness) for t in terms)
    except Undefined:
        return
    if now == then and r.why == "read":  # one of several readers: another one
        then += size - 1
    elif now == then:  # one of several threads that access the cell: one that does not own it
        now += size
    r.data["witness"] = {"now": now, "then": then, "cell": cell, "block": block}


def _missing_barrier(state: State, base: str) -> tuple[str, int]:
    """Which barrier would order the accesses, and before which instruction: the thread loop that leaves the level it is for.

    That of a warp is enough where the warp has the memory to itself.
    """
    s: State | None = state
    while s is not None:
        at = s.next.at if s.next is not None else 0
        if s.context.threads is s.facts.simplify(s.context.block):
            return "block", at
        if s.context.threads is k.num(WARP) and any(r.cells.base == base and r.share == FULL for r in s.held.values()):
            return "warp", at
        s = s.block.before
    return "block", 0


def levels(state: State) -> list[tuple[str, Term]]:
    """The groups around this point, outermost first: the loop that makes each, and its number of threads.

    The first has no loop: it is the grid, or who calls a device function.
    """
    out: list[tuple[str, Term]] = []
    s = state
    while s.block.before is not None:
        before, loop = s.block.before, s.block.opened_by
        if isinstance(loop, EnteredLoop) and loop.context != before.context:
            out.append((str(loop.v.data), loop.context.threads))
        s = before
    f = _procedure(state)
    grid = ("", k.mul(state.context.grid, state.context.block))
    groups = [(f"{f.name}()", f.threads) if f.device else grid, *reversed(out)]
    return [(name, state.facts.simplify(threads)) for name, threads in groups]


def _procedure(state: State) -> Procedure:
    """The function around this point."""
    while state.block.before is not None:
        state = state.block.before
    assert isinstance(state.block.opened_by, Procedure)
    return state.block.opened_by


def _taken_by(state: State, base: str) -> State | None:
    """The state before the innermost thread loop that gives cells of the base to its iterations."""
    s: State | None = state
    while s is not None and s.block.before is not None:
        before, loop = s.block.before, s.block.opened_by
        if isinstance(loop, EnteredLoop) and loop.context != before.context and _takes(loop, base):
            return before
        s = before
    return None


def _takes(loop: EnteredLoop, base: str) -> bool:
    """Does the loop give cells of the base to its iterations?"""
    return any(x.cells.base == base for x in loop.contract.exclusive)


def _scope(tools: SearchTools, state: State) -> str:
    """Are the threads of this group in one block? Those that call a device function are."""
    c = state.context
    if _procedure(state).device:
        return "block"
    return "block" if tools.proves(state.facts, k.le(c.threads, c.block)) else "grid"


def _lent_to(tools: SearchTools, state: State, base: str) -> str:
    """Does the block around this point hold the base itself, or is it lent by the grid?"""
    s: State | None = state
    while s is not None and s.block.before is not None:
        whole_block = s.context.kind == THREADS and s.context.threads is s.context.block
        if whole_block and any(r.cells.base == base and r.share == FULL for r in s.held.values()):
            return "block"
        s = s.block.before
    return "block" if _procedure(state).device else "grid"


def counterexample(facts: Facts, goal: Term) -> dict[Term, int] | None:
    """Small numbers for the variables with which the facts hold and the goal does not."""
    goal = facts.reduce(goal)
    items = [i for i in facts.items if i.op not in ("all", "forall")]
    wanted = set(goal.free)
    while True:  # facts that have to do with the goal
        more = {x for i in items if i.free & wanted for x in i.free}
        if more <= wanted:
            break
        wanted |= more
    variables = sorted((x for x in wanted if x.sort is INT), key=lambda x: str(x.data))
    relevant = [i for i in items if i.free & wanted and all(x.sort is INT for x in i.free)]
    if len(variables) > 8 or any(x.sort is not INT for x in goal.free):
        return None
    rng = random.Random(0)
    for attempt in range(TRIES):
        most = 2 + attempt * 40 // TRIES
        env = {x: rng.randrange(most) for x in variables}
        try:
            if not evaluate(goal, env) and all(evaluate(i, env) for i in relevant):
                return env
        except Undefined:
            continue
    return None


def _at(t: Term, witness: Mapping[Term, int]) -> int:
    """A number where the witness says nothing of a variable: it may be anything, so 0."""
    return int(evaluate(t, {**dict.fromkeys(t.free, 0), **witness}))
