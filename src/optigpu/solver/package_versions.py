"""Versions of installed packages, from the names of their folders. `importlib.metadata` takes as long to import as a check."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path


def package_version(module: str, package: str) -> str:
    """The version of the package that a module belongs to; empty if it cannot be told."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    prefix = package.replace("-", "_") + "-"
    folders = [p.stem for p in Path(spec.origin).parent.parent.glob(f"{prefix}*.dist-info")]
    return folders[0].removeprefix(prefix) if len(folders) == 1 else ""
