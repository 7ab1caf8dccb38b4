"""`blocksync(); __with("H := …")`: the permission that a built-in barrier is for."""

from __future__ import annotations

from optigpu.frontend.formula_types import FormulaTyper
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.gpu_rules import BARRIERS
from optigpu.syntax.program import CallStmt, Ghost, GhostArg, Stmt
from optigpu.syntax.scopes import Scope


def typed_barrier_argument(s: Ghost, before: Stmt | None, scope: Scope, formulas: FormulaTyper) -> Ghost | None:
    """The `__with` after a built-in barrier, with types; None if it stands after another statement."""
    if not (isinstance(before, CallStmt) and before.call.func in BARRIERS):
        return None
    for a in s.args:
        if a.name not in ("H", None) or len(s.args) > 1:
            message = f"`{before.call.func}` has one logical variable, the permission H"
            raise input_error("OG115", message, a.value.loc, help='__with("H := desync_for t in ..N -> …");')
    return replace(s, args=tuple(GhostArg("H", formulas.permission(a.value, scope)) for a in s.args))
