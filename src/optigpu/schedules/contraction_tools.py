"""What schedules of sums of products look up, and prepare, in the program."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from optigpu.light_dataclass import dataclass, replace
from optigpu.schedules.quotients import has_moving_quotients
from optigpu.script.targets import Decl as DeclTarget
from optigpu.script.targets import For, Target, Write
from optigpu.syntax.exprs import Array, Binary, Cast, Expr, Index, Int, Real
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Decl
from optigpu.syntax.program import For as Loop
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import root_name, statements, stmt_exprs, subexpressions
from optigpu.transform.loop.loop_targets import loop_at
from optigpu.transform.registry import TransformSession
from optigpu.transform.tools.array_declarations import dims_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import folded, value_of
from optigpu.transform.tools.unknown_names import no_such_name

VECTOR = 4  # elements of one access
REGISTERS = 1 << 16  # of a multiprocessor
ADDRESSES = 32  # registers of a thread for indices and addresses
ENOUGH_BLOCKS = 4  # on a multiprocessor: with more, small blocks would get too few registers each


def inline_constants(s: TransformSession) -> None:
    """Let the indices of accesses speak of loops, in place of constants that are declared inside the loops."""
    loops = [x for _, x in s.searched() if isinstance(x, Loop)]
    inside = [x for loop in loops for x in statements(loop.body) if isinstance(x, Decl)]
    names = {x.name: None for x in inside if x.const and isinstance(x.type, Scalar)}
    for name in names:
        s.variable.inline(name)


def start_at_zero(s: TransformSession, total: str) -> None:
    """Add the value that a sum starts with, such as a bias, after the sum: tensor cores and guarded sums start with zero."""
    first = s.at(DeclTarget(total))
    init = first.init if isinstance(first, Decl) else None
    while isinstance(init, Cast):
        init = init.arg
    if init is not None and not (isinstance(init, Int | Real) and init.value == 0):
        s.accesses.shift_var(total, factor=init, inv=True)


def number_bound(s: TransformSession, name: str) -> int:
    """Write the bound of a loop as a number, in place of a macro."""
    path, loop = loop_at(s, name)
    bound = folded(substitute(loop.range.bound, constants_of(s.program)))
    s.put(path, replace(loop, range=replace(loop.range, bound=bound)))
    count = value_of(bound)
    if count is None:
        raise refuse(f"the bound of the loop over `{name}` is not a number", loop)
    return count


def is_divided(size: Expr, by: int = VECTOR) -> Expr:
    return Binary("==", Binary("%", size, Int(by)), Int(0))


def accesses(s: TransformSession, array: str) -> list[Index]:
    exprs = [x for _, y in s.searched() for e in stmt_exprs(y) for x in subexpressions(e) if isinstance(x, Index)]
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
    whole = [
        x for f in s.program.functions() for x in statements(f.body)
    ]  # it may be declared outside what is searched
    decls = [x for x in whole if isinstance(x, Decl) and x.name == array]
    sizes += [dims[-1] for x in decls if (dims := dims_of(x))]
    size = next((d for d in sizes if d is not None), None)
    if size is None:
        known = [p.name for f in s.program.functions() for p in f.params if isinstance(p.type, Array)]
        known += [x.name for x in whole if isinstance(x, Decl) and dims_of(x)]
        raise no_such_name(f"`{array}` is no array of the function", array, known)
    return size


def filling(array: str, loop: str) -> Target:
    """A loop of the first statement that writes an array."""
    return For(loop, body=Write(array).first)


def make_fast_path(s: TransformSession, array: str, order: Sequence[str], when: Expr | None) -> bool:
    """Test once for all iterations whether they are inside the arrays: at the outermost loop of a copy whose first and last
    iterations tell where those between are. False if there is none."""
    for loop in order:
        if not has_moving_quotients(s, filling(array, loop)):
            s.loop.fast_path(filling(array, loop), when=when)
            return True
    return False


def resident_blocks(rows: int, cols: int) -> int:
    """How many blocks with so many sums a multiprocessor has registers for: the sums, and as many for all else."""
    return max(1, REGISTERS // (2 * rows * cols))


def blocks_by_registers(threads: int, each: tuple[int, int], loaded: int) -> int:
    """For how many blocks a multiprocessor has registers, if a thread has `each` rows and columns of sums and loads so many
    elements of the next chunk early: the sums, their factors, what is loaded, and addresses."""
    rows, cols = each
    blocks = REGISTERS // (threads * (rows * cols + rows + cols + loaded + ADDRESSES))
    return min(ENOUGH_BLOCKS, max(1, blocks))


@dataclass(frozen=True)
class ThreadShares:
    """Loops that all threads of a block share: thread loops, the fastest first; others; and which loops are divided for that:
    the loop, the name of the outer one, the size of the inner one."""

    threads: list[str]
    rest: list[str]
    cuts: list[tuple[str, str, int]]


def thread_shares(order: Sequence[str], extents: dict[str, int], threads: int, what: str) -> ThreadShares:
    """Take loops as thread loops, the fastest first, until there are enough threads; a loop may be divided."""
    if not can_share(threads, *(extents[loop] for loop in order)):
        raise refuse(f"{threads} threads cannot share the copy of {what}", code="OG604")
    shares = ThreadShares([], [], [])
    for loop in order:
        taken = gcd(extents[loop], threads)
        threads //= taken
        if taken == 1:
            shares.rest.append(loop)
            continue
        if taken < extents[loop]:
            shares.rest.append(loop + "_rest")
            shares.cuts.append((loop, shares.rest[-1], taken))
        shares.threads.append(loop)
    return shares


def can_share(threads: int, *extents: int) -> bool:
    """Can all threads take part in loops of these extents?"""
    for extent in extents:
        threads //= gcd(extent, threads)
    return threads == 1
