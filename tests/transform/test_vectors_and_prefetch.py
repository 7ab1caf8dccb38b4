"""Steps that make kernels fast (vector accesses, no guards, prefetching, layouts): what they do and refuse, what is rejected."""

from __future__ import annotations

import numpy as np
import pytest

import optigpu as og
from optigpu import For, Write
from optigpu.frontend import parse_text
from optigpu.script.step_errors import StepError
from optigpu.syntax.diagnostic import InputError

COPY = "A(i)"


def script(
    body: str, value: str = COPY, *, requires: str = "n % 128 == 0", size: str = "n", width: int = 4
) -> og.Script:
    """A kernel in which thread t of block b runs the body for the elements `128 * b + width * t + v`; `a` is read, `c` written."""
    s = og.Script(
        parse_text(f"""
        void f(int n, float a[{size}], float c[n]) {{
          __requires("A: int -> float, {requires}");
          __reads("a ~> Matrix1({size}, A)");
          __writes("c ~> Matrix1(n, fun i -> {value})");
          for (int b = 0; b < n / 128; b++) {{
            for (int t = 0; t < {128 // width}; t++) {{
              for (int v = 0; v < {width}; v++) {{
                {body}
              }}
            }}
          }}
        }}""")
    )
    s.gpu.launch(grid=["b"], block=["t"])
    return s


def at(width: int = 4) -> str:
    return f"128 * b + {width} * t + v"


def test_a_copy_becomes_a_load_and_a_store() -> None:
    s = script(f"c[{at()}] = a[{at()}];")
    s.gpu.vectorize("v")
    text = s.text()
    assert "vload4(&d_a4[0], &d_a[128 * b + 4 * t]);" in text and "vstore4(&d_c[128 * b + 4 * t], &d_a4[0]);" in text
    assert "v++" not in text


@pytest.mark.parametrize("width", [2, 4])
def test_work_is_done_on_registers(width: int) -> None:
    s = script(f"c[{at(width)}] = 2.0f * a[{at(width)}] + a[{at(width)}];", "3.0f * A(i)", width=width)
    s.gpu.vectorize("v")
    text = s.text()
    assert f"d_c{width}[v] = 2.0f * d_a{width}[v] + d_a{width}[v];" in text
    assert text.count(f"vload{width}") == 1 and text.count(f"vstore{width}") == 1


def test_what_is_updated_is_loaded_and_stored() -> None:
    s = script(f"c[{at()}] = a[{at()}]; c[{at()}] += 1.0f;", "A(i) + 1.0f")
    s.gpu.vectorize("v")
    assert s.text().count("vload4") == 1, "`c` is written before it is read"
    s = og.Script(
        parse_text("""
        void f(int n, float c[n]) {
          __requires("C: int -> float, n % 128 == 0");
          __consumes("c ~> Matrix1(n, C)");
          __produces("c ~> Matrix1(n, fun i -> C(i) + 1.0f)");
          for (int b = 0; b < n / 128; b++) {
            for (int t = 0; t < 32; t++) { for (int v = 0; v < 4; v++) { c[128 * b + 4 * t + v] += 1.0f; } }
          }
        }""")
    )
    s.gpu.launch(grid=["b"], block=["t"])
    s.gpu.vectorize("v")
    text = s.text()
    assert "vload4(&d_c4[0], &d_c[128 * b + 4 * t]);" in text and "vstore4(&d_c[128 * b + 4 * t], &d_c4[0]);" in text


def test_only_the_arrays_that_are_named_are_accessed_by_vectors() -> None:
    s = script(f"c[{at()}] = a[{at()}];")
    s.gpu.vectorize("v", arrays=["d_a"])
    text = s.text()
    assert "vload4" in text and "vstore4" not in text and "d_c[128 * b + 4 * t + v] = d_a4[v];" in text


def test_the_emitted_kernel_computes_the_same() -> None:
    s = script(f"c[{at()}] = 2.0f * a[{at()}] + a[{at()}];", "3.0f * A(i)")
    s.gpu.vectorize("v")
    a = np.arange(384, dtype=np.float32)
    c = np.zeros(384, dtype=np.float32)
    s.build()(384, a, c)
    assert np.array_equal(c, 3 * a)


def test_a_misaligned_access_is_rejected() -> None:
    s = script(f"c[{at()}] = a[{at()} + 1];", "A(i + 1)", size="n + 4")
    before = s.program
    with pytest.raises(StepError, match="offset 1 is not a multiple of 4") as e:
        s.gpu.vectorize("v", arrays=["d_a"])
    assert e.value.diagnostic.code == "OG353" and s.program is before
    s.gpu.vectorize("v", arrays=["d_c"])


ROWS = """
void f(int h, int w, float a[h][4 * w + REST], float c[h][4]) {
  __requires("A: int * int -> float, w > 0, h >= 0");
  __reads("a ~> Matrix2(h, 4 * w + REST, A)");
  __writes("c ~> Matrix2(h, 4, fun i j -> A(i, j))");
  for (int b = 0; b < h; b++) {
    for (int t = 0; t < 1; t++) {
      for (int v = 0; v < 4; v++) { c[b][v] = a[b][v]; }
    }
  }
}
"""


@pytest.mark.parametrize(("rest", "verified"), [("0", True), ("2", False)])
def test_rows_start_aligned_only_if_their_length_is_a_multiple(rest: str, verified: bool) -> None:
    s = og.Script(parse_text(ROWS.replace("REST", rest)))
    s.gpu.launch(grid=["b"], block=["t"])
    if verified:
        s.gpu.vectorize("v")
    else:
        with pytest.raises(StepError, match="offset 6 is not a multiple of 4"):
            s.gpu.vectorize("v")


def test_an_element_outside_the_array_is_rejected() -> None:
    """The last element is never read by an iteration; a vector would read all four."""
    body = f"c[{at()}] = {at()} < n - 1 ? a[{at()}] : 0.0f;"
    s = script(body, "i < n - 1 ? A(i) : 0.0f", size="n - 1", requires="n % 128 == 0, n > 0")
    with pytest.raises(StepError):
        s.gpu.vectorize("v", arrays=["d_a"])
    s.gpu.vectorize("v", arrays=["d_c"])


def test_what_is_written_and_read_back_otherwise_is_rejected() -> None:
    """`c` is also read in a way that is no vector: the vector store after the loop comes too late for it."""
    s = script(f"c[{at()}] = a[{at()}]; c[{at()}] += c[({at()}) % n];", "2.0f * A(i)")
    with pytest.raises(StepError):
        s.gpu.vectorize("v")
    s.gpu.vectorize("v", arrays=["d_a"])


def test_overlapping_vectors_of_one_array_are_rejected() -> None:
    """The second vector is loaded before the first is stored, but iterations write the first before they read the second."""
    s = og.Script(
        parse_text("""
        void f(float c[12], float d[4]) {
          __requires("D: int -> float, C: int -> float");
          __reads("d ~> Matrix1(4, D)");
          __consumes("c ~> Matrix1(12, C)");
          __produces("for i in 0..4 -> &c[i] ~~> D(i), for i in 4..8 -> &c[i] ~~> D(i - 4), for i in 8..12 -> &c[i] ~~> C(i)");
          for (int b = 0; b < 1; b++) {
            for (int t = 0; t < 1; t++) {
              for (int v = 0; v < 4; v++) {
                c[v] = d[v];
                c[v + 4] = c[b + v];
              }
            }
          }
        }""")
    )
    s.gpu.launch(grid=["b"], block=["t"])
    with pytest.raises(StepError):
        s.gpu.vectorize("v")


@pytest.mark.parametrize(
    ("body", "arrays", "code", "why"),
    [
        (f"c[{at()}] = a[n - 1 - ({at()})];", ["d_a"], "OG603", "no neighbouring elements"),
        (f"c[{at()}] = a[n - 1 - ({at()})];", ["d_x"], "OG601", "not accessed in this loop"),
        (f"if (v >= 0) {{ c[{at()}] = a[n - 1 - ({at()})]; }}", None, "OG603", "inside a condition"),
        (f"for (int q = 0; q < 1; q++) {{ c[{at()}] = a[n - 1 - ({at()})]; }}", None, "OG603", "inside a loop"),
        (f"const int q = 128 * b; c[q + 4 * t + v] = a[n - 1 - ({at()})];", None, "OG603", "depends on `q`"),
    ],
)
def test_what_is_no_vector_is_refused(body: str, arrays: list[str] | None, code: str, why: str) -> None:
    s = script(body, "A(n - 1 - i)")
    with pytest.raises(InputError, match=why) as e:
        s.gpu.vectorize("v", arrays=arrays)
    assert e.value.diagnostic.code == code


@pytest.mark.parametrize("width", [1, 16])
def test_only_two_four_or_eight_elements_are_vectors(width: int) -> None:
    s = script(f"c[{at(width)}] = a[{at(width)}];", width=width)
    with pytest.raises(InputError, match="2 or 4 or 8"):
        s.gpu.vectorize("v")


def test_vectors_are_for_threads() -> None:
    s = og.Script(
        parse_text("""
        void f(float c[4]) {
          __writes("c ~> Matrix1(4, fun i -> 0)");
          for (int v = 0; v < 4; v++) { c[v] = 0.0f; }
        }""")
    )
    with pytest.raises(InputError, match="only threads of a kernel"):
        s.gpu.vectorize("v")


# The loop without its guards ------------------------------------------------------------------------------------------------

GUARDED = """
void f(int n, float a[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("c ~> Matrix1(n, fun i -> A(i))");
  for (int i = 0; i < n; i++) { c[i] = a[i]; }
}
"""


def test_a_fast_path_has_no_guards_and_keeps_the_rest() -> None:
    s = og.Script(parse_text(GUARDED))
    s.loop.tile("i", 8, outer="b", tail="guard")
    s.loop.tile("i", 4, outer="t")
    fast = s.loop.fast_path("t")
    text = s.text()
    assert "if (b * 8 + 4 + 3 < n)" in text or "if (b * 8 + 7 < n)" in text
    assert text.count("< n") == 2
    s.loop.unroll_hint(fast)
    assert s.text().count("#pragma unroll") == 1


def test_a_fast_path_may_have_another_condition() -> None:
    s = og.Script(parse_text(GUARDED))
    s.loop.tile("i", 4, outer="b", tail="guard")
    s.loop.fast_path("i", when="n % 4 == 0")
    assert "b * 4 + 3 < n && n % 4 == 0" in s.text()


BORDER = """
void f(int n, float a[n], float c[n]) {
  __requires("A: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __writes("c ~> Matrix1(n, fun i -> 0 < i && i < n - 1 ? A(i - 1) + A(i + 1) : A(i))");
  for (int i = 0; i < n; i++) { if (0 < i && i < n - 1) { c[i] = a[i - 1] + a[i + 1]; } else { c[i] = a[i]; } }
}"""


def test_a_fast_path_is_away_from_the_border() -> None:
    """Lower bounds are tested in the first iteration, upper ones in the last; of two on one index the tighter one."""
    s = og.Script(parse_text(BORDER))
    s.loop.tile("i", 4, outer="b", tail="guard")
    fast = s.loop.fast_path("i")
    assert "if (0 < b * 4 && b * 4 + 3 < n - 1) {" in s.text()
    s.loop.unroll_hint(fast)
    assert s.text().count("else") == 2


def test_a_fast_path_counts_down() -> None:
    s = og.Script(parse_text(BORDER.replace("int i = 0; i < n; i++", "int i = n - 1; i >= 0; i--")))
    s.loop.fast_path("i")
    assert "if (0 < " in s.text()


def test_an_else_that_has_nothing_to_do_with_the_loop_stays() -> None:
    s = og.Script(parse_text(BORDER))
    s.loop.tile("i", 4, outer="b", tail="guard")
    s.instr.replace(
        For("i"),
        "for (int i = 0; i < 4; i++) { if (b * 4 + i < n) { if (0 < b * 4 + i && b * 4 + i < n - 1) "
        "{ if (b > 2) { c[b * 4 + i] = a[b * 4 + i - 1] + a[b * 4 + i + 1]; } else "
        "{ c[b * 4 + i] = a[b * 4 + i + 1] + a[b * 4 + i - 1]; } } else { c[b * 4 + i] = a[b * 4 + i]; } } }",
    )
    s.loop.fast_path("i")
    assert s.text().count("if (b > 2)") == 2


def test_a_guard_that_first_and_last_iteration_say_nothing_of_is_rejected() -> None:
    """It holds in every third iteration, in the last one too."""
    s = og.Script(
        parse_text("""
        void f(float c[7]) {
          __writes("c ~> Matrix1(7, fun i -> i % 3 == 0 ? 1 : 0)");
          for (int i = 0; i < 7; i++) { c[i] = 0.0f; }
          for (int i = 0; i < 7; i++) { if (i % 3 == 0) { c[i] = 1.0f; } }
        }""")
    )
    with pytest.raises(StepError):
        s.loop.fast_path(For("i").last)


def test_a_loop_without_guards_has_no_fast_path() -> None:
    s = og.Script(parse_text(GUARDED))
    with pytest.raises(InputError, match="no guards"):
        s.loop.fast_path("i")


def test_a_guard_on_what_the_loop_computes_is_refused() -> None:
    body = "for (int i = 0; i < n; i++) { const int j = i + 1; if (j > 0) { c[i] = a[i]; } }"
    s = og.Script(parse_text(GUARDED.replace("for (int i = 0; i < n; i++) { c[i] = a[i]; }", body)))
    with pytest.raises(InputError, match="depends on `j`"):
        s.loop.fast_path("i")


# Layouts ------------------------------------------------------------------------------------------------------------------------

LOCAL = """
void f(float c[4][2]) {
  __writes("c ~> Matrix2(4, 2, fun i j -> i + j)");
  float t[4][2];
  for (int i = 0; i < 4; i++) { for (int j = 0; j < 2; j++) { t[i][j] = i + j; } }
  for (int i = 0; i < 4; i++) { for (int j = 0; j < 2; j++) { c[i][j] = t[i][j]; } }
}
"""


def test_merged_dimensions_keep_their_layout() -> None:
    s = og.Script(parse_text(LOCAL))
    s.matrix.merge_dims("t", 0)
    assert "float t[8];" in s.text() and "c[i][j] = t[i * 2 + j];" in s.text()


@pytest.mark.parametrize(("first", "count"), [(1, 2), (0, 3), (-1, 2), (0, 1)])
def test_dimensions_that_are_not_there_are_refused(first: int, count: int) -> None:
    s = og.Script(parse_text(LOCAL))
    with pytest.raises(InputError, match="has no dimensions") as e:
        s.matrix.merge_dims("t", first, count)
    assert e.value.diagnostic.code == "OG604"


# Registers left for other blocks ----------------------------------------------------------------------------------------------


def test_a_launch_says_how_many_blocks_a_multiprocessor_should_hold() -> None:
    s = og.Script(parse_text(GUARDED))
    s.loop.tile("i", 32, outer="b", tail="guard")
    with pytest.raises(InputError, match="at least one block"):
        s.gpu.launch(grid=["b"], block=["i"], blocks_per_multiprocessor=0)
    s.gpu.launch(grid=["b"], block=["i"], blocks_per_multiprocessor=3)
    assert "__launch_bounds__(32, 3)" in s.cuda().text


# Scans ------------------------------------------------------------------------------------------------------------------------


def running(stores: str = "c[i] = x;", promised: str = "Sum(j in 0..i + 1, A(j))") -> og.Script:
    return og.Script(
        parse_text(f"""
        void f(int n, float a[n], float c[n]) {{
          __requires("A: int -> float");
          __reads("a ~> Matrix1(n, A)");
          __writes("c ~> Matrix1(n, fun i -> {promised})");
          float x = 0.0f;
          for (int i = 0; i < n; i++) {{ {stores} }}
        }}""")
    )


INCLUSIVE, EXCLUSIVE = "x += a[i]; c[i] = x;", "c[i] = x; x += a[i];"


@pytest.mark.parametrize(
    ("stores", "promised"),
    [
        (INCLUSIVE, "Sum(j in 0..i + 1, A(j))"),
        (EXCLUSIVE, "Sum(j in 0..i, A(j))"),
        ("x += a[i]; c[i] = 2.0f * x + 1.0f;", "2 * Sum(j in 0..i + 1, A(j)) + 1"),
    ],
)
def test_a_scan_may_read_twice_and_write_once(stores: str, promised: str) -> None:
    s = running(stores, promised)
    s.reduce.scan("i", 8, outer="t", sums="sums", before="base", twice=True)
    assert s.text().count("c[t * 8 + i] =") == 1


def test_what_is_before_the_tiles_can_be_scanned_in_turn() -> None:
    s = running(INCLUSIVE)
    s.reduce.scan("i", 8, outer="t", sums="sums", before="base", twice=True, running="y")
    s.reduce.scan(For("t", body=Write("base")), 4, outer="g", sums="groups", before="until", twice=True)
    assert "base[g * 4 + t] = until[g] + y;" in s.text()


def test_a_condition_on_the_sum_is_no_scan() -> None:
    s = running("x += a[i]; c[i] = 0.0f; if (x > 1.0f) { c[i] = 0.0f; }", "0")
    with pytest.raises(InputError, match="only `x"):
        s.reduce.scan("i", 8, outer="t", sums="sums", before="base", twice=True)


def test_a_sum_that_is_used_before_the_loop_keeps_its_value() -> None:
    s = running(INCLUSIVE)
    s.instr.insert("float y = x;", before="i")
    s.reduce.scan("i", 8, outer="t", sums="sums", before="base")
    assert "base[t] = x;" in s.text() and "float part = 0.0f;" in s.text()
    assert "x += sums[k];" not in s.text()  # it is not used after the loop


SCANS = {  # the first value, the update of x, what is promised; how the sum of a tile enters an offset, and a slip in its place
    "product": ("1.0f", "x *= a[i];", "Prod(j in 0..i + 1, A(j))", "base[t] *= sums[k];", "base[t] += sums[k];"),
    "maximum": (
        "a[0]",
        "x = fmaxf(x, a[i]);",
        "Max(j in 0..i + 1, A(j))",
        "base[t] = fmaxf(base[t], sums[k]);",
        "base[t] = sums[k];",
    ),
    "minimum": (
        "a[0]",
        "x = fminf(x, a[i]);",
        "Min(j in 0..i + 1, A(j))",
        "base[t] = fminf(base[t], sums[k]);",
        "base[t] = fmaxf(base[t], sums[k]);",
    ),
    "from a number": (
        "3.0f",
        "x += a[i];",
        "3 + Sum(j in 0..i + 1, A(j))",
        "base[t] += sums[k];",
        "base[t] -= sums[k];",
    ),
}


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("name", SCANS)
def test_scans_of_other_operations(name: str, twice: bool) -> None:
    first, update, promised, combine, slip = SCANS[name]
    s = og.Script(
        parse_text(f"""
        void f(int n, float a[n], float c[n]) {{
          __requires("A: int -> float, n > 0");
          __reads("a ~> Matrix1(n, A)");
          __writes("c ~> Matrix1(n, fun i -> {promised})");
          float x = {first};
          for (int i = 0; i < n; i++) {{ {update} c[i] = x; }}
        }}""")
    )
    s.reduce.scan("i", 8, outer="t", sums="sums", before="base", twice=twice)
    assert combine in s.text()
    with pytest.raises(StepError):
        s.instr.replace(For("k") / Write("base"), slip)


def test_a_running_sum_of_a_loop_around_is_scanned_tile_by_tile() -> None:
    s = running(INCLUSIVE)
    s.loop.tile("i", 64, outer="b", tail="guard")
    s.reduce.scan("i", 8, outer="t", sums="sums", before="base", twice=True)
    assert "base[t] = x;" in s.text() and "x += sums[k];" in s.text()
    with pytest.raises(StepError):
        s.instr.delete(Write("x"))


def test_a_masked_sum_is_scanned() -> None:
    s = running("if (a[i] > 1.0f) { x += a[i]; } c[i] = x;", "Sum(j in 0..i + 1, A(j) >. 1.0f ? A(j) : 0.0f)")
    s.reduce.select(Write("x"))
    assert "x += a[i] > 1.0f ? a[i] : 0.0f;" in s.text()
    with pytest.raises(InputError, match="not a guarded update"):
        s.reduce.select(Write("x"))
    s.reduce.scan("i", 8, outer="t", sums="sums", before="base", twice=True)


# Ranges and cells ---------------------------------------------------------------------------------------------------------------


EXTREME = """
void f(int n, float a[n], float c[1]) {
  __requires("A: int -> float, n > 0");
  __reads("a ~> Matrix1(n, A)");
  __writes("&c[0] ~~> %s");
  float x = a[0];
  for (int i = 1; i < n; i++) { %s; }
  c[0] = x;
}
"""


def test_a_maximum_may_be_taken_with_its_first_value_again() -> None:
    s = og.Script(parse_text(EXTREME % ("Max(i in 0..n, A(i))", "x = fmaxf(x, a[i])")))
    s.loop.widen_range("i", 0)
    assert "for (int i = 0; i < n; i++)" in s.text()


def test_a_sum_is_not_extended() -> None:
    s = og.Script(parse_text(EXTREME % ("Sum(i in 0..n, A(i))", "x += a[i]")))
    with pytest.raises(StepError):
        s.loop.widen_range("i", 0)


def test_a_kernel_leaves_a_value_for_the_next_one() -> None:
    s = og.Script(
        parse_text("""
        void f(int n, float a[n], float c[n]) {
          __requires("A: int -> float, n > 0");
          __reads("a ~> Matrix1(n, A)");
          __writes("c ~> Matrix1(n, fun i -> A(i) - 2 * A(0))");
          const float x = 2.0f * a[0];
          for (int i = 0; i < n; i++) { c[i] = a[i] - x; }
        }""")
    )
    s.variable.to_array("x")
    s.loop.once(Write("x"), index="one")
    s.loop.tile("one", 1, outer="block")
    s.gpu.launch(grid=["block"], block=["one"])
    s.loop.tile("i", 32, outer="b", tail="guard")
    s.gpu.launch(grid=["b"], block=["i"])
    s.gpu.stay_on_device()
    assert "memcpy_device_to_host1(x" not in s.text()
    with pytest.raises(StepError):
        s.instr.replace(Write("d_x"), "d_x[0] = d_a[0];")


# Guards that are passed -------------------------------------------------------------------------------------------------------


def test_declarations_leave_guarded_loops_and_loops_part_inside_guards() -> None:
    s = og.Script(parse_text(GUARDED))
    s.loop.tile("i", 8, outer="b", tail="guard")
    s.variable.bind(Write("c"), "x", "a[b * 8 + i]")
    s.loop.hoist("x")
    s.loop.fission(before=Write("c"))
    text = s.text()
    assert "float x[8];" in text and text.count("if (b * 8 + i < n)") == 2


def test_a_guard_that_the_first_part_changes_cannot_be_parted() -> None:
    s = og.Script(
        parse_text("""
        void f(int n, int c[n], int d[n]) {
          __writes("c ~> Matrix1(n, fun i -> 0), d ~> Matrix1(n, fun i -> 2)");
          for (int i = 0; i < n; i++) { c[i] = 1; d[i] = 1; }
          for (int i = 0; i < n; i++) { if (c[i] == 1) { c[i] = 0; d[i] = 2; } }
        }""")
    )
    with pytest.raises(StepError):
        s.loop.fission(before=Write("d").last)


# Dimensions --------------------------------------------------------------------------------------------------------------------


def rows(index: str = "i * 8 + j", count: int = 8) -> og.Script:
    return og.Script(
        parse_text(f"""
        void f(float c[32]) {{
          __writes("c ~> Matrix1(32, fun i -> 1)");
          float t[32];
          for (int i = 0; i < 32; i++) {{ t[i] = 0.0f; }}
          for (int i = 0; i < 4; i++) {{ for (int j = 0; j < {count}; j++) {{ t[{index}] = 0.0f; }} }}
          for (int i = 0; i < 32; i++) {{ c[i] = t[i] + 1.0f; }}
        }}""")
    )


def test_a_dimension_is_split_into_rows() -> None:
    s = rows()
    s.matrix.split_dim("t", 0, 8)
    text = s.text()
    assert "float t[4][8];" in text and "t[i][j] = 0.0f" in text and "t[i / 8][i % 8] + 1.0f" in text


def test_an_index_that_goes_on_into_the_next_row_cannot_be_split() -> None:
    """In rows of 4, i * 8 is row 2 * i, and j goes up to 7."""
    with pytest.raises(StepError):
        rows().matrix.split_dim("t", 0, 4)


@pytest.mark.parametrize(("dim", "size"), [(1, 8), (0, 5), (0, 0), (-1, 8)])
def test_a_dimension_that_is_not_there_or_does_not_divide_is_refused(dim: int, size: int) -> None:
    with pytest.raises(InputError, match=r"no dimension|does not divide"):
        rows().matrix.split_dim("t", dim, size)
