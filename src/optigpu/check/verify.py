"""Verifying programs: elaborate, run the executor on every function, say what came out."""

from __future__ import annotations

import time
from collections.abc import Callable, Set
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

from optigpu.check.contract_checks import contract_facts, contract_problem
from optigpu.check.proof_attempt import ProofAttempt
from optigpu.check.recorded_proof import RecordingKernel
from optigpu.check.remembered_loops import RememberedLoops
from optigpu.check.remembered_proofs import RememberedProof, loops_of, proof_basis, recalled_result
from optigpu.check.remembered_verdicts import RememberedVerdicts
from optigpu.check.verdict import Counterexample, FunctionResult, ProgramResult, Refuter, Verdict
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.formula_definedness import ContractFacts
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.elaborate.weakening import closed_name, open_name
from optigpu.errors.check_causes import TimeIsOver, UnverifiedCallee
from optigpu.errors.located_failure import problem_of
from optigpu.errors.other_errors import TIME_IS_OVER
from optigpu.errors.problem import Problem
from optigpu.kernel import Judge, Ledger
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import Operation
from optigpu.kernel.ledger import called
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic.judge import Solver
from optigpu.search.advice import SearchGuide
from optigpu.search.content_names import Nameless
from optigpu.search.execute import Executor, FoundEarlier
from optigpu.search.failure import Failed
from optigpu.search.watch import Doing, OutOfTime, Watch
from optigpu.solver.answer_cache import CachedSolver
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.program import Program
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import Loc

T = TypeVar("T")


@dataclass
class Settings:
    """How to verify.

    `cache`: the folder for solver answers and verdicts of earlier runs, or None. `second`: ask cvc5 too. `seed`: of the solver;
    verdicts do not depend on it. `refuter`: looks for inputs on which a function misbehaves. `points`: keep the proof's states for
    people to look at. `unbounded`: assume that integers fit where that is not shown. `timeout`: seconds for the proof of one
    function; verdicts then depend on `clock`. `progress` is told what a long check is doing. `recall`: believe the verdicts of
    earlier runs.
    """

    cache: Path | None = None
    second: bool = False
    seed: int = 0
    refuter: Refuter | None = None
    points: bool = False
    unbounded: bool = False
    timeout: float | None = None
    progress: Callable[[Doing | None], None] | None = None
    recall: bool = True
    clock: Callable[[], float] = time.monotonic


class Verifier:
    """Verifies programs one after the other. Solver answers, proofs and checked contracts are remembered for the next one."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.solver = CachedSolver(_solver(self.settings), self.settings.cache)
        self.verdicts = _verdicts(self.settings)
        self.watch = Watch(self.settings.timeout, self.settings.progress, self.settings.clock)
        self.judge = Judge(self.solver, SearchGuide(self.watch))
        self.found_earlier = FoundEarlier()
        self.loops = RememberedLoops()
        self.nameless: dict[str, Nameless] = {}  # by function
        self.proved: dict[str, RememberedProof] = {}  # by function
        self.contracts: dict[
            str, tuple[list[ContractFacts], Problem | None]
        ] = {}  # contracts and their problems, by function

    @deep
    def verify(self, program: Program, only: str | Set[str] | None = None) -> ProgramResult:
        """Verify all functions of a program, or only some, and the functions that they call; or recall the verdict of an earlier
        run (see remembered_verdicts.py)."""
        return self.verdicts.recall(program, only, self.solver.description, lambda: self.checked(program, only))

    def found(self, program: Program, question: str, find: Callable[[], T]) -> T:
        """What `find` finds in the proof of a program, remembered by the program and the question."""
        return self.verdicts.found(program, self.solver.description, question, find)

    def checked(self, program: Program, only: str | Set[str] | None = None) -> ProgramResult:
        """Verify, whatever is remembered."""
        hits, asked = self.solver.hits, self.solver.asked
        try:
            elaborated = elaborate(program, self.settings.unbounded)
        except (InputError, MemoryError, RecursionError) as e:
            return self._not_elaborated(program, e)
        names = {f.name for f in program.functions()}
        wanted = names if only is None else {only} if isinstance(only, str) else set(only)
        ledger = Ledger()
        self.watch.begin(elaborated.places)
        try:
            checked = self._functions(program, elaborated, ledger, wanted)
        finally:
            self.watch.end()
        order = {f.name: i for i, f in enumerate(program.functions())}
        own = sorted((r for r in checked if r.name in wanted), key=lambda r: order.get(r.name, 0))
        functions = elaborated.program.functions
        admitted = {closed_name(n) for n in ledger.admitted}
        admitted |= {n for n, f in functions.items() if f.admitted and n in wanted}
        unbounded = {elaborated.places[at] for at in ledger.unbounded}
        return ProgramResult(
            program.file,
            own,
            sorted(ledger.axioms),
            sorted(admitted),
            self.solver.description,
            called=[r for r in checked if r.name not in wanted],
            cached=(self.solver.hits - hits, self.solver.asked - asked),
            unbounded=sorted(unbounded, key=lambda p: (p.file, p.line, p.column)),
            unbounded_statements=sorted(elaborated.statements[at] for at in ledger.unbounded),
        )

    def _not_elaborated(self, program: Program, error: Exception) -> ProgramResult:
        functions = program.functions()
        d = _diagnostic(error, program.items[-1].loc)
        problem = Problem(d.code, d.loc, message=d.message)
        name = functions[-1].name if functions else program.file
        result = FunctionResult(name, Verdict.UNSUPPORTED, 0.0, problem=problem)
        return ProgramResult(program.file, [result], [], [], self.solver.description)

    def _functions(
        self, program: Program, elaborated: Elaborated, ledger: Ledger, wanted: set[str]
    ) -> list[FunctionResult]:
        """The results of the wanted functions and their callees. Admitted ones are there only if their contract is wrong."""
        functions = elaborated.program.functions
        results: dict[str, FunctionResult] = {}
        for name in _callees_first(functions, wanted | {open_name(n) for n in wanted}):
            closed = closed_name(name)
            if name == closed:
                results[name] = self._function(program, elaborated, ledger, functions[name])
            elif results[closed].verdict is Verdict.VERIFIED:  # one problem of a function is enough
                opened = self._function(program, elaborated, ledger, functions[name])
                results[closed] = _with_opened(results[closed], opened)
        assumed = {name for name in results if functions[name].admitted or functions[name].primitive}
        return [r for name, r in results.items() if name not in assumed or r.problem is not None]

    def _function(self, program: Program, elaborated: Elaborated, ledger: Ledger, f: kc.Procedure) -> FunctionResult:
        start = time.perf_counter()
        if f.primitive:
            return FunctionResult(f.name, Verdict.VERIFIED, 0.0)
        self.watch.start(f.name)
        try:
            return self._function_in_time(program, elaborated, ledger, f, start)
        except OutOfTime:  # whatever it had found so far, nothing is claimed
            problem = self._out_of_time(program, elaborated, f)
            return FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start, problem=problem)
        finally:
            self.watch.stop()

    def _function_in_time(
        self, program: Program, elaborated: Elaborated, ledger: Ledger, f: kc.Procedure, start: float
    ) -> FunctionResult:
        problem = self._contract_problem(program, elaborated, f) if f.name == closed_name(f.name) else None
        if problem is None and f.admitted:
            return FunctionResult(f.name, Verdict.VERIFIED, 0.0)
        problem = problem or _unproved_callee(
            f, elaborated, ledger
        )  # even if this function is as it was when it was proved
        if problem is not None:
            return FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start, problem=problem)
        remembered = self.proved.get(f.name)
        if remembered is not None:
            result = recalled_result(remembered, self.judge, f, elaborated, ledger)
            if result is not None:
                return result
        return self._proved(program, elaborated, ledger, f, start)

    def _proved(
        self, program: Program, elaborated: Elaborated, ledger: Ledger, f: kc.Procedure, start: float
    ) -> FunctionResult:
        """The result of an attempt to prove a function, which began at `start`."""
        normaliser, solver = self.judge.obligation_counts()
        nameless = self.nameless.get(f.name, Nameless()).copy()
        points = self.settings.points
        known_loops = None if self.settings.unbounded else self.loops  # another proof may assume less
        counterexample = cache(partial(self._counterexample, program, f))
        attempt = ProofAttempt(
            self.judge,
            elaborated,
            ledger,
            f,
            self.found_earlier,
            points,
            nameless,
            self.watch,
            known_loops,
            lambda: counterexample() is not None,
        )
        basis = proof_basis(f, elaborated)
        try:
            theorem = attempt.run()
        except Failed as failure:
            result = FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start)
            self._explain(result, elaborated, f, failure, counterexample())
        except (InputError, MemoryError, RecursionError) as e:
            d = _diagnostic(e, program.function(closed_name(f.name)).loc)
            problem = Problem(d.code, d.loc, message=d.message)
            result = FunctionResult(f.name, Verdict.UNSUPPORTED, time.perf_counter() - start, problem=problem)
        else:
            result = FunctionResult(f.name, Verdict.VERIFIED, time.perf_counter() - start, theorem=theorem)
            result.proof, result.left_out = attempt.kernel.proof(), tuple(attempt.left_out)
            inferred, loops = attempt.executor.loops.inferred, loops_of(f)
            result.loops = {elaborated.statement_ids[at]: inferred[at] for at in loops if at in inferred}
            self.proved[f.name] = RememberedProof(basis, result, loops)
            self.nameless[f.name] = nameless  # what a proof needed; a program that is wrong needs nothing
        by_normaliser, by_solver = self.judge.obligation_counts()
        result.normaliser, result.solver = by_normaliser - normaliser, by_solver - solver
        result.points = attempt.executor.states
        return result

    def _counterexample(self, program: Program, f: kc.Procedure) -> Counterexample | None:
        """An input on which the function misbehaves, if one is looked for and found."""
        if self.settings.refuter is None:
            return None
        self.watch.phase = "search for an input that shows the problem"
        return self.settings.refuter(program, closed_name(f.name))

    def _explain(
        self,
        result: FunctionResult,
        elaborated: Elaborated,
        f: kc.Procedure,
        failure: Failed,
        counterexample: Counterexample | None,
    ) -> None:
        """Add the problem of a rejected rule to a result, and the input on which the function misbehaves."""
        problem = result.problem = problem_of(failure, elaborated)
        result.counterexample = counterexample
        if result.counterexample is not None:
            result.verdict = Verdict.REFUTED
            if problem.code == MAY_OVERFLOW and result.counterexample.diagnostic.code != OVERFLOWS:
                result.problem = self._problem_besides_overflow(elaborated, f) or problem

    def _problem_besides_overflow(self, elaborated: Elaborated, f: kc.Procedure) -> Problem | None:
        """Another problem of a function that misbehaves without an overflow."""
        program = replace(elaborated.program, unbounded=True)
        try:
            Executor(RecordingKernel(self.judge, program, Ledger()), elaborated, None, watch=self.watch).verify(f.name)
        except Failed as failure:
            return problem_of(failure, elaborated)
        except (InputError, MemoryError, ValueError):  # or it calls others, which are proved of this program alone
            pass
        return None

    def _out_of_time(self, program: Program, elaborated: Elaborated, f: kc.Procedure) -> Problem:
        """The problem of a proof that took too long, at the place that it had come to."""
        at, function = self.watch.instruction, closed_name(f.name)
        loc = self.watch.loc if at else program.function(function).loc
        cause = TimeIsOver(Operation.ORDER, seconds=str(self.watch.limit))
        return Problem(TIME_IS_OVER.code, loc, cause, function=f.name, statement=elaborated.statements[at] if at else 0)

    def _contract_problem(self, program: Program, elaborated: Elaborated, f: kc.Procedure) -> Problem | None:
        """What is wrong with a contract by itself. It is looked for once, since steps of a script do not change contracts."""
        function = program.function(f.name)
        facts = contract_facts(elaborated, function)
        remembered = self.contracts.get(f.name)
        if remembered is None or remembered[0] != facts:
            remembered = self.contracts[f.name] = facts, contract_problem(self.judge, elaborated, function)
        return remembered[1]


MAY_OVERFLOW, OVERFLOWS = "OG336", "OG209"  # not shown to fit its type; seen not to fit it


def _with_opened(over_reals: FunctionResult, opened: FunctionResult) -> FunctionResult:
    """The result of a function from that over the reals and that with floats left open."""
    result = over_reals if opened.verdict is Verdict.VERIFIED else replace(opened, name=over_reals.name)
    if result.problem is not None:
        result.problem = replace(result.problem, floats_open=True)
    return replace(
        result,
        opened=opened,
        normaliser=over_reals.normaliser + opened.normaliser,
        solver=over_reals.solver + opened.solver,
        seconds=over_reals.seconds + opened.seconds,
    )


def _verdicts(settings: Settings) -> RememberedVerdicts:
    """The verdicts of earlier runs with these settings. A rejection is remembered in brief, so not where it is to be explained, and
    not where it may be due to the clock."""
    basis = (f"{settings.second}", f"{settings.seed}", f"{settings.unbounded}")
    folder = settings.cache if settings.recall else None
    return RememberedVerdicts(folder, basis, rejections=settings.refuter is None and settings.timeout is None)


def _solver(settings: Settings) -> Solver:
    """Solvers are imported here alone: cvc5 is optional, and z3 takes long to import."""
    from optigpu.solver.z3_solver import Z3Solver

    first = Z3Solver(settings.seed)
    if not settings.second:
        return first
    from optigpu.solver.cvc5_solver import BothSolvers, Cvc5Solver

    return BothSolvers(first, Cvc5Solver())


def _diagnostic(error: Exception, loc: Loc) -> Diagnostic:
    """The diagnostic of an input error; other errors mean that terms grew too large for memory or recursion."""
    if isinstance(error, InputError):
        return error.diagnostic
    return Diagnostic("OG015", "the values that this computes are too large to be written down", loc)


def _callees_first(functions: dict[str, kc.Procedure], wanted: set[str]) -> list[str]:
    """The wanted functions and all that they call, each after those that it calls."""
    order: list[str] = []

    def visit(name: str) -> None:
        if name not in order:
            for callee in called(functions[name]):
                visit(callee)
            order.append(name)

    for name in functions:
        if name in wanted:
            visit(name)
    return order


def _unproved_callee(f: kc.Procedure, elaborated: Elaborated, ledger: Ledger) -> Problem | None:
    """The problem of a function that calls one that is not proved."""
    for i in kc.instructions_in(f.body):
        if isinstance(i, kc.Invoke):
            callee = elaborated.program.functions[i.function]
            if not (callee.admitted or callee.primitive) and callee.name not in ledger.theorems:
                name, statement = closed_name(callee.name), elaborated.statements[i.at]
                cause = UnverifiedCallee(Operation.CALL, function=name)
                return Problem("OG330", elaborated.places[i.at], cause, function=name, statement=statement)
    return None
