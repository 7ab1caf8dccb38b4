"""Contracts of functions to claims and facts: the kernel's contract, the place of each part, and the facts of each clause."""

from __future__ import annotations

from dataclasses import field

from optigpu.elaborate.code_builder import CodeBuilder
from optigpu.elaborate.elaborated import ContractPlaces
from optigpu.elaborate.formula_definedness import ContractFacts, Models, models_of, resolved
from optigpu.elaborate.infinite_values import computes_with_infinity, requires_infinity
from optigpu.elaborate.infinity import infinity_facts, uses_infinity
from optigpu.elaborate.machine_types import limits_of
from optigpu.elaborate.name_scope import Names, ValueEntry, sort_of, unsupported
from optigpu.elaborate.returned_values import returned_value
from optigpu.frontend.collective_contracts import synchronised_variable
from optigpu.kernel import instructions as kc
from optigpu.kernel.side_conditions import terms_of, within
from optigpu.kernel.thread_conditions import ANY_LAUNCH
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import READ, UNINIT, CellClaim
from optigpu.logic.terms import INT, Term
from optigpu.syntax import program
from optigpu.syntax.exprs import Call, Expr, TypeOf, Var
from optigpu.syntax.parameter_sizes import size_preconditions
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Clause, Item, Role
from optigpu.syntax.source import Loc
from optigpu.syntax.types import HPROP, MEMTYPE, VOID
from optigpu.syntax.walk import subexpressions


@dataclass
class ElaboratedContract:
    """`names`: those of the function's body, with the logical variables of the contract. `synchronises`: memory in which a call
    orders all accesses of its group."""

    contract: kc.ProcedureContract
    names: Names
    places: ContractPlaces
    models: Models
    facts: list[ContractFacts]
    synchronises: tuple[str, ...] = ()


@dataclass
class _Parts:
    """The parts of a contract, each with its place."""

    requires: list[tuple[Term, Loc]] = field(default_factory=list)
    pre: list[tuple[CellClaim, Loc]] = field(default_factory=list)
    post: list[tuple[CellClaim, Loc]] = field(default_factory=list)
    ensures: list[tuple[Term, Loc]] = field(default_factory=list)

    def places(self) -> ContractPlaces:
        return ContractPlaces(
            *([loc for _, loc in part] for part in (self.requires, self.pre, self.post, self.ensures))
        )

    def contract(self, variables: tuple[Term, ...], result: Term | None) -> kc.ProcedureContract:
        requires, ensures = (tuple(t for t, _ in facts) for facts in (self.requires, self.ensures))
        pre, post = (tuple(c for c, _ in claims) for claims in (self.pre, self.post))
        return kc.ProcedureContract(variables, requires, pre, post, ensures, result)


def function_contract(builder: CodeBuilder, names: Names) -> ElaboratedContract:
    """The contract of the builder's function."""
    f, formulas = builder.f, builder.formulas
    variables, names = logical_variables(builder, f.contract, names)
    result = None if f.result == VOID else k.var("_Res", sort_of(f.result, f.loc))
    parts = _Parts()
    launch = launch_facts(builder, names)
    parts.requires += [(fact, f.loc) for fact in launch]
    _type_facts(builder, names, result, parts)
    facts = [ContractFacts("the launch", f.loc, tuple(launch), formulas.conditions.take())]
    after = names if result is None else names.bind("_Res", ValueEntry(result))
    for c in f.contract:
        for item in c.items:
            if not (
                isinstance(item.body, TypeOf) or _is_launch(builder, item.body) or _is_variable(builder, item.body)
            ):
                facts += _clause_item(
                    builder, c.kind, item, after if c.kind in ("ensures", "produces") else names, parts
                )
    if result is not None and (value := returned_value(f, builder.program)) is not None:
        parts.ensures.append((k.eq(result, formulas.term(value, names)), value.loc))
        formulas.conditions.take()  # the code has them as obligations
    if uses_infinity(f, builder.program):
        # where inputs may be INFINITY, the contract says so
        numbers = computes_with_infinity(f, builder.program) and not requires_infinity(f, builder.program)
        bounds = infinity_facts(f, variables, parts.pre, numbers)
        parts.requires += bounds
        facts.append(ContractFacts("numbers are at most INFINITY", f.loc, tuple(fact for fact, _ in bounds)))
    models = models_of(variables, [claim for claim, _ in parts.pre])
    facts = [replace(s, conditions=resolved(s.conditions, models)) for s in facts]
    contract = parts.contract(variables, result)
    mentioned = {
        x for t in terms_of((*contract.requires, *contract.pre, *contract.post, *contract.ensures)) for x in t.free
    }
    if formulas.threads is not None:
        mentioned |= formulas.threads.free
    unused = (frozenset(variables) if f.admitted else _first_thread(builder, names)) - mentioned
    contract = replace(contract, variables=tuple(v for v in variables if v not in unused))
    return ElaboratedContract(contract, names, parts.places(), models, facts, _synchronised(builder, names))


def logical_variables(
    builder: CodeBuilder, clauses: tuple[Clause, ...], names: Names
) -> tuple[tuple[Term, ...], Names]:
    """The variables that clauses declare, as in `requires A: int -> float`, and the names with them."""
    variables: list[Term] = []
    for c in clauses:
        for item in c.items:
            if isinstance(item.body, TypeOf) and item.body.of not in (HPROP, MEMTYPE):
                assert item.name is not None
                v = k.var(builder.unique(item.name, lasting=True), sort_of(item.body.of, item.loc))
                variables.append(v)
                names = names.bind(item.name, ValueEntry(v))
    return tuple(variables), names


def _type_facts(builder: CodeBuilder, names: Names, result: Term | None, parts: _Parts) -> None:
    """Arguments and the result are numbers of their types, and the sizes of array parameters fit theirs."""
    f = builder.f
    for p in f.params:
        if (limits := limits_of(p.type)) is not None:
            parts.requires.append((within(k.var(p.name, INT), limits), p.loc))
    for fits in size_preconditions(f):
        parts.requires.append((builder.formulas.term(fits, names), fits.loc))
    if result is not None and (limits := limits_of(f.result)) is not None:
        parts.ensures.append((within(result, limits), f.loc))


def _clause_item(builder: CodeBuilder, kind: str, item: Item, names: Names, parts: _Parts) -> list[ContractFacts]:
    """Add one item of a clause to the parts of the contract; the facts that it states."""
    formulas, loc = builder.formulas, item.loc
    requires, ensures = len(parts.requires), len(parts.ensures)
    match kind:
        case "requires":
            parts.requires.append((formulas.term(item.body, names), loc))
        case "ensures":
            parts.ensures.append((formulas.term(item.body, names), loc))
        case _:
            claims, sizes = formulas.claims(item.body, names)
            facts = parts.ensures if kind == "produces" else parts.requires
            facts += [(size, loc) for size in sizes]
            for claim in claims:
                before, after = clause_sides(kind, claim)
                parts.pre += [(before, loc)] if before is not None else []
                parts.post += [(after, loc)] if after is not None else []
    conditions, text = formulas.conditions.take(), print_expr(item.body)
    required = tuple(t for t, _ in parts.requires[requires:])
    if kind not in ("ensures", "produces", "writes"):
        return [ContractFacts(text, loc, required, conditions)]
    ensured = tuple(t for t, _ in parts.ensures[ensures:])
    # the sizes of an array that is written are facts of the precondition
    return [ContractFacts(text, loc, required), ContractFacts(text, loc, ensured, conditions, after=True)]


def clause_sides(kind: str, claim: CellClaim) -> tuple[CellClaim | None, CellClaim | None]:
    """What a clause adds to the precondition and to the postcondition."""
    match kind:
        case "consumes":
            return claim, None
        case "produces":
            return None, claim
        case "preserves":
            return claim, claim
        case "writes":
            return replace(claim, contents=UNINIT, value=None), claim
        case "reads":
            return replace(claim, share=READ), None
        case _:
            raise AssertionError(kind)


# Barriers that are declared by their contract


def _is_variable(builder: CodeBuilder, e: Expr) -> bool:
    """`H` or `Sync(fM, H)`, for a variable of type HProp: see `frontend/collective_contracts.py` for what is possible."""
    name = e.name if isinstance(e, Var) else synchronised_variable(e)
    return program.logical_variables(builder.f.contract).get(name or "") == HPROP


def _synchronised(builder: CodeBuilder, names: Names) -> tuple[str, ...]:
    """The memory that the function synchronises: fM of each `Sync(fM, H)` that it produces for a variable H."""
    memory: set[str] = set()
    for item in (i for c in builder.f.contract if c.kind == "produces" for i in c.items):
        if _is_variable(builder, item.body) and isinstance(item.body, Call):
            memory |= builder.formulas.memory_of(item.body.args[0], names)
    return tuple(sorted(memory))


# The group of threads that calls a device function

LAUNCH_TOKENS = ("ThreadsCtx", "KernelParams", "SMemAllowance")


def _is_launch(builder: CodeBuilder, e: Expr) -> bool:
    return isinstance(e, Call) and e.func in LAUNCH_TOKENS and e == builder.f.token(e.func)


def launch_facts(builder: CodeBuilder, names: Names) -> list[Term]:
    """Facts about the threads that call a device function: how many call it together, and their launch.

    Without KernelParams the group is one of several equal ones that make up a block. SMemAllowance is what the launch has left of
    its shared memory where the function is called. A function with a body cannot ask for it: it could allocate from it, and would
    have to wait for the threads that still use its arrays before it ends.
    """
    f, formulas = builder.f, builder.formulas
    group, launch, allowance = (f.token(name) for name in LAUNCH_TOKENS)
    if f.role is not Role.DEVICE:
        for token in (t for t in (group, launch, allowance) if t is not None):
            raise unsupported(f"{token.func} belongs to device functions: __device__", token.loc)
    for item in (i for c in f.contract for i in c.items if f.role is Role.DEVICE):
        if Var("HostCtx") in subexpressions(item.body):
            raise unsupported("HostCtx belongs to host code", item.loc)
    if group is not None:
        low, high = formulas.range(group.args[0], names)
        formulas.threads = k.sub(high, low)
    stated = list(zip(ANY_LAUNCH, launch.args if launch is not None else ()))
    stated += [(ANY_LAUNCH[-1], allowance.args[0])] if allowance is not None else []
    if allowance is not None and not f.admitted:
        raise unsupported("a device function with a body cannot have a SMemAllowance", allowance.loc)
    facts = [k.eq(x, formulas.term(e, names)) for x, e in stated if e != Var("_")]
    if group is not None and launch is None:
        facts.append(k.eq(k.fmod(ANY_LAUNCH[1], formulas.threads or k.ONE), k.ZERO))
    return facts


def _first_thread(builder: CodeBuilder, names: Names) -> frozenset[Term]:
    """`t` in `ThreadsCtx(t ..+ 32)`: no rule depends on the position of a group in the grid."""
    group = builder.f.token("ThreadsCtx")
    return frozenset() if group is None else builder.formulas.range(group.args[0], names)[0].free
