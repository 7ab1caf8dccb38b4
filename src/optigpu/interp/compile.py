"""Programs to Python closures: the executable semantics, one closure per expression and statement.

A closure takes the machine and the frame (a list with one slot per local name). Expressions return numbers or views; a body returns
the value of its `return`, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from optigpu.interp.memory import View
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.values import (
    REAL_OPERATIONS,
    Number,
    bitwise,
    convert,
    exact_divide,
    fit,
    real_divide,
    shift,
    truncating_divide,
    truncating_remainder,
)
from optigpu.syntax.builtins import INT_CONSTANTS, MATH, index_helper
from optigpu.syntax.exprs import (
    Addr,
    Alloc,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Index,
    Int,
    Real,
    SizeOf,
    Unary,
    Var,
)
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Decl,
    Define,
    For,
    Function,
    Ghost,
    GhostEnd,
    If,
    Mode,
    Program,
    Return,
    Role,
    Stmt,
    Store,
)
from optigpu.syntax.scopes import assigned_names, is_cell
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Array, Kind, Scalar, Type, is_bool, is_float, is_int

if TYPE_CHECKING:
    from optigpu.interp.machine import Machine

Frame: TypeAlias = list[Any]
Code: TypeAlias = "Callable[[Machine, Frame], Any]"


class CompiledFunction:
    """A function ready to run. `names` says which slot of the frame holds which parameter."""

    def __init__(self, function: Function, size: int, body: Code, dims: list[list[Code] | None], scope: Slots) -> None:
        self.function = function
        self.size = size
        self.body = body
        self.dims = dims  # of array parameters, to be compared with what the caller passes
        self.scope = scope


class Slots:
    """Which slot and kind each visible name has; the compile-time image of a scope."""

    def __init__(self, parent: Slots | None, counter: list[int]) -> None:
        self.names: dict[str, tuple[int, bool]] = dict(parent.names) if parent else {}
        self.counter = counter

    def new(self, name: str, cell: bool) -> int:
        slot = self.counter[0]
        self.counter[0] += 1
        self.names[name] = (slot, cell)
        return slot


def compile_program(program: Program) -> dict[str, CompiledFunction]:
    functions = [f for f in program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST]
    names = frozenset(f.name for f in functions)
    return {f.name: _Compiler(f, program, names).run() for f in functions}


class _Compiler:
    def __init__(self, function: Function, program: Program, names: frozenset[str]) -> None:
        self.f = function
        self.functions = names
        self.assigned = assigned_names(function.body)
        self.counter = [0]
        self.defines = {d.name: d.value for d in program.flat_items() if isinstance(d, Define)}

    def run(self) -> CompiledFunction:
        scope = Slots(None, self.counter)
        for p in self.f.params:
            scope.new(p.name, False)
        dims: list[list[Code] | None] = []
        for p in self.f.params:
            declared = p.type.dims if isinstance(p.type, Array) else ()
            known = [self.expr(d, scope) for d in declared[1:] if d is not None]
            dims.append(known if isinstance(p.type, Array) else None)
        body = self.body(self.f.body, Slots(scope, self.counter))
        return CompiledFunction(self.f, self.counter[0], body, dims, scope)

    # Expressions

    def expr(self, e: Expr, scope: Slots) -> Code:
        match e:
            case Int(value) | Bool(value):
                return constant(value)
            case Real(value):
                return constant(value.numerator if value.denominator == 1 else value)
            case SizeOf(of):
                return constant(of.size)
            case Var():
                return self.variable(e, scope)
            case Unary():
                return self.unary(e, scope)
            case Binary():
                return self.binary(e, scope)
            case Cond(test, then, other):
                t, a, b = self.expr(test, scope), self.expr(then, scope), self.expr(other, scope)
                return lambda m, f: a(m, f) if t(m, f) else b(m, f)
            case Cast(to, arg):
                inner, loc = self.expr(arg, scope), e.loc
                return lambda m, f: convert(inner(m, f), to, loc)
            case Index():
                return self.index(e, scope)
            case Addr(arg):
                return self.address(arg, scope)
            case Call():
                return self.call(e, scope)
            case _:
                raise CannotEvaluate("this is not a program expression", e.loc)

    def variable(self, e: Var, scope: Slots) -> Code:
        found = scope.names.get(e.name)
        if found is None:
            if e.name in self.defines:
                return self.expr(self.defines[e.name], Slots(None, self.counter))
            if e.name in INT_CONSTANTS:
                return constant(INT_CONSTANTS[e.name])
            return constant(float("inf"))  # INFINITY: the type checker lets no other name through
        slot, cell = found
        loc = e.loc
        if cell:
            return lambda m, f: m.load(f[slot], (0,), loc)
        return lambda m, f: f[slot]

    def unary(self, e: Unary, scope: Slots) -> Code:
        arg, loc = self.expr(e.arg, scope), e.loc
        if e.op == "!":
            return lambda m, f: not arg(m, f)
        t = e.type
        if e.op == "~":
            return lambda m, f: bitwise("^", arg(m, f), (1 << 31) - 1, loc)
        if isinstance(t, Scalar) and t.kind is Kind.INT:
            return lambda m, f: fit(-arg(m, f), t, loc, "the result")
        return lambda m, f: -arg(m, f)

    def binary(self, e: Binary, scope: Slots) -> Code:
        left, right = self.expr(e.left, scope), self.expr(e.right, scope)
        if e.op == "&&":
            return lambda m, f: left(m, f) and right(m, f)
        if e.op == "||":
            return lambda m, f: left(m, f) or right(m, f)
        operation = binary_operation(e.op, e.left.type, e.type, e.loc)
        return lambda m, f: operation(left(m, f), right(m, f))

    def index(self, e: Index, scope: Slots) -> Code:
        base = self.expr(e.base, scope)
        indices = [self.expr(i, scope) for i in e.indices]
        loc = e.loc
        if isinstance(e.type, Array):
            return lambda m, f: base(m, f).row(tuple([i(m, f) for i in indices]))
        if len(indices) == 1:
            only = indices[0]
            return lambda m, f: m.load(base(m, f), (only(m, f),), loc)
        return lambda m, f: m.load(base(m, f), tuple([i(m, f) for i in indices]), loc)

    def address(self, arg: Expr, scope: Slots) -> Code:
        match arg:
            case Var(name):
                slot, _ = scope.names[name]
                return lambda m, f: f[slot]
            case Index(base, indices):
                b = self.expr(base, scope)
                codes = [self.expr(i, scope) for i in indices]
                return lambda m, f: b(m, f).address(tuple([i(m, f) for i in codes]))
            case _:
                raise CannotEvaluate("the address of this cannot be taken", arg.loc)

    def call(self, e: Call, scope: Slots) -> Code:
        args = [self.expr(a, scope) for a in e.args]
        loc, name, t = e.loc, e.func, e.type
        if name in self.functions:
            return lambda m, f: m.call(name, [a(m, f) for a in args], loc)
        if name in MATH:
            operation = REAL_OPERATIONS[MATH[name].real_name]
            return lambda m, f: operation(*[a(m, f) for a in args])
        if name in ("min", "max"):
            pick = min if name == "min" else max
            return lambda m, f: pick(args[0](m, f), args[1](m, f))
        if name == "abs":
            only = args[0]
            assert isinstance(t, Scalar)
            return (
                (lambda m, f: fit(abs(only(m, f)), t, loc, "the result"))
                if is_int(t)
                else (lambda m, f: abs(only(m, f)))
            )
        if name == "exact_div":
            return lambda m, f: exact_divide(args[0](m, f), args[1](m, f), loc)
        helper = index_helper(name)
        if helper is not None:
            assert isinstance(t, Scalar)
            linear = linear_index(helper)
            return lambda m, f: fit(linear([a(m, f) for a in args]), t, loc, "the index")
        raise CannotEvaluate(f"`{name}` cannot be run yet", loc)

    # Statements

    def body(self, body: Body, scope: Slots) -> Code:
        codes = [c for s in body if (c := self.statement(s, scope)) is not None]
        if len(codes) == 1:
            return codes[0]

        def run(m: Machine, f: Frame) -> Any:
            result = None
            for c in codes:
                result = c(m, f)
            return result

        return run

    def statement(self, s: Stmt, scope: Slots) -> Code | None:
        match s:
            case Decl():
                return self.declaration(s, scope)
            case Store():
                return self.store(s, scope)
            case For():
                return self.loop(s, scope)
            case If(test, then, other):
                t = self.expr(test, scope)
                a, b = self.body(then, Slots(scope, self.counter)), self.body(other, Slots(scope, self.counter))

                def branch(m: Machine, f: Frame) -> None:
                    m.step()
                    if t(m, f):
                        a(m, f)
                    else:
                        b(m, f)

                return branch
            case Block(inner):
                return self.body(inner, Slots(scope, self.counter))
            case CallStmt(call):
                return self.call_statement(call, scope)
            case Return(value):
                return self.expr(value, scope) if value is not None else None
            case Ghost() | GhostEnd():
                return None
            case Assert(items):
                names = dict(scope.names)
                return lambda m, f: m.check_assertions(items, names, f)
            case _:
                assert_never(s)

    def declaration(self, s: Decl, scope: Slots) -> Code:
        name, loc = s.name, s.loc
        init = s.init
        if isinstance(s.type, Scalar):
            value = None if init is None else self.expr(init, scope)
            elem, cell = s.type, is_cell(s, self.assigned)
            slot = scope.new(name, cell)
            if not cell:
                assert value is not None
                known = value

                def define(m: Machine, f: Frame) -> None:
                    f[slot] = known(m, f)

                return define

            def declare(m: Machine, f: Frame) -> None:
                start = None if value is None else value(m, f)
                view = m.allocate(name, elem, (1,), loc, heap=False)
                if start is not None:
                    m.store(view, (0,), start, loc)
                f[slot] = view

            return declare
        if isinstance(init, Alloc):
            dims, alloc_elem = [self.expr(d, scope) for d in init.dims], init.elem
            slot = scope.new(name, False)
            space = init.space

            def allocate(m: Machine, f: Frame) -> None:
                f[slot] = m.allocate(name, alloc_elem, tuple([d(m, f) for d in dims]), loc, heap=True, space=space)

            return allocate
        if init is not None:
            pointer = self.expr(init, scope)
            slot = scope.new(name, False)

            def alias(m: Machine, f: Frame) -> None:
                f[slot] = pointer(m, f)

            return alias
        assert isinstance(s.type, Array)
        array = s.type
        sizes = [self.expr(d, scope) for d in array.dims if d is not None]
        slot = scope.new(name, False)

        def local(m: Machine, f: Frame) -> None:
            f[slot] = m.allocate(name, array.elem, tuple([d(m, f) for d in sizes]), loc, heap=False, space=array.space)

        return local

    def store(self, s: Store, scope: Slots) -> Code:
        loc = s.target.loc if s.target.loc.line else s.loc
        value = self.expr(s.value, scope)
        if isinstance(s.target, Var):
            slot, _ = scope.names[s.target.name]

            def place(m: Machine, f: Frame) -> tuple[View, tuple[int, ...]]:
                return f[slot], (0,)
        else:
            base = self.expr(s.target.base, scope)
            indices = [self.expr(i, scope) for i in s.target.indices]

            def place(m: Machine, f: Frame) -> tuple[View, tuple[int, ...]]:
                return base(m, f), tuple([i(m, f) for i in indices])

        target_type = s.target.type
        assert isinstance(target_type, Scalar)
        if s.op is None:

            def assign(m: Machine, f: Frame) -> None:
                m.step()
                view, index = place(m, f)
                m.store(view, index, value(m, f), loc)

            return assign
        operation = binary_operation(s.op, s.value.type if s.op not in ("<<", ">>") else target_type, s.value.type, loc)

        def update(m: Machine, f: Frame) -> None:
            m.step()
            view, index = place(m, f)
            old = m.load(view, index, loc)
            m.store(view, index, convert(operation(old, value(m, f)), target_type, loc), loc)

        return update

    def call_statement(self, call: Call, scope: Slots) -> Code:
        args = [self.expr(a, scope) for a in call.args]
        loc = call.loc
        if call.func in self.functions:
            name = call.func

            def run(m: Machine, f: Frame) -> None:
                m.call(name, [a(m, f) for a in args], loc)

            return run
        if call.func == "free":
            return lambda m, f: m.free(args[0](m, f), loc)
        raise CannotEvaluate(f"`{call.func}` cannot be run yet", loc)

    def loop(self, s: For, scope: Slots) -> Code:
        r = s.range
        start, bound, amount = (self.expr(x, scope) for x in (r.start, r.bound, r.amount))
        inner = Slots(scope, self.counter)
        slot = inner.new(s.index, False)
        names = dict(inner.names)
        body = self.body(s.body, Slots(inner, self.counter))
        index_type, loc, contract = s.index_type, s.loc, s.contract
        advance = next_value(r.op, loc)
        continues = COMPARE[r.relation]

        def values(m: Machine, f: Frame) -> Any:
            """The values of the index as C computes them, bound and step evaluated each time; then the first not taken."""
            i = start(m, f)
            while continues(i, bound(m, f)):
                m.step()
                yield i
                i = fit(advance(i, amount(m, f)), index_type, loc, f"the index `{s.index}`")
            return i

        if s.mode in (Mode.THREAD, Mode.MAGIC_THREAD):
            raise CannotEvaluate("thread loops cannot be run yet", loc)
        if s.meaning is Mode.PARALLEL:
            return lambda m, f: m.parallel_loop(values(m, f), slot, body, f, contract, names)
        if contract:
            return lambda m, f: m.annotated_loop(values(m, f), slot, body, f, contract, names)

        def run(m: Machine, f: Frame) -> None:
            for i in values(m, f):
                f[slot] = i
                body(m, f)

        return run


COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def constant(value: Number) -> Code:
    return lambda m, f: value


def next_value(op: str, loc: Loc) -> Callable[[int, int], int]:
    """The step of a loop; one that gets nowhere would never end."""

    def step(i: int, amount: int) -> int:
        match op:
            case "+":
                new, moves = i + amount, amount > 0
            case "-":
                new, moves = i - amount, amount > 0
            case "*":
                new, moves = i * amount, i > 0 and amount > 1
            case "/":
                new, moves = truncating_divide(i, amount, loc), i > 0 and amount > 1
            case "<<":
                new, moves = shift("<<", i, amount, 0, loc), i > 0 and amount > 0
            case _:
                new, moves = shift(">>", i, amount, 0, loc), i > 0 and amount > 0
        if not moves:
            raise Misbehaviour("OG216", f"this loop does not end: from {i} it steps to {new}", loc)
        return new

    return step


def binary_operation(op: str, operands: Type | None, result: Type | None, loc: Loc) -> Callable[[Any, Any], Any]:
    """A strict binary operator on operands of one type. Comparison of reals is exact where the values are."""
    match op:
        case "<" | "<=" | ">" | ">=":
            return COMPARE[op]
        case "==":
            return lambda a, b: a == b
        case "!=":
            return lambda a, b: a != b
        case _:
            pass
    if is_float(operands) or is_float(result):
        match op:
            case "+":
                return lambda a, b: a + b
            case "-":
                return lambda a, b: a - b
            case "*":
                return lambda a, b: a * b
            case "/":
                return lambda a, b: real_divide(a, b, loc)
            case _:
                raise CannotEvaluate(f"`{op}` on floats", loc)
    t = result if isinstance(result, Scalar) and not is_bool(result) else None
    assert t is not None
    operation = integer_operation(op, t.bits, loc)
    return lambda a, b: fit(operation(a, b), t, loc, "the result")


def integer_operation(op: str, bits: int, loc: Loc) -> Callable[[int, int], int]:
    match op:
        case "+":
            return lambda a, b: a + b
        case "-":
            return lambda a, b: a - b
        case "*":
            return lambda a, b: a * b
        case "/":
            return lambda a, b: truncating_divide(a, b, loc)
        case "%":
            return lambda a, b: truncating_remainder(a, b, loc)
        case "<<" | ">>":
            return lambda a, b: shift(op, a, b, bits, loc)
        case "&" | "|" | "^":
            return lambda a, b: bitwise(op, a, b, loc)
        case _:
            raise CannotEvaluate(f"the operator `{op}`", loc)


def linear_index(helper: tuple[str, int]) -> Callable[[Sequence[int]], int]:
    """MSIZEn, MINDEXn and DMINDEXn, row-major."""
    stem, rank = helper

    def size(args: Sequence[int]) -> int:
        out = 1
        for n in args:
            out *= n
        return out

    def index(args: Sequence[int]) -> int:
        out = 0
        for n, i in zip(args[:rank], args[rank:]):
            out = out * n + i
        return out

    return size if stem == "MSIZE" else index
