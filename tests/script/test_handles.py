"""Handles navigate and confine searches; `with s.inside(…)` confines all names and targets of a script."""

from __future__ import annotations

from dataclasses import replace

import pytest

import optigpu as og
from optigpu import Decl, For, If, In, Write
from optigpu.frontend import parse_text
from optigpu.script.handles import Handle
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import For as Loop
from optigpu.syntax.source import StatementId

NEST = """#include <optigpu.h>
void f(int n, float a[n][8], float b[n]) {
  __writes("a ~> Matrix2(n, 8, fun i j -> 0)");
  __writes("b ~> Matrix1(n, fun i -> 0)");
  for (int i = 0; i < n; i++) {
    b[i] = 0.0f;
    for (int j = 0; j < 8; j++) {
      a[i][j] = 0.0f;
    }
  }
}
"""
BRANCHES = """#include <optigpu.h>
void f(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  if (n % 8 == 0) {
    for (int i = 0; i < n; i++) {
      a[i] = 0.0f;
    }
  } else {
    for (int i = 0; i < n; i++) {
      a[i] = 0.0f;
    }
  }
}
"""


def script(text: str) -> og.Script:
    return og.Script(parse_text(text, "f.c"))


def handle(s: og.Script, target: og.Target) -> Handle:
    return s.handle(s.find(target))


def index(h: Handle) -> str:
    loop = h.statement()
    assert isinstance(loop, Loop)
    return loop.index


def code(e: pytest.ExceptionInfo[InputError]) -> str:
    return e.value.diagnostic.code


def test_a_handle_has_the_statements_in_it_and_the_one_around_it() -> None:
    s = script(NEST)
    outer = handle(s, For("i"))
    store, inner = outer.body
    assert str(store) == "<b[i] = 0.0f>" and inner.parent == outer and store.parent == outer
    assert list(map(index, outer.loops)) == ["j"] and inner.loops == () and store.body == ()
    assert inner.body[0].parent.parent == outer


def test_an_outermost_handle_has_no_parent() -> None:
    with pytest.raises(InputError, match="outermost in `f`") as e:
        handle(script(NEST), For("i")).parent  # noqa: B018
    assert code(e) == "OG601" and e.value.diagnostic.loc.file == __file__


def test_an_if_has_two_branches() -> None:
    s = script(BRANCHES)
    condition = handle(s, If())
    assert condition.body == condition.then.body and len(condition.loops) == 2
    assert condition.then.loops + condition.otherwise.loops == condition.loops
    assert str(condition.otherwise) == "<if (n % 8 == 0)>.otherwise"


def test_a_loop_has_no_branches() -> None:
    with pytest.raises(InputError, match="is not an `if`") as e:
        handle(script(NEST), For("i")).otherwise  # noqa: B018
    assert code(e) == "OG601"


def test_a_target_inside_a_handle_is_searched_for_there() -> None:
    s = script(BRANCHES)
    condition = handle(s, If())
    inside = condition.otherwise / For("i")
    assert s.find(inside) == condition.otherwise.loops[0].path()
    assert str(inside) == '<if (n % 8 == 0)>.otherwise / For("i")'
    assert s.find(condition.then.loops[0] / Write("a")) == condition.then.loops[0].body[0].path()
    assert s.find(condition.then / For("i") / Write("a")).inside(condition.path())
    s.loop.rename(inside, "k")
    assert [index(h) for h in condition.loops] == ["i", "k"]


def test_a_target_inside_a_handle_does_not_mean_the_statement_itself_or_others() -> None:
    s = script(BRANCHES)
    loop = handle(s, If()).then.loops[0]
    for target in (loop / For("i"), loop / If(), loop / In("f") / For("i")):
        with pytest.raises(InputError) as e:
            s.find(target)
        assert code(e) == "OG601"
    with pytest.raises(InputError) as e:
        s.find(handle(s, If()) / For("i"))
    assert code(e) == "OG602" and len(e.value.diagnostic.labels) == 2


def test_a_target_inside_a_gone_handle_is_an_error() -> None:
    s = script(NEST)
    store = handle(s, Write("b"))
    s.instr.replace("b", "b[i] = 0.0f + 0.0f;")
    for target in (store, store / For("j")):
        with pytest.raises(InputError, match="is gone") as e:
            s.loop.tile(target, 2)
        assert code(e) == "OG601" and e.value.diagnostic.loc.file == __file__
    assert str(store) == repr(store) == "<a statement that is gone>"
    with pytest.raises(InputError, match="is gone") as e:
        store.parent  # noqa: B018
    assert code(e) == "OG601" and e.value.diagnostic.loc.file == __file__


@og.transformation
def two_loops_from_one(s: og.Script) -> None:
    path = s.find("j", "for")
    first, second = (replace(s.at(path), id=StatementId(parent=s.at(path).id)) for _ in range(2))
    s.put(path, first, second)


def test_a_handle_of_a_statement_that_was_copied_is_an_error() -> None:
    s = script(NEST)
    loop = handle(s, For("j"))
    two_loops_from_one(s)
    for target in (loop, loop / Write("a")):
        with pytest.raises(InputError, match="was copied: 2 statements") as e:
            s.instr.delete(target)
        assert code(e) == "OG601" and len(e.value.diagnostic.labels) == 2
    with pytest.raises(InputError, match="was copied"):
        loop.body  # noqa: B018


def test_a_handle_stands_first_in_a_target() -> None:
    s = script(NEST)
    loop = handle(s, For("i"))
    for outer, inner in ((For("i"), loop), (For("i"), loop / For("j")), (loop, loop / For("j"))):
        with pytest.raises(InputError) as e:
            outer / inner  # type: ignore[operator]
        assert code(e) == "OG604" and e.value.diagnostic.loc.file == __file__
    with pytest.raises(InputError) as e:
        s.find(For("i", body=loop / Write("b")))
    assert code(e) == "OG604"
    for around in (loop, For("i"), handle(script(BRANCHES), If()).then):
        with pytest.raises(InputError, match='a target, not the name "j"') as e:
            around / "j"  # type: ignore[operator]
        assert code(e) == "OG604" and 'For("j")' in (e.value.diagnostic.help or "")
        with pytest.raises(TypeError):
            around / 3  # type: ignore[operator]


def test_a_branch_is_no_statement() -> None:
    s = script(BRANCHES)
    with pytest.raises(InputError) as e:
        s.loop.tile(handle(s, If()).then, 8)  # type: ignore[arg-type]
    assert code(e) == "OG604"


def test_inside_confines_names_and_targets() -> None:
    s = script(BRANCHES)
    condition = handle(s, If())
    with pytest.raises(InputError) as e:
        s.loop.tile("i", 8)
    assert code(e) == "OG602"
    with s.inside(condition.then):
        s.loop.tile("i", 8, outer="b")
        s.loop.unroll_hint("i", 8)
    with s.inside(condition.otherwise):
        s.loop.tile(For("i"), 8, tail="guard", outer="b")
        assert len(s.find_all("b", "for")) == 1
        with s.inside(handle(s, For("b"))):
            assert index(s.handle(s.find("b"))) == "b"
            assert len(s.searched()) == 4
    assert s.result.verified and len(s.find_all("b", "for")) == 2
    assert [index(h) for h in condition.loops] == ["b", "i", "b", "i"]


def test_inside_finds_nothing_outside() -> None:
    s = script(NEST)
    with s.inside("j"):
        for target in ("i", For("i"), Write("b"), For("i") / For("j"), In("f") / Decl()):
            with pytest.raises(InputError, match="inside <for j = 0; j < 8>") as e:
                s.find(target, "for")
            assert code(e) == "OG601"
        assert s.find("j", "for") == s.find(Write("a")).parent
    assert s.find("i", "for").is_top_level


def test_inside_ends_with_an_exception() -> None:
    s = script(NEST)
    with pytest.raises(KeyError), s.inside("j"):
        raise KeyError
    assert s.find("i", "for").is_top_level


def test_inside_goes_on_after_a_step_that_is_undone() -> None:
    s = script(BRANCHES)
    condition = handle(s, If())
    with s.inside(condition.otherwise):
        with pytest.raises(og.StepError):
            s.loop.tile("i", 8)
        assert s.find("i", "for") == condition.otherwise.loops[0].path()


@og.transformation
def leave_open(s: og.Script) -> None:
    s.inside("j").__enter__()


def test_a_step_leaves_no_confinement() -> None:
    s = script(NEST)
    leave_open(s)
    assert s.find("i", "for").is_top_level


def test_inside_needs_a_place_that_is_there() -> None:
    s = script(NEST)
    store = handle(s, Write("b"))
    s.instr.replace("b", "b[i] = 0.0f + 0.0f;")
    for place in (store, "k", For("j") / For("i")):
        with pytest.raises(InputError) as e, s.inside(place):
            raise AssertionError
        assert code(e) == "OG601" and e.value.diagnostic.loc.file == __file__


def test_the_place_of_inside_may_vanish() -> None:
    s = script(NEST)
    with s.inside("j"):
        s.loop.unroll("j")
        with pytest.raises(InputError, match="is gone") as e:
            s.find("a")
    assert code(e) == "OG601"
