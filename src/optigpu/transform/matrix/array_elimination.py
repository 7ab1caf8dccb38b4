"""`matrix.elim`: recompute what an array holds instead of storing it."""

from __future__ import annotations

from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.exprs import Expr, Index, Var
from optigpu.syntax.program import Assert, Body, Decl, For, Ghost, GhostEnd, Stmt, Store
from optigpu.syntax.substitution import substitute
from optigpu.syntax.walk import rewrite, rewrite_body, root_name, statements
from optigpu.transform.tools.array_declarations import array_declaration_at, is_free_of
from optigpu.transform.tools.changed_annotations import without_annotations_on
from optigpu.transform.tools.refusal import refuse


@transformation
def elim(session: Session, target: TargetLike) -> None:
    """Remove a local array that is filled once: each read of an element recomputes its value.

    Before:
        float t[8];
        for (int i = 0; i < 8; i++) {
          t[i] = b[i] * 2.0f;
        }
        for (int i = 0; i < 8; i++) {
          a[i] = t[i];
        }
    Step: s.matrix.elim("t")
    After:
        for (int i = 0; i < 8; i++) {
          a[i] = b[i] * 2.0f;
        }

    Needs: one store to the array, alone in a nest of loops, indexed by the loops' indices.
    Fails: when the value has changed by the time it is read.
    """
    path = session.find(target, "decl")
    decl = array_declaration_at(session, path)
    rest = session.around(path)[path.index + 1 :]
    filling, indices, value = _filling(decl, rest)

    def recomputed(x: Expr) -> Expr:
        if isinstance(x, Index) and x.base == Var(decl.name):
            return substitute(value, dict(zip(indices, x.indices)))
        return x

    kept = tuple(x for x in rest if x is not filling and not is_free_of(x, decl.name))
    new = rewrite_body(without_annotations_on(session, kept, decl.name), lambda e: rewrite(e, recomputed))
    i = path.index
    session.edit_body(path, lambda b: (*b[:i], *new))


def _filling(decl: Decl, rest: Body) -> tuple[Stmt, list[str], Expr]:
    """The nest that fills the array, the names of its indices, and the value that it stores."""
    stores = [x for x in statements(rest) if isinstance(x, Store) and root_name(x.target) == decl.name]
    if len(stores) != 1 or not isinstance(stores[0].target, Index) or stores[0].op is not None:
        raise refuse(f"`{decl.name}` is stored to in {len(stores)} places", decl)
    store, target = stores[0], stores[0].target
    indices = [e.name if isinstance(e, Var) else "" for e in target.indices]
    if "" in indices or len(set(indices)) != len(indices):
        raise refuse("the array is not filled index by index", store)
    filling = next(x for x in rest if any(y is store for y in statements((x,))))
    if [x for x in statements((filling,)) if not isinstance(x, For | Ghost | GhostEnd | Assert)] != [store]:
        raise refuse("the loop that fills the array does something else too", filling, "s.loop.fission")
    return filling, indices, store.value
