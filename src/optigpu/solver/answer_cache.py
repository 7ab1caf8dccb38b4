"""Answers of a solver, cached by the content of the query: in memory, and on disk across runs.

The key does not depend on the names of variables, so that an obligation is found again after other parts of the program were
changed. A cache that is damaged or cannot be written is not used.

On disk, answers are sealed entries (`sealed_entries.py`): those from elsewhere are not believed. Whoever acts as the user can forge
them: therefore `audit` and emission do not use the cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from optigpu.logic.judge import Solver
from optigpu.logic.terms import Term
from optigpu.solver.sealed_entries import SealedEntries

FILE = "answers.sqlite"
ANSWERS = {"yes": True, "no": False}  # as they are stored


class CachedSolver(Solver):
    """A solver whose answers are cached. `asked` counts queries, `hits` those that were answered from the cache."""

    def __init__(self, solver: Solver, folder: Path | None = None) -> None:
        self.solver = solver
        self.memory: dict[str, bool] = {}
        self.asked = 0
        self.hits = 0
        self.entries = SealedEntries(folder, FILE)

    @property
    def description(self) -> str:
        return self.solver.description

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        key = query_key(self.solver.description, facts, goal)
        self.asked += 1
        cached = self.memory.get(key)
        if cached is None:
            cached = ANSWERS.get(self.entries.read(key) or "")
        if cached is not None:
            self.hits += 1
            self.memory[key] = cached
            return cached
        answer = self.memory[key] = self.solver.valid(facts, goal)
        self.entries.write(key, "yes" if answer else "no")
        return answer


def query_key(solver: str, facts: Sequence[Term], goal: Term) -> str:
    """A hash of the query, up to the names of its variables, and of the solver's name and version."""
    writer = _Writer()
    roots = [str(writer.number(t)) for t in (goal, *facts)]
    return hashlib.sha256("\n".join([solver, " ".join(roots), *writer.lines]).encode()).hexdigest()


class _Writer:
    """Writes terms as numbered lines, without the names of variables: a line refers to subterms by the numbers of their lines, so
    that a subterm is written once."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.numbers: dict[Term, int] = {}

    def number(self, t: Term) -> int:
        if t not in self.numbers:
            line = self._line(t)
            self.numbers[t] = len(self.lines)
            self.lines.append(line)
        return self.numbers[t]

    def _line(self, t: Term) -> str:
        match t.op:
            case "var":
                return f"v:{t.sort.name}"
            case "num":
                return f"{t.data}{t.sort.name[0]}"
            case "poly":
                return "+".join(f"{c}*{'*'.join(str(self.number(a)) for a in m)}" for m, c in t.data)
            case "bound":
                return f"^{t.data}:{t.sort.name}"
            case _:
                data = "" if t.data is None else ",".join(s.name for s in t.data)
                return f"({t.op}{data} {' '.join(str(self.number(a)) for a in t.args)})"
