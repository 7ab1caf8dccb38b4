"""What the tables of GPU programs are made of: a right program, and wrong twins of it, each by one change.

`says` is the code that a run in the interpreter reports; `code` is the checker's, None where it is not settled.
"""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent, indent


@dataclass(frozen=True)
class GpuWrong:
    old: str
    new: str
    says: str
    code: str | None = None
    verdict: str = "REFUTED"


@dataclass(frozen=True)
class GpuPair:
    name: str
    good: str
    wrong: tuple[GpuWrong, ...]

    def twin(self, wrong: GpuWrong) -> str:
        assert self.good.count(wrong.old) == 1, f"{self.name}: {self.good.count(wrong.old)} times {wrong.old!r}"
        return self.good.replace(wrong.old, wrong.new)


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


SYNC = "blocksync();\n"
LAUNCH = "kernel_launch(B, 8, "
