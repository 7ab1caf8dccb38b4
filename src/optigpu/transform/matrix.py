"""Transformations of arrays: copies of parts, layouts, paddings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optigpu.script.editing import StatementPath, edit_body
from optigpu.script.handles import Handle
from optigpu.script.targets import Read, TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.exprs import Alloc, Array, Expr, Index, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, Decl, For, Stmt, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import (
    map_bodies,
    map_stmt_exprs,
    rewrite,
    rewrite_body,
    root_name,
    statements,
    stmt_exprs,
    subexpressions,
)
from optigpu.transform import hoisting
from optigpu.transform.loop_nests import array_decl, dims_of, is_plain, refuse
from optigpu.transform.regions import region
from optigpu.transform.simplified import (
    Size,
    cell,
    exact_div,
    expression,
    gather,
    lit,
    minus,
    plus,
    quotient_and_rest,
    times,
    up_to,
    value_of,
)
from optigpu.transform.types_at import array_of


class MatrixTransforms(TransformGroup):
    name = "matrix"

    @transformation
    def local_name_tile(
        self, target: TargetLike, *, var: str, local_var: str, tile: Sequence[tuple[Size, Size]], uninit: bool = False
    ) -> Handle:
        """Work on a local copy of a part of an array. `tile` gives start and size in each dimension.

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

        Needs: all accesses in the target are within the tile. With `uninit` nothing is copied in; what is only read is not
        copied out.
        Fails: when an access is outside the tile.
        """
        place = self.session.find(target, "for")
        s = self.session.at(place)
        array = array_of(self.session, place, var)
        if len(tile) != len(array.dims):
            raise refuse(f"`{var}` has {len(array.dims)} dimensions, the tile {len(tile)}", code="OG604")
        parts = [(expression(a), expression(b)) for a, b in tile]
        local = self.session.fresh(local_var, place)
        decl, frees = array_decl(local, array.elem, tuple(b for _, b in parts))
        moved = _moved(s, var, local, [a for a, _ in parts])
        names = self._indices(place, len(parts))
        inside = [Var(n) for n in names]
        outside = [plus(a, Var(n)) for (a, _), n in zip(parts, names)]
        sizes = [b for _, b in parts]
        copy_in: Body = () if uninit else (_nest(names, sizes, Store(cell(local, inside), cell(var, outside))),)
        written = any(isinstance(x, Store) and root_name(x.target) == var for x in statements((s,)))
        copy_out: Body = (_nest(names, sizes, Store(cell(var, outside), cell(local, inside))),) if written else ()
        self.session.put(place, decl, *copy_in, moved, *copy_out, *frees)
        return self.session.handle(place)

    def _indices(self, place: StatementPath, count: int) -> list[str]:
        return [self.session.fresh(f"i{k}", place) for k in range(count)]

    @transformation
    def stage(self, array: str, *, at: TargetLike, name: str) -> Handle:
        """Read an array through a copy that is made just before a loop, with one dimension per dimension of the array that varies.
        Several reads at constant distances share one copy, a tile with its halo.

        Before:
            for (int j = 0; j < 4; j++) {
              for (int i = 0; i < 8; i++) {
                m[i][j] = m2[j][i];
              }
            }
        Step: s.matrix.stage("m2", at="j", name="tile")
        After:
            float tile[4][8];
            for (int j = 0; j < 4; j++) {
              for (int i = 0; i < 8; i++) {
                tile[j][i] = m2[j][i];
              }
            }
            for (int j = 0; j < 4; j++) {
              for (int i = 0; i < 8; i++) {
                m[i][j] = tile[j][i];
              }
            }

        Needs: one read of the array inside the loop, conditions around it are kept around the copy; or several, where one loop
        from 0 moves along each dimension: if they are under conditions, the copy leaves out what is outside the array.
        Fails: when the array is written meanwhile.
        """
        dest = self.session.find(at, "for")
        found = [
            p
            for p in self.session.find_all(Read(array))
            if p.inside(dest) and _reads_directly(self.session.at(p), array)
        ]
        reads = {x.indices for x in _accesses(self.session.at(dest), array)}
        if len(found) != 1 or len(reads) != 1:
            return self._stage_region(array, dest, name)
        place = found[0]
        read = hoisting._the_read(self.session, place, array)
        loops = [s for s in map(self.session.at, place.ancestors()) if isinstance(s, For)]
        inside = [s.index for s in loops if self._within(s, dest)]
        order = [v for e in read.indices for v in inside if v in free_vars(e)]
        unused = [v for v in inside if v not in order]
        return self.session.handle(hoisting.hoist_read(self.session, place, array, name, dest, unused, order))

    def _stage_region(self, array: str, dest: StatementPath, name: str) -> Handle:
        nest = self.session.at(dest)
        if not isinstance(nest, For):
            raise refuse("this is not a loop", nest)
        part = region(nest, array)
        whole = array_of(self.session, dest, array)
        dims = [d for d in whole.dims if d is not None]
        if len(dims) != len(part.sides):
            raise refuse(f"the sizes of `{array}` are not known", nest)
        local = self.session.fresh(name, dest)
        decl, frees = array_decl(local, whole.elem, part.sizes)
        around = {s.index for s in map(self.session.at, dest.ancestors()) if isinstance(s, For) and is_plain(s)}
        self.session.put(dest, decl, part.copy(local, dims, around), part.reading(nest, local), *frees)
        return self.session.handle(dest)

    def _within(self, loop: For, dest: StatementPath) -> bool:
        outer = self.session.at(dest)
        return loop is outer or any(x is loop for x in statements((outer,)))

    @transformation
    def stack_copy(
        self, target: TargetLike, *, var: str, copy_var: str, copy_dims: int, uninit: bool = False
    ) -> Handle:
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
        Fails: when what is copied was never written.
        """
        place = self.session.find(target, "for")
        s = self.session.at(place)
        array = array_of(self.session, place, var)
        lead = len(array.dims) - copy_dims
        if copy_dims < 1 or lead < 0:
            raise refuse(f"`{var}` has {len(array.dims)} dimensions", code="OG604")
        accesses = _accesses(s, var)
        prefixes = {a.indices[:lead] for a in accesses}
        if len(prefixes) != 1:
            raise refuse(f"`{var}` is accessed with {len(prefixes)} different leading indices here", s)
        prefix = list(prefixes.pop())
        dims = [d for d in array.dims[lead:] if d is not None]
        if len(dims) != copy_dims:
            raise refuse(f"the sizes of `{var}` are not known", s)
        local = self.session.fresh(copy_var, place)
        decl, frees = array_decl(local, array.elem, tuple(dims))

        def one(x: Expr) -> Expr:
            if isinstance(x, Index) and x.base == Var(var):
                return replace(x, base=Var(local), indices=x.indices[lead:])
            return x

        moved = rewrite_body((s,), lambda e: rewrite(e, one))[0]
        names = self._indices(place, copy_dims)
        inner = [Var(n) for n in names]
        copy_in = _nest(names, dims, Store(cell(local, inner), cell(var, [*prefix, *inner])))
        copy_out = _nest(names, dims, Store(cell(var, [*prefix, *inner]), cell(local, inner)))
        self.session.put(place, decl, *(() if uninit else (copy_in,)), moved, copy_out, *frees)
        return self.session.handle(place)

    @transformation
    def memcpy(self, *, dst: str, src: str, dims: Sequence[Size], before: TargetLike) -> Handle:
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
        """
        place = self.session.find(before)
        names = self._indices(place, len(dims))
        at = [Var(n) for n in names]
        self.session.insert(place, _nest(names, [expression(d) for d in dims], Store(cell(dst, at), cell(src, at))))
        return self.session.handle(place)

    @transformation
    def reorder_dims(self, target: TargetLike, order: Sequence[int]) -> Handle:
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

        Needs: an array declared here, always accessed with all its indices. Fails: never for those.
        """
        place, decl = self._array(target)
        dims = dims_of(decl)
        if sorted(order) != list(range(len(dims))):
            raise refuse(f"{list(order)} is not an order of {len(dims)} dimensions", decl, code="OG604")
        return self._relayout(
            place, decl, tuple(dims[k] for k in order), lambda indices: tuple(indices[k] for k in order)
        )

    @transformation
    def merge_dims(self, target: TargetLike, first: int, count: int = 2) -> Handle:
        """Make one dimension of `count` neighbouring dimensions of a local array: the layout stays the same.

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

        Needs: an array declared here, always accessed with all its indices. Fails: never for those.
        """
        place, decl = self._array(target)
        dims = dims_of(decl)
        end = first + count
        if not 0 <= first < end - 1 < len(dims):
            raise refuse(f"`{decl.name}` has no dimensions {first} to {end - 1}", decl, code="OG604")

        strides: list[Expr] = [lit(1)]
        for d in reversed(dims[first:end]):
            strides.insert(0, times(d, strides[0]))
        size = strides.pop(0)

        def flat(indices: tuple[Expr, ...]) -> tuple[Expr, ...]:
            merged: Expr = lit(0)
            for index, stride in zip(indices[first:end], strides):
                merged = plus(merged, times(index, stride))
            return (*indices[:first], merged, *indices[end:])

        return self._relayout(place, decl, (*dims[:first], size, *dims[end:]), flat)

    @transformation
    def split_dim(self, target: TargetLike, dim: int, size: int) -> Handle:
        """Make two dimensions of one dimension of a local array: rows of `size` cells. The layout stays the same.

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

        Needs: an array declared here whose dimension `size` divides, always accessed with all its indices.
        Fails: when what an index adds to a multiple of `size` may be `size` or more.
        """
        place, decl = self._array(target)
        dims = dims_of(decl)
        if not 0 <= dim < len(dims) or size < 1:
            raise refuse(f"`{decl.name}` has no dimension {dim} of rows of {size}", decl, code="OG604")
        known = value_of(dims[dim])
        if known is not None and known % size:
            raise refuse(f"{size} does not divide the {known} cells of `{decl.name}`", decl, code="OG604")

        def split(indices: tuple[Expr, ...]) -> tuple[Expr, ...]:
            return (*indices[:dim], *quotient_and_rest(indices[dim], size), *indices[dim + 1 :])

        return self._relayout(
            place, decl, (*dims[:dim], exact_div(dims[dim], lit(size)), lit(size), *dims[dim + 1 :]), split
        )

    @transformation
    def pad(self, target: TargetLike, dim: int, by: int = 1) -> Handle:
        """Make a dimension of a local array larger by unused cells, for alignment or against bank conflicts.

        Before:
            float t[4][8];
            t[0][0] = 0.0f;
        Step: s.matrix.pad("t", 1)
        After:
            float t[4][9];
            t[0][0] = 0.0f;

        Needs: an array declared here. Fails: never.
        """
        place, decl = self._array(target)
        dims = dims_of(decl)
        if not 0 <= dim < len(dims) or by < 0:
            raise refuse(f"`{decl.name}` has no dimension {dim}", decl, code="OG604")
        return self._relayout(
            place, decl, tuple(plus(d, expression(by)) if k == dim else d for k, d in enumerate(dims)), lambda x: x
        )

    @transformation
    def elim(self, target: TargetLike) -> None:
        """Remove a local array that is filled once: what was stored is computed where it is read.

        Before:
            float t[8];
            for (int i = 0; i < 8; i++) {
              t[i] = b[i] * 2.0f;
            }
            for (int i = 0; i < 8; i++) {
              a[i] = t[i];
            }
        Step: s.matrix.elim("t")
        After:
            for (int i = 0; i < 8; i++) {
              a[i] = b[i] * 2.0f;
            }

        Needs: one store to the array, in a nest of loops of its own, each index a loop index.
        Fails: when the value has changed where it is read.
        """
        place, decl = self._array(target)
        body = self.session.around(place)
        rest = body[place.index + 1 :]
        stores = [x for x in statements(rest) if isinstance(x, Store) and root_name(x.target) == decl.name]
        if len(stores) != 1 or not isinstance(stores[0].target, Index) or stores[0].op is not None:
            raise refuse(f"`{decl.name}` is stored to in {len(stores)} places", decl)
        store = stores[0]
        assert isinstance(store.target, Index)
        names = [e.name if isinstance(e, Var) else "" for e in store.target.indices]
        if "" in names or len(set(names)) != len(names):
            raise refuse("the array is not filled index by index", store)
        filling = next(x for x in rest if any(y is store for y in statements((x,))))
        only = [x for x in statements((filling,)) if not isinstance(x, For)]
        if only != [store]:
            raise refuse("the loop that fills the array does something else too", filling, "s.loop.fission")

        def read(x: Expr) -> Expr:
            if isinstance(x, Index) and x.base == Var(decl.name):
                return substitute(store.value, dict(zip(names, x.indices)))
            return x

        kept = tuple(x for x in rest if x is not filling and not hoisting.is_free_of(x, decl.name))
        new = rewrite_body(kept, lambda e: rewrite(e, read))
        i = place.index
        self.session.update(edit_body(self.session.program, place, lambda b: (*b[:i], *new)))

    def _array(self, target: TargetLike) -> tuple[StatementPath, Decl]:
        place = self.session.find(target, "decl")
        s = self.session.at(place)
        if not isinstance(s, Decl) or not dims_of(s):
            raise refuse("this is not the declaration of an array", s)
        return place, s

    def _relayout(self, place: StatementPath, decl: Decl, dims: tuple[Expr, ...], indices: object) -> Handle:
        rest = self.session.around(place)[place.index + 1 :]
        rank = len(dims_of(decl))

        def one(x: Expr) -> Expr:
            if isinstance(x, Index) and x.base == Var(decl.name):
                if len(x.indices) != rank:
                    raise refuse(f"`{decl.name}` is also used as a sub-array", decl)
                return replace(x, indices=indices(x.indices))  # type: ignore[operator]
            return x

        new = rewrite_body(rest, lambda e: rewrite(e, one))
        if isinstance(decl.init, Alloc):
            changed: Stmt = replace(decl, init=replace(decl.init, dims=dims))
        else:
            assert isinstance(decl.type, Array)
            changed = replace(decl, type=replace(decl.type, dims=dims))
        i = place.index
        self.session.update(edit_body(self.session.program, place, lambda b: (*b[:i], changed, *new)))
        return self.session.handle(place)


def _nest(names: Sequence[str], sizes: Sequence[Expr], inner: Stmt) -> Stmt:
    for n, size in reversed(list(zip(names, sizes))):
        inner = up_to(n, size, (inner,))
    return inner


def _accesses(s: Stmt, name: str) -> list[Index]:
    return [
        x
        for y in statements((s,))
        for e in stmt_exprs(y)
        for x in subexpressions(e)
        if isinstance(x, Index) and x.base == Var(name)
    ]


def _reads_directly(s: Stmt, name: str) -> bool:
    exprs = [s.value] if isinstance(s, Store) else stmt_exprs(s)
    return any(isinstance(x, Index) and x.base == Var(name) for e in exprs for x in subexpressions(e))


def _moved(s: Stmt, var: str, local: str, starts: Sequence[Expr]) -> Stmt:
    """Accesses of `var` as accesses of `local`, whose first cell is at `starts`."""

    def one(x: Expr) -> Expr:
        if isinstance(x, Index) and x.base == Var(var):
            shifted = tuple(gather(minus(e, a)) for e, a in zip(x.indices, starts))
            return replace(x, base=Var(local), indices=shifted + x.indices[len(starts) :])
        return x

    def walk(y: Stmt) -> Stmt:
        y = map_stmt_exprs(y, lambda e: rewrite(e, one))
        return map_bodies(y, lambda b: tuple(walk(z) for z in b))

    if var not in body_free_vars((s,)):
        raise refuse(f"`{var}` is not used here", s, code="OG601")
    moved = walk(s)
    return replace(moved, contract=()) if isinstance(moved, For) else moved
