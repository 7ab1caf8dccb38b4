"""`optigpu doctor`: the compilers, solvers and GPUs of this machine."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from importlib import metadata

from optigpu.runtime.compilers import c_compiler, version_of
from optigpu.runtime.disk_cache import answers_folder
from optigpu.runtime.nvrtc import nvrtc, nvrtc_version


def findings() -> list[tuple[str, bool, str]]:
    """(tool, whether it is installed, version or advice) for everything that OptiGPU can use."""
    cc = c_compiler()
    nvcc = shutil.which("nvcc")
    return [
        ("Python", True, platform.python_version()),
        ("C compiler", cc is not None, f"{cc} ({version_of(cc)})" if cc else "install gcc or clang to run programs"),
        ("NumPy", *package("numpy")),
        ("z3", *package("z3-solver")),
        ("cvc5", *package("cvc5")),
        (
            "nvcc",
            nvcc is not None,
            f"{nvcc} ({nvcc_release(nvcc)})" if nvcc else "CUDA programs cannot be compiled here",
        ),
        (
            "NVRTC",
            nvrtc() is not None,
            nvrtc_version() if nvrtc() is not None else "not found (only needed without nvcc)",
        ),
        ("GPU", *gpu()),
        ("cores", True, str(os.cpu_count())),
        ("cache", answers_folder() is not None, str(answers_folder() or "no home folder: set OPTIGPU_CACHE")),
    ]


def package(name: str) -> tuple[bool, str]:
    try:
        return True, metadata.version(name)
    except metadata.PackageNotFoundError:
        return False, "not installed"


def nvcc_release(nvcc: str) -> str:
    try:
        out = subprocess.run([nvcc, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown version"
    for line in out.splitlines():
        if "release" in line:
            return line.split("release", 1)[1].strip().split(",", 1)[0]
    return "unknown version"


def gpu() -> tuple[bool, str]:
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return False, "none: CUDA programs run on the CPU stand-in"
    try:
        command = [smi, "--query-gpu=name,memory.total", "--format=csv,noheader"]
        out = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        out = ""
    return bool(out), out.replace("\n", "; ") or "nvidia-smi finds no GPU"
