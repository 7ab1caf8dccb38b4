"""What a program computes is what the Python text means: random texts, run by Python and by the interpreter."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from optigpu.frontend.python.python_program import TranslatedProgram
from optigpu.syntax.exprs import Binary, Cond
from optigpu.syntax.program import Store
from tests.support.plain_comparison import compared_runs
from tests.support.python_programs import python_program

CONTRACT = """@og.program
@og.requires("A: int -> int, X: int -> float")
@og.consumes("a ~> Matrix1(n, A), x ~> Matrix1(n, X)")
@og.produces("a ~> Cells1(n), x ~> Cells1(n)")
"""
HEAD = "def f(a: og.i32[n], x: og.f32[n], j: int, k: int):\n"


class Texts:
    """Random Python texts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.variables = ["j", "k", "n", "K"]

    def integer(self, depth: int) -> str:
        pick = self.random.random()
        if depth == 0 or pick < 0.15:
            return self.random.choice([*self.variables, str(self.random.randint(-5, 9)), "a[i]"])
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        forms = [
            f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"({a}) // ({b})", f"({a}) % ({b})", f"-({a})", f"min({a}, {b})",
            f"max({a}, {b}, 1)", f"abs({a})", f"({a} if {self.truth(depth - 1)} else {b})", f"({a}) // 4", f"({a}) % 3",
            f"({a}) // -3", f"({a}) % -4", f"(abs({a}) >> 1)", f"(({a}) % 64 << 2)",
            f"(abs({a}) & abs({b}))", f"og.i32({a})", f"~({a})",
            f"og.quotient({a}, 3)", f"og.remainder({a}, 3)", f"+({a})", f"(({a}) // 2 * 2 + ({a}) % 2)", f"(abs({a}) | 1)",
            f"og.i32({self.real(depth - 1)})",
        ]  # fmt: skip
        return self.random.choice(forms)

    def truth(self, depth: int) -> str:
        if depth <= 0:
            return self.random.choice(["j < k", "a[i] > 0", "True", "0 <= i < n - 1", "x[i] < 1.0"])
        a, b, c = self.integer(depth - 1), self.integer(depth - 1), self.integer(depth - 1)
        p, q = self.truth(depth - 1), self.truth(depth - 1)
        forms = [
            f"{a} < {b}", f"{a} == {b}", f"{a} != {b}", f"({a} <= {b} < {c})", f"({a} > {b} >= {c} != 1)", f"({p} and {q})",
            f"({p} or {q})", f"(not {p})", f"({p}) == ({q})", f"{self.real(depth - 1)} > {self.real(depth - 1)}",
        ]  # fmt: skip
        return self.random.choice(forms)

    def real(self, depth: int) -> str:
        if depth <= 0:
            return self.random.choice(["x[i]", "0.5", "2.0", "x[0]", "1.25"])
        a, b = self.real(depth - 1), self.real(depth - 1)
        forms = [
            f"({a} + {b})", f"({a} - {b})", f"{a} * {b}", f"{a} / 4.0", f"max({a}, {b})", f"min({a}, 1)", f"abs({a})",
            f"{self.integer(depth - 1)} * 0.5", f"({a} if {self.truth(depth - 1)} else {b})", f"-({a})", f"og.floor({a})",
            f"og.f32({self.integer(depth - 1)})", f"({a} + {self.random.choice(['j', 'k'])})",
        ]  # fmt: skip
        return self.random.choice(forms)

    def loop(self) -> str:
        kind = self.random.choice(
            [
                "og.range(n)",
                "range(n - 1, -1, -1)",
                "reversed(range(n))",
                "range(0, n, 2)",
                "og.range(1, n)",
                "og.range(n - 1, 0, -2)",
            ]
        )
        y, z = self.integer(2), self.real(2)
        lines = [
            f"for i in {kind}:",
            f"    y = {y}",
            f"    z = {z}",
            f"    if {self.truth(2)}:",
            f"        y {self.random.choice(['+=', '-=', '*=', '=', '//=', '%='])} {self.random.choice(['2', '3', '-3', 'K'])}",
            f"        {self.random.choice(['pass', 'continue', 'z += 1.0'])}",
            f"    elif {self.truth(1)}:",
            f"        z = {self.real(1)}",
            f"    a[i] = y % 1000 + i // {self.random.choice(['2', 'K', '-2'])}",
            "    x[i] = max(min(z, 100.0), -100.0)",
        ]
        return "\n".join("    " + line for line in lines)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_mean_what_python_means(seed: int, tmp_path: Path) -> None:
    texts = Texts(seed)
    text = CONTRACT + HEAD + texts.loop() + "\n" + texts.loop() + "\n"
    assert compared_runs(python_program(text, tmp_path), seed=seed, most=9) >= 8


def test_division_as_c_does_it_is_noticed(tmp_path: Path) -> None:
    p = python_program(CONTRACT + HEAD + "    for i in range(n):\n        a[i] = (j - k) // 2\n", tmp_path)
    assert compared_runs(p) >= 8
    wrong = python_program(CONTRACT + HEAD + "    for i in range(n):\n        a[i] = og.quotient(j - k, 2)\n", tmp_path)
    p.assembled = wrong.assembled
    with pytest.raises(AssertionError):
        compared_runs(p)


def division(text: str, folder: Path, head: str = HEAD) -> object:
    """What an expression becomes that is stored in the first element."""
    p = python_program(f"{CONTRACT}{head}    a[0] = {text}\n", folder)
    assert isinstance(p, TranslatedProgram)
    store = p.signature.function.body[0]
    assert isinstance(store, Store)
    return store.value


PLAIN = [
    "n // 2", "n % 2", "(n + 15) // 16", "(n + K - 1) // K", "n // K % 2", "n * n // 3", "abs(j) // 2", "max(j, 0) // 2", "7 // 2",
    "(j % 4) // 2", "n // (n + 1)", "(n if j < k else K) // 2",
]  # fmt: skip
WRITTEN_OUT = [
    "j // 2", "j % 2", "(n - 1) // 2", "n // j", "n % j", "a[0] // 2", "min(j, n) // 2", "-n // 2", "n // -2", "n % -2",
    "(n + j) // 2", "j * j // 2", "(n - n) // 2", "og.i32(j) // 2", "(j if j < k else n) // 2", "og.remainder(j, 4) // 2",
]  # fmt: skip


@pytest.mark.parametrize("text", PLAIN)
def test_division_of_what_is_not_negative_is_that_of_c(text: str, tmp_path: Path) -> None:
    assert isinstance(division(text, tmp_path), Binary)


@pytest.mark.parametrize("text", WRITTEN_OUT)
def test_division_rounds_down_where_a_sign_is_not_known(text: str, tmp_path: Path) -> None:
    assert isinstance(division(text, tmp_path), Cond)


def test_an_index_that_counts_down_may_be_negative(tmp_path: Path) -> None:
    text = CONTRACT + HEAD + "    for i in range(n - 1, -3, -1):\n        if i >= 0:\n            a[i] = i // 2\n"
    assert "? i / 2 - 1 : i / 2" in python_program(text, tmp_path).c()
    text = CONTRACT + HEAD + "    for i in range(n - 1, -1, -1):\n        a[i] = i // 2\n"
    assert "a[i] = i / 2;" in python_program(text, tmp_path).c()


def test_a_variable_that_changes_has_no_bounds(tmp_path: Path) -> None:
    text = CONTRACT + HEAD + "    y = n\n    a[0] = y // 2\n"
    assert "a[0] = y / 2;" in python_program(text, tmp_path).c()
    text += "    y = j\n"
    assert "a[0] = y % 2 < 0 ? y / 2 - 1 : y / 2;" in python_program(text, tmp_path).c()
