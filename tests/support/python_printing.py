"""Prints programs as Python: what was parsed from C can then be made of Python, and compared."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator

from optigpu.syntax.builtins import ATOMICS, MATH
from optigpu.syntax.exprs import (
    Alloc,
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
    Type,
    Unary,
    Var,
    is_int,
)
from optigpu.syntax.float_formats import is_stored_float
from optigpu.syntax.printer import ProgramPrinter
from optigpu.syntax.program import (
    Assert,
    Axiom,
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
    LogicDecl,
    LogicDef,
    Mode,
    Program,
    Return,
    Role,
    Stmt,
    Store,
    TopLevel,
)
from optigpu.syntax.types import (
    BF16,
    BOOL,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    INT8,
    INT16,
    INT64,
    TF32,
    UINT,
    UINT8,
    UINT16,
    UINT64,
    VOID,
    Pointer,
    Scalar,
    Space,
)

NAMES = {
    BOOL: "bool_", INT8: "i8", INT16: "i16", INT: "i32", INT64: "i64", UINT8: "u8", UINT16: "u16", UINT: "u32", UINT64: "u64",
    FLOAT: "f32", DOUBLE: "f64", HALF: "f16", BF16: "bf16", TF32: "tf32",
}  # fmt: skip
OPERATORS = {"&&": "and", "||": "or"}
ANNOTATION = re.compile(r"__(\w+)\((.*)\);", re.DOTALL)


class Unprintable(Exception):
    """Part of a program that has no form in Python."""


def printed_in_python(program: Program) -> str:
    lines = [line for item in program.items for line in _item(item)]
    return "from __future__ import annotations\n\nimport math\n\nimport optigpu as og\n\n" + "\n".join(lines) + "\n"


def _item(item: TopLevel) -> Iterator[str]:
    match item:
        case Include(_, True):
            pass
        case Define(name, Int() | Unary("-", Int()) as value):
            yield f"{name} = {_expr(value)}"
        case LogicDecl() | LogicDef() | Axiom():
            name, formula = _annotation(item)
            word = {LogicDecl: "declare", LogicDef: "define", Axiom: "axiom"}[type(item)]
            yield f"og.{word}({formula})"
        case Function(role=Role.HOST):
            yield "\n@og.program"
            if item.admitted:
                yield "@og.admitted"
            for c in item.contract:
                yield f"@og.{c.kind}({_clause(c)})"
            if any(keyword.iskeyword(p.name) for p in item.params):
                raise Unprintable("a keyword")
            params = ", ".join(f"{p.name}: {_type(p.type)}" for p in item.params)
            if any(p.const for p in item.params):
                raise Unprintable("const")
            result = "" if item.result == VOID else f" -> {_type(item.result)}"
            yield f"def {item.name}({params}){result}:"
            yield from _body(item.body)
        case _:
            raise Unprintable(type(item).__name__)


def _clause(c: Clause) -> str:
    printer = ProgramPrinter()
    printer.clauses((c,))
    return _strings(printer.out.text())[1]


def _annotation(item: object) -> tuple[str, str]:
    printer = ProgramPrinter()
    assert isinstance(item, LogicDecl | LogicDef | Axiom)
    printer.item(item)
    word, arguments = _strings(printer.out.text())
    name, _, rest = arguments.partition(",")
    return word, f'"{name}",{rest}'


def _strings(text: str) -> tuple[str, str]:
    match = ANNOTATION.fullmatch(text.strip())
    assert match is not None, text
    return match[1], match[2]


def _type(t: Type) -> str:
    match t:
        case Scalar():
            return f"og.{NAMES[t]}"
        case Array(elem, dims) if None not in dims:
            return f"og.{NAMES[elem]}[{', '.join(_expr(d) for d in dims if d is not None)}]"
        case Pointer(elem):
            return f"og.{NAMES[elem]}[...]"
        case _:
            raise Unprintable("an array without its first size")


def _body(body: Body) -> Iterator[str]:
    lines = [f"    {line}" for s in body for line in _statement(s)]
    yield from lines or ["    pass"]


def _statement(s: Stmt) -> Iterator[str]:
    match s:
        case Decl(name, Scalar() as t, init) if init is not None:
            if is_int(t) != is_int(_bare(init).type) or (not is_int(t) and _bare(init).type != t):
                raise Unprintable("an initial value of another type")
            if is_stored_float(t):
                raise Unprintable("a variable of a type that is only stored")
            yield f"{name}: og.{NAMES[t]} = {_expr(init)}"
        case Decl(name, Array(elem, dims, Space.ANY), None):
            yield f"{name} = og.local(og.{NAMES[elem]}[{', '.join(_expr(d) for d in dims if d is not None)}])"
        case Decl(name, Pointer(), Alloc(elem, dims, Space.ANY), True):
            yield f"{name} = og.empty(og.{NAMES[elem]}[{', '.join(map(_expr, dims))}])"
        case Store(target, value, op):
            if op in ATOMICS or (op in ("/", "%") and is_int(target.type)):
                raise Unprintable(f"{op}=")
            yield f"{_expr(target)} {op or ''}= {_expr(value)}"
        case For():
            yield from _loop(s)
        case If(test, then, other):
            yield f"if {_expr(test)}:"
            yield from _body(then)
            if other:
                yield "else:"
                yield from _body(other)
        case CallStmt(Call("free")):
            pass
        case CallStmt(call):
            yield _expr(call)
        case Return(value):
            yield "return" if value is None else f"return {_expr(value)}"
        case Ghost() | GhostEnd() | Assert():
            yield _step(s)
        case _:
            raise Unprintable(type(s).__name__)


def _step(s: Ghost | GhostEnd | Assert) -> str:
    printer = ProgramPrinter()
    printer.statement(s)
    word, arguments = _strings(printer.out.text())
    names = {"ghost": 1, "GHOST_BEGIN": 2, "GHOST_END": 1}.get(word, 1 if not arguments.startswith('"') else 0)
    parts = arguments.split(", ", names)
    quoted = [f'"{p}"' for p in parts[:names]] + parts[names:]
    renamed = {"GHOST_BEGIN": "ghost_begin", "GHOST_END": "ghost_end", "ASSERT": "assertion", "with": "with_"}
    return f"og.{renamed.get(word, word)}({', '.join(quoted)})"


def _loop(s: For) -> Iterator[str]:
    r, start, bound = s.range, _expr(s.range.start), _expr(s.range.bound)
    options = []
    for h in s.hints:
        if h not in ("simd", "unroll") and not re.fullmatch(r"unroll \d+|num_threads\(\d+\)", h):
            raise Unprintable(h)
        options.append({"simd": "simd=True", "unroll": "unroll=True"}.get(h, re.sub(r" |\((\d+)\)", r"=\1", h)))
    options += ["parallel=True"] if s.mode is Mode.PARALLEL else []
    wide = any(_bare(e).type == INT64 for e in (r.start, r.bound, r.amount))
    if s.mode not in (Mode.PARALLEL, Mode.SEQUENTIAL) or s.index_type != (INT64 if wide else INT):
        raise Unprintable("loop")
    match r.op, r.relation:
        case "+", "<":
            called = f"range({start}, {bound}, {_expr(r.amount)}"
        case "-", ">" if r.bound != Int(-1):
            called = f"range({start}, {bound}, -({_expr(r.amount)})"
        case "-", ">=" if r.bound == Int(0):
            called = f"range({start}, -1, -({_expr(r.amount)})"
        case "*", "<":
            called = f"doubling({start}, {bound}, {_expr(r.amount)}"
        case "/", ">":
            called = f"halving({start}, {bound}, {_expr(r.amount)}"
        case _:
            raise Unprintable("range")
    yield f"for {s.index} in og.{', '.join([called, *options])}):"
    for c in s.contract:
        yield f"    og.{c.kind}({'' if c.kind == 'strict' else _clause(c)})"
    yield from _body(s.body)


def _bare(e: Expr) -> Expr:
    return _bare(e.arg) if isinstance(e, Cast) and e.implicit else e


def _expr(e: Expr) -> str:
    match e:
        case Cast(_, arg, True):
            return _expr(arg)
        case Cast(to, arg):
            if _bare(arg).type == to:
                raise Unprintable("a cast to its own type")
            return f"og.{NAMES[to]}({_expr(arg)})"
        case Int(value, None):
            return str(value)
        case Real(value, t):
            return f"og.{NAMES[t]}({float(value)!r})"
        case Bool(value):
            return str(value)
        case Var("INFINITY"):
            return "og.inf"
        case Var(name):
            return name
        case Unary("!", arg):
            return f"(not {_expr(arg)})"
        case Unary(op, arg):
            return f"({op}({_expr(arg)}))"
        case Binary("/" | "%" as op, left, right) if is_int(e.type):
            return f"og.{'quotient' if op == '/' else 'remainder'}({_expr(left)}, {_expr(right)})"
        case Binary(op, left, right):
            return f"({_expr(left)} {OPERATORS.get(op, op)} {_expr(right)})"
        case Cond(test, then, other):
            return f"({_expr(then)} if {_expr(test)} else {_expr(other)})"
        case Index(Var(name), indices):
            return f"{name}[{', '.join(map(_expr, indices))}]"
        case Call(name, args) if name in MATH:
            module = "og" if name.endswith("f") and name not in ("erf",) else "math"
            word = MATH[name].real_name
            return f"{module}.{word}({', '.join(map(_expr, args))})"
        case Call("exact_div", args):
            return f"og.exact_div({', '.join(map(_expr, args))})"
        case Call(name, args):
            return f"{name}({', '.join(map(_expr, args))})"
        case _:
            raise Unprintable(type(e).__name__)
