"""Vector accesses through parameters: a caller shows that the pointers it passes are aligned as the function needs them. Trusted.

A function shows its own accesses to be aligned relative to the start of its parameters. So each call gets the obligation that the
pointers it passes start at multiples of the widest vector that is accessed through them, there or in functions called from there.
"""

from __future__ import annotations

from dataclasses import field

from optigpu.kernel import instructions as kc
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.terms import Term


@dataclass
class VectorAccesses:
    """The arrays of one function with their sizes, as far as these are known, and the widest vector accessed in each."""

    dims: dict[str, tuple[Term | None, ...]]
    distributed: dict[str, bool]
    widths: dict[str, int] = field(default_factory=dict)

    def need(self, base: str, width: int) -> bool:
        """Note an access of a vector of this width. Is it wider than those before?"""
        more = width > self.widths.get(base, 1)
        if more:
            self.widths[base] = width
        return more

    def aligned(self, view: kc.ArrayView, width: int) -> Term:
        """That the pointer starts at a multiple of the width; false where inner sizes are not known."""
        dims, offset = self.dims.get(view.base, ()), k.ZERO
        index = (*view.lead, view.shift)
        for position in range(max(len(dims), len(index))):
            if position > 0:
                d = dims[position]
                if d is None:
                    return k.FALSE
                offset = k.mul(offset, d)
            if position < len(index) and (position > 0 or not self.distributed.get(view.base)):
                offset = k.add(offset, index[position])
        return k.eq(k.fmod(offset, k.num(width)), k.ZERO)


def with_aligned_calls(
    functions: dict[str, kc.Procedure], accesses: dict[str, VectorAccesses]
) -> dict[str, kc.Procedure]:
    """The functions, with the obligations of their calls."""
    while any(_pass_on(f, functions, accesses) for f in functions.values()):
        pass

    def obliged(f: kc.Procedure) -> kc.Procedure:
        def with_obligations(i: kc.Instruction) -> kc.Instructions:
            needs = _needs(i, functions, accesses) if isinstance(i, kc.Invoke) else []
            goals = (accesses[f.name].aligned(view, width) for view, width in needs)
            return (*(kc.Oblige(goal, kc.Obligation.ALIGNED, at=i.at) for goal in goals if goal is not k.TRUE), i)

        return replace(f, body=kc.rewritten_code(f.body, with_obligations))

    return {name: obliged(f) for name, f in functions.items()}


def _pass_on(f: kc.Procedure, functions: dict[str, kc.Procedure], accesses: dict[str, VectorAccesses]) -> bool:
    """Add what a function's calls need to the alignment of its own arrays; was there more than known before? Called until not."""
    calls = [i for i in kc.instructions_in(f.body) if isinstance(i, kc.Invoke)]
    needs = [x for call in calls for x in _needs(call, functions, accesses)]
    return any(accesses[f.name].need(view.base, width) for view, width in needs)


def _needs(
    call: kc.Invoke, functions: dict[str, kc.Procedure], accesses: dict[str, VectorAccesses]
) -> list[tuple[kc.ArrayView, int]]:
    """The pointers that a call passes on, with the width of the vectors that are accessed through them."""
    if call.function not in accesses:
        return []
    widths = accesses[call.function].widths
    pairs = zip(functions[call.function].params, call.args)
    return [(a, widths[p.name]) for p, a in pairs if isinstance(a, kc.ArrayView) and p.name in widths]
