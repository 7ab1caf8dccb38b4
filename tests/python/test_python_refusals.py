"""What Python means otherwise than C, or what programs do not have, is refused at its place, with what to write instead."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.python_programs import program_of_text, refusal


def function(body: str, head: str = "a: og.i32[n], x: og.f32[n], k: int", returns: str = "") -> str:
    return f"@og.program\ndef f({head}){returns}:\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"


# (body, code, line of the body, what is marked, a part of the help or of the message)
BODIES = [
    # other meanings
    ("a[0] = k / 2", "OG017", 1, "k / 2", "a // b"),
    ("a[0] /= 2", "OG017", 1, "a[0] /= 2", "a // b"),
    ("a[0] = a[-1]", "OG017", 1, "-1", "a[n - 1]"),
    ("a[K - 4] = 0", "OG017", 1, "K - 4", "a[n - 1]"),
    ("for i in og.range(n):\n    a[i] = 0\na[0] = i", "OG017", 3, "i", "a loop that has ended"),
    ("if k > 0:\n    y = 1\na[0] = y", "OG017", 3, "y", "before that block"),
    ("if k > 0:\n    y = 1\nelse:\n    y = 2\na[0] = y", "OG017", 5, "y", "before that block"),
    ("for i in og.range(n):\n    y = i\na[0] = y", "OG017", 3, "y", "before that block"),
    ("y = 1\ny = 2.0\na[0] = y", "OG017", 2, "y", "would become `float`"),
    ("y = 0\ny += x[0]", "OG017", 2, "y", "would become `float`"),
    ("y = 0.0\ny = k", "OG017", 2, "y", "would become `int`"),
    ("y = 0.0\ny = math.sqrt(2.0)", "OG017", 2, "y", "would become `double`"),
    ("y = True\ny = 1", "OG017", 2, "y", "would become `int`"),
    ("k = 1", "OG017", 1, "k", "a parameter, which a program does not assign"),
    ("n = 1", "OG017", 1, "n", "a size, which a program does not assign"),
    ("for i in og.range(n):\n    i = 0", "OG017", 2, "i", "the index of a loop"),
    ("for i in og.range(n):\n    i += 1", "OG017", 2, "i", "the index of a loop"),
    ("y = 0\nfor y in og.range(n):\n    a[y] = 0", "OG017", 2, "y", "a variable, which this loop would change"),
    ("for i in og.range(n):\n    for i in og.range(n):\n        a[i] = 0", "OG017", 2, "i", "another name"),
    ("a[0] = 1.5", "OG017", 1, "1.5", "og.i32(…)"),
    ("a[0] += x[0]", "OG017", 1, "x[0]", "og.i32(…)"),
    ("if k:\n    a[0] = 0", "OG017", 1, "k", "write `!= 0`"),
    ("if not x[0]:\n    a[0] = 0", "OG017", 1, "x[0]", "write `!= 0`"),
    ("if k > 0 and x[0]:\n    a[0] = 0", "OG017", 1, "x[0]", "write `!= 0`"),
    ("y: og.f64 = x[0]", "OG017", 1, "x[0]", "og.f64(…)"),
    ("y: og.i32", "OG017", 1, "y: og.i32", "= 0"),
    ("y: og.i32 = 0.5", "OG017", 1, "0.5", "og.i32(…)"),
    ("x[0] = k if k > 0 else x[1]", "OG017", 1, "k if k > 0 else x[1]", "both floats"),
    ("for i in reversed(og.range(0, n, 2)):\n    a[i] = 0", "OG017", 1, "reversed(og.range(0, n, 2))", "-step"),
    ("a[0] = int(x[0])", "OG017", 1, "int(x[0])", "og.i32(x[0])"),
    ("a[0] = int(k * 0.1)", "OG017", 1, "int(k * 0.1)", "og.i32(k * 0.1)"),
    # not in the language
    ("t = og.empty(og.i32[()])", "OG019", 1, "og.i32[()]", "og.i32[1]"),
    ("a[0] = (((k // a[0]) // a[1]) // a[2]) // a[3]", "OG016", 1, "(((k // a[0]) // a[1]) // a[2]) // a[3]", "q = …"),
    ("while k > 0:\n    a[0] = 0", "OG016", 1, "while k > 0:", "a `while` loop has no meaning in a program for i in og.range(n)"),
    ("for i in og.range(n):\n    if a[i] > 0:\n        break", "OG016", 3, "break", "takes all its iterations"),
    ("for i in og.range(n):\n    a[i] = 0\nelse:\n    a[0] = 1", "OG016", 4, "a[0] = 1", "after the loop"),
    ("for i, j in og.range(n):\n    a[i] = 0", "OG016", 1, "i, j", "one index"),
    ("for i in a:\n    k", "OG011", 1, "a", "for i in og.range(n)"),
    ("for i in [1, 2]:\n    k", "OG011", 1, "[1, 2]", "for i in og.range(n)"),
    ("for i in og.range(0, n, 0):\n    a[i] = 0", "OG011", 1, "og.range(0, n, 0)", "not 0"),
    ("for i in og.range(0, n, k):\n    a[i] = 0", "OG017", 1, "k", "max(step, 1)"),
    ("for i in og.range(0, n, K - 3):\n    a[i] = 0", "OG011", 1, "og.range(0, n, K - 3)", "not 0"),
    ("for i in og.range(n, unroll=k):\n    a[i] = 0", "OG012", 1, "k", "unroll=4"),
    ("for i in og.range(n, schedule='static'):\n    a[i] = 0", "OG012", 1, "og.range(n, schedule='static')", "og.parallel"),
    ("a[0] = k ** 2", "OG016", 1, "k ** 2", "x * x"),
    ("a[0:2] = 1", "OG016", 1, "0:2", "a loop over the indices"),
    ("y, z = 1, 2", "OG016", 1, "y, z", "one statement for each"),
    ("y = z = 1", "OG016", 1, "z", "one statement for each"),
    ("y = [1, 2]", "OG016", 1, "[1, 2]", "og.empty"),
    ("y = (1, 2)", "OG016", 1, "(1, 2)", "one value"),
    ("y = {1: 2}", "OG016", 1, "{1: 2}", "no meaning"),
    ("y = [i for i in a]", "OG016", 1, "[i for i in a]", "a loop"),
    ("y = lambda z: z", "OG016", 1, "lambda z: z", "@og.program"),
    ("def g():\n    pass", "OG016", 1, "def g():", "beside this one"),
    ("assert k > 0", "OG016", 1, "assert k > 0", "og.assertion"),
    ("raise ValueError", "OG016", 1, "raise ValueError", "no exceptions"),
    ("try:\n    a[0] = 0\nfinally:\n    pass", "OG016", 1, "try:", "no exceptions"),
    ("with k:\n    pass", "OG016", 1, "with k:", "no meaning"),
    ("import math", "OG016", 1, "import math", "top of the file"),
    ("global z", "OG016", 1, "global z", "arrays alone"),
    ("del a", "OG016", 1, "del a", "freed"),
    ("if (y := k) > 0:\n    a[0] = y", "OG016", 1, "y := k", "a statement before"),
    ("y = f'{k}'", "OG016", 1, "f'{k}'", "f-string"),
    ("y = 'text'", "OG016", 1, "'text'", "a string"),
    ("y = a", "OG016", 1, "y = a", "another name of an array"),
    ("y = None", "OG016", 1, "None", "no meaning"),
    ("y = 1j", "OG016", 1, "1j", "no meaning"),
    ("y = k is n", "OG016", 1, "k is n", "== for numbers"),
    ("y = k in a", "OG016", 1, "k in a", "== for numbers"),
    ("y = a @ x", "OG102", 1, "a", "array"),
    ("y = max(*a)", "OG016", 1, "*a", "one by one"),
    ("y = max(k)", "OG016", 1, "max(k)", "max(a, b)"),
    ("y = sum(a)", "OG016", 1, "sum", "a loop over the elements"),
    ("y = print(k)", "OG016", 1, "print", "a loop over the elements"),
    ('t = og.empty(og.f32["n"])', "OG016", 1, '"n"', 'n = og.sizes("n") in the module'),
    ("y = len(a)", "OG016", 1, "len", "name of the size"),
    ("y = a.shape[0]", "OG100", 1, "a.shape", "names of the sizes"),
    ("y = math.floor(x[0])", "OG016", 1, "math.floor", "a loop over the elements"),
    ("y = math", "OG016", 1, "math", "its numbers alone"),
    ("y = math.nan", "OG016", 1, "math.nan", "NaN"),
    ("y = bool(k)", "OG016", 1, "bool", "a loop over the elements"),
    ("y = og.bool_(k)", "OG016", 1, "og.bool_(k)", "x != 0"),
    ("y = og.f32[n]", "OG016", 1, "og.f32", "no meaning"),
    # types and names
    ("y = k % 1.5", "OG102", 1, "k % 1.5", "og.fmod"),
    ("y = x[0] // 2.0", "OG102", 1, "x[0] // 2.0", "og.floor"),
    ("y = x[0] << 1", "OG102", 1, "x[0] << 1", "takes integers"),
    ("y = ~x[0]", "OG102", 1, "~x[0]", "takes an integer"),
    ("y = (k > 0) + 1", "OG102", 1, "k > 0", "1 if"),
    ("y = (k > 0) < 1", "OG102", 1, "(k > 0) < 1", "compares numbers"),
    ("a[x[0]] = 1", "OG103", 1, "x[0]", "an index is"),
    ("a[k / 2.0] = 1", "OG103", 1, "k / 2.0", "//"),
    ("for i in og.range(2.0):\n    k", "OG103", 1, "2.0", "the bound of a range is"),
    ("a[0, 1] = 1", "OG106", 1, "a[0, 1]", "2 indices"),
    ("k[0] = 1", "OG106", 1, "k", "not an array"),
    ("z = zz", "OG100", 1, "zz", "not declared"),
    ("z = og.nothing", "OG100", 1, "og.nothing", "no name of a program"),
    ("z = y\ny = 1", "OG100", 1, "y", "not declared"),
    ("int8_t = 1", "OG101", 1, "int8_t", "word of C"),
    ("double = 1.0", "OG101", 1, "double", "word of C"),
    ("größe = 1", "OG101", 1, "größe", "other letters"),
    ("INFINITY = 1.0", "OG101", 1, "INFINITY", "another name"),
    ("y: og.f32 = 0.0\ny: og.f32 = 1.0", "OG101", 2, "y: og.f32 = 1.0", "declared twice"),
    ("y: list = 0.0", "OG019", 1, "list", "og.f32"),
    ("y: int = 0.5", "OG017", 1, "0.5", "og.i32(…)"),
    ("x[0] = og.sqrt(1.0, 2.0)", "OG104", 1, "og.sqrt(1.0, 2.0)", "1 arguments"),
    ("y = 1 << 64\ny = 99999999999999999999", "OG006", 2, "99999999999999999999", "64 bits"),
    ("x[0] = 1e300", "OG103", 1, "1e300", "out of the range"),
    ("k + 1", "OG010", 1, "k + 1", "no effect"),
    ("return 1", "OG113", 1, "return 1", "def f(…) -> og.f32:"),
    # annotations
    ("a[0] = 0\nog.requires('k > 0')", "OG013", 2, "og.requires('k > 0')", "at the start"),
    ("og.invariant('k > 0')\na[0] = 0", "OG013", 1, "og.invariant('k > 0')", "a loop contract"),
    ("for i in og.range(n):\n    og.requires('k > 0')\n    a[i] = 0", "OG013", 2, "og.requires('k > 0')", "og.xrequires"),
    ("og.requires(k)\na[0] = 0", "OG008", 1, "k", 'og.requires("…")'),
    ("og.requires('k > 0', 'k > 1')\na[0] = 0", "OG008", 1, "og.requires('k > 0', 'k > 1')", "takes a formula"),
    ("y = og.requires('k > 0')", "OG008", 1, "og.requires('k > 0')", "inside an expression"),
    ("og.requires(f'{k} > 0')\na[0] = 0", "OG008", 1, "f'{k} > 0'", "texts that stand in the call"),
    ("og.requires('k > ')\na[0] = 0", "OG005", 1, "", ""),
    ("og.requires('k > missing')\na[0] = 0", "OG100", 1, "missing", "not declared"),
    ("og.requires('k \\x3e 0')\na[0] = 0", "OG002", 1, "\\x", "no character of a formula"),
    ("og.requires(u'k \\N{GREATER-THAN SIGN} 0')\na[0] = 0", "OG002", 1, "\\N", "no character of a formula"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "code", "line", "marked", "says"), BODIES)
def test_refused(body: str, code: str, line: int, marked: str, says: str, tmp_path: Path) -> None:
    found, at, text, d = refusal(function(body), tmp_path)
    assert (found, at - 2) == (code, line), d
    if marked:
        assert text.strip() == marked or text.startswith(marked), (text, d)
    assert says in f"{d.message} {d.help}", d


ACCEPTED = [
    "a[0] = k // 2",
    "a[0] = a[n - 1]",
    "for i in og.range(n):\n    a[i] = 0\nfor i in og.range(n):\n    a[i] = i",
    "y = 0\nif k > 0:\n    y = 1\na[0] = y",
    "for i in og.range(n):\n    y = i\n    a[i] = y",
    "y = 1.0\ny = 2.0\nx[0] = y",
    "y = 0.0\ny += k",
    "if k != 0:\n    a[0] = 0",
    "for i in reversed(og.range(n)):\n    a[i] = 0",
    "for i in range(n):\n    if a[i] > 0:\n        continue\n    a[i] = 1",
    "a[0] = og.i32(1.5)",
    "y: og.f64 = 0.5",
    "a[0] = min(k, 3, n)",
    "x[0] = max(x[1], 0.0)",
    "x[0] = math.pi",
    "if k > 0:\n    y = 1\n    a[0] = y\nelse:\n    y = 2.0\n    x[0] = y",
    "for i in og.parallel(n, simd=True, schedule='static', num_threads=2):\n    a[i] = 0",
    "for i in og.doubling(1, n):\n    a[i] = 0",
    "for i in og.range(0, n, max(k, 1)):\n    a[i] = 0",
    "for i in og.range(n, 0, -K):\n    a[i] = 0",
    "'a comment'\npass",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_accepted_beside_it(body: str, tmp_path: Path) -> None:
    assert program_of_text(function(body), tmp_path).function("f")


# (text, code, marked text, a part of the help or of the message)
SIGNATURES = [
    ("def f(a):\n    pass", "OG019", "a", "has no type"),
    ("def f(a: list):\n    pass", "OG019", "list", "no type of a program"),
    ("def f(a: 'og.f32[n'):\n    pass", "OG019", "'og.f32[n'", "no type or size"),
    ("def f(k: int = 3):\n    pass", "OG016", "3", "default"),
    ("def f(*a: int):\n    pass", "OG019", "a: int", "given in order"),
    ("def f(*, a: int):\n    pass", "OG019", "a: int", "given in order"),
    ("def f(**a: int):\n    pass", "OG019", "a: int", "given in order"),
    ("def f(a: og.f32['K']):\n    pass", "OG017", "'K'", "og.f32[K]"),
    ("def f(a: og.f32[n + 1]):\n    pass", "OG100", "n", "in no annotation"),
    ("def f(a: og.f32['l + 1']):\n    pass", "OG100", "'l + 1'", "not declared"),
    ("def f(k: int) -> og.f32[n]:\n    b = og.empty(og.f32[n])\n    return b", "OG019", "n", "make it a parameter"),
    ("def f(a: og.f32[n]) -> og.f32[n]:\n    a[0] = 1.0", "OG113", "a[0] = 1.0", "ends with `return`"),
    ("def f(a: og.f32[n]) -> og.f32[n]:\n    return a", "OG113", "a", "is a parameter"),
    ("def f(a: og.f32[n]) -> og.f32[n]:\n    b = og.empty(og.f32[2 * n])\n    return b", "OG102", "", "returns float[n]"),
    ("def f(a: og.f32[n]) -> og.f32[n]:\n    b = og.empty(og.f64[n])\n    return b", "OG102", "", "double[n]"),
    (
        "@og.reads('b ~> Matrix1(n, B)')\n@og.requires('B: int -> float')\ndef f(a: og.f32[n]) -> og.f32[n]:\n"
        "    b = og.empty(og.f32[n])\n    return b", "OG019", "b ~> Matrix1(n, B)", "holds nothing before",
    ),
    (
        "@og.consumes('b ~> Cells1(n)')\ndef f(a: og.f32[n]) -> og.f32[n]:\n    b = og.empty(og.f32[n])\n    return b",
        "OG019", "b ~> Cells1(n)", "holds nothing before",
    ),
    (
        "@og.consumes('b ~> UninitMatrix1(n)')\ndef f(a: og.f32[n]) -> og.f32[n]:\n    b = og.empty(og.f32[n])\n    return b",
        None, "", "",
    ),
    ("def f(k: int) -> og.f32:\n    return k", "OG017", "k", "og.f32(…)"),
    ("def f(k: og.f64) -> og.f32:\n    return k", "OG017", "k", "og.f32(…)"),
    ("def f(k: int) -> int:\n    k2 = k", "OG113", "f", "must end with a `return`"),
    ("def f(k: int) -> int:\n    if k > 0:\n        return 1\n    return 2", "OG014", "return 1", "return a if c else b"),
    ("def f(a: og.f32['l'], l: int):\n    pass", "OG019", "a: og.f32['l']", "before `a`"),
    ("def f(k: int):\n    pass\nshort = 3\n@og.program\ndef g(k: int) -> int:\n    return short", "OG101", "g", "name of a number"),
    ("async def f(k: int):\n    pass", "OG016", "", "def"),
    ("def double(k: int):\n    pass", "OG101", "", "word of C"),
    ("def f(EPS: int):\n    x = EPS", None, "", ""),
    ("def f(a: og.f32[n], x: og.f32):\n    b = og.f64(x) * EPS", None, "", ""),
    ("@og.requires\ndef f(k: int):\n    pass", "OG008", "", "takes a formula"),
    ("@staticmethod\ndef f(k: int):\n    pass", "OG018", "", "decorates a function"),
    ("@og.invariant('k > 0')\ndef f(k: int):\n    pass", "OG013", "og.invariant('k > 0')", "a loop contract"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "marked", "says"), SIGNATURES)
def test_signatures(text: str, code: str | None, marked: str, says: str, tmp_path: Path) -> None:
    text = f"@og.program\n{text}\n"
    if code is None:
        assert program_of_text(text, tmp_path)
        return
    found, _, at, d = refusal(text, tmp_path)
    assert found == code, d
    if marked:
        assert at == marked, d
    assert says in f"{d.message} {d.help}", d


def test_sizes_name_those_of_the_annotations(tmp_path: Path) -> None:
    text = "@og.program(sizes='{}')\ndef f(a: og.f32[n, m]):\n    pass\n"
    assert refusal(text.format("n"), tmp_path)[0] == "OG019"
    assert refusal(text.format("n m l"), tmp_path)[0] == "OG019"
    assert [p.name for p in program_of_text(text.format("m n"), tmp_path).function("f").params] == ["m", "n", "a"]


def test_a_size_under_another_name_is_refused(tmp_path: Path) -> None:
    d = refusal("n, m = og.sizes('m n')\n@og.program\ndef f(a: og.f32[n, m]):\n    pass\n", tmp_path)[3]
    assert d.code == "OG019" and "is the size m" in d.message


def test_a_lemma_is_no_function(tmp_path: Path) -> None:
    text = "@og.lemma\ndef g({}):\n    og.requires('i: int')\n@og.program\ndef f(k: int):\n    {}\n"
    assert program_of_text(text.format("", "og.ghost('g', 'k')"), tmp_path)
    for call in ("g()", "y = g()", "y = 1 + g()"):
        code, _, marked, d = refusal(text.format("", call), tmp_path)
        assert (code, marked) == ("OG016", "g") and "is a lemma" in d.message
    assert refusal(text.format("k: int", "pass"), tmp_path)[0] == "OG019"


def test_a_closure_is_refused(tmp_path: Path) -> None:
    text = "def outer(k):\n    @og.program\n    def f(a: og.i32[n]):\n        a[0] = k\n    return f\nouter(1)\n"
    code, line, marked, d = refusal(text, tmp_path)
    assert (code, line, marked) == ("OG016", 3, "f") and "function around" in d.message


def test_contracts_above_the_program_are_refused(tmp_path: Path) -> None:
    text = "@og.requires('k > 0')\n@og.program\ndef f(k: int):\n    pass\n"
    assert refusal(text, tmp_path)[0] == "OG019"


def test_characters_that_reorder_what_people_see_are_refused(tmp_path: Path) -> None:
    code, line, marked, _ = refusal("@og.program\ndef f(k: int):\n    y = k  # \u202e x\n", tmp_path)
    assert (code, line, marked) == ("OG002", 3, "\u202e")
