"""The command line. Exit codes: 0 fine, 1 the program is wrong, 2 bad input or unsupported, 3 a bug of ours.

Each command imports what it needs: `--help` answers at once; `bench`, `doctor` and `tune --measure` work where only the runtime is
installed.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
import threading
import warnings
from _thread import interrupt_main
from collections.abc import Callable, Sequence
from typing import TextIO

from optigpu.commands.missing_packages import needs_parser_and_solver
from optigpu.commands.options import COMMANDS
from optigpu.interp.misbehaviour import CannotEvaluate, Misbehaviour
from optigpu.report.diagnostics import Style, render
from optigpu.report.output import patient_output
from optigpu.runtime.call_error import BAD_INPUT, OUR_BUG, WRONG, BuildError, CallError
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
    for command in COMMANDS:
        p = subparsers.add_parser(command.name, help=command.help, description=command.help)
        p.set_defaults(run=_command(command.name))
        command.add_options(p)
    return parser


def _command(name: str) -> Run:
    """The command of that name. Only the modules that it needs are imported, when it runs."""

    def run(args: argparse.Namespace, style: Style) -> int:
        if name in ("bench", "doctor") or (name == "tune" and args.measure is not None):
            return _loaded(name, args)(args, style)
        with needs_parser_and_solver():
            return _loaded(name, args)(args, style)

    return run


def _loaded(name: str, args: argparse.Namespace) -> Run:
    """The command, imported. If garbage was not collected so far, as in a process of our own, then modules never are garbage."""
    command = _imported(name, args)
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
    return command


def _imported(name: str, args: argparse.Namespace) -> Run:
    if name in ("bench", "doctor"):
        from optigpu.commands.runtime_commands import RUNTIME_COMMANDS

        return RUNTIME_COMMANDS[name]
    if name == "tune" and args.measure is not None:
        from optigpu.commands.measure_command import measure_command

        return measure_command
    if name == "tune":
        from optigpu.commands.tune_command import tune_command

        return tune_command
    if name == "check":
        from optigpu.commands.check_command import check_command

        return check_command
    if name in ("run", "diff", "build"):
        from optigpu.commands.script_commands import SCRIPT_COMMANDS

        return SCRIPT_COMMANDS[name]
    from optigpu.commands.program_commands import PROGRAM_COMMANDS

    return PROGRAM_COMMANDS[name]


if __name__ == "__main__":
    sys.exit(main())
