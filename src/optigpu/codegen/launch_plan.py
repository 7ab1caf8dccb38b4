"""The launch plan: what a host function does with its kernels, as data, for a runtime that does not compile host code."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Expr
from optigpu.syntax.types import Scalar

AXES = "xyz"  # of a grid, in the order of dim3
MAX_GRID = (2**31 - 1, 65535, 65535)  # blocks along each axis
MOST_EXTENT = 2**31 - 2**20  # of an array that bulk copies read: so the place of each element of a tile has 32 bits


@dataclass(frozen=True, slots=True)
class PlanLimit:
    """The range of an integer argument for which the kernels' 32-bit arithmetic does not overflow; others are refused."""

    name: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class PlanProduct:
    """The greatest product of some sizes for which 64-bit arithmetic does not overflow; greater ones are refused."""

    names: tuple[str, ...]
    most: int

    @property
    def text(self) -> str:
        return " * ".join(self.names)


@dataclass(frozen=True, slots=True)
class PlanLet:
    """An integer of the host gets a value."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class PlanScratch:
    """A device array that lives until it is freed, or the plan ends."""

    name: str
    elem: Scalar
    dims: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class PlanFree:
    """The end of a device array."""

    name: str


@dataclass(frozen=True, slots=True)
class PlanCopy:
    """A copy from one device array to another."""

    to: str
    source: str
    elem: Scalar
    dims: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class PlanMap:
    """How bulk copies find tiles of an array in device memory; `elem`: of the tile, `dims`: of the array."""

    array: str
    elem: Scalar
    dims: tuple[Expr, ...]
    rows: int
    cols: int


@dataclass(frozen=True, slots=True)
class PlanLaunch:
    """A kernel launch; `grid` and `block` list x first. The kernel's parameters are `scalars`, the first block of each axis in
    `slices` ("y", "z"), `arrays`, and `maps`. `bulk`: the form with bulk copies, for GPUs and arrays that allow them."""

    kernel: str
    grid: tuple[Expr, ...]
    block: tuple[Expr, ...]
    shared_bytes: Expr
    scalars: tuple[tuple[str, Scalar], ...]
    slices: tuple[tuple[str, Scalar], ...]
    arrays: tuple[str, ...]
    maps: tuple[PlanMap, ...] = ()
    bulk: PlanLaunch | None = None


@dataclass(frozen=True, slots=True)
class PlanRepeat:
    """`for (index = start; index relation bound; index op= amount)`"""

    index: str
    start: Expr
    relation: str
    bound: Expr
    op: str
    amount: Expr
    body: Plan


@dataclass(frozen=True, slots=True)
class PlanChoice:
    test: Expr
    then: Plan
    other: Plan


PlanStep: TypeAlias = (
    PlanLimit | PlanProduct | PlanLet | PlanScratch | PlanFree | PlanCopy | PlanLaunch | PlanRepeat | PlanChoice
)
Plan: TypeAlias = tuple[PlanStep, ...]
