"""What schedules of sums of products look up, and prepare, in the program."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import replace
from optigpu.script.targets import For, Write
from optigpu.syntax.exprs import Array, Binary, Expr, Index, Int
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Decl, If
from optigpu.syntax.program import For as Loop
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import body_subexpressions, root_name, statements
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.array_declarations import dims_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import conjunction, folded, value_of


def inline_constants(s: TransformSession) -> None:
    """Let the indices of accesses speak of loops, in place of constants that are declared inside the loops."""
    loops = [x for f in s.program.functions() for x in statements(f.body) if isinstance(x, Loop)]
    inside = [x for loop in loops for x in statements(loop.body) if isinstance(x, Decl)]
    names = {x.name: None for x in inside if x.const and isinstance(x.type, Scalar)}
    for name in names:
        s.variable.inline(name)


def number_bound(s: TransformSession, name: str) -> int:
    """Write the bound of a loop as a number, in place of a macro."""
    path, loop = loop_at(s, name)
    bound = folded(substitute(loop.range.bound, constants_of(s.program)))
    s.put(path, replace(loop, range=replace(loop.range, bound=bound)))
    count = value_of(bound)
    if count is None:
        raise refuse(f"the bound of the loop over `{name}` is not a number", loop)
    return count


def skip_zeros(
    s: TransformSession, total: str, tests: Sequence[Expr], first: str = "tr", taps: Sequence[str] = ()
) -> None:
    """Test each condition as far outside as the loops of taps that it speaks of allow, or once for a chunk."""
    inner = [*taps, "chunk"]
    levels = [max((n for n, loop in enumerate(inner, 1) if loop in free_vars(e)), default=0) for e in tests]
    for level in sorted({*levels}, reverse=True):
        whole = For("chunk") / For(first, body=Write(total))
        path, loop = loop_at(s, For(inner[level], body=Write(total)) if level < len(inner) else whole)
        s.put(path, If(conjunction([e for e, own in zip(tests, levels) if own == level]), (loop,)))


def is_divided(size: Expr, by: int = 4) -> Expr:
    return Binary("==", Binary("%", size, Int(by)), Int(0))


def accesses(s: TransformSession, array: str) -> list[Index]:
    exprs = [x for f in s.program.functions() for x in body_subexpressions(f.body) if isinstance(x, Index)]
    return [x for x in exprs if root_name(x) == array]


def is_along(s: TransformSession, array: str, inner: str, other: str) -> bool:
    """Does the loop of the sum move a later index of a factor than the loop over rows or columns?"""
    indices = accesses(s, array)[0].indices

    def last(loop: str) -> int:
        return max((n for n, e in enumerate(indices) if loop in free_vars(e)), default=-1)

    return last(inner) > last(other)


def last_size(s: TransformSession, array: str) -> Expr:
    params = [p for f in s.program.functions() for p in f.params if p.name == array]
    sizes = [p.type.dims[-1] for p in params if isinstance(p.type, Array)]
    decls = [x for f in s.program.functions() for x in statements(f.body) if isinstance(x, Decl) and x.name == array]
    sizes += [dims[-1] for x in decls if (dims := dims_of(x))]
    size = next((d for d in sizes if d is not None), None)
    if size is None:
        raise refuse(f"`{array}` is no array of the function", code="OG601")
    return size
