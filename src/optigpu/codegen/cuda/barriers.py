"""Comments for barriers: which arrays a barrier orders, by the accesses before and after it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from optigpu.syntax.builtins import VECTOR_CALLS
from optigpu.syntax.exprs import Addr, Expr, Index, Var
from optigpu.syntax.program import Block, Body, CallStmt, For, If, Stmt, Store
from optigpu.syntax.source import StatementId
from optigpu.syntax.walk import stmt_exprs, subexpressions

ArrayAccess = tuple[str, str]  # ("read" or "write", array)


def barrier_reasons(body: Body, arrays: Collection[str]) -> dict[StatementId, str]:
    """A comment for each barrier of a lowered kernel that orders accesses to some of these arrays."""
    before: dict[StatementId, set[ArrayAccess]] = {}
    after: dict[StatementId, set[ArrayAccess]] = {}
    follow(body, set(), before, backwards=False)
    follow(body, set(), after, backwards=True)
    out: dict[StatementId, str] = {}
    for statement_id, earlier in before.items():
        later = after[statement_id]
        complete = [a for a in arrays if ("write", a) in earlier and ("read", a) in later]
        read = [a for a in arrays if ("read", a) in earlier and ("write", a) in later and a not in complete]
        parts = [
            sentence(complete, "is complete before other threads use it", "are complete before other threads use them")
        ]
        parts += [
            sentence(read, "has been read before it is overwritten", "have been read before they are overwritten")
        ]
        if any(parts):
            out[statement_id] = "; ".join(p for p in parts if p)
    return out


def sentence(names: list[str], singular: str, plural: str) -> str:
    text = ", ".join(f"`{n}`" for n in names)
    return f"{text} {singular if len(names) == 1 else plural}" if names else ""


def follow(
    body: Body, since: set[ArrayAccess], accesses_by_barrier: dict[StatementId, set[ArrayAccess]], *, backwards: bool
) -> set[ArrayAccess]:
    """Collect, for each barrier, the accesses between it and the previous one (with `backwards`, the next one)."""
    for s in reversed(body) if backwards else body:
        match s:
            case CallStmt(call) if call.func == "blocksync":
                accesses_by_barrier[s.id] = accesses_by_barrier.get(s.id, set()) | since
                since = set()
            case For(_, _, inner):
                for _ in range(2):  # accesses of one iteration reach the barriers of the next
                    since = since | follow(inner, since, accesses_by_barrier, backwards=backwards)
            case If(_, then, other):
                since = (
                    since
                    | follow(then, since, accesses_by_barrier, backwards=backwards)
                    | follow(other, since, accesses_by_barrier, backwards=backwards)
                )
            case Block(inner):
                since = follow(inner, since, accesses_by_barrier, backwards=backwards)
            case _:
                pass
        since = since | set(accesses(s))
    return since


def accesses(s: Stmt) -> Iterable[ArrayAccess]:
    """The accesses of a statement, without those of nested statements."""
    match s:
        case Store(Index(Var(name), indices), value, op):
            yield "write", name
            for e in (*indices, value):
                yield from reads(e)
            if op:
                yield "read", name
        case CallStmt(call) if call.func in VECTOR_CALLS and VECTOR_CALLS[call.func][1] == "store":
            to, source = call.args
            yield from (("write" if isinstance(to, Addr | Var) else "read", n) for n in names(to))
            yield from reads(source)
        case _:
            for e in stmt_exprs(s):
                yield from reads(e)


def reads(e: Expr) -> Iterable[ArrayAccess]:
    return (("read", n) for n in names(e))


def names(e: Expr) -> set[str]:
    return {x.name for x in subexpressions(e) if isinstance(x, Var)}
