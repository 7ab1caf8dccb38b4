"""Inferred loop contracts as annotations: a verified program with everything written out, which itself checks."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from optigpu.kernel import State
from optigpu.kernel.instructions import CountedLoop
from optigpu.kernel.iterations import IterationRange
from optigpu.kernel.loop_contract import LoopContract
from optigpu.logic import terms as k
from optigpu.logic.cells import Cells, Terms
from optigpu.logic.facts import Facts
from optigpu.logic.names import Name, Origin, source_name
from optigpu.logic.terms import INT, REAL, TRUE, Term, instantiate
from optigpu.syntax.exprs import (
    Addr,
    BigOp,
    Binary,
    Bool,
    Call,
    Cond,
    Expr,
    Group,
    Int,
    PointsTo,
    RangeBinder,
    Real,
    Unary,
    Var,
)
from optigpu.syntax.exprs import (
    Index as IndexExpr,
)
from optigpu.syntax.exprs import (
    Range as RangeExpr,
)
from optigpu.syntax.float_literals import lost, nearest
from optigpu.syntax.program import Body, Clause, For, Function, Item, Program, Stmt
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import DOUBLE, FLOAT
from optigpu.syntax.walk import map_bodies


@dataclass(frozen=True, slots=True)
class InferredLoop:
    """What is needed to write down a loop's contract."""

    loop: CountedLoop
    contract: LoopContract
    range: IterationRange
    v: Term
    before: State


class Unprintable(Exception):
    """A term that formulas cannot express: contents of which nothing is known."""


def annotated(program: Program, loops: dict[StatementId, InferredLoop]) -> Program:
    """The program with the contracts of its loops written out. One that formulas cannot express is left to be inferred."""
    outer: dict[Term, Expr] = {}
    for shown in sorted(
        loops.values(), key=lambda loop: loop.v.data.age
    ):  # outer loops first: inner ones may start at their index
        with suppress(Unprintable):
            outer[shown.v] = _index_expr(shown, outer)

    def body_of(body: Body) -> Body:
        return tuple(statement(s) for s in body)

    def statement(s: Stmt) -> Stmt:
        if isinstance(s, For) and s.id not in loops:
            return s
        s = map_bodies(s, body_of)
        if isinstance(s, For) and not s.contract:
            with suppress(Unprintable):
                return replace(s, contract=tuple(_clauses(loops[s.id], outer)))
        return s

    items = tuple(replace(f, body=body_of(f.body)) if isinstance(f, Function) else f for f in program.items)
    return replace(program, items=items)


def _index_expr(shown: InferredLoop, outer: dict[Term, Expr]) -> Expr:
    """v in terms of the loop's own index, and of those of the loops around it."""
    i = Var(shown.loop.index.data.shown)
    if shown.range.index is k.bound(0, INT):
        return i
    start, step = (shown.before.value(t) for t in (shown.loop.start, shown.loop.amount))
    writer = _Writer(outer)
    distance = Binary("-", i, writer.expr(start)) if shown.loop.op == "+" else Binary("-", writer.expr(start), i)
    return distance if step is k.ONE else Binary("/", distance, writer.expr(step))


def _clauses(shown: InferredLoop, outer: dict[Term, Expr]) -> list[Clause]:
    writer = _Writer(outer, shown.before.facts)
    out: list[Clause] = []
    for x in shown.contract.exclusive:
        cells = x.cells.under((shown.v,))
        n = cells.arity
        xs = writer.binders(n)
        init, value = (None if t is None else instantiate(t, (shown.v, *xs)) for t in (x.init, x.value))
        r = shown.before.held[x.family]
        at = tuple(instantiate(t, (shown.v, *xs)) for t in x.forward)
        inside = shown.before.facts.assume(
            k.le(shown.range.low, shown.v), k.lt(shown.v, shown.range.high), cells.domain(xs)
        )
        before = writer.permission(cells, xs, inside.simplify(r.init_at(at)), inside.simplify(r.value_at(at)))
        after = writer.permission(cells, xs, init or TRUE, value)
        out.append(Clause("xconsumes", (Item(None, before),)))
        out.append(Clause("xproduces", (Item(None, after),)))
    for inv in shown.contract.invariant:
        r = shown.before.held[inv.family]
        xs = writer.binders(r.cells.arity)
        init, value = (None if t is None else instantiate(t, (shown.v, *xs)) for t in (inv.init, inv.value))
        out.append(Clause("spreserves", (Item(None, writer.permission(r.cells, xs, init or TRUE, value)),)))
    for p in shown.contract.facts:
        out.append(Clause("invariant", (Item(None, writer.expr(instantiate(p, (shown.v,)))),)))
    return out


class _Writer:
    """Terms to formulas."""

    def __init__(self, names: dict[Term, Expr], facts: Facts | None = None) -> None:
        self.names = dict(names)
        self.facts = facts or Facts()
        self.count = 0

    def binders(self, n: int) -> Terms:
        out = []
        for _ in range(n):
            v = k.formula_var("c", self.count, INT)
            self.names[v] = Var(f"c{self.count}")
            self.count += 1
            out.append(v)
        return tuple(out)

    def permission(self, cells: Cells, xs: Terms, init: Term, value: Term | None) -> Expr:
        """The cells with their contents; where they are written and where not are two permissions."""
        parts: list[Expr] = []
        pointer = self.pointer(cells, xs)
        if init is not k.FALSE:
            try:
                held: Expr = (
                    PointsTo(pointer, "~~>", self.expr(value))
                    if value is not None
                    else PointsTo(pointer, "~>", Var("Cell"))
                )
            except Unprintable:
                held = PointsTo(pointer, "~>", Var("Cell"))
            parts.append(self.guarded(init, held))
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
            body = Group(name.name, RangeExpr(self.expr(low), self.expr(high)), body)
        return body

    def guarded(self, condition: Term, p: Expr) -> Expr:
        return p if condition is TRUE else Call("If", (self.expr(condition), p))

    def pointer(self, cells: Cells, xs: Terms) -> Expr:
        base = Var(source_name(cells.base))
        index = tuple(self.expr(e) for e in cells.at(xs))
        return Addr(IndexExpr(base, index) if index else base)

    def expr(self, t: Term) -> Expr:
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
            case "band" | "bor" | "bxor":
                return Binary({"band": "&", "bor": "|", "bxor": "^"}[t.op], *(self.expr(a) for a in t.args))
            case "inv":
                return Binary("/.", Int(1), self.expr(t.args[0]))
            case "real":
                return self.expr(t.args[0])
            case "max":
                out = self.expr(t.args[0])
                for a in t.args[1:]:
                    out = Call("max", (out, self.expr(a)))
                return out
            case "app":
                return self.application(t)
            case "ite":
                return Cond(*(self.expr(x) for x in t.args))
            case "le" | "lt" | "eq":
                return self.comparison(t)
            case "not":
                return Unary("!", self.expr(t.args[0]))
            case "and" | "or":
                out = self.expr(t.args[0])
                for a in t.args[1:]:
                    out = Binary("&&" if t.op == "and" else "||", out, self.expr(a))
                return out
            case "sum" | "prod" | "all" | "fold_max":
                return self.big(t)
            case _:
                raise Unprintable(t.op)

    def number(self, t: Term) -> Expr:
        """A literal where there is one, a quotient otherwise."""
        if t.sort is not REAL or t.data.denominator == 1:
            return Int(int(t.data))
        for literal_type in (FLOAT, DOUBLE):
            if not lost(t.data, literal_type) and nearest(t.data, literal_type) == t.data:
                return Real(t.data, literal_type)
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
        return Var(name.shown)

    def polynomial(self, t: Term) -> Expr:
        out: Expr | None = None
        for m, c in sorted(t.data, key=lambda mc: (mc[1] < 0, -len(mc[0]))):
            part = self.monomial(m, abs(c), t.sort)
            if out is None:
                out = part if c > 0 else Binary("-", Int(0), part)
            else:
                out = Binary("+" if c > 0 else "-", out, part)
        assert out is not None
        return out

    def monomial(self, m: tuple[Term, ...], c: object, sort: object) -> Expr:
        number = self.expr(k.num(c, REAL if sort is REAL else INT))  # type: ignore[arg-type]
        if not m:
            return number
        out: Expr | None = None if c == 1 else number
        for a in m:
            if a.op == "inv":
                out = Binary("/.", out or Int(1), self.expr(a.args[0]))
            else:
                out = self.expr(a) if out is None else Binary("*", out, self.expr(a))
        assert out is not None
        return out

    def floor_division(self, a: Term, b: Term) -> Expr:
        """C's division for what is not negative; the general case is spelled out."""
        x, y = self.expr(a), self.expr(b)
        if self.facts.proves(k.and_(k.le(k.ZERO, a), k.lt(k.ZERO, b))):
            return Binary("/", x, y)
        below = Binary("-", Int(0), Binary("/", Binary("-", Binary("-", y, Int(1)), x), y))
        return Cond(Binary(">=", x, Int(0)), Binary("/", x, y), below)

    def application(self, t: Term) -> Expr:
        f = t.args[0]
        if f.op != "var" or f.data.origin not in (Origin.PROGRAM, Origin.TEMPORARY, Origin.FUNCTION):
            raise Unprintable(str(f.data))
        name = f"{f.data.stem}f" if f.data.origin is Origin.FUNCTION else f.data.shown
        return Call(name, tuple(self.expr(a) for a in t.args[1:]))

    def comparison(self, t: Term) -> Expr:
        p = t.args[0]
        cs = k.coefficients(p)
        left = k.polynomial({m: c for m, c in cs.items() if c > 0}, p.sort)
        right = k.polynomial({m: -c for m, c in cs.items() if c < 0}, p.sort)
        return Binary({"le": "<=", "lt": "<", "eq": "=="}[t.op], self.expr(left), self.expr(right))

    def big(self, t: Term) -> Expr:
        *start, low, high, body = t.args
        (x,) = self.binders(1)
        name = self.names[x]
        assert isinstance(name, Var)
        op = {"sum": "Sum", "prod": "Prod", "all": "All", "fold_max": "Max"}[t.op]
        inner = self.expr(instantiate(body, (x,)))
        if start and start[0] is instantiate(body, (low,)):
            start = []
        whole = BigOp(op, (RangeBinder(name.name, RangeExpr(self.expr(low), self.expr(high))),), inner)
        if not start:
            return whole
        first = self.expr(start[0])
        nonempty = Binary("<", self.expr(low), self.expr(high))
        return Cond(nonempty, Call("max", (first, whole)), first)
