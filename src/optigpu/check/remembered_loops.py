"""Proofs of loops that earlier programs had, too: the recorded rules are called again, and nothing is searched for.

The kernel decides: a rule that it rejects ends the attempt, and the loop is proved as if nothing were remembered. What is compared
here only saves attempts that would fail.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from optigpu.check.recorded_proof import RecordingKernel, RuleCall, StateRef
from optigpu.elaborate.elaborated import Elaborated
from optigpu.kernel import Rejected, State
from optigpu.kernel import instructions as kc
from optigpu.kernel.context import Context, PendingReads
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.cells import CellClaim, CellFamily
from optigpu.logic.records import RECORDS
from optigpu.logic.terms import Term
from optigpu.search.loop_execution import Calls
from optigpu.search.loop_memo import LoopMemo
from optigpu.search.races import Access

MAX_LOOPS = 4000
MAX_STARTS = 8  # of one loop
# Rules whose integers are numbers of families
NUMBERED = frozenset(("load", "store", "free", "tidy", "restate", "name", "shuffle", "collect", "accumulate"))
_RECORDS = frozenset(RECORDS)


@dataclass(frozen=True, slots=True)
class LoopStart:
    """What a loop's proof depends on: its code, the values of its variables, and the families of its arrays.

    `written`: what the source says of proofs in the loop, which the search is to use: contracts of loops, arguments of lemmas.
    """

    loop: kc.CountedLoop
    written: tuple[object, ...]
    values: tuple[Term, ...]
    families: tuple[CellFamily, ...]
    pending_reads: PendingReads  # of these families, which are counted from 0
    context: Context
    iteration: Term


@dataclass(frozen=True, slots=True)
class RememberedLoop:
    """The calls between two states of a proof, which are given by their numbers."""

    start: LoopStart
    numbers: tuple[int, ...]  # of the families
    counter: int  # of the state before the loop: families of the proof itself have greater numbers
    before: int
    after: int
    calls: tuple[RuleCall, ...]
    accesses: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class LoopAttempt:
    """The proof of a loop that is under way: where it starts in the kernel's record, and in the list of accesses."""

    start: LoopStart
    numbers: tuple[int, ...]
    state: State
    call: int
    access: int


class RememberedLoops:
    """Proofs of loops, from this program and earlier ones."""

    def __init__(self) -> None:
        self._known: dict[int, list[RememberedLoop]] = {}  # by hash of the loop
        self._hash: LoopMemo[int] = LoopMemo(hash)
        self._arrays = LoopMemo(arrays_of)

    def start(
        self, state: State, loop: kc.CountedLoop, variables: frozenset[Term], elaborated: Elaborated
    ) -> tuple[LoopStart, tuple[int, ...]]:
        arrays = self._arrays(loop)
        held = [(n, r) for n, r in state.held.items() if r.cells.base in arrays]
        values = tuple(state.value(x) for x in sorted(variables))
        families = tuple(r for _, r in held)
        context = replace(state.context, home=None)  # which block of the proof launched the kernel does not matter
        written = tuple(_written(i, elaborated) for i in kc.instructions_in((loop,)))
        places = {n: i for i, (n, _) in enumerate(held)}
        reads = tuple(replace(r, family=places[r.family]) for r in state.pending_reads if r.family in places)
        start = LoopStart(loop, written, values, families, reads, context, state.iteration(loop.index))
        return start, tuple(n for n, _ in held)

    def find(self, start: LoopStart) -> RememberedLoop | None:
        known = self._known.get(self._hash(start.loop), ())
        return next((x for x in known if x.start == start), None)

    def add(self, x: RememberedLoop) -> None:
        if len(self._known) > MAX_LOOPS:
            self._known.clear()
        same = self._known.setdefault(self._hash(x.start.loop), [])
        same[:] = [x, *(y for y in same if y.start != x.start)][:MAX_STARTS]


class LoopReplay:
    """Remembers the loops that a kernel proves, and proves them again."""

    def __init__(
        self, kernel: RecordingKernel, elaborated: Elaborated, remembered: RememberedLoops, reuse: bool = True
    ) -> None:
        """`reuse`: prove them again as before, if they are known."""
        self.kernel, self.elaborated, self.remembered, self.reuse = kernel, elaborated, remembered, reuse
        self.reused = False  # has a loop been proved as before?

    def begin(
        self, state: State, loop: kc.CountedLoop, variables: frozenset[Term], accesses: list[Access]
    ) -> LoopAttempt:
        start, numbers = self.remembered.start(state, loop, variables, self.elaborated)
        return LoopAttempt(start, numbers, state, len(self.kernel.tape), len(accesses))

    def again(self, attempt: LoopAttempt, accesses: list[Access]) -> Calls | None:
        """Call the rules of an earlier proof: each with its arguments and its result. None if the kernel rejects one."""
        known = self.remembered.find(attempt.start) if self.reuse else None
        if known is None:
            return None
        moved = _Renumbering(known, attempt)
        states: dict[int, State] = {known.before: attempt.state}
        calls: Calls = []
        try:
            for call in known.calls:
                args = tuple(states[a.number] if isinstance(a, StateRef) else a for a in moved.arguments(call))
                result = getattr(self.kernel, call.rule)(*args)
                made = result if type(result) is tuple else (result,)
                states.update(zip(call.makes, made))
                calls.append((call.rule, args, result))
        except (Rejected, KeyError, IndexError, ValueError):
            return None
        places = dict(zip(_places(known.start.loop), _places(attempt.start.loop)))
        self.reused = True
        accesses += [replace(a, at=places.get(a.at, a.at)) for a in known.accesses]
        return calls

    def end(self, attempt: LoopAttempt, after: State, accesses: list[Access]) -> None:
        """Remember the proof of a loop that ends here."""
        before, last = self.kernel.number_of(attempt.state), self.kernel.number_of(after)
        needed, calls = {last}, list[RuleCall]()
        for call in reversed(self.kernel.tape[attempt.call :]):
            if needed.intersection(call.makes):
                needed |= {a.number for a in call.args if isinstance(a, StateRef)}
                needed -= set(call.makes)
                calls.append(call)
        if needed == {before}:
            counter, found = attempt.state.counter, tuple(accesses[attempt.access :])
            known = RememberedLoop(attempt.start, attempt.numbers, counter, before, last, tuple(calls[::-1]), found)
            self.remembered.add(known)


class _Renumbering:
    """Arguments of an earlier proof, with the numbers that families have here."""

    def __init__(self, known: RememberedLoop, attempt: LoopAttempt) -> None:
        self.numbers = dict(zip(known.numbers, attempt.numbers))
        self.first, self.moved = known.counter, attempt.state.counter - known.counter
        self.same = not self.moved and known.numbers == attempt.numbers

    def arguments(self, call: RuleCall) -> tuple[object, ...]:
        if self.same:
            return call.args
        numbered = call.rule in NUMBERED
        return tuple(self.family(a) if numbered and type(a) is int else self.part(a) for a in call.args)

    def family(self, n: int) -> int:
        """Families of the loop itself come after those before it."""
        return n + self.moved if n >= self.first else self.numbers[n]

    def part(self, x: object) -> object:
        if type(x) is tuple:
            return tuple(self.part(y) for y in x)
        if type(x) not in _RECORDS:
            return x
        record: Any = x
        old = {f.name: getattr(record, f.name) for f in fields(record)}
        new = {f: self.family(y) if f == "family" else self.part(y) for f, y in old.items()}
        return record if all(new[f] is y for f, y in old.items()) else replace(record, **new)


def arrays_of(loop: kc.CountedLoop) -> frozenset[str]:
    """The arrays and variables in memory that the code of a loop names."""
    out: set[str] = set()

    def look(x: object) -> None:
        if isinstance(x, kc.CellAddress | kc.ArrayView):
            out.add(x.base)
        elif isinstance(x, CellClaim):
            out.add(x.cells.base)
        elif isinstance(x, tuple):
            for part in x:
                look(part)

    for i in kc.instructions_in((loop,)):
        if isinstance(i, kc.CountedLoop | kc.Branch):
            continue  # what is inside comes by itself
        look((i,))
    return frozenset(out)


def _places(loop: kc.CountedLoop) -> list[int]:
    return [i.at for i in kc.instructions_in((loop,))]


def _written(i: kc.Instruction, elaborated: Elaborated) -> object:
    """The contract that is written at a loop, or the values that are given to a call, without their places."""
    spec = elaborated.specs.get(i.at) if isinstance(i, kc.CountedLoop) else None
    if spec is not None:
        parts = (getattr(spec, f.name) for f in fields(spec) if f.name not in ("index", "variables"))
        return spec.index, spec.variables, *(tuple(x for x, _ in part) for part in parts)
    given = elaborated.lemma_arguments.get(i.at) if isinstance(i, kc.Invoke) else None
    return given and tuple(given.items())
