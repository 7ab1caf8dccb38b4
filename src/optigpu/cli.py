"""The command line. Exit codes: 0 fine, 1 the program is wrong, 2 bad input or unsupported, 3 a bug of ours.

What needs a parser or a solver is imported when it is asked for: `bench` and `doctor` work where only the runtime is installed.
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
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TextIO

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


def _later(what: sys.UnraisableHookArgs) -> None:
    """Python drops an interrupt that comes while an object is finalised: it is sent again, when that is done."""
    if issubclass(what.exc_type, KeyboardInterrupt):
        again = threading.Timer(0.02, interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(what)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; never a stack trace, unless OPTIGPU_TRACEBACK asks for it."""
    gc.set_threshold(
        50_000, 20, 100
    )  # many small terms that live long, and hardly a cycle: looking for them takes time
    sys.set_int_max_str_digits(0)  # products of constants in formulas may be long, and are numbers all the same
    with patient_output() as output:
        try:
            code = _main(argv)
        except SystemExit:  # of the parser of arguments: help, or what is wrong with them
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
    before, sys.unraisablehook = sys.unraisablehook, _later
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
    """What is said, without the place in our code."""
    print(f"warning: {message}", file=sys.stderr)


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="optigpu", description="Fast GPU kernels that are proved right.")
    parser.add_argument("--version", action="version", version=f"optigpu {VERSION}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, run: str | Run, help_: str, *, files: bool = True) -> argparse.ArgumentParser:
        p = subparsers.add_parser(name, help=help_, description=help_)
        p.set_defaults(run=with_solver(run) if isinstance(run, str) else run)
        if files:
            p.add_argument("files", nargs="+", metavar="FILE", help="a C file")
        return p

    p = command("check", "check", "verify functions against their contracts")
    p.add_argument("--function", help="only this one")
    p.add_argument("--json", action="store_true", help="the result as JSON")
    p.add_argument("-v", "--verbose", action="store_true", help="show an input that satisfies each precondition")
    p.add_argument("--show-proof", action="store_true", help="print the program with all inferred contracts")
    p.add_argument("--second-solver", action="store_true", help="repeat every solver answer with cvc5")
    p.add_argument("--seed", type=int, default=0, help="of the solver; verdicts do not depend on it")
    p.add_argument(
        "--integers",
        choices=("machine", "unbounded"),
        default="machine",
        help="unbounded: assume that integers fit where that is not shown, and say where",
    )
    p.add_argument("--no-cache", action="store_true", help="do not use solver answers of earlier runs")
    p.add_argument("--certificate", metavar="OUT", help="write the certificate of a verified file")
    p = command("audit", "audit", "replay a certificate, make emitted code again, and print what the proof rests on")
    p.add_argument("--certificate", metavar="IN", help="the certificate (default: prove first, then replay)")
    p.add_argument("--no-assumptions", action="store_true", help="exit 1 if there is an axiom or admitted function")
    p = command("explain", "explain", "what an error code means", files=False)
    p.add_argument("code", metavar="CODE")
    command("parse", "parse", "read C files and check names and types")
    p = command("print", "print", "print a C file as OptiGPU reads it")
    p.add_argument("--plain", action="store_true", help="plain C, without annotations")
    p = command("test", "test", "run functions on random inputs and check their contracts")
    p.add_argument("--function", help="only this one")
    p.add_argument("--seconds", type=float, default=2.0, help="how long per function (default 2)")
    p.add_argument("--seed", type=int, default=0)
    p = command("run-c", "run_c", "compile to C, run on random inputs, compare with the interpreter")
    p.add_argument("--function", help="only this one")
    p.add_argument("--seed", type=int, default=0)
    p = command("run", "run", "run a script: every step verified, the trace written", files=False)
    p.add_argument("script", metavar="SCRIPT")
    p.add_argument("--trace", metavar="OUT", default="trace.html", help="where the trace goes (default trace.html)")
    p.add_argument("--no-trace", action="store_true", help="write none")
    p = command("diff", "diff", "what each step of a script changed", files=False)
    p.add_argument("script", metavar="SCRIPT")
    p.add_argument("--step", type=int, metavar="N", help="only this one")
    p.add_argument("--plain", action="store_true", help="compare plain C, without annotations")
    p = command("build", "build", "verify, emit and compile a C file, or what a script makes", files=False)
    p.add_argument("source", metavar="SOURCE", help="a C file or a script")
    p.add_argument("-o", "--output", metavar="OUT", help="where the code goes (default build/NAME.c or build/NAME.cu)")
    p = command(
        "bench",
        bench_command,
        "time the kernels of a C file, of what a script makes, or of what was built",
        files=False,
    )
    p.add_argument(
        "source", metavar="SOURCE", help="a C file, a script, or the .cu or .json that `optigpu build` wrote"
    )
    p.add_argument(
        "--size", action="append", default=[], metavar="NAME=NUMBER", help="a size or other number (repeatable)"
    )
    p.add_argument("--compare", action="store_true", help="also time library kernels that compute the same")
    p.add_argument("--repeats", type=int, default=20, metavar="N", help="how many runs (default 20)")
    p.add_argument("--flops", metavar="FORMULA", help="operations, for TFLOP/s instead of GB/s: '2*m*n*p'")
    p.add_argument("--compiler", choices=("nvcc", "nvrtc"), help="default: the first that is there")
    p.add_argument("--cpu", action="store_true", help="on the CPU stand-in, where there is no GPU")
    p.add_argument("--json", action="store_true", help="the result as JSON")
    command("doctor", doctor_command, "which compilers, solvers and GPUs are here", files=False)
    return parser


def commands() -> ModuleType:
    """What needs a parser and a solver."""
    try:
        return import_module("optigpu.commands")
    except ImportError as e:
        if (e.name or "").startswith("optigpu"):
            raise
        message = (
            f"the package `{e.name}` is not installed: this machine can only run what `optigpu build` made elsewhere"
        )
        raise BuildError(message) from None


def with_solver(name: str) -> Run:
    return lambda args, style: int(getattr(commands(), f"{name}_command")(args, style))


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
    """From files that were built, or by verifying and emitting; an exit code if that fails."""
    path = Path(args.source)
    if path.suffix in (".cu", ".json"):
        return load(path.parent, path.stem)
    answer: tuple[int, BuiltCuda | None] = commands().built_cuda_of(args.source, style)
    code, built = answer
    return code if built is None else built


def doctor_command(args: argparse.Namespace, style: Style) -> int:
    for what, there, which in findings():
        mark = style.green("yes") if there else style.red("no ")
        print(f"{what:<12} {mark:<4} {which}")
    return FINE


if __name__ == "__main__":
    sys.exit(main())
