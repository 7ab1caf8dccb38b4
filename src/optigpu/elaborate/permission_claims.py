"""Permissions of contracts (`a ~> Matrix1(n, A)`, `for i in 0..n -> H`) to claims on cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from optigpu.elaborate.formula_terms import FormulaElaborator
from optigpu.elaborate.name_scope import ArrayEntry, CellEntry, FunEntry, Names, ValueEntry, sort_of, unsupported
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME, UNINIT, CellClaim, Cells, Owner
from optigpu.logic.terms import INT, Term
from optigpu.syntax.builtins import TOKENS, matrix_predicate
from optigpu.syntax.exprs import Addr, Array, Binary, Call, Expr, Group, Index, PointsTo, Var

Binders: TypeAlias = tuple[tuple[Term, Term, Term], ...]


@dataclass(frozen=True, slots=True)
class _Under:
    """What stands around a permission: groups, conditions, and the threads it belongs to (None: all)."""

    binders: Binders = ()
    where: Term = k.TRUE
    owner: Owner | None = None

    def owner_of(self, binders: Binders) -> Owner | None:
        """The threads, under the binders of a claim."""
        xs, o = tuple(v for v, _, _ in binders), self.owner
        return None if o is None else Owner(k.abstract(o.start, xs), k.abstract(o.size, xs))


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
        """The claims of a permission, and what it says of sizes: an array has no negative ones."""
        out: list[CellClaim] = []
        sizes: list[Term] = []
        self._claims(h, names, _Under(), out, sizes)
        return out, sizes

    def _claims(self, h: Expr, names: Names, under: _Under, out: list[CellClaim], sizes: list[Term]) -> None:
        match h:
            case Binary("*", left, right):
                self._claims(left, names, under, out, sizes)
                self._claims(right, names, under, out, sizes)
            case Group(index, range_, body, desync):
                low, high = self.range(range_, names)
                v = self.binder(index)
                owner = self.part(h, under.owner, k.sub(v, low), k.sub(high, low)) if desync else under.owner
                inside = _Under((*under.binders, (v, low, high)), under.where, owner)
                with self.needs.under(k.le(low, v), k.lt(v, high), binding=(v,)):
                    self._claims(body, names.bind(index, ValueEntry(v)), inside, out, sizes)
            case Call("If", (test, body)):
                condition = self.term(test, names)
                with self.needs.under(condition):
                    where = k.and_(under.where, condition)
                    self._claims(body, names, replace(under, where=where), out, sizes)
            case PointsTo():
                self._points_to(h, names, under, out, sizes)
            case Call(name, args) if isinstance(entry := names.find(name), FunEntry):
                inner = entry.names
                for p, a in zip(entry.fun.params, args):
                    inner = inner.bind(p.name, self.entry(a, names))
                self._claims(entry.fun.body, inner, under, out, sizes)
            case Var(name) if name == "HostCtx":
                pass
            case Var(name) | Call(name) if name in TOKENS or name == "Free":
                raise unsupported(f"`{name}` cannot be checked yet", h.loc)
            case _:
                raise unsupported("the checker cannot read this permission", h.loc)

    def part(self, h: Expr, owner: Owner | None, number: Term, count: Term) -> Owner:
        """`desync_for i in ..N -> H`: the threads around it are N equal parts, and H belongs to part i."""
        if self.threads is None:
            raise unsupported("desync_for belongs into the contract of a device function with ThreadsCtx", h.loc)
        around = owner or Owner(k.ZERO, self.threads)
        size = k.fdiv(around.size, count)
        if k.is_num(around.size) and k.is_num(count) and k.mul(size, count) is not around.size:
            raise unsupported("the threads of ThreadsCtx are not that many equal parts", h.loc)
        return Owner(k.add(around.start, k.mul(number, size)), size)

    def _points_to(self, h: PointsTo, names: Names, under: _Under, out: list[CellClaim], sizes: list[Term]) -> None:
        binders, where = under.binders, under.where
        match h.target:
            case Call(name, args) if (m := matrix_predicate(name)) is not None:
                dims = [self.term(a, names) for a in args[: m.rank]]
                array = self.array(h.pointer, names)
                indices = tuple(self.binder(f"i{n}") for n in range(m.rank))
                all_binders = (*binders, *((i, k.ZERO, d) for i, d in zip(indices, dims)))
                if not binders and where is k.TRUE:
                    sizes.extend(s for d in dims if (s := k.le(k.ZERO, d)) is not k.TRUE)
                cells = make_cells(array.base, all_binders, where, array.full(indices))
                owner = under.owner_of(all_binders)
                if m.contents == "values":
                    assert isinstance(h.pointer.type, Array)
                    elem = sort_of(h.pointer.type.elem, h.loc)
                    f = self.argument(args[-1], k.fun_sort((INT,) * m.rank, elem), names, dims)
                    self.held(args[-1], indices, dims, names)
                    value = k.abstract(k.app(f, *indices), tuple(v for v, _, _ in all_binders))
                    out.append(CellClaim(cells, KNOWN, value, owner=owner))
                else:
                    out.append(CellClaim(cells, UNINIT if m.contents == "uninit" else SOME, owner=owner))
            case _:
                index, base = self.cell(h.pointer, names)
                cells, owner = make_cells(base, binders, where, index), under.owner_of(binders)
                if isinstance(h.target, Var) and h.target.name in ("UninitCell", "Cell"):
                    out.append(CellClaim(cells, UNINIT if h.target.name == "UninitCell" else SOME, owner=owner))
                else:
                    value = k.abstract(self.term(h.target, names), tuple(v for v, _, _ in binders))
                    out.append(CellClaim(cells, KNOWN, value, owner=owner))

    def held(self, model: Expr, indices: tuple[Term, ...], dims: list[Term], names: Names) -> None:
        """`a ~> Matrix1(n, f)` with a `__DEF` f: its values at all cells."""
        match model:
            case Var(name) if isinstance(found := names.find(name), ValueEntry) and found.definition is not None:
                within = (c for i, d in zip(indices, dims) for c in (k.le(k.ZERO, i), k.lt(i, d)))
                with self.needs.under(*within, binding=indices):
                    self.use(found.definition, tuple(map(ValueEntry, indices)), model.loc)
            case _:
                pass

    def cell(self, e: Expr, names: Names) -> tuple[tuple[Term, ...], str]:
        match e:
            case Addr(Index(base, indices)):
                array = self.array(base, names)
                return array.full(tuple(self.term(i, names) for i in indices)), array.base
            case _:
                entry = self.pointer(e, names)
                return ((), entry.base) if isinstance(entry, CellEntry) else (entry.full((k.ZERO,)), entry.base)


def make_cells(base: str, binders: tuple[tuple[Term, Term, Term], ...], where: Term, index: tuple[Term, ...]) -> Cells:
    """From named binders (variable, low, high)."""
    names = tuple(v for v, _, _ in binders)
    ranges = tuple((k.abstract(lo, names[:i]), k.abstract(hi, names[:i])) for i, (_, lo, hi) in enumerate(binders))
    return Cells(base, ranges, k.abstract(where, names), tuple(k.abstract(e, names) for e in index))
