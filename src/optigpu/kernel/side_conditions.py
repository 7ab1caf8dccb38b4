"""Side conditions that several rules share, and what rules are told by untrusted code.

A *forward* map takes the binders of what is needed to those of the family it is found in; a *back* map goes the other way. Maps,
loop contracts and proof steps come from outside and are checked. Their terms may mention only what exists at that point: not the
constants that stand for "an arbitrary b" in a proof, and not names that a later rule will introduce.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from optigpu.kernel.instructions import Instruction, KernelProgram, Limits
from optigpu.kernel.ledger import Ledger
from optigpu.kernel.state import Rejected, State
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, SOME, UNINIT, CellClaim, CellFamily, Cells, Terms, box, same
from optigpu.logic.equality import Equality, EqualitySteps, place
from optigpu.logic.facts import Facts
from optigpu.logic.judge import Judge
from optigpu.logic.records import record
from optigpu.logic.terms import INT, TRUE, Term, instantiate_all

AnInstr = TypeVar("AnInstr", bound=Instruction)
ADDRESSES = 1 << 47  # bytes that a process can address, on the host and on GPUs


@record
class Take:
    """Where claimed cells are found: a family, the maps between the binders, and the proof that the values agree."""

    family: int
    forward: Terms
    back: Terms
    steps: EqualitySteps = ()


class Conditions:
    def __init__(self, judge: Judge, program: KernelProgram, ledger: Ledger) -> None:
        self.judge, self.program, self.ledger = judge, program, ledger
        self._equality = Equality(judge)

    def _require(self, rule: str, why: str, facts: Facts, goal: Term, **data: Any) -> None:
        if not self.judge.proves(facts, goal):
            raise Rejected(rule, why, facts, goal, **data)

    def _arbitrary(self, facts: Facts, cells: Cells) -> tuple[Terms, Facts]:
        """Arbitrary binders b of a set of cells, and the facts with b in it."""
        b, inside = facts.arbitrary(*(INT,) * cells.arity)
        return b, inside.assume(cells.domain(b))

    def _fits(self, rule: str, state: State, value: Term, limits: Limits, **data: Any) -> None:
        """A place of a machine type is given a number of that type: C would put another one there, or have no meaning."""
        for goal in k.conjuncts(within(value, limits)):
            if self.judge.proves(state.facts, goal):
                continue
            if not self.program.unbounded or state.next is None:
                raise Rejected(rule, "overflow", state.facts, goal, limits=limits, **data)
            self.ledger.unbounded.add(state.next.at)

    def _in_memory(self, facts: Facts, cells: Cells, size: int) -> Facts:
        """An array that is there, with elements of so many bytes, has fewer bytes than there are addresses. (Of two negative sizes,
        which are those of no cells, the product is positive.)"""
        dims = whole_array(cells)
        if not size or dims is None:
            return facts
        if len(dims) > 1 and not self.judge.proves(facts, k.and_(*(k.le(k.ZERO, d) for d in dims)), count=False):
            return facts
        return facts.assume(k.le(k.mul(k.num(size), *dims), k.num(ADDRESSES)))

    def _known(self, state: State, *given: object) -> None:
        """Terms from outside mention only variables that exist now (see the head of this file)."""
        for t in terms_of(given):
            for x in t.free:
                mark, number = k.mark_of(x)
                if mark == "?" or (mark == "#" and number >= state.counter):
                    raise Rejected("order", f"{x} does not exist here")

    def _next(self, state: State, kind: type[AnInstr]) -> AnInstr:
        if not isinstance(state.next, kind):
            raise Rejected("order", f"the next instruction is not {kind.__name__}")
        return state.next

    def _ended(self, state: State, kind: str) -> Any:
        if state.code or state.block.kind != kind:
            raise Rejected("order", f"the {kind} is not at its end")
        return state.block.data

    def _family(self, rule: str, held: Any, number: int, base: str, share: str) -> CellFamily:
        f: CellFamily | None = held.get(number)
        if f is None or f.cells.base != base or (share == FULL and f.share != FULL):
            raise Rejected(rule, "permission", base=base)
        return f

    def _found(self, rule: str, facts: Facts, need: Cells, r: CellFamily, forward: Terms, back: Terms | None) -> None:
        """take: the needed cells are cells of r, by `forward`; with `back`, distinct binders of need are distinct cells.

        For all b in need: forward(b) is in r, r.index(forward(b)) = need.index(b), and back(forward(b)) = b. Two binders b, b' of
        one cell have forward(b) = forward(b') because r is injective, hence b = b'.
        """
        if len(forward) != r.cells.arity or need.base != r.cells.base:
            raise Rejected(rule, "shape", base=need.base)
        b, inside = self._arbitrary(facts, need)
        image = instantiate_all(forward, b)
        data = {"base": need.base, "need": need, "have": r.cells, "at": b}
        goal = k.and_(same(r.cells.at(image), need.at(b)), r.cells.domain(image))
        self._require(rule, "permission", inside, goal, **data)
        if back is not None:
            self._require(rule, "overlap", inside, same(instantiate_all(back, image), b), **data)

    def _member(self, need: Cells, r: CellFamily, back: Terms) -> Term:
        """Which cells of r are needed, as a condition under the binders of r: exact, since back inverts forward."""
        return k.and_(need.domain(back), same(need.at(back), r.cells.index))

    def _contents(
        self, rule: str, facts: Facts, want: CellFamily, r: CellFamily, forward: Terms, steps: EqualitySteps, some: bool
    ) -> None:
        """Where `want` has its cells written, r (found by `forward`) has them written, with equal values unless `some` do."""
        b, inside = self._arbitrary(facts, want.cells)
        inside = inside.assume(want.init_at(b))
        image = instantiate_all(forward, b)
        data = {"base": want.cells.base, "cells": want.cells, "at": b}
        self._require(rule, "init", inside, r.init_at(image), **data)
        if not some:
            mine, theirs = r.value_at(image), want.value_at(b)
            if not self._equality.holds(inside, mine, theirs, tuple(place(s, b) for s in steps)):
                raise Rejected(rule, "value", inside, k.eq(mine, theirs), found=mine, wanted=theirs, **data)

    def _claimed(self, rule: str, state: State, held: Any, claim: CellClaim, take: Take) -> CellFamily:
        """The family in which a claim is found, with the claim checked."""
        self._known(state, take)
        r = self._family(rule, held, take.family, claim.cells.base, claim.share)
        self._found(rule, state.facts, claim.cells, r, take.forward, take.back if claim.share == FULL else None)
        if claim.contents != UNINIT:
            want = CellFamily(claim.cells, k.ZERO if claim.value is None else claim.value, TRUE)
            self._contents(rule, state.facts, want, r, take.forward, take.steps, claim.contents == SOME)
        return r

    def _prove_fact(self, rule: str, facts: Facts, goal: Term, steps: EqualitySteps) -> None:
        """A fact; an equation may need steps."""
        if steps and goal.op == "eq":
            if not self._equality.holds(facts, goal.args[0], k.num(0, goal.args[0].sort), steps):
                raise Rejected(rule, "fact", facts, goal)
        else:
            self._require(rule, "fact", facts, goal)

    def _nothing_left(self, rule: str, facts: Facts, held: Any) -> None:
        """No cell is held with full share: it would be lost."""
        for r in held.values():
            if r.share == FULL:
                b, wider = facts.arbitrary(*(INT,) * r.cells.arity)
                self._require(rule, "leak", wider, k.not_(r.cells.domain(b)), base=r.cells.base, cells=r.cells)


def whole_array(cells: Cells) -> Terms | None:
    """The sizes of an array, if these are all of its cells."""
    dims = tuple(high for _, high in cells.ranges)
    return None if any(d.level for d in dims) or cells != box(cells.base, dims) else dims


def within(x: Term, limits: Limits) -> Term:
    """Is the number one of a machine type?"""
    return TRUE if limits is None else k.and_(k.le(k.num(limits[0]), x), k.le(x, k.num(limits[1])))


def terms_of(x: object) -> tuple[Term, ...]:
    """All terms inside a contract, a map or a proof step."""
    if isinstance(x, Term):
        return (x,)
    if isinstance(x, tuple):  # records are
        return tuple(t for y in x for t in terms_of(y))
    if is_dataclass(x):
        return tuple(t for f in fields(x) for t in terms_of(getattr(x, f.name)))
    return ()
