"""Prints lowered statements and expressions as CUDA C++: linear offsets, integer widths, unrolling."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from optigpu.codegen.atomic_text import device_atomic, host_atomic
from optigpu.codegen.conversions import device_conversion
from optigpu.codegen.cuda.fast_math_text import FAST_EXPONENTIAL
from optigpu.codegen.cuda.fast_math_text import HELPER as FAST_HELPER
from optigpu.codegen.cuda.lowering_scope import ArrayInfo, Storage
from optigpu.codegen.cuda.statement_lowering import FULL_WARP
from optigpu.codegen.cuda.stored_float_text import CONVERSIONS, cuda_type
from optigpu.codegen.cuda.tiles import TILE_FUNCTIONS
from optigpu.codegen.expression_text import CExprs, spelled_out
from optigpu.codegen.host_memory import on_stack
from optigpu.codegen.integer_polynomials import keeps_value, poly, same_value
from optigpu.codegen.value_ranges import Ranges, inside_loop
from optigpu.codegen.wrapping import ranges_after
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import ATOMICS, VECTOR_CALLS
from optigpu.syntax.diagnostic import input_error, placed_at
from optigpu.syntax.exprs import Addr, Array, Binary, Call, Cast, Expr, Index, Int, Var, is_int
from optigpu.syntax.operators import POSTFIX_PRECEDENCE, UNARY_PRECEDENCE, precedence
from optigpu.syntax.polynomials import constant_polynomial
from optigpu.syntax.printer import Lines
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, If, Mode, Return, Stmt, Store
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import INT, INT64, UINT, Scalar
from optigpu.syntax.walk import statements, stmt_exprs, subexpressions

NARROW = (
    INT.low + 1024,
    INT.high - 1024,
)  # with n in this range, `256 * block + t < n + 256` does not overflow `int`; entry points check it where kernels rely on it
MAX_REGISTER_UNROLL = 256
MIN_LINE, MAX_LINE = 40, 120
OPERATOR = re.compile(r" (=|\+|-|\*|/|\?|:|&&|\|\|) ")
WIDE = "long long"


class CudaExprs(CExprs):
    """Expressions as CUDA C++; arrays are pointers with linear offsets."""

    knows_rsqrt = True
    wide_name, unsigned_wide_name = WIDE, "unsigned long long"

    def __init__(self, device: bool, arrays: Mapping[str, ArrayInfo], ranges: Ranges) -> None:
        if not device and ranges.assumed is not None:  # host code needs no 32-bit assumptions
            ranges = replace(ranges, assumed=ranges.assumed.of_products())
        super().__init__(ranges)
        self.device = self.knows_fast_math = device
        self.arrays = dict(arrays)

    def text(self, e: Expr) -> tuple[str, int]:
        match e:
            case Int(value, literal_type) if value == FULL_WARP and literal_type == UINT:
                return "0xffffffffu", POSTFIX_PRECEDENCE
            case Var(name) if name in self.arrays and self.arrays[name].swizzled:
                return name, POSTFIX_PRECEDENCE
            case Var(name) if name in self.arrays and (
                self.arrays[name].storage is not Storage.REGISTER or len(self.arrays[name].dims) > 1
            ):
                return self.pointer(self.arrays[name]), POSTFIX_PRECEDENCE
            case Addr(Index(Var(name), indices) as element) if name in self.arrays and not self.arrays[name].swizzled:
                info = self.arrays[name]
                if all(i == Int(0) for i in indices) and (info.flat or len(info.dims) == 1):
                    return name, POSTFIX_PRECEDENCE
                if len(indices) < len(info.dims):
                    return self.text(element)  # a row is an address
            case _:
                pass
        return super().text(e)

    def pointer(self, info: ArrayInfo) -> str:
        """The array as a pointer to its first element."""
        if info.flat or len(info.dims) == 1:
            return info.name
        return f"&{info.name}" + "[0]" * len(info.dims)

    def number_type(self, t: Scalar) -> str:
        return cuda_type(t)

    def stored_conversion(self, have: Scalar, to: Scalar) -> str:
        return CONVERSIONS[have, to]

    def call(self, e: Call) -> tuple[str, int]:
        if self.device and e.func == FAST_EXPONENTIAL:
            e = replace(e, func=FAST_HELPER)
        return super().call(e)

    def conversion(self, have: Scalar, to: Scalar) -> str:
        return device_conversion(have, to) if self.device else super().conversion(have, to)

    def binary(self, e: Binary) -> tuple[str, int]:
        if not self.divides_in_32_bits(e):
            return super().binary(e)
        left, right = (
            self.show(x, UNARY_PRECEDENCE) if self.machine_type(x) == INT else self.widened(x, INT)
            for x in (e.left, e.right)
        )
        return f"{left} {e.op} {right}", precedence(e.op)

    def machine_type(self, e: Expr) -> Scalar:
        return INT if isinstance(e, Binary) and self.divides_in_32_bits(e) else super().machine_type(e)

    def divides_in_32_bits(self, e: Binary) -> bool:
        """Whether a quotient or remainder of 64-bit texts is computed in 32 bits, since the values are known to fit: GPUs divide
        64 bits slowly."""
        if e.op not in ("/", "%") or not self.device or not is_int(e.type) or self.operation_type(e).bits <= INT.bits:
            return False
        known = self.ranges.unassumed
        return all(known.fits(x) for x in (e.left, e.right, Binary("/", e.left, e.right, type=e.type)))

    def numeric(self, e: Call) -> tuple[str, int]:
        if is_int(e.type) and e.func != "abs" and self.device and self.machine_type(e).bits <= INT64.bits:
            return f"{e.func}({', '.join(self.alike(e))})", POSTFIX_PRECEDENCE
        return super().numeric(e)

    def index(self, e: Index) -> tuple[str, int]:
        assert isinstance(e.base, Var)
        info = self.arrays[e.base.name]
        if info.swizzled:
            return self.tile_element(info, e.indices), POSTFIX_PRECEDENCE
        if len(e.indices) < len(info.dims):  # a row as an argument
            zeros = (Int(0, type=INT),) * (len(info.dims) - len(e.indices))
            return f"&{self.index(replace(e, indices=e.indices + zeros))[0]}", UNARY_PRECEDENCE
        if not info.flat:
            return info.name + "".join(f"[{self.part(i)}]" for i in e.indices), POSTFIX_PRECEDENCE
        return f"{info.name}[{self.offset(info, e.indices)}]", POSTFIX_PRECEDENCE

    def tile_element(self, info: ArrayInfo, indices: tuple[Expr, ...]) -> str:
        """A tile of an array of tiles, or an element of one."""
        lead, at = indices[: len(info.dims) - 2], indices[len(info.dims) - 2 :]
        number = self.offset(replace(info, dims=info.dims[:-2]), lead) if lead else ""
        tile = f"{info.name}[{number}]" if lead else info.name
        return f"{tile}.at({', '.join(map(self.part, at))})" if at else tile

    def offset(self, info: ArrayInfo, indices: tuple[Expr, ...]) -> str:
        """The linear offset by Horner's rule. An access is in bounds, so in an array of fewer than 2^31 elements it fits `int`."""
        if len(indices) == 1:
            return self.part(indices[0])
        size = constant_polynomial(1)
        for d in info.dims:
            size = size * poly(d) if d is not None else size.scaled(1 << 40)
        narrow = info.storage is Storage.SHARED or self.ranges.at_most(size, INT.high)
        out, level, started, wide = "", POSTFIX_PRECEDENCE, False, narrow
        for i, d in zip(without_quotients(indices, info.dims), info.dims):
            if started:
                assert d is not None
                if not wide:
                    out, wide = (f"(size_t){out}" if level >= UNARY_PRECEDENCE else f"(size_t)({out})"), True
                elif level < precedence("*"):
                    out = f"({out})"
                out, level = f"{out} * {self.show(d, precedence('*') + 1)}", precedence("*")
                if i != Int(0):
                    out, level = f"{out} + {self.part(i, precedence('+') + 1)}", precedence("+")
            elif i != Int(0):
                out, level = (self.part(i), UNARY_PRECEDENCE) if self.is_beyond(i) else self.text(i)
                wide = wide or self.wide(i)
                started = True
        return out or "0"

    def part(self, i: Expr, least: int = 0) -> str:
        """One index of an access, which is in bounds."""
        return self.subscript(i) if self.is_beyond(i) else self.show(i, least)


class BodyPrinter:
    """Prints statements, and tracks the ranges of variables."""

    def __init__(self, out: Lines, exprs: CudaExprs, reasons: Mapping[StatementId, str]) -> None:
        self.out = out
        self.exprs = exprs
        self.reasons = reasons
        self.one_resident = True  # may a block have all registers of a multiprocessor?
        self.fences = False  # must barriers order what threads write with what tensor cores read?
        self.assigned: set[str] = set()  # variables that change, in this body or an enclosing one

    def e(self, x: Expr) -> str:
        return self.exprs.show(x)

    def body(self, body: Body) -> None:
        ranges, arrays, types = self.exprs.ranges, dict(self.exprs.arrays), dict(self.exprs.types)
        self.assigned |= assigned_scalars(body)
        for s in body:
            with placed_at(s.id.origin()):
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
            case Store(target, value, op) if op in ATOMICS:
                self.atomic(op, target, value)
            case Store(target, value, op):
                op, value = spelled_out(self.exprs, s) or (op, value)
                text = self.e(value) if op else self.exprs.stored(value, target.type)
                self.out.extend(broken(f"{self.e(target)} {op or ''}= {text};", MAX_LINE - 2 * self.out.depth))
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
                self.out.add("return;" if value is None else f"return {self.exprs.stored(value, value.type)};")
            case _:
                raise AssertionError(s)

    def atomic(self, operator: str, target: Expr, value: Expr) -> None:
        assert isinstance(target.type, Scalar)
        texts = self.e(target), self.exprs.stored(value, target.type), target.type
        if self.exprs.device:
            self.out.extend(broken(device_atomic(operator, *texts), MAX_LINE - 2 * self.out.depth))
        else:
            self.out.extend(host_atomic(operator, *texts, value))

    def declaration(self, s: Decl, assigned: set[str]) -> None:
        exprs = self.exprs
        if isinstance(s.type, Array):
            if not exprs.device and on_stack(s.type) is None:
                message = "an array that the stack may have no room for has no counterpart in CUDA host code"
                raise input_error("OG401", message, s.loc, help=f"MALLOC{len(s.type.dims)}({s.type.elem.name}, …)")
            dims = "".join(f"[{self.e(d)}]" for d in s.type.dims if d is not None)
            self.out.add(f"{cuda_type(s.type.elem)} {s.name}{dims};")
            exprs.arrays[s.name] = ArrayInfo(s.name, s.type.elem, s.type.dims, Storage.REGISTER)
            return
        assert isinstance(s.type, Scalar)
        exprs.arrays.pop(s.name, None)
        exprs.types.pop(s.name, None)
        constant = s.init is not None and s.name not in assigned
        type_, init = cuda_type(s.type), ""
        if s.init is not None:
            init = f" = {self.e(s.init) if constant else exprs.stored(s.init, s.type)}"
        if constant and s.init is not None and (t := exprs.constant_type(s.type, s.init)) != s.type:
            type_, exprs.types[s.name] = exprs.name(t), t
        exprs.ranges = ranges_after(exprs.ranges, s, assigned)
        self.out.add(f"{'const ' if constant else ''}{type_} {s.name}{init};")

    def call(self, s: CallStmt, call: Call) -> None:
        match call.func:
            case "blocksync" | "stage_sync" | "everyone_sync" as name:
                if self.fences and name != "everyone_sync":
                    self.out.add("fence_async();")
                reason = self.reasons.get(s.id)
                self.out.add("__syncthreads();" + (f"  {comment(reason)}" if reason else ""))
            case "warpsync":
                self.out.add("__syncwarp();")
            case name if name in VECTOR_CALLS:
                width, way = VECTOR_CALLS[name]
                self.out.add(f"{way}{width}({self.e(call.args[0])}, {self.e(call.args[1])});")
            case "pipeline_turn":
                turn, stages = call.args
                self.out.add(f"pipeline_turn<{self.e(stages)}> {self.name(turn)};")
            case "next_turn":
                self.out.add(f"{self.name(call.args[0])}.next();")
            case name if name.startswith(("fewer_registers", "more_registers")) and not self.one_resident:
                pass
            case name if name.split("<")[0] in TILE_FUNCTIONS:
                if self.fences and name.startswith("users_sync"):
                    self.out.add("fence_async();")
                self.out.extend(
                    wrap_list(f"{name}(", [self.name(a) for a in call.args], ");", MAX_LINE - 2 * self.out.depth)
                )
            case _:
                self.out.add(f"{self.e(call)};")

    def name(self, e: Expr) -> str:
        """An argument of a function for tiles: fragments, tiles and maps by their names."""
        return e.name if isinstance(e, Var) else self.e(e)

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
        """The loop head. The index has 64 bits if it, or its last increment, may overflow 32."""
        r, amount = s.range, self.e(s.range.amount)
        head = self.exprs.loop_head(s)
        step = f"{s.index} {r.op}= {amount}"
        if poly(r.amount) == constant_polynomial(1) and r.op in "+-":
            step = f"{r.op}{r.op}{s.index}"
        return f"for ({head}; {step}) {{"

    def should_unroll(self, s: For) -> bool:
        """Whether a loop indexes a register array by its index: unless unrolled, the array would be put into local memory."""
        r = s.range
        if s.mode is not Mode.SEQUENTIAL or r.op != "+" or (poly(r.bound) - poly(r.start)).constant is None:
            return False
        if ((poly(r.bound) - poly(r.start)).constant or 0) > MAX_REGISTER_UNROLL:
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


def without_quotients(indices: tuple[Expr, ...], dims: Sequence[Expr | None]) -> list[Expr]:
    """Indices with the same offset: (e / d) * d + e % d is e, if d is the size of the dimension that e % d is in.

    The access is in bounds, so d > 0; and C's division has that law whatever the signs are.
    """
    out = list(indices)
    for n, (a, b) in enumerate(pairwise(indices)):
        size = dims[n + 1]
        match _unconverted(a), _unconverted(b):
            case Binary("/", e, d), Binary("%", same_e, same_d) if size is not None and same_value(d, size):
                if same_value(e, same_e) and same_value(d, same_d):
                    out[n : n + 2] = [Int(0, type=INT), e]
            case _:
                pass
    return out


def _unconverted(e: Expr) -> Expr:
    return _unconverted(e.arg) if isinstance(e, Cast) and keeps_value(e) and is_int(e.arg.type) else e


def comment(text: str, indent: int = 1) -> str:
    """A one-line comment. It cannot continue on the next line: no trailing backslash (compilers skip blanks after it), no `??/`,
    which is a trigraph for a backslash."""
    printable = "".join(c if c.isprintable() else " " for c in text).replace("??/", "?? /")
    return f"//{' ' * indent}{printable}".rstrip("\\ ")


def wrap_list(head: str, parts: list[str], tail: str, limit: int = 120) -> list[str]:
    """A parameter or argument list on one line, or broken after commas."""
    lines, current = [], head
    for i, p in enumerate(parts):
        piece = p + (", " if i < len(parts) - 1 else "")
        if len(current) + len(piece) + len(tail) > limit and current.strip():
            lines.append(current.rstrip())
            current = "    "
        current += piece
    return [*lines, current + tail]


def broken(text: str, limit: int) -> list[str]:
    """A long statement broken into lines after operators."""
    lines: list[str] = []
    while len(text) > limit:
        ends = [m.end() - 1 for m in OPERATOR.finditer(text, MIN_LINE, limit)]
        ends = [at for at in ends if text.count("[", 0, at) == text.count("]", 0, at)]
        if not ends:
            break
        lines.append(text[: ends[-1]])
        text = "    " + text[ends[-1] + 1 :]
    return [*lines, text]


def assigned_scalars(body: Body) -> set[str]:
    """Scalars that the body assigns, directly or through a pointer."""
    out: set[str] = set()
    for s in statements(body):
        if isinstance(s, Store) and isinstance(s.target, Var):
            out.add(s.target.name)
        for e in stmt_exprs(s):
            out |= {x.arg.name for x in subexpressions(e) if isinstance(x, Addr) and isinstance(x.arg, Var)}
    return out
