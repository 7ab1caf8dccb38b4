"""Chained assignments: `a[i] = x = e;` is `x = e; a[i] = x;`.

The value of the assignment `x = e` is what x holds after it, so it is converted to the type of x first, as in two statements. C
orders neither the store to x and what `a[i]` reads, nor the two stores. So the targets must not depend on what is stored: their
indices read no memory that can be stored to, and the targets are different variables or arrays.
"""

from __future__ import annotations

from optigpu.frontend.raw_statements import SimpleStatement
from optigpu.frontend.side_effects import loaded_names, pointer_roots
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import INTEGER, MATH, NUMERIC, index_helper
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Addr, Binary, Call, Expr, Index, Var
from optigpu.syntax.program import Body, Store
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.walk import root_name, subexpressions

HELP = "write one assignment after the other"


@dataclass(frozen=True, slots=True)
class Chain:
    """A chained assignment: the variables and arrays that it assigns."""

    targets: tuple[str, ...]
    loc: Loc


def stores_of(simple: SimpleStatement, loc: Loc) -> tuple[tuple[Store, ...], Chain]:
    """The stores of an assignment, chained or not, in their order: innermost first."""
    links = [simple]
    while isinstance(value := links[-1].value, SimpleStatement):
        links.append(value)
    targets = tuple(_target(link) for link in links)
    for at, (link, target) in enumerate(zip(links[:-1], targets)):
        if link.op != "=":
            message = f"`{link.op}` reads its left side: before the assignment to its right, or after?"
            raise input_error("OG116", message, target.loc, help=HELP)
        _require_fixed(target, {root_name(t) for t in targets[at + 1 :]})
    if len(links) > 1:
        _require_fixed(targets[-1], {root_name(targets[-1])})
    stores: list[Store] = []
    for link, target in reversed(list(zip(links, targets))):
        stored = link.value if not isinstance(link.value, SimpleStatement) else stores[-1].target
        assert stored is not None
        op = None if link.op == "=" else link.op[:-1]
        stores.append(Store(target, stored, op, id=StatementId(loc if link is simple else link.loc)))
    return tuple(stores), Chain(tuple(root_name(t) for t in targets), simple.loc)


def _target(link: SimpleStatement) -> Index | Var:
    if not isinstance(link.target, Index | Var):
        raise input_error("OG010", "only a variable or an array element can be assigned", link.target.loc)
    return link.target


def _require_fixed(target: Expr, stored: set[str]) -> None:
    """Which cell the target is depends on no element of an array, on no call that may read one, and on none of these variables."""
    for e in _indices(target):
        for x in subexpressions(e):
            if isinstance(x, Index) or (isinstance(x, Call) and not _is_pure(x.func)):
                message = "this index reads memory: before the assignments of this statement, or after?"
                raise input_error("OG116", message, x.loc, help=HELP)
        if changed := sorted(loaded_names(e) & stored):
            message = f"this index reads `{changed[0]}`, which the same statement assigns"
            raise input_error("OG116", message, e.loc, help=HELP)


def _indices(target: Expr) -> tuple[Expr, ...]:
    """All indices and offsets of a target, `i` and `j` of `(&a[i])[j]`."""
    match target:
        case Var():
            return ()
        case Index(base, indices):
            return (*_indices(base), *indices)
        case Addr(inner):
            return _indices(inner)
        case Binary("+", base, offset):
            return (*_indices(base), offset)
        case _:
            return (target,)


def _is_pure(name: str) -> bool:
    return name in MATH or name in NUMERIC or name in INTEGER or index_helper(name) is not None


def require_different_targets(body: Body, chains: list[Chain]) -> None:
    """Two targets of a chained assignment are not parts of one array, under whatever name."""
    aliases = pointer_roots(body)
    for chain in chains:
        seen: set[str] = set()
        for name in chain.targets:
            names = {name, *aliases.get(name, ())}
            if both := sorted(seen & names):
                message = f"this statement assigns `{both[0]}` twice, and C leaves the order open"
                raise input_error("OG116", message, chain.loc, help=HELP)
            seen |= names
