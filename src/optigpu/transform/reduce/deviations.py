"""`reduce.moments`: a mean and the squared deviations from it, in one pass over the elements."""

from __future__ import annotations

from optigpu.light_dataclass import dataclass, replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Expr, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.program import Body, Decl, For, Stmt, Store
from optigpu.syntax.substitution import substitute
from optigpu.transform.tools.changed_annotations import without_steps
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import plus

SHAPE = "sum += e; … m = sum / n; … squares += (e - m) * (e - m);"


@transformation
def moments(session: Session, target: TargetLike, *, shift: str = "shift", deviation: str = "d") -> Handle:
    """Sum up squared deviations from a mean in the loop that computes the mean, so that elements are read once. Both are sums of
    distances from the first element: unlike sums of elements and their squares, these do not cancel where the mean is large.

    Before:
        float sum = 0.0f;
        for (int i = 0; i < 8; i++) {
          sum += b[i];
        }
        const float mean = sum / 8.0f;
        float squares = 0.0f;
        for (int i = 0; i < 8; i++) {
          squares += (b[i] - mean) * (b[i] - mean);
        }
        a[0] = squares;
    Step: s.reduce.moments("squares")
    After:
        const float shift = b[0];
        float sum = 0.0f;
        float squares = 0.0f;
        for (int i = 0; i < 8; i++) {
          const float d = b[i] - shift;
          sum += d;
          squares += d * d;
        }
        const float mean = shift + sum / 8.0f;
        squares -= sum * (sum / 8.0f);
        a[0] = squares;

    Needs: two loop nests with the same ranges in one body, the second one with deviations from the sum of the first over a count.
    The target is the sum of squares, by its name. Fails: when a loop may have no iteration, or the count is not their number.
    Returns: the loop.
    """
    path = session.find(target, "decl")
    found = _deviations(session, path)
    names = [session.fresh(name, path) for name in (shift, deviation)]
    first, d = (Var(name) for name in names)
    scalar = found.squares.type
    sum_, squares = Var(found.sum.name), Var(found.squares.name)
    starts = {x.index: x.range.start for x in found.nest}
    element = found.element
    body: Body = (
        Decl(d.name, scalar, Binary("-", element, first), const=True),
        Store(sum_, d, "+"),
        Store(squares, Binary("*", d, d), "+"),
    )
    for loop in reversed(found.nest):
        body = (replace(loop, body=body, contract=()),)
    quotient = Binary("/", sum_, found.count)
    new: dict[int, Body] = {
        found.at["sum"]: (Decl(first.name, scalar, substitute(element, starts), const=True), found.sum, found.squares),
        found.at["loop"]: body,
        found.at["mean"]: (
            replace(found.mean, init=plus(first, quotient)),
            Store(squares, Binary("*", sum_, quotient), "-"),
        ),
        found.at["squares"]: (),
        found.at["deviations"]: (),
    }
    session.edit_body(path, lambda b: tuple(x for i, s in enumerate(b) for x in new.get(i, (s,))))
    return session.handle(path.sibling(found.at["loop"] - path.index + 2))


@dataclass(frozen=True, slots=True)
class Deviations:
    """The statements of a mean and of the squared deviations from it; `at` has their positions in the body."""

    sum: Decl
    nest: list[For]
    element: Expr
    mean: Decl
    count: Expr
    squares: Decl
    at: dict[str, int]


def _deviations(session: Session, path: StatementPath) -> Deviations:
    """Find the statements around the declaration of a sum of squares."""
    body = session.around(path)
    squares = body[path.index]
    wrong = refuse("this is not a sum of squared deviations from a mean before it", squares, SHAPE)
    if not isinstance(squares, Decl):
        raise wrong
    after = _sum_into(session, body, squares.name, path.index)
    if after is None:
        raise wrong
    second, at_second, value = after
    match value:
        case Binary("*", Binary("-", element, Var(m)) as one, other) if one == other:
            pass
        case _:
            raise wrong
    at_mean = _declaration(body, m)
    mean = None if at_mean is None else body[at_mean]
    if at_mean is None or not isinstance(mean, Decl):
        raise wrong
    match mean.init:
        case Binary("/", Var(name), count):
            at_sum = _declaration(body, name)
        case _:
            raise wrong
    before = None if at_sum is None else _sum_into(session, body, name, at_sum)
    if at_sum is None or before is None:
        raise wrong
    first, at_first, summand = before
    own = {x.index: Var(y.index) for x, y in zip(second, first)}
    same_ranges = [x.range for x in first] == [x.range for x in second]
    if not same_ranges or substitute(element, own) != summand or not at_sum < at_first < at_mean < at_second:
        raise wrong
    used = [i for i, s in enumerate(body) if name in body_free_vars((s,)) and i not in (at_first, at_mean)]
    if used:
        raise refuse(f"`{name}` is also used here: it will be a sum of distances", body[used[0]])
    sum_ = body[at_sum]
    assert isinstance(sum_, Decl)
    at = {"sum": at_sum, "loop": at_first, "mean": at_mean, "squares": path.index, "deviations": at_second}
    return Deviations(sum_, first, summand, mean, count, squares, at)


def _declaration(body: Body, name: str) -> int | None:
    return next((i for i, s in enumerate(body) if isinstance(s, Decl) and s.name == name), None)


def _sum_into(session: Session, body: Body, name: str, start: int) -> tuple[list[For], int, Expr] | None:
    """The loops after a position that add to a variable, outermost first, their position, and what they add."""
    for i, s in enumerate(body):
        if i > start and isinstance(s, For) and name in body_free_vars((s,)):
            nest: list[For] = []
            inner: Stmt = without_steps(session, s)
            while isinstance(inner, For) and len(inner.body) == 1:
                nest.append(inner)
                inner = inner.body[0]
            is_sum = isinstance(inner, Store) and inner.target == Var(name) and inner.op == "+"
            return (nest, i, inner.value) if is_sum and isinstance(inner, Store) else None
    return None
