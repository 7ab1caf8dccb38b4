"""Arrays that stay on the device between kernels: a copy to the host and back is left out.

`launch` copies what each kernel needs in and out. Where the host does not look at an array between two kernels, both use one device
array; a host array that is then only copied to and from is not needed at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.syntax.exprs import Alloc, Array, Call, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, CallStmt, Decl, Stmt, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Space
from optigpu.syntax.walk import root_name, statements, stmt_exprs

TO_DEVICE, TO_HOST = "memcpy_host_to_device", "memcpy_device_to_host"
INTO_THE_FIRST = (TO_DEVICE, TO_HOST, "vload", "vstore")  # calls that write their first argument and read the others


def resident(body: Body) -> Body:
    """The same statements with fewer copies."""
    while True:
        changed = next(_shared(body), None) or next(_unneeded(body), None)
        if changed is None:
            return body
        body = changed


def _copy(s: Stmt, direction: str) -> tuple[str, str] | None:
    """Where a copy goes and what it copies."""
    match s:
        case CallStmt(Call(name, (Var(to), Var(source), *_))) if name.startswith(direction):
            return to, source
        case _:
            return None


def _is_free(s: Stmt, name: str) -> bool:
    return isinstance(s, CallStmt) and s.call in (Call("free", (Var(name),)), Call("gmem_free", (Var(name),)))


def _mentions(s: Stmt, name: str) -> bool:
    return name in body_free_vars((s,))


def _device_arrays(body: Body) -> Iterator[tuple[int, Decl]]:
    for k, s in enumerate(body):
        if isinstance(s, Decl) and isinstance(s.init, Alloc) and s.init.space is Space.GMEM:
            yield k, s


def _shared(body: Body) -> Iterator[Body]:
    """Two device arrays for one of the host, the second filled with what the first one held."""
    arrays = list(_device_arrays(body))
    for _, one in arrays:
        for _, two in arrays:
            if one is two or one.init != two.init:
                continue
            loads = [k for k, s in enumerate(body) if (c := _copy(s, TO_DEVICE)) and c[0] == two.name]
            frees = [k for k, s in enumerate(body) if _is_free(s, one.name)]
            if len(loads) != 1 or len(frees) != 1 or frees[0] > loads[0]:
                continue
            copied = _copy(body[loads[0]], TO_DEVICE)
            assert copied is not None
            same = _last_equal(body[: loads[0]], one.name, copied[1])
            if same is None:
                continue
            second = body.index(two)
            gone = {loads[0], frees[0], second}
            if _copy(body[same], TO_HOST) is not None and _overwritten(body, loads[0], two.name, copied[1]):
                gone.add(same)
            before = tuple(s for k, s in enumerate(body) if k not in gone and k < second)
            after = tuple(s for k, s in enumerate(body) if k not in gone and k > second)
            yield (*before, *substitute_body(after, {two.name: Var(one.name)}))


def _last_equal(before: Body, device: str, host: str) -> int | None:
    """The copy since which an array of the device and one of the host hold the same."""
    at: int | None = None
    for k, s in enumerate(before):
        if _copy(s, TO_HOST) == (host, device) or _copy(s, TO_DEVICE) == (device, host):
            at = k
        elif _may_write(s, host) or (_may_write(s, device) and not _is_free(s, device)):
            at = None
    return at


def _may_write(s: Stmt, array: str) -> bool:
    """Does a statement, or one inside it, store into the array, or give it to who might?"""
    for x in statements((s,)):
        match x:
            case Store(target):
                if root_name(target) == array:
                    return True
            case CallStmt(Call(name, (to, *_))) if name.startswith(INTO_THE_FIRST):
                if root_name(to) == array:
                    return True
            case CallStmt() | Decl():
                if any(array in free_vars(e) for e in stmt_exprs(x)):
                    return True
            case _:
                pass
    return False


def _overwritten(body: Body, load: int, device: str, host: str) -> bool:
    """Is what the host has replaced before it is looked at?"""
    for s in body[load + 1 :]:
        if _copy(s, TO_HOST) == (host, device):
            return True
        if _mentions(s, host):
            return False
    return False


def _is_host_array(s: Decl) -> bool:
    return s.init.space is not Space.GMEM if isinstance(s.init, Alloc) else isinstance(s.type, Array)


def _unneeded(body: Body) -> Iterator[Body]:
    """An array of the host that is only copied to."""
    for s in body:
        if isinstance(s, Decl) and _is_host_array(s):
            users = [x for x in body if x is not s and _mentions(x, s.name)]
            copies = [x for x in users if (c := _copy(x, TO_HOST)) and c[0] == s.name]
            if copies and all(x in copies or _is_free(x, s.name) for x in users):
                yield tuple(x for x in body if x is not s and x not in users)
