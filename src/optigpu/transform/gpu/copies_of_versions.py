"""Copies that both versions of a function make: once, before and after the choice between them.

A function that copies arrays in, chooses a kernel, and copies arrays out works on arrays that are on the device already, too.
"""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Alloc, Call, Var
from optigpu.syntax.free_names import body_free_vars, bound_after
from optigpu.syntax.program import Body, CallStmt, Decl, If, Stmt, is_call
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Space

TO_DEVICE, TO_HOST = "memcpy_host_to_device", "memcpy_device_to_host"


def copies_around(choice: If, taken: frozenset[str]) -> Body:
    """The choice, with what both branches do first before it, and what both do last after it: allocations of device arrays, copies
    of the same arrays, and frees. `taken`: names that a variable before the choice cannot have."""
    before: list[Stmt] = []
    after: list[Stmt] = []
    then, other = choice.then, choice.other
    for array in _device_arrays(then):
        twin = next((x for x in _device_arrays(other) if _same_use(then, array, other, x)), None)
        if twin is None or array.name in taken or body_free_vars((array,)) & _bound(then):
            continue
        if twin.name != array.name and (array.name in body_free_vars(other) | _bound(other)):
            continue
        moved = [s for s in then if _belongs(s, array.name)]
        before += [array, *(s for s in moved if _is_copy(s, TO_DEVICE))]
        after += [s for s in moved if not _is_copy(s, TO_DEVICE)]
        then = tuple(s for s in then if s is not array and not _belongs(s, array.name))
        rest = tuple(s for s in other if s is not twin and not _belongs(s, twin.name))
        other = substitute_body(rest, {twin.name: Var(array.name)}) if twin.name != array.name else rest
    frees = [s for s in after if not _is_copy(s, TO_HOST)]
    return (*before, replace(choice, then=then, other=other), *(s for s in after if _is_copy(s, TO_HOST)), *frees)


def launches(body: Body) -> bool:
    return any(
        is_call(s, "kernel_launch") or (isinstance(s, If) and launches(s.then) and launches(s.other)) for s in body
    )


def _device_arrays(body: Body) -> list[Decl]:
    return [s for s in body if isinstance(s, Decl) and isinstance(s.init, Alloc) and s.init.space is Space.GMEM]


def _same_use(then: Body, array: Decl, other: Body, twin: Decl) -> bool:
    """Do two device arrays have the same size, and are they copied from and to the same arrays, which nothing else uses?"""
    mine, theirs = _copies(then, array.name), _copies(other, twin.name)
    if array.init != twin.init or not mine or mine != theirs:
        return False
    if not (_is_copied_first_and_last(then, array.name) and _is_copied_first_and_last(other, twin.name)):
        return False
    hosts = {host for _, host in mine}
    return not any(hosts & _used_otherwise(body, d.name) for body, d in ((then, array), (other, twin)))


def _is_copied_first_and_last(body: Body, name: str) -> bool:
    """Is a device array copied to at most once, before all else that uses it, and copied from at most once, after that?"""
    uses = [s for s in body if name in body_free_vars((s,)) and (_copies((s,), name) or not _belongs(s, name))]
    inner = uses[1:] if uses and _is_copy(uses[0], TO_DEVICE) else uses
    inner = inner[:-1] if inner and _is_copy(inner[-1], TO_HOST) else inner
    return not _copies(tuple(inner), name)


def _used_otherwise(body: Body, name: str) -> set[str]:
    """The names that statements use which are no copies of a device array: these may be between a copy and where it moves."""
    return body_free_vars(tuple(s for s in body if not _copies((s,), name)))


def _copies(body: Body, name: str) -> list[tuple[str, str]]:
    """The direction of each copy of a device array, and the array of the host."""
    out: list[tuple[str, str]] = []
    for s in body:
        match s:
            case CallStmt(Call(func, (Var(to), Var(source), *_))) if func.startswith(TO_DEVICE) and to == name:
                out.append((TO_DEVICE, source))
            case CallStmt(Call(func, (Var(to), Var(source), *_))) if func.startswith(TO_HOST) and source == name:
                out.append((TO_HOST, to))
            case _:
                pass
    return out


def _belongs(s: Stmt, name: str) -> bool:
    """Is a statement a copy of a device array, or its free?"""
    is_free = isinstance(s, CallStmt) and s.call == Call("gmem_free", (Var(name),))
    return is_free or bool(_copies((s,), name))


def _is_copy(s: Stmt, direction: str) -> bool:
    return isinstance(s, CallStmt) and s.call.func.startswith(direction)


def _bound(body: Body) -> set[str]:
    return {name for s in body if not _device_array(s) for name in bound_after(s)}


def _device_array(s: Stmt) -> bool:
    return isinstance(s, Decl) and isinstance(s.init, Alloc) and s.init.space is Space.GMEM
