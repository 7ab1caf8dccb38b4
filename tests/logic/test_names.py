"""Names of variables: each has a text that reads back as the same name, and no two names have the same text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.logic import terms as k
from optigpu.logic.names import Name, Origin, read_name, source_name
from optigpu.logic.terms import INT
from optigpu.logic.terms.core import interned

NAMES = {
    "x": Name(Origin.PROGRAM, "x", 1),
    "x~2": Name(Origin.PROGRAM, "x", 2),
    "%": Name(Origin.PROGRAM, "%", 1),
    "t~": Name(Origin.TEMPORARY, "t", 1),
    "t~~12": Name(Origin.TEMPORARY, "t", 12),
    "fn:exp": Name(Origin.FUNCTION, "exp", 1),
    "i^0": Name(Origin.FORMULA, "i", 0),
    "a#3": Name(Origin.RULE, "a", 3),
    "a~2#30": Name(Origin.RULE, "a~2", 30),
    "t~#3": Name(Origin.RULE, "t~", 3),
    "f.open#3": Name(Origin.RULE, "f.open", 3),
    "t~~2#3": Name(Origin.RULE, "t~~2", 3),
    "b?0": Name(Origin.ARBITRARY, "b", 0),
    "$b3": Name(Origin.SEARCH, "b", 3),
    "$i~23": Name(Origin.ITERATION, "i", 23),
    "@a~2.3": Name(Origin.CONTENTS, "a~2", 3),
    "@opaque:.3": Name(Origin.CONTENTS, "opaque", 3),
    "@a.3!entry": Name(Origin.ENTRY, "a", 3),
    "@opaque.3": Name(Origin.OPAQUE, "", 3),
    "certificate.1": Name(Origin.BOUND, "certificate", 1),
    "n/16": Name(Origin.PROGRAM, "n", 1, (16,)),
    "i#3/16/4": Name(Origin.RULE, "i", 3, (16, 4)),
}  # fmt: skip


@pytest.mark.parametrize("text", NAMES)
def test_a_name_is_read_as_it_was_written(text: str) -> None:
    assert read_name(text) == NAMES[text] and str(NAMES[text]) == text
    assert k.var(NAMES[text], INT).data == NAMES[text]


def test_every_origin_is_among_them() -> None:
    assert {name.origin for name in NAMES.values()} == set(Origin)


@pytest.mark.parametrize(
    "text",
    ["", "~2", "x~1", "x~02", "x~", "#3", "a#", "a#3#4", "a#-1", "a#٣", "b?", "$", "$3", "@a", "@opaque", "@a:.3", "a.", "fn:",
     "fn:a#3", "n/", "n/016", "n/16#3", "x~2~3", "a#3!entry", "a b#3?", "x\n#3"],
)  # fmt: skip
def test_other_texts_are_no_names(text: str) -> None:
    if text == "x~":
        assert read_name(text).origin is Origin.TEMPORARY
    else:
        with pytest.raises(ValueError):
            read_name(text)


class Text(str):
    pass


@pytest.mark.parametrize(
    "name",
    [
        Name(Origin.PROGRAM, "a#3", 1),  # would have the text of a rule's
        Name(Origin.PROGRAM, "b?0", 1),
        Name(Origin.PROGRAM, "x~2", 1),
        Name(Origin.PROGRAM, "n/16", 1),
        Name(Origin.RULE, "a#1", 9),
        Name(Origin.RULE, "a", -1),
        Name(Origin.SEARCH, "b1", 2),  # $b12 is another one
        Name(Origin.OPAQUE, "a", 1),
        Name(Origin.FUNCTION, "exp", 2),
        Name(Origin.PROGRAM, "x", True),
        Name(Origin.PROGRAM, Text("x"), 1),
        replace(NAMES["x"], divisors=(0.5,)),  # type: ignore[arg-type]
        replace(NAMES["x"], divisors=[2]),  # type: ignore[arg-type]
        replace(NAMES["x"], origin="x, x~2"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_no_variable_has_the_text_of_another_name(name: Any) -> None:
    """Found by its text, a solver would take the one for the other."""
    with pytest.raises(TypeError):
        k.var(name, k.fun_sort((INT, INT, INT), INT))  # a sort of which no variable was made before


def test_a_string_names_a_variable_of_the_program_alone() -> None:
    assert k.var("n", INT).data == Name(Origin.PROGRAM, "n", 1)
    for text in ("a#3", "x~2", "b?0", "$b1", "@opaque.1", "fn:exp", "n/16", "", Text("n")):
        with pytest.raises(TypeError):
            k.var(text, k.fun_sort((INT, INT, INT), INT))


def test_nothing_else_than_a_variable_has_a_name() -> None:
    for op in ("bound", "num", "lam"):
        with pytest.raises(TypeError):
            interned(op, (), INT, NAMES["x"])
    with pytest.raises(TypeError):
        interned("var", (), INT, None)


def test_a_quotient_is_as_old_as_what_is_divided() -> None:
    """A rule that must not be told of i#3 must not be told of its sixteenth either."""
    for text in ("i#3", "b?2", "n"):
        name = read_name(text)
        assert replace(name, divisors=(16,)).age == name.age
        assert read_name(f"{text}/16").origin is name.origin


def test_source_names() -> None:
    assert [source_name(x) for x in ("a", "a~2", "a~2#3", "t~")] == ["a", "a", "a", "t"]
    assert [NAMES[x].display for x in ("x~2", "t~~12", "fn:exp", "a~2#30", "n/16", "$b3")] == [
        "x",
        "t",
        "exp",
        "a",
        "n/16",
        "b3",
    ]
