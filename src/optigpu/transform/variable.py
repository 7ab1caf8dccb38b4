"""Transformations of variables: `s.variable`."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Index, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.inlining import with_explicit_cast
from optigpu.syntax.program import Body, Decl, For, Return, Stmt, Store
from optigpu.syntax.scopes import assigned_names, is_cell
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import code_exprs, map_stmt_exprs, rewrite, subexpressions
from optigpu.transform.step_results import BoundValue, LocalVariable
from optigpu.transform.tools.array_declarations import freed_at_end, heap_array, is_free_of
from optigpu.transform.tools.c_text import Size, as_expression, statements_from
from optigpu.transform.tools.changed_annotations import with_value_of, without_annotations_on
from optigpu.transform.tools.declared_types import scalar_of, visible_names
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell, lit
from optigpu.transform.tools.unknown_names import no_such_name


@transformation
def local_name(session: Session, target: TargetLike, *, var: str, local_var: str) -> LocalVariable:
    """Work on a copy of a variable in the body of a loop: copied in at its start and back at its end.

    Before:
        float sum = 0.0f;
        for (int i = 0; i < n; i++) {
          sum += a[i];
        }
        a[0] = sum;
    Step: s.variable.local_name("i", var="sum", local_var="part")
    After:
        float sum = 0.0f;
        for (int i = 0; i < n; i++) {
          float part = sum;
          part += a[i];
          sum = part;
        }
        a[0] = sum;

    Needs: a loop whose body uses `var`. Fails: never for a scalar variable.
    Returns: `declaration`, of the copy; `store`, back to the variable. As a target, the declaration.
    """
    path = session.find(target, "for")
    loop = session.at(path)
    if not isinstance(loop, For):
        raise refuse("the target must be a loop", loop)
    if var not in body_free_vars(loop.body):
        scalars = visible_names(session, path.child(0), lambda t: isinstance(t, Scalar))
        used = [name for name in scalars if name in body_free_vars(loop.body)]
        raise no_such_name(f"`{var}` is not used in this loop", var, used, loop)
    elem = scalar_of(session, path.child(0), var)
    local = session.fresh(local_var, path)
    body = (
        Decl(local, elem, Var(var)),
        *substitute_body(loop.body, {var: Var(local)}),
        Store(Var(var), Var(local)),
    )
    session.put(path, replace(loop, body=body))  # the variable holds the same between iterations
    back = session.handle(path.child(len(body) - 1))
    return LocalVariable(session, session.at(path.child(0)).id, back)


@transformation
def inline(session: Session, target: TargetLike) -> None:
    """Replace a variable by its initial value everywhere.

    Before:
        for (int i = 0; i < n; i++) {
          const float x = b[i] * 2.0f;
          a[i] = x + x;
        }
    Step: s.variable.inline("x")
    After:
        for (int i = 0; i < n; i++) {
          a[i] = b[i] * 2.0f + b[i] * 2.0f;
        }

    Needs: a scalar with an initial value that is never assigned. Fails: when the value of the expression changes before a use.
    """
    path, decl = _declaration_at(session, target)
    if decl.init is None or not isinstance(decl.type, Scalar):
        raise refuse(f"`{decl.name}` has no initial value", decl)
    if decl.name in assigned_names(session.around(path)[path.index + 1 :]):
        help = "only a variable that keeps its initial value can be inlined"
        raise refuse(f"`{decl.name}` is assigned", decl, help)
    value, i = with_explicit_cast(decl.init), path.index
    rest = with_value_of(session, path, decl, session.around(path)[i + 1 :])
    session.edit_body(path, lambda b: (*b[:i], *substitute_body(rest, {decl.name: value})))


@transformation
def bind(session: Session, target: TargetLike, name: str, expr: Size) -> BoundValue:
    """Store the value of an expression of a statement in a new constant before it.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = b[i] * b[i];
        }
    Step: s.variable.bind(Write("a"), "x", "b[i]")
    After:
        for (int i = 0; i < n; i++) {
          const float x = b[i];
          a[i] = x * x;
        }

    Needs: the expression occurs in the target, and can be computed before it.
    Fails: when it reads what has not been written yet.
    Returns: `declaration`, of the constant; `use`, the statement. As a target, the declaration.
    """
    path = session.find(target, "write")
    s = session.at(path)
    wanted = as_expression(expr)
    occurrences = [x for e in _values(s) for x in subexpressions(e) if x == wanted]
    if not occurrences:
        raise refuse("the expression does not occur in this statement", s, code="OG601")
    elem = occurrences[0].type
    if not isinstance(elem, Scalar):
        raise refuse("the expression is not a number", s)
    fresh = session.fresh(name, path)

    def with_name(e: Expr) -> Expr:
        return rewrite(e, lambda x: Var(fresh) if x == wanted else x)

    new: Stmt = replace(s, value=with_name(s.value)) if isinstance(s, Store) else map_stmt_exprs(s, with_name)
    session.put(path, Decl(fresh, elem, wanted, const=True), new)
    return BoundValue(session, session.at(path).id, session.handle(path.sibling(1)))


@transformation
def insert(session: Session, declaration: str, *, before: TargetLike) -> Handle:
    """Declare a new variable before a statement.

    Before:
        a[0] = 0.0f;
    Step: s.variable.insert("float x = 1.0f;", before=Write("a"))
    After:
        float x = 1.0f;
        a[0] = 0.0f;

    Needs: one declaration, written as C. Fails: when its initial value cannot be computed there.
    Returns: the declaration.
    """
    path = session.find(before)
    new = statements_from(declaration)
    if len(new) != 1 or not isinstance(new[0], Decl):
        raise refuse(f"`{declaration}` is not one declaration", code="OG604")
    session.insert(path, *new)
    return session.handle(path)


@transformation
def rename(session: Session, target: TargetLike, name: str) -> Handle:
    """Rename a variable or an array.

    Before:
        float x = 1.0f;
        a[0] = x;
    Step: s.variable.rename("x", "one")
    After:
        float one = 1.0f;
        a[0] = one;

    Needs: a declaration. Fails: never; a name that is in use gets a number.
    Returns: the declaration.
    """
    path, decl = _declaration_at(session, target)
    fresh, i = session.fresh(name, path), path.index
    new = replace(decl, name=fresh)
    session.edit_body(path, lambda b: (*b[:i], new, *substitute_body(b[i + 1 :], {decl.name: Var(fresh)})))
    return session.handle(path)


@transformation
def init_detach(session: Session, target: TargetLike) -> LocalVariable:
    """Separate the initial value of a variable from its declaration.

    Before:
        float x = 1.0f;
        a[0] = x;
    Step: s.variable.init_detach("x")
    After:
        float x;
        x = 1.0f;
        a[0] = x;

    Needs: a scalar with an initial value. Fails: never.
    Returns: `declaration`; `store`, the assignment of the initial value. As a target, the declaration.
    """
    path, decl = _declaration_at(session, target)
    if decl.init is None or not isinstance(decl.type, Scalar):
        raise refuse(f"`{decl.name}` has no initial value", decl)
    new, i = (replace(decl, init=None, const=False), Store(Var(decl.name), decl.init)), path.index
    rest = session.around(path)[i + 1 :]
    if not is_cell(decl, assigned_names(rest)):  # from now on it is, and formulas cannot name what it holds
        rest = with_value_of(session, path, decl, rest)
    session.edit_body(path, lambda b: (*b[:i], *new, *rest))
    return LocalVariable(session, session.at(path).id, session.handle(path.sibling(1)))


@transformation
def to_array(session: Session, target: TargetLike) -> Handle:
    """Make a variable an array of one element, on the heap: a kernel can leave a value there that the next one uses.

    Before:
        float x = b[0];
        a[0] = x;
    Step: s.variable.to_array("x")
    After:
        float* const x = MALLOC1(float, 1);
        x[0] = b[0];
        a[0] = x[0];
        free(x);

    Needs: the declaration of a scalar. Fails: never.
    Returns: the declaration.
    """
    path, decl = _declaration_at(session, target)
    if not isinstance(decl.type, Scalar):
        raise refuse(f"`{decl.name}` is not a scalar", decl)
    i, element = path.index, cell(decl.name, [lit(0)])
    rest = session.around(path)[i + 1 :]
    if decl.init is not None and not is_cell(decl, assigned_names(rest)):  # formulas cannot name what the element holds
        rest = with_value_of(session, path, decl, rest)
    allocation, (free,) = heap_array(decl.name, decl.type, (lit(1),))
    first = () if decl.init is None else (Store(element, decl.init),)
    rest = _returned_by_name(session, path, substitute_body(rest, {decl.name: element}), decl.name)
    new = (replace(allocation, id=decl.id), *first, *freed_at_end(rest, free))
    session.edit_body(path, lambda b: (*b[:i], *new))
    return session.handle(path)


def _returned_by_name(session: Session, path: StatementPath, rest: Body, array: str) -> Body:
    """The statements up to the end of a function, with what they return in a variable if it is read from an array, which is freed
    before."""
    last, elem = rest[-1] if rest else None, session.function_of(path).result
    if not isinstance(last, Return) or last.value is None or array not in free_vars(last.value):
        return rest
    assert isinstance(elem, Scalar), "the function returns a number"
    name = session.fresh("returned", path)
    return (*rest[:-1], Decl(name, elem, last.value, const=True), replace(last, value=Var(name)))


@transformation
def elim(session: Session, target: TargetLike) -> None:
    """Remove the declaration of an unused variable or array, and its `free`.

    Before:
        float x = 1.0f;
        a[0] = 0.0f;
    Step: s.variable.elim("x")
    After:
        a[0] = 0.0f;

    Needs: a declaration. Fails: OG605 when the variable is used.
    """
    path, decl = _declaration_at(session, target)
    i = path.index
    rest = without_annotations_on(session, session.around(path)[i + 1 :], decl.name)
    session.edit_body(path, lambda b: (*b[:i], *(x for x in rest if not is_free_of(x, decl.name))))


def _declaration_at(session: Session, target: TargetLike) -> tuple[StatementPath, Decl]:
    path = session.find(target, "decl")
    s = session.at(path)
    if not isinstance(s, Decl):
        raise refuse("this is not a declaration", s)
    return path, s


def _values(s: Stmt) -> list[Expr]:
    """The expressions of a statement that are evaluated when it starts."""
    match s:
        case Store(target, value):
            return [value, *(target.indices if isinstance(target, Index) else ())]
        case Decl(_, _, init):
            return [] if init is None else [init]
        case Return(value):
            return [] if value is None else [value]
        case For(_, r):
            return [r.start, r.bound]
        case _:
            return code_exprs(s)
