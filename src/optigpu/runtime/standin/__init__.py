"""The CPU stand-in: emitted CUDA text compiled as C++ against a replacement of cuda_runtime.h with a thread scheduler."""

from __future__ import annotations

import os
import re
import shutil
from functools import cache
from importlib.resources import files
from pathlib import Path

from optigpu.runtime.call_error import BuildError
from optigpu.runtime.compilers import cpu_model, run_compiler, version_of
from optigpu.runtime.disk_cache import cached_file, content_key

STANDIN_FLAGS = (
    "-std=c++17",
    "-O1",
    "-fPIC",
    "-fno-strict-aliasing",
    "-fstack-clash-protection",
    "-U_FORTIFY_SOURCE",
    "-w",
)
WATCH = ("-O0", "-fsanitize=thread")  # without optimisation, so that no access is removed
LAUNCH = re.compile(r"\b(\w+)<<<(.*?)>>>\((.*?)\);", re.DOTALL)
MMA = re.compile(r'asm volatile\("mma\.sync\.aligned\.m16n8k8\.row\.col\.f32\.tf32.*?\);', re.DOTALL)
DYNAMIC = re.compile(r"extern __shared__ __align__\(\d+\) unsigned char shared_memory\[\];")
HEADERS = ("cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "tiles.h")
SCHEDULER = ("races.h", "copies.h", "standin.cpp")
FORWARDED = ("cuda.h", "cudaTypedefs.h")  # what these declare is in the others


@cache
def cxx_compiler() -> str | None:
    """$CXX, or the first of g++, clang++, c++ that is installed."""
    for name in (os.environ.get("CXX", ""), "g++", "clang++", "c++"):
        if name and (path := shutil.which(name)):
            return path
    return None


def standin_text(cuda: str) -> str:
    """CUDA text as C++: launches, dynamic shared memory and tensor cores become calls of the stand-in."""
    text = LAUNCH.sub(r"standin::launch(\2, [=] { \1(\3); });", cuda)
    text = MMA.sub("standin::mma_tf32(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1, __LINE__);", text)
    return DYNAMIC.sub("unsigned char* const shared_memory = standin::dynamic_shared;", text)


def compile_standin(cuda: str, *, races: bool = False) -> Path:
    """Compile CUDA text to a shared library for the CPU; `races`: with ThreadSanitizer."""
    compiler = cxx_compiler()
    if compiler is None:
        raise BuildError("no C++ compiler was found: install g++ or clang++, or set CXX")
    sources = {
        n: files("optigpu.runtime.standin").joinpath(n).read_text(encoding="utf-8") for n in (*HEADERS, *SCHEDULER)
    }
    watch = WATCH if races else ()
    parts = (*sources.values(), compiler, version_of(compiler), " ".join(STANDIN_FLAGS), cpu_model())

    def run(command: list[str]) -> None:
        run_compiler(command, "the emitted CUDA text")

    def make_runtime(target: Path) -> None:
        for name, text in sources.items():
            (target.parent / name).write_text(text, encoding="utf-8")
        run([compiler, *STANDIN_FLAGS, "-O2", "-c", "-o", str(target), str(target.parent / "standin.cpp")])

    runtime = cached_file(content_key("standin runtime", *parts), ".o", make_runtime)

    def make(target: Path) -> None:
        folder = target.parent
        for name in HEADERS:
            (folder / name).write_text(sources[name], encoding="utf-8")
        for name in FORWARDED:
            (folder / name).write_text('#include "tiles.h"\n', encoding="utf-8")
        source, code = folder / "emitted.cpp", folder / "emitted.o"
        source.write_text(standin_text(cuda), encoding="utf-8")
        run([compiler, *STANDIN_FLAGS, *watch, f"-I{folder}", "-c", "-o", str(code), str(source)])
        run([compiler, "-shared", "-Wl,-Bsymbolic", "-o", str(target), str(code), str(runtime), "-lm"])

    return cached_file(content_key("standin", cuda, " ".join(watch), *parts), ".so", make)
