"""Proofs of one program that hold in the next one, so that a script proves again only what a step has changed."""

from __future__ import annotations

import time
from typing import TypeAlias

from optigpu.check.verdict import FunctionResult
from optigpu.elaborate.elaborated import Elaborated, LoopSpec
from optigpu.elaborate.weakening import weakened
from optigpu.kernel import Judge, Kernel, Ledger, Theorem
from optigpu.kernel import instructions as kc
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.terms import Term

ProofBasis: TypeAlias = tuple[
    kc.Procedure,
    list[LoopSpec | None],
    list[dict[str, Term] | None],
    dict[str, kc.Procedure],
    tuple[tuple[str, Term], ...],
]


@dataclass(frozen=True, slots=True)
class RememberedProof:
    basis: ProofBasis
    result: FunctionResult
    loops: list[int]  # the `at` of the function's loops, in the program that it was proved of


def proof_basis(f: kc.Procedure, elaborated: Elaborated) -> ProofBasis:
    """What a verdict on a function depends on: the function, its loop contracts, what is given to logical variables of its
    calls, the functions it calls, and the axioms."""
    program = elaborated.program
    calls = [i for i in kc.instructions_in(f.body) if isinstance(i, kc.Invoke)]
    callees = {i.function: program.functions[i.function] for i in calls}
    specs = [elaborated.specs.get(at) for at in loops_of(f)]
    return f, specs, [elaborated.lemma_arguments.get(i.at) for i in calls], callees, program.axioms


def loops_of(f: kc.Procedure) -> list[int]:
    """The `at` of all loops of a function, in the order of the text."""
    return [i.at for i in kc.instructions_in(f.body) if isinstance(i, kc.CountedLoop)]


def recall_theorem(judge: Judge, program: kc.KernelProgram, ledger: Ledger, theorem: Theorem) -> bool:
    """Enter a theorem of an earlier program into the ledger of this one. False if the kernel refuses it.

    The rule `recall` decides, not this module: the theorem is one that the judge saw proved, and this program has the same
    function, the same axioms and the same callees, which are proved or admitted here.
    """
    try:
        return Kernel(judge, program, ledger).recall(theorem) == theorem
    except (TypeError, ValueError):
        return False


def recalled_result(
    remembered: RememberedProof, judge: Judge, f: kc.Procedure, elaborated: Elaborated, ledger: Ledger
) -> FunctionResult | None:
    """The result of a function that has not changed since it was proved; None if it has, or if the kernel refuses the theorem."""
    start = time.perf_counter()
    old = remembered.result
    if old.theorem is None or remembered.basis != proof_basis(f, elaborated):
        return None
    elaborated.program.functions[f.name] = weakened(f, frozenset(old.left_out))
    if not recall_theorem(judge, elaborated.program, ledger, old.theorem):
        elaborated.program.functions[f.name] = f
        return None
    result = replace(old, seconds=time.perf_counter() - start)
    loops = remembered.loops if len(remembered.loops) == len(old.loops) else []
    places = dict(zip(loops, loops_of(f)))
    result.loops = {elaborated.statement_ids[places[at]]: s for at, s in zip(loops, old.loops.values())}
    result.points = None if old.points is None else old.points.moved(elaborated.statements, f.body)
    return result
