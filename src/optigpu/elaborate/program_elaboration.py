"""Checked syntax to the kernel's programs. Trusted to preserve meaning: what is proved is proved of its output.

Loads become instructions, partial operations get their obligations, pointers are resolved to a base and an index, locals get names
that are unique in their function, and formulas become terms and claims.
"""

from __future__ import annotations

from optigpu.elaborate.alignment import with_aligned_calls
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.formula_definedness import ContractFacts, resolved
from optigpu.elaborate.formula_terms import FormulaElaborator
from optigpu.elaborate.functions import FunctionElaborator
from optigpu.elaborate.name_scope import MemoryEntry, Names, ValueEntry, sort_of
from optigpu.elaborate.open_floats import OpenFloats, floats_decide
from optigpu.elaborate.weakening import LeftOut, weakened
from optigpu.frontend.program_loading import known_ghosts
from optigpu.kernel import instructions as kc
from optigpu.logic import terms as k
from optigpu.logic.terms import Term
from optigpu.syntax.builtins import MEMORY_PREDICATE, MEMORY_PREDICATES
from optigpu.syntax.exprs import Call, Var
from optigpu.syntax.program import Axiom, Define, Function, LogicDecl, LogicDef, Program, Role, TopLevel
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import VOID


def elaborate(program: Program, unbounded: bool = False, left_out: LeftOut = frozenset()) -> Elaborated:
    """`unbounded`: assume that integers fit where that is not shown.

    Where floats decide anything, each function is there twice: over the reals, and with what floats decide left open, under the
    name `open_name(name)` and with a weaker contract, without the promises in `left_out`.
    """
    return ProgramElaborator(program).run(unbounded, left_out)


class ProgramElaborator:
    """Goes through the program from top to bottom: `names` has what is declared so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.out = Elaborated(kc.KernelProgram({}), [NOWHERE], {}, {})
        self.names = Names({name: MemoryEntry(frozenset(memory)) for name, memory in MEMORY_PREDICATES.items()})
        self.axioms: list[tuple[str, Term]] = []
        self.functions: dict[str, kc.Procedure] = {}
        self.scopes: dict[str, Names] = {}  # the names that each function sees
        self.ghosts = known_ghosts()
        self.formulas = FormulaElaborator()

    def run(self, unbounded: bool, left_out: LeftOut) -> Elaborated:
        for item in self.program.flat_items():
            self.item(item)
        if floats_decide(self.program, [self.functions[name] for name in self.scopes]):
            self.open_floats(left_out)
        functions = with_aligned_calls(self.functions, self.out.accesses)
        self.out.program = kc.KernelProgram({**functions, **self.out.copies}, tuple(self.axioms), unbounded)
        return self.out

    def item(self, item: TopLevel) -> None:
        match item:
            case Define(name, value):
                constant = Function(name, (), VOID, ())
                self.names = self.names.bind(name, ValueEntry(self.function(constant).constant(value)))
            case LogicDecl(name, type_) if type_ == MEMORY_PREDICATE:
                self.names = self.names.bind(name, MemoryEntry(frozenset()))
            case LogicDecl(name, type_):
                self.names = self.names.bind(name, ValueEntry(k.var(name, sort_of(type_, item.loc))))
            case LogicDef(name, value):
                self.names = self.names.bind(name, self.formulas.definition(value, self.names))
            case Axiom(name, Call(predicate, (Var(memory),))) if isinstance(
                entry := self.names.find(predicate), MemoryEntry
            ):
                self.names = self.names.bind(predicate, MemoryEntry(entry.memory | {memory}))
                self.axioms.append(
                    (name, k.TRUE)
                )  # for the ledger: what it says is in the contracts that use the predicate
            case Axiom(name, prop):
                self.axioms.append((name, self.formulas.term(prop, self.names)))
                facts, conditions = (self.axioms[-1][1],), resolved(self.formulas.conditions.take(), {})
                self.out.axioms.append(ContractFacts(f"the axiom {name}", item.loc, facts, conditions))
            case Function(role=Role.GHOST):
                self.ghosts[item.name] = item
                if item.body or item.admitted:  # a lemma: proved once (or assumed), used like a function
                    self.functions[item.name] = self.function(item).run()
            case Function():
                self.scopes[item.name] = self.names
                self.functions[item.name] = self.function(item).run()
            case _:
                pass

    def function(self, f: Function) -> FunctionElaborator:
        return FunctionElaborator(f, self.names, self.out, self.ghosts, self.program)

    def open_floats(self, left_out: LeftOut) -> None:
        """Add each function once more, with floats left open."""
        for f in (f for f in self.program.flat_items() if isinstance(f, Function) and f.name in self.functions):
            if f.role is not Role.GHOST:
                scope, lemmas = self.scopes[f.name], self.functions
                opened = OpenFloats(f, scope, self.out, self.ghosts, self.program, lemmas).run()
                self.functions[opened.name] = weakened(opened, left_out)
