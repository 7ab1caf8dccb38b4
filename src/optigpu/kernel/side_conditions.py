"""Side conditions that several rules share.

Untrusted code tells rules where things are found: a *forward* map takes the binders of needed cells to those of the family they
are found in, a *back* map goes the other way. Maps, loop contracts and proof steps are checked. Their terms may mention only
variables that exist at that point: neither the constants that stand for "an arbitrary b" in a proof, nor names that a later rule
will introduce.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import TypeVar

from optigpu.kernel.causes import (
    Cause,
    Leak,
    MissingPermission,
    Operation,
    OutOfOrder,
    Overflow,
    Overlap,
    Rejected,
    Uninitialised,
    UnprovedFact,
    WrongShape,
    WrongValue,
    unproved,
)
from optigpu.kernel.instructions import Instruction, KernelProgram, Limits, Procedure
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_contract import EnteredLoop
from optigpu.kernel.state import Families, State, TakenBranch
from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.cells import (
    ACCUMULATING,
    FULL,
    LENT,
    SOME,
    UNINIT,
    CellClaim,
    CellFamily,
    Cells,
    Terms,
    box,
    same,
)
from optigpu.logic.equality import Equality, EqualitySteps, step_at
from optigpu.logic.facts import Facts
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.names import Name, Origin
from optigpu.logic.records import record
from optigpu.logic.terms import INT, TRUE, ZERO, Term, instantiate_all

AnInstruction = TypeVar("AnInstruction", bound=Instruction)
ABlock = TypeVar("ABlock", Procedure, TakenBranch, EnteredLoop)
ADDRESSES = 1 << 47  # bytes that a process can address, on the host and on GPUs


@record
class Take:
    """Where claimed cells are found: a family, the maps between the binders, and the proof that the values agree."""

    family: int
    forward: Terms
    back: Terms
    steps: EqualitySteps = ()


@dataclass(frozen=True, eq=False)
class SideConditions:
    """Checks that need the judge: each returns, or raises `Rejected`."""

    judge: ObligationJudge
    program: KernelProgram
    ledger: LedgerEntries

    def require(self, facts: Facts, goal: Term, cause: Cause) -> None:
        """facts |- goal, or else this is the cause of a rejection."""
        if not self.judge.proves(facts, goal):
            raise unproved(cause, facts, goal)

    def equal(self, facts: Facts, a: Term, b: Term, steps: EqualitySteps) -> bool:
        """facts |- a = b, by these steps."""
        return Equality(self.judge).holds(facts, a, b, steps)

    def require_fits(self, operation: Operation, state: State, value: Term, limits: Limits, base: str) -> None:
        """The number is one of a machine type. C would store another number, or be undefined.

        With unbounded integers, what is not proved is assumed, and the ledger has the instruction.
        """
        for goal in k.conjuncts(within(value, limits)):
            if self.judge.proves(state.facts, goal):
                continue
            if not self.program.unbounded or state.next is None:
                raise unproved(Overflow(operation, base, limits=limits), state.facts, goal)
            self.ledger.unbounded.add(state.next.at)

    def in_memory(self, facts: Facts, cells: Cells, size: int) -> Facts:
        """An array that exists, with elements of `size` bytes, has fewer bytes than there are addresses.

        Of several sizes it must be known that none is negative: the product of two negative ones is positive.
        """
        dims = whole_array(cells)
        if not size or dims is None:
            return facts
        if len(dims) > 1 and not self.judge.proves(facts, k.and_(*(k.le(ZERO, d) for d in dims)), count=False):
            return facts
        return facts.learn(k.le(k.mul(k.num(size), *dims), k.num(ADDRESSES)))

    def require_cells(
        self, operation: Operation, facts: Facts, need: Cells, r: CellFamily, forward: Terms, back: Terms | None = None
    ) -> None:
        """*take*: the needed cells U are cells of the family r; with `back`, distinct binders of U are distinct cells.

            for all b in U:   forward(b) in r,   r.index(forward(b)) = U.index(b),   back(forward(b)) = b

        The first two say that U is part of r. The third makes U injective: two binders b, b' of one cell have
        forward(b) = forward(b'), since r is injective, hence b = b'.
        """
        if len(forward) != r.cells.arity or need.base != r.cells.base:
            raise Rejected(WrongShape(operation, need.base))
        b, inside = arbitrary(facts, need)
        image = instantiate_all(forward, b)
        goal = k.and_(same(r.cells.at(image), need.at(b)), r.cells.domain(image))
        self.require(inside, goal, MissingPermission(operation, need.base, need=need, have=r.cells, at=b))
        if back is not None:
            overlap = Overlap(operation, need.base, need=need, have=r.cells, at=b)
            self.require(inside, same(instantiate_all(back, image), b), overlap)

    def require_contents(
        self,
        operation: Operation,
        facts: Facts,
        want: CellFamily,
        r: CellFamily,
        forward: Terms,
        steps: EqualitySteps,
        some: bool,
    ) -> None:
        """Where `want` says that its cells are written, r (found by `forward`) has them written, with the same values.

        `some`: any values will do.
        """
        b, inside = arbitrary(facts, want.cells)
        inside = inside.assume(want.init_at(b))
        image = instantiate_all(forward, b)
        cells, base = want.cells, want.cells.base
        self.require(inside, r.init_at(image), Uninitialised(operation, base, cells=cells, at=b))
        if not some:
            actual, wanted = r.value_at(image), want.value_at(b)
            if not self.equal(inside, actual, wanted, tuple(step_at(s, b) for s in steps)):
                wrong = WrongValue(operation, base, cells=cells, at=b, actual=actual, wanted=wanted)
                raise unproved(wrong, inside, k.eq(actual, wanted))

    def claimed_family(
        self, operation: Operation, state: State, held: Families, claim: CellClaim, take: Take
    ) -> CellFamily:
        """The family in which a claim is found: it has the cells with at least the claimed share, and the claimed contents."""
        require_known(state, take)
        r = family_of(operation, held, take.family, claim.cells.base, claim.share)
        self.require_cells(
            operation, state.facts, claim.cells, r, take.forward, take.back if claim.share == FULL else None
        )
        if claim.contents != UNINIT:
            want = CellFamily(claim.cells, ZERO if claim.value is None else claim.value, TRUE)
            self.require_contents(operation, state.facts, want, r, take.forward, take.steps, claim.contents == SOME)
        return r

    def require_fact(self, operation: Operation, facts: Facts, goal: Term, steps: EqualitySteps) -> None:
        """facts |- goal; an equation may be proved by steps."""
        if steps and goal.op == "eq":
            if not self.equal(facts, goal.args[0], k.num(0, goal.args[0].sort), steps):
                raise unproved(UnprovedFact(operation), facts, goal)
        else:
            self.require(facts, goal, UnprovedFact(operation))

    def require_no_leak(self, operation: Operation, facts: Facts, held: Families) -> None:
        """No cell is held with full share: nobody could access or free it afterwards. Nor one that the group itself adds to."""
        for r in held.values():
            if r.share == FULL or (r.share in ACCUMULATING and r.owner is None):
                b, wider = facts.arbitrary(*(INT,) * r.cells.arity)
                self.require(wider, k.not_(r.cells.domain(b)), Leak(operation, r.cells.base, cells=r.cells))


def arbitrary(facts: Facts, cells: Cells) -> tuple[Terms, Facts]:
    """Arbitrary binders b of a set of cells, and the facts with b in its domain."""
    b, inside = facts.arbitrary(*(INT,) * cells.arity)
    return b, inside.assume(cells.domain(b))


def require_known(state: State, *proposed: object) -> None:
    """Terms from outside mention only variables that exist now (see the head of this file)."""
    for t in terms_of(proposed):
        for x in t.free:
            name: Name = x.data
            of_a_proof = name.origin is Origin.ARBITRARY or name.origin is Origin.SEARCH
            if of_a_proof or (name.origin is Origin.RULE and name.number >= state.names.get(name.stem, 1)):
                raise Rejected(OutOfOrder(Operation.ORDER, text=f"{x} does not exist here"))


def next_instruction(state: State, kind: type[AnInstruction]) -> AnInstruction:
    """The next instruction, which is of this kind."""
    if not isinstance(state.next, kind):
        raise Rejected(OutOfOrder(Operation.ORDER, text=f"the next instruction is not {kind.__name__}"))
    return state.next


def ended(state: State, kind: type[ABlock]) -> ABlock:
    """What opened the block that is at its end; it is of this kind."""
    opened_by = state.block.opened_by
    if state.code or not isinstance(opened_by, kind):
        raise Rejected(OutOfOrder(Operation.ORDER, text=f"the {kind.__name__} is not at its end"))
    return opened_by


def family_of(operation: Operation, held: Families, number: int, base: str, share: str) -> CellFamily:
    """The family with this number: it has cells of the base, with full share if that is asked for, or lent if that is.

    Nobody may read or write cells that threads change by atomic operations.
    """
    r = held.get(number)
    if r is None or r.cells.base != base or (share == FULL and r.share != FULL) or (share == LENT and r.share == FULL):
        raise Rejected(MissingPermission(operation, base))
    if r.share in ACCUMULATING:
        raise Rejected(MissingPermission(operation, base))
    return r


def member(need: Cells, r: CellFamily, back: Terms) -> Term:
    """Which cells of r are needed, as a condition under the binders of r: exact, since `back` inverts `forward`."""
    return k.and_(need.domain(back), same(need.at(back), r.cells.index))


def whole_array(cells: Cells) -> Terms | None:
    """The sizes of an array, if these are all of its cells."""
    dims = tuple(high for _, high in cells.ranges)
    return None if any(d.level for d in dims) or cells != box(cells.base, dims) else dims


def within(x: Term, limits: Limits) -> Term:
    """The number is one of a machine type."""
    return TRUE if limits is None else k.and_(k.le(k.num(limits[0]), x), k.le(x, k.num(limits[1])))


def all_cells(r: CellFamily, prop: Term) -> Term:
    """The proposition (under the binders of r) holds of every cell of r that is written."""
    fact = k.implies(k.and_(r.cells.where, r.init), prop)
    for low, high in reversed(r.cells.ranges):
        fact = k.big("all", low, high, fact)
    return fact


def terms_of(x: object) -> tuple[Term, ...]:
    """All terms inside a contract, a map or a proof step."""
    if isinstance(x, Term):
        return (x,)
    if isinstance(x, tuple):  # records are
        return tuple(t for y in x for t in terms_of(y))
    if is_dataclass(x):
        return tuple(t for f in fields(x) for t in terms_of(getattr(x, f.name)))
    return ()
