"""Expressions, one language for programs and formulas, and the types that contain expressions.

Programs use the first group of expressions; formulas use both. Fields `loc` and `type` do not take part in comparison: two
expressions are equal when they are the same syntax. The type checker fills in `type` and makes implicit conversions explicit
(`Cast.implicit`).
"""

from __future__ import annotations

from dataclasses import field
from fractions import Fraction
from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import FLOAT, LOGIC_INT, LOGIC_REAL, PROP, Kind, LogicType, Pointer, Scalar, Space

# Types


@dataclass(frozen=True, slots=True)
class Array:
    """An n-dimensional array, or a pointer to its first element. An unknown first size is None.

    With `distributed`, the first index numbers the blocks (shared memory) or threads (registers), each of which has a copy. CUDA
    code does not have this index.
    """

    elem: Scalar
    dims: tuple[Expr | None, ...]
    space: Space = Space.ANY
    distributed: bool = False


@dataclass(frozen=True, slots=True)
class FunType:
    """The type of a logical function: `int * int -> float`."""

    args: tuple[Type, ...]
    result: Type


@dataclass(frozen=True, slots=True)
class ProofType:
    """The type of a named fact: ghosts take facts as arguments (`by := reduce_sum_empty(A)`)."""

    prop: Expr


Type: TypeAlias = Scalar | Array | Pointer | FunType | LogicType | ProofType


def logical(t: Type) -> Type:
    """The type that a value of program type t has in formulas: machine numbers become mathematical ones."""
    if isinstance(t, Scalar):
        return {Kind.BOOL: PROP, Kind.INT: LOGIC_INT, Kind.FLOAT: LOGIC_REAL}[t.kind]
    if isinstance(t, FunType):
        return FunType(tuple(logical(a) for a in t.args), logical(t.result))
    return t


def is_int(t: Type | None) -> bool:
    return isinstance(t, Scalar) and t.kind is Kind.INT


def is_float(t: Type | None) -> bool:
    return isinstance(t, Scalar) and t.kind is Kind.FLOAT


def is_bool(t: Type | None) -> bool:
    return isinstance(t, Scalar) and t.kind is Kind.BOOL


def is_number(t: Type | None) -> bool:
    return isinstance(t, Scalar) and t.kind is not Kind.BOOL


# Expressions of programs and formulas


@dataclass(frozen=True, slots=True, kw_only=True)
class _Expr:
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)
    type: Type | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Int(_Expr):
    value: int
    literal_type: Scalar | None = None  # 1u, 1LL


@dataclass(frozen=True, slots=True)
class Real(_Expr):
    """A float literal. Its value is the number that C stores: for `0.1f` the float nearest to 1/10, for `0.1` the double."""

    value: Fraction
    literal_type: Scalar = FLOAT


@dataclass(frozen=True, slots=True)
class Bool(_Expr):
    value: bool


@dataclass(frozen=True, slots=True)
class Var(_Expr):
    name: str


@dataclass(frozen=True, slots=True)
class Unary(_Expr):
    op: str  # - ! ~
    arg: Expr


@dataclass(frozen=True, slots=True)
class Binary(_Expr):
    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Cond(_Expr):
    test: Expr
    then: Expr
    other: Expr


@dataclass(frozen=True, slots=True)
class Cast(_Expr):
    to: Scalar
    arg: Expr
    implicit: bool = False


@dataclass(frozen=True, slots=True)
class Index(_Expr):
    """`a[i][j]`: an element, to be loaded or stored, or, with fewer indices than dimensions, a sub-array."""

    base: Expr
    indices: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Addr(_Expr):
    """`&a[i][j]`, `&x`"""

    arg: Expr


@dataclass(frozen=True, slots=True)
class Call(_Expr):
    """A call of a program function, or the application of a logical one."""

    func: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class SizeOf(_Expr):
    of: Scalar


@dataclass(frozen=True, slots=True)
class Alloc(_Expr):
    """`MALLOCn(T, …)` and its GPU versions: only as the initial value of a pointer."""

    elem: Scalar
    dims: tuple[Expr, ...]
    space: Space = Space.ANY


# Expressions of formulas only


@dataclass(frozen=True, slots=True)
class Binder:
    """`x`, `x: T`, or (in `forall`) a hypothesis `h: P`, whose type is a ProofType."""

    name: str
    type: Type | None = None
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fun(_Expr):
    """`fun i j -> e`"""

    params: tuple[Binder, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Forall(_Expr):
    """`forall (n: int) (h: n >= 0) -> P`"""

    params: tuple[Binder, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Range(_Expr):
    """`a..b`; `..n` is `0..n` and `a..+n` is `a..a+n`."""

    low: Expr
    high: Expr


@dataclass(frozen=True, slots=True)
class RangeBinder:
    """`k in 0..N`"""

    name: str
    range: Expr
    loc: Loc = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class BigOp(_Expr):
    """`Sum(k in 0..N, A(k))`, and `Prod`, `Max`, `Min`, `All`, `Any`; `ArgMax` and `ArgMin` have one binder.
    The range of a binder may mention earlier binders."""

    op: str
    binders: tuple[RangeBinder, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class PointsTo(_Expr):
    """A permission: `p ~~> v` on a cell, `p ~> Matrix2(H, W, A)` on an array; with a memory space, `p ~~>[GMem] v`."""

    pointer: Expr
    arrow: str  # ~> or ~~>
    target: Expr
    space: Expr | None = None


@dataclass(frozen=True, slots=True)
class Group(_Expr):
    """The permissions H for all i in r: `for i in r -> H`. With `desync`, those for i belong to thread i until the next barrier."""

    index: str
    range: Expr
    body: Expr
    desync: bool = False


@dataclass(frozen=True, slots=True)
class TypeOf(_Expr):
    """A type in the place of a formula: `int -> float` in `__requires("A: int -> float")`."""

    of: Type


Expr: TypeAlias = (
    Int | Real | Bool | Var | Unary | Binary | Cond | Cast | Index | Addr | Call | SizeOf | Alloc
    | Fun | Forall | Range | BigOp | PointsTo | Group | TypeOf
)  # fmt: skip

ARG_OPERATORS = ("ArgMax", "ArgMin")
BIG_OPERATORS = ("Sum", "Prod", "Max", "Min", "All", "Any", *ARG_OPERATORS)
