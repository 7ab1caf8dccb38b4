"""Contracts of collective functions: variables of type HProp, `Sync`, and where a group of threads begins.

A device function that is declared by its contract alone can be a barrier: for every permission H, it takes H and gives Sync(fM, H).
What it does is assumed, so that its contract must not say more than the checker looks at where it is called.
"""

from __future__ import annotations

from collections import Counter

from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Binary, Call, Expr, FunType, Int, PointsTo, Range, TypeOf, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Function, Item, Role, logical_variables
from optigpu.syntax.types import HPROP, MEMTYPE, Scalar
from optigpu.syntax.walk import subexpressions

BARRIER_FORM = '__consumes("H"); __produces("Sync(block_sync_mem, H)");'


def synchronised_variable(e: Expr) -> str | None:
    """The variable H in `Sync(fM, H)`."""
    match e:
        case Call("Sync", (_, Var(name))):
            return name
        case _:
            return None


def synchronised_variables(f: Function) -> dict[str, Expr]:
    """The variables H of `Sync(fM, H)` in a contract, each with its fM."""
    produced = (i.body for c in f.contract if c.kind == "produces" for i in c.items)
    return {name: e.args[0] for e in produced if isinstance(e, Call) and (name := synchronised_variable(e)) is not None}


def reject_collective_contract(f: Function) -> None:
    """Reject contracts of functions (with types) that quantify over permissions in another way than a barrier does."""
    if f.role is Role.GHOST:
        return
    variables = {item.name: item for c in f.contract for item in c.items if _of_permissions(item)}
    for item in variables.values():
        if f.role is not Role.DEVICE:
            raise _malformed(
                "a variable of type HProp belongs into the contract of a device function", item, "__device__"
            )
        if not f.admitted:
            message = f"`{f.name}` has a body, which cannot be checked for every permission"
            raise _malformed(message, item, "declare it by its contract alone: __admitted();")
        if isinstance(item.body, TypeOf) and item.body.of != HPROP:
            raise _malformed("only ghosts have families of permissions as variables", item, BARRIER_FORM)
        _reject_other_uses(f, item)
    if f.admitted:
        _reject_position(f)
    for item in (i for c in f.contract for i in c.items if isinstance(i.body, TypeOf) and i.body.of == MEMTYPE):
        _reject_mixed_memory(f, item)


def _reject_mixed_memory(f: Function, variable: Item) -> None:
    """A variable M of type MemType, `p ~>[M] v`, is the memory of one parameter: that two have the same memory is not checked."""
    if f.role is not Role.DEVICE:
        raise _malformed("host code has memory of one type, and GMem by its name", variable, "leave the variable out")
    arrays: set[str] = set()
    for e in (e for c in f.contract for i in c.items for e in subexpressions(i.body) if isinstance(e, PointsTo)):
        if variable.name in free_vars(e) - free_vars(e.pointer):
            arrays |= free_vars(e.pointer) & {p.name for p in f.params if not isinstance(p.type, Scalar)}
    if len(arrays) > 1:
        message = f"`{variable.name}` is the memory of {' and '.join(sorted(arrays))}, which may be different"
        raise _malformed(message, variable, "one variable for each array")


def _of_permissions(item: Item) -> bool:
    type_ = item.body.of if isinstance(item.body, TypeOf) else None
    return type_ == HPROP or (isinstance(type_, FunType) and type_.result == HPROP)


def _reject_other_uses(f: Function, variable: Item) -> None:
    """H is consumed once and given back once, as it was or synchronised; or it is preserved or read, which says nothing.

    Given back without being consumed, or twice, it would be any permission, out of nothing.
    """
    name, uses = variable.name, Counter[str]()
    for c in f.contract:
        for item in c.items:
            if isinstance(item.body, TypeOf) or name not in free_vars(item.body):
                continue
            whole = item.body == Var(name or "")
            if not whole and not (c.kind == "produces" and synchronised_variable(item.body) == name):
                raise _malformed(f"`{name}` can only stand alone, or in `Sync`", item, BARRIER_FORM)
            uses[c.kind] += 1
    taken, given = uses.pop("consumes", 0), uses.pop("produces", 0)
    if (taken, given) not in ((0, 0), (1, 1)) or sum(uses.values()) > (0 if taken else 1):
        message = (
            f"`{name}` must be consumed once and given back once, but is consumed {taken} and produced {given} times"
        )
        raise _malformed(message, variable, BARRIER_FORM)


def _reject_position(f: Function) -> None:
    """`t` in `ThreadsCtx(t ..+ M)` has no meaning elsewhere: no rule knows where in the grid a group begins."""
    group = f.token("ThreadsCtx")
    if group is None or not isinstance(group.args[0], Range):
        return
    low = group.args[0].low
    if low == Int(0):
        return
    others: list[Expr] = [i.body for c in f.contract for i in c.items if i.body is not group]
    match group.args[0].high:
        case Binary("+", start, size) if start == low:
            others.append(size)
        case _:  # the number of threads depends on where they begin
            others.append(low)
    named = isinstance(low, Var) and low.name in logical_variables(f.contract)
    if not named or any(free_vars(low) & free_vars(e) for e in others):
        message = "the checker does not know where in the grid a group of threads begins: nothing can be assumed of it"
        fix = '__requires("t: int"); __preserves("ThreadsCtx(t ..+ M)"); and no other use of t'
        raise input_error("OG110", message, low.loc, help=fix)


def _malformed(message: str, item: Item, fix: str) -> InputError:
    return input_error("OG110", message, item.loc, help=fix)
