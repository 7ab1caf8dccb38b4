"""What names mean while a kernel is lowered: values, arrays as one thread sees them, the loops over fragments around."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from optigpu.codegen.value_ranges import Ranges
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.exprs import Expr
from optigpu.syntax.polynomials import Polynomial
from optigpu.syntax.types import Scalar


class Storage(Enum):
    HOST = "host"
    GLOBAL = "global"
    SHARED = "shared"
    REGISTER = "register"
    FRAGMENT = "fragment"


@dataclass(frozen=True)
class ArrayInfo:
    """An array as one thread sees it, without distributed dimensions. `flat`: a pointer, indexed by linear offsets. `swizzled`: a
    tile whose elements only `at(row, col)` finds. `group`: the threads that have a fragment together."""

    name: str
    elem: Scalar
    dims: tuple[Expr | None, ...]
    storage: Storage
    distributed: bool = False
    flat: bool = False
    swizzled: bool = False
    group: int = 0


@dataclass(frozen=True)
class FragmentLoop:
    """A loop over rows or columns of fragments: its index, as it is at an element, and where in a thread's part of a fragment that
    is."""

    index: Expr
    tile: Expr
    part: Expr


@dataclass(frozen=True)
class LoweringScope:
    """What names mean: values and pointers, which are substituted, and arrays. `group`: how many threads execute the code together,
    if that is a known number; `rows`, `cols`: the loops over fragments around."""

    values: dict[str, Expr] = field(default_factory=dict)
    arrays: dict[str, ArrayInfo] = field(default_factory=dict)
    ranges: Ranges = field(default_factory=Ranges)
    group: int | None = None
    rows: FragmentLoop | None = None
    cols: FragmentLoop | None = None

    def value(self, name: str, e: Expr) -> LoweringScope:
        return replace(self, values={**self.values, name: e})

    def array(self, info: ArrayInfo, name: str | None = None) -> LoweringScope:
        name = name or info.name
        values = {k: v for k, v in self.values.items() if k != name}
        return replace(self, values=values, arrays={**self.arrays, name: info})

    def local(self, name: str) -> LoweringScope:
        """The scope of a new declaration, which hides what the name meant before."""
        values = {k: v for k, v in self.values.items() if k != name}
        arrays = {k: v for k, v in self.arrays.items() if k != name}
        return replace(self, values=values, arrays=arrays, ranges=self.ranges.without(name))

    def ranged(self, name: str, low: Polynomial, high: Polynomial) -> LoweringScope:
        return replace(self, ranges=self.ranges.declaring(name, low, high))
