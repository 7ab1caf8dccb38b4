"""Emit the CUDA of the benchmarked programs into build/gpu/, for a machine that has a GPU but neither parser nor solver.

python benchmarks/gpu/generate.py && python benchmarks/gpu/run.py      # the second on the machine with the GPU
"""

from __future__ import annotations

import json
import re
import runpy
from dataclasses import dataclass, field
from pathlib import Path

from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend import parse_text
from optigpu.frontend.shapes import effective_types
from optigpu.runtime.manifest import BuiltCuda, save
from optigpu.runtime.signature import signature_of

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "gpu"
TARGET = ROOT / "build" / "gpu"


@dataclass(frozen=True)
class Entry:
    """A program to emit. `defines` replace its constants; `residents` is how many blocks a multiprocessor should hold."""

    key: str
    family: str
    path: str
    defines: dict[str, str] = field(default_factory=dict)
    residents: int | None = None


ENTRIES = [
    Entry("vector_add", "vector_add", "vector_add.c"),
    Entry("vector_add_fast", "vector_add", "fast/vector_add.c"),
    Entry("transpose", "transpose", "transpose.c"),
    Entry("transpose_fast", "transpose", "fast/transpose.c"),
    Entry("transpose_aligned", "transpose", "fast/transpose_aligned.c"),
    Entry("transpose_vector", "transpose", "fast/transpose_vector.c"),
    Entry("reduce_fast", "reduce", "fast/reduce.c"),
    Entry("scan_fast", "scan", "fast/scan.c"),
    Entry("softmax_fast", "softmax", "fast/softmax.c"),
    Entry("stencil2d_fast", "stencil2d", "fast/stencil2d.c"),
    Entry("matmul_shared", "matmul", "matmul_shared.c"),
    Entry("matmul_fast", "matmul", "fast/matmul.c"),
    Entry("matmul_16_2", "matmul", "fast/matmul.c", {"BK": "16"}, residents=2),
    Entry("matmul_plain_2", "matmul", "fast/matmul_plain.c", residents=2),
]


SCRIPTS = {  # programs that scripts made, and their families
    "vector_add": "vector_add",
    "vector_add_fast": "vector_add",
    "transpose": "transpose",
    "transpose_fast": "transpose",
    "reduce_fast": "reduce",
    "matmul": "matmul",
    "matmul_fast": "matmul",
}


def build(entry: Entry) -> BuiltCuda:
    text = (PROGRAMS / entry.path).read_text(encoding="utf-8")
    for name, value in entry.defines.items():
        text, count = re.subn(rf"(#define {name}) .*", rf"\1 {value}", text)
        assert count == 1, f"{entry.path} has no constant {name}"
    program = parse_text(text, entry.path)
    unit = emit_cuda(program, blocks_per_multiprocessor=entry.residents)
    f = program.function(unit.name)
    return BuiltCuda(unit.text, signature_of(f, effective_types(f)), unit.on_device, dict(unit.alignment))


def main() -> None:
    manifest = {}
    for entry in ENTRIES:
        save(build(entry), TARGET, entry.key)
        manifest[entry.key] = {"family": entry.family, "program": f"examples/gpu/{entry.path}"}
    for name, family in SCRIPTS.items():
        script = runpy.run_path(str(PROGRAMS / "scripts" / f"{name}.py"))["s"]
        save(script.built_cuda(), TARGET, f"script_{name}")
        manifest[f"script_{name}"] = {"family": family, "program": f"examples/gpu/scripts/{name}.py"}
    (TARGET / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    print(f"{len(manifest)} programs in {TARGET.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
