"""What happens to written annotations in a step: the contracts of loops, ghosts and assertions.

A transformation rewrites annotations together with the code that they speak of. Three things it leaves to this module, which knows
the checker:

- a loop whose contract was dropped, or is only a part of what it was, gets the contract by which the checker proved it, and the
  facts of the old contract that still hold;
- an annotation that no longer holds, such as the invariant of a loop whose iterations now run in another order, is removed, if
  the program verifies without it;
- an annotation that is removed for good is recorded in the step, and shown.

Nothing of this is trusted: the resulting program is verified like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

from optigpu.check.verdict import FunctionResult, ProgramResult
from optigpu.check.verify import Verifier
from optigpu.elaborate.weakening import closed_name
from optigpu.errors.problem import Problem
from optigpu.frontend.program_loading import retyped
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.names import source_name
from optigpu.search.contract_annotations import annotated
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import PointsTo
from optigpu.syntax.printer import ProgramPrinter
from optigpu.syntax.program import Assert, Body, Clause, For, Function, Ghost, GhostEnd, Program, Stmt
from optigpu.syntax.source import NOWHERE, Loc, StatementId
from optigpu.syntax.walk import map_bodies, root_name, statements, subexpressions

FACTS = ("invariant", "srequires", "xrequires", "xensures")
BEFORE = ("xconsumes", "xreads", "sreads")  # clauses that speak of the start of an iteration alone
AFTER = ("xproduces",)  # of its end alone
ATTEMPTS = 12
UNVERIFIED_CALLEE = "OG330"

Contract = tuple[Clause, ...]
Contracts = dict[StatementId, Contract]


@dataclass(frozen=True, slots=True)
class Settled:
    """A program whose annotations are settled, with its verdict, and the annotations that were removed, as text."""

    program: Program
    result: ProgramResult
    removed: tuple[str, ...] = ()


@dataclass
class AnnotationChanges:
    """What the transformations of a step say about annotations: loops whose contracts are incomplete, and statements whose
    annotations are new, so that they must hold, and ghosts and assertions that they could not rewrite and left out."""

    incomplete: set[StatementId] = field(default_factory=set)
    stated: set[StatementId] = field(default_factory=set)
    dropped: list[Stmt] = field(default_factory=list)

    def copy(self) -> AnnotationChanges:
        return AnnotationChanges({*self.incomplete}, {*self.stated}, [*self.dropped])


def settle_annotations(
    verifier: Verifier, before: Program, after: Program, changes: AnnotationChanges, known: ProgramResult | None = None
) -> Settled:
    """Verify the program after a step, and complete or remove annotations of the program before it.

    `known`: the verdict on the program after the step, if the step has looked at it itself.
    """
    result = known or verifier.verify(after)
    if before is after:
        return Settled(after, result)
    keeper = _Keeper(verifier, before, changes)
    if result.failures:
        valid = keeper.without_stale(after, result)
        if valid is None:
            return Settled(after, result)
        settled = keeper.completed(*valid)
        settled = replace(settled, removed=keeper.missing(after, settled.program))
    else:
        settled = keeper.completed(after, result)
    return replace(settled, removed=(*map(_text, changes.dropped), *settled.removed))


class _Keeper:
    def __init__(self, verifier: Verifier, before: Program, changes: AnnotationChanges) -> None:
        self.verifier = verifier
        self.changes = changes
        self.functions = {f.name: f for f in before.functions()}
        written = [s for f in before.functions() for s in statements(f.body)]
        self.written = {s.id for s in written}
        self.contracts: Contracts = {s.id: s.contract for s in written if isinstance(s, For) and s.contract}
        self.proof_steps = {s.id for s in written if isinstance(s, Assert | Ghost)}
        self.places = {i.loc for contract in self.contracts.values() for c in contract for i in c.items}

    # Annotations that no longer hold

    def without_stale(self, program: Program, result: ProgramResult) -> tuple[Program, ProgramResult] | None:
        """The program without annotations that are no longer true; None if it does not verify without them."""
        everything: list[Callable[[Program], Program]] = [self._without_contracts, self._without_steps]
        for _ in range(ATTEMPTS):
            smaller = self._without_failing(program, result)
            while smaller == program and everything:
                smaller = everything.pop(0)(program)
            if smaller == program:
                return None
            checked = self._verified(smaller)
            if checked is None:  # a name that a removed statement introduced is used elsewhere
                return None
            program, result = checked
            if not result.failures:
                return program, result
        return None

    def _without_failing(self, program: Program, result: ProgramResult) -> Program:
        """The program without the old annotation that the checker rejects, if that is what it rejects."""
        found = _failing_statement(program, result)
        if found is None:
            return program
        s, failure = found
        assert failure.problem is not None
        if isinstance(s, For) and s.contract and self._is_removable(s):
            self.changes.incomplete.add(s.id)
            return _with_statement(program, s, replace(s, contract=_without_rejected(s.contract, failure.problem)))
        if isinstance(s, Assert | Ghost) and self._is_old_step(s):
            return _with_statement(program, s)
        return program

    def _without_contracts(self, program: Program) -> Program:
        """The program without the contracts of loops in the functions that the step changed."""

        def bare(s: Stmt) -> Stmt | None:
            return replace(s, contract=()) if isinstance(s, For) and self._is_removable(s) else s

        return self._in_changed_functions(program, bare)

    def _without_steps(self, program: Program) -> Program:
        """The program without the ghosts and assertions of the functions that the step changed."""

        def bare(s: Stmt) -> Stmt | None:
            paired = isinstance(s, Ghost) and s.label is not None
            return None if isinstance(s, Assert | Ghost) and not paired and self._is_old_step(s) else s

        return self._in_changed_functions(program, bare)

    def _in_changed_functions(self, program: Program, change: Callable[[Stmt], Stmt | None]) -> Program:
        items = tuple(
            replace(f, body=_mapped(f.body, change))
            if isinstance(f, Function) and f != self.functions.get(f.name)
            else f
            for f in program.items
        )
        return replace(program, items=items)

    def _old_contract(self, s: For) -> Contract:
        """The contract that a loop had before the step; empty if it had none, or if its contract is stated in the step."""
        if s.id in self.changes.stated:
            return ()
        origin = next((x for x in _lineage(s.id) if x in self.written), s.id)
        return self.contracts.get(origin, ())

    def _is_removable(self, s: For) -> bool:
        """Does the contract of a loop come from the program before the step?"""
        return bool(self._old_contract(s)) and all(i.loc in self.places for c in s.contract for i in c.items)

    def _is_old_step(self, s: Stmt) -> bool:
        return s.id not in self.changes.stated and any(x in self.proof_steps for x in _lineage(s.id))

    def missing(self, after: Program, settled: Program) -> tuple[str, ...]:
        """The annotations that a transformation left in the program and that are not in the settled one."""
        texts: list[str] = []
        kept = {s.id: s for f in settled.functions() for s in statements(f.body)}
        for s in (s for f in after.functions() for s in statements(f.body)):
            now = kept.get(s.id)
            if now is None:
                texts.append(_text(s))
            elif isinstance(s, For) and isinstance(now, For):
                gone = [c for c in s.contract if c not in now.contract]
                texts.extend(_text(c) for c in gone)
        return tuple(texts)

    # Contracts from the proof

    def completed(self, program: Program, result: ProgramResult) -> Settled:
        """The program with contracts at loops that have lost theirs; it is verified with the result."""
        open_loops = [
            s
            for f in program.functions()
            for s in statements(f.body)
            if isinstance(s, For) and (s.id in self.changes.incomplete or not s.contract) and self._old_contract(s)
        ]
        if not open_loops:
            return Settled(program, result)
        program, result = self._with_proved_contracts(program, result, open_loops)
        program, result = self._with_old_facts(program, result, open_loops)
        now = {s.id: s.contract for s in _loops(program)}
        removed = [
            _text(c)
            for s in open_loops
            for c in self._old_contract(s)
            if not now[s.id] or (c.kind in FACTS and c not in now[s.id])
        ]
        return Settled(program, result, tuple(dict.fromkeys(removed)))

    def _with_proved_contracts(
        self, program: Program, result: ProgramResult, open_loops: list[For]
    ) -> tuple[Program, ProgramResult]:
        """Write the contracts of the proof at loops, as far as the program still verifies with them."""
        proved = self._proved_contracts(program, result, [s.id for s in open_loops])
        added = {s.id: merged_contracts(s.contract, proved[s.id]) for s in open_loops if s.id in proved}
        added = {s.id: added[s.id] for s in open_loops if s.id in added and added[s.id] != s.contract}
        for _ in range(ATTEMPTS):
            if not added:
                break
            checked = self._verified(_with_contracts(program, added))
            if checked is not None and not checked[1].failures:
                return checked
            found = None if checked is None else _failing_statement(*checked)
            if found is None or found[0].id not in added:
                break
            del added[found[0].id]
        return program, result

    def _proved_contracts(self, program: Program, result: ProgramResult, ids: list[StatementId]) -> Contracts:
        numbers = [n for n, s in enumerate(_loops(program)) if s.id in ids]

        def find() -> tuple[Contract, ...]:
            proved = proved_contracts(program, result, set(ids))
            return tuple(proved.get(x, ()) for x in ids)

        contracts = self.verifier.found(program, f"contracts of the loops {numbers}", find)
        return {x: contract for x, contract in zip(ids, contracts) if contract}

    def _with_old_facts(
        self, program: Program, result: ProgramResult, open_loops: list[For]
    ) -> tuple[Program, ProgramResult]:
        """Add facts of the contracts before the step that still hold at these loops."""
        for loop in open_loops:
            for fact in (c for c in self._old_contract(loop) if c.kind in FACTS):
                now = next(s for s in _loops(program) if s.id is loop.id)
                if fact in now.contract:
                    continue
                checked = self._verified(_with_contracts(program, {loop.id: (*now.contract, fact)}))
                if checked is not None and not checked[1].failures:
                    program, result = checked
        return program, result

    def _verified(self, program: Program) -> tuple[Program, ProgramResult] | None:
        """A program with types, and its verdict; None if an annotation uses a name that is not known there."""
        try:
            program = retyped(program)
        except InputError:
            return None
        return program, self.verifier.verify(program)


def proved_contracts(program: Program, result: ProgramResult, ids: set[StatementId]) -> Contracts:
    """The contracts by which the checker proved these loops, as far as formulas can express them."""
    bare = _with_contracts(program, dict.fromkeys(ids, ()))
    loops = {x: loop for f in result.in_full().functions for x, loop in f.loops.items()}
    return {s.id: _placed(s.contract, s.loc) for s in _loops(annotated(bare, loops)) if s.id in ids and s.contract}


def _placed(contract: Contract, loc: Loc) -> Contract:
    """The contract with a place for its clauses: that of the loop."""
    return tuple(replace(c, items=tuple(replace(i, loc=loc) for i in c.items), loc=loc) for c in contract)


def merged_contracts(written: Contract, proved: Contract) -> Contract:
    """The written clauses, and the permissions of the proof on arrays and variables of which nothing is written.

    Facts of the proof are left out: it finds them again.
    """
    sides = {(name, side) for c in written for name in _names_of(c) for side in _sides(c)}
    out = list(written)
    for c in proved:
        if c.kind not in FACTS and not any((name, side) in sides for name in _names_of(c) for side in _sides(c)):
            out.append(c)
    return tuple(sorted(out, key=_position))


def _position(c: Clause) -> int:
    """What a contract begins with: the start of an iteration comes first."""
    return 0 if c.kind in ("xrequires", "srequires") else 1 if c.kind in BEFORE else 2


def _names_of(c: Clause) -> set[str]:
    """The arrays and variables that the permissions of a clause are about."""
    return {root_name(x.pointer) for i in c.items for x in subexpressions(i.body) if isinstance(x, PointsTo)}


def _sides(c: Clause) -> tuple[str, ...]:
    if c.kind in BEFORE:
        return ("start",)
    return ("end",) if c.kind in AFTER else ("start", "end")


def _failing_statement(program: Program, result: ProgramResult) -> tuple[Stmt, FunctionResult] | None:
    """The statement that the checker's first problem is about."""
    failures = [f for f in result.failures if f.problem is not None and f.problem.code != UNVERIFIED_CALLEE]
    if not failures or failures[0].problem is None or not failures[0].problem.statement:
        return None
    name = closed_name(failures[0].name)
    if name not in {f.name for f in program.functions()}:
        return None
    numbered = list(statements(program.function(name).body))
    n = failures[0].problem.statement
    return (numbered[n - 1], failures[0]) if n <= len(numbered) else None


def _without_rejected(contract: Contract, problem: Problem) -> Contract:
    """A loop's contract without the clauses at the place of a problem, else those on the array that it is about, else all."""
    array = source_name(problem.array)
    for kept in (
        tuple(c for c in contract if problem.loc is NOWHERE or all(i.loc != problem.loc for i in c.items)),
        tuple(c for c in contract if array not in _names_of(c)),
    ):
        if len(kept) < len(contract):
            return kept
    return ()


def _lineage(statement: StatementId) -> Iterator[StatementId]:
    """A statement's id, and those of the statements that it was made from."""
    ancestor: StatementId | None = statement
    while ancestor is not None:
        yield ancestor
        ancestor = ancestor.parent


def _loops(program: Program) -> Iterator[For]:
    return (s for f in program.functions() for s in statements(f.body) if isinstance(s, For))


def _with_contracts(program: Program, contracts: Contracts) -> Program:
    def written(s: Stmt) -> Stmt:
        return replace(s, contract=contracts[s.id]) if isinstance(s, For) and s.id in contracts else s

    return _with_statements(program, written)


def _with_statement(program: Program, old: Stmt, new: Stmt | None = None) -> Program:
    """The program with a statement replaced, or removed; of a `__GHOST_BEGIN` with its end."""
    label = old.label if isinstance(old, Ghost) and new is None else None

    def change(s: Stmt) -> Stmt | None:
        if s.id is old.id:
            return new
        return None if label is not None and isinstance(s, GhostEnd) and s.label == label else s

    return _with_statements(program, change)


def _with_statements(program: Program, change: Callable[[Stmt], Stmt | None]) -> Program:
    items = tuple(replace(f, body=_mapped(f.body, change)) if isinstance(f, Function) else f for f in program.items)
    return replace(program, items=items)


def _mapped(body: Body, change: Callable[[Stmt], Stmt | None]) -> Body:
    """Change each statement of a body and of nested bodies, inner ones first; None removes it."""
    changed = (change(map_bodies(s, lambda b: _mapped(b, change))) for s in body)
    return tuple(s for s in changed if s is not None)


def _text(annotation: Clause | Stmt) -> str:
    """An annotation as it is written."""
    printer = ProgramPrinter()
    if isinstance(annotation, Clause):
        printer.clauses((annotation,))
    else:
        printer.statement(annotation)
    return printer.out.text().strip()
