"""Sizes of arrays stay what they are, a name is one program, a number is that of its own module."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.cli import main
from optigpu.frontend.python.python_program import file_program
from optigpu.runtime.call_error import CallError
from optigpu.syntax.diagnostic import InputError
from tests.support.python_programs import HEADER, names_of, program_of_text, python_program, refusal


def function(body: str) -> str:
    return "@og.program\ndef f(s: og.i32[n], j: int) -> int:\n    " + body.replace("\n", "\n    ") + "\n    return 0\n"


MAKE = "@og.program\ndef make(j: int, a: og.i32['j']) -> og.i32['j']:\n    b = og.zeros(og.i32[j])\n    return b\n"


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("k = 4\nt = og.empty(og.i32[k])\nk = 2", 4, "`k`, which may have another"),
        ("k = 4\nt = og.zeros(og.i32[3, k + 1])\nk += 2", 4, "`k`, which may have another"),
        ("k = 4\nfor i in og.range(2):\n    t = og.local(og.i32[k])\n    k = 2", 5, "`k`, which may have another"),
        ("t = og.zeros(og.i32[s[0]])\ns[0] = 2", 3, "`s[0]`, which may have another"),
        ("t = og.zeros(og.i32[one(s)])", 3, "`one(n, s)`, which may have another"),
        ("k = 4\nk = 3\nt = og.zeros(og.i32[min(k, 2)])", 5, "`k`, which may have another"),
    ],
)
def test_a_size_that_may_change(body: str, line: int, says: str, tmp_path: Path) -> None:
    one = "@og.program\ndef one(s: og.i32[n]) -> int:\n    return s[0]\n"
    code, at, _, d = refusal(one + function(body), tmp_path)
    assert (code, at - 3) == ("OG017", line), d
    assert says in d.message


@pytest.mark.parametrize(
    "body",
    [
        "k = 4\nt = og.empty(og.i32[k])",
        "k = s[0]\nt = og.empty(og.i32[3, k + 1])\ns[0] = 2",
        "for i in og.range(2):\n    k = i + 1\n    t = og.empty(og.i32[k * n, max(i, K)])",
        "t = og.zeros(og.i32[j // 2 if j > 0 else -j])",
    ],
)
def test_a_size_that_stays(body: str, tmp_path: Path) -> None:
    assert program_of_text(function(body), tmp_path)


def test_the_array_that_a_call_makes_has_a_fixed_size(tmp_path: Path) -> None:
    call = "@og.program\ndef f(q: int) -> int:\n    k = 4\n    t = og.zeros(og.i32[{0}])\n    u = make({0}, t)\n{1}    return 0\n"
    assert program_of_text(MAKE + call.format("k", ""), tmp_path)
    assert refusal(MAKE + call.format("k", "    k = 3\n"), tmp_path)[0] == "OG017"


def test_the_result_of_a_changed_size(tmp_path: Path) -> None:
    """A function that takes the size of its array gets the one that the array was made with."""
    text = (
        "@og.program\n@og.ensures('_Res == n')\n@og.reads('x ~> Cells1(n)')\ndef h(x: og.i32[n]) -> int:\n    return n\n"
        "@og.program\n@og.ensures('_Res == 4')\ndef f(q: int) -> int:\n    k = 4\n    t = og.zeros(og.i32[k])\n"
        "    l = k\n    l = 2\n    r = h(t)\n    return r\n"
    )
    p = python_program(text, tmp_path)
    assert Verifier(Settings(None)).verify(p.program).verified
    assert p.python(0) == 4


def test_a_return_without_a_value(tmp_path: Path) -> None:
    text = "@og.program\ndef f(a: og.i32[n], k: int){}:\n{}    if k > 3:\n        return\n{}"
    array = text.format(" -> og.i32[n]", "    b = og.empty(og.i32[n])\n", "    return b\n")
    for wrong in (array, text.format(" -> int", "", "    return k\n")):
        code, _, marked, d = refusal(wrong, tmp_path)
        assert (code, marked) == ("OG113", "return") and "would return None" in d.message
    assert program_of_text(text.format("", "", "    a[0] = 1\n"), tmp_path)


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("og.i32(16777217.0)", 16777217),
        ("og.i32(16777217.0 - 16777216.0)", 1),
        ("1 if 16777216 + 0 * k < 16777217.0 else 0", 1),
        ("1 if 0.1 + 0.2 < 0.3 else 0", 0),
        ("1 if BIG > 16777216 + 0 * k else 0", 1),
    ],
)
def test_a_number_without_a_type_is_pythons_where_it_ends(body: str, result: int, tmp_path: Path) -> None:
    text = (
        "BIG = 16777217.0\n@og.program\n@og.requires('0 <= k && k < 2')\n"
        "@og.ensures('_Res == {}')\ndef f(k: int) -> int:\n    return {}\n"
    )
    p = python_program(text.format(result, body), tmp_path)
    assert p.python(1) == result
    assert Verifier(Settings(None)).verify(p.program).verified
    wrong = python_program(text.format(result + 1, body), tmp_path)
    assert not Verifier(Settings(None)).verify(wrong.program).verified


# Names


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes modules beside the programs, and imports them."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name: str, text: str) -> ModuleType:
        (tmp_path / f"{name}.py").write_text(HEADER.replace("K = 3\n", "") + text, encoding="utf-8")
        monkeypatch.delitem(sys.modules, name, raising=False)
        return __import__(name)

    yield write
    for name in ("first_module", "second_module"):
        sys.modules.pop(name, None)


G = "@og.program\n@og.ensures('_Res == {0}')\ndef g(k: int) -> int:\n    return {0}\n"


def test_two_programs_of_one_name(modules: Any, tmp_path: Path) -> None:
    modules("first_module", G.format(3))
    modules("second_module", G.format(7) + G.format(8).replace("def g", "def h"))
    text = "import first_module, second_module\n@og.program\n"
    text += "def f(k: int) -> int:\n    return first_module.g(k) + second_module.{}(k)\n"
    code, _, marked, _ = refusal(text.format("g"), tmp_path)
    assert (code, marked) == ("OG101", "second_module.g")
    assert program_of_text(text.format("h"), tmp_path)
    through = "@og.program\ndef h(k: int) -> int:\n    return g(k)\n"
    modules("second_module", G.format(7) + through)
    assert refusal(text.format("h"), tmp_path)[0] == "OG101"
    again = "from first_module import g as old\n@og.program\ndef g(k: int) -> int:\n    return old(k)\n"
    assert refusal(again, tmp_path)[0] == "OG101"


def test_a_program_that_a_later_one_replaced(tmp_path: Path) -> None:
    text = G.format(3) + "g1 = g\n" + G.format(7) + "@og.program\ndef f(k: int) -> int:\n    return g1(k) + {}(k)\n"
    assert refusal(text.format("g"), tmp_path)[0] == "OG101"
    assert refusal(text.format("g1"), tmp_path)[0] == "OG018"


def test_no_program_of_a_file_is_left_out(tmp_path: Path) -> None:
    f = "class {}:\n    @og.program\n    @og.ensures('_Res == 5')\n    def {}(k: int) -> int:\n        return {}\n"
    code, _, marked, d = refusal(f.format("A", "f", 3) + f.format("B", "f", 5), tmp_path)
    assert (code, marked) == ("OG101", "f") and d.labels
    assert len(program_of_text(f.format("A", "f", 3) + f.format("B", "h", 5), tmp_path).functions()) == 2
    assert refusal(G.format(3) + "__optigpu_items__.clear()\n", tmp_path)[0] == "OG018"
    assert (
        refusal(G.format(3) + "__optigpu_items__.clear()\n" + G.format(4).replace("def g", "def h"), tmp_path)[0]
        == "OG018"
    )
    assert refusal("og.declare('g', 'int')\n" + G.format(3), tmp_path)[0] == "OG101"


USES_K = "@og.program\n@og.ensures('_Res == {0}')\ndef g(k: int) -> int:\n    return 3\n"


def test_a_number_is_that_of_its_module(modules: Any, tmp_path: Path) -> None:
    modules("first_module", "K = 3\n" + USES_K.format("K"))
    text = "import numpy as np\nimport first_module\n{}\n@og.program\n"
    text += "@og.ensures('_Res == K')\ndef f(k: int) -> int:\n    return first_module.g(k)\n"
    assert program_of_text(text.format("K = 3"), tmp_path)
    code, _, _, d = refusal(text.format("del K"), tmp_path)
    assert code == "OG017" and "is no number of this module" in d.message
    code, _, _, d = refusal(text.format("K = np.int64(5)"), tmp_path)
    assert code == "OG016" and "int(K)" in str(d.help)
    assert refusal(text.format("K = 5"), tmp_path)[0] == "OG017"
    assert refusal(text.format("K = 3.0"), tmp_path)[0] == "OG017"
    assert (
        refusal(text.format("del K\nog.define('d', 'K + 1')").replace("_Res == K", "_Res == 3"), tmp_path)[0] == "OG017"
    )


@pytest.mark.parametrize(
    ("value", "formula", "code"),
    [
        ("float('nan')", "k > 0", None),
        ("float('nan')", "k > C", "OG103"),
        ("og.inf", "k < C", "OG103"),
        ("10**30", "k < C", "OG006"),
        ("1e300", "k < C", "OG103"),
        ("7", "k < C", None),
        ("True", "k < C", "OG100"),
        ("np.float64(2)", "k < C", "OG016"),
    ],
)
def test_numbers_that_formulas_cannot_name(value: str, formula: str, code: str | None, tmp_path: Path) -> None:
    text = f"import numpy as np\nC = {value}\n@og.program\n@og.requires('{formula}')\ndef f(k: int):\n    pass\n"
    if code is None:
        assert program_of_text(text, tmp_path)
    else:
        assert refusal(text, tmp_path)[0] == code


@pytest.mark.parametrize(
    "value", ["enum.IntEnum('Q', 'R').R", "np.int64(4)", "np.float64(4)", "type('E', (int,), {})(3)", "True"]
)
def test_numbers_of_other_types(value: str, tmp_path: Path) -> None:
    text = "import enum\nimport numpy as np\nC = {}\n@og.program\ndef f(k: int) -> int:\n    return C\n"
    code, line, marked, _ = refusal(text.format(value), tmp_path)
    assert (code, line, marked) == ("OG016", 6, "C")
    assert program_of_text(text.format(f"int({value})"), tmp_path)


@pytest.mark.parametrize("name", ["NULL", "setjmp", "omp", "sizeof", "__FILE__"])
def test_numbers_that_emitted_code_names(name: str, tmp_path: Path) -> None:
    text = "{0} = 7\n@og.program\ndef f(k: int) -> int:\n    return {0}\n"
    assert refusal(text.format(name), tmp_path)[0] == "OG101"
    assert program_of_text(text.format("NUL"), tmp_path)


def test_the_name_that_is_returned_is_an_array(tmp_path: Path) -> None:
    text = "@og.program\n@og.reads('a ~> Cells1(n)')\ndef f(a: og.f32[n]) -> og.f32[n]:\n    {}\n    return b\n"
    for body in ("b = 5", "b = True", "b: og.f32 = 3.0"):
        assert refusal(text.format(body), tmp_path)[0] == "OG102"
    assert refusal(text.format("for b in og.range(n):\n        pass"), tmp_path)[0] == "OG113"
    assert program_of_text(text.format("b = og.empty(og.f32[n])"), tmp_path)


HIDES = """@og.program
@og.ensures('_Res == 5')
def g(x: int) -> int:
    return 5
h = g
@og.program
def f(x: int) -> int:
    {}
"""


def test_a_local_name_does_not_hide_a_program_that_is_called(tmp_path: Path) -> None:
    for body in ("g = 3\n    return h(x) + g", "for g in og.range(3):\n        y = h(x)\n    return 1"):
        with pytest.raises(InputError, match="hides the function"):
            python_program(HIDES.format(body), tmp_path).build()
    assert python_program(HIDES.format("k = 3\n    return h(x) + k"), tmp_path)(1) == 8


def test_a_definition_has_the_numbers_that_its_module_has(tmp_path: Path) -> None:
    text = "LIMIT = 1\nog.define('limit', 'LIMIT')\n{}@og.program\n@og.ensures('_Res == limit')\ndef f() -> int:\n    return 1\n"
    assert program_of_text(text.format(""), tmp_path)
    for change in ("LIMIT = 100\n", "LIMIT = 1.0\n", "del LIMIT\n"):
        assert refusal(text.format(change), tmp_path)[0] == "OG018"


def test_a_program_is_what_its_name_means_in_the_end(tmp_path: Path) -> None:
    text = "@og.program\ndef g() -> int:\n    return 1\n"
    assert program_of_text(text + "h = g\n", tmp_path) and program_of_text(text + "h = g\ndel g\n", tmp_path)
    for end in ("def g():\n    return 2\n", "g = 3\n", "h = g\ng = lambda: 2\n"):
        assert refusal(text + end, tmp_path)[0] == "OG018"


def test_a_function_of_nothing_returns_nothing(tmp_path: Path) -> None:
    text = "@og.program\n@og.writes('a ~> Cells1(n)')\ndef f(a: og.i32[n]) -> None:\n    for i in og.range(n):\n        a[i] = 1\n"
    a = np.zeros(2, "int32")
    assert python_program(text + "    return None\n", tmp_path)(a) is None and a.tolist() == [1, 1]


# Arguments of calls

WRITE = """@og.program
@og.writes('a ~> Matrix1(n, fun i -> k)')
def f(a: og.i32[n], k: int):
    for i in og.range(n):
        a[i] = k
"""
MAKES = """@og.program
@og.reads('a ~> Cells1(n)')
@og.writes('b ~> Matrix1(n, fun i -> k)')
def f(a: og.i32[n], k: int) -> og.i32[n]:
    b = og.empty(og.i32[n])
    for i in og.range(n):
        b[i] = k
    return b
"""


@pytest.mark.parametrize("text", [WRITE, MAKES], ids=["writes", "makes"])
def test_both_ways_refuse_the_same_arguments(text: str, tmp_path: Path) -> None:
    p = python_program(text, tmp_path)
    a = np.zeros(3, "int32")
    wrong = [
        ([1, 2, 3], 1), (None, 1), (3, 1), (a, 2.7), (a, True), (a, None), (a, 1 << 40), (np.zeros((3, 1), "int32"), 1),
        (np.zeros(3, "int64"), 1), (np.ma.masked_array(a), 1),
    ]  # fmt: skip
    for arguments in wrong:
        for way in (p, p.python):
            with pytest.raises(CallError):
                way(*arguments)
    for way in (p, p.python):
        for array in (a, np.zeros(6, "int32")[::2]):
            made = way(array, np.int32(2))
            assert (array if made is None else made).tolist() == [2, 2, 2]


BOOLS = """@og.program
@og.reads('a ~> Cells1(n)')
@og.writes('b ~> Cells1(n)')
def f(a: og.f32[n]) -> og.bool_[n]:
    b = og.empty(og.bool_[n])
    for i in og.range(n):
        b[i] = a[i] > 0.0
    return b
"""
PART = """@og.program
@og.requires('n > 0')
@og.writes('&b[0] ~> Cell')
def f(n: int) -> og.i32[n]:
    b = og.empty(og.i32[n])
    b[0] = 7
    return b
"""


def test_arrays_that_are_made_hold_no_leftovers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of memory that was used before: bytes that are no truth values, or elements that the program does not write."""
    monkeypatch.setattr(
        np, "empty", lambda shape, dtype: np.full(shape, 77, np.uint8 if dtype == "bool" else dtype).view(dtype)
    )
    assert python_program(BOOLS, tmp_path)(np.array([1, -1], "float32")).tolist() == [True, False]
    assert python_program(PART, tmp_path)(3).tolist() == [7, 0, 0]


@pytest.mark.parametrize("n", [None, "3", -1, 1 << 62, float("nan"), 1 << 64])
def test_sizes_that_are_none_are_refused(n: object, tmp_path: Path) -> None:
    with pytest.raises(CallError):
        python_program(PART, tmp_path)(n)


def test_overlapping_arguments_and_ranks(tmp_path: Path) -> None:
    p = python_program(
        "@og.program\n@og.requires('A: int -> int')\n@og.reads('a ~> Matrix1(3, A)')\n@og.writes('b ~> Matrix1(3, A)')\n"
        "def f(a: og.i32[...], b: og.i32[...]):\n    for i in og.range(3):\n        b[i] = a[i]\n",
        tmp_path,
    )
    a = np.zeros((2, 3), "int32")
    for way in (p, p.python):
        for arguments in ((a[0], a[0]), (a, a[0])):
            with pytest.raises(CallError):
                way(*arguments)
        way(a[0], a[1])


def test_an_array_that_is_read_only(tmp_path: Path) -> None:
    a = np.zeros(3, "int32")
    a.flags.writeable = False
    makes, writes = python_program(MAKES, tmp_path), python_program(WRITE, tmp_path)
    for way in (makes, makes.python):
        assert way(a, 2).tolist() == [2, 2, 2]
    for way in (writes, writes.python):
        with pytest.raises(CallError, match="read-only"):
            way(a, 2)


def test_a_parameter_named_self(tmp_path: Path) -> None:
    p = python_program(
        "@og.program\n@og.ensures('_Res == self')\ndef f(self: int) -> int:\n    return self\n", tmp_path
    )
    assert p(3) == p(self=3) == p.python(self=3) == 3


# Audits


def test_a_file_cannot_change_the_process_that_audits_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    attack = (
        "import sys\nfrom optigpu.commands import file_audits as fa\nfa.replayed = fa.whole_text = fa.print_program = print\n"
        "from optigpu.check import verify\nverify.Verifier.verify = print\n"
    )
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(HEADER + G.format(5), encoding="utf-8")
    bad.write_text(HEADER + G.format(5).replace("return 5", "return 3") + attack, encoding="utf-8")
    certificate = str(tmp_path / "good.cert.json")
    assert main(["check", str(good), "--certificate", certificate]) == 0
    assert main(["audit", str(good), "--certificate", certificate]) == 0
    assert main(["audit", str(good)]) == 0
    assert main(["audit", str(bad), "--certificate", certificate]) == 1
    assert "it is not the one that was certified" in capsys.readouterr().out
    assert main(["audit", str(bad)]) == 1
    assert "[OG307]" in capsys.readouterr().out
    bad.write_text("import os\nos._exit(0)\n", encoding="utf-8")
    assert main(["audit", str(bad)]) == 2
    assert "gave no program" in capsys.readouterr().err


def test_names_of_a_file_that_come_from_others(modules: Any, tmp_path: Path) -> None:
    modules("first_module", G.format(3))
    path = tmp_path / "only_imports.py"
    path.write_text("from first_module import g\n", encoding="utf-8")
    assert file_program(str(path), names_of(path)) is None
