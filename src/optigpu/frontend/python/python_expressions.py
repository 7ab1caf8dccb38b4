"""Translates expressions of Python to those of programs. What has another meaning in C, or none, is refused or written out."""

from __future__ import annotations

import ast
import math
from collections import Counter
from difflib import get_close_matches
from fractions import Fraction

from optigpu.frontend.implicit_conversions import describe_type, promoted, usual_conversion
from optigpu.frontend.python.python_refusals import refused
from optigpu.frontend.python.python_scopes import LocalName, LocalRole, PythonScopes
from optigpu.frontend.python.python_signature import (
    MISSING,
    CallableProgram,
    ForeignObject,
    ModuleNames,
    kind_name,
)
from optigpu.frontend.python.python_source import PythonFunction
from optigpu.frontend.python.python_values import (
    Value,
    bounds,
    computed_type,
    floor_division,
    joined_bounds,
    settled,
)
from optigpu.frontend.python.python_words import PYTHON_TYPES, ElementType, Size, Word
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import InputError, Label, input_error
from optigpu.syntax.exprs import (
    Array,
    Binary,
    Bool,
    Cond,
    Expr,
    Index,
    Int,
    Real,
    Unary,
    Var,
    is_bool,
    is_number,
)
from optigpu.syntax.source import Loc
from optigpu.syntax.types import BOOL, DOUBLE, FLOAT, INT, INT64, Pointer, Scalar

ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
WRAPPING = ("+", "-", "*", "<<")  # on unsigned types these are modulo a power of 2 in C


class ExpressionTranslator:
    """Translates the expressions of one function."""

    def __init__(self, source: PythonFunction, names: ModuleNames) -> None:
        self.source = source
        self.names = names
        self.scopes = PythonScopes()
        code = source.function.__code__
        self.locals = frozenset((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
        names_in_text = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name)]
        self.stores = Counter(n.id for n in names_in_text if isinstance(n.ctx, ast.Store))  # how often each is assigned

    def loc(self, node: ast.AST) -> Loc:
        return self.source.text.loc(node)

    def differs(self, message: str, node: ast.AST, help_: str | None, *labels: Label) -> InputError:
        """The error for what a program would compute otherwise than Python."""
        return input_error("OG017", message, self.loc(node), labels=labels, help=help_)

    # Names

    def object_of(self, node: ast.expr) -> object:
        """The object of the module, or of Python itself, that a name means; MISSING for a local name or none."""
        match node:
            case ast.Name(name) if name not in self.locals and self.scopes.find(name) is None:
                return self.names.find(name)
            case ast.Attribute(value, name):
                return self.names.attribute(self.object_of(value), name)
            case _:
                return MISSING

    def scalar_type(self, node: ast.expr) -> Scalar | None:
        """The type of numbers that an expression names: `og.f32`, `int`."""
        found = self.object_of(node)
        if isinstance(found, ElementType):
            return found.scalar
        return next((scalar for python_type, scalar in PYTHON_TYPES if found is python_type), None)

    def word(self, node: ast.expr) -> str | None:
        """The name of the word of `og` that an expression means."""
        found = self.object_of(node)
        return found.name if isinstance(found, Word) else None

    def name(self, node: ast.Name) -> Value:
        loc = self.loc(node)
        local = self.scopes.find(node.id)
        if local is not None:
            return Value(Var(node.id, loc=loc), local.type, low=local.low, high=local.high)
        if node.id in self.scopes.ended:
            raise self.ended_name(node, self.scopes.ended[node.id])
        found = self.object_of(node)
        match found:
            case bool():
                message = f"`{node.id}` is a truth value of the module"
                raise input_error("OG016", message, loc, help="a number, or True or False where it is used")
            case int() | float():
                return self.constant(node.id, found, loc)
            case Size():
                raise input_error("OG100", f"the size `{node.id}` is in no annotation of this function", loc)
            case CallableProgram() | Word():
                raise input_error("OG102", f"`{node.id}` is a function: call it", loc, help=f"{node.id}(…)")
            case ForeignObject(number=True):
                message = f"`{node.id}` is {kind_name(found)} of the module: programs use its `int` and `float` alone"
                raise input_error("OG016", message, loc, help=f"{node.id} = int({node.id}), or float({node.id})")
            case _ if found is not MISSING:
                message = f"`{node.id}` is {kind_name(found)} of the module: programs use its numbers alone"
                raise input_error("OG016", message, loc, help="make it a parameter")
            case _:
                near = get_close_matches(node.id, self.scopes.visible(), 1, cutoff=0.7)
                help_ = f"did you mean `{near[0]}`?" if near else None
                raise input_error("OG100", f"`{node.id}` is not declared", loc, help=help_)

    def ended_name(self, node: ast.Name, local: LocalName) -> InputError:
        name = node.id
        if local.role is LocalRole.INDEX:
            message, fix = f"`{name}` is the index of a loop that has ended", f"compute the last value of `{name}`"
        else:
            message = f"`{name}` was assigned in a block that has ended, which may not have run"
            fix = f"assign `{name}` before that block"
        return self.differs(message, node, fix, Label(local.loc, "assigned here"))

    def constant(self, name: str, value: int | float, loc: Loc) -> Value:
        """A number of the module. An integer keeps its name; a float does where it has the type that the name gets."""
        if isinstance(value, int):
            number = self.integer_literal(value, loc)
            self.names.constants[name] = value
            return replace(number, expr=Var(name, loc=loc))
        return Value(self.float_literal(value, loc), DOUBLE, weak=True)

    # Literals

    def literal(self, node: ast.Constant) -> Value:
        loc = self.loc(node)
        match node.value:
            case bool() as truth:
                return Value(Bool(truth, loc=loc), BOOL)
            case int() as number:
                return self.integer_literal(number, loc)
            case float() as number:
                return Value(self.float_literal(number, loc), DOUBLE, weak=True)
            case str():
                raise input_error("OG016", "a string has no meaning in a program", loc)
            case _:
                raise refused(node, loc)

    def integer_literal(self, number: int, loc: Loc) -> Value:
        if not INT64.low < number <= INT64.high:  # C has no literal of the least one
            raise input_error("OG006", "this integer does not fit 64 bits", loc)
        t = INT if INT.low <= number <= INT.high else INT64
        return Value(Int(number, loc=loc), t, low=number, high=number)

    def float_literal(self, number: float, loc: Loc) -> Expr:
        if math.isnan(number):
            raise input_error("OG016", "NaN is no number of a program", loc)
        if math.isinf(number):
            infinity = Var("INFINITY", loc=loc)
            return infinity if number > 0 else Unary("-", infinity, loc=loc)
        return Real(Fraction(number), DOUBLE, loc=loc)

    def settle(self, value: Value, to: Scalar) -> Value:
        """A weak float as a number of this type, or of that in which it is computed. Other values stay what they are."""
        to = computed_type(to)
        return Value(settled(value.expr, to), to) if value.weak else value

    def read(self, value: Value) -> Value:
        """A value that is used: a number of a type that is only stored is one of 32 bits."""
        return replace(value, type=computed_type(value.type)) if isinstance(value.type, Scalar) else value

    def strong(self, value: Value) -> Value:
        """A float that has no other type is one of 32 bits."""
        return self.settle(value, FLOAT)

    # Expressions

    def expr(self, node: ast.expr) -> Value:
        loc = self.loc(node)
        match node:
            case ast.Constant():
                return self.literal(node)
            case ast.Name():
                return self.read(self.name(node))
            case ast.Attribute():
                return self.attribute(node)
            case ast.BinOp(left, op, right):
                return self.binary(type(op), self.number(left), self.number(right), node)
            case ast.UnaryOp():
                return self.unary(node)
            case ast.BoolOp(op, values):
                sign = "&&" if isinstance(op, ast.And) else "||"
                return self.joined(sign, [self.condition(v) for v in values], loc)
            case ast.Compare():
                return self.comparison(node)
            case ast.IfExp(test, body, orelse):
                return self.choice(self.condition(test), self.expr(body), self.expr(orelse), node)
            case ast.Subscript():
                return self.read(self.element(node))
            case ast.Call():
                return self.read(self.call(node))
            case _:
                raise refused(node, loc)

    def number(self, node: ast.expr) -> Value:
        value = self.expr(node)
        if not is_number(value.type):
            fix = "1 if … else 0" if is_bool(value.type) else None
            raise input_error("OG102", f"this is {describe_type(value.type)}, not a number", self.loc(node), help=fix)
        return value

    def integer(self, node: ast.expr, why: str) -> Value:
        value = self.number(node)
        if not value.is_integer:
            message = f"{why} an integer, but this is {describe_type(self.strong(value).type)}"
            raise input_error("OG103", message, self.loc(node), help="// divides integers" if _divides(node) else None)
        return value

    def condition(self, node: ast.expr) -> Expr:
        """A truth value. Python also takes numbers and arrays for conditions."""
        value = self.expr(node)
        if not is_bool(value.type):
            message = f"a condition is a comparison, but this is {describe_type(self.strong(value).type)}"
            raise self.differs(message, node, "write `!= 0`")
        return value.expr

    def attribute(self, node: ast.Attribute) -> Value:
        found = self.object_of(node)
        if type(found) is float:
            return Value(self.float_literal(found, self.loc(node)), DOUBLE, weak=True)
        if found is MISSING:
            fix = "the names of the sizes in the annotation" if node.attr == "shape" else None
            raise input_error("OG100", f"`{ast.unparse(node)}` is no name of a program", self.loc(node), help=fix)
        raise refused(node, self.loc(node))

    def joined(self, sign: str, conditions: list[Expr], loc: Loc) -> Value:
        out = conditions[0]
        for c in conditions[1:]:
            out = Binary(sign, out, c, loc=loc)
        return Value(out, BOOL)

    def same_reals(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Two operands, with a type for a literal that stands beside a float."""
        if a.weak and not b.weak and b.is_real:
            return self.settle(a, b.scalar), b
        if b.weak and not a.weak and a.is_real:
            return a, self.settle(b, a.scalar)
        return a, b

    def binary(self, op: type[ast.operator], a: Value, b: Value, node: ast.AST) -> Value:
        loc = self.loc(node)
        if op not in ARITHMETIC:
            fix = "x * x, or og.pow(x, y)" if op is ast.Pow else None
            raise input_error("OG016", f"this operator has no meaning in a program ({op.__name__})", loc, help=fix)
        sign = ARITHMETIC[op]
        integers = a.is_integer and b.is_integer
        if sign == "/" and integers:
            raise self.differs(
                "in Python `/` of integers is a float", node, "a // b, or og.f32(a) / og.f32(b) for floats"
            )
        if sign in ("//", "%", "<<", ">>", "&", "|", "^") and not integers:
            fix = (
                "og.floor(a / b)" if sign == "//" else "og.fmod(a, b), which has the sign of a" if sign == "%" else None
            )
            raise input_error("OG102", f"`{sign}` takes integers here", loc, help=fix)
        if not integers:
            a, b = self.same_reals(a, b)
            weak = a.weak or b.weak  # then the other one is weak too, or an integer
            t = DOUBLE if weak else usual_conversion(a.scalar, b.scalar)
            return Value(Binary(sign, a.expr, b.expr, loc=loc), t, weak=weak)
        t = promoted(a.scalar) if sign in ("<<", ">>") else usual_conversion(a.scalar, b.scalar)
        if not t.signed and sign in WRAPPING:
            raise self.wraps(sign, t, node)
        if sign in ("//", "%"):
            return floor_division("/" if sign == "//" else "%", a, b, loc)
        low, high = bounds(sign, a, b)
        return Value(Binary(sign, a.expr, b.expr, loc=loc), t, low=low, high=high)

    def wraps(self, sign: str, t: Scalar, node: ast.AST) -> InputError:
        message = f"`{sign}` of `{t.name}` is modulo 2^{t.bits} in C"
        return self.differs(message, node, "og.i64(x) first; og.u32(…) of the result is modulo 2^32")

    def unary(self, node: ast.UnaryOp) -> Value:
        loc = self.loc(node)
        if isinstance(node.op, ast.Not):
            return Value(Unary("!", self.condition(node.operand), loc=loc), BOOL)
        arg = self.number(node.operand)
        if isinstance(node.op, ast.UAdd):
            return arg
        t = promoted(arg.scalar) if arg.is_integer else arg.scalar
        if arg.is_integer and not t.signed:
            raise self.wraps("-" if isinstance(node.op, ast.USub) else "~", t, node)
        if isinstance(node.op, ast.Invert):
            if not arg.is_integer:
                raise input_error("OG102", "`~` takes an integer", loc)
            return Value(Unary("~", arg.expr, loc=loc), t)
        low, high = (None if b is None else -b for b in (arg.high, arg.least))
        match arg.expr:
            case Int(value) if value > 0:
                return self.integer_literal(-value, loc)
            case Real(value) if value > 0:
                return replace(arg, expr=replace(arg.expr, value=-value, loc=loc))
            case _:
                return Value(Unary("-", arg.expr, loc=loc), t, weak=arg.weak, low=low, high=high)

    def comparison(self, node: ast.Compare) -> Value:
        """`a < b < c` is `a < b && b < c`: b has no effects, so it does not matter how often it is computed."""
        operands = [self.expr(x) for x in (node.left, *node.comparators)]
        parts: list[Expr] = []
        for op, a, b in zip(node.ops, operands, operands[1:]):
            if type(op) not in COMPARISONS:
                message = f"`{ast.unparse(node)}` has no meaning in a program"
                raise input_error("OG016", message, self.loc(node), help="== for numbers")
            sign = COMPARISONS[type(op)]
            truths = is_bool(a.type) and is_bool(b.type) and sign in ("==", "!=")
            if not truths and not (is_number(a.type) and is_number(b.type)):
                raise input_error("OG102", f"`{sign}` compares numbers", self.loc(node))
            a, b = (self.settle(x, DOUBLE) for x in self.same_reals(a, b))  # Python compares such literals as doubles
            parts.append(Binary(sign, a.expr, b.expr, loc=self.loc(node)))
        return self.joined("&&", parts, self.loc(node))

    def choice(self, test: Expr, a: Value, b: Value, node: ast.AST) -> Value:
        a, b = self.same_reals(a, b)
        if is_bool(a.type) != is_bool(b.type) or not isinstance(a.type, Scalar) or not isinstance(b.type, Scalar):
            raise self.differs("both values of `… if … else …` have one type", node, None)
        if a.is_integer != b.is_integer and not (a.weak or b.weak):
            message = f"this is {describe_type(a.type)} or {describe_type(b.type)}"
            raise self.differs(message, node, "make both floats: og.f32(…)")
        weak = a.weak or b.weak
        t = BOOL if is_bool(a.type) else DOUBLE if weak else usual_conversion(a.scalar, b.scalar)
        if not weak and a.is_integer and not t.signed and a.scalar.signed != b.scalar.signed:
            raise self.wraps("if", t, node)
        low, high = joined_bounds(a, b)
        return Value(Cond(test, a.expr, b.expr, loc=self.loc(node)), t, weak=weak, low=low, high=high)

    # Elements of arrays

    def element(self, node: ast.Subscript) -> Value:
        """`a[i, j]` or `a[i][j]`; with fewer indices a row."""
        base: ast.expr = node
        indices: list[ast.expr] = []
        while isinstance(base, ast.Subscript):
            inner = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
            indices = [*inner, *indices]
            base = base.value
        array = self.expr(base)
        loc = self.loc(node)
        if isinstance(array.type, Scalar):
            raise input_error("OG106", f"this is not an array but {describe_type(array.type)}", self.loc(base))
        values = tuple(self.index(i) for i in indices)
        elem = array.type.elem
        if isinstance(array.type, Pointer) or len(values) == len(array.type.dims):
            return Value(Index(array.expr, values, loc=loc), elem)
        if len(values) > len(array.type.dims):
            raise input_error("OG106", f"{len(values)} indices for {describe_type(array.type)}", loc)
        return Value(Index(array.expr, values, loc=loc), Array(elem, array.type.dims[len(values) :]))

    def index(self, node: ast.expr) -> Expr:
        value = self.integer(node, "an index is")
        if value.high is not None and value.high < 0:
            message = "Python counts a negative index from the end of the array, C does not"
            raise self.differs(message, node, "a[n - 1] is the last element")
        return value.expr

    def call(self, node: ast.Call) -> Value:
        raise NotImplementedError  # of `CallTranslator`


def _divides(node: ast.expr) -> bool:
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in ast.walk(node))
