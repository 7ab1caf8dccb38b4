"""Well-formedness of programs that other code than the parser built: they hold only what the parser could have put there.

The printers write names, operators and numbers as they are: a "name" such as `x; y` would print as other code than was checked. So
every field of a node must be exactly of its declared class, and its value must be one that a text can express.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

from optigpu.light_dataclass import dataclass
from optigpu.syntax import exprs, program, types
from optigpu.syntax.builtins import ATOMICS, BUILTIN_NAMES, FORMULA_NAMES, index_helper, matrix_predicate
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.float_literals import is_out_of_range, nearest_float
from optigpu.syntax.gpu_rules import RULES, TRANSITIONS
from optigpu.syntax.operators import BINARY_PRECEDENCE, COMPOUND_ASSIGNMENTS, REAL_SPELLINGS
from optigpu.syntax.program import COPY_HINT, FUNCTION_CLAUSES, HINTS, LOOP_CLAUSES, PIPELINE_HINT
from optigpu.syntax.source import NOWHERE, Loc
from optigpu.syntax.tensor_nests import PRECISIONS, TILE

MAX_DEPTH = 200  # of nested expressions and statements: more than people write, and well within Python's stack
MAX_PROGRAM_NODES = (
    300_000  # of a program; a shared node counts once for each place where it occurs, as in the printed text
)
COUNT = r"[1-9]\d{0,8}"  # of threads, or of iterations in a chunk: with chunks of 0 a loop would not end
HINT = re.compile(
    rf"simd|schedule\((auto|runtime|(static|dynamic|guided)(,{COUNT})?)\)|num_threads\({COUNT}\)|unroll( \w+)?|"
    rf"tensor_cores ({'|'.join((*PRECISIONS, TILE))})|{COPY_HINT}|{PIPELINE_HINT} [1-9]",
    re.ASCII,
)
PATH = re.compile(r'[^"<>\n]+')
Predicate: TypeAlias = Callable[[Any], bool]  # on the value of a field, of whatever type it is
SCALARS = frozenset({*types.MACHINE_SCALARS, types.LOGIC_INT, types.LOGIC_REAL, types.PROP})
LOGIC_TYPES = frozenset({
    types.VOID, types.HPROP, types.RANGE, types.MEMTYPE, types.TYPE, types.FRACTION, types.ELEMENT, types.POINTER,
})  # fmt: skip
NODES = frozenset(
    c for module in (exprs, program, types) for c in vars(module).values() if isinstance(c, type) and hasattr(c, "__match_args__")
)  # fmt: skip
STORED_FLOAT_NAMES = frozenset(t.name for t in types.STORED_FLOATS)
NESTING = frozenset({*get_args(exprs.Expr), *get_args(program.Stmt), exprs.FunType})


@cache
def _name() -> re.Pattern[str]:
    """The grammar's pattern of a name, which excludes the keywords of C."""
    grammar = files("optigpu.frontend").joinpath("c.lark").read_text(encoding="utf-8")
    rule = re.search(r"^NAME: /(.+)/$", grammar, re.MULTILINE)
    assert rule is not None
    return re.compile(rule[1], re.ASCII)


def is_name(x: str) -> bool:
    return _name().fullmatch(x) is not None


def one_of(*values: object) -> Predicate:
    return lambda x: x in values


def is_parameter_type(t: exprs.Type) -> bool:
    """Whether a parameter can be declared with this type. The contract states its memory space, not the type."""
    if isinstance(t, exprs.Array):
        return t.space is types.Space.ANY and not t.distributed
    return isinstance(t, types.Pointer) or t in types.MACHINE_SCALARS


def is_local_type(t: exprs.Type) -> bool:
    """Whether a local can be declared with this type: as a parameter, or as a `__shared__` array."""
    match t:
        case exprs.Array(dims=(None, *_), space=types.Space.SMEM):
            return False  # a pointer
        case exprs.Array(space=types.Space.SMEM):
            return not t.distributed
        case exprs.Array(dims=dims, space=types.Space.FRAG):
            return len(dims) <= 2 and not t.distributed
        case _:
            return is_parameter_type(t)


def are_hints(hints: tuple[str, ...]) -> bool:
    """Whether these are hints, at most one of each kind: compilers reject two of a kind, or use either."""
    well_spelled = all(HINT.fullmatch(h) for h in hints)
    return well_spelled and all(sum(h.startswith(stem) for h in hints) <= 1 for stem in HINTS)


def of_kinds(kinds: tuple[str, ...]) -> Predicate:
    return lambda contract: all(c.kind in kinds for c in contract)


def is_decimal(x: Fraction) -> bool:
    """Whether a number has a finite decimal text, so that the printed number is the one that was checked."""
    rest = x.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    return rest == 1


is_element_type = one_of(*types.MACHINE_SCALARS)

# Restrictions on fields: (class, field) -> predicate. A string field that is not listed holds a name.
POSSIBLE: dict[tuple[type, str], Predicate] = {
    (exprs.Real, "value"): is_decimal,
    (exprs.Real, "literal_type"): one_of(types.FLOAT, types.DOUBLE),
    (exprs.Int, "literal_type"): one_of(None, types.UINT, types.INT64, types.UINT64),
    (exprs.Unary, "op"): one_of("-", "!", "~"),
    (exprs.Binary, "op"): one_of(*BINARY_PRECEDENCE, *REAL_SPELLINGS),
    (exprs.BigOp, "op"): one_of(*exprs.BIG_OPERATORS),
    (exprs.PointsTo, "arrow"): one_of("~>", "~~>"),
    (exprs.SizeOf, "of"): is_element_type,
    (exprs.Alloc, "elem"): is_element_type,
    (exprs.Array, "elem"): is_element_type,
    (exprs.Array, "dims"): lambda dims: len(dims) > 0 and None not in dims[1:],
    (types.Pointer, "elem"): is_element_type,
    (types.Scalar, "name"): one_of(*(t.name for t in SCALARS)),
    (types.LogicType, "name"): one_of(*(t.name for t in LOGIC_TYPES)),
    (program.Clause, "kind"): one_of(*FUNCTION_CLAUSES, *LOOP_CLAUSES),
    (program.Function, "contract"): of_kinds(FUNCTION_CLAUSES),
    (program.Function, "result"): lambda t: t == types.VOID or t in types.MACHINE_SCALARS,
    (program.Param, "type"): is_parameter_type,
    (program.Decl, "type"): is_local_type,
    (program.Store, "op"): one_of(None, *COMPOUND_ASSIGNMENTS, *ATOMICS),
    (program.LoopRange, "relation"): one_of("<", "<=", ">", ">="),
    (program.LoopRange, "op"): one_of("+", "-", "*", "/", "<<", ">>"),
    (program.For, "contract"): of_kinds(LOOP_CLAUSES),
    (program.For, "hints"): are_hints,
    (program.For, "mode"): lambda mode: mode is not program.Mode.PIPELINED,  # that is a meaning
    (program.For, "index_type"): one_of(*(t for t in types.MACHINE_SCALARS if exprs.is_int(t))),
    (program.RuleDeclaration, "rule"): one_of(*RULES),
    (program.Include, "path"): lambda path: PATH.fullmatch(path) is not None,
    (program.Program, "file"): lambda file: True,
}


# Fields that declare a name. Functions, macros and logical definitions are not listed: the type checker checks their names.
DECLARED = frozenset({
    (program.Param, "name"), (program.Decl, "name"), (program.For, "index"), (program.Item, "name"),
    (exprs.Binder, "name"), (exprs.RangeBinder, "name"), (exprs.Group, "index"),
})  # fmt: skip


FUNCTION_BINDERS = frozenset({program.Item, exprs.Binder})  # nodes that can declare a logical function


def formula_word(name: object, kind: type) -> bool:
    """Whether formulas give this name a built-in meaning even where it is declared: `Cell` in `p ~~> Cell`, `min(a, b)`."""
    return isinstance(name, str) and (
        name in FORMULA_NAMES
        or matrix_predicate(name) is not None
        or index_helper(name) is not None
        or (kind in FUNCTION_BINDERS and name in BUILTIN_NAMES)
    )


def has_exact_type(hint: Any) -> Predicate:
    """A predicate: the value is exactly of the declared type. A subclass may be printed as something else."""
    inner = get_args(hint)
    if get_origin(hint) is not tuple:
        classes = frozenset(inner or (hint,))
        return lambda x: type(x) in classes
    parts = [has_exact_type(h) for h in inner if h is not Ellipsis]
    if Ellipsis in inner:
        return lambda x: type(x) is tuple and all(map(parts[0], x))
    return lambda x: type(x) is tuple and len(x) == len(parts) and all(p(y) for p, y in zip(parts, x))


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a field of a node may hold: a value of exactly its type, that meets the restriction of POSSIBLE if there is one.

    `essential`: the field takes part in comparison. `declares`: it declares a name.
    """

    name: str
    essential: bool
    declares: bool
    fits: Predicate
    possible: Predicate | None


@cache
def field_rules(node: type) -> tuple[FieldRule, ...]:
    hints = get_type_hints(node, localns={"Expr": exprs.Expr})
    return tuple(
        FieldRule(
            f.name, f.compare, (node, f.name) in DECLARED, has_exact_type(hints[f.name]), POSSIBLE.get((node, f.name))
        )
        for f in fields(node)
    )


def reject_malformed(*trees: object, known: Container[object] = ()) -> None:
    """Raise OG605 for the first part that no text can express, OG015 for a program that is too deep or too large. Nodes that are
    `known` are left out."""
    stack: list[tuple[object, int, Loc]] = [(tree, 0, NOWHERE) for tree in trees]
    count = 0
    type_names: dict[str, Loc] = {}  # names of types that something else has
    while stack:
        node, depth, loc = stack.pop()
        if type(node) not in NODES:
            raise input_error("OG605", f"a {type(node).__name__} has no place in a program", loc)
        parts = checked_parts(node, loc, type_names)
        loc = getattr(node, "loc", loc)
        count, depth = count + 1, depth + (type(node) in NESTING)
        if depth > MAX_DEPTH:
            message = f"this is nested more than {MAX_DEPTH} levels deep"
            raise input_error("OG015", message, loc, help="name a part of it")
        if count > MAX_PROGRAM_NODES:
            raise input_error("OG015", f"a program has at most {MAX_PROGRAM_NODES} parts", loc)
        stack.extend([(x, depth, loc) for x in parts if x not in known])
    if type_names:
        reject_used_types(type_names, trees)


def reject_used_types(names: dict[str, Loc], trees: tuple[object, ...]) -> None:
    """Reject a program that has a variable `half` and numbers of the type `half`: no text has both (`stored_float_names.py`)."""
    stack: list[Any] = list(trees)
    while stack:
        node = stack.pop()
        if isinstance(node, types.Scalar) and node.name in names:
            message = f"`{node.name}` is the type of other numbers in this program"
            raise input_error("OG101", message, names[node.name], help="choose another name")
        kind: Any = type(node)
        if kind in NODES:
            values = [getattr(node, rule.name) for rule in field_rules(kind) if rule.essential]
            stack.extend(x for value in values for x in flattened(value))


def checked_parts(node: Any, around: Loc, type_names: dict[str, Loc]) -> list[object]:
    """The child nodes of a node, after its fields have been checked. Notes the names that it declares and that types have, too."""
    kind: Any = type(node)
    parts: list[object] = []
    for rule in field_rules(kind):
        value, possible = getattr(node, rule.name), rule.possible
        if not rule.fits(value) or not (possible is None or possible(value)):
            raise input_error("OG605", f"{shown_value(value)} cannot be the {rule.name} of a {kind.__name__}", around)
        if not rule.essential:
            continue
        if type(value) in NODES:
            parts.append(value)
            continue
        if rule.declares and formula_word(value, kind):
            raise input_error("OG101", f"`{value}` is built in: choose another name", getattr(node, "loc", around))
        if rule.declares and value in STORED_FLOAT_NAMES:
            type_names.setdefault(value, getattr(node, "loc", around))
        for x in flattened(value) if type(value) is tuple else (value,):
            if type(x) in NODES:
                parts.append(x)
            elif type(x) is str and possible is None and not is_name(x):
                raise input_error("OG605", f"`{x}` is not a name", around)
    if not is_in_language(node):
        raise input_error("OG605", f"this {kind.__name__} is not of the language", around)
    return parts


def shown_value(value: object) -> str:
    """A value in an error message. The text of a tree could be too long."""
    plain = value is None or isinstance(value, str | Enum)
    return f"`{value!s:.60}`" if plain else f"a {type(value).__name__}"


def flattened(value: object) -> Iterator[object]:
    if type(value) is not tuple:
        yield value
    else:
        for x in value:
            yield from flattened(x)


def is_in_language(node: object) -> bool:
    match node:
        case types.Scalar():
            return node in SCALARS
        case program.Include(_, True, items):
            return not items
        case program.Item(None, exprs.TypeOf()):
            return False
        case program.RuleDeclaration(name, rule):
            return name == rule or rule in TRANSITIONS
        case exprs.Int(value, literal_type):  # in a text, a negative number is a sign and a literal
            t = literal_type or types.INT64
            return max(t.low, -t.high) <= value <= t.high
        case exprs.Real(number, literal_type):
            return not is_out_of_range(number, literal_type) and nearest_float(number, literal_type) == number
        case _:
            return True
