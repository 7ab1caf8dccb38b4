"""Which tiles of `schedules.matmul` are fast at which sizes, beside cuBLAS: what its default versions are chosen from.

python benchmarks/gpu/matmul_shapes.py generate [KEY…] && python benchmarks/gpu/matmul_shapes.py run [KEY…]

The second one on a machine with a GPU, NumPy and PyTorch. Each shape is one kernel for all sizes, or, where the tile divides them,
the kernel that tests nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "gpu_shapes"
SIZES = ((4096, 4096, 4096), (1024, 1024, 1024), (1000, 1000, 1000), (128, 8192, 8192), (4095, 4097, 4099))
DIVIDED = '__requires("m % 128 == 0, n % 128 == 0, p % 16 == 0, p > 0");\n  __reads('
SHAPES: dict[str, dict[str, Any]] = {
    "default": {},
    "divided_128x128": {"divided": True},
    "any_128x128": {"versions": False},
    "any_128x64_8x8": {"versions": False, "tile": (128, 64, 16)},
    "any_128x64_8x4": {"versions": False, "tile": (128, 64, 16), "each": (8, 4)},
    "any_64x128_8x8": {"versions": False, "tile": (64, 128, 16)},
    "any_64x64_8x4": {"versions": False, "tile": (64, 64, 16), "each": (8, 4)},
    "any_64x64_4x4": {"versions": False, "tile": (64, 64, 16), "each": (4, 4)},
    "any_64x64_8x8": {"versions": False, "tile": (64, 64, 16), "each": (8, 8)},
    "any_32x64_4x4": {"versions": False, "tile": (32, 64, 16), "each": (4, 4)},
}


def generate(keys: list[str]) -> None:
    from optigpu.api import Script
    from optigpu.frontend import parse_text
    from optigpu.runtime.manifest import save
    from optigpu.schedules import matmul

    plain = (ROOT / "examples" / "matmul.c").read_text(encoding="utf-8")
    for key in keys:
        options = SHAPES[key]
        text = plain.replace("__reads(", DIVIDED, 1) if options.get("divided") else plain
        s = Script(parse_text(text, "matmul.c"))
        matmul(s, **options)
        save(s.built_cuda(), BUILD, key)
        print(f"{key}: verified", flush=True)


def run(keys: list[str]) -> None:
    sys.path[:0] = [str(ROOT / "src"), str(Path(__file__).parent)]
    import torch
    from run import median_ms

    from optigpu.runtime.call_error import CallError
    from optigpu.runtime.manifest import load

    torch.backends.cuda.matmul.allow_tf32 = False
    functions = {key: load(BUILD, key).function(standin=False) for key in keys}
    flush = torch.empty(256 * 1024 * 1024, dtype=torch.uint8, device="cuda")
    rows = []
    for m, n, p in SIZES:
        a, b = torch.randn(m, p, device="cuda"), torch.randn(p, n, device="cuda")
        c, wanted = torch.empty(m, n, device="cuda"), torch.mm(a.double(), b.double())
        library = median_ms(lambda a=a, b=b, c=c: torch.mm(a, b, out=c), flush, 30)
        print(f"{m} x {n} x {p}: cuBLAS {2e-9 * m * n * p / library:.1f} TFLOP/s", flush=True)
        for key, f in functions.items():
            c.fill_(float("nan"))
            try:
                call = f.prepared(a, b, c)
            except CallError:
                continue  # the tile does not divide this size
            call()
            error = float((c.double() - wanted).abs().max() / p**0.5)
            ms = median_ms(call, flush, 30)
            right = "" if error < 1e-4 else f"  WRONG: error {error:.3g}"
            print(f"  {key:18} {2e-9 * m * n * p / ms:6.1f} TFLOP/s  {library / ms:.2f} x cuBLAS{right}", flush=True)
            rows.append({"shape": key, "size": [m, n, p], "ms": ms, "ratio": library / ms, "error": error})
    (BUILD / "results.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


def main() -> int:
    what, *keys = sys.argv[1:] or ["help"]
    if what not in ("generate", "run") or any(key not in SHAPES for key in keys):
        print(f"{__doc__}\nKEY: {', '.join(SHAPES)}", file=sys.stderr)
        return 2
    (generate if what == "generate" else run)(keys or list(SHAPES))
    return 0


if __name__ == "__main__":
    sys.exit(main())
