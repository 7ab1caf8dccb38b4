"""The contract of a loop divided between the two loops that fission makes of it."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Expr
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, CallStmt, Clause, Store
from optigpu.syntax.walk import root_name, statements
from optigpu.transform.tools.changed_permissions import permission_names

Contract = tuple[Clause, ...]

AT_START = {"xconsumes": "xconsumes", "xpreserves": "xconsumes"}  # what a clause says of the start of an iteration
AT_END = {"xproduces": "xproduces", "xpreserves": "xproduces", "xwrites": "xproduces"}  # and of its end
SHARED = ("sreads", "xreads")


def divided_contract(contract: Contract, first: Body, second: Body) -> tuple[Contract, Contract]:
    """The clauses that hold for the first part of a loop's body alone, and for the second.

    An array that one part alone changes keeps its clauses there. Of an array that both change, the first part gets what holds at
    the start of an iteration, the second part what holds at its end. Facts go to both: formulas name no variable that changes.
    """
    parts: tuple[list[Clause], list[Clause]] = ([], [])
    changed, used = (_changed(first), _changed(second)), (body_free_vars(first), body_free_vars(second))
    for c in _item_by_item(contract):
        names = _names((c,))
        if not names:
            parts[0].append(c)
            parts[1].append(c)
        elif c.kind in SHARED:
            for part, visible in zip(parts, used):
                part += [c] if names & visible else []
        elif not (names & changed[0] and names & changed[1]):
            parts[bool(names & changed[1]) or not names & used[0]].append(c)
        else:
            parts[0].extend([replace(c, kind=AT_START[c.kind])] if c.kind in AT_START else [])
            parts[1].extend([replace(c, kind=AT_END[c.kind])] if c.kind in AT_END else [])
    return tuple(parts[0]), tuple(parts[1])


def joined_contract(first: Contract, second: Contract) -> Contract:
    """The contract of a loop that does what two loops did one after the other in each iteration.

    Of an array in both contracts, it has what the first one says of the start of an iteration, and the second one of its end.
    """
    first, second = _item_by_item(first), _item_by_item(second)
    both = _names(first) & _names(second)
    out: list[Clause] = []
    for c, kinds in (*((c, AT_START) for c in first), *((c, AT_END) for c in second)):
        if not _names((c,)) & both or c.kind in SHARED:
            out += [] if c in out else [c]
        elif c.kind in kinds:
            out.append(replace(c, kind=kinds[c.kind]))
    return tuple(out)


def _item_by_item(contract: Contract) -> Contract:
    """`__xconsumes("H, K")` as two clauses."""
    return tuple(replace(c, items=(i,)) for c in contract for i in c.items)


def _names(contract: Contract) -> set[str]:
    return {name for c in contract for i in c.items for name in permission_names(i.body)}


def _changed(body: Body) -> set[str]:
    """The arrays and variables that statements may change: those that they assign, or pass to a function."""
    names = {root_name(s.target) for s in statements(body) if isinstance(s, Store)}
    arguments: list[Expr] = [a for s in statements(body) if isinstance(s, CallStmt) for a in s.call.args]
    return names.union(*map(free_vars, arguments))
