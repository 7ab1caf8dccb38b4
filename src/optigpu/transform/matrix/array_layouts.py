"""Layouts of local arrays: `matrix.reorder_dims`, `matrix.merge_dims`, `matrix.split_dim`, `matrix.pad` and `matrix.to_heap`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Index, Var
from optigpu.syntax.program import Decl, Stmt
from optigpu.syntax.types import Space
from optigpu.syntax.walk import rewrite, rewrite_body
from optigpu.transform.tools.array_declarations import (
    array_declaration_at,
    dims_of,
    elem_of,
    freed_at_end,
    heap_array,
)
from optigpu.transform.tools.c_text import Size, as_expression
from optigpu.transform.tools.changed_permissions import element_permissions
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import exact_div, lit, plus, quotient_and_rest, times, value_of

Indices = tuple[Expr, ...]


@transformation
def reorder_dims(session: Session, target: TargetLike, order: Sequence[int]) -> Handle:
    """Lay out a local array with its dimensions in another order.

    Before:
        float t[4][8];
        for (int i = 0; i < 4; i++) {
          t[i][0] = 0.0f;
        }
    Step: s.matrix.reorder_dims("t", [1, 0])
    After:
        float t[8][4];
        for (int i = 0; i < 4; i++) {
          t[0][i] = 0.0f;
        }

    Needs: a local array that is always accessed with all its indices. Fails: never for those.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    dims = dims_of(decl)
    if sorted(order) != list(range(len(dims))):
        raise refuse(f"{list(order)} is not an order of {len(dims)} dimensions", decl, code="OG604")
    return _relayout(session, path, decl, tuple(dims[k] for k in order), lambda x: tuple(x[k] for k in order))


@transformation
def merge_dims(session: Session, target: TargetLike, first: int, count: int = 2) -> Handle:
    """Make one dimension of `count` neighbouring dimensions of a local array. Its layout in memory stays the same.

    Before:
        float t[4][8];
        for (int i = 0; i < 4; i++) {
          t[i][0] = 0.0f;
        }
    Step: s.matrix.merge_dims("t", 0)
    After:
        float t[32];
        for (int i = 0; i < 4; i++) {
          t[i * 8] = 0.0f;
        }

    Needs: a local array that is always accessed with all its indices. Fails: never for those.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    dims = dims_of(decl)
    end = first + count
    if not 0 <= first < end - 1 < len(dims):
        raise refuse(f"`{decl.name}` has no dimensions {first} to {end - 1}", decl, code="OG604")
    strides: list[Expr] = [lit(1)]
    for d in reversed(dims[first:end]):
        strides.insert(0, times(d, strides[0]))
    size = strides.pop(0)

    def flat(indices: Indices) -> Indices:
        merged: Expr = lit(0)
        for index, stride in zip(indices[first:end], strides):
            merged = plus(merged, times(index, stride))
        return (*indices[:first], merged, *indices[end:])

    return _relayout(session, path, decl, (*dims[:first], size, *dims[end:]), flat)


@transformation
def split_dim(session: Session, target: TargetLike, dim: int, size: int) -> Handle:
    """Make two dimensions of one dimension of a local array: rows of `size` cells. Its layout in memory stays the same.

    Before:
        float t[32];
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < 8; j++) {
            t[i * 8 + j] = 0.0f;
          }
        }
    Step: s.matrix.split_dim("t", 0, 8)
    After:
        float t[4][8];
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < 8; j++) {
            t[i][j] = 0.0f;
          }
        }

    Needs: a local array that is always accessed with all its indices, with a dimension that `size` divides.
    Fails: when the part of an index that is no multiple of `size` may be `size` or more.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    dims = dims_of(decl)
    if not 0 <= dim < len(dims) or size < 1:
        raise refuse(f"`{decl.name}` has no dimension {dim} of rows of {size}", decl, code="OG604")
    known = value_of(dims[dim])
    if known is not None and known % size:
        raise refuse(f"{size} does not divide the {known} cells of `{decl.name}`", decl, code="OG604")

    def split(indices: Indices) -> Indices:
        return (*indices[:dim], *quotient_and_rest(indices[dim], size), *indices[dim + 1 :])

    rows = exact_div(dims[dim], lit(size))
    return _relayout(session, path, decl, (*dims[:dim], rows, lit(size), *dims[dim + 1 :]), split)


@transformation
def pad(session: Session, target: TargetLike, dim: int, by: int = 1, *, to: Size | None = None) -> Handle:
    """Pad a dimension of a local array with unused cells, for alignment or to avoid shared memory bank conflicts. With `to`, the
    dimension gets that size: a number that a contract or a version bounds the size by, for arrays in registers.

    Before:
        float t[4][8];
        t[0][0] = 0.0f;
    Step: s.matrix.pad("t", 1)
    After:
        float t[4][9];
        t[0][0] = 0.0f;

    Needs: a local array. Fails: when the size `to` is smaller than the array.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    dims = dims_of(decl)
    if not 0 <= dim < len(dims) or by < 0:
        raise refuse(f"`{decl.name}` has no dimension {dim}", decl, code="OG604")
    size = plus(dims[dim], as_expression(by)) if to is None else as_expression(to)
    padded = tuple(size if k == dim else d for k, d in enumerate(dims))
    return _relayout(session, path, decl, padded, lambda indices: indices)


@transformation
def to_heap(session: Session, target: TargetLike) -> Handle:
    """Allocate a local array on the heap, and free it at the end of its scope.

    Before:
        float t[4][8];
        t[0][0] = 0.0f;
        a[0] = t[0][0];
    Step: s.matrix.to_heap("t")
    After:
        float* const t = MALLOC2(float, 4, 8);
        t[0][0] = 0.0f;
        a[0] = t[0][0];
        free(t);

    Needs: a local array. Fails: never.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    if isinstance(decl.init, Alloc):
        raise refuse(f"`{decl.name}` is allocated already", decl)
    new, (free, *_) = heap_array(decl.name, elem_of(decl), dims_of(decl))
    i = path.index
    session.edit_body(path, lambda b: (*b[:i], replace(new, id=decl.id), *freed_at_end(b[i + 1 :], free)))
    return session.handle(path)


def _relayout(
    session: Session, path: StatementPath, decl: Decl, dims: Indices, new_indices: Callable[[Indices], Indices]
) -> Handle:
    """Declare an array with other sizes, and change the indices of all its accesses. A DMINDEX, which says whose copy of a shared
    array or a register is meant, stays in front."""
    rest = session.around(path)[path.index + 1 :]
    lead = int(isinstance(decl.init, Alloc) and decl.init.space in (Space.SMEM, Space.TREG))
    rank = lead + len(dims_of(decl))

    def access(x: Expr) -> Expr:
        match x:
            case Index(Var(name), indices) if name == decl.name:
                if len(indices) != rank:
                    raise refuse(f"`{decl.name}` is also used as a sub-array", decl)
                return replace(x, indices=(*indices[:lead], *new_indices(indices[lead:])))
            case Call(func, (Var(name), *_)) if name == decl.name and func.startswith("__smem_free"):
                return replace(x, func=f"__smem_free{len(dims)}", args=(x.args[0], *dims))
            case _:
                return x

    new = rewrite_body(rest, lambda e: rewrite(element_permissions(e, decl.name), access))
    if isinstance(decl.init, Alloc):
        changed: Stmt = replace(decl, init=replace(decl.init, dims=dims))
    else:
        assert isinstance(decl.type, Array)
        changed = replace(decl, type=replace(decl.type, dims=dims))
    i = path.index
    session.edit_body(path, lambda b: (*b[:i], changed, *new))
    return session.handle(path)
