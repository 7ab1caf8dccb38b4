"""Translates calls in expressions: functions on numbers, conversions, other programs."""

from __future__ import annotations

import ast
from types import FunctionType

from optigpu.frontend.implicit_conversions import promoted, usual_conversion
from optigpu.frontend.python.genuine_objects import ABS, FLOATING, INTEGER, LEN, MAX, MIN, math_function
from optigpu.frontend.python.python_expressions import ExpressionTranslator
from optigpu.frontend.python.python_signature import (
    CallableProgram,
)
from optigpu.frontend.python.python_values import Value, bounds, joined_bounds
from optigpu.frontend.python.python_words import INTEGER_WORDS, REAL_WORDS, ElementType, Word
from optigpu.syntax.builtins import MATH
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import (
    Binary,
    Call,
    Cast,
)
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.types import DOUBLE, FLOAT, INT, Kind, Scalar

ARRAY_LIBRARIES = "numpy", "torch", "cupy", "jax"


class CallTranslator(ExpressionTranslator):
    """Reads calls, by the object that is called."""

    def call(self, node: ast.Call) -> Value:
        found = self.object_of(node.func)
        match found:
            case CallableProgram():
                return self.program_call(found, node)
            case ElementType():
                return self.conversion(self.only_argument(node), found.scalar, node)
            case Word(name=name) if name in REAL_WORDS:
                return self.real_call(name, self.arguments(node), node)
            case Word(name=name) if name in INTEGER_WORDS:
                return self.integer_call(name, node)
            case Word():
                raise input_error("OG008", f"`{found}` cannot stand inside an expression", self.loc(node))
            case _ if found is MIN or found is MAX:
                return self.extremum("min" if found is MIN else "max", self.arguments(node), node)
            case _ if found is ABS:
                return self.absolute(self.only_argument(node), node)
            case _ if found is INTEGER:
                value = self.only_argument(node)
                if value.is_real:
                    message = "in Python this integer may be of any size, also where the float fits no type of integers"
                    raise self.differs(message, node, f"og.i32({ast.unparse(node.args[0])})")
                return self.conversion(value, INT, node)
            case _ if found is FLOATING:
                return self.conversion(self.only_argument(node), DOUBLE, node)
            case _ if (function := math_function(found)) is not None:
                args = [self.settle(a, DOUBLE) for a in self.arguments(node)]
                return self.math_call(function, args, DOUBLE, node)
            case _:
                message = f"`{ast.unparse(node.func)}` is no function of a program"
                raise input_error("OG016", message, self.loc(node.func), help=instead_of(found))

    def program_call(self, program: CallableProgram, node: ast.Call) -> Value:
        raise NotImplementedError  # of statements, which know the arrays

    def arguments(self, node: ast.Call) -> list[Value]:
        if node.keywords:
            raise input_error("OG104", "this function takes no keywords", self.loc(node.keywords[0].value))
        return [self.number(a) for a in node.args]

    def only_argument(self, node: ast.Call) -> Value:
        args = self.arguments(node)
        if len(args) != 1:
            message = f"`{ast.unparse(node.func)}` takes 1 argument, not {len(args)}"
            raise input_error("OG104", message, self.loc(node))
        return args[0]

    def conversion(self, value: Value, to: Scalar, node: ast.AST) -> Value:
        """`og.f32(x)` and the like: casts of C. A literal becomes one of that type."""
        loc = self.loc(node)
        if to.kind is Kind.BOOL:
            raise input_error("OG016", "a number is no truth value", loc, help="x != 0")
        if is_stored_float(to):
            return Value(Cast(to, self.strong(value).expr, loc=loc), to)
        if value.weak and to.kind is Kind.FLOAT:
            return self.settle(value, to)
        value = self.settle(value, DOUBLE)  # as Python has it; 32 bits may have another whole part
        if value.type == to:
            return value
        low, high = (
            (value.least, value.high) if value.is_integer and to.kind is Kind.INT and to.signed else (None, None)
        )
        return Value(Cast(to, value.expr, loc=loc), to, low=low, high=high)

    def real_call(self, name: str, args: list[Value], node: ast.Call) -> Value:
        reals = [a.scalar for a in args if a.is_real and not a.weak]
        if not reals:
            return self.math_call(name, args, DOUBLE, node, weak=True)
        t = DOUBLE if DOUBLE in reals else FLOAT
        return self.math_call(name if t == DOUBLE else name + "f", [self.settle(a, t) for a in args], t, node)

    def math_call(self, name: str, args: list[Value], t: Scalar, node: ast.Call, *, weak: bool = False) -> Value:
        if len(args) != MATH[name].arity:
            message = f"`{ast.unparse(node.func)}` takes {MATH[name].arity} arguments, not {len(args)}"
            raise input_error("OG104", message, self.loc(node))
        return Value(Call(name, tuple(a.expr for a in args), loc=self.loc(node)), t, weak=weak)

    def integer_call(self, name: str, node: ast.Call) -> Value:
        """`exact_div(a, b)`; `quotient` and `remainder` are the division of C, which rounds towards zero."""
        args = [self.integer(a, "this argument is") for a in node.args]
        if len(args) != 2 or node.keywords:
            raise input_error("OG104", f"`og.{name}` takes 2 arguments", self.loc(node))
        a, b = args
        t = usual_conversion(a.scalar, b.scalar)
        op = "%" if name == "remainder" else "/"
        low, high = bounds(op, a, b) if a.least is not None and a.least >= 0 else (None, None)
        loc = self.loc(node)
        made = Call(name, (a.expr, b.expr), loc=loc) if name == "exact_div" else Binary(op, a.expr, b.expr, loc=loc)
        return Value(made, t, low=low, high=high)

    def extremum(self, name: str, args: list[Value], node: ast.Call) -> Value:
        """`min` and `max` of numbers. Of floats they are `fminf` and `fmaxf`: those of C's `min` are integers."""
        if len(args) < 2:
            raise input_error("OG016", f"`{name}` takes numbers one by one", self.loc(node), help=f"{name}(a, b)")
        best = args[0]
        for x in args[1:]:
            if best.is_real or x.is_real:
                best = self.real_call(f"f{name}", [best, x], node)
                continue
            t = usual_conversion(best.scalar, x.scalar)
            if best.scalar.signed != x.scalar.signed and not t.signed:
                raise self.wraps(name, t, node)
            low, high = joined_bounds(best, x)
            known = [v.least for v in (best, x) if v.least is not None]
            low = max(known, default=None) if name == "max" else low
            best = Value(Call(name, (best.expr, x.expr), loc=self.loc(node)), t, low=low, high=high)
        return best

    def absolute(self, x: Value, node: ast.Call) -> Value:
        if x.is_real:
            return self.real_call("fabs", [x], node)
        t = promoted(x.scalar)
        return x if not t.signed else Value(Call("abs", (x.expr,), loc=self.loc(node)), t, low=0)


def instead_of(found: object) -> str:
    """What to write in place of a call of something that is no function of a program."""
    if found is LEN:
        return "the name of the size in the annotation"
    if isinstance(found, FunctionType) and not found.__module__.startswith(ARRAY_LIBRARIES):
        return "decorate it with @og.program"
    return "a loop over the elements; for numbers og.sqrt, og.exp, …"
