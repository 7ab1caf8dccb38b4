"""Barriers that `gpu.launch` places: where threads of a block exchange values, and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import optigpu as og
from optigpu import Call, For, Write
from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Settings, Verifier
from optigpu.frontend import parse_text
from optigpu.script.editing import replace_at
from optigpu.script.step_errors import StepError
from optigpu.syntax.program import Body, Program, is_call
from optigpu.syntax.source import NO_ID
from optigpu.syntax.walk import statements
from optigpu.transform.gpu import barrier_placement
from optigpu.transform.gpu.block_races import BlockRace, BlockRaces


class CountingVerifier(Verifier):
    """Counts the programs that it verifies."""

    def __init__(self) -> None:
        super().__init__(Settings())
        self.count = 0

    def verify(self, program: Program, only: str | None = None) -> ProgramResult:
        self.count += 1
        return super().verify(program, only)


@dataclass(frozen=True)
class Exchange:
    """The body of a block b of n, with threads t of 64; the statements before which barriers are expected."""

    name: str
    body: str
    value: str  # out[b][t], in terms of A
    barriers: tuple[str, ...]
    shared: tuple[str, ...] = ("x",)

    def script(self, verifier: Verifier | None = None) -> og.Script:
        text = f"""
        void f(int n, float a[n][64], float w[n][64], float out[n][64]) {{
          __requires("A: int * int -> float, n >= 0");
          __reads("a ~> Matrix2(n, 64, A)");
          __writes("out ~> Matrix2(n, 64, fun b t -> {self.value})");
          __preserves("w ~> Cells2(n, 64)");
          for (int b = 0; b < n; b++) {{ {self.body} }}
        }}"""
        return og.Script(parse_text(text), verifier=verifier or Verifier(Settings()))

    def launched(self) -> og.Script:
        s = self.script()
        s.gpu.launch(grid=["b"], block=["t"], shared=self.shared)
        return s


def _loop(body: str) -> str:
    return f"for (int t = 0; t < 64; t++) {{ {body} }}"


EXCHANGES = (
    Exchange(
        "another thread's cell",
        "float x[64];" + _loop("x[t] = a[b][t];") + _loop("out[b][t] = x[63 - t];"),
        "A(b, 63 - t)",
        ("d_out[b][t] = x[63 - t];",),
    ),
    Exchange(
        "a thread's own cell",
        "float x[64];" + _loop("x[t] = a[b][t];") + _loop("out[b][t] = x[t];"),
        "A(b, t)",
        (),
    ),
    Exchange(
        "own cells in another order",
        "float x[128];"
        + _loop("for (int v = 0; v < 2; v++) x[2 * t + v] = a[b][t];")
        + _loop("out[b][t] = x[2 * t + 1];"),
        "A(b, t)",
        (),
    ),
    Exchange(
        "two arrays and one barrier",
        "float x[64]; float y[64];"
        + _loop("x[t] = a[b][t];")
        + _loop("y[t] = a[b][t];")
        + _loop("out[b][t] = x[63 - t] + y[63 - t];"),
        "A(b, 63 - t) + A(b, 63 - t)",
        ("d_out[b][t] = x[63 - t] + y[63 - t];",),
        ("x", "y"),
    ),
    Exchange(
        "two arrays one after the other",
        "float x[64]; float y[64];"
        + _loop("x[t] = a[b][t];")
        + _loop("y[t] = x[63 - t];")
        + _loop("out[b][t] = y[(t + 1) % 64];"),
        "A(b, 63 - (t + 1) % 64)",
        ("y[t] = x[63 - t];", "d_out[b][t] = y[(t + 1) % 64];"),
        ("x", "y"),
    ),
    Exchange(
        "a write after a read",
        "float x[64];" + _loop("x[t] = a[b][t];") + _loop("out[b][t] = x[63 - t];") + _loop("x[t] = 0.0f;"),
        "A(b, 63 - t)",
        ("d_out[b][t] = x[63 - t];", "x[t] = 0.0f;"),
    ),
    Exchange(
        "an array of each iteration",
        _loop("out[b][t] = 0.0f;")
        + "for (int k = 0; k < 4; k++) { float x[64];"
        + _loop("x[t] = a[b][t];")
        + _loop("out[b][t] += x[63 - t];")
        + "}",
        "Sum(k in 0..4, A(b, 63 - t))",
        ("d_out[b][t] += x[63 - t];", "}"),
    ),
    Exchange(
        "one array in all iterations",
        "float x[64];"
        + _loop("out[b][t] = 0.0f;")
        + "for (int k = 0; k < 4; k++) {"
        + _loop("x[t] = a[b][t];")
        + _loop("out[b][t] += x[63 - t];")
        + "}",
        "Sum(k in 0..4, A(b, 63 - t))",
        ("x[t] = d_a[b][t];", "d_out[b][t] += x[63 - t];"),
    ),
    Exchange(
        "an array that a loop only reads",
        "float x[64];"
        + _loop("x[t] = a[b][t]; out[b][t] = 0.0f;")
        + "for (int k = 0; k < 4; k++) {"
        + _loop("out[b][t] += x[63 - t];")
        + "}",
        "Sum(k in 0..4, A(b, 63 - t))",
        ("for (int k = 0; k < 4; k++) {",),
    ),
    Exchange(
        "global memory",
        _loop("w[b][t] = a[b][t];") + _loop("out[b][t] = w[b][63 - t];"),
        "A(b, 63 - t)",
        ("d_out[b][t] = d_w[b][63 - t];",),
        (),
    ),
    Exchange(
        "an index that depends on a size",
        "float x[64];"
        + _loop("x[t] = a[b][t];")
        + _loop("if (n > 0) out[b][t] = x[63 - t + 0 / n]; else out[b][t] = 0.0f;"),
        "A(b, 63 - t)",
        ("d_out[b][t] = x[63 - t + 0 / n];",),
    ),
    Exchange(
        "a tree",
        "float x[64];"
        + _loop("x[t] = a[b][t];")
        + "for (int h = 32; h > 0; h >>= 1) {"
        + _loop("if (t < h) x[t] += x[t + h];")
        + "}"
        + _loop("out[b][t] = x[0];"),
        "Sum(k in 0..64, A(b, k))",
        ("x[t] += x[t + h];", "d_out[b][t] = x[0];"),
    ),
)
each_exchange = pytest.mark.parametrize("exchange", EXCHANGES, ids=lambda e: e.name)


def _statements_after_barriers(text: str) -> tuple[str, ...]:
    """The first statement after each barrier: a loop of the block, or what threads do."""
    lines = [line.strip() for line in text.splitlines()]
    out = []
    for i, line in enumerate(lines):
        if line == "blocksync();":
            after = (x for x in lines[i + 1 :] if not x.startswith(("thread for", "if ", "for (int v")))
            out.append(next(after))
    return tuple(out)


@each_exchange
def test_barriers_are_placed_where_threads_exchange_values(exchange: Exchange) -> None:
    assert _statements_after_barriers(exchange.launched().text()) == exchange.barriers


@each_exchange
def test_a_program_without_one_of_its_barriers_is_rejected(exchange: Exchange) -> None:
    s = exchange.launched()
    for place in s.find_all(Call("blocksync")) if exchange.barriers else ():
        assert Verifier(Settings()).verify(replace_at(s.program, place)).failures


@each_exchange
def test_the_checker_alone_leads_to_the_same_barriers(exchange: Exchange, monkeypatch: pytest.MonkeyPatch) -> None:
    text, reasons = exchange.launched().text(), [*exchange.launched().reasons.values()]
    monkeypatch.setattr(barrier_placement, "_place_barriers", lambda *_: ())
    repaired = exchange.launched()
    assert (repaired.text(), [*repaired.reasons.values()]) == (text, reasons)


@each_exchange
def test_a_launch_is_verified_once(exchange: Exchange) -> None:
    verifier = CountingVerifier()
    s = exchange.script(verifier)
    before = verifier.count
    s.gpu.launch(grid=["b"], block=["t"], shared=exchange.shared)
    assert verifier.count - before == 1


@each_exchange
def test_needed_barriers_are_kept_without_a_check_of_each(exchange: Exchange) -> None:
    verifier = CountingVerifier()
    s = exchange.script(verifier)
    s.gpu.launch(grid=["b"], block=["t"], shared=exchange.shared)
    before, text = verifier.count, s.text()
    if exchange.barriers:
        assert s.gpu.remove_redundant_barriers() == 0
        assert s.text() == text and verifier.count == before


def test_redundant_barriers_are_removed_with_one_check() -> None:
    verifier = CountingVerifier()
    s = EXCHANGES[0].script(verifier)
    s.gpu.launch(grid=["b"], block=["t"], shared=["x"])
    text = s.text()
    extra = text.replace("blocksync();", "blocksync();\nblocksync();").replace("__shared__", "blocksync();\n__shared__")
    s = og.Script(parse_text(extra), verifier=verifier)
    before = verifier.count
    assert s.gpu.remove_redundant_barriers() == 2
    assert s.text().count("blocksync();") == 1 and verifier.count - before == 1


def test_a_race_that_no_barrier_orders_is_reported_as_before() -> None:
    exchange = Exchange(
        "race", "float x[64];" + _loop("x[t] = a[b][t];") + _loop("out[b][0] = x[63 - t];"), "A(b, 63 - t)", ()
    )
    with pytest.raises(StepError):
        exchange.launched()


def test_values_that_c_leaves_undefined_are_no_race() -> None:
    for index in ("t / (63 - 63)", "t << 64", "1 >> (0 - 1)"):
        threads = _loop(f"x[{index}] = 0.0f;").replace("for", "thread for")
        program = parse_text(f"void f(float x[64]) {{ {threads} {threads} }}")
        body = program.function("f").body
        assert BlockRaces(body, {}).first(body) is None
    threads = _loop("x[t / 2] = 0.0f;").replace("for", "thread for")
    body = parse_text(f"void f(float x[64]) {{ {threads} {threads} }}").function("f").body
    race = BlockRaces(body, {}).first(body)
    assert race is not None and race.array == "x" and race.point == ((0, 1),)


TURNS = Exchange(
    "buffers that take turns",
    "float x[2][64]; float sum[64];"
    + _loop("sum[t] = 0.0f;")
    + _loop("x[0][t] = a[b][t];")
    + "for (int r = 0; r < n; r++) {"
    + _loop("sum[t] += x[r % 2][63 - t];")
    + _loop("x[(r + 1) % 2][t] = a[b][t];")
    + "}"
    + _loop("out[b][t] = sum[t];"),
    "Sum(r in 0..n, A(b, 63 - t))",
    (),
)


TWO_KERNELS = """
void f(int n, float a[n][64], float out[n][64], float back[n][64]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(n, 64, A)");
  __writes("out ~> Matrix2(n, 64, fun b t -> A(b, 63 - t)), back ~> Matrix2(n, 64, A)");
  for (int b = 0; b < n; b++) {
    float x[64];
    for (int t = 0; t < 64; t++) { x[t] = a[b][t]; }
    for (int t = 0; t < 64; t++) { out[b][t] = x[63 - t]; }
  }
  for (int c = 0; c < n; c++) {
    float x[64];
    for (int t = 0; t < 64; t++) { x[t] = out[c][t]; }
    for (int t = 0; t < 64; t++) { back[c][t] = x[63 - t]; }
  }
}
"""


def test_iterations_are_ordered_at_the_end_of_the_body_where_that_is_wanted() -> None:
    s = TURNS.script()
    s.gpu.launch(grid=["b"], block=["t"], shared=["x"], registers={"sum": 1}, barrier_at_end=["r"])
    before, loop = s.text().split("for (int r = 0")
    body = loop[: loop.index("d_out")]
    assert before.count("blocksync();") == 1 and body.count("blocksync();") == 1
    assert body.index("x[(r + 1) % 2]") < body.index("blocksync();")


def test_a_phase_with_several_launches_is_verified_once() -> None:
    verifier = CountingVerifier()
    s = og.Script(parse_text(TWO_KERNELS), verifier=verifier)
    before = verifier.count
    with s.phase("two kernels"):
        for loop in ("b", "c"):
            s.gpu.launch(grid=[loop], block=["t"], at=For(loop), shared=["x"])
        assert verifier.count == before
    assert verifier.count == before + 1 and s.text().count("blocksync();") == 2


@pytest.mark.parametrize("missed", ["all", "first"])
def test_races_that_samples_do_not_show_are_repaired_at_the_end_of_a_phase(
    missed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def launched() -> og.Script:
        s = og.Script(parse_text(TWO_KERNELS))
        with s.phase("two kernels"):
            for loop in ("b", "c"):
                s.gpu.launch(grid=[loop], block=["t"], at=For(loop), shared=["x"])
        return s

    wanted = launched().text()
    first = BlockRaces.first

    def blind(races: BlockRaces, body: Body) -> BlockRace | None:
        array = getattr(first(races, body), "array", "")
        return None if missed == "all" or array == "x" else first(races, body)

    monkeypatch.setattr(BlockRaces, "first", blind)
    assert launched().text() == wanted


def test_a_barrier_that_was_placed_where_not_all_threads_run_it_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = EXCHANGES[0].launched()
    inside = ((0, 1), (0, 0))  # in the thread loop that declares nothing

    def misplaced(races: BlockRaces, body: Body) -> BlockRace | None:
        return None if any(is_call(s, "blocksync") for s in statements(body)) else BlockRace("x", inside)

    monkeypatch.setattr(BlockRaces, "first", misplaced)
    s = EXCHANGES[0].launched()
    assert (s.text(), [*s.reasons.values()]) == (wanted.text(), [*wanted.reasons.values()])


def test_a_phase_that_fails_leaves_nothing_to_be_repaired() -> None:
    s = og.Script(parse_text(TWO_KERNELS))
    before = s.program
    with pytest.raises(StepError), s.phase("broken"):
        s.gpu.launch(grid=["b"], block=["t"], at=For("b"), shared=["x"])
        s.instr.delete(Write("d_out"))
    assert s.program is before
    s.loop.rename("b", "d")
    assert "blocksync" not in s.text()


@og.transformation
def drop_barriers(script: og.Script) -> None:
    for _ in range(script.text().count("blocksync();")):
        script.put(script.find(Call("blocksync").first))


@og.transformation
def replace_loop(script: og.Script, name: str) -> None:
    path = script.find(For(name))
    script.put(path, replace(script.at(path), id=NO_ID))


def test_barriers_are_repaired_in_the_function_that_was_launched() -> None:
    text = TWO_KERNELS + TWO_KERNELS.replace("f(", "g(", 1)
    s = og.Script(parse_text(text))
    with s.phase("two functions"):
        for function in ("g", "f"):
            for loop in ("b", "c"):
                s.gpu.launch(grid=[loop], block=["t"], at=og.In(function) / For(loop), shared=["x"])
        drop_barriers(s)
    assert [s.text().split(f"void {f}(")[1].split("\nvoid")[0].count("blocksync();") for f in "fg"] == [2, 2]


def test_a_launch_whose_loop_was_replaced_is_not_repaired_but_checked() -> None:
    s = og.Script(parse_text(TWO_KERNELS))
    with pytest.raises(StepError, match="OG341"), s.phase("replaced"):
        s.gpu.launch(grid=["b"], block=["t"], at=For("b"), shared=["x"])
        drop_barriers(s)
        replace_loop(s, "b")
    with s.phase("replaced"):
        s.gpu.launch(grid=["b"], block=["t"], at=For("b"), shared=["x"])
        replace_loop(s, "b")
    assert s.text().count("blocksync();") == 1
