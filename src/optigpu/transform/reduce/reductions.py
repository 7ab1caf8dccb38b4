"""Reductions: `reduce.parts` computes partial results, `reduce.tree` combines the elements of an array pairwise, `reduce.select`
makes a guarded update unconditional."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Call, Cond, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, Decl, For, If, LoopRange, Store
from optigpu.syntax.source import StatementId
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import code_exprs, statements
from optigpu.transform.step_results import PartialResults, TreeReduction, handles_from
from optigpu.transform.tools.array_declarations import array_decl
from optigpu.transform.tools.changed_annotations import without_steps
from optigpu.transform.tools.changed_permissions import ChangedPermissions, annotations_on
from optigpu.transform.tools.counted_loops import is_plain
from optigpu.transform.tools.declared_types import scalar_of
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, collect_terms, less, lit, literal_of, plus, value_of
from optigpu.transform.tools.values_before import value_before

EXTREMES = ("fmaxf", "fminf", "fmax", "fmin", "max", "min")
NEUTRAL = {"+": 0, "*": 1}  # of sums and products


@transformation
def parts(session: Session, target: TargetLike, *, var: str, parts: str, part: str = "part") -> PartialResults:
    """Let each iteration of a loop reduce into its own element of an array, and combine the elements afterwards.

    Before:
        float x = 0.0f;
        for (int i = 0; i < 8; i++) {
          for (int j = i; j < n; j += 8) {
            x += b[j];
          }
        }
        a[0] = x;
    Step: s.reduce.parts(For("i"), var="x", parts="t")
    After:
        float x = 0.0f;
        float t[8];
        for (int i = 0; i < 8; i++) {
          float part = 0.0f;
          for (int j = i; j < n; j += 8) {
            part += b[j];
          }
          t[i] = part;
        }
        for (int i = 0; i < 8; i++) {
          x += t[i];
        }
        a[0] = x;

    Needs: a loop from 0 that adds to `var`, multiplies it, or takes a maximum or minimum with it, and does not use it otherwise.
    Partial sums start at 0, products at 1, maxima and minima at the value of the variable.
    Fails: when the loop uses the variable otherwise.
    Returns: `declaration`, of the array; `loop`; `combine`, the loop after it. As a target, the loop that combines.
    """
    path = session.find(target, "for")
    loop = session.at(path)
    if not isinstance(loop, For) or not is_plain(loop):
        raise refuse("this is not a loop that counts up from 0 by one", loop, "s.loop.shift_range")
    elem = scalar_of(session, path, var)
    update = _only_update(loop, var)
    array, local = (session.fresh(name, path) for name in (parts, part))
    element = cell(array, [Var(loop.index)])
    first = first_part(update, elem)
    inside = _without_first_value(session, path, loop.body, var) if update.op == "+" else loop.body
    body = (Decl(local, elem, first), *substitute_body(inside, {var: Var(local)}), Store(element, Var(local)))
    combine = replace(
        loop, body=(with_operands(update, Var(var), element),), contract=(), id=StatementId(parent=loop.id)
    )
    decl, free = array_decl(array, elem, (loop.range.bound,))
    session.put(path, decl, replace(loop, body=body, contract=()), combine, *free)
    declaration, loop_of_parts, combining = handles_from(session, path, 3)
    return PartialResults(session, combining.id, declaration, loop_of_parts)


@transformation
def tree(session: Session, target: TargetLike, *, index: str = "h") -> TreeReduction:
    """Reduce a local array as a binary tree: each pass adds the second half of the remaining elements to the first half. The array
    is overwritten. Maxima and minima are reduced in the same way.

    Before:
        float t[8];
        for (int i = 0; i < 8; i++) {
          t[i] = b[i];
        }
        float x = 0.0f;
        for (int i = 0; i < 8; i++) {
          x += t[i];
        }
        a[0] = x;
    Step: s.reduce.tree(For("i").last)
    After:
        float t[8];
        for (int i = 0; i < 8; i++) {
          t[i] = b[i];
        }
        float x = 0.0f;
        for (int h = 4; h > 0; h >>= 1) {
          for (int i = 0; i < 8; i++) {
            if (i < h) {
              t[i] += t[i + h];
            }
          }
        }
        x += t[0];
        a[0] = x;

    Needs: a loop over all elements of an array whose size is a power of two. Fails: when the array is used afterwards.
    Returns: `passes` and `inner`, the two loops; `total`, the update after them. As a target, the loop over the passes.
    """
    path = session.find(target, "for")
    loop = without_steps(session, session.at(path))
    match loop:
        case For(i, _, (Store(into) as update,)) if is_plain(loop) and is_reduction(update):
            size, element = value_of(loop.range.bound), operand(update)
        case _:
            raise refuse("this is not a loop that adds up an array", loop, "for (i = 0; i < 256; i++) sum += s[i];")
    if not isinstance(element, Index) or element.indices != (Var(i),) or not isinstance(element.base, Var):
        raise refuse("this is not a loop over an array", loop, "for (i = 0; i < 256; i++) sum += s[i];")
    if size is None or size & (size - 1) or size < 1:
        raise refuse("the number of elements is not a power of two", loop)
    h = session.fresh(index, path)
    array = element.base.name
    pair = with_operands(update, cell(array, [Var(i)]), cell(array, [plus(Var(i), Var(h))]))
    level = replace(loop, body=(If(less(Var(i), Var(h)), (pair,)),), contract=())
    halves = For(h, LoopRange(lit(size // 2), ">", lit(0), ">>", lit(1)), (level,))
    session.put(path, halves, with_operands(update, into, cell(array, [lit(0)])))
    inner, total = session.handle(path.child(0)), session.handle(path.sibling(1))
    return TreeReduction(session, session.at(path).id, inner, total)


@transformation
def select(session: Session, target: TargetLike) -> Handle:
    """Make a guarded update of a sum, product, maximum or minimum unconditional: where the guard does not hold, it is made with a
    value that changes nothing.

    Before:
        float x = 0.0f;
        for (int i = 0; i < n; i++) {
          if (b[i] > 0.0f) {
            x += b[i];
          }
        }
        a[0] = x;
    Step: s.reduce.select(Write("x"))
    After:
        float x = 0.0f;
        for (int i = 0; i < n; i++) {
          x += b[i] > 0.0f ? b[i] : 0.0f;
        }
        a[0] = x;

    Needs: an update that is the only statement of an `if` without `else`. Fails: never for those.
    Returns: the update.
    """
    path = session.find(target, "write")
    update, guard = session.at(path), session.at(path.parent) if path.ancestors() else None
    match guard:
        case If(test, (Store(),), ()) if isinstance(update, Store) and is_reduction(update):
            elem = update.target.type
            if not isinstance(elem, Scalar):
                raise refuse("this is not an update of a number", update)
            value = Cond(test, operand(update), first_part(update, elem))
            session.put(path.parent, with_operands(update, update.target, value))
            return session.handle(path.parent)
        case _:
            raise refuse("this is not a guarded update", update, "if (c) x += e;")


def _without_first_value(session: Session, path: StatementPath, body: Body, var: str) -> Body:
    """The body of a loop whose annotations speak of a sum without its value at the start of the iteration."""
    if not annotations_on(body, var):
        return body
    first = value_before(session, path.child(0), Var(var))
    changed = ChangedPermissions(var, lambda e, f: Binary("-", e, f), first, collect_terms)
    return changed.body(body, session.annotation_changes)


def _only_update(loop: For, var: str) -> Store:
    """The one statement of a loop that reduces into a variable, if the loop does not use the variable otherwise."""
    updates = [s for s in statements(loop.body) if isinstance(s, Store) and s.target == Var(var)]
    others = [e for s in statements(loop.body) if s not in updates for e in code_exprs(s)]
    others += [operand(s) for s in updates]
    if len(updates) != 1 or not is_reduction(updates[0]) or any(var in free_vars(e) for e in others):
        raise refuse(f"`{var}` is not only added to here, or compared with", loop, "x += e; or x = fmaxf(x, e);")
    return updates[0]


def first_part(s: Store, elem: Scalar) -> Expr:
    """What a part of the reduction starts with: a neutral element, or for maxima and minima the value of the variable."""
    if s.op is None:
        return s.target
    return literal_of(elem, NEUTRAL[s.op])


def is_reduction(s: Store) -> bool:
    """Is this `x += e`, `x *= e` or `x = fmaxf(x, e)`?"""
    match s:
        case Store(x, Call(name, (old, _)), None):
            return name in EXTREMES and old == x
        case _:
            return s.op in NEUTRAL


def operand(s: Store) -> Expr:
    """The e of `x += e`, `x *= e` or `x = fmaxf(x, e)`."""
    return s.value.args[1] if isinstance(s.value, Call) and s.op is None else s.value


def with_operands(s: Store, into: Index | Var, value: Expr) -> Store:
    """The same reduction with another x and e."""
    if s.op is None and isinstance(s.value, Call):
        return Store(into, replace(s.value, args=(into, value)))
    return Store(into, value, s.op)
