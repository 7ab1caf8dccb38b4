"""Kernels around statements, and the names that `gpu.launch` is given."""

from __future__ import annotations

from typing import Any

import pytest

import optigpu as og
from optigpu import Call, Decl, For, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from tests.support.card_context import AcceptingVerifier

TWO_LOOPS = """
void f(int n, float a[n], float b[n]) {
  __requires("n >= 0, n % 32 == 0");
  __writes("a ~> Matrix1(n, fun i -> 1), b ~> Matrix1(n, fun i -> 2)");
  for (int i = 0; i < n; i++) a[i] = 1.0f;
  for (int j = 0; j < n; j++) b[j] = 2.0f;
}
"""


def accepted(text: str) -> og.Script:
    return og.Script(parse_text(text), verifier=AcceptingVerifier())


def test_a_kernel_is_put_around_a_span_of_statements() -> None:
    s = accepted(TWO_LOOPS)
    kernel = s.gpu.create_kernel_launch("i", to="j", grid="n / 32", block=32, smem="4 * sizeof(float)")
    lines = [line.strip() for line in s.text().splitlines()]
    assert "kernel_launch(n / 32, 32, 4 * sizeof(float));" in lines
    start, end = lines.index("kernel_setup_end();"), lines.index("kernel_teardown_begin();")
    assert [line for line in lines[start:end] if line.startswith("for")] == [
        "for (int i = 0; i < n; i++) {",
        "for (int j = 0; j < n; j++) {",
    ]
    assert str(kernel) == "<block>"


def test_a_kernel_is_put_around_any_statement() -> None:
    s = accepted(TWO_LOOPS)
    s.gpu.create_kernel_launch(Write("b"), grid=1, block=1)
    assert "  {\n      kernel_launch(1, 1, 0);" in s.text().replace("    {", "  {")


def test_an_empty_kernel_verifies_and_one_on_host_memory_does_not() -> None:
    s = og.Script(parse_text("void f() { int x = 1; }"))
    s.gpu.create_kernel_launch(Decl("x"), grid=4, block=32)
    assert s.result.verified
    with pytest.raises(StepError) as caught:
        og.Script(parse_text("void f() { int x = 1; }")).gpu.create_kernel_launch(Decl("x"), grid=4, block=2048)
    assert caught.value.diagnostic.code == "OG349"


def test_a_span_is_in_one_body_and_its_declarations_stay_inside() -> None:
    s = accepted(TWO_LOOPS)
    for first, last in (("j", "i"), ("i", Write("b"))):
        with pytest.raises(InputError, match="`to` is not a later statement of the same body") as caught:
            s.gpu.create_kernel_launch(first, to=last, grid=1, block=1)
        assert caught.value.diagnostic.code == "OG604"
    s = accepted("void f(float a[1]) { float t[4]; a[0] = 1.0f; t[0] = 0.0f; }")
    with pytest.raises(InputError, match="`t` is declared here and used after the kernel"):
        s.gpu.create_kernel_launch("t", to=Write("a"), grid=1, block=1)


@pytest.mark.parametrize("arguments", [{"grid": "n +"}, {"grid": "n; n"}, {"grid": 1.5}])
def test_the_sizes_of_a_kernel_are_expressions(arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        accepted(TWO_LOOPS).gpu.create_kernel_launch("i", block=32, **arguments)
    assert caught.value.diagnostic.code == "OG604"


# The names in gpu.launch -----------------------------------------------------------------------------------------------------

TILES = """
void f(int n, float a[n][32], float b[n][32]) {
  __requires("A: int * int -> float, n >= 0");
  __reads("a ~> Matrix2(n, 32, A)");
  __writes("b ~> Matrix2(n, 32, fun i j -> A(i, 31 - j))");
  for (int i = 0; i < n; i++) {
    float tile[32];
    for (int j = 0; j < 32; j++) tile[j] = a[i][j];
    for (int j = 0; j < 32; j++) {
      float own[2];
      own[0] = tile[31 - j];
      b[i][j] = own[0];
    }
  }
}
"""


def test_launch_puts_a_tile_of_a_block_into_shared_memory() -> None:
    s = og.Script(parse_text(TILES))
    s.gpu.launch(grid=["i"], block=["j"], shared=["tile"])
    assert s.result.verified and "__shared__ float tile[32];" in s.text()


@pytest.mark.parametrize(
    ("arguments", "code", "message", "help"),
    [
        ({"shared": ["tyle"]}, "OG601", "shared=: no variable `tyle` is declared in this nest", "did you mean `tile`?"),
        ({"shared": {"other": None}}, "OG601", "no variable `other` is declared", "there is: tile"),
        ({"registers": {"tyle": 1}}, "OG601", "registers=: no variable `tyle`", "did you mean `tile`?"),
        ({"shared": ["tile", "own"]}, "OG603", "shared=: `own` is declared inside a block loop", 's.loop.hoist("own")'),
        ({"shared": ["tile", "a"]}, "OG603", "`a` is declared outside the grid loops", "chop_dims"),
        ({"shared": ["tile"], "registers": {"tile": 1}}, "OG604", "`tile` is in shared= and in registers=", ""),
        ({"shared": ["tile"], "host_copies": ["a", "b", "c"]}, "OG601", "host_copies=: there is no array `c` here", ""),
        ({"shared": ["tile"], "grid": ["i", "k"]}, "OG601", "there is no loop over `k` in this nest", "there is: i, j"),
        ({"shared": ["tile"], "block": ["j", "i"]}, "OG604", "the loop over `i` is in grid= and in block=", ""),
    ],
)
def test_launch_refuses_names_that_it_cannot_use(arguments: dict[str, Any], code: str, message: str, help: str) -> None:
    s = og.Script(parse_text(TILES))
    before = s.text()
    with pytest.raises(InputError, match=message) as caught:
        s.gpu.launch(**{"grid": ["i"], "block": ["j"], **arguments})
    d = caught.value.diagnostic
    assert d.code == code and help in (d.help or "") and d.labels and d.labels[0].loc.line > 0
    assert s.text() == before


def test_launch_does_not_leave_a_hoisted_tile_in_global_memory() -> None:
    s = og.Script(parse_text(TILES))
    s.loop.hoist_alloc("tile", dest="i")
    with pytest.raises(InputError, match="`tile` is declared outside the grid loops") as caught:
        s.gpu.launch(grid=["i"], block=["j"], shared=["tile"])
    assert 's.gpu.convert_to_shared_mem("tile", chop_dims=…)' in (caught.value.diagnostic.help or "")
    s.gpu.launch(grid=["i"], block=["j"])
    assert s.result.verified and "__gmem_malloc2<float>(n, 32)" in s.text()


# Magic threads and barriers --------------------------------------------------------------------------------------------------

WARPS = """
void f(int n, float a[n][4][32], float b[n][4][32]) {
  __requires("A: int * int * int -> float, n >= 0");
  __reads("a ~> Matrix3(n, 4, 32, A)");
  __writes("b ~> Matrix3(n, 4, 32, fun i w l -> A(i, w, 31 - l))");
  for (int i = 0; i < n; i++) {
    for (int w = 0; w < 4; w++) {
      float t[32];
      for (int l = 0; l < 32; l++) t[l] = a[i][w][l];
      for (int l = 0; l < 32; l++) b[i][w][l] = t[31 - l];
    }
  }
}
"""


def warps(barrier: str) -> og.Script:
    """Each warp reverses 32 elements in shared memory."""
    s = og.Script(parse_text(WARPS))
    s.matrix.local_name_tile("i", var="a", local_var="d_a", tile=[(0, "n"), (0, 4), (0, 32)])
    s.matrix.local_name_tile("i", var="b", local_var="d_b", tile=[(0, "n"), (0, 4), (0, 32)], uninit=True)
    with s.phase("kernel"):
        s.gpu.create_kernel_launch("i", grid="n", block=128, smem="4 * 32 * sizeof(float)")
        s.loop.hoist_alloc("t", dest=Call("kernel_setup_end"))
        s.gpu.convert_tail_thread_for(For("l", body=Write("t")))
        s.gpu.convert_tail_thread_for(For("l", body=Write("d_b")), [True, True])
        s.gpu.convert_magic_thread_fors("i")
        s.gpu.convert_to_global_mem("d_a")
        s.gpu.convert_to_global_mem("d_b")
        s.gpu.convert_to_shared_mem("t", chop_dims=1)
        getattr(s.gpu, barrier)(Call("magic_barrier").first)
        s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier"))
    return s


def test_a_magic_barrier_becomes_a_barrier_of_a_warp() -> None:
    s = warps("magic_barrier_to_warpsync")
    assert s.result.verified and "warpsync();" in s.text() and "magic" not in s.text()


def test_a_barrier_of_the_block_does_not_fit_where_a_warp_is() -> None:
    with pytest.raises(StepError) as caught:
        warps("magic_barrier_to_blocksync")
    assert caught.value.diagnostic.code == "OG345"
    with pytest.raises(InputError, match="the kernel does not end here"):
        warps("magic_barrier_to_teardown_sync")


GHOSTS = """
void f(int n, float a[n][4][8]) {
  __requires("n >= 0");
  __writes("a ~> Matrix3(n, 4, 8, fun i j k -> 1)");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      for (int k = 0; k < 8; k++) a[i][j][k] = 1.0f;
      __ASSERT("j < 4");
    }
  }
}
"""


def test_the_barrier_of_a_tail_nest_is_hoisted_and_ghosts_follow_it() -> None:
    s = og.Script(parse_text(GHOSTS))
    s.gpu.convert_tail_thread_for("k", [True, False])
    lines = [line.strip() for line in s.text().splitlines()]
    heads = [line for line in lines if "for (" in line or "barrier" in line or "ASSERT" in line]
    assert s.result.verified and heads == [
        "for (int i = 0; i < n; i++) {",
        "magic thread for (int j = 0; j < 4; j++) {",
        "magic thread for (int k = 0; k < 8; k++) {",
        "magic_barrier();",
        "for (int i = 0; i < n; i++) {",
        "for (int j = 0; j < 4; j++) {",
        '__ASSERT("j < 4");',
    ]


def test_only_the_tail_of_a_loop_is_converted_with_it() -> None:
    s = og.Script(parse_text(GHOSTS.replace('__ASSERT("j < 4");', "a[i][j][0] = 1.0f;")))
    with pytest.raises(InputError, match="this follows the loop over `k`, so that one is not the tail") as caught:
        s.gpu.convert_tail_thread_for("k", [True])
    assert caught.value.diagnostic.labels[0].loc.line == 8
    s.gpu.convert_tail_thread_for("k")
    assert s.result.verified
    with pytest.raises(InputError, match="`outer` has too many elements"):
        og.Script(parse_text(GHOSTS)).gpu.convert_tail_thread_for("k", [True, True, True])


def test_dependent_iterations_are_not_converted() -> None:
    text = GHOSTS.replace("a[i][j][k] = 1.0f;", "a[i][j][k] = k == 0 ? 1.0f : a[i][j][k - 1];")
    s = og.Script(parse_text(text))
    with pytest.raises(StepError):
        s.gpu.convert_tail_thread_for("k", [True])


def test_only_loops_around_barriers_alone_are_removed() -> None:
    with pytest.raises(InputError, match="this is not a loop around a magic barrier alone"):
        og.Script(parse_text(TWO_LOOPS)).gpu.remove_loop_around_barrier("i")
