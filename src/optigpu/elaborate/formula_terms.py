"""Formulas to terms and claims."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TypeAlias

from optigpu.elaborate.meaning import Needs, defined
from optigpu.logic import terms as k
from optigpu.logic.cells import KNOWN, SOME, UNINIT, CellClaim, Cells, Owner
from optigpu.logic.terms import BOOL, INT, REAL, Sort, Term
from optigpu.syntax.builtins import INT_CONSTANTS, MATH, TOKENS, WRAPS, index_helper, matrix_predicate
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import (
    Addr,
    Array,
    BigOp,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Forall,
    Fun,
    FunType,
    Group,
    Index,
    Int,
    PointsTo,
    ProofType,
    Range,
    Real,
    SizeOf,
    Type,
    Unary,
    Var,
)
from optigpu.syntax.operators import REAL_SPELLINGS
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import Kind, Scalar

Binders: TypeAlias = tuple[tuple[Term, Term, Term], ...]


def Unsupported(message: str, loc: Loc) -> InputError:
    """Outside what the checker can speak about: the verdict is UNSUPPORTED."""
    return input_error("OG300", message, loc)


@dataclass(frozen=True, slots=True)
class ValueEntry:
    """A name that stands for a term: a number, a truth value, a logical function; and how it is defined, if it is a `__DEF`."""

    term: Term
    definition: FunEntry | None = None


@dataclass(frozen=True, slots=True)
class CellEntry:
    """A variable: a base without dimensions."""

    base: str


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """A pointer: its element (i, j, …) is the base's (*lead, shift + i, j, …)."""

    base: str
    lead: tuple[Term, ...]
    shift: Term
    rank: int

    def full(self, indices: tuple[Term, ...]) -> tuple[Term, ...]:
        return (*self.lead, k.add(self.shift, indices[0]), *indices[1:]) if indices else self.lead

    def row(self, indices: tuple[Term, ...]) -> ArrayEntry:
        return ArrayEntry(self.base, self.full(indices), k.ZERO, self.rank - len(indices))

    def address(self, indices: tuple[Term, ...]) -> ArrayEntry:
        full = self.full(indices)
        return ArrayEntry(self.base, full[:-1], full[-1], self.rank - len(indices) + 1)


@dataclass(frozen=True, slots=True)
class FunEntry:
    """A lambda given for a parameter of a ghost, possibly one that makes a permission."""

    fun: Fun
    names: Names


Entry: TypeAlias = ValueEntry | CellEntry | ArrayEntry | FunEntry


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


class Names:
    """An immutable scope."""

    def __init__(self, table: dict[str, Entry] | None = None) -> None:
        self.table = table or {}

    def bind(self, name: str, entry: Entry) -> Names:
        return Names({**self.table, name: entry})

    def find(self, name: str) -> Entry | None:
        return self.table.get(name)


def sort_of(t: Type | None, loc: Loc, at: Loc = NOWHERE) -> Sort:
    match t:
        case Scalar(_, kind):
            return {Kind.BOOL: BOOL, Kind.INT: INT, Kind.FLOAT: REAL}[kind]
        case FunType(args, result):
            return k.fun_sort(tuple(sort_of(a, loc, at) for a in args), sort_of(result, loc, at))
        case _:
            raise Unsupported("the checker cannot speak about things of this type", at if at is not NOWHERE else loc)


class FormulaElaborator:
    """`threads`: those of the group that executes the function whose contract this is, where cells can belong to some of them."""

    def __init__(self) -> None:
        self.fresh = itertools.count(1)
        self.threads: Term | None = None
        self.needs = Needs()

    def binder(self, name: str) -> Term:
        return k.var(f"{name}^{next(self.fresh)}", INT)

    def definition(self, e: Expr, names: Names) -> ValueEntry:
        """A `__DEF`: a term, or a function. What its parts need is asked where it is used."""
        term = self.function(e, names) if isinstance(e, Fun) else self.term(e, names)
        partial = bool(self.needs.take())
        return ValueEntry(term, FunEntry(e if isinstance(e, Fun) else Fun((), e), names) if partial else None)

    def entry(self, e: Expr, names: Names) -> Entry:
        """What an argument of a ghost stands for."""
        match e:
            case Fun():
                return FunEntry(e, names)
            case Var(name) if (found := names.find(name)) is not None:
                return found
            case _:
                return ValueEntry(self.term(e, names))

    def term(self, e: Expr, names: Names) -> Term:
        match e:
            case Int(value):
                return k.num(value)
            case Real(value):
                return k.num(value, REAL)
            case Bool(value):
                return k.TRUE if value else k.FALSE
            case SizeOf(of):
                return k.num(of.size)
            case Var(name):
                return self.variable(name, names, e.loc)
            case Unary("!", arg):
                return k.not_(self.term(arg, names))
            case Unary("-", arg):
                return k.neg(self.term(arg, names))
            case Binary():
                return self.binary(e, names)
            case Cond(test, then, other):
                c = self.term(test, names)
                with self.needs.under(c):
                    a = self.term(then, names)
                with self.needs.under(k.not_(c)):
                    b = self.term(other, names)
                return k.ite(c, a, b)
            case Cast(to, arg):
                return self.cast(to, self.term(arg, names))
            case Call():
                return self.call(e, names)
            case Fun():
                with self.needs.unasked():
                    return self.function(e, names)
            case Forall():
                return self.forall(e, names)
            case BigOp():
                return self.big_operator(e, 0, names)
            case _:
                raise Unsupported("the checker cannot read this formula", e.loc)

    def variable(self, name: str, names: Names, loc: Loc) -> Term:
        match names.find(name):
            case ValueEntry(term, definition):
                if definition is not None and not definition.fun.params:
                    self.use(definition, (), loc)
                return term
            case FunEntry(fun, inner):
                with self.needs.unasked():
                    return self.function(fun, inner)
            case _ if name in INT_CONSTANTS:
                return k.num(INT_CONSTANTS[name])
            case _:
                raise Unsupported(f"the checker cannot speak of `{name}` here", loc)

    def cast(self, to: Scalar, x: Term) -> Term:
        match to.kind:
            case Kind.BOOL:
                return x if x.sort is BOOL else k.not_(k.eq(x, k.num(0, x.sort)))
            case Kind.FLOAT:
                return k.to_real(k.ite(x, k.ONE, k.ZERO) if x.sort is BOOL else x)
            case Kind.INT:
                return k.trunc(x) if x.sort is REAL else k.ite(x, k.ONE, k.ZERO) if x.sort is BOOL else x

    def binary(self, e: Binary, names: Names) -> Term:
        a = self.term(e.left, names)
        if e.op in ("&&", "||", "==>"):
            with self.needs.under(k.not_(a) if e.op == "||" else a):
                b = self.term(e.right, names)
            return k.and_(a, b) if e.op == "&&" else k.or_(a, b) if e.op == "||" else k.implies(a, b)
        b, op = self.term(e.right, names), REAL_SPELLINGS.get(e.op, e.op)
        match op:
            case "/" | "%":
                self.needs.add(k.not_(k.eq(b, k.num(0, b.sort))), "division", e.loc)
            case "<<" | ">>" | "&" | "|" | "^":
                self.needs.add(k.and_(k.le(k.ZERO, a), k.le(k.ZERO, b)), "bits", e.loc)
            case _:
                pass
        return remainder(a, b) if op == "%" else pure_operation(op, a, b)

    def call(self, e: Call, names: Names) -> Term:
        match names.find(e.func):
            case ValueEntry(f, definition):
                if isinstance(e.type, ProofType):
                    raise Unsupported("a fact is not a value", e.loc)
                args = tuple(self.argument(a, s, names) for a, s in zip(e.args, f.sort.args))
                if definition is not None:
                    self.use(definition, self.entries(e.args, args, names), e.loc)
                elif f.op == "var":
                    self.needs.add(k.app(f, *args), "model", e.loc)
                return k.app(f, *args)
            case FunEntry(fun, inner):
                for p, a in zip(fun.params, [self.term(a, names) for a in e.args]):
                    inner = inner.bind(p.name, ValueEntry(a))
                return self.term(fun.body, inner)
            case _:
                pass
        if e.func == "in_range":
            low, high = self.range(e.args[1], names)
            x = self.term(e.args[0], names)
            return k.and_(k.le(low, x), k.lt(x, high))
        values = [self.term(a, names) for a in e.args]
        if e.func in MATH:
            self.needs.add(defined(MATH[e.func].real_name, values), "domain", e.loc)
        elif e.func == "exact_div":
            self.needs.add(divides(*values), "exact_div", e.loc)
        return self.known_function(e.func, values, e.loc)

    def entries(self, es: tuple[Expr, ...], values: tuple[Term, ...], names: Names) -> tuple[Entry, ...]:
        """Arguments as the body of a definition sees them: functions with their own definitions, as far as they have any."""
        out: list[Entry] = []
        for e, value in zip(es, values):
            match e:
                case Fun() if isinstance(e.type, FunType) and sort_of(e.type, e.loc) is value.sort:
                    out.append(FunEntry(e, names))
                case Var(name) if isinstance(found := names.find(name), ValueEntry) and found.term is value:
                    out.append(found)
                case _:
                    out.append(ValueEntry(value))
        return tuple(out)

    def use(self, definition: FunEntry, args: tuple[Entry, ...], loc: Loc) -> None:
        """What the parts of a definition need where it is used with these arguments."""
        terms = tuple(a.term for a in args if isinstance(a, ValueEntry))
        if len(terms) == len(args) and self.needs.known_use(id(definition), terms):
            return
        inner = definition.names
        for p, a in zip(definition.fun.params, args):
            inner = inner.bind(p.name, a)
        with self.needs.used_at(loc):
            self.term(definition.fun.body, inner)

    def argument(self, e: Expr, sort: Sort, names: Names, sizes: Sequence[Term] = ()) -> Term:
        """`sizes`: of the array that holds the values of a function."""
        t = self.function(e, names, sizes) if isinstance(e, Fun) and sizes else self.term(e, names)
        if sort.result is REAL and t.sort.result is INT:  # a function of integers where one of reals is wanted
            variables = tuple(k.var(f"a^{next(self.fresh)}", s) for s in sort.args)
            return k.lam(variables, k.to_real(k.app(t, *variables)))
        return t

    def known_function(self, name: str, args: list[Term], loc: Loc) -> Term:
        helper = index_helper(name)
        if helper is not None:
            return linear(helper, args)
        if name in WRAPS:
            return k.fmod(args[0], k.num(1 << WRAPS[name]))
        if name in MATH:
            real = MATH[name].real_name
            match real:
                case "fmax":
                    return k.max_(*args)
                case "fmin":
                    return k.min_(*args)
                case "fabs":
                    return k.max_(args[0], k.neg(args[0]))
                case "fma":
                    return k.add(k.mul(args[0], args[1]), args[2])
                case _:
                    return k.app(k.var(f"fn:{real}", k.fun_sort((REAL,) * len(args), REAL)), *args)
        match name:
            case "min":
                return k.min_(*args)
            case "max":
                return k.max_(*args)
            case "abs":
                return k.max_(args[0], k.neg(args[0]))
            case "exact_div":
                return exact_quotient(*args)
            case _:
                raise Unsupported(f"the checker does not know `{name}`", loc)

    def function(self, e: Expr, names: Names, sizes: Sequence[Term] = ()) -> Term:
        assert isinstance(e, Fun)
        sorts = e.type.args if isinstance(e.type, FunType) else tuple(p.type for p in e.params)
        variables = []
        for p, t in zip(e.params, sorts):
            v = k.var(f"{p.name}^{next(self.fresh)}", sort_of(t, e.loc))
            variables.append(v)
            names = names.bind(p.name, ValueEntry(v))
        within = (c for v, n in zip(variables, sizes) for c in (k.le(k.ZERO, v), k.lt(v, n)))
        with self.needs.under(*within, binding=tuple(variables)):
            return k.lam(tuple(variables), self.term(e.body, names))

    def forall(self, e: Forall, names: Names) -> Term:
        variables: list[Term] = []
        hypotheses: list[Term] = []
        with ExitStack() as around:
            for p in e.params:
                if isinstance(p.type, ProofType):
                    hypotheses.append(self.term(p.type.prop, names))
                    around.enter_context(self.needs.under(hypotheses[-1]))
                else:
                    v = k.var(f"{p.name}^{next(self.fresh)}", sort_of(p.type, e.loc))
                    variables.append(v)
                    around.enter_context(self.needs.under(binding=(v,)))
                    names = names.bind(p.name, ValueEntry(v))
            return k.forall(tuple(variables), k.implies(k.and_(*hypotheses), self.term(e.body, names)))

    def range(self, e: Expr, names: Names) -> tuple[Term, Term]:
        if not isinstance(e, Range):
            raise Unsupported("the checker needs this range written out", e.loc)
        return self.term(e.low, names), self.term(e.high, names)

    def big_operator(self, e: BigOp, at: int, names: Names) -> Term:
        if at == len(e.binders):
            return self.term(e.body, names)
        b = e.binders[at]
        low, high = self.range(b.range, names)
        v = self.binder(b.name)
        if e.op in ("Max", "Min"):
            self.needs.add(k.lt(low, high), "empty", b.range.loc if b.range.loc.line else e.loc)
        with self.needs.under(k.le(low, v), k.lt(v, high), binding=(v,)):
            body = k.abstract(self.big_operator(e, at + 1, names.bind(b.name, ValueEntry(v))), (v,))
        if e.op in ("Max", "Min"):  # of an empty range: the body at its lower bound, as in the interpreter
            values = body if e.op == "Max" else k.neg(body)
            most = k.big("fold_max", low, high, values, k.instantiate(values, (low,)))
            return most if e.op == "Max" else k.neg(most)
        if e.op == "Any":
            return k.not_(k.big("all", low, high, k.not_(body)))
        return k.big({"Sum": "sum", "Prod": "prod", "All": "all"}[e.op], low, high, body)

    # Permissions

    def pointer(self, e: Expr, names: Names) -> ArrayEntry | CellEntry:
        match e:
            case Var(name):
                entry = names.find(name)
                if isinstance(entry, ArrayEntry | CellEntry):
                    return entry
                raise Unsupported(f"`{name}` is no pointer here", e.loc)
            case Index(base, indices):
                return self.array(base, names).row(tuple(self.term(i, names) for i in indices))
            case Addr(Index(base, indices)):
                return self.array(base, names).address(tuple(self.term(i, names) for i in indices))
            case Addr(arg):
                return self.pointer(arg, names)
            case _:
                raise Unsupported("the checker cannot follow this pointer", e.loc)

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
                raise Unsupported(f"`{name}` cannot be checked yet", h.loc)
            case _:
                raise Unsupported("the checker cannot read this permission", h.loc)

    def part(self, h: Expr, owner: Owner | None, number: Term, count: Term) -> Owner:
        """`desync_for i in ..N -> H`: the threads around it are N equal parts, and H belongs to part i."""
        if self.threads is None:
            raise Unsupported("desync_for belongs into the contract of a device function with ThreadsCtx", h.loc)
        around = owner or Owner(k.ZERO, self.threads)
        size = k.fdiv(around.size, count)
        if k.is_num(around.size) and k.is_num(count) and k.mul(size, count) is not around.size:
            raise Unsupported("the threads of ThreadsCtx are not that many equal parts", h.loc)
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


def pure_operation(op: str, a: Term, b: Term) -> Term:
    """Operators without side conditions of their own."""
    match op:
        case "+":
            return k.add(a, b)
        case "-":
            return k.sub(a, b)
        case "*":
            return k.mul(a, b)
        case "/":
            return k.mul(a, k.inv(b)) if a.sort is REAL else quotient(a, b)
        case "%":
            return k.sub(a, k.mul(b, quotient(a, b)))
        case "<<":
            return k.mul(a, k.pow2(b))
        case ">>":
            return k.fdiv(a, k.pow2(b))
        case "&" | "|" | "^":
            return k.bitwise({"&": "band", "|": "bor", "^": "bxor"}[op], a, b)
        case "<":
            return k.lt(a, b)
        case "<=":
            return k.le(a, b)
        case ">":
            return k.lt(b, a)
        case ">=":
            return k.le(b, a)
        case "==":
            return k.eq(a, b)
        case "!=":
            return k.not_(k.eq(a, b))
        case _:
            raise ValueError(op)


def make_cells(base: str, binders: tuple[tuple[Term, Term, Term], ...], where: Term, index: tuple[Term, ...]) -> Cells:
    """From named binders (variable, low, high)."""
    names = tuple(v for v, _, _ in binders)
    ranges = tuple((k.abstract(lo, names[:i]), k.abstract(hi, names[:i])) for i, (_, lo, hi) in enumerate(binders))
    return Cells(base, ranges, k.abstract(where, names), tuple(k.abstract(e, names) for e in index))


def quotient(a: Term, b: Term) -> Term:
    """C's division of integers, towards zero."""
    positive = k.ite(k.le(k.ZERO, a), k.fdiv(a, b), k.neg(k.fdiv(k.neg(a), b)))
    if k.is_num(b) and b.data > 0:
        return positive
    negative = k.ite(k.le(k.ZERO, a), k.neg(k.fdiv(a, k.neg(b))), k.fdiv(k.neg(a), k.neg(b)))
    return k.ite(k.lt(k.ZERO, b), positive, negative)


def remainder(a: Term, b: Term) -> Term:
    """`%` in a formula: of a division by zero, nothing is known."""
    something = k.app(k.var("%", k.fun_sort((INT, INT), INT)), a, b)
    return k.add(pure_operation("%", a, b), k.ite(k.eq(b, k.ZERO), something, k.ZERO))


def exact_quotient(a: Term, b: Term) -> Term:
    """`exact_div` in a formula: of what b does not divide, nothing is known."""
    something = k.app(k.var("exact_div", k.fun_sort((INT, INT), INT)), a, b)
    return k.ite(k.eq(a, k.mul(b, k.fdiv(a, b))), k.fdiv(a, b), something)


def divides(a: Term, b: Term) -> Term:
    return k.and_(k.not_(k.eq(b, k.ZERO)), k.eq(a, k.mul(b, k.fdiv(a, b))))


def linear(helper: tuple[str, int], args: list[Term]) -> Term:
    """MSIZEn and (D)MINDEXn, row by row."""
    stem, rank = helper
    if stem == "MSIZE":
        return k.mul(k.ONE, *args)
    out = args[rank]
    for n, i in zip(args[1:rank], args[rank + 1 :]):
        out = k.add(k.mul(out, n), i)
    return out
