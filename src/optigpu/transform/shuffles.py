"""Loops over the lanes of a warp that do what a shuffle does."""

from __future__ import annotations

from dataclasses import replace

from optigpu.kernel.thread_conditions import WARP
from optigpu.syntax.exprs import Addr, Binary, Call, Cond, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import CallStmt, For, Stmt, Store
from optigpu.transform.loop_nests import counted, is_plain
from optigpu.transform.simplified import gather, less, lit, minus, plus, value_of


def lane_below(lane: Expr, distance: Expr) -> Expr:
    """The lane from which `shfl_down` gets its value: `l + d < 32 ? l + d : l`."""
    further = plus(lane, distance)
    return Cond(less(further, lit(WARP)), further, lane)


def as_shuffle(s: Stmt) -> Stmt | None:
    """`for (l < 32) to[first + l] = from[first + lane_below(l, d)]` on registers, as `shfl_down(&to[first], &from[first], d)`."""
    match s:
        case For(lane, _, (Store(to, source, None),)) if is_plain(s) and value_of(counted(s).count) == WARP:
            mine, theirs = _register(to), _register(source)
        case _:
            return None
    if mine is None or theirs is None:
        return None
    first, distance = gather(minus(mine.args[1], Var(lane))), _distance(theirs.args[1], lane)
    if distance is None or lane in free_vars(first) | free_vars(distance):
        return None
    same_lane = gather(minus(_with_lane(theirs.args[1], Var(lane)), mine.args[1])) == lit(0)
    if not same_lane or mine.args[0] != theirs.args[0]:
        return None
    views = [
        Addr(Index(x.base, (replace(mine, args=(mine.args[0], first)),))) for x in (to, source) if isinstance(x, Index)
    ]
    return CallStmt(Call("shfl_down", (*views, distance)), id=s.id)


def _register(e: Expr) -> Call | None:
    """Whose register this is: `DMINDEX1(threads, t)`."""
    match e:
        case Index(Var(), (Call("DMINDEX1") as thread,)):
            return thread
        case _:
            return None


def _distance(e: Expr, lane: str) -> Expr | None:
    """d, if the index has one choice in it and that is lane_below(lane, d)."""
    found = _choice(e)
    if found is None:
        return None
    d = gather(minus(found.then, Var(lane)))
    return d if lane_below(Var(lane), d) == found else None


def _choice(e: Expr) -> Cond | None:
    match e:
        case Cond():
            return e
        case Binary("+", left, right):
            return _choice(left) or _choice(right)
        case _:
            return None


def _with_lane(e: Expr, lane: Expr) -> Expr:
    """The index with the lane itself in the place of the choice."""
    match e:
        case Cond():
            return lane
        case Binary("+", left, right):
            return plus(_with_lane(left, lane), _with_lane(right, lane))
        case _:
            return e
