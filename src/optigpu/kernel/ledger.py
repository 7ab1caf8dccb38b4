"""The ledger: what a proof rests on. Nothing is assumed in silence."""

from __future__ import annotations

from dataclasses import dataclass, field

from optigpu.kernel.code import Function


@dataclass(frozen=True, slots=True)
class Theorem:
    """The function meets its contract. Made by `finish` alone."""

    function: Function


@dataclass
class Ledger:
    axioms: set[str] = field(default_factory=set)
    admitted: set[str] = field(default_factory=set)
    theorems: dict[str, Theorem] = field(default_factory=dict)
    unbounded: set[int] = field(default_factory=set)  # instructions (by `at`) whose number is assumed to fit its place

    def proved(self, f: Function) -> Theorem:
        theorem = self.theorems[f.name] = Theorem(f)
        return theorem

    def used(self, f: Function) -> None:
        """A function that is called must have been proved, as it is now, or is an assumption from here on."""
        if f.admitted:
            self.admitted.add(f.name)
        elif f.name not in self.theorems or self.theorems[f.name].function != f:
            raise ValueError(f"{f.name} has not been proved")
