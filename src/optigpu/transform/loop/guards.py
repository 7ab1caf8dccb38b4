"""Guards: the conditions that tiling leaves in a loop when a tile does not divide its size, and those at borders of a stencil."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TypeGuard

from optigpu.light_dataclass import replace
from optigpu.syntax.conditions import conjuncts
from optigpu.syntax.exprs import Binary, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.polynomials import Polynomial
from optigpu.syntax.program import Body, For, If, Stmt
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import inner_bodies, map_bodies, subexpressions
from optigpu.transform.tools.counted_loops import counted
from optigpu.transform.tools.simplified import conjunction, folded, lit, minus, polynomial

Loops = tuple[For, ...]  # nested, outermost first


def is_guard(s: Stmt, loops: Loops) -> TypeGuard[If]:
    """Is this a condition without an else branch, or one that bounds an index of loops around it? One on data alone is none."""
    if not isinstance(s, If):
        return False
    tests = _index_tests(s)
    bounds = [slack(test) for test in tests]
    return bool(tests) and (
        not s.other or any(growth(p, loop.index) for p in bounds if p is not None for loop in loops)
    )


def _index_tests(s: If) -> list[Expr]:
    """The conjuncts of a condition that read no memory."""
    return [test for test in conjuncts(s.test) if not reads_memory(test)]


def reads_memory(test: Expr) -> bool:
    return any(isinstance(x, Index) for x in subexpressions(test))


def guard_tests(loop: For) -> list[Expr]:
    """Tests that, if they hold before a loop, make all guards inside it hold in every iteration."""
    tests: dict[Expr, None] = {}

    def walk(s: Stmt, loops: Loops) -> None:
        loops = (*loops, s) if isinstance(s, For) else loops
        if is_guard(s, loops):
            tests.update((at_hardest_iteration(test, loops), None) for test in _index_tests(s))
        bodies = inner_bodies(s)
        if is_guard(s, loops) and _index_tests(s) == conjuncts(s.test):
            bodies = [s.then]
        for x in (x for body in bodies for x in body):
            walk(x, loops)

    walk(loop, ())
    return without_implied(list(tests))


def without_guards(body: Body, loops: Loops) -> Body:
    """Replace each guard by the statements under it, or by its conditions on data."""
    out: list[Stmt] = []
    for s in body:
        inner = map_bodies(s, partial(without_guards, loops=(*loops, s) if isinstance(s, For) else loops))
        if is_guard(s, loops) and isinstance(inner, If):
            data = [test for test in conjuncts(s.test) if reads_memory(test)]
            out += [replace(inner, test=conjunction(data))] if data else inner.then
        else:
            out.append(inner)
    return tuple(out)


def at_hardest_iteration(test: Expr, loops: Loops) -> Expr:
    """A comparison at the iteration with the least slack: the first one if it bounds an index from below, else the last."""
    for loop in reversed(loops):
        if loop.index in free_vars(test):
            c, p = counted(loop), slack(test)
            upward = growth(p, loop.index) if p is not None else None
            first = upward is not None and (upward > 0) == (loop.range.op == "+")
            test = substitute(test, {loop.index: c.value(lit(0) if first else minus(c.count, lit(1)))})
    return folded(test)


def slack(test: Expr) -> Polynomial | None:
    """A value that is at least 0 exactly if a comparison of integers holds."""
    match test:
        case Binary("<", left, right) | Binary(">", right, left):
            return polynomial(Binary("-", Binary("-", right, left), lit(1)))
        case Binary("<=", left, right) | Binary(">=", right, left):
            return polynomial(Binary("-", right, left))
        case _:
            return None


def growth(p: Polynomial, index: str) -> int | None:
    """Does the value grow with the index (1), fall (-1), or neither (0)? Other factors are taken to be positive, as sizes are.

    None if that is not clear.
    """
    signs = set[int]()
    for factors, c in p.terms:
        rest = [f for f in factors if f != Var(index)]
        if any(index in free_vars(f) for f in rest):
            return None
        if len(rest) < len(factors):
            signs.add(1 if c > 0 else -1)
    return signs.pop() if len(signs) == 1 else None if signs else 0


def without_implied(tests: Sequence[Expr]) -> list[Expr]:
    """Drop tests that another test implies."""
    out: list[Expr] = []
    for t in tests:
        if not any(guard_implies(o, t) for o in out):
            out = [*(o for o in out if not guard_implies(t, o)), t]
    return out


def guard_implies(test: Expr, other: Expr) -> bool:
    """Does the slack of the other test exceed that of this one by a constant that is not negative?"""
    p, q = slack(test), slack(other)
    if p is None or q is None:
        return test == other
    more = (q - p).constant
    return more is not None and more >= 0
