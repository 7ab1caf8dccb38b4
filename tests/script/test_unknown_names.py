"""A name that the program does not have, in any argument of a step, is an error that lists the names that it has."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT

PROGRAM = """#include <optigpu.h>
void f(int n, float a[n][8], float b[n][8], float c[n]) {
  __requires("B: int * int -> float");
  __reads("b ~> Matrix2(n, 8, B)");
  __writes("a ~> Matrix2(n, 8, fun i j -> B(i, j))");
  __writes("c ~> Matrix1(n, fun i -> Sum(j in 0..8, B(i, j)))");
  for (int i = 0; i < n; i++) {
    float tile[8];
    for (int j = 0; j < 8; j++) tile[j] = b[i][j];
    float sum = 0.0f;
    for (int j = 0; j < 8; j++) {
      sum += tile[j];
      a[i][j] = tile[j];
    }
    c[i] = sum;
  }
}
"""
FIRST, LAST = For("j").first, For("j").last
Step = Callable[[og.Script], object]
CASES: list[tuple[Step, Step, str]] = [  # with a wrong name; with the one that is meant; what the error lists
    (lambda s: s.loop.reorder("j", "ii"), lambda s: s.loop.reorder("i", "j", at=FIRST), "did you mean `i`?"),
    (
        lambda s: s.loop.hoist_expr(Write("tile"), "t", read="bb", before="i"),
        lambda s: s.loop.hoist_expr(Write("tile"), "t", read="b", before="i"),
        "did you mean `b`? there is: b",
    ),
    (
        lambda s: s.loop.hoist_expr(Write("tile"), "t", read="b", before="i", indep=["jj"]),
        lambda s: s.loop.hoist_expr(Write("tile"), "t", read="b", before="i", indep=[]),
        "did you mean `j`? there is: i, j",
    ),
    (
        lambda s: s.loop.hoist_alloc("tile", dest="i", indep=["k"]),
        lambda s: s.loop.hoist_alloc("tile", dest="i"),
        "there is: i",
    ),
    (
        lambda s: s.variable.local_name(LAST, var="summ", local_var="x"),
        lambda s: s.variable.local_name(LAST, var="sum", local_var="x"),
        "did you mean `sum`? there is: sum",
    ),
    (
        lambda s: s.matrix.local_name_tile("i", var="bb", local_var="x", tile=[(0, "n"), (0, 8)]),
        lambda s: s.matrix.local_name_tile("i", var="b", local_var="x", tile=[(0, "n"), (0, 8)]),
        "did you mean `b`? there is: a, b, c",
    ),
    (
        lambda s: s.matrix.stage("bb", at=FIRST, name="x"),
        lambda s: s.matrix.stage("b", at=FIRST, name="x"),
        "did you mean `b`?",
    ),
    (
        lambda s: s.matrix.memcpy(dst="cc", src="b", dims=["n"], before="i"),
        lambda s: s.matrix.memcpy(dst="a", src="b", dims=["n", 8], before="i"),
        "did you mean `c`? there is: a, b, c",
    ),
    (
        lambda s: s.reduce.parts(LAST, var="summ", parts="p"),
        lambda s: s.reduce.parts(LAST, var="sum", parts="p"),
        "did you mean `sum`? there is: n, sum",
    ),
    (
        lambda s: s.loop.tile("i", "mm", tail="guard"),
        lambda s: s.loop.tile("i", 4, tail="guard"),
        "there is: n, a",
    ),
    (
        lambda s: s.loop.split_range("i", "m / 2"),
        lambda s: s.loop.split_range("i", "n / 2"),
        "there is: n, a, b, c, i, tile, j, sum",
    ),
    (
        lambda s: s.accesses.shift_var("sum", factor="cc[0]", inv=True),
        lambda s: s.accesses.shift_var("sum", factor="b[i][0]", inv=True),
        "did you mean `c`?",
    ),
    (
        lambda s: s.instr.insert("c[0] = summ;", before="i"),
        lambda s: s.instr.insert("float x = 0.0f;", before="i"),
        "did you mean `sum`?",
    ),
]
LAUNCHES: list[tuple[dict[str, object], str]] = [
    ({"grid": ["ii"]}, "did you mean `i`?"),
    ({"block": ["jj"]}, "did you mean `j`? there is: i, j"),
    ({"shared": ["tiles"]}, "did you mean `tile`? there is: sum, tile"),
    ({"registers": {"summ": 0}}, "did you mean `sum`? there is: sum, tile"),
    ({"host_copies": ["bb"]}, "did you mean `b`? there is: a, b, c"),
    ({"barrier_at_end": ["jj"]}, "did you mean `j`? there is: i, j"),
]


def script() -> og.Script:
    return og.Script(parse_text(PROGRAM, "f.c"))


@pytest.mark.parametrize(("wrong", "right", "listed"), CASES, ids=lambda x: x if isinstance(x, str) else "")
def test_a_wrong_name_is_an_error_and_the_right_one_is_a_step(wrong: Step, right: Step, listed: str) -> None:
    s = script()
    with pytest.raises(InputError) as e:
        wrong(s)
    d = e.value.diagnostic
    assert d.code == "OG601" and listed in str(d.help) and d.loc.file == __file__ and len(s.steps) == 1
    right(s)
    assert len(s.steps) == 2


@pytest.mark.parametrize(("wrong", "listed"), LAUNCHES, ids=lambda x: "_".join(x) if isinstance(x, dict) else "")
def test_a_launch_of_names_that_are_not_there(wrong: dict[str, object], listed: str) -> None:
    s = script()
    right: dict[str, object] = {"grid": ["i"], "block": ["j"], "shared": ["tile"]}
    with pytest.raises(InputError) as e:
        s.gpu.launch(**{**right, **wrong})  # type: ignore[arg-type]
    assert e.value.diagnostic.code == "OG601" and listed in str(e.value.diagnostic.help)


def test_vector_accesses_of_an_array_that_the_loop_does_not_have() -> None:
    s = og.Script(ROOT / "examples" / "vector_add.c")
    s.loop.tile("i", 4, outer="t", tail="guard")
    s.loop.tile("t", 64, outer="block", tail="guard")
    s.gpu.launch(grid=["block"], block=["t"])
    with pytest.raises(InputError) as e:
        s.gpu.vectorize("i", arrays=["d_x"])
    assert e.value.diagnostic.code == "OG601" and "did you mean `d_" in str(e.value.diagnostic.help)


def test_a_name_that_a_transformation_itself_made_up_is_no_error_of_the_script() -> None:
    @og.transformation
    def broken(s: og.Script, size: str) -> None:
        s.instr.insert("c[0] = undeclared;", before="i")

    with pytest.raises(InputError) as e:
        broken(script(), "n")
    assert e.value.diagnostic.code == "OG605"
