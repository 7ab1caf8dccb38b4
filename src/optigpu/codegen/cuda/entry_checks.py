"""Checks of an entry point: preconditions on integer arguments, and sizes that fit the kernels' indices."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.codegen.parameters import sizes
from optigpu.codegen.value_ranges import Ranges
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import WRAPS
from optigpu.syntax.exprs import Binary, Bool, Call, Cast, Expr, Int, TypeOf, Unary, Var, is_int
from optigpu.syntax.parameter_sizes import claimed_sizes, size_preconditions
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Function
from optigpu.syntax.types import BOOL, INT, INT64, SCALAR_NAMES, UINT64, Scalar
from optigpu.syntax.unfolding import unfolded, visible_definitions
from optigpu.syntax.walk import rewrite, subexpressions

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def requirements(f: Function, definitions: Mapping[str, Expr]) -> tuple[list[tuple[str, Expr]], list[str]]:
    """(text, C++ condition) of the preconditions that integer arguments decide, and the texts of all others."""
    definitions_seen = visible_definitions(f, definitions)
    integers = {p.name: p.type for p in f.params if isinstance(p.type, Scalar) and is_int(p.type)}
    checked: list[tuple[str, Expr]] = []
    assumed: list[str] = []
    for c in f.contract:
        for i in c.items if c.kind == "requires" else ():
            if isinstance(i.body, TypeOf):
                continue
            fact = unfolded(i.body, definitions_seen)
            condition = machine(fact, integers) if decided_by_arguments(fact, integers) else None
            if condition is not None and computable(condition):
                checked.append((print_expr(i.body), condition))
            else:
                assumed.append(print_expr(i.body))
    known = {text for text, _ in checked}
    first: list[tuple[str, Expr]] = []
    for d in sizes(f):
        text = f"{print_expr(d)} >= 0"
        if not isinstance(d, Int) and text not in known and decided_by_arguments(d, integers):
            known.add(text)
            first.append((text, Binary(">=", machine(d, integers), Int(0, type=INT), type=BOOL)))
    for fact in (*size_preconditions(f), *claimed_sizes(f)):
        text, fact = print_expr(fact), unfolded(fact, definitions_seen)
        if text in known:
            continue
        known.add(text)
        if decided_by_arguments(fact, integers):
            first.append((text, machine(fact, integers)))
        else:
            assumed.append(text)
    return first + checked, assumed


def decided_by_arguments(e: Expr, integers: Mapping[str, Scalar]) -> bool:
    """Whether a fact depends on integer arguments alone, by operations that C++ can evaluate."""
    for x in subexpressions(e):
        match x:
            case Var(name):
                if name not in integers or (integers[name] == UINT64 and not compared_alone(e)):
                    return False
            case Binary("/" | "%", _, right):
                if not isinstance(right, Int) or right.value == 0:
                    return False
            case Binary(op):
                if op not in ("+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "==>"):
                    return False
            case Int() | Bool() | Unary("!" | "-"):
                pass
            case Call(name) if WRAPS.get(name, INT64.bits) < INT64.bits:  # the value fits int64_t
                pass
            case _:
                return False
    return True


def computable(condition: Expr) -> bool:
    """Whether all integers in a condition fit 64 bits, for all arguments."""
    numbers = [x for x in subexpressions(condition) if is_int(x.type)]
    return all(Ranges().fits(x, INT64) or Ranges().fits(x, UINT64) for x in numbers)


def compared_alone(e: Expr) -> bool:
    """Whether the fact compares a variable with a non-negative literal (`n < 8`), which is safe for uint64_t."""
    return isinstance(e, Binary) and isinstance(e.left, Var) and isinstance(e.right, Int) and e.right.value >= 0


def machine(e: Expr, integers: Mapping[str, Scalar]) -> Expr:
    """A fact as a C++ condition."""

    def step(x: Expr) -> Expr:
        if isinstance(x, Binary) and x.op == "==>":
            return Binary("||", Unary("!", x.left, type=BOOL), x.right, type=BOOL)
        if isinstance(x, Var):
            return replace(x, type=integers[x.name])
        if isinstance(x, Call):
            t = SCALAR_NAMES[f"uint{WRAPS[x.func]}_t"]
            return Cast(t, x.args[0], type=t)
        return replace(x, type=INT if is_int(x.type) else BOOL)

    return rewrite(e, step)


def negated(e: Expr) -> Expr:
    """The negation of a C++ condition."""
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
