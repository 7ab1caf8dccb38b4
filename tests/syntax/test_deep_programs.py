"""Deep programs and values: every entry point accepts what the command line accepts, and none fails with RecursionError."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import optigpu as og
from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_file, parse_text, recheck
from optigpu.interp.refute import refute
from optigpu.solver.z3_solver import Z3Solver
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.recursion_limit import COLLECTIONS, LIMIT, deep


def chain(updates: int) -> str:
    """Values that are as deep as the chain is long."""
    body = "\n".join(f"  if (a[{i}] > x) x = 2.0f * x + a[{i}];" for i in range(updates))
    return f"""float f(float a[{updates}]) {{
  __requires("A: int -> float");
  __reads("a ~> Matrix1({updates}, A)");
  float x = 1.0f;
{body}
  return x;
}}
"""


def depth() -> int:
    frame, n = sys._getframe(), 0
    while frame is not None:
        frame, n = frame.f_back, n + 1  # type: ignore[assignment]
    return n


@pytest.fixture
def little_room() -> Iterator[int]:
    """As if whoever calls us had used up most of Python's limit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth() + 150)
    yield sys.getrecursionlimit()
    sys.setrecursionlimit(before)


def test_the_text_needs_more_room_than_there_is(little_room: int) -> None:
    """Else the tests below would say nothing: without `deep` this is too much."""
    program = parse_text(chain(30), "deep.c")
    result = Verifier.verify.__wrapped__(Verifier(), program).functions[0]  # type: ignore[attr-defined]
    assert result.problem is not None and result.problem.code == "OG015"


ENTRIES: dict[str, Callable[[Path], object]] = {
    "parse_file": parse_file,
    "recheck": lambda path: recheck(parse_file(path)),
    "verify": lambda path: Verifier().verify(parse_file(path)),
    "script": lambda path: og.Script(path, verifier=Verifier(Settings(points=True))),
    "refute": lambda path: refute(parse_file(path), "f", seconds=0.1, most=2),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_entry_points_make_room_and_leave_the_limit_as_it_was(entry: str, little_room: int, tmp_path: Path) -> None:
    path = tmp_path / "deep.c"
    path.write_text(chain(30), encoding="utf-8")
    ENTRIES[entry](path)
    assert sys.getrecursionlimit() == little_room


def test_a_deep_program_goes_all_the_way(tmp_path: Path) -> None:
    path = tmp_path / "deep.c"
    path.write_text(chain(70), encoding="utf-8")
    script = og.Script(path, verifier=Verifier(Settings()))
    assert script.result.verified
    assert "2.0f * x" in script.text() and "2.0f * x" in script.emit(tmp_path / "out.c").read_text(encoding="utf-8")
    program = parse_file(path)
    assert audit(program, certificate_of(program, script.result), Z3Solver()).failures == {}
    assert emit_c(program)


def test_a_wrong_deep_program_is_rejected() -> None:
    wrong = chain(70).replace("float x = 1.0f;", "float x;")
    result = Verifier().verify(parse_text(wrong, "deep.c")).functions[0]
    assert result.problem is not None and result.problem.code == "OG304" and result.problem.loc.line == 5


def test_what_is_too_deep_even_so_is_an_error_of_the_input() -> None:
    @deep
    def forever() -> int:
        return forever.__wrapped__() + 1  # type: ignore[attr-defined, no-any-return]

    before = sys.getrecursionlimit()
    with pytest.raises(InputError) as e:
        forever()
    assert e.value.diagnostic.code == "OG015"
    assert sys.getrecursionlimit() == before


def test_a_value_that_is_too_deep_is_a_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_deep(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("optigpu.check.verify.Executor.verify", too_deep)
    result = Verifier().verify(parse_text("void f() { }", "deep.c")).functions[0]
    assert result.verdict.value == "UNSUPPORTED"
    assert result.problem is not None and (result.problem.code, result.problem.loc.line) == ("OG015", 1)


def test_the_limit_stays_until_the_last_thread_leaves() -> None:
    inside, leave = threading.Event(), threading.Event()
    before = sys.getrecursionlimit()

    @deep
    def other() -> None:
        inside.set()
        leave.wait(10)

    @deep
    def limit() -> int:
        return sys.getrecursionlimit()

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait(10)
    assert limit() == max(before, LIMIT)
    assert sys.getrecursionlimit() == max(before, LIMIT)
    leave.set()
    thread.join()
    assert sys.getrecursionlimit() == before


def test_many_updates_and_many_claims_are_checked() -> None:
    """Their number is what matters: neither grows into something that no one waits for."""
    positive = "\n".join(f"  if (a[{i}] > 0) x = x + a[{i}];" for i in range(10))
    text = f"""int f(int a[10]) {{
  __requires("A: int -> int");
  __reads("a ~> Matrix1(10, A)");
  int x = 0;
{positive}
  return x;
}}
"""
    assert Verifier(Settings(unbounded=True)).verify(parse_text(text, "many.c")).verified
    claims = "".join(f'  __writes("&a[{i}] ~~> {i}");\n' for i in range(50))
    stores = "".join(f"  a[{i}] = {i}.0f;\n" for i in range(50))
    good = f"void f(float a[50]) {{\n{claims}{stores}}}\n"
    assert Verifier().verify(parse_text(good, "many.c")).verified
    wrong = Verifier().verify(parse_text(good.replace("a[7] = 7.0f", "a[7] = 8.0f"), "many.c")).functions[0]
    assert wrong.problem is not None and (wrong.problem.code, wrong.problem.loc.line) == ("OG305", 9)


def test_garbage_is_collected_less_often_from_then_on() -> None:
    before = gc.get_threshold()
    gc.disable()  # what earlier tests left would be looked through at once
    try:
        gc.set_threshold(700, 10, 10)
        assert deep(gc.get_threshold)() == COLLECTIONS
        assert gc.get_threshold() == COLLECTIONS
        gc.set_threshold(COLLECTIONS[0] + 1, 10, 10)
        assert deep(gc.get_threshold)() == (COLLECTIONS[0] + 1, *COLLECTIONS[1:])
        gc.set_threshold(0)  # no collections at all
        assert deep(gc.get_threshold)()[0] == 0
    finally:
        gc.set_threshold(*before)
        gc.enable()
