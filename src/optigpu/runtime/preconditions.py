"""Evaluation of preconditions on actual arguments, vectorised over arrays. Facts outside of this fragment stay undecided."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from optigpu.light_dataclass import dataclass
from optigpu.runtime.pairs import order_of_pairs
from optigpu.runtime.stored_floats import as_doubles, is_bfloat16
from optigpu.syntax.builtins import WRAPS
from optigpu.syntax.exprs import (
    BigOp,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Int,
    Range,
    RangeBinder,
    Real,
    SizeOf,
    Type,
    Unary,
    Var,
    is_float,
    is_int,
)
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.operators import REAL_SPELLINGS, WRAPPING
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import subexpressions

# The value of an expression at the points of the quantifiers around it: a number or truth value, or a NumPy array with an axis for
# each quantifier that it depends on.
PointValues: TypeAlias = Any
Environment: TypeAlias = Mapping[str, Any]  # names to PointValues, or to the ArrayContents of a logical function


@dataclass(frozen=True, slots=True)
class ArrayContents:
    """A logical function defined by the contents of an array."""

    array: NDArray[Any]

    def at(self, *indices: PointValues) -> PointValues:
        """The values at these indices. Outside of the array the function is unspecified, so any element will do. Integers are
        widened, so that arithmetic on them does not wrap around."""
        clipped = [np.asarray(np.clip(i, 0, max(n - 1, 0)), np.int64) for i, n in zip(indices, self.array.shape)]
        values = self.array[tuple(clipped)] if self.array.size else np.zeros(())
        if is_bfloat16(values.dtype):
            return as_doubles(values)
        match values.dtype.kind, values.dtype.itemsize:
            case "i" | "u", size:
                return values.astype(np.int64 if size < 8 else object)
            case "f", _:
                return values.astype(np.float64)
            case _:
                return values


INT64_LIMIT = 1 << 62  # arithmetic below it stays within 64 bits
MOST_SHIFT = 1 << 10  # bits; a larger result would take too much memory


class _Unknown(Exception):
    """An expression has no value, or none that can be computed here."""


def holds(prop: Expr, env: Environment) -> bool | None:
    """Whether a fact holds; None if it cannot be evaluated."""
    try:
        with np.errstate(invalid="ignore", over="ignore"):  # infinities of floats
            return bool(np.all(_value(prop, env)))
    except (_Unknown, OverflowError):  # an integer beyond the range of floats
        return None


COMPARISON_FUNCTIONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
DECIDED_OPERATORS = frozenset(
    ["&&", "||", "==>", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]
)
FUNCTIONS = frozenset({"min", "max", "abs", "exact_div"})


def decidable(e: Expr, known: AbstractSet[str]) -> bool:
    """Whether `holds` can evaluate a fact, given values for these names. A part of it may still have no value."""
    match e:
        case Int() | Bool() | Real() | SizeOf():
            return True
        case Var(name):
            return name in known
        case Unary("!" | "-", arg) | Cast(_, arg):
            return decidable(arg, known)
        case Binary(op, left, right):
            return (
                REAL_SPELLINGS.get(op, op) in DECIDED_OPERATORS and decidable(left, known) and decidable(right, known)
            )
        case Cond(test, then, other):
            return all(decidable(x, known) for x in (test, then, other))
        case Call(name, args):
            return (name in known or name in FUNCTIONS) and all(decidable(a, known) for a in args)
        case BigOp("All" | "Any", binders, body):
            inside = known | {b.name for b in binders}
            ranges = [b.range for b in binders if isinstance(b.range, Range)]
            ends = [x for r in ranges for x in (r.low, r.high)]
            return len(ranges) == len(binders) and all(decidable(x, known) for x in ends) and decidable(body, inside)
        case _:
            return False


def integer_value(e: Expr, env: Environment) -> int | None:
    try:
        return int(_value(e, env))
    except (_Unknown, OverflowError):
        return None


def _value(e: Expr, env: Environment) -> PointValues:
    match e:
        case Int(value) | Bool(value):
            return value
        case Real(value):
            return float(value)
        case SizeOf(of):
            return of.size
        case Var(name) if name in env:
            return env[name]
        case Unary("!", arg):
            return np.logical_not(_value(arg, env))
        case Unary("-", arg):
            return -_value(arg, env)
        case Cast(to, arg, implicit):
            value = _converted(_value(arg, env), to)
            return value if implicit else _wrapped(value, to)
        case Cond(test, then, other):
            chosen = _value(test, env)
            if np.ndim(chosen) == 0:
                return _value(then if chosen else other, env)
            return np.where(chosen, _value_where(chosen, then, env), _value_where(np.logical_not(chosen), other, env))
        case Binary(op):
            return _wrapped(_binary(e, env), e.type) if op in WRAPPING else _binary(e, env)
        case Call(name, args):
            return _call(name, [_value(a, env) for a in args], env)
        case BigOp("All", binders, body):
            return _for_all(binders, body, env)
        case BigOp("Any", binders, body):
            return np.logical_not(_for_all(binders, Unary("!", body), env))
        case _:
            raise _Unknown


def _binary(e: Binary, env: Environment) -> PointValues:
    op, a = REAL_SPELLINGS.get(e.op, e.op), _value(e.left, env)
    if op in ("&&", "||", "==>"):
        return _connective(op, a, e.right, env)
    a, b = _roomy(op, a, _value(e.right, env))
    if op in COMPARISON_FUNCTIONS:
        return _comparison(op, a, b)
    if op == "/" and is_float(e.type):
        if np.any(np.equal(b, 0)):
            raise _Unknown
        return a / b
    return _integer_operation(op, a, b)


def _connective(op: str, a: PointValues, right: Expr, env: Environment) -> PointValues:
    """`&&`, `||`, `==>`: evaluate the right side only where the left side decides nothing; it may have no value elsewhere."""
    open_ = np.logical_not(a) if op == "||" else a
    if np.ndim(a) == 0 and not open_:
        return op != "&&"
    b = _value_where(open_, right, env)
    match op:
        case "&&":
            return np.logical_and(a, b)
        case "||":
            return np.logical_or(a, b)
        case _:
            return np.logical_or(np.logical_not(a), b)


def _comparison(op: str, a: PointValues, b: PointValues) -> PointValues:
    if op == "!=" and (_is_float(a) or _is_float(b)):  # with NaN, no comparison holds
        return np.logical_or(a < b, a > b)
    return COMPARISON_FUNCTIONS[op](a, b)


def _integer_operation(op: str, a: PointValues, b: PointValues) -> PointValues:
    """An integer operation, or `+`, `-`, `*` of any numbers."""
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return _truncating(a, b)
        case "%":
            return a - b * _truncating(a, b)
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b
        case "<<" | ">>":
            if np.any(np.less(b, 0)) or np.any(np.greater(b, MOST_SHIFT)):
                raise _Unknown
            return a << b if op == "<<" else a >> b
        case _:
            raise _Unknown


def _value_where(points: PointValues, e: Expr, env: Environment) -> PointValues:
    """The values at the selected points; elsewhere, where the expression may have no value, zero."""
    if np.ndim(points) == 0 or np.all(points) or not any(map(_may_have_no_value, subexpressions(e))):
        return _value(e, env)
    axes = {n: v for n, v in env.items() if _is_axis(v)}
    shape = np.broadcast_shapes(*(v.shape for v in axes.values()))
    mask = np.broadcast_to(np.asarray(points, bool), shape)
    if not np.any(mask):
        return False
    selected = np.asarray(_value(e, {**env, **{n: np.broadcast_to(v, shape)[mask] for n, v in axes.items()}}))
    out = np.zeros(shape, selected.dtype)
    out[mask] = selected
    return out


def _may_have_no_value(e: Expr) -> bool:
    """Whether the outermost operation is partial."""
    match e:
        case Binary(op):
            return REAL_SPELLINGS.get(op, op) in ("/", "%", "<<", ">>")
        case Call("exact_div", _):
            return True
        case Cast(to, arg):
            return is_int(to) and not is_int(arg.type)
        case _:
            return False


def _wrapped(value: PointValues, t: Type | None) -> PointValues:
    """A number modulo 2^bits of an unsigned type; unchanged for other types."""
    machine = isinstance(t, Scalar) and is_int(t) and t.bits and not t.signed
    return _unbounded(value) % (1 << t.bits) if machine and isinstance(t, Scalar) else value


def _converted(value: PointValues, to: Scalar) -> PointValues:
    """Conversion as in C: a truth value becomes 0 or 1, a float is truncated. Integers keep their value."""
    kind = np.asarray(value).dtype.kind
    if not is_int(to) or kind not in "bf":
        return value
    if kind == "f" and not np.all(np.abs(value) < INT64_LIMIT):
        raise _Unknown
    return np.trunc(value).astype(np.int64) if np.ndim(value) else int(value)


def _roomy(op: str, a: PointValues, b: PointValues) -> tuple[PointValues, PointValues]:
    """The operands, as unbounded Python integers if the result may not fit the array's type."""
    if op not in ("+", "-", "*", "<<") or not (_is_integer(a) and _is_integer(b)):
        return a, b
    x, y = _largest(a), _largest(b)
    most = x * y if op == "*" else x << min(y, 64) if op == "<<" else x + y
    return (a, b) if most < INT64_LIMIT else (_unbounded(a), _unbounded(b))


def _is_integer(x: PointValues) -> bool:
    return isinstance(x, int) or np.asarray(x).dtype.kind in "iu"


def _is_float(x: PointValues) -> bool:
    return isinstance(x, float) or np.asarray(x).dtype.kind == "f"


def _largest(x: PointValues) -> int:
    """The largest absolute value."""
    if isinstance(x, int):
        return abs(x)
    array = np.asarray(x)
    return max(abs(int(array.min())), abs(int(array.max()))) if array.size else 0


def _unbounded(x: PointValues) -> PointValues:
    return x.astype(object) if isinstance(x, np.ndarray) else int(x)


def _truncating(a: PointValues, b: PointValues) -> PointValues:
    if np.any(np.equal(b, 0)):
        raise _Unknown
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) // abs(b) * (1 if (a >= 0) == (b >= 0) else -1)
    quotient = np.abs(a) // np.abs(b)
    return np.where((np.asarray(a) >= 0) == (np.asarray(b) >= 0), quotient, -quotient)


def _call(name: str, args: list[PointValues], env: Environment) -> PointValues:
    function = env.get(name)
    if isinstance(function, ArrayContents):
        return function.at(*args)
    exact = all(isinstance(a, int) for a in args)  # Python integers, which are unbounded
    match name:
        case "min":
            return (min if exact else np.minimum)(args[0], args[1])
        case "max":
            return (max if exact else np.maximum)(args[0], args[1])
        case "abs":
            return (abs if exact else np.abs)(args[0])
        case "exact_div":
            return _truncating(args[0], args[1])
        case _ if name in WRAPS:
            return _unbounded(args[0]) % (1 << WRAPS[name])
        case _:
            raise _Unknown


POINTS_AT_ONCE = 1 << 20
MOST_POINTS = 1 << 30  # more would take minutes; the fact stays undecided


def _for_all(binders: tuple[RangeBinder, ...], body: Expr, env: Environment) -> PointValues:
    """A universal quantifier: each binder is an array axis, after those of enclosing quantifiers; evaluated in chunks."""
    while (
        isinstance(body, BigOp) and body.op == "All" and not {b.name for b in binders} & {b.name for b in body.binders}
    ):
        binders, body = binders + body.binders, body.body
    if not any(_is_axis(v) for v in env.values()):
        order = order_of_pairs(binders, body)
        if order is not None:
            low, high = _range(binders[0], env)
            if high - low < 2:
                return True
            return order.holds(_value(order.values, {**env, order.index: np.arange(low, high)}), high - low)
        if _fewest_points(binders, env) > MOST_POINTS:
            raise _Unknown
    return _in_parts(binders, body, env)


def _in_parts(binders: tuple[RangeBinder, ...], body: Expr, env: Environment) -> PointValues:
    if not binders:
        return _value(body, env)
    low, high = _range(binders[0], env)
    inner = {n: v[..., np.newaxis] if _is_axis(v) else v for n, v in env.items()}
    outside = int(np.prod(np.broadcast_shapes(*(v.shape for v in env.values() if _is_axis(v))), dtype=np.int64))
    step = max(1, POINTS_AT_ONCE // max(1, outside))
    out: PointValues = True
    for start in range(low, high, step):
        inner[binders[0].name] = np.arange(start, min(start + step, high))
        chunk = np.asarray(_in_parts(binders[1:], body, inner))
        out = np.logical_and(out, np.all(chunk, axis=-1) if chunk.ndim else chunk)
        if not np.any(out):
            return out
    return out


def _range(b: RangeBinder, env: Environment) -> tuple[int, int]:
    if not isinstance(b.range, Range):
        raise _Unknown
    low, high = _value(b.range.low, env), _value(b.range.high, env)
    if np.ndim(low) or np.ndim(high):
        raise _Unknown
    return int(low), max(int(low), int(high))


def _fewest_points(binders: tuple[RangeBinder, ...], env: Environment) -> int:
    """A lower bound for the number of points: the product of the ranges that do not depend on the quantifier's own binders."""
    own = {b.name for b in binders}
    count = 1
    for b in binders:
        if isinstance(b.range, Range) and not (free_vars(b.range.low) | free_vars(b.range.high)) & own:
            low, high = _range(b, env)
            count *= high - low
    return count


def _is_axis(value: object) -> bool:
    """Whether a value is the axis of an enclosing quantifier."""
    return isinstance(value, np.ndarray) and value.ndim > 0
