"""Names of a Python function that becomes a program.

In Python a variable belongs to the function, in C to the block that declares it. So a name is visible in the block that first
assigns it and in those inside, and reading it elsewhere is an error: there Python may have no value for it, or an older one.
"""

from __future__ import annotations

from enum import Enum

from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Array
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.types import Pointer, Scalar


class LocalRole(Enum):
    """What a local name stands for."""

    PARAMETER = "a parameter"
    SIZE = "a size"
    INDEX = "the index of a loop"
    VARIABLE = "a variable"
    ARRAY = "an array"


@dataclass(slots=True)
class LocalName:
    role: LocalRole
    type: Scalar | Array | Pointer
    loc: Loc
    low: int | None = None
    high: int | None = None
    heap: bool = False  # an array that is freed at the end of its block
    declaration: StatementId | None = None
    assigned: bool = False  # after its declaration


class PythonScopes:
    """The open blocks, innermost last, and the names of those that have ended."""

    def __init__(self) -> None:
        self.blocks: list[dict[str, LocalName]] = [{}]
        self.ended: dict[str, LocalName] = {}

    def find(self, name: str) -> LocalName | None:
        return next((b[name] for b in reversed(self.blocks) if name in b), None)

    def declare(self, name: str, local: LocalName) -> None:
        self.blocks[-1][name] = local
        self.ended.pop(name, None)

    def open(self) -> None:
        self.blocks.append({})

    def close(self) -> dict[str, LocalName]:
        block = self.blocks.pop()
        self.ended |= block
        return block

    def visible(self) -> list[str]:
        return [name for block in self.blocks for name in block]
