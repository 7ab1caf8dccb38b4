"""Entries on disk that one user's processes share: texts by key, each with a message authentication code under the user's secret.

What is damaged, from elsewhere, or stored under another key is not there. Processes may write at the same time; the last one wins.
A store is opened when it is first asked. One that cannot be opened is empty and stays so.
"""

from __future__ import annotations

import hmac
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from optigpu.solver.entry_table import EntryTable


class SealedEntries:
    """`name`: of the file in the folder. Without a folder, nothing is kept."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self.folder, self.name = folder, name

    def read(self, key: str) -> str | None:
        store = self._store
        if store is None:
            return None
        secret, table = store
        match table.read(key):
            case (bytes(code), str(text)) if hmac.compare_digest(code, self._authentication_code(secret, key, text)):
                return text
            case _:
                return None

    def write(self, key: str, text: str) -> None:
        if self._store is not None:
            secret, table = self._store
            table.write(key, self._authentication_code(secret, key, text), text)

    @cached_property
    def _store(self) -> tuple[bytes, EntryTable] | None:
        """The user's secret and the table. Loaded here, since many checks ask nothing."""
        if self.folder is None:
            return None
        from optigpu.solver.entry_table import EntryTable
        from optigpu.solver.user_secret import user_secret

        secret = user_secret(self.folder)
        return None if secret is None else (secret, EntryTable(self.folder / self.name))

    def _authentication_code(self, secret: bytes, key: str, text: str) -> bytes:
        """The name of the store is a part of what is authenticated: an entry of one store is no entry of another one."""
        parts = (self.name.encode(), key.encode(), text.encode())
        message = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
        return hmac.digest(secret, message, "sha256")
