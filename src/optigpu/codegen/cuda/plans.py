"""The plan of a host function that copies in, launches and copies out, for callers that give device memory."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.codegen.cuda.device import DeviceKernel
from optigpu.codegen.cuda.host_nodes import HostNode, Launch, Nested, Plain
from optigpu.codegen.plan import Choose, Copy, LaunchKernel, Let, Plan, PlanStep, Repeat, Scratch
from optigpu.syntax.exprs import Alloc, Call, Var
from optigpu.syntax.program import Block, CallStmt, Decl, For, If, Stmt
from optigpu.syntax.types import Array, Space, is_int


def plan_of(nodes: tuple[HostNode, ...], bound: Mapping[str, str]) -> Plan | None:
    """`bound`: which device array stands for which parameter. None if a step has no counterpart in a plan."""
    out: list[PlanStep] = []
    for n in nodes:
        steps = steps_of(n, bound)
        if steps is None:
            return None
        out.extend(steps)
    return tuple(out)


def steps_of(n: HostNode, bound: Mapping[str, str]) -> Plan | None:
    match n:
        case Launch(k):
            return (launch(k, bound),)
        case Plain(s):
            return plain(s, bound)
        case Nested(Block(), then):
            return plan_of(then, bound)
        case Nested(For(index, r), then):
            body = plan_of(then, bound)
            return None if body is None else (Repeat(index, r.start, r.relation, r.bound, r.op, r.amount, body),)
        case Nested(If(test), then, other):
            yes, no = plan_of(then, bound), plan_of(other, bound)
            return None if yes is None or no is None else (Choose(test, yes, no),)
        case _:
            raise AssertionError(n)


def launch(k: DeviceKernel, bound: Mapping[str, str]) -> LaunchKernel:
    threads = k.threads
    return LaunchKernel(
        k.name,
        tuple(threads.dims(threads.grid_dims)),
        tuple(threads.dims(threads.block_dims)),
        k.layout.total,
        k.scalars,
        tuple((axis, t) for axis, (_, t) in k.slices.items()),
        tuple(bound.get(a.name, a.name) for a in k.arrays),
    )


def plain(s: Stmt, bound: Mapping[str, str]) -> Plan | None:
    match s:
        case Decl(name, _, Alloc(elem, dims, Space.GMEM)):
            return () if name in bound else (Scratch(name, elem, dims),)
        case Decl(name, t, value) if is_int(t) and value is not None:
            return (Let(name, value),)
        case CallStmt(Call(func, (Var(to), Var(source), *dims))) if func.startswith("memcpy_device_to_device"):
            array = s.call.args[0].type
            assert isinstance(array, Array)
            return (Copy(bound.get(to, to), bound.get(source, source), array.elem, tuple(dims)),)
        case CallStmt(Call(func)) if func == "gmem_free" or (
            func.startswith("memcpy") and "device_to_device" not in func
        ):
            return ()  # scratch lives until the end, and the caller's arrays are on the device already
        case _:
            return None
