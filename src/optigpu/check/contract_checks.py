"""Contracts that mean something: some input satisfies the precondition, and every part of a formula has a value.

No rule of the kernel asks for this. A precondition that nothing satisfies proves anything, and a formula whose parts have no value
says something of numbers that nobody can name: what is proved would be true, and not what the reader of the contract takes it for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Protocol

from optigpu.elaborate.definedness import ContractFacts, Need
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.name_scope import sort_of
from optigpu.errors.check_causes import Contradiction
from optigpu.errors.problem import Problem
from optigpu.frontend.parameter_types import effective_types
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Operation, UnmetObligation
from optigpu.kernel.side_conditions import ADDRESSES, whole_array
from optigpu.kernel.thread_conditions import ANY_LAUNCH
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, CellClaim, Cells, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.judge import UNIVERSAL, ObligationJudge, instance
from optigpu.logic.terms import FALSE, INT, REAL, TRUE, Term
from optigpu.syntax.exprs import Array
from optigpu.syntax.program import Function
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar

MAX_THREADS = 1024
CHOICES = 4  # that are looked at one by one, in a goal
LARGEST = {32: (2 - Fraction(1, 2**23)) * 2**127, 64: (2 - Fraction(1, 2**52)) * 2**1023}  # floats, by their bits


class ModelFinder(Protocol):
    """A solver that has values of variables to show."""

    def model(self, facts: Sequence[Term], goal: Term) -> dict[Term, int | Fraction | bool] | None: ...


def contract_problem(judge: ObligationJudge, elaborated: Elaborated, f: Function) -> Problem | None:
    """What is wrong with the contract of a function by itself; None if nothing was found."""
    stated = contract_facts(elaborated, f)
    core = contradiction(judge, [s for s in stated if not s.after])
    if core is not None:
        return _unsatisfiable(core, f)
    for need, facts in undefined(judge, stated):
        labels = ((need.within, "in this definition"),) if need.within is not None else ()
        cause = UnmetObligation(Operation.OBLIGE, obligation=f"undefined {need.why}", facts=facts, goal=need.goal)
        return Problem("OG361", need.loc, cause, labels, function=f.name)
    return None


def contract_facts(elaborated: Elaborated, f: Function) -> list[ContractFacts]:
    """All that is said of the inputs and outputs of a function: axioms, types of its parameters, clauses."""
    function, places = elaborated.program.functions[f.name], elaborated.clauses[f.name].pre
    return [*elaborated.axioms, *input_types(f, function, places), *elaborated.contract_facts[f.name]]


# What types say ---------------------------------------------------------------------------------------------------------------


def input_types(f: Function, function: kc.Procedure, places: Sequence[Loc]) -> list[ContractFacts]:
    """What the types of parameters say of every input: ranges of numbers, in arrays too, and sizes that are not negative; that
    arrays lie in memory; and that cells hold one value, whatever clauses (at these places) say of them."""
    out: list[ContractFacts] = []
    if function.device:
        block = ANY_LAUNCH[1]
        launch = (k.le(k.ONE, block), k.le(block, k.num(MAX_THREADS)), k.le(k.ONE, function.threads))
        out.append(ContractFacts(f"a block has 1 to {MAX_THREADS} threads", f.loc, launch, typed=True))
    arrays: dict[str, Scalar] = {}
    for p, type_, param in zip(f.params, effective_types(f), function.params):
        if isinstance(type_, Array):
            sizes = tuple(k.le(k.ZERO, d) for d in param.dims or () if d is not None)
            out.append(ContractFacts(f"`{p.name}` is an array: its sizes are not negative", p.loc, sizes, typed=True))
            arrays[p.name] = type_.elem
        elif isinstance(type_, Scalar):
            within = in_type(k.var(p.name, sort_of(type_, p.loc)), type_)
            out.append(ContractFacts(f"`{p.name}` is of type {type_.name}", p.loc, (within,), typed=True))
    pre = [(c, at) for c, at in zip(function.contract.pre, places) if c.cells.base in arrays]
    params = {p.name: p for p in function.params}
    for claim, at in pre:
        text = f"`{claim.cells.base}` lies in memory: it has at most {ADDRESSES} bytes"
        out.append(ContractFacts(text, at, (in_memory(claim.cells, params[claim.cells.base]),), typed=True))
    known = [(c, at) for c, at in pre if c.contents == KNOWN]
    for i, (claim, at) in enumerate(known):
        elem = arrays[claim.cells.base]
        facts = everywhere(claim, partial(_held_in_type, elem))
        out.append(ContractFacts(f"`{claim.cells.base}` holds numbers of type {elem.name}", at, facts, typed=True))
        for other, before in known[:i]:
            if other.cells == claim.cells:  # both only read: they are the same values
                facts = everywhere(claim, _held_twice, other)
                text = f"`{claim.cells.base}` holds this, and what line {before.line} says (column {before.column})"
                out.append(ContractFacts(text, at, facts))
    return out


def in_type(x: Term, t: Scalar) -> Term:
    """That a machine number of this type can be x."""
    match t.kind:
        case Kind.INT if x.sort is INT:
            return k.and_(k.le(k.num(t.low), x), k.le(x, k.num(t.high)))
        case Kind.FLOAT if x.sort is REAL:
            most = k.num(LARGEST[t.bits], REAL)
            return k.and_(k.le(k.neg(most), x), k.le(x, most))
        case _:
            return TRUE


def in_memory(cells: Cells, array: kc.Parameter) -> Term:
    """What the kernel knows of a whole array that is held: it has at most as many bytes as there are addresses."""
    dims = whole_array(cells)
    if array.space not in (kc.HOST_MEMORY, kc.GLOBAL) or dims is None:
        return TRUE
    fits = k.le(k.mul(k.num(array.bytes), *dims), k.num(ADDRESSES))
    # the product of two negative sizes, which are those of no cells, is positive
    return fits if len(dims) == 1 else k.implies(k.and_(*(k.le(k.ZERO, d) for d in dims)), fits)


def _held_in_type(t: Scalar, values: Terms) -> Term:
    return in_type(values[0], t)


def _held_twice(values: Terms) -> Term:
    return k.eq(values[0], values[1])


def everywhere(claim: CellClaim, fact: Callable[[Terms], Term], *others: CellClaim) -> tuple[Term, ...]:
    """A fact about the values that claims on the same cells give, for all of these; and for the first cell, if there is one."""
    values = [c.value for c in (claim, *others) if c.value is not None]
    first: list[Term] = []
    for low, _ in claim.cells.ranges:
        first.append(k.instantiate(low, tuple(first)))

    def at(binders: Terms) -> Term:
        held = fact(tuple(k.instantiate(v, binders) for v in values))
        return k.implies(claim.cells.domain(binders), held)

    variables = tuple(k.formula_var("cell", i, INT) for i in range(claim.cells.arity))
    return tuple(dict.fromkeys((k.forall(variables, at(variables)), at(tuple(first)))))


def suggested_sizes(solver: ModelFinder, elaborated: Elaborated, f: Function) -> dict[str, int]:
    """Values of the integer parameters at which a solver sees no contradiction in the precondition; none if it finds none."""
    facts = precondition(s for s in contract_facts(elaborated, f) if not s.after)
    found = solver.model([t for t in facts if t.op not in UNIVERSAL], FALSE) or {}
    values = {name: found.get(k.var(name, INT), 0) for name in (p.name for p in f.params)}
    types = dict(zip(values, effective_types(f)))
    return {n: int(v) for n, v in values.items() if isinstance(t := types[n], Scalar) and t.kind is Kind.INT}


# Contradictions ---------------------------------------------------------------------------------------------------------------


def contradiction(judge: ObligationJudge, stated: Sequence[ContractFacts]) -> list[ContractFacts] | None:
    """Parts that no input satisfies together, none of which can be left out; None if no contradiction was found."""
    core = sorted((s for s in stated if any(t is not TRUE for t in s.facts)), key=lambda s: not s.typed)
    if not excluded(judge, core):
        return None
    step = len(core)
    while step > 1:  # many at first, then one by one; types go first
        step, at = (step + 1) // 2, 0
        while at < len(core):
            fewer = core[:at] + core[at + step :]
            if excluded(judge, fewer):
                core = fewer
            else:
                at += step
    return [s for s in stated if any(s is t for t in core)]


def excluded(judge: ObligationJudge, stated: Iterable[ContractFacts]) -> bool:
    """Whether it is shown that these facts do not hold together."""
    facts = precondition(stated)
    return judge.proves(judge.root.assume(*facts), FALSE, count=False)


def precondition(stated: Iterable[ContractFacts]) -> list[Term]:
    """The facts, and what universal ones say at the ends of their ranges, which is where they often meet."""
    facts = [t for s in stated for fact in s.facts for t in k.conjuncts(fact)]
    new = facts
    for _ in range(2):
        new = [t for u in new if u.op in UNIVERSAL for fact in _instances(u) for t in k.conjuncts(fact)]
        facts = facts + new
    return list(dict.fromkeys(facts))


def _instances(u: Term) -> list[Term]:
    if u.op == "all":
        low, high, _ = u.args
        return [instance(u, (low,)), instance(u, (k.sub(high, k.ONE),))]
    return [instance(u, (k.ZERO,) * len(u.data))] if all(s is INT for s in u.data) else []


def _unsatisfiable(core: list[ContractFacts], f: Function) -> Problem:
    """At the last clause that takes part; the others are labels."""
    written = [s for s in core if not s.typed]
    last = written[-1] if written else core[-1] if core else None
    labels = tuple((s.loc, s.text if s.typed else f"together with {s.text}") for s in core if s is not last)
    text = last.text if last is not None else ""
    cause = Contradiction(Operation.BEGIN, function=f.name, text=text)
    return Problem("OG360", last.loc if last is not None else f.loc, cause, labels, function=f.name)


# Parts without a value ----------------------------------------------------------------------------------------------------------


def undefined(judge: ObligationJudge, stated: Sequence[ContractFacts]) -> Iterable[tuple[Need, Facts]]:
    """Parts of formulas that are not shown to have a value, with what the contract says there.

    That is what stands around the part, and the other clauses: those that have a value whatever the inputs are, and the ones
    above it. So clauses may stand in any order, and no two of them give each other a meaning.
    """
    for i, s in enumerate(stated):
        if s.needs:
            known = [t for j, t in enumerate(stated) if _counts(t, j < i, s)]
            facts = judge.root.assume(*(f for t in known for f in t.facts if not (t.typed and _of_floats(f))))
            for need in s.needs:
                inside = facts.assume(*need.hypotheses)
                if not follows(judge, inside, need.goal):
                    said = (f for t in known if not t.typed for f in t.facts)
                    yield need, judge.root.assume(*said, *need.hypotheses)


def follows(judge: ObligationJudge, facts: Facts, goal: Term, choices: int = CHOICES) -> bool:
    """Whether the goal follows, in each case of the choices in it: `A(t % 2 == 0 ? t + 1 : t - 1)` is about two cells."""
    if judge.proves(facts, goal, count=False):
        return True
    if goal.op == "and":
        return all(follows(judge, facts, g, choices) for g in goal.args)
    found = [t for t in k.subterms(goal) if t.op == "ite" and t.level == 0]
    first = next((t for t in found if not any(s.op == "ite" for s in k.subterms(t.args[0]))), None)
    if first is None or choices == 0:
        return False
    test, then, other = first.args
    cases = ((test, then), (k.not_(test), other))
    return all(
        follows(judge, facts.assume(c), k.replace_subterms(goal, {first: value}), choices - 1) for c, value in cases
    )


def _of_floats(fact: Term) -> bool:
    """The range of a float: it is of no use here, and long."""
    return any(t.op in ("le", "lt") and t.args[0].sort is REAL for t in k.subterms(fact))


def _counts(t: ContractFacts, above: bool, s: ContractFacts) -> bool:
    if t.loc == s.loc and not t.typed:
        return False
    return (not t.after or s.after) and (above or not t.needs or (s.after and not t.after))
