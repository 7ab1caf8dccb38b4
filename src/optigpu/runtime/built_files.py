"""`og.load`: a function that was built on another machine. Needs NumPy alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from optigpu.runtime import manifest
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cuda import CudaFunction

MANIFEST, CODE = ".json", ".cu"


def load(path: str | Path, **options: Any) -> CudaFunction:
    """The function in files that `optigpu build` wrote, ready to be called: no parser, solver or checker is needed.

    `path`: one of its files (`build/matmul.cu` or `.json`), both by their common name (`build/matmul`), or a folder with one built
    function. `options` are those of `CudaFunction`: `standin=True` runs it on the CPU. Raises CallError if the files are not
    there, or were changed after they were written.
    """
    place = Path(path)
    if place.is_dir():
        built = sorted(x for x in place.glob(f"*{CODE}") if x.with_suffix(MANIFEST).exists())
        if len(built) != 1:
            names = ", ".join(x.stem for x in built) or "none"
            raise CallError(f"{place} has {len(built)} built functions ({names}): name one, {place / 'NAME'}")
        place = built[0]
    key = place.stem if place.suffix in (MANIFEST, CODE) else place.name
    return manifest.load(place.parent, key).function(**options)
