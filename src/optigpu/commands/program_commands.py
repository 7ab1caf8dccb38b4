"""The commands on C files, besides `check`: audit, explain, parse, print, test, run-c."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from optigpu.check.certify import certificate_of
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.commands.check_command import host_functions
from optigpu.commands.differential import compare_on
from optigpu.commands.file_audits import audited_file, replayed
from optigpu.errors.catalogue import CATALOGUE
from optigpu.frontend import parse_file
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.runner import Runner
from optigpu.interp.testing import test_function, valid_inputs
from optigpu.report.audit_text import render_audit
from optigpu.report.diagnostics import Style
from optigpu.report.test_summary import render_test, show_inputs
from optigpu.report.verdict_text import render_function
from optigpu.runtime.call_error import FINE, WRONG, CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.disk_cache import answers_folder
from optigpu.runtime.signature import signature_of
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.printer import print_program
from optigpu.syntax.unfolding import definitions_of


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
        for f in host_functions(program, args.function):
            report = test_function(runner, f, seed=args.seed, seconds=args.seconds)
            print(render_test(report, style))
            failed = failed or report.failure is not None
    return WRONG if failed else FINE


def run_c_command(args: argparse.Namespace, style: Style) -> int:
    for file in args.files:
        program = parse_file(file)
        runner = Runner(program)
        source = emit_c(program)
        for f in host_functions(program, args.function):
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
    "audit": audit_command,
    "explain": explain_command,
    "parse": parse_command,
    "print": print_command,
    "test": test_command,
    "run-c": run_c_command,
}
