"""Random kernels on default memory: thread loops, magic loops, groups that act as one, and barriers between them or not."""

from __future__ import annotations

from random import Random

SIZE = 8  # of the arrays


def random_kernel(seed: int) -> str:
    """A kernel of a few statements, most of them on cells that exist; whether it races is for others to find out."""
    return _Kernel(Random(seed)).text()


class _Kernel:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.names = 0
        self.arrays = ["a", "a", "b"]

    def text(self) -> str:
        grid, block = self.random.choice(((1, 4), (2, 2), (2, 4), (1, 8), (1, 1)))
        body = self.body(grid * block, block, (), 3, False)
        return f"""#include <optigpu.h>
void f(float a[{SIZE}], float b[{SIZE}]) {{
  __consumes("a ~> Cells1({SIZE})");
  __produces("a ~> Cells1({SIZE})");
  __consumes("b ~> Cells1({SIZE})");
  __produces("b ~> Cells1({SIZE})");
  float* const d = __gmem_malloc1<float>({SIZE});
  memcpy_host_to_device1(d, a, {SIZE});
  kernel_launch({grid}, {block}, 0);
  kernel_setup_end();
{body}
  kernel_teardown_begin();
  kernel_kill();
  gmem_free(d);
}}
"""

    def body(self, threads: int, block: int, indices: tuple[tuple[str, int], ...], depth: int, magic: bool) -> str:
        count = self.random.randint(1, 3 if depth > 1 else 2)
        if depth < 2 or self.random.random() < 0.8:
            return "\n".join(self.statement(threads, block, indices, depth, magic) for _ in range(count))
        self.names += 1
        own = f"t{self.names}"
        self.arrays.append(own)
        inner = "\n".join(self.statement(threads, block, indices, depth, magic) for _ in range(count))
        self.arrays.pop()
        barrier = "magic_barrier();\n" if self.random.random() < 0.8 else ""
        fill = f"for (int q = 0; q < {SIZE}; q++) {own}[q] = 0.0f;"
        return f"float* const {own} = MALLOC1(float, {SIZE});\n{fill}\n{inner}\n{barrier}free({own});"

    def statement(self, threads: int, block: int, indices: tuple[tuple[str, int], ...], depth: int, magic: bool) -> str:
        r = self.random
        kinds = ["store", "store", "barrier"]
        if depth > 0:
            kinds += ["magic", "sequential", "if"] + ([] if magic else ["thread", "thread", "thread"])
        if not magic:
            kinds += ["blocksync"] if threads == block else []
            kinds += ["global"] if threads == 1 else []
        match r.choice(kinds):
            case "store":
                return f"{self.cell(indices)} = {self.cell(indices)} + 1.0f;"
            case "global":
                return f"d[{self.index(indices)}] = {self.cell(indices)};"
            case "barrier":
                return "magic_barrier();"
            case "blocksync":
                return "blocksync();"
            case "if":
                name, _ = r.choice(indices) if indices else ("0", 1)
                return (
                    f"if ({name} == {r.randint(0, 1)}) {{\n{self.body(threads, block, indices, depth - 1, magic)}\n}}"
                )
            case kind:
                return self.loop(kind, threads, block, indices, depth, magic)

    def loop(
        self, kind: str, threads: int, block: int, indices: tuple[tuple[str, int], ...], depth: int, magic: bool
    ) -> str:
        self.names += 1
        name = f"i{self.names}"
        extent = self.random.choice([n for n in range(1, 9) if kind != "thread" or threads % n == 0])
        inner = threads // extent if kind == "thread" else threads
        word = {"thread": "thread for", "magic": "magic thread for"}.get(kind, "for")
        body = self.body(inner, block, (*indices, (name, extent)), depth - 1, magic or kind == "magic")
        return f"{word} (int {name} = 0; {name} < {extent}; {name}++) {{\n{body}\n}}"

    def cell(self, indices: tuple[tuple[str, int], ...]) -> str:
        return f"{self.random.choice(self.arrays)}[{self.index(indices)}]"

    def index(self, indices: tuple[tuple[str, int], ...]) -> str:
        r = self.random
        if not indices or r.random() < 0.15:
            return str(r.randrange(SIZE))
        name, extent = indices[-1] if r.random() < 0.7 else r.choice(indices)
        match r.randrange(4):
            case 0 if len(indices) > 1:
                outer, size = r.choice(indices[:-1])
                return f"{outer} * {extent} + {name}" if size * extent <= SIZE else name
            case 1:
                return f"{extent - 1} - {name}"
            case 2 if extent < SIZE:
                return f"{name} + {r.randrange(SIZE - extent + 1)}"
            case _:
                return name
