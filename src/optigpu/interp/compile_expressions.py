"""Expressions compiled to closures.

Operands are evaluated from left to right; programs whose result depends on the order are rejected by the front end. `&&`, `||`
and `?:` evaluate only the operands they need. A signed integer that is stored, passed or returned has to fit its type (OG209);
an intermediate value may be any integer.
"""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.interp.heap import checked_pointer
from optigpu.interp.machine import Closure, Frame, FrameLayout, Machine
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import (
    REAL_OPERATIONS,
    RuntimeValue,
    convert,
    exact_divide,
    fit,
    rounded,
    wrap,
)
from optigpu.interp.operator_semantics import binary_operation, linear_index
from optigpu.interp.rounded_numbers import Number, extreme, is_open, is_open_as_integer
from optigpu.syntax.builtins import INT_CONSTANTS, MATH, index_helper
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
    Unary,
    Var,
    is_float,
)
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.operators import COMPARISONS
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar
from optigpu.syntax.walk import is_constant


class FrameScope:
    """The names visible at a place of a function: the slot of each in the frame, and whether it holds a memory cell."""

    def __init__(self, parent: FrameScope | None, slots: SlotCounter) -> None:
        self.names: FrameLayout = dict(parent.names) if parent else {}
        self.ended_device_names: set[str] = set(parent.ended_device_names) if parent else set()
        self.slots = slots

    def inner(self) -> FrameScope:
        """The scope of a nested body, which may shadow names of this one."""
        return FrameScope(self, self.slots)

    def constants_only(self) -> FrameScope:
        """The scope of a macro's value, in which no local name is visible."""
        return FrameScope(None, self.slots)

    def new(self, name: str, cell: bool) -> int:
        """Bind a name to a new slot; `cell`: the slot holds a view of the variable's memory cell."""
        slot = self.slots.take()
        self.names[name] = (slot, cell)
        self.ended_device_names.discard(name)
        return slot


class SlotCounter:
    """How many slots the frame of a function needs. Names in disjoint scopes do not share slots."""

    def __init__(self) -> None:
        self.taken = 0

    def take(self) -> int:
        self.taken += 1
        return self.taken - 1


class ExpressionCompiler:
    """Compiles expressions of a program that has these functions and macros."""

    def __init__(self, functions: frozenset[str], macros: Mapping[str, Expr]) -> None:
        self.functions = functions
        self.macros = macros

    def expr(self, e: Expr, scope: FrameScope) -> Closure:
        match e:
            case Int(value) | Bool(value):
                return constant(value)
            case Real(value):
                return constant(value.numerator if value.denominator == 1 else value)
            case SizeOf(of):
                return constant(of.size)
            case Var():
                return self.variable(e, scope)
            case Unary():
                return self.unary(e, scope)
            case Binary():
                return self.binary(e, scope)
            case Cond(test, then, other):
                t, a, b = self.expr(test, scope), self.expr(then, scope), self.expr(other, scope)
                return lambda m, f: a(m, f) if t(m, f) else b(m, f)
            case Cast(to, arg, implicit):
                inner, loc = self.expr(arg, scope), e.loc
                if to.kind is Kind.FLOAT and is_constant(arg) and scope.names.keys().isdisjoint(free_vars(arg)):
                    return lambda m, f: rounded(convert(inner(m, f), to, loc), to)
                if is_float(arg.type) and to.kind is not Kind.FLOAT:
                    return self.from_float(inner, e)
                return lambda m, f: convert(inner(m, f), to, loc, explicit=not implicit)
            case Index():
                return self.index(e, scope)
            case Addr(arg):
                return self.address(arg, scope)
            case Call():
                return self.call(e, scope)
            case _:
                raise CannotEvaluate("this is not a program expression", e.loc)

    def from_float(self, value: Closure, e: Cast) -> Closure:
        """A float as an integer or a truth value."""
        to, loc, explicit = e.to, e.loc, not e.implicit

        def converted(m: Machine, f: Frame) -> RuntimeValue:
            x = value(m, f)
            if is_open(x, 0) if to.kind is Kind.BOOL else is_open_as_integer(x):
                m.skipped.turned = loc
            return convert(x, to, loc, explicit=explicit)

        return converted

    def stored(self, e: Expr, scope: FrameScope) -> Closure:
        """An expression whose value is stored in a cell, passed or returned: an integer has to fit its type."""
        value, t, loc = self.expr(e, scope), e.type, e.loc
        if not isinstance(t, Scalar) or t.kind is not Kind.INT or not t.signed or isinstance(e, Cast | Index | Int):
            return value
        low, high = t.low, t.high

        def fitting(m: Machine, f: Frame) -> RuntimeValue:
            x = value(m, f)
            return x if low <= x <= high else fit(x, t, loc, "the value")

        return fitting

    def variable(self, e: Var, scope: FrameScope) -> Closure:
        binding = scope.names.get(e.name)
        if binding is None:
            if e.name in scope.ended_device_names:
                return fails("OG226", f"`{e.name}` is a variable of device code that is over", e.loc)
            if e.name in self.macros:
                return self.expr(self.macros[e.name], scope.constants_only())
            if e.name in INT_CONSTANTS:
                return constant(INT_CONSTANTS[e.name])
            return constant(float("inf"))  # INFINITY: the type checker lets no other name through
        slot, cell = binding
        loc = e.loc
        if cell:
            return lambda m, f: m.load(f[slot], (0,), loc)
        return lambda m, f: f[slot]

    def unary(self, e: Unary, scope: FrameScope) -> Closure:
        arg = self.expr(e.arg, scope)
        if e.op == "!":
            return lambda m, f: not arg(m, f)
        t = e.type
        if e.op == "~":  # -1 - x for a signed type, the greatest value minus x for an unsigned one
            assert isinstance(t, Scalar)
            all_bits = t.low + t.high
            return lambda m, f: all_bits - arg(m, f)
        if isinstance(t, Scalar) and t.kind is Kind.INT and not t.signed:
            return lambda m, f: wrap(-arg(m, f), t)
        return lambda m, f: -arg(m, f)

    def binary(self, e: Binary, scope: FrameScope) -> Closure:
        left, right = self.expr(e.left, scope), self.expr(e.right, scope)
        if e.op == "&&":
            return lambda m, f: left(m, f) and right(m, f)
        if e.op == "||":
            return lambda m, f: left(m, f) or right(m, f)
        operation, loc = binary_operation(e.op, e.left.type, e.type, e.loc), e.loc
        if e.op in COMPARISONS and is_float(e.left.type):

            def compared(m: Machine, f: Frame) -> bool:
                a, b = left(m, f), right(m, f)
                if is_open(a, b):
                    m.skipped.turned = loc
                return bool(operation(a, b))

            return compared
        return lambda m, f: operation(left(m, f), right(m, f))

    def index(self, e: Index, scope: FrameScope) -> Closure:
        base = self.expr(e.base, scope)
        indices = [self.expr(i, scope) for i in e.indices]
        loc = e.loc
        if isinstance(e.type, Array):
            return lambda m, f: checked_pointer(base(m, f).row(tuple([i(m, f) for i in indices])), loc)
        if len(indices) == 1:
            only = indices[0]
            return lambda m, f: m.load(base(m, f), (only(m, f),), loc)
        if len(indices) == 2:
            first, second = indices
            return lambda m, f: m.load(base(m, f), (first(m, f), second(m, f)), loc)
        return lambda m, f: m.load(base(m, f), tuple([i(m, f) for i in indices]), loc)

    def address(self, arg: Expr, scope: FrameScope) -> Closure:
        match arg:
            case Var(name) if name in scope.names:
                slot, _ = scope.names[name]
                return lambda m, f: f[slot]
            case Var():
                return self.variable(arg, scope)
            case Index(base, indices):
                b = self.expr(base, scope)
                codes = [self.expr(i, scope) for i in indices]
                return lambda m, f: checked_pointer(b(m, f).address(tuple([i(m, f) for i in codes])), arg.loc)
            case _:
                raise CannotEvaluate("the address of this cannot be taken", arg.loc)

    def call(self, e: Call, scope: FrameScope) -> Closure:
        loc, name = e.loc, e.func
        if name in self.functions:
            args = [self.stored(a, scope) for a in e.args]
            return lambda m, f: m.call(name, [a(m, f) for a in args], loc)
        args = [self.expr(a, scope) for a in e.args]
        if name in MATH:
            operation = REAL_OPERATIONS[MATH[name].real_name]
            return lambda m, f: operation(*[a(m, f) for a in args])
        if name in ("min", "max"):
            pick = min if name == "min" else max
            if is_float(e.type):
                return lambda m, f: extreme(pick, (args[0](m, f), args[1](m, f)))
            return lambda m, f: pick(args[0](m, f), args[1](m, f))
        if name == "abs":
            only = args[0]
            return lambda m, f: abs(only(m, f))
        if name == "exact_div":
            return lambda m, f: exact_divide(args[0](m, f), args[1](m, f), loc)
        helper = index_helper(name)
        if helper is not None:
            linear, t = linear_index(helper), e.type
            if isinstance(t, Scalar) and not t.signed:
                return lambda m, f: wrap(linear([a(m, f) for a in args]), t)
            return lambda m, f: linear([a(m, f) for a in args])
        raise CannotEvaluate(f"`{name}` cannot be run yet", loc)


def fails(code: str, message: str, loc: Loc) -> Closure:
    def run(m: Machine, f: Frame) -> None:
        raise Misbehaviour(code, message, loc)

    return run


def constant(value: Number) -> Closure:
    return lambda m, f: value
