"""The secret of the user under which entries of caches on disk carry a message authentication code.

Entries from elsewhere (a copied folder, another user, a damaged disk) fail the check. Whoever acts as the user can read the secret.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
from pathlib import Path


def user_secret(folder: Path) -> bytes | None:
    """The secret in the file beside the entries, made at the first use; None if others can read it, or it cannot be stored."""
    file = folder / "answers.key"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            with tempfile.TemporaryDirectory(dir=folder) as own:  # written completely before it gets its name
                new = Path(own) / "key"
                new.touch(mode=0o600)
                new.write_bytes(secrets.token_bytes(32))
                with contextlib.suppress(FileExistsError):
                    os.link(new, file)
        about = file.stat()
        alone = os.name != "posix" or (about.st_uid == os.geteuid() and about.st_mode & 0o077 == 0)
        secret = file.read_bytes()
    except OSError:
        return None
    return secret if alone and len(secret) == 32 else None
