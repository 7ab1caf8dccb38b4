"""Hoisting: `loop.hoist`, `loop.hoist_alloc` and `loop.move_out` move declarations and statements out of loops."""

from __future__ import annotations

from collections.abc import Sequence

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath, edit_body, replace_at, statement_at
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Alloc, Expr, Index, Var
from optigpu.syntax.free_names import body_free_vars, free_vars
from optigpu.syntax.program import Body, Decl, For, If, Store, is_call
from optigpu.syntax.scopes import assigned_names, is_cell
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import rewrite, rewrite_body, stmt_exprs
from optigpu.transform.tools.array_declarations import array_decl, dims_of, elem_of, heap_array, is_free_of
from optigpu.transform.tools.changed_annotations import with_value_of
from optigpu.transform.tools.changed_permissions import element_permissions
from optigpu.transform.tools.counted_loops import counted, iteration_number
from optigpu.transform.tools.refusal import refuse
from optigpu.transform.tools.simplified import cell
from optigpu.transform.tools.unknown_names import no_such_name


@transformation
def hoist(session: Session, target: TargetLike, levels: int = 1) -> Handle:
    """Move the declaration of a variable or an array out of a loop. It becomes an array with one element for each iteration.

    Before:
        for (int i = 0; i < 4; i++) {
          float x = b[i];
          a[i] = x;
        }
    Step: s.loop.hoist("x")
    After:
        float x[4];
        for (int i = 0; i < 4; i++) {
          x[i] = b[i];
          a[i] = x[i];
        }

    Needs: a declaration in the body of a loop, or in a condition there; `levels` is the number of loops to move out of.
    Fails: when the size of the new array may be negative.
    Returns: the declaration.
    """
    path = session.find(target, "decl")
    return session.handle(hoist_declaration(session, path, levels))


@transformation
def hoist_alloc(session: Session, target: TargetLike, *, dest: TargetLike, indep: Sequence[str] = ()) -> Handle:
    """Move the declaration or allocation of an array to before the statement `dest`, and its `free` outwards as well. The array
    gets one dimension in front for each loop that it leaves, except for the loops in `indep`, whose iterations use the same memory.
    In front of `kernel_setup_end()` it is allocated in the setup of the kernel, and freed in its teardown.

    Before:
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < n; j++) {
            float* const t = MALLOC1(float, 8);
            t[0] = b[j];
            a[j] = t[0];
            free(t);
          }
        }
    Step: s.loop.hoist_alloc("t", dest="i", indep=["i"])
    After:
        float* const t = MALLOC2(float, n, 8);
        for (int i = 0; i < 4; i++) {
          for (int j = 0; j < n; j++) {
            t[j][0] = b[j];
            a[j] = t[j][0];
          }
        }
        free(t);

    Needs: a statement `dest` that is in a body around the declaration, and before it.
    Fails: when a size depends on a loop that the array leaves, or parallel iterations of a loop in `indep` use the same memory.
    Returns: the declaration.
    """
    path, to = session.find(target, "decl"), session.find(dest)
    decl = session.at(path)
    if not isinstance(decl, Decl):
        raise refuse("this is not a declaration", decl)
    if not _is_before_in_body_around(to, path):
        raise refuse(f"`dest` is not a statement before `{decl.name}` in a body around it", decl, code="OG604")
    depth = len(to.positions)
    crossed = [s.index for s in map(session.at, path.ancestors()[depth - 1 :]) if isinstance(s, For)]
    if unknown := [i for i in indep if i not in crossed]:
        raise no_such_name(f"`{decl.name}` does not leave a loop over `{unknown[0]}`", unknown[0], crossed, decl)
    while len(path.positions) > depth:
        around = session.at(path.parent)
        adds_dimension = isinstance(around, For) and around.index not in indep
        path = _hoist_once(session, path) if adds_dimension else _move_out_once(session, path)
    session.edit_body(path, lambda body: _moved_up(body, path.index, to.index))
    return session.handle(to)


def _is_before_in_body_around(dest: StatementPath, path: StatementPath) -> bool:
    """Is `dest` in a body around the statement at `path`, and not after the part of that body that the statement is in?"""
    depth = len(dest.positions)
    if dest.function != path.function or len(path.positions) < depth:
        return False
    (branch, index), (to_branch, to_index) = path.positions[depth - 1], dest.positions[-1]
    return path.positions[: depth - 1] == dest.positions[:-1] and branch == to_branch and to_index <= index


def _moved_up(body: Body, start: int, end: int) -> Body:
    """The declaration at position `start` at position `end`. What frees it leaves the device code if the declaration does."""
    decl, crossed, after = body[start], body[end:start], body[start + 1 :]
    assert isinstance(decl, Decl)
    frees = tuple(s for s in after if is_free_of(s, decl.name))
    if any(is_call(s, "kernel_setup_end") for s in crossed):
        after = tuple(s for s in after if s not in frees)
        teardown = next((k for k, s in enumerate(after) if is_call(s, "kernel_teardown_begin")), len(after) - 1)
        after = (*after[: teardown + 1], *frees, *after[teardown + 1 :])
    return (*body[:end], decl, *crossed, *after)


@transformation
def move_out(session: Session, target: TargetLike, levels: int = 1) -> Handle:
    """Move a loop-invariant statement out of the loop, before it. An allocation is moved together with its `free`.

    Before:
        for (int i = 0; i < 4; i++) {
          float t[8];
          t[0] = b[i];
          a[i] = t[0];
        }
    Step: s.loop.move_out("t")
    After:
        float t[8];
        for (int i = 0; i < 4; i++) {
          t[0] = b[i];
          a[i] = t[0];
        }

    Needs: a statement that does not mention the index. Fails: when its effect differs between iterations.
    Returns: the statement.
    """
    path = session.find(target, "any")
    for _ in range(levels):
        path = _move_out_once(session, path)
    return session.handle(path)


def _move_out_once(session: Session, path: StatementPath) -> StatementPath:
    """Move a statement out of the loop around it, and a declaration also out of a condition or a block."""
    s = session.at(path)
    around = None if path.is_top_level else session.at(path.parent)
    if around is None or not (isinstance(around, For) or isinstance(s, Decl)):
        raise refuse("this is not directly in the body of a loop", s)
    if isinstance(around, For) and (
        any(around.index in free_vars(e) for e in stmt_exprs(s)) or around.index in body_free_vars((s,))
    ):
        raise refuse(f"this depends on `{around.index}`", s)
    frees = tuple(x for x in session.around(path) if isinstance(s, Decl) and is_free_of(x, s.name))
    program = edit_body(session.program, path, lambda b: tuple(x for x in b if x is not s and x not in frees))
    inside = statement_at(program, path.parent)
    if isinstance(inside, For):
        session.annotation_changes.incomplete.add(inside.id)
    session.update(replace_at(program, path.parent, s, inside, *frees))
    return path.parent


def keeps_store(decl: Decl) -> bool:
    """Does hoisting the declaration leave an assignment of its initial value behind?"""
    return decl.init is not None and not isinstance(decl.init, Alloc)


def hoist_declaration(session: Session, path: StatementPath, levels: int) -> StatementPath:
    """Declare a variable outside `levels` loops, with one element for each iteration; returns the path of the new declaration."""
    for _ in range(levels):
        path = _hoist_once(session, path)
    return path


def _hoist_once(session: Session, path: StatementPath) -> StatementPath:
    decl = session.at(path)
    if not isinstance(decl, Decl):
        raise refuse("this is not a declaration", decl)
    loop_path = path.parent
    while not loop_path.is_top_level and isinstance(session.at(loop_path), If):
        loop_path = loop_path.parent
    if path.is_top_level or not isinstance(loop := session.at(loop_path), For):
        raise refuse(f"`{decl.name}` is not declared directly in the body of a loop", decl)
    count, number = counted(loop).count, iteration_number(loop)
    dims = dims_of(decl)
    if any(loop.index in free_vars(d) for d in dims):
        raise refuse(f"the size of `{decl.name}` depends on `{loop.index}`", decl)
    declare = heap_array if isinstance(decl.init, Alloc) else array_decl
    new, frees = declare(decl.name, elem_of(decl), (count, *dims))
    store: Body = ()
    if keeps_store(decl):
        assert decl.init is not None
        store = (Store(cell(decl.name, [number]), decl.init),)

    after = session.around(path)[path.index + 1 :]
    if isinstance(decl.type, Scalar) and not is_cell(decl, assigned_names(after)):
        after = with_value_of(session, path, decl, after)  # formulas name no array elements

    def without_declaration(body: Body) -> Body:
        rest = tuple(s for s in after if not is_free_of(s, decl.name))
        return (*body[: path.index], *store, *with_leading_index(rest, decl, number))

    changed = edit_body(session.program, path, without_declaration)
    inside = statement_at(changed, loop_path)
    assert isinstance(inside, For)
    session.annotation_changes.incomplete.add(loop.id)  # its contract says nothing of the new array
    session.update(replace_at(changed, loop_path, replace(new, id=decl.id), inside, *frees))
    return loop_path


def with_leading_index(body: Body, decl: Decl, number: Expr) -> Body:
    """Every use of a declared variable or array, with one more index in front."""
    if isinstance(decl.type, Scalar):
        return substitute_body(body, {decl.name: cell(decl.name, [number])})
    marker = f"{decl.name} "  # no name of a program has a space

    def element(x: Expr) -> Expr:
        match x:
            case Index(Var(name), indices) if name == marker:
                return replace(x, base=Var(decl.name), indices=(number, *indices))
            case _:
                return x

    def whole(x: Expr) -> Expr:
        return cell(decl.name, [number]) if x == Var(marker) else x

    body = rewrite_body(body, lambda e: element_permissions(e, decl.name))
    marked = substitute_body(body, {decl.name: Var(marker)})
    return rewrite_body(marked, lambda e: rewrite(rewrite(e, element), whole))
