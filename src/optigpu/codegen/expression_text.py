"""Expressions as C and CUDA C++ text, each integer computed in a width that holds its value.

A syntax node denotes a mathematical operation (`integer_polynomials.py`) or a cast modulo 2^bits (`wrapping.py`). The machine
type is the type that C gives the text: where a value may not fit it, operands are cast so that C computes in 64 bits.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from optigpu.codegen.conversions import host_conversion, stored_float_conversion
from optigpu.codegen.integer_polynomials import expand_index_helper, keeps_value
from optigpu.codegen.integer_types import (
    INT128,
    common_type,
    computed_bits,
    contains,
    counts_in,
    is_ring,
    is_signed,
    promoted,
    without_implicit,
)
from optigpu.codegen.value_ranges import Ranges
from optigpu.frontend.implicit_conversions import cast
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import FAST_MATH, MATH, index_helper
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import (
    Alloc,
    Array,
    Binary,
    Call,
    Cast,
    Cond,
    Expr,
    Index,
    Int,
    Real,
    Type,
    Unary,
    Var,
    is_float,
    is_int,
)
from optigpu.syntax.float_formats import FORMATS, is_stored_float
from optigpu.syntax.operators import (
    BITWISE,
    COMPARISONS,
    CONDITIONAL_PRECEDENCE,
    POSTFIX_PRECEDENCE,
    UNARY_PRECEDENCE,
    WRAPPING,
    precedence,
)
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.printer import ExprPrinter, prefixed, print_expr
from optigpu.syntax.program import For, Store
from optigpu.syntax.types import BOOL, INT, INT64, UINT, UINT64, Kind, Scalar, Space

SHIFTS = ("<<", ">>")


class CExprs(ExprPrinter):
    knows_rsqrt = False  # C's library has no rsqrt
    knows_fast_math = False  # nor __expf and the like
    wide_name, unsigned_wide_name = INT64.name, UINT64.name

    def __init__(self, ranges: Ranges | None = None) -> None:
        self.flat_params: dict[str, tuple[bool, ...]] = {}  # of functions: which of them are flat pointers to matrices
        self.tracked = False  # whether emitted code keeps a list of allocations (host_memory.py)
        self.ranges = ranges or Ranges()
        self.types: dict[str, Scalar] = {}  # C types of names, where they differ from the program's
        self.known: tuple[Expr, Scalar] | None = None  # an expression whose value is proved to fit this type
        self.last_resort = True  # whether to assume products, or to use 128 bits, where 64 bits may not do

    def text(self, e: Expr) -> tuple[str, int]:
        match e:
            case Int(value) if value == INT64.low:
                return f"({value + 1}LL - 1)", POSTFIX_PRECEDENCE
            case Int(value, None) if not INT.low <= value <= INT.high:
                return f"{value}LL", POSTFIX_PRECEDENCE if value >= 0 else UNARY_PRECEDENCE
            case Unary() | Binary() if self.is_modular(e):
                return f"({self.name(INT64)})({self.ring(e, UINT64)[0]})", UNARY_PRECEDENCE
            case Unary("-", arg) if is_int(e.type) and (wider := self.wider(e, self.machine_type(arg))):
                return f"-{self.widened(arg, wider)}", UNARY_PRECEDENCE
            case Unary("~", arg) if self.machine_type(e) != self.machine_type(arg):
                return f"~{self.widened(arg, self.machine_type(e))}", UNARY_PRECEDENCE
            case Cond(test, a, b) if is_int(e.type):
                known = self.known[1] if self.known is not None and self.known[0] is e else None
                condition = self.show(test, CONDITIONAL_PRECEDENCE + 1)
                then, other = (self.operand(x, CONDITIONAL_PRECEDENCE, is_signed(e), known) for x in (a, b))
                return f"{condition} ? {then} : {other}", CONDITIONAL_PRECEDENCE
            case _:
                return super().text(e)

    # Stored values, which are proved to fit the type of their place

    def stored(self, e: Expr, t: Type | None, least: int | None = None) -> str:
        """The text of a value that is stored into a place of this type."""
        while isinstance(e, Cast) and e.implicit and is_int(e.type) and is_int(e.arg.type):
            t, e = e.to, e.arg
        show = self.show if least is None else lambda x: self.show(x, least)
        if not isinstance(t, Scalar) or not is_int(t) or not is_int(e.type):
            return show(e)
        before, self.known, resort = self.known, (e, t), self.last_resort
        try:
            self.last_resort = resort and not is_ring(e)
            return show(e)
        except InputError:
            if not is_ring(e):
                raise
            self.last_resort = resort
            text, _ = self.ring(e, UINT64)  # parts may overflow, but the result modulo 2^64 is right
            return f"({self.name(t)})({text})"
        finally:
            self.known, self.last_resort = before, resort

    # Integers

    def binary(self, e: Binary) -> tuple[str, int]:
        level = precedence(e.op)
        least = POSTFIX_PRECEDENCE if confusing(e.op, e.left) else level
        most = POSTFIX_PRECEDENCE if confusing(e.op, e.right) else level + 1
        assert e.left.type is not None and e.right.type is not None, "its width would not be known"
        if not (is_int(e.left.type) and is_int(e.right.type)):
            return f"{self.show(e.left, least)} {e.op} {self.show(e.right, most)}", level
        left, right = self.operand(e.left, least), self.operand(e.right, most)
        if self.may_overflow_remainder(e):
            divisor = self.show(e.right, precedence("==") + 1)
            return f"{divisor} == -1 ? 0 : {left} % {right}", CONDITIONAL_PRECEDENCE
        wider = self.wider(e, self.operation_type(e))
        if wider is not None:
            left = self.widened(e.left, wider)
            if e.op not in SHIFTS and common_type(wider, self.operand_type(e.right)) != wider:
                right = self.widened(e.right, wider)
        return f"{left} {e.op} {right}", level

    def may_overflow_remainder(self, e: Binary) -> bool:
        """Whether `a % b` may be INT64_MIN % -1, which is undefined in C: the quotient overflows."""
        if e.op != "%" or self.operation_type(e) != INT64:
            return False
        return not self.ranges.fits(Binary("/", e.left, e.right, type=e.type), INT64)

    def operand(self, e: Expr, least: int, signed: bool = False, known: Scalar | None = None) -> str:
        """An operand. A signed value whose text has an unsigned C type is cast, so that C does not convert the other operand."""
        if self.operand_type(e, signed) != self.machine_type(e):
            return self.widened(e)
        return self.show(e, least) if known is None else self.stored(e, known, least)

    def name(self, t: Scalar) -> str:
        return t.name if t.bits != INT64.bits else self.wide_name if t.signed else self.unsigned_wide_name

    def widened(self, e: Expr, t: Scalar = INT64) -> str:
        return f"({self.name(t)}){self.show(e, UNARY_PRECEDENCE)}"

    def wider(self, e: Expr, t: Scalar) -> Scalar | None:
        """The 64-bit type to compute an operation in if it may overflow in type t; None if it cannot."""
        match e:
            case Binary("+" | "-" | "*" | "/" | "<<") | Unary("-"):
                value: Expr = e
            case Binary("%", a, b):
                if t in (INT64, INT128):
                    return None
                value = Binary("/", a, b, type=e.type)  # C computes the remainder by the quotient
            case Binary(">>"):
                return None if self.ranges.greatest_shift(e) < t.bits else INT64 if t.signed else UINT64
            case Binary(op, a, b) if op in COMPARISONS:
                if t.signed or all(self.ranges.fits(x, t) for x in (a, b) if is_signed(x)):
                    return None
                return self.holding(e, t, a, b)
            case _:
                return None
        if isinstance(e, Binary) and e.op == "<<" and self.ranges.greatest_shift(e) >= t.bits:
            return self.holding(e, t, value, e.left)
        if self.ranges.fits(value, t):
            return None
        if self.known is not None and self.known[0] is value and contains(t, self.known[1]):
            return None
        if e.type == UINT64:  # no wrap was inserted, so the value is known to fit
            return None if t == UINT64 else UINT64
        parts = (e.arg,) if isinstance(e, Unary) else (e.left,) if e.op in SHIFTS else (e.left, e.right)
        return self.holding(e, t, value, *parts)

    def holding(self, e: Expr, t: Scalar, *values: Expr) -> Scalar:
        """A type of 64 bits, or more as a last resort, other than t, that holds these values."""
        for wide in (INT64, UINT64):
            if wide != t and all(self.has(wide, v) for v in values):
                return wide
        if self.last_resort and self.ranges.assume_products(partial(self.all_fit, values)):
            return INT64
        if self.last_resort and t != INT128 and all(self.has(INT128, v) for v in values):
            return INT128
        raise beyond_64_bits(f"`{print_expr(e)}` may not fit 64 bits", e)

    def all_fit(self, values: tuple[Expr, ...], ranges: Ranges) -> bool:
        """Whether these values fit 64 bits in some ranges."""
        before, self.ranges = self.ranges, ranges.unassumed if ranges.watched is None else replace(ranges, assumed=None)
        try:
            return all(self.has(INT64, v) for v in values)
        finally:
            self.ranges = before

    def has(self, t: Scalar, e: Expr) -> bool:
        known = self.known is not None and self.known[0] is e and contains(t, self.known[1])
        return known or self.ranges.fits(e, t)

    def operation_type(self, e: Binary) -> Scalar:
        left = self.operand_type(e.left)
        return left if e.op in SHIFTS else common_type(left, self.operand_type(e.right))

    def operand_type(self, e: Expr, signed: bool = False) -> Scalar:
        t = self.machine_type(e)
        if t.signed or not (signed or is_signed(e)):
            return t
        return INT64 if t.bits < INT64.bits or self.ranges.fits(e, INT64) else t

    def machine_type(self, e: Expr) -> Scalar:
        """The C type of an integer expression's text, after promotion: 32 or 64 bits, or 128 as a last resort."""
        match e:
            case Int(value, literal_type):
                return promoted(literal_type or (INT if INT.low <= value <= INT.high else INT64))
            case Var(name) if name in self.types:
                return promoted(self.types[name])
            case Cast(_, arg, True):
                return (
                    self.machine_type(arg) if is_int(arg.type) else INT
                )  # a truth value; floats have explicit conversions
            case Unary() | Binary() if self.is_modular(e):
                return INT64
            case Binary() if is_int(e.type):
                t = self.operation_type(e)
                return self.wider(e, t) or t
            case Unary("~", arg):
                if not is_signed(e):
                    return promoted(e.type)
                t = self.operand_type(arg, True)
                return t if t.signed else self.holding(e, t, e, arg)
            case Unary(_, arg) if is_int(e.type):
                t = self.machine_type(arg)
                return self.wider(e, t) or t
            case Cond(_, a, b) | Call("min" | "max", (a, b)):
                t = common_type(self.operand_type(a, is_signed(e)), self.operand_type(b, is_signed(e)))
                negative = is_signed(e) and min(self.ranges.interval(x)[0] for x in (a, b)) < 0
                return t if t.signed or not negative else self.holding(e, t, a, b)
            case Call("abs", (a,)):
                t = self.operand_type(a)
                if not t.signed or self.has(t, e):
                    return t
                return self.holding(e, t, e)
            case Call("exact_div", (a, b)):
                return self.machine_type(Binary("/", a, b, type=e.type))
            case Call(name) if (helper := index_helper(name)) is not None:
                return self.machine_type(expand_index_helper(e, helper))
            case _:
                return promoted(e.type)

    def wide(self, e: Expr) -> bool:
        """Whether the text of an integer expression has a 64-bit type in C."""
        return is_int(e.type) and self.machine_type(e).bits >= INT64.bits

    def number_type(self, t: Scalar) -> str:
        return FORMATS[t].in_c if t in FORMATS else t.name

    def cast(self, e: Cast) -> tuple[str, int]:
        if is_stored_float(e.to) or is_stored_float(e.arg.type):
            assert isinstance(e.arg.type, Scalar)
            function = self.stored_conversion(e.arg.type, e.to)
            return (f"{function}({self.show(e.arg)})", POSTFIX_PRECEDENCE) if function else self.text(e.arg)
        if is_int(e.to) and is_float(e.arg.type):
            assert isinstance(e.arg.type, Scalar)
            return f"{self.conversion(e.arg.type, e.to)}({self.show(e.arg)})", UNARY_PRECEDENCE
        if e.implicit or not (is_int(e.to) and is_int(e.arg.type)):
            return super().cast(e)
        if not keeps_value(e):
            return self.modulo(e)
        return f"({e.to.name}){self.stored(e.arg, e.to, UNARY_PRECEDENCE)}", UNARY_PRECEDENCE

    def conversion(self, have: Scalar, to: Scalar) -> str:
        """The function that converts a float to an integer."""
        return host_conversion(to)

    def stored_conversion(self, have: Scalar, to: Scalar) -> str:
        """The function that converts between `float` and a type of numbers that are only stored; "" if they have the same bits."""
        return stored_float_conversion(have, to)

    # Arithmetic modulo 2^bits

    def is_modular(self, e: Unary | Binary) -> bool:
        """Whether a sum or product fits 64 bits though its operands may not: computed modulo 2^64, its value is right."""
        if not is_ring(e) or not is_signed(e):
            return False
        parts = (e.arg,) if isinstance(e, Unary) else (e.left, e.right)
        wide = (INT64, UINT64)
        return not all(any(self.has(t, x) for t in wide) for x in parts) and self.ranges.fits(e, INT64)

    def modulo(self, e: Cast) -> tuple[str, int]:
        """A cast to an unsigned type. Sums and products that may overflow are computed unsigned, where C wraps around."""
        inner = without_implicit(e.arg)
        if not is_ring(inner) or self.is_plain(inner, replace(self.ranges, assumed=None)):
            return f"({e.to.name}){self.show(e.arg, UNARY_PRECEDENCE)}", UNARY_PRECEDENCE
        t = UINT64 if INT64.bits in (e.to.bits, computed_bits(inner)) else UINT
        text, level = self.ring(inner, t)
        return (text, level) if e.to == t else (f"({e.to.name})({text})", UNARY_PRECEDENCE)

    def is_plain(self, e: Expr, ranges: Ranges) -> bool:
        """Whether C computes the expression without overflow in its machine type."""
        e = without_implicit(e)
        match e:
            case Binary(op, a, b) if op in WRAPPING:
                plain = self.is_plain(a, ranges) and self.is_plain(b, ranges)
                return plain and ranges.fits(e, self.operation_type(e))
            case Unary("-", a):
                return self.is_plain(a, ranges) and ranges.fits(e, self.machine_type(a))
            case _:
                return True

    def ring(self, e: Expr, t: Scalar) -> tuple[str, int]:
        """The text of an operation computed modulo 2^bits in the unsigned type t."""
        e = without_implicit(e)
        if isinstance(e, Unary):
            return prefixed("-", self.ring_operand(e.arg, t, UNARY_PRECEDENCE)), UNARY_PRECEDENCE
        assert isinstance(e, Binary)
        level = precedence(e.op)
        if e.op in SHIFTS:
            return f"{self.ring_operand(e.left, t, level)} {e.op} {self.show(e.right, level + 1)}", level
        types = [self.exact_type(x) for x in (e.left, e.right)]
        if None not in types and common_type(*(x for x in types if x is not None)) == t:
            return f"{self.show(e.left, level)} {e.op} {self.show(e.right, level + 1)}", level
        right_fits = types[1] is not None and common_type(t, types[1]) == t
        right = self.show(e.right, level + 1) if right_fits else self.ring_operand(e.right, t, level + 1)
        return f"{self.ring_operand(e.left, t, level)} {e.op} {right}", level

    def ring_operand(self, e: Expr, t: Scalar, least: int) -> str:
        exact = self.exact_type(e)
        if exact is None:
            text, level = self.ring(e, t)
            return text if level >= least else f"({text})"
        return self.show(e, least) if exact == t else self.widened(e, t)

    def exact_type(self, e: Expr) -> Scalar | None:
        """The machine type of an expression; None for a sum or product that may not fit 64 bits."""
        if not is_ring(without_implicit(e)):
            return self.machine_type(e)
        resort, self.last_resort = self.last_resort, False
        try:
            return self.machine_type(e)
        except InputError:
            return None
        finally:
            self.last_resort = resort

    # Declarations

    def constant_type(self, t: Scalar, init: Expr) -> Scalar:
        """The type of a constant: the declared one if its value is known to fit, else a 64-bit type."""
        if not is_int(t) or self.ranges.fits(init, t):
            return t
        return self.holding(init, t, init)

    def index_type(self, s: For) -> Scalar:
        """The type of a loop index: the declared one, or a 64-bit type if the last increment may overflow it. Inside the loop the
        index is proved to fit."""
        for t in (s.index_type, INT64, UINT64):
            if t.bits >= s.index_type.bits and self.ranges.decide((s.range, t), partial(counts_in, s, t)):
                return t
        raise beyond_64_bits(f"`{s.index}` may not fit 64 bits when this loop ends", s)

    def loop_head(self, s: For) -> str:
        """`int i = 0; i < n`, the loop head without its step; records the type of the index."""
        r, t = s.range, self.index_type(s)
        start = self.stored(r.start, s.index_type) if isinstance(r.start, Cast) else self.show(r.start)
        lowest, highest = self.ranges.interval(r.start)
        self.types[s.index] = t
        outside = self.ranges.without(s.index)
        low = constant_polynomial(lowest) if r.relation.startswith("<") else constant_polynomial(t.low)
        high = constant_polynomial(highest) if r.relation.startswith(">") else constant_polynomial(t.high)
        self.ranges = outside.having(s.index, low, high)
        test = self.show(Binary(r.relation, Var(s.index, type=s.index_type), r.bound, type=BOOL))
        self.ranges = outside
        name = t.name if t == s.index_type else self.name(t)
        return f"{name} {s.index} = {start}; {test}"

    def index(self, e: Index) -> tuple[str, int]:
        base = self.show(e.base, POSTFIX_PRECEDENCE)
        return base + "".join(f"[{self.subscript(i)}]" for i in e.indices), POSTFIX_PRECEDENCE

    def subscript(self, i: Expr, least: int | None = None) -> str:
        """An index of an access, which is in bounds: so it fits 64 bits, whatever its parts need."""
        if self.is_beyond(i):
            return f"({self.name(INT64)})({self.stored(i, INT64)})"
        return self.stored(i, INT64, least)

    def is_beyond(self, e: Expr) -> bool:
        """Whether the text of an expression that fits 64 bits has more."""
        before, self.known = self.known, (e, INT64)
        try:
            return not is_ring(e) and self.machine_type(e) == INT128
        finally:
            self.known = before

    # Calls

    def call(self, e: Call) -> tuple[str, int]:
        match e.func:
            case "exact_div":
                return self.text(Binary("/", e.args[0], e.args[1], type=e.type))
            case "min" | "max" | "abs":
                return self.numeric(e)
            case "rsqrt" | "rsqrtf" if not self.knows_rsqrt:
                root = Call(e.func[1:], e.args, type=e.type)
                return self.text(Binary("/", Real(Fraction(1), MATH[e.func].type, type=e.type), root, type=e.type))
            case name if name in FAST_MATH and not self.knows_fast_math:
                return self.call(Call(FAST_MATH[name], e.args, type=e.type))
            case _:
                pass
        helper = index_helper(e.func)
        if helper is not None:
            return self.text(expand_index_helper(e, helper))
        flat = self.flat_params.get(e.func)
        args = [self.stored(a, a.type) for a in e.args]
        if e.func == "free" and self.tracked:
            return f"optigpu_free({args[0]})", POSTFIX_PRECEDENCE
        if flat is not None:
            args = [
                f"({self.number_type(a.type.elem)}*){self.show(a, UNARY_PRECEDENCE)}"
                if is_flat and isinstance(a.type, Array)
                else text
                for a, text, is_flat in zip(e.args, args, flat)
            ]
        return f"{e.func}({', '.join(args)})", POSTFIX_PRECEDENCE

    def numeric(self, e: Call) -> tuple[str, int]:
        t = e.type
        assert isinstance(t, Scalar)
        if t.kind is Kind.FLOAT:
            name = {"min": "fmin", "max": "fmax", "abs": "fabs"}[e.func] + ("f" if t.bits == 32 else "")
            return f"{name}({', '.join(self.show(a) for a in e.args)})", POSTFIX_PRECEDENCE
        if e.func == "abs":
            (a,) = e.args
            t = self.machine_type(e)
            if t == UINT64 and self.operand_type(a).signed:  # the argument may be INT64_MIN
                text = self.show(a, UNARY_PRECEDENCE)
                return f"({text} < 0 ? -({self.name(t)}){text} : ({self.name(t)}){text})", POSTFIX_PRECEDENCE
            text = f"({self.widened(a, t)})" if t != self.machine_type(a) else self.show(a, POSTFIX_PRECEDENCE)
            return f"({text} < 0 ? -{text} : {text})", POSTFIX_PRECEDENCE
        x, y = self.alike(e)
        return f"({x} {'<' if e.func == 'min' else '>'} {y} ? {x} : {y})", POSTFIX_PRECEDENCE

    def alike(self, e: Call) -> tuple[str, str]:
        """The operands of min or max, cast to the machine type of the result."""
        t = self.machine_type(e)
        wide = t.bits >= INT64.bits and not all(isinstance(a, Var | Index) and a.type == t for a in e.args)
        x, y = (
            self.widened(arg, t) if wide or self.machine_type(arg) != t else self.show(arg, precedence("<") + 1)
            for arg in e.args
        )
        return x, y

    def alloc(self, e: Alloc) -> str:
        if e.space is not Space.ANY:
            raise input_error("OG500", "GPU memory has no counterpart in plain C", e.loc)
        return f"OPTIGPU_MALLOC({', '.join([self.number_type(e.elem), *map(self.show, e.dims)])})"


def beyond_64_bits(message: str, at: Expr | For) -> InputError:
    return input_error(
        "OG404", message, at.loc, help='bound its parts in the contract: __requires("a * b * c <= 1000000000000")'
    )


def spelled_out(exprs: CExprs, s: Store) -> tuple[str | None, Expr] | None:
    """A compound assignment as a plain one, where C would compute another value: `s /= u` with signed s and unsigned u is
    unsigned, and `s %= d` may be INT64_MIN % -1. Numbers that are only stored are converted to compute with them."""
    target, value, op = s.target, s.value, s.op
    if op is not None and isinstance(target.type, Scalar) and is_stored_float(target.type):
        assert isinstance(value.type, Scalar)
        left = cast(target, value.type, implicit=True)
        return None, cast(Binary(op, left, value, type=value.type), target.type, implicit=True)
    if op in ("/", "%") and is_signed(target) and is_int(value.type):
        whole = Binary(op, target, value, type=target.type)
        t = exprs.operation_type(whole)
        if not t.signed or exprs.may_overflow_remainder(whole) or (op == "%" and exprs.wider(whole, t) is not None):
            return None, whole
    return None


def confusing(outer: str, side: Expr) -> bool:
    """Whether compilers warn about this nesting of operators without parentheses."""
    while isinstance(side, Cast) and side.implicit:
        side = side.arg
    if not isinstance(side, Binary):
        return False
    inner = side.op
    if outer == "||" and inner == "&&":
        return True
    if outer in BITWISE and inner not in ("*", "/", "%") and inner != outer:
        return True
    return outer in COMPARISONS and inner in COMPARISONS
