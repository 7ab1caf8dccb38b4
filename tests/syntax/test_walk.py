"""Substitution avoids capture, alpha-equality ignores bound names, matching finds what it should."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optigpu.frontend import parse_text
from optigpu.frontend.formula_parser import StringLiteral, parse_proposition
from optigpu.syntax.alpha_equality import alpha_equal
from optigpu.syntax.exprs import Binary, Expr, Fun, Int, Var
from optigpu.syntax.free_names import body_free_vars, free_vars, fresh_name, names_in
from optigpu.syntax.printer import print_expr, print_function
from optigpu.syntax.program import For, Store
from optigpu.syntax.source import SourceText
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.syntax.walk import rewrite_body, statements, subexpressions
from tests.support.counting import calls_of


def formula(text: str) -> Expr:
    from lark import Token

    quoted = f'"{text}"'
    return parse_proposition(StringLiteral(SourceText("t", quoted), [Token("STRING", quoted, 0)]))


def test_free_variables_see_binders_and_applied_functions() -> None:
    assert free_vars(formula("forall (n: int) (h: n >= m) -> f(n) == Sum(k in 0..n, g(k, c))")) == {"m", "f", "g", "c"}
    assert free_vars(formula("for i in 0..n -> &a[i] ~~> A(i)")) == {"n", "a", "A"}
    assert free_vars(formula("Sum(i in 0..n, j in i..m, i * j)")) == {"n", "m"}


@pytest.mark.parametrize(
    ("text", "name", "value", "result"),
    [
        ("x + y", "x", "y * 2", "y * 2 + y"),
        ("Sum(k in 0..n, x + k)", "x", "k", "Sum(k1 in 0..n, k + k1)"),
        ("Sum(k in 0..k, k)", "k", "n", "Sum(k in 0..n, k)"),
        ("fun i -> x + i", "x", "i + j", "fun i1 -> i + j + i1"),
        ("fun i -> i", "i", "n", "fun i -> i"),
        ("forall (n: int) (h: n >= x) -> f(n)", "x", "n", "forall (n1: int) (h: n1 >= n) -> f(n1)"),
        ("for i in 0..x -> &a[i] ~~> x", "x", "i", "for i1 in 0..i -> &a[i1] ~~> i"),
        ("Sum(i in 0..x, j in i..x, x)", "x", "j", "Sum(i in 0..j, j1 in i..j, j)"),
        ("Sum(k in 0..n, Sum(k1 in 0..n, k + k1 + x))", "x", "k", "Sum(k2 in 0..n, Sum(k1 in 0..n, k2 + k1 + k))"),
    ],
)
def test_substitution_avoids_capture(text: str, name: str, value: str, result: str) -> None:
    assert print_expr(substitute(formula(text), {name: formula(value)})) == result


def test_substituting_a_lambda_reduces_its_applications() -> None:
    e = substitute(formula("A(i + 1) * A(0)"), {"A": formula("fun k -> B(k, k)")})
    assert print_expr(e) == "B(i + 1, i + 1) * B(0, 0)"
    nested = substitute(formula("Sum(k in 0..n, A(k))"), {"A": formula("fun i -> f(k + i)")})
    assert print_expr(nested) == "Sum(k1 in 0..n, f(k + k1))"


def test_simultaneous_substitution_does_not_chain() -> None:
    assert print_expr(substitute(formula("x - y"), {"x": Var("y"), "y": Var("x")})) == "y - x"


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ("fun i -> i + n", "fun j -> j + n", True),
        ("fun i -> i + n", "fun n -> n + n", False),
        ("Sum(i in 0..n, j in i..n, f(i, j))", "Sum(a in 0..n, b in a..n, f(a, b))", True),
        ("Sum(i in 0..n, j in i..n, f(i, j))", "Sum(a in 0..n, b in a..n, f(b, a))", False),
        ("fun i -> fun j -> i", "fun j -> fun i -> i", False),
        ("forall (n: int) (h: n > 0) -> f(n)", "forall (m: int) (g: m > 0) -> f(m)", True),
        ("forall (n: int) (h: n > 0) -> f(n)", "forall (m: int) (g: m > 1) -> f(m)", False),
        ("for i in 0..n -> &a[i] ~~> i", "desync_for i in 0..n -> &a[i] ~~> i", False),
        ("Sum(i in 0..n, x)", "Prod(i in 0..n, x)", False),
        ("x", "y", False),
    ],
)
def test_alpha_equality(a: str, b: str, equal: bool) -> None:
    assert alpha_equal(formula(a), formula(b)) is equal
    assert alpha_equal(formula(b), formula(a)) is equal


def test_substitution_in_statements_renames_what_would_capture() -> None:
    f = parse_text(
        "void f(int n, int x, int i, float a[n]) { for (int i = 0; i < x; i++) { int y = i + x; a[y] = y; } }"
    ).functions()[0]
    body = substitute_body(f.body, {"x": Binary("+", Var("i"), Var("y"))})
    printed = print_function(replace(f, body=body))
    assert "for (int i1 = 0; i1 < i + y; i1++)" in printed
    assert "int y1 = i1 + (i + y);" in printed
    assert "a[y1] = y1;" in printed


def test_new_names_are_not_bound_again_further_in() -> None:
    f = parse_text(
        "void f(int n, int x, int i, float a[n]) { for (int i = 0; i < 9; i++) { int i1 = 7; a[i1] = i + i1 + x; } }"
    ).functions()[0]
    (loop,) = substitute_body(f.body, {"x": Var("i")})
    assert "a[i1] = i2 + i1 + i;" in print_function(replace(f, body=(loop,)))
    assert isinstance(loop, For)
    assert all(x.type is not None for x in subexpressions(loop.body[1].value) if x != Var("i"))  # type: ignore[union-attr]


def test_shadowed_names_are_left_alone() -> None:
    f = parse_text(
        "void f(int n, float a[n]) { int x = 1; for (int k = 0; k < x; k++) { int x = 2; a[x] = k; } }"
    ).functions()[0]
    body = substitute_body(f.body[1:], {"x": Int(9)})
    assert isinstance(body[0], For)
    assert body[0].range.bound == Int(9)
    assert isinstance(body[0].body[1], Store) and body[0].body[1].target.indices == (Var("x"),)


def test_unchanged_parts_stay_shared() -> None:
    f = parse_text("void f(int n, float a[n]) { a[0] = 1; for (int k = 0; k < n; k++) { a[k] = 2; } }").functions()[0]
    assert rewrite_body(f.body, lambda e: e) is f.body
    assert substitute_body(f.body, {"unused": Int(1)}) is f.body


def test_fresh_names_are_predictable() -> None:
    assert fresh_name("i", {"j"}) == "i"
    assert fresh_name("i", {"i", "i1"}) == "i2"
    assert fresh_name("x7", {"x7"}) == "x1"


def test_free_variables_of_bodies() -> None:
    f = parse_text("void f(int n, float a[n]) { int m = n; for (int k = 0; k < m; k++) { a[k] = m; } }").functions()[0]
    assert body_free_vars(f.body) == {"n", "a"}
    assert names_in(f) == {"f", "n", "a", "m", "k"}


def test_large_programs_are_cheap_to_compare_and_rewrite() -> None:
    lines = "".join(f"  a[{i}] = a[{i}] * s + {i};\n" for i in range(3000))
    program = parse_text(f"void f(float s, float a[4000]) {{\n{lines}}}\n")
    f = program.functions()[0]

    def work() -> None:
        changed = substitute_body(f.body, {"s": Int(2)})
        assert len(list(statements(changed))) == 3000
        assert changed != f.body
        assert replace(f, body=changed) == replace(f, body=changed)

    assert calls_of(work) < 3000 * 100  # so many a statement, not a square


def test_functions_are_values() -> None:
    assert isinstance(formula("fun i -> i"), Fun)
    assert len({formula("x + 1"), formula("x + 1"), formula("x + 2")}) == 2
