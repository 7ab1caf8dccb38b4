"""Statements compiled to closures, executed in program order.

The closure of a body returns the value of its `return` statement, which is its last statement, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import assert_never

from optigpu.frontend.implicit_conversions import promoted
from optigpu.interp.compile_built_in_calls import built_in_call
from optigpu.interp.compile_expressions import ExpressionCompiler, FrameScope, fails
from optigpu.interp.compile_loops import LoopHeader
from optigpu.interp.heap import MemoryView
from optigpu.interp.machine import Closure, Frame, LoopCode, Machine
from optigpu.interp.numeric_values import RuntimeValue, convert
from optigpu.interp.operator_semantics import binary_operation
from optigpu.syntax.builtins import ATOMICS
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Index, Var
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Decl,
    For,
    Function,
    Ghost,
    GhostEnd,
    If,
    Mode,
    Return,
    Stmt,
    Store,
    is_call,
)
from optigpu.syntax.scopes import assigned_names, is_cell
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Scalar, Space
from optigpu.syntax.walk import subexpressions


class StatementCompiler(ExpressionCompiler):
    """Compiles the body of one function. `keys` numbers declarations whose storage all threads of a group share."""

    def __init__(
        self, function: Function, functions: frozenset[str], macros: Mapping[str, Expr], keys: Iterator[int]
    ) -> None:
        super().__init__(functions, macros)
        self.assigned = assigned_names(function.body)
        self.keys = keys

    def body(self, body: Body, scope: FrameScope) -> Closure:
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

    def device_region(self, s: Stmt, rest: list[Stmt], scope: FrameScope) -> Closure:
        """Compile the statements up to `kernel_teardown_begin()` as code that every thread executes, and remove them from `rest`.
        Names that they declare are not visible afterwards."""
        inner: list[Stmt] = []
        while rest and not is_call(rest[0], "kernel_teardown_begin"):
            inner.append(rest.pop(0))
        loc = s.loc
        if not rest:
            message = "no `kernel_teardown_begin()` follows in the same block"
            return fails("OG226", message, loc)
        rest.pop(0)
        device_scope = scope.inner()
        code = self.body(tuple(inner), device_scope)
        for name in device_scope.names:
            if device_scope.names[name] != scope.names.get(name):
                scope.names.pop(name, None)
                scope.ended_device_names.add(name)
        return lambda m, f: m.device_code(code, f, loc)

    def statement(self, s: Stmt, scope: FrameScope) -> Closure | None:
        match s:
            case Decl():
                return self.declaration(s, scope)
            case Store():
                return self.store(s, scope)
            case For():
                return self.loop(s, scope)
            case If():
                return self.branch(s, scope)
            case Block(inner):
                return self.body(inner, scope.inner())
            case CallStmt(call):
                return self.call_statement(call, scope)
            case Return(value):
                return self.stored(value, scope) if value is not None else None
            case Ghost() | GhostEnd():
                return None
            case Assert(items):
                layout = dict(scope.names)
                return lambda m, f: m.check_assertions(items, layout, f)
            case _:
                assert_never(s)

    def branch(self, s: If, scope: FrameScope) -> Closure:
        test = self.expr(s.test, scope)
        then, other = self.body(s.then, scope.inner()), self.body(s.other, scope.inner())

        def branch(m: Machine, f: Frame) -> None:
            m.step()
            if test(m, f):
                then(m, f)
            else:
                other(m, f)

        return branch

    def declaration(self, s: Decl, scope: FrameScope) -> Closure:
        if isinstance(s.type, Scalar):
            return self.scalar(s, s.type, scope)
        if isinstance(s.init, Alloc):
            return self.allocation(s, s.init, scope)
        if s.init is not None:
            return self.pointer(s, s.init, scope)
        assert isinstance(s.type, Array)
        return self.array(s, s.type, scope)

    def scalar(self, s: Decl, t: Scalar, scope: FrameScope) -> Closure:
        """A variable that is assigned later is a memory cell; any other stands for its initial value."""
        name, loc, cell = s.name, s.loc, is_cell(s, self.assigned)
        if not cell:
            assert s.init is not None
            value = self.expr(s.init, scope)
            slot = scope.new(name, False)

            def define(m: Machine, f: Frame) -> None:
                f[slot] = value(m, f)

            return define
        initial = None if s.init is None else self.stored(s.init, scope)
        slot = scope.new(name, True)

        def declare(m: Machine, f: Frame) -> None:
            start = None if initial is None else initial(m, f)
            view = m.local(name, t, (1,), loc)
            if start is not None:
                m.store(view, (0,), start, loc)
            f[slot] = view

        return declare

    def allocation(self, s: Decl, init: Alloc, scope: FrameScope) -> Closure:
        name, loc, elem, space = s.name, s.loc, init.elem, init.space
        sizes = [self.expr(d, scope) for d in init.dims]
        slot, key = scope.new(name, False), next(self.keys)

        def allocate(m: Machine, f: Frame) -> None:
            f[slot] = m.allocation(name, elem, tuple([d(m, f) for d in sizes]), loc, space, key)

        return allocate

    def pointer(self, s: Decl, init: Expr, scope: FrameScope) -> Closure:
        pointer = self.expr(init, scope)
        slot = scope.new(s.name, False)

        def alias(m: Machine, f: Frame) -> None:
            f[slot] = pointer(m, f)

        return alias

    def array(self, s: Decl, t: Array, scope: FrameScope) -> Closure:
        name, loc, elem = s.name, s.loc, t.elem
        sizes = [self.expr(d, scope) for d in t.dims if d is not None]
        slot = scope.new(name, False)
        if t.space is Space.FRAG:
            fragment_key = next(self.keys)

            def fragment(m: Machine, f: Frame) -> None:
                f[slot] = m.fragment(name, elem, tuple([d(m, f) for d in sizes]), loc, fragment_key)

            return fragment
        if is_shared(s):
            key = next(self.keys)

            def shared(m: Machine, f: Frame) -> None:
                f[slot] = m.shared_array(name, elem, tuple([d(m, f) for d in sizes]), loc, key)

            return shared

        def local(m: Machine, f: Frame) -> None:
            f[slot] = m.local(name, elem, tuple([d(m, f) for d in sizes]), loc)

        return local

    def store(self, s: Store, scope: FrameScope) -> Closure:
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
        if s.op in ATOMICS:
            return self.atomic(s.op, place, self.stored(s.value, scope), loc)
        assert isinstance(s.value.type, Scalar)
        computed = operation_type(s.op, target_type, s.value.type)
        operation = binary_operation(s.op, computed, computed, loc)

        def update(m: Machine, f: Frame) -> None:
            m.step()
            view, index = place(m, f)
            old = convert(m.load(view, index, loc), computed, loc)
            m.store(view, index, convert(operation(old, value(m, f)), target_type, loc), loc)

        return update

    def atomic(self, operator: str, place: Closure, value: Closure, loc: Loc) -> Closure:
        def change(m: Machine, f: Frame) -> None:
            m.step()
            view, index = place(m, f)
            m.accumulate(view, index, operator, value(m, f), loc)

        return change

    def call_statement(self, call: Call, scope: FrameScope) -> Closure:
        args = [self.stored(a, scope) for a in call.args]
        loc = call.loc
        if call.func in self.functions:
            name = call.func

            def run(m: Machine, f: Frame) -> None:
                m.call(name, [a(m, f) for a in args], loc)

            return run
        return built_in_call(call.func, args, loc)

    def loop(self, s: For, scope: FrameScope) -> Closure:
        r = s.range
        start, bound, amount = (self.expr(x, scope) for x in (r.start, r.bound, r.amount))
        inner = scope.inner()
        slot = inner.new(s.index, False)
        layout = dict(inner.names)
        body = self.body(s.body, inner.inner())
        code = LoopCode(s.index, slot, body, s.contract, layout, s.loc)
        header = LoopHeader(s, start, bound, amount)
        if s.mode is Mode.MAGIC_THREAD:
            return lambda m, f: m.magic_loop(header.values(m, f), code, f)
        if s.mode is Mode.THREAD:
            return lambda m, f: m.thread_loop(header.thread_values(m, f), code, f)
        if s.mode is Mode.FRAG:
            return lambda m, f: m.fragment_loop(header.thread_values(m, f), s.index, s.loc, iteration(code, m, f))
        if s.meaning is Mode.PIPELINED:
            key = next(self.keys)
            return lambda m, f: m.pipelined_loop(header.values(m, f), key, s.loc, iteration(code, m, f))
        if s.meaning is Mode.PARALLEL:
            return lambda m, f: m.openmp_loop(header.values(m, f), code, f)
        if s.contract:
            return lambda m, f: m.annotated_loop(header.values(m, f), code, f)
        if r.op in ("+", "-") and self.is_fixed(r.bound, scope) and self.is_fixed(r.amount, scope):
            return header.fixed_loop(code)
        return header.sequential_loop(code)

    def is_fixed(self, e: Expr, scope: FrameScope) -> bool:
        """Whether an expression has the same value in every iteration: it reads no memory and calls no function."""
        return not any(
            isinstance(x, Index | Call) or (isinstance(x, Var) and scope.names.get(x.name, (0, False))[1])
            for x in subexpressions(e)
        )


def iteration(code: LoopCode, m: Machine, f: Frame) -> Callable[[int], None]:
    """Run the body of a loop for a value of its index."""

    def run(i: int) -> None:
        f[code.slot] = i
        code.body(m, f)

    return run


def operation_type(op: str, target: Scalar, value: Scalar) -> Scalar:
    """The type in which `target op= value` is computed; the type checker has converted the value already."""
    return promoted(target) if op in ("<<", ">>") else value


def is_shared(s: Decl) -> bool:
    return isinstance(s.type, Array) and s.type.space is Space.SMEM and s.init is None


def sequence(codes: list[Closure]) -> Closure:
    if len(codes) == 1:
        return codes[0]

    def run(m: Machine, f: Frame) -> RuntimeValue:
        result = None
        for c in codes:
            result = c(m, f)
        return result

    return run


def frees_shared_arrays(body: Closure) -> Closure:
    """A body with `__shared__` arrays, whose bytes count against the shared memory of the launch until the end of the body."""

    def run(m: Machine, f: Frame) -> RuntimeValue:
        thread = m.thread
        before = 0 if thread is None else thread.shared_bytes
        result = body(m, f)
        if thread is not None:
            thread.shared_bytes = before
        return result

    return run
