"""Kernels with smaller tiles and blocks: the same code with smaller constants, so that the interpreter can run many tiles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

Sizes = Mapping[str, int]  # by the number, or the macro, that they replace

_TILED = {"128": 32, "64": 16, "16": 4, "8": 2}  # a matrix multiply by tiles of 32 x 32, 16 threads of 8 x 8 elements

SMALLER: dict[str, Sizes] = {
    "examples/gpu/matmul.c": {"32": 8, "8": 2, "256": 16},
    "examples/gpu/matmul_shared.c": {"16": 4},
    "examples/gpu/reduce.c": {"128": 8, "64": 4, "512": 32},
    "examples/gpu/scan.c": {"256": 16, "255": 15, "64": 4, "63": 3},
    "examples/gpu/softmax_rows.c": {"128": 8, "64": 4},
    "examples/gpu/stencil2d.c": {"16": 4, "15": 3, "17": 5, "18": 6, "256": 16},
    "examples/gpu/transpose.c": {"32": 8, "33": 9, "8": 2, "256": 16},
    "examples/gpu/transpose_any.c": {"32": 8, "31": 7, "33": 9, "8": 2, "256": 16},
    "examples/gpu/fast/matmul.c": {**_TILED, "BK": 4, "256": 16, "132": 36, "1024": 64, "32": 8},
    "examples/gpu/fast/matmul_plain.c": {**_TILED, "BK": 4, "256": 16, "132": 36, "1024": 64, "32": 8},
    "examples/gpu/fast/reduce.c": {"BLOCKS": 12, "256": 4, "4096": 64, "1024": 16, "128": 2},
    "examples/gpu/fast/scan.c": {
        "BLOCKS": 5, "256": 64, "1024": 256, "4096": 1024, "4095": 1023, "33": 17, "32": 16, "8": 4, "2": 1, "128": 32,
    },
    "examples/gpu/fast/softmax.c": {"THREADS": 8, "16384": 64, "4096": 16, "32": 4},
    "examples/gpu/fast/stencil2d.c": {"Y": 2, "128": 16, "127": 15, "32": 4},
    "examples/gpu/fast/transpose_aligned.c": {"64": 8, "63": 7, "65": 9, "70": 10, "72": 12, "8": 4, "ROWS": 2},
    "examples/gpu/fast/transpose_vector.c": {"64": 16, "65": 17, "16": 4, "256": 16},
    "examples/gpu/scripts/reduce.py": {"264": 4, "256": 8},
    "examples/gpu/scripts/reduce_warp.py": {"264": 3, "256": 64},
    "examples/gpu/scripts/scan.py": {"4096": 16, "16": 4, "256": 2},
    "examples/gpu/scripts/softmax_rows.py": {"128": 8},
    "examples/gpu/scripts/stencil2d.py": {"16": 4},
    "examples/gpu/scripts/transpose.py": {"32": 8, "8": 2},
}  # fmt: skip

_NUMBER = re.compile(r"(?<!\w)(?<!\d\.)\d+(?!\w)(?!\.\d)")
_SOURCE = re.compile(r'og\.Script\("([^"]*)"\)')


def with_sizes(text: str, sizes: Sizes) -> str:
    """A program or script with other numbers for these, all at once."""
    changed = _NUMBER.sub(lambda m: str(sizes.get(m[0], m[0])), text)
    for name, value in sizes.items():
        changed = re.sub(rf"(?m)^#define {re.escape(name)} \d+$", f"#define {name} {value}", changed)
    return changed


def smaller_script(path: Path, sizes: Sizes, folder: Path) -> Path:
    """A script and its program, with other sizes, in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    script = path.read_text(encoding="utf-8")
    source = _SOURCE.search(script)
    assert source is not None, path
    program = (path.parent / source[1]).read_text(encoding="utf-8")
    (folder / "program.c").write_text(with_sizes(program, sizes), encoding="utf-8")
    made = folder / path.name
    made.write_text(with_sizes(_SOURCE.sub('og.Script("program.c")', script), sizes), encoding="utf-8")
    return made
