"""Copies of tiles beside the finite model, and pipelined loops beside all runs in which the first part runs ahead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random
from typing import Any
from unittest.mock import patch

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.kernel import Rejected, State, pipeline_rules
from optigpu.kernel import instructions as kc
from optigpu.kernel.context import PendingRead, everyone
from optigpu.kernel.fragment_rules import tile_cells
from optigpu.kernel.pipeline_rules import within_sizes
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, LENT, READ, CellClaim, Owner, box
from optigpu.logic.terms import FALSE, INT, ONE, REAL, TRUE, ZERO
from tests.support.fragment_models import NUMBERS, PAIR, array, family_of, found, with_family
from tests.support.model import Cell, Misbehaved, Permissions, must_allow, permissions
from tests.support.model_runs import B0, B1, TWO, Counting, m, n

# Copies of tiles -------------------------------------------------------------------------------------------------------------

THREADS = 2
NOBODY = -1


def warps_of_one_thread() -> Any:
    """A block of two threads has more than a warp of them."""
    return patch.object(pipeline_rules, "WARP", 1)


HEIGHT, WIDTH = 2, 2  # of a tile
PLACE = k.var("p", INT)  # where the tile begins
A = k.var("A", PAIR)


def copying_state(r: Random, i: kc.CopyTile) -> tuple[Counting, State]:
    """A block of two threads that holds a tile and a matrix of n rows and m columns, at random not as a copy needs it."""
    params = (*(kc.Parameter(x, INT) for x in ("n", "m", "p")), kc.Parameter("a", REAL, (n, m), "GMem"))
    small = (k.and_(k.le(ZERO, x), k.le(x, TWO)) for x in (n, m))
    facts = (*small, k.le(k.num(-2), PLACE), k.le(PLACE, TWO))
    claim = CellClaim(box("a", (n, m)), KNOWN, k.app(A, B1, B0))
    code = (kc.LaunchKernel(ONE, k.num(THREADS), k.num(64)), kc.Phase("threads"), array("t", "SMem", HEIGHT, WIDTH), i)
    kernel = Counting(kc.Procedure("f", params, kc.ProcedureContract((), facts, (claim,), (), ()), code))
    state = kernel.allocate(kernel.phase(kernel.launch(kernel.begin("f", ((B1, B0),)))))

    def sometimes(value: Any, *others: Any) -> Any:
        return r.choice(others) if r.random() < 0.06 else value

    owners = Owner(B0, ONE), Owner(ZERO, ONE), Owner(ZERO, ZERO), Owner(B1, ONE)
    state = with_family(
        state,
        "t",
        owner=sometimes(None, *owners, everyone(state.context)),
        share=sometimes(FULL, READ, LENT),
        init=r.choice([TRUE, FALSE, k.lt(B0, ONE)]),
        value=k.app(NUMBERS["C"], B1, B0),
    )
    init = sometimes(TRUE, FALSE, k.lt(B0, ONE), k.lt(ZERO, B1))
    state = with_family(state, "a", owner=sometimes(None, *owners), share=r.choice([FULL, READ, LENT]), init=init)
    reads = sometimes((), *((PendingRead(family_of(state, base), box(base, sizes), Owner(ZERO, ONE)),)
                            for base, sizes in (("t", (TWO, TWO)), ("t", (ONE, ONE)), ("a", (n, m)))))  # fmt: skip
    return kernel, changed(state, pending_reads=reads)


def copied(p: Permissions, i: kc.CopyTile, env: dict[str, int]) -> set[Cell]:
    """What a copy does. While it is under way, its target belongs to nobody; returns the cells that it reads."""
    everybody, source = set(range(THREADS)), set[Cell]()
    row, col = (env["p"] if t is PLACE else t.data for t in (i.source.row, i.source.col))
    sizes = [env[str(t.data)] if t.free else t.data for t in i.sizes]
    for x, y in product(range(HEIGHT), range(WIDTH)):
        target = ("t", (i.target.row.data + x, i.target.col.data + y))
        if target not in p.full or p.owners[target] != everybody:
            raise Misbehaved(f"the block may not write {target}")
        if any(cell == target for cell, _ in p.readers):
            raise Misbehaved(f"{target} may still be read")
        value: Any = 0
        if 0 <= row + x < sizes[0] and 0 <= col + y < sizes[1]:
            cell = ("a", (row + x, col + y))
            value = {**p.full, **p.lent}.get(cell)
            if value is None or p.owners[cell] != everybody:
                raise Misbehaved(f"the block may not read {cell}")
            source.add(cell)
        p.full[target], p.owners[target] = value, {NOBODY}
    return source


def copying(r: Random, change_rule: Callable[[Counting], None] = lambda kernel: None) -> Counter[str]:
    """A copy of a tile, from places inside and outside of the matrix, by a block that may not always do that."""

    def one(*values: Any) -> Any:
        return r.choice([*values[:1] * 15, *values])

    i = kc.CopyTile(
        kc.TileView("t", (), one(ZERO, ONE), one(ZERO, ONE)),
        kc.TileView("a", (), r.choice([PLACE, ZERO, ONE]), r.choice([ZERO, PLACE, k.num(-1)])),
        k.num(HEIGHT), k.num(WIDTH), one((n, m), (m, n), (TWO, m)),
    )  # fmt: skip
    kernel, state = copying_state(r, i)
    change_rule(kernel)
    target, inner = tile_cells(i.target, i.rows, i.cols), tile_cells(i.source, i.rows, i.cols)
    inner = replace(inner, where=within_sizes(inner, i.sizes))
    try:
        with warps_of_one_thread():
            after = kernel.copy_tile(state, found(r, state, target, True), found(r, state, inner))
    except Rejected:
        return kernel.accepted
    for height, width, place in product(range(3), range(3), range(-2, 3)):
        env: dict[str, Any] = {
            "n": height, "m": width, "p": place, "nowhere#0": NOBODY,
            "A": lambda i, j: 1 + 10 * i + j, "C": lambda i, j: 70 + 10 * i + j,
        }  # fmt: skip
        p, claimed = permissions(state, env), permissions(after, env)
        source = copied(p, i, env)
        must_allow(claimed, p)
        for cell in source:  # no single thread may take for itself what is being read
            assert {t for c, t in claimed.readers if c == cell} not in [set(), *({t} for t in range(THREADS))]
    return kernel.accepted


# Pipelined loops -------------------------------------------------------------------------------------------------------------

Memory = dict[Any, int]
Step = Callable[[Memory, int, int], None]  # memory, iteration, stage


@dataclass(frozen=True)
class Statement:
    """A statement of a pipelined loop: its text, and what it does, for both threads of the block."""

    text: str
    step: Step = field(compare=False)


def each_thread(
    text: str, target: Callable[[int, int, int], Any], value: Callable[[Memory, int, int, int], int]
) -> Statement:
    """`thread for (int t ...) text`: target and value for iteration, stage and thread; both threads read before one writes."""

    def step(memory: Memory, v: int, stage: int) -> None:
        values = [value(memory, v, stage, t) for t in range(2)]
        for t in range(2):
            memory[target(v, stage, t)] = values[t]

    return Statement(f"thread for (int t = 0; t < 2; t++) {text}", step)


def _copy(memory: Memory, v: int, stage: int) -> None:
    for t in range(2):
        memory["s", stage, t] = memory["a", v, t]


AHEAD = (
    Statement("tile_load(s, a, k, 0);", _copy),
    each_thread("s[0][t] = a[k][t];", lambda v, s, t: ("s", s, t), lambda M, v, s, t: M["a", v, t]),
    each_thread("s[0][t] = a[k][1 - t];", lambda v, s, t: ("s", s, t), lambda M, v, s, t: M["a", v, 1 - t]),
    each_thread("s[0][t] = a[2 - k][t] + g[1 - t];", lambda v, s, t: ("s", s, t),
                lambda M, v, s, t: M["a", 2 - v, t] + M["g", 1 - t]),
)  # fmt: skip
WRONG_AHEAD = (
    each_thread("s[0][t] = u[t];", lambda v, s, t: ("s", s, t), lambda M, v, s, t: M["u", t]),
    each_thread("s[0][t] = d[k][t];", lambda v, s, t: ("s", s, t), lambda M, v, s, t: M["d", v, t]),
    each_thread("s[0][t] = x[DMINDEX1(2, t)];", lambda v, s, t: ("s", s, t), lambda M, v, s, t: M["x", t]),
    each_thread("u[t] = a[k][t];", lambda v, s, t: ("u", t), lambda M, v, s, t: M["a", v, t]),
    each_thread("d[k][t] = a[k][t];", lambda v, s, t: ("d", v, t), lambda M, v, s, t: M["a", v, t]),
    each_thread("x[DMINDEX1(2, t)] += 1.0f;", lambda v, s, t: ("x", t), lambda M, v, s, t: M["x", t] + 1),
)
REST = (
    each_thread("x[DMINDEX1(2, t)] += s[0][t];", lambda v, s, t: ("x", t), lambda M, v, s, t: M["x", t] + M["s", s, t]),
    each_thread("x[DMINDEX1(2, t)] = 2.0f * x[DMINDEX1(2, t)] + s[0][1 - t];", lambda v, s, t: ("x", t),
                lambda M, v, s, t: 2 * M["x", t] + M["s", s, 1 - t]),
    each_thread("d[k][t] = s[0][1 - t];", lambda v, s, t: ("d", v, t), lambda M, v, s, t: M["s", s, 1 - t]),
    each_thread("d[k][t] += x[DMINDEX1(2, t)];", lambda v, s, t: ("d", v, t), lambda M, v, s, t: M["d", v, t] + M["x", t]),
    each_thread("u[t] += x[DMINDEX1(2, t)];", lambda v, s, t: ("u", t), lambda M, v, s, t: M["u", t] + M["x", t]),
)  # fmt: skip
WRONG_REST = (
    each_thread("s[0][t] = 0.0f;", lambda v, s, t: ("s", s, t), lambda M, v, s, t: 0),
    each_thread("s[0][t] += 1.0f;", lambda v, s, t: ("s", s, t), lambda M, v, s, t: M["s", s, t] + 1),
)


@dataclass(frozen=True)
class PipelinedProgram:
    stages: int
    iterations: int
    ahead: tuple[Statement, ...]
    rest: tuple[Statement, ...]

    def text(self) -> str:
        ahead, rest = ("".join(f"      {s.text}\n" for s in part) for part in (self.ahead, self.rest))
        return f"""#include <optigpu.h>
void f(float a[3][2], float d[3][2]) {{
  __reads("a ~> Cells2Of(3, 2, GMem)");
  __preserves("d ~> Cells2Of(3, 2, GMem)");
  kernel_launch(1, 2, 64);
  kernel_setup_end();
  thread for (int b = 0; b < 1; b++) {{
    __shared__ float u[2];
    __shared__ float g[2];
    float* const x = __treg_malloc0<float>();
    thread for (int t = 0; t < 2; t++) {{ u[t] = 1.0f; g[t] = 2.0f; x[DMINDEX1(2, t)] = 3.0f; }}
    blocksync();
#pragma pipeline {self.stages}
    for (int k = 0; k < {self.iterations}; k++) {{
      __shared__ float s[1][2];
{ahead}      pipeline_wait();
{rest}    }}
    thread for (int t = 0; t < 2; t++) d[0][t] = x[DMINDEX1(2, t)] + u[t];
  }}
  kernel_teardown_begin();
  kernel_kill();
}}
"""

    def verified(self) -> bool:
        with warps_of_one_thread():
            return Verifier().verify(parse_text(self.text(), "pipelined.c")).verified

    def orders(self) -> Iterator[list[tuple[Statement, int]]]:
        """All orders of the statements: those of each part in sequence, the first part at most stages - 1 iterations ahead."""
        first = [(s, v, "ahead") for v in range(self.iterations) for s in self.ahead]
        second = [(s, v, "rest") for v in range(self.iterations) for s in self.rest]

        def go(i: int, j: int, done: list[tuple[Statement, int]]) -> Iterator[list[tuple[Statement, int]]]:
            if i == len(first) and j == len(second):
                yield done
                return
            used = j // len(self.rest)  # iterations whose rest has ended
            if i < len(first) and first[i][1] < used + self.stages:
                yield from go(i + 1, j, [*done, first[i][:2]])
            if j < len(second) and i >= (second[j][1] + 1) * len(self.ahead):
                yield from go(i, j + 1, [*done, second[j][:2]])

        yield from go(0, 0, [])

    def run(self, order: list[tuple[Statement, int]], stages: int) -> Memory:
        memory: Memory = {("a", v, t): 3 + 5 * v + 2 * t for v in range(3) for t in range(2)}
        memory |= {("d", v, t): 40 + v + 7 * t for v in range(3) for t in range(2)}
        memory |= {(name, t): start for name, start in (("u", 1), ("g", 2), ("x", 3)) for t in range(2)}
        memory |= {("s", stage, t): 0 for stage in range(stages) for t in range(2)}
        for s, v in order:
            s.step(memory, v, v % stages)
        return {cell: value for cell, value in memory.items() if cell[0] != "s"}

    def wrong_order(self) -> list[tuple[Statement, int]] | None:
        """An order in which the results are others than those of the program."""
        sequence = [(s, v) for v in range(self.iterations) for s in (*self.ahead, *self.rest)]
        right = self.run(sequence, self.stages)
        return next((order for order in self.orders() if self.run(order, self.stages) != right), None)


def random_pipeline(r: Random) -> PipelinedProgram:
    """A statement fills the tile; at random others do what only the other part of the body may do."""
    ahead = [r.choice(AHEAD)]
    if r.random() < 0.5:
        at = r.randint(0, 1)
        ahead[at:at] = [r.choice(WRONG_AHEAD)]
    rest = [r.choice(REST) for _ in range(r.randint(1, 2))]
    if r.random() < 0.15:
        rest.insert(r.randint(0, len(rest)), r.choice(WRONG_REST))
    return PipelinedProgram(r.randint(1, 3), r.choice([0, 1, 3, 3, 3]), tuple(ahead), tuple(rest))


def pipelines(r: Random) -> Counter[str]:
    """What is verified computes the results of the sequential loop in whatever order the parts run."""
    program = random_pipeline(r)
    if not program.verified():
        return Counter()
    assert program.wrong_order() is None, program.text()
    return Counter({"await_stage": 1})
