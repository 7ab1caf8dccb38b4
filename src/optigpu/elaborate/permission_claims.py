"""Permissions of contracts (`a ~> Matrix1(n, A)`, `for i in 0..n -> H`) to claims on cells."""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from optigpu.elaborate.formula_terms import FormulaElaborator
from optigpu.elaborate.name_scope import (
    ArrayEntry,
    CellEntry,
    FunEntry,
    MemoryEntry,
    Names,
    ValueEntry,
    sort_of,
    unsupported,
)
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME, UNINIT, CellClaim, Cells, Owner
from optigpu.logic.terms import INT, Term
from optigpu.syntax.builtins import TOKENS, matrix_predicate
from optigpu.syntax.exprs import Addr, Array, Binary, Call, Expr, Group, Index, PointsTo, Var
from optigpu.syntax.printer import print_expr

Binders: TypeAlias = tuple[tuple[Term, Term, Term], ...]  # (variable, low, high)


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The groups and conditions around a permission, and the threads that own it (None: all)."""

    binders: Binders = ()
    where: Term = k.TRUE
    owner: Owner | None = None

    def owner_of(self, binders: Binders) -> Owner | None:
        """The owner, under the binders of a claim."""
        xs, o = tuple(v for v, _, _ in binders), self.owner
        return None if o is None else Owner(k.abstract(o.start, xs), k.abstract(o.size, xs))


@dataclass
class _Permission:
    """The claims of a permission, and its facts about sizes: no size of an array is negative, parts of the threads are equal."""

    claims: list[CellClaim] = field(default_factory=list)
    sizes: list[Term] = field(default_factory=list)


class PermissionElaborator(FormulaElaborator):
    def pointer(self, e: Expr, names: Names) -> ArrayEntry | CellEntry:
        match e:
            case Var(name):
                entry = names.find(name)
                if isinstance(entry, ArrayEntry | CellEntry):
                    return entry
                raise unsupported(f"`{name}` is no pointer here", e.loc)
            case Index(base, indices):
                return self.array(base, names).row(tuple(self.term(i, names) for i in indices))
            case Addr(Index(base, indices)):
                return self.array(base, names).address(tuple(self.term(i, names) for i in indices))
            case Addr(arg):
                return self.pointer(arg, names)
            case _:
                raise unsupported("the checker cannot follow this pointer", e.loc)

    def array(self, e: Expr, names: Names) -> ArrayEntry:
        entry = self.pointer(e, names)
        assert isinstance(entry, ArrayEntry)
        return entry

    def claims(self, h: Expr, names: Names) -> tuple[list[CellClaim], list[Term]]:
        """The claims of a permission, and its facts about sizes."""
        out = _Permission()
        self._claims(h, names, _Surroundings(), out)
        return out.claims, out.sizes

    def _claims(self, h: Expr, names: Names, around: _Surroundings, out: _Permission) -> None:
        match h:
            case Binary("*", left, right):
                self._claims(left, names, around, out)
                self._claims(right, names, around, out)
            case Group(index, range_, body, desync):
                low, high = self.range(range_, names)
                v = self.binder(index)
                owner = self.part(h, around, (v, low, high), out) if desync else around.owner
                inside = _Surroundings((*around.binders, (v, low, high)), around.where, owner)
                with self.conditions.under(k.le(low, v), k.lt(v, high), binding=(v,)):
                    self._claims(body, names.bind(index, ValueEntry(v)), inside, out)
            case Call("If", (test, body)):
                condition = self.term(test, names)
                with self.conditions.under(condition):
                    self._claims(body, names, replace(around, where=k.and_(around.where, condition)), out)
            case PointsTo(target=Call(name) as target) if matrix_predicate(name) is not None:
                self._array_claim(h, target, names, around, out)
            case PointsTo():
                self._cell_claim(h, names, around, out)
            case Call(name, args) if isinstance(entry := names.find(name), FunEntry):
                inner = entry.names
                for p, a in zip(entry.fun.params, args):
                    inner = inner.bind(p.name, self.entry(a, names))
                self._claims(entry.fun.body, inner, around, out)
            case Call("Sync", (memory, body)):
                self._claims(self.synchronised(memory, body, names), names, around, out)
            case Var(name) if name == "HostCtx":
                pass
            case Var(name) | Call(name) if name in TOKENS:
                message = f"`{name}` cannot stand here: a device function preserves or reads it, once"
                raise unsupported(message, h.loc)
            case Call("Free" as name):
                raise unsupported(f"`{name}` cannot be checked yet", h.loc)
            case _:
                raise unsupported("the checker cannot read this permission", h.loc)

    def memory_of(self, predicate: Expr, names: Names) -> frozenset[str]:
        """The memory types that satisfy `fM` in `Sync(fM, H)`."""
        match predicate:
            case Var(name) if isinstance(entry := names.find(name), MemoryEntry):
                return entry.memory
            case _:
                raise unsupported(
                    "a predicate on memory types is a name: block_sync_mem, or one of __DECL", predicate.loc
                )

    def synchronised(self, predicate: Expr, h: Expr, names: Names) -> Expr:
        """`Sync(fM, H)`: every desync_for of H, at any depth, is a for. Stuck at a cell of memory that fM does not hold of."""
        match h:
            case Binary("*", left, right):
                left, right = (self.synchronised(predicate, x, names) for x in (left, right))
                return replace(h, left=left, right=right)
            case Group(body=body):
                return replace(h, body=self.synchronised(predicate, body, names), desync=False)
            case Call("If", (test, body)):
                return replace(h, args=(test, self.synchronised(predicate, body, names)))
            case Call("Sync", (inner, body)):
                return self.synchronised(predicate, self.synchronised(inner, body, names), names)
            case PointsTo():
                memory = memory_type(h)
                if memory in self.memory_of(predicate, names):
                    return h
                known = "memory of a type that is not stated" if memory == "Any" else f"memory of type {memory}"
                raise unsupported(f"this is {known}, which `{print_expr(predicate)}` does not hold of", h.loc)
            case _:
                raise unsupported("Sync takes permissions on memory, for and desync_for", h.loc)

    def part(self, h: Expr, around: _Surroundings, binder: tuple[Term, Term, Term], out: _Permission) -> Owner:
        """`desync_for i in ..N -> H`: the threads around it are N equal parts, and H belongs to part i."""
        if self.threads is None:
            raise unsupported("desync_for belongs into the contract of a device function with ThreadsCtx", h.loc)
        v, low, high = binder
        owner = around.owner or Owner(k.ZERO, self.threads)
        count = k.sub(high, low)
        size = k.fdiv(owner.size, count)
        equal = k.eq(k.mul(size, count), owner.size)
        if equal is k.FALSE:
            raise unsupported("the threads of ThreadsCtx are not that many equal parts", h.loc)
        variables = {x for x, _, _ in around.binders}
        if (equal.free | low.free | high.free) & variables:
            raise unsupported("the number of parts of the threads depends on a variable of a group", h.loc)
        some = (
            k.lt(lo, hi) for _, lo, hi in (*around.binders, binder) if not (lo.free | hi.free) & variables
        )  # an empty group says nothing
        fact = k.implies(k.and_(*some), equal)
        out.sizes.extend([fact] if fact is not k.TRUE else [])
        return Owner(k.add(owner.start, k.mul(k.sub(v, low), size)), size)

    def _array_claim(self, h: PointsTo, target: Call, names: Names, around: _Surroundings, out: _Permission) -> None:
        """`a ~> Matrix2(n, m, A)`: all cells of an array."""
        predicate, args = matrix_predicate(target.func), target.args
        assert predicate is not None
        dims = [self.term(a, names) for a in args[: predicate.rank]]
        array = self.array(h.pointer, names)
        indices = tuple(self.binder(f"i{n}") for n in range(predicate.rank))
        binders = (*around.binders, *((i, k.ZERO, d) for i, d in zip(indices, dims)))
        if not around.binders and around.where is k.TRUE:
            out.sizes.extend(s for d in dims if (s := k.le(k.ZERO, d)) is not k.TRUE)
        cells, owner = make_cells(array.base, binders, around.where, array.full(indices)), around.owner_of(binders)
        if predicate.contents != "values":
            contents = UNINIT if predicate.contents == "uninit" else SOME
            out.claims.append(CellClaim(cells, contents, owner=owner))
            return
        assert isinstance(h.pointer.type, Array)
        sort = k.fun_sort((INT,) * predicate.rank, sort_of(h.pointer.type.elem, h.loc))
        f = self.argument(args[-1], sort, names, dims)
        self.use_model(args[-1], indices, dims, names)
        value = k.abstract(k.app(f, *indices), tuple(v for v, _, _ in binders))
        out.claims.append(CellClaim(cells, KNOWN, value, owner=owner))

    def _cell_claim(self, h: PointsTo, names: Names, around: _Surroundings, out: _Permission) -> None:
        """`&a[i] ~> v`: one cell."""
        index, base = self.cell(h.pointer, names)
        cells, owner = make_cells(base, around.binders, around.where, index), around.owner_of(around.binders)
        if isinstance(h.target, Var) and h.target.name in ("UninitCell", "Cell"):
            contents = UNINIT if h.target.name == "UninitCell" else SOME
            out.claims.append(CellClaim(cells, contents, owner=owner))
        else:
            value = k.abstract(self.term(h.target, names), tuple(v for v, _, _ in around.binders))
            out.claims.append(CellClaim(cells, KNOWN, value, owner=owner))

    def use_model(self, model: Expr, indices: tuple[Term, ...], dims: list[Term], names: Names) -> None:
        """`a ~> Matrix1(n, f)` with a `__DEF` f uses the definition at all indices."""
        match model:
            case Var(name) if isinstance(entry := names.find(name), ValueEntry) and entry.definition is not None:
                within = (c for i, d in zip(indices, dims) for c in (k.le(k.ZERO, i), k.lt(i, d)))
                with self.conditions.under(*within, binding=indices):
                    self.use(entry.definition, tuple(map(ValueEntry, indices)), model.loc)
            case _:
                pass

    def cell(self, e: Expr, names: Names) -> tuple[tuple[Term, ...], str]:
        """The index and the base of the cell that a pointer points to."""
        match e:
            case Addr(Index(base, indices)):
                array = self.array(base, names)
                return array.full(tuple(self.term(i, names) for i in indices)), array.base
            case _:
                entry = self.pointer(e, names)
                return ((), entry.base) if isinstance(entry, CellEntry) else (entry.full((k.ZERO,)), entry.base)


def memory_type(h: PointsTo) -> str:
    """The memory type of a permission, as it is stated or as its array has it."""
    assert isinstance(h.pointer.type, Array)
    return h.pointer.type.space.value if h.space in (None, Var("Any")) else print_expr(h.space or h)


def make_cells(base: str, binders: Binders, where: Term, index: tuple[Term, ...]) -> Cells:
    """A set of cells, from named binders."""
    names = tuple(v for v, _, _ in binders)
    ranges = tuple((k.abstract(lo, names[:i]), k.abstract(hi, names[:i])) for i, (_, lo, hi) in enumerate(binders))
    return Cells(base, ranges, k.abstract(where, names), tuple(k.abstract(e, names) for e in index))
