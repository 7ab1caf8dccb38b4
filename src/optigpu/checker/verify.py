"""Verifying programs: elaborate, run the executor on every function, say what came out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from optigpu.checker.certificate import RecordingKernel
from optigpu.checker.elaborate import Elaborated, elaborate
from optigpu.checker.execute import Executor, Failed
from optigpu.checker.points import Points
from optigpu.checker.problems import problem_of
from optigpu.checker.sums import Found
from optigpu.checker.verdict import FunctionResult, Problem, ProgramResult, Refuter, Verdict
from optigpu.kernel import code as kc
from optigpu.kernel.facts import Facts
from optigpu.kernel.judge import Judge, Solver
from optigpu.kernel.ledger import Ledger
from optigpu.prover.cache import CachedSolver
from optigpu.prover.guide import Search
from optigpu.syntax.depth import deep
from optigpu.syntax.errors import InputError, input_error
from optigpu.syntax.program import Program
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


class Verifier:
    """Verifies programs one after the other, remembering solver answers."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.solver = CachedSolver(_solver(self.settings), self.settings.cache)
        self.root = Facts(Search())  # what was found out about facts is kept from one program to the next
        self.found: Found = {}
        self.proved: dict[str, tuple[object, FunctionResult, list[int]]] = {}  # theorems, by function

    @deep
    def verify(self, program: Program, only: str | None = None) -> ProgramResult:
        hits, asked = self.solver.hits, self.solver.asked
        ledger = Ledger()
        results: list[FunctionResult] = []
        called: list[FunctionResult] = []
        try:
            elaborated = elaborate(program)
        except (InputError, MemoryError, RecursionError) as e:
            results.append(_unsupported(program, e if isinstance(e, InputError) else _too_large(program.items[-1].loc)))
            return ProgramResult(program.file, results, [], [], self.solver.description)
        wanted = {f.name for f in program.functions()} if only is None else {only}
        functions = elaborated.program.functions
        for name in _callees_first(elaborated, wanted):
            f = functions[name]
            result = self._function(program, elaborated, ledger, f)
            if not (f.admitted or f.primitive):
                (results if name in wanted else called).append(result)
        used = (self.solver.hits - hits, self.solver.asked - asked)
        admitted = sorted(ledger.admitted | {n for n, f in functions.items() if f.admitted and n in wanted})
        order = {f.name: i for i, f in enumerate(program.functions())}
        results.sort(key=lambda r: order.get(r.name, 0))
        return ProgramResult(
            program.file, results, sorted(ledger.axioms), admitted, self.solver.description, called, used
        )

    def _again(
        self,
        old: FunctionResult,
        loops: list[int],
        f: kc.Function,
        elaborated: Elaborated,
        ledger: Ledger,
        start: float,
    ) -> FunctionResult:
        """A function that has not changed since it was proved: the theorem still stands."""
        assert old.theorem is not None
        ledger.theorems[f.name] = old.theorem
        ledger.axioms.update(name for name, _ in elaborated.program.axioms)
        for callee in (elaborated.program.functions[name] for name, _ in _calls(f.body)):
            if not callee.primitive:
                ledger.used(callee)
        result = replace(old, seconds=time.perf_counter() - start)
        shown = {at: old.loops[mark] for at, mark in zip(loops, old.loops)} if len(loops) == len(old.loops) else {}
        new = dict(zip(loops, _loops(f.body)))
        result.loops = {elaborated.marks[new[at]]: s for at, s in shown.items()}
        result.points = None if old.points is None else old.points.moved(elaborated.statements, f.body)
        return result

    def _function(self, program: Program, elaborated: Elaborated, ledger: Ledger, f: kc.Function) -> FunctionResult:
        start = time.perf_counter()
        if f.admitted or f.primitive:
            return FunctionResult(f.name, Verdict.VERIFIED, 0.0)
        broken = _unproved_callee(f.body, elaborated.program, ledger)
        if broken is not None:  # even if this function is as it was when it was proved
            name, at = broken
            problem = Problem("OG330", elaborated.places[at], {"function": name}, statement=elaborated.statements[at])
            return FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start, problem=problem)
        about = _everything_about(f, elaborated)
        known = self.proved.get(f.name)
        if known is not None and known[0] == about and known[1].theorem is not None:
            return self._again(known[1], known[2], f, elaborated, ledger, start)
        judge = Judge(self.solver, self.root)
        kernel = RecordingKernel(judge, elaborated.program, ledger)
        executor = Executor(kernel, elaborated, self.found)
        if self.settings.points:
            executor.points = Points(elaborated.statements, f.body)
        try:
            theorem = executor.verify(f.name)
        except Failed as failure:
            problem = problem_of(failure, elaborated)
            result = FunctionResult(f.name, Verdict.UNPROVED, time.perf_counter() - start, problem=problem)
            if self.settings.refuter is not None:
                result.counterexample = self.settings.refuter(program, f.name)
                if result.counterexample is not None:
                    result.verdict = Verdict.REFUTED
        except (InputError, MemoryError, RecursionError) as e:
            d = e.diagnostic if isinstance(e, InputError) else _too_large(program.function(f.name).loc).diagnostic
            problem = Problem(d.code, d.loc, message=d.message)
            result = FunctionResult(f.name, Verdict.UNSUPPORTED, time.perf_counter() - start, problem=problem)
        else:
            result = FunctionResult(f.name, Verdict.VERIFIED, time.perf_counter() - start, theorem=theorem)
            result.proof = kernel.proof()
            shown = executor.shown
            result.loops = {elaborated.marks[at]: shown[at] for at in _loops(f.body) if at in shown}
            self.proved[f.name] = (about, result, _loops(f.body))
        result.normaliser, result.solver = judge.by_normaliser, judge.by_solver
        result.points = executor.points
        return result


def _everything_about(f: kc.Function, elaborated: Elaborated) -> object:
    """What a verdict on a function depends on: the function, its loop contracts, what it calls, and the axioms."""
    program = elaborated.program
    callees = {name: program.functions[name] for name, _ in _calls(f.body)}
    specs = [elaborated.specs.get(at) for at in _loops(f.body)]
    return f, specs, callees, program.axioms


def _loops(code: kc.Code) -> list[int]:
    """The loops of a function, in order."""
    out: list[int] = []
    for i in code:
        match i:
            case kc.If(_, then, other):
                out += _loops(then) + _loops(other)
            case kc.Loop():
                out += [i.at, *_loops(i.body)]
            case _:
                pass
    return out


def _solver(settings: Settings) -> Solver:
    from optigpu.prover.z3_solver import Z3Solver

    first = Z3Solver(settings.seed)
    if not settings.second:
        return first
    from optigpu.prover.cvc5_solver import BothSolvers, Cvc5Solver

    return BothSolvers(first, Cvc5Solver())


def _unsupported(program: Program, e: InputError) -> FunctionResult:
    names = [f.name for f in program.functions()]
    problem = Problem(e.diagnostic.code, e.diagnostic.loc, message=e.diagnostic.message)
    return FunctionResult(names[-1] if names else program.file, Verdict.UNSUPPORTED, 0.0, problem=problem)


def _too_large(loc: Loc) -> InputError:
    return input_error("OG015", "the values that this computes are too large to be written down", loc)


def _calls(code: kc.Code) -> list[tuple[str, int]]:
    out: list[tuple[str, int]] = []
    for i in code:
        match i:
            case kc.Call(_, name):
                out.append((name, i.at))
            case kc.If(_, then, other):
                out += _calls(then) + _calls(other)
            case kc.Loop():
                out += _calls(i.body)
            case _:
                pass
    return out


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


def _unproved_callee(code: kc.Code, program: kc.Program, ledger: Ledger) -> tuple[str, int] | None:
    for name, at in _calls(code):
        f = program.functions[name]
        if not (f.admitted or f.primitive) and name not in ledger.theorems:
            return name, at
    return None
