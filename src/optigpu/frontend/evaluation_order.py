"""Programs must not depend on the order in which C evaluates operands, which C leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TypeAlias

from optigpu.frontend.expression_types import CallSignatures
from optigpu.frontend.side_effects import changed_names, loaded_names
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Call, Expr, Index
from optigpu.syntax.program import Body, CallStmt, Decl, LoopRange, Return, Stmt, Store
from optigpu.syntax.source import Loc
from optigpu.syntax.walk import statements, stmt_exprs, subexpressions

Aliases: TypeAlias = Mapping[str, Set[str]]  # the arrays that local pointers may alias: `pointer_roots` of the function


def reject_nested_effects(s: Stmt, signatures: CallSignatures) -> None:
    """A call that changes memory is a statement of its own, or the whole right side of a (typed) statement."""
    for e in stmt_exprs(s):
        _reject_nested_call(e, signatures, alone=e is _whole_right_side(s))


def _reject_nested_call(e: Expr, signatures: CallSignatures, *, alone: bool) -> None:
    for x in subexpressions(e):
        if isinstance(x, Call) and x.func in signatures and signatures[x.func].has_effects:
            if alone and x is e:
                continue
            raise input_error(
                "OG116",
                f"`{x.func}` changes memory: it cannot be called inside an expression",
                x.loc,
                help="assign its result to a variable first",
            )


def _whole_right_side(s: Stmt) -> Expr | None:
    """The value that a statement stores, returns or discards after it has evaluated all its operands."""
    match s:
        case Decl(init=value) | Store(value=value, op=None) | Return(value):
            return value
        case CallStmt(call):
            return call
        case _:
            return None


def reject_moving_bound(aliases: Aliases, signatures: CallSignatures, body: Body, loop_range: LoopRange) -> None:
    """C evaluates bound and step before every iteration: they must not read memory that the (typed) body changes."""
    for stmt, root, read in _changed_reads(
        aliases, signatures, (loop_range.bound, loop_range.amount), statements(body)
    ):
        where = (Label(stmt.loc, "changed here"),)
        message = f"the bound or step of this loop reads `{root}`, which the loop changes"
        raise input_error("OG118", message, read, labels=where, help="copy the value to a const before the loop")


def reject_moving_target(aliases: Aliases, signatures: CallSignatures, s: Store) -> None:
    """`a[p[0]] = f(p)`: C does not define whether the index is read before or after the call."""
    if isinstance(s.target, Index) and isinstance(s.value, Call):
        call = s.value
        for _, root, read in _changed_reads(aliases, signatures, s.target.indices, (CallStmt(call, id=s.id),)):
            message = f"`{call.func}` may change `{root}`, which this index reads: before the call or after?"
            raise input_error("OG116", message, read, help="assign the result to a variable first")


def _changed_reads(
    aliases: Aliases, signatures: CallSignatures, exprs: tuple[Expr, ...], changes: Iterable[Stmt]
) -> Iterator[tuple[Stmt, str, Loc]]:
    """Memory that the expressions read and the (typed) statements change: the statement, the array, and where it is read."""
    names = [(n, e.loc) for e in exprs for n in loaded_names(e)]
    if not names:
        return
    read = {x: loc for n, loc in names for x in (*aliases.get(n, ()), n)}
    for stmt in changes:
        for name in changed_names(stmt, signatures):
            for root in sorted({name, *aliases.get(name, ())} & read.keys()):
                yield stmt, root, read[root]
