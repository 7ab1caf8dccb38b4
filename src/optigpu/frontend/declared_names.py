"""Names that a program declares: which of them are possible, and what a scope binds them to."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches

from optigpu.frontend.library_names import INSTEAD
from optigpu.syntax.builtins import BUILTIN_NAMES, FORMULA_NAMES, MORE_MATH, NUMERIC, index_helper, matrix_predicate
from optigpu.syntax.diagnostic import InputError, Label, input_error
from optigpu.syntax.header_macros import is_macro
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.source import Loc


def is_built_in(name: str) -> bool:
    """Whether programs or formulas know this name without a declaration."""
    listed = name in BUILTIN_NAMES | FORMULA_NAMES
    return listed or index_helper(name) is not None or matrix_predicate(name) is not None


def reject_macro(name: str, loc: Loc, refused: Callable[[str], bool] = is_macro) -> None:
    """Reject names of code that a C compiler would replace or call. Names of formulas never reach a compiler."""
    if refused(name):
        message = f"`{name}` is a macro of C's or CUDA's headers, or kept for compilers"
        raise input_error("OG101", message, loc, help="choose another name")
    if name in BUILTIN_NAMES.difference(NUMERIC, MORE_MATH):  # min, max and abs become other calls
        raise input_error("OG101", f"`{name}` is built in, and code would call it", loc, help="choose another name")


def declare(scope: Scope, name: str, binding: Binding, refused: Callable[[str], bool] = is_macro) -> None:
    """Bind a name in a scope. `refused` tells the names that code cannot declare: macros of headers and reserved names; for a
    macro of the program, which replaces one of a header, reserved names alone."""
    if binding.kind not in (NameKind.LOGIC, NameKind.FACT):
        reject_macro(name, binding.loc, refused)
    if name in scope.names:
        first = scope.names[name].loc
        raise input_error(
            "OG101", f"`{name}` is declared twice", binding.loc, labels=(Label(first, "first declared here"),)
        )
    scope.names[name] = binding


def unknown_name(
    name: str, scope: Scope, loc: Loc, extra: list[str] | None = None, help_: str | None = None
) -> InputError:
    """The error for a name without a declaration, with the visible name nearest to it. `extra`: names of built-in functions;
    `help_`: what to do where no name is near."""
    if name in INSTEAD:
        return foreign_name(name, loc)
    near = get_close_matches(name, scope.visible() + (extra or []), 1, cutoff=0.7)
    return input_error("OG100", f"`{name}` is not declared", loc, help=f"did you mean `{near[0]}`?" if near else help_)


def foreign_name(name: str, loc: Loc, code: str = "OG100") -> InputError:
    """The error for a name of the public library that means nothing here, with what to write."""
    return input_error(code, f"`{name}` is a name of OptiTrust that has no meaning here", loc, help=INSTEAD[name])
