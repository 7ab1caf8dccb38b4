"""The launch plan of a host function that copies, launches and computes with integers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set

from optigpu.codegen.cuda.device_entry import is_whole_pointer
from optigpu.codegen.cuda.host_nodes import HostLaunch, HostNode, Nested, Plain
from optigpu.codegen.cuda.kernel_lowering import DeviceKernel
from optigpu.codegen.integer_polynomials import expand_index_helper, number
from optigpu.codegen.launch_plan import (
    Plan,
    PlanChoice,
    PlanCopy,
    PlanFree,
    PlanLaunch,
    PlanLet,
    PlanMap,
    PlanRepeat,
    PlanScratch,
    PlanStep,
)
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
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, If, Stmt, Store
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import children, rewrite, root_name


class _NoPlanError(Exception):
    """A statement or expression that a plan cannot express."""


def plan_of(nodes: tuple[HostNode, ...], bound: Mapping[str, str], params: Set[str]) -> Plan | None:
    """`bound`: device array -> the parameter that it is; `params`: the array parameters, which are in device memory. None if there
    is no plan; then host code must be compiled."""
    try:
        plan = steps(nodes, bound)
        copied = {name for step in all_steps(plan) if isinstance(step, PlanCopy) for name in (step.to, step.source)}
        made = {step.name for step in all_steps(plan) if isinstance(step, PlanScratch)}
        return plan if copied <= made | params else None  # otherwise some are in host memory
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


def launch(k: DeviceKernel, bound: Mapping[str, str], plain: DeviceKernel | None = None) -> PlanLaunch:
    """`plain`: the kernel of which this is the form with bulk copies."""
    threads = k.threads
    block = tuple(map(value, threads.dims(threads.block_dims)))
    sizes = {
        a.name: tuple(value(d) for d in a.dims if d is not None) for a in (plain.arrays if plain is not None else ())
    }
    return PlanLaunch(
        k.name,
        tuple(map(value, threads.dims(threads.grid_dims))),
        tuple(number(e.value + k.more_threads) if isinstance(e, Int) else e for e in block),
        value(k.layout.total),
        k.scalars,
        tuple((axis, t) for axis, (_, t) in k.slices.items()),
        tuple(bound.get(a.name, a.name) for a in k.arrays),
        tuple(PlanMap(bound.get(m.array, m.array), m.elem, sizes[m.array], m.rows, m.cols) for m in k.maps),
        None if k.bulk is None else launch(k.bulk, bound, k),
    )


def plain(s: Stmt, bound: Mapping[str, str]) -> Plan:
    match s:
        case Decl(name, _, Alloc(elem, dims, Space.GMEM)):
            return () if name in bound else (PlanScratch(name, elem, tuple(map(value, dims))),)
        case Decl(name, t, init) if is_int(t) and init is not None:
            return (PlanLet(name, value(init)),)
        case Decl(_, t, None) if is_int(t):
            return ()
        case Store(Var(name) as target, new, op) if is_int(target.type) and op in (None, "+", "-", "*"):
            if op is not None and not (isinstance(target.type, Scalar) and target.type.signed):
                raise _NoPlanError  # it is taken modulo 2^bits
            return (PlanLet(name, value(new if op is None else Binary(op, target, new, type=target.type))),)
        case CallStmt(Call(func, (to, source, *dims))) if func.startswith("memcpy"):
            if not is_whole_pointer(to) or not is_whole_pointer(source):
                raise _NoPlanError
            array = to.type
            assert isinstance(array, Array)
            end, start = (bound.get(name, name) for name in (root_name(to), root_name(source)))
            return () if end == start else (PlanCopy(end, start, array.elem, tuple(map(value, dims))),)
        case Block(body):
            return plain_body(body, bound)
        case If(test, then, other):
            return (PlanChoice(value(test), plain_body(then, bound), plain_body(other, bound)),)
        case For(index, r, body):
            return (
                PlanRepeat(
                    index, value(r.start), r.relation, value(r.bound), r.op, value(r.amount), plain_body(body, bound)
                ),
            )
        case CallStmt(Call("gmem_free", (pointer,))):
            return () if root_name(pointer) in bound else (PlanFree(root_name(pointer)),)
        case _:
            raise _NoPlanError


def plain_body(body: Body, bound: Mapping[str, str]) -> Plan:
    return tuple(step for s in body for step in plain(s, bound))


def all_steps(plan: Plan) -> Iterator[PlanStep]:
    for step in plan:
        yield step
        if isinstance(step, PlanRepeat):
            yield from all_steps(step.body)
        if isinstance(step, PlanChoice):
            yield from all_steps(step.then + step.other)
