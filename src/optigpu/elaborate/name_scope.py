"""What names stand for in formulas and code: terms, variables in memory, pointers, functions."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.light_dataclass import dataclass
from optigpu.logic import terms as k
from optigpu.logic.terms import BOOL, INT, REAL, Sort, Term
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Fun, FunType, Type
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.types import Kind, Scalar


def unsupported(message: str, loc: Loc) -> InputError:
    """The error for C that cannot be elaborated: the verdict is UNSUPPORTED."""
    return input_error("OG300", message, loc)


@dataclass(frozen=True, slots=True)
class ValueEntry:
    """A name for a term: a number, a truth value, a logical function; with its definition if it is a `__DEF` with partial parts."""

    term: Term
    definition: FunEntry | None = None


@dataclass(frozen=True, slots=True)
class CellEntry:
    """A variable that changes: a base without dimensions."""

    base: str


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """A pointer: its element (i, j, …) is the base's (*lead, shift + i, j, …)."""

    base: str
    lead: tuple[Term, ...]
    shift: Term
    rank: int

    def full(self, indices: tuple[Term, ...]) -> tuple[Term, ...]:
        """Indices into the base, from indices into this array."""
        return (*self.lead, k.add(self.shift, indices[0]), *indices[1:]) if indices else self.lead

    def row(self, indices: tuple[Term, ...]) -> ArrayEntry:
        """`a[i]` of an array with more dimensions."""
        return ArrayEntry(self.base, self.full(indices), k.ZERO, self.rank - len(indices))

    def address(self, indices: tuple[Term, ...]) -> ArrayEntry:
        """`&a[i]`."""
        full = self.full(indices)
        return ArrayEntry(self.base, full[:-1], full[-1], self.rank - len(indices) + 1)


@dataclass(frozen=True, slots=True)
class FunEntry:
    """A lambda passed for a parameter of a ghost, with its scope. Its body is a formula or a permission."""

    fun: Fun
    names: Names


@dataclass(frozen=True, slots=True)
class MemoryEntry:
    """A predicate on memory types, `fM` in `Sync(fM, H)`: those that satisfy it."""

    memory: frozenset[str]


Entry: TypeAlias = ValueEntry | CellEntry | ArrayEntry | FunEntry | MemoryEntry


class Names:
    """A scope, by name. Binding a name makes a new scope."""

    def __init__(self, table: dict[str, Entry] | None = None) -> None:
        self.table = table or {}

    def bind(self, name: str, entry: Entry) -> Names:
        return Names({**self.table, name: entry})

    def find(self, name: str) -> Entry | None:
        return self.table.get(name)


def sort_of(t: Type | None, loc: Loc, at: Loc = NOWHERE) -> Sort:
    """The sort of terms for a type. `at`: where to report an error, if not at `loc`."""
    match t:
        case Scalar(_, kind):
            return {Kind.BOOL: BOOL, Kind.INT: INT, Kind.FLOAT: REAL}[kind]
        case FunType(args, result):
            return k.fun_sort(tuple(sort_of(a, loc, at) for a in args), sort_of(result, loc, at))
        case _:
            raise unsupported("the checker cannot speak about things of this type", at if at is not NOWHERE else loc)
