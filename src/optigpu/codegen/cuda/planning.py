"""The launch plan of a host function that copies in, launches and copies out."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.codegen.cuda.host_nodes import HostLaunch, HostNode, Nested, Plain
from optigpu.codegen.cuda.kernel_lowering import DeviceKernel
from optigpu.codegen.integer_polynomials import expand_index_helper
from optigpu.codegen.launch_plan import Plan, PlanChoice, PlanCopy, PlanLaunch, PlanLet, PlanRepeat, PlanScratch
from optigpu.syntax.builtins import index_helper
from optigpu.syntax.exprs import (
    Alloc,
    Array,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Int,
    Real,
    SizeOf,
    Unary,
    Var,
    is_float,
    is_int,
)
from optigpu.syntax.program import Block, CallStmt, Decl, For, If, Stmt
from optigpu.syntax.types import Space
from optigpu.syntax.walk import children, rewrite


class _NoPlanError(Exception):
    """A statement or expression that a plan cannot express."""


def plan_of(nodes: tuple[HostNode, ...], bound: Mapping[str, str]) -> Plan | None:
    """`bound`: device array -> parameter. None if there is no plan; then host code must be compiled."""
    try:
        return steps(nodes, bound)
    except _NoPlanError:
        return None


def steps(nodes: tuple[HostNode, ...], bound: Mapping[str, str]) -> Plan:
    return tuple(step for n in nodes for step in steps_of(n, bound))


def steps_of(n: HostNode, bound: Mapping[str, str]) -> Plan:
    match n:
        case HostLaunch(k):
            return (launch(k, bound),)
        case Plain(s):
            return plain(s, bound)
        case Nested(Block(), then):
            return steps(then, bound)
        case Nested(For(index, r), then):
            start, end, amount = value(r.start), value(r.bound), value(r.amount)
            return (PlanRepeat(index, start, r.relation, end, r.op, amount, steps(then, bound)),)
        case Nested(If(test), then, other):
            return (PlanChoice(value(test), steps(then, bound), steps(other, bound)),)
        case _:
            raise AssertionError(n)


def value(e: Expr) -> Expr:
    """An expression that the launcher evaluates exactly as compiled code does: integer arithmetic, and comparisons of floats
    without arithmetic or conversions, which would round."""
    if is_float(e.type) or not is_computable(e):
        raise _NoPlanError
    return rewrite(e, arithmetic)


def is_computable(e: Expr) -> bool:
    match e:
        case Binary("<" | "<=" | ">" | ">=" | "==", Var() | Real() as a, Var() | Real() as b) if is_float(a.type):
            return a.type == b.type
        case Int() | Bool() | SizeOf() | Var() | Unary("!" | "-") | Binary() | Cond() | Cast():
            pass
        case Call(name):
            if index_helper(name) is None and name not in ("min", "max", "abs", "exact_div"):
                return False
        case _:
            return False
    return not any(is_float(x.type) for x in children(e)) and all(map(is_computable, children(e)))


def arithmetic(e: Expr) -> Expr:
    match e:
        case Call(name) if (helper := index_helper(name)) is not None:
            return expand_index_helper(e, helper)
        case _:
            return e


def launch(k: DeviceKernel, bound: Mapping[str, str]) -> PlanLaunch:
    threads = k.threads
    return PlanLaunch(
        k.name,
        tuple(map(value, threads.dims(threads.grid_dims))),
        tuple(map(value, threads.dims(threads.block_dims))),
        value(k.layout.total),
        k.scalars,
        tuple((axis, t) for axis, (_, t) in k.slices.items()),
        tuple(bound.get(a.name, a.name) for a in k.arrays),
    )


def plain(s: Stmt, bound: Mapping[str, str]) -> Plan:
    match s:
        case Decl(name, _, Alloc(elem, dims, Space.GMEM)):
            return () if name in bound else (PlanScratch(name, elem, tuple(map(value, dims))),)
        case Decl(name, t, init) if is_int(t) and init is not None:
            return (PlanLet(name, value(init)),)
        case CallStmt(Call(func, (Var(to), Var(source), *dims))) if func.startswith("memcpy_device_to_device"):
            array = s.call.args[0].type
            assert isinstance(array, Array)
            return (PlanCopy(bound.get(to, to), bound.get(source, source), array.elem, tuple(map(value, dims))),)
        case CallStmt(Call(func)) if func == "gmem_free" or (
            func.startswith("memcpy") and "device_to_device" not in func
        ):
            return ()  # scratch is freed at the end; the caller's arrays are on the device
        case _:
            raise _NoPlanError
