"""Loops over the lanes of a warp that do what the instruction `shfl_down` does."""

from __future__ import annotations

from optigpu.kernel.thread_conditions import WARP
from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Addr, Binary, Call, Cond, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import CallStmt, For, Stmt, Store
from optigpu.transform.tools.counted_loops import counted, is_plain
from optigpu.transform.tools.simplified import collect_terms, less, lit, minus, plus, value_of


def source_lane(lane: Expr, distance: Expr) -> Expr:
    """The lane from which `shfl_down` takes its value: `l + d < 32 ? l + d : l`."""
    further = plus(lane, distance)
    return Cond(less(further, lit(WARP)), further, lane)


def as_shuffle(s: Stmt) -> Stmt | None:
    """`for (l < 32) to[first + l] = from[first + source_lane(l, d)]` on registers as `shfl_down(&to[first], &from[first], d)`.

    None for any other statement.
    """
    match s:
        case For(lane, _, (Store(to, source, None),)) if is_plain(s) and value_of(counted(s).count) == WARP:
            to_thread, from_thread = _thread_of(to), _thread_of(source)
        case _:
            return None
    if to_thread is None or from_thread is None:
        return None
    first, distance = collect_terms(minus(to_thread.args[1], Var(lane))), _distance(from_thread.args[1], lane)
    if distance is None or lane in free_vars(first) | free_vars(distance):
        return None
    same_lane = collect_terms(minus(_with_lane(from_thread.args[1], Var(lane)), to_thread.args[1])) == lit(0)
    if not same_lane or to_thread.args[0] != from_thread.args[0]:
        return None
    first_thread = replace(to_thread, args=(to_thread.args[0], first))
    views = [Addr(Index(x.base, (first_thread,))) for x in (to, source) if isinstance(x, Index)]
    return CallStmt(Call("shfl_down", (*views, distance)), id=s.id)


def _thread_of(e: Expr) -> Call | None:
    """The thread whose register an expression is, as `DMINDEX1(threads, t)`; None if it is not a register."""
    match e:
        case Index(Var(), (Call("DMINDEX1") as thread,)):
            return thread
        case _:
            return None


def _distance(e: Expr, lane: str) -> Expr | None:
    """d, if the index is a sum with one conditional, which is source_lane(lane, d)."""
    choice = _conditional(e)
    if choice is None:
        return None
    d = collect_terms(minus(choice.then, Var(lane)))
    return d if source_lane(Var(lane), d) == choice else None


def _conditional(e: Expr) -> Cond | None:
    match e:
        case Cond():
            return e
        case Binary("+", left, right):
            return _conditional(left) or _conditional(right)
        case _:
            return None


def _with_lane(e: Expr, lane: Expr) -> Expr:
    """The index with the lane itself instead of the conditional."""
    match e:
        case Cond():
            return lane
        case Binary("+", left, right):
            return plus(_with_lane(left, lane), _with_lane(right, lane))
        case _:
            return e
