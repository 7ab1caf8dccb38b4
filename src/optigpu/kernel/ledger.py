"""The ledger: what a proof rests on. Nothing is assumed in silence."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from optigpu.kernel.code import Function


@dataclass(frozen=True, slots=True)
class Theorem:
    """The function meets its contract. Made by `Kernel.finish` alone."""

    function: str
    contract: str  # a digest of the contract
    code: str  # a digest of the code


@dataclass
class Ledger:
    axioms: set[str] = field(default_factory=set)
    admitted: set[str] = field(default_factory=set)
    theorems: dict[str, Theorem] = field(default_factory=dict)

    def proved(self, f: Function) -> Theorem:
        theorem = Theorem(f.name, digest(f.contract), digest(f.body))
        self.theorems[f.name] = theorem
        return theorem

    def used(self, f: Function) -> None:
        """A function that is called must have been proved, or is an assumption from here on."""
        if f.admitted:
            self.admitted.add(f.name)
        elif f.name not in self.theorems or self.theorems[f.name].code != digest(f.body):
            raise ValueError(f"{f.name} has not been proved")

    @property
    def assumptions(self) -> int:
        return len(self.axioms) + len(self.admitted)


def digest(x: object) -> str:
    """A hash of a kernel object: its text determines it."""
    return hashlib.sha256(repr(x).encode()).hexdigest()
