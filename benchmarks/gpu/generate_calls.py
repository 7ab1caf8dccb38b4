"""Build the verified programs that check_calls.py and check_stored_floats.py call into build/calls/.

python benchmarks/gpu/generate_calls.py

Those in `PLAIN` are loops for a CPU, which `schedules.auto` makes kernels of; so are those in `STORED`, once for each type of
numbers that are only stored.
"""

from __future__ import annotations

import sys
from pathlib import Path

from optigpu.api import Script
from optigpu.frontend import parse_text
from optigpu.runtime.manifest import save
from optigpu.schedules import auto
from optigpu.syntax.types import STORED_FLOATS

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "build" / "calls"
SOURCES = [*sorted((ROOT / "benchmarks/gpu/calls").glob("*.c"))]
SOURCES += [
    ROOT / "examples/gpu" / name for name in ("fast/vector_add.c", "fast/reduce.c", "reduce.c", "transpose_any.c")
]
PLAIN = [
    *sorted((ROOT / "benchmarks/gpu/plain").glob("*.c")),
    *(ROOT / "examples" / f"{x}.c" for x in ("sum", "maximum")),
]
STORED = sorted((ROOT / "benchmarks/gpu/stored_floats").glob("*.c"))


def main() -> int:
    for path in STORED:
        for t in STORED_FLOATS:
            script = Script(parse_text(path.read_text(encoding="utf-8").replace("half", t.name), path.name))
            auto(script)
            built = script.built_cuda()
            save(built, TARGET, f"{path.stem}_{t.name}")
            print(f"{path.stem}_{t.name}: {'verified' if built.verified else 'NOT VERIFIED'}", flush=True)
    for path in (*SOURCES, *PLAIN):
        key = f"{path.stem}_fast" if path.parent.name == "fast" else path.stem
        script = Script(str(path))
        if path in PLAIN:
            auto(script)
        built = script.built_cuda()
        save(built, TARGET, key)
        print(f"{key}: {'verified' if built.verified else 'NOT VERIFIED'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
