"""Programs that were not parsed hold what the parser would have put there.

Code is printed from names, operators and numbers as they are: a name that is no name would be other code than what was checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from functools import cache
from typing import Any

from optigpu.syntax import exprs, program, types
from optigpu.syntax.builtins import BUILTIN_NAMES, FORMULA_NAMES, index_helper, matrix_predicate
from optigpu.syntax.errors import input_error
from optigpu.syntax.operators import BINARY_PRECEDENCE, COMPOUND_ASSIGNMENTS, REAL_SPELLINGS
from optigpu.syntax.program import FUNCTION_CLAUSES, LOOP_CLAUSES, Program
from optigpu.syntax.source import NOWHERE, Loc

NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
COUNT = r"[1-9]\d{0,8}"  # of threads, or of the iterations that a thread takes at a time: with 0 a loop would not end
HINT = re.compile(
    rf"simd|schedule\((auto|runtime|(static|dynamic|guided)(,{COUNT})?)\)|num_threads\({COUNT}\)|unroll( \w+)?",
    re.ASCII,
)
SCALARS = frozenset({*types.MACHINE_SCALARS, types.LOGIC_INT, types.LOGIC_REAL, types.PROP})
SORTS = frozenset({types.VOID, types.HPROP, types.RANGE, types.MEMTYPE, types.TYPE})
NODES = frozenset(
    c for module in (exprs, program, types) for c in vars(module).values() if isinstance(c, type) and hasattr(c, "__match_args__")
)  # fmt: skip


def is_name(x: object) -> bool:
    return isinstance(x, str) and NAME.fullmatch(x) is not None


def one_of(*known: str | None) -> Callable[[object], bool]:
    return frozenset(known).__contains__


def literal(n: exprs.Int) -> bool:
    t = n.literal_type or types.INT64
    return type(n.value) is int and t.low <= n.value <= t.high


# What the text of a node is made of: (class, field) -> what is possible there. Names are the rule.
POSSIBLE: dict[tuple[type, str], Callable[[Any], bool]] = {
    (exprs.Bool, "value"): lambda x: type(x) is bool,
    (exprs.Real, "value"): lambda x: type(x) is Fraction,
    (exprs.Unary, "op"): one_of("-", "!", "~"),
    (exprs.Binary, "op"): one_of(*BINARY_PRECEDENCE, *REAL_SPELLINGS),
    (exprs.BigOp, "op"): one_of(*exprs.BIG_OPERATORS),
    (exprs.PointsTo, "arrow"): one_of("~>", "~~>"),
    (program.Clause, "kind"): one_of(*FUNCTION_CLAUSES, *LOOP_CLAUSES),
    (program.Store, "op"): one_of(None, *COMPOUND_ASSIGNMENTS),
    (program.LoopRange, "relation"): one_of("<", "<=", ">", ">="),
    (program.LoopRange, "op"): one_of("+", "-", "*", "/", "<<", ">>"),
    (program.For, "hints"): lambda hints: all(isinstance(h, str) and HINT.fullmatch(h) for h in hints),
    (program.Include, "path"): lambda x: isinstance(x, str),
    (program.Program, "file"): lambda x: isinstance(x, str),
}


# Where a name gets a meaning. Functions, macros and logical definitions are looked at where they are declared.
DECLARED = frozenset({
    (program.Param, "name"), (program.Decl, "name"), (program.For, "index"), (program.Item, "name"),
    (exprs.Binder, "name"), (exprs.RangeBinder, "name"), (exprs.Group, "index"),
})  # fmt: skip


LOGICAL = frozenset({program.Item, exprs.Binder})  # which can be functions


def formula_word(name: object, kind: type) -> bool:
    """A name that formulas read as what they know by it, whatever else has that name: `p ~~> Cell`, `min(a, b)`."""
    return isinstance(name, str) and (
        name in FORMULA_NAMES
        or matrix_predicate(name) is not None
        or index_helper(name) is not None
        or (kind in LOGICAL and name in BUILTIN_NAMES)
    )


@cache
def parts(node: type) -> tuple[str, ...]:
    """The fields that make a node what it is."""
    return tuple(f.name for f in fields(node) if f.compare)


def reject_malformed(checked: Program) -> None:
    """Raise OG605 for the first thing that no program can hold."""
    stack: list[tuple[object, Loc]] = [(checked, NOWHERE)]
    while stack:
        node, loc = stack.pop()
        loc = getattr(node, "loc", loc)
        if type(node) is tuple:
            stack.extend((x, loc) for x in node)
        elif isinstance(node, str):
            if not is_name(node):
                raise input_error("OG605", f"`{node}` is not a name", loc)
        elif type(node) in NODES:
            if isinstance(node, exprs.Int) and not literal(node):
                raise input_error("OG605", f"`{node.value!r}` is not an integer of the language", loc)
            if not known_type(node):
                raise input_error("OG605", f"`{node}` is not a type of the language", loc)
            stack.extend((x, loc) for x in inside(node, loc))
        elif not (node is None or isinstance(node, bool | Enum)):
            raise input_error("OG605", f"a {type(node).__name__} has no place in a program", loc)


def known_type(node: object) -> bool:
    return (not isinstance(node, types.Scalar) or node in SCALARS) and (
        not isinstance(node, types.Sort) or node in SORTS
    )


def inside(node: object, loc: Loc) -> list[object]:
    """What has still to be looked at."""
    if isinstance(node, types.Scalar | types.Sort | exprs.Int):
        return []
    out: list[object] = []
    kind: Any = type(node)
    for name in parts(kind):
        value, possible = getattr(node, name), POSSIBLE.get((kind, name))
        if (kind, name) in DECLARED and formula_word(value, kind):
            raise input_error("OG101", f"`{value}` is built in: choose another name", loc)
        if possible is None:
            out.append(value)
        elif not possible(value):
            raise input_error("OG605", f"`{value}` cannot be the {name} of a {kind.__name__}", loc)
    return out
