"""Calls of a verified function with arguments that violate its precondition are refused."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from optigpu.cli import main
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.arrays import ArrayBuffer, current_stream, view_of
from optigpu.runtime.call_error import CallError
from optigpu.runtime.compiled_checks import checks_of, numpy_library
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.cuda import CudaFunction
from optigpu.runtime.manifest import load, signature_from_json, signature_to_json
from optigpu.runtime.preconditions import integer_value
from optigpu.runtime.signature import ArrayParam, Signature, signature_of
from optigpu.runtime.unchecked import Unchecked
from optigpu.runtime.usual_calls import UsualCalls
from optigpu.syntax.macro_constants import without_constants
from optigpu.syntax.program import Return
from tests.support.cuda import on_standin, one_kernel


def signature(text: str) -> Signature:
    program = parse_text(text)
    f = without_constants(program, program.functions()[-1])
    return signature_of(f, effective_types(f))


def checked(s: Signature, **arguments: Any) -> None:
    for each in (s, signature_from_json(signature_to_json(s))):
        each.check(each.bind((), dict(arguments)))


def one(type_: str, fact: str) -> Signature:
    return signature(
        f"""void f(int n, {type_} a[n]) {{ __requires("n >= 0, A: int -> int, {fact}"); __reads("a ~> Matrix1(n, A)"); }}"""
    )


@pytest.mark.parametrize(
    ("type_", "dtype", "fact", "good", "bad"),
    [
        ("uint8_t", np.uint8, "forall i in 0..n -> A(i) + 200 <= 210", 5, 100),
        ("int", np.int32, "forall i in 0..n -> A(i) * A(i) <= 100", 10, 65536),
        ("int64_t", np.int64, "forall i in 0..n -> A(i) * A(i) <= 100", 10, 1 << 32),
        ("uint64_t", np.uint64, "forall i in 0..n -> A(i) - 5 <= 0", 4, 6),
    ],
)
def test_what_is_required_of_contents_does_not_wrap_around(
    type_: str, dtype: Any, fact: str, good: int, bad: int
) -> None:
    s = one(type_, fact)
    checked(s, a=np.array([good], dtype))
    with pytest.raises(CallError, match="does not hold"):
        checked(s, a=np.array([bad], dtype))


@pytest.mark.parametrize("fact", ["(m / 1) * (m / 1) * (m / 1) <= 100", "max(m, 0) * max(m, 0) * abs(m) <= 100"])
def test_what_is_required_of_numbers_does_not_wrap_around(fact: str) -> None:
    s = signature(f'void f(int64_t m) {{ __requires("{fact}"); }}')
    checked(s, m=4)
    with pytest.raises(CallError, match="does not hold"):
        checked(s, m=1 << 32)


def test_what_is_required_of_a_float_is_asked_of_what_is_passed() -> None:
    s = signature('void f(float x, double y) { __requires("x < 1.0, y < 1.0"); }')
    checked(s, x=0.5, y=0.99999999999)
    for x in (0.99999999999, float("nan")):
        with pytest.raises(CallError, match="does not hold"):
            checked(s, x=x, y=0.5)
    with pytest.raises(CallError, match="`x` does not fit `float`"):
        checked(s, x=1e300, y=0.5)
    with pytest.raises(CallError, match="`y` does not fit `double`"):
        checked(s, x=0.5, y=10**400)


def test_an_array_starts_where_its_elements_can() -> None:
    s = signature('void f(int n, float a[n]) { __requires("n >= 0"); __writes("a ~> Cells1(n)"); }')
    raw = np.zeros(44, np.uint8)
    start = -raw.ctypes.data % 4
    checked(s, a=raw[start : start + 40].view(np.float32))
    with pytest.raises(CallError, match="multiple of 4 bytes"):
        checked(s, a=raw[start + 1 : start + 41].view(np.float32))


@pytest.mark.parametrize(
    ("cells", "good", "bad"),
    [
        ("for i in 0..n -> &a[i] ~> Cell", 10, 9),
        ("for i in 0..n -> &a[i + 5] ~> Cell", 15, 14),
        ("(for i in 0..n -> &a[i] ~> Cell) * (&a[2 * n] ~> Cell)", 21, 20),
        ("for i in 0..n -> If(i < 3, &a[i] ~> Cell)", 3, 2),
        ("for i in 0..n -> for j in 0..2 -> &a[2 * i + j] ~> Cell", 20, 19),
        ("&a[n - 11] ~> Cell", None, 100),
        ("for i in 0..n -> for j in 0..i -> &a[i * n + j] ~> Cell", None, 100),
    ],
)
def test_an_array_of_no_declared_size_has_the_cells_of_the_contract(cells: str, good: int | None, bad: int) -> None:
    s = signature(f'void f(int n, float* a) {{ __requires("n >= 0"); __preserves("{cells}"); }}')
    if good is not None:
        checked(s, n=10, a=np.zeros(good, np.float32))
    with pytest.raises(CallError, match="too small"):
        checked(s, n=10, a=np.zeros(bad, np.float32))


@pytest.mark.parametrize(("type_", "bits"), [("unsigned", 32), ("uint64_t", 64)])
@pytest.mark.parametrize("size", ["n + m", "n * m", "n - m"])
def test_a_size_of_unsigned_numbers_does_not_wrap_around(type_: str, bits: int, size: str) -> None:
    """Modulo 2^bits, the size would be that of the array; code that is proved for the size itself writes behind it."""
    s = signature(f'void f({type_} n, {type_} m, float y[{size}]) {{ __writes("y ~> UninitMatrix1({size})"); }}')
    n, m, wrapped = {"n + m": (3, 2**bits - 2, 1), "n * m": (2, 2 ** (bits - 1), 0), "n - m": (2, 3, 0)}[size]
    check = checks_of(s, ("n", "m", "y"), numpy_library(), {})
    assert check is not None
    y = np.zeros(eval(size, {"n": 6, "m": 1}), np.float32)
    checked(s, n=6, m=1, y=y)
    assert check(6, 1, y) is not None
    y = np.zeros(wrapped, np.float32)
    with pytest.raises(CallError, match=r"does not hold|has size"):
        checked(s, n=n, m=m, y=y)
    assert check(n, m, y) is None
    with pytest.raises(CallError, match=r"does not hold|is no size"):
        s.shapes_to_make({"n": n, "m": m}, [p for p in s.params if isinstance(p, ArrayParam)])


@pytest.mark.parametrize(
    ("claims", "good", "bad"),
    [
        ('__reads("a ~> Cells1(n - 5)"); __writes("&t[n - 5] ~> Cell");', 6, 4),
        ('__writes("(a ~> Cells1(n - 5)) * (&t[n - 5] ~> Cell)");', 6, 4),
        ('__preserves("a ~> Cells2(n - 5, 0)"); __writes("&t[n - 5] ~> Cell");', 6, 4),
    ],
)
def test_no_size_that_is_claimed_is_negative(claims: str, good: int, bad: int) -> None:
    """The proof assumes it, so `t[n - 5]` lies within t."""
    dims = "[n][0]" if "Cells2" in claims else "[n]"
    s = signature(f"void f(int n, float a{dims}, int t[n]) {{ {claims} }}")
    shape = (0,) if "Cells2" in claims else ()
    checked(s, a=np.zeros((good, *shape), np.float32), t=np.zeros(good, np.int32))
    with pytest.raises(CallError, match="precondition n - 5 >= 0 does not hold"):
        checked(s, a=np.zeros((bad, *shape), np.float32), t=np.zeros(bad, np.int32))


def test_emitted_code_checks_the_sizes_that_are_claimed() -> None:
    body = "thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) d[b][t] = 1.0f;"
    claimed = one_kernel(body).replace("(int B, float h[B][8])", "(int B, int n, float h[B][8], float x[n])")
    k = on_standin(claimed.replace("__consumes(", '__reads("x ~> Cells1(n - 5)");\n  __consumes('), races=False)
    assert 'return "f: n - 5 >= 0 does not hold"' in k.source
    k(np.zeros((2, 8), np.float32), np.zeros(6, np.float32))
    with pytest.raises(CallError, match="n - 5 >= 0 does not hold"):
        k(np.zeros((2, 8), np.float32), np.zeros(4, np.float32))


def test_a_size_that_cannot_be_computed_is_no_size() -> None:
    s = signature('void f(int n, float a[~n]) { __requires("n <= 0"); __writes("a ~> Cells1(~n)"); }')
    with pytest.raises(CallError, match="the size ~n of `a` cannot be computed"):
        checked(s, n=-4, a=np.zeros(3, np.float32))


@pytest.mark.parametrize(
    "fact",
    [
        "forall i in 0..2 -> forall j in 0..2 -> A(i, j) >= 0",
        "forall i in 0..2 -> (i >= 0 ==> (forall j in 0..2 -> A(i, j) >= 0))",
        "forall i in 0..2 -> forall j in 0..2 -> (A(i, j) >= 0 && (forall k in 0..2 -> A(j, k) >= 0))",
    ],
)
def test_quantifiers_inside_others_are_about_all_pairs(fact: str) -> None:
    s = signature(
        f"""void f(int a[2][2]) {{ __requires("A: int * int -> int, {fact}"); __reads("a ~> Matrix2(2, 2, A)"); }}"""
    )
    checked(s, a=np.zeros((2, 2), np.int32))
    for i in range(4):
        a = np.zeros((2, 2), np.int32)
        a.flat[i] = -1
        with pytest.raises(CallError, match="does not hold"):
            checked(s, a=a)


@pytest.mark.parametrize(
    ("k", "shape", "says"), [(8, (8, 16), None), (8, (3, 16), "has size 8"), (9, (8, 16), "does not hold")]
)
def test_constants_are_sizes_and_numbers_as_others(k: int, shape: tuple[int, int], says: str | None) -> None:
    s = signature(
        """#define N 8
#define M (N * 2)
void f(int k, float a[N][M]) { __requires("k <= N"); __writes("a ~> Cells2(N, M)"); }"""
    )
    if says is None:
        checked(s, k=k, a=np.zeros(shape, np.float32))
    else:
        with pytest.raises(CallError, match=says):
            checked(s, k=k, a=np.zeros(shape, np.float32))


@pytest.mark.parametrize(
    ("kinds", "stream"),
    [
        (["torch"], 7),
        (["cupy"], 9),
        (["torch", "cupy"], None),
        (["numpy"], 0),
        (["array"], 0),
        (["array", "torch"], None),
    ],
)
def test_arrays_of_two_libraries_are_on_one_stream(
    monkeypatch: pytest.MonkeyPatch, kinds: list[str], stream: int | None
) -> None:
    """One stream does not wait for another."""
    torch, cupy = SimpleNamespace(cuda_stream=7), SimpleNamespace(ptr=9)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=SimpleNamespace(current_stream=lambda: torch)))
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=SimpleNamespace(get_current_stream=lambda: cupy)))
    views = [ArrayBuffer((1,), "float32", 0, True, True, 0, kind) for kind in kinds]
    if stream is None:
        with pytest.raises(CallError, match="two streams"):
            current_stream(views)
        torch.cuda_stream = cupy.ptr = 0
        assert current_stream(views) == 0
    else:
        assert current_stream(views) == stream


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, None),
        ({"stream": None}, None),
        ({"stream": 1}, None),
        ({"stream": 77}, "stream of its own"),
        ({"mask": 5}, "mask"),
    ],
)
def test_an_array_of_any_library_says_what_is_special_about_it(more: dict[str, Any], says: str | None) -> None:
    interface = {"shape": (4,), "typestr": "<f4", "data": (256, False), "strides": None, "version": 3, **more}
    array = SimpleNamespace(__cuda_array_interface__=interface)
    if says is None:
        view = view_of(array)
        assert view is not None and view.shape == (4,)
    else:
        with pytest.raises(CallError, match=says):
            view_of(array)


def test_code_is_audited_to_the_byte(tmp_path: Path) -> None:
    """With a `\\r` in the place of its `\\n`, a comment goes on: the statement after it is a part of it."""
    body = "thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) d[b][t] = 1.0f;"
    (tmp_path / "x.c").write_text("#include <optigpu.h>\n" + one_kernel(body))
    code, certificate = tmp_path / "x.cu", tmp_path / "x.cert.json"
    assert main(["build", str(tmp_path / "x.c"), "-o", str(code)]) == 0
    assert main(["audit", str(code), "--certificate", str(certificate)]) == 0
    text = code.read_text()
    assert load(tmp_path, "x").source == text
    end = text.index("\n", text.index("// Null"))
    code.write_bytes((text[:end] + "\r" + text[end + 1 :]).encode())
    assert code.read_text() == text
    assert main(["audit", str(code), "--certificate", str(certificate)]) == 1
    with pytest.raises(CallError, match="was changed after"):
        load(tmp_path, "x")


@pytest.mark.parametrize(
    ("claims", "good", "bad"),
    [
        ("a ~> Matrix1(n, fun i -> i + 1)", ([1, 2], [0, 0]), ([1, 3], [0, 0])),
        ("a ~> Matrix1(n, fun n -> n)", ([0, 1], [0, 0]), ([1, 1], [0, 0])),
        ("a ~> Matrix1(n, A), b ~> Matrix1(n, A)", ([5, 6], [5, 6]), ([5, 6], [5, 7])),
        ("a ~> Matrix1(n, A), b ~> Matrix1(n, fun i -> 2 * A(i))", ([5, 6], [10, 12]), ([5, 6], [10, 13])),
        ("for i in 0..n -> &a[i] ~~> 3", ([3, 3], [0, 0]), ([3, 2], [0, 0])),
        ("If(n == 2, for i in 1..n -> &a[i] ~~> 3)", ([0, 3], [0, 0]), ([3, 0], [0, 0])),
    ],
)
def test_arrays_hold_what_the_contract_says_they_do(
    claims: str, good: tuple[list[int], list[int]], bad: tuple[list[int], list[int]]
) -> None:
    """A function that is proved for such arrays gives something else for others."""
    s = signature(
        f'void f(int n, int a[n], int b[n]) {{ __requires("n >= 0, A: int -> int"); __consumes("{claims}"); '
        f'__produces("{claims}"); }}'
    )
    checked(s, **{name: np.array(x, np.int32) for name, x in zip("ab", good)})
    with pytest.raises(CallError, match="does not hold"):
        checked(s, **{name: np.array(x, np.int32) for name, x in zip("ab", bad)})


def test_floats_that_were_computed_in_another_way_are_what_the_contract_says() -> None:
    s = signature('void f(int n, float a[n]) { __reads("a ~> Matrix1(n, fun i -> 0.1 * i)"); }')
    checked(s, a=np.arange(9, dtype=np.float32) * np.float32(0.1))
    with pytest.raises(CallError, match="does not hold"):
        checked(s, a=np.arange(9, dtype=np.float32) * np.float32(0.2))


def test_small_floats_are_compared_too_and_infinite_ones() -> None:
    s = signature('void f(int n, float a[n]) { __requires("n > 0"); __reads("a ~> Matrix1(n, fun i -> 1.0 /. n)"); }')
    checked(s, a=np.full(5000, 1 / 5000, np.float32))
    for wrong in (0, -7e-4, np.inf, np.nan):
        with pytest.raises(CallError, match="does not hold"):
            checked(s, a=np.full(5000, wrong, np.float32))
    s = signature('void f(float a[2]) { __reads("a ~> Matrix1(2, fun i -> i == 0 ? 1.0 : INFINITY)"); }')
    if not s.unchecked():
        checked(s, a=np.array([1, np.inf], np.float32))


def test_one_function_is_what_two_arrays_of_different_sizes_hold() -> None:
    s = signature(
        'void f(int n, int m, int a[n], int b[m]) { __requires("A: int -> int"); '
        '__reads("a ~> Matrix1(n, A), b ~> Matrix1(m, A)"); }'
    )
    for short, long in (("a", "b"), ("b", "a")):
        checked(s, **{short: np.array([1, 2], np.int32), long: np.array([1, 2, 3], np.int32)})
        with pytest.raises(CallError, match="does not hold"):
            checked(s, **{short: np.array([1, 4], np.int32), long: np.array([1, 2, 3], np.int32)})


@pytest.mark.parametrize(
    ("interface", "says"),
    [
        ({"data": (258, False)}, "`a` does not start at a multiple of 4 bytes"),
        ({"data": (0, False)}, "`a` has no memory"),
        ({"data": None}, "cannot be read"),
        ({"typestr": "nonsense"}, "cannot be read"),
        ({"shape": None}, "cannot be read"),
    ],
)
def test_device_arrays_have_memory_for_their_elements(interface: dict[str, Any], says: str) -> None:
    s = signature('void f(float a[4]) { __writes("a ~> Cells1(4)"); }')
    usual = {"shape": (4,), "typestr": "<f4", "data": (256, False), "strides": None, "version": 3}
    for more, message in (({}, None), (interface, says)):
        array = SimpleNamespace(__cuda_array_interface__={**usual, **more}, shape=(4,))
        with nullcontext() if message is None else pytest.raises(CallError, match=message):
            view = view_of(array)
            assert view is not None
            s.check_views({"a": array}, {"a": view})


def test_a_function_that_the_program_defines_is_not_what_an_array_holds() -> None:
    """What `zero` is, is not known here; it is not `a`, so nothing follows for `b`."""
    s = signature(
        '__DEF(zero, "fun (i: int) -> 0");\nvoid f(int n, int a[n], int b[n]) { __requires("n >= 0, B: int -> int, '
        'forall i in 0..n -> B(i) == zero(i)"); __reads("a ~> Matrix1(n, zero), b ~> Matrix1(n, B)"); }'
    )
    assert s.models == (("B", "b"),)


@pytest.mark.parametrize(
    ("fact", "good", "bad"),
    [
        ("forall i in 0..n -> A(i) * A(i) * A(i) >= 0", 2_300_000, -2_300_000),
        ("forall i in 0..n -> A(i) * 9223372036854775807 * 4 > 0", 1, -1),
        ("forall i in 0..n -> (A(i) << 63) > 0", 1, 0),
    ],
)
def test_large_numbers_of_arrays_do_not_wrap_around(fact: str, good: int, bad: int) -> None:
    s = one("int", fact)
    checked(s, a=np.array([good], np.int32))
    with pytest.raises(CallError, match="does not hold"):
        checked(s, a=np.array([bad], np.int32))


def test_arrays_with_elements_that_are_none_are_refused() -> None:
    s = one("int", "n >= 0")
    checked(s, a=np.array([1, 2], np.int32))
    with pytest.raises(CallError, match="has a mask"):
        checked(s, a=np.ma.masked_array(np.array([1, 2], np.int32), mask=[1, 0]))


def test_truth_values_are_0_or_1() -> None:
    """Of others, compilers make what they like."""
    s = signature('void f(int n, bool a[n]) { __requires("A: int -> bool"); __reads("a ~> Matrix1(n, A)"); }')
    checked(s, a=np.array([0, 1], np.uint8).view(bool))
    with pytest.raises(CallError, match="neither 0 nor 1"):
        checked(s, a=np.array([0, 2], np.uint8).view(bool))


@pytest.mark.parametrize("value", ["(int)x * 2", "n - (int)(2.0f * x) / 3", "(x > 1.5f ? 3 : 4) + (int)x"])
def test_a_launch_without_a_compiler_converts_as_c_does(value: str) -> None:
    """A fraction is lost where it is converted, not at the end."""
    program = parse_text(f'int f(int n, float x) {{ __requires("x >= 0, x <= 9"); return {value}; }}')
    f = program.function("f")
    compiled = CFunction(emit_c(program), signature_of(f, effective_types(f)))
    (statement,) = f.body
    assert isinstance(statement, Return) and statement.value is not None
    for x in (0.0, 1.75, 2.5, 7.9):
        assert integer_value(statement.value, {"n": 5, "x": x}) == compiled(5, x)


@pytest.mark.parametrize("name", ["mmap", "setcontext", "write"])
def test_an_entry_point_takes_no_other_functions_place(name: str) -> None:
    """What is linked with it calls the system's function of this name."""
    body = "thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) d[b][t] = 1.0f;"
    k = on_standin(one_kernel(body).replace("void f(", f"void {name}("), races=False)
    h = np.zeros((2, 8), np.float32)
    k(h)
    assert (h == 1.0).all()


def test_a_prepared_call_is_made_on_the_gpu_of_its_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each GPU has a stream of its own that is current, and kernels are launched on the current GPU."""
    current = [0]

    class Device:
        def __init__(self, number: int) -> None:
            self.number = number

        def __enter__(self) -> None:
            current.append(self.number)

        def __exit__(self, *error: object) -> None:
            current.pop()

    streams = SimpleNamespace(current_stream=lambda: SimpleNamespace(cuda_stream=100 + current[-1]), device=Device)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=streams, Tensor=FakeTensor, strided="strided"))
    k = object.__new__(CudaFunction)
    k.signature = signature('void f(int n, float a[n]) { __consumes("a ~> Cells1(n)"); __produces("a ~> Cells1(n)"); }')
    k.standin, k.alignment, k._open, k._usual = False, {}, Unchecked("f"), UsualCalls(k.signature, {}, ("torch",))
    calls: list[tuple[int, int]] = []
    k._device = lambda *raw, stream, device_: calls.append((stream, current[-1]))
    run = k.prepared(FakeTensor(1))
    run()
    k(FakeTensor(1))
    assert calls == [(101, 1), (101, 1)]
    with pytest.raises(CallError, match="opposite"):
        k(FakeTensor(1, negative=True))


class FakeTensor:
    """As much of a tensor as is looked at."""

    is_cuda, dtype, shape, layout = True, "torch.float32", (4,), "strided"

    def __init__(self, gpu: int, negative: bool = False) -> None:
        self.device, self.negative = SimpleNamespace(index=gpu), negative

    def is_neg(self) -> bool:
        return self.negative

    def is_contiguous(self) -> bool:
        return True

    def element_size(self) -> int:
        return 4

    def stride(self) -> tuple[int, ...]:
        return (1,)

    def data_ptr(self) -> int:
        return 4096
