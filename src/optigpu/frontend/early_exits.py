"""Early exits: `if (c) continue;` and `if (c) return;` at the top level of a body become an `else` around what follows."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.frontend.raw_statements import Jump, RawStatement
from optigpu.syntax.conditions import negate
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.program import Block, Decl, For, If, Return


def desugar_jumps(stmts: Sequence[RawStatement], jump: str) -> tuple[RawStatement, ...]:
    """Replace early exits: `if (c) continue; rest` becomes `if (!c) { rest }`, and `if (c) { body continue; } rest` becomes
    `if (c) { body } else { rest }`. Bodies may hold a Jump wherever a statement may be."""
    for i, stmt in enumerate(stmts):
        if i == len(stmts) - 1 and is_jump(stmt, jump):
            return (
                tuple(stmts[:i])
                if isinstance(stmt, Jump) or (jump == "return" and stmt.value is None)
                else tuple(stmts)
            )
        if not isinstance(stmt, If):
            continue
        rest = stmts[i + 1 :]
        if stmt.then and is_jump(stmt.then[-1], jump):
            reject_value(stmt.then[-1])
            then = stmt.then[:-1]
            other = desugar_jumps(followed(stmt.other, rest), jump)
            if not then and other:
                return (*stmts[:i], If(negate(stmt.test), other, (), id=stmt.id))
            return (*stmts[:i], If(stmt.test, then, other, id=stmt.id))
        if stmt.other and is_jump(stmt.other[-1], jump):
            reject_value(stmt.other[-1])
            then = desugar_jumps(followed(stmt.then, rest), jump)
            return (*stmts[:i], If(stmt.test, then, stmt.other[:-1], id=stmt.id))
    return tuple(stmts)


def followed(branch: tuple[RawStatement, ...], rest: Sequence[RawStatement]) -> tuple[RawStatement, ...]:
    """A branch, and after it the statements that follow the `if`, from which the locals of the branch are not visible."""
    if rest and any(isinstance(s, Decl) for s in branch):
        return (Block(branch, id=branch[0].id), *rest)
    return (*branch, *rest)


def is_jump(stmt: RawStatement, jump: str) -> bool:
    if isinstance(stmt, Jump):
        return stmt.word == jump
    return jump == "return" and isinstance(stmt, Return)


def reject_value(stmt: RawStatement) -> None:
    if isinstance(stmt, Return) and stmt.value is not None:
        raise input_error(
            "OG014", "a value can be returned only at the end of the function", stmt.loc,
            help="return c ? a : b; or assign it to a variable and return that at the end",
        )  # fmt: skip


def reject_jumps(stmt: RawStatement, *, last_of_function: bool) -> None:
    """Reject the jumps that `desugar_jumps` left: the language has no other `continue`, and `return` only at the end."""
    match stmt:
        case Jump():
            where = "at the end of an `if` at the top of the loop's body"
            raise input_error("OG014", f"`{stmt.word}` is only possible {where}", stmt.loc)
        case Return():
            if last_of_function:
                return
            raise input_error(
                "OG014", "`return` is only possible at the end of the function", stmt.loc,
                help="only `if (c) return;` at the top of the function's body may come before",
            )  # fmt: skip
        case If():
            inner = (*stmt.then, *stmt.other)
        case Block() | For():
            inner = stmt.body
        case _:
            inner = ()
    for s in inner:
        reject_jumps(s, last_of_function=False)
