"""The system's C compiler."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from functools import cache
from pathlib import Path

from optigpu.runtime.cache import cached_file, content_key
from optigpu.runtime.errors import BuildError

C_FLAGS = (
    "-std=c11",
    "-O3",
    "-march=native",
    "-fopenmp",
    "-fstack-clash-protection",  # an array for which the stack is too small is noticed, and not put into other memory
    "-fPIC",
    "-shared",
    "-Wl,-Bsymbolic",  # its own functions are meant, also where the process has others of their names
    "-Wall",
    "-Werror=implicit-function-declaration",
)


@cache
def c_compiler() -> str | None:
    """$CC, or the first of cc, gcc, clang that is there."""
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        if name and (path := shutil.which(name)):
            return path
    return None


@cache
def version_of(compiler: str) -> str:
    try:
        out = subprocess.run([compiler, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return out.split("\n", 1)[0].strip()


def compile_c(source: str, extra_flags: tuple[str, ...] = ()) -> Path:
    """A shared library of this C text, from the cache if it was compiled before on a machine like this one."""
    compiler = c_compiler()
    if compiler is None:
        raise BuildError("no C compiler was found: install gcc or clang, or set CC")
    flags = (*C_FLAGS, *extra_flags)
    key = content_key("c", source, compiler, version_of(compiler), " ".join(flags), cpu_model())

    def make(target: Path) -> None:
        file = target.with_suffix(".c")
        file.write_text(source, encoding="utf-8")
        command = [compiler, *flags, "-o", str(target), str(file), "-lm"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise BuildError(f"{compiler} rejected the generated C:\n{result.stderr.strip()}")

    return cached_file(key, ".so", make)


@cache
def cpu_model() -> str:
    """What -march=native depends on."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("flags"):
                return line
    except OSError:
        pass
    return platform.processor()
