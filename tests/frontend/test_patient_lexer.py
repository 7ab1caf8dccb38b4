"""A parser with the patient lexer gives the trees, the places and the errors of lark's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from optigpu.frontend import patient_lexer
from optigpu.frontend.grammar_tables import parser_from_grammar, parser_of
from tests.conftest import EXAMPLES, GPU_EXAMPLES, ROOT

FILES = (*EXAMPLES[::6], *GPU_EXAMPLES[::4], ROOT / "examples" / "gpu" / "fast" / "matmul.c")
FORMULAS = (
    "x == 1", "forall i in 0..n. A(i) >= 0", "sum(i, 0, n, A(i)) == s", "0 <= i && i < n ==> A(i) == B(i)", "x ==", "a $ b", "",
    "forall", "x = = 1", "let x := 1 in x",
)  # fmt: skip
PROGRAMS = (
    "void f(int n) { int x = 1 @ 2; }", "void f() { while (1) {} }", "int f(", "void f() { x+++y; }", "#define", "\\", "@",
    "void f() { int for = 1; }", "// only a comment",
)  # fmt: skip


@cache
def larks_own(grammar: str) -> Lark:
    return parser_from_grammar(grammar)


def outcome(parser: Lark, text: str, start: str) -> object:
    try:
        return places(parser.parse(text, start=start))
    except UnexpectedInput as e:
        expected = getattr(e, "expected", None) or getattr(e, "allowed", None)
        return type(e), e.line, e.column, sorted(expected or ())


def places(tree: Any) -> object:
    if isinstance(tree, Tree):
        return tree.data, [places(c) for c in tree.children]
    assert isinstance(tree, Token)
    return tree.type, str(tree), tree.start_pos, tree.line, tree.column, tree.end_line, tree.end_column, tree.end_pos


@pytest.fixture(params=[0, 2, 10**9], ids=["never separate", "both", "always separate"])
def often(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_lexer, "OFTEN", request.param)


@pytest.mark.usefixtures("often")
def test_programs_are_read_as_lark_reads_them() -> None:
    parser = parser_of("c")
    for file in FILES:
        text = Path(file).read_text(encoding="utf-8")
        assert outcome(parser, text, "program") == outcome(larks_own("c"), text, "program")
    for text in PROGRAMS:
        assert outcome(parser, text, "program") == outcome(larks_own("c"), text, "program")


@pytest.mark.usefixtures("often")
def test_formulas_are_read_as_lark_reads_them() -> None:
    parser = parser_of("formula")
    for text in FORMULAS:
        assert outcome(parser, text, "proposition") == outcome(larks_own("formula"), text, "proposition")


GRAMMAR = 'start: (WORD | "let" | "in" | ",")+\nWORD: /[a-z]+/\n%ignore " "\n'


@pytest.mark.usefixtures("often")
def test_keywords_are_not_words() -> None:
    """Texts that a regular expression matches too are left to lark."""
    patient: Any = {"_plugins": {"ContextualLexer": patient_lexer.PatientContextualLexer}}
    own, ours = (Lark(GRAMMAR, parser="lalr", keep_all_tokens=True, **options) for options in ({}, patient))
    for text in ("let x in y", "letter,in", "lets let in inn", "let 1"):
        assert outcome(ours, text, "start") == outcome(own, text, "start")
