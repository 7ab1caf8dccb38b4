"""Facts about the inputs of a function that follow from types: ranges of numbers, sizes of arrays, memory that holds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from optigpu.elaborate.formula_definedness import ContractFacts
from optigpu.elaborate.name_scope import sort_of
from optigpu.frontend.parameter_types import effective_types
from optigpu.kernel import instructions as kc
from optigpu.kernel.launch_rules import MOST_THREADS
from optigpu.kernel.side_conditions import ADDRESSES, whole_array
from optigpu.kernel.thread_conditions import ANY_LAUNCH
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, CellClaim, Cells, Terms
from optigpu.logic.terms import INT, REAL, TRUE, Term
from optigpu.syntax.exprs import Array
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.program import Function
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar


def input_facts(f: Function, procedure: kc.Procedure, places: Sequence[Loc]) -> list[ContractFacts]:
    """What types say of every input. `places`: those of the claims in the precondition."""
    out = _launch_facts(f, procedure)
    element_types: dict[str, Scalar] = {}  # of arrays
    for p, type_, parameter in zip(f.params, effective_types(f), procedure.params):
        if isinstance(type_, Array):
            sizes = tuple(k.le(k.ZERO, d) for d in parameter.dims or () if d is not None)
            out.append(ContractFacts(f"`{p.name}` is an array: its sizes are not negative", p.loc, sizes, typed=True))
            element_types[p.name] = type_.elem
        elif isinstance(type_, Scalar):
            within = in_type(k.var(p.name, sort_of(type_, p.loc)), type_)
            out.append(ContractFacts(f"`{p.name}` is of type {type_.name}", p.loc, (within,), typed=True))
    pre = [(c, at) for c, at in zip(procedure.contract.pre, places) if c.cells.base in element_types]
    parameters = {p.name: p for p in procedure.params}
    for claim, at in pre:
        text = f"`{claim.cells.base}` lies in memory: it has at most {ADDRESSES} bytes"
        out.append(ContractFacts(text, at, (in_memory(claim.cells, parameters[claim.cells.base]),), typed=True))
    return out + _contents_facts([(c, at) for c, at in pre if c.contents == KNOWN], element_types)


def _launch_facts(f: Function, procedure: kc.Procedure) -> list[ContractFacts]:
    if not procedure.device:
        return []
    block = ANY_LAUNCH[1]
    facts = (k.le(k.ONE, block), k.le(block, k.num(MOST_THREADS)), k.le(k.ONE, procedure.threads))
    return [ContractFacts(f"a block has 1 to {MOST_THREADS} threads", f.loc, facts, typed=True)]


def _contents_facts(known: list[tuple[CellClaim, Loc]], element_types: dict[str, Scalar]) -> list[ContractFacts]:
    """Cells hold numbers of their type, and one value each: two claims on the same cells give the same values."""
    out: list[ContractFacts] = []
    for i, (claim, at) in enumerate(known):
        element_type = element_types[claim.cells.base]
        facts = for_all_cells(claim, partial(_value_in_type, element_type))
        text = f"`{claim.cells.base}` holds numbers of type {element_type.name}"
        out.append(ContractFacts(text, at, facts, typed=True))
        for other, before in known[:i]:
            if other.cells == claim.cells:  # both only read
                facts = for_all_cells(claim, _same_value, other)
                text = f"`{claim.cells.base}` holds this, and what line {before.line} says (column {before.column})"
                out.append(ContractFacts(text, at, facts))
    return out


def in_type(x: Term, t: Scalar) -> Term:
    """That x is in the range of a machine type."""
    match t.kind:
        case Kind.INT if x.sort is INT:
            return k.and_(k.le(k.num(t.low), x), k.le(x, k.num(t.high)))
        case Kind.FLOAT if x.sort is REAL:
            most = k.num(FORMATS[t].largest, REAL)
            return k.and_(k.le(k.neg(most), x), k.le(x, most))
        case _:
            return TRUE


def in_memory(cells: Cells, array: kc.Parameter) -> Term:
    """What the kernel knows of a whole array in memory: it has at most as many bytes as there are addresses."""
    dims = whole_array(cells)
    if array.space not in (kc.HOST_MEMORY, kc.GLOBAL) or dims is None:
        return TRUE
    fits = k.le(k.mul(k.num(array.bytes), *dims), k.num(ADDRESSES))
    # an array with two negative sizes has no cells, but their product is positive
    return fits if len(dims) == 1 else k.implies(k.and_(*(k.le(k.ZERO, d) for d in dims)), fits)


def _value_in_type(t: Scalar, values: Terms) -> Term:
    return in_type(values[0], t)


def _same_value(values: Terms) -> Term:
    return k.eq(values[0], values[1])


def for_all_cells(claim: CellClaim, fact: Callable[[Terms], Term], *others: CellClaim) -> tuple[Term, ...]:
    """A fact about the values that claims on the same cells give: for all cells, and for the first one if there is one."""
    values = [c.value for c in (claim, *others) if c.value is not None]
    first: list[Term] = []
    for low, _ in claim.cells.ranges:
        first.append(k.instantiate(low, tuple(first)))

    def at(binders: Terms) -> Term:
        return k.implies(claim.cells.domain(binders), fact(tuple(k.instantiate(v, binders) for v in values)))

    variables = tuple(k.formula_var("cell", i, INT) for i in range(claim.cells.arity))
    return tuple(dict.fromkeys((k.forall(variables, at(variables)), at(tuple(first)))))
