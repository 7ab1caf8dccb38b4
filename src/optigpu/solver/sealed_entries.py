"""Entries on disk that one user's processes share: texts by key, each with a message authentication code under the user's secret.

What is damaged, from elsewhere, or stored under another key is not there. Processes may write at the same time; the last one wins.
A store that cannot be opened is empty and stays so.
"""

from __future__ import annotations

import hmac
import sqlite3
from pathlib import Path

from optigpu.solver.user_secret import user_secret

MAX_ENTRIES_BYTES = 256 << 20  # a larger file is emptied


class SealedEntries:
    """`name`: of the file in the folder. Without a folder, nothing is kept."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self._purpose = name.encode()  # an entry of one store is no entry of another one
        self._secret = user_secret(folder) if folder is not None else None
        self._database = _open(folder / name) if folder is not None and self._secret is not None else None

    def read(self, key: str) -> str | None:
        if self._database is None:
            return None
        try:
            row = self._database.execute("SELECT code, text FROM entries WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        match row:
            case (bytes(code), str(text)) if hmac.compare_digest(code, self._authentication_code(key, text)):
                return text
            case _:
                return None

    def write(self, key: str, text: str) -> None:
        if self._database is None:
            return
        try:
            with self._database:
                self._database.execute(
                    "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)",
                    (key, self._authentication_code(key, text), text),
                )
        except sqlite3.Error:
            self._database = None

    def _authentication_code(self, key: str, text: str) -> bytes:
        parts = (self._purpose, key.encode(), text.encode())
        message = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
        return hmac.digest(self._secret or b"", message, "sha256")


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
