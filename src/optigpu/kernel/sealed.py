"""The kernel as others have it: states, facts and theorems that they can look at and only the kernel can make.

A rule is applied to what the kernel itself has kept under the state that it is given, by identity; the state that others hold is
a copy for reading. So a state, fact or theorem that somebody made, changed, copied or inherited from is none, and what is done to
the copies has no effect. Rules run on an object of this module, whatever a subclass of `Kernel` overrides; arguments from outside
are terms, records and tuples, of exactly these types: their parts cannot change while a rule looks at them.

The tables are variables of the functions below, and no object that others hold has an attribute that leads to one. What Python
cannot hide (closures, frames, the garbage collector, functions of these modules that are replaced) is why a verdict that leaves
the process is replayed in another one (check/replay.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType, NoneType
from typing import Any, NoReturn, cast
from weakref import WeakKeyDictionary

from optigpu.kernel import ledger as inner_ledger
from optigpu.kernel.call_rules import AllRules
from optigpu.kernel.instructions import KernelProgram
from optigpu.kernel.ledger import Theorem
from optigpu.kernel.state import OpenBlock, Rejected, State
from optigpu.logic import judge as inner_judge
from optigpu.logic.facts import Facts, Guide
from optigpu.logic.records import RECORDS
from optigpu.logic.terms import Sort, Term

RULES = tuple(name for name in dir(AllRules) if not name.startswith("_") and name != "range_of")
READ = ("constants", "given", "guide", "inconsistent", "items", "known")  # of facts
ASKED = ("apply", "arbitrary", "assume", "nonneg", "proves", "reduce", "simplify")


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
        return partial(self._look, self, name) if name in ASKED else self._look(self, name)


class Judge(inner_judge.Judge):
    """A judge with this solver and adviser. Theorems and facts belong to the judge under which they came about."""

    def __init__(self, solver: inner_judge.Solver | None = None, guide: Guide | None = None) -> None:
        _judge(self, solver or inner_judge.Solver(), guide or Guide())

    def settled(self) -> tuple[int, int]:
        """How many obligations were settled by the normaliser, and by the solver."""
        raise NotImplementedError


class Ledger(inner_ledger.Ledger):
    """What the proofs of one program rest on."""

    def __init__(self) -> None:
        _ledger(self)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._look(name)


class Kernel(AllRules):
    """All rules, each for states of this kernel alone."""

    def __init__(self, judge: Judge, program: KernelProgram, ledger: Ledger) -> None:
        self.judge, self.program, self.ledger = judge, program, ledger
        _kernel(self, judge, program, ledger)


@dataclass
class _Court:
    """What a judge keeps."""

    judge: inner_judge.Judge
    facts: dict[int, tuple[Facts, Facts]] = field(default_factory=dict)  # (what others have, what it stands for), by id
    theorems: dict[int, tuple[Theorem, Theorem]] = field(default_factory=dict)


@dataclass
class _Book:
    """What a ledger keeps."""

    ledger: inner_ledger.Ledger = field(default_factory=inner_ledger.Ledger)
    theorems: dict[str, Theorem] = field(default_factory=dict)  # as others have them
    program: KernelProgram | None = None


def _sealing() -> tuple[Callable[..., None], Callable[..., None], Callable[..., None]]:
    """Functions that make judges, ledgers and kernels. Nothing else can reach what these keep."""
    courts: WeakKeyDictionary[Judge, _Court] = WeakKeyDictionary()
    books: WeakKeyDictionary[Ledger, _Book] = WeakKeyDictionary()
    whole = frozenset((Term, Sort, str, int, bool, NoneType))
    parted = frozenset((tuple, *RECORDS))
    new: Any = tuple.__new__

    def kept(table: dict[int, tuple[Any, Any]], x: object) -> Any:
        found = table.get(id(x))
        if found is None or found[0] is not x:
            raise TypeError(f"{type(x).__name__} was not made by this kernel")
        return found[1]

    def check(x: Any) -> None:
        if type(x) in parted:
            for part in x:
                check(part)
        elif type(x) not in whole:
            raise TypeError(f"{type(x).__name__} where the kernel expects a term or a record")

    def judge(made: Judge, solver: inner_judge.Solver, guide: Guide) -> None:
        root = Facts(guide)
        court = _Court(inner_judge.Judge(solver, root))

        def show(facts: Facts) -> Facts:
            shown: Any = SealedFacts(look)
            court.facts[id(shown)] = shown, facts
            return cast(Facts, shown)

        def look(shown: Facts, name: str, *args: Any) -> Any:
            facts: Facts = kept(court.facts, shown)
            if name in ASKED:
                check(args)
                found = getattr(facts, name)(*args)
                if name == "arbitrary":
                    return found[0], found[1].shown
                return found.shown if name == "assume" else found
            if name == "origin":
                return facts.origin and facts.origin.shown
            if name not in READ:
                raise AttributeError(name)
            return getattr(facts, name)

        def proves(facts: Facts, goal: Term, count: bool = False) -> bool:
            """A question of the search: an answer, and no obligation of a proof."""
            check(goal)
            return court.judge.proves(kept(court.facts, facts), goal, count=False)

        root.show = show
        made.solver, made.root = solver, root.shown
        vars(made).update(proves=proves, settled=lambda: (court.judge.by_normaliser, court.judge.by_solver))
        courts[made] = court

    def ledger(made: Ledger) -> None:
        book = books[made] = _Book()

        def look(name: str) -> Any:
            if name == "theorems":
                return dict(book.theorems)
            own = book.ledger
            tables: dict[str, set[Any]] = {"axioms": own.axioms, "admitted": own.admitted, "unbounded": own.unbounded}
            return set(tables[name])

        vars(made)["_look"] = look

    def kernel(made: Kernel, judge: Judge, program: KernelProgram, ledger: Ledger) -> None:
        court, book = courts[judge], books[ledger]
        own = KernelProgram(dict(program.functions), program.axioms, program.unbounded)
        if book.program != own:
            check((tuple(own.functions.items()), own.axioms, own.unbounded))
            old, rest_on = book.program or own, [(t.function, *t.callees) for t in book.ledger.theorems.values()]
            same = (old.axioms, old.unbounded) == (own.axioms, own.unbounded)
            if not same or any(own.functions.get(g.name) != g for fs in rest_on for g in fs):
                raise TypeError("a ledger is of one program, and what it has proved stays as it is")
            book.program = own
        rules = AllRules(court.judge, book.program, book.ledger)
        states: dict[int, tuple[State, State]] = {}  # (what others have, what it stands for), by id
        faces: dict[int, tuple[Any, Any]] = {}  # the other way round, and of blocks

        def taken(x: Any) -> Any:
            if isinstance(x, State):
                return kept(states, x)
            if isinstance(x, Theorem):
                return kept(court.theorems, x)
            check(x)
            return x

        def face(x: Any) -> Any:
            """What others may have of a thing that a state consists of, or that a rule made."""
            known = faces.get(id(x))
            if known is not None and known[0] is x:
                return known[1]
            match x:
                case State():
                    shown = new(SealedState, map(face, new(tuple, x)))
                    states[id(shown)], faces[id(x)] = (shown, x), (x, shown)
                    return shown
                case Theorem():
                    theorem = new(SealedTheorem, x)
                    court.theorems[id(theorem)] = theorem, x
                    book.theorems[x.function.name] = theorem
                    return theorem
                case OpenBlock():
                    block = OpenBlock(x.kind, face(x.before), x.data, x.token)
                    faces[id(x)] = x, block
                    return block
                case Facts():
                    return x.shown
                case dict():
                    return MappingProxyType(dict(x))
            return x

        def sealed(name: str) -> Callable[..., Any]:
            rule = getattr(rules, name)

            def apply(*args: Any) -> Any:
                try:
                    out = rule(*map(taken, args))
                except Rejected as e:
                    facts = None if e.facts is None else e.facts.shown
                    raise Rejected(e.rule, e.why, facts, e.goal, **e.data) from None
                return tuple(map(face, out)) if type(out) is tuple else face(out)

            return apply

        vars(made).update({name: sealed(name) for name in RULES})

    return judge, ledger, kernel


_judge, _ledger, _kernel = _sealing()
