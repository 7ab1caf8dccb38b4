"""nvcc, and the GPUs of this machine."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from optigpu.light_dataclass import dataclass
from optigpu.runtime.call_error import BuildError
from optigpu.runtime.compilers import run_compiler
from optigpu.runtime.disk_cache import cached_file, content_key

ARCHITECTURES_OF_THEIR_OWN = ("90",)
OWN_INSTRUCTIONS = ("wgmma", "setmaxnreg")  # that only code for one of these has
NVCC_FLAGS = ("-O3", "-std=c++17", "-shared", "-Xcompiler", "-fPIC,-fstack-clash-protection")


@cache
def nvcc() -> str | None:
    """The path of nvcc: $NVCC, on the PATH, or in $CUDA_HOME."""
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
def gpu_count() -> int:
    """The number of GPUs, by the driver API."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


@cache
def gpu_architecture(number: int = 0) -> str | None:
    """The compute capability of a GPU, "90" for 9.0; None if there is no such GPU."""
    if number >= gpu_count():
        return None
    driver, device = ctypes.CDLL("libcuda.so.1"), ctypes.c_int(0)
    if driver.cuDeviceGet(ctypes.byref(device), number) != 0:
        return None
    parts = []
    for attribute in (75, 76):  # compute capability: major, minor
        value = ctypes.c_int(0)
        if driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, device) != 0:
            return None
        parts.append(str(value.value))
    return "".join(parts)


def gpu_architectures() -> tuple[str, ...]:
    """The distinct architectures of all GPUs: arrays may be on any of them."""
    architectures = (gpu_architecture(number) for number in range(gpu_count()))
    return tuple(dict.fromkeys(a for a in architectures if a is not None))


@dataclass(frozen=True, slots=True)
class CompileTarget:
    """The target of a compilation: machine code for an architecture, or PTX (`virtual`), which the driver compiles."""

    architecture: str
    virtual: bool


def target_for(architecture: str, known: Sequence[int], compiler: str) -> CompileTarget:
    """The target for a GPU. If the GPU is newer than the compiler, PTX of the newest known architecture. `known`: architectures
    that the compiler lists; empty if it cannot list them."""
    if not known or int(architecture) in known:
        return CompileTarget(architecture, False)
    older = [k for k in known if k <= int(architecture)]
    if older:
        return CompileTarget(str(max(older)), True)
    raise BuildError(
        f"{compiler} compiles for GPUs of compute capability {capability(min(known))} and newer, but this one has"
        f" {capability(int(architecture))}: install an older CUDA toolkit"
    )


def capability(architecture: int) -> str:
    return f"{architecture // 10}.{architecture % 10}"


@cache
def nvcc_targets(compiler: str) -> tuple[int, ...]:
    """The architectures that nvcc lists; empty if it cannot list them."""
    try:
        command = [compiler, "--list-gpu-arch"]
        out = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return tuple(sorted(int(n) for n in re.findall(r"^compute_(\d+)$", out, re.MULTILINE)))


def with_own_instructions(target: CompileTarget, source: str) -> CompileTarget:
    """The target with the instructions that only this architecture has ("90a"), if the code uses such."""
    uses = any(name in source for name in OWN_INSTRUCTIONS)
    own = target.architecture in ARCHITECTURES_OF_THEIR_OWN and not target.virtual and uses
    return CompileTarget(target.architecture + "a", False) if own else target


def target_flags(compiler: str, architectures: Sequence[str], source: str = "") -> list[str]:
    found = (target_for(a, nvcc_targets(compiler), compiler) for a in architectures)
    targets = dict.fromkeys(with_own_instructions(t, source) for t in found)
    return [
        flag
        for t in targets
        for flag in (
            "-gencode",
            f"arch=compute_{t.architecture},code={'compute' if t.virtual else 'sm'}_{t.architecture}",
        )
    ]


@cache
def gpu_name() -> str:
    """The name of the first GPU."""
    name = ctypes.create_string_buffer(256)
    driver = ctypes.CDLL("libcuda.so.1")
    return name.value.decode() if driver.cuInit(0) == 0 and driver.cuDeviceGetName(name, 256, 0) == 0 else "a GPU"


def compile_cuda(source: str, architectures: tuple[str, ...] | None = None, extra_flags: tuple[str, ...] = ()) -> Path:
    """Compile CUDA text to a shared library, for the GPUs of this machine or the given architectures ("80", "90")."""
    compiler = nvcc()
    if compiler is None:
        raise BuildError("nvcc was not found: install the CUDA toolkit, or set CUDA_HOME or NVCC")
    chosen = architectures or gpu_architectures() or ("90",)
    flags = (*NVCC_FLAGS, *target_flags(compiler, chosen, source), *extra_flags)
    key = content_key("cuda", source, compiler, nvcc_version(compiler), " ".join(flags))

    def make(target: Path) -> None:
        file = target.with_suffix(".cu")
        file.write_text(source, encoding="utf-8")
        run_compiler([compiler, *flags, "-o", str(target), str(file)], "the emitted CUDA")

    return cached_file(key, ".so", make)
