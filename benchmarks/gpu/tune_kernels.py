"""Tune matmul, softmax, transpose and the sum of an array, over ten sizes each.

python -m optigpu tune benchmarks/gpu/tune_kernels.py --prepare build/gpu/tune --jobs 2   # verifies; then, with a GPU and NumPy:
python -m optigpu tune --measure build/gpu/tune --jobs 16 --progress                      # prints best options and gains

About five minutes on one GPU. A run that was interrupted goes on when the second command is given again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import optigpu as og
from optigpu import schedules

ROOT = Path(__file__).resolve().parents[2] / "examples"


def matmul(s: og.Script, tile: tuple[int, int, int] | None = None, each: tuple[int, int] = (8, 8)) -> None:
    """The default has versions with two sizes of tiles; a tile that is given is the only one."""
    if tile is None:
        schedules.matmul(s)
    else:
        schedules.matmul(s, tile=tile, each=each, versions=False)


def softmax(s: og.Script, most: int = 0, threads: int = 512, shared: bool = False) -> None:
    """The default has versions for four lengths of rows; with `most`, rows up to this length are held in the registers of `threads`
    threads, or in shared memory."""
    held = {"held": (schedules.HeldRows(most, threads, shared=shared),)} if most else {}
    names = {"loop": "j", "reductions": ["best", "total"], "inputs": ["a"], "outputs": ["b"]}
    schedules.row_norm(s, "i", online=True, **names, **held)


def transpose(s: og.Script, tile: int = 64, rows: int = 4) -> None:
    schedules.transpose(s, read_along="x", write_along="y", input="a", output="b", tile=tile, rows=rows)


def reduction(s: og.Script, threads: int = 256, blocks: int = 512, in_flight: int = 4) -> None:
    schedules.total(s, "i", var="sum", result="out", threads=threads, blocks=blocks, in_flight=in_flight)


def products(shapes: Iterable[tuple[int, int, int]]) -> list[dict[str, int]]:
    return [{"m": m, "n": n, "p": p} for m, n, p in shapes]


SQUARES = [(n, n, n) for n in (256, 512, 1000, 1024, 2048, 4096, 8192)]
ROWS = [
    (1 << 21, 32),
    (1 << 19, 128),
    (1 << 17, 512),
    (1 << 16, 1001),
    (1 << 16, 1024),
    (1 << 15, 2048),
    (1 << 14, 4096),
]
MATRICES = [(n, n) for n in (256, 512, 1000, 1024, 2048, 4096, 8192, 16384)]

if __name__ == "__main__":
    og.tune(
        matmul,
        [
            {"tile": (128, 128, 16), "each": (8, 8)},
            {"tile": (128, 128, 8), "each": (8, 8)},
            {"tile": (128, 64, 16), "each": (8, 8)},
            {"tile": (64, 64, 16), "each": (8, 8)},
            {"tile": (64, 64, 16), "each": (4, 4)},
            {"tile": (32, 64, 16), "each": (4, 4)},
            {"tile": (32, 32, 16), "each": (4, 4)},
        ],
        program=ROOT / "matmul.c",
        sizes=products([*SQUARES, (64, 4096, 4096), (4096, 64, 4096), (8192, 8192, 64)]),
        name="matmul",
    )
    og.tune(
        softmax,
        [
            {"most": 512, "threads": 64},
            {"most": 1024, "threads": 128},
            {"most": 2048, "threads": 256},
            {"most": 4096, "threads": 512},
            {"most": 8192, "threads": 512},
            {"most": 16384, "threads": 1024},
            {"most": 49152, "threads": 1024, "shared": True},
        ],
        program=ROOT / "softmax_rows.c",
        sizes=[
            {"h": h, "w": w} for h, w in [*ROWS, (1 << 13, 8192), (1 << 12, 16384), (1 << 11, 40000), (1 << 10, 65536)]
        ],
        name="softmax",
    )
    og.tune(
        transpose,
        {"tile": [32, 64], "rows": [4, 8, 16]},
        program=ROOT / "transpose.c",
        sizes=[{"W": w, "H": h} for w, h in [*MATRICES, (64, 1 << 20), (1 << 20, 64)]],
        name="transpose",
    )
    og.tune(
        reduction,
        [
            {"threads": 128},
            {"threads": 512},
            {"blocks": 256},
            {"blocks": 1024},
            {"blocks": 2048},
            {"in_flight": 2},
            {"in_flight": 8},
        ],
        program=ROOT / "gpu" / "scripts" / "reduce_fast.c",
        sizes=[{"n": n} for n in (*(4**k for k in range(6, 15)), 10**6 + 1)],
        name="reduction",
    )
