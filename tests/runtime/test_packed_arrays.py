"""Calls with arrays that are strided, or do not start where compiled code needs it: they are packed for the call."""

from __future__ import annotations

import importlib.util
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import optigpu as og
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.packed_arrays import Layout, has_distinct_elements, layout_of, packed_call, share_elements
from tests.conftest import ROOT
from tests.support.compiling import compiled as compiled_function

needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")

SCALE = """#include <optigpu.h>
void scale(int h, int w, float a[h][w], float b[h][w]) {
  __requires("A: int * int -> float");
  __reads("a ~> Matrix2(h, w, A)");
  __writes("b ~> Matrix2(h, w, fun i j -> 2.0f * A(i, j))");
  for (int i = 0; i < h; i++)
    for (int j = 0; j < w; j++)
      b[i][j] = 2.0f * a[i][j];
}
"""
# Writes every second element and keeps the others; adds to an array in place
PARTS = """#include <optigpu.h>
void parts(int n, float a[2 * n], float sum[n]) {
  __requires("S: int -> float");
  __writes("for i in 0..n -> &a[2 * i] ~~> 1.0f");
  __consumes("sum ~> Matrix1(n, S)");
  __produces("sum ~> Matrix1(n, fun i -> S(i) + 1.0f)");
  for (int i = 0; i < n; i++) {
    a[2 * i] = 1.0f;
    sum[i] += 1.0f;
  }
}
"""
ADD = """#include <optigpu.h>
void add(int n, float a[n], float b[n]) {
  __requires("A: int -> float, B: int -> float");
  __reads("a ~> Matrix1(n, A)");
  __consumes("b ~> Matrix1(n, B)");
  __produces("b ~> Matrix1(n, fun i -> B(i) + A(i))");
  for (int i = 0; i < n; i++)
    b[i] += a[i];
}
"""


@pytest.fixture(scope="module")
def scale() -> CFunction:
    return compiled_function(SCALE, "scale")


def numbers(*shape: int) -> NDArray[np.float32]:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def unaligned(a: NDArray[np.float32]) -> NDArray[np.float32]:
    raw = np.zeros(a.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(a.shape)
    raw[...] = a
    return raw


READ: dict[str, NDArray[Any]] = {
    "rows of a wider array": numbers(4, 9)[:, 2:7],
    "every second element": numbers(4, 10)[:, ::2],
    "columns first": numbers(5, 4).T,
    "from behind": numbers(4, 5)[::-1, ::-1],
    "one row for all": np.broadcast_to(numbers(5), (4, 5)),
    "one number for all": np.broadcast_to(np.float32(3), (4, 5)),
    "unaligned": unaligned(numbers(4, 5)),
    "read-only": np.frombuffer(numbers(8, 5).tobytes(), np.float32).reshape(8, 5)[::2],
}


@pytest.mark.parametrize("name", READ)
def test_arrays_of_any_layout_are_read(scale: CFunction, name: str) -> None:
    a = READ[name]
    assert not (a.flags.c_contiguous and a.flags.aligned)
    before = a.copy()
    for _ in range(2):  # the second call is one of a known kind
        assert np.array_equal(scale(a), 2 * before)
    assert np.array_equal(scale(h=4, w=5, a=a), 2 * before) and np.array_equal(a, before)


@pytest.mark.parametrize("select", [np.s_[:, 2:7], np.s_[:, 7:2:-1], np.s_[::-1, :5], np.s_[:, :10:2]])
def test_what_is_written_is_copied_back(scale: CFunction, select: Any) -> None:
    whole = np.full((4, 11), 7, np.float32)
    scale(numbers(4, 5), whole[select])
    expected = np.full((4, 11), 7, np.float32)
    expected[select] = 2 * numbers(4, 5)
    assert np.array_equal(whole, expected)


def test_what_is_not_written_is_kept_and_what_is_read_is_given() -> None:
    parts = compiled_function(PARTS, "parts")
    a, sums = np.full(16, 5, np.float32), np.full(8, 3, np.float32)
    parts(a[::2], sums[::2])
    assert a.tolist() == [1, 5, 5, 5] * 4 and sums.tolist() == [4, 3] * 4


def test_arrays_may_lie_between_each_other(scale: CFunction) -> None:
    both = np.zeros((4, 10), np.float32)
    both[:, :5] = numbers(4, 5)
    scale(both[:, :5], both[:, 5:])
    assert np.array_equal(both[:, 5:], 2 * numbers(4, 5)) and np.array_equal(both[:, :5], numbers(4, 5))


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.s_[:, :5], np.s_[:, 4:9], "`a` and `b` overlap in memory"),
        (np.s_[:, :5], np.s_[::-1, :5], "`a` and `b` overlap in memory"),
        (np.s_[:, :5], np.s_[:, 6:], "`b` has size w = 5 in dimension 1, but the array has 4"),
    ],
)
def test_arrays_that_share_elements_are_refused(scale: CFunction, a: Any, b: Any, message: str) -> None:
    whole = np.zeros((4, 10), np.float32)
    with pytest.raises(CallError, match=message):
        scale(whole[a], whole[b])
    assert not whole.any()


def test_what_packing_does_not_mend_is_refused(scale: CFunction) -> None:
    a = numbers(4, 10)
    shared = np.lib.stride_tricks.as_strided(np.zeros(5, np.float32), (4, 5), (0, 4))
    with pytest.raises(CallError, match="`b` is written, and some of its elements are in the same place of memory"):
        scale(a[:, ::2], shared)
    read_only = np.zeros((4, 10), np.float32)
    read_only.flags.writeable = False
    with pytest.raises(CallError, match="`b`"):
        scale(a[:, ::2], read_only[:, ::2])
    with pytest.raises(CallError, match="`b` is written, but the array is read-only"):
        scale(a[:, :5].copy(), read_only[:, ::2])
    for no_array in (None, "b"):
        with pytest.raises(CallError, match="`b` is an array"):
            scale(a[:, ::2], no_array)
    masked = np.ma.masked_equal(a, 3)[:, ::2]  # type: ignore[no-untyped-call]
    with pytest.raises(CallError, match="`a`"):
        scale(masked)
    for wrong in (a[:, ::2].astype(np.float64).T.copy().T, a[:, ::2].astype(">f4")):
        with pytest.raises(CallError, match="`a` holds float32"):
            scale(wrong)
    with pytest.raises(CallError, match="takes 4 arguments"):
        scale(4, 5, a[:, ::2], np.zeros((4, 5), np.float32), 1)
    with pytest.raises(CallError, match="`a` is given twice"):
        scale(4, 5, a[:, ::2], a=a[:, ::2])


def test_an_array_is_not_changed_if_the_call_fails() -> None:
    k = compiled_function(SCALE.replace('__requires("', '__requires("h <= 2, '), "scale")
    whole = np.full((4, 10), 7, np.float32)
    with pytest.raises(CallError, match="precondition h <= 2"):
        k(numbers(4, 5), whole[:, ::2])
    assert (whole == 7).all()


@needs_torch
def test_tensors_are_packed(scale: CFunction) -> None:
    import torch

    x, y = torch.arange(40.0).reshape(4, 10), torch.zeros(4, 10)
    assert torch.equal(torch.as_tensor(scale(x[:, ::2])), 2 * x[:, ::2])
    before = y._version
    scale(x[:, ::2], y[:, 1::2])
    assert torch.equal(y[:, 1::2], 2 * x[:, ::2]) and not y[:, ::2].any() and y._version > before
    needs = torch.zeros(4, 10, requires_grad=True)
    for call in (lambda: scale(needs[:, ::2]), lambda: scale(x[:, ::2], needs[:, ::2])):
        with pytest.raises(CallError, match="requires a gradient"):
            call()
    with torch.no_grad():
        scale(x[:, ::2], needs[:, ::2])
        assert torch.equal(needs[:, ::2], 2 * x[:, ::2])


@needs_torch
def test_tensors_of_inference_mode_are_written_anywhere(scale: CFunction) -> None:
    import torch

    with torch.inference_mode():
        y = torch.zeros(4, 10)
        scale(torch.ones(4, 5), y[:, 1::2])
    scale(torch.ones(4, 5), y[:, ::2])
    assert (y == 2).all()


@needs_torch
def test_tensors_without_memory_are_not_packed(scale: CFunction) -> None:
    import torch

    x = torch.empty(5, 4, device="meta").T
    for args in ((x,), (x, x)):
        with pytest.raises(CallError, match="`a`"):
            scale(*args)


@needs_torch
def test_tensors_whose_memory_is_given_back_are_refused(scale: CFunction) -> None:
    import torch

    freed = torch.ones(5, 4).T
    freed.untyped_storage().resize_(0)
    for args in ((freed,), (torch.ones(4, 5), freed)):
        with pytest.raises(CallError):
            scale(*args)
    with pytest.raises(CallError):
        scale(torch.nn.UninitializedParameter())


class ByDlpack:
    """An array of another library, whose addresses only the checks of a call find out."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array, self.shape = array, array.shape

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def test_nothing_is_packed_beside_arrays_of_other_libraries(scale: CFunction) -> None:
    assert np.array_equal(scale(ByDlpack(numbers(4, 5))), 2 * numbers(4, 5))
    whole = numbers(4, 10)
    for args in ((ByDlpack(whole.ravel()[:20].reshape(4, 5)), whole[:, ::2]), (whole[:, ::2], ByDlpack(numbers(4, 5)))):
        with pytest.raises(CallError, match="is not contiguous"):
            scale(*args)
        assert np.array_equal(whole, numbers(4, 10))


@pytest.mark.parametrize("library", ["numpy", pytest.param("torch", marks=needs_torch)])
def test_great_shapes_of_small_arrays_are_refused(scale: CFunction, library: str) -> None:
    size = 1 << 23
    if library == "numpy":
        a: Any = np.broadcast_to(np.float32(3), (size, size))
    else:
        import torch

        a = torch.ones(()).expand(size, size)
    with pytest.raises(CallError, match=f"`a` of size {size} x {size} cannot be packed: "):
        scale(a)


@needs_torch
def test_an_operator_reads_what_lies_between_what_it_writes() -> None:
    import torch

    op = compiled_function(ADD, "add").register("test::add_between")
    whole = torch.arange(20.0)
    op(whole[10:], whole[::2])
    assert whole[::2].tolist() == [10.0, 13.0, 16.0, 19.0, 22.0, 25.0, 28.0, 31.0, 34.0, 37.0]


def test_vector_accesses_take_arrays_from_any_element() -> None:
    s = og.Script(ROOT / "examples" / "vector_add.c")
    og.schedules.elementwise(s, "i")
    k = s.build()
    room = numbers(70)
    assert np.array_equal(k(room[1:34], room[33:0:-1]), np.full(33, 34, np.float32))


# The addresses of elements


def addresses(x: Layout) -> list[int]:
    out = [x.pointer]
    for n, step in zip(x.shape, x.strides):
        out = [at + i * step for at in out for i in range(n)]
    return [at + k for at in out for k in range(x.size)]


def random_layout(random: np.random.Generator) -> Layout:
    rank = int(random.integers(1, 4))
    shape = tuple(int(n) for n in random.integers(0, 4, rank))
    strides = tuple(4 * int(n) for n in random.integers(-6, 7, rank))
    return Layout(1 << 20 | 4 * int(random.integers(0, 8)), shape, strides, 4, "float32", False, True, False)


def test_shared_elements_are_found() -> None:
    random = np.random.default_rng(0)
    seen: set[tuple[bool, bool]] = set()
    for _ in range(3000):
        a, b = random_layout(random), random_layout(random)
        common = bool({*addresses(a)} & {*addresses(b)})
        assert share_elements(a, b) == common
        cells = addresses(a)
        if has_distinct_elements(a):
            assert len({*cells}) == len(cells)
        if cells:
            assert a.bounds == (min(cells), max(cells) + 1)
        seen.add((common, has_distinct_elements(a)))
    assert len(seen) == 4


def test_slices_have_distinct_elements() -> None:
    whole = np.zeros((3, 4, 5, 2), np.float32)
    for part in (whole, whole.T, whole[::2, :, ::-1], whole.transpose(2, 0, 3, 1)[1:, :, :, ::3]):
        layout = layout_of(part)
        assert layout is not None and has_distinct_elements(layout)


def test_nothing_is_packed_without_need(scale: CFunction) -> None:
    a = numbers(4, 5)
    for args in ((a,), (a, a.copy()), (4, 5, a, a.copy()), (np.zeros((0, 5), np.float32)[:, ::2],), (), ("a",)):
        assert packed_call(scale.signature, args, {}, {}) is None
