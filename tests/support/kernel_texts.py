"""Texts of kernels, made from the code of a block."""

from __future__ import annotations

from textwrap import dedent, indent


def rows(
    body: str,
    result: str = "A(b, t)",
    *,
    threads: int = 8,
    shared: str = "0",
    setup: str = "",
    teardown: str = "",
    before: str = "",
) -> str:
    """A function that runs `body` for each row b, with a block of `threads` threads."""

    def at(text: str, depth: int) -> str:
        return indent(dedent(text).strip("\n") + "\n", "  " * depth) if text else ""

    return (
        at(before, 0)
        + f"""void f(int B, float h[B][{threads}]) {{
  __requires("A: int * int -> float, B_pos: B >= 0");
  __consumes("h ~> Matrix2(B, {threads}, A)");
  __produces("h ~> Matrix2(B, {threads}, fun b t -> {result})");
  float* const d = __gmem_malloc2<float>(B, {threads});
  memcpy_host_to_device2(d, h, B, {threads});
  kernel_launch(B, {threads}, {shared});
{at(setup, 1)}  kernel_setup_end();
  thread for (int b = 0; b < B; b++) {{
{at(body, 2)}  }}
  kernel_teardown_begin();
{at(teardown, 1)}  kernel_kill();
  memcpy_device_to_host2(h, d, B, {threads});
  gmem_free(d);
}}
"""
    )
