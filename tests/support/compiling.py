"""Compile C programs to functions that Python calls."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_file, parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from tests.conftest import ROOT


def compiled(source: str | Path, name: str = "f") -> CFunction:
    """The function of that name, compiled from the emitted C."""
    program = parse_file(source) if isinstance(source, Path) else parse_text(source)
    f = program.function(name)
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


def address_space() -> int:
    """The bytes of the address space that this process uses."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def compiled_copy() -> CFunction:
    """The function of examples/copy.c."""
    return compiled(ROOT / "examples" / "copy.c", "copy")


def copies(f: CFunction) -> bool:
    a, b = np.arange(5, dtype=np.float32), np.zeros(5, np.float32)
    f(a, b)
    return bool((a == b).all())
