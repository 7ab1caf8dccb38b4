"""Scripts: every step behaves like the original, what breaks the proof is rejected, bad targets are explained."""

from __future__ import annotations

import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import optigpu as og
from optigpu.codegen.c import emit_c
from optigpu.commands.differential import compare
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.interp.runner import Runner
from optigpu.report.scripts import render_step_error
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.script.editing import edit_function
from optigpu.script.step import Step
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import For as Loop
from optigpu.syntax.program import Mode, Program
from tests.conftest import ROOT

SCRIPTS = sorted((ROOT / "examples" / "scripts").glob("*.py"))


def run(path: Path) -> og.Script:
    script = runpy.run_path(str(path))["s"]
    assert isinstance(script, og.Script)
    return script


@pytest.fixture(scope="module")
def done() -> dict[str, og.Script]:
    return {p.stem: run(p) for p in SCRIPTS}


def distinct(steps: list[Step]) -> list[Step]:
    seen: set[str] = set()
    return [s for s in steps if (text := emit_c(s.after)) not in seen and not seen.add(text)]  # type: ignore[func-returns-value]


@pytest.mark.parametrize("name", [p.stem for p in SCRIPTS])
def test_every_step_is_verified_without_assumptions(done: dict[str, og.Script], name: str) -> None:
    for step in done[name].steps:
        assert step.result is not None and step.result.verified and not step.result.assumptions, step.title


@pytest.mark.parametrize("name", [p.stem for p in SCRIPTS])
def test_every_step_computes_what_the_original_does(done: dict[str, og.Script], name: str) -> None:
    s = done[name]
    f = s.original.functions()[-1]
    runner = Runner(s.original)
    for step in distinct(s.steps):
        compiled = CFunction(emit_c(step.after), signature_of(f, effective_types(f)))
        difference = compare(compiled, runner, f, runs=6)
        assert difference is None, (step.title, difference)
        own_difference = compare(compiled, Runner(step.after), step.after.function(f.name), runs=2)
        assert own_difference is None, (step.title, own_difference)


LISTING_2_2 = """{
  float sum = 0.0f;
  float* const psums = OPTIGPU_MALLOC(float, N / 128);
  #pragma omp parallel for
  for (int bi = 0; bi < N / 128; bi++) {
    psums[bi] = 0.0f;
    for (int i = 0; i < 128; i++) {
      psums[bi] += arr[bi * 128 + i];
    }
  }
  for (int bi = 0; bi < N / 128; bi++) {
    sum += psums[bi];
  }
  optigpu_free(psums);
  return sum;
}"""


def test_listing_of_the_thesis_ends_as_printed_there(done: dict[str, og.Script]) -> None:
    text = done["reduce"].text(plain=True)
    inner = text[text.index("{", text.index("float reduce(")) : text.index("// `reduce`: null")]
    assert inner.split() == LISTING_2_2.split()
    calls = [line for line in (ROOT / "examples/scripts/reduce.py").read_text().splitlines() if line.startswith("s.")]
    assert len(calls) <= 8, "the listing has eight lines"


def test_matmul_script_is_short() -> None:
    lines = (ROOT / "examples/scripts/matmul.py").read_text().splitlines()
    assert sum(line.startswith("s.") for line in lines) <= 15


def test_building_gives_a_function_on_arrays(done: dict[str, og.Script]) -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random((16, 40), dtype="f"), rng.random((40, 128), dtype="f")
    c = np.full((16, 128), np.nan, "f")
    done["matmul"].build()(a=a, b=b, c=c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)
    with pytest.raises(CallError, match="m"):
        done["matmul"].build()(a=a[:15], b=b, c=c[:15])


# What the checker rejects ------------------------------------------------------------------------------------------------------

PROGRAM = """#include <optigpu.h>
void scale(int n, float a[n]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> 2 * A(i))");
  for (int k = 0; k < n; k++) {
    a[k] = 2.0f * a[k];
  }
}
void f(int n, int w, float a[n], float b[n], float m[n][n]) {
  __requires("A: int -> float, B: int -> float, M: int * int -> float, n >= 8, w >= 1, w <= n");
  __reads("b ~> Matrix1(n, B)");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> Sum(k in 0..i + 1, A(k)))");
  __consumes("m ~> Matrix2(n, n, M)");
  __produces("m ~> Matrix2(n, n, fun i j -> i == 0 ? M(0, j) : B(i) * M(0, j))");
  for (int i = 1; i < n; i++) {
    a[i] = a[i] + a[i - 1];
  }
  float last = 0.0f;
  for (int r = 1; r < n; r++) {
    last = b[r];
    for (int c = 0; c < n; c++) {
      m[r][c] = last * m[0][c];
    }
  }
}
"""


def fresh() -> og.Script:
    return og.Script(parse_text(PROGRAM, "f.c"), function="f")


def hoist_previous(s: og.Script) -> None:
    s.loop.hoist_expr(og.Write("a"), "p", read="a", before="i")


def move_initial_value_out(s: og.Script) -> None:
    with s.phase("sum from zero"):
        s.instr.replace(og.For("r") / og.Write("last"), "last += b[r];")
        s.instr.insert("last = 0.0f;", before=og.For("r") / og.Write("last"))
    s.loop.move_out((og.For("r") / og.Write("last")).first)


def bind_what_is_not_there(s: og.Script) -> None:
    s.instr.replace(og.Write("a"), "a[i] = i < n ? a[i] + a[i - 1] : a[n];")
    s.variable.bind(og.Write("a"), "x", "a[n]")


def stage_then_spoil(s: og.Script) -> None:
    s.loop.shift_range("r")
    s.matrix.stage("b", at="r", name="t")
    s.instr.delete(og.Write("t"))


REJECTED = {
    "loop.tile": lambda s: s.loop.tile("c", 8),
    "loop.tile zero": lambda s: s.loop.tile("c", "w - 1", tail="guard"),
    "loop.reorder": lambda s: s.loop.reorder("c", "r"),
    "loop.swap": lambda s: s.loop.swap("r"),
    "loop.fission": lambda s: s.loop.fission(before="c"),
    "loop.fusion": lambda s: (s.loop.shift_range("r"), s.loop.shift_range("i"), s.instr.delete(og.Write("a"))),
    "loop.unroll": lambda s: s.loop.unroll("c", 8),
    "loop.split_range": lambda s: s.loop.split_range("c", "n + 1"),
    "loop.shift_range": lambda s: (s.loop.shift_range("c", 1), s.instr.replace(og.Write("m"), "m[r][c] = last * m[0][c];")),
    "loop.collapse": lambda s: s.loop.parallel("i"),
    "loop.hoist": lambda s: s.instr.delete(og.For("r") / og.Write("last")),
    "loop.hoist_expr": lambda s: (s.variable.bind(og.Write("a"), "x", "a[i]"), hoist_previous(s)),
    "loop.move_out": move_initial_value_out,
    "loop.parallel": lambda s: s.loop.parallel("r"),
    "loop.simd": lambda s: s.loop.simd("i"),
    "variable.local_name": lambda s: s.ghost.insert('__ASSERT("w > 5");', before="i"),
    "variable.bind": bind_what_is_not_there,
    "variable.insert": lambda s: s.variable.insert("float x = b[n];", before="i"),
    "accesses.shift_var": lambda s: s.accesses.shift_var("last", factor="m[1][0]"),
    "accesses.scale_var": lambda s: s.accesses.scale_var("last", factor="b[0]", inv=True),
    "matrix.local_name_tile": lambda s: s.matrix.local_name_tile("i", var="a", local_var="t", tile=[(1, "n - 1")]),
    "matrix.stage": stage_then_spoil,
    "matrix.stack_copy": lambda s: s.matrix.stack_copy("i", var="a", copy_var="t", copy_dims=1, uninit=True),
    "matrix.memcpy": lambda s: s.matrix.memcpy(dst="a", src="b", dims=["n"], before="r"),
    "instr.insert": lambda s: s.instr.insert("a[n] = 0.0f;", before="i"),
    "instr.delete": lambda s: s.instr.delete("i"),
    "instr.move": lambda s: s.instr.move(og.For("r") / og.Write("last"), after="c"),
    "instr.copy": lambda s: s.instr.copy("i", after="i"),
    "instr.replace": lambda s: s.instr.replace(og.Write("a"), "a[i] = a[i] - a[i - 1];"),
    "function.insert": lambda s: s.function.insert('void g(float x[1]) { __writes("x ~> Matrix1(1, fun i -> 0)"); x[0] = 1.0f; }'),
    "function.uninline": lambda s: s.instr.insert("scale(n, a);", before="i"),
    "ghost.insert": lambda s: s.ghost.insert('__ASSERT("w == n");', before="i"),
    "ghost.contract": lambda s: s.ghost.contract("c", '__xconsumes("&m[r][c] ~~> 0"); __xproduces("&m[r][c] ~> Cell");'),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTED)
def test_rejected_step_leaves_the_program_as_it_was(name: str) -> None:
    s = fresh()
    with pytest.raises(og.StepError) as caught:
        REJECTED[name](s)
    e = caught.value
    before = s.steps[-1].after
    assert s.program is before and s.result.verified
    text = render_step_error(e)
    assert "test_scripts.py" in text and "rejected" in text and "after step" in text, text
    assert "OG3" in text


def test_rejection_reads_well(golden) -> None:
    texts = []
    for name in ("loop.tile", "loop.parallel", "instr.move", "variable.insert", "matrix.local_name_tile"):
        with pytest.raises(og.StepError) as caught:
            REJECTED[name](fresh())
        lines = render_step_error(caught.value).splitlines()
        texts.append("\n".join(lines[2:]))  # the first two name this file and its line
    golden(ROOT / "tests" / "golden" / "script_errors.txt", "\n\n".join(texts) + "\n")


# Targets -----------------------------------------------------------------------------------------------------------------------

BAD_TARGETS = {
    "no loop": (lambda s: s.loop.tile("q", 8), "OG601", "no loop fits"),
    "misspelt": (lambda s: s.loop.tile("rr", 8), "OG601", "did you mean `r`"),
    "ambiguous": (lambda s: s.instr.insert("last = 0.0f;", after=og.Write()), "OG602", "3 places fit"),
    "too far": (lambda s: s.loop.tile(og.For("i").nth(3), 8), "OG601", "more than there are"),
    "not a loop": (lambda s: s.loop.tile(og.Write("a"), 8), "OG603", "not a loop"),
    "no declaration": (lambda s: s.variable.inline("zz"), "OG601", "no declaration"),
    "assigned": (lambda s: s.variable.inline("last"), "OG603", "is assigned"),
    "no call": (lambda s: s.function.inline("scale"), "OG601", "no call"),
    "no function": (lambda s: s.loop.tile(og.In("g") / og.For("i"), 8), "OG601", "no function `g`"),
    "bad size": (lambda s: s.loop.tile("i", "8 +"), "OG604", "cannot be read"),
    "bad tail": (lambda s: s.loop.tile("i", 8, tail="maybe"), "OG604", "one of divides"),
    "unknown name": (lambda s: s.loop.tile("i", "zz"), "OG601", "not declared"),
    "no nest": (lambda s: s.loop.reorder("i", "c"), "OG601", "no nest"),
    "depends": (lambda s: s.loop.move_out(og.For("r") / og.Write("last")), "OG603", "depends on `r`"),
    "unknown count": (lambda s: s.loop.unroll("c"), "OG603", "is not a number"),
    "not adjacent": (lambda s: s.loop.fusion("i", "r"), "OG603", "not next to each other"),
    "two loops inside": (lambda s: s.loop.swap("i"), "OG603", "nothing to swap"),
    "no array": (lambda s: s.matrix.pad("last", 0), "OG603", "not the declaration of an array"),
    "not parallel": (lambda s: s.omp.schedule("i", "static"), "OG603", "not a parallel loop"),
    "no statement": (lambda s: s.instr.insert("", before="i"), "OG604", "nothing to insert"),
    "not C": (lambda s: s.instr.insert("a[0] = ;", before="i"), "OG604", "cannot be read"),
    "not after": (lambda s: s.loop.once(og.For("i"), until=og.For("r") / og.Write("last"), index="g"), "OG603", "same body"),
    "used after": (lambda s: s.loop.once("last", index="g"), "OG605", "not declared"),
    "no guards": (lambda s: s.loop.fast_path("i"), "OG603", "no guards"),
    "not a window": (lambda s: s.reduce.slide("i"), "OG603", "does not start with a sum"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD_TARGETS)
def test_bad_target_is_explained(name: str) -> None:
    call, code, words = BAD_TARGETS[name]
    s = fresh()
    before = s.program
    with pytest.raises(InputError) as caught:
        call(s)
    d = caught.value.diagnostic
    assert d.code == code
    message = f"{d.message} {d.help or ''}"
    assert words in message, message
    assert d.loc.file.endswith("test_scripts.py") or any(lb.loc.file.endswith("test_scripts.py") for lb in d.labels)
    assert s.program is before


def test_candidates_are_listed_with_their_places() -> None:
    with pytest.raises(InputError) as caught:
        fresh().instr.delete(og.Write())
    labels = caught.value.diagnostic.labels
    assert [lb.loc.line for lb in labels] == [18, 22, 24]
    assert "a[i] = a[i] + a[i - 1]" in labels[0].text


def test_contract_of_the_original_must_stay() -> None:
    @og.transformation
    def cheat(s: og.Script) -> None:
        from dataclasses import replace

        from optigpu.script.editing import edit_function

        s.update(edit_function(s.program, "f", lambda f: replace(f, contract=f.contract[:1], body=())))

    s = fresh()
    with pytest.raises(InputError) as caught:
        cheat(s)
    assert caught.value.diagnostic.code == "OG606"
    with pytest.raises(InputError, match="gone"):
        drop(s)
    with pytest.raises(og.StepError):
        empty(s)
    assert s.result.verified


@og.transformation
def drop(s: og.Script) -> None:
    s.update(Program(s.program.file, s.program.items[:-1]))


@og.transformation
def empty(s: og.Script) -> None:
    from dataclasses import replace

    from optigpu.script.editing import edit_function

    s.update(edit_function(s.program, "f", lambda f: replace(f, body=())))


# Handles, phases, own transformations ----------------------------------------------------------------------------------------


def test_handles_survive_edits() -> None:
    s = fresh()
    tiles = s.loop.tile("c", 8, outer="bc", tail="guard")
    s.loop.rename("r", "row")
    s.instr.insert("last = 1.0f;", before="row")
    s.loop.rename(tiles, "blocks")
    loop = s.at(tiles)
    assert isinstance(loop, Loop) and loop.index == "blocks"
    s.loop.unroll_hint(tiles, 2)
    assert s.at(tiles).hints == ("unroll 2",)  # type: ignore[union-attr]


def test_handle_of_a_statement_that_is_gone() -> None:
    s = fresh()
    inserted = s.instr.insert("last = 1.0f;", before="r")
    s.instr.delete(inserted)
    with pytest.raises(InputError, match="gone"):
        s.instr.delete(inserted)


def test_phase_is_checked_at_its_end() -> None:
    s = fresh()
    with s.phase("through a wrong program"):
        s.instr.delete("i")
        s.instr.insert("for (int q = 1; q < n; q++) { a[q] = a[q] + a[q - 1]; }", before="last")
    assert s.result.verified
    assert [step.result is None for step in s.steps] == [False, True, True, False]
    before = s.program
    with pytest.raises(og.StepError), s.phase("wrong"):
        s.instr.delete("q")
    assert s.program is before and len(s.steps) == 4


def test_nothing_is_emitted_from_an_open_phase(tmp_path: Path) -> None:
    s = fresh()
    with pytest.raises(CallError, match="phase"), s.phase("open"):
        s.instr.delete("i")
        s.emit(tmp_path / "x.c")
    assert not list(tmp_path.iterdir())


def test_emit_writes_program_and_certificate(tmp_path: Path) -> None:
    s = fresh()
    s.loop.tile("c", 8, tail="peel")
    s.emit(tmp_path / "x.c")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.c", "x.cert.json"]


@og.transformation
def tile_both(s: og.Script, size: int) -> None:
    s.loop.tile("r", size, outer="br", tail="min")
    s.loop.tile("c", size, outer="bc", tail="min")


def test_own_transformation_is_one_step() -> None:
    s = fresh()
    tile_both(s, 4)
    assert [step.title for step in s.steps[1:]] == ["tile_both(4)"]
    assert {x.index for x in loops(s)} == {"i", "br", "r", "bc", "c"}


def loops(s: og.Script) -> list[Loop]:
    from optigpu.syntax.walk import statements

    return [x for x in statements(s.program.function("f").body) if isinstance(x, Loop)]


def test_names_of_new_things_are_predictable() -> None:
    s = fresh()
    s.loop.tile("c", 4, tail="guard")
    s.loop.tile("c", 2)
    assert [x.index for x in loops(s)] == ["i", "r", "bc", "bc1", "c"]


def test_imperfect_nest_is_reordered_through_an_array() -> None:
    text = """#include <optigpu.h>
    void f(int n, int p, float a[n][p], float s[n]) {
      __requires("A: int * int -> float");
      __reads("a ~> Matrix2(n, p, A)");
      __writes("s ~> Matrix1(n, fun i -> Sum(k in 0..p, A(i, k)))");
      for (int i = 0; i < n; i++) {
        float x = 0.0f;
        for (int k = 0; k < p; k++) {
          x += a[i][k];
        }
        s[i] = x;
      }
    }"""
    s = og.Script(parse_text(text))
    s.loop.reorder("k", "i")
    assert [x.index for x in loops(s)] == ["i", "k", "i", "i"]
    s.loop.parallel(og.For("k") / og.For("i"))
    assert [x.mode for x in loops(s)].count(Mode.PARALLEL) == 1
    with pytest.raises(og.StepError):
        s.loop.parallel("k")


def test_explicit_contracts_are_carried_along() -> None:
    text = """#include <optigpu.h>
    void f(int n, float a[n]) {
      __requires("A: int -> float, n % 8 == 0");
      __consumes("a ~> Matrix1(n, A)");
      __produces("a ~> Matrix1(n, fun i -> A(i) + 1)");
      for (int i = 0; i < n; i++) {
        __xconsumes("&a[i] ~~> A(i)");
        __xproduces("&a[i] ~~> A(i) + 1");
        a[i] += 1.0f;
      }
    }"""
    s = og.Script(parse_text(text))
    s.loop.tile("i", 8, outer="bi")
    assert [len(x.contract) for x in loops(s)] == [2, 2]
    s.loop.shift_range("bi", 1)
    assert "for i in 0..8 -> &a[(bi - 1) * 8 + i] ~~> A((bi - 1) * 8 + i)" in s.text()


def test_function_whose_callee_is_no_longer_proved_is_rejected() -> None:
    text = """#include <optigpu.h>
void g(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  for (int j = 0; j < n; j++) { a[j] = 0.0f; }
}
void f(int n, float a[n]) { __writes("a ~> Matrix1(n, fun i -> 0)"); g(n, a); }
"""
    s = og.Script(parse_text(text, "f.c"))
    with pytest.raises(og.StepError):
        s.instr.replace(og.Write("a"), "a[j] = 1.0f;")
    s.loop.rename("j", "k")
    assert s.result.verified


def test_return_inside_a_loop_is_refused() -> None:
    text = """#include <optigpu.h>
float sum(int n, float a[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __ensures("_Res == Sum(i in 0..n, A(i))");
  float t = 0.0f;
  for (int i = 0; i < n; i++) { t += a[i]; }
  return t;
}
"""
    s = og.Script(parse_text(text, "f.c"))
    for inside in (og.Write("t"), og.For("i")):
        with pytest.raises(InputError, match="return") as caught:
            s.instr.copy(og.Read("t").last, after=inside)
        assert caught.value.diagnostic.code == "OG605"

    @og.transformation
    def return_early(script: og.Script) -> None:  # what is put there by itself is read in the same way
        f = script.program.function("sum")
        start, loop, end = f.body
        assert isinstance(loop, Loop)
        body = (start, replace(loop, body=(*loop.body, end)), end)
        script.program = edit_function(script.program, "sum", lambda f: replace(f, body=body))

    with pytest.raises(InputError, match="return"):
        return_early(s)
    assert s.result.verified


@pytest.mark.parametrize("change", [{"op": "-"}, {"relation": ">"}, {"relation": "!="}])
def test_loop_that_does_not_end_is_rejected(change: dict[str, str]) -> None:
    s = og.Script(
        parse_text("#include <optigpu.h>\nvoid f(int n) { for (int i = 0; i < n; i++) { int t = 1; } }", "f.c")
    )

    @og.transformation
    def turn(script: og.Script) -> None:
        (loop,) = script.program.function("f").body
        assert isinstance(loop, Loop)
        body = (replace(loop, range=replace(loop.range, **change)),)
        script.program = edit_function(script.program, "f", lambda f: replace(f, body=body))

    with pytest.raises((og.StepError, InputError)):
        turn(s)
    assert s.result.verified


def test_inlining_a_call_drops_the_values_of_its_logical_variables(tmp_path: Path) -> None:
    file = tmp_path / "fill.c"
    file.write_text(
        """
void fill(int n, float a[n]) {
  __requires("k: int, h: 0 <= k && k < n");
  __writes("a ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) a[i] = 1.0f;
}
void f(int n, float a[n]) {
  __requires("n >= 1");
  __writes("a ~> Matrix1(n, fun i -> 1)");
  fill(n, a);
  __with("k := n - 1");
}
""",
        encoding="utf-8",
    )
    s = og.Script(str(file), function="f")
    s.function.inline("fill")
    assert [type(x) for x in s.program.function("f").body] == [Loop]
