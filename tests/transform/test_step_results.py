"""What steps return: handles of all that they made, which stay valid and stand for one statement as targets."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.syntax.diagnostic import InputError

SUM = """#include <optigpu.h>
void total(int n, float b[n], float a[1]) {
  __requires("B: int -> float");
  __reads("b ~> Matrix1(n, B)");
  __writes("a ~> Matrix1(1, fun i -> Sum(j in 0..n, B(j)))");
  float x = 0.0f;
  for (int i = 0; i < n; i++) {
    x += b[i];
  }
  a[0] = x;
}
"""
TWO = """#include <optigpu.h>
void two(int n, float a[n], float b[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  __writes("b ~> Matrix1(n, fun i -> 1)");
  for (int i = 0; i < n; i++) {
    a[i] = 0.0f;
    b[i] = 1.0f;
  }
}
"""


def script(text: str) -> og.Script:
    return og.Script(parse_text(text, "f.c"))


def test_a_tile_has_an_outer_and_an_inner_loop_and_a_tail() -> None:
    s = script(TWO)
    t = s.loop.tile("i", 8, outer="bi", tail="peel")
    assert t.tail is not None and t == t.outer
    assert [str(h) for h in (t.outer, t.inner, t.tail)] == [
        "<for bi = 0; bi < n / 8>",
        "<for i = 0; i < 8>",
        "<for i = n / 8 * 8; i < n>",
    ]
    s.loop.rename(t.inner, "k")
    s.loop.rename(t, "block")
    assert t.inner.parent == t.outer and str(t.inner) == "<for k = 0; k < 8>"
    assert str(t.outer) == "<for block = 0; block < n / 8>"
    assert s.find(t / Write("a")) == t.inner.body[0].path()


@pytest.mark.parametrize("tail", ["guard", "min"])
def test_a_tile_without_an_epilogue_has_no_tail(tail: str) -> None:
    assert script(TWO).loop.tile("i", 8, tail=tail).tail is None


def test_results_compose_where_names_would_be_ambiguous() -> None:
    s = script(TWO)
    divided = s.loop.fission(before=Write("b"))
    first, second = (s.loop.tile(loop, 8, tail="guard") for loop in (divided.first, divided.second))
    with pytest.raises(InputError, match="ambiguous"):
        s.loop.unroll_hint(For("bi") / For("i"), 8)
    s.loop.unroll_hint(first.inner, 8)
    path = s.loop.fast_path(second.inner)
    assert path.fast.parent == path.other.parent == path.condition
    assert path.condition.then.body == (path.fast,) and path.condition.otherwise.body == (path.other,)
    s.loop.unroll(path.fast)
    assert s.result.verified


def test_parts_and_trees_name_their_loops() -> None:
    s = script(SUM)
    tiles = s.loop.tile("i", 64, outer="t", tail="guard")
    parts = s.reduce.parts(tiles, var="x", parts="sums")
    assert parts.loop == tiles.outer and parts.loop != parts.combine
    assert s.find(parts.combine / Write("x")) == parts.combine.body[0].path()
    assert str(parts.declaration).startswith("<declaration of sums")


def test_statements_written_out_are_returned_in_order() -> None:
    s = script(TWO)
    t = s.loop.tile("i", 2, tail="guard")
    fast = s.loop.fast_path(t.inner)
    written = s.loop.unroll(fast)
    assert [str(h) for h in written] == [
        "<a[bi * 2 + 0] = 0.0f>",
        "<b[bi * 2 + 0] = 1.0f>",
        "<a[bi * 2 + 1] = 0.0f>",
        "<b[bi * 2 + 1] = 1.0f>",
    ]


def test_text_without_a_statement_is_refused() -> None:
    s = script(TWO)
    for step in (s.instr.insert, s.instr.replace):
        where = {"before": "a"} if step == s.instr.insert else {}
        args = ("// nothing",) if where else ("a", "// nothing")
        with pytest.raises(InputError) as e:
            step(*args, **where)  # type: ignore[operator]
        assert e.value.diagnostic.code == "OG604"
