"""Ranges of a function's integer parameters, as its contract implies them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from optigpu.codegen.integer_polynomials import mentioned, poly
from optigpu.codegen.value_ranges import Ranges
from optigpu.frontend.parameter_types import effective_types
from optigpu.syntax.exprs import Array, Binary, Expr, Int, Var, is_int
from optigpu.syntax.parameter_sizes import claimed_arrays
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.program import Function
from optigpu.syntax.types import Scalar

MEMORY = 1 << 47  # bytes; no address space is larger, so every array that exists is smaller


def sizes(f: Function) -> list[Expr]:
    return [d for t in effective_types(f) if isinstance(t, Array) for d in t.dims if d is not None]


def held_arrays(f: Function) -> Iterator[tuple[Scalar, tuple[Expr, ...]]]:
    """Element type and sizes of the arrays whose cells the function owns on entry; these sizes are not negative."""
    types = {p.name: t for p, t in zip(f.params, effective_types(f))}
    for pointer, dims in claimed_arrays(f):
        t = types.get(pointer.name) if isinstance(pointer, Var) else None
        if isinstance(t, Array) and not t.distributed:
            yield t.elem, dims


def with_products(ranges: Ranges, f: Function, least: Mapping[str, int]) -> Ranges:
    """Add the upper bounds that the contract requires of products of parameters that are not negative."""
    names = {p.name for p in f.params if least.get(p.name, -1) >= 0}
    for fact in required_facts(f):
        match fact:
            case Binary("<=" | "<" as op, e, Int(value)) | Binary(">=" | ">" as op, Int(value), e):
                match poly(e).terms:
                    case ((factors, count),) if len(factors) > 1 and count > 0 and mentioned(poly(e)) <= names:
                        if all(isinstance(a, Var) for a in factors):
                            ranges = ranges.having_product(factors, (value - (op in "<>")) // count)
                    case _:
                        pass
            case _:
                pass
    return ranges


def required_facts(f: Function) -> Iterator[Expr]:
    """The required facts, with conjunctions split."""
    rest = [i.body for c in f.contract if c.kind == "requires" for i in c.items]
    while rest:
        fact = rest.pop()
        if isinstance(fact, Binary) and fact.op == "&&":
            rest += [fact.left, fact.right]
        else:
            yield fact


def parameter_ranges(f: Function, limits: Mapping[str, tuple[int, int]] | None = None, *, entry: bool = True) -> Ranges:
    """The ranges that the contract allows, within `limits` that an entry point checks. `entry`: an entry point has also checked
    that sizes are not negative, which the contract implies only for arrays that it mentions."""
    ranges, params = Ranges(), {p.name for p in f.params}
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    for d in sizes(f) if entry else ():
        if isinstance(d, Var):
            least[d.name] = 0
    for elem, dims in held_arrays(f):
        for d in dims:
            if isinstance(d, Var):
                least[d.name] = 0
        cells = constant_polynomial(1)
        for d in dims:
            cells = cells * poly(d)
        match cells.terms:
            case ((factors, count),) if (
                factors and count > 0 and mentioned(cells) <= params
            ):  # without logical variables
                ranges = ranges.having_product(factors, (MEMORY - 1) // (count * elem.size))
            case _:
                pass
    for factors, greatest in ranges.products:
        if len(factors) == 1 and isinstance(factors[0], Var):
            most[factors[0].name] = greatest
    for fact in required_facts(f):
        match fact:
            case Binary(">=", Var(name), Int(value)) | Binary("<=", Int(value), Var(name)):
                least[name] = max(least.get(name, value), value)
            case Binary(">", Var(name), Int(value)) | Binary("<", Int(value), Var(name)):
                least[name] = max(least.get(name, value + 1), value + 1)
            case Binary("<=", Var(name), Int(value)) | Binary(">=", Int(value), Var(name)):
                most[name] = min(most.get(name, value), value)
            case Binary("<", Var(name), Int(value)) | Binary(">", Int(value), Var(name)):
                most[name] = min(most.get(name, value - 1), value - 1)
            case Binary("==", Var(name), Int(value)) | Binary("==", Int(value), Var(name)):
                least[name] = max(least.get(name, value), value)
                most[name] = min(most.get(name, value), value)
            case _:
                pass
    ranges = with_products(ranges, f, least)
    for p in f.params:
        if isinstance(p.type, Scalar) and is_int(p.type):
            lowest, highest = (limits or {}).get(p.name, (p.type.low, p.type.high))
            low, high = max(least.get(p.name, lowest), lowest), min(most.get(p.name, highest), highest)
            if low <= high:
                ranges = ranges.having(p.name, constant_polynomial(low), constant_polynomial(high))
    return ranges
