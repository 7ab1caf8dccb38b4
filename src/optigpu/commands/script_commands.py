"""The commands on scripts: run, diff, build."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from optigpu.api import Script, checking, has_kernels
from optigpu.commands.program_files import python_program_of
from optigpu.commands.script_runs import run_script
from optigpu.commands.worker_processes import in_processes, process_count
from optigpu.report.diagnostics import Style
from optigpu.report.diffs import render_diff
from optigpu.report.scripts import render_script, render_step
from optigpu.report.verdict_text import render_function
from optigpu.runtime.call_error import FINE, WRONG, CallError
from optigpu.runtime.manifest import BuiltCuda, save
from optigpu.script.step import Step
from optigpu.script.step_errors import StepError


def run_command(args: argparse.Namespace, style: Style) -> int:
    def progress(script: Script, step: Step) -> None:
        print(render_step(step, style), flush=True)

    with checking(args.timeout, args.progress):
        code, scripts = run_script(args.script, progress, style)
    for script in scripts:
        if code == FINE and script.unchecked is None:
            print(render_script(script.accepted, style))
        if not args.no_trace:
            script.trace(args.trace)
            print(f"trace: {args.trace}")
    if not scripts and code == FINE:
        raise CallError(f"{args.script} makes no script: s = og.Script(…); `optigpu check` is for programs")
    for script in scripts:
        if code == FINE and script.unchecked is not None:
            raise CallError(f"{args.script}: {script.unchecked}")
    return code


def diff_command(args: argparse.Namespace, style: Style) -> int:
    code, scripts = run_script(args.script, lambda script, step: None, style)
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
    if args.output is not None and len(args.sources) != 1:
        raise CallError("--output goes with one SOURCE")
    stems = [Path(source).stem for source in args.sources]
    for n, stem in enumerate(stems):
        if stem in stems[:n]:
            both = f"{args.sources[stems.index(stem)]} and {args.sources[n]}"
            raise CallError(f"{both} would both be written to build/{stem}; build one of them with --output")
    tasks = [partial(_built, source, args.output, style) for source in args.sources]
    return next((code for code in in_processes(tasks, process_count(args.jobs)) if code != FINE), FINE)


def _built(source: str, output: str | None, style: Style) -> int:
    code, script = _script_of(source, style)
    if script is None:
        return code
    gpu = has_kernels(script.program)
    target = script.emit(output or f"build/{Path(source).stem}{'.cu' if gpu else '.c'}")
    if gpu:
        save(script.built_cuda(), target.parent, target.stem)
    print(f"{style.green('VERIFIED')} {target}: {script.build()}")
    return FINE


def built_cuda_of(source: str, style: Style) -> tuple[int, BuiltCuda | None]:
    """The exit code, and the verified CUDA of a C file or of a script's result."""
    code, script = _script_of(source, style)
    if script is None:
        return code, None
    if not has_kernels(script.program):
        raise CallError(f"{source} launches no kernel")
    return FINE, script.built_cuda()


def _script_of(source: str, style: Style) -> tuple[int, Script | None]:
    """The exit code, and the last `Script` of a Python file, or a `Script` without steps for a C file and for one of programs; None
    if it fails."""
    if source.endswith(".py"):
        code, scripts = run_script(source, lambda script, step: None, style)
        if code != FINE or scripts:
            return code, scripts[-1] if code == FINE else None
        program = python_program_of(source)
        if program is None:
            raise CallError(f"{source} makes no script, s = og.Script(…), and has no program under @og.program")
    else:
        program = None
    try:
        return FINE, Script(program or source)
    except StepError as e:
        assert e.failed is not None
        print(render_function(e.failed, style), file=sys.stderr)
        return WRONG, None


SCRIPT_COMMANDS = {"run": run_command, "diff": diff_command, "build": build_command}
