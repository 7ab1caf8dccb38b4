"""Fragments, copies of tiles and pipelined loops in the interpreter: what it reports, and what it draws at random."""

from __future__ import annotations

from typing import Any

import pytest

from optigpu.interp.inputs import Inputs
from optigpu.interp.machine import Machine
from optigpu.interp.misbehaviour import Misbehaviour
from optigpu.interp.runner import Runner
from optigpu.interp.testing import run_once
from optigpu.interp.tile_model import FragmentLayout
from optigpu.syntax.program import Program
from tests.support.kernel_texts import rows
from tests.support.running import array, parse

SEEDS = range(8)
SHARED = "4096"


def program_of(body: str, threads: int, before: str = "", after: str = "") -> Program:
    """A kernel whose blocks of so many threads run this code. Nothing is promised of d but that it is written."""
    text = rows(body, threads=threads, shared=SHARED, setup=before, teardown=after)
    return parse(text.replace(f"Matrix2(B, {threads}, fun b t -> A(b, t))", f"Cells2(B, {threads})"))


def outcomes(body: str, *, threads: int = 64, before: str = "", after: str = "") -> list[Misbehaviour | None]:
    """How a block with this code ends, for each of several seeds. Row b of d has as many floats as the block has threads."""
    program = program_of(body, threads, before, after)
    inputs = Inputs({"B": 1}, {"h": (1, threads)}, {"h": [i % 7 - 3 for i in range(threads)]})
    failures = [run_once(Runner(program), program.function("f"), inputs, seed) for seed in SEEDS]
    return [None if f is None else f.misbehaviour for f in failures]


def codes(body: str, *, threads: int = 64, before: str = "", after: str = "") -> set[str | None]:
    return {None if m is None else m.code for m in outcomes(body, threads=threads, before=before, after=after)}


FILLED = """
__fragment__ float c[16][16];
frag for (int i = 0; i < 16; i++) frag for (int j = 0; j < 16; j++) c[i][j] = 1.0f;
"""
FACTORS = """
__shared__ bf16 s[16][16];
thread for (int t = 0; t < 32; t++) for (int n = 0; n < 8; n++) s[t / 2][8 * (t % 2) + n] = 1.0f;
blocksync();
"""


def in_a_pipeline(ahead: str, rest: str = "") -> str:
    """A pipelined loop that copies a tile, between other statements."""
    return f"""
__shared__ float u[64];
float* const x = __treg_malloc0<float>();
thread for (int t = 0; t < 64; t++) {{ u[t] = 1.0f; x[DMINDEX1(64, t)] = 0.0f; }}
#pragma pipeline 2
for (int k = 0; k < 3; k++) {{
  __shared__ float s[1][64];
  tile_load(s, d, b, 0);
  {ahead}
  pipeline_wait();
  {rest}
}}
"""


# What it reports -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body, threads",
    [
        (FILLED + FACTORS + "mma(c, s, s, 16);", 32),
        (FILLED + "__fragment__ float v[16]; frag for (int i = 0; i < 16; i++) v[i] = 0.0f; frag_row_max(v, c);", 32),
        (FILLED, 128),
        ("float* const c = __frag_malloc2<float>(2, 16, 8);", 64),
        ("float* const c = __frag_malloc2<float>(2, 16, 8);", 256),
        ("__shared__ float s[2][32]; tile_load(s, d, b, 0); blocksync();", 64),
        (in_a_pipeline("", "thread for (int t = 0; t < 64; t++) x[DMINDEX1(64, t)] += s[0][63 - t];"), 64),
    ],
)
def test_what_a_group_may_do_runs_clean(body: str, threads: int) -> None:
    assert codes(body, threads=threads) == {None}


@pytest.mark.parametrize(
    "body, threads",
    [
        ("__fragment__ float c[16][8];", 64),
        ("thread for (int t = 0; t < 64; t++) { __fragment__ float c[16][8]; }", 64),
        ("thread for (int w = 0; w < 4; w++) { __fragment__ float c[16][8]; }", 64),
        ("float* const c = __frag_malloc2<float>(1, 16, 8);", 64),
        ("float* const c = __frag_malloc1<float>(4, 16);", 64),
        ("frag for (int i = 0; i < 16; i++) d[b][i] = 0.0f;", 64),
        (FILLED + FACTORS + "thread for (int t = 0; t < 32; t++) mma(c, s, s, 16);", 32),
        (FILLED + "frag for (int i = 0; i < 16; i++) { __fragment__ float v[16]; }", 32),
        ("frag for (int i = 0; i < 2; i++) frag for (int j = 0; j < 2; j++) frag for (int q = 0; q < 2; q++) ;", 32),
        ("__shared__ float s[1][64]; thread for (int w = 0; w < 2; w++) tile_load(s, d, b, 0);", 64),
        (
            "thread for (int w = 0; w < 2; w++) {\n#pragma pipeline 2\nfor (int k = 0; k < 1; k++) pipeline_wait();\n}",
            64,
        ),
        (in_a_pipeline("", "").replace("pipeline_wait();", "thread for (int w = 0; w < 2; w++) pipeline_wait();"), 64),
    ],
)
def test_the_wrong_level_is_reported(body: str, threads: int) -> None:
    assert codes(body, threads=threads) == {"OG221"}


@pytest.mark.parametrize(
    "body, threads",
    [
        (FILLED + "frag for (int i = 0; i < 16; i++) frag for (int j = 0; j < 16; j++) c[i][15 - j] += 1.0f;", 32),
        (FILLED + "frag for (int i = 0; i < 16; i++) frag for (int j = 0; j < 16; j++) c[j][i] += 1.0f;", 32),
        (FILLED + "frag for (int i = 0; i < 16; i++) c[i][0] = 0.0f;", 32),
        (FILLED + "thread for (int t = 0; t < 32; t++) c[t / 2][8 * (t % 2)] = 0.0f;", 32),
        ("__fragment__ float v[16]; frag for (int i = 0; i < 16; i++) v[15 - i] = 0.0f;", 32),
        (
            "float* const c = __frag_malloc2<float>(2, 16, 8);"
            "thread for (int w = 0; w < 2; w++) frag for (int i = 0; i < 16; i++) frag for (int j = 0; j < 8; j++)"
            " c[DMINDEX1(2, 1 - w)][i][j] = 0.0f;",
            64,
        ),
    ],
)
def test_an_element_of_another_thread_is_reported(body: str, threads: int) -> None:
    """On some layout; on others the thread may have that element, too."""
    seen = codes(body, threads=threads)
    assert "OG224" in seen and seen <= {"OG224", None}


def test_a_fragment_of_another_group_is_reported() -> None:
    body = """
float* const c = __frag_malloc2<float>(2, 16, 16);
float* const v = __frag_malloc1<float>(2, 16);
thread for (int w = 0; w < 2; w++) frag_row_sum(&v[DMINDEX1(2, w)][0], &c[DMINDEX1(2, 1 - w)][0][0]);
"""
    (first, *_) = outcomes(body)
    assert first is not None and first.code == "OG224"
    assert "`c` is a fragment of other threads than 32 threads" in first.message


@pytest.mark.parametrize("call", ["tile_load(s, d, b, 0);", "frag for (int i = 0; i < 2; i++) ;"])
def test_a_magic_loop_has_no_threads_for_it(call: str) -> None:
    assert codes(f"__shared__ float s[1][64]; magic thread for (int w = 0; w < 1; w++) {call}") == {"OG226"}


@pytest.mark.parametrize(
    "body",
    [
        "__fragment__ float c[16][16];" + FACTORS + "mma(c, s, s, 16);",
        FILLED + "__shared__ bf16 s[16][16]; mma(c, s, s, 16);",
        FILLED + "__fragment__ bf16 a[16][16];" + FACTORS + "mma(c, a, s, 16);",
        FILLED + "__fragment__ float v[16]; frag_row_sum(v, c);",
        "__fragment__ float c[16][8]; __fragment__ float v[16];"
        "frag for (int i = 0; i < 16; i++) v[i] = 0.0f; frag_row_min(v, c);",
        "for (int k = 0; k < 2; k++) { __fragment__ float v[16];"
        "frag for (int i = 0; i < 16; i++) if (k == 0) v[i] = 0.0f; else v[i] += 1.0f; }",
    ],
)
def test_what_was_not_written_is_reported(body: str) -> None:
    assert codes(body, threads=32) == {"OG202"}


@pytest.mark.parametrize(
    "body",
    [
        in_a_pipeline("blocksync();"),
        in_a_pipeline("#pragma pipeline 2\n for (int q = 0; q < 1; q++) pipeline_wait();"),
        in_a_pipeline("", "pipeline_wait();"),
        in_a_pipeline("").replace("pipeline_wait();", ";"),
        in_a_pipeline("").replace("#pragma pipeline 2\n", ""),
        in_a_pipeline("thread for (int t = 0; t < 64; t++) d[b][t] = 0.0f;").replace("tile_load(s, d, b, 0);", ""),
        in_a_pipeline("thread for (int t = 0; t < 64; t++) u[t] = 0.0f;"),
        in_a_pipeline("thread for (int t = 0; t < 64; t++) u[t] += 1.0f;"),
        in_a_pipeline("", "thread for (int t = 0; t < 64; t++) s[0][t] = 0.0f;"),
        in_a_pipeline("", "tile_load(s, d, b, 0); blocksync();"),
        "pipeline_wait();",
    ],
)
def test_a_part_that_cannot_run_ahead_is_reported(body: str) -> None:
    assert codes(body) == {"OG230"}


@pytest.mark.parametrize(
    "read, change",
    [
        ("u[t]", "u[t] += 1.0f;"),
        ("x[DMINDEX1(64, t)]", "x[DMINDEX1(64, t)] += 1.0f;"),
        ("d[b][t]", "d[b][t] += 1.0f;"),
    ],
)
def test_a_part_that_runs_ahead_does_not_read_what_the_loop_has_changed(read: str, change: str) -> None:
    """In the first iteration nothing has been changed; so one iteration is clean, and the second one is not."""
    ahead = f"__shared__ float r[64]; thread for (int t = 0; t < 64; t++) r[t] = {read};"
    loop = in_a_pipeline(ahead, f"thread for (int t = 0; t < 64; t++) {change}").replace("tile_load(s, d, b, 0);", "")
    restored = "thread for (int t = 0; t < 64; t++) d[b][t] -= 1.0f;" if read == "d[b][t]" else ""
    assert codes(loop.replace("k < 3", "k < 1") + restored) == {None}
    failures = outcomes(loop)
    assert {m.code for m in failures if m is not None} == {"OG230"} and None not in failures
    (label,) = failures[0].labels if failures[0] is not None else ()
    assert label.text == "the loop changes it here"


def test_each_iteration_has_arrays_of_its_own() -> None:
    """What another iteration has written is not there."""
    body = in_a_pipeline("").replace("tile_load(s, d, b, 0);", "if (k == 0) tile_load(s, d, b, 0);")
    used = body.replace(
        "pipeline_wait();", "pipeline_wait(); thread for (int t = 0; t < 64; t++) x[DMINDEX1(64, t)] = s[0][t];"
    )
    assert codes(body) == {None} and codes(used) == {"OG202"}


def test_a_race_with_a_copy_names_the_copy() -> None:
    body = "__shared__ float s[1][64]; tile_load(s, d, b, 0); thread for (int t = 0; t < 64; t++) d[b][t] = s[0][t];"
    for m in outcomes(body):
        assert m is not None and m.code == "OG210"
        assert "a copy of a tile of block 0" in dict(m.diagnostic().notes)["witness"]


# What it draws at random -----------------------------------------------------------------------------------------------------


def machine_after(body: str, seed: int, *, threads: int = 32, watched: bool = True) -> tuple[Machine, list[Any]]:
    """The machine and the row after a run. Not `watched`: accesses are not compared with others."""
    program = program_of(body, threads)
    machine = Runner(program).start(seed)
    if not watched:
        machine.note = lambda *args, **kwargs: None  # type: ignore[method-assign]
    h = array(machine, "h", [i % 7 - 3 for i in range(threads)], 1, threads)
    machine.call("f", [1, h], program.function("f").loc)
    return machine, list(h.alloc.data)


def layout_of(seed: int) -> FragmentLayout:
    (layout,) = machine_after(FILLED, seed)[0].layouts.values()
    return layout


def test_layouts_differ_and_a_seed_repeats_one() -> None:
    drawn = [tuple(sorted(layout_of(seed).elements.items())) for seed in SEEDS]
    assert len(set(drawn)) == len(SEEDS)
    assert drawn == [tuple(sorted(layout_of(seed).elements.items())) for seed in SEEDS]


def test_elements_belong_to_threads_of_their_rows() -> None:
    for seed in SEEDS:
        layout = layout_of(seed)
        assert len(layout.elements) == 16 * 16
        for (i, j), thread in layout.elements.items():
            row = layout.threads_of_row(i)
            assert thread in row and row.step == 1 and row.start >= 0 and row.stop <= 32
            assert layout.thread_of(i, j) == thread


def test_all_fragments_of_a_launch_have_one_layout() -> None:
    """Of whatever size they are: a thread that has [i][j] of one has it of all."""
    body = """
__fragment__ float c[16][16];
__fragment__ bf16 e[32][8];
frag for (int i = 0; i < 16; i++) frag for (int j = 0; j < 8; j++) { c[i][j] = 1.0f; e[i][j] = c[i][j]; }
"""
    assert codes(body, threads=32) == {None}
    assert all(len(machine_after(body, seed)[0].layouts) == 1 for seed in SEEDS)


def test_groups_of_32_and_of_128_have_layouts_of_their_own() -> None:
    body = """
__fragment__ float c[16][8];
float* const g = __frag_malloc2<float>(4, 16, 8);
frag for (int i = 0; i < 16; i++) frag for (int j = 0; j < 8; j++) c[i][j] = 1.0f;
thread for (int w = 0; w < 4; w++)
  frag for (int i = 0; i < 16; i++) frag for (int j = 0; j < 8; j++) g[DMINDEX1(4, w)][i][j] = 1.0f;
"""
    sizes = {size for _, size in machine_after(body, 0, threads=128)[0].layouts}
    assert sizes == {32, 128}


COPIED = """
__shared__ float s[1][64];
thread for (int t = 0; t < 64; t++) s[0][t] = 50.0f;
blocksync();
tile_load(s, d, b, 0);
{between}
thread for (int t = 0; t < 64; t++) d[b][t] = s[0][t];
blocksync();
"""


def first_cell(between: str, seed: int) -> int:
    """What the first cell of the tile holds after these statements, if nobody looks for races."""
    return int(machine_after(COPIED.format(between=between), seed, threads=64, watched=False)[1][0])


def test_a_copy_ends_at_a_random_time_up_to_the_next_barrier() -> None:
    seen = [first_cell("", seed) for seed in range(16)]
    assert set(seen) == {-3, 50}
    assert seen == [first_cell("", seed) for seed in range(16)]
    assert {first_cell("blocksync();", seed) for seed in range(16)} == {-3}


def test_a_copy_ends_at_no_barrier_of_a_warp() -> None:
    seen = {first_cell("thread for (int w = 0; w < 2; w++) warpsync();", seed) for seed in range(16)}
    assert seen == {-3, 50}


def test_a_copy_in_a_pipelined_loop_ends_at_its_wait() -> None:
    body = in_a_pipeline("", "thread for (int t = 0; t < 64; t++) x[DMINDEX1(64, t)] += s[0][63 - t];")
    after = "thread for (int t = 0; t < 64; t++) d[b][t] = x[DMINDEX1(64, t)];"
    results = {tuple(machine_after(f"{body}blocksync();\n{after}", seed, threads=64)[1]) for seed in range(16)}
    assert results == {tuple(3 * ((63 - t) % 7 - 3) for t in range(64))}


@pytest.mark.parametrize("row", [-1, 0, 1])
@pytest.mark.parametrize("col", [-65, -2, 0, 3, 64])
def test_a_copy_has_zeros_outside_of_the_matrix(row: int, col: int) -> None:
    body = f"""
__shared__ float s[1][64];
tile_load(s, d, {row}, {col});
blocksync();
thread for (int t = 0; t < 64; t++) d[b][t] = s[0][t];
"""
    wanted = [(t + col) % 7 - 3 if row == 0 and 0 <= t + col < 64 else 0 for t in range(64)]
    assert machine_after(body, 0, threads=64)[1] == wanted
