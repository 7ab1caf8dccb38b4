"""NVRTC compiles device code where nvcc is not installed. PyTorch and CuPy ship it."""

from __future__ import annotations

import ctypes
import os
import re
import threading
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from optigpu.runtime.call_error import BuildError
from optigpu.runtime.compilers import compile_seconds, too_slow
from optigpu.runtime.disk_cache import cached_file, content_key
from optigpu.runtime.nvcc import target_for, with_own_instructions

TENSOR_MAP = """struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};

"""
HEADER = re.compile(r"^#include <(cuda_\w+\.h)>$", re.MULTILINE)
VERSIONS = ("", ".13", ".12", ".11.2")
NVRTC_OPTIONS = ("--std=c++17",)
# Replaces <stdint.h> and <math.h>: NVRTC has no system headers.
PRELUDE = """typedef signed char int8_t;
typedef short int16_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned long long uint64_t;
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif

"""


def toolkit() -> Path:
    return Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))


def in_packages(folder: str) -> Iterator[Path]:
    """The folders of this name in the packages that PyTorch and CuPy install."""
    paths = find_spec("nvidia")
    for p in (paths.submodule_search_locations or []) if paths is not None else []:
        yield from sorted(Path(p).glob(f"*/{folder}"))


def places() -> Iterator[str]:
    """Candidate paths of libnvrtc: $NVRTC, the loader's path, the toolkit, the packages of PyTorch and CuPy."""
    if chosen := os.environ.get("NVRTC"):
        yield chosen
        return
    folders = [toolkit() / "lib64", *in_packages("lib")]
    for version in VERSIONS:
        yield f"libnvrtc.so{version}"
        for folder in folders:
            yield str(folder / f"libnvrtc.so{version}")


@cache
def nvrtc() -> Any:
    """The loaded library, or None."""
    for name in places():
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


@cache
def nvrtc_version() -> str:
    major, minor = ctypes.c_int(0), ctypes.c_int(0)
    nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


@cache
def nvrtc_targets() -> tuple[int, ...]:
    """The architectures that NVRTC lists; empty if it cannot list them."""
    library, count = nvrtc(), ctypes.c_int(0)
    try:
        if library.nvrtcGetNumSupportedArchs(ctypes.byref(count)) != 0:
            return ()
        known = (ctypes.c_int * count.value)()
        return tuple(sorted(known)) if library.nvrtcGetSupportedArchs(known) == 0 else ()
    except AttributeError:  # an old version
        return ()


def include_options(source: str) -> tuple[str, ...]:
    """Where CUDA's headers are, which code with numbers of 16 bits includes."""
    if not (names := HEADER.findall(source)):
        return ()
    folders = [toolkit() / "include", *in_packages("include")]
    found = next((f for f in folders if all((f / name).is_file() for name in names)), None)
    if found is None:
        raise BuildError(
            f"NVRTC needs CUDA's header {names[0]}, which was not found: install the CUDA toolkit, or the package "
            "nvidia-cuda-runtime, or set CUDA_HOME to the folder of a toolkit"
        )
    more = found / "cccl"  # headers of these headers
    return tuple(f"--include-path={f}" for f in (found, more) if f.is_dir())


def compile_nvrtc(source: str, architecture: str) -> bytes:
    """Compile device code for an architecture ("90"): a cubin, or PTX if the GPU is newer than NVRTC. Cached."""
    if nvrtc() is None:
        raise BuildError(
            "NVRTC was not found: install the CUDA toolkit or PyTorch, or set NVRTC to the path of libnvrtc"
        )
    text = PRELUDE + (TENSOR_MAP if "CUtensorMap" in source else "") + source
    target = target_for(architecture, nvrtc_targets(), f"NVRTC {nvrtc_version()}")
    target = with_own_instructions(target, source)
    wide = ("--device-int128",) if "__int128" in source else ()
    options = (
        *NVRTC_OPTIONS,
        *wide,
        *include_options(source),
        f"--gpu-architecture={'compute' if target.virtual else 'sm'}_{target.architecture}",
    )
    key = content_key("nvrtc", text, nvrtc_version(), " ".join(options))
    return cached_file(key, ".cubin", lambda target: _write(target, _compiled_in_time(text, options))).read_bytes()


def _write(target: Path, image: bytes) -> None:
    target.write_bytes(image)


def _compiled_in_time(text: str, options: tuple[str, ...]) -> bytes:
    """NVRTC cannot be interrupted: on a timeout it is left running in a daemon thread."""
    done: list[bytes | BaseException] = []

    def work() -> None:
        try:
            done.append(_compiled(text, options))
        except BaseException as e:
            done.append(e)

    seconds = compile_seconds()
    thread = threading.Thread(target=work, name="NVRTC", daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        raise too_slow("NVRTC", "the emitted CUDA", seconds)
    if isinstance(done[0], BaseException):
        raise done[0]
    return done[0]


def _compiled(text: str, options: tuple[str, ...]) -> bytes:
    library, program = nvrtc(), ctypes.c_void_p()
    library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def call(name: str, *args: Any) -> None:
        status = getattr(library, name)(*args)
        if status != 0:
            raise BuildError(f"{name}: {library.nvrtcGetErrorString(status).decode()}{log()}")

    def buffer(what: str) -> bytes:
        size = ctypes.c_size_t(0)
        if getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) != 0 or not size.value:
            return b""
        data = ctypes.create_string_buffer(size.value)
        getattr(library, f"nvrtcGet{what}")(program, data)
        return data.raw

    def log() -> str:
        text = buffer("ProgramLog").rstrip(b"\0").decode(errors="replace").strip() if program else ""
        return f"\n{text[:4000]}" if text else ""

    call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), b"emitted.cu", 0, None, None)
    try:
        arguments = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        call("nvrtcCompileProgram", program, len(options), arguments)
        image = buffer("PTX" if "=compute_" in options[-1] else "CUBIN")
        if not image:
            raise BuildError("NVRTC made no code: it is too old for --gpu-architecture=sm_…")
        return image
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
