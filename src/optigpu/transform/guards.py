"""Guards of loops: the conditions that tiles which do not divide a size leave behind, and those that set borders apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from optigpu.syntax.conditions import conjuncts
from optigpu.syntax.exprs import Binary, Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, For, If, Stmt
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import inner_bodies, map_bodies
from optigpu.transform.loop_nests import counted
from optigpu.transform.simplified import Polynomial, folded, lit, minus, polynomial, subtracted

Loops = tuple[For, ...]  # one inside the other


def is_guard(s: Stmt, loops: Loops) -> bool:
    """A condition that all iterations may share: it has nothing else to do, or it bounds an index of the loops."""
    if not isinstance(s, If):
        return False
    bounds = [slack(test) for test in conjuncts(s.test)]
    return not s.other or any(growth(p, loop.index) for p in bounds if p is not None for loop in loops)


def tests_for_all(loop: For) -> list[Expr]:
    """What makes the guards inside a loop hold in all its iterations, and those of the loops between."""
    found: dict[Expr, None] = {}

    def walk(s: Stmt, loops: Loops) -> None:
        loops = (*loops, s) if isinstance(s, For) else loops
        if isinstance(s, If) and is_guard(s, loops):
            found.update((at_the_tightest(test, loops), None) for test in conjuncts(s.test))
            bodies = [s.then]
        else:
            bodies = inner_bodies(s)
        for x in (x for body in bodies for x in body):
            walk(x, loops)

    walk(loop, ())
    return needed(list(found))


def without_guards(body: Body, loops: Loops) -> Body:
    """Their bodies in their place."""
    out: list[Stmt] = []
    for s in body:
        inner = map_bodies(s, partial(without_guards, loops=(*loops, s) if isinstance(s, For) else loops))
        out += inner.then if isinstance(inner, If) and is_guard(s, loops) else [inner]
    return tuple(out)


def at_the_tightest(test: Expr, loops: Loops) -> Expr:
    """A comparison in the iteration where least is left of it: the first one if it bounds an index from below, else the last."""
    for loop in reversed(loops):
        if loop.index in free_vars(test):
            c, p = counted(loop), slack(test)
            upward = growth(p, loop.index) if p is not None else None
            first = upward is not None and (upward > 0) == (loop.range.op == "+")
            test = substitute(test, {loop.index: c.value(lit(0) if first else minus(c.count, lit(1)))})
    return folded(test)


def slack(test: Expr) -> Polynomial | None:
    """What is at least 0 exactly if a comparison of integers holds."""
    match test:
        case Binary("<", left, right) | Binary(">", right, left):
            return polynomial(Binary("-", Binary("-", right, left), lit(1)))
        case Binary("<=", left, right) | Binary(">=", right, left):
            return polynomial(Binary("-", right, left))
        case _:
            return None


def growth(p: Polynomial, index: str) -> int | None:
    """Does it grow with the index (1), fall (-1), or neither (0)? Other factors count as positive, as sizes are."""
    signs = set[int]()
    for factors, c in p.items():
        rest = [f for f in factors if f != Var(index)]
        if any(index in free_vars(f) for f in rest):
            return None
        if len(rest) < len(factors):
            signs.add(1 if c > 0 else -1)
    return signs.pop() if len(signs) == 1 else None if signs else 0


def needed(tests: Sequence[Expr]) -> list[Expr]:
    """Without those that follow from another one, which leaves less."""
    out: list[Expr] = []
    for t in tests:
        if not any(implies(o, t) for o in out):
            out = [*(o for o in out if not implies(t, o)), t]
    return out


def implies(test: Expr, other: Expr) -> bool:
    """Do they differ by a number only, the other one leaving more?"""
    p, q = slack(test), slack(other)
    if p is None or q is None:
        return test == other
    more = subtracted(q, p)
    return set(more) <= {()} and more.get((), 0) >= 0


def conjunction(tests: Sequence[Expr]) -> Expr:
    out = tests[0]
    for test in tests[1:]:
        out = Binary("&&", out, test)
    return out
