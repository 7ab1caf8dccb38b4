"""What is checked when a function is entered: facts of its contract about sizes, and that sizes fit the indices of its kernels."""

from __future__ import annotations

from dataclasses import replace

from optigpu.codegen.cuda.arithmetic import Ranges, const
from optigpu.codegen.cuda.text import MAX_INDEX
from optigpu.frontend.shapes import effective_types
from optigpu.syntax.exprs import Binary, Bool, Expr, Int, TypeOf, Unary, Var
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Function
from optigpu.syntax.types import BOOL, INT, Array, Scalar, is_int
from optigpu.syntax.walk import rewrite, subexpressions

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def requirements(f: Function) -> tuple[list[tuple[str, Expr]], list[str]]:
    """(text, checkable condition) for the facts that the arguments alone decide, and the texts of the others."""
    integers = {p.name for p in f.params if is_int(p.type)}
    checked: list[tuple[str, Expr]] = []
    assumed: list[str] = []
    for c in f.contract:
        for i in c.items if c.kind == "requires" else ():
            if isinstance(i.body, TypeOf):
                continue
            if decidable(i.body, integers):
                checked.append((print_expr(i.body), machine(i.body)))
            else:
                assumed.append(print_expr(i.body))
    known = {text for text, _ in checked}
    first: list[tuple[str, Expr]] = []
    for d in sizes(f):
        text = f"{print_expr(d)} >= 0"
        if not isinstance(d, Int) and text not in known and decidable(d, integers):
            known.add(text)
            first.append((text, Binary(">=", machine(d), Int(0, type=INT), type=BOOL)))
    return first + checked, assumed


def sizes(f: Function) -> list[Expr]:
    return [d for t in effective_types(f) if isinstance(t, Array) for d in t.dims if d is not None]


def decidable(e: Expr, integers: set[str]) -> bool:
    for x in subexpressions(e):
        match x:
            case Var(name):
                if name not in integers:
                    return False
            case Binary("/" | "%", _, right):
                if not isinstance(right, Int) or right.value == 0:
                    return False
            case Binary(op):
                if op not in ("+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "==>"):
                    return False
            case Int() | Bool() | Unary("!" | "-"):
                pass
            case _:
                return False
    return True


def machine(e: Expr) -> Expr:
    """A fact as a condition of C++."""

    def step(x: Expr) -> Expr:
        if isinstance(x, Binary) and x.op == "==>":
            return Binary("||", Unary("!", x.left, type=BOOL), x.right, type=BOOL)
        return replace(x, type=INT if is_int(x.type) else BOOL)

    return rewrite(e, step)


def negated(e: Expr) -> Expr:
    """The opposite of a condition of C++."""
    match e:
        case Binary(op, a, b) if op in OPPOSITE:
            return Binary(OPPOSITE[op], a, b, type=BOOL)
        case Binary("&&", a, b):
            return Binary("||", negated(a), negated(b), type=BOOL)
        case Binary("||", a, b):
            return Binary("&&", negated(a), negated(b), type=BOOL)
        case Unary("!", arg):
            return arg
        case _:
            return Unary("!", e, type=BOOL)


def parameter_ranges(f: Function) -> Ranges:
    """What the checks at entry leave possible."""
    ranges = Ranges()
    least: dict[str, int] = {}
    most: dict[str, int] = {}
    for d in sizes(f):
        if isinstance(d, Var):
            least[d.name] = 0
    for c in f.contract:
        for i in c.items if c.kind == "requires" else ():
            match i.body:
                case Binary(">=", Var(name), Int(value)) | Binary("<=", Int(value), Var(name)):
                    least[name] = max(least.get(name, value), value)
                case Binary(">", Var(name), Int(value)) | Binary("<", Int(value), Var(name)):
                    least[name] = max(least.get(name, value + 1), value + 1)
                case Binary("<=", Var(name), Int(value)) | Binary(">=", Int(value), Var(name)):
                    most[name] = min(most.get(name, value), value)
                case Binary("<", Var(name), Int(value)) | Binary(">", Int(value), Var(name)):
                    most[name] = min(most.get(name, value - 1), value - 1)
                case Binary("==", Var(name), Int(value)) | Binary("==", Int(value), Var(name)):
                    least[name] = max(least.get(name, value), value)
                    most[name] = min(most.get(name, value), value)
                case _:
                    pass
    for p in f.params:
        if isinstance(p.type, Scalar) and is_int(p.type):
            limit = MAX_INDEX if p.type == INT else p.type.high
            low, high = max(least.get(p.name, p.type.low), p.type.low), min(most.get(p.name, limit), limit)
            if low <= high:
                ranges = ranges.having(p.name, const(low), const(high))
    return ranges
