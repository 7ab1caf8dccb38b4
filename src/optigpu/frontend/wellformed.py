"""Programs that were not parsed hold what the parser would have put there.

Code is printed from names, operators and numbers as they are: a name that is no name would be other code than what was checked. So
every part of a node is exactly of the class that it is declared with, and says what a text can say.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from optigpu.syntax import exprs, program, types
from optigpu.syntax.builtins import BUILTIN_NAMES, FORMULA_NAMES, index_helper, matrix_predicate
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.float_literals import lost, nearest
from optigpu.syntax.operators import BINARY_PRECEDENCE, COMPOUND_ASSIGNMENTS, REAL_SPELLINGS
from optigpu.syntax.program import FUNCTION_CLAUSES, HINTS, LOOP_CLAUSES
from optigpu.syntax.source import NOWHERE, Loc

MAX_DEPTH = 200  # of nested expressions and statements; far beyond what people write, far within Python's stack
MAX_PROGRAM_NODES = 300_000  # of a program: a tree that has one part in many places is as large as its text would be
COUNT = r"[1-9]\d{0,8}"  # of threads, or of the iterations that a thread takes at a time: with 0 a loop would not end
HINT = re.compile(
    rf"simd|schedule\((auto|runtime|(static|dynamic|guided)(,{COUNT})?)\)|num_threads\({COUNT}\)|unroll( \w+)?",
    re.ASCII,
)
PATH = re.compile(r'[^"<>\n]+')
Predicate: TypeAlias = Callable[[Any], bool]  # on the value of a field, of whatever type it is
SCALARS = frozenset({*types.MACHINE_SCALARS, types.LOGIC_INT, types.LOGIC_REAL, types.PROP})
LOGIC_TYPES = frozenset({types.VOID, types.HPROP, types.RANGE, types.MEMTYPE, types.TYPE})
NODES = frozenset(
    c for module in (exprs, program, types) for c in vars(module).values() if isinstance(c, type) and hasattr(c, "__match_args__")
)  # fmt: skip
NESTING = frozenset({*get_args(exprs.Expr), *get_args(program.Stmt), exprs.FunType})


@cache
def _name() -> re.Pattern[str]:
    """What the grammar reads as a name: no word of C."""
    grammar = files("optigpu.frontend").joinpath("c.lark").read_text(encoding="utf-8")
    found = re.search(r"^NAME: /(.+)/$", grammar, re.MULTILINE)
    assert found is not None
    return re.compile(found[1], re.ASCII)


def is_name(x: str) -> bool:
    return _name().fullmatch(x) is not None


def one_of(*known: object) -> Predicate:
    return lambda x: x in known


def of_machines(t: exprs.Type) -> bool:
    """What a parameter can be declared as: where its memory is, the contract says."""
    if isinstance(t, exprs.Array):
        return t.space is types.Space.ANY and not t.distributed
    return isinstance(t, types.Pointer) or t in types.MACHINE_SCALARS


def of_locals(t: exprs.Type) -> bool:
    """A local array may be `__shared__`."""
    match t:
        case exprs.Array(dims=(None, *_), space=types.Space.SMEM):
            return False  # a pointer
        case exprs.Array(space=types.Space.SMEM):
            return not t.distributed
        case _:
            return of_machines(t)


def possible_hints(hints: tuple[str, ...]) -> bool:
    """Of each kind one at most: compilers refuse two, or take either."""
    known = all(HINT.fullmatch(h) for h in hints)
    return known and all(sum(h.startswith(stem) for h in hints) <= 1 for stem in HINTS)


def of_kinds(kinds: tuple[str, ...]) -> Predicate:
    return lambda contract: all(c.kind in kinds for c in contract)


def is_decimal(x: Fraction) -> bool:
    """Has it a text? Only then is what is printed the number that was checked."""
    rest = x.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


element = one_of(*types.MACHINE_SCALARS)

# What the text of a node is made of: (class, field) -> what is possible there. Names are the rule.
POSSIBLE: dict[tuple[type, str], Predicate] = {
    (exprs.Real, "value"): is_decimal,
    (exprs.Real, "literal_type"): one_of(types.FLOAT, types.DOUBLE),
    (exprs.Int, "literal_type"): one_of(None, types.UINT, types.INT64, types.UINT64),
    (exprs.Unary, "op"): one_of("-", "!", "~"),
    (exprs.Binary, "op"): one_of(*BINARY_PRECEDENCE, *REAL_SPELLINGS),
    (exprs.BigOp, "op"): one_of(*exprs.BIG_OPERATORS),
    (exprs.PointsTo, "arrow"): one_of("~>", "~~>"),
    (exprs.SizeOf, "of"): element,
    (exprs.Alloc, "elem"): element,
    (exprs.Array, "elem"): element,
    (exprs.Array, "dims"): lambda dims: len(dims) > 0 and None not in dims[1:],
    (types.Pointer, "elem"): element,
    (types.Scalar, "name"): one_of(*(t.name for t in SCALARS)),
    (types.LogicType, "name"): one_of(*(t.name for t in LOGIC_TYPES)),
    (program.Clause, "kind"): one_of(*FUNCTION_CLAUSES, *LOOP_CLAUSES),
    (program.Function, "contract"): of_kinds(FUNCTION_CLAUSES),
    (program.Function, "result"): lambda t: t == types.VOID or t in types.MACHINE_SCALARS,
    (program.Param, "type"): of_machines,
    (program.Decl, "type"): of_locals,
    (program.Store, "op"): one_of(None, *COMPOUND_ASSIGNMENTS),
    (program.LoopRange, "relation"): one_of("<", "<=", ">", ">="),
    (program.LoopRange, "op"): one_of("+", "-", "*", "/", "<<", ">>"),
    (program.For, "contract"): of_kinds(LOOP_CLAUSES),
    (program.For, "hints"): possible_hints,
    (program.For, "index_type"): one_of(*(t for t in types.MACHINE_SCALARS if exprs.is_int(t))),
    (program.Include, "path"): lambda path: PATH.fullmatch(path) is not None,
    (program.Program, "file"): lambda file: True,
}


# Where a name gets a meaning. Functions, macros and logical definitions are looked at where they are declared.
DECLARED = frozenset({
    (program.Param, "name"), (program.Decl, "name"), (program.For, "index"), (program.Item, "name"),
    (exprs.Binder, "name"), (exprs.RangeBinder, "name"), (exprs.Group, "index"),
})  # fmt: skip


FUNCTION_BINDERS = frozenset({program.Item, exprs.Binder})  # which can be functions


def formula_word(name: object, kind: type) -> bool:
    """A name that formulas read as what they know by it, whatever else has that name: `p ~~> Cell`, `min(a, b)`."""
    return isinstance(name, str) and (
        name in FORMULA_NAMES
        or matrix_predicate(name) is not None
        or index_helper(name) is not None
        or (kind in FUNCTION_BINDERS and name in BUILTIN_NAMES)
    )


def holds(hint: Any) -> Predicate:
    """Is a value exactly of a declared type? What inherits from it may be printed as something else."""
    inner = get_args(hint)
    if get_origin(hint) is not tuple:
        classes = frozenset(inner or (hint,))
        return lambda x: type(x) in classes
    parts = [holds(h) for h in inner if h is not Ellipsis]
    if Ellipsis in inner:
        return lambda x: type(x) is tuple and all(map(parts[0], x))
    return lambda x: type(x) is tuple and len(x) == len(parts) and all(p(y) for p, y in zip(parts, x))


@cache
def declared(node: type) -> tuple[tuple[str, bool, Predicate], ...]:
    """The fields of a node: name, whether it makes the node what it is, and the values of its type."""
    hints = get_type_hints(node, localns={"Expr": exprs.Expr})
    return tuple((f.name, f.compare, holds(hints[f.name])) for f in fields(node))


def reject_malformed(*trees: object) -> None:
    """Raise OG605 for the first thing that no program can hold, OG015 for more than later passes can follow."""
    stack: list[tuple[object, int, Loc]] = [(tree, 0, NOWHERE) for tree in trees]
    count = 0
    while stack:
        node, depth, loc = stack.pop()
        if type(node) not in NODES:
            raise input_error("OG605", f"a {type(node).__name__} has no place in a program", loc)
        parts = list(inside(node, loc))
        loc = getattr(node, "loc", loc)
        count, depth = count + 1, depth + (type(node) in NESTING)
        if depth > MAX_DEPTH:
            message = f"this is nested more than {MAX_DEPTH} levels deep"
            raise input_error("OG015", message, loc, help="name a part of it")
        if count > MAX_PROGRAM_NODES:
            raise input_error("OG015", f"a program has at most {MAX_PROGRAM_NODES} parts", loc)
        stack.extend((x, depth, loc) for x in parts)


def inside(node: Any, around: Loc) -> Iterator[object]:
    """The nodes that a node is made of, if it holds what it can."""
    kind: Any = type(node)
    for name, essential, fits in declared(kind):
        value, possible = getattr(node, name), POSSIBLE.get((kind, name))
        if not fits(value) or not (possible is None or possible(value)):
            raise input_error("OG605", f"{said(value)} cannot be the {name} of a {kind.__name__}", around)
        if not essential:
            continue
        if (kind, name) in DECLARED and formula_word(value, kind):
            raise input_error("OG101", f"`{value}` is built in: choose another name", getattr(node, "loc", around))
        for x in flat(value):
            if type(x) in NODES:
                yield x
            elif type(x) is str and possible is None and not is_name(x):
                raise input_error("OG605", f"`{x}` is not a name", around)
    if not known(node):
        raise input_error("OG605", f"this {kind.__name__} is not of the language", around)


def said(value: object) -> str:
    """In a message. The text of a tree may be too long for any."""
    plain = value is None or isinstance(value, str | Enum)
    return f"`{value!s:.60}`" if plain else f"a {type(value).__name__}"


def flat(value: object) -> Iterator[object]:
    if type(value) is not tuple:
        yield value
    else:
        for x in value:
            yield from flat(x)


def known(node: object) -> bool:
    match node:
        case types.Scalar():
            return node in SCALARS
        case program.Include(_, True, items):
            return not items
        case program.Item(None, exprs.TypeOf()):
            return False
        case exprs.Int(value, literal_type):  # a text has no negative numbers, but their signs
            t = literal_type or types.INT64
            return max(t.low, -t.high) <= value <= t.high
        case exprs.Real(number, literal_type):
            return not lost(number, literal_type) and nearest(number, literal_type) == number
        case _:
            return True
