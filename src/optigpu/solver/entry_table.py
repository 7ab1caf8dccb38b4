"""A table on disk: codes and texts by key. What goes wrong with the file is as if there were none."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

MAX_ENTRIES_BYTES = 256 << 20  # a larger file is emptied


class EntryTable:
    """The table in a file, which is made if it is not there."""

    def __init__(self, file: Path) -> None:
        self._database = _open(file)

    def read(self, key: str) -> tuple[Any, Any] | None:
        """Code and text as they are in the file, whatever they are."""
        if self._database is None:
            return None
        try:
            row = self._database.execute("SELECT code, text FROM entries WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return None if row is None else (row[0], row[1])

    def write(self, key: str, code: bytes, text: str) -> None:
        if self._database is None:
            return
        try:
            with self._database:
                self._database.execute("INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", (key, code, text))
        except sqlite3.Error:
            self._database = None


def _open(file: Path) -> sqlite3.Connection | None:
    try:
        database = sqlite3.connect(file, timeout=2.0, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        with database:
            database.execute("CREATE TABLE IF NOT EXISTS entries (key TEXT PRIMARY KEY, code BLOB, text TEXT)")
        if file.stat().st_size > MAX_ENTRIES_BYTES:
            with database:
                database.execute("DELETE FROM entries")
            database.execute("VACUUM")
        return database
    except (OSError, sqlite3.Error):
        return None
