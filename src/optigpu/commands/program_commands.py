"""The commands on C files: check, audit, explain, parse, print, test, run-c."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from optigpu.check.certify import certificate_of
from optigpu.check.contract_checks import suggested_sizes
from optigpu.check.verdict import FunctionResult, ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.codegen.cuda.cuda_unit import emit_cuda
from optigpu.codegen.emission import launches
from optigpu.commands.differential import compare_on
from optigpu.commands.file_audits import audited_file, replayed
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.errors.catalogue import CATALOGUE
from optigpu.frontend import parse_file
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.misbehaviour import CannotEvaluate
from optigpu.interp.refute import describe_inputs, refute
from optigpu.interp.runner import Runner
from optigpu.interp.testing import satisfying_input, test_function, valid_inputs
from optigpu.report.audit_text import render_audit
from optigpu.report.diagnostics import Style, render
from optigpu.report.test_summary import render_test, show_inputs
from optigpu.report.verdict_text import as_json, render_function, summary
from optigpu.runtime.call_error import BAD_INPUT, FINE, WRONG, CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.disk_cache import answers_folder
from optigpu.runtime.files import write_whole
from optigpu.runtime.signature import signature_of
from optigpu.search.contract_annotations import annotated
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.diagnostic import Diagnostic, InputError
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Function, Program, Role
from optigpu.syntax.unfolding import definitions_of


def _functions(program: Program, name: str | None) -> list[Function]:
    functions = [f for f in program.functions() if f.role is Role.HOST]
    if name is None:
        return functions
    named = [f for f in functions if f.name == name]
    if not named:
        names = ", ".join(f.name for f in functions) or "none"
        raise CallError(f"{program.file} has no function `{name}` (it has: {names})")
    return named


def _verifier(args: argparse.Namespace) -> Verifier:
    cache = None if args.no_cache else answers_folder()
    return Verifier(Settings(cache, args.second_solver, args.seed, refute, unbounded=args.integers == "unbounded"))


def check_command(args: argparse.Namespace, style: Style) -> int:
    if args.certificate is not None and (args.function is not None or len(args.files) != 1):
        raise CallError("a certificate is of one whole file: --certificate goes with one FILE, and not with --function")
    verifier = _verifier(args)
    code = FINE
    results = []
    for file in args.files:
        program = parse_file(file)
        if args.function is not None:
            _functions(program, args.function)
        result = verifier.verify(program, args.function)
        results.append(as_json(result))
        if not args.json:
            _print_check(args, program, result, style)
            print(f"{style.bold(file)}: {summary(result, style)}")
        if result.failures:
            unsupported = all(f.verdict is Verdict.UNSUPPORTED for f in result.failures)
            code = max(code, BAD_INPUT if unsupported else WRONG) if code != WRONG else WRONG
        elif args.certificate is not None:
            write_whole(args.certificate, certificate_of(program, result))
    if args.json:
        print(json.dumps(results, indent=2))
    return code


def _print_check(args: argparse.Namespace, program: Program, result: ProgramResult, style: Style) -> None:
    if args.show_proof and not result.failures:
        loops = {statement: loop for f in result.in_full().functions for statement, loop in f.loops.items()}
        sys.stdout.write(print_program(annotated(program, loops)))
    elaborated = elaborate(program) if args.verbose else None
    for f in result.functions:
        print(render_function(f, style))
        if elaborated is not None and f.verdict is Verdict.VERIFIED:
            print(f"  {style.blue('precondition')}: {_precondition(program, elaborated, f.name)}")
        refusal = _emission_refusal(program, f) if f.verdict is Verdict.VERIFIED else None
        if refusal is not None:
            print(render(refusal, "no CUDA yet", style))


def _emission_refusal(program: Program, r: FunctionResult) -> Diagnostic | None:
    """Why a verified function that launches kernels cannot be emitted: it is a program between two steps of a script."""
    f = next((f for f in program.functions() if f.name == r.name), None)
    if f is None or not launches(f):
        return None
    try:
        emit_cuda(program, f.name)
    except InputError as e:
        return e.diagnostic
    return None


def _precondition(program: Program, elaborated: Elaborated, name: str) -> str:
    """The text of an input that satisfies the precondition of a function, if one is found."""
    f = program.function(name)
    try:
        inputs = satisfying_input(Runner(program), f, suggested_sizes(Z3Solver(), elaborated, f))
    except (CannotEvaluate, KeyError, RecursionError):  # a lemma, or a function for a group of threads
        inputs = None
    if inputs is None:
        return "neither an input that satisfies it nor a contradiction was found"
    return f"satisfied by {name}({describe_inputs(inputs)})"


def audit_command(args: argparse.Namespace, style: Style) -> int:
    code = FINE
    for file in args.files:
        if args.certificate is not None:
            try:
                audit = audited_file(file, Path(args.certificate).read_text(encoding="utf-8"))
            except ValueError as e:
                raise CallError(f"{args.certificate}: {e}") from None
        else:
            program = parse_file(file)
            result = Verifier(Settings(answers_folder())).verify(program)
            if result.failures:
                for f in result.functions:
                    print(render_function(f, style))
                return WRONG
            audit = replayed(certificate_of(program, result), file)
        print(render_audit(file, audit, style))
        if audit.failures or (args.no_assumptions and audit.assumptions):
            code = WRONG
    return code


def explain_command(args: argparse.Namespace, style: Style) -> int:
    code = args.code.upper()
    if code not in CATALOGUE:
        raise CallError(f"there is no error code {args.code} (codes look like OG302)")
    print(f"{style.bold(code)}  {CATALOGUE[code].explanation}")
    return FINE


def parse_command(args: argparse.Namespace, style: Style) -> int:
    for file in args.files:
        program = parse_file(file)
        names = ", ".join(f.name for f in program.functions()) or "no functions"
        print(f"{style.bold(file)}: {style.green('ok')} ({names})")
    return FINE


def print_command(args: argparse.Namespace, style: Style) -> int:
    for file in args.files:
        program = parse_file(file)
        sys.stdout.write(emit_c(program) if args.plain else print_program(program))
    return FINE


def test_command(args: argparse.Namespace, style: Style) -> int:
    failed = False
    for file in args.files:
        program = parse_file(file)
        runner = Runner(program)
        for f in _functions(program, args.function):
            report = test_function(runner, f, seed=args.seed, seconds=args.seconds)
            print(render_test(report, style))
            failed = failed or report.failure is not None
    return WRONG if failed else FINE


def run_c_command(args: argparse.Namespace, style: Style) -> int:
    for file in args.files:
        program = parse_file(file)
        runner = Runner(program)
        source = emit_c(program)
        for f in _functions(program, args.function):
            plain = without_constants(program, f)
            compiled = CFunction(source, signature_of(plain, effective_types(plain), definitions_of(program)))
            runs = 0
            for inputs in valid_inputs(runner, f, seed=args.seed, most=40):
                difference = compare_on(compiled, runner, f, inputs)
                runs += 1
                if difference is not None:
                    print(f"{style.red('differs')}: {f.name}({show_inputs(inputs)})")
                    print(f"  {difference.what}: compiled {difference.compiled}, interpreted {difference.interpreted}")
                    return WRONG
            print(f"{style.bold(f.name)}: C and interpreter {style.green('agree')} on {runs} inputs")
    return FINE


PROGRAM_COMMANDS = {
    "check": check_command,
    "audit": audit_command,
    "explain": explain_command,
    "parse": parse_command,
    "print": print_command,
    "test": test_command,
    "run-c": run_c_command,
}
