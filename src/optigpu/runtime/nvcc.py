"""NVIDIA's compiler, and whether a GPU is there."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

from optigpu.runtime.cache import cached_file, content_key
from optigpu.runtime.compilers import run_compiler
from optigpu.runtime.errors import BuildError

FLAGS = ("-O3", "-std=c++17", "-shared", "-Xcompiler", "-fPIC,-fstack-clash-protection")


@cache
def nvcc() -> str | None:
    """$NVCC, nvcc on the path, or that of $CUDA_HOME."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    for name in (os.environ.get("NVCC", ""), "nvcc", str(Path(home) / "bin" / "nvcc")):
        if name and (path := shutil.which(name)):
            return path
    return None


@cache
def nvcc_version(compiler: str) -> str:
    try:
        out = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return out.strip().splitlines()[-1] if out.strip() else "unknown"


@cache
def gpu_architecture() -> str | None:
    """ "90" for compute capability 9.0; None without a GPU. Asks the driver, so that nothing but it is needed."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    count, device = ctypes.c_int(0), ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return None
    if driver.cuDeviceGet(ctypes.byref(device), 0) != 0:
        return None
    parts = []
    for attribute in (75, 76):  # compute capability: major, minor
        value = ctypes.c_int(0)
        if driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device) != 0:
            return None
        parts.append(str(value.value))
    return "".join(parts)


@cache
def gpu_name() -> str:
    """What the driver calls the first GPU."""
    name = ctypes.create_string_buffer(256)
    driver = ctypes.CDLL("libcuda.so.1")
    return name.value.decode() if driver.cuInit(0) == 0 and driver.cuDeviceGetName(name, 256, 0) == 0 else "a GPU"


def compile_cuda(source: str, architectures: tuple[str, ...] | None = None, extra_flags: tuple[str, ...] = ()) -> Path:
    """A shared library of this CUDA text, for the GPU that is there or for the given architectures ("80", "90")."""
    compiler = nvcc()
    if compiler is None:
        raise BuildError("nvcc was not found: install the CUDA toolkit, or set CUDA_HOME or NVCC")
    chosen = architectures or ((gpu_architecture() or "90"),)
    targets = [f for a in chosen for f in ("-gencode", f"arch=compute_{a},code=sm_{a}")]
    flags = (*FLAGS, *targets, *extra_flags)
    key = content_key("cuda", source, compiler, nvcc_version(compiler), " ".join(flags))

    def make(target: Path) -> None:
        file = target.with_suffix(".cu")
        file.write_text(source, encoding="utf-8")
        run_compiler([compiler, *flags, "-o", str(target), str(file)], "the emitted CUDA")

    return cached_file(key, ".so", make)
