"""The compiled checks of a call accept nothing that the interpreted ones refuse, and pass the same arguments."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.light_dataclass import replace
from optigpu.runtime.call_error import CallError
from optigpu.runtime.compiled_checks import checks_of, library_of
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.fact_code import HELPERS, INTEGER, TRUTH, fact_text, size_text
from optigpu.runtime.preconditions import holds, integer_value
from optigpu.runtime.signature import ArrayParam, ScalarParam, Signature, signature_of
from optigpu.runtime.unchecked import Unchecked
from optigpu.runtime.usual_calls import UsualCalls
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.types import Kind
from tests.support import fake_torch
from tests.support.fake_torch import Parameter, Tensor

CONTRACTS = {
    "transpose": """void f(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float, W % 2 == 0"); __reads("a ~> Matrix2(H, W, A)");
  __writes("b ~> Matrix2(W, H, fun i j -> A(j, i))"); }""",
    "numbers": """void f(int64_t n, bool up, float x, double y, unsigned u, float a[n]) {
  __requires("n >= 0, x < 4.5, u + 1 > 1, n <= 3 || up, y != 2.0, INT_MAX > n");
  __preserves("a ~> Cells1(n)"); }""",
    "formulas": """void f(int n, uint8_t k, int a[n / 2 + 1][2 * n], double b[max(n, 3)]) {
  __requires("n >= 0, n / 3 * 3 <= n, (k << 1) % 5 != 1 ==> k > 2, min(n, 7) >= 1, forall i in 0..n -> i * i <= 30");
  __writes("a ~> Cells2(n / 2 + 1, 2 * n)"); __reads("b ~> Cells1(max(n, 3))"); }""",
    "unsized": """void f(int n, int m, float* a, float b[m]) {
  __requires("n >= 0"); __preserves("for i in 0..n -> &a[2 * i + 1] ~> Cell"); __writes("b ~> Cells1(m)"); }""",
    "output sizes": """void f(int n, int m, float x, float a[n], float b[n][m], float c[n + 2]) {
  __requires("m <= 4"); __reads("a ~> Cells1(n)"); __writes("b ~> Cells2(n, m)");
  __writes("for i in 0..n -> &c[i] ~> Cell"); }""",
}  # fmt: skip


def signature(text: str) -> Signature:
    program = parse_text(text)
    f = without_constants(program, program.functions()[-1])
    return signature_of(f, effective_types(f))


SIGNATURES = {name: signature(text) for name, text in CONTRACTS.items()}


@pytest.fixture(autouse=True)
def torch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with monkeypatch.context() as m:
        module = fake_torch.fake_torch()
        m.setitem(sys.modules, "torch", module)
        yield module


def function(s: Signature, alignment: dict[str, int] | None = None) -> tuple[CudaFunction, list[tuple[Any, ...]]]:
    """A function whose compiled code only notes what it gets."""
    k = object.__new__(CudaFunction)
    k.signature, k.standin, k.alignment, k._open = s, False, alignment or {}, Unchecked(s.name)
    k._usual = UsualCalls(s, k.alignment, ("torch", "cupy"))
    got: list[tuple[Any, ...]] = []
    k._device = lambda *raw, stream, device_: got.append((*raw, stream, device_))
    k._usual.entry = lambda *raw: got.append((*raw, 0))  # the current GPU
    k._host = lambda *raw: got.append((*raw, "host"))
    return k, got


def array(shape: tuple[int, ...], dtype: str) -> Any:
    return np.zeros(shape, dtype)


SCALARS: list[Any] = [
    0, 1, 2, 3, 4, 5, 6, 8, -1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**70, True, False, 0.5, -0.0, 4.4999999999, 2.0, 1e300, 1e-50,
    float("nan"), float("inf"), np.int32(4), np.int64(2), np.uint8(2), np.float32(0.5), np.bool_(True), None, "4", 2 + 0j,
]  # fmt: skip


@st.composite
def calls(draw: st.DrawFn, s: Signature) -> tuple[Any, ...]:
    """Arguments that fit, except for a few changes."""
    sizes = {p.name: draw(st.sampled_from([0, 1, 2, 3, 4, 4, 4, 6])) for p in s.params if isinstance(p, ScalarParam)}
    order = draw(st.sampled_from(s.orders()))
    memory = np.zeros(4096, np.uint8)
    together = draw(st.integers(0, 5)) == 0  # all in the same memory, which may overlap
    out: list[Any] = []
    for name in order:
        p = next(p for p in s.params if p.name == name)
        wrong = draw(st.integers(0, 7)) == 0
        if isinstance(p, ScalarParam):
            fits: Any = {Kind.INT: sizes[name], Kind.FLOAT: sizes[name] / 4, Kind.BOOL: True}[p.type.kind]
            out.append(draw(st.sampled_from(SCALARS)) if wrong else fits)
            continue
        shape = tuple((2 * sizes["n"] if d is None else integer_value(d, sizes)) or 0 for d in p.dims)
        dtype = {"int": "int32", "float": "float32", "double": "float64"}[p.elem.name]
        if together:
            start, size = 16 * draw(st.integers(0, 9)), int(np.prod(shape)) * np.dtype(dtype).itemsize
            out.append(Tensor(memory[start : start + size].view(dtype).reshape(shape)))
        else:
            out.append(draw(changed(shape, dtype, memory)) if wrong else Tensor(array(shape, dtype)))
    return tuple(out)


@st.composite
def changed(draw: st.DrawFn, shape: tuple[int, ...], dtype: str, memory: Any) -> Any:
    choices = changes(array(shape, dtype), memory)
    return choices[draw(st.integers(0, len(choices) - 1))]


def changes(a: Any, memory: Any) -> list[Any]:
    """What may stand in the place of a tensor of this array; `memory` is shared by several of them."""
    shape, dtype = a.shape, a.dtype
    shared = memory[: a.nbytes].view(dtype).reshape(shape)
    odd = memory[4 : 4 + a.nbytes].view(dtype).reshape(shape) if a.itemsize == 4 else shared
    return [
        Tensor(a.astype("int64")), Tensor(a, device=1), Tensor(a, device=None), Tensor(a, negative=True), Tensor(a, gradient=True),
        Tensor(a, sparse=True), Tensor(a, lost=True), Tensor(a, huge=True), Tensor(shared), Tensor(odd), Parameter(a), a,
        list(a), None, 3, Tensor(a[..., None]), Tensor(a[::-1]), Tensor(a.T),
        Tensor(np.zeros((*shape[:-1], shape[-1] + 1), dtype)), Tensor(np.zeros((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]),
    ]  # fmt: skip


def outcome(k: CudaFunction, got: list[tuple[Any, ...]], args: tuple[Any, ...], *, quick: bool) -> Any:
    got.clear()
    try:
        result = k(*args) if quick else k.checked_call(args, {})
    except (CallError, MemoryError) as e:
        return str(e)
    made = result if isinstance(result, tuple) else () if result is None else (result,)
    (raw,) = got
    new = [t.ctypes.data if isinstance(t, np.ndarray) else t.data_ptr() for t in made]
    return [repr(new.index(x) if x in new and x else x) for x in raw], [(type(t), t.shape, t.dtype) for t in made]


@pytest.mark.parametrize("name", sorted(SIGNATURES))
@pytest.mark.parametrize("alignment", [0, 16])
@pytest.mark.filterwarnings("ignore:.*does not check")
def test_both_checks_accept_the_same_calls(name: str, alignment: int) -> None:
    s = SIGNATURES[name]
    k, got = function(s, {s.params[-1].name: alignment} if alignment else {})
    accepted, quickly = [0], [0]

    @settings(max_examples=250, deadline=None, database=None, derandomize=True)
    @given(calls(s))
    def compare(args: tuple[Any, ...]) -> None:
        usual = k._usual.passed(args, {})
        slow = outcome(k, got, args, quick=False)
        assert outcome(k, got, args, quick=True) == slow
        if isinstance(slow, str):
            assert usual is None, (args, slow)
        accepted[0] += not isinstance(slow, str)
        quickly[0] += usual is not None

    compare()
    assert accepted[0] > 20 and quickly[0] > 10, (accepted, quickly)


SIZES = {"W": 4, "H": 3, "n": 4, "m": 2, "k": 3, "x": 1.5, "y": 0.5, "u": 7, "up": True}


def usual_arguments(s: Signature, order: tuple[str, ...], sizes: Mapping[str, Any]) -> list[Any]:
    args: list[Any] = []
    for p in s.params:
        if p.name in order and isinstance(p, ArrayParam):
            shape = tuple(9 if d is None else integer_value(d, sizes) or 0 for d in p.dims)
            args.append(Tensor(array(shape, {"int": "int32", "float": "float32", "double": "float64"}[p.elem.name])))
        elif p.name in order:
            args.append(sizes[p.name])
    return args


@pytest.mark.parametrize("name", sorted(SIGNATURES))
@pytest.mark.filterwarnings("ignore:.*does not check")
def test_both_checks_agree_on_every_change_of_one_argument(name: str) -> None:
    s = SIGNATURES[name]
    k, got = function(s, {s.params[-1].name: 16})
    memory, agreed = np.zeros(4096, np.uint8), 0
    for order in s.orders():
        usual = usual_arguments(s, order, SIZES)
        if not any(isinstance(x, Tensor) for x in usual):
            continue
        assert not isinstance(outcome(k, got, tuple(usual), quick=False), str)
        assert k._usual.passed(tuple(usual), {}) is not None
        for i, x in enumerate(usual):
            for other in changes(x.array, memory) if isinstance(x, Tensor) else SCALARS:
                args = (*usual[:i], other, *usual[i + 1 :])
                passed, slow = k._usual.passed(args, {}), outcome(k, got, args, quick=False)
                assert outcome(k, got, args, quick=True) == slow, args
                assert passed is None or not isinstance(slow, str), args
                agreed += 1
    assert agreed > 50


def numpy_changes(a: Any) -> list[Any]:
    """What may stand in the place of a NumPy array."""
    fixed, room = a.copy(), np.zeros(a.nbytes + 1, np.uint8)
    fixed.flags.writeable = False
    odd = room[1:].view(a.dtype).reshape(a.shape)
    return [
        fixed, odd, a.astype(np.int64), a.astype(a.dtype.newbyteorder()), a[::-1], a.T.copy().T, a[..., None], list(a), None, 3,
        np.ma.masked_array(a), a.view(np.recarray), np.zeros((*a.shape[:-1], a.shape[-1] + 1), a.dtype), a[:0],
    ]  # fmt: skip


@pytest.mark.parametrize("name", sorted(SIGNATURES))
@pytest.mark.filterwarnings("ignore:.*does not check")
def test_both_checks_agree_on_numpy_arrays(name: str) -> None:
    s, quickly = SIGNATURES[name], 0
    got: list[tuple[Any, ...]] = []
    k = object.__new__(CFunction)
    k.signature, k._open, k._usual = s, Unchecked(s.name), UsualCalls(s, {}, ("numpy",))
    k._function = lambda *raw: got.append(raw)
    for order in s.orders():
        usual = [x.array if isinstance(x, Tensor) else x for x in usual_arguments(s, order, SIZES)]
        calls = [tuple(usual), tuple(usual)]
        for i, x in enumerate(usual):
            same = [y for y in usual if isinstance(y, np.ndarray) and y is not x]
            others = [*numpy_changes(x), *same] if isinstance(x, np.ndarray) else SCALARS
            calls += [(*usual[:i], other, *usual[i + 1 :]) for other in others]
        for args in calls:
            passed = k._usual.passed(args, {})
            slow = outcome_on_host(k, got, args)
            assert passed is None or not isinstance(slow, str), (args, slow)
            if passed is not None and not passed[0][2]:
                assert [repr(x) for x in passed[0][0]] == slow
                quickly += 1
    assert quickly > 3


def outcome_on_host(k: CFunction, got: list[tuple[Any, ...]], args: tuple[Any, ...]) -> Any:
    got.clear()
    try:
        k.checked_call(args, {})
    except (CallError, MemoryError) as e:
        return str(e)
    return [repr(x) for x in got[0]]


@pytest.mark.parametrize("name", sorted(SIGNATURES))
def test_usual_calls_are_checked_by_compiled_code(name: str) -> None:
    s = SIGNATURES[name]
    library = library_of("torch")
    assert library is not None
    for order in s.orders():
        args = usual_arguments(s, order, SIZES)
        check = checks_of(s, order, library, {})
        assert check is not None or not any(isinstance(a, Tensor) for a in args), order
        if check is not None:
            assert check(*args) is not None, order


INTEGERS = st.integers(-(2**40), 2**40) | st.sampled_from([0, 1, -1, 2, 3, 7, 31, 33, 2**31, -(2**63), 2**64 + 1])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data(), INTEGERS, INTEGERS, st.booleans())
def test_texts_have_the_value_of_formulas(data: st.DataObject, x: int, y: int, up: bool) -> None:
    def number(depth: int) -> str:
        kind = data.draw(st.integers(0, 12 if depth else 2))
        if kind < 3:
            return ["x", "y", str(data.draw(st.integers(0, 40)))][kind]
        a, b = number(depth - 1), number(depth - 1)
        return [
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / {b})", f"({a} % {b})", f"(-{a})", f"min({a}, {b})",
            f"abs({a})", f"({a} % 32)", f"({truth(0)} ? {a} : {b})",
        ][kind - 3]  # fmt: skip

    def truth(depth: int) -> str:
        op = data.draw(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]))
        if depth == 0 or data.draw(st.booleans()):
            return f"({number(depth)} {op} {number(depth)})"
        a, b = truth(depth - 1), truth(depth - 1)
        return data.draw(st.sampled_from([f"({a} && {b})", f"({a} || {b})", f"({a} ==> {b})", f"(!{a})"]))

    for form, text_of, value_of in ((truth(2), fact_text, holds), (f"{number(2)} == 0", fact_text, holds)):
        s = signature(f'void f(int64_t x, int64_t y, bool up) {{ __requires("{form}"); }}')
        (r,) = s.requirements
        text = text_of(r.prop, {"x": ("x", INTEGER), "y": ("y", INTEGER), "up": ("up", TRUTH)})
        assert text is not None
        try:
            got = bool(eval(text, {**HELPERS, "x": x, "y": y, "up": up}))
        except (ZeroDivisionError, OverflowError):
            continue  # the usual way decides
        assert got == value_of(r.prop, {"x": x, "y": y, "up": up})


def test_what_has_no_text_is_interpreted() -> None:
    s = signature(
        'void f(int n, float a[n]) { __requires("forall i in 0..n -> i < 5"); __preserves("a ~> Cells1(n)"); }'
    )
    (r, *_) = s.requirements
    assert fact_text(r.prop, {"n": ("n", INTEGER)}) is None and size_text(r.prop, {"n": ("n", INTEGER)}) is None
    k, got = function(s)
    for _ in range(2):
        k(Tensor(array((5,), "float32")))
    assert len(got) == 2 and k._usual.passed((Tensor(array((5,), "float32")),), {}) is not None
    with pytest.raises(CallError, match="does not hold"):
        k(Tensor(array((6,), "float32")))


def test_arguments_by_keyword_are_checked_by_compiled_code_too() -> None:
    k, got = function(SIGNATURES["transpose"])
    a, b = Tensor(array((3, 4), "float32")), Tensor(array((4, 3), "float32"))
    k(b=b, a=a)
    assert k._usual.passed((), {"a": a, "b": b}) is not None and k._usual.passed((a,), {"b": b}) is not None
    assert k._usual.passed((a,), {"c": b}) is None
    k(a, b=b)
    assert got[0] == got[1]


def test_a_call_on_another_gpu_makes_it_current() -> None:
    k, got = function(SIGNATURES["transpose"])
    for _ in range(2):
        k(Tensor(array((3, 4), "float32"), device=1), Tensor(array((4, 3), "float32"), device=1))
    assert [call[-2:] for call in got] == [(101, 1)] * 2
    assert fake_torch.CURRENT == [0]


def test_gradients_and_versions_are_respected() -> None:
    k, _ = function(SIGNATURES["transpose"])
    a, b = Tensor(array((3, 4), "float32")), Tensor(array((4, 3), "float32"))
    needing = Tensor(array((3, 4), "float32"), gradient=True)
    for count in (1, 2):
        k(a, b)
        assert (a.version, b.version) == (0, count)
        with pytest.raises(CallError, match=r"`a` requires a gradient, which this call would lose"):
            k(needing, b)
    fake_torch.GRADIENTS[0] = False
    k(needing, b)
    assert b.version == 3


def test_tangents_are_respected(torch: Any) -> None:
    k, got = function(SIGNATURES["transpose"])
    a, b = Tensor(array((3, 4), "float32")), Tensor(array((4, 3), "float32"))
    k(a, b)
    torch.autograd.forward_ad._current_level = 0
    k(a, b)
    a.tangent = Tensor(array((3, 4), "float32"))
    with pytest.raises(
        CallError, match="`a` has a tangent of forward-mode differentiation, which this call would lose"
    ):
        k(a, b)
    torch.autograd.forward_ad._current_level = -1  # it means nothing outside
    k(a, b)
    assert len(got) == 3


def test_outputs_without_memory_are_not_passed(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    k, got = function(SIGNATURES["transpose"])
    a = Tensor(array((3, 4), "float32"))
    assert k(a).shape == (4, 3) and k._usual.passed((a,), {}) is not None
    empty = torch.empty

    class Fake(Tensor):
        pass

    def lost(shape: tuple[int, ...], *, dtype: Any, device: Any) -> Tensor:
        return Tensor(empty(shape, dtype=dtype, device=device).array, lost=True)

    def of_another_type(shape: tuple[int, ...], *, dtype: Any, device: Any) -> Tensor:
        return Fake(empty(shape, dtype=dtype, device=device).array)

    for make in (lost, of_another_type):
        library = library_of("torch")
        assert library is not None
        check = checks_of(k.signature, ("a",), replace(library, globals={**library.globals, "empty": make}), {})
        assert check is not None and check(a) is None
        nothing = Tensor(array((0, 4), "float32"))
        assert (check(nothing) is None) == (make is of_another_type), "an empty array needs no memory"
    monkeypatch.setattr(torch, "empty", lost)
    k._usual = UsualCalls(k.signature, {}, ("torch",))
    with pytest.raises(CallError, match="memory is not there"):
        k(a)
    assert len(got) == 1


def test_what_is_unchecked_on_a_device_is_listed_and_said_once() -> None:
    s = signature("""void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, forall i in 0..n -> A(i) > 0"); __reads("a ~> Matrix1(n, A)"); __writes("b ~> Cells1(n)"); }""")
    k, got = function(s)
    (fact,) = k.unchecked_on_device
    assert "A(i) > 0" in fact and not k.unchecked
    a, b = Tensor(array((4,), "float32")), Tensor(array((4,), "float32"))
    with pytest.warns(UserWarning, match="does not check what the contract requires") as seen:
        for _ in range(3):
            k(a, b)
    assert len(seen) == 1 and seen[0].filename == __file__ and len(got) == 3
    with pytest.raises(CallError, match="does not hold"):
        k(np.zeros(4, np.float32), np.zeros(4, np.float32))
