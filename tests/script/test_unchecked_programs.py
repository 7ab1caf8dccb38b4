"""Attempts to emit code that was not checked against the original program, or that differs from the checked program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import optigpu as og
from optigpu.check.verdict import ProgramResult
from optigpu.check.verify import Verifier
from optigpu.cli import main
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.report.scripts import render_script
from optigpu.runtime.call_error import CallError
from optigpu.script.editing import edit_function
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Array, Binary, Call, Cast, Expr, Int, Real, Unary, Var
from optigpu.syntax.program import Block, Clause, Decl, Define, For, Include, LoopRange, Mode, Program, Stmt, TopLevel
from optigpu.syntax.source import NO_ID
from optigpu.syntax.types import BOOL, DOUBLE, FLOAT, INT, INT64, LOGIC_INT, UINT, Kind, Scalar, Space
from tests.support.zero_scripts import BACKWARDS, ONES, ZERO, become, emitted, zero


class Interrupted(Verifier):
    """Gives up on every program but the first."""

    asked = 0

    def verify(self, program: Program, function: str | None = None) -> ProgramResult:
        self.asked += 1
        if self.asked == 2:
            raise KeyboardInterrupt
        return super().verify(program, function)


def assigned(script: og.Script, text: str) -> None:
    script.program = parse_text(text)


@pytest.mark.parametrize("change", [assigned, lambda s, text: s.update(parse_text(text))])
def test_a_program_that_no_step_checked_is_not_emitted(
    change: Callable[[og.Script, str], None], tmp_path: Path
) -> None:
    script = zero()
    change(script, ONES)
    for make in (lambda: emitted(script, tmp_path), script.build):
        with pytest.raises(CallError, match="changed outside a step"):
            make()
    assert not script.result.verified
    become(script, BACKWARDS)
    assert "n - 1 - i" in emitted(script, tmp_path)


def test_a_check_that_was_interrupted_leaves_the_program_as_it_was(tmp_path: Path) -> None:
    script = zero(Interrupted())
    with pytest.raises(KeyboardInterrupt):
        become(script, ONES)
    assert "a[i] = 0.0f" in emitted(script, tmp_path)


def test_a_phase_whose_check_was_interrupted_leaves_the_program_as_it_was(tmp_path: Path) -> None:
    script = zero(Interrupted())
    with pytest.raises(KeyboardInterrupt), script.phase("ones"):
        become(script, ONES)
    assert "a[i] = 0.0f" in emitted(script, tmp_path)
    assert len(script.steps) == 1


HELPER = """void helper(int n, float a[n]) {
  __requires("n >= 0");
  __writes("a ~> Matrix1(n, fun i -> 0.0f)");
  BODY
}
"""
CALLING = ZERO.replace("void zero", f"{HELPER}void zero").replace(
    "for (int i = 0; i < n; i++) a[i] = 0.0f;", "helper(n, a);"
)


def test_a_script_admits_no_function(tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(InputError, match="`helper` is a new assumption"):
        become(script, CALLING.replace("BODY", "__admitted();"))
    become(script, CALLING.replace("BODY", "for (int i = 0; i < n; i++) a[i] = 0.0f;"))
    assert "helper(n, a)" in emitted(script, tmp_path)


def test_what_is_said_of_the_program_is_not_about_a_rejected_one() -> None:
    script = zero()
    script.loop.parallel("i")
    with pytest.raises(og.StepError):
        become(script, ONES)
    with pytest.raises(og.StepError), script.phase("two steps"):
        become(script, BACKWARDS)
        become(script, ONES)
    assert render_script(script.accepted).startswith("VERIFIED 1 step · 0 assumptions · race-free · no leak")


@og.transformation
def include(script: og.Script, included: str, own: str) -> None:
    header = Include("x.h", False, tuple(parse_text(included).functions()))
    script.update(replace(script.program, items=(header, *parse_text(included + own).functions()[1:])))


def test_a_function_stays_where_it_is_checked(tmp_path: Path) -> None:
    """Included functions are checked where they are called."""
    helper = HELPER.replace("BODY", "for (int i = 0; i < n; i++) a[i] = 0.0f;")
    calling = CALLING.split(HELPER)[1]
    with pytest.raises(InputError, match="`zero` is gone"):
        include(zero(), ONES, "")
    with pytest.raises(og.StepError, match="zero"):
        include(zero(), helper.replace("0.0f;", "1.0f;"), calling)
    script = zero()
    include(script, helper, calling)
    assert "helper(n, a)" in emitted(script, tmp_path)


def test_an_included_function_that_is_not_checked_is_not_emitted() -> None:
    wrong, right = (parse_text(t).functions()[0] for t in (ONES, ZERO.replace("zero", "other")))
    program = Program("f.c", (Include("x.h", False, (wrong,)), right))
    assert "other" in emit_c(program) and "zero" not in emit_c(program)


@og.transformation
def put_first(script: og.Script, *statements: Stmt) -> None:
    script.update(edit_function(script.program, "zero", lambda f: replace(f, body=(*statements, *f.body))))


@og.transformation
def change_loop(script: og.Script, **changes: Any) -> None:
    loop = script.at("i", "for")
    assert isinstance(loop, For)
    script.put(script.find("i", "for"), replace(loop, **changes))


class Disguised(str):
    """Is one name, and prints as something else."""

    def __str__(self) -> str:
        return "y; a[0] = 7; float z"

    def __format__(self, spec: str) -> str:
        return str(self)


class Order(Enum):
    SEQUENTIAL = "sequential"


def doubled(depth: int) -> Expr:
    """An expression that has one part in many places."""
    e: Expr = Var("n")
    for _ in range(depth):
        e = Binary("+", e, e)
    return e


def half(one: Expr, two: Expr) -> Decl:
    return Decl("y", FLOAT, Binary("/", one, two))


def nested(depth: int) -> Block:
    out = Block(())
    for _ in range(depth):
        out = Block((out,))
    return out


@og.transformation
def put_include(script: og.Script, path: str, system: bool = False, items: tuple[TopLevel, ...] = ()) -> None:
    script.update(replace(script.program, items=(*script.program.items, Include(path, system, items))))


@og.transformation
def put_macro(script: og.Script, value: Expr) -> None:
    script.update(replace(script.program, items=(*script.program.items, Define("N", value))))


def counting(**changes: Any) -> For:
    return replace(For("j", LoopRange(Int(0), "<", Int(5), "+", Int(1)), ()), **changes)


MISNAMED = Scalar("int8_t", Kind.INT, 32)
MALFORMED: dict[str, tuple[Callable[[og.Script], object], Callable[[og.Script], object]]] = {
    "code in a name": (
        lambda s: s.loop.rename("i", "i = 0, j"),
        lambda s: s.loop.rename("i", "j"),
    ),
    "code in a declared name": (
        lambda s: put_first(s, Decl("y; a[0] = 7; float z", FLOAT, Real(Fraction(1)))),
        lambda s: put_first(s, Decl("y", FLOAT, Real(Fraction(1)))),
    ),
    "a clause in a hint": (
        lambda s: change_loop(s, mode=Mode.PARALLEL, hints=("schedule(static)collapse(2)",)),
        lambda s: change_loop(s, mode=Mode.PARALLEL, hints=("schedule(static)",)),
    ),
    "a line in a hint": (
        lambda s: change_loop(s, hints=("unroll 4\na[0] = 7;",)),
        lambda s: change_loop(s, hints=("unroll 4",)),
    ),
    "a body that can change later": (
        lambda s: change_loop(s, body=list(s.at("i", "for").body)),  # type: ignore[union-attr]
        lambda s: change_loop(s, body=tuple(s.at("i", "for").body)),  # type: ignore[union-attr]
    ),
    "a type by another name": (
        lambda s: put_first(s, Decl("y", MISNAMED, Int(300))),
        lambda s: put_first(s, Decl("y", INT, Int(300))),
    ),
    "no number": (
        lambda s: put_first(s, Decl("y", FLOAT, Real(float("nan")))),  # type: ignore[arg-type]
        lambda s: put_first(s, Decl("y", FLOAT, Real(Fraction(1, 2)))),
    ),
    "a number without bits": (
        lambda s: put_first(s, Decl("y", FLOAT, Int(2**70))),
        lambda s: put_first(s, Decl("y", FLOAT, Int(2**40))),
    ),
    "an operator of another language": (
        lambda s: put_first(s, Decl("y", INT, Unary("++", Var("n")))),
        lambda s: put_first(s, Decl("y", INT, Unary("-", Var("n")))),
    ),
    "a name that prints as code": (
        lambda s: put_first(s, Decl(Disguised("y"), FLOAT, Real(Fraction(1)))),
        lambda s: put_first(s, Decl("y", FLOAT, Real(Fraction(1)))),
    ),
    "a hint that prints as code": (
        lambda s: change_loop(s, hints=(Disguised("unroll 4"),)),
        lambda s: change_loop(s, hints=("unroll 4",)),
    ),
    "a type whose name prints as code": (
        lambda s: put_first(s, Decl("y", replace(INT, name=Disguised("int")), Int(3))),
        lambda s: put_first(s, Decl("y", replace(INT, name="int"), Int(3))),
    ),
    "a word of C": (
        lambda s: put_first(s, Decl("while", INT, Int(3))),
        lambda s: put_first(s, Decl("whale", INT, Int(3))),
    ),
    "no name": (
        lambda s: put_first(s, Decl(None, INT, Int(3))),  # type: ignore[arg-type]
        lambda s: put_first(s, Decl("None", INT, Int(3))),
    ),
    "a mode of another kind": (
        lambda s: change_loop(s, mode=Order.SEQUENTIAL),
        lambda s: change_loop(s, mode=Mode.SEQUENTIAL),
    ),
    "an integer that divides as a float": (
        lambda s: put_first(s, half(Int(1, FLOAT), Int(2, FLOAT))),
        lambda s: put_first(s, half(Int(1, UINT), Int(2, UINT))),
    ),
    "a float that divides as an integer": (
        lambda s: put_first(s, half(Real(Fraction(1), INT), Real(Fraction(2), INT))),
        lambda s: put_first(s, half(Real(Fraction(1), FLOAT), Real(Fraction(2), DOUBLE))),
    ),
    "a number that no text denotes": (
        lambda s: put_first(s, Decl("y", FLOAT, Real(Fraction(1, 3)))),
        lambda s: put_first(s, Decl("y", FLOAT, Real(Fraction(1, 4)))),
    ),
    "a number that is infinite in C": (
        lambda s: put_first(s, Decl("y", FLOAT, Real(Fraction(10) ** 39))),
        lambda s: put_first(s, Decl("y", FLOAT, Real(Fraction(2) ** 126))),
    ),
    "a sign that C reads first": (
        lambda s: put_first(s, Decl("y", BOOL, Binary("<", Int(-(2**63)), Var("n")))),
        lambda s: put_first(s, Decl("y", BOOL, Binary("<", Int(1 - 2**63), Var("n")))),
    ),
    "a type of formulas": (
        lambda s: put_first(s, Decl("y", LOGIC_INT, Int(3))),
        lambda s: put_first(s, Decl("y", INT64, Int(3))),
    ),
    "a conversion of formulas": (
        lambda s: put_first(s, Decl("y", INT, Cast(LOGIC_INT, Int(3)))),
        lambda s: put_first(s, Decl("y", INT, Cast(INT64, Int(3)))),
    ),
    "a loop over floats": (
        lambda s: put_first(s, counting(index_type=FLOAT)),
        lambda s: put_first(s, counting(index_type=INT64)),
    ),
    "a hint twice": (
        lambda s: put_first(s, counting(hints=("unroll 2", "unroll 3"))),
        lambda s: put_first(s, counting(hints=("simd", "unroll 3"))),
    ),
    "a function's contract at a loop": (
        lambda s: put_first(s, counting(contract=(Clause("requires", ()),))),
        lambda s: put_first(s, counting(contract=())),
    ),
    "an expression among statements": (
        lambda s: put_first(s, Block((Int(3),))),  # type: ignore[arg-type]
        lambda s: put_first(s, Block((Decl("y", INT, Int(3)),))),
    ),
    "nothing where an expression is": (
        lambda s: put_first(s, Decl("y", INT, Binary("+", Int(3), None))),  # type: ignore[arg-type]
        lambda s: put_first(s, Decl("y", INT, Binary("+", Int(3), Int(4)))),
    ),
    "no id": (
        lambda s: put_first(s, Decl("y", INT, Int(3), id=None)),  # type: ignore[arg-type]
        lambda s: put_first(s, Decl("y", INT, Int(3), id=NO_ID)),
    ),
    "a line in the name of a header": (
        lambda s: put_include(s, 'x.h"\n#define n 5\n#include "y.h'),
        lambda s: put_include(s, "x.h"),
    ),
    "an array with a value that nothing looks at": (
        lambda s: put_first(s, Decl("y", Array(INT, (Int(3),)), Var("nobody"))),
        lambda s: put_first(s, Decl("y", Array(INT, (Int(3),)))),
    ),
    "a dimension that CUDA leaves out": (
        lambda s: put_first(s, Decl("y", Array(INT, (Int(3),), distributed=True))),
        lambda s: put_first(s, Decl("y", Array(INT, (Int(3),), distributed=False))),
    ),
    "memory that no declaration is in": (
        lambda s: put_first(s, Decl("y", Array(INT, (Int(3),), Space.GMEM))),
        lambda s: put_first(s, Decl("y", Array(INT, (Int(3),), Space.ANY))),
    ),
    "a type with parts of another kind": (
        lambda s: put_first(s, counting(index_type=replace(INT, bits=Int(32)))),
        lambda s: put_first(s, counting(index_type=replace(INT, bits=32))),
    ),
    "functions in a header of the system": (
        lambda s: put_include(s, "math.h", True, parse_text(ZERO.replace("zero", "other")).items),
        lambda s: put_include(s, "math.h", True),
    ),
    "a macro that is no constant": (
        lambda s: put_macro(s, Call("min", (Int(1), Int(2)))),
        lambda s: put_macro(s, Binary("*", Int(1), Int(2))),
    ),
    "a text without end": (
        lambda s: put_first(s, Decl("y", INT, doubled(60))),
        lambda s: put_first(s, Decl("y", INT, doubled(6))),
    ),
    "blocks without end": (
        lambda s: put_first(s, nested(5000)),
        lambda s: put_first(s, nested(50)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_program_is_no_step(name: str, tmp_path: Path) -> None:
    wrong, right = MALFORMED[name]
    script = zero()
    with pytest.raises(InputError) as caught:
        wrong(script)
    assert caught.value.diagnostic.code == "OG605"
    right(script)
    assert len(script.steps) == 2
    emitted(script, tmp_path)


CODE = Decl("y; a[0] = 7; float z", FLOAT, Real(Fraction(1), type=FLOAT))
PLAIN = replace(CODE, name="y")


def starting_with(script: og.Script, statement: Stmt) -> Program:
    return edit_function(script.program, "zero", lambda f: replace(f, body=(statement, *f.body)))


@og.transformation
def assign_first(script: og.Script, statement: Stmt) -> None:
    script.program = starting_with(script, statement)


def test_a_program_that_a_step_put_in_place_by_itself_is_read_like_others(tmp_path: Path) -> None:
    script = zero()
    with pytest.raises(InputError, match="is not a name"):
        assign_first(script, CODE)
    with pytest.raises(InputError, match="is not a name"), script.phase("twice"):
        assign_first(script, CODE)
    assign_first(script, PLAIN)
    assert "float y = 1.0f;\n" in emitted(script, tmp_path)


def test_a_script_starts_with_a_program_of_the_language() -> None:
    with pytest.raises(InputError, match="is not a name"):
        og.Script(starting_with(zero(), CODE), verifier=Verifier())
    assert og.Script(starting_with(zero(), PLAIN), verifier=Verifier()).result.verified


ADMITTED = CALLING.replace("BODY", "__admitted();\n  for (int i = 0; i < n; i++) a[i] = 0.0f;")


def test_what_is_admitted_stays_as_it_was() -> None:
    """Somebody has looked at the function and admitted it as it was then."""
    script = og.Script(parse_text(ADMITTED), verifier=Verifier())
    with pytest.raises(InputError, match="`helper` is assumed to be right as it was"):
        script.instr.replace(og.In("helper") / og.Write("a"), "a[i] = 1.0f;")
    script.instr.insert("const int m = n;", before=og.Call("helper"))
    assert script.result.admitted == ["helper"]


RUN = """import optigpu as og
from optigpu.frontend import parse_text
s = og.Script(parse_text({text!r}))
s.opened = s.phase("twice")
s.opened.__enter__()
s.instr.replace(og.Write("a"), {statement!r})
"""
CLOSED = "s.opened.__exit__(None, None, None)\n"
CHANGED = f"{CLOSED}s.program = parse_text({ZERO!r})\n"


@pytest.mark.parametrize(
    ("statement", "end", "code"),
    [("a[i] = 1.0f;", "", 2), ("a[i] = 0.0f + 0.0f;", "", 2), ("a[i] = 0.0f + 0.0f;", CHANGED, 2),
     ("a[i] = 1.0f;", CLOSED, 1), ("a[i] = 0.0f + 0.0f;", CLOSED, 0)],
)  # fmt: skip
def test_a_script_that_ends_unchecked_is_not_verified(
    statement: str, end: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.py").write_text(RUN.format(text=ZERO, statement=statement) + end)
    assert main(["run", "--no-trace", str(tmp_path / "s.py")]) == code
    assert ("VERIFIED 2 steps" in capsys.readouterr().out) == (code == 0)


ABSOLUTE = """#include <optigpu.h>
void absolute(int n, float a[n]) {
  __requires("A: int -> float");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> abs(A(i)))");
  for (int i = 0; i < n; i++) a[i] = abs(a[i]);
}
"""


def test_what_is_emitted_can_be_audited_with_what_headers_say(tmp_path: Path) -> None:
    """Without <optigpu.h>, `abs` is one of integers."""
    path = og.Script(parse_text(ABSOLUTE), verifier=Verifier()).emit(tmp_path / "f.c")
    certificate = ["--certificate", str(tmp_path / "f.cert.json")]
    assert main(["audit", str(path), *certificate]) == 0
    path.write_text(path.read_text(encoding="utf-8").replace("fabsf(a[i])", "a[i]"), encoding="utf-8")
    assert main(["audit", str(path), *certificate]) == 1


def test_a_pragma_has_no_clauses_that_the_checker_does_not_know() -> None:
    """With `collapse(2)` the inner loop, which is checked as sequential, would be parallel too."""
    text = "void f(int n) {\n#pragma omp parallel for schedule(static,4)MORE\nfor (int i = 0; i < n; i++) {}\n}\n"
    parse_text(text.replace("MORE", ""))
    for more in ("collapse(2)", ",collapse(2)", "lastprivate(x)"):
        with pytest.raises(InputError, match="are not known"):
            parse_text(text.replace("MORE", more))


@pytest.mark.parametrize(
    ("text", "code"), [('__DEF(min, "fun (a: int) (b: int) -> a");', "OG101"), ('__AXIOM(wrong, "0 == 1");', "OG606")]
)
def test_a_script_does_not_change_what_contracts_mean(text: str, code: str) -> None:
    program = '#include <optigpu.h>\nint f(int a, int b) {\n  __ensures("_Res == min(a, b)");\n  return min(a, b);\n}\n'
    s = og.Script(parse_text(program))
    s.function.insert('int g(int x) { __ensures("_Res == x"); return x; }')
    with pytest.raises(InputError) as e:
        s.function.insert(text)
    assert e.value.diagnostic.code == code
