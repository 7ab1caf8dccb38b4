"""Run the host functions of built programs on small NumPy arrays: what compute-sanitizer watches."""

from __future__ import annotations

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "src"))

import numpy as np  # noqa: E402

from optigpu.runtime.call_error import CallError  # noqa: E402
from optigpu.runtime.manifest import load  # noqa: E402
from optigpu.runtime.signature import DTYPES, ArrayParam  # noqa: E402
from optigpu.runtime.stored_floats import dtype_of  # noqa: E402

BUILD = ROOT / "build" / "gpu"
SMALL: dict[str, tuple[tuple[tuple[int, ...], ...], ...]] = {
    "vector_add": (((5000,), (5000,), (5000,)), ((1027,), (1027,), (1027,))),
    "transpose": (((128, 192), (192, 128)), ((64, 64), (64, 64)), ((67, 129), (129, 67))),
    "reduce": (((5000,), (1,)), ((3,), (1,))),
    "scan": (((20000,), (20000,)),),
    "softmax": (((2, 16384), (2, 16384)), ((3, 1001), (3, 1001)), ((2, 17000), (2, 17000))),
    "layer_norm": (((2, 1024), (1024,), (1024,), (2, 1024)), ((3, 1001), (1001,), (1001,), (3, 1001))),
    "rms_norm": (((2, 1024), (1024,), (2, 1024)), ((3, 1001), (1001,), (3, 1001))),
    "stencil2d": (((67, 140), (67, 140)),),
    "matmul": (((128, 64), (64, 256), (128, 256)), ((131, 50), (50, 197), (131, 197))),
    "matmul_tf32": (((128, 64), (64, 256), (128, 256)), ((131, 50), (50, 197), (131, 197))),
    "matmul_bf16": (((128, 64), (64, 256), (128, 256)), ((131, 50), (50, 197), (131, 197))),
    "linear_bf16": (((128, 64), (256, 64), (256,), (128, 256)), ((131, 50), (197, 50), (197,), (131, 197))),
    "batched_matmul_f16": (((2, 64, 128), (2, 64, 256), (2, 128, 256)), ((2, 50, 131), (2, 50, 197), (2, 131, 197))),
    "attention": (((2, 130, 64),) * 4,),
    "attention_bf16": (((2, 300, 128),) * 4,),
    "attention_causal_bf16": (((2, 300, 128),) * 4,),
}


def main() -> None:
    manifest = json.loads((BUILD / "manifest.json").read_text(encoding="utf-8"))
    rng = np.random.default_rng(0)
    for key in sys.argv[1:] or list(manifest):
        f = load(BUILD, key).function(standin=False)
        runs = 0
        for shapes in SMALL[manifest[key]["family"]]:
            arrays = [p for p in f.signature.params if isinstance(p, ArrayParam)]
            try:
                f(*(rng.standard_normal(s).astype(dtype_of(DTYPES[p.elem.name])) for p, s in zip(arrays, shapes)))
                runs += 1
            except CallError as e:  # a size that the contract excludes
                print(f"{key}: {e}")
        if not runs:
            sys.exit(f"{key} takes none of the sizes")
    print("done")


if __name__ == "__main__":
    main()
