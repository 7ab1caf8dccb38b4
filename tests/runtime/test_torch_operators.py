"""Compiled functions as operators of PyTorch. Where it is not installed, only what does not need it is tested."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.call_error import CallError
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.runtime.torch_operators import gradient_of, operator_of
from tests.support.cuda import on_standin

SCALE = """void scale(int n, float s, float x[n], float y[n]) {
  __requires("X: int -> float"); __reads("x ~> Matrix1(n, X)"); __writes("y ~> Cells1(n)");
  for (int i = 0; i < n; i++) { y[i] = s * x[i] * x[i]; }
}"""
SCALE_GRADIENT = """void scale_gradient(int n, float s, float x[n], float dy[n], float dx[n]) {
  __requires("X: int -> float, D: int -> float"); __reads("x ~> Matrix1(n, X), dy ~> Matrix1(n, D)"); __writes("dx ~> Cells1(n)");
  for (int i = 0; i < n; i++) { dx[i] = 2.0f * s * x[i] * dy[i]; }
}"""
ADD = """void add(int n, float a[n], float x[n]) {
  __requires("X: int -> float, A: int -> float"); __reads("x ~> Matrix1(n, X)");
  __consumes("a ~> Matrix1(n, A)"); __produces("a ~> Cells1(n)");
  for (int i = 0; i < n; i++) { a[i] = a[i] + x[i]; }
}"""
TOTAL = """float total(int n, float x[n], int halves[n / 2]) {
  __requires("X: int -> float, n % 2 == 0"); __reads("x ~> Matrix1(n, X)"); __writes("halves ~> Cells1(n / 2)");
  float out = 0.0f;
  for (int i = 0; i < n; i++) { out += x[i]; }
  for (int i = 0; i < n / 2; i++) { halves[i] = i; }
  return out;
}"""
TRANSPOSE = """void transpose(int W, int H, float a[H][W], float b[W][H]) {
  __requires("A: int * int -> float"); __reads("a ~> Matrix2(H, W, A)"); __writes("b ~> Cells2(W, H)");
  float* const x = __gmem_malloc2<float>(H, W); float* const y = __gmem_malloc2<float>(W, H);
  memcpy_host_to_device2(x, a, H, W);
  kernel_launch(W * H, 1, 0); kernel_setup_end();
  thread for (int i = 0; i < W; i++) { thread for (int j = 0; j < H; j++) { y[i][j] = x[j][i]; } }
  kernel_teardown_begin(); kernel_kill();
  memcpy_device_to_host2(b, y, W, H); gmem_free(x); gmem_free(y);
}"""
TWO = """void two(int n, float x[n], float y[n], float z[n]) {
  __requires("X: int -> float"); __reads("x ~> Matrix1(n, X)"); __writes("y ~> Cells1(n), z ~> Cells1(n)");
  for (int i = 0; i < n; i++) { y[i] = 2.0f * x[i]; z[i] = 3.0f * x[i]; }
}"""
TWO_GRADIENT = """void two_gradient(int n, float grad_y[n], float grad_x[n]) {
  __requires("D: int -> float"); __reads("grad_y ~> Matrix1(n, D)"); __writes("grad_x ~> Cells1(n)");
  for (int i = 0; i < n; i++) { grad_x[i] = 2.0f * grad_y[i]; }
}"""
BOTH_GRADIENTS = """void both_gradients(int n, float grad_y[n], float grad_z[n], float grad_x[n]) {
  __requires("D: int -> float, E: int -> float"); __reads("grad_y ~> Matrix1(n, D), grad_z ~> Matrix1(n, E)");
  __writes("grad_x ~> Cells1(n)");
  for (int i = 0; i < n; i++) { grad_x[i] = 2.0f * grad_y[i] + 3.0f * grad_z[i]; }
}"""
GRAD_NAMES = """void times(int n, float grad_OF, float grad_y[n], float x[n], float y[n]) {
  __requires("X: int -> float, G: int -> float"); __reads("x ~> Matrix1(n, X), grad_y ~> Matrix1(n, G)");
  __writes("y ~> Cells1(n)");
  for (int i = 0; i < n; i++) { y[i] = grad_OF * grad_y[i] * x[i]; }
}"""
GRAD_NAMES_GRADIENT = """void times_gradient(int n, float grad_scale, float grad_y[n], float grad_x[n]) {
  __requires("D: int -> float"); __reads("grad_y ~> Matrix1(n, D)"); __writes("grad_x ~> Cells1(n)");
  for (int i = 0; i < n; i++) { grad_x[i] = grad_scale * grad_y[i]; }
}"""
FILL = 'void fill(int n, float y[n]) { __writes("y ~> Cells1(n)"); for (int i = 0; i < n; i++) { y[i] = 1.0f; } }'


@cache
def compiled(text: str) -> CFunction:
    program = parse_text(text)
    f = program.functions()[-1]
    return CFunction(emit_c(program), signature_of(f, effective_types(f)))


def test_schemas_say_what_is_given_returned_and_changed() -> None:
    schemas = {text: operator_of(compiled(text)).schema() for text in (SCALE, ADD, TOTAL)}
    assert schemas[SCALE] == "(float s, Tensor x) -> Tensor"
    assert schemas[ADD] == "(Tensor(a!) a, Tensor x) -> ()"
    assert schemas[TOTAL] == "(Tensor x) -> (Tensor, Tensor)"
    with pytest.raises(CallError, match="no array besides outputs"):
        operator_of(compiled(FILL))


@pytest.mark.parametrize(
    ("forward", "backward", "names", "says"),
    [
        (SCALE, SCALE_GRADIENT, {}, "what is `dy`"),
        (SCALE, SCALE_GRADIENT, {"dy": "grad_y"}, "what is `dx`"),
        (SCALE, SCALE_GRADIENT, {"dy": "grad_y", "dx": "x"}, "`x` is none of grad_x"),
        (SCALE, SCALE_GRADIENT, {"dy": "s", "dx": "grad_x"}, "`dy` has another type than `s`"),
        (SCALE, SCALE_GRADIENT, {"dz": "s"}, "no parameter `dz`"),
        (ADD, SCALE_GRADIENT, {}, "add changes `a` in place"),
        (SCALE, ADD, {}, "add changes `a` in place"),
        (TOTAL, SCALE, {}, "total returns a number"),
    ],
)
def test_a_backward_function_that_does_not_fit_is_explained(
    forward: str, backward: str, names: dict[str, str], says: str
) -> None:
    with pytest.raises(CallError, match=says):
        gradient_of(operator_of(compiled(forward)), operator_of(compiled(backward)), names)
    fits = {"dy": "grad_y", "dx": "grad_x"}
    gradient = gradient_of(operator_of(compiled(SCALE)), operator_of(compiled(SCALE_GRADIENT)), fits)
    assert (gradient.takes, gradient.gives) == (("s", "x", "grad_y"), ("x",))


def test_without_pytorch_an_operator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(CallError, match="PyTorch is not installed"):
        compiled(SCALE).register("optigpu_tests::no_torch")


def test_a_name_has_one_meaning_in_a_backward_function() -> None:
    backward = operator_of(compiled(GRAD_NAMES_GRADIENT))
    with pytest.raises(CallError, match="`grad_y` is a parameter, and would be the gradient of its output `y` too"):
        gradient_of(operator_of(compiled(GRAD_NAMES.replace("grad_OF", "grad_scale"))), backward, {})
    renamed = GRAD_NAMES.replace("grad_OF", "grad_scale").replace("grad_y", "factors")
    gradient = gradient_of(operator_of(compiled(renamed)), backward, {})
    assert gradient.takes == ("grad_scale", "grad_y") and gradient.kept == ("grad_scale",)


# With PyTorch


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def operators(torch: Any) -> dict[str, Any]:
    names = {"dy": "grad_y", "dx": "grad_x"}
    return {
        "scale": compiled(SCALE).register("optigpu_tests::scale", backward=compiled(SCALE_GRADIENT), names=names),
        "lossy": compiled(SCALE).register("optigpu_tests::lossy"),
        "add": compiled(ADD).register("optigpu_tests::add"),
        "total": compiled(TOTAL).register("optigpu_tests::total"),
        "two": compiled(TWO).register("optigpu_tests::two", backward=compiled(TWO_GRADIENT)),
        "both": compiled(TWO).register("optigpu_tests::both", backward=compiled(BOTH_GRADIENTS)),
        "transpose": on_standin(TRANSPOSE, races=False).register("optigpu_tests::transpose"),
    }


def samples(torch: Any, name: str) -> tuple[Any, ...]:
    x = torch.arange(6, dtype=torch.float32)
    return {
        "scale": (2.0, x.clone().requires_grad_()),
        "lossy": (2.0, x),
        "add": (torch.ones(6), x),
        "total": (x,),
        "both": (x.clone().requires_grad_(),),
        "transpose": (torch.arange(12, dtype=torch.float32).reshape(3, 4),),
    }[name]


@pytest.mark.parametrize("name", ["scale", "lossy", "add", "total", "both", "transpose"])
def test_operators_pass_pytorchs_own_check(torch: Any, operators: dict[str, Any], name: str) -> None:
    result = torch.library.opcheck(operators[name], samples(torch, name))
    assert set(result.values()) == {"SUCCESS"}, result


def test_operators_compute(torch: Any, operators: dict[str, Any]) -> None:
    x = torch.arange(6, dtype=torch.float32)
    assert torch.equal(operators["lossy"](3.0, x), 3 * x * x)
    a = torch.ones(6)
    before = a._version
    assert operators["add"](a, x) is None
    assert torch.equal(a, 1 + x) and a._version > before
    number, halves = operators["total"](x)
    assert number.shape == () and float(number) == 15 and torch.equal(halves, torch.arange(3, dtype=torch.int32))
    y = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    assert torch.equal(operators["transpose"](y), y.T)


def test_strided_tensors_are_read_and_written(torch: Any, operators: dict[str, Any]) -> None:
    y = torch.arange(24, dtype=torch.float32).reshape(3, 8)[:, ::2]
    assert torch.equal(operators["transpose"](y), y.T) and torch.equal(operators["transpose"](y.T), y)
    a = torch.ones(12)
    before = a._version
    operators["add"](a[::2], torch.ones(6))
    assert a.tolist() == [2.0, 1.0] * 6 and a._version > before
    with pytest.raises(CallError, match="`a` is written, and some of its elements are in the same place of memory"):
        operators["add"](torch.ones(1).expand(6), torch.ones(6))


def test_gradients_come_from_the_backward_function(torch: Any, operators: dict[str, Any]) -> None:
    x = torch.arange(6, dtype=torch.float32, requires_grad=True)
    (operators["scale"](3.0, x) * torch.arange(6)).sum().backward()
    assert torch.equal(x.grad, 6 * x.detach() * torch.arange(6))
    operators["scale"](3.0, x).sum().backward()  # an expanded gradient


def test_the_gradient_of_every_output_counts_or_is_refused(torch: Any, operators: dict[str, Any]) -> None:
    x = torch.ones(4, requires_grad=True)
    y, z = operators["both"](x)
    (only_z,) = torch.autograd.grad(z.sum(), x, retain_graph=True)
    (of_both,) = torch.autograd.grad((y + z).sum(), x)
    assert only_z.tolist() == [3.0] * 4 and of_both.tolist() == [5.0] * 4
    y, z = operators["two"](x)
    for lost in (z.sum(), (y + z).sum()):
        with pytest.raises(CallError, match=r"a gradient comes from its output `z`.*two_gradient takes none"):
            torch.autograd.grad(lost, x, retain_graph=True)
    (given,) = torch.autograd.grad((y + z.detach()).sum(), x)
    assert given.tolist() == [2.0] * 4


def test_a_number_may_be_named_like_a_gradient(torch: Any) -> None:
    forward = GRAD_NAMES.replace("grad_OF", "grad_scale").replace("grad_y", "factors")
    op = compiled(forward).register("optigpu_tests::times", backward=compiled(GRAD_NAMES_GRADIENT))
    x = torch.ones(3, requires_grad=True)
    (gradient,) = torch.autograd.grad(op(4.0, torch.ones(3), x).sum(), x)
    assert gradient.tolist() == [4.0] * 3


@pytest.mark.parametrize("name", ["scale", "lossy", None])
def test_a_tangent_is_refused_and_not_lost(torch: Any, operators: dict[str, Any], name: str | None) -> None:
    from torch.autograd import forward_ad

    f = compiled(SCALE) if name is None else operators[name]
    x = torch.ones(3)
    with pytest.raises(CallError, match="`x` has a tangent of forward-mode"):
        torch.func.jvp(lambda t: f(2.0, t), (x,), (x,))
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones(3))
        with pytest.raises(CallError, match="`x` has a tangent of forward-mode"):
            f(2.0, dual)
        with torch.no_grad(), pytest.raises(CallError, match="`x` has a tangent of forward-mode"):
            f(2.0, dual)
        assert f(2.0, forward_ad.unpack_dual(dual).primal).tolist() == [2.0] * 3
        assert f(2.0, x).tolist() == [2.0] * 3


def test_a_failed_registration_leaves_nothing(torch: Any) -> None:
    names = {"dy": "grad_y", "dx": "grad_x"}
    other = torch.library.Library("optigpu_tests", "FRAGMENT")
    other.define("taken(Tensor x) -> Tensor")
    with pytest.raises(CallError, match="there is an operator `optigpu_tests::taken` already"):
        compiled(SCALE).register("optigpu_tests::taken", backward=compiled(SCALE_GRADIENT), names=names)
    assert not hasattr(torch.ops.optigpu_tests, "taken_backward") and hasattr(torch.ops.optigpu_tests, "taken")
    blocker = compiled(SCALE).register("optigpu_tests::half_backward")
    with pytest.raises(CallError, match="there is an operator `optigpu_tests::half_backward` already"):
        compiled(SCALE).register("optigpu_tests::half", backward=compiled(SCALE_GRADIENT), names=names)
    assert not hasattr(torch.ops.optigpu_tests, "half") and blocker(2.0, torch.ones(2)).tolist() == [2.0] * 2
    other._destroy()
    op = compiled(SCALE).register("optigpu_tests::taken", backward=compiled(SCALE_GRADIENT), names=names)
    x = torch.ones(2, requires_grad=True)
    assert torch.autograd.grad(op(3.0, x).sum(), x)[0].tolist() == [6.0] * 2


@pytest.mark.parametrize("name", ["lossy", "add", "transpose", "total"])
def test_a_gradient_is_refused_and_not_lost(torch: Any, operators: dict[str, Any], name: str) -> None:
    args = tuple(x.requires_grad_() if isinstance(x, torch.Tensor) else x for x in samples(torch, name))
    with pytest.raises(CallError, match="requires a gradient, and this operator has none"):
        operators[name](*args)
    with torch.no_grad():
        operators[name](*args)


def test_ordinary_calls_refuse_a_gradient_too(torch: Any) -> None:
    k, x, y = compiled(SCALE), torch.ones(4, requires_grad=True), torch.zeros(4)
    with pytest.raises(CallError, match="`x` requires a gradient, which this call would lose"):
        k(2.0, x, y)
    leaf = torch.zeros(4, requires_grad=True)
    with pytest.raises(CallError, match="`y` requires a gradient"):
        k(2.0, torch.ones(4), leaf)
    with torch.no_grad():
        k(2.0, x, leaf)
    assert leaf.tolist() == [2.0] * 4


def test_autograd_notices_what_a_call_writes(torch: Any) -> None:
    k, x = compiled(SCALE), torch.ones(4, requires_grad=True)
    kept = torch.full((4,), 2.0)
    y = x * kept
    k(3.0, torch.ones(4), kept)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_second_gradients_are_refused(torch: Any, operators: dict[str, Any]) -> None:
    x = torch.ones(4, requires_grad=True)
    with pytest.raises(CallError, match=r"scale_backward.*requires a gradient"):
        torch.autograd.grad(operators["scale"](3.0, x).sum(), x, create_graph=True)


def test_shapes_are_computed_without_data(torch: Any, operators: dict[str, Any]) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        assert operators["transpose"](torch.empty(3, 5)).shape == (5, 3)
        number, halves = operators["total"](torch.empty(8))
        assert number.shape == () and halves.shape == (4,) and halves.dtype is torch.int32
        with pytest.raises((CallError, RuntimeError), match="holds float32, not float64"):
            operators["total"](torch.empty(8, dtype=torch.float64))
        with pytest.raises((CallError, RuntimeError), match="dimensions"):
            operators["transpose"](torch.empty(8))
        with pytest.raises(RuntimeError, match="not the size that the contract says"):
            operators["add"](torch.empty(8), torch.empty(9))


def test_torch_compile_keeps_operators(torch: Any, operators: dict[str, Any]) -> None:
    def f(x: Any) -> Any:
        return operators["transpose"](operators["transpose"](x) + 1).sum() + operators["scale"](2.0, x[0]).sum()

    x = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    for sizes in (x, torch.ones(5, 7)):
        assert torch.compile(f, backend="aot_eager", fullgraph=True, dynamic=True)(sizes) == f(sizes)


def test_arrays_on_two_devices_are_refused(torch: Any, operators: dict[str, Any]) -> None:
    """Shapes alone would say nothing of it, and there would be nothing in the result."""
    with pytest.raises(CallError, match=r"not all on the same device \(cpu, meta\)"):
        operators["add"](torch.ones(4), torch.ones(4).to("meta"))
    assert operators["add"](torch.ones(4).to("meta"), torch.ones(4).to("meta")) is None


@pytest.mark.parametrize("backend", [None, "eager", "aot_eager"])
def test_autograd_notices_what_a_traced_operator_writes(
    torch: Any, operators: dict[str, Any], backend: str | None
) -> None:
    def f(w: Any) -> Any:
        b = w * 1
        y = b * b
        with torch.no_grad():
            operators["add"](b, torch.ones(4))
        return y.sum()

    w = torch.ones(4, requires_grad=True)
    torch._dynamo.reset()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        g = f if backend is None else torch.compile(f, backend=backend, fullgraph=True)
        torch.autograd.grad(g(w), w)


def test_what_is_read_is_what_was_there_before_the_operator(torch: Any, operators: dict[str, Any]) -> None:
    """Compilers of PyTorch leave out copies before operators."""
    a = torch.arange(4, dtype=torch.float32)
    operators["add"](a, a)
    assert a.tolist() == [0, 2, 4, 6]
    both = torch.arange(5, dtype=torch.float32)
    operators["add"](both[1:], both[:4])
    assert both.tolist() == [0, 1, 3, 5, 7]


def test_a_gradient_of_other_sizes_is_refused() -> None:
    """Of square matrices it would be a transposed one."""
    forward = """void twice(int n, int m, float a[n][m], float b[n][m]) {
      __reads("a ~> Cells2(n, m)"); __writes("b ~> Cells2(n, m)");
      for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) { b[i][j] = 2.0f * a[i][j]; } }
    }"""
    backward = """void back(int h, int w, float grad_b[h][w], float grad_a[h][w]) {
      __reads("grad_b ~> Cells2(h, w)"); __writes("grad_a ~> Cells2(h, w)");
      for (int i = 0; i < h; i++) { for (int j = 0; j < w; j++) { grad_a[i][j] = 2.0f * grad_b[i][j]; } }
    }"""
    gradient_of(operator_of(compiled(forward)), operator_of(compiled(backward)), {})
    wrong = backward.replace("grad_a[h][w]", "grad_a[w][h]").replace("grad_a ~> Cells2(h, w)", "grad_a ~> Cells2(w, h)")
    wrong = wrong.replace("grad_a[i][j]", "grad_a[j][i]")
    with pytest.raises(CallError, match=r"back: `grad_a\[w\]\[h\]` has not the sizes of `a\[n\]\[m\]`"):
        gradient_of(operator_of(compiled(forward)), operator_of(compiled(wrong)), {})


@pytest.mark.parametrize(
    "name", ["prim::foo", "aten::add", "optigpu_tests::name", "optigpu_tests::näme", "a::_dir", None]
)
def test_names_that_pytorch_does_not_take_are_explained(torch: Any, name: Any) -> None:
    with pytest.raises(CallError, match=r"no name of an operator|uses this name itself|refuses the operator"):
        compiled(SCALE).register(name)


def test_a_backward_function_is_a_built_one(torch: Any) -> None:
    with pytest.raises(CallError, match="backward= is a function that `build` or `load` gives, not function"):
        compiled(SCALE).register("optigpu_tests::lambda", backward=lambda x: x)  # type: ignore[arg-type]


def test_names_are_checked(torch: Any, operators: dict[str, Any]) -> None:
    with pytest.raises(CallError, match="is no name of an operator"):
        compiled(SCALE).register("scale")
    with pytest.raises(CallError, match="there is an operator `optigpu_tests::scale` already"):
        compiled(SCALE).register("optigpu_tests::scale")
    with pytest.raises(CallError, match="names are of a backward function"):
        compiled(SCALE).register("optigpu_tests::other", names={"dy": "grad_y"})


def test_preconditions_hold_in_operators(torch: Any, operators: dict[str, Any]) -> None:
    with pytest.raises(CallError, match="precondition n % 2 == 0 does not hold"):
        operators["total"](torch.ones(5))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested")
def test_tensors_that_are_no_arrays_are_explained(torch: Any) -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    k, kt = compiled(SCALE), on_standin(TRANSPOSE, races=False)
    parts = [torch.ones(3), torch.ones(2)]
    for nested, says in (
        (torch.nested.nested_tensor(parts), "a tensor that has no sizes"),
        (
            torch.nested.nested_tensor(parts, layout=torch.jagged),
            r"1 dimensions, not 2|is not a number|not stored as an array",
        ),
    ):
        for f, args in ((k, (2.0, nested)), (k, (2.0, nested, torch.ones(3))), (kt, (nested,))):
            with pytest.raises(CallError, match=says):
                f(*args)
    x, y = torch.ones(3), torch.ones(3)
    with FakeTensorMode():
        for args in ((2.0, x), (2.0, x, y), (2.0, torch.ones(3))):
            with pytest.raises(CallError, match=r"cannot be used as an array|memory is not there|without memory"):
                k(*args)
    assert k(2.0, x).tolist() == [2.0] * 3


def test_outputs_are_of_the_library_of_the_inputs(torch: Any) -> None:
    k = compiled(SCALE)
    made = k(2.0, torch.full((3,), 2.0))
    assert isinstance(made, torch.Tensor) and made.tolist() == [8.0] * 3
    assert isinstance(k(2.0, np.full(3, 2, np.float32)), np.ndarray)
