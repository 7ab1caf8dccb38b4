"""Transformations on programs whose loop contracts, ghosts and assertions are written out: they are rewritten, completed from the
proof, or removed where they no longer hold; a program that is wrong is rejected all the same."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import optigpu as og
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_file, parse_text
from optigpu.report.scripts import render_step
from optigpu.script.editing import edit_function
from optigpu.search.contract_annotations import annotated
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.printer import ProgramPrinter, print_function, print_program
from optigpu.syntax.program import Body, Function, Program, Stmt
from optigpu.syntax.program import For as Loop
from optigpu.syntax.walk import map_bodies, statements
from optigpu.transform.cards import Card, cards
from optigpu.transform.tools.c_text import clauses_from, statements_from
from tests.conftest import ROOT
from tests.support.card_context import CONTEXT, AcceptingVerifier

SCRIPTS = [
    *sorted((ROOT / "examples" / "scripts").glob("*.py")),
    *sorted((ROOT / "examples" / "gpu" / "scripts").glob("*.py")),
]
FAST = {  # the others run in `make fuzz`: their proofs take long, with and without annotations
    "scripts-blur", "scripts-matmul", "scripts-reduce", "scripts-softmax_rows",
    "gpu-transpose", "gpu-vector_add", "gpu-vector_add_fast",
}  # fmt: skip
NAMES = {n: getattr(og, n) for n in ("For", "Write", "Read", "Decl", "Call", "If")}


def written_out(program: Program) -> Program:
    """The program with the loop contracts that `optigpu check --show-proof` prints."""
    result = Verifier().verify(program)
    assert result.verified
    loops = {x: loop for f in result.functions for x, loop in f.loops.items()}
    return parse_text(print_program(annotated(program, loops)), program.file)


def script_id(path: Path) -> str:
    return f"{'gpu' if 'gpu' in path.parts else 'scripts'}-{path.stem}"


def loops_of(program: Program) -> Iterator[Loop]:
    return (s for f in program.functions() for s in statements(f.body) if isinstance(s, Loop))


def loops_without_their_contract(s: og.Script) -> list[str]:
    """Loops that were made from loops with contracts, and have none."""
    first, last = (list(loops_of(p)) for p in (s.steps[0].after, s.program))
    written = {x.id for x in first if x.contract}
    assert written
    return [x.index for x in last if not x.contract and (x.id in written or x.id.parent in written)]


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, id=script_id(p), marks=[] if script_id(p) in FAST else [pytest.mark.slow]) for p in SCRIPTS],
)
def test_script_runs_on_the_program_with_its_contracts_written_out(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = og.Script

    def script(source: str, **settings: str) -> og.Script:
        return plain(written_out(parse_file(path.parent / source)), **settings)  # type: ignore[arg-type]

    monkeypatch.setattr(og, "Script", script)
    s = runpy.run_path(str(path))["s"]
    assert s.result.verified and not s.result.assumptions
    if path.parent.parent.name != "gpu":
        assert loops_without_their_contract(s) == []


def with_assertions(program: Program) -> Program:
    """The program with an assertion at the start of each loop of `f`."""
    (assertion,) = statements_from('__ASSERT("n >= 1");')

    def body(b: Body) -> Body:
        return tuple(asserting(map_bodies(s, body)) for s in b)

    def asserting(s: Stmt) -> Stmt:
        return replace(s, body=(assertion, *s.body)) if isinstance(s, Loop) else s

    return edit_function(program, "f", lambda f: replace(f, body=body(f.body)))


def code(f: Function) -> list[str]:
    """The statements of a function that are executed, as text without annotations."""
    lines = (line.strip() for line in print_function(f).splitlines())
    return [line for line in lines if not line.startswith("__") or line.startswith("__shared__")]


@pytest.mark.parametrize("card", cards(), ids=lambda c: c.name)
def test_card_does_the_same_on_the_program_with_contracts_and_assertions(card: Card) -> None:
    part = card.name.startswith("gpu.") and card.name != "gpu.launch"  # of a kernel: shown without the rest
    program = parse_text(CONTEXT.format(body=card.before))
    program = with_assertions(program if part else written_out(program))
    s = og.Script(program, function="f", verifier=AcceptingVerifier() if part else None)
    eval(card.step, {"s": s, **NAMES})
    assert code(s.program.function("f")) == code(parse_text(CONTEXT.format(body=card.after)).function("f"))
    assert part or s.result.verified


# Fission keeps contracts ----------------------------------------------------------------------------------------------------------

TWO_STEPS = """#include <optigpu.h>
void f(int n, float a[n], float b[n]) {{
  __requires("A: int -> float, n >= 1");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> 2 * A(i) + 1)");
  __writes("b ~> Matrix1(n, fun i -> {b})");
  float s = 0.0f;
  for (int i = 0; i < n; i++) {{
    __xconsumes("&a[i] ~~> A(i)");
    __xproduces("&a[i] ~~> 2 * A(i) + 1");
    __spreserves("&s ~~> Sum(k in 0..i, 2 * A(k))");
    __invariant("i >= 0");
    a[i] = 2.0f * a[i];
    s += a[i];
    {second}
    a[i] += 1.0f;
  }}
}}
"""


def two_steps(second: str = "b[i] = a[i];", b: str = "2 * A(i)") -> og.Script:
    return og.Script(parse_text(TWO_STEPS.format(second=second, b=b), "f.c"))


def loops(s: og.Script) -> list[Loop]:
    return list(loops_of(s.program))


def clauses(loop: Loop) -> set[str]:
    printer = ProgramPrinter()
    printer.clauses(loop.contract)
    return {line.strip() for line in printer.out.text().splitlines()}


def test_fission_divides_the_contract_at_the_state_between_the_loops() -> None:
    s = two_steps()
    s.loop.fission(before=og.Write("b"))
    first, second = loops(s)
    assert clauses(first) == {
        '__xconsumes("&a[i] ~~> A(i)");',
        '__xproduces("&a[i] ~~> 2 * A(i)");',
        '__spreserves("&s ~~> Sum(k in 0..i, 2 * A(k))");',
        '__invariant("i >= 0");',
    }
    assert clauses(second) == {
        '__xconsumes("&a[i] ~~> 2 * A(i)");',
        '__xconsumes("&b[i] ~> UninitCell");',
        '__xproduces("&b[i] ~~> 2 * A(i)");',
        '__xproduces("&a[i] ~~> 2 * A(i) + 1");',
        '__invariant("i >= 0");',
    }
    assert s.steps[-1].removed == ()


def test_fission_divides_clauses_of_several_permissions() -> None:
    text = """#include <optigpu.h>
void f(int n, float a[n], float b[n]) {
  __requires("A: int -> float, B: int -> float");
  __consumes("a ~> Matrix1(n, A), b ~> Matrix1(n, B)");
  __produces("a ~> Matrix1(n, fun i -> A(i) + 1), b ~> Matrix1(n, fun i -> B(i) + 1)");
  for (int i = 0; i < n; i++) {
    __xconsumes("&a[i] ~~> A(i), &b[i] ~~> B(i)");
    __xproduces("&a[i] ~~> A(i) + 1, &b[i] ~~> B(i) + 1");
    a[i] += 1.0f;
    b[i] += 1.0f;
  }
}
"""
    s = og.Script(parse_text(text, "f.c"))
    s.loop.fission(before=og.Write("b"))
    first, second = loops(s)
    assert clauses(first) == {'__xconsumes("&a[i] ~~> A(i)");', '__xproduces("&a[i] ~~> A(i) + 1");'}
    assert clauses(second) == {'__xconsumes("&b[i] ~~> B(i)");', '__xproduces("&b[i] ~~> B(i) + 1");'}


def test_fission_that_changes_the_result_is_rejected_with_a_contract() -> None:
    s = two_steps("b[i] = s;", "Sum(k in 0..i + 1, 2 * A(k))")
    before = s.program
    with pytest.raises(og.StepError) as caught:
        s.loop.fission(before=og.Write("b"))
    assert caught.value.failed is not None and caught.value.failed.problem is not None
    assert s.program is before


def test_wrong_contract_of_a_divided_loop_is_rejected() -> None:
    s = two_steps()
    s.loop.fission(before=og.Write("b"))
    with pytest.raises(og.StepError) as caught:
        s.ghost.contract(og.For("i").first, '__xproduces("&a[i] ~~> 3 * A(i)");')
    assert caught.value.failed is not None and caught.value.failed.problem is not None
    assert caught.value.failed.problem.code == "OG322"  # of the clause by itself


# Annotations follow the code ------------------------------------------------------------------------------------------------------

SUM = """#include <optigpu.h>
void f(int n, float a[1], float b[n]) {{
  __requires("B: int -> float, n >= 1, n % 8 == 0");
  __reads("b ~> Matrix1(n, B)");
  __writes("&a[0] ~~> {result}");
{body}
}}
"""
SHIFTED = """
  float s = b[0];
  for (int i = 0; i < n; i++) {
    __spreserves("&s ~~> B(0) + Sum(k in 0..i, B(k))");
    s += b[i];
    __ghost(eq_refl_float, "Sum(k in 0..i, B(k))");
  }
  a[0] = s;
"""


def summed(body: str, result: str = "B(0) + Sum(k in 0..n, B(k))") -> og.Script:
    return og.Script(parse_text(SUM.format(body=body, result=result), "f.c"))


def test_shift_of_a_variable_rewrites_its_invariant() -> None:
    s = summed(SHIFTED)
    s.accesses.shift_var("s", factor="b[0]", inv=True)
    assert clauses(loops(s)[0]) == {'__spreserves("&s ~~> Sum(k in 0..i, B(k))");'}
    assert "a[0] = s + b[0];" in s.text() and "__ghost(eq_refl_float" in s.text()


def test_scale_of_a_variable_rewrites_its_invariant() -> None:
    s = summed(SHIFTED)
    s.accesses.scale_var("s", factor="4.0f")
    assert clauses(loops(s)[0]) == {'__spreserves("&s ~~> (B(0) + Sum(k in 0..i, B(k))) * 4.0f");'}


def test_shift_of_an_array_rewrites_its_permissions() -> None:
    body = """
  float t[8];
  for (int i = 0; i < 8; i++) {
    __xwrites("&t[i] ~~> B(i)");
    t[i] = b[i];
  }
  float s = 0.0f;
  for (int i = 0; i < 8; i++) {
    __sreads("t ~> Matrix1(8, B)");
    __spreserves("&s ~~> Sum(k in 0..i, B(k))");
    s += t[i];
  }
  a[0] = s;
"""
    s = summed(body, "Sum(k in 0..8, B(k))")
    s.accesses.shift_var("t", factor="b[0]")
    assert '__xwrites("&t[i] ~~> B(i) + B(0)");' in clauses(loops(s)[0])
    assert '__sreads("t ~> Matrix1(8, fun c0 -> B(c0) + B(0))");' in clauses(loops(s)[1])


def test_shift_by_what_no_formula_says_leaves_the_contract_to_the_proof() -> None:
    body = """
  float c[1];
  c[0] = b[0];
  for (int j = 0; j < n; j++) { c[0] = b[j] > 0.0f ? b[j] : c[0]; }
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    __spreserves("&s ~~> Sum(k in 0..i, B(k))");
    s += b[i];
  }
  a[0] = s;
"""
    s = summed(body, "Sum(k in 0..n, B(k))")
    s.accesses.shift_var("s", factor="c[0]")
    assert s.result.verified


def test_shift_by_what_changes_is_rejected_with_a_contract() -> None:
    s = summed(SHIFTED.replace("float s", "float c = 1.0f;\n  float s").replace("a[0] = s;", "c = 2.0f;\n  a[0] = s;"))
    with pytest.raises(og.StepError):
        s.accesses.shift_var("s", factor="c")


def test_inlined_variable_is_inlined_in_annotations() -> None:
    """Section 2.2.2 of the thesis: in `const int x = 5; y = x;`, a permission that says that y holds x must say 5."""
    body = """
  float y = 0.0f;
  const float x = {value};
  for (int i = 0; i < n; i++) {{
    __spreserves("&y ~~> x * i");
    y += x;
    __ASSERT("x * i + x =. x * (i + 1)");
  }}
  a[0] = y;
"""
    s = summed(body.format(value="5.0f"), "5 * n")
    s.variable.inline("x")
    assert '__spreserves("&y ~~> 5.0f * i");' in clauses(loops(s)[0])
    s = summed(body.format(value="b[0]"), "B(0) * n")
    s.variable.inline("x")  # formulas name no array elements: the permission says the element's value
    assert '__spreserves("&y ~~> B(0) * i");' in clauses(loops(s)[0])
    assert '__ASSERT("B(0) * i + B(0) =. B(0) * (i + 1)");' in s.text()


@pytest.mark.parametrize("step", ["variable.init_detach", "loop.hoist"])
def test_variable_that_becomes_memory_is_replaced_by_its_value_in_annotations(step: str) -> None:
    body = """
  float y = 0.0f;
  for (int j = 0; j < 4; j++) {
    __spreserves("&y ~~> B(0) * (j * n)");
    const float x = b[0];
    for (int i = 0; i < n; i++) {
      __spreserves("&y ~~> x * (i + j * n)");
      y += x;
    }
  }
  a[0] = y;
"""
    s = summed(body, "4 * n * B(0)")
    group, name = step.split(".")
    getattr(getattr(s, group), name)("x")
    assert '__spreserves("&y ~~> B(0) * (i + j * n)");' in clauses(loops(s)[1])


@pytest.mark.parametrize("tail", ["divides", "guard", "min", "peel"])
def test_tiles_have_contracts(tail: str) -> None:
    body = """
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    __spreserves("&s ~~> Sum(k in 0..i, B(k))");
    __xrequires("i < n");
    s += b[i];
  }
  a[0] = s;
"""
    s = summed(body, "Sum(k in 0..n, B(k))")
    s.loop.tile("i", 8, outer="bi", tail=tail)
    assert all(len(x.contract) == 2 for x in loops(s)), s.text()
    assert s.steps[-1].removed == ()


def test_fused_loop_has_the_contracts_of_both() -> None:
    s = two_steps()
    s.loop.fission(before=og.Write("b"))
    s.loop.fusion(og.For("i").first)
    (loop,) = loops(s)
    assert {
        '__xconsumes("&a[i] ~~> A(i)");',
        '__xproduces("&a[i] ~~> 2 * A(i) + 1");',
        '__spreserves("&s ~~> Sum(k in 0..i, 2 * A(k))");',
        '__invariant("i >= 0");',
    } <= clauses(loop)


@pytest.mark.parametrize(
    "step",
    [
        lambda s: s.matrix.reorder_dims("t", [1, 0]),
        lambda s: s.matrix.merge_dims("t", 0),
        lambda s: s.matrix.pad("t", 1),
        lambda s: s.matrix.local_name_tile(
            og.For("j", body=og.Write("s")), var="t", local_var="u", tile=[(0, 2), (0, 4)]
        ),
        lambda s: s.variable.rename("t", "u"),
    ],
    ids=["reorder_dims", "merge_dims", "pad", "local_name_tile", "rename"],
)
def test_permissions_on_a_whole_array_follow_its_layout(step: Callable[[og.Script], object]) -> None:
    body = """
  float t[2][4];
  for (int i = 0; i < 2; i++) {
    __xwrites("for k in 0..4 -> &t[i][k] ~~> B(4 * i + k)");
    for (int j = 0; j < 4; j++) {
      t[i][j] = b[4 * i + j];
    }
  }
  float s = 0.0f;
  for (int j = 0; j < 4; j++) {
    __sreads("t ~> Matrix2(2, 4, fun i k -> B(4 * i + k))");
    __spreserves("&s ~~> Sum(k in 0..j, B(4 + k))");
    s += t[1][j];
  }
  a[0] = s;
"""
    s = summed(body, "Sum(k in 0..4, B(4 + k))")
    step(s)
    last = next(x for x in loops(s) if x.index == "j" and len(x.contract) == 2)
    assert any(c.kind == "sreads" for c in last.contract)
    assert s.steps[-1].removed == ()


# Annotations that no longer hold --------------------------------------------------------------------------------------------------

NEST = """#include <optigpu.h>
void f(int n, float a[n][n]) {
  __requires("A: int * int -> float");
  __consumes("a ~> Matrix2(n, n, A)");
  __produces("a ~> Matrix2(n, n, fun i j -> A(i, j) + 1)");
  for (int i = 0; i < n; i++) {
    __xconsumes("for j in 0..n -> &a[i][j] ~~> A(i, j)");
    __xproduces("for j in 0..n -> &a[i][j] ~~> A(i, j) + 1");
    __invariant("i * n >= 0");
    for (int j = 0; j < n; j++) {
      __xconsumes("&a[i][j] ~~> A(i, j)");
      __xproduces("&a[i][j] ~~> A(i, j) + 1");
      a[i][j] += 1.0f;
    }
  }
}
"""


def test_swapped_loops_get_the_contracts_of_the_proof_and_keep_facts() -> None:
    s = og.Script(parse_text(NEST, "f.c"))
    s.loop.swap("i")
    outer, inner = loops(s)
    assert '__xproduces("for c0 in 0..n -> &a[c0][j] ~~> A(c0, j) + 1");' in clauses(outer)
    assert {'__xproduces("&a[i][j] ~~> A(i, j) + 1");', '__invariant("i * n >= 0");'} <= clauses(inner)


def test_fact_that_cannot_be_stated_any_more_is_removed_and_shown() -> None:
    fact = '__invariant("i + j >= 0");'
    s = og.Script(parse_text(NEST.replace("      a[i][j] +=", f"      {fact}\n      a[i][j] +="), "f.c"))
    s.loop.swap("i")
    assert s.steps[-1].removed == (fact,)
    assert f"not kept: {fact}" in render_step(s.steps[-1])


def test_assertion_that_no_longer_holds_is_removed_and_shown() -> None:
    body = """
  float s = 0.0f;
  for (int i = 0; i < n; i++) {
    __spreserves("&s ~~> Sum(k in 0..i, B(k))");
    const float x = b[i];
    __ASSERT("x =. B(i)");
    s += b[i];
  }
  a[0] = s;
"""
    s = summed(body, "Sum(k in 0..n, B(k))")
    s.instr.replace(og.Decl("x"), "const float x = b[0];")
    assert s.steps[-1].removed == ('__ASSERT("x =. B(i)");',)
    assert len(loops(s)[0].contract) == 1 and "__ASSERT" not in s.text()
    with pytest.raises(og.StepError):
        s.ghost.insert('__ASSERT("x =. B(i)");', after=og.Decl("x"))


def test_clauses_on_other_arrays_stay_when_one_no_longer_holds() -> None:
    body = """
  float s = 0.0f;
  float u = 0.0f;
  for (int i = 0; i < n; i++) {
    __spreserves("&s ~~> Sum(k in 0..i, B(k))");
    __spreserves("&u ~~> i");
    s += b[i];
    u += 1.0f;
  }
  a[0] = s;
"""
    s = summed(body, "Sum(k in 0..n, B(k))")
    s.instr.replace(og.Write("u"), "u += 2.0f;")
    assert clauses(loops(s)[0]) == {'__spreserves("&s ~~> Sum(k in 0..i, B(k))");', '__spreserves("&u ~~> 2 * i");'}
    with pytest.raises(og.StepError):
        s.instr.replace(og.Write("s"), "s += 2.0f * b[i];")


def test_own_contract_that_is_wrong_is_not_removed_but_rejected() -> None:
    s = og.Script(parse_text(NEST, "f.c"))

    @og.transformation
    def state(script: og.Script) -> None:
        path = script.find("i")
        loop = script.at(path)
        assert isinstance(loop, Loop)
        script.put(path, replace(loop, contract=clauses_from('__invariant("i > 5");')))

    with pytest.raises(og.StepError):
        state(s)


def test_wrong_program_is_rejected_even_without_its_annotations() -> None:
    s = og.Script(parse_text(NEST, "f.c"))
    with pytest.raises(og.StepError):
        s.instr.replace(og.Write("a"), "a[i][j] += 2.0f;")
    with pytest.raises(InputError):
        s.instr.replace(og.Write("a"), "c[i][j] += 2.0f;")
    assert s.result.verified
