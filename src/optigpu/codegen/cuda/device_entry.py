"""How a host function runs on device arrays of its caller.

Each array parameter is in device memory, so a copy between it and a device array of the function is a copy on the device. Where
such a copy changes nothing that is seen, the device array is the parameter itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any

from optigpu.codegen.cuda.host_nodes import HostLaunch, HostNode, Nested, Plain, flattened_nodes
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, Storage
from optigpu.codegen.integer_polynomials import same_value
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Addr, Alloc, Call, Expr, Index, Int, Var
from optigpu.syntax.program import Block, CallStmt, Decl, For, Stmt
from optigpu.syntax.types import Space
from optigpu.syntax.walk import code_exprs, root_name, statements, subexpressions

MOST_WAYS = 64  # through the branches of a function; with more, everything is copied


# Whether there is such a way to run it


def host_access(nodes: tuple[HostNode, ...], params: Mapping[str, ArrayInfo]) -> tuple[Stmt, str] | None:
    """The first statement of the host that reads or writes elements of an array which may be in device memory, and the array; None
    if there is none."""
    plain = [n.stmt for n in flattened_nodes(nodes) if isinstance(n, Plain)]
    own = {s.name for x in plain for s in statements((x,)) if isinstance(s, Decl) and device_allocation(s) is not None}
    elsewhere = params.keys() | own
    for n in flattened_nodes(nodes):
        inside = () if isinstance(n, HostLaunch) else statements((n.stmt,)) if isinstance(n, Plain) else (n.stmt,)
        for s in inside:
            for e in accesses(s):
                for x in subexpressions(e):
                    if isinstance(x, Var) and x.name in elsewhere:
                        return s, x.name
    return None


def accesses(s: Stmt) -> Iterator[Expr]:
    """The expressions that the host evaluates in a statement, without the arrays that it copies or frees."""
    match s:
        case CallStmt(Call(func, (to, source, *dims))) if func.startswith("memcpy"):
            for pointer in (to, source):
                yield from offsets(pointer)
            yield from dims
        case CallStmt(Call("free" | "gmem_free")):
            return
        case Decl(_, _, Alloc(_, dims)):
            yield from dims
        case _:
            yield from code_exprs(s)


def offsets(pointer: Expr) -> tuple[Expr, ...]:
    match pointer:
        case Var():
            return ()
        case Addr(Index(Var(), indices)):
            return indices
        case _:
            return (pointer,)


def device_allocation(s: Stmt) -> tuple[Expr, ...] | None:
    """The sizes of the device array that a statement declares."""
    match s:
        case Decl(_, _, Alloc(_, dims, Space.GMEM)):
            return dims
        case _:
            return None


# Device arrays that are a parameter


@dataclass(frozen=True)
class _Use:
    """What happened to a device array, or to a parameter in GPU memory. `alone`: nothing that forbids it to be a parameter of the
    host."""

    sizes: tuple[Expr, ...]
    copied_with: frozenset[str] = frozenset()  # parameters
    copied_in: bool = False
    written: bool = False  # by a kernel or a copy on the device
    copied_out: bool = False
    alone: bool = True


_Way = Mapping[str, _Use]


def bound_arrays(nodes: tuple[HostNode, ...], params: Mapping[str, ArrayInfo]) -> dict[str, str]:
    """Device array -> the parameter that it is when the function runs on device arrays. Others are memory of its own.

    On every way through the function such an array holds all of the parameter and is copied with no other, nor is the parameter. It
    is copied from the parameter before it is written. If it is written, it is copied back, and not written after that. So whenever
    it is used, the parameter would hold the same, and in the end the parameter holds what was copied back.
    """
    ways = _Ways(params)
    on_device = {name: _Use((), alone=False) for name, a in params.items() if a.storage is Storage.GLOBAL}
    ends = ways.through(nodes, [on_device], in_loop=False)
    bound: dict[str, str] = {}
    refused: set[str] = set()
    for way in ends:
        for name, use in way.items():
            partners = [d for d, other in way.items() if other.copied_with & use.copied_with]
            fits = (
                use.alone and len(use.copied_with) == 1 and partners == [name] and (use.copied_out or not use.written)
            )
            (param, *_) = (*use.copied_with, "")
            if not fits or bound.setdefault(name, param) != param:
                refused.add(name)
    return {} if ways.too_many else {d: p for d, p in bound.items() if d not in refused}


@dataclass
class _Ways:
    """Follows the ways through a function."""

    params: Mapping[str, ArrayInfo]
    too_many: bool = field(default=False)

    def through(self, nodes: Iterable[HostNode], ways: list[_Way], in_loop: bool) -> list[_Way]:
        for n in nodes:
            match n:
                case HostLaunch(k):
                    ways = [self.written(way, k.written) for way in ways]
                case Nested(Block(), then):
                    ways = self.through(then, ways, in_loop)
                case Nested(For(), then):
                    ways = self.through(then, ways, True)
                case Nested(_, then, other):
                    ways = self.through(then, ways, in_loop) + self.through(other, ways, in_loop)
                case Plain(s):
                    for x in statements((s,)):
                        ways = [self.statement(way, x, in_loop or x is not s) for way in ways]
            ways = [way for i, way in enumerate(ways) if way not in ways[:i]]
            if len(ways) > MOST_WAYS:
                self.too_many = True
                ways = ways[:1]
        return ways

    def statement(self, way: _Way, s: Stmt, in_loop: bool) -> _Way:
        match s:
            case Decl(name):
                sizes = device_allocation(s)
                if name in way:  # the name of an array in another block
                    return changed(way, name, alone=False)
                return way if sizes is None else {**way, name: _Use(sizes, alone=not in_loop)}
            case CallStmt(Call(func, (to, source, *dims))) if func.startswith("memcpy"):
                for pointer in (to, source):
                    if not is_whole_pointer(pointer):
                        way = changed(way, root_name(pointer), alone=False)
                if func.startswith("memcpy_device_to_device"):
                    return self.written(way, {root_name(to)})
                inwards = func.startswith("memcpy_host")
                device, host = (root_name(x) for x in ((to, source) if inwards else (source, to)))
                return self.copied(way, device, host, tuple(dims), inwards, in_loop)
            case _:
                return way

    def copied(self, way: _Way, device: str, host: str, dims: tuple[Expr, ...], inwards: bool, in_loop: bool) -> _Way:
        use = way.get(device)
        if use is None:
            return way
        if host not in self.params:  # memory of the function's own
            return self.written(way, {device}) if inwards else way
        again = use.copied_in or use.written or use.copied_out if inwards else use.copied_out
        fits = not again and not in_loop and self.is_whole(use.sizes, host, dims)
        done = {"copied_in": True} if inwards else {"copied_out": True}
        return changed(way, device, alone=use.alone and fits, copied_with=use.copied_with | {host}, **done)

    def written(self, way: _Way, names: Iterable[str]) -> _Way:
        for name in names:
            if name in way:
                way = changed(way, name, written=True, alone=way[name].alone and not way[name].copied_out)
        return way

    def is_whole(self, sizes: tuple[Expr, ...], param: str, copied: tuple[Expr, ...]) -> bool:
        """Whether a copy covers the whole device array and the whole parameter."""
        of_param = self.params[param]
        if of_param.storage is not Storage.HOST or not len(sizes) == len(of_param.dims) == len(copied):
            return False
        return all(
            b is not None and same_value(a, b) and same_value(a, c) for a, b, c in zip(sizes, of_param.dims, copied)
        )


def changed(way: _Way, name: str, **what: Any) -> _Way:
    return {**way, name: replace(way[name], **what)} if name in way else way


def is_whole_pointer(pointer: Expr) -> bool:
    match pointer:
        case Var():
            return True
        case Addr(Index(Var(), indices)):
            return all(i == Int(0) for i in indices)
        case _:
            return False
