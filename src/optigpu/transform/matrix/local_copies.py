"""Local copies of parts of arrays: `matrix.local_name_tile`, `matrix.stack_copy` and `matrix.memcpy`."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.program_names import program_names
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Array, Binary, Expr, Index, Int, Var
from optigpu.syntax.free_names import body_free_vars, fresh_name
from optigpu.syntax.program import Body, If, Stmt, Store
from optigpu.syntax.walk import map_bodies, map_stmt_exprs, rewrite, rewrite_body, root_name, statements
from optigpu.transform.matrix.array_accesses import accesses_of
from optigpu.transform.step_results import LocalCopy
from optigpu.transform.tools.array_declarations import array_decl
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.changed_permissions import element_permissions
from optigpu.transform.tools.declared_types import array_of, declared, visible_names
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, collect_terms, conjunction, less, lit, minus, plus, up_to
from optigpu.transform.tools.unknown_names import no_such_name


@transformation
def local_name_tile(
    session: Session,
    target: TargetLike,
    *,
    var: str,
    local_var: str,
    tile: Sequence[tuple[Size, Size]],
    to: TargetLike | None = None,
    uninit: bool = False,
    clip: bool = False,
) -> LocalCopy:
    """Work on a local copy of a part of an array. `tile` gives the start and the size in each dimension. With `clip`, the
    tile may stick out of the array in dimensions where its size is neither 1 nor that of the array: cells outside are not copied.
    With `to`, all statements from `target` to `to` work on the copy.

    Before:
        for (int i = 0; i < 8; i++) {
          a[i] = a[i] + 1.0f;
        }
    Step: s.matrix.local_name_tile("i", var="a", local_var="t", tile=[(0, 8)])
    After:
        float t[8];
        for (int i0 = 0; i0 < 8; i0++) {
          t[i0] = a[i0];
        }
        for (int i = 0; i < 8; i++) {
          t[i] = t[i] + 1.0f;
        }
        for (int i0 = 0; i0 < 8; i0++) {
          a[i0] = t[i0];
        }

    Needs: a statement, whose accesses of the array are all inside the tile: a loop, or the block of a kernel. With `uninit`
    nothing is copied in; an array that is only read is not copied back.
    Fails: when an access is outside the tile.
    Returns: `declaration`, of the copy; `copy_in` and `copy_out`, the loops that fill it and copy back, or None;
    `statement_on_copy`. As a target, the declaration.
    """
    path = session.find(target)
    last = path if to is None else session.find(to)
    if path.sibling(last.index - path.index) != last or last.index < path.index:
        raise refuse("`to` is not in the same body after the target", session.at(path), code="OG604")
    body = session.around(path)[path.index : last.index + 1]
    array = array_of(session, path, var)
    if len(tile) != len(array.dims):
        raise refuse(f"`{var}` has {len(array.dims)} dimensions, the tile {len(tile)}", code="OG604")
    starts, sizes = [as_expression(a) for a, _ in tile], [as_expression(b) for _, b in tile]
    local = session.fresh(local_var, path)
    decl, frees = array_decl(local, array.elem, tuple(sizes))
    moved = tuple(_moved(s, var, local, starts) for s in body)
    if not any(var in body_free_vars((s,)) for s in body):
        raise refuse(f"`{var}` is not used here", body[0], code="OG601")
    if clip and None in array.dims:
        raise refuse(f"the sizes of `{var}` are not known", body[0])
    names = _index_names(session, path, len(tile))
    limits = array.dims if clip else None
    inwards, outwards = _tile_copies(var, local, names, starts, sizes, limits)
    written = any(isinstance(x, Store) and root_name(x.target) == var for x in statements(body))
    copy_in, copy_out = () if uninit else (inwards,), (outwards,) if written else ()
    begin, end = path.index, last.index + 1
    session.edit_body(path, lambda b: (*b[:begin], decl, *copy_in, *moved, *copy_out, *frees, *b[end:]))
    return _local_copy(session, path, copy_in, copy_out, len(moved))


@transformation
def stack_copy(
    session: Session, target: TargetLike, *, var: str, copy_var: str, copy_dims: int, uninit: bool = False
) -> LocalCopy:
    """Work on a copy of the last `copy_dims` dimensions of an array, where the other indices stay the same.

    Before:
        float t[4][8];
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < 8; j++) {
            t[i][j] = b[j];
          }
        }
    Step: s.matrix.stack_copy(For("i") / For("j"), var="t", copy_var="row", copy_dims=1, uninit=True)
    After:
        float t[4][8];
        for (int i = 0; i < 4; i++) {
          float row[8];
          for (int j = 0; j < 8; j++) {
            row[j] = b[j];
          }
          for (int i0 = 0; i0 < 8; i0++) {
            t[i][i0] = row[i0];
          }
        }

    Needs: the leading indices are the same at every access in the target. With `uninit` nothing is copied in.
    Fails: when a cell that is copied was never written.
    Returns: `declaration`, of the copy; `copy_in` and `copy_out`, the loops that fill it and copy back, or None;
    `statement_on_copy`. As a target, the declaration.
    """
    path = session.find(target, "for")
    s = session.at(path)
    array = array_of(session, path, var)
    lead = len(array.dims) - copy_dims
    if copy_dims < 1 or lead < 0:
        raise refuse(f"`{var}` has {len(array.dims)} dimensions", code="OG604")
    prefixes = {a.indices[:lead] for a in accesses_of(s, var)}
    if len(prefixes) != 1:
        raise refuse(f"`{var}` is accessed with {len(prefixes)} different leading indices here", s)
    prefix = prefixes.pop()
    dims = [d for d in array.dims[lead:] if d is not None]
    if len(dims) != copy_dims:
        raise refuse(f"the sizes of `{var}` are not known", s)
    local = session.fresh(copy_var, path)
    decl, frees = array_decl(local, array.elem, tuple(dims))

    def on_copy(x: Expr) -> Expr:
        if isinstance(x, Index) and x.base == Var(var):
            return replace(x, base=Var(local), indices=x.indices[lead:])
        return x

    moved = rewrite_body((s,), lambda e: rewrite(element_permissions(e, var), on_copy))[0]
    names = _index_names(session, path, copy_dims)
    inner = [Var(n) for n in names]
    copied, original = cell(local, inner), cell(var, [*prefix, *inner])
    copy_in: Body = () if uninit else (_nest(names, dims, Store(copied, original)),)
    copy_out: Body = (_nest(names, dims, Store(original, copied)),)
    session.put(path, decl, *copy_in, moved, *copy_out, *frees)
    return _local_copy(session, path, copy_in, copy_out)


def _local_copy(session: Session, path: StatementPath, copy_in: Body, copy_out: Body, count: int = 1) -> LocalCopy:
    """The result of a step that put a declaration, a copy, `count` statements on the copy, and a copy back at a path."""
    moved = path.sibling(1 + len(copy_in))
    return LocalCopy(
        session,
        session.at(path).id,
        session.handle(path.sibling(1)) if copy_in else None,
        session.handle(moved),
        session.handle(moved.sibling(count)) if copy_out else None,
    )


@transformation
def memcpy(session: Session, *, dst: str, src: str, dims: Sequence[Size], before: TargetLike) -> Handle:
    """Insert loops that copy one array to another.

    Before:
        a[0] = 0.0f;
    Step: s.matrix.memcpy(dst="a", src="b", dims=["n"], before=Write("a"))
    After:
        for (int i0 = 0; i0 < n; i0++) {
          a[i0] = b[i0];
        }
        a[0] = 0.0f;

    Needs: two arrays with these sizes. Fails: when the source was not written, or the copy changes the result.
    Returns: the outermost loop.
    """
    path = session.find(before)
    for array in (dst, src):
        if declared(session, path, array) is None:
            arrays = visible_names(session, path, lambda kind: isinstance(kind, Array))
            raise no_such_name(f"`{array}` is not an array here", array, arrays)
    names = _index_names(session, path, len(dims))
    indices = [Var(n) for n in names]
    copy = _nest(names, [as_expression(d) for d in dims], Store(cell(dst, indices), cell(src, indices)))
    session.insert(path, copy)
    return session.handle(path)


def _index_names(session: Session, path: StatementPath, count: int) -> list[str]:
    """Names for the indices of a copy, which differ from all names of the function and from each other."""
    taken = program_names(session.function_of(path))
    names: list[str] = []
    for k in range(count):
        names.append(fresh_name(f"i{k}", taken.union(names)))
    return names


def _tile_copies(
    var: str,
    local: str,
    names: Sequence[str],
    starts: Sequence[Expr],
    sizes: Sequence[Expr],
    limits: Sequence[Expr | None] | None,
) -> tuple[Stmt, Stmt]:
    """The loops that copy a tile of an array to a local array, and back. With `limits`, the sizes of the array, cells outside are
    left out; a dimension of size 1 has no loop then."""
    numbers = [lit(0) if limits is not None and size == lit(1) else Var(n) for n, size in zip(names, sizes)]
    loops = {n.name: size for n, size in zip(numbers, sizes) if isinstance(n, Var)}
    tests: list[Expr] = []
    for start, size, limit, n in zip(starts, sizes, limits or (), numbers):
        if isinstance(n, Var) and limit is not None and (start, size) != (lit(0), limit):
            tests += within(start, limit, n)
    inside, outside = cell(local, numbers), cell(var, [plus(a, n) for a, n in zip(starts, numbers)])
    copies = (Store(inside, outside), Store(outside, inside))
    both = [If(conjunction(tests), (copy,)) if tests else copy for copy in copies]
    inwards, outwards = (_nest(list(loops), list(loops.values()), x) for x in both)
    return inwards, outwards


def within(start: Expr, size: Expr, number: Var) -> list[Expr]:
    """The conditions for an index, which is a number from `start` on, to be in a dimension of an array."""
    at = plus(start, number)
    match collect_terms(start):
        case Binary("-", left, right):  # `8 <= x` says more of the sum that is used than `0 <= x - 8`
            return [Binary("<=", right, plus(left, number)), less(at, size)]
        case Int() | Var() | Binary("*" | "+"):
            return [less(at, size)]
        case _:
            return [Binary("<=", lit(0), at), less(at, size)]


def _nest(names: Sequence[str], sizes: Sequence[Expr], inner: Stmt) -> Stmt:
    """Loops from 0 to the sizes around a statement."""
    for n, size in reversed(list(zip(names, sizes))):
        inner = up_to(n, size, (inner,))
    return inner


def _moved(s: Stmt, var: str, local: str, starts: Sequence[Expr]) -> Stmt:
    """Accesses of `var` as accesses of `local`, whose first cell is at `starts`."""

    def shifted(x: Expr) -> Expr:
        if isinstance(x, Index) and x.base == Var(var):
            indices = tuple(e if a == lit(0) else collect_terms(minus(e, a)) for e, a in zip(x.indices, starts))
            return replace(x, base=Var(local), indices=indices + x.indices[len(starts) :])
        return x

    def walk(y: Stmt) -> Stmt:
        y = map_stmt_exprs(y, lambda e: rewrite(element_permissions(e, var), shifted))
        return map_bodies(y, lambda b: tuple(walk(z) for z in b))

    return walk(s)
