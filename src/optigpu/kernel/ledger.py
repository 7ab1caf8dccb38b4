"""Theorems, and the ledger of what they rest on. Nothing is assumed without an entry."""

from __future__ import annotations

from dataclasses import field

from optigpu.kernel.instructions import Invoke, KernelProgram, Procedure, instructions_in
from optigpu.light_dataclass import dataclass
from optigpu.logic.records import record
from optigpu.logic.terms import Term


@record
class Theorem:
    """The function meets its contract, if the axioms hold and the functions it calls meet theirs.

    Only the rule `finish` makes a theorem that counts: `sealed.py` keeps the theorems of its own rules, and code outside the kernel
    gets a `SealedTheorem`, a copy for reading.
    """

    function: Procedure
    axioms: tuple[tuple[str, Term], ...]
    callees: tuple[Procedure, ...]
    unbounded: bool  # integers are assumed to fit, at instructions that the ledger of its program lists


@dataclass(eq=False)
class LedgerEntries:
    """The ledger of a program, as the rules write it. `sealed.Ledger` is what others can read of it."""

    axioms: set[str] = field(default_factory=set)
    admitted: set[str] = field(default_factory=set)
    theorems: dict[str, Theorem] = field(default_factory=dict)
    unbounded: set[int] = field(default_factory=set)  # instructions (by `at`) whose number is assumed to fit its type

    def proved(self, f: Procedure, program: KernelProgram) -> Theorem:
        """Enter the theorem of a function whose proof has ended."""
        callees = tuple(program.functions[name] for name in called(f))
        theorem = self.theorems[f.name] = Theorem(f, program.axioms, callees, program.unbounded)
        return theorem

    def used(self, f: Procedure) -> None:
        """A function that is called has been proved, as it is now; or it is admitted, which makes it an assumption."""
        if f.admitted:
            self.admitted.add(f.name)
        elif f.name not in self.theorems or self.theorems[f.name].function != f:
            raise ValueError(f"{f.name} has not been proved")


def called(f: Procedure) -> tuple[str, ...]:
    """The names of the functions that a function calls, each once."""
    return tuple(dict.fromkeys(i.function for i in instructions_in(f.body) if isinstance(i, Invoke)))
