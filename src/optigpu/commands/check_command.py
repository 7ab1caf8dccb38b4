"""The command `check`. What only some checks need is imported by them: the interpreter, emission, certificates."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from functools import partial

from optigpu.check.verdict import Counterexample, FunctionResult, ProgramResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.commands.file_answers import FileAnswer, independent_parts, joined_answers, without_proofs
from optigpu.commands.program_files import program_of_file
from optigpu.commands.worker_processes import in_processes, process_count
from optigpu.report.diagnostics import Style, render
from optigpu.report.progress import progress_on
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
    return Verifier(
        Settings(
            None if args.no_cache else answers_folder(),
            args.second_solver,
            args.seed,
            _refuter,
            unbounded=args.integers == "unbounded",
            timeout=args.timeout,
            recall=False,  # a verdict that people read is not that of another process
            progress=progress_on(sys.stderr, args.progress) if args.jobs == 1 else None,
        )
    )


def check_command(args: argparse.Namespace, style: Style) -> int:
    if args.certificate is not None and (args.function is not None or len(args.files) != 1):
        raise CallError("a certificate is of one whole file: --certificate goes with one FILE, and not with --function")
    if args.certificate is not None or args.show_proof:
        args.jobs = 1  # proofs stay in the process that made them
    args.jobs = process_count(args.jobs)
    code = FINE
    results = []
    for file, answer in _answers(args, style):
        results.append(answer.data)
        if not args.json:
            sys.stdout.write(answer.text)
            print(f"{style.bold(file)}: {summary(answer.result, style)}")
        if answer.result.failures:
            unsupported = all(f.verdict is Verdict.UNSUPPORTED for f in answer.result.failures)
            code = max(code, BAD_INPUT if unsupported else WRONG) if code != WRONG else WRONG
    if args.json:
        print(json.dumps(results, indent=2))
    return code


def _answers(args: argparse.Namespace, style: Style) -> Iterator[tuple[str, FileAnswer]]:
    """The answer for each file, in their order. An error of a file is raised after the answers for those before it."""
    if args.jobs == 1:
        verifier = _verifier(args)
        for file in args.files:
            yield file, _checked(args, style, verifier, _program(args, file), None)
        return
    programs, error = [], None
    for file in args.files:
        try:
            programs.append((file, _program(args, file)))
        except (CallError, InputError, OSError) as e:
            error = e
            break
    parts = [independent_parts(p) if args.function is None else [None] for _, p in programs]
    tasks = [
        partial(_checked_alone, args, style, program, part)
        for (_, program), division in zip(programs, parts, strict=True)
        for part in division
    ]
    answers = in_processes(tasks, args.jobs)
    for (file, program), division in zip(programs, parts, strict=True):
        yield file, joined_answers(program, [next(answers) for _ in division])
    if error is not None:
        raise error


def _program(args: argparse.Namespace, file: str) -> Program:
    program = program_of_file(file)
    if args.function is not None:
        host_functions(program, args.function)
    return program


def _checked_alone(args: argparse.Namespace, style: Style, program: Program, part: frozenset[str] | None) -> FileAnswer:
    return _checked(args, style, _verifier(args), program, part)


def _checked(
    args: argparse.Namespace, style: Style, verifier: Verifier, program: Program, part: frozenset[str] | None
) -> FileAnswer:
    """The answer for a file, or for a part of its functions."""
    result = verifier.verify(program, args.function if part is None else part)
    proof = ""
    if args.show_proof and not result.failures:
        from optigpu.search.contract_annotations import annotated

        loops = {statement: loop for f in result.in_full().functions for statement, loop in f.loops.items()}
        proof = print_program(annotated(program, loops))
    if args.certificate is not None and not result.failures:
        _write_certificate(args.certificate, program, result)
    texts = [] if args.json else [_text(args, program, f, style) for f in result.functions]
    return FileAnswer(as_json(result), texts, without_proofs(result), proof)


def _write_certificate(path: str, program: Program, result: ProgramResult) -> None:
    from optigpu.check.certify import certificate_of
    from optigpu.runtime.files import write_whole

    write_whole(path, certificate_of(program, result))


def _text(args: argparse.Namespace, program: Program, f: FunctionResult, style: Style) -> str:
    """What is printed about a function."""
    lines = [render_function(f, style)]
    if args.verbose and f.verdict is Verdict.VERIFIED:
        lines.append(f"  {style.blue('precondition')}: {_precondition(program, f.name)}")
    refusal = _emission_refusal(program, f) if f.verdict is Verdict.VERIFIED else None
    if refusal is not None:
        lines.append(render(refusal, "no CUDA yet", style))
    return "".join(f"{line}\n" for line in lines)


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
