"""Answers of a solver, cached by the content of the query: in memory, and on disk across runs.

The key does not depend on the names of variables, so that an obligation is found again after other parts of the program were
changed. A cache that is damaged or cannot be written is not used.

An answer on disk carries a message authentication code under a secret of the user (`answers.key`, mode 0600, beside the answers).
Answers from elsewhere (a copied folder, another user, a damaged disk) fail the check. Whoever acts as the user can read the
secret and forge answers: therefore `audit` and emission do not use the cache.
"""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from optigpu.logic.judge import Solver
from optigpu.logic.terms import Term
from optigpu.solver.user_secret import user_secret

MAX_CACHE_BYTES = 256 << 20  # a larger file is emptied


class CachedSolver(Solver):
    """A solver whose answers are cached. `asked` counts queries, `hits` those that were answered from the cache."""

    def __init__(self, solver: Solver, folder: Path | None = None) -> None:
        self.solver = solver
        self.memory: dict[str, bool] = {}
        self.asked = 0
        self.hits = 0
        self._secret = user_secret(folder) if folder is not None else None
        self._database = _open(folder) if folder is not None and self._secret is not None else None

    @property
    def description(self) -> str:
        return self.solver.description

    def valid(self, facts: Sequence[Term], goal: Term) -> bool:
        key = query_key(self.solver.description, facts, goal)
        self.asked += 1
        cached = self.memory.get(key)
        if cached is None:
            cached = self._on_disk(key)
        if cached is not None:
            self.hits += 1
            self.memory[key] = cached
            return cached
        answer = self.memory[key] = self.solver.valid(facts, goal)
        self._to_disk(key, answer)
        return answer

    def _on_disk(self, key: str) -> bool | None:
        if self._database is None:
            return None
        try:
            row = self._database.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return None if row is None else {self._authentication_code(key, a): a for a in (True, False)}.get(row[0])

    def _to_disk(self, key: str, answer: bool) -> None:
        if self._database is None:
            return
        try:
            with self._database:
                self._database.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?)", (key, self._authentication_code(key, answer))
                )
        except sqlite3.Error:
            self._database = None

    def _authentication_code(self, key: str, answer: bool) -> int:
        """What is stored for an answer: its message authentication code (MAC), which only the owner of the secret can compute."""
        code = hmac.digest(self._secret or b"", f"{key} {answer}".encode(), "sha256")
        return int.from_bytes(code[:7])


def _open(folder: Path) -> sqlite3.Connection | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(folder / "obligations.sqlite", timeout=2.0, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        with database:
            database.execute("CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer INTEGER) WITHOUT ROWID")
        if (folder / "obligations.sqlite").stat().st_size > MAX_CACHE_BYTES:
            with database:
                database.execute("DELETE FROM answers")
            database.execute("VACUUM")
        return database
    except (OSError, sqlite3.Error):
        return None


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
