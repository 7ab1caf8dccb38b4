"""`gpu.stay_on_device`: arrays stay on the device between kernels, without a copy to the host and back.

`gpu.launch` copies the arrays of each kernel to the device and back. If the host does not access an array between two kernels, both
can use one device array; a host array that is then only copied to is not needed at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.script.editing import edit_body
from optigpu.script.session import Session
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Alloc, Array, Call, Var
from optigpu.syntax.free_names import body_free_vars, bound_after, free_vars
from optigpu.syntax.program import Body, CallStmt, Decl, If, Stmt, Store, is_call
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import map_bodies, root_name, statements, stmt_exprs, subexpressions
from optigpu.transform.gpu.copies_of_versions import TO_DEVICE, TO_HOST, copies_around, launches

WRITE_FIRST_ARGUMENT = (
    TO_DEVICE,
    TO_HOST,
    "vload",
    "vstore",
)  # such calls write their first argument and read the others


@transformation
def stay_on_device(session: Session) -> None:
    """Remove copies to the host and back between kernels, where the host does not access the array in between. Copies to the
    device that are left are made before the first kernel. Copies that both versions of a function make (`function.versions`) are
    made before and after the choice between them: then the function also runs on arrays that are on the device already.

    Before:
        float* const d_a = __gmem_malloc1<float>(n);
        memcpy_host_to_device1(d_a, a, n);
        memcpy_device_to_host1(a, d_a, n);
        gmem_free(d_a);
        float* const d_a1 = __gmem_malloc1<float>(n);
        memcpy_host_to_device1(d_a1, a, n);
        memcpy_device_to_host1(a, d_a1, n);
        gmem_free(d_a1);
    Step: s.gpu.stay_on_device()
    After:
        float* const d_a = __gmem_malloc1<float>(n);
        memcpy_host_to_device1(d_a, a, n);
        memcpy_device_to_host1(a, d_a, n);
        gmem_free(d_a);

    Needs: copies in the same body. Fails: never if the array does not change in between.
    """
    program = session.program
    outermost = session.outermost_searched()
    for first in (path for path in outermost if path.index == 0):
        last = first.sibling(len(session.around(first)) - 1)
        if last in outermost:  # else one statement of the body is searched, and not all of it
            program = edit_body(program, first, without_round_trips)
    session.update(program)


def without_round_trips(body: Body) -> Body:
    """The statements of a body with fewer copies."""
    body = tuple(x for s in body for x in _with_shared_copies(s, body))
    while True:
        changed = next(_with_shared_array(body), None) or next(_without_unread_array(body), None)
        if changed is None:
            return _with_early_copies(body)
        body = changed


def _with_shared_copies(s: Stmt, body: Body) -> Body:
    """A choice between versions, with the copies of both around it; other statements as they are."""
    if not isinstance(s, If) or not launches((s,)):
        return (s,)
    inner = map_bodies(s, without_round_trips)
    assert isinstance(inner, If)
    others = tuple(x for x in body if x is not s)
    taken = body_free_vars(others) | {name for x in others for name in bound_after(x)}
    return copies_around(inner, frozenset(taken))


def _with_early_copies(body: Body) -> Body:
    """Move copies to the device, with the allocations of their arrays, before the first kernel if nothing keeps them from it."""
    first = next((k for k, s in enumerate(body) if is_call(s, "kernel_launch")), len(body))
    moved: list[Stmt] = []
    for k, s in enumerate(body):
        copied = _copy(s, TO_DEVICE)
        decl = next((d for d in _device_arrays(body[first:k]) if copied is not None and d.name == copied[0]), None)
        if copied is None or decl is None or any(_may_write(x, copied[1]) for x in body[first:k]):
            continue
        bound = {name for x in body[first:k] for name in bound_after(x)} - {decl.name}
        used_before = any(_mentions(x, decl.name) for x in body[first:k] if x is not decl)
        if not used_before and not bound & (body_free_vars((decl, s)) | {copied[1]}):
            moved += [decl, s]
    rest = tuple(s for s in body[first:] if not any(s is x for x in moved))
    return (*body[:first], *moved, *rest)


def _copy(s: Stmt, direction: str) -> tuple[str, str] | None:
    """The destination and the source of a copy in this direction; None for any other statement."""
    match s:
        case CallStmt(Call(name, (Var(to), Var(source), *_))) if name.startswith(direction):
            return to, source
        case _:
            return None


def _is_any_free(s: Stmt, name: str) -> bool:
    return isinstance(s, CallStmt) and s.call in (Call("free", (Var(name),)), Call("gmem_free", (Var(name),)))


def _mentions(s: Stmt, name: str) -> bool:
    return name in body_free_vars((s,))


def _device_arrays(body: Body) -> list[Decl]:
    return [s for s in body if isinstance(s, Decl) and isinstance(s.init, Alloc) and s.init.space is Space.GMEM]


def _with_shared_array(body: Body) -> Iterator[Body]:
    """Bodies in which one device array serves for two, the second of which is filled with what the first one held."""
    arrays = _device_arrays(body)
    for first in arrays:
        for second in arrays:
            if first is not second and first.init == second.init:
                merged = _merged(body, first, second)
                if merged is not None:
                    yield merged


def _merged(body: Body, first: Decl, second: Decl) -> Body | None:
    loads = [k for k, s in enumerate(body) if (c := _copy(s, TO_DEVICE)) and c[0] == second.name]
    frees = [k for k, s in enumerate(body) if _is_any_free(s, first.name)]
    if len(loads) != 1 or len(frees) != 1 or frees[0] > loads[0]:
        return None
    copied = _copy(body[loads[0]], TO_DEVICE)
    assert copied is not None
    host = copied[1]
    same_since = _last_equal(body[: loads[0]], first.name, host)
    if same_since is None:
        return None
    position = body.index(second)
    removed = {loads[0], frees[0], position}
    if _copy(body[same_since], TO_HOST) is not None and _overwritten(body, loads[0], second.name, host):
        removed.add(same_since)
    before = tuple(s for k, s in enumerate(body) if k not in removed and k < position)
    after = tuple(s for k, s in enumerate(body) if k not in removed and k > position)
    return (*before, *substitute_body(after, {second.name: Var(first.name)}))


def _last_equal(before: Body, device: str, host: str) -> int | None:
    """The position of the copy since which a device array and a host array hold the same; None if they may differ."""
    at: int | None = None
    for k, s in enumerate(before):
        if _copy(s, TO_HOST) == (host, device) or _copy(s, TO_DEVICE) == (device, host):
            at = k
        elif _may_write(s, host) or (_may_write(s, device) and not _is_any_free(s, device)):
            at = None
    return at


def _may_write(s: Stmt, array: str) -> bool:
    """Does a statement, or one inside it, store into the array, or pass it to a function that might?"""
    for x in statements((s,)):
        match x:
            case Store(target):
                if root_name(target) == array:
                    return True
            case CallStmt(Call(name, (to, *_))) if name.startswith(WRITE_FIRST_ARGUMENT):
                if root_name(to) == array:
                    return True
            case Decl(type=Scalar()) if not any(isinstance(y, Call) for e in stmt_exprs(x) for y in subexpressions(e)):
                pass  # it only reads elements
            case CallStmt() | Decl():
                if any(array in free_vars(e) for e in stmt_exprs(x)):
                    return True
            case _:
                pass
    return False


def _overwritten(body: Body, load: int, device: str, host: str) -> bool:
    """Is the host array copied from the device again, after position `load`, before anything else uses it?"""
    for s in body[load + 1 :]:
        if _copy(s, TO_HOST) == (host, device):
            return True
        if _mentions(s, host):
            return False
    return False


def _is_host_array(s: Decl) -> bool:
    return s.init.space is not Space.GMEM if isinstance(s.init, Alloc) else isinstance(s.type, Array)


def _without_unread_array(body: Body) -> Iterator[Body]:
    """Bodies without a host array that is only copied to."""
    for s in body:
        if isinstance(s, Decl) and _is_host_array(s):
            users = [x for x in body if x is not s and _mentions(x, s.name)]
            copies = [x for x in users if (c := _copy(x, TO_HOST)) and c[0] == s.name]
            if copies and all(x in copies or _is_any_free(x, s.name) for x in users):
                yield tuple(x for x in body if x is not s and x not in users)
