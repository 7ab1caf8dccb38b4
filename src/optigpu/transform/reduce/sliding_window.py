"""`reduce.slide`: sums over a sliding window, each computed from the one before."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Binary, Expr, Index, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, Decl, For, Store
from optigpu.syntax.substitution import substitute, substitute_body
from optigpu.syntax.walk import map_clauses, rewrite
from optigpu.transform.step_results import SlidingSums, handles_from
from optigpu.transform.tools.changed_annotations import without_steps
from optigpu.transform.tools.counted_loops import counts_up_by_one
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import collect_terms, lit, minus, plus, up_to


@transformation
def slide(session: Session, target: TargetLike) -> SlidingSums:
    """Compute sums over a sliding window from one another: add the element that enters the window, subtract the one that leaves it.

    Before:
        for (int i = 0; i < 8; i++) {
          float s = 0.0f;
          for (int k = i; k < i + 3; k++) {
            s += b[k];
          }
          a[i] = s;
        }
    Step: s.reduce.slide("i")
    After:
        float s = 0.0f;
        for (int k = 0; k < 3; k++) {
          s += b[k];
        }
        a[0] = s;
        for (int i = 1; i < 8; i++) {
          s += b[i + 2] - b[i - 1];
          a[i] = s;
        }

    Needs: a loop whose body sums over a window that moves with its index.
    Fails: when the loop may have no iteration, or the size of the window changes.
    Returns: `declaration`, of the sum; `first_window`, the loop that computes the first one. As a target, the loop over the others.
    """
    path = session.find(target, "for")
    loop = without_steps(session, session.at(path))
    if not isinstance(loop, For) or not counts_up_by_one(loop):
        raise refuse("this is not a loop that counts up by one", loop)
    decl, window, add, rest = _window_sum(loop)
    i, start = loop.index, loop.range.start
    low, high = window.range.start, window.range.bound

    def at(e: Expr, index: Expr) -> Expr:
        return substitute(e, {i: index})

    def element(index: Expr) -> Expr:
        return _with_simplified_indices(substitute(add.value, {window.index: collect_terms(index)}))

    if any(collect_terms(minus(at(end, plus(Var(i), lit(1))), end)) != lit(1) for end in (low, high)):
        raise refuse(f"the window does not move by one with `{i}`", window)
    entering, leaving = element(minus(high, lit(1))), element(at(low, minus(Var(i), lit(1))))
    first_window = replace(window.range, start=collect_terms(at(low, start)), bound=collect_terms(at(high, start)))
    contract = map_clauses(window.contract, lambda e: at(e, start))
    first: Body = (decl, replace(window, range=first_window, contract=contract), *substitute_body(rest, {i: start}))
    update = Store(Var(decl.name), Binary("-", entering, leaving), "+")
    sliding = up_to(i, loop.range.bound, (update, *rest), plus(start, lit(1)), replace(loop, contract=()))
    n = path.index
    session.edit_body(path, lambda b: (*b[:n], *first, sliding, *b[n + 1 :]))
    declaration, of_first_window = handles_from(session, path, 2)
    return SlidingSums(session, session.at(path.sibling(len(first))).id, declaration, of_first_window)


def _window_sum(loop: For) -> tuple[Decl, For, Store, Body]:
    """The declaration of the sum, the loop over the window, the addition in it, and the statements after it."""
    match loop.body:
        case (Decl() as decl, For(body=(Store() as add,)) as window, *rest):
            if (
                add.op == "+"
                and add.target == Var(decl.name)
                and decl.init is not None
                and counts_up_by_one(window)
                and loop.index not in free_vars(add.value) | free_vars(decl.init)
            ):
                return decl, window, add, tuple(rest)
        case _:
            pass
    help = "float s = 0; for (k = i; k < i + w; k++) s += …"
    raise refuse("the body does not start with a sum over a window", loop, help)


def _with_simplified_indices(e: Expr) -> Expr:
    return rewrite(e, lambda x: replace(x, indices=tuple(map(collect_terms, x.indices))) if isinstance(x, Index) else x)
