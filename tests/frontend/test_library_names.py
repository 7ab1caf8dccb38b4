"""Names of the public library that mean nothing here: the message says what to write instead."""

from __future__ import annotations

import pytest

from optigpu.frontend import parse_text
from optigpu.frontend.library_names import INSTEAD
from optigpu.frontend.program_loading import ghost_library
from optigpu.syntax.annotations import ALLOCATIONS, ANNOTATIONS
from optigpu.syntax.builtins import BUILTIN_NAMES, FORMULA_NAMES
from optigpu.syntax.diagnostic import InputError


def message(statement: str) -> InputError:
    with pytest.raises(InputError) as raised:
        parse_text(f"#include <optigpu.h>\nvoid f(int n, float a[n]) {{\n  {statement}\n}}\n")
    return raised.value


@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_a_foreign_name_gets_a_message_that_says_what_to_write(name: str) -> None:
    calls = [f"{name}(n);", f"{name};", f"float x = {name}(n);"]
    uses = calls if name.startswith("__") else [*calls, f"__ghost({name});", f'__requires("{name}(n) >= 0");']
    for use in uses:
        error = message(use)
        diagnostic = error.diagnostic
        assert diagnostic.help == INSTEAD[name], use
        assert diagnostic.code in ("OG100", "OG115") and diagnostic.loc.line == 3, use


def test_no_name_of_the_language_is_foreign() -> None:
    known = {*ANNOTATIONS, *ALLOCATIONS, *BUILTIN_NAMES, *FORMULA_NAMES, *ghost_library()}
    assert not known & INSTEAD.keys()


def test_a_name_that_the_program_declares_is_not_foreign() -> None:
    parse_text('__DECL(reduce_sum, "int -> float");\n__GHOST(assume) { __requires("n: int, n >= 0"); }\n'
               'void hide(int n) {\n  __requires("n >= 0, reduce_sum(n) >= 0");\n  __ghost(assume, "n := n");\n}\n')  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("__reverts(group_focus);", "OG013"),
        ('__with("x := 1");', "OG115"),
        ('kernel_setup_end(); __with("grid_sz := 1");', "OG115"),
        ('float* const p = MALLOC1(float, n); __with("T := int"); free(p);', "OG115"),
        ('__ghost(group_focus, "i := 0, items := fun i -> &a[i] ~> Cell");', "OG115"),
        ('__ghost(ro_matrix1_focus, "n, 0");', "OG106"),
        ('__ghost(swap_groups, "outer_range := 3");', "OG102"),
        ('__ghost(rewrite_linear, "inside := 3");', "OG102"),
        ('__ghost(close_wand, "H1 := n >= 0");', "OG109"),
        ('__ghost(assert_prop, "P := a ~> Cells1(n)");', "OG109"),
    ],
)
def test_wrong_uses_of_these_forms_are_errors_of_the_input(statement: str, code: str) -> None:
    assert message(statement).diagnostic.code == code
