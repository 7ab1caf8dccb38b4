"""Prints syntax as annotated C that parses to the same program. The code generators extend these printers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from optigpu.syntax.annotations import ALLOCATION_SPELLING, WITH
from optigpu.syntax.builtins import ATOMICS
from optigpu.syntax.exprs import (
    Addr,
    Alloc,
    Array,
    BigOp,
    Binary,
    Binder,
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
    TypeOf,
    Unary,
    Var,
)
from optigpu.syntax.float_literals import literal_text
from optigpu.syntax.gpu_rules import rule_text
from optigpu.syntax.operators import (
    ARROW_PRECEDENCE,
    BINDER_PRECEDENCE,
    CONDITIONAL_PRECEDENCE,
    POSTFIX_PRECEDENCE,
    RIGHT_ASSOCIATIVE,
    UNARY_PRECEDENCE,
    precedence,
)
from optigpu.syntax.program import (
    OMP_HINTS,
    Assert,
    Axiom,
    Block,
    Body,
    CallStmt,
    Clause,
    Decl,
    Define,
    For,
    Function,
    Ghost,
    GhostEnd,
    If,
    Include,
    Item,
    LogicDecl,
    LogicDef,
    LoopRange,
    Mode,
    Param,
    Program,
    Return,
    Role,
    RuleDeclaration,
    Stmt,
    Store,
    TopLevel,
)
from optigpu.syntax.types import DOUBLE, INT64, UINT, UINT64, VOID, LogicType, Pointer, Scalar, Space

INDENT = "  "


LOCAL_ARRAYS = {Space.SMEM: "__shared__ ", Space.FRAG: "__fragment__ "}


class ExprPrinter:
    """Prints expressions with no more parentheses than needed."""

    def show(self, e: Expr, least: int = BINDER_PRECEDENCE) -> str:
        """The text of `e`, in parentheses if its outermost operator binds less tightly than `least`."""
        text, level = self.text(e)
        return text if level >= least else f"({text})"

    def text(self, e: Expr) -> tuple[str, int]:
        """The text of an expression, and the precedence of its outermost operator."""
        match e:
            case Int(value, literal_type):
                suffix = {UINT: "u", INT64: "LL", UINT64: "ull"}.get(literal_type, "") if literal_type else ""
                return f"{value}{suffix}", POSTFIX_PRECEDENCE if value >= 0 else UNARY_PRECEDENCE
            case Real(value, literal_type):
                text = literal_text(value, literal_type) + ("" if literal_type == DOUBLE else "f")
                return text, POSTFIX_PRECEDENCE if value >= 0 else UNARY_PRECEDENCE
            case Bool(value):
                return ("true" if value else "false"), POSTFIX_PRECEDENCE
            case Var(name):
                return name, POSTFIX_PRECEDENCE
            case Unary(op, arg):
                return prefixed(op, self.show(arg, UNARY_PRECEDENCE)), UNARY_PRECEDENCE
            case Binary():
                return self.binary(e)
            case Cond(test, then, other):
                tighter = CONDITIONAL_PRECEDENCE + 1
                branches = f"{self.show(then, CONDITIONAL_PRECEDENCE)} : {self.show(other, CONDITIONAL_PRECEDENCE)}"
                return f"{self.show(test, tighter)} ? {branches}", CONDITIONAL_PRECEDENCE
            case Cast():
                return self.cast(e)
            case Index():
                return self.index(e)
            case Addr(arg):
                return f"&{self.show(arg, UNARY_PRECEDENCE)}", UNARY_PRECEDENCE
            case Call():
                return self.call(e)
            case SizeOf(of):
                return f"sizeof({self.number_type(of)})", POSTFIX_PRECEDENCE
            case Alloc():
                return self.alloc(e), POSTFIX_PRECEDENCE
            case Fun() | Forall() | Range() | BigOp() | PointsTo() | Group() | TypeOf():
                return self.formula(e)
            case _:
                assert_never(e)

    def formula(self, e: Fun | Forall | Range | BigOp | PointsTo | Group | TypeOf) -> tuple[str, int]:
        """As `text`, for the expressions that only formulas have."""
        tight = ARROW_PRECEDENCE + 1
        match e:
            case Fun(params, body):
                return f"fun {' '.join(self.binder(p) for p in params)} -> {self.show(body)}", BINDER_PRECEDENCE
            case Forall(params, body):
                return f"forall {' '.join(self.binder(p) for p in params)} -> {self.show(body)}", BINDER_PRECEDENCE
            case Range(low, high):
                start = "0" if low == Int(0) else self.show(low, tight)
                return f"{start}..{self.show(high, tight)}", ARROW_PRECEDENCE
            case BigOp("All", (b,), body):
                range_ = self.show(b.range, ARROW_PRECEDENCE)
                return f"forall {b.name} in {range_} -> {self.show(body)}", BINDER_PRECEDENCE
            case BigOp(op, binders, body):
                ranges = ", ".join(f"{b.name} in {self.show(b.range)}" for b in binders)
                return f"{op}({ranges}, {self.show(body)})", POSTFIX_PRECEDENCE
            case PointsTo(pointer, arrow, target, space):
                where = "" if space is None else f"[{self.show(space)}]"
                return f"{self.show(pointer, tight)} {arrow}{where} {self.show(target, tight)}", ARROW_PRECEDENCE
            case Group(index, range_expr, body, desync):
                word, range_ = "desync_for" if desync else "for", self.show(range_expr, ARROW_PRECEDENCE)
                return f"{word} {index} in {range_} -> {self.show(body)}", BINDER_PRECEDENCE
            case TypeOf(of):
                return self.type(of), BINDER_PRECEDENCE
            case _:
                assert_never(e)

    def binary(self, e: Binary) -> tuple[str, int]:
        level = precedence(e.op)
        right_associative = e.op in RIGHT_ASSOCIATIVE
        left = self.show(e.left, level + 1 if right_associative else level)
        right = self.show(e.right, level if right_associative else level + 1)
        return f"{left} {e.op} {right}", level

    def cast(self, e: Cast) -> tuple[str, int]:
        if e.implicit:
            return self.text(e.arg)
        return f"({self.number_type(e.to)}){self.show(e.arg, UNARY_PRECEDENCE)}", UNARY_PRECEDENCE

    def index(self, e: Index) -> tuple[str, int]:
        base = self.show(e.base, POSTFIX_PRECEDENCE)
        return base + "".join(f"[{self.show(i)}]" for i in e.indices), POSTFIX_PRECEDENCE

    def call(self, e: Call) -> tuple[str, int]:
        return f"{e.func}({', '.join(self.show(a) for a in e.args)})", POSTFIX_PRECEDENCE

    def alloc(self, e: Alloc) -> str:
        name = ALLOCATION_SPELLING[e.space].format(len(e.dims) - (e.space is Space.FRAG))
        dims = [self.show(d) for d in e.dims]
        if e.space is Space.ANY:
            return f"{name}({', '.join([self.number_type(e.elem), *dims])})"
        return f"{name}<{self.number_type(e.elem)}>({', '.join(dims)})"

    def binder(self, p: Binder) -> str:
        return p.name if p.type is None else f"({p.name}: {self.type(p.type)})"

    def type(self, t: Type) -> str:
        """The text of a type in a formula."""
        match t:
            case Scalar():
                return self.number_type(t)
            case LogicType(name):
                return name
            case ProofType(prop):
                return self.show(prop)
            case FunType(args, result):
                return f"{' * '.join(self.type_atom(a) for a in args)} -> {self.type(result)}"
            case Pointer(elem) | Array(elem):
                return f"{self.number_type(elem)}*"
            case _:
                assert_never(t)

    def number_type(self, t: Scalar) -> str:
        """The name of a type of numbers."""
        return t.name

    def type_atom(self, t: Type) -> str:
        return f"({self.type(t)})" if isinstance(t, FunType) else self.type(t)


def prefixed(op: str, operand: str) -> str:
    """`-x`, but `-(-x)`, because `--` is another operator."""
    return f"{op}({operand})" if operand.startswith(op) else op + operand


class Lines:
    """Lines of text with indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def add(self, text: str) -> None:
        self.lines.append(INDENT * self.depth + text if text else "")

    def extend(self, texts: Iterable[str]) -> None:
        for t in texts:
            self.add(t)

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


class ProgramPrinter:
    """Prints annotated C. Code generators override the methods for what their dialect writes differently."""

    def __init__(self) -> None:
        self.out = Lines()
        self.exprs = ExprPrinter()

    def e(self, x: Expr) -> str:
        return self.exprs.show(x)

    # Items

    def program(self, program: Program) -> str:
        previous: TopLevel | None = None
        for item in program.items:
            if previous is not None and (
                isinstance(item, Function | RuleDeclaration) or type(item) is not type(previous)
            ):
                self.out.add("")
            self.item(item)
            previous = item
        return self.out.text()

    def item(self, item: TopLevel) -> None:
        match item:
            case Include(path, system):
                self.out.add(f"#include <{path}>" if system else f'#include "{path}"')
            case Define(name, value):
                text = self.e(value)
                self.out.add(f"#define {name} {text if isinstance(value, Int | Real | Var) else f'({text})'}")
            case LogicDecl(name, type_):
                self.out.add(f'__DECL({name}, "{self.exprs.type(type_)}");')
            case LogicDef(name, value):
                self.out.add(f'__DEF({name}, "{self.e(value)}");')
            case Axiom(name, prop):
                self.out.add(f'__AXIOM({name}, "{self.e(prop)}");')
            case Function():
                self.function(item)
            case RuleDeclaration(name, rule):
                for line in rule_text(rule, name).splitlines():
                    self.out.add(line)
            case _:
                assert_never(item)

    def function(self, f: Function) -> None:
        self.out.add(f"{self.signature(f)} {{")
        self.out.depth += 1
        self.clauses(f.contract)
        if f.admitted:
            self.out.add("__admitted();")
        if f.contract and f.body:
            self.out.add("")
        self.body(f.body)
        self.out.depth -= 1
        self.out.add("}")

    def signature(self, f: Function) -> str:
        if f.role is Role.GHOST:
            return f"__GHOST({f.name})"
        prefix = "__device__ " if f.role is Role.DEVICE else ""
        result = "void" if f.result == VOID else self.exprs.type(f.result)
        params = ", ".join(self.param(p) for p in f.params) or "void"
        return f"{prefix}{result} {f.name}({params})"

    def param(self, p: Param) -> str:
        return ("const " if p.const else "") + self.declarator(p.name, p.type)

    def declarator(self, name: str, t: Type, const: bool = False) -> str:
        match t:
            case Array(elem, (None, first, *rest)):
                dims = "".join(f"[{self.size(d)}]" for d in (first, *rest))
                return f"{self.exprs.number_type(elem)} (*{'const ' if const else ''}{name}){dims}"
            case Array(elem, dims):
                return f"{self.exprs.number_type(elem)} {name}" + "".join(f"[{self.size(d)}]" for d in dims)
            case Pointer(elem):
                return f"{self.exprs.number_type(elem)}* {'const ' if const else ''}{name}"
            case _:
                return f"{self.exprs.type(t)} {name}"

    def size(self, d: Expr | None) -> str:
        return "" if d is None else self.e(d)

    # Contracts

    def clauses(self, contract: tuple[Clause, ...]) -> None:
        for c in contract:
            if c.items:  # a clause without items, which a script may build, has no text that could be parsed
                text = self.items(c.items)
                self.out.add(f"__{c.kind}({text});" if c.kind == "reverts" else f'__{c.kind}("{text}");')

    def items(self, items: tuple[Item, ...]) -> str:
        return ", ".join((f"{i.name}: " if i.name is not None else "") + self.e(i.body) for i in items)

    # Statements

    def body(self, body: Body) -> None:
        for s in body:
            self.statement(s)

    def nested(self, head: str, body: Body, tail: str = "}") -> None:
        self.out.add(head + " {")
        self.out.depth += 1
        self.body(body)
        self.out.depth -= 1
        if tail:
            self.out.add(tail)

    def statement(self, s: Stmt) -> None:
        match s:
            case Decl():
                self.declaration(s)
            case Store(target, value, op) if op in ATOMICS:
                self.out.add(f"{op}(&{self.e(target)}, {self.e(value)});")
            case Store(target, value, op):
                self.out.add(f"{self.e(target)} {op or ''}= {self.e(value)};")
            case For():
                self.loop(s)
            case If():
                self.conditional(s, "")
            case Block(body):
                self.out.add("{")
                self.out.depth += 1
                self.body(body)
                self.out.depth -= 1
                self.out.add("}")
            case CallStmt(call):
                self.out.add(f"{self.e(call)};")
            case Return(value):
                self.out.add("return;" if value is None else f"return {self.e(value)};")
            case Ghost():
                self.ghost(s)
            case GhostEnd(label):
                self.out.add(f"__GHOST_END({label});")
            case Assert(items):
                self.out.add(f'__ASSERT("{self.items(items)}");')
            case _:
                assert_never(s)

    def declaration(self, s: Decl) -> None:
        word = LOCAL_ARRAYS.get(s.type.space, "") if isinstance(s.type, Array) else ""
        const = "const " if s.const and isinstance(s.type, Scalar) else ""
        pointer = isinstance(s.type, Pointer) or (isinstance(s.type, Array) and s.type.dims[0] is None)
        init = "" if s.init is None else f" = {self.e(s.init)}"
        self.out.add(f"{word}{const}{self.declarator(s.name, s.type, const=pointer and s.const)}{init};")

    def conditional(self, s: If, prefix: str) -> None:
        self.nested(f"{prefix}if ({self.e(s.test)})", s.then, "" if s.other else "}")
        if not s.other:
            return
        if len(s.other) == 1 and isinstance(s.other[0], If):
            self.conditional(s.other[0], "} else ")
        else:
            self.nested("} else", s.other)

    def loop(self, s: For) -> None:
        for hint in self.pragmas(s):
            self.out.add(f"#pragma {hint}")
        word = {Mode.THREAD: "thread for", Mode.MAGIC_THREAD: "magic thread for", Mode.FRAG: "frag for"}.get(
            s.mode, "for"
        )
        self.out.add(f"{word} ({s.index_type.name} {self.loop_head(s.index, s.range)}) {{")
        self.out.depth += 1
        self.clauses(s.contract)
        self.body(s.body)
        self.out.depth -= 1
        self.out.add("}")

    def pragmas(self, s: For) -> list[str]:
        """The pragmas of a loop without `#pragma`: one line for all of OpenMP, one for each other hint."""
        omp = ["parallel for"] if s.mode is Mode.PARALLEL else []
        omp += [h for h in s.hints if h.startswith(OMP_HINTS)]
        return ([f"omp {' '.join(omp)}"] if omp else []) + [h for h in s.hints if not h.startswith(OMP_HINTS)]

    def loop_head(self, i: str, r: LoopRange) -> str:
        if r.amount == Int(1) and r.op in "+-":
            step = f"{i}{r.op}{r.op}"
        else:
            step = f"{i} {r.op}= {self.e(r.amount)}"
        bound = self.exprs.show(r.bound, precedence(r.relation) + 1)
        return f"{i} = {self.e(r.start)}; {i} {r.relation} {bound}; {step}"

    def ghost(self, s: Ghost) -> None:
        args = ", ".join((f"{a.name} := " if a.name else "") + self.e(a.value) for a in s.args)
        binds = ", ".join(f"{name} <- {result}" for name, result in s.binds)
        parts = [s.func] + ([f'"{args}"'] if args or binds else []) + ([f'"{binds}"'] if binds else [])
        if s.func == WITH:
            self.out.add(f'{WITH}("{args}");')
        elif s.label is not None:
            self.out.add(f"__GHOST_BEGIN({', '.join([s.label, *parts])});")
        else:
            self.out.add(f"__ghost({', '.join(parts)});")


def print_program(program: Program) -> str:
    """Annotated C that parses back to the same program."""
    return ProgramPrinter().program(program)


def print_function(f: Function) -> str:
    printer = ProgramPrinter()
    printer.function(f)
    return printer.out.text()


def print_expr(e: Expr) -> str:
    return ExprPrinter().show(e)


def print_type(t: Type) -> str:
    """A type of logical variables, as formulas write it."""
    return ExprPrinter().type(t)
