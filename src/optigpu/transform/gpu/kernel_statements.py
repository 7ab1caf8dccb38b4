"""Statements that GPU transformations need: a launch around statements, its setup, a loop that counts up from 0."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.syntax.exprs import Call, Expr
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, Stmt, is_call
from optigpu.transform.tools.array_declarations import is_free_of
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.refusal import refuse


def launched(body: Body, grid: Expr, block: Expr, smem: Expr) -> Body:
    """Statements as the body of a kernel: `grid` blocks of `block` threads, with `smem` bytes of shared memory."""

    def call(name: str, *args: Expr) -> Stmt:
        return CallStmt(Call(name, args))

    setup = call("kernel_launch", grid, block, smem), call("kernel_setup_end")
    return (*setup, *body, call("kernel_teardown_begin"), call("kernel_kill"))


def is_in_setup(session: Session, path: StatementPath) -> bool:
    """Is the statement between a kernel_launch and its kernel_setup_end?"""
    phases = ("kernel_launch", "kernel_setup_end", "kernel_kill")
    before = [
        s.call.func for s in session.around(path)[: path.index] if isinstance(s, CallStmt) and s.call.func in phases
    ]
    return bool(before) and before[-1] == "kernel_launch"


def moved_into_setup(session: Session, path: StatementPath, decl: Decl) -> StatementPath:
    """Allocate an array that is declared before the block of a kernel in the setup of the kernel, and free it in the teardown.
    Returns its new path. Nothing changes if there is no such kernel, or if other statements use the array too."""
    body = session.around(path)
    frees = tuple(s for s in body if is_free_of(s, decl.name))
    users = [s for s in body[path.index + 1 :] if decl.name in body_free_vars((s,)) and s not in frees]
    kernel = users[0] if len(users) == 1 else None
    if not isinstance(kernel, Block) or not kernel.body or not is_call(kernel.body[0], "kernel_launch"):
        return path
    launch, *rest = kernel.body
    end = next((k + 1 for k, s in enumerate(rest) if is_call(s, "kernel_teardown_begin")), len(rest))
    inside = replace(kernel, body=(launch, decl, *rest[:end], *frees, *rest[end:]))
    kept = [inside if s is kernel else s for s in body if s is not body[path.index] and s not in frees]
    session.edit_body(path, lambda _: tuple(kept))
    position = next(k for k, s in enumerate(kept) if s is inside)
    return path.sibling(position - path.index).child(1)


def plain_loop_at(session: Session, path: StatementPath) -> For:
    loop = session.at(path)
    if not isinstance(loop, For):
        raise refuse("this is not a loop", loop)
    if not is_plain(loop):
        raise refuse(f"the loop over `{loop.index}` does not count up from 0 by one", loop, "s.loop.shift_range")
    return loop
