"""Rules for counted loops: sequential ones with invariants, parallel ones without."""

from __future__ import annotations

from dataclasses import dataclass, replace

from optigpu.kernel import terms as k
from optigpu.kernel.cells import FULL, READ, Cells, Family, Index, arguments, unknown
from optigpu.kernel.code import PARALLEL, SEQUENTIAL, Let, Loop
from optigpu.kernel.conditions import Conditions
from optigpu.kernel.state import Block, Rejected, State, changed
from optigpu.kernel.terms import INT, Term, instantiate
from optigpu.kernel.values import Steps


@dataclass(frozen=True, slots=True)
class Exclusive:
    """Cells that each iteration has to itself. `cells`, `init` and `value` are under the loop's v and then their binders."""

    family: int
    cells: Cells
    forward: Index
    back: Index
    init: Term
    value: Term | None  # None: something


@dataclass(frozen=True, slots=True)
class Invariant:
    """A family whose contents at the start of iteration v are `value`; under v and then the family's binders."""

    family: int
    init: Term
    value: Term | None
    steps: Steps = ()


@dataclass(frozen=True, slots=True)
class LoopContract:
    exclusive: tuple[Exclusive, ...] = ()
    invariant: tuple[Invariant, ...] = ()
    facts: tuple[Term, ...] = ()  # under v


@dataclass(frozen=True, slots=True)
class Range:
    """The iterations of a loop: v from low to high in steps of 1, with the value of the program's index under v."""

    low: Term
    high: Term
    index: Term

    @property
    def end(self) -> Term:
        """The first v not taken: low for an empty range, never high."""
        return k.max_(self.low, self.high)


def iterations(loop: Loop, start: Term, bound: Term, step: Term) -> Range:
    """The iterations of a loop that counts up or down by a positive step."""
    beyond = {"<": bound, "<=": k.add(bound, k.ONE), ">": bound, ">=": k.sub(bound, k.ONE)}[loop.relation]
    v = k.bound(0, INT)
    if loop.op == "+" and step is k.ONE:
        return Range(start, beyond, v)
    distance = k.sub(beyond, start) if loop.op == "+" else k.sub(start, beyond)
    count = k.fdiv(k.sub(k.add(distance, step), k.ONE), step)
    index = k.add(start, k.mul(step, v)) if loop.op == "+" else k.sub(start, k.mul(step, v))
    return Range(k.ZERO, count, index)


def holds_for(loop: Loop, index: Term, bound: Term) -> Term:
    """The loop's own condition."""
    tests = {"<": k.lt(index, bound), "<=": k.le(index, bound), ">": k.lt(bound, index), ">=": k.le(bound, index)}
    return tests[loop.relation]


class LoopRules(Conditions):
    def range_of(self, state: State, loop: Loop) -> Range:
        """The iterations of a counted loop. Its step is positive, and n = ceil(distance / step) values are taken."""
        start, bound, step = (state.value(t) for t in (loop.start, loop.bound, loop.amount))
        if loop.op not in ("+", "-"):
            raise Rejected("loop", "geometric")
        self._require("loop", "step", state.facts, k.lt(k.ZERO, step))
        range_ = iterations(loop, start, bound, step)
        return replace(range_, high=state.facts.simplify(range_.high))

    def enter_loop(self, state: State, contract: LoopContract) -> State:
        """The body of a loop, for an arbitrary iteration v.

        Exclusive cells: all X(v) are cells of one family, and different iterations have different cells. Invariants: the family's
        contents are those of iteration `low`. Everything else that is held can be read in the body and not written.
        """
        loop = self._next(state, Loop)
        self._known(state, contract)
        if loop.mode not in (SEQUENTIAL, PARALLEL):
            raise Rejected("loop", "mode")
        if loop.mode == PARALLEL and (contract.invariant or contract.facts):
            names = [state.held[i.family].cells.base for i in contract.invariant if i.family in state.held]
            raise Rejected("loop", "parallel", base=next(iter(names), ""))
        range_ = self.range_of(state, loop)
        v = state.fresh(str(loop.index.data), INT)
        number = state.counter + 1
        held, body = dict(state.held), {}
        for x in contract.exclusive:
            r = self._family("loop", held, x.family, x.cells.base, FULL)
            if not x.cells.ranges or x.cells.ranges[0] != (range_.low, range_.high):
                raise Rejected("loop", "shape", base=x.cells.base)
            self._found("loop", state.facts, x.cells, r, x.forward, x.back)
            at = tuple(instantiate(t, (v, *arguments(x.cells.arity - 1))) for t in x.forward)
            body[number] = Family(x.cells.under((v,)), instantiate(r.value, at), instantiate(r.init, at))
            held[x.family] = r.without(self._member(x.cells, r, x.back))
            number += 1
        for inv in contract.invariant:
            if inv.family not in held or held[inv.family] is not state.held[inv.family]:
                raise Rejected("loop", "shape")
            r = self._family("loop", held, inv.family, held[inv.family].cells.base, FULL)
            first = self._at_iteration(state, r, inv, range_.low, "")
            self._contents("loop", state.facts, first, r, arguments(r.cells.arity), inv.steps, inv.value is None)
            body[inv.family] = self._at_iteration(state, r, inv, v, f"{r.cells.base}#{number}")
            del held[inv.family]
            number += 1
        for n, r in held.items():
            body[n] = replace(r, share=READ)
        for p in contract.facts:
            self._require("loop", "invariant", state.facts, instantiate(p, (range_.low,)))
        taken = holds_for(loop, instantiate(range_.index, (v,)), state.value(loop.bound))  # by the choice of n
        facts = state.facts.assume(k.le(range_.low, v), k.lt(v, range_.high), taken)
        facts = facts.assume(*(instantiate(p, (v,)) for p in contract.facts))
        env = {**state.env, loop.index: instantiate(range_.index, (v,))}
        block = Block("loop", state, (contract, range_, v))
        return changed(state, facts=facts, env=env, held=body, code=loop.body, block=block, counter=number)

    def _at_iteration(self, state: State, r: Family, inv: Invariant, v: Term, name: str) -> Family:
        """What an invariant says of its family at iteration v; unknown contents get a name."""
        args = (v, *arguments(r.cells.arity))
        sort = state.bases[r.cells.base].sort
        value = unknown(name, r.cells.arity, sort) if inv.value is None else instantiate(inv.value, args)
        return replace(r, value=value, init=instantiate(inv.init, args))

    def leave_loop(self, end: State, exclusive: tuple[Steps, ...], invariant: tuple[Steps, ...]) -> State:
        """After a loop: what it promised of iteration v holds at the end of its body, so it holds of all iterations.

        Exclusive cells hold what their iteration left, invariant families what they hold at the first iteration not taken.
        """
        contract, range_, v = self._ended(end, "loop")
        self._known(end, exclusive, invariant)
        before = end.block.before
        assert before is not None
        rest, number = dict(end.held), before.counter + 1
        for x, steps in zip(contract.exclusive, exclusive, strict=True):
            cells = x.cells.under((v,))
            args = (v, *arguments(cells.arity))
            mine = self._given_back(rest, number, cells)
            want = Family(cells, k.ZERO if x.value is None else instantiate(x.value, args), instantiate(x.init, args))
            self._contents("leave", end.facts, want, mine, arguments(cells.arity), steps, x.value is None)
            number += 1
        for inv, steps in zip(contract.invariant, invariant, strict=True):
            mine = self._given_back(rest, inv.family, before.held[inv.family].cells)
            want = self._at_iteration(before, mine, inv, k.add(v, k.ONE), "")
            self._contents("leave", end.facts, want, mine, arguments(mine.cells.arity), steps, inv.value is None)
        self._nothing_left("leave", end.facts, rest)
        if end.bases != before.bases:
            raise Rejected("leave", "leak", base=next(iter(end.bases.keys() ^ before.bases.keys()), ""))
        for p in contract.facts:
            self._require("leave", "invariant", end.facts, instantiate(p, (k.add(v, k.ONE),)))
        held, counter = dict(before.held), end.counter
        for x in contract.exclusive:
            r = before.held[x.family]
            sort = before.bases[x.cells.base].sort
            value = unknown(f"{x.cells.base}#{counter}", x.cells.arity, sort) if x.value is None else x.value
            new = (instantiate(value, x.back), instantiate(x.init, x.back))
            held[x.family] = held[x.family].updated(self._member(x.cells, r, x.back), *new)
            counter += 1
        for inv in contract.invariant:
            r = held[inv.family]
            held[inv.family] = self._at_iteration(before, r, inv, range_.end, f"{r.cells.base}#{counter}")
            counter += 1
        facts = before.facts.assume(*(instantiate(p, (range_.end,)) for p in contract.facts))
        return changed(before, facts=facts, held=held, code=before.code[1:], counter=counter)

    def _given_back(self, rest: dict[int, Family], number: int, cells: Cells) -> Family:
        mine = rest.pop(number, None)
        if mine is None or mine.cells != cells or mine.share != FULL:
            raise Rejected("leave", "permission", base=cells.base)
        return mine

    def unroll(self, state: State) -> State:
        """A sequential loop over known numbers is its body for each of them, one after the other."""
        loop = self._next(state, Loop)
        numbers = [state.facts.simplify(state.value(t)) for t in (loop.start, loop.bound, loop.amount)]
        if loop.mode != SEQUENTIAL or not all(k.is_num(t) for t in numbers):
            raise Rejected("unroll", "numbers")
        values = _values(loop, *(t.data for t in numbers))
        code = tuple(i for value in values for i in (Let(loop.index, k.num(value), at=loop.at), *loop.body))
        return changed(state, code=code + state.code[1:])


def _values(loop: Loop, i: int, limit: int, step: int) -> list[int]:
    """The values of the index, as C computes them; a loop that gets nowhere is rejected."""
    out: list[int] = []
    while {"<": i < limit, "<=": i <= limit, ">": i > limit, ">=": i >= limit}[loop.relation]:
        moves = step > 0 if loop.op in "+-" else i > 0 and step > (1 if loop.op in "*/" else 0)
        if len(out) >= 4096 or not moves:
            raise Rejected("unroll", "endless")
        out.append(i)
        match loop.op:
            case "+":
                i += step
            case "-":
                i -= step
            case "*":
                i *= step
            case "/":
                i //= step
            case "<<":
                i <<= step
            case _:
                i >>= step
    return out
