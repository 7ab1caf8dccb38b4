"""nvcc on all emitted CUDA, for sm_80, sm_90 and sm_90a, with warnings as errors; and the kernels alone, as NVRTC gets them.

python tools/check_cuda.py [NAME…]     # examples/gpu/*.c, fast/*.c and what the scripts make, or those whose name is given
"""

from __future__ import annotations

import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from optigpu.codegen.cuda import CudaUnit, emit_cuda
from optigpu.frontend import parse_file
from optigpu.runtime.nvcc import nvcc
from optigpu.runtime.nvrtc import TENSOR_MAP

ROOT = Path(__file__).resolve().parent.parent
GPU = ROOT / "examples" / "gpu"
ARCHITECTURES = ("80", "90", "90a")
STRICT = ("-O1", "-std=c++17", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra")


def sources() -> list[Path]:
    return [
        p
        for folder, ext in ((GPU, "c"), (GPU / "fast", "c"), (GPU / "scripts", "py"))
        for p in sorted(folder.glob(f"*.{ext}"))
    ]


def unit_of(path: Path) -> CudaUnit:
    """The CUDA of a program (verified or not: this is about the text), or of what a script makes."""
    if path.suffix == ".py":
        unit: CudaUnit = runpy.run_path(str(path))["s"].cuda()
        return unit
    return emit_cuda(parse_file(path))


def complaints(text: str, *, alone: bool = False) -> str:
    """What nvcc says of the text: nothing, if all is well. `alone`: device code, of which PTX is made."""
    with tempfile.TemporaryDirectory() as work:
        file = Path(work) / "emitted.cu"
        file.write_text(text, encoding="utf-8")
        targets = [f for a in ARCHITECTURES for f in ("-gencode", f"arch=compute_{a},code=sm_{a}")]
        how = ["-ptx", f"-arch=sm_{ARCHITECTURES[-1]}"] if alone else [*targets, "-c"]
        command = [nvcc() or "nvcc", *STRICT, *how, "-o", str(Path(work) / "out"), str(file)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return (result.stderr + result.stdout).strip() or (
            "" if result.returncode == 0 else f"exit code {result.returncode}"
        )


def main() -> int:
    if nvcc() is None:
        print("nvcc was not found: install the CUDA toolkit, or set CUDA_HOME or NVCC", file=sys.stderr)
        return 2
    chosen = [p for p in sources() if not sys.argv[1:] or p.stem in sys.argv[1:]]
    wrong = 0
    for path in chosen:
        start, unit = time.perf_counter(), unit_of(path)
        maps = f"#include <stdint.h>\n{TENSOR_MAP}" if "CUtensorMap" in unit.device_text else ""  # NVRTC gets these too
        found = complaints(unit.text) or complaints(maps + unit.device_text, alone=True)
        wrong += bool(found)
        print(f"{path.relative_to(ROOT)}: {found or 'clean'} ({time.perf_counter() - start:.1f} s)", flush=True)
    print(
        f"{len(chosen) - wrong} of {len(chosen)} compile without warnings for {' and '.join(f'sm_{a}' for a in ARCHITECTURES)}"
    )
    return 1 if wrong or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
