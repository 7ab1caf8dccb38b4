"""Array types of parameters: the contract tells which array a plain pointer points to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import index_helper, matrix_predicate
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Call, Expr, Index, PointsTo, Type, Var
from optigpu.syntax.free_names import free_vars, scoped_subexpressions
from optigpu.syntax.program import Function
from optigpu.syntax.types import Pointer, Space
from optigpu.syntax.walk import body_exprs, contract_exprs

Permission: TypeAlias = tuple[PointsTo, frozenset[str], set[str]]  # the names bound around it, the names of its pointer


def effective_types(f: Function) -> tuple[Type, ...]:
    """The types of the parameters, with the array of the contract for each plain pointer."""
    permissions = permissions_in(f)
    return tuple(_effective_type(f, p.name, p.type, permissions) for p in f.params)


def effective_type(f: Function, name: str, declared: Type) -> Type:
    return _effective_type(f, name, declared, permissions_in(f))


def _effective_type(f: Function, name: str, declared: Type, permissions: list[Permission]) -> Type:
    if isinstance(declared, Array):
        return replace(declared, space=space_in(permissions, name))
    if not isinstance(declared, Pointer):
        return declared
    dims = dims_in(contract_exprs(f.contract), name) or dims_in(list(body_exprs(f.body)), name)
    return Array(declared.elem, dims or (None,), space_in(permissions, name))


def permissions_in(f: Function) -> list[Permission]:
    """The permissions in the contract, in order."""
    parts = (part for formula in contract_exprs(f.contract) for part in scoped_subexpressions(formula))
    return [(e, bound, free_vars(e.pointer)) for e, bound in parts if isinstance(e, PointsTo)]


def dims_in(formulas: list[Expr], name: str) -> tuple[Expr | None, ...] | None:
    """The sizes of the array that `name` points to, from a MatrixN or MINDEXn; without these, its number of dimensions."""
    rank = 0
    for e, bound in scoped_parts(formulas, name):
        match e:
            case PointsTo(Var(n), _, Call(predicate, args)) if n == name and (m := matrix_predicate(predicate)):
                return closed_sizes(args[: m.rank], bound)
            case Index(Var(n), (Call(func, args), *_)) if n == name and (h := index_helper(func)) and h[0] == "MINDEX":
                return closed_sizes(args[: h[1]], bound)
            case Index(Var(n), indices) if n == name:
                rank = max(rank, len(indices))
            case _:
                pass
    return (None,) * rank if rank else None


def reject_conflicting_sizes(f: Function) -> None:
    """A plain pointer has no declared sizes: all inner sizes that the contract gives it must agree, since they fix its layout."""
    formulas = contract_exprs(f.contract)
    for name, elem in ((p.name, p.type.elem) for p in f.params if isinstance(p.type, Pointer)):
        dims = dims_in(formulas, name) or ()
        for e, bound in scoped_parts(formulas, name):
            match e:
                case PointsTo(Var(n), _, Call(predicate, args)) if (
                    n == name and (m := matrix_predicate(predicate)) and m.rank == len(dims)
                ):
                    inner = closed_sizes(args[1 : m.rank], bound)
                    if None in inner or inner != dims[1:]:
                        message = f"the inner sizes of this `{predicate}` are not those that `{name}` has elsewhere"
                        fix = f"declare its sizes: {elem.name} {name}[H][W]"
                        raise input_error("OG111", message, e.loc, help=fix)
                case _:
                    pass


def scoped_parts(formulas: list[Expr], name: str) -> Iterator[tuple[Expr, frozenset[str]]]:
    """The parts of formulas in which `name` is the parameter and not a bound variable, with the names bound around them."""
    for formula in formulas:
        for e, bound in scoped_subexpressions(formula):
            if name not in bound:
                yield e, bound


def closed_sizes(sizes: tuple[Expr, ...], bound: frozenset[str]) -> tuple[Expr | None, ...]:
    """The sizes, with None for those that mention a bound variable."""
    return tuple(None if bound & free_vars(d) else d for d in sizes)


def space_in(permissions: list[Permission], name: str) -> Space:
    """The memory space that the permissions on `name` state."""
    for e, bound, names in permissions:
        if name not in names or name in bound:
            continue
        match e:
            case PointsTo(_, _, Call(predicate, args)) if (m := matrix_predicate(predicate)) and m.with_space:
                space: Expr | None = args[m.rank] if m.rank < len(args) else None
            case _:
                space = e.space
        if isinstance(space, Var) and space.name in {s.value for s in Space}:
            return Space(space.name)
    return Space.ANY
