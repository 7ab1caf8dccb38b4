"""Edits type what they changed; what is checked is typed from the start."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu import For
from optigpu.frontend import parse_text, recheck
from optigpu.frontend.program_loading import retyped
from optigpu.frontend.typed_statements import TypedStatements
from optigpu.light_dataclass import replace
from optigpu.script.step_errors import StepError
from optigpu.syntax import program
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Type, Var
from optigpu.syntax.program import Decl, Program, Stmt, Store
from optigpu.syntax.types import DOUBLE, FLOAT, INT, INT64
from optigpu.syntax.walk import body_subexpressions, statements

TWO_LOOPS = """
void f(int n, float a[n], float b[n]) {
  __writes("a ~> Matrix1(n, fun i -> 1.0f), b ~> Matrix1(n, fun i -> 1.0f)");
  const float one = 1.0f;
  for (int i = 0; i < n; i++) { a[i] = one; }
  for (int i = 0; i < n; i++) { b[i] = one; }
}
"""


def with_statement(old: Program, at: int, new: Stmt) -> Program:
    f = old.function("f")
    body = (*f.body[:at], new, *f.body[at + 1 :])
    return replace(old, items=tuple(replace(f, body=body) if x is f else x for x in old.items))


def types_of(p: Program, name: str) -> list[Type | None]:
    return [x.type for x in body_subexpressions(p.function("f").body) if isinstance(x, Var) and x.name == name]


def test_statements_that_did_not_change_are_not_typed_again() -> None:
    known = TypedStatements()
    first = retyped(parse_text(TWO_LOOPS), known)
    loop = first.function("f").body[1]
    assert isinstance(loop, program.For)
    second = retyped(with_statement(first, 1, replace(loop, body=loop.body * 2)), known).function("f").body
    assert second[2] is first.function("f").body[2]
    assert second[1] is not loop


def test_a_statement_whose_names_mean_something_else_is_typed_again() -> None:
    known = TypedStatements()
    first = retyped(parse_text(TWO_LOOPS), known)
    declaration = first.function("f").body[0]
    assert isinstance(declaration, Decl)
    second = retyped(with_statement(first, 0, replace(declaration, type=DOUBLE)), known)
    assert types_of(first, "one") == [FLOAT, FLOAT] and types_of(second, "one") == [DOUBLE, DOUBLE]
    assert second.function("f").body[2] is not first.function("f").body[2]


def test_a_statement_whose_name_is_gone_is_rejected() -> None:
    known = TypedStatements()
    first = retyped(parse_text(TWO_LOOPS), known)
    declaration = first.function("f").body[0]
    with pytest.raises(InputError) as caught:
        retyped(with_statement(first, 0, replace(declaration, name="two")), known)
    assert caught.value.diagnostic.code == "OG100"


def test_a_statement_that_equals_a_typed_one_is_typed_itself() -> None:
    known = TypedStatements()
    first = retyped(parse_text(TWO_LOOPS), known)
    copy = parse_text(TWO_LOOPS).function("f").body[1]
    assert first.function("f").body[1] in known and copy not in known


def test_what_is_checked_is_typed_from_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if remembered statements are wrong: here all of them are believed, whatever their names mean now."""
    monkeypatch.setattr(TypedStatements, "is_typed", lambda self, s, scope: s in self)
    s = og.Script(parse_text(TWO_LOOPS.replace("const float one", "const int one").replace("= 1.0f;", "= 1;")))
    with s.phase("types"):
        s.loop.rename(For("i").first, "j")
        s.loop.rename(For("i"), "k")
        declaration = s.program.function("f").body[0]
        s.update(with_statement(s.program, 0, replace(declaration, type=INT64)))
        assert types_of(s.program, "one") == [INT, INT]
    assert types_of(s.program, "one") == [INT64, INT64]
    assert [x.type for x in body_subexpressions(s.program.function("f").body)] == [
        x.type for x in body_subexpressions(recheck(s.program).function("f").body)
    ]


def test_a_wrong_program_is_rejected_at_the_end_of_a_phase(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TypedStatements, "is_typed", lambda self, s, scope: s in self)
    s = og.Script(parse_text(TWO_LOOPS))
    before = s.program
    with pytest.raises(InputError) as caught, s.phase("a name that is gone"):
        s.loop.rename(For("i").first, "j")
        s.loop.rename(For("i"), "k")
        s.update(with_statement(s.program, 0, replace(s.program.function("f").body[0], name="two")))
    assert caught.value.diagnostic.code == "OG605" and s.program is before and s.unchecked is None


def test_a_verdict_after_a_rejected_step_leaves_the_program_checked() -> None:
    s = og.Script(parse_text(TWO_LOOPS))
    store = next(x for x in statements(s.program.function("f").body) if isinstance(x, Store))
    with pytest.raises(StepError):
        s.instr.delete(og.Write("a"))
    assert store in [*statements(s.program.function("f").body)]
    assert s.result.verified and s.unchecked is None
