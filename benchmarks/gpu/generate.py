"""Verify the benchmarked programs and emit their CUDA into build/gpu/, for a machine that has a GPU but neither parser nor solver.

python benchmarks/gpu/generate.py && python benchmarks/gpu/run.py      # the second on the machine with the GPU

A program that is not verified is refused: nothing is written for it, and the exit code is 1. With --unproved it is emitted to know
how fast it would be, and said to be not verified in its header, in the manifest, and in every table made from it.
"""

from __future__ import annotations

import argparse
import json
import re
import runpy
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from optigpu.api import Script
from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.manifest import BuiltCuda, save
from optigpu.runtime.signature import signature_of
from optigpu.script.step_errors import StepError
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.program import Program

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "examples" / "gpu"
TARGET = ROOT / "build" / "gpu"
UNPROVED = "NOT VERIFIED: emitted for measurements alone."


@dataclass(frozen=True)
class Entry:
    """A C program, or the script that makes one. `defines` replace its constants; `residents` is how many blocks a multiprocessor
    should hold."""

    key: str
    family: str
    path: str
    defines: dict[str, str] = field(default_factory=dict)
    residents: int | None = None


ENTRIES = [
    Entry("vector_add", "vector_add", "vector_add.c"),
    Entry("vector_add_fast", "vector_add", "fast/vector_add.c"),
    Entry("vector_add_script", "vector_add", "scripts/vector_add.py"),
    Entry("vector_add_fast_script", "vector_add", "scripts/vector_add_fast.py"),
    Entry("transpose", "transpose", "transpose.c"),
    Entry("transpose_fast", "transpose", "fast/transpose.c"),
    Entry("transpose_aligned", "transpose", "fast/transpose_aligned.c"),
    Entry("transpose_vector", "transpose", "fast/transpose_vector.c"),
    Entry("transpose_script", "transpose", "scripts/transpose.py"),
    Entry("transpose_fast_script", "transpose", "scripts/transpose_fast.py"),
    Entry("reduce_fast", "reduce", "fast/reduce.c"),
    Entry("reduce_fast_script", "reduce", "scripts/reduce_fast.py"),
    Entry("scan_fast", "scan", "fast/scan.c"),
    Entry("scan_script", "scan", "scripts/scan.py"),
    Entry("scan_fast_script", "scan", "scripts/scan_fast.py"),
    Entry("softmax_fast", "softmax", "fast/softmax.c"),
    Entry("softmax_script", "softmax", "scripts/softmax_rows.py"),
    Entry("softmax_fast_script", "softmax", "scripts/softmax_fast.py"),
    Entry("layer_norm_script", "layer_norm", "scripts/layer_norm.py"),
    Entry("rms_norm_script", "rms_norm", "scripts/rms_norm.py"),
    Entry("stencil2d_fast", "stencil2d", "fast/stencil2d.c"),
    Entry("stencil2d_script", "stencil2d", "scripts/stencil2d.py"),
    Entry("stencil2d_fast_script", "stencil2d", "scripts/stencil2d_fast.py"),
    Entry("matmul_shared", "matmul", "matmul_shared.c"),
    Entry("matmul_fast", "matmul", "fast/matmul.c"),
    Entry("matmul_16_2", "matmul", "fast/matmul.c", {"BK": "16"}, residents=2),
    Entry("matmul_plain_2", "matmul", "fast/matmul_plain.c", residents=2),
    Entry("matmul_script", "matmul", "scripts/matmul.py"),
    Entry("matmul_tensor_script", "matmul", "scripts/matmul_tensor.py"),
    Entry("matmul_thin_script", "matmul", "scripts/matmul_thin.py"),
    Entry("matmul_tf32_script", "matmul_tf32", "scripts/matmul_tf32.py"),
    Entry("matmul_bf16_script", "matmul_bf16", "scripts/matmul_bf16.py"),
    Entry("linear_bf16_script", "linear_bf16", "scripts/linear_bf16.py"),
    Entry("batched_matmul_f16_script", "batched_matmul_f16", "scripts/batched_matmul_f16.py"),
    Entry("attention_script", "attention", "scripts/attention.py"),
    Entry("attention_bf16_script", "attention_bf16", "scripts/attention_bf16.py"),
    Entry("attention_causal_bf16_script", "attention_causal_bf16", "scripts/attention_causal_bf16.py"),
]


def build(entry: Entry, *, unproved: bool = False) -> BuiltCuda:
    """StepError if it is not verified, unless it may be `unproved`."""
    if entry.path.endswith(".py"):
        script: Script = runpy.run_path(str(PROGRAMS / entry.path))["s"]
        return script.built_cuda(blocks_per_multiprocessor=entry.residents)
    program = program_of(entry)
    try:
        return Script(program).built_cuda(blocks_per_multiprocessor=entry.residents)
    except StepError:
        if not unproved:
            raise
    unit = emit_cuda(program, header=[UNPROVED], blocks_per_multiprocessor=entry.residents)
    f = without_constants(program, program.function(unit.name))
    return BuiltCuda(
        unit.text,
        signature_of(f, effective_types(f)),
        unit.on_device,
        dict(unit.alignment),
        unit.device_text,
        unit.plan,
    )


def program_of(entry: Entry) -> Program:
    text = (PROGRAMS / entry.path).read_text(encoding="utf-8")
    for name, value in entry.defines.items():
        text, count = re.subn(rf"(#define {name}) .*", rf"\1 {value}", text)
        assert count == 1, f"{entry.path} has no constant {name}"
    return parse_text(text, entry.path)


def generate(entries: list[Entry], target: Path, *, unproved: bool) -> list[str]:
    """Writes what may be written; the result is the keys of what was refused."""
    target.mkdir(parents=True, exist_ok=True)
    manifest: dict[str, dict[str, object]] = {}
    refused: list[str] = []
    for entry in entries:
        start = time.perf_counter()
        try:
            built = build(entry, unproved=unproved)
        except StepError as e:
            refused.append(entry.key)
            print(f"{entry.key}: refused: {e.diagnostic.code} {e.diagnostic.message}", flush=True)
            continue
        save(built, target, entry.key)
        constants = "".join(f" {n}={v}" for n, v in entry.defines.items())
        manifest[entry.key] = {
            "family": entry.family,
            "program": f"examples/gpu/{entry.path}{constants}",
            "verified": built.verified,
        }
        word = "verified" if built.verified else "NOT VERIFIED"
        print(f"{entry.key}: {word} ({time.perf_counter() - start:.1f} s)", flush=True)
    (target / "manifest.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    return refused


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--unproved", action="store_true", help="also emit programs that are not verified, marked as such"
    )
    options.add_argument("--only", nargs="+", metavar="KEY", help="keys or families")
    options.add_argument("--target", type=Path, default=TARGET)
    chosen = options.parse_args()
    entries = [e for e in ENTRIES if not chosen.only or e.key in chosen.only or e.family in chosen.only]
    if not entries:
        options.error(f"there is none of {', '.join(chosen.only)} (keys: {', '.join(e.key for e in ENTRIES)})")
    refused = generate(entries, chosen.target, unproved=chosen.unproved)
    print(f"{len(entries) - len(refused)} programs in {chosen.target}")
    if refused:
        print(f"refused, because they are not verified: {', '.join(refused)} (--unproved emits them all the same)")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
