"""Explicit casts around unsigned operations that may wrap around.

C computes unsigned `+ - * <<` and unary `-` modulo 2^bits. Where the value may not fit the type, this pass puts a cast around the
operation. Inside the cast the operation is mathematical, like all other arithmetic here; the cast reduces it modulo 2^bits.
"""

from __future__ import annotations

from collections.abc import Collection

from optigpu.codegen.integer_polynomials import expand_index_helper, keeps_value
from optigpu.codegen.value_ranges import Ranges, inside_loop, is_checked
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import index_helper
from optigpu.syntax.exprs import Binary, Call, Cast, Expr, Type, Unary, is_int
from optigpu.syntax.operators import WRAPPING
from optigpu.syntax.program import Assert, Block, Body, Decl, For, Function, Ghost, GhostEnd, If, Stmt
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import map_children, map_range, map_stmt_exprs


def with_wraps(f: Function, ranges: Ranges) -> Function:
    """The function with a cast around each operation that may wrap around. `ranges` come from its contract, without further
    assumptions: wrapping around is defined behaviour, so no argument is refused for it."""
    return replace(f, body=_Wraps(assigned_names(f.body)).body(f.body, ranges))


class _Wraps:
    def __init__(self, assigned: Collection[str]) -> None:
        self.assigned = assigned

    def body(self, body: Body, ranges: Ranges) -> Body:
        out: list[Stmt] = []
        for s in body:
            new = self.statement(s, ranges)
            if isinstance(new, Decl):
                ranges = ranges_after(ranges, new, self.assigned)
            out.append(new)
        return tuple(out)

    def statement(self, s: Stmt, ranges: Ranges) -> Stmt:
        match s:
            case Ghost() | GhostEnd() | Assert():
                return s
            case For():
                new = replace(s, range=map_range(s.range, lambda e: explicit_wraps(e, ranges)))
                return replace(new, body=self.body(s.body, inside_loop(ranges, new, self.assigned)))
            case If(test, then, other):
                return replace(
                    s, test=explicit_wraps(test, ranges), then=self.body(then, ranges), other=self.body(other, ranges)
                )
            case Block(inner):
                return replace(s, body=self.body(inner, ranges))
            case _:
                return map_stmt_exprs(s, lambda e: explicit_wraps(e, ranges))


def ranges_after(ranges: Ranges, s: Decl, assigned: Collection[str]) -> Ranges:
    """The ranges after a declaration: a constant equals its initial value."""
    ranges = ranges.without(s.name)
    if not (isinstance(s.type, Scalar) and is_int(s.type) and s.init is not None and s.name not in assigned):
        return ranges
    ranges = ranges.equal_to(s.name, s.init, assigned)
    match s.init:
        case Cast(to) if is_int(to) and is_checked(s.init):
            return ranges.within(s.name, to)
        case _:
            return ranges


def explicit_wraps(e: Expr, ranges: Ranges) -> Expr:
    e = map_children(e, lambda x: explicit_wraps(x, ranges))
    match e:
        case Binary(op) | Unary(op) if (op in WRAPPING) and is_unsigned(e.type):
            assert isinstance(e.type, Scalar)
            return e if ranges.fits(e, e.type) else Cast(e.type, e, type=e.type, loc=e.loc)
        case Call(name) if (helper := index_helper(name)) is not None and is_unsigned(e.type):
            assert isinstance(e.type, Scalar)
            return e if ranges.fits(e, e.type) else Cast(e.type, expand_index_helper(e, helper), type=e.type, loc=e.loc)
        case Cast(to, arg) if not keeps_value(e) and is_unsigned(to) and is_int(arg.type) and ranges.fits(arg, to):
            return replace(e, arg=Cast(to, arg, True, type=to, loc=e.loc))
        case _:
            return e


def is_unsigned(t: Type | None) -> bool:
    return isinstance(t, Scalar) and is_int(t) and t.bits > 0 and not t.signed
