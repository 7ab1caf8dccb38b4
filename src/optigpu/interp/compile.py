"""Programs to Python closures: the executable semantics, one closure per expression and statement.

A closure takes the machine and the frame (a list with one slot per local name). Expressions return numbers or views; a body returns
the value of its `return`, or None.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, assert_never

from optigpu.frontend.conversions import promoted
from optigpu.interp.machine import Closure, CompiledFunction, Frame, Machine
from optigpu.interp.memory import MemoryView, formed
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import REAL_OPERATIONS, Number, convert, exact_divide, fit, rounded, wrap
from optigpu.interp.operator_semantics import COMPARE, binary_operation, linear_index, next_value
from optigpu.syntax.builtins import INT_CONSTANTS, MATH, SHUFFLES, VECTOR_CALLS, index_helper
from optigpu.syntax.exprs import (
    Addr,
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
    SizeOf,
    Unary,
    Var,
)
from optigpu.syntax.free_names import free_vars
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
    is_call,
)
from optigpu.syntax.scopes import assigned_names, is_cell
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Kind, Scalar, Space
from optigpu.syntax.walk import is_constant, subexpressions


class Slots:
    """Which slot and kind each visible name has; the compile-time image of a scope."""

    def __init__(self, parent: Slots | None, counter: list[int]) -> None:
        self.names: dict[str, tuple[int, bool]] = dict(parent.names) if parent else {}
        self.device_names: set[str] = set(parent.device_names) if parent else set()  # of device code that is over
        self.counter = counter

    def new(self, name: str, cell: bool) -> int:
        slot = self.counter[0]
        self.counter[0] += 1
        self.names[name] = (slot, cell)
        self.device_names.discard(name)
        return slot


def compile_program(program: Program) -> dict[str, CompiledFunction]:
    functions = [f for f in program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST]
    names = frozenset(f.name for f in functions)
    keys = [0]
    return {f.name: _Compiler(f, program, names, keys).run() for f in functions}


class _Compiler:
    def __init__(self, function: Function, program: Program, names: frozenset[str], keys: list[int]) -> None:
        self.f = function
        self.keys = keys
        self.functions = names
        self.assigned = assigned_names(function.body)
        self.counter = [0]
        self.defines = {d.name: d.value for d in program.flat_items() if isinstance(d, Define)}

    def run(self) -> CompiledFunction:
        scope = Slots(None, self.counter)
        for p in self.f.params:
            scope.new(p.name, False)
        dims: list[list[Closure] | None] = []
        for p in self.f.params:
            declared = p.type.dims if isinstance(p.type, Array) else ()
            known = [self.expr(d, scope) for d in declared[1:] if d is not None]
            dims.append(known if isinstance(p.type, Array) else None)
        body = self.body(self.f.body, Slots(scope, self.counter))
        return CompiledFunction(self.f, self.counter[0], body, dims)

    # Expressions

    def expr(self, e: Expr, scope: Slots) -> Closure:
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
            case Cast(to, arg, implicit):
                inner, loc = self.expr(arg, scope), e.loc
                if to.kind is Kind.FLOAT and is_constant(arg) and scope.names.keys().isdisjoint(free_vars(arg)):
                    return lambda m, f: rounded(convert(inner(m, f), to, loc), to)
                return lambda m, f: convert(inner(m, f), to, loc, explicit=not implicit)
            case Index():
                return self.index(e, scope)
            case Addr(arg):
                return self.address(arg, scope)
            case Call():
                return self.call(e, scope)
            case _:
                raise CannotEvaluate("this is not a program expression", e.loc)

    def stored(self, e: Expr, scope: Slots) -> Closure:
        """A value for a place of the expression's type (a cell, an argument, a result): an integer has to fit there."""
        value, t, loc = self.expr(e, scope), e.type, e.loc
        if not isinstance(t, Scalar) or t.kind is not Kind.INT or not t.signed or isinstance(e, Cast | Index | Int):
            return value
        low, high = t.low, t.high

        def fitting(m: Machine, f: Frame) -> Any:
            x = value(m, f)
            return x if low <= x <= high else fit(x, t, loc, "the value")

        return fitting

    def variable(self, e: Var, scope: Slots) -> Closure:
        found = scope.names.get(e.name)
        if found is None:
            if e.name in scope.device_names:
                return fails("OG226", f"`{e.name}` is a variable of device code that is over", e.loc)
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

    def unary(self, e: Unary, scope: Slots) -> Closure:
        arg = self.expr(e.arg, scope)
        if e.op == "!":
            return lambda m, f: not arg(m, f)
        t = e.type
        if e.op == "~":  # all bits: -1 - x, or what is missing to the greatest number
            assert isinstance(t, Scalar)
            all_bits = t.low + t.high
            return lambda m, f: all_bits - arg(m, f)
        if isinstance(t, Scalar) and t.kind is Kind.INT and not t.signed:
            return lambda m, f: wrap(-arg(m, f), t)
        return lambda m, f: -arg(m, f)

    def binary(self, e: Binary, scope: Slots) -> Closure:
        left, right = self.expr(e.left, scope), self.expr(e.right, scope)
        if e.op == "&&":
            return lambda m, f: left(m, f) and right(m, f)
        if e.op == "||":
            return lambda m, f: left(m, f) or right(m, f)
        operation = binary_operation(e.op, e.left.type, e.type, e.loc)
        return lambda m, f: operation(left(m, f), right(m, f))

    def index(self, e: Index, scope: Slots) -> Closure:
        base = self.expr(e.base, scope)
        indices = [self.expr(i, scope) for i in e.indices]
        loc = e.loc
        if isinstance(e.type, Array):
            return lambda m, f: formed(base(m, f).row(tuple([i(m, f) for i in indices])), loc)
        if len(indices) == 1:
            only = indices[0]
            return lambda m, f: m.load(base(m, f), (only(m, f),), loc)
        if len(indices) == 2:
            first, second = indices
            return lambda m, f: m.load(base(m, f), (first(m, f), second(m, f)), loc)
        return lambda m, f: m.load(base(m, f), tuple([i(m, f) for i in indices]), loc)

    def address(self, arg: Expr, scope: Slots) -> Closure:
        match arg:
            case Var(name) if name in scope.names:
                slot, _ = scope.names[name]
                return lambda m, f: f[slot]
            case Var():
                return self.variable(arg, scope)
            case Index(base, indices):
                b = self.expr(base, scope)
                codes = [self.expr(i, scope) for i in indices]
                return lambda m, f: formed(b(m, f).address(tuple([i(m, f) for i in codes])), arg.loc)
            case _:
                raise CannotEvaluate("the address of this cannot be taken", arg.loc)

    def call(self, e: Call, scope: Slots) -> Closure:
        loc, name = e.loc, e.func
        if name in self.functions:
            args = [self.stored(a, scope) for a in e.args]
            return lambda m, f: m.call(name, [a(m, f) for a in args], loc)
        args = [self.expr(a, scope) for a in e.args]
        if name in MATH:
            operation = REAL_OPERATIONS[MATH[name].real_name]
            return lambda m, f: operation(*[a(m, f) for a in args])
        if name in ("min", "max"):
            pick = min if name == "min" else max
            return lambda m, f: pick(args[0](m, f), args[1](m, f))
        if name == "abs":
            only = args[0]
            return lambda m, f: abs(only(m, f))
        if name == "exact_div":
            return lambda m, f: exact_divide(args[0](m, f), args[1](m, f), loc)
        helper = index_helper(name)
        if helper is not None:
            linear, t = linear_index(helper), e.type
            if isinstance(t, Scalar) and not t.signed:
                return lambda m, f: wrap(linear([a(m, f) for a in args]), t)
            return lambda m, f: linear([a(m, f) for a in args])
        raise CannotEvaluate(f"`{name}` cannot be run yet", loc)

    # Statements

    def body(self, body: Body, scope: Slots) -> Closure:
        codes: list[Closure] = []
        rest = list(body)
        while rest:
            s = rest.pop(0)
            if is_call(s, "kernel_setup_end"):
                codes.append(self.device_region(s, rest, scope))
            elif (code := self.statement(s, scope)) is not None:
                codes.append(code)
        if any(isinstance(s, Decl) and is_shared(s) for s in body):
            return frees_shared_arrays(sequence(codes))
        return sequence(codes)

    def device_region(self, s: Stmt, rest: list[Stmt], scope: Slots) -> Closure:
        """The statements up to `kernel_teardown_begin()`, which are taken from `rest`, as the code of every thread."""
        inner: list[Stmt] = []
        while rest and not is_call(rest[0], "kernel_teardown_begin"):
            inner.append(rest.pop(0))
        loc = s.loc
        if not rest:
            message = "no `kernel_teardown_begin()` follows in the same block"
            return fails("OG226", message, loc)
        rest.pop(0)
        device_scope = Slots(scope, self.counter)
        code = self.body(tuple(inner), device_scope)
        for name in device_scope.names:
            if device_scope.names[name] != scope.names.get(name):
                scope.names.pop(name, None)
                scope.device_names.add(name)
        return lambda m, f: m.device_code(code, f, loc)

    def statement(self, s: Stmt, scope: Slots) -> Closure | None:
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
                return self.stored(value, scope) if value is not None else None
            case Ghost() | GhostEnd():
                return None
            case Assert(items):
                names = dict(scope.names)
                return lambda m, f: m.check_assertions(items, names, f)
            case _:
                assert_never(s)

    def declaration(self, s: Decl, scope: Slots) -> Closure:
        name, loc = s.name, s.loc
        init = s.init
        if isinstance(s.type, Scalar):
            elem, cell = s.type, is_cell(s, self.assigned)
            value = None if init is None else self.stored(init, scope) if cell else self.expr(init, scope)
            slot = scope.new(name, cell)
            if not cell:
                assert value is not None
                known = value

                def define(m: Machine, f: Frame) -> None:
                    f[slot] = known(m, f)

                return define

            def declare(m: Machine, f: Frame) -> None:
                start = None if value is None else value(m, f)
                view = m.local(name, elem, (1,), loc)
                if start is not None:
                    m.store(view, (0,), start, loc)
                f[slot] = view

            return declare
        if isinstance(init, Alloc):
            dims, alloc_elem = [self.expr(d, scope) for d in init.dims], init.elem
            slot = scope.new(name, False)
            space, key = init.space, self.new_key()

            def allocate(m: Machine, f: Frame) -> None:
                f[slot] = m.allocation(name, alloc_elem, tuple([d(m, f) for d in dims]), loc, space, key)

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

        if is_shared(s):
            key = self.new_key()

            def shared(m: Machine, f: Frame) -> None:
                f[slot] = m.shared_array(name, array.elem, tuple([d(m, f) for d in sizes]), loc, key)

            return shared

        def local(m: Machine, f: Frame) -> None:
            f[slot] = m.local(name, array.elem, tuple([d(m, f) for d in sizes]), loc)

        return local

    def new_key(self) -> int:
        """A number for a declaration that all threads of a group execute together."""
        self.keys[0] += 1
        return self.keys[0]

    def store(self, s: Store, scope: Slots) -> Closure:
        loc = s.target.loc if s.target.loc.line else s.loc
        value = self.expr(s.value, scope) if s.op else self.stored(s.value, scope)
        if isinstance(s.target, Var):
            if s.target.name not in scope.names:
                return self.variable(s.target, scope)
            slot, _ = scope.names[s.target.name]

            def place(m: Machine, f: Frame) -> tuple[MemoryView, tuple[int, ...]]:
                return f[slot], (0,)
        else:
            base = self.expr(s.target.base, scope)
            indices = [self.expr(i, scope) for i in s.target.indices]

            def place(m: Machine, f: Frame) -> tuple[MemoryView, tuple[int, ...]]:
                return base(m, f), tuple([i(m, f) for i in indices])

        target_type = s.target.type
        assert isinstance(target_type, Scalar)
        if s.op is None:

            def assign(m: Machine, f: Frame) -> None:
                m.step()
                view, index = place(m, f)
                m.store(view, index, value(m, f), loc)

            return assign
        assert isinstance(s.value.type, Scalar)
        computed = operation_type(s.op, target_type, s.value.type)
        operation = binary_operation(s.op, computed, computed, loc)

        def update(m: Machine, f: Frame) -> None:
            m.step()
            view, index = place(m, f)
            old = convert(m.load(view, index, loc), computed, loc)
            m.store(view, index, convert(operation(old, value(m, f)), target_type, loc), loc)

        return update

    def call_statement(self, call: Call, scope: Slots) -> Closure:
        args = [self.stored(a, scope) for a in call.args]
        loc = call.loc
        if call.func in self.functions:
            name = call.func

            def run(m: Machine, f: Frame) -> None:
                m.call(name, [a(m, f) for a in args], loc)

            return run
        return gpu_call(call.func, args, loc)

    def loop(self, s: For, scope: Slots) -> Closure:
        r = s.range
        start, bound, amount = (self.expr(x, scope) for x in (r.start, r.bound, r.amount))
        inner = Slots(scope, self.counter)
        slot = inner.new(s.index, False)
        names = dict(inner.names)
        body = self.body(s.body, Slots(inner, self.counter))
        index_type, loc, contract = s.index_type, s.loc, s.contract
        what = f"the index `{s.index}`"
        advance = next_value(r.op, loc)
        continues = COMPARE[r.relation]

        def values(m: Machine, f: Frame) -> Any:
            """The values of the index as C computes them, bound and step evaluated each time; then the first not taken."""
            i = start(m, f)
            while continues(i, bound(m, f)):
                m.step()
                yield fit(i, index_type, loc, what)
                i = advance(i, amount(m, f))
            return i

        if s.mode is Mode.MAGIC_THREAD:
            return lambda m, f: m.magic_loop(values(m, f), slot, body, f, contract, names, loc)
        if s.mode is Mode.THREAD:

            def run_threads(m: Machine, f: Frame) -> None:
                m.step()
                extent = loop_values(s, start(m, f), bound(m, f), amount(m, f))
                if not fits_index(extent, s):
                    for _ in each_fits_index(extent, s):
                        pass
                m.thread_loop(s.index, extent, slot, body, f, contract, names, loc)

            return run_threads
        if s.meaning is Mode.PARALLEL:
            return lambda m, f: m.openmp_loop(values(m, f), slot, body, f, contract, names, loc)
        if contract:
            return lambda m, f: m.annotated_loop(values(m, f), slot, body, f, contract, names)

        if r.op in ("+", "-") and self.is_fixed(r.bound, scope) and self.is_fixed(r.amount, scope):
            return fixed_loop(s, start, bound, amount, slot, body)

        def run(m: Machine, f: Frame) -> None:
            for i in values(m, f):
                f[slot] = i
                body(m, f)

        return run

    def is_fixed(self, e: Expr, scope: Slots) -> bool:
        """Evaluated once or each time round, it is the same: no memory is read and no function called."""
        return not any(
            isinstance(x, Index | Call) or (isinstance(x, Var) and scope.names.get(x.name, (0, False))[1])
            for x in subexpressions(e)
        )


def operation_type(op: str, target: Scalar, value: Scalar) -> Scalar:
    """The type in which `target op= value` is computed, the value having been converted already."""
    return promoted(target) if op in ("<<", ">>") else value


def loop_values(s: For, start: int, bound: int, step: int) -> range:
    """The values of an index that counts by a constant step."""
    if step <= 0:
        next_value(s.range.op, s.loc)(start, step)
    sign = 1 if s.range.op == "+" else -1
    return range(start, bound + (sign if s.range.relation in ("<=", ">=") else 0), sign * step)


def fixed_loop(s: For, start: Closure, bound: Closure, amount: Closure, slot: int, body: Closure) -> Closure:
    """A loop whose bound and step are evaluated once."""
    continues = COMPARE[s.range.relation]

    def run(m: Machine, f: Frame) -> None:
        first, end, step = start(m, f), bound(m, f), amount(m, f)
        if not continues(first, end):
            return
        values = loop_values(s, first, end, step)
        for i in values if fits_index(values, s) else each_fits_index(values, s):
            m.step()
            f[slot] = i
            body(m, f)

    return run


def fits_index(values: range, s: For) -> bool:
    """Every value that the index takes is one of its type. The one after the last, with which no iteration is run, need not be."""
    low, high = s.index_type.low, s.index_type.high
    return not values or (low <= values[0] <= high and low <= values[-1] <= high)


def each_fits_index(values: range, s: For) -> Iterator[int]:
    for i in values:
        yield fit(i, s.index_type, s.loc, f"the index `{s.index}`")


def is_shared(s: Decl) -> bool:
    return isinstance(s.type, Array) and s.type.space is Space.SMEM and s.init is None


def sequence(codes: list[Closure]) -> Closure:
    if len(codes) == 1:
        return codes[0]

    def run(m: Machine, f: Frame) -> Any:
        result = None
        for c in codes:
            result = c(m, f)
        return result

    return run


def frees_shared_arrays(body: Closure) -> Closure:
    """Shared arrays count against the launch from their declaration to the end of their scope."""

    def run(m: Machine, f: Frame) -> Any:
        thread = m.thread
        before = 0 if thread is None else thread.shared_bytes
        result = body(m, f)
        if thread is not None:
            thread.shared_bytes = before
        return result

    return run


def fails(code: str, message: str, loc: Loc) -> Closure:
    def run(m: Machine, f: Frame) -> None:
        raise Misbehaviour(code, message, loc)

    return run


def gpu_call(name: str, args: list[Closure], loc: Loc) -> Closure:
    """The built-in calls that are statements: memory, launches, barriers, warp and vector operations."""
    if name in ("free", "gmem_free"):
        return lambda m, f: m.free_on_host(name, args[0](m, f), loc)
    if name == "kernel_launch":
        grid, block, shared = args
        return lambda m, f: m.launch(grid(m, f), block(m, f), shared(m, f), loc)
    if name == "kernel_kill":
        return lambda m, f: m.kill(loc)
    if name == "kernel_teardown_sync":
        return lambda m, f: m.teardown_sync(loc)
    if name in ("blocksync", "warpsync", "magic_barrier"):
        return lambda m, f: m.barrier(name, loc)
    if name in SHUFFLES:
        to, source, amount = args
        return lambda m, f: m.shuffle(name, to(m, f), source(m, f), amount(m, f), loc)
    if name in VECTOR_CALLS:
        width, way = VECTOR_CALLS[name]
        return lambda m, f: m.vector_access(name, width, way, args[0](m, f), args[1](m, f), loc)
    if name.startswith("memcpy"):
        return lambda m, f: m.memcpy(name, args[0](m, f), args[1](m, f), tuple([a(m, f) for a in args[2:]]), loc)
    if name.startswith("__smem_free"):
        return lambda m, f: m.free_setup_array(args[0](m, f), tuple([a(m, f) for a in args[1:]]), loc)
    if name == "kernel_teardown_begin":
        return fails("OG226", "no `kernel_setup_end()` comes before in the same block", loc)
    raise CannotEvaluate(f"`{name}` cannot be run", loc)


def constant(value: Number) -> Closure:
    return lambda m, f: value
