"""Terms of a proof as formulas of the language: `s0 + Sum(0, i, A)` for a value, a permission for cells with their contents."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import reduce
from itertools import count, islice

from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Owner, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.names import Name, Origin, source_name
from optigpu.logic.terms import INT, REAL, TRUE, Sort, Term, instantiate
from optigpu.syntax.exprs import (
    Addr,
    BigOp,
    Binary,
    Bool,
    Call,
    Cond,
    Expr,
    Group,
    Index,
    Int,
    PointsTo,
    Range,
    RangeBinder,
    Real,
    Unary,
    Var,
)
from optigpu.syntax.float_literals import is_out_of_range, nearest_float
from optigpu.syntax.types import DOUBLE, FLOAT


class Unprintable(Exception):
    """A term that formulas cannot express: contents of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Owned:
    """The owner of a family (None: the whole group), in a group of so many threads."""

    owner: Owner | None
    threads: Term


class FormulaWriter:
    """`names`: expressions for variables. `facts`: what is known where the formulas are written. `taken`: names not to bind."""

    def __init__(self, names: dict[Term, Expr], facts: Facts | None = None, taken: Collection[str] = ()) -> None:
        self.names = dict(names)
        self.facts = facts or Facts()
        self.taken = taken
        self.next_number = 0

    def binders(self, n: int) -> Terms:
        """Make fresh variables, written c0, c1, …"""
        numbers = tuple(islice((i for i in count(self.next_number) if f"c{i}" not in self.taken), n))
        self.next_number = numbers[-1] + 1 if numbers else self.next_number
        xs = tuple(k.formula_var("c", number, INT) for number in numbers)
        self.names.update((x, Var(f"c{number}")) for x, number in zip(xs, numbers))
        return xs

    def permission(self, cells: Cells, xs: Terms, init: Term, value: Term | None, owned: Owned | None = None) -> Expr:
        """Write cells with their contents; initialised and uninitialised cells are two permissions.

        `value` is None if nothing is known of it. Groups whose iterations belong to parts of the current threads are written
        `desync_for`.
        """
        divided = frozenset[int]()
        if owned is not None and owned.owner is not None:
            owner, inside = owned.owner.at(xs), self.facts.assume(cells.domain(xs))
            groups = _divided_groups(cells, xs, owner, owned.threads, inside)
            if groups is None:
                return self.divided_by_threads(cells, xs, init, value, owner, owned.threads)
            divided = groups
        parts: list[Expr] = []
        pointer = self.pointer(cells, xs)
        if init is not k.FALSE:
            parts.append(self.guarded(init, self.initialised(pointer, value)))
        if init is not TRUE:
            parts.append(self.guarded(k.not_(init), PointsTo(pointer, "~>", Var("UninitCell"))))
        whole = [self.guarded(instantiate(cells.where, xs), p) for p in parts]
        body = whole[0]
        for p in whole[1:]:
            body = Binary("*", body, p)
        for i in reversed(range(cells.arity)):
            low, high = (instantiate(t, xs[:i]) for t in cells.ranges[i])
            name = self.names[xs[i]]
            assert isinstance(name, Var)
            body = Group(name.name, Range(self.expr(low), self.expr(high)), body, i in divided)
        return body

    def divided_by_threads(
        self, cells: Cells, xs: Terms, init: Term, value: Term | None, owner: Owner, threads: Term
    ) -> Expr:
        """Write cells whose owner is no part of their groups: the cells of part t, for each part t of the current threads."""
        if not k.is_num(owner.size):
            raise Unprintable("owner")
        (t,) = self.binders(1)
        mine = k.eq(owner.start, k.mul(t, owner.size))
        guarded = replace(cells, where=k.abstract(k.and_(instantiate(cells.where, xs), mine), xs))
        body = self.permission(guarded, xs, init, value)
        name = self.names[t]
        assert isinstance(name, Var)
        parts = self.expr(threads) if owner.size is k.ONE else self.floor_division(threads, owner.size)
        return Group(name.name, Range(Int(0), parts), body, True)

    def initialised(self, pointer: Expr, value: Term | None) -> Expr:
        """Write a cell with its value, or with some value if nothing is known of it."""
        return PointsTo(pointer, "~>", Var("Cell")) if value is None else PointsTo(pointer, "~~>", self.expr(value))

    def is_writable(self, value: Term) -> bool:
        """Can formulas express the value?"""
        number = self.next_number
        try:
            self.expr(value)
        except Unprintable:
            return False
        finally:
            self.next_number = number
        return True

    def guarded(self, condition: Term, p: Expr) -> Expr:
        return p if condition is TRUE else Call("If", (self.expr(condition), p))

    def pointer(self, cells: Cells, xs: Terms) -> Expr:
        base = Var(source_name(cells.base))
        index = tuple(self.expr(e) for e in cells.at(xs))
        return Addr(Index(base, index) if index else base)

    def expr(self, t: Term) -> Expr:
        """Write a value or a condition."""
        match t.op:
            case "num":
                return self.number(t)
            case "true" | "false":
                return Bool(t.op == "true")
            case "var":
                return self.variable(t)
            case "poly":
                return self.polynomial(t)
            case "fdiv":
                return self.floor_division(*t.args)
            case "pow2":
                return Binary("<<", Int(1), self.expr(t.args[0]))
            case "band" | "bor" | "bxor":
                return Binary({"band": "&", "bor": "|", "bxor": "^"}[t.op], *(self.expr(a) for a in t.args))
            case "inv":
                return Binary("/.", Int(1), self.expr(t.args[0]))
            case "real":
                return self.expr(t.args[0])
            case "max":
                return reduce(lambda x, y: Call("max", (x, y)), map(self.expr, t.args))
            case "app":
                return self.application(t)
            case "ite":
                return Cond(*(self.expr(x) for x in t.args))
            case "le" | "lt" | "eq":
                return self.comparison(t)
            case "not":
                return Unary("!", self.expr(t.args[0]))
            case "and" | "or":
                op = "&&" if t.op == "and" else "||"
                return reduce(lambda x, y: Binary(op, x, y), map(self.expr, t.args))
            case "sum" | "prod" | "all" | "fold_max" | "argmax":
                return self.big_operator(t)
            case _:
                raise Unprintable(t.op)

    def number(self, t: Term) -> Expr:
        """Write a literal where one is exact, a quotient otherwise."""
        if t.sort is not REAL or (t.data.denominator == 1 and abs(t.data) < 1 << 63):
            return Int(int(t.data))
        for literal_type in (FLOAT, DOUBLE):
            if not is_out_of_range(t.data, literal_type) and nearest_float(t.data, literal_type) == t.data:
                return Real(Fraction(t.data), literal_type)
        return Binary("/.", Int(t.data.numerator), Int(t.data.denominator))

    def variable(self, t: Term) -> Expr:
        if t in self.names:
            return self.names[t]
        name: Name = t.data
        if name.origin is not Origin.PROGRAM and name.origin is not Origin.TEMPORARY:
            raise Unprintable(str(name))
        if name.divisors:  # n/16 for n that 16 divides
            *divisors, last = name.divisors
            whole = k.var(replace(name, divisors=tuple(divisors)), INT)
            return Call("exact_div", (self.variable(whole), Int(last)))
        return Var(name.display)

    def polynomial(self, t: Term) -> Expr:
        """Write a sum, positive summands first."""
        total: Expr | None = None
        for m, c in sorted(t.data, key=lambda mc: (mc[1] < 0, -len(mc[0]))):
            summand = self.monomial(m, abs(c), t.sort)
            if total is None:
                total = summand if c > 0 else Binary("-", Int(0), summand)
            else:
                total = Binary("+" if c > 0 else "-", total, summand)
        assert total is not None
        return total

    def monomial(self, m: tuple[Term, ...], c: int | Fraction, sort: Sort) -> Expr:
        number = self.expr(k.num(c, REAL if sort is REAL else INT))
        if not m:
            return number
        product: Expr | None = None if c == 1 else number
        for a in m:
            if a.op == "inv":
                product = Binary("/.", product or Int(1), self.expr(a.args[0]))
            else:
                product = self.expr(a) if product is None else Binary("*", product, self.expr(a))
        assert product is not None
        return product

    def floor_division(self, a: Term, b: Term) -> Expr:
        """Write C's division if the operands are not negative, else a formula that rounds down for any sign."""
        x, y = self.expr(a), self.expr(b)
        if self.facts.proves(k.and_(k.le(k.ZERO, a), k.lt(k.ZERO, b))):
            return Binary("/", x, y)
        below = Binary("-", Int(0), Binary("/", Binary("-", Binary("-", y, Int(1)), x), y))
        return Cond(Binary(">=", x, Int(0)), Binary("/", x, y), below)

    def application(self, t: Term) -> Expr:
        f = t.args[0]
        if f.op != "var" or f.data.origin not in (Origin.PROGRAM, Origin.TEMPORARY, Origin.FUNCTION):
            raise Unprintable(str(f.data))
        name = f"{f.data.stem}f" if f.data.origin is Origin.FUNCTION else f.data.display
        return Call(name, tuple(self.expr(a) for a in t.args[1:]))

    def comparison(self, t: Term) -> Expr:
        """Write p <= 0 with the negative summands of p on the other side."""
        p = t.args[0]
        cs = k.coefficients(p)
        left = k.polynomial({m: c for m, c in cs.items() if c > 0}, p.sort)
        right = k.polynomial({m: -c for m, c in cs.items() if c < 0}, p.sort)
        return Binary({"le": "<=", "lt": "<", "eq": "=="}[t.op], self.expr(left), self.expr(right))

    def big_operator(self, t: Term) -> Expr:
        """Write Sum, Prod, All or Max. A maximum with a first value becomes a choice, since Max is undefined on an empty range."""
        *start, low, high, body = t.args
        (x,) = self.binders(1)
        name = self.names[x]
        assert isinstance(name, Var)
        op = {"sum": "Sum", "prod": "Prod", "all": "All", "fold_max": "Max", "argmax": "ArgMax"}[t.op]
        inner = self.expr(instantiate(body, (x,)))
        if start and start[0] is instantiate(body, (low,)):
            if not self.facts.proves(k.lt(low, high)):  # a choice by whether the range is empty could not be shown
                raise Unprintable(t.op)
            start = []
        whole = BigOp(op, (RangeBinder(name.name, Range(self.expr(low), self.expr(high))),), inner)
        if not start:
            return whole
        first = self.expr(start[0])
        nonempty = Binary("<", self.expr(low), self.expr(high))
        return Cond(nonempty, Call("max", (first, whole)), first)


def _divided_groups(cells: Cells, xs: Terms, owner: Owner, threads: Term, facts: Facts) -> frozenset[int] | None:
    """Find the groups that divide the threads into equal parts, so that the innermost part is the owner; None if there are none.

    For the owner (16 * i + j, 1) of a cell of `for i in 0..8 -> for j in 0..16` in a group of 128 threads, both groups do.
    """
    start, divided = owner.start, set[int]()
    for i, x in enumerate(xs):
        low, high = (instantiate(t, xs[:i]) for t in cells.ranges[i])
        part = k.num(k.coefficients(start).get((x,), 0))
        if part is not k.ZERO and facts.proves(k.eq(k.mul(part, k.sub(high, low)), threads)):
            divided.add(i)
            start, threads = k.sub(start, k.mul(part, k.sub(x, low))), part
    whole = facts.proves(k.and_(k.eq(start, k.ZERO), k.eq(owner.size, threads)))
    return frozenset(divided) if whole else None
