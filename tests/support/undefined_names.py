"""Names that no state of the kernel has introduced yet: an argument of a rule must not use them."""

from __future__ import annotations

from optigpu.kernel import State
from optigpu.logic import terms as k
from optigpu.logic.terms import INT, Term


def strangers(state: State) -> list[Term]:
    """The constant for an arbitrary b, and names that later rules will introduce."""
    (b,), _ = state.facts.arbitrary(INT)
    return [b, state.fresh("a", INT), k.rule_var("a", state.fresh("a", INT).data.number + 3, INT)]
