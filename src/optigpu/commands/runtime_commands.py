"""The commands `bench` and `doctor`, which need only the runtime, unless there is a program to verify first."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from optigpu.commands.missing_packages import needs_parser_and_solver
from optigpu.report.bench_table import measurement_json, render_measurement
from optigpu.report.diagnostics import Style
from optigpu.runtime.bench import bench
from optigpu.runtime.call_error import FINE, BuildError, CallError
from optigpu.runtime.doctor import findings
from optigpu.runtime.manifest import BuiltCuda, load
from optigpu.runtime.nvcc import gpu_architecture


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
    with needs_parser_and_solver():
        from optigpu.commands.script_commands import built_cuda_of
    code, built = built_cuda_of(args.source, style)
    return code if built is None else built


def doctor_command(args: argparse.Namespace, style: Style) -> int:
    for tool, installed, version in findings():
        mark = style.green("yes") if installed else style.red("no ")
        print(f"{tool:<12} {mark:<4} {version}")
    return FINE


RUNTIME_COMMANDS = {"bench": bench_command, "doctor": doctor_command}
