"""The commands on programs, besides `check`: audit, explain, parse, print, test, run-c."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeAlias

from optigpu.check.certify import certificate_of
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.commands.check_command import host_functions
from optigpu.commands.differential import compare_on
from optigpu.commands.file_audits import audited_file, replayed
from optigpu.commands.program_files import is_python, program_of_file
from optigpu.commands.python_program_text import separate_program_of_file
from optigpu.commands.worker_processes import in_processes, process_count
from optigpu.errors.catalogue import CATALOGUE
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function, valid_inputs
from optigpu.report.audit_text import render_audit
from optigpu.report.diagnostics import Style
from optigpu.report.test_summary import render_test, show_inputs
from optigpu.report.verdict_text import render_function
from optigpu.runtime.call_error import FINE, WRONG, CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.disk_cache import answers_folder
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Function, Program

FunctionCommand: TypeAlias = Callable[[argparse.Namespace, Style, Program, Function], int]


def audit_command(args: argparse.Namespace, style: Style) -> int:
    code = FINE
    for audited in in_processes(
        [partial(_audited, args, style, file) for file in args.files], process_count(args.jobs)
    ):
        if audited is None:
            return WRONG
        code = max(code, audited)
    return code


def _audited(args: argparse.Namespace, style: Style, file: str) -> int | None:
    """The exit code for one file; None if it is not verified, and no further file is to be looked at."""
    if args.certificate is not None:
        try:
            audit = audited_file(file, Path(args.certificate).read_text(encoding="utf-8"))
        except ValueError as e:
            raise CallError(f"{args.certificate}: {e}") from None
    else:
        program = separate_program_of_file(file)
        result = Verifier(Settings(answers_folder())).verify(program)
        if result.failures:
            for f in result.in_full().functions:  # a rejection that was remembered has no reasons
                print(render_function(f, style))
            return None
        # the replaying process runs no code of users: it has the program of the certificate, which is this one
        audit = replayed(certificate_of(program, result), None if is_python(file) else file)
    print(render_audit(file, audit, style))
    return WRONG if audit.failures or (args.no_assumptions and audit.assumptions) else FINE


def explain_command(args: argparse.Namespace, style: Style) -> int:
    code = args.code.upper()
    if code not in CATALOGUE:
        raise CallError(f"there is no error code {args.code} (codes look like OG302)")
    print(f"{style.bold(code)}  {CATALOGUE[code].explanation}")
    return FINE


def parse_command(args: argparse.Namespace, style: Style) -> int:
    for file in args.files:
        program = program_of_file(file)
        names = ", ".join(f.name for f in program.functions()) or "no functions"
        print(f"{style.bold(file)}: {style.green('ok')} ({names})")
    return FINE


def print_command(args: argparse.Namespace, style: Style) -> int:
    for file in args.files:
        program = program_of_file(file)
        sys.stdout.write(emit_c(program) if args.plain else print_program(program))
    return FINE


def test_command(args: argparse.Namespace, style: Style) -> int:
    return max(_of_functions(args, style, _tested), default=FINE)


def _tested(args: argparse.Namespace, style: Style, program: Program, f: Function) -> int:
    report = test_function(Runner(program), f, seed=args.seed, seconds=args.seconds)
    print(render_test(report, style))
    return WRONG if report.failure is not None else FINE


def run_c_command(args: argparse.Namespace, style: Style) -> int:
    return next((code for code in _of_functions(args, style, _run_as_c) if code != FINE), FINE)


def _run_as_c(args: argparse.Namespace, style: Style, program: Program, f: Function) -> int:
    from optigpu.api import call_signature  # with it come all transformations, which other commands do not need

    runner = Runner(program)
    compiled = CFunction(emit_c(program), call_signature(program, f))
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


def _of_functions(args: argparse.Namespace, style: Style, command: FunctionCommand) -> Iterator[int]:
    """The exit codes of a command on each function of each file, in their order. An error of a file comes after what is printed
    about those before it."""
    jobs = process_count(args.jobs)
    if jobs == 1:
        for file in args.files:
            program = program_of_file(file)
            for f in host_functions(program, args.function):
                yield command(args, style, program, f)
        return
    tasks: list[Callable[[], int]] = []
    error: Exception | None = None
    for file in args.files:
        try:
            program = program_of_file(file)
            tasks += [partial(command, args, style, program, f) for f in host_functions(program, args.function)]
        except (CallError, InputError, OSError) as e:
            error = e
            break
    yield from in_processes(tasks, jobs)
    if error is not None:
        raise error


PROGRAM_COMMANDS = {
    "audit": audit_command,
    "explain": explain_command,
    "parse": parse_command,
    "print": print_command,
    "test": test_command,
    "run-c": run_c_command,
}
