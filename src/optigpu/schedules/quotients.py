"""Quotients and remainders by sizes, as the index of collapsed loops has them: computed once, not each time they are used."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.light_dataclass import replace
from optigpu.script.targets import TargetLike
from optigpu.syntax.exprs import Binary, Cast, Expr, Int, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Body, Decl, For
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import body_subexpressions, rewrite, rewrite_body, statements
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.simplified import folded


def has_moving_quotients(s: TransformSession, target: TargetLike) -> bool:
    """Does a loop divide its index, or that of a loop inside, by anything? Then where its first and last iterations are does not
    tell where those between are."""
    _, loop = loop_at(s, target)
    moving = {loop.index, *(x.index for x in statements(loop.body) if isinstance(x, For))}
    return any(
        isinstance(e, Binary) and e.op in ("/", "%") and moving & free_vars(e) for e in body_subexpressions(loop.body)
    )


def bind_quotients(s: TransformSession, target: TargetLike) -> None:
    """Name the quotients in a loop's body that its inner loops do not change, and compute them first.

    No compiler moves a division out of a condition, since the divisor may be zero where the condition does not hold.
    """
    path, loop = loop_at(s, target)
    moving = {x.index for x in statements(loop.body) if isinstance(x, For)}
    declared = [x for x in statements(loop.body) if isinstance(x, Decl)]
    moving |= {x.name for x in declared}
    sizes = constants_of(s.program)
    found = [e for e in body_subexpressions(loop.body) if _is_quotient(e, sizes) and not moving & free_vars(e)]
    for e in dict.fromkeys(e for e in found if all(x.init != e for x in declared)):
        assert isinstance(e.type, Scalar)
        path, loop = loop_at(s, target)
        name = s.fresh("quotient", path)
        s.put(path, replace(loop, body=(Decl(name, e.type, e, const=True), *_replaced(loop.body, e, Var(name)))))


def _is_quotient(e: Expr, sizes: Mapping[str, Expr]) -> bool:
    """By anything else than a number; macros stand for numbers."""
    if not isinstance(e, Binary) or e.op not in ("/", "%"):
        return False
    divisor = folded(substitute(e.right, sizes))
    return not isinstance(divisor.arg if isinstance(divisor, Cast) else divisor, Int)


def _replaced(body: Body, old: Expr, new: Expr) -> Body:
    return rewrite_body(body, lambda e: rewrite(e, lambda x: new if x == old else x))
