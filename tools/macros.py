"""The macros of the headers that programs and emitted code include, by the compilers that are here.

`python tools/macros.py` prints those that `optigpu/syntax/header_macros.py` does not list yet; `--write` adds them to it. The list
only grows: other versions of the headers have others.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from optigpu.codegen.c import HEADERS  # noqa: E402
from optigpu.runtime.compilers import C_FLAGS, c_compiler  # noqa: E402
from optigpu.runtime.nvcc import NVCC_FLAGS, nvcc  # noqa: E402
from optigpu.runtime.standin import STANDIN_FLAGS, cxx_compiler  # noqa: E402
from optigpu.syntax.header_macros import MACROS, is_macro  # noqa: E402

TABLE = ROOT / "src" / "optigpu" / "syntax" / "header_macros.py"
C_HEADERS = (*HEADERS, "stddef.h", "optigpu.h")
DRIVER_HEADERS = ("cuda.h", "cudaTypedefs.h")  # which the stand-in has in its others
CUDA_HEADERS = (
    *("cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "atomic"),
    "initializer_list",
)
LINE = 130


def texts() -> list[str]:
    """What each compiler says of its macros, with the flags that we give it and with those that a user may."""
    out: list[str] = []
    with tempfile.TemporaryDirectory() as folder:

        def ask(suffix: str, headers: tuple[str, ...], *command: str) -> None:
            file = Path(folder) / f"headers{suffix}"
            file.write_text("".join(f"#include <{h}>\n" for h in headers), encoding="utf-8")
            done = subprocess.run([*command, str(file)], capture_output=True, text=True, check=True)
            out.append(done.stdout)

        include = f"-I{ROOT / 'src' / 'optigpu' / 'frontend' / 'include'}"
        if (c := c_compiler()) is not None:
            plain = [f for f in C_FLAGS if not f.startswith(("-shared", "-Wl"))]
            for flags in (plain, ["-fopenmp"]):
                ask(".c", C_HEADERS, c, *flags, include, "-dM", "-E")
        if (cxx := cxx_compiler()) is not None:
            own = f"-I{ROOT / 'src' / 'optigpu' / 'runtime' / 'standin'}"
            ask(".cpp", CUDA_HEADERS, cxx, *STANDIN_FLAGS, own, "-dM", "-E")
        if (cuda := nvcc()) is not None:
            flags = [f for f in NVCC_FLAGS if f != "-shared"]
            for more in ([], ["-D__CUDA_ARCH__=900"]):
                ask(".cu", (*CUDA_HEADERS, *DRIVER_HEADERS), cuda, *flags, *more, "-Xcompiler", "-dM", "-E")
    return out


def found() -> set[str]:
    return {name for text in texts() for name in re.findall(r"^#define (\w+)", text, re.MULTILINE)}


def missing() -> list[str]:
    """Those that the front end would let through. Of `<optigpu.h>`, the macros that are calls are built in."""
    calls = re.compile(r"min|max|abs|exact_div|(MSIZE|MINDEX|MALLOC)\d")
    return sorted(n for n in found() if not is_macro(n) and not calls.fullmatch(n))


def write(names: list[str]) -> None:
    lines, line = [], ""
    for name in sorted({*MACROS, *names}):
        if len(line) + len(name) >= LINE:
            lines.append(line)
            line = ""
        line += f" {name}" if line else name
    text = TABLE.read_text(encoding="utf-8")
    before, _, rest = text.partition('"""\\\n')
    _, _, after = rest.partition('"""')
    body = "\n".join([*lines, line])
    TABLE.write_text(f'{before}"""\\\n{body}\n"""{after}', encoding="utf-8")


if __name__ == "__main__":
    new = missing()
    print(" ".join(new) or "none is missing")
    if "--write" in sys.argv:
        write(new)
