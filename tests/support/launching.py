"""A driver whose kernels run on the CPU stand-in, and an NVRTC that compiles nothing: launching by plan without a GPU."""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from optigpu.runtime.call_error import CallError
from optigpu.runtime.compilers import c_compiler
from optigpu.runtime.driver import Driver
from optigpu.runtime.standin import compile_standin

KERNEL = re.compile(r'extern "C" __global__ void(?: __launch_bounds__\([^)]*\))? (\w+)\((.*?)\) \{', re.DOTALL)
NVRTC = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char source[1 << 20], options[1000], log_[100];
int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }
const char* nvrtcGetErrorString(int status) { return status == 6 ? "NVRTC_ERROR_COMPILATION" : "?"; }
int nvrtcCreateProgram(void** p, const char* text, const char* name, int n, void* a, void* b) {
  strncpy(source, text, sizeof source - 1); *p = source; return 0;
}
int nvrtcCompileProgram(void* p, int n, const char** given) {
  FILE* f = fopen("COUNT", "a"); fputc('x', f); fclose(f);
  options[0] = 0;
  for (int i = 0; i < n; i++) { strcat(options, given[i]); strcat(options, " "); }
  if (strstr(source, "#error")) { strcpy(log_, "emitted.cu(1): error: told to"); return 6; }
  return 0;
}
int nvrtcGetProgramLogSize(void* p, size_t* n) { *n = strlen(log_) + 1; return 0; }
int nvrtcGetProgramLog(void* p, char* out) { strcpy(out, log_); return 0; }
int nvrtcGetCUBINSize(void* p, size_t* n) { *n = strlen(options); return 0; }
int nvrtcGetCUBIN(void* p, char* out) { memcpy(out, options, strlen(options)); return 0; }
int nvrtcDestroyProgram(void** p) { *p = 0; return 0; }
"""


def make_nvrtc(folder: Path, more: str = "") -> Path:
    """A library with NVRTC's functions, and `more`. Its code is the text of the options; `count` grows by one with each
    compilation."""
    source, library = folder / "nvrtc.c", folder / "libnvrtc.so"
    source.write_text(NVRTC.replace("COUNT", str(folder / "count")) + more, encoding="utf-8")
    subprocess.run([c_compiler() or "cc", "-shared", "-fPIC", "-w", "-o", str(library), str(source)], check=True)
    return library


class StandinDriver(Driver):
    """Device memory is host memory; a module is the text of its kernels."""

    def __init__(self) -> None:
        self.memory: dict[int, Any] = {}
        self.launches: list[tuple[tuple[int, ...], tuple[int, ...], int]] = []

    @contextmanager
    def current(self) -> Iterator[None]:
        yield

    def allocate(self, nbytes: int) -> int:
        array = np.full(nbytes + 64, 0xFF, np.uint8)  # NaNs
        pointer = int(array.ctypes.data + 63) // 64 * 64 if nbytes else 0
        self.memory[pointer] = array
        return pointer

    def free(self, pointer: int) -> None:
        del self.memory[pointer]

    def scratch(self, nbytes: int, stream: int) -> int:
        return self.allocate(nbytes)

    def free_scratch(self, pointer: int, stream: int) -> None:
        self.free(pointer)

    def copy_in(self, device: int, host: int, nbytes: int) -> None:
        ctypes.memmove(device, host, nbytes)

    def copy_out(self, host: int, device: int, nbytes: int) -> None:
        ctypes.memmove(host, device, nbytes)

    def copy(self, to: int, source: int, nbytes: int, stream: int) -> None:
        ctypes.memmove(to, source, nbytes)

    def synchronize(self) -> None:
        pass

    def load(self, image: bytes) -> Any:
        return ctypes.CDLL(str(compile_standin(with_entries(image.decode()))))

    def function(self, module: Any, name: str) -> Any:
        run = module[f"run_{name}"]
        run.restype = ctypes.c_char_p
        return run

    def launch(
        self,
        function: Any,
        grid: Sequence[int],
        block: Sequence[int],
        shared_bytes: int,
        stream: int,
        args: Sequence[Any],
    ) -> None:
        self.launches.append((tuple(grid), tuple(block), shared_bytes))
        pointers = (ctypes.c_void_p * max(1, len(args)))(*(ctypes.addressof(a) for a in args))
        sizes = [ctypes.c_uint(n) for d in (grid, block) for n in (*d, 1, 1)[:3]]
        message = function(*sizes, ctypes.c_size_t(shared_bytes), pointers)
        if message is not None:
            raise CallError(message.decode())


def with_entries(kernels: str) -> str:
    """Beside each kernel a function that launches it with arguments by address, as the driver does."""
    out = ["#include <cuda_runtime.h>", kernels, "using namespace program;"]
    for name, params in KERNEL.findall(kernels):
        types = [p.strip().rsplit(" ", 1)[0].replace("__restrict__", "") for p in params.split(",") if p.strip()]
        args = ", ".join(f"*({t}*)args[{i}]" for i, t in enumerate(types))
        out.append(
            f'extern "C" const char* run_{name}(unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, '
            f"size_t shared, void** args) {{\n  {name}<<<dim3(gx, gy, gz), dim3(bx, by, bz), shared, 0>>>({args});\n"
            "  const cudaError_t status = cudaGetLastError();\n  return status ? cudaGetErrorString(status) : nullptr;\n}"
        )
    return "\n".join(out)
