"""The meaning of formulas on concrete states: numbers, functions, and permissions as the cells that they claim.

A formula may read any memory space, but its accesses need rights and can race like those of programs. Reals are compared as in
`numeric_values.close`. A quantifier over all integers is tried on finitely many of them. A formula without a computable value
raises CannotEvaluate.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Iterator, Mapping
from math import prod
from typing import TypeAlias

from optigpu.interp.effort import Effort
from optigpu.interp.heap import Heap, MemoryView, box_indices, offset_of
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.interp.numeric_values import REAL_OPERATIONS, RuntimeValue, close, convert, exact_divide
from optigpu.interp.operator_semantics import binary_operation, linear_index
from optigpu.interp.rounded_numbers import Number, extreme, is_open
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import INT_CONSTANTS, MATH, TOKENS, WRAPS, index_helper, matrix_predicate
from optigpu.syntax.exprs import (
    ARG_OPERATORS,
    Addr,
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
    Unary,
    Var,
    is_float,
    is_int,
)
from optigpu.syntax.operators import COMPARISONS, REAL_SPELLINGS
from optigpu.syntax.source import Loc
from optigpu.syntax.types import FLOAT

Env: TypeAlias = Mapping[str, RuntimeValue]
MOST_CELLS = 10**7  # of one permission: the arrays of a run are much smaller
WINDOW = 3  # an unbounded quantifier is tried from -WINDOW to WINDOW if no function in scope is known at some points


class Table:
    """A logical function that is known at finitely many points. Elsewhere it has arbitrary but fixed values."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.points: dict[tuple[RuntimeValue, ...], RuntimeValue] = {}

    def __call__(self, *args: RuntimeValue) -> RuntimeValue:
        if args in self.points:
            return self.points[args]
        return zlib.crc32(repr((self.name, args)).encode()) % 17 - 8


@dataclass(frozen=True, slots=True)
class CellRef:
    """A program variable in a formula: below `&` its address, in an assertion its value."""

    view: MemoryView


@dataclass(frozen=True, slots=True)
class ClaimedCell:
    """One cell of a permission. `contents` is "uninit" (may be uninitialised), "cell" (initialised), or the formula for its value
    under `env`."""

    view: MemoryView
    indices: tuple[int, ...]
    contents: str | Expr
    env: Env
    loc: Loc

    def flat(self) -> int:
        return offset_of(self.view, self.indices, self.loc)


class Evaluator:
    """Evaluates formulas in an environment, on the memory of a run. `definitions`: the values of `__DEF`s and macros."""

    def __init__(self, memory: Heap, definitions: Env, effort: Effort) -> None:
        self.memory = memory
        self.effort = effort
        self.definitions = definitions
        self.known: dict[
            tuple[RuntimeValue, ...], RuntimeValue
        ] = {}  # values of applied definitions; cleared when logical variables are bound

    def truth(self, e: Expr, env: Env) -> bool:
        return bool(self.value(e, env))

    def value(self, e: Expr, env: Env) -> RuntimeValue:
        self.effort.spent += 1
        match e:
            case Int(value) | Bool(value):
                return value
            case Real(value):
                return value.numerator if value.denominator == 1 else value
            case SizeOf(of):
                return of.size
            case Var(name):
                return self.variable(name, env, e.loc)
            case Unary("!", arg):
                return not self.truth(arg, env)
            case Unary("-", arg):
                return -self.value(arg, env)
            case Binary():
                return self.binary(e, env)
            case Cond(test, then, other):
                return self.value(then if self.truth(test, env) else other, env)
            case Cast(to, arg):
                return convert(self.value(arg, env), FLOAT if is_float(to) else to, e.loc)  # formulas do not round
            case Index(base, indices) if not isinstance(e.type, Array):
                return self.inspect(self.pointer(base, env), self.integers(indices, env), e.loc)
            case Index() | Addr():
                return self.pointer(e, env)
            case Call():
                return self.call(e, env)
            case Fun(params, body):
                names = [p.name for p in params]
                return lambda *args: self.value(body, {**env, **dict(zip(names, args))})
            case Forall():
                return self.forall(e, env)
            case Range(low, high):
                return range(self.value(low, env), self.value(high, env))
            case BigOp():
                return self.big_operator(e, env)
            case _:
                raise CannotEvaluate("this formula has no value", e.loc)

    def variable(self, name: str, env: Env, loc: Loc) -> RuntimeValue:
        if name in env:
            value = env[name]
            return self.inspect(value.view, (0,), loc) if isinstance(value, CellRef) else value
        if name in self.definitions:
            return self.definitions[name]
        if name == "INFINITY":
            return float("inf")
        if name in INT_CONSTANTS:
            return INT_CONSTANTS[name]
        raise CannotEvaluate(f"`{name}` is not known here", loc)

    def inspect(self, view: MemoryView, indices: tuple[int, ...], loc: Loc) -> Number:
        """Load a cell for a formula, which is neither host nor device code: the heap's own checks apply, not those of the GPU."""
        return Heap.load(self.memory, view, indices, loc)

    def integers(self, es: tuple[Expr, ...], env: Env) -> tuple[int, ...]:
        return tuple(self.value(i, env) for i in es)

    def binary(self, e: Binary, env: Env) -> RuntimeValue:
        match e.op:
            case "&&":
                return self.truth(e.left, env) and self.truth(e.right, env)
            case "||":
                return self.truth(e.left, env) or self.truth(e.right, env)
            case "==>":
                return not self.truth(e.left, env) or self.truth(e.right, env)
            case _:
                pass
        op = REAL_SPELLINGS.get(e.op, e.op)
        a, b = self.value(e.left, env), self.value(e.right, env)
        if op in COMPARISONS and is_float(e.left.type):
            equal = close(a, b)
            if op in ("!=", "<", ">") and is_open(a, b):
                raise CannotEvaluate("rounding decides this comparison", e.loc)
            match op:
                case "==":
                    return equal
                case "!=":
                    return not equal
                case "<=" | ">=" if equal:
                    return True
                case "<" | ">" if equal and (a == b or not (_is_infinite(a) or _is_infinite(b))):
                    return False
                case _:
                    pass
        return binary_operation(op, e.left.type, e.type, e.loc)(a, b)

    def call(self, e: Call, env: Env) -> RuntimeValue:
        name = e.func
        if name in env or name in self.definitions:
            function = env[name] if name in env else self.definitions[name]
            if not callable(function):
                raise CannotEvaluate(f"`{name}` is not a function", e.loc)
            values = [self.value(a, env) for a in e.args]
            return function(*values) if name in env else self.defined(name, function, values)
        if isinstance(e.type, ProofType):
            raise CannotEvaluate(f"`{name}` is a fact", e.loc)
        if name in MATH:
            return REAL_OPERATIONS[MATH[name].real_name](*[self.value(a, env) for a in e.args])
        if name == "in_range":
            return self.value(e.args[0], env) in self.value(e.args[1], env)
        args = [self.value(a, env) for a in e.args]
        if name in ("min", "max"):
            return extreme(min if name == "min" else max, args)
        if name == "abs":
            return abs(args[0])
        if name == "exact_div":
            return exact_divide(args[0], args[1], e.loc)
        if name in WRAPS:
            return args[0] % (1 << WRAPS[name])
        helper = index_helper(name)
        if helper is not None:
            return linear_index(helper)(args)
        raise CannotEvaluate(f"`{name}` has no definition that could be evaluated", e.loc)

    def defined(self, name: str, function: LogicFunction, args: list[RuntimeValue]) -> RuntimeValue:
        """The value of a definition applied to arguments, computed once: the maximum of a row is needed for each of its cells."""
        key = (name, *args)
        if key not in self.known:
            self.known[key] = function(*args)
        return self.known[key]

    def forall(self, e: Forall, env: Env) -> bool:
        """A quantifier: over integers it is tried on those of `window`; over anything else it cannot be evaluated."""

        def check(params: tuple[Binder, ...], env: Env) -> bool:
            if not params:
                return self.truth(e.body, env)
            p, rest = params[0], params[1:]
            if isinstance(p.type, ProofType):
                return not self.truth(p.type.prop, env) or check(rest, env)
            if not is_int(p.type):
                raise CannotEvaluate("a quantifier over other things than integers", e.loc)
            return all(check(rest, {**env, p.name: i}) for i in self.window(env))

        return check(e.params, env)

    def window(self, env: Env) -> range:
        """The integers on which an unbounded quantifier is tried: the arguments for which the functions in scope are known."""
        points = [
            k for t in env.values() if isinstance(t, Table) for key in t.points for k in key if isinstance(k, int)
        ]
        return range(min(points), max(points) + 1) if points else range(-WINDOW, WINDOW + 1)

    def big_operator(self, e: BigOp, env: Env) -> RuntimeValue:
        if e.op in ("Max", "Min"):
            return self.extreme(e, 0, env)
        if e.op in ARG_OPERATORS:
            return self.first_extreme(e, env)
        values = list(self.body_values(e, 0, env))
        match e.op:
            case "Sum":
                return sum(values)
            case "Prod":
                product = 1
                for v in values:
                    product = product * v
                return product
            case "All":
                return all(values)
            case _:
                return any(values)

    def extreme(self, e: BigOp, at: int, env: Env) -> RuntimeValue:
        """The maximum or minimum over nested ranges. Over an empty range it is unspecified; all tools take the body at the lower
        bound."""
        if at == len(e.binders):
            return self.value(e.body, env)
        b = e.binders[at]
        indices = self.value(b.range, env)
        values = [self.extreme(e, at + 1, {**env, b.name: i}) for i in indices or (indices.start,)]
        return extreme(max if e.op == "Max" else min, values)

    def first_extreme(self, e: BigOp, env: Env) -> RuntimeValue:
        """The first index with the greatest or least value; of an empty range its lower bound."""
        (b,) = e.binders
        indices = self.value(b.range, env)
        best = max if e.op == "ArgMax" else min
        values = {i: self.value(e.body, {**env, b.name: i}) for i in indices}
        first = best(indices, key=lambda i: values[i], default=indices.start)
        if any(is_open(values[i], values[first]) for i in indices if i != first):
            raise CannotEvaluate("rounding decides which number is the extreme one", e.loc)
        return first

    def body_values(self, e: BigOp, at: int, env: Env) -> Iterator[RuntimeValue]:
        if at == len(e.binders):
            yield self.value(e.body, env)
            return
        b = e.binders[at]
        for i in self.value(b.range, env):
            yield from self.body_values(e, at + 1, {**env, b.name: i})

    # Memory

    def pointer(self, e: Expr, env: Env) -> MemoryView:
        match e:
            case Var(name):
                value = env.get(name)
                if isinstance(value, CellRef):
                    return value.view
                if isinstance(value, MemoryView):
                    return value
                raise CannotEvaluate(f"`{name}` is no pointer here", e.loc)
            case Index(base, indices):
                return self.pointer(base, env).row(self.integers(indices, env))
            case Addr(Index(base, indices)):
                return self.pointer(base, env).address(self.integers(indices, env))
            case Addr(arg):
                return self.pointer(arg, env)
            case _:
                raise CannotEvaluate("this is no pointer", e.loc)

    def claims(self, h: Expr, env: Env) -> Iterator[ClaimedCell]:
        """The cells that a permission claims."""
        match h:
            case Binary("*", left, right):
                yield from self.claims(left, env)
                yield from self.claims(right, env)
            case Group(index, range_, body):
                for i in self.value(range_, env):
                    yield from self.claims(body, {**env, index: i})
            case Call("If", (test, body)):
                if self.truth(test, env):
                    yield from self.claims(body, env)
            case Call("Sync", (_, body)):  # which threads own cells is not evaluated
                yield from self.claims(body, env)
            case PointsTo(pointer, _, Call(name, args), _) if (m := matrix_predicate(name)) is not None:
                view = self.pointer(pointer, env)
                model = args[-1] if m.contents == "values" else None
                sizes = self.integers(args[: m.rank], env)
                if prod(sizes) > MOST_CELLS:
                    raise Misbehaviour("OG201", f"a permission for {prod(sizes)} cells: no array has so many", h.loc)
                for indices in box_indices(sizes):
                    yield self.matrix_claim(view, indices, m.contents, model, env, h.loc)
            case PointsTo(Addr(Index(base, indices)), _, target, _):
                contents = cell_contents(target)
                yield ClaimedCell(self.pointer(base, env), self.integers(indices, env), contents, env, h.loc)
            case PointsTo(pointer, _, target, _):
                yield ClaimedCell(self.pointer(pointer, env), (0,), cell_contents(target), env, h.loc)
            case Call(name) if name in env and callable(env[name]):
                raise CannotEvaluate(f"`{name}` is an unknown permission", h.loc)
            case Var(name) | Call(name) if name in TOKENS or name == "Free":
                return
            case _:
                raise CannotEvaluate("this permission cannot be evaluated", h.loc)

    def negative_sizes(self, h: Expr, env: Env) -> Iterator[int]:
        """The negative sizes of a permission: `MatrixN` states that its sizes are not negative."""
        match h:
            case Binary("*", left, right):
                yield from self.negative_sizes(left, env)
                yield from self.negative_sizes(right, env)
            case PointsTo(_, _, Call(name, args)) if (m := matrix_predicate(name)) is not None:
                yield from (n for n in self.integers(args[: m.rank], env) if n < 0)
            case _:
                return

    def matrix_claim(
        self, view: MemoryView, indices: tuple[int, ...], contents: str, model: Expr | None, env: Env, loc: Loc
    ) -> ClaimedCell:
        if model is None:
            return ClaimedCell(view, indices, "uninit" if contents == "uninit" else "cell", env, loc)
        if isinstance(model, Fun):
            inner = {**env, **dict(zip((p.name for p in model.params), indices))}
            return ClaimedCell(view, indices, model.body, inner, loc)
        assert isinstance(model, Var)
        args = tuple(Int(i, loc=loc) for i in indices)
        result = model.type.result if isinstance(model.type, FunType) else None
        return ClaimedCell(view, indices, Call(model.name, args, loc=loc, type=result), env, loc)


def cell_contents(target: Expr) -> str | Expr:
    if isinstance(target, Var) and target.name == "UninitCell":
        return "uninit"
    if isinstance(target, Var) and target.name == "Cell":
        return "cell"
    return target


LogicFunction: TypeAlias = Callable[..., RuntimeValue]


def _is_infinite(x: Number) -> bool:
    return isinstance(x, float) and math.isinf(x)
