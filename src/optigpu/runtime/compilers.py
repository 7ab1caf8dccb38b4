"""The system's C compiler."""

from __future__ import annotations

import os
import platform
import shutil
import signal
import subprocess
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from optigpu.runtime.call_error import BuildError
from optigpu.runtime.disk_cache import cached_file, content_key

C_FLAGS = (
    "-std=c11",
    "-O3",
    "-march=native",
    "-fopenmp",
    "-fstack-clash-protection",  # a stack overflow faults instead of reaching other memory
    "-fPIC",
    "-shared",
    "-Wl,-Bsymbolic",  # bind to its own functions, not to others of the same name in the process
    "-Wall",
    "-Werror=implicit-function-declaration",
)

COMPILE_SECONDS = 600.0


@cache
def c_compiler() -> str | None:
    """$CC, or the first of cc, gcc, clang that is installed."""
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


def compile_seconds() -> float:
    """The time limit of a compiler run."""
    setting = os.environ.get("OPTIGPU_COMPILE_SECONDS")
    if not setting:
        return COMPILE_SECONDS
    try:
        seconds = float(setting)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        raise BuildError(f"OPTIGPU_COMPILE_SECONDS is a number of seconds, not `{setting}`")
    return seconds


def too_slow(compiler: str, what: str, seconds: float) -> BuildError:
    return BuildError(
        f"{compiler} did not finish with {what} within {seconds:g} s (OPTIGPU_COMPILE_SECONDS gives it longer)"
    )


def run_compiler(command: list[str], what: str) -> None:
    """Run a compiler; raises BuildError with its messages. Its child processes end with it, also on a timeout or an interrupt."""
    seconds = compile_seconds()
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as e:
        raise BuildError(f"{command[0]} cannot be run: {e.strerror}") from None
    try:
        out, err = process.communicate(timeout=seconds)
    except BaseException as e:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(e, subprocess.TimeoutExpired):
            raise too_slow(command[0], what, seconds) from None
        raise
    if process.returncode != 0:
        raise BuildError(f"{command[0]} rejected {what}:\n{(err or out).strip()[:4000]}")


def compile_c(source: str, extra_flags: tuple[str, ...] = ()) -> Path:
    """Compile C text to a shared library. Cached by text, compiler and CPU."""
    compiler = c_compiler()
    if compiler is None:
        raise BuildError("no C compiler was found: install gcc or clang, or set CC")
    flags = (*C_FLAGS, *extra_flags)
    key = content_key("c", source, compiler, version_of(compiler), " ".join(flags), cpu_model())

    def make(target: Path) -> None:
        file = target.with_suffix(".c")
        file.write_text(source, encoding="utf-8")
        run_compiler([compiler, *flags, "-o", str(target), str(file), "-lm"], "the generated C")

    return cached_file(key, ".so", make)


@cache
def cpu_model() -> str:
    """The CPU model, which -march=native depends on."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("flags"):
                return line
    except OSError:
        pass
    return platform.processor()
