"""The commands of the command line with their options, as a table."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from optigpu.light_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """An argument of a command; `settings` are those of `ArgumentParser.add_argument`."""

    names: tuple[str, ...]
    settings: dict[str, Any]


def option(*names: str, **settings: Any) -> Option:
    return Option(names, settings)


@dataclass(frozen=True, slots=True)
class Command:
    name: str
    help: str
    options: tuple[Option, ...] = ()

    def add_options(self, parser: ArgumentParser) -> None:
        for o in self.options:
            parser.add_argument(*o.names, **o.settings)


def seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def positive(text: str) -> int:
    value = int(text)
    if value < 0:
        raise ValueError
    return value


FILES = option("files", nargs="+", metavar="FILE", help="a C file, or a Python file with programs")
FUNCTION = option("--function", help="only this one")
SCRIPT = option("script", metavar="SCRIPT")
JSON = option("--json", action="store_true", help="the result as JSON")
TIMEOUT = option(
    "--timeout",
    type=seconds,
    metavar="SECONDS",
    help="a function whose proof takes longer is UNPROVED (default: no limit)",
)
PROGRESS = option(
    "--progress", action="store_true", help="show what a long check is doing, also if the output is no terminal"
)


def jobs(what: str) -> Option:
    return option(
        "--jobs", type=positive, metavar="N", default=1, help=f"{what} in N processes (0: one a core; default 1)"
    )


COMMANDS = (
    Command("check", "verify functions against their contracts", (
        FILES, FUNCTION, JSON,
        option("-v", "--verbose", action="store_true", help="show an input that satisfies each precondition"),
        option("--show-proof", action="store_true", help="print the program with all inferred contracts"),
        option("--second-solver", action="store_true", help="repeat every solver answer with cvc5"),
        option("--seed", type=int, default=0, help="of the solver; verdicts do not depend on it"),
        option("--integers", choices=("machine", "unbounded"), default="machine",
               help="unbounded: assume that integers fit where that is not shown, and say where"),
        option("--no-cache", action="store_true", help="do not use solver answers of earlier runs"),
        option("--certificate", metavar="OUT", help="write the certificate of a verified file"),
        jobs("check independent functions"), TIMEOUT, PROGRESS,
    )),
    Command("audit", "replay a certificate, make emitted code again, and print what the proof rests on", (
        FILES,
        option("--certificate", metavar="IN", help="the certificate (default: prove first, then replay)"),
        option("--no-assumptions", action="store_true", help="exit 1 if there is an axiom or admitted function"),
        jobs("audit files"),
    )),
    Command("explain", "what an error code means", (option("code", metavar="CODE"),)),
    Command("parse", "read C files and check names and types", (FILES,)),
    Command("print", "print a C file as OptiGPU reads it", (
        FILES,
        option("--plain", action="store_true", help="plain C, without annotations"),
    )),
    Command("test", "run functions on random inputs and check their contracts", (
        FILES, FUNCTION,
        option("--seconds", type=float, default=2.0, help="how long per function (default 2)"),
        option("--seed", type=int, default=0),
        jobs("test functions"),
    )),
    Command("run-c", "compile to C, run on random inputs, compare with the interpreter", (
        FILES, FUNCTION,
        option("--seed", type=int, default=0),
        jobs("run functions"),
    )),
    Command("run", "run a script: every step verified, the trace written", (
        SCRIPT,
        option("--trace", metavar="OUT", default="trace.html", help="where the trace goes (default trace.html)"),
        option("--no-trace", action="store_true", help="write none"),
        TIMEOUT, PROGRESS,
    )),
    Command("diff", "what each step of a script changed", (
        SCRIPT,
        option("--step", type=int, metavar="N", help="only this one"),
        option("--plain", action="store_true", help="compare plain C, without annotations"),
    )),
    Command("build", "verify, emit and compile C files, or what scripts make", (
        option("sources", nargs="+", metavar="SOURCE", help="a C file, a Python file with programs, or a script"),
        option("-o", "--output", metavar="OUT",
               help="where the code of one SOURCE goes (default build/NAME.c or build/NAME.cu)"),
        jobs("build sources"),
    )),
    Command("bench", "time the kernels of a C file, of what a script makes, or of what was built", (
        option("source", metavar="SOURCE", help="a C file, a script, or the .cu or .json that `optigpu build` wrote"),
        option("--size", action="append", default=[], metavar="NAME=NUMBER", help="a size or other number (repeatable)"),
        option("--compare", action="store_true", help="also time library kernels that compute the same"),
        option("--repeats", type=int, default=20, metavar="N", help="how many runs (default 20)"),
        option("--flops", metavar="FORMULA", help="operations, for TFLOP/s instead of GB/s: '2*m*n*p'"),
        option("--compiler", choices=("nvcc", "nvrtc"), help="default: the first that is there"),
        option("--cpu", action="store_true", help="on the CPU stand-in, where there is no GPU"),
        JSON,
    )),
    Command("tune", "find the fastest options of a schedule for each size: verify candidates, then measure them", (
        option("source", nargs="?", metavar="SPEC.py", help="a Python file that calls og.tune(…)"),
        option("--prepare", metavar="FOLDER", help="only verify and emit the candidates of SPEC.py, into FOLDER"),
        option("--measure", metavar="FOLDER",
               help="only measure what was prepared in FOLDER, where NumPy and a GPU are enough"),
        option("--only", nargs="+", metavar="NAME", help="with --measure: these tunings of the folder"),
        option("--folder", metavar="FOLDER", default="build/tune",
               help="what is known already, and where an interrupted run goes on (default build/tune)"),
        option("-o", "--output", metavar="OUT",
               help="the file of results (default tuned.json; with --measure, the one in FOLDER)"),
        option("--repeats", type=positive, default=20, metavar="N", help="how many runs (default 20)"),
        option("--compiler", choices=("nvcc", "nvrtc"), help="default: the first that is there"),
        option("--cpu", action="store_true", help="on the CPU stand-in, which says nothing about a GPU"),
        option("--ray", action="store_true", help="on a Ray cluster: $RAY_ADDRESS, or one that is started here"),
        option("--timeout", type=seconds, metavar="SECONDS", default=900.0,
               help="a candidate whose verification takes longer has failed (default 900)"),
        option("--progress", action="store_true", help="show progress, also if the output is no terminal"),
        jobs("verify and compile candidates"), JSON,
    )),
    Command("doctor", "which compilers, solvers and GPUs are here"),
)  # fmt: skip
