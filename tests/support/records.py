"""Records of scripts, made from the texts of programs, for tests of what shows them."""

from __future__ import annotations

import time
from functools import cache

from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.interp.refute import refute
from optigpu.script.step import Record, Step
from optigpu.syntax.program import Program, TopLevel

COPY = """#include <optigpu.h>
void copy(int n, float a[n], float b[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("b ~> Matrix1(n, A)");
  for (int i = 0; i < n; i++) {
    b[i] = a[i];
  }
}
"""
HEAD = """#include <optigpu.h>
void transpose(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float, W % 32 == 0, H % 32 == 0");
  __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))");
"""
PLAIN = "  for (int x = 0; x < W; x++)\n    for (int y = 0; y < H; y++)\n      b[x][y] = a[y][x];\n}\n"
TILE_X = """  for (int bx = 0; bx < exact_div(W, 32); bx++)
    for (int x = 0; x < 32; x++)
      for (int y = 0; y < H; y++)
        b[32 * bx + x][y] = a[y][32 * bx + x];
}
"""
TILE_Y = """  for (int bx = 0; bx < exact_div(W, 32); bx++)
    for (int x = 0; x < 32; x++)
      for (int by = 0; by < exact_div(H, 32); by++)
        for (int y = 0; y < 32; y++)
          b[32 * bx + x][32 * by + y] = a[32 * by + y][32 * bx + x];
}
"""
REORDER = """  for (int by = 0; by < exact_div(H, 32); by++)
    for (int bx = 0; bx < exact_div(W, 32); bx++)
      for (int x = 0; x < 32; x++)
        for (int y = 0; y < 32; y++)
          b[32 * bx + x][32 * by + y] = a[32 * by + y][32 * bx + x];
}
"""
STAGE = """  for (int by = 0; by < exact_div(H, 32); by++)
    for (int bx = 0; bx < exact_div(W, 32); bx++) {
      float tile[32][32];
      for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
          tile[y][x] = a[32 * by + y][32 * bx + x];
      for (int x = 0; x < 32; x++)
        for (int y = 0; y < 32; y++)
          b[32 * bx + x][32 * by + y] = tile[y][x];
    }
}
"""
PARALLEL = STAGE.replace("  for (int by", "#pragma omp parallel for\n  for (int by", 1)
WRONG = PARALLEL.replace("= tile[y][x]", "= tile[y][x + 1]")
SCRIPT = """import optigpu as og

s = og.Script("transpose.c")  # parsed, verified
s.loop.tile("x", 32, outer="bx", tail="divides")
s.loop.tile("y", 32, outer="by", tail="divides")
s.loop.reorder("by", "bx", "x", "y")
with s.phase("fast memory"):
    s.matrix.stage("a", at="x", name="tile")
    with s.phase("threads"):
        s.loop.parallel("by")
s.accesses.shift_var("tile", 1)
s.emit("out/transpose.c")
"""
STEPS = [
    (3, "transpose.c", (), PLAIN),
    (4, 'loop.tile("x", 32, outer="bx", tail="divides")', (), TILE_X),
    (5, 'loop.tile("y", 32, outer="by", tail="divides")', (), TILE_Y),
    (6, 'loop.reorder("by", "bx", "x", "y")', (), REORDER),
    (8, 'matrix.stage("a", at="x", name="tile")', ("fast memory",), STAGE),
    (10, 'loop.parallel("by")', ("fast memory", "threads"), PARALLEL),
    (11, 'accesses.shift_var("tile", 1)', (), WRONG),
]


def transpose_record(rejected: bool = True) -> Record:
    """Five good steps, two of them in phases (the first of which is not checked on its own), and if asked for a wrong one."""
    verifier = Verifier(Settings(points=True, refuter=refute))
    steps: list[Step] = []
    for number, (line, title, phase, body) in enumerate(STEPS if rejected else STEPS[:-1]):
        program = parse_text(HEAD + body, "transpose.c")
        start = time.perf_counter()
        result = None if phase == ("fast memory",) else verifier.verify(program)
        seconds = time.perf_counter() - start
        error = next((f.problem for f in result.functions if f.problem is not None), None) if result else None
        before = steps[-1].after if steps else program
        source = SCRIPT.split("\n")[line - 1]
        steps.append(Step(number, title, "transpose.py", line, source, phase, before, program, result, seconds, error))
    return Record("transpose", SCRIPT, tuple(steps))


def large_record(count: int = 100, loops: int = 32) -> Record:
    """Many steps of a program of about two hundred lines, each step changing a part of it."""
    verifier = Verifier(Settings(points=True))
    steps: list[Step] = []
    script = ["import optigpu as og", 's = og.Script("many.c")']

    @cache  # as a script does it: what a step does not change stays what it is
    def item(text: str) -> TopLevel:
        return parse_text(text, "many.c").items[0]

    for number in range(count):
        tiled = {(7 * n) % loops for n in range(number)}
        shift = {n % loops for n in range(loops, number)}
        program = Program("many.c", tuple(item(text) for text in many_loops(loops, tiled, shift)))
        start = time.perf_counter()
        result = verifier.verify(program)
        assert result.verified
        seconds = time.perf_counter() - start
        title = f'loop.tile("i{7 * number % loops}", 4)' if number else "many.c"
        script.append(f"s.{title}")
        before = steps[-1].after if steps else program
        phase = (f"part {number // 10}",) if number else ()
        steps.append(Step(number, title, "many.py", number + 2, script[-1], phase, before, program, result, seconds))
    return Record("many", "\n".join(script) + "\n", tuple(steps))


def many_loops(loops: int, tiled: set[int], shifted: set[int], per: int = 4) -> list[str]:
    """The texts of the functions."""
    functions: list[str] = []
    for f in range(0, loops, per):
        out = [f"void part{f}(int n, int m, float a[n], float b[n]) {{"]
        out.append('  __requires("A: int -> float, n == 4 * m");\n  __reads("a ~> Matrix1(n, A)");')
        out.append(f'  __writes("b ~> Matrix1(n, fun i -> A(i) + {min(per, loops - f)})");')
        out.append("  for (int i = 0; i < n; i++) {\n    b[i] = a[i];\n  }")
        for k in range(f, min(f + per, loops)):
            one = "1 + 0" if k in shifted else "1"
            if k in tiled:
                out.append(f"  for (int t{k} = 0; t{k} < m; t{k}++) {{\n    for (int i{k} = 0; i{k} < 4; i{k}++) {{")
                out.append(f"      b[4 * t{k} + i{k}] = b[4 * t{k} + i{k}] + {one};\n    }}\n  }}")
            else:
                out.append(f"  for (int i{k} = 0; i{k} < n; i{k}++) {{\n    b[i{k}] = b[i{k}] + {one};\n  }}")
        functions.append("\n".join([*out, "}\n"]))
    return functions
