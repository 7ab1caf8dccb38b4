"""What the commands of the command line do. All but `bench` and `doctor`, which need no solver."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from optigpu.api import CUDA_SUFFIXES, Script, has_kernels, observe, verified_cuda
from optigpu.check.audit import AuditResult, Certified, certified
from optigpu.check.certified_text import TOOL
from optigpu.check.certify import certificate_of
from optigpu.check.contract_checks import suggested_sizes
from optigpu.check.replay import REPLAYER, ReplayError
from optigpu.check.trusted import PROGRAMS_FOR_CODE, trusted_for_code
from optigpu.check.verdict import Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.codegen.emission import Emission, read_emission
from optigpu.differential import compare_on
from optigpu.elaborate.elaborated import Elaborated
from optigpu.elaborate.program_elaboration import elaborate
from optigpu.errors.catalogue import CATALOGUE
from optigpu.frontend import parse_file
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.misbehaviour import CannotEvaluate
from optigpu.interp.refute import describe_inputs, refute
from optigpu.interp.runner import Runner
from optigpu.interp.testing import satisfying_input, test_function, valid_inputs
from optigpu.report.audit_text import first_difference, render_audit
from optigpu.report.diagnostics import Style
from optigpu.report.diffs import render_diff
from optigpu.report.scripts import emitted_header, render_script, render_step, render_step_error
from optigpu.report.test_summary import render_test, show_inputs
from optigpu.report.verdict_text import as_json, render_function, summary
from optigpu.runtime.call_error import BAD_INPUT, FINE, WRONG, BuildError, CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.disk_cache import answers_folder
from optigpu.runtime.files import read_exact, write_whole
from optigpu.runtime.manifest import BuiltCuda, manifest_text, save
from optigpu.runtime.signature import signature_of
from optigpu.script.step import Step
from optigpu.script.step_errors import StepError
from optigpu.search.inferred_contracts import annotated
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.printer import print_program
from optigpu.syntax.program import Function, Program, Role
from optigpu.syntax.source import Loc
from optigpu.syntax.unfolding import definitions_of


def _functions(program: Program, wanted: str | None) -> list[Function]:
    functions = [f for f in program.functions() if f.role is Role.HOST]
    if wanted is None:
        return functions
    found = [f for f in functions if f.name == wanted]
    if not found:
        names = ", ".join(f.name for f in functions) or "none"
        raise CallError(f"{program.file} has no function `{wanted}` (it has: {names})")
    return found


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
            if args.show_proof and not result.failures:
                loops = {mark: shown for f in result.functions for mark, shown in f.loops.items()}
                sys.stdout.write(print_program(annotated(program, loops)))
            shown = elaborate(program) if args.verbose else None
            for f in result.functions:
                print(render_function(f, style))
                if shown is not None and f.verdict is Verdict.VERIFIED:
                    print(f"  {style.blue('precondition')}: {_precondition(program, shown, f.name)}")
            print(f"{style.bold(file)}: {summary(result, style)}")
        if result.failures:
            unsupported = all(f.verdict is Verdict.UNSUPPORTED for f in result.failures)
            code = max(code, BAD_INPUT if unsupported else WRONG) if code != WRONG else WRONG
        elif args.certificate is not None:
            write_whole(args.certificate, certificate_of(program, result))
    if args.json:
        print(json.dumps(results, indent=2))
    return code


def _precondition(program: Program, elaborated: Elaborated, name: str) -> str:
    """An input that satisfies the precondition of a function, as far as one is found."""
    f = program.function(name)
    try:
        found = satisfying_input(Runner(program), f, suggested_sizes(Z3Solver(), elaborated, f))
    except (CannotEvaluate, KeyError, RecursionError):  # a lemma, or a function of a group of threads
        found = None
    if found is None:
        return "neither an input that satisfies it nor a contradiction was found"
    return f"satisfied by {name}({describe_inputs(found)})"


def audit_command(args: argparse.Namespace, style: Style) -> int:
    code = FINE
    for file in args.files:
        if args.certificate is not None:
            try:
                found = _audited(file, Path(args.certificate).read_text(encoding="utf-8"))
            except ValueError as e:
                raise CallError(f"{args.certificate}: {e}") from None
        else:
            program = parse_file(file)
            result = Verifier(Settings(answers_folder())).verify(program)
            if result.failures:
                for f in result.functions:
                    print(render_function(f, style))
                return WRONG
            found = _replayed(certificate_of(program, result), file)
        print(render_audit(file, found, style))
        if found.failures or (args.no_assumptions and found.assumptions):
            code = WRONG
    return code


def _audited(file: str, certificate: str) -> AuditResult:
    """The program of a file; of emitted code, the program of the certificate, from which the code is made again."""
    claimed = certified(certificate)
    try:
        kind, given = Path(file).suffix, read_exact(file)
    except UnicodeDecodeError:
        raise CallError(f"{file} is no text") from None
    cuda = kind in (*CUDA_SUFFIXES, ".json")
    emission = None if claimed.emission is None else read_emission(claimed.emission, claimed.program)
    if not cuda and (emission is None or emission.language != "c" or "optigpu.h" in given):  # annotated C
        parse_file(file)  # its errors are told with their places
        return _replayed(certificate, file)
    if emission is None or (emission.language == "cuda") != cuda:
        raise ValueError(f"it is of no {'CUDA' if cuda else 'C'} code")
    found = _replayed(certificate, None)
    if not found.failures:
        wrong = _wrong_code(given, kind, claimed, emission)
        if wrong is not None:
            found.failures[file] = f"this is not what its program becomes: {wrong}"
        else:
            found.code = "CUDA" if cuda else "C"
            found.trusted_lines |= trusted_for_code()
            found.programs.append(PROGRAMS_FOR_CODE)
    return found


def _replayed(certificate: str, file: str | None) -> AuditResult:
    try:
        return REPLAYER.replay(certificate, file)
    except ReplayError as e:
        raise CallError(str(e)) from None


def _wrong_code(given: str, kind: str, claimed: Certified, emission: Emission) -> str | None:
    """Why code, or how it is called (`.json`), is not what is made from the program of a certificate that was replayed."""
    program, ledger = claimed.program, claimed.ledger
    assumed = ledger["axioms"], ledger["admitted"], str(ledger.get("solver")), ledger.get("unbounded", ())
    header = emitted_header(emission, program, *assumed)
    try:
        if kind == ".json":
            made = manifest_text(verified_cuda(program, emission.cuda(program, header)))
        else:
            made = emission.code(program, header)
    except InputError as e:
        return f"no code is made from it ({e.diagnostic.message})"
    wrong = first_difference(given, made)
    if wrong is not None and claimed.tool != TOOL:
        return f"{wrong} (the certificate is of {claimed.tool}, this is {TOOL}: emit it again)"
    return wrong


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
            seen = without_constants(program, f)
            compiled = CFunction(source, signature_of(seen, effective_types(seen), definitions_of(program)))
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


def run_command(args: argparse.Namespace, style: Style) -> int:
    def progress(script: Script, step: Step) -> None:
        print(render_step(step, style), flush=True)

    code, scripts = _run_script(args.script, progress, style)
    for script in scripts:
        if code == FINE and script.unchecked is None:
            print(render_script(script.accepted, style))
        if not args.no_trace:
            script.trace(args.trace)
            print(f"trace: {args.trace}")
    if not scripts and code == FINE:
        raise CallError(f"{args.script} makes no script: s = og.Script(…)")
    for script in scripts:
        if code == FINE and script.unchecked is not None:
            raise CallError(f"{args.script}: {script.unchecked}")
    return code


def diff_command(args: argparse.Namespace, style: Style) -> int:
    code, scripts = _run_script(args.script, lambda script, step: None, style)
    for script in scripts:
        steps = script.record.steps[1:]
        if args.step is not None:
            steps = tuple(s for s in steps if s.number == args.step)
            if not steps:
                raise CallError(f"there is no step {args.step} (steps 1 to {script.record.steps[-1].number})")
        for step in steps:
            print(render_diff(step, style, view="plain" if args.plain else "annotated"))
    return code


def build_command(args: argparse.Namespace, style: Style) -> int:
    code, script = _script_of(args.source, style)
    if script is None:
        return code
    gpu = has_kernels(script.program)
    target = script.emit(args.output or f"build/{Path(args.source).stem}{'.cu' if gpu else '.c'}")
    if gpu:
        save(script.built_cuda(), target.parent, target.stem)
    print(f"{style.green('VERIFIED')} {target}: {script.build()}")
    return FINE


def built_cuda_of(source: str, style: Style) -> tuple[int, BuiltCuda | None]:
    """The CUDA of a C file, or of what a script makes, once verified."""
    code, script = _script_of(source, style)
    if script is None:
        return code, None
    if not has_kernels(script.program):
        raise CallError(f"{source} launches no kernel")
    return FINE, script.built_cuda()


def _script_of(source: str, style: Style) -> tuple[int, Script | None]:
    """The last script that a file makes, or a script without steps for a C file; none if something is wrong."""
    if source.endswith(".py"):
        code, scripts = _run_script(source, lambda script, step: None, style)
        if code == FINE and not scripts:
            raise CallError(f"{source} makes no script: s = og.Script(…)")
        return code, scripts[-1] if code == FINE else None
    try:
        return FINE, Script(source)
    except StepError as e:
        assert e.failed is not None
        print(render_function(e.failed, style), file=sys.stderr)
        return WRONG, None


def _run_script(path: str, progress: Callable[[Script, Step], None], style: Style) -> tuple[int, list[Script]]:
    """Run a script; its errors are explained in its own terms."""
    scripts: dict[int, Script] = {}

    def seen(script: Script, step: Step) -> None:
        scripts[id(script)] = script
        progress(script, step)

    file = Path(path)
    if not file.is_file():
        raise CallError(f"the script `{path}` does not exist")
    before, sys.argv = sys.argv, [path]
    sys.path.insert(0, str(file.resolve().parent))
    try:
        with observe(seen):
            runpy.run_path(path, run_name="__main__")
    except StepError as e:
        print(render_step_error(e, style), file=sys.stderr)
        return WRONG, list(scripts.values())
    except InputError as e:
        raise _placed(e, file) from None
    except KeyboardInterrupt:
        raise
    except SystemExit as e:
        if e.code and not isinstance(e.code, int):
            print(e.code, file=sys.stderr)
        return (e.code if isinstance(e.code, int) else BAD_INPUT if e.code else FINE), list(scripts.values())
    except SyntaxError as e:
        if e.lineno is None:  # some versions of Python say so of a file with null bytes, others raise a ValueError
            print(_unreadable(e, path), file=sys.stderr)
            return BAD_INPUT, []
        print(f"{e.filename or path}:{e.lineno or 1}:{e.offset or 1}: error: {e.msg}", file=sys.stderr)
        return BAD_INPUT, []
    except BaseException as e:
        if os.environ.get("OPTIGPU_TRACEBACK"):
            raise
        print(_fault(e, path), file=sys.stderr)
        return BAD_INPUT, list(scripts.values())
    finally:
        sys.argv = before
        sys.path.pop(0)
    return FINE, list(scripts.values())


def _own_line(e: BaseException, script: Path) -> traceback.FrameSummary | None:
    """The line of the script that an error came from; none if it did not come to run."""
    frames = traceback.extract_tb(e.__traceback__)
    own = [f for f in frames if Path(f.filename).resolve() == script.resolve()]
    return own[-1] if own else None


def _placed(e: InputError, script: Path) -> InputError:
    """An error without a place, at the line of the script."""
    line = _own_line(e, script)
    if e.diagnostic.loc.line or line is None or line.lineno is None:
        return e
    return InputError(replace(e.diagnostic, loc=Loc(str(script), line.lineno, 1, line.lineno, 1)))


def _unreadable(e: BaseException, path: str) -> str:
    return f"{path}:1:1: error: the script cannot be read: {(e.msg if isinstance(e, SyntaxError) else str(e)) or type(e).__name__}"


def _fault(e: BaseException, path: str) -> str:
    """An error that a script made, or that our code did not expect: that one is raised again."""
    line = _own_line(e, Path(path))
    if line is None:
        return _unreadable(e, path)
    last = traceback.extract_tb(e.__traceback__)[-1]
    if not isinstance(e, Exception) and last != line:
        raise e  # somebody wants everything to stop, as an interrupt does
    ours = last.filename.startswith(str(Path(__file__).parent))
    expected = isinstance(e, BuildError | CallError | OSError)
    if ours and not expected and not isinstance(e, TypeError | AttributeError):
        raise e
    what = str(e) if expected else f"{type(e).__name__}: {e}"
    return f"{path}:{line.lineno}: error: {what}\n  {line.lineno} | {(line.line or '').strip()}"
