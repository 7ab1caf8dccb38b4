"""The ledger: what a proof rests on. Nothing is assumed in silence."""

from __future__ import annotations

from dataclasses import dataclass, field

from optigpu.kernel.instructions import Branch, CountedLoop, Instructions, Invoke, KernelProgram, Procedure
from optigpu.logic.records import record
from optigpu.logic.terms import Term


@record
class Theorem:
    """The function meets its contract, if the axioms hold and what it calls does. `finish` makes it, and the kernel keeps it."""

    function: Procedure
    axioms: tuple[tuple[str, Term], ...]
    callees: tuple[Procedure, ...]
    unbounded: bool  # integers are assumed to fit, in places that the ledger of its program has


@dataclass(eq=False)
class Ledger:
    axioms: set[str] = field(default_factory=set)
    admitted: set[str] = field(default_factory=set)
    theorems: dict[str, Theorem] = field(default_factory=dict)
    unbounded: set[int] = field(default_factory=set)  # instructions (by `at`) whose number is assumed to fit its place

    def proved(self, f: Procedure, program: KernelProgram) -> Theorem:
        callees = tuple(program.functions[name] for name in called(f.body))
        theorem = self.theorems[f.name] = Theorem(f, program.axioms, callees, program.unbounded)
        return theorem

    def used(self, f: Procedure) -> None:
        """A function that is called must have been proved, as it is now, or is an assumption from here on."""
        if f.admitted:
            self.admitted.add(f.name)
        elif f.name not in self.theorems or self.theorems[f.name].function != f:
            raise ValueError(f"{f.name} has not been proved")


def called(code: Instructions) -> tuple[str, ...]:
    """The names of the functions that code calls, each once."""
    out: dict[str, None] = {}
    for i in code:
        match i:
            case Invoke(_, name):
                out[name] = None
            case Branch(_, then, other):
                out |= dict.fromkeys(called((*then, *other)))
            case CountedLoop():
                out |= dict.fromkeys(called(i.body))
            case _:
                pass
    return tuple(out)
