"""What programs in Python become beyond the examples: calls, arrays, constants, loops, proof steps, scripts, compiled calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError
from optigpu.script.step_errors import StepError
from optigpu.syntax.program import Program
from tests.support.python_programs import names_of, program_of_text, python_program, refusal

# (Python, C): one program
PAIRS = [
    (
        "@og.program\ndef f(a: og.f32[2, n], b: og.f64['n + K'], c: bool, d: float):\n    pass\n",
        "#define K 3\nvoid f(int n, float a[2][n], double b[n + K], bool c, double d) { }",
    ),
    (
        "@og.program\ndef f(a: og.f64[n], x: og.f32):\n"
        "    a[0] = a[1] * 0.1 + 2 * 0.1\n    y = x * 0.1\n    z = 0.1\n    z += EPS\n",
        "void f(int n, double a[n], float x) { a[0] = a[1] * 0.1 + 2 * 0.1; const float y = x * 0.1f;\n"
        "float z = 0.1f; z += 0.00001f; }",
    ),
    (
        "@og.program\ndef f(a: og.f64[n]):\n    a[0] = math.exp(0.5) + og.exp(a[1]) + og.f64(0.1)\n    y = og.exp(1.0)\n",
        "void f(int n, double a[n]) { a[0] = exp(0.5) + exp(a[1]) + 0.1; const float y = expf(1.0f); }",
    ),
    (
        "@og.program\n@og.requires('k < K')\ndef f(k: int) -> int:\n    return k if k > 0 else -k\n",
        "#define K 3\nint f(int k) { __requires(\"k < K\"); return k > 0 ? k : -k; }",
    ),
    (
        "@og.program\ndef f(a: og.i32[n]):\n    for i in og.doubling(1, n):\n"
        "        a[i] = 0\n    for i in og.halving(n - 1, 0):\n        a[i] = 1\n",
        "void f(int n, int a[n]) { for (int i = 1; i < n; i *= 2) a[i] = 0; for (int i = n - 1; i > 0; i /= 2) a[i] = 1; }",
    ),
    (
        "@og.program\ndef f(a: og.i64[n], k: og.i64):\n    for i in og.parallel(0, k, unroll=4):\n        a[i] = 0\n",
        "void f(int n, int64_t a[n], int64_t k) {\n#pragma omp parallel for\n"
        "#pragma unroll 4\nfor (int64_t i = 0; i < k; i++) a[i] = 0; }",
    ),
    (
        "@og.program\ndef f(a: og.f32[n]):\n    t = og.local(og.f32[4])\n"
        "    for i in og.simd(4):\n        t[i] = 0.0\n    a[0] = t[1]\n",
        "void f(int n, float a[n]) { float t[4];\n#pragma omp simd\nfor (int i = 0; i < 4; i++) t[i] = 0.0f; a[0] = t[1]; }",
    ),
    (
        "@og.program\ndef f(a: og.f32[n]) -> og.f32:\n    t = og.zeros(og.f32[n, 2])\n    return t[0, 1] + a[0]\n",
        "float f(int n, float a[n]) { float* const t = CALLOC2(float, n, 2); const float result = t[0][1] + a[0]; free(t);\n"
        "return result; }",
    ),
    (
        "@og.program\ndef f(a: og.f32[n]):\n    for i in og.range(n):\n        t = og.empty(og.f32[2])\n        if a[i] > 0.0:\n"
        "            continue\n        t[0] = a[i]\n",
        "void f(int n, float a[n]) { for (int i = 0; i < n; i++) { float* const t = MALLOC1(float, 2);\n"
        "if (a[i] > 0.0f) { free(t); continue; } t[0] = a[i]; free(t); } }",
    ),
    (
        "@og.program\ndef f(a: og.f32[n]):\n    t = og.empty(og.f32[n])\n    if n > 3:\n        return\n    a[0] = 1.0\n",
        "void f(int n, float a[n]) { float* const t = MALLOC1(float, n); if (n > 3) { free(t); return; } a[0] = 1.0f; free(t); }",
    ),
    (
        "@og.program\ndef g(x: og.f32[n, m]) -> og.f32[m, n]:\n    y = og.empty(og.f32[m, n])\n    return y\n"
        "@og.program\ndef f(a: og.f32[n, m]):\n    t = g(a)\n    u = g(x=t)\n    a[0, 0] = u[0, 0]\n",
        "void g(int n, int m, float x[n][m], float y[m][n]) { }\n"
        "void f(int n, int m, float a[n][m]) { float* const t = MALLOC2(float, m, n); g(n, m, a, t);\n"
        "float* const u = MALLOC2(float, n, m); g(m, n, t, u); a[0][0] = u[0][0]; free(u); free(t); }",
    ),
    (
        "@og.program\ndef g(k: int, x: og.f32['2 * k']):\n    pass\n"
        "@og.program\ndef f(a: og.f32['2 * n'], b: og.f32[n]):\n    g(n, a)\n",
        "void g(int k, float x[2 * k]) { }\nvoid f(int n, float a[2 * n], float b[n]) { g(n, a); }",
    ),
    (
        "og.define('twice', '''fun (x: int) ->\n  x * K''')\n@og.program\n"
        "@og.ensures('_Res == twice(k)')\ndef f(k: int) -> int:\n"
        "    og.assertion('h', 'k * K == twice(k)')\n    return k * K\n",
        '#define K 3\n__DEF(twice, "fun (x: int) -> x * K");\nint f(int k) { __ensures("_Res == twice(k)");\n'
        '__ASSERT(h, "k * K == twice(k)"); return k * K; }',
    ),
    (
        "@og.lemma\ndef double_is_even():\n    og.requires('n: int')\n    og.ensures('even: (2 * n) % 2 == 0')\n    ...\n"
        "@og.program\ndef f(k: int) -> int:\n    og.ghost('double_is_even', 'k')\n    return 2 * k\n",
        '__GHOST(double_is_even) { __requires("n: int"); __ensures("even: (2 * n) % 2 == 0"); }\n'
        'int f(int k) { __ghost(double_is_even, "k"); return 2 * k; }',
    ),
    (
        "@og.program\n@og.admitted\n@og.requires('k > 0')\ndef g(k: int):\n    ...\n"
        "@og.program\ndef f(k: int):\n    g(k)\n",
        'void g(int k) { __requires("k > 0"); __admitted(); }\nvoid f(int k) { g(k); }',
    ),
    (
        "@og.program\ndef f(a: og.i32[n]):\n    for i in og.range(n):\n"
        "        og.xwrites('&a[i] ~~> i')\n        og.strict()\n        a[i] = i\n",
        'void f(int n, int a[n]) { for (int i = 0; i < n; i++) { __xwrites("&a[i] ~~> i"); __strict(); a[i] = i; } }',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("python", "c"), PAIRS, ids=range(len(PAIRS)))
def test_python_and_c_are_one_program(python: str, c: str, tmp_path: Path) -> None:
    assert program_of_text(python, tmp_path).items == parse_text("#include <optigpu.h>\n" + c).items


# (text, code, marked, a part of the message or of the help)
WRONG_CALLS = [
    ("g(a)", "OG104", "g(a)", "needs `b`"),
    ("g(a, b, k, k)", "OG104", "g(a, b, k, k)", "takes 3 arguments"),
    ("g(a, b, z=k)", "OG104", "k", "no parameter `z`"),
    ("g(*a)", "OG104", "g(*a)", "needs"),
    ("g(a, b, 0.5)", "OG102", "0.5", "`k` is `int`"),
    ("g(a, k, k)", "OG102", "k", "`b` is a 1-dimensional array"),
    ("g(a, c, k)", "OG017", "c", "n elements"),
    ("g(a, w, k)", "OG102", "w", "array of `double`"),
    ("y = g(a, b, k)", "OG102", "g(a, b, k)", "returns nothing"),
    ("h(a)", "OG010", "h(a)", "t = h(a)"),
    ("a[0] = h(a)", "OG016", "h(a)", "needs a name"),
    ("b = h(a)", "OG017", "b", "a parameter"),
    ("if k > 0:\n        t = h(a)\n    a[0] = t[0]", "OG017", "t", "before that block"),
    ("y = k\n    y = 2\n    t = og.empty(og.f32[y])", "OG017", "t = og.empty(og.f32[y])", "another value later"),
    ("t = og.empty(og.f32[n])\n    for i in range(2):\n        y = i\n        y += 1\n        s = og.empty(og.f32[y])", "OG017",
     "s = og.empty(og.f32[y])", "assigned once"),
    ("t = og.local(og.f32[u[0]])", "OG017", "t = og.local(og.f32[u[0]])", "another value later"),
    ("t = og.empty(n)", "OG105", "og.empty(n)", "og.f32[n]"),
    ("t = og.empty(og.f32[0.5])", "OG103", "0.5", "a size is"),
    ("t = og.empty(og.f32[n])\n    t = og.empty(og.f32[n])", "OG017", "t", "an array"),
    ("a = og.empty(og.f32[n])", "OG017", "a", "a parameter"),
    ("u[0] = k + u[1]", "OG017", "k + u[1]", "modulo 2^32"),
    ("u[0] += 1", "OG017", "u[0] += 1", "og.i64"),
    ("y = -u[0]", "OG017", "-u[0]", "modulo"),
    ("y = max(u[0], k)", "OG017", "max(u[0], k)", "modulo"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "marked", "says"), WRONG_CALLS)
def test_wrong_calls_and_arrays(text: str, code: str, marked: str, says: str, tmp_path: Path) -> None:
    start = (
        "@og.program\ndef g(a: og.f32[n], b: og.f32[n], k: int):\n    pass\n"
        "@og.program\ndef h(a: og.f32[n]) -> og.f32[n]:\n    b = og.empty(og.f32[n])\n    return b\n"
        "@og.program\ndef f(a: og.f32[n], b: og.f32[n], c: og.f32[m], w: og.f64[n], u: og.u32[n], k: int):\n    "
    )
    found, _, at, d = refusal(start + text + "\n", tmp_path)
    assert (found, at) == (code, marked), d
    assert says in f"{d.message} {d.help}", d


def test_unsigned_numbers_are_computed_in_a_wider_type(tmp_path: Path) -> None:
    text = (
        "@og.program\ndef f(u: og.u32[n]):\n    u[0] = og.u32(og.i64(u[1]) + 1)\n    y = u[0] // 2 + og.i64(u[1]) % 2\n"
    )
    assert "u[0] = (unsigned)((int64_t)u[1] + 1);" in python_program(text, tmp_path).c()


def test_sizes_that_keep_their_value(tmp_path: Path) -> None:
    text = (
        "@og.program\ndef f(k: int):\n    y = k + 1\n    for i in og.range(k):\n        t = og.empty(og.f32[y, i + 1])\n"
        "        z = i * 2\n        s = og.empty(og.f32[max(z, K)])\n"
    )
    assert "MALLOC2(float, y, i + 1)" in python_program(text, tmp_path).c()


def test_recursion_is_refused(tmp_path: Path) -> None:
    d = refusal("@og.program\ndef f(k: int):\n    f(k)\n", tmp_path)[3]
    assert d.code == "OG016" and "`f` is no function of a program" in d.message, d


def test_programs_of_another_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = "import optigpu as og\nn, m = og.sizes('n m')\nSIZE = {}\n"
    one = "@og.program\ndef one(a: og.f32[n]):\n    a[0] = SIZE * 1.0\n"
    (tmp_path / "first_module.py").write_text(header.format(7) + one, encoding="utf-8")
    two = "import first_module\n@og.program\ndef two(a: og.f32[m, n]):\n    first_module.one(a[0]){}\n"
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "second_module.py").write_text(header.format(7) + two.format(""), encoding="utf-8")
    program = names_of(tmp_path / "second_module.py")["two"].program
    assert isinstance(program, Program) and [f.name for f in program.functions()] == ["one", "two"]
    other = header.format(8) + two.format("\n    a[0, 0] = SIZE * 1.0")
    (tmp_path / "third_module.py").write_text(other, encoding="utf-8")
    with pytest.raises(Exception, match="`SIZE` is 7 for `one` and 8 here"):
        names_of(tmp_path / "third_module.py")


@pytest.fixture(scope="module")
def add(tmp_path_factory: pytest.TempPathFactory) -> og.PythonProgram:
    text = (
        "@og.program\n@og.requires('A: int -> float, B: int -> float')\n@og.reads('a ~> Matrix1(n, A), b ~> Matrix1(n, B)')\n"
        "@og.writes('c ~> Matrix1(n, fun i -> s * A(i) + B(i))')\n"
        "def f(a: og.f32[n], b: og.f32[n], s: og.f32) -> og.f32[n]:\n    '''s a + b'''\n    c = og.empty(og.f32[n])\n"
        "    for i in og.range(n):\n        c[i] = s * a[i] + b[i]\n    return c\n"
    )
    return python_program(text, tmp_path_factory.mktemp("add"))


def test_a_call_runs_verified_code(add: og.PythonProgram) -> None:
    a, b = np.arange(5, dtype="float32"), np.ones(5, "float32")
    assert add(a, b, 2.0).tolist() == add.python(a, b, s=2.0).tolist() == [1, 3, 5, 7, 9]
    assert add(a=a, b=b, s=0).tolist() == [1] * 5
    assert add.__name__ == "f" and add.__doc__ == "s a + b" and "f(a, b, s)" in repr(add) and str(add) == add.c()


@pytest.mark.parametrize(
    ("count", "dtype", "says"),
    [(4, "float32", "has the shape"), (5, "float64", "float"), (5, "int32", "float")],
)
def test_wrong_arguments_of_a_call(add: og.PythonProgram, count: int, dtype: str, says: str) -> None:
    a, b = np.arange(5, dtype="float32"), np.ones(count, dtype)
    for call in (add, add.python):
        with pytest.raises(CallError, match=says):
            call(a, b, 2.0)
        with pytest.raises(CallError, match="needs `s`"):
            call(a, a)
        with pytest.raises(CallError, match="no parameter `z`"):
            call(a, a, 1.0, z=1)


def test_a_program_that_is_not_verified_is_not_called(tmp_path: Path) -> None:
    text = (
        "@og.program\n@og.writes('a ~> Matrix1(n, fun i -> 1)')\n"
        "def f(a: og.i32[n]):\n    for i in og.range(n):\n        a[i] = {}\n"
    )
    a = np.zeros(3, "int32")
    with pytest.raises(StepError):
        python_program(text.format(2), tmp_path)(a)
    assert a.tolist() == [0, 0, 0]
    python_program(text.format(1), tmp_path)(a)
    assert a.tolist() == [1, 1, 1]


def test_a_script_on_a_program(add: og.PythonProgram) -> None:
    s = og.Script(add)
    s.loop.tile("i", 4, tail="guard")
    assert s.result.verified and "for (int bi" in s.text()


def test_a_script_on_a_python_file_says_what_to_do() -> None:
    with pytest.raises(CallError, match="is Python: import the function"):
        og.Script("transpose.py")


def test_a_kernel_made_of_a_program(add: og.PythonProgram) -> None:
    s = og.Script(add)
    s.loop.tile("i", 32, outer="block", tail="guard")
    s.gpu.launch(grid=["block"], block=["i"])
    assert s.result.verified and "__global__" in s.cuda().text


def test_python_reports_what_numpy_would_hide(tmp_path: Path) -> None:
    text = (
        "@og.program\ndef f(a: og.i8[n], k: int):\n    a[k] = a[k] * 2\n"
        "    t = og.empty(og.i32[n])\n    if k > 1:\n        a[0] = t[0] + 1\n"
    )
    p = python_program(text, tmp_path)
    with pytest.raises(IndexError, match="below zero"):
        p.python(np.ones(3, "int8"), -1)
    with pytest.raises(OverflowError, match="does not fit"):
        p.python(np.full(3, 100, "int8"), 0)
    with pytest.raises(TypeError):
        p.python(np.ones(3, "int8"), 2)
    a = np.ones(3, "int8")
    p.python(a, 1)
    assert a.tolist() == [1, 2, 1]
