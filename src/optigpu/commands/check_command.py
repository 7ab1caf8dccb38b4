"""The command `check`. What only some checks need is imported by them: the interpreter, emission, certificates."""

from __future__ import annotations

import argparse
import json
import sys

from optigpu.check.verdict import Counterexample, FunctionResult, ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_file
from optigpu.report.diagnostics import Style, render
from optigpu.report.verdict_text import as_json, render_function, summary
from optigpu.runtime.call_error import BAD_INPUT, FINE, WRONG, CallError
from optigpu.runtime.disk_cache import answers_folder
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import CallStmt, Function, Program, Role
from optigpu.syntax.walk import statements


def host_functions(program: Program, name: str | None) -> list[Function]:
    """The functions of the host, or the one of that name."""
    functions = [f for f in program.functions() if f.role is Role.HOST]
    if name is None:
        return functions
    named = [f for f in functions if f.name == name]
    if not named:
        names = ", ".join(f.name for f in functions) or "none"
        raise CallError(f"{program.file} has no function `{name}` (it has: {names})")
    return named


def _refuter(program: Program, function: str) -> Counterexample | None:
    from optigpu.interp.refute import refute

    return refute(program, function)


def _verifier(args: argparse.Namespace) -> Verifier:
    cache = None if args.no_cache else answers_folder()
    return Verifier(Settings(cache, args.second_solver, args.seed, _refuter, unbounded=args.integers == "unbounded"))


def check_command(args: argparse.Namespace, style: Style) -> int:
    if args.certificate is not None and (args.function is not None or len(args.files) != 1):
        raise CallError("a certificate is of one whole file: --certificate goes with one FILE, and not with --function")
    verifier = _verifier(args)
    code = FINE
    results = []
    for file in args.files:
        program = parse_file(file)
        if args.function is not None:
            host_functions(program, args.function)
        result = verifier.verify(program, args.function)
        results.append(as_json(result))
        if not args.json:
            _print_check(args, program, result, style)
            print(f"{style.bold(file)}: {summary(result, style)}")
        if result.failures:
            unsupported = all(f.verdict is Verdict.UNSUPPORTED for f in result.failures)
            code = max(code, BAD_INPUT if unsupported else WRONG) if code != WRONG else WRONG
        elif args.certificate is not None:
            _write_certificate(args.certificate, program, result)
    if args.json:
        print(json.dumps(results, indent=2))
    return code


def _write_certificate(path: str, program: Program, result: ProgramResult) -> None:
    from optigpu.check.certify import certificate_of
    from optigpu.runtime.files import write_whole

    write_whole(path, certificate_of(program, result))


def _print_check(args: argparse.Namespace, program: Program, result: ProgramResult, style: Style) -> None:
    if args.show_proof and not result.failures:
        from optigpu.search.contract_annotations import annotated

        loops = {statement: loop for f in result.functions for statement, loop in f.loops.items()}
        sys.stdout.write(print_program(annotated(program, loops)))
    for f in result.functions:
        print(render_function(f, style))
        if args.verbose and f.verdict is Verdict.VERIFIED:
            print(f"  {style.blue('precondition')}: {_precondition(program, f.name)}")
        refusal = _emission_refusal(program, f) if f.verdict is Verdict.VERIFIED else None
        if refusal is not None:
            print(render(refusal, "no CUDA yet", style))


def _launches(f: Function) -> bool:
    return any(isinstance(s, CallStmt) and s.call.func == "kernel_launch" for s in statements(f.body))


def _emission_refusal(program: Program, r: FunctionResult) -> Diagnostic | None:
    """Why a verified function that launches kernels cannot be emitted: it is a program between two steps of a script."""
    f = next((f for f in program.functions() if f.name == r.name), None)
    if f is None or not _launches(f):
        return None
    from optigpu.codegen.cuda.cuda_unit import emit_cuda

    try:
        emit_cuda(program, f.name)
    except InputError as e:
        return e.diagnostic
    return None


def _precondition(program: Program, name: str) -> str:
    """The text of an input that satisfies the precondition of a function, if one is found."""
    from optigpu.check.contract_checks import suggested_sizes
    from optigpu.elaborate.program_elaboration import elaborate
    from optigpu.interp.misbehaviour import CannotEvaluate
    from optigpu.interp.refute import describe_inputs
    from optigpu.interp.runner import Runner
    from optigpu.interp.testing import satisfying_input
    from optigpu.solver.z3_solver import Z3Solver

    f = program.function(name)
    try:
        sizes = suggested_sizes(Z3Solver(), elaborate(program), f)
        inputs = satisfying_input(Runner(program), f, sizes)
    except (CannotEvaluate, KeyError, RecursionError):  # a lemma, or a function for a group of threads
        inputs = None
    if inputs is None:
        return "neither an input that satisfies it nor a contradiction was found"
    return f"satisfied by {name}({describe_inputs(inputs)})"
