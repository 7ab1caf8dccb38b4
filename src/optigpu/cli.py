"""The command line. Exit codes: 0 fine, 1 the program is wrong, 2 bad input or unsupported, 3 a bug of ours.

Parser and solver are imported by the commands that need them: `bench` and `doctor` work where only the runtime is installed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import threading
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from optigpu.commands.options import COMMANDS
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.report.bench_table import measurement_json, render_measurement
from optigpu.report.diagnostics import Style, render
from optigpu.report.output import patient_output
from optigpu.runtime.bench import bench
from optigpu.runtime.call_error import BAD_INPUT, FINE, OUR_BUG, WRONG, BuildError, CallError
from optigpu.runtime.doctor import findings
from optigpu.runtime.manifest import BuiltCuda, load
from optigpu.runtime.nvcc import gpu_architecture
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.recursion_limit import deep_calls
from optigpu.version import VERSION

Run = Callable[[argparse.Namespace, Style], int]


def _resend_interrupt(what: sys.UnraisableHookArgs) -> None:
    """Send an interrupt again that arrived in a finaliser: Python drops exceptions there."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        resend = threading.Timer(0.02, interrupt_main)
        resend.daemon = True
        resend.start()
    else:
        sys.__unraisablehook__(what)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command. Errors are printed as messages; OPTIGPU_TRACEBACK=1 shows the stack trace of an internal error."""
    gc.set_threshold(50_000, 20, 100)  # terms are small, long-lived and rarely cyclic: collect less often
    sys.set_int_max_str_digits(0)  # products of constants in formulas may have many digits
    with patient_output() as output:
        try:
            code = _main(argv)
        except SystemExit:  # argparse printed help or an error
            if output.failure() is None:
                raise
            code = BAD_INPUT
        if (lost := output.failure()) is not None:
            print(f"error: the output cannot be written: {lost.strerror}", file=sys.stderr)
            return BAD_INPUT
        return code


def _main(argv: Sequence[str] | None) -> int:
    args = _arguments().parse_args(argv)
    style = Style(sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    before, sys.unraisablehook = sys.unraisablehook, _resend_interrupt
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            with deep_calls():
                code: int = args.run(args, style)
        return code
    except InputError as e:
        print(render(e.diagnostic, "error", style), file=sys.stderr)
        return BAD_INPUT
    except Misbehaviour as e:
        print(render(e.diagnostic(), "failed", style), file=sys.stderr)
        return WRONG
    except CannotEvaluate as e:
        print(f"{e.loc}: error: {e}", file=sys.stderr)
        return BAD_INPUT
    except (BuildError, CallError) as e:
        print(f"error: {e}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as e:
        print(f"error: {f'{e.filename}: ' if e.filename else ''}{e.strerror or e}", file=sys.stderr)
        return BAD_INPUT
    except (MemoryError, RecursionError) as e:
        what = "much memory" if isinstance(e, MemoryError) else "deep nesting"
        print(f"error: this is too large: it needs too {what}", file=sys.stderr)
        return BAD_INPUT
    except Exception as e:
        if os.environ.get("OPTIGPU_TRACEBACK"):
            raise
        print(f"internal error: {type(e).__name__}: {e}", file=sys.stderr)
        print("This is a bug in OptiGPU, not in your program. OPTIGPU_TRACEBACK=1 shows where.", file=sys.stderr)
        return OUR_BUG
    finally:
        sys.unraisablehook = before


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning without the place in our code that raised it."""
    print(f"warning: {message}", file=sys.stderr)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="optigpu", description="Fast GPU kernels that are proved right.")
    parser.add_argument("--version", action="version", version=f"optigpu {VERSION}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    with_runtime_alone = {"bench": bench_command, "doctor": doctor_command}
    for command in COMMANDS:
        p = subparsers.add_parser(command.name, help=command.help, description=command.help)
        p.set_defaults(run=with_runtime_alone.get(command.name) or _with_solver(command.name))
        command.add_options(p)
    return parser


@contextmanager
def _needs_parser_and_solver() -> Iterator[None]:
    """Report a missing package that only some commands need."""
    try:
        yield
    except ImportError as e:
        if (e.name or "").startswith("optigpu"):
            raise
        message = (
            f"the package `{e.name}` is not installed: this machine can only run what `optigpu build` made elsewhere"
        )
        raise BuildError(message) from None


def _with_solver(name: str) -> Run:
    def run(args: argparse.Namespace, style: Style) -> int:
        with _needs_parser_and_solver():
            from optigpu.commands.program_commands import PROGRAM_COMMANDS
            from optigpu.commands.script_commands import SCRIPT_COMMANDS
        return {**PROGRAM_COMMANDS, **SCRIPT_COMMANDS}[name](args, style)

    return run


def bench_command(args: argparse.Namespace, style: Style) -> int:
    sizes = dict(map(_size, args.size))
    if not args.cpu and gpu_architecture() is None:
        raise BuildError("no GPU was found, so there is nothing to time (--cpu times the CPU stand-in)")
    built = _built(args, style)
    if isinstance(built, int):
        return built
    function = built.function(standin=args.cpu, compiler=args.compiler)
    m = bench(function, sizes, repeats=args.repeats, flops=args.flops, compare=args.compare)
    if not built.verified:
        print(f"{style.red('not verified')}: {args.source}", file=sys.stderr)
    print(json.dumps(measurement_json(m), indent=2) if args.json else render_measurement(m, style))
    return FINE


def _size(text: str) -> tuple[str, float]:
    name, sign, value = text.partition("=")
    try:
        if not sign or not name.isidentifier():
            raise ValueError
        return name, int(value) if value.lstrip("-").isdigit() else float(value)
    except ValueError:
        raise CallError(f"--size {text}: write NAME=NUMBER, such as n=1024") from None


def _built(args: argparse.Namespace, style: Style) -> BuiltCuda | int:
    """The function to time: loaded from built files, or verified and emitted now. An exit code if that fails."""
    path = Path(args.source)
    if path.suffix in (".cu", ".json"):
        return load(path.parent, path.stem)
    with _needs_parser_and_solver():
        from optigpu.commands.script_commands import built_cuda_of
    code, built = built_cuda_of(args.source, style)
    return code if built is None else built


def doctor_command(args: argparse.Namespace, style: Style) -> int:
    for tool, installed, version in findings():
        mark = style.green("yes") if installed else style.red("no ")
        print(f"{tool:<12} {mark:<4} {version}")
    return FINE


if __name__ == "__main__":
    sys.exit(main())
