"""A program is read from text: it is refused where Python made something else of the decorators, annotations or names."""

from __future__ import annotations

import builtins
import math
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest

import optigpu as og
from optigpu.syntax.diagnostic import InputError
from tests.conftest import ROOT
from tests.support.python_programs import program_of_text, python_program, refusal

FIVE = "def f(k: int) -> int:\n    return 5\n"

# (text, code, marked text, a part of the help or of the message)
DECORATORS = [
    ("def outer():\n    import optigpu as og\n    @og.program\n    @og.ensures('_Res == 5')\n    def f(k: int) -> int:\n"
     "        return 3\nouter()", "OG016", "og.program", "the class or function around"),
    ("spec = og.ensures('_Res == 5')\n@spec\ndef f(k: int) -> int:\n    return 3\nf = og.program(f)", "OG016", "spec",
     "exactly one is known to be `@og.program`"),
    ("@og.ensures('_Res == 5')\ndef f(k: int) -> int:\n    return 3\nf = og.program(f)", "OG016",
     "og.ensures('_Res == 5')", "exactly one"),
    ("p = og.program(sizes='')\n@p\ndef f(k: int) -> int:\n    return 3", "OG016", "p", "exactly one"),
    ("@og.program\n@(lambda g: g)\ndef f(k: int) -> int:\n    return 3", "OG016", "lambda g: g", "would change"),
    ("@(lambda g: g)\n@og.program\ndef f(k: int) -> int:\n    return 3", "OG016", "lambda g: g", "define it in the module"),
    ("@og.program\n@og.program\ndef f(k: int) -> int:\n    return 3", "OG016", "og.program", "exactly one"),
    ("spec = og.requires\nclass C:\n    spec = og.ensures\n    @og.program\n    @spec('k == 4')\n    def f(k: int) -> int:\n"
     "        return 4", "OG016", "spec", "the class or function around"),
    ("spec = og.requires\nclass C:\n    locals()['spec'] = og.ensures\n    @og.program\n    @spec('k == 4')\n"
     "    def f(k: int) -> int:\n        return 4", "OG016", "f", "are not those above it"),
    ("def g(k: int) -> int:\n    return 3\nog.ensures('_Res == 3')(g)\nog.program(g)", "OG016", "g", "are not those above it"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "marked", "says"), DECORATORS)
def test_contracts_that_the_text_does_not_show(text: str, code: str, marked: str, says: str, tmp_path: Path) -> None:
    found, _, at, d = refusal(text + "\n", tmp_path)
    assert found == code and says in f"{d.message} {d.help}", d
    assert not marked or at == marked, d


@pytest.mark.parametrize(
    "text",
    [
        f"@og.program\n@og.ensures('_Res == 5')\n{FIVE}",
        f"@program\n@og.ensures('_Res == 5')\n{FIVE}",
        f"spec = og.ensures\n@og.program\n@spec('_Res == 5')\n{FIVE}",
        f"{FIVE}f = og.program(f)\n",
        f"@og.program\n@og.admitted\n@og.ensures('_Res == 6')\n{FIVE}",
        f"@og.program\n@og.ensures('_Res == 6')\n@og.admitted()\n{FIVE}",
        f"@og.program(sizes='')\n@og.ensures('_Res == 5')\n@og.requires('k > 0')\n{FIVE}",
    ],
)
def test_contracts_that_the_text_shows(text: str, tmp_path: Path) -> None:
    assert python_program(text, tmp_path).c()


# (text, code or None, marked text, a part of the help or of the message)
ANNOTATIONS = [
    ("T = og.i32\ndef outer():\n    T = og.u8\n    @program\n    def f(k: T):\n        pass\nouter()", "OG016", "T", "around"),
    ("class C:\n    K = 4\n    @program\n    def f(a: og.i32[K]):\n        pass", "OG016", "og.i32[K]", "the class"),
    ("class C:\n    locals()['K'] = 4\n    @program\n    def f(a: og.i32[K]):\n        pass", "OG017", "og.i32[K]", "else when"),
    ("class C:\n    locals()['K'] = 4\n    @program\n    def f(a: og.i32[K * 2]):\n        pass", "OG017", "og.i32[K * 2]", ""),
    ("class C:\n    locals()['n'] = m\n    @program\n    def f(a: og.i32[n]):\n        pass", "OG017", "og.i32[n]", ""),
    ("T = og.i32\nclass C:\n    locals()['T'] = og.u8\n    @program\n    def f(k: T):\n        pass", "OG017", "T", "when Python"),
    ("T = og.i32\nclass C:\n    locals()['T'] = og.u8\n    @program\n    def f(k: int) -> T:\n        return k", "OG017", "T", ""),
    ("def outer(T):\n    @program\n    def f(k: int):\n        y: T = 1\nouter(1)", "OG016", "f", "around"),
    ("def outer():\n    T = 1\n    @program\n    def f(k: int):\n        y: 'T' = 1\nouter()", "OG016", "'T'", "around"),
    ("k = 3\n@program\ndef f(k: int, a: og.i32[k]):\n    pass", "OG017", "k", 'og.f32["k"]'),
    ("k = 3\n@program\ndef f(k: int, a: og.i32[k + 1]):\n    pass", "OG017", "k", 'og.f32["k"]'),
    ("k = 3\n@program\ndef f(k: int, a: og.i32['k']):\n    pass", None, "", ""),
    ("k = og.sizes('k')\n@program\ndef f(k: int, a: og.i32[k]):\n    pass", None, "", ""),
    ("@program\ndef f(a: og.i32[K], b: og.i32[2 * K + 1], c: og.f32[n, K - 1]) -> 'og.i32':\n    return 1", None, "", ""),
    ("@program\ndef f(a: og.i32[..., 'k']):\n    pass", "OG019", "og.i32[..., 'k']", "og.i32[...], or all its sizes"),
    ("@program\ndef f(a: og.i32[n, ...]):\n    pass", "OG019", "og.i32[n, ...]", "no other size"),
    ("@program\n@og.reads('a ~> Cells1(k)')\ndef f(k: int, a: og.i32[...]):\n    pass", None, "", ""),
    ("class C:\n    @program\n    def f(k: int) -> int:\n        return __K", "OG017", "__K", "does not start with"),
    ("class C:\n    @program\n    def f(k: int) -> int:\n        return K", None, "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "marked", "says"), ANNOTATIONS)
def test_annotations(text: str, code: str | None, marked: str, says: str, tmp_path: Path) -> None:
    if code is None:
        assert program_of_text(text + "\n", tmp_path)
        return
    found, _, at, d = refusal(text + "\n", tmp_path)
    assert (found, at) == (code, marked) and says in f"{d.message} {d.help}", d


def test_annotations_that_python_does_not_evaluate(tmp_path: Path) -> None:
    text = "from __future__ import annotations\nimport optigpu as og\nk = 3\n@og.program\ndef f(k: int, a: og.i32[k]):\n    pass\n"
    path = tmp_path / "future.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="is a parameter here"):
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {})
    path.write_text(text.replace("[k]", "[l]"), encoding="utf-8")
    names: dict[str, og.PythonProgram] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    assert "int a[l]" in names["f"].c()


# What runs is the text


def test_another_function_under_the_name(tmp_path: Path) -> None:
    swap = "def swap(g):\n    def d(f):\n        g.__name__ = 'f'\n        return g\n    return d\n"
    text = f"{swap}@swap(lambda k: 42)\ndef f(k: int) -> int:\n    return k\nf = og.program(f)\n"
    assert refusal(text, tmp_path)[0] == "OG018"


@pytest.mark.parametrize(("other", "same"), [("0.0", True), ("-0.0", False), ("0", False), ("False", False)])
def test_constants_are_compared_exactly(other: str, same: bool, tmp_path: Path) -> None:
    text = "def f(x: og.f64) -> og.f64:\n    return x + {}\n"
    f = python_program("@og.program\n" + text.format("0.0"), tmp_path).function
    constants = tuple(eval(other) if type(c) is float else c for c in f.__code__.co_consts)
    g = FunctionType(f.__code__.replace(co_consts=constants), f.__globals__, "f")
    g.__annotations__ = f.__annotations__
    if same:
        assert og.program(g)
        return
    with pytest.raises(InputError, match="has changed since Python read it"):
        og.program(g)


def test_objects_that_pretend(tmp_path: Path) -> None:
    pretends = (
        "class Fake:\n    name = 'exp'\n    __class__ = property(lambda s: {kind})\n"
        "    def __call__(self, x): return 42.0\n    def __hash__(self): return hash(math.sqrt)\n"
        "    def __eq__(self, o): return True\nfn = Fake()\n@og.program\ndef f(k: int) -> og.f64:\n    return fn(4.0)\n"
    )
    for kind in ("type(og.exp)", "type(math.sqrt)", "type(og.f64)"):
        assert refusal(pretends.format(kind=kind), tmp_path)[0] == "OG016"
    own_word = "fn = type(og.exp)('exp', lambda x: 42.0)\n@og.program\ndef f(k: int) -> og.f64:\n    return fn(4.0)\n"
    assert refusal(own_word, tmp_path)[0] == "OG016"
    no_hash = (
        "class Bad:\n    def __call__(self, x): return x\n    def __hash__(self): raise RuntimeError\nfn = Bad()\n"
    )
    assert refusal(no_hash + "@og.program\ndef f(k: int) -> int:\n    return fn(k)\n", tmp_path)[0] == "OG016"
    for name in ("math.sqrt", "og.sqrt"):
        assert python_program(f"fn = {name}\n@og.program\ndef f(k: int) -> og.f64:\n    return fn(4.0)\n", tmp_path)


def test_builtins_that_something_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "@og.program\ndef f(k: int) -> int:\n    return abs(k)\n"
    before = python_program(text, tmp_path)
    monkeypatch.setattr(builtins, "abs", lambda x: 42)
    assert refusal(text, tmp_path)[0] == "OG016"
    with pytest.raises(InputError, match="`abs` means something else now"):
        before.c()
    monkeypatch.undo()
    monkeypatch.setattr(math, "sqrt", lambda x: 42.0)
    assert refusal("@og.program\ndef f(x: og.f64) -> og.f64:\n    return math.sqrt(x)\n", tmp_path)[0] == "OG016"


def test_builtins_of_a_module_of_its_own(tmp_path: Path) -> None:
    text = "__builtins__ = {}\n@og.program\ndef f(k: int) -> int:\n    return abs(k)\n"
    code, _, _, d = refusal(text.format("{**vars(math), **__import__('builtins').__dict__, 'abs': max}"), tmp_path)
    assert code == "OG018" and "built-in functions of its own" in d.message
    assert python_program(text.format("__builtins__"), tmp_path)


def test_builtins_replaced_before_the_package_is_loaded() -> None:
    text = (
        "import math, numpy, ctypes\nmath.erf = lambda x: 42\n"
        "from optigpu.frontend.python.genuine_objects import math_function\n"
        "assert math_function(math.erf) is None and math_function(math.sin) == 'sin'\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "src")})


def test_attributes_of_the_function_are_not_the_programs(tmp_path: Path) -> None:
    text = "def f(k: int) -> int:\n    return 3\nf.signature = 3\nf.assembled = 4\nf = og.program(f)\n"
    assert "return 3;" in python_program(text, tmp_path).c()


@pytest.mark.parametrize(
    ("head", "says"),
    [("range(n, unroll=4)", "og.range(…, unroll=4)"), ("reversed(range(n), parallel=True)", "takes no keywords")],
)
def test_ranges_of_python_have_no_options(head: str, says: str, tmp_path: Path) -> None:
    text = "@og.program\ndef f(a: og.i32[n]):\n    for i in {}:\n        a[i] = i\n"
    code, line, _, d = refusal(text.format(head), tmp_path)
    assert (code, line) == ("OG012", 3) and says in f"{d.message} {d.help}"
    assert program_of_text(text.format("og.range(n, unroll=4)"), tmp_path)
    assert program_of_text(text.format("reversed(og.range(n, parallel=True))"), tmp_path)
