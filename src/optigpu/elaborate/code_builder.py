"""The code of one kernel function under construction: its instructions, fresh names, and the place of each instruction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from optigpu.elaborate.alignment import VectorAccesses
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.formula_definedness import Models
from optigpu.elaborate.infinite_values import InfiniteValues
from optigpu.elaborate.machine_types import limits_of
from optigpu.elaborate.name_scope import Names
from optigpu.elaborate.permission_claims import PermissionElaborator
from optigpu.kernel import instructions as kc
from optigpu.kernel.side_conditions import within
from optigpu.logic import terms as k
from optigpu.logic.names import Name, Origin
from optigpu.logic.terms import INT, Sort, Term
from optigpu.syntax.exprs import Expr, Type
from optigpu.syntax.program import Function, Ghost, LogicDecl, Program, Role
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Scalar

TEMPORARIES_OF_A_LOOP = 1000  # more than that, and inner loops have other names after a change around them


class CodeBuilder:
    """`code` is where instructions go. `outer` has the names that the program declares outside of the function."""

    def __init__(
        self, f: Function, names: Names, out: Elaborated, ghosts: Mapping[str, Function], program: Program
    ) -> None:
        self.f = f
        self.program = program
        self.outer = names
        self.out = out
        self.ghosts = ghosts
        self.functions = {
            g.name: g for g in program.flat_items() if isinstance(g, Function) and g.role is not Role.GHOST
        }
        self.assigned = assigned_names(f.body)
        self.infinite = InfiniteValues(f, program)
        self.formulas = PermissionElaborator()
        self.taken = {"_Res"} | {d.name for d in program.flat_items() if isinstance(d, LogicDecl)}
        self.used = {(Origin.PROGRAM, name): 1 for name in self.taken}  # how often a stem is declared
        self.lasting: set[tuple[Origin, str]] = set()  # stems of names that are not used again after their loop
        self.highest: dict[tuple[Origin, str], int] = {}  # by stem, the greatest number so far, in any loop
        self.dims: dict[str, tuple[Term | None, ...]] = {}  # of arrays, by base
        self.distributed: dict[str, bool] = {}
        self.accesses = VectorAccesses(self.dims, self.distributed)
        self.code: list[kc.Instruction] = []
        self.seen = self.current = 0  # numbers of statements, in the order of the text
        self.indices: list[Term] = []  # of the loops around, outermost first
        self.models: Models = {}
        self.opened: dict[str, list[tuple[Ghost, Names]]] = {}  # by label: the ghosts that are open, with their names
        self.logical_arguments: dict[str, Term] = {}  # of the call in the current statement, by a `__with` after it
        self.given_permissions: dict[str, Expr] = {}  # of its variables of type HProp

    def unique(self, stem: str, origin: Origin = Origin.PROGRAM, lasting: bool = False) -> Name:
        """A name that no other variable or array here has; if `lasting`, none of the function: also none of a loop that has ended,
        whose variables keep their last values where it was unrolled."""
        key = origin, stem
        highest = self.highest.get(key, 0)
        number = self.used[key] = max(self.used.get(key, 0), highest if lasting else 0) + 1
        self.highest[key] = max(number, highest)
        if lasting:
            self.lasting.add(key)
        return Name(origin, stem, number)

    @contextmanager
    def loop_scope(self) -> Iterator[None]:
        """A loop: what it declares is free again after it, so that its code has the same names whatever loops are beside it."""
        before, self.used = self.used, dict(self.used)
        first = (len(self.indices) + 1) * TEMPORARIES_OF_A_LOOP
        self.used[Origin.TEMPORARY, "t"] = max(first, self.used.get((Origin.TEMPORARY, "t"), 0))
        try:
            yield
        finally:
            self.used = {**before, **{stem: self.used[stem] for stem in self.lasting}}

    def temporary(self, sort: Sort) -> Term:
        return k.var(self.unique("t", Origin.TEMPORARY), sort)

    def at(self, loc: Loc) -> int:
        """The number of a new instruction, with its place."""
        self.out.places.append(loc)
        self.out.statements.append(self.current)
        return len(self.out.places) - 1

    def at_call(self, loc: Loc) -> int:
        """The number of a call of a function, which gets the values that a `__with` gives to its logical variables."""
        at = self.at(loc)
        if self.logical_arguments:
            self.out.lemma_arguments[at] = self.logical_arguments
        return at

    @contextmanager
    def nested(self) -> Iterator[list[kc.Instruction]]:
        """Collect the instructions made inside in a list of their own."""
        outer, self.code = self.code, []
        try:
            yield self.code
        finally:
            self.code = outer

    def oblige(self, prop: Term, why: kc.Obligation, loc: Loc) -> None:
        if prop is not k.TRUE:
            self.code.append(kc.Oblige(prop, why, at=self.at(loc)))

    def fits(self, value: Term, t: Type | None, loc: Loc) -> None:
        """Oblige that an integer stored in a variable, an element, an argument or a result fits its machine type."""
        if value.sort is INT:
            self.oblige(within(value, limits_of(t)), kc.Obligation.OVERFLOW, loc)

    def modulo(self, value: Term, t: Scalar, loc: Loc) -> Term:
        """Reduce an unsigned number modulo 2^bits of its type."""
        if k.is_num(value):
            return k.num(value.data % (1 << t.bits))
        x = self.temporary(INT)
        self.code.append(kc.Bind(x, value, t.bits, at=self.at(loc)))
        return x

    def choose(self, sort: Sort, limits: kc.Limits, loc: Loc) -> Term:
        """An arbitrary value within the limits."""
        x = self.temporary(sort)
        self.code.append(kc.Havoc(x, limits, at=self.at(loc)))
        return x

    def stable(self, t: Term, at: int) -> Term:
        """Sizes and pointers are evaluated once: give the value a name."""
        if k.is_num(t) or t.op == "var":
            return t
        x = self.temporary(t.sort)
        self.code.append(kc.Bind(x, t, at=at))
        return x
