"""What a small function of floats returns, as a formula: its contract need not repeat its code.

The formula is one more clause of the postcondition. Like a written one it is proved of the body before a caller uses it, so a wrong
formula here would make a function fail, and nothing else. A function that is admitted has no such clause: its body is not proved.
"""

from __future__ import annotations

from dataclasses import field

from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import MATH
from optigpu.syntax.exprs import Binary, Call, Cast, Cond, Expr, Int, Real, Unary, Var, is_float
from optigpu.syntax.operators import COMPARISONS
from optigpu.syntax.program import Decl, Function, Program, Return, Role
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Kind, Scalar
from optigpu.syntax.walk import children, rewrite

LARGEST = 200  # nodes of a formula


def returned_value(f: Function, program: Program) -> Expr | None:
    """The result of a function of numbers as a formula of its parameters: one that returns an expression of floats, possibly after
    declaring constants, and whose contract promises nothing. None for other functions."""
    return _Results({g.name: g for g in program.flat_items() if isinstance(g, Function)}).of(f)


@dataclass
class _Results:
    """Results of the functions of a program, by name; None where they are no formulas."""

    functions: dict[str, Function]
    known: dict[str, Expr | None] = field(default_factory=dict)

    def of(self, f: Function) -> Expr | None:
        if f.name not in self.known:
            self.known[f.name] = None  # what a recursive function returns is no formula
            self.known[f.name] = self._computed(f)
        return self.known[f.name]

    def _computed(self, f: Function) -> Expr | None:
        if f.admitted or f.role is Role.GHOST or any(c.kind == "ensures" for c in f.contract):
            return None
        if not is_float(f.result) or not all(isinstance(p.type, Scalar) for p in f.params):
            return None
        *constants, last = f.body or (None,)
        if not isinstance(last, Return) or last.value is None or assigned_names(f.body):
            return None
        parameters = {p.name for p in f.params}
        values: dict[str, Expr] = {}
        for s in constants:
            if not isinstance(s, Decl) or s.init is None or s.name in parameters | values.keys():
                return None
            values[s.name] = substitute(self._without_calls(s.init), dict(values))
        value = substitute(self._without_calls(last.value), dict(values))
        return value if _is_formula(value, parameters) else None

    def _without_calls(self, e: Expr) -> Expr:
        """An expression with calls of such functions replaced by what they return."""

        def result(x: Expr) -> Expr:
            f = self.functions.get(x.func) if isinstance(x, Call) else None
            value = None if f is None else self.of(f)
            if f is None or value is None or not isinstance(x, Call):
                return x
            return substitute(value, dict(zip((p.name for p in f.params), x.args)))

        return rewrite(e, result)


def _is_formula(e: Expr, parameters: set[str]) -> bool:
    """Has the expression the same value in a formula? Then it has no integer arithmetic, which may wrap around, reads no
    memory, and calls no function of the program."""
    nodes = [e]
    for x in nodes:  # grows while it is read
        nodes += children(x)
        if len(nodes) > LARGEST:
            return False
    return all(_is_formula_node(x, parameters) for x in nodes)


def _is_formula_node(e: Expr, parameters: set[str]) -> bool:
    match e:
        case Var(name):
            return name in parameters
        case Int() | Real():
            return True
        case Cast(to, arg):
            return to.kind is Kind.FLOAT and isinstance(arg.type, Scalar) and arg.type.kind is not Kind.BOOL
        case Unary("-") | Cond():
            return is_float(e.type)
        case Binary(op) if op in COMPARISONS or op in ("&&", "||"):
            return True
        case Binary("+" | "-" | "*" | "/"):
            return is_float(e.type)
        case Call(func):
            return func in MATH
        case _:
            return False
