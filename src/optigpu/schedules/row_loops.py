"""Loops over a row that the threads of a block share."""

from __future__ import annotations

from optigpu.script.handles import Handle
from optigpu.script.targets import For, Target, TargetLike
from optigpu.syntax.exprs import Binary, Expr
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.simplified import lit


def spread(s: TransformSession, loop: str, at: Target, *, threads: int, vector: int, in_flight: int) -> None:
    """Divide the loop around a statement into t, u, strip, lane: adjacent threads t have adjacent groups of `vector` elements,
    which `lane` counts, and in each iteration of u a thread has `in_flight` such groups, which `strip` counts."""
    inner = For(loop, body=at).first
    s.loop.tile(inner, in_flight * threads * vector, outer="u", tail="guard")
    s.loop.tile(inner, threads * vector, outer="strip")
    if vector > 1:
        s.loop.tile(inner, vector, outer="t")
        s.loop.rename(inner, "lane")
        s.loop.reorder("t", "u", "strip", "lane", at=at)
    else:
        s.loop.rename(inner, "t")
        s.loop.reorder("t", "u", "strip", at=at)
    s.loop.unroll_hint(For("strip", body=at).first, in_flight)


def length_of(s: TransformSession, loop: TargetLike) -> Expr:
    """The number of iterations of a loop from 0."""
    return loop_at(s, loop)[1].range.bound


def without_guards(s: TransformSession, loop: TargetLike, length: Expr, vector: int) -> Handle:
    """Run a loop without guards where all its iterations exist; with vectors, only in rows of a `length` of whole vectors."""
    whole = Binary("==", Binary("%", length, lit(vector)), lit(0)) if vector > 1 else None
    return s.loop.fast_path(loop, when=whole)
