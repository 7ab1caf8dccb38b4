"""Expressions: one language for programs and formulas.

Programs use the first group; formulas use both. `loc` and `type` do not take part in comparison: two expressions are equal when
they are the same syntax. The type checker fills in `type` and makes implicit conversions explicit (`Cast.implicit`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import FLOAT, Scalar, Space, Type


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
    """A float literal. Its value is the number that C reads: of `0.1f` the float nearest to 1/10, of `0.1` the nearest double."""

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
    """`a[i][j]`: a load or the target of a store when fully indexed, a sub-array when not."""

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
    """`MALLOCn(T, …)` and its GPU versions; allowed only as the initial value of a pointer."""

    elem: Scalar
    dims: tuple[Expr, ...]
    space: Space = Space.ANY


# Formulas only ------------------------------------------------------------------------------------------------------------


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
    """`Sum(k in 0..N, A(k))`, and `Prod`, `Max`, `Min`, `All`, `Any`. Later binders may mention earlier ones."""

    op: str
    binders: tuple[RangeBinder, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class PointsTo(_Expr):
    """`p ~~> v` (a cell), `p ~> Matrix2(H, W, A)` (a representation predicate), each with an optional `[space]`."""

    pointer: Expr
    arrow: str  # ~> or ~~>
    target: Expr
    space: Expr | None = None


@dataclass(frozen=True, slots=True)
class Group(_Expr):
    """`for i in r -> H`; with `desync`, `desync_for`: iteration i's part belongs to thread i until a barrier."""

    index: str
    range: Expr
    body: Expr
    desync: bool = False


@dataclass(frozen=True, slots=True)
class TypeOf(_Expr):
    """A type where an expression may stand: the right side of `A: int -> float` in a `__requires`."""

    of: Type


Expr: TypeAlias = (
    Int | Real | Bool | Var | Unary | Binary | Cond | Cast | Index | Addr | Call | SizeOf | Alloc
    | Fun | Forall | Range | BigOp | PointsTo | Group | TypeOf
)  # fmt: skip

BIG_OPERATORS = ("Sum", "Prod", "Max", "Min", "All", "Any")
