"""Only the kernel can make a theorem: every way that Python offers to forge or change a state, a fact or a theorem fails.

Each attack wants a theorem of a function that ensures `false`. Beside them stands the honest proof, which is accepted.
"""

from __future__ import annotations

import contextlib
import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Any

import pytest

from optigpu.kernel import Judge, Kernel, Ledger, Rejected, State, Theorem
from optigpu.kernel import instructions as kc
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.sealed import SealedState, SealedTheorem
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed, first_state
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME, CellClaim, CellFamily, box
from optigpu.logic.facts import Facts, Guide
from optigpu.logic.judge import Solver
from optigpu.logic.terms import FALSE, INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.advice import SearchGuide
from tests.support.open_kernel import OpenKernel

n, B0 = k.var("n", INT), k.bound(0, INT)
NO = (AttributeError, TypeError, FrozenInstanceError)
REFUSED = (*NO, Rejected)


def function(
    name: str = "f", code: kc.Instructions = (), ensures: tuple[Term, ...] = (FALSE,), **more: Any
) -> kc.Procedure:
    contract = kc.ProcedureContract((), more.pop("requires", ()), more.pop("pre", ()), more.pop("post", ()), ensures)
    return kc.Procedure(name, (kc.Parameter("n", INT), *more.pop("params", ())), contract, code)


def kernel_of(*functions: kc.Procedure, judge: Judge | None = None, ledger: Ledger | None = None) -> Kernel:
    program = kc.KernelProgram({f.name: f for f in functions})
    return Kernel(judge or Judge(guide=SearchGuide()), program, ledger or Ledger())


def begun(*code: kc.Instruction) -> tuple[Kernel, State]:
    kernel = kernel_of(function(code=code))
    return kernel, kernel.begin("f", ())


def finished(kernel: Kernel, state: State) -> Theorem:
    return kernel.finish(state, (), ((),))


def test_what_is_so_is_proved() -> None:
    kernel = kernel_of(function(ensures=(k.le(n, k.add(n, ONE)),)))
    theorem = finished(kernel, kernel.begin("f", ()))
    assert theorem.function.name == "f" and kernel.ledger.theorems == {"f": theorem}
    kernel, state = begun()
    with pytest.raises(Rejected):
        finished(kernel, state)
    assert kernel.ledger.theorems == {}


# States


def with_false(state: State) -> Facts:
    """Facts with `false`, made outside of any kernel."""
    return Facts().assume(FALSE)


class Mine(State):
    """A state that says what its maker likes."""


def reduced(make: Any, args: Any) -> Any:
    return make(*args)


COPIES: dict[str, Callable[[State], Any]] = {
    "dataclasses.replace": lambda s: replace(s, facts=with_false(s)),
    "replace of nothing": replace,
    "changed": lambda s: changed(s, facts=s.facts.assume(FALSE)),
    "_replace": lambda s: s._replace(facts=with_false(s)),  # type: ignore[attr-defined]
    "_make": lambda s: type(s)._make(s),  # type: ignore[attr-defined]
    "__new__": lambda s: SealedState.__new__(SealedState, *s),  # type: ignore[misc]
    "object.__new__": lambda s: object.__new__(SealedState),
    "tuple.__new__": lambda s: tuple.__new__(SealedState, s),  # type: ignore[type-var, arg-type]
    "constructor": lambda s: State(with_false(s), *tuple(s)[1:]),  # type: ignore[arg-type, call-arg]
    "first_state": lambda s: first_state(with_false(s), {}, (), s.block, 1, s.context),
    "subclass": lambda s: tuple.__new__(Mine, (with_false(s), *tuple(s)[1:])),  # type: ignore[type-var, arg-type]
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda s: pickle.loads(pickle.dumps(s)),
    "reduce": lambda s: reduced(*s.__reduce_ex__(4)[:2]),  # type: ignore[misc]
    "another kernel": lambda s: kernel_of(function()).begin("f", ()),
    "the rules alone": lambda s: OpenKernel(Judge(), kc.KernelProgram({"f": function()}), LedgerEntries()).begin(
        "f", ()
    ),
}


@pytest.mark.parametrize("how", COPIES)
def test_a_state_is_the_one_that_the_kernel_made(how: str) -> None:
    kernel, state = begun()
    try:
        forged = COPIES[how](state)
    except (*NO, pickle.PicklingError):
        return
    for s in (forged, (forged,)):
        with pytest.raises(TypeError, match=r"not made by this kernel|expects a term"):
            finished(kernel, s)
    assert kernel.ledger.theorems == {}


FIELDS = (
    "facts", "env", "held", "bases", "code", "block", "counter", "names", "context", "pending_reads", "definitions"
)  # fmt: skip


@pytest.mark.parametrize("name", FIELDS)
def test_states_do_not_change(name: str) -> None:
    kernel, state = begun(kc.Assertion(FALSE))
    for change in (
        lambda: setattr(state, name, None),
        lambda: object.__setattr__(state, name, None),
        lambda: object.__delattr__(state, name),
        lambda: state.__dict__.update({name: None}),
        lambda: setattr(state, "__class__", Mine),
    ):
        with pytest.raises(NO):
            change()
    for table in (state.env, state.held, state.bases, state.names, state.definitions):
        with pytest.raises(TypeError):
            table[0] = None  # type: ignore[index]
    with pytest.raises(Rejected):
        kernel.assertion(state, ())


class Catch:
    """Is handed the table that a proxy stands for, in a comparison."""

    table: Any = None

    def __eq__(self, other: object) -> bool:
        self.table = other
        return True

    def __hash__(self) -> int:
        return 0


def test_tables_of_a_state_are_copies() -> None:
    """Behind the proxy is a table of the reader's, not of the kernel's."""
    array, claim = kc.Parameter("a", REAL, (n,)), CellClaim(box("a", (n,)), SOME)
    five = CellClaim(box("a", (n,)), KNOWN, k.num(5, REAL))
    f = function(params=(array,), pre=(claim,), post=(five,), requires=(k.le(ZERO, n),), ensures=())
    kernel = kernel_of(f)
    state = kernel.begin("f", ((B0,),))
    catch = Catch()
    assert state.held == catch
    if isinstance(catch.table, dict):
        catch.table[1] = replace(state.held[1], value=k.num(5, REAL))
    with pytest.raises(Rejected):
        kernel.finish(state, (Take(1, (B0,), (B0,)),), ())


def test_what_a_state_consists_of_does_not_change() -> None:
    """Families, programs and contracts are tuples, whose fields not even `object.__setattr__` sets."""
    array, claim = kc.Parameter("a", REAL, (n,)), CellClaim(box("a", (n,)), SOME)
    f = function(params=(array,), pre=(claim,), requires=(k.le(ZERO, n),), code=(kc.Assertion(FALSE),))
    kernel = kernel_of(f)
    state = kernel.begin("f", ((B0,),))
    family = state.held[1]
    things: list[tuple[Any, str]] = [(family, "value"), (family, "init"), (family.cells, "where"), (f, "contract")]
    things += [(f.contract, "ensures"), (f.body[0], "prop"), (state.context, "kind"), (state.bases["a"], "dims")]
    for thing, name in things:
        for change in (setattr, object.__setattr__):
            with pytest.raises(NO):
                change(thing, name, TRUE)
    kernel.program.functions["f"] = function(ensures=())  # a program is a dictionary, of which the kernel has its own
    with pytest.raises(Rejected):
        kernel.assertion(state, ())


# Facts


@pytest.mark.parametrize(
    "table", ["answers", "_answers", "_nonneg", "_simplified", "_larger", "_bounds", "substitution"]
)
def test_tables_of_facts_cannot_be_reached(table: str) -> None:
    _, state = begun()
    with pytest.raises(AttributeError):
        getattr(state.facts, table)[FALSE] = True


@pytest.mark.parametrize("name", ["known", "items", "given", "inconsistent", "origin", "_look", "assume", "proves"])
def test_facts_that_were_changed_are_not_asked(name: str) -> None:
    """Whatever is done to the object that others have, the kernel asks its own."""
    kernel, state = begun()
    for change in (setattr, object.__setattr__):
        try:
            change(state.facts, name, frozenset((FALSE,)))
        except NO:
            continue
    with pytest.raises(REFUSED):  # an adviser may stumble over it
        finished(kernel, state)


def test_facts_of_ones_own_are_not_judged() -> None:
    judge = Judge()
    for mine in (Facts(), Facts().assume(FALSE), object()):
        with pytest.raises(TypeError):
            judge.proves(mine, FALSE)  # type: ignore[arg-type]
    assert judge.proves(judge.root.assume(FALSE), FALSE) and not judge.proves(judge.root, FALSE)


class Like:
    """Equal to whatever is asked for, with the parts of something that is true."""

    def __init__(self, like: Term, says: Term) -> None:
        self.number, self.says = hash(like), says

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.says, name)


class LikeTerm(Term):
    """The same, as a term by inheritance."""

    def __hash__(self) -> int:
        return hash(n)

    def __eq__(self, other: object) -> bool:
        return True


def test_nothing_is_found_in_the_place_of_a_term() -> None:
    """Tables are looked up by equality. What is equal to everything is let into none of them."""
    negative = k.sub(ZERO, n)
    fake: Any = Like(negative, ONE)
    judge = Judge()
    for ask in (judge.root.nonneg, judge.root.simplify, judge.root.proves, judge.root.assume):
        with pytest.raises(TypeError):
            ask(fake)
    with pytest.raises(TypeError):
        judge.proves(judge.root, fake)
    copied = object.__new__(LikeTerm)
    for part in ("op", "args", "data", "sort", "level", "free", "key"):
        object.__setattr__(copied, part, getattr(TRUE, part))
    with pytest.raises(TypeError, match="expects a term"):
        judge.proves(judge.root, copied)
    g = k.var("g", k.fun_sort((INT,), INT))
    for make in (
        lambda: k.abstract(fake, (n,)),
        lambda: k.instantiate(fake, (n,)),
        lambda: k.instantiate(B0, (fake,)),
        lambda: k.add(fake, n),
        lambda: k.fdiv(fake, n),
        lambda: k.app(g, fake),
        lambda: k.max_(fake, n),
        lambda: k.add(LikeTerm(), n),
    ):
        with contextlib.suppress(TypeError, AttributeError):
            make()
    assert not judge.root.nonneg(negative)
    assert k.abstract(negative, (n,)) is k.neg(B0)
    assert k.instantiate(k.add(B0, negative), (n,)) is ZERO
    assert k.instantiate(B0, (negative,)) is negative
    assert k.fdiv(negative, n).args[0] is negative and k.app(g, negative).args[1] is negative


class Five(int):
    """A number that is equal to 5 and is 7."""

    def __eq__(self, other: object) -> bool:
        return other == 5

    def __hash__(self) -> int:
        return hash(5)


def test_a_number_is_a_number() -> None:
    big = 5 + 10**30
    with pytest.raises(TypeError):
        k.var(type("S", (str,), {})("fresh"), INT)
    for t in (k.num(Five(big)), k.scale(Five(big), n).data[0][1]):
        assert type(t.data if isinstance(t, Term) else t) is int
    assert k.num(5).data + 1 == 6 and k.num(Fraction(10, 2)) is k.num(5)


@pytest.mark.parametrize("name", ["op", "args", "data", "sort", "level", "free", "key", "parts", "negation"])
def test_terms_do_not_change(name: str) -> None:
    t = k.le(n, k.num(3))
    for change in (lambda: setattr(t, name, TRUE), lambda: delattr(t, name)):
        with pytest.raises(AttributeError):
            change()
    for copied in (copy.copy, copy.deepcopy):
        with pytest.raises(NO):
            copied(t)
    assert k.not_(t) is k.le(k.num(4), n)


# Advice


class Lying(Guide):
    """Advises to use a fact that there is not."""

    def refutes(self, facts: Facts, p: Term) -> bool:
        for name in ("items", "known", "_nonneg"):
            with pytest.raises(AttributeError):
                setattr(facts, name, (FALSE,))
        facts.advice = (FALSE,)
        return False

    def instances(self, universals: list[Term], ground: list[Term]) -> list[tuple[Term, tuple[Term, ...]]]:
        forged = k.forall((n,), k.le(n, k.num(7)))
        universals.append(forged)
        ground.append(FALSE)
        fake: Any = Like(universals[0], forged)
        return [(forged, (k.num(9),)), (fake, (k.num(9),))]


def test_bad_advice_proves_nothing() -> None:
    """Neither with a universal fact, which the adviser may take for another one, nor without."""
    p = k.var("p", k.fun_sort((INT,), k.BOOL))
    for requires in ((), (k.forall((n,), k.app(p, n)),)):
        judge = Judge(guide=Lying())
        kernel = kernel_of(function(requires=requires), judge=judge)
        with pytest.raises(Rejected):
            finished(kernel, kernel.begin("f", ()))
        assert not judge.proves(judge.root, k.le(n, k.num(7)))


def test_a_solver_is_asked_with_what_is_known() -> None:
    """The lists that a solver gets are its own."""

    class Changing(Solver):
        def valid(self, facts: Any, goal: Term) -> bool:
            facts.append(FALSE)
            return False

    kernel = kernel_of(function(), judge=Judge(Changing()))
    for _ in range(2):
        with pytest.raises(Rejected):
            finished(kernel, kernel.begin("f", ()))


# Rules


def test_a_subclass_overrides_nothing_that_counts() -> None:
    class Generous(Kernel):
        def require(self, *args: Any, **data: Any) -> None:
            """Nothing is required."""

        def known(self, *args: Any) -> None:
            """Everything is known."""

        def assertion(self, state: State, *args: Any) -> State:  # type: ignore[override]
            """Everything is proved."""
            return state

    kernel = Generous(Judge(), kc.KernelProgram({"f": function(code=(kc.Assertion(FALSE),))}), Ledger())
    vars(kernel).update(conditions=None, require=lambda *args, **data: None)
    with pytest.raises(Rejected):
        kernel.assertion(kernel.begin("f", ()), ())
    kernel = Generous(Judge(), kc.KernelProgram({"f": function()}), Ledger())
    with pytest.raises(Rejected):
        finished(kernel, kernel.begin("f", ()))
    for name in ("begin", "finish"):
        with pytest.raises(AttributeError):  # a rule is not there without a kernel
            getattr(Kernel, name)


def test_a_judge_that_agrees_is_no_judge() -> None:
    class Agreeable(Judge):
        def proves(self, *args: Any, **more: Any) -> bool:
            return True

    judge = Agreeable()
    vars(judge)["proves"] = lambda *args, **more: True
    kernel = kernel_of(function(), judge=judge)
    kernel.judge = judge
    with pytest.raises(Rejected):
        finished(kernel, kernel.begin("f", ()))
    with pytest.raises((KeyError, TypeError)):
        Kernel(object(), kc.KernelProgram({}), Ledger())  # type: ignore[arg-type]


class Yes(Solver):
    """A solver that agrees with everything."""

    def valid(self, facts: Any, goal: Term) -> bool:
        return True


def test_a_judge_keeps_its_solver() -> None:
    """Neither is it made again with another one, nor does a judge that says it is equal take its place."""
    judge = Judge()

    class Same(Judge):
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash(judge)

    with pytest.raises(TypeError, match="has been made already"):
        judge.__init__(Yes())  # type: ignore[misc]
    same = Same(Yes())
    kernel = kernel_of(function(), judge=judge)
    with pytest.raises(Rejected):
        finished(kernel, kernel.begin("f", ()))
    yes = kernel_of(function(), judge=same)
    assert finished(yes, yes.begin("f", ())) not in kernel.ledger.theorems.values()


def test_a_ledger_is_made_once() -> None:
    ledger = Ledger()
    with pytest.raises(TypeError, match="has been made already"):
        ledger.__init__()  # type: ignore[misc]


class Fickle(CellClaim):
    """A claim that says one thing at first, and then another."""


def test_arguments_are_of_exact_types() -> None:
    take = Take(1, (B0,), (B0,))

    class Other(Take):
        steps = property(lambda self: ())  # type: ignore[assignment]

    kernel, state = begun()
    for wrong in ([take], (Other(*take),), (Like(n, n),), (1.5,), ({},), (Five(1),)):  # type: ignore[misc]
        with pytest.raises(TypeError):
            kernel.finish(state, wrong, ((),))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        kernel_of(function(pre=(Fickle(box("a", (n,)), SOME),)))


# Theorems


THEOREMS: dict[str, Callable[[Theorem, kc.Procedure], Any]] = {
    "constructor": lambda t, f: Theorem(f, (), ()),
    "sealed constructor": lambda t, f: SealedTheorem(f, (), ()),
    "tuple.__new__": lambda t, f: tuple.__new__(SealedTheorem, (f, (), ())),  # type: ignore[type-var, arg-type]
    "object.__new__": lambda t, f: object.__new__(SealedTheorem),
    "replace": lambda t, f: replace(t, function=f),
    "_replace": lambda t, f: t._replace(function=f),  # type: ignore[attr-defined]
    "assignment": lambda t, f: object.__setattr__(t, "function", f) or t,
    "pickle": lambda t, f: pickle.loads(pickle.dumps(t)),
    "copy": lambda t, f: copy.copy(t),
    "subclass": lambda t, f: tuple.__new__(type("Own", (Theorem,), {"__slots__": ()}), (f, (), ())),
}


@pytest.mark.parametrize("how", THEOREMS)
def test_a_theorem_is_one_that_the_kernel_made(how: str) -> None:
    judge, good, bad = Judge(), function(ensures=()), function()
    kernel = kernel_of(good, judge=judge)
    theorem = kernel.finish(kernel.begin("f", ()), (), ())
    other = kernel_of(bad, judge=judge)
    try:
        forged = THEOREMS[how](theorem, bad)
    except (*NO, pickle.PicklingError):
        forged = theorem
    with pytest.raises((TypeError, ValueError)):
        other.recall(forged)
    assert other.ledger.theorems == {}
    assert kernel_of(good, judge=judge).recall(theorem) == theorem


def test_a_theorem_belongs_to_its_judge() -> None:
    """Another solver may have lied."""

    class Yes(Solver):
        def valid(self, facts: Any, goal: Term) -> bool:
            return True

    p = k.var("p", k.BOOL)
    f = function(ensures=(p,))
    lied = kernel_of(f, judge=Judge(Yes()))
    theorem = finished(lied, lied.begin("f", ()))
    with pytest.raises(TypeError):
        kernel_of(f).recall(theorem)


def test_a_theorem_rests_on_what_it_calls() -> None:
    """It is recalled for the same axioms and the same functions, each of which has been proved or is admitted."""
    judge, call = Judge(), kc.Invoke(None, "g", (n,))
    g, f = function("g", ensures=()), function(code=(call,), ensures=())
    kernel = kernel_of(g, f, judge=judge)
    callee = kernel.finish(kernel.begin("g", ()), (), ())
    caller = kernel.finish(kernel.call(kernel.begin("f", ()), (), (), ()), (), ())
    with pytest.raises(ValueError):
        kernel_of(g, f, judge=judge).recall(caller)  # g has not been proved there
    with pytest.raises(ValueError):
        kernel_of(replace(g, body=(kc.Assertion(TRUE),)), f, judge=judge).recall(caller)
    axioms = kc.KernelProgram({"g": g, "f": f}, (("a", k.le(ZERO, n)),))
    with pytest.raises(ValueError):
        Kernel(judge, axioms, Ledger()).recall(caller)
    other_kernel = kernel_of(g, f, judge=judge)
    assert (other_kernel.recall(callee), other_kernel.recall(caller)) == (callee, caller)


def test_what_a_ledger_has_proved_stays_as_it_is() -> None:
    """Otherwise a function would be called as it was proved in one program, and be another one in the other."""
    judge, ledger = Judge(), Ledger()
    kernel_of(function(), judge=judge, ledger=ledger)
    kernel = kernel_of(function(ensures=()), judge=judge, ledger=ledger)  # which is not proved yet
    kernel.finish(kernel.begin("f", ()), (), ())
    kernel_of(function(ensures=()), judge=judge, ledger=ledger)
    with pytest.raises(TypeError):
        kernel_of(function(), judge=judge, ledger=ledger)
    for axioms, unbounded in (((("a", k.le(ZERO, n)),), False), ((), True)):
        with pytest.raises(TypeError):
            Kernel(judge, kc.KernelProgram({"f": function(ensures=())}, axioms, unbounded), ledger)


def test_a_theorem_that_assumes_integers_to_fit_is_not_remembered() -> None:
    judge = Judge()
    for unbounded in (False, True):
        program = kc.KernelProgram({"f": function(ensures=())}, (), unbounded)
        kernel = Kernel(judge, program, Ledger())
        theorem = kernel.finish(kernel.begin("f", ()), (), ())
        other_kernel = kernel_of(function(ensures=()), judge=judge, ledger=Ledger())
        if unbounded:
            with pytest.raises(ValueError, match="another program"):
                other_kernel.recall(theorem)
        else:
            assert other_kernel.recall(theorem) == theorem


def test_the_ledger_that_others_have_is_a_copy() -> None:
    call = kc.Invoke(None, "g", (n,))
    g, f = function("g"), function(code=(call,))
    kernel = kernel_of(g, f)
    kernel.ledger.theorems["g"] = Theorem(g, (), (), False)
    kernel.ledger.admitted.add("g")
    vars(kernel.ledger)["theorems"] = {"g": Theorem(g, (), (), False)}
    with pytest.raises(ValueError, match="has not been proved"):
        kernel.call(kernel.begin("f", ()), (), (), ())


def test_refusals_do_not_hand_out_what_the_kernel_keeps() -> None:
    kernel, state = begun(kc.Assertion(FALSE))
    with pytest.raises(Rejected) as e:
        kernel.assertion(state, ())
    assert e.value.cause.facts is state.facts
    assert e.value.__context__ is None and e.value.__cause__ is None  # nor by the exception that it stands for
    assert state.block.before is None and not isinstance(state.facts, Facts)
    assert CellFamily in {type(r) for r in kernel_with_array().held.values()}


def kernel_with_array() -> State:
    f = function(
        params=(kc.Parameter("a", REAL, (n,)),), pre=(CellClaim(box("a", (n,)), SOME),), requires=(k.le(ZERO, n),)
    )
    return kernel_of(f).begin("f", ((B0,),))
