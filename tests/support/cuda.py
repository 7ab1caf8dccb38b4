"""Emitting, building and running GPU programs in tests."""

from __future__ import annotations

from pathlib import Path

from optigpu.codegen.cuda import CudaUnit, emit_cuda
from optigpu.frontend import parse_file, parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.signature import signature_of
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.program import Program

GRID_OF_TWO_LOOPS = """
void f(int n, int m, float a[n][m]) {
  REQUIRES __consumes("a ~> Cells2(n, m)"); __produces("a ~> Cells2(n, m)");
  float* const d = __gmem_malloc2<float>(n, m);
  kernel_launch(n * m, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) { thread for (int j = 0; j < m; j++) { d[i][j] = 2.0f * i + j; } }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(a, d, n, m);
  gmem_free(d);
}"""
REVERSED_ROWS = """void f(int G, float d[G][4]) {
  __requires("D: int * int -> float, G >= 0");
  __consumes("d ~> Matrix2Of(G, 4, GMem, D)");
  __produces("d ~> Matrix2Of(G, 4, GMem, fun b t -> D(b, 3 - t))");
  kernel_launch(G, 4, 16);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __shared__ float s[4];
    thread for (int t = 0; t < 4; t++) s[t] = d[b][t];
    blocksync();
    thread for (int t = 0; t < 4; t++) d[b][t] = s[3 - t];
  }
  kernel_teardown_begin();
  kernel_kill();
}
"""


def parsed(source: str | Path) -> Program:
    return parse_file(source) if isinstance(source, Path) else parse_text(source, "test.c")


def emitted(source: str | Path) -> CudaUnit:
    return emit_cuda(parsed(source))


def on_standin(source: str | Path | Program, *, races: bool = True) -> CudaFunction:
    """The emitted text on the CPU, watched for races."""
    program = source if isinstance(source, Program) else parsed(source)
    unit = emit_cuda(program)
    f = without_constants(program, program.function(unit.name))
    types = effective_types(f)
    return CudaFunction(
        unit.text, signature_of(f, types), on_device=unit.on_device, alignment=unit.alignment, standin=True, races=races
    )


def kernel_text(source: str | Path, which: int = 0) -> str:
    """The text of one kernel alone."""
    parts = emitted(source).text.split("__global__ ")
    return parts[which + 1].split("\n}\n")[0] + "\n}\n"


def refused(source: str | Path) -> str:
    """The code and message with which emission is refused."""
    try:
        emitted(source)
    except InputError as e:
        return f"{e.diagnostic.code}: {e.diagnostic.message}"
    raise AssertionError("CUDA was emitted")


def one_kernel(
    body: str, *, grid: str = "B", block: str = "8", shared: str = "0", before: str = "", setup: str = ""
) -> str:
    """A function on `h[B][8]`, which is `d` on the device; `body` is the device code."""
    return f"""{before}
void f(int B, float h[B][8]) {{
  __requires("A: int * int -> float");
  __consumes("h ~> Matrix2(B, 8, A)");
  __produces("h ~> Cells2(B, 8)");
  float* const d = __gmem_malloc2<float>(B, 8);
  memcpy_host_to_device2(d, h, B, 8);
  kernel_launch({grid}, {block}, {shared});
  {setup}
  kernel_setup_end();
  {body}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host2(h, d, B, 8);
  gmem_free(d);
}}
"""
