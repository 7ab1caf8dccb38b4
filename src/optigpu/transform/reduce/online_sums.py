"""`reduce.online`: a maximum and a sum of exponentials relative to it, in one pass; `reduce.online_parts`: the same in parts."""

from __future__ import annotations

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Call, Cond, Expr, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import Body, Decl, For, Stmt, Store
from optigpu.syntax.source import StatementId
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import code_exprs, map_bodies, statements, subexpressions
from optigpu.transform.step_results import OnlineParts, handles_from
from optigpu.transform.tools.array_declarations import array_decl
from optigpu.transform.tools.changed_annotations import without_steps
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.declared_types import scalar_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, literal_of, zero_of

EXPONENTIALS = ("expf", "exp", "exp2f", "exp2", "__expf")
SHAPE = "m = fmaxf(m, e); … sum += expf(e - m);"


@transformation
def online(session: Session, target: TargetLike, *, levels: int = 1, maximum: str = "next") -> Handle:
    """Compute a maximum and a sum of exponentials relative to it in one loop: the sum is scaled whenever the maximum grows.

    Before:
        float best = b[0];
        for (int i = 0; i < 8; i++) {
          best = fmaxf(best, b[i]);
        }
        float s = 0.0f;
        for (int i = 0; i < 8; i++) {
          s += expf(b[i] - best);
        }
        a[0] = s;
    Step: s.reduce.online("s")
    After:
        float best = b[0];
        float s = 0.0f;
        for (int i = 0; i < 8; i++) {
          float next = best;
          next = fmaxf(next, b[i]);
          s *= best == next ? 1.0f : expf(best - next);
          s += b[i] == next ? 1.0f : expf(b[i] - next);
          best = next;
        }
        a[0] = s;

    Needs: the two loops in one body, with the same range; the target is the sum, by its name. With `levels`, as many loops inside
    each other become one nest, and the sum is scaled once for each iteration of the innermost of them. Copies that both make first
    are made once. Fails: when the sum is no sum of exponentials relative to the maximum.
    Returns: the loop.
    """
    path = session.find(target, "decl")
    pair = _found(session, path, levels)
    top, total = Var(pair.maximum), Var(pair.sum.name)
    following = Var(session.fresh(maximum, path))
    first, second = _bodies(pair.first, pair.second, levels)
    second = _relative_to(following, _without_repeated(first, second), pair)
    core: Body = (
        Decl(following.name, pair.sum.type, top),
        *substitute_body(first, {top.name: following}),
        Store(total, _exponential(pair.exponential, top, following, pair.elem), "*"),
        *second,
        Store(top, following),
    )
    merged = _with_core(pair.first, core, levels)
    at_first, at_second = pair.positions
    body = session.around(path)
    between = tuple(s for s in body[at_first + 1 : at_second] if s is not pair.sum)
    n = at_first + 1 + len(between)
    session.edit_body(path, lambda b: (*b[:at_first], pair.sum, *between, merged, *b[at_second + 1 :]))
    return session.handle(path.sibling(n - path.index))


@transformation
def online_parts(
    session: Session, target: TargetLike, *, var: str, parts: str, maxima: str, tops: str, part: str = "part"
) -> OnlineParts:
    """Let each iteration of a loop compute its own maximum and sum of exponentials relative to it, and combine them afterwards.

    Before:
        float best = b[0];
        float s = 0.0f;
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < 2; j++) {
            float next = best;
            next = fmaxf(next, b[2 * i + j]);
            s *= best == next ? 1.0f : expf(best - next);
            s += b[2 * i + j] == next ? 1.0f : expf(b[2 * i + j] - next);
            best = next;
          }
        }
        a[0] = s;
    Step: s.reduce.online_parts(For("i"), var="s", parts="sums", maxima="own", tops="top")
    After:
        float best = b[0];
        float s = 0.0f;
        float sums[4];
        float own[4];
        float top[4];
        for (int i = 0; i < 4; i++) {
          float best_part = best;
          float part = 0.0f;
          for (int j = 0; j < 2; j++) {
            float next = best_part;
            next = fmaxf(next, b[2 * i + j]);
            part *= best_part == next ? 1.0f : expf(best_part - next);
            part += b[2 * i + j] == next ? 1.0f : expf(b[2 * i + j] - next);
            best_part = next;
          }
          sums[i] = part;
          own[i] = best_part;
          top[i] = best_part;
        }
        for (int i = 0; i < 4; i++) {
          best = fmaxf(best, top[i]);
        }
        for (int i = 0; i < 4; i++) {
          sums[i] *= own[i] == best ? 1.0f : expf(own[i] - best);
        }
        for (int i = 0; i < 4; i++) {
          s += sums[i];
        }
        a[0] = s;

    Needs: a loop from 0 around what s.reduce.online makes. `maxima` and `tops` hold the same, so that s.reduce.tree can overwrite
    the second. Fails: when the sum does not start at 0.
    Returns: `declarations`, of the arrays; `loop`; `maximum`, `scale` and `sum`, the loops after it. As a target, the first loop.
    """
    path = session.find(target, "for")
    loop = without_steps(session, session.at(path))
    if not isinstance(loop, For) or not is_plain(loop):
        raise refuse("this is not a loop that counts up from 0 by one", loop, "s.loop.shift_range")
    scalar_of(session, path, var)
    top, exponential = _scaled_by(loop, var)
    elem = scalar_of(session, path, var)
    own, own_top = (Var(session.fresh(name, path)) for name in (part, f"{top}_part"))
    arrays = [session.fresh(name, path) for name in (parts, maxima, tops)]
    sums, kept, reduced = (cell(name, [Var(loop.index)]) for name in arrays)
    declared = [array_decl(name, elem, (loop.range.bound,)) for name in arrays]
    body: Body = (
        Decl(own_top.name, elem, Var(top)),
        Decl(own.name, elem, zero_of(elem)),
        *substitute_body(loop.body, {top: own_top, var: own}),
        Store(sums, own),
        Store(kept, own_top),
        Store(reduced, own_top),
    )
    combined: list[Stmt] = [
        Store(Var(top), Call(_maximum_of(loop, top), (Var(top), reduced))),
        Store(sums, _exponential(exponential, kept, Var(top), elem), "*"),
        Store(Var(var), sums, "+"),
    ]
    after = [replace(loop, body=(s,), contract=(), id=StatementId(parent=loop.id)) for s in combined]
    decls, frees = [d for d, _ in declared], [s for _, free in declared for s in free]
    session.put(path, *decls, replace(loop, body=body, contract=()), *after, *frees)
    made = handles_from(session, path, len(decls) + 1 + len(after))
    maximum, scale, total = made[len(decls) + 1 :]
    return OnlineParts(session, made[len(decls)].id, made[: len(decls)], maximum, scale, total)


@dataclass(frozen=True, slots=True)
class MaximumAndSum:
    """Two loops of one body: one that takes a maximum, one that sums up exponentials relative to it, and their positions."""

    maximum: str
    sum: Decl
    exponential: str
    elem: Scalar
    first: For
    second: For
    positions: tuple[int, int]


def _found(session: Session, path: StatementPath, levels: int) -> MaximumAndSum:
    body = session.around(path)
    total = body[path.index]
    wrong = refuse("this is not a sum of exponentials relative to a maximum before it", total, SHAPE)
    at_second = next(
        (i for i, s in enumerate(body) if i > path.index and isinstance(s, For) and _writes(s, total)), None
    )
    if at_second is None or not isinstance(total, Decl) or not isinstance(total.type, Scalar):
        raise wrong
    second = without_steps(session, body[at_second])
    sums = [s.value for s in statements((second,)) if isinstance(s, Store) and s.target == Var(total.name)]
    match sums:
        case [Call(exponential, (Binary("-", _, Var(maximum)),))] if exponential in EXPONENTIALS:
            pass
        case _:
            raise wrong
    at_first = max(
        (i for i, s in enumerate(body[:at_second]) if isinstance(s, For) and _assigns(s, maximum)), default=None
    )
    if at_first is None:
        raise wrong
    first = without_steps(session, body[at_first])
    assert isinstance(first, For) and isinstance(second, For)
    one, other = _nest(first, levels), _nest(second, levels)
    if len(one) != levels or len(other) != levels or [x.range for x in one] != [x.range for x in other]:
        raise refuse("the two loops do not have the same ranges", second, "s.loop.widen_range")
    kept = [s for s in body[at_first + 1 : at_second] if s is not total]
    if any(not isinstance(s, Decl) or maximum in body_free_vars((s,)) for s in kept):
        raise refuse("there are other statements between the two loops", kept[0], "s.instr.move")
    return MaximumAndSum(maximum, total, exponential, total.type, first, second, (at_first, at_second))


def _exponential(function: str, value: Expr, maximum: Expr, elem: Scalar) -> Expr:
    """exp(value - maximum): 1 where the two are equal, since both may be -INFINITY on a machine, as in masked rows, and their
    difference is NaN."""
    difference = Binary("-", value, maximum)
    return Cond(Binary("==", value, maximum), literal_of(elem, 1), Call(function, (difference,)))


def _relative_to(maximum: Var, body: Body, pair: MaximumAndSum) -> Body:
    """The statements that sum up, with exponentials relative to another maximum."""

    def update(s: Stmt) -> Stmt:
        match s:
            case Store(Var(name), Call(_, (Binary("-", value, _),))) if name == pair.sum.name:
                return replace(s, value=_exponential(pair.exponential, value, maximum, pair.elem))
            case _:
                return map_bodies(s, lambda b: tuple(map(update, b)))

    return substitute_body(tuple(map(update, body)), {pair.maximum: maximum})


def _writes(s: Stmt, decl: Stmt) -> bool:
    return isinstance(decl, Decl) and _assigns(s, decl.name)


def _assigns(s: Stmt, name: str) -> bool:
    return any(isinstance(x, Store) and x.target == Var(name) for x in statements((s,)))


def _nest(loop: For, levels: int) -> list[For]:
    """As many loops, each of which is the whole body of the one before; fewer if there are not so many."""
    nest = [loop]
    while len(nest) < levels and len(nest[-1].body) == 1 and isinstance(inner := nest[-1].body[0], For):
        nest.append(inner)
    return nest


def _bodies(first: For, second: For, levels: int) -> tuple[Body, Body]:
    """The bodies of the innermost loops of two nests, in terms of the indices of the first."""
    one, other = _nest(first, levels), _nest(second, levels)
    return one[-1].body, substitute_body(other[-1].body, {y.index: Var(x.index) for x, y in zip(one, other)})


def _with_core(loop: For, core: Body, levels: int) -> For:
    if levels > 1:
        inner = loop.body[0]
        assert isinstance(inner, For)
        core = (_with_core(inner, core, levels - 1),)
    return replace(loop, body=core, contract=())


def _without_repeated(first: Body, second: Body) -> Body:
    """The second body without the copies at its start that are also made at the start of the first one."""
    names: dict[str, Var] = {}
    while first and second:
        a, b = first[0], substitute_body(second[:1], dict(names))[0]
        if isinstance(a, Decl) and isinstance(b, Decl) and a.type == b.type and a.init == b.init:
            names[b.name] = Var(a.name)
        elif isinstance(a, Decl) or a != b:
            break
        first, second = first[1:], second[1:]
    return substitute_body(second, dict(names))


def _scaled_by(loop: For, var: str) -> tuple[str, str]:
    """The maximum relative to which a loop sums up exponentials, and the function."""
    for s in statements(loop.body):
        match s:
            case Store(Var(name), Cond(_, _, factor) | factor, "*") if name == var:
                match factor:
                    case Call(exponential, (Binary("-", Var(top), _),)):
                        return top, exponential
            case _:
                pass
    raise refuse(f"`{var}` is not scaled here", loop, "s.reduce.online comes first")


def _maximum_of(loop: For, top: str) -> str:
    """The function that takes the maximum."""
    calls = (x for s in statements(loop.body) for e in code_exprs(s) for x in subexpressions(e) if isinstance(x, Call))
    name = next((x.func for x in calls if x.func in ("fmaxf", "fmax")), None)
    if name is None:
        raise refuse(f"`{top}` is no maximum here", loop)
    return name
