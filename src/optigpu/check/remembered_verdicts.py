"""Verdicts of earlier runs, remembered on disk: a program that was checked before, by the same checker, is not checked again.

The key is a hash of everything that a verdict depends on: the program (without places), the settings, the solver, and the source of
the checker. Entries are authenticated like the solver's answers (`solver/sealed_entries.py`), and are believed as far as these: by
checks and by steps of scripts. An entry holds no theorem. Whoever needs loop contracts or states of the proof asks for the result
in full (`ProgramResult.in_full`), which checks the program. Proofs are remembered once they were written into a certificate. They
are believed by nobody: emission replays them in another process, with a kernel and a solver of its own, and so does `audit`. So no
emitted code rests on what is remembered.

What a search found in a proof for a step of a script, such as the contract of a loop, is remembered as well. It becomes a part of a
program, which is checked like any other.

A rejection is remembered in brief, for scripts whose steps try something and undo it: the code and the place of the problem. Its
places are those of the program, so the key has them too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Set
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from optigpu.check.certified_text import TOOL, text_hash
from optigpu.check.checker_source import checker_hash, is_as_loaded
from optigpu.check.verdict import FunctionResult, ProgramResult, Verdict
from optigpu.errors.problem import Problem
from optigpu.light_dataclass import dataclass
from optigpu.solver.sealed_entries import SealedEntries
from optigpu.syntax.program import Program
from optigpu.syntax.recursion_limit import deep
from optigpu.syntax.source import Loc
from optigpu.syntax.tree_digest import places_digest, tree_digest
from optigpu.syntax.tree_json import tree_from_json, tree_to_json

T = TypeVar("T")
FILE = "verdicts.sqlite"


class RememberedVerdicts:
    """The verdicts in a folder. `basis`: the settings and the solver. `rejections`: remember these too."""

    def __init__(self, folder: Path | None, basis: tuple[str, ...], rejections: bool) -> None:
        self.folder = folder
        self.basis = basis
        self.rejections = rejections

    @cached_property
    def entries(self) -> SealedEntries | None:
        """The entries on disk; None if nothing is to be remembered."""
        return None if self.folder is None or checker_hash() is None else SealedEntries(self.folder, FILE)

    def recall(
        self, program: Program, only: str | Set[str] | None, solver: str, check: Callable[[], ProgramResult]
    ) -> ProgramResult:
        """The remembered result of a program, or that of `check`, which is then remembered."""
        if self.entries is None:
            return check()
        key = self.key(program, only, solver)
        remembered = self._read(key, program, solver)
        if remembered is None and self.rejections:
            place_key = f"{key} {places_digest(program)}"
            remembered = self._read(place_key, program, solver)
        if remembered is not None:
            remembered.check_in_full = deep(check)
            remembered.proof_store = _Proofs(self.entries, key)
            return remembered
        result = check()
        if not result.functions or not is_as_loaded():
            return result
        if result.verified and not result.unbounded:
            self.entries.write(key, json.dumps(_written(result)))
            result.proof_store = _Proofs(self.entries, key)
        elif self.rejections and _is_plain_rejection(result):
            self.entries.write(place_key, json.dumps(_written(result)))
        return result

    def found(self, program: Program, solver: str, question: str, find: Callable[[], T]) -> T:
        """What `find` answers to a question about the proof of a program: a tree of syntax, a tuple of trees, or None."""
        if self.entries is None:
            return find()
        key = f"{self.key(program, None, solver)} {places_digest(program)} {text_hash(question)}"
        text = self.entries.read(key)
        if text is not None:
            remembered: T = tree_from_json(json.loads(text))
            return remembered
        answer = find()
        self.entries.write(key, json.dumps(tree_to_json(answer)))
        return answer

    def key(self, program: Program, only: str | Set[str] | None, solver: str) -> str:
        wanted = "all" if only is None else f"only {sorted({only} if isinstance(only, str) else only)}"
        parts = (TOOL, f"{checker_hash()}", *self.basis, solver, wanted, tree_digest(program.items))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    def _read(self, key: str, program: Program, solver: str) -> ProgramResult | None:
        text = self.entries.read(key) if self.entries is not None else None
        return None if text is None else _result(json.loads(text), program.file, solver)


@dataclass(frozen=True, slots=True)
class _Proofs:
    """The proofs of a program beside its verdict."""

    entries: SealedEntries
    key: str

    def read(self) -> str | None:
        return self.entries.read(f"{self.key} proofs")

    def write(self, text: str) -> None:
        self.entries.write(f"{self.key} proofs", text)


def _is_plain_rejection(r: ProgramResult) -> bool:
    """Is each function proved, or rejected by a rule? A program that was too large for the memory is not remembered."""
    return all(f.verdict in (Verdict.VERIFIED, Verdict.UNPROVED) for f in (*r.functions, *r.called)) and not r.unbounded


def _written(r: ProgramResult) -> dict[str, Any]:
    return {
        "functions": [_written_function(f) for f in r.functions],
        "called": [_written_function(f) for f in r.called],
        "axioms": r.axioms,
        "admitted": r.admitted,
        "asked": r.cached[1],
    }


def _result(x: dict[str, Any], file: str, solver: str) -> ProgramResult:
    functions, called = ([_function(f) for f in x[part]] for part in ("functions", "called"))
    cached = x["asked"], x["asked"]
    return ProgramResult(file, functions, x["axioms"], x["admitted"], solver, called=called, cached=cached)


def _written_function(f: FunctionResult) -> dict[str, Any]:
    return {
        "name": f.name,
        "verdict": f.verdict.value,
        "normaliser": f.normaliser,
        "solver": f.solver,
        "opened": None if f.opened is None else _written_function(f.opened),
        "left_out": f.left_out,
        "problem": None if f.problem is None else _written_problem(f.problem),
    }


def _function(x: dict[str, Any]) -> FunctionResult:
    return FunctionResult(
        x["name"],
        Verdict(x["verdict"]),
        0.0,
        x["normaliser"],
        x["solver"],
        problem=None if x["problem"] is None else _problem(x["problem"]),
        opened=None if x["opened"] is None else _function(x["opened"]),
        left_out=tuple((f, what, n) for f, what, n in x["left_out"]),
    )


def _written_problem(p: Problem) -> dict[str, Any]:
    loc = p.loc
    return {
        "code": p.code,
        "loc": [loc.file, loc.line, loc.column, loc.end_line, loc.end_column],
        "array": p.array,
        "message": p.message,
        "function": p.function,
        "statement": p.statement,
        "sync_line": p.sync_line,
        "floats_open": p.floats_open,
    }


def _problem(x: dict[str, Any]) -> Problem:
    loc, array = Loc(*x.pop("loc")), x.pop("array")
    return Problem(loc=loc, concerns=array, **x)
