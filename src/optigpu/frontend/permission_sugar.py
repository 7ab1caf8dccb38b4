"""Other ways to write permissions and ranges, replaced by the forms that the rest of the checker knows.

Uninit(H)                          H with cells that may be uninitialised, also inside of groups
Group(r, items)                    for i in r -> items(i)
DesyncGroup(n, items)              desync_for i in ..n -> items(i)
for i in range(a, b, s) -> H(i)    for i in 0..(b - a + s - 1) / s -> H(a + i * s), and likewise in big operators
in_range(x, range(a, b, s))        a <= x && x < b && (x - a) % s == 0
is_subrange(a..b, c..d)            b <= a || c <= a && b <= d
consumes _RO(f, H)                 reads H
"""

from __future__ import annotations

from collections.abc import Iterable

from optigpu.light_dataclass import replace
from optigpu.syntax.alpha_equality import alpha_equal
from optigpu.syntax.builtins import matrix_predicate
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import (
    ARG_OPERATORS,
    BigOp,
    Binary,
    Call,
    Expr,
    Fun,
    Group,
    Int,
    PointsTo,
    Range,
    RangeBinder,
    TypeOf,
    Var,
)
from optigpu.syntax.free_names import expr_names, free_vars, fresh_name
from optigpu.syntax.program import Clause, Item
from optigpu.syntax.source import Loc
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import FRACTION


def desugared(e: Expr) -> Expr:
    """The expression with its outermost form replaced, or itself."""
    match e:
        case Call("Uninit" | "_Uninit", (h,)):
            return uninitialised(h)
        case Call("Group", (range_, items)):
            return _group(e, range_, items, desync=False)
        case Call("DesyncGroup", (count, items)):
            return _group(e, Range(Int(0, loc=e.loc), count, loc=e.loc), items, desync=True)
        case Group(index, Call("range", (_, _, _)) as r, body):
            number = fresh_name(index, free_vars(r) | expr_names(body) - {index})
            numbers, value = _iterations(r, number)
            return replace(e, index=number, range=numbers, body=substitute(body, {index: value}))
        case BigOp(op, binders, body) if any(_is_strided(b) for b in binders):
            if op in ARG_OPERATORS:
                raise input_error("OG110", f"{op} needs a range of all integers between two ends", e.loc)
            return _strided_operator(e, binders, body)
        case Call("range", (low, high, Int(1))):
            return Range(low, high, loc=e.loc)
        case Call("in_range", (x, Call("range", (low, high, step)))):
            _reject_step(step)
            inside = _and(Binary("<=", low, x, loc=e.loc), Binary("<", x, high, loc=e.loc), e.loc)
            offset = Binary("%", Binary("-", x, low, loc=e.loc), step, loc=e.loc)
            return _and(inside, Binary("==", offset, Int(0, loc=e.loc), loc=e.loc), e.loc)
        case Call("is_subrange", (Range(a, b), Range(c, d))):
            within = _and(Binary("<=", c, a, loc=e.loc), Binary("<=", b, d, loc=e.loc), e.loc)
            return Binary("||", Binary("<=", b, a, loc=e.loc), within, loc=e.loc)
        case _:
            return e


def _and(left: Expr, right: Expr, loc: Loc) -> Expr:
    return Binary("&&", left, right, loc=loc)


def _group(e: Call, range_: Expr, items: Expr, *, desync: bool) -> Expr:
    index = fresh_name("i", free_vars(items) | free_vars(range_))
    i = Var(index, loc=e.loc)
    match items:
        case Fun((p,), body):
            inner = substitute(body, {p.name: i})
        case Var(name):
            inner = Call(name, (i,), loc=e.loc)
        case _:
            raise input_error("OG102", f"`{e.func}` takes a function to permissions", items.loc, help="fun i -> H")
    return Group(index, range_, inner, desync, loc=e.loc)


def _is_strided(b: RangeBinder) -> bool:
    return isinstance(b.range, Call) and b.range.func == "range" and len(b.range.args) == 3


def _reject_step(step: Expr) -> None:
    if isinstance(step, Int) and step.value <= 0:
        raise input_error("OG110", "the step of a range is positive", step.loc)


def _iterations(r: Call, index: str) -> tuple[Range, Expr]:
    """The numbers of the iterations of `range(a, b, s)`, and the value of iteration `index`."""
    low, high, step = r.args
    _reject_step(step)
    if step == Int(1):
        return Range(low, high, loc=r.loc), Var(index, loc=r.loc)
    distance = high if low == Int(0) else Binary("-", high, low, loc=r.loc)
    up: Expr = Int(step.value - 1, loc=r.loc) if isinstance(step, Int) else Binary("-", step, Int(1), loc=r.loc)
    count = Binary("/", Binary("+", distance, up, loc=r.loc), step, loc=r.loc)
    offset = Binary("*", Var(index, loc=r.loc), step, loc=r.loc)
    value = offset if low == Int(0) else Binary("+", low, offset, loc=r.loc)
    return Range(Int(0, loc=r.loc), count, loc=r.loc), value


def _strided_operator(e: BigOp, binders: tuple[RangeBinder, ...], body: Expr) -> Expr:
    out: list[RangeBinder] = []
    values: dict[str, Expr] = {}
    taken = expr_names(e)
    for b in binders:
        range_, number = substitute(b.range, values), b.name
        values.pop(b.name, None)
        if isinstance(range_, Call) and _is_strided(b):
            number = fresh_name(b.name + "0", taken)
            taken.add(number)
            range_, values[b.name] = _iterations(range_, number)
        out.append(replace(b, name=number, range=range_))
    return replace(e, binders=tuple(out), body=substitute(body, values))


def uninitialised(h: Expr) -> Expr:
    """The same cells, which may be uninitialised."""
    h = desugared(h)
    match h:
        case Binary("*", left, right):
            return replace(h, left=uninitialised(left), right=uninitialised(right))
        case Group(body=body):
            return replace(h, body=uninitialised(body))
        case Call("If", (test, body)):
            return replace(h, args=(test, uninitialised(body)))
        case PointsTo(target=Call(name, args) as target) if (m := matrix_predicate(name)) is not None:
            kept = args[: m.rank + (1 if m.with_space else 0)]
            func = f"UninitMatrix{m.rank}{'Of' if m.with_space else ''}"
            return replace(h, target=replace(target, func=func, args=kept))
        case PointsTo(target=target):
            return replace(h, arrow="~>", target=Var("UninitCell", loc=target.loc))
        case _:
            message = "`Uninit` stands around permissions on cells that are written out"
            raise input_error("OG109", message, h.loc, help="Uninit(for i in 0..n -> &a[i] ~~> v)")


# Read-only shares

TAKEN = {"consumes": "reads", "preserves": "reads", "reads": "reads", "xconsumes": "xreads", "xpreserves": "xreads",
         "xreads": "xreads", "spreserves": "sreads", "sreads": "sreads"}  # fmt: skip
RETURNED = {"produces": "consumes", "xproduces": "xconsumes"}  # a clause that gives back, and the one that has taken


def with_shares(clauses: tuple[Clause, ...], fractions: Iterable[str], ghost: bool = False) -> tuple[Clause, ...]:
    """The clauses with `reads H` for a share `_RO(f, H)` that is taken and given back. `fractions`: the names that are known.

    There is one kind of share for reading: a caller keeps what it lends, so a share is not counted, and never sums up to the whole.
    A ghost changes nothing: what it takes and what it gives is held at the same time.
    """
    known = {*fractions, *fraction_names(clauses)}
    out: list[Clause] = []
    for c in clauses:
        for item in c.items:
            if isinstance(item.body, TypeOf) and item.body.of == FRACTION:
                continue
            body, fraction = _without_share(item.body)
            if fraction is None:
                out.append(replace(c, items=(item,)))
                continue
            if not ghost:
                _reject_fraction(fraction, known)
            if c.kind in TAKEN:
                out.append(replace(c, kind=TAKEN[c.kind], items=(replace(item, body=body),)))
            elif ghost and c.kind == "produces":
                out.append(replace(c, kind="reads", items=(replace(item, body=body),)))
            elif not _is_taken(clauses, RETURNED.get(c.kind, ""), item):
                message = "a share for reading is given back where it was taken, as it was"
                raise input_error("OG109", message, item.loc, help='__reads("H")')
    return merged(clauses, out)


def fraction_names(clauses: tuple[Clause, ...]) -> set[str]:
    """The variables of type `_Fraction` that clauses introduce."""
    items = [i for c in clauses for i in c.items if isinstance(i.body, TypeOf) and i.body.of == FRACTION]
    return {i.name for i in items if i.name is not None}


def merged(before: tuple[Clause, ...], after: list[Clause]) -> tuple[Clause, ...]:
    """Clauses of one item each, put together again as they were where their kind is the same."""
    if sum(len(c.items) for c in before) == len(after) and all(
        a.kind == c.kind for a, c in zip(after, (c for c in before for _ in c.items))
    ):
        return before
    return tuple(after)


def _without_share(h: Expr) -> tuple[Expr, Expr | None]:
    """A permission without the `_RO` around its parts, and the fraction; None if it has no `_RO`."""
    match h:
        case Call("_RO", (fraction, inner)):
            body, again = _without_share(inner)
            if again is not None:
                raise input_error("OG109", "a share of a share is a share: one `_RO` is enough", h.loc)
            return body, fraction
        case Group(body=body):
            inner, fraction_ = _without_share(body)
            return (h, None) if fraction_ is None else (replace(h, body=inner), fraction_)
        case Call("If", (test, body)):
            inner, fraction_ = _without_share(body)
            return (h, None) if fraction_ is None else (replace(h, args=(test, inner)), fraction_)
        case Binary("*", left, right):
            (a, f), (b, g) = _without_share(left), _without_share(right)
            if (f is None) != (g is None):
                raise input_error("OG109", "one part of this is a share for reading, the other is not", h.loc,
                                  help="write a clause for each part")  # fmt: skip
            return (h, None) if f is None else (replace(h, left=a, right=b), f)
        case _:
            return h, None


def _reject_fraction(fraction: Expr, known: set[str]) -> None:
    for name in sorted(free_vars(fraction) - known):
        raise input_error("OG100", f"`{name}` is not a fraction", fraction.loc, help=f'__requires("{name}: _Fraction")')
    if isinstance(fraction, Int):
        raise input_error("OG109", "a share for reading is a fraction with a name", fraction.loc, help="__reads")


def _is_taken(clauses: tuple[Clause, ...], kind: str, item: Item) -> bool:
    return any(alpha_equal(i.body, item.body) for c in clauses if c.kind == kind for i in c.items)
