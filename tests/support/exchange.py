"""Kernels whose threads exchange data (`tests/programs/exchange`), and what must be left of the exchange in compiled code.

Each program says so in a line `// PTX:`, one part for each kernel, divided by `;`. The accesses it names stand in the PTX in this
order, between as many barriers: `|` is one of the block, `/` one of the warp, `( … )+` what a loop repeats, in the text or when it
runs. Loads by way of the cache for data that is never written (`ld.global.nc`) do not count: they may see old values.
"""

from __future__ import annotations

import re
import runpy
import subprocess
import tempfile
from pathlib import Path

from optigpu.codegen.cuda import CudaUnit, emit_cuda
from optigpu.frontend import parse_file
from optigpu.runtime.nvcc import nvcc
from optigpu.syntax.program import Program

FOLDER = Path(__file__).resolve().parent.parent / "programs" / "exchange"
EXCHANGES = sorted(FOLDER.glob("*.c"))
FLAGS = ("-O3", "-std=c++17", "-arch=sm_90", "-ptx")
OPERATION = re.compile(
    r"^\s*(?:@!?%p\d+\s+)?(?:(?P<access>ld|st)\.(?P<space>global|shared)(?P<cached>\.nc)?"
    r"|(?P<block>bar(?:rier)?\.sync)|(?P<warp>bar\.warp\.sync)|(?P<shuffle>shfl\.sync))",
    re.MULTILINE,
)


def exchange(path: Path) -> Program:
    """The program, or what the script beside it makes of it."""
    script = path.with_suffix(".py")
    if script.exists():
        made: Program = runpy.run_path(str(script))["s"].program
        return made
    return parse_file(path)


def expected(path: Path) -> list[str]:
    """What the program says of each of its kernels."""
    (ptx,) = re.findall(r"^// PTX: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return [part.strip() for part in ptx.split(";")]


def device_code(units: list[CudaUnit]) -> str:
    """The kernels of several programs as one text; functions of the same name have namespaces of their own."""
    texts = [u.device_text.replace("namespace program {", f"namespace of_{u.name} {{", 1) for u in units]
    return "\n".join(texts)


def compiled(text: str) -> dict[str, str]:
    """The operations on memory, barriers and shuffles of each kernel, in the order of the PTX that nvcc makes at -O3."""
    with tempfile.TemporaryDirectory() as work:
        file, out = Path(work) / "kernels.cu", Path(work) / "kernels.ptx"
        file.write_text(text, encoding="utf-8")
        subprocess.run([nvcc() or "nvcc", *FLAGS, "-o", str(out), str(file)], check=True, capture_output=True)
        ptx = out.read_text(encoding="utf-8")
    instructions: dict[str, str] = {}
    for part in re.split(r"^\.visible \.entry |^\.entry ", ptx, flags=re.MULTILINE)[1:]:
        words = [word(m) for m in OPERATION.finditer(part)]
        instructions[part.split("(")[0].strip()] = " ".join(words)
    return instructions


def word(m: re.Match[str]) -> str:
    if m["access"]:
        return f"{m['access']}.{m['space']}{m['cached'] or ''}"
    return "|" if m["block"] else "/" if m["warp"] else "shfl"


def remains(wanted: str, operations: str) -> bool:
    """Whether the operations are those wanted, with others between them, but no other barriers."""
    others, parts = r"(?:[a-z.]+ )*?", []
    for w in wanted.split():
        match w:
            case "(":
                parts.append("(?:")
            case ")+":
                parts.append(")+")
            case _:
                parts.append(f"{others}{re.escape(w)} ")
    return re.fullmatch("".join(parts) + others, operations + " ") is not None


def promising(text: str) -> str:
    """The text with a promise that would be wrong: that each array of a kernel is accessed by its thread alone."""
    return re.sub(
        r"__global__ [^{]*\{", lambda m: re.sub(r"(?<=\*) (?!__restrict__)(?=\w)", " __restrict__ ", m[0]), text
    )


def unit_of(path: Path) -> CudaUnit:
    return emit_cuda(exchange(path))
