"""Constructs of Python that have no meaning in programs, with what to write instead."""

from __future__ import annotations

import ast

from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.source import Loc

# Statements and expressions: what is refused -> (what it is, what to write).
REFUSED: dict[type[ast.AST], tuple[str, str | None]] = {
    ast.While: ("a `while` loop", "for i in og.range(n):"),
    ast.Break: ("`break`: a loop takes all its iterations", "if …: around what the later iterations must not do"),
    ast.Global: ("`global`: a program changes its arrays alone", None),
    ast.Nonlocal: ("`nonlocal`: a program changes its arrays alone", None),
    ast.FunctionDef: ("a function inside a function", "define it beside this one, with @og.program"),
    ast.AsyncFunctionDef: ("a function inside a function", "define it beside this one, with @og.program"),
    ast.ClassDef: ("a class", None),
    ast.Lambda: ("a `lambda`", "define a function with @og.program"),
    ast.Delete: ("`del`: an array of a program is freed at the end of its block", "leave it out"),
    ast.With: ("`with`", None),
    ast.Try: ("`try`: programs raise no exceptions", None),
    ast.Raise: ("`raise`: programs raise no exceptions", None),
    ast.Assert: ("`assert`: programs raise no exceptions", 'og.assertion("…") is proved'),
    ast.Import: ("an `import` inside a program", "import at the top of the file"),
    ast.ImportFrom: ("an `import` inside a program", "import at the top of the file"),
    ast.Match: ("`match`", "if … elif … else"),
    ast.Await: ("`await`", None),
    ast.Yield: ("`yield`", None),
    ast.YieldFrom: ("`yield`", None),
    ast.AsyncFor: ("an asynchronous loop", "for i in og.range(n):"),
    ast.AsyncWith: ("`with`", None),
    ast.Slice: ("a slice", "a loop over the indices"),
    ast.List: ("a list", 't = og.empty(og.f32[n])'),
    ast.Tuple: ("a tuple", "one value after the other"),
    ast.Dict: ("a dictionary", None),
    ast.Set: ("a set", None),
    ast.ListComp: ("a comprehension", "a loop that stores into an array"),
    ast.SetComp: ("a comprehension", None),
    ast.DictComp: ("a comprehension", None),
    ast.GeneratorExp: ("a generator", "a loop"),
    ast.NamedExpr: ("an assignment inside an expression", "assign in a statement before"),
    ast.JoinedStr: ("an f-string: what a contract says must not depend on a run", "write the text as it is"),
    ast.Starred: ("`*` before an argument", "give the arguments one by one"),
}  # fmt: skip


def refused(node: ast.AST, loc: Loc) -> InputError:
    """The error for a node that no rule of the translation reads."""
    what, fix = REFUSED.get(type(node), (f"`{ast.unparse(node)}`", None))
    return input_error("OG016", f"{what} has no meaning in a program", loc, help=fix)
