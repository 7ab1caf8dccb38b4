"""Arrays on their way to the memory of a GPU: allocations hoisted out of loops, distributed dimensions, copies as memcpy."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu import Call, Decl, For, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError
from tests.support.card_context import AcceptingVerifier
from tests.support.cuda import on_standin

REVERSED_ROWS = """
void reversed(int n, int m, float a[n][m * 32], float b[n][m * 32]) {
  __requires("A: int * int -> float, n >= 0, m >= 1, m <= 256");
  __reads("a ~> Matrix2(n, m * 32, A)");
  __writes("b ~> Matrix2(n, m * 32, fun i j -> A(i, m * 32 - 1 - j))");
  for (int i = 0; i < n; i++) {
    float* const row = MALLOC2(float, m, 32);
    for (int j = 0; j < 32; j++) {
      for (int k = 0; k < m; k++) {
        row[k][j] = a[i][k * 32 + j];
      }
    }
    for (int j = 0; j < 32; j++) {
      for (int k = 0; k < m; k++) {
        b[i][k * 32 + j] = row[m - 1 - k][31 - j];
      }
    }
    free(row);
  }
}
"""
COPIES = """
void f(int n, int m, float a[n][m], float b[n][m], float c[n][m]) {
  __requires("A: int * int -> float, n >= 0, m >= 0");
  __reads("a ~> Matrix2(n, m, A)");
  __writes("b ~> Matrix2(n, m, A), c ~> Matrix2(n, m, A)");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      b[i][j] = a[i][j];
      c[i][j] = a[i][j];
    }
  }
}
"""


def reversed_rows(
    text: str = REVERSED_ROWS,
    *,
    bytes: str = "m * 32 * sizeof(float)",
    barrier: bool = True,
    setup: bool = True,
) -> og.Script:
    """Each block reverses a row, whose length is not a number, in shared memory."""
    s = og.Script(parse_text(text))
    s.matrix.local_name_tile("i", var="a", local_var="d_a", tile=[(0, "n"), (0, "m * 32")])
    s.matrix.local_name_tile("i", var="b", local_var="d_b", tile=[(0, "n"), (0, "m * 32")], uninit=True)
    with s.phase("kernel"):
        kernel = s.gpu.create_kernel_launch("i", grid="n", block=32, smem=bytes)
        s.loop.hoist_alloc("row", dest=Call("kernel_setup_end") if setup else kernel)
        s.gpu.convert_tail_thread_for(For("j", body=Write("row")))
        s.gpu.convert_tail_thread_for(For("j", body=Write("d_b")), [True])
        s.gpu.convert_magic_thread_fors("i")
        s.gpu.convert_to_global_mem("d_a")
        s.gpu.convert_to_global_mem("d_b")
        s.gpu.convert_to_shared_mem("row", chop_dims=1)
        if barrier:
            s.gpu.magic_barrier_to_blocksync(Call("magic_barrier").first)
        else:
            s.instr.delete(Call("magic_barrier").first)
        s.gpu.magic_barrier_to_teardown_sync(Call("magic_barrier"))
    return s


def test_shared_memory_of_symbolic_size_is_verified_and_runs() -> None:
    s = reversed_rows()
    assert s.result.verified and "float* const row = __smem_malloc2<float>(m, 32);" in s.text()
    a = np.arange(5 * 96, dtype=np.float32).reshape(5, 96)
    b = np.zeros_like(a)
    on_standin(s.program)(5, 3, a, b)
    assert (b == a[:, ::-1]).all()


def test_an_array_of_one_kernel_moves_into_its_setup() -> None:
    before, inside = reversed_rows(setup=False), reversed_rows()
    assert before.result.verified and before.text() == inside.text()


def test_contracts_that_are_written_out_follow_the_memory() -> None:
    text = REVERSED_ROWS.replace(
        "row[k][j] = a",
        '__xconsumes("&row[k][j] ~>[Any] UninitCell"); __xproduces("&row[k][j] ~~>[Any] A(i, 32 * k + j)"); row[k][j] = a',
    )
    s = reversed_rows(text)
    assert s.result.verified
    assert '__xproduces("&row[DMINDEX1(n, i)][k][j] ~~>[SMem] A(i, 32 * k + j)");' in s.text()
    with pytest.raises(StepError):  # what is written stays what is checked
        reversed_rows(text.replace("32 * k + j)", "32 * k + j + 1)"))


def test_shared_memory_of_symbolic_size_needs_its_bytes_and_its_barrier() -> None:
    with pytest.raises(StepError) as caught:
        reversed_rows(bytes="m * 16 * sizeof(float)")
    assert caught.value.diagnostic.code == "OG349"
    with pytest.raises(StepError) as caught:
        reversed_rows(barrier=False)
    assert caught.value.diagnostic.code == "OG341"


def test_two_local_copies_of_matrices_have_indices_of_their_own() -> None:
    s = og.Script(parse_text(COPIES))
    for array in ("b", "c"):
        s.matrix.local_name_tile("i", var=array, local_var=f"d_{array}", tile=[(0, "n"), (0, "m")], uninit=True)
    s.matrix.local_name_tile("i", var="a", local_var="d_a", tile=[(0, "n"), (0, "m")])
    assert s.result.verified
    s.matrix.memcpy(dst="b", src="a", dims=["n", "m"], before=Decl("d_b"))
    assert s.result.verified


def test_a_copy_out_of_bounds_is_rejected() -> None:
    s = og.Script(parse_text(COPIES))
    with pytest.raises(StepError) as caught:
        s.matrix.memcpy(dst="b", src="a", dims=["n", "m + 1"], before="i")
    assert caught.value.diagnostic.code == "OG302"


# Hoisted allocations ---------------------------------------------------------------------------------------------------------

SCRATCH = """
void f(int n, float a[n][4][8]) {
  __requires("n >= 0");
  __writes("a ~> Matrix3(n, 4, 8, fun i j k -> 1)");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      float* const t = MALLOC1(float, 8);
      for (int k = 0; k < 8; k++) t[k] = 1.0f;
      for (int k = 0; k < 8; k++) a[i][j][k] = t[k];
      free(t);
    }
  }
}
"""


def scratch() -> og.Script:
    return og.Script(parse_text(SCRATCH))


def test_an_allocation_gets_a_dimension_for_each_loop_that_it_leaves() -> None:
    s = scratch()
    s.loop.hoist_alloc("t", dest="i")
    assert s.result.verified and "float* const t = MALLOC3(float, n, 4, 8);" in s.text() and "t[i][j][k]" in s.text()
    assert s.text().count("free(t);") == 1


def test_an_allocation_is_used_again_in_sequential_loops() -> None:
    s = scratch()
    s.loop.hoist_alloc("t", dest="i", indep=["i"])
    assert s.result.verified and "float* const t = MALLOC2(float, 4, 8);" in s.text()


def test_parallel_iterations_do_not_share_an_allocation() -> None:
    s = scratch()
    s.loop.parallel("j")
    s.loop.hoist_alloc("t", dest="i", indep=["i"])
    assert s.result.verified
    other = scratch()
    other.loop.parallel("j")
    with pytest.raises(StepError):
        other.loop.hoist_alloc("t", dest="i", indep=["i", "j"])


def test_hoist_alloc_refuses_what_is_not_around_the_declaration() -> None:
    s = scratch()
    with pytest.raises(InputError, match="`dest` is not a statement before `t` in a body around it"):
        s.loop.hoist_alloc("t", dest=For("k").last)
    with pytest.raises(InputError, match="`t` does not leave a loop over `k`"):
        s.loop.hoist_alloc("t", dest="i", indep=["k"])
    with pytest.raises(InputError, match="this is not a declaration"):
        s.loop.hoist_alloc(For("k").first, dest="i")


def test_hoist_alloc_leaves_conditions_and_blocks() -> None:
    s = og.Script(
        parse_text("""
        void f(int n, float a[n]) {
          __requires("n >= 0");
          __writes("a ~> Matrix1(n, fun i -> 1)");
          for (int i = 0; i < n; i++) {
            if (i >= 0) {
              {
                float* const t = MALLOC1(float, 8);
                t[0] = 1.0f;
                a[i] = t[0];
                free(t);
              }
            }
          }
        }""")
    )
    s.loop.hoist_alloc("t", dest="i")
    assert s.result.verified and "float* const t = MALLOC2(float, n, 8);" in s.text()


# Where arrays live -----------------------------------------------------------------------------------------------------------


def in_setup(declaration: str, index: str = "t[b][0]", free: str = "") -> og.Script:
    text = f"""
    void f(int n) {{
      __requires("n >= 0");
      kernel_launch(n, 1, 8 * sizeof(float));
      {declaration}
      kernel_setup_end();
      thread for (int b = 0; b < n; b++) {{ {index} = 0.0f; }}
      kernel_teardown_begin();
      {free}
      kernel_kill();
    }}"""
    return og.Script(parse_text(text), verifier=AcceptingVerifier())


def test_chopped_dimensions_number_the_blocks() -> None:
    s = in_setup("float* const t = MALLOC2(float, n, 8);", free="free(t);")
    s.gpu.convert_to_shared_mem("t", chop_dims=1)
    checked = og.Script(s.program)
    assert checked.result.verified and "t[DMINDEX1(n, b)][0]" in checked.text()


def test_an_array_without_free_is_freed_in_the_teardown() -> None:
    s = in_setup("float t[n][4];")
    s.gpu.convert_to_shared_mem("t", chop_dims=1, pad=og.pad(1))
    checked = og.Script(s.program)
    assert checked.result.verified and "__smem_free1(t, 5);" in checked.text()


@pytest.mark.parametrize(
    ("chop_dims", "message"),
    [
        (0, "where shared memory has one copy for each block"),
        (2, "all dimensions of `t` would number blocks"),
        (3, "`t` has 2 dimensions"),
    ],
)
def test_a_wrong_number_of_chopped_dimensions_is_refused(chop_dims: int, message: str) -> None:
    s = in_setup("float* const t = MALLOC2(float, n, 8);", free="free(t);")
    with pytest.raises(InputError, match=message) as caught:
        s.gpu.convert_to_shared_mem("t", chop_dims=chop_dims)
    assert caught.value.diagnostic.code == "OG604"


def test_a_chopped_dimension_that_does_not_number_the_blocks_is_rejected() -> None:
    s = in_setup("float* const t = MALLOC2(float, 8, 8);", index="t[0][0]", free="free(t);")
    s.gpu.convert_to_shared_mem("t", chop_dims=1)
    with pytest.raises(StepError):
        og.Script(s.program)


def test_an_array_that_others_use_does_not_move_into_a_setup() -> None:
    s = og.Script(
        parse_text("""
        void f(int n) {
          float* const t = MALLOC2(float, n, 8);
          {
            kernel_launch(n, 1, 8 * sizeof(float));
            kernel_setup_end();
            thread for (int b = 0; b < n; b++) { t[b][0] = 0.0f; }
            kernel_teardown_begin();
            kernel_kill();
          }
          t[0][0] = 1.0f;
          free(t);
        }"""),
        verifier=AcceptingVerifier(),
    )
    with pytest.raises(InputError, match="`t` is not allocated in the setup of a kernel or before one"):
        s.gpu.convert_to_shared_mem("t", chop_dims=1)


def test_only_allocations_of_a_setup_have_dimensions_to_chop() -> None:
    s = scratch()
    with pytest.raises(InputError, match="`t` is not allocated in the setup of a kernel") as caught:
        s.gpu.convert_to_shared_mem("t", chop_dims=1)
    assert 's.loop.hoist_alloc("t", dest=Call("kernel_setup_end"))' in (caught.value.diagnostic.help or "")


# Copies ----------------------------------------------------------------------------------------------------------------------

ROUND_TRIP = """
void f(int n, float a[n][8], float b[n][8]) {
  __requires("A: int * int -> float, n >= 0");
  __reads("a ~> Matrix2(n, 8, A)");
  __writes("b ~> Matrix2(n, 8, A)");
  float* const d = MALLOC2(float, n, 8);
  for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) d[i][j] = a[i][j];
  for (int i = 0; i < n; i++) for (int j = 0; j < 8; j++) b[i][j] = d[i][j];
  free(d);
}
"""


def test_copies_of_an_array_in_global_memory_become_memcpy() -> None:
    s = og.Script(parse_text(ROUND_TRIP))
    s.gpu.convert_to_global_mem("d")
    text = s.text()
    assert s.result.verified and "memcpy_host_to_device2(d, a, n, 8);" in text
    assert "memcpy_device_to_host2(b, d, n, 8);" in text and "for" not in text.replace("float", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("d[i][j] = a[i][j]", "d[i][j] = a[i][7 - j]"),
        ("d[i][j] = a[i][j]", "d[i][j] = 2.0f * a[i][j]"),
        ("for (int j = 0; j < 8; j++) d", "for (int j = 7; j >= 0; j--) d"),
    ],
)
def test_other_loops_stay_loops_and_the_host_cannot_access_the_array(old: str, new: str) -> None:
    s = og.Script(parse_text(ROUND_TRIP.replace(old, new, 1).replace("b ~> Matrix2(n, 8, A)", "b ~> Cells2(n, 8)")))
    with pytest.raises(StepError) as caught:
        s.gpu.convert_to_global_mem("d")
    assert caught.value.diagnostic.code == "OG348"
    with pytest.raises(InputError, match=r"not a nest of loops that copies one array to another|not in memory"):
        s.gpu.loop_to_memcpy(For("i").first)


def test_memcpy_is_not_for_two_arrays_of_the_host() -> None:
    s = og.Script(parse_text(ROUND_TRIP))
    with pytest.raises(InputError, match="`d` and `a` are not in memory that memcpy copies between"):
        s.gpu.loop_to_memcpy(For("i").first)
