"""Statements that GPU transformations need: a launch around a statement, a loop that counts up from 0."""

from __future__ import annotations

from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.syntax.exprs import Call, Expr
from optigpu.syntax.program import Body, CallStmt, For, Stmt
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.refusal import refuse


def launched(body: Body, grid: Expr, block: Expr, smem: Expr) -> Body:
    """Statements as the body of a kernel: `grid` blocks of `block` threads, with `smem` bytes of shared memory."""

    def call(name: str, *args: Expr) -> Stmt:
        return CallStmt(Call(name, args))

    setup = call("kernel_launch", grid, block, smem), call("kernel_setup_end")
    return (*setup, *body, call("kernel_teardown_begin"), call("kernel_kill"))


def plain_loop_at(session: Session, path: StatementPath) -> For:
    loop = session.at(path)
    if not isinstance(loop, For):
        raise refuse("this is not a loop", loop)
    if not is_plain(loop):
        raise refuse(f"the loop over `{loop.index}` does not count up from 0 by one", loop, "s.loop.shift_range")
    return loop
