"""What the use of a ghost claims: the contract of the ghost, with the arguments in the place of its parameters.

A ghost without a body is not called. Its claims are typed and checked where it is used, so its parameters can be what no function
takes: permissions, ranges, pointers to elements of any type. Parameters without an argument are found as follows, or left open:

    a size of an array that is given       from the declaration of the array
    a side of an equation that is given    from the fact: `by := h` with h: a == b gives `from` and `to`
    the contents of an array               left open: the cells are initialised
    in a fact only                         the fact is left out
    anything else                          is an error
"""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.frontend.permission_sugar import with_shares
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import matrix_predicate
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Array, Binary, Call, Expr, PointsTo, ProofType, TypeOf, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Clause, Function, Ghost, Item
from optigpu.syntax.source import Loc
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import ELEMENT, FRACTION, TYPE
from optigpu.syntax.walk import map_children, rewrite, subexpressions

OPEN = "?"  # before the name of a parameter that has no argument; no name of a program begins with it


def ghost_contract(ghost: Function, ghosts: Mapping[str, Function]) -> tuple[Clause, ...]:
    """The contract of a ghost; with `__reverts(g)`, what g takes is given and what g gives is taken."""
    out: list[Clause] = []
    types = {i.name for c in ghost.contract for i in c.items if isinstance(i.body, TypeOf) and i.body.of == TYPE}
    for c in ghost.contract:
        if c.kind != "reverts":
            out.append(replace(c, items=tuple(_typed_value(i, types) for i in c.items)))
            continue
        name = reverted_name(c)
        if name not in ghosts:
            raise input_error("OG115", f"`{name}` is not a known ghost", c.loc)
        out += [reverted(x) for x in ghost_contract(ghosts[name], ghosts)]
    return tuple(out)


def _typed_value(item: Item, types: set[str | None]) -> Item:
    """`x: T` with `T: Type` is a value, not a fact."""
    is_value = isinstance(item.body, Var) and item.body.name in types
    return replace(item, body=TypeOf(ELEMENT, loc=item.loc)) if is_value else item


def reverted_name(c: Clause) -> str:
    body = c.items[0].body
    assert isinstance(body, Var)
    return body.name


def reverted(c: Clause) -> Clause:
    """A clause of a ghost, read from its end to its start."""
    return replace(c, kind={"consumes": "produces", "produces": "consumes"}.get(c.kind, c.kind))


def claims_at_use(s: Ghost, ghost: Function, ghosts: Mapping[str, Function]) -> tuple[Clause, ...]:
    """The claims of a ghost statement whose arguments are typed. They are formulas of the place where the statement stands."""
    contract = ghost_contract(ghost, ghosts)
    items = [i for c in contract for i in c.items]
    given = {a.name: a.value for a in s.args if a.name is not None}
    values: dict[str, Expr] = {}
    values |= {name: e for name, e in given.items() if not isinstance(e.type, ProofType) and not isinstance(e, TypeOf)}
    parameters = [i.name for i in items if isinstance(i.body, TypeOf) and i.body.of not in (TYPE, FRACTION) and i.name]
    _find_sides(items, given, values, parameters)
    _find_sizes(items, values, parameters)
    opened: dict[str, Expr] = {name: Var(OPEN + name) for name in parameters if name not in values}
    sub = {**values, **opened}
    out = [
        Clause("requires", (Item(None, e.type.prop, s.loc),), s.loc)
        for e in given.values()
        if isinstance(e.type, ProofType)
    ]
    for c in contract:
        for item in c.items:
            if not isinstance(item.body, TypeOf):
                body = _with_open_contents(substitute(_moved(item.body, s.loc), sub))
                out += _closed_clause(s, c, replace(item, body=body, loc=s.loc))
    return with_shares(tuple(out), (), ghost=True)


def _closed_clause(s: Ghost, c: Clause, item: Item) -> list[Clause]:
    """The clause, unless it is a fact about an open parameter. A permission needs all its parameters."""
    missing = sorted({name[1:] for name in free_vars(item.body) if name.startswith(OPEN)})
    if missing and c.kind not in ("requires", "ensures"):
        names = ", ".join(f"{name} := …" for name in missing)
        raise input_error("OG115", f"`{s.func}` needs more arguments here", s.loc, help=names)
    return [] if missing else [Clause(c.kind, (item,), s.loc)]


def _moved(e: Expr, loc: Loc) -> Expr:
    """The formula of a ghost, as if it were written where the ghost is used."""
    return rewrite(e, lambda x: replace(x, loc=loc))


def _find_sides(items: list[Item], given: Mapping[str, Expr], values: dict[str, Expr], parameters: list[str]) -> None:
    """`by: from == to` with `by := h` for a fact h: a == b binds `from` to a and `to` to b, if these have no value."""
    for item in items:
        value = given.get(item.name or "")
        if value is not None and isinstance(value.type, ProofType):
            _match(item.body, value.type.prop, values, parameters)


def _match(pattern: Expr, fact: Expr, values: dict[str, Expr], parameters: list[str]) -> None:
    match pattern, fact:
        case Var(name), _ if name in parameters:
            values.setdefault(name, fact)
        case Binary(_, a, b), Binary(_, x, y):
            _match(a, x, values, parameters)
            _match(b, y, values, parameters)
        case _:
            pass


def _find_sizes(items: list[Item], values: dict[str, Expr], parameters: list[str]) -> None:
    """The sizes of an array, from its declaration: `n` in `a ~> Matrix1(n, A)`, if it has no value."""
    for e in (x for i in items for x in subexpressions(i.body)):
        match e:
            case PointsTo(Var(array), _, Call(func, args)) if (m := matrix_predicate(func)) and array in values:
                type_ = values[array].type
                dims = type_.dims if isinstance(type_, Array) else ()
                for size, d in zip(args[: m.rank], dims):
                    if isinstance(size, Var) and size.name in parameters and d is not None:
                        values.setdefault(size.name, d)
            case _:
                pass


def _with_open_contents(e: Expr) -> Expr:
    """Permissions without the values that speak of open parameters: the cells are initialised."""
    match e:
        case PointsTo(target=Call(func, args) as target) if (m := matrix_predicate(func)) is not None:
            if m.contents == "values" and _is_open(args[-1]):
                name = f"Cells{m.rank}{'Of' if m.with_space else ''}"
                return replace(e, target=replace(target, func=name, args=args[:-1]))
            return e
        case PointsTo(target=target) if _is_open(target):
            return replace(e, arrow="~>", target=Var("Cell", loc=target.loc))
        case _:
            return map_children(e, _with_open_contents)


def _is_open(e: Expr) -> bool:
    return any(name.startswith(OPEN) for name in free_vars(e))
