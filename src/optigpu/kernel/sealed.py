"""The kernel as others have it: states, facts and theorems that they can look at and only the kernel can make.

A rule is applied to the state that the kernel itself has kept under the state it is given, by identity; the state that others hold
is a copy for reading. So a state, fact or theorem that somebody made, changed, copied or inherited from is not one, and changes to
the copies have no effect. Rules are functions of this package, whatever a subclass of `Kernel` overrides; arguments from outside
are terms, records and tuples, of exactly these types: their parts cannot change while a rule looks at them.

The tables are variables of the functions below, and no object that others hold has an attribute that leads to one. What Python
cannot hide (closures, frames, the garbage collector, functions of these modules that are replaced) is why a verdict that leaves
the process is replayed in another one (check/replay.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import partial
from types import MappingProxyType, NoneType
from typing import Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, cast
from weakref import ref

from optigpu.kernel import (
    atomic_rules,
    branch_rules,
    call_rules,
    contents_rules,
    fragment_rules,
    function_rules,
    launch_rules,
    loop_rules,
    pipeline_rules,
    straight_line_rules,
    thread_rules,
)
from optigpu.kernel.causes import Rejected, for_reading
from optigpu.kernel.instructions import KernelProgram, Obligation
from optigpu.kernel.ledger import LedgerEntries, Theorem
from optigpu.kernel.side_conditions import SideConditions
from optigpu.kernel.state import OpenBlock, State
from optigpu.light_dataclass import dataclass
from optigpu.logic import judge as inner_judge
from optigpu.logic.facts import Facts, Guide
from optigpu.logic.records import RECORDS
from optigpu.logic.terms import Sort, Term

P = ParamSpec("P")
R = TypeVar("R")
READABLE = ("assumptions", "constants", "guide", "inconsistent", "items", "known")  # attributes of facts
QUESTIONS = ("apply", "arbitrary", "assume", "learn", "nonneg", "proves", "reduce", "simplify")  # methods of facts
WHOLE = frozenset((Term, Sort, Obligation, str, int, bool, NoneType))  # types of arguments
PARTED = frozenset((tuple, *RECORDS))  # types of arguments whose parts are looked at


class SealedState(State):
    """A state as others have it."""

    __slots__ = ()

    def __new__(cls, *args: Any, **fields: Any) -> NoReturn:
        raise TypeError("states are made by the kernel's rules only")


class SealedTheorem(Theorem):
    """A theorem as others have it."""

    __slots__ = ()

    def __new__(cls, *args: Any, **fields: Any) -> NoReturn:
        raise TypeError("theorems are made by the kernel's rules only")


class SealedFacts:
    """Facts as others have them: questions go to those that the judge has kept, whose tables nobody else can reach."""

    __slots__ = ("_look", "advice")

    def __init__(self, look: Callable[..., Any]) -> None:
        self._look, self.advice = look, None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(self._look, self, name) if name in QUESTIONS else self._look(self, name)


class Judge(inner_judge.ObligationJudge):
    """A judge with this solver and adviser. Theorems and facts belong to the judge under which they came about."""

    obligation_counts: Callable[[], tuple[int, int]]  # how many the normaliser has proved, and how many the solver

    def __init__(self, solver: inner_judge.Solver | None = None, guide: Guide | None = None) -> None:
        _judge(self, solver or inner_judge.Solver(), guide or Guide())


class Ledger(LedgerEntries):
    """What the proofs of one program rest on, for reading."""

    def __init__(self) -> None:
        _ledger(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._look(name)


class Rule(Generic[P, R]):
    """A rule, as an attribute of `Kernel`: of a kernel it is the function of that kernel, without its first argument."""

    def __init__(self, function: Callable[Concatenate[SideConditions, P], R]) -> None:
        self.function = function

    def __get__(self, kernel: Kernel | None, owner: type[Kernel]) -> Callable[P, R]:
        raise AttributeError("rules belong to a kernel that has been made")


class Kernel:
    """All rules of the logic, each for states of this kernel alone."""

    # Functions and calls
    begin = Rule(function_rules.begin)
    finish = Rule(function_rules.finish)
    recall = Rule(function_rules.recall)
    call = Rule(call_rules.call)
    # Straight-line code
    let = Rule(straight_line_rules.let)
    choose = Rule(straight_line_rules.choose)
    load = Rule(straight_line_rules.load)
    store = Rule(straight_line_rules.store)
    allocate = Rule(straight_line_rules.allocate)
    free = Rule(straight_line_rules.free)
    oblige = Rule(straight_line_rules.oblige)
    assertion = Rule(straight_line_rules.assertion)
    ghost = Rule(straight_line_rules.ghost)
    # The same memory, described in another way
    tidy = Rule(contents_rules.tidy)
    restate = Rule(contents_rules.restate)
    gather = Rule(contents_rules.gather)
    name = Rule(contents_rules.name)
    unfold = Rule(contents_rules.unfold)
    inverse = Rule(contents_rules.inverse)
    # Branches and loops
    enter_if = Rule(branch_rules.enter_if)
    join_if = Rule(branch_rules.join_if)
    enter_loop = Rule(loop_rules.enter_loop)
    leave_loop = Rule(loop_rules.leave_loop)
    unroll = Rule(loop_rules.unroll)
    # Threads
    collect = Rule(atomic_rules.collect)
    accumulate = Rule(atomic_rules.accumulate)
    barrier = Rule(thread_rules.barrier)
    shuffle = Rule(thread_rules.shuffle)
    forget = Rule(thread_rules.forget)
    multiply_tiles = Rule(fragment_rules.multiply_tiles)
    reduce_rows = Rule(fragment_rules.reduce_rows)
    copy_tile = Rule(pipeline_rules.copy_tile)
    await_stage = Rule(pipeline_rules.await_stage)
    launch = Rule(launch_rules.launch)
    phase = Rule(launch_rules.phase)

    def __init__(self, judge: Judge, program: KernelProgram, ledger: Ledger) -> None:
        self.judge, self.program, self.ledger = judge, program, ledger
        _kernel(self, judge, program, ledger)


RULES = MappingProxyType({name: x.function for name, x in vars(Kernel).items() if isinstance(x, Rule)})


@dataclass
class _Court:
    """What a judge keeps."""

    judge: inner_judge.ObligationJudge
    facts: dict[int, tuple[Facts, Facts]] = field(default_factory=dict)  # (what others have, what it stands for), by id
    theorems: dict[int, tuple[Theorem, Theorem]] = field(default_factory=dict)


@dataclass
class _Book:
    """What a ledger keeps."""

    entries: LedgerEntries = field(default_factory=LedgerEntries)
    theorems: dict[str, Theorem] = field(default_factory=dict)  # as others have them
    program: KernelProgram | None = None


def _kept(table: dict[int, tuple[Any, Any]], x: object) -> Any:
    """What a thing that others have stands for."""
    entry = table.get(id(x))
    if entry is None or entry[0] is not x:
        raise TypeError(f"{type(x).__name__} was not made by this kernel")
    return entry[1]


def _require_exact_types(x: Any) -> None:
    """An argument from outside consists of terms and records, of exactly these types."""
    if type(x) in PARTED:
        for part in x:
            _require_exact_types(part)
    elif type(x) not in WHOLE:
        raise TypeError(f"{type(x).__name__} where the kernel expects a term or a record")


def _seal_judge(made: Judge, solver: inner_judge.Solver, guide: Guide) -> _Court:
    """What a judge keeps; the judge that others have asks it."""
    root = Facts(guide)
    court = _Court(inner_judge.ObligationJudge(solver, root))

    def seal(facts: Facts) -> Facts:
        shown: Any = SealedFacts(look)
        court.facts[id(shown)] = shown, facts
        return cast(Facts, shown)

    def look(shown: Facts, name: str, *args: Any) -> Any:
        facts: Facts = _kept(court.facts, shown)
        if name in QUESTIONS:
            _require_exact_types(args)
            answer = getattr(facts, name)(*args)
            if name == "arbitrary":
                return answer[0], answer[1].sealed
            return answer.sealed if name in ("assume", "learn") else answer
        if name == "origin":
            return facts.origin and facts.origin.sealed
        if name not in READABLE:
            raise AttributeError(name)
        return getattr(facts, name)

    def proves(facts: Facts, goal: Term, count: bool = False) -> bool:
        """A question of the search: an answer, and no obligation of a proof."""
        _require_exact_types(goal)
        return court.judge.proves(_kept(court.facts, facts), goal, count=False)

    root.seal = seal
    made.solver, made.root = solver, root.sealed
    vars(made).update(proves=proves, obligation_counts=lambda: (court.judge.by_normaliser, court.judge.by_solver))
    return court


def _seal_ledger(made: Ledger) -> _Book:
    """What a ledger keeps; the ledger that others have shows copies of it."""
    book = _Book()

    def look(name: str) -> Any:
        if name == "theorems":
            return dict(book.theorems)
        own = book.entries
        tables: dict[str, set[Any]] = {"axioms": own.axioms, "admitted": own.admitted, "unbounded": own.unbounded}
        return set(tables[name])

    vars(made)["_look"] = look
    return book


def _enter_program(book: _Book, program: KernelProgram) -> KernelProgram:
    """The kernel's own copy of a program. A ledger is of one program: what it has proved stays as it is."""
    own = KernelProgram(dict(program.functions), program.axioms, program.unbounded)
    if book.program != own:
        _require_exact_types((tuple(own.functions.items()), own.axioms, own.unbounded))
        old, rest_on = book.program or own, [(t.function, *t.callees) for t in book.entries.theorems.values()]
        same = (old.axioms, old.unbounded) == (own.axioms, own.unbounded)
        if not same or any(own.functions.get(g.name) != g for fs in rest_on for g in fs):
            raise TypeError("a ledger is of one program, and what it has proved stays as it is")
        book.program = own
    return book.program


def _seal_kernel(made: Kernel, court: _Court, book: _Book, program: KernelProgram) -> None:
    """Give a kernel its rules: each takes what others have for what it stands for, and shows what it makes."""
    conditions = SideConditions(court.judge, _enter_program(book, program), book.entries)
    show, states = _showing(court, book)

    def taken(x: Any) -> Any:
        if isinstance(x, State):
            return _kept(states, x)
        if isinstance(x, Theorem):
            return _kept(court.theorems, x)
        _require_exact_types(x)
        return x

    def sealed(rule: Callable[..., Any]) -> Callable[..., Any]:
        def apply(*args: Any) -> Any:
            try:
                out = rule(conditions, *map(taken, args))
            except Rejected as e:
                rejection = Rejected(for_reading(e.cause))
            else:
                return tuple(map(show, out)) if type(out) is tuple else show(out)
            raise rejection  # not inside `except`: its __context__ would be the exception with the facts themselves

        return apply

    vars(made).update({name: sealed(rule) for name, rule in RULES.items()})


def _showing(court: _Court, book: _Book) -> tuple[Callable[[Any], Any], dict[int, tuple[State, State]]]:
    """A function that shows what a rule made, and the table of (state that others have, state it stands for), by id."""
    states: dict[int, tuple[State, State]] = {}
    shown: dict[int, tuple[Any, Any]] = {}  # the other way round, and of blocks
    new: Any = tuple.__new__

    def show(x: Any) -> Any:
        """What others may have of a thing that a state consists of, or that a rule made."""
        entry = shown.get(id(x))
        if entry is not None and entry[0] is x:
            return entry[1]
        match x:
            case State():
                state = new(SealedState, map(show, new(tuple, x)))
                states[id(state)], shown[id(x)] = (state, x), (x, state)
                return state
            case Theorem():
                theorem = new(SealedTheorem, x)
                court.theorems[id(theorem)] = theorem, x
                book.theorems[x.function.name] = theorem
                return theorem
            case OpenBlock():
                block = OpenBlock(x.opened_by, show(x.before), x.token)
                shown[id(x)] = x, block
                return block
            case Facts():
                return x.sealed
            case dict():
                return MappingProxyType(dict(x))
        return x

    return show, states


class _KeptFor(Generic[R]):
    """What is kept for each judge or ledger, by identity: a subclass may say that it is equal to another one."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[ref[object], R]] = {}

    def add(self, owner: object, make: Callable[[], R]) -> None:
        """Once for each: a judge does not become one with another solver."""
        if id(owner) in self._entries:
            raise TypeError(f"this {type(owner).__name__} has been made already")
        self._entries[id(owner)] = ref(owner, partial(lambda n, _: self._entries.pop(n), id(owner))), make()

    def of(self, owner: object) -> R:
        if id(owner) not in self._entries:
            raise TypeError(f"{type(owner).__name__} where a judge or a ledger is expected")
        return self._entries[id(owner)][1]


def _sealing() -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    """Functions that make judges, ledgers and kernels. Nothing else can reach what these keep."""
    courts: _KeptFor[_Court] = _KeptFor()
    books: _KeptFor[_Book] = _KeptFor()

    def judge(made: Judge, solver: inner_judge.Solver, guide: Guide) -> None:
        courts.add(made, lambda: _seal_judge(made, solver, guide))

    def ledger(made: Ledger) -> None:
        books.add(made, lambda: _seal_ledger(made))

    def kernel(made: Kernel, judge: Judge, program: KernelProgram, ledger: Ledger) -> None:
        _seal_kernel(made, courts.of(judge), books.of(ledger), program)

    return judge, ledger, kernel


_judge, _ledger, _kernel = _sealing()
