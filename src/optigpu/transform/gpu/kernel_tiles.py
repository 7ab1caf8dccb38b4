"""Tiles and fragments of a nest on its way to a kernel: loops that groups of threads run, and copies that run by themselves."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Alloc, Array, Call, Index, Var
from optigpu.syntax.program import COPY_HINT, Body, CallStmt, Decl, For, Mode, Stmt
from optigpu.syntax.tensor_nests import TENSOR_HINT, TILE
from optigpu.syntax.types import Pointer, Space
from optigpu.syntax.walk import body_subexpressions, inner_bodies, map_bodies, statements
from optigpu.transform.gpu.memory_spaces import distributed
from optigpu.transform.gpu.tile_nests import row_reduction, tile_copy, tile_product
from optigpu.transform.tools.array_declarations import dims_of, elem_of, is_free_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import product

TILE_HINT = f"{TENSOR_HINT} {TILE}"
GROUPS = (32, 128)  # how many threads can share fragments


class KernelTiles:
    """The fragments of a nest, by name, with the number of their first dimensions that number groups of threads; how many threads a
    group has; and the tiles that are copied by nests with `#pragma async_copy`.

    A loop whose index is the row of a fragment is run by the threads that have the row: it becomes a `frag for`, a product of
    tiles, or a reduction of rows.
    """

    def __init__(self, nest: Stmt, fragments: Mapping[str, int], group: int) -> None:
        if group not in GROUPS:
            raise refuse(f"{group} threads cannot share fragments", help="group=128, or group=32", code="OG604")
        self.fragments, self.group = dict(fragments), group
        self.ranks = {
            s.name: _rank(s, fragments[s.name])
            for s in statements((nest,))
            if isinstance(s, Decl) and s.name in fragments
        }
        self.copied = [name for s in statements((nest,)) if isinstance(s, For) for name in _copied(s)]
        self._rows = frozenset(s.id for s in self._element_loops(nest))

    def is_rows(self, s: Stmt) -> bool:
        """Is it a loop over the rows of fragments?"""
        return s.id in self._rows

    def has_copies(self, body: Body) -> bool:
        return any(map(is_copy, body))

    def with_copies(self, body: Body, repeated: bool) -> Body:
        """A body with calls in place of the nests that copy tiles, a barrier after the copies that stand together, and, if it is
        `repeated`, one at the end, before the tiles are filled again."""
        out: list[Stmt] = []
        under_way = False
        for s in body:
            if under_way and not isinstance(s, Decl) and not is_copy(s):
                out.append(CallStmt(Call("blocksync", ())))
                under_way = False
            if isinstance(s, For) and is_copy(s):
                call = tile_copy(s)
                if isinstance(call, str):
                    raise refuse(f"the loop over `{s.index}` is not the copy of a tile: {call}", s)
                out.append(call)
                under_way = True
            elif not any(is_free_of(s, name) for name in self.copied):
                out.append(s)
        return (*out, CallStmt(Call("blocksync", ()))) if repeated else tuple(out)

    def of_group(self, s: For) -> Stmt:
        """A loop over rows as what the threads of a group run."""
        if TILE_HINT in s.hints:
            call = tile_product(s)
            if isinstance(call, str):
                raise refuse(f"the loop over `{s.index}` is not a product of tiles: {call}", s)
            return call
        rows, columns = self._indices((s,))
        if s.index not in rows:
            raise refuse(f"the loop over columns, `{s.index}`, is around that over rows", s, "s.loop.reorder")
        reduced = row_reduction(s)
        if reduced is not None:
            return reduced
        body = tuple(_over_columns(x, columns) for x in s.body)
        return replace(s, body=body, mode=Mode.FRAG, contract=(), hints=())

    def declared(self, s: Stmt) -> Stmt:
        """The declaration of an array of one group as that of a fragment; other statements as they are."""
        if not isinstance(s, Decl) or self.fragments.get(s.name) != 0:
            return s
        return Decl(s.name, Array(elem_of(s), dims_of(s), Space.FRAG), id=s.id)

    def _element_loops(self, s: Stmt) -> Iterator[For]:
        """The outermost loops over the elements of fragments."""
        for body in inner_bodies(s):
            for x in body:
                rows, columns = self._indices((x,))
                if isinstance(x, For) and (x.index in rows | columns or TILE_HINT in x.hints):
                    yield x
                else:
                    yield from self._element_loops(x)

    def _indices(self, body: Body) -> tuple[set[str], set[str]]:
        """The variables that are rows and columns of fragments in a body."""
        rows: set[str] = set()
        columns: set[str] = set()
        for e in body_subexpressions(body):
            if isinstance(e, Index) and isinstance(e.base, Var) and (rank := self.ranks.get(e.base.name)):
                names = [i.name if isinstance(i, Var) else "" for i in e.indices[-rank:]]
                rows.add(names[0])
                columns.update(names[1:])
        return rows - {""}, columns - {""}


def in_fragments(decl: Decl, rest: Body, dims: int) -> Body:
    """An array whose first `dims` dimensions number groups of threads, as fragments; `rest` is what follows its declaration."""
    sizes = dims_of(decl)
    allocation = Alloc(elem_of(decl), (product(sizes[:dims]), *sizes[dims:]), Space.FRAG)
    new = Decl(decl.name, Pointer(elem_of(decl)), allocation, const=True, id=decl.id)
    kept = tuple(s for s in rest if not is_free_of(s, decl.name))
    return (new, *distributed(decl, kept, dims))


def _rank(decl: Decl, groups: int) -> int:
    """1 for a vector with an element for each row, 2 for a matrix."""
    rank = len(dims_of(decl)) - groups
    if groups < 0 or rank not in (1, 2):
        message = f"`{decl.name}` has {len(dims_of(decl))} dimensions: those of groups, and one or two of a fragment"
        raise refuse(message, decl, code="OG604")
    return rank


def is_copy(s: Stmt) -> bool:
    """Is it a nest with `#pragma async_copy`?"""
    return isinstance(s, For) and COPY_HINT in s.hints


def _copied(s: For) -> list[str]:
    """The tile that a nest with `#pragma async_copy` fills."""
    call = tile_copy(s) if is_copy(s) else ""
    tile = call.call.args[0] if isinstance(call, CallStmt) else None
    return [tile.name] if isinstance(tile, Var) else []


def _over_columns(s: Stmt, columns: Collection[str]) -> Stmt:
    """The loops over columns in a statement become `frag for`."""
    s = map_bodies(s, lambda body: tuple(_over_columns(x, columns) for x in body))
    return replace(s, mode=Mode.FRAG, contract=()) if isinstance(s, For) and s.index in columns else s
