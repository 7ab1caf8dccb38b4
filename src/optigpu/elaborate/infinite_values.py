"""Variables that may hold INFINITY: where arithmetic has them as operands, they are shown to hold a number by then.

Over the reals, `m - m` is 0 and `m * 0.5f < m` holds for a positive m; of floats, neither does for an infinite m. So the values
that a function may have copied from INFINITY are found by the names of its variables and arrays, in whatever order it assigns them.
The arguments of a function are numbers: a call with an array that may hold INFINITY is refused if the function computes.
"""

from __future__ import annotations

from collections.abc import Iterator

from optigpu.elaborate.infinity import ARITHMETIC, uses_infinity
from optigpu.elaborate.name_scope import unsupported
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import ATOMICS, MATH
from optigpu.syntax.exprs import Alloc, Array, Binary, Call, Cast, Cond, Expr, Index, Unary, Var, is_float
from optigpu.syntax.free_names import expr_names
from optigpu.syntax.program import Decl, Define, Function, Program, Stmt, Store
from optigpu.syntax.source import Loc
from optigpu.syntax.walk import code_exprs, statements, subexpressions

CHOOSING = ("fmax", "fmin", "fabs", "copysign")  # functions whose value is one of their arguments, or its negation
NUMERIC = ("min", "max", "abs")


class InfiniteValues:
    """The names in a function that may stand for INFINITY, or for an array that holds it."""

    def __init__(self, f: Function, program: Program, stored: dict[str, set[int]] | None = None) -> None:
        self.stored = {} if stored is None else stored  # by function, the parameters in which it may store INFINITY
        self.f = f
        self.program = program
        self.used = uses_infinity(f, program)
        self.functions = {g.name: g for g in program.flat_items() if isinstance(g, Function)}
        self.names = {"INFINITY"}
        size = 0
        while self.used and size < len(self.names):
            size = len(self.names)
            for item in program.flat_items():
                if isinstance(item, Define) and not self.names.isdisjoint(expr_names(item.value)):
                    self.names.add(item.name)
            for s in statements(f.body):
                self.names |= self.given(s)

    def given(self, s: Stmt) -> set[str]:
        """The names that may stand for INFINITY after this statement, since others do before it."""
        out: set[str] = set()
        match s:
            case Decl(name, type_, init) if init is not None and not isinstance(init, Alloc):
                if isinstance(type_, Array):  # another name of an array, or the elements of one
                    linked = {name} | expr_names(init)
                    out |= linked if not self.names.isdisjoint(linked) else set()
                elif self.may_be(init):
                    out.add(name)
            case Store(target, value) if self.may_be(value):
                out |= expr_names(target.base if isinstance(target, Index) else target)
            case _:
                pass
        return out.union(*(self.passed(x) for e in code_exprs(s) for x in subexpressions(e) if isinstance(x, Call)))

    def passed(self, call: Call) -> set[str]:
        """The arrays that a call may store INFINITY in: by itself, or by copying it from one to another."""
        if call.func in MATH or call.func in NUMERIC:
            return set()
        arrays = [(i, expr_names(a)) for i, a in enumerate(call.args) if isinstance(a.type, Array)]
        callee = self.functions.get(call.func)
        stored = set() if callee is None else self.stored_parameters(callee)
        copied = self.is_given(call)
        return set().union(*(names for i, names in arrays if copied or i in stored))

    def stored_parameters(self, f: Function) -> set[int]:
        """The positions of the arrays in which a function may store INFINITY of its own."""
        if f.name not in self.stored:
            inner = InfiniteValues(f, self.program, self.stored)
            names = {p.name for p in f.params} if inner.used and f.admitted else inner.names
            self.stored[f.name] = {i for i, p in enumerate(f.params) if p.name in names}
        return self.stored[f.name]

    def is_given(self, call: Call) -> bool:
        """Is an argument of a call INFINITY, or an array that may hold it?"""
        return any(self.is_infinite_argument(a) for a in call.args)

    def is_infinite_argument(self, a: Expr) -> bool:
        if isinstance(a.type, Array):
            return not self.names.isdisjoint(expr_names(a))
        return is_float(a.type) and self.may_be(a)

    def may_be(self, e: Expr) -> bool:
        match e:
            case Var(name):
                return name in self.names
            case Index(base):
                return not self.names.isdisjoint(expr_names(base))
            case Unary(_, arg) | Cast(_, arg):
                return self.may_be(arg)
            case Cond(_, then, other):
                return self.may_be(then) or self.may_be(other)
            case Call(name, args) if chooses(name):
                return any(map(self.may_be, args))
            case Call(name) if name in self.functions:
                return is_float(e.type) and (uses_infinity(self.functions[name], self.program) or self.is_given(e))
            case _:
                return False

    def computes(self) -> bool:
        """Is there arithmetic with values that may be INFINITY?"""
        return self.used and any(
            any(map(self.may_be, operands)) for s in statements(self.f.body) for _, operands in operations_of(s)
        )

    def refuse(self) -> None:
        """Refuse what is not shown to be done with numbers: atomic sums of values that may be INFINITY, and calls of functions
        that compute."""
        for s in statements(self.f.body) if self.used else ():
            if isinstance(s, Store) and s.op in ATOMICS and (self.may_be(s.target) or self.may_be(s.value)):
                raise unsupported(
                    "this may be INFINITY, and there are no proofs about atomic operations with it", s.loc
                )
            for call in (x for e in code_exprs(s) for x in subexpressions(e) if isinstance(x, Call)):
                callee = self.functions.get(call.func)
                if callee is None or not computes(callee, self.program):
                    continue
                for a in filter(self.is_infinite_argument, call.args):
                    message = f"this may be INFINITY, and `{call.func}` computes with numbers"
                    raise unsupported(message, a.loc if a.loc.line else call.loc)


def computes_with_infinity(f: Function, program: Program) -> bool:
    """Does a function, or one that it calls, have arithmetic with values that may be INFINITY?"""
    functions = {g.name: g for g in program.flat_items() if isinstance(g, Function)}
    left, seen = [f], {f.name}
    while left:
        g = left.pop()
        if InfiniteValues(g, program).computes():
            return True
        names = {
            x.func for s in statements(g.body) for e in code_exprs(s) for x in subexpressions(e) if isinstance(x, Call)
        }
        left += [functions[name] for name in names - seen if name in functions]
        seen |= names
    return False


def requires_infinity(f: Function, program: Program) -> bool:
    """Does the precondition speak of INFINITY, so that inputs may be INFINITY?"""
    before = tuple(c for c in f.contract if c.kind not in ("ensures", "produces", "writes"))
    return uses_infinity(replace(f, contract=before, body=()), program)


def chooses(name: str) -> bool:
    return name in NUMERIC or (name in MATH and MATH[name].real_name in CHOOSING)


def operations_of(s: Stmt) -> Iterator[tuple[Loc, tuple[Expr, ...]]]:
    """The operations of a statement on floats, with their operands."""
    if isinstance(s, Store) and s.op is not None and is_float(s.target.type):
        yield s.loc, (s.target, s.value)
    for x in (x for e in code_exprs(s) for x in subexpressions(e)):
        match x:
            case Binary(op, left, right) if op in ARITHMETIC and is_float(x.type):
                yield x.loc, (left, right)
            case Call(name, args) if name in MATH and not chooses(name):
                yield x.loc, args
            case _:
                pass


def computes(f: Function, program: Program) -> bool:
    """Does a function, or one that it calls, have operations on floats? Of one that is assumed nothing is known."""
    if f.admitted or any(True for s in statements(f.body) for _ in operations_of(s)):
        return True
    called = {
        x.func for s in statements(f.body) for e in code_exprs(s) for x in subexpressions(e) if isinstance(x, Call)
    }
    functions = (g for g in program.flat_items() if isinstance(g, Function) and g.name in called - {f.name})
    return any(computes(g, program) for g in functions)
