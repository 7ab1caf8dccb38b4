"""Writing files completely or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: str | Path, text: str) -> None:
    target = Path(path)
    fresh = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        fresh.write_text(text, encoding="utf-8")
        os.replace(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)
