"""Verifying programs: elaborate, run the executor on every function, say what came out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from optigpu.check.contract_checks import contract_facts, contract_problem
from optigpu.check.problem import Problem
from optigpu.check.problems import problem_of
from optigpu.check.recorded_proof import RecordingKernel
from optigpu.check.verdict import FunctionResult, ProgramResult, Refuter, Verdict
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.elaborate.weakening import closed_name, open_name, weakened
from optigpu.errors.check_causes import UnverifiedCallee
from optigpu.kernel import Judge, Kernel, Ledger, Theorem
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Operation, UnprovedFact, WrongValue
from optigpu.logic.judge import Solver
from optigpu.search.advice import SearchGuide
from optigpu.search.equalities.equality_search import EqualityProofs
from optigpu.search.execute import Executor
from optigpu.search.failure import Failed
from optigpu.search.proof_states import Points
from optigpu.solver.answer_cache import CachedSolver
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.program import Program
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import Loc


@dataclass
class Settings:
    """`cache`: the folder for solver answers, or None. `second`: ask cvc5 too. `seed`: of the solver, which must not matter.
    `points`: keep what is held at each point of the program."""

    cache: Path | None = None
    second: bool = False
    seed: int = 0
    refuter: Refuter | None = None
    points: bool = False
    unbounded: bool = False  # integers that are not shown to fit their places are assumed to


class Verifier:
    """Verifies programs one after the other, remembering solver answers."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.solver = CachedSolver(_solver(self.settings), self.settings.cache)
        self.judge = Judge(
            self.solver, SearchGuide()
        )  # what was found out about facts is kept from one program to the next
        self.equality_proofs: EqualityProofs = {}
        self.proved: dict[str, tuple[object, FunctionResult, list[int]]] = {}  # theorems, by function
        self.contracts: dict[str, tuple[object, Problem | None]] = {}  # what is wrong with them, by function

    @deep
    def verify(self, program: Program, only: str | None = None) -> ProgramResult:
        hits, asked = self.solver.hits, self.solver.asked
        ledger = Ledger()
        results: list[FunctionResult] = []
        called: list[FunctionResult] = []
        try:
            elaborated = elaborate(program, self.settings.unbounded)
        except (InputError, MemoryError, RecursionError) as e:
            results.append(_unsupported(program, e if isinstance(e, InputError) else _too_large(program.items[-1].loc)))
            return ProgramResult(program.file, results, [], [], self.solver.description)
        wanted = {f.name for f in program.functions()} if only is None else {only}
        functions = elaborated.program.functions
        found: dict[str, FunctionResult] = {}
        for name in _callees_first(elaborated, wanted | {open_name(n) for n in wanted}):
            over_reals = found.get(closed_name(name)) if name != closed_name(name) else None
            if over_reals is not None and over_reals.verdict is not Verdict.VERIFIED:
                continue  # one problem of a function is enough
            result = self._function(program, elaborated, ledger, functions[name])
            found[name] = result
            if over_reals is not None:
                found[closed_name(name)] = _both(over_reals, result)
        for name, result in found.items():
            f = functions[name]
            if (not (f.admitted or f.primitive) or result.problem is not None) and name == closed_name(name):
                (results if name in wanted else called).append(result)
        used = (self.solver.hits - hits, self.solver.asked - asked)
        admitted = {closed_name(n) for n in ledger.admitted}
        admitted |= {n for n, f in functions.items() if f.admitted and n in wanted}
        order = {f.name: i for i, f in enumerate(program.functions())}
        results.sort(key=lambda r: order.get(r.name, 0))
        assumed = sorted({elaborated.places[at] for at in ledger.unbounded}, key=lambda p: (p.file, p.line, p.column))
        return ProgramResult(
            program.file,
            results,
            sorted(ledger.axioms),
            sorted(admitted),
            self.solver.description,
            called,
            used,
            assumed,
            sorted(elaborated.statements[at] for at in ledger.unbounded),
        )

    def _again(
        self,
        old: FunctionResult,
        loops: list[int],
        f: kc.Procedure,
        elaborated: Elaborated,
        start: float,
    ) -> FunctionResult:
        """A function that has not changed since it was proved."""
        result = replace(old, seconds=time.perf_counter() - start)
        shown = (
            {at: old.loops[statement_id] for at, statement_id in zip(loops, old.loops)}
            if len(loops) == len(old.loops)
            else {}
        )
        new = dict(zip(loops, _loops(f.body)))
        result.loops = {elaborated.statement_ids[new[at]]: s for at, s in shown.items()}
        result.points = None if old.points is None else old.points.moved(elaborated.statements, f.body)
        return result

    def _besides_overflow(self, elaborated: Elaborated, f: kc.Procedure) -> Problem | None:
        """What else is wrong with a function that misbehaves without an overflow."""
        program = replace(elaborated.program, unbounded=True)
        try:
            Executor(RecordingKernel(self.judge, program, Ledger()), elaborated).verify(f.name)
        except Failed as failure:
            return problem_of(failure, elaborated)
        except (InputError, MemoryError, ValueError):  # or it calls others, which are proved of this program alone
            pass
        return None

    def _stands(self, theorem: Theorem | None, elaborated: Elaborated, ledger: Ledger) -> bool:
        """Does the kernel recognise the theorem, and is it one of this program too?"""
        try:
            return theorem is not None and Kernel(self.judge, elaborated.program, ledger).recall(theorem) == theorem
        except (TypeError, ValueError):
            return False

    def _function(self, program: Program, elaborated: Elaborated, ledger: Ledger, f: kc.Procedure) -> FunctionResult:
        start = time.perf_counter()
        if f.primitive:
            return FunctionResult(f.name, Verdict.VERIFIED, 0.0)
        problem = self._contract(program, elaborated, f) if f.name == closed_name(f.name) else None
        if problem is not None:
            return FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start, problem=problem)
        if f.admitted:
            return FunctionResult(f.name, Verdict.VERIFIED, 0.0)
        broken = _unproved_callee(f.body, elaborated.program, ledger)
        if broken is not None:  # even if this function is as it was when it was proved
            name, at = broken
            callee = closed_name(name)
            cause = UnverifiedCallee(Operation.CALL, function=callee)
            problem = Problem(
                "OG330", elaborated.places[at], cause, function=callee, statement=elaborated.statements[at]
            )
            return FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start, problem=problem)
        about = _everything_about(f, elaborated)
        known = self.proved.get(f.name)
        if known is not None and known[0] == about:
            elaborated.program.functions[f.name] = weakened(f, frozenset(known[1].without))
            if self._stands(known[1].theorem, elaborated, ledger):
                return self._again(known[1], known[2], f, elaborated, start)
            elaborated.program.functions[f.name] = f
        normaliser, solver = self.judge.settled()
        without: list[tuple[str, str, int]] = []
        try:
            while True:
                kernel = RecordingKernel(self.judge, elaborated.program, ledger)
                executor = Executor(kernel, elaborated, self.equality_proofs)
                if self.settings.points and f.name == closed_name(f.name):
                    executor.points = Points(elaborated.statements, f.body)
                try:
                    theorem = executor.verify(f.name)
                    break
                except Failed as failure:
                    said = _said_of_results(failure, f)
                    if f.name == closed_name(f.name) or said is None or said in without:
                        raise
                    without.append(said)  # proved over the reals; with floats left open it says less
                    elaborated.program.functions[f.name] = weakened(f, frozenset(without))
        except Failed as failure:
            problem = problem_of(failure, elaborated)
            result = FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start, problem=problem)
            if self.settings.refuter is not None:
                result.counterexample = self.settings.refuter(program, closed_name(f.name))
                if result.counterexample is not None:
                    result.verdict = Verdict.REFUTED
                    if problem.code == OVERFLOW and result.counterexample.diagnostic.code != OVERFLOWN:
                        result.problem = self._besides_overflow(elaborated, f) or problem
        except (InputError, MemoryError, RecursionError) as e:
            d = (
                e.diagnostic
                if isinstance(e, InputError)
                else _too_large(program.function(closed_name(f.name)).loc).diagnostic
            )
            problem = Problem(d.code, d.loc, message=d.message)
            result = FunctionResult(f.name, Verdict.UNSUPPORTED, time.perf_counter() - start, problem=problem)
        else:
            result = FunctionResult(f.name, Verdict.VERIFIED, time.perf_counter() - start, theorem=theorem)
            result.proof, result.without = kernel.proof(), tuple(without)
            shown = executor.shown
            result.loops = {elaborated.statement_ids[at]: shown[at] for at in _loops(f.body) if at in shown}
            self.proved[f.name] = (about, result, _loops(f.body))
        after = self.judge.settled()
        result.normaliser, result.solver = after[0] - normaliser, after[1] - solver
        result.points = executor.points
        return result

    def _contract(self, program: Program, elaborated: Elaborated, f: kc.Procedure) -> Problem | None:
        """What is wrong with a contract: found once, for contracts do not change from step to step."""
        function = program.function(f.name)
        about = contract_facts(elaborated, function)
        known = self.contracts.get(f.name)
        if known is None or known[0] != about:
            known = self.contracts[f.name] = (
                about,
                contract_problem(self.judge, elaborated, function),
            )
        return known[1]


OVERFLOW, OVERFLOWN = "OG336", "OG209"  # a number is not shown to fit; it was seen not to


def _said_of_results(failure: Failed, f: kc.Procedure) -> tuple[str, str, int] | None:
    """What a function with floats left open says of results, and could not be shown: it is safe without that.

    Assertions are numbered in the function as it was before any was left out, as `weakened` counts them.
    """
    match failure.cause:
        case UnprovedFact(operation=Operation.ENSURES) | WrongValue(operation=Operation.POST) if failure.clause:
            return f.name, *failure.clause
        case UnprovedFact(operation=Operation.ASSERT):
            numbers = [i.at for i in kc.instructions_in(f.body) if isinstance(i, kc.Assertion)]
            return f.name, "assert", numbers.index(failure.at)
        case _:
            return None


def _both(over_reals: FunctionResult, opened: FunctionResult) -> FunctionResult:
    """What came out of a function, with floats as reals and left open."""
    effort = (over_reals.normaliser + opened.normaliser, over_reals.solver + opened.solver)
    result = over_reals if opened.verdict is Verdict.VERIFIED else replace(opened, name=over_reals.name)
    if result.problem is not None:
        result.problem = replace(result.problem, floats_open=True)
    seconds = over_reals.seconds + opened.seconds
    return replace(result, opened=opened, normaliser=effort[0], solver=effort[1], seconds=seconds)


def _everything_about(f: kc.Procedure, elaborated: Elaborated) -> object:
    """What a verdict on a function depends on: the function, its loop contracts, what it calls, and the axioms."""
    program = elaborated.program
    callees = {name: program.functions[name] for name, _ in _calls(f.body)}
    specs = [elaborated.specs.get(at) for at in _loops(f.body)]
    return f, specs, callees, program.axioms


def _loops(code: kc.Instructions) -> list[int]:
    """The loops of a function, in order."""
    return [i.at for i in kc.instructions_in(code) if isinstance(i, kc.CountedLoop)]


def _solver(settings: Settings) -> Solver:
    from optigpu.solver.z3_solver import Z3Solver

    first = Z3Solver(settings.seed)
    if not settings.second:
        return first
    from optigpu.solver.cvc5_solver import BothSolvers, Cvc5Solver

    return BothSolvers(first, Cvc5Solver())


def _unsupported(program: Program, e: InputError) -> FunctionResult:
    names = [f.name for f in program.functions()]
    problem = Problem(e.diagnostic.code, e.diagnostic.loc, message=e.diagnostic.message)
    return FunctionResult(names[-1] if names else program.file, Verdict.UNSUPPORTED, 0.0, problem=problem)


def _too_large(loc: Loc) -> InputError:
    return input_error("OG015", "the values that this computes are too large to be written down", loc)


def _calls(code: kc.Instructions) -> list[tuple[str, int]]:
    return [(i.function, i.at) for i in kc.instructions_in(code) if isinstance(i, kc.Invoke)]


def _callees_first(elaborated: Elaborated, wanted: set[str]) -> list[str]:
    functions = elaborated.program.functions
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for callee, _ in _calls(functions[name].body):
                visit(callee)
            order.append(name)

    for name in functions:
        if name in wanted:
            visit(name)
    return order


def _unproved_callee(code: kc.Instructions, program: kc.KernelProgram, ledger: Ledger) -> tuple[str, int] | None:
    for name, at in _calls(code):
        f = program.functions[name]
        if not (f.admitted or f.primitive) and name not in ledger.theorems:
            return name, at
    return None
