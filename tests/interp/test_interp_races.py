"""The race detector against its definition: random kernels, whose accesses are listed and compared pair by pair."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from optigpu.interp.inputs import Inputs
from optigpu.interp.runner import Runner
from optigpu.interp.testing import run_once
from tests.support.running import parse

BLOCKS, THREADS, CELLS = 2, 4, 8
INDICES = [
    "t",
    "t + 1",
    "(t + 1) % 4",
    "3 - t",
    "t / 2",
    "0",
    "t + 4 * b",
    "4 * b + 3 - t",
    "k",
    "t + k",
    "2 * t",
    "7 - t",
]


class Kernel:
    """A random kernel: its text, and who accesses which cell in which phase."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.accesses: dict[tuple[str, int], list[tuple[int, int, int, bool]]] = defaultdict(list)
        self.phase = 0
        self.lines = ["__shared__ float s[8];"]
        for half in (0, 4):
            self.lines.append(f"thread for (int t = 0; t < 4; t++) s[t + {half}] = 0.0f;")
        self.lines.append("blocksync();")
        for _ in range(self.random.randint(1, 3)):
            self.step(self.random.choice(["loop", "loop", "barrier", "repeat"]), "0", 0)

    def step(self, what: str, k: str, value: int) -> None:
        match what:
            case "barrier":
                self.lines.append("blocksync();")
                self.phase += 1
            case "loop":
                target, source = self.place(), self.place()
                guard = self.random.choice(["true", "t == 0", "t < 2", "b == 0", "t != 1"])
                to, at = (f"{a}[{i}]" for a, i in (target, source))
                self.lines.append(f"thread for (int t = 0; t < 4; t++) if ({guard}) {to} = {at};".replace("k", k))
                self.record(target, source, guard, value)
            case _:
                barrier_first = self.random.random() < 0.7
                target, source = self.place(), self.place()
                to, at = (f"{a}[{i}]" for a, i in (target, source))
                sync = "blocksync(); " if barrier_first else ""
                self.lines.append(
                    f"for (int k = 0; k < 2; k++) {{ {sync}thread for (int t = 0; t < 4; t++) {to} = {at}; }}"
                )
                for k_value in range(2):
                    self.phase += barrier_first
                    self.record(target, source, "true", k_value)

    def place(self) -> tuple[str, str]:
        return self.random.choice(["s", "d"]), self.random.choice(INDICES)

    def record(self, target: tuple[str, str], source: tuple[str, str], guard: str, k: int) -> None:
        for b in range(BLOCKS):
            for t in range(THREADS):
                names = {"t": t, "b": b, "k": k, "true": True}
                if eval(guard, {}, names):
                    for (name, index), write in ((source, False), (target, True)):
                        cell = eval(index.replace("/", "//"), {}, names)
                        array = name if name == "d" else f"s{b}"
                        self.accesses[array, cell].append((self.phase, b, t, write))

    def has_race(self) -> bool:
        """Two threads touch a cell, one of them writing, in different blocks or without a barrier between."""
        return any(
            (b1, t1) != (b2, t2) and (w1 or w2) and (b1 != b2 or p1 == p2)
            for accesses in self.accesses.values()
            for p1, b1, t1, w1 in accesses
            for p2, b2, t2, w2 in accesses
        )

    def text(self) -> str:
        body = "\n    ".join(self.lines)
        return f"""void f(float h[8]) {{
  float* const d = __gmem_malloc1<float>(8);
  memcpy_host_to_device1(d, h, 8);
  kernel_launch({BLOCKS}, {THREADS}, 8 * sizeof(float));
  kernel_setup_end();
  thread for (int b = 0; b < {BLOCKS}; b++) {{
    {body}
  }}
  kernel_teardown_begin();
  kernel_kill();
  gmem_free(d);
}}"""


@pytest.mark.parametrize("part", range(4))
def test_races_are_exactly_the_unordered_pairs(part: int) -> None:
    racy = 0
    for seed in range(60 * part, 60 * part + 60):
        kernel = Kernel(seed)
        program = parse(kernel.text())
        for schedule in range(2):
            outcome = run_once(
                Runner(program), program.function("f"), Inputs({}, {"h": (8,)}, {"h": [1] * 8}), schedule
            )
            code = None if outcome is None else outcome.misbehaviour.code
            assert code == ("OG210" if kernel.has_race() else None), kernel.text()
        racy += kernel.has_race()
    assert 5 < racy < 55
