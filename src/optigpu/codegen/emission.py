"""The options of an emission, stored in certificates: program and options determine the emitted text, so it can be reproduced."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from optigpu.codegen.c import emit_c
from optigpu.codegen.cuda.cuda_unit import CudaUnit, emit_cuda, host_function
from optigpu.light_dataclass import dataclass
from optigpu.syntax.program import CallStmt, Function, Program
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import StatementId
from optigpu.syntax.types import INT
from optigpu.syntax.walk import statements

Value = TypeVar("Value")
LANGUAGES = ("c", "cuda")


@dataclass(frozen=True, slots=True)
class Emission:
    """The options of one emission. Statements are numbered in text order, which printing and parsing preserve."""

    language: str
    functions: tuple[str, ...]  # C: with their callees; CUDA: the one that launches kernels
    file: str = ""  # named in the header of a `.cu` file
    steps: int = 0  # of the script, named in that header
    reasons: Mapping[int, str] = field(default_factory=dict)  # comments of barriers, by statement number
    residents: Mapping[int, int] = field(default_factory=dict)  # minimum blocks per multiprocessor, by launch

    @deep
    def c(self, program: Program) -> str:
        return emit_c(program, self.functions)

    @deep
    def cuda(self, program: Program, header: Sequence[str]) -> CudaUnit:
        """`header`: comment lines about the verdict and its assumptions."""
        (name,) = self.functions
        statement_ids = [s.id for s in statements(program.function(name).body)]
        return emit_cuda(
            program,
            name,
            file=self.file,
            header=header,
            reasons={statement_ids[n]: text for n, text in self.reasons.items()},
            blocks_per_multiprocessor={statement_ids[n]: blocks for n, blocks in self.residents.items()},
        )

    def code(self, program: Program, header: Sequence[str]) -> str:
        return self.c(program) if self.language == "c" else self.cuda(program, header).text

    def to_json(self) -> dict[str, object]:
        if self.language == "c":
            return {"language": "c", "functions": list(self.functions)}
        return {
            "language": self.language,
            "functions": list(self.functions),
            "file": self.file,
            "steps": self.steps,
            "reasons": [list(x) for x in sorted(self.reasons.items())],
            "residents": [list(x) for x in sorted(self.residents.items())],
        }


def c_emission(program: Program) -> Emission:
    """All functions of the file, with their callees."""
    return Emission("c", tuple(f.name for f in program.functions()))


def cuda_emission(
    program: Program,
    name: str | None,
    steps: int,
    reasons: Mapping[StatementId, str],
    residents: Mapping[StatementId, int] | int,
) -> Emission:
    """The function of this name, or the only one that launches kernels."""
    f = host_function(program, name)
    if isinstance(residents, int):
        residents = dict.fromkeys(launches(f), residents)
    file = Path(program.file).name
    return Emission("cuda", (f.name,), file, steps, _numbered(f, reasons), _numbered(f, residents))


def launches(f: Function) -> list[StatementId]:
    return [s.id for s in statements(f.body) if isinstance(s, CallStmt) and s.call.func == "kernel_launch"]


def _numbered(f: Function, by_id: Mapping[StatementId, Value]) -> dict[int, Value]:
    return {n: by_id[s.id] for n, s in enumerate(statements(f.body)) if s.id in by_id}


def read_emission(data: Mapping[str, object], program: Program) -> Emission:
    """Read the options from a certificate. Raises ValueError unless they fit this program."""
    try:
        emission = _read(dict(data))
        fits = emission.to_json() == data and _possible(emission, {f.name: f for f in program.functions()})
    except (KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise ValueError("not a certificate (emission)")
    return emission


def _read(data: dict[str, Any]) -> Emission:
    functions = tuple(data["functions"])
    if data["language"] == "c":
        return Emission("c", functions)
    reasons, residents = dict(data["reasons"]), dict(data["residents"])
    return Emission(data["language"], functions, data["file"], data["steps"], reasons, residents)


def _possible(e: Emission, own: Mapping[str, Function]) -> bool:
    """Whether all numbers are statements, all names functions, and all values of the types that the emitter expects."""
    if e.language not in LANGUAGES or not all(isinstance(f, str) and f in own for f in e.functions):
        return False
    if e.language == "c":
        return True
    if len(e.functions) != 1 or type(e.steps) is not int or e.steps < 0 or not isinstance(e.file, str):
        return False
    count = len(list(statements(own[e.functions[0]].body)))
    return (
        _numbers(e.reasons, range(count))
        and all(isinstance(text, str) for text in e.reasons.values())
        and _numbers(e.residents, range(count))
        and _numbers(e.residents.values(), range(1, INT.high))
    )


def _numbers(values: Collection[object], within: range) -> bool:
    return all(type(n) is int and n in within for n in values)
