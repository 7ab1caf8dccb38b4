"""`function.versions`: one function with two bodies, of which a condition on its arguments chooses."""

from __future__ import annotations

from optigpu.script.editing import StatementPath
from optigpu.script.handles import IfBranch
from optigpu.script.session import Session
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Var
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.macro_constants import constants_of
from optigpu.syntax.program import Body, Decl, If, Return, Stmt, Store
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import reads_memory, statements
from optigpu.transform.step_results import Versions
from optigpu.transform.tools.c_text import Size, as_expression, without_ids
from optigpu.transform.tools.refusal import refuse


@transformation
def versions(session: Session, when: Size, *, at: IfBranch | None = None) -> Versions:
    """Make two versions of a function, one for arguments that satisfy a condition and one for all others. Later steps optimise each
    of them by itself: `fast, rest = s.function.versions("n % 4 == 0")`, then `with s.inside(fast):`, or `fast / For("i")`.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.function.versions("n % 4 == 0")
    After:
        if (n % 4 == 0) {
          for (int i = 0; i < n; i++) {
            a[i] = 0.0f;
          }
        } else {
          for (int i = 0; i < n; i++) {
            a[i] = 0.0f;
          }
        }

    Needs: a condition on numbers that the function takes. `at`: a version that is divided again.
    Fails: never, since both do the same.
    Returns: `fast` and `rest`, the two versions; it can be unpacked. As a target, the `if`.
    """
    if at is not None:
        with session.inside(at):
            return _divided(session, as_expression(when))
    return _divided(session, as_expression(when))


def _divided(session: Session, test: Expr) -> Versions:
    first = _first_of_body(session)
    _require_numbers_of_arguments(session, first, test)
    body = session.around(first)
    returned = body[-1].value if isinstance(body[-1], Return) else None
    if returned is None:
        session.edit_body(first, lambda _: (_choice(test, body, ()),))
        return Versions(session, session.handle(first).id)
    result = session.fresh("result", first)
    kind = returned.type
    if not isinstance(kind, Scalar):
        raise refuse("the type of the result is not known", body[-1])
    chosen = _choice(test, body[:-1], (Store(Var(result), returned),))
    session.edit_body(first, lambda _: (Decl(result, kind), chosen, Return(Var(result))))
    return Versions(session, session.handle(first.sibling(1)).id)


def _choice(test: Expr, body: Body, end: Body) -> Stmt:
    return If(test, (*body, *end), tuple(without_ids(s) for s in (*body, *end)))


def _first_of_body(session: Session) -> StatementPath:
    """The first statement of the body that is divided: of the function, or of a version of it."""
    firsts = [path for path in session.outermost_searched() if path.index == 0]
    if len(firsts) > 1:
        names = ", ".join(dict.fromkeys(path.function for path in firsts))
        raise refuse(f"the program has several functions: {names}", help="og.Script(…, function=…)", code="OG602")
    if not firsts:
        raise refuse("the function has no statements of which there could be two versions")
    early = next(
        (s for s in session.around(firsts[0])[:-1] if any(isinstance(x, Return) for x in statements((s,)))), None
    )
    if early is not None:
        raise refuse("the function returns before its end", early)
    return firsts[0]


def _require_numbers_of_arguments(session: Session, path: StatementPath, test: Expr) -> None:
    """The condition is known when the function is called."""
    numbers = [p.name for p in session.function_of(path).params if isinstance(p.type, Scalar)]
    unknown = sorted(free_vars(test) - {*numbers, *constants_of(session.program)})
    if unknown or reads_memory(test):
        what = f"`{unknown[0]}` is not a number that the function takes" if unknown else "the condition reads memory"
        raise refuse(what, help=f"numbers that it takes: {', '.join(numbers) or 'none'}", code="OG601")
