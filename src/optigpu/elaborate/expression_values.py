"""Expressions of C to terms: memory reads become instructions, partial operations get obligations, pointers a base and an index."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.elaborate.arithmetic_terms import pure_operation
from optigpu.elaborate.code_builder import CodeBuilder
from optigpu.elaborate.infinite_values import chooses
from optigpu.elaborate.infinity import ARITHMETIC, INFINITY, finite, refuse_arithmetic
from optigpu.elaborate.machine_types import as_integer, is_unsigned, limits_of, rounded
from optigpu.elaborate.math_terms import defined
from optigpu.elaborate.name_scope import ArrayEntry, CellEntry, Names, ValueEntry, sort_of, unsupported
from optigpu.kernel import instructions as kc
from optigpu.kernel.side_conditions import within
from optigpu.logic import terms as k
from optigpu.logic.terms import BOOL, INT, REAL, Term
from optigpu.syntax.builtins import INT_CONSTANTS, MATH, REAL_CONSTANTS, index_helper
from optigpu.syntax.exprs import (
    Addr,
    Array,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Index,
    Int,
    Real,
    SizeOf,
    Type,
    Unary,
    Var,
    is_float,
)
from optigpu.syntax.operators import WRAPPING
from optigpu.syntax.source import Loc
from optigpu.syntax.types import INT64, Kind, Scalar
from optigpu.syntax.walk import children, subexpressions


class ExpressionElaborator(CodeBuilder):
    def constant(self, e: Expr) -> Term:
        """The value of a macro, the same in formulas and in C: it needs no obligation, and all of its parts fit their types."""
        for part in subexpressions(e):
            value, t = self.expr(part, self.outer), part.type
            assert isinstance(t, Scalar)
            if t.kind is Kind.INT:
                self.oblige(within(value, limits_of(t)), kc.Obligation.CONVERSION, part.loc)
            rests_on_rounding = not is_float(t) and any(is_float(x.type) for x in children(part))
            if self.code or rests_on_rounding:
                raise unsupported("C computes another number here, or none", part.loc)
        return self.expr(e, self.outer)

    def expr(self, e: Expr, names: Names) -> Term:
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
                return self.variable(name, e, names)
            case Unary("!", arg):
                return k.not_(self.expr(arg, names))
            case Unary("-", arg):
                negated = k.neg(self.expr(arg, names))
                return self.modulo(negated, arg.type, e.loc) if is_unsigned(arg.type) else negated
            case Binary(("&&" | "||") as op, left, right):
                return self.short_circuit(op, left, right, names)
            case Binary(("==" | "!=") as op, Binary("%", left, right), other):
                return self.remainder_test(op, left, right, other, names, e.left.loc)
            case Binary(op, left, right):
                a, b = self.expr(left, names), self.expr(right, names)
                if op in ARITHMETIC and is_float(e.type):
                    self.finite_operands((left, right), (a, b), e.loc)
                return self.operation(op, a, b, left.type, e.loc)
            case Cond(test, then, other):
                return self.choice(test, then, other, names, e.loc)
            case Cast(to, arg):
                assert isinstance(arg.type, Scalar)
                return self.convert(self.expr(arg, names), arg.type, to, e.loc, e.implicit)
            case Index():
                return self.load(e, names)
            case Call():
                return self.call(e, names)
            case _:
                raise unsupported("this expression cannot be checked", e.loc)

    def variable(self, name: str, e: Expr, names: Names) -> Term:
        entry = names.find(name)
        if entry is None:
            if name in INT_CONSTANTS:
                return k.num(INT_CONSTANTS[name])
            if name in REAL_CONSTANTS:
                return INFINITY
            raise unsupported(f"`{name}` has no meaning in proofs", e.loc)
        if isinstance(entry, CellEntry):
            target = self.temporary(sort_of(e.type, e.loc))
            self.code.append(kc.LoadCell(target, kc.CellAddress(entry.base, ()), at=self.at(e.loc)))
            return target
        assert isinstance(entry, ValueEntry)
        return entry.term

    def load(self, e: Index, names: Names) -> Term:
        target = self.temporary(sort_of(e.type, e.loc))
        self.code.append(kc.LoadCell(target, self.place(e, names), at=self.at(e.loc)))
        return target

    def short_circuit(self, op: str, left: Expr, right: Expr, names: Names) -> Term:
        a = self.expr(left, names)
        with self.nested() as inner:
            b = self.expr(right, names)
        if not inner:
            return k.and_(a, b) if op == "&&" else k.or_(a, b)
        x = self.temporary(BOOL)
        at = self.at(right.loc)
        evaluated = (*inner, kc.Bind(x, b, at=at))
        known = (kc.Bind(x, k.FALSE if op == "&&" else k.TRUE, at=at),)
        then, other = (evaluated, known) if op == "&&" else (known, evaluated)
        self.code.append(kc.Branch(a, then, other, at=at))
        return x

    def choice(self, test: Expr, then: Expr, other: Expr, names: Names, loc: Loc) -> Term:
        c = self.expr(test, names)
        with self.nested() as first:
            a = self.expr(then, names)
        with self.nested() as second:
            b = self.expr(other, names)
        if not first and not second:
            return k.ite(c, a, b)
        x = self.temporary(a.sort)
        at = self.at(loc)
        self.code.append(kc.Branch(c, (*first, kc.Bind(x, a, at=at)), (*second, kc.Bind(x, b, at=at)), at=at))
        return x

    def operation(self, op: str, a: Term, b: Term, left: Type | None, loc: Loc) -> Term:
        refuse_arithmetic(op, (a, b), loc)
        match op:
            case "/" | "%":
                self.oblige(k.not_(k.eq(b, k.num(0, b.sort))), kc.Obligation.DIVISION, loc)
            case "<<" | ">>":
                self.oblige(k.le(k.ZERO, a), kc.Obligation.SHIFT, loc)
                self.shift_amount(b, left, loc)
            case "&" | "|" | "^":
                self.oblige(k.and_(k.le(k.ZERO, a), k.le(k.ZERO, b)), kc.Obligation.BITS, loc)
            case _:
                pass
        value = pure_operation(op, a, b)
        return self.modulo(value, left, loc) if op in WRAPPING and is_unsigned(left) else value

    def finite_operands(self, operands: tuple[Expr, ...], values: Sequence[Term], loc: Loc) -> None:
        """Oblige that operands to which INFINITY may have been copied are numbers by now."""
        for e, x in zip(operands, values):
            if x.sort is REAL and self.infinite.may_be(e):
                self.oblige(finite(x), kc.Obligation.FINITE, e.loc if e.loc.line else loc)

    def remainder_test(self, op: str, left: Expr, right: Expr, other: Expr, names: Names, loc: Loc) -> Term:
        """`left % right == other`, or !=. That a remainder is 0 does not depend on how the quotient is rounded."""
        a, b = self.expr(left, names), self.expr(right, names)
        remainder, c = self.operation("%", a, b, left.type, loc), self.expr(other, names)
        return pure_operation(op, k.sub(a, k.mul(b, k.fdiv(a, b))) if c is k.ZERO else remainder, c)

    def shift_amount(self, amount: Term, left: Type | None, loc: Loc) -> None:
        """In C, a shift by at least the number of bits of the left operand is undefined."""
        assert isinstance(left, Scalar)
        self.oblige(k.and_(k.le(k.ZERO, amount), k.lt(amount, k.num(left.bits))), kc.Obligation.SHIFT, loc)

    # Conversions

    def convert(self, x: Term, have: Scalar, to: Scalar, loc: Loc, implicit: bool = True) -> Term:
        """A conversion between machine types. The integer must be shown to stay the same, unless this is a cast to an unsigned
        type, which is modulo 2^bits."""
        match to.kind:
            case Kind.BOOL:
                return x if x.sort is BOOL else k.not_(k.eq(x, k.num(0, x.sort)))
            case Kind.FLOAT:
                return rounded(x if x.sort is REAL else k.to_real(as_integer(x)), to, loc)
            case Kind.INT:
                value = self.truncated(x, to, loc) if x.sort is REAL else as_integer(x)
                fits = have.kind is Kind.BOOL or (have.kind is Kind.INT and to.low <= have.low and have.high <= to.high)
                if not fits and not to.signed and not implicit and have.kind is Kind.INT:
                    return self.modulo(value, to, loc)
                mathematical = have.kind is Kind.INT and have.signed  # it may have any value, whatever its type
                if not fits or (mathematical and not implicit):
                    self.oblige(within(value, limits_of(to)), kc.Obligation.CONVERSION, loc)
                return value

    def truncated(self, x: Term, to: Scalar, loc: Loc) -> Term:
        """A float as an integer: an arbitrary number of the type where it does not fit. Narrow and unsigned ones must fit."""
        value = k.trunc(x)
        if to.bits < 32 or not to.signed:
            return value
        return k.ite(within(value, limits_of(to)), value, self.choose(INT, limits_of(to), loc))

    # Calls in expressions

    def call(self, e: Call, names: Names) -> Term:
        name = e.func
        if name in self.functions:
            target, start = self.temporary(sort_of(e.type, e.loc)), len(self.code)
            args = self.arguments(e, names)
            self.code.append(kc.Invoke(target, name, args, at=self.at_call(e.loc)))
            self.pointer_obligations_last(start)
            return target
        values = [self.expr(a, names) for a in e.args]
        if name == "exact_div":
            a, b = values
            self.oblige(k.not_(k.eq(b, k.ZERO)), kc.Obligation.DIVISION, e.loc)
            self.oblige(k.eq(a, k.mul(b, k.fdiv(a, b))), kc.Obligation.EXACT_DIVISION, e.loc)
            return k.fdiv(a, b)
        if name in MATH and not chooses(name):
            self.finite_operands(e.args, values, e.loc)
        if name in MATH:
            self.oblige(defined(MATH[name].real_name, values), kc.Obligation.DOMAIN, e.loc)
        if name in MATH or name in ("min", "max", "abs") or index_helper(name):
            value = self.formulas.known_function(name, values, e.loc)
            return self.modulo(value, e.type, e.loc) if index_helper(name) and is_unsigned(e.type) else value
        raise unsupported(f"`{name}` cannot be checked", e.loc)

    def arguments(self, call: Call, names: Names) -> tuple[Term | kc.ArrayView, ...]:
        out: list[Term | kc.ArrayView] = []
        for a in call.args:
            if isinstance(a.type, Array):
                array = self.pointer(a, names)
                out.append(kc.ArrayView(array.base, array.lead, array.shift))
            else:
                value = self.expr(a, names)
                self.fits(value, a.type, a.loc)
                out.append(value)
        return tuple(out)

    def pointer_obligations_last(self, start: int) -> None:
        """Move the obligations of pointers passed to a call behind it: an access out of bounds is the better error message."""
        new = self.code[start:]
        pointers = [i for i in new if isinstance(i, kc.Oblige) and i.why is kc.Obligation.POINTER]
        self.code[start:] = [*(i for i in new if i not in pointers), *pointers]

    # Pointers

    def place(self, e: Expr, names: Names) -> kc.CellAddress:
        """The cell that an assignable expression names."""
        if isinstance(e, Var):
            entry = names.find(e.name)
            assert isinstance(entry, CellEntry)
            return kc.CellAddress(entry.base, ())
        assert isinstance(e, Index)
        array = self.pointer(e.base, names)
        return kc.CellAddress(array.base, array.full(tuple(self.expr(i, names) for i in e.indices)))

    def pointer(self, e: Expr, names: Names) -> ArrayEntry:
        match e:
            case Var(name):
                entry = names.find(name)
                if isinstance(entry, CellEntry):
                    return ArrayEntry(entry.base, (), k.ZERO, 0)
                assert isinstance(entry, ArrayEntry)
                return entry
            case Index(base, indices):
                array = self.pointer(base, names)
                at = self.at(e.loc)
                row = array.row(tuple(self.stable(self.expr(i, names), at) for i in indices))
                self.inside(row.base, row.lead, e.loc)
                return row
            case Addr(Index(base, indices)):
                array = self.pointer(base, names)
                at = self.at(e.loc)
                address = array.address(tuple(self.stable(self.expr(i, names), at) for i in indices))
                self.inside(address.base, address.lead, e.loc, address.shift)
                return address
            case Addr(arg):
                return self.pointer(arg, names)
            case _:
                raise unsupported("this pointer cannot be followed", e.loc)

    def inside(self, base: str, rows: tuple[Term, ...], loc: Loc, last: Term | None = None) -> None:
        """Oblige that a pointer stays in its array: C allows pointers to its elements and one past its last element, no others.

        `rows` are indices of rows that exist; `last` may be one past the end. Where a size is not known (first indices of
        distributed arrays, and of plain pointers whose contract names single cells), the index only has to fit 64 bits.
        """
        ends = [None if d is None else k.sub(d, k.ONE) for d in self.dims.get(base, ())]
        bounds = list(zip(rows, ends))
        if last is not None and len(rows) < len(ends):
            bounds.append((last, self.dims[base][len(rows)]))
        limits = (
            k.and_(k.le(k.ZERO, i), k.le(i, d)) if d is not None else within(i, limits_of(INT64)) for i, d in bounds
        )
        self.oblige(k.and_(*limits), kc.Obligation.POINTER, loc)
