"""Lowered code as CUDA C++ text: linear offsets, integer widths, unrolling."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from optigpu.codegen.c import CExprs, confusing, expand_index_helper
from optigpu.codegen.cuda.arithmetic import Ranges, const, poly
from optigpu.codegen.cuda.lower import FULL_WARP, ArrayInfo, Storage, inside_loop
from optigpu.syntax.builtins import INTEGER, NUMERIC, VECTOR_CALLS, index_helper
from optigpu.syntax.errors import input_error
from optigpu.syntax.exprs import Addr, Binary, Call, Cast, Cond, Expr, Index, Int, Unary, Var
from optigpu.syntax.operators import (
    COMPARISONS,
    CONDITIONAL_PRECEDENCE,
    POSTFIX_PRECEDENCE,
    UNARY_PRECEDENCE,
    precedence,
)
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, If, Mode, Return, Stmt, Store
from optigpu.syntax.source import Mark
from optigpu.syntax.types import BOOL, INT, INT64, UINT, UINT64, Array, Scalar, Type, is_int
from optigpu.syntax.walk import statements, stmt_exprs, subexpressions

MAX_INDEX = (
    INT.high - 1024
)  # sizes are checked against this at entry, so `256 * block + t < n + 256` stays within 32 bits
MAX_UNROLLED = 256
MIN_LINE, MAX_LINE = 40, 120
OPERATOR = re.compile(r" (=|\+|-|\*|/|\?|:|&&|\|\|) ")
WIDE, UNSIGNED_WIDE = "long long", "unsigned long long"
SHIFTS = ("<<", ">>")


@dataclass
class CudaExprs(CExprs):
    """Expressions. A 32-bit operation whose value may not fit is done in 64 bits."""

    knows_rsqrt = True
    device: bool
    arrays: dict[str, ArrayInfo]
    ranges: Ranges
    types: dict[str, Scalar]  # of names in C++, where they are not those of the program

    def __init__(self, device: bool, arrays: Mapping[str, ArrayInfo], ranges: Ranges) -> None:
        super().__init__()
        self.device = device
        self.arrays = dict(arrays)
        self.ranges = ranges
        self.types = {}

    def text(self, e: Expr) -> tuple[str, int]:
        match e:
            case Int(value, literal_type) if value == FULL_WARP and literal_type == UINT:
                return "0xffffffffu", POSTFIX_PRECEDENCE
            case Int(value, None) if not INT.low <= value <= INT.high:
                return f"{value}LL", POSTFIX_PRECEDENCE if value >= 0 else UNARY_PRECEDENCE
            case Var(name) if name in self.arrays and self.arrays[name].storage is not Storage.REGISTER:
                return self.pointer(self.arrays[name]), POSTFIX_PRECEDENCE
            case Addr(Index(Var(name), indices)) if name in self.arrays and all(i == Int(0) for i in indices):
                info = self.arrays[name]
                if info.flat or len(info.dims) == 1:
                    return name, POSTFIX_PRECEDENCE
            case Unary("-", arg) if is_int(e.type) and self.wider(e, self.machine_type(arg)):
                return f"-{self.widened(arg)}", UNARY_PRECEDENCE
            case Cast(to, arg, False) if is_int(to) and self.machine_type(e) != promoted(to):
                return self.widened(arg), UNARY_PRECEDENCE
            case Cond(test, a, b) if is_int(e.type):
                then, other = (self.operand(x, CONDITIONAL_PRECEDENCE, is_signed(e)) for x in (a, b))
                return f"{self.show(test, CONDITIONAL_PRECEDENCE + 1)} ? {then} : {other}", CONDITIONAL_PRECEDENCE
            case _:
                pass
        return super().text(e)

    def pointer(self, info: ArrayInfo) -> str:
        """The array as a pointer to its first element."""
        if info.flat or len(info.dims) == 1:
            return info.name
        return f"&{info.name}" + "[0]" * len(info.dims)

    # Integers: the node says what the program means, the machine type what C++ makes of the text

    def binary(self, e: Binary) -> tuple[str, int]:
        if not (is_int(e.left.type) and is_int(e.right.type)):
            return super().binary(e)
        level = precedence(e.op)
        left = self.operand(e.left, POSTFIX_PRECEDENCE if confusing(e.op, e.left) else level)
        right = self.operand(e.right, POSTFIX_PRECEDENCE if confusing(e.op, e.right) else level + 1)
        wider = self.wider(e, self.operation_type(e))
        if wider is not None:
            left = self.widened(e.left, wider)
            if e.op not in SHIFTS and common_type(wider, self.operand_type(e.right)) != wider:
                right = self.widened(e.right, wider)
        return f"{left} {e.op} {right}", level

    def operand(self, e: Expr, least: int, signed: bool = False) -> str:
        """A signed number stays one beside others, though its text may have an unsigned type."""
        return self.widened(e) if self.operand_type(e, signed) != self.machine_type(e) else self.show(e, least)

    def widened(self, e: Expr, t: Scalar = INT64) -> str:
        name = t.name if t.bits < INT64.bits else WIDE if t.signed else UNSIGNED_WIDE
        return f"({name}){self.show(e, UNARY_PRECEDENCE)}"

    def wider(self, e: Expr, t: Scalar) -> Scalar | None:
        """Where an operation that C++ does in type t may have another value there: a type of 64 bits in which it has not.
        What the program itself computes in 64 bits is its own."""
        match e:
            case Binary("+" | "-" | "*" | "/" | "<<") | Unary("-"):
                value: Expr = e
            case Binary("%", a, b):
                value = Binary("/", a, b, type=e.type)  # no remainder without a quotient
            case Binary(op, a, b) if op in COMPARISONS:
                if t.signed or all(self.ranges.fits(x, t) for x in (a, b) if is_signed(x)):
                    return None
                return self.holding(e, t, a, b)
            case _:
                return None
        if self.ranges.fits(value, t):
            return None
        if promoted(e.type).bits == INT64.bits:
            return None if t == promoted(e.type) else promoted(e.type)
        return self.holding(e, t, value)

    def holding(self, e: Expr, t: Scalar, *values: Expr) -> Scalar:
        """A type of 64 bits, other than t, that has these values."""
        for wide in (INT64, UINT64):
            if wide != t and all(self.ranges.fits(v, wide) for v in values):
                return wide
        raise input_error("OG404", "this integer may not fit 64 bits", e.loc, help="bound its parts in the contract")

    def operation_type(self, e: Binary) -> Scalar:
        left = self.operand_type(e.left)
        return left if e.op in SHIFTS else common_type(left, self.operand_type(e.right))

    def operand_type(self, e: Expr, signed: bool = False) -> Scalar:
        t = self.machine_type(e)
        return INT64 if (signed or is_signed(e)) and not t.signed else t

    def machine_type(self, e: Expr) -> Scalar:
        """The type that the text of an integer expression has in C++, of 32 or 64 bits."""
        match e:
            case Int(value, literal_type):
                return promoted(literal_type or (INT if INT.low <= value <= INT.high else INT64))
            case Var(name) if name in self.types:
                return promoted(self.types[name])
            case Cast(_, arg, True) if is_int(arg.type):
                return self.machine_type(arg)
            case Cast(to, arg, False) if promoted(to) in (INT, UINT) and is_int(arg.type):
                return promoted(to) if self.ranges.fits(arg, to) else INT64
            case Binary() if is_int(e.type):
                t = self.operation_type(e)
                return self.wider(e, t) or t
            case Unary(_, arg) if is_int(e.type):
                t = self.machine_type(arg)
                return self.wider(e, t) or t
            case Cond(_, a, b) | Call("min" | "max", (a, b)):
                return common_type(self.operand_type(a, is_signed(e)), self.operand_type(b, is_signed(e)))
            case Call("abs", (a,)):
                return self.machine_type(Unary("-", a, type=a.type))
            case Call("exact_div", (a, b)):
                return self.machine_type(Binary("/", a, b, type=e.type))
            case Call(name) if (helper := index_helper(name)) is not None:
                return self.machine_type(expand_index_helper(e, helper))
            case _:
                return promoted(e.type)

    def wide(self, e: Expr) -> bool:
        """Whether the text of an integer expression has a 64-bit type in C++."""
        return is_int(e.type) and self.machine_type(e).bits == INT64.bits

    def misfit(self, e: Expr) -> bool:
        """Whether an `int` or `unsigned` may have a value that its type has not."""
        return e.type in (INT, UINT) and isinstance(e.type, Scalar) and not self.ranges.fits(e, e.type)

    def arithmetic(self, e: Call, helper: tuple[str, int]) -> Expr:
        return expand_index_helper(e, helper)  # in 64 bits where its value may need them

    def call(self, e: Call) -> tuple[str, int]:
        for a in e.args:
            if self.device and not is_arithmetic(e) and self.misfit(a):
                raise input_error(
                    "OG404", "this argument may not fit 32 bits", a.loc, help="bound its parts in the contract"
                )
        return super().call(e)

    def numeric(self, e: Call) -> tuple[str, int]:
        if is_int(e.type) and e.func == "abs":
            (a,) = e.args
            wide = self.machine_type(e) != self.machine_type(a)
            shown = f"({self.widened(a)})" if wide else self.show(a, POSTFIX_PRECEDENCE)
            return f"({shown} < 0 ? -{shown} : {shown})", POSTFIX_PRECEDENCE
        if is_int(e.type):
            t = self.machine_type(e)
            wide = t.bits == INT64.bits and not all(isinstance(a, Var | Index) and a.type == t for a in e.args)
            x, y = (
                self.widened(arg, t) if wide or self.machine_type(arg) != t else self.show(arg, precedence("<") + 1)
                for arg in e.args
            )
            if self.device:
                return f"{e.func}({x}, {y})", POSTFIX_PRECEDENCE
            return f"({x} {'<' if e.func == 'min' else '>'} {y} ? {x} : {y})", POSTFIX_PRECEDENCE
        return super().numeric(e)

    def index(self, e: Index) -> tuple[str, int]:
        assert isinstance(e.base, Var)
        info = self.arrays[e.base.name]
        if len(e.indices) < len(info.dims):  # a row, as an argument
            zeros = (Int(0, type=INT),) * (len(info.dims) - len(e.indices))
            return f"&{self.index(replace(e, indices=e.indices + zeros))[0]}", UNARY_PRECEDENCE
        if not info.flat:
            return info.name + "".join(f"[{self.show(i)}]" for i in e.indices), POSTFIX_PRECEDENCE
        return f"{info.name}[{self.offset(info, e.indices)}]", POSTFIX_PRECEDENCE

    def offset(self, info: ArrayInfo, indices: tuple[Expr, ...]) -> str:
        """The linear offset by Horner's rule. In an array of fewer than 2^31 elements it fits `int`: the access is in bounds."""
        if len(indices) == 1:
            return self.show(indices[0])
        size = const(1)
        for d in info.dims:
            size = size * poly(d) if d is not None else size.scaled(1 << 40)
        narrow = info.storage is Storage.SHARED or self.ranges.greatest(size) <= INT.high
        out, level, started, wide = "", POSTFIX_PRECEDENCE, False, narrow
        for i, d in zip(indices, info.dims):
            if started:
                assert d is not None
                if not wide:
                    out, wide = (f"(size_t){out}" if level >= UNARY_PRECEDENCE else f"(size_t)({out})"), True
                elif level < precedence("*"):
                    out = f"({out})"
                out, level = f"{out} * {self.show(d, precedence('*') + 1)}", precedence("*")
                if i != Int(0):
                    out, level = f"{out} + {self.show(i, precedence('+') + 1)}", precedence("+")
            elif i != Int(0):
                out, level = self.text(i)
                wide = wide or self.wide(i)
                started = True
        return out or "0"


class BodyPrinter:
    """Statements; keeps track of what values variables can take."""

    def __init__(self, out: Lines, exprs: CudaExprs, reasons: Mapping[Mark, str]) -> None:
        self.out = out
        self.exprs = exprs
        self.reasons = reasons
        self.assigned: set[str] = set()  # variables that are no constants, in this body or one around it

    def e(self, x: Expr) -> str:
        return self.exprs.show(x)

    def body(self, body: Body) -> None:
        ranges, arrays, types = self.exprs.ranges, dict(self.exprs.arrays), dict(self.exprs.types)
        self.assigned |= stored_names(body)
        for s in body:
            self.statement(s, self.assigned)
        self.exprs.ranges, self.exprs.arrays, self.exprs.types = ranges, arrays, types

    def block(self, head: str, body: Body, tail: str = "}") -> None:
        self.out.add(head)
        self.out.depth += 1
        self.body(body)
        self.out.depth -= 1
        if tail:
            self.out.add(tail)

    def statement(self, s: Stmt, assigned: set[str]) -> None:
        match s:
            case Decl():
                self.declaration(s, assigned)
            case Store(target, value, op):
                if op in ("/", "%") and is_signed(target) and is_int(value.type):
                    whole = Binary(op, target, value, type=target.type)
                    if not self.exprs.operation_type(whole).signed:  # `s /= u` would divide without a sign
                        op, value = None, whole
                self.out.extend(broken(f"{self.e(target)} {op or ''}= {self.e(value)};", MAX_LINE - 2 * self.out.depth))
            case For():
                self.loop(s)
            case If(test, then, other):
                self.block(f"if ({self.e(test)}) {{", then, "" if other else "}")
                if other:
                    self.block("} else {", other)
            case Block(body):
                self.block("{", body)
            case CallStmt(call):
                self.call(s, call)
            case Return(value):
                if value is not None and self.exprs.misfit(value):
                    raise input_error(
                        "OG404", "this result may not fit 32 bits", value.loc, help="bound its parts in the contract"
                    )
                self.out.add("return;" if value is None else f"return {self.e(value)};")
            case _:
                raise AssertionError(s)

    def declaration(self, s: Decl, assigned: set[str]) -> None:
        exprs = self.exprs
        if isinstance(s.type, Array):
            dims = "".join(f"[{self.e(d)}]" for d in s.type.dims if d is not None)
            self.out.add(f"{s.type.elem.name} {s.name}{dims};")
            exprs.arrays[s.name] = ArrayInfo(s.name, s.type.elem, s.type.dims, Storage.REGISTER)
            return
        assert isinstance(s.type, Scalar)
        exprs.arrays.pop(s.name, None)
        exprs.types.pop(s.name, None)
        exprs.ranges = exprs.ranges.without(s.name)
        constant = s.init is not None and s.name not in assigned
        type_ = s.type.name
        init = "" if s.init is None else f" = {self.e(s.init)}"
        if constant and s.init is not None and s.type in (INT, UINT):
            if not exprs.ranges.fits(s.init, s.type):
                type_ = WIDE
                exprs.types[s.name] = INT64
            exprs.ranges = exprs.ranges.equal_to(s.name, s.init, assigned)
        self.out.add(f"{'const ' if constant else ''}{type_} {s.name}{init};")

    def call(self, s: CallStmt, call: Call) -> None:
        match call.func:
            case "blocksync":
                reason = self.reasons.get(s.mark)
                self.out.add("__syncthreads();" + (f"  {comment(reason)}" if reason else ""))
            case "warpsync":
                self.out.add("__syncwarp();")
            case name if name in VECTOR_CALLS:
                width, way = VECTOR_CALLS[name]
                self.out.add(f"{way}{width}({self.e(call.args[0])}, {self.e(call.args[1])});")
            case _:
                self.out.add(f"{self.e(call)};")

    def loop(self, s: For) -> None:
        exprs = self.exprs
        hints = [h for h in s.hints if h.startswith("unroll")]
        if self.exprs.device and not hints and self.should_unroll(s):
            hints = ["unroll"]
        if not self.exprs.device:
            hints = []
        for h in hints:
            self.out.add(f"#pragma {h}")
        saved = exprs.ranges, dict(exprs.types)
        head = self.head(s)
        exprs.ranges = inside_loop(exprs.ranges, s, self.assigned)
        self.block(head, s.body)
        exprs.ranges, exprs.types = saved

    def head(self, s: For) -> str:
        """The index has 64 bits if it may leave 32, also when the loop ends."""
        exprs, r, t = self.exprs, s.range, s.index_type
        past = Binary(r.op, r.bound, r.amount, type=INT)  # the index when the loop ends goes no further
        start, amount = self.e(r.start), self.e(r.amount)
        wide = t in (INT, UINT) and not (exprs.ranges.fits(past, t) and exprs.ranges.fits(r.start, t))
        exprs.types[s.index] = INT64 if wide else t
        exprs.ranges = exprs.ranges.without(s.index)
        test = self.e(Binary(r.relation, Var(s.index, type=t), r.bound, type=BOOL))
        step = f"{s.index} {r.op}= {amount}"
        if poly(r.amount) == const(1) and r.op in "+-":
            step = f"{r.op}{r.op}{s.index}"
        return f"for ({WIDE if wide else t.name} {s.index} = {start}; {test}; {step}) {{"

    def should_unroll(self, s: For) -> bool:
        """A loop over registers must be unrolled, or they would be memory: registers have no addresses."""
        r = s.range
        if s.mode is not Mode.SEQUENTIAL or r.op != "+" or (poly(r.bound) - poly(r.start)).constant is None:
            return False
        if ((poly(r.bound) - poly(r.start)).constant or 0) > MAX_UNROLLED:
            return False
        registers = {n for n, a in self.exprs.arrays.items() if a.storage is Storage.REGISTER}
        inside = list(statements(s.body))
        registers |= {x.name for x in inside if isinstance(x, Decl) and isinstance(x.type, Array)}
        for x in inside:
            for e in stmt_exprs(x):
                for sub in subexpressions(e):
                    if isinstance(sub, Index) and isinstance(sub.base, Var) and sub.base.name in registers:
                        mentioned = {v.name for i in sub.indices for v in subexpressions(i) if isinstance(v, Var)}
                        if s.index in mentioned:
                            return True
        return False


def is_signed(e: Expr) -> bool:
    return isinstance(e.type, Scalar) and is_int(e.type) and e.type.signed


def promoted(t: Type | None) -> Scalar:
    """C++ computes in no less than 32 bits."""
    return t if isinstance(t, Scalar) and is_int(t) and t.bits >= INT.bits else INT


def common_type(a: Scalar, b: Scalar) -> Scalar:
    """The type in which C++ computes with numbers of two types."""
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def is_arithmetic(e: Call) -> bool:
    """A call that is none in C++."""
    return e.func in NUMERIC or e.func in INTEGER or index_helper(e.func) is not None


def comment(text: str, indent: int = 1) -> str:
    """One line, which the next does not continue: for compilers, blanks after a backslash at its end are none, and `??/` may be a
    backslash."""
    printable = "".join(c if c.isprintable() else " " for c in text).replace("??/", "?? /")
    return f"//{' ' * indent}{printable}".rstrip("\\ ")


def broken(text: str, limit: int) -> list[str]:
    """A long statement on several lines, broken after operators."""
    lines: list[str] = []
    while len(text) > limit:
        ends = [m.end() - 1 for m in OPERATOR.finditer(text, MIN_LINE, limit)]
        ends = [at for at in ends if text.count("[", 0, at) == text.count("]", 0, at)]
        if not ends:
            break
        lines.append(text[: ends[-1]])
        text = "    " + text[ends[-1] + 1 :]
    return [*lines, text]


def stored_names(body: Body) -> set[str]:
    """Scalars that are assigned somewhere in the body, so that they are no constants."""
    out: set[str] = set()
    for s in statements(body):
        if isinstance(s, Store) and isinstance(s.target, Var):
            out.add(s.target.name)
        for e in stmt_exprs(s):
            out |= {x.arg.name for x in subexpressions(e) if isinstance(x, Addr) and isinstance(x.arg, Var)}
    return out
