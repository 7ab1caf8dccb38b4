"""Transformations of variables."""

from __future__ import annotations

from dataclasses import replace

from optigpu.script.editing import StatementPath, edit_body
from optigpu.script.handles import Handle
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.exprs import Call, Expr, Index, Var
from optigpu.syntax.free_names import body_free_vars
from optigpu.syntax.inlining import explicit
from optigpu.syntax.program import Body, CallStmt, Decl, For, Return, Store
from optigpu.syntax.substitution import substitute_body
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import map_stmt_exprs, rewrite, subexpressions
from optigpu.transform.loop_nests import refuse
from optigpu.transform.simplified import Size, expression, statements_from
from optigpu.transform.types_at import scalar_of


class VariableTransforms(TransformGroup):
    name = "variable"

    def _decl(self, aim: TargetLike) -> tuple[StatementPath, Decl]:
        place = self.session.find(aim, "decl")
        s = self.session.at(place)
        if not isinstance(s, Decl):
            raise refuse("this is not a declaration", s)
        return place, s

    @transformation
    def local_name(self, target: TargetLike, *, var: str, local_var: str) -> Handle:
        """Work on a copy of a variable inside a loop's body: copied in at its start and back at its end.

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

        Needs: the target is the loop whose body uses `var`. Fails: never for a scalar variable.
        """
        place = self.session.find(target, "for")
        loop = self.session.at(place)
        if not isinstance(loop, For):
            raise refuse("the target must be a loop", loop)
        if var not in body_free_vars(loop.body):
            raise refuse(f"`{var}` is not used in this loop", loop, code="OG601")
        elem = scalar_of(self.session, place.child(0), var)
        local = self.session.fresh(local_var, place)
        body = (
            Decl(local, elem, Var(var)),
            *substitute_body(loop.body, {var: Var(local)}),
            Store(Var(var), Var(local)),
        )
        self.session.put(place, replace(loop, body=body, contract=()))
        return self.session.handle(place.child(0))

    @transformation
    def inline(self, target: TargetLike) -> None:
        """Replace a variable by its initial value, everywhere.

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

        Needs: a scalar with an initial value that is never assigned. Fails: when the value has changed where it is used.
        """
        place, decl = self._decl(target)
        if decl.init is None or not isinstance(decl.type, Scalar):
            raise refuse(f"`{decl.name}` has no initial value", decl)
        rest = self.session.around(place)[place.index + 1 :]
        if _assigned(rest, decl.name):
            raise refuse(
                f"`{decl.name}` is assigned", decl, "only a variable that keeps its initial value can be inlined"
            )
        value, i = explicit(decl.init), place.index
        self.session.update(
            edit_body(self.session.program, place, lambda b: (*b[:i], *substitute_body(b[i + 1 :], {decl.name: value})))
        )

    @transformation
    def bind(self, target: TargetLike, name: str, expr: Size) -> Handle:
        """Name an expression of a statement.

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

        Needs: the expression occurs in the target, and computing it a statement earlier is possible.
        Fails: when it reads what is not there yet.
        """
        place = self.session.find(target, "write")
        s = self.session.at(place)
        wanted = expression(expr)
        found = [x for e in _values(s) for x in subexpressions(e) if x == wanted]
        if not found:
            raise refuse("the expression does not occur in this statement", s, code="OG601")
        elem = found[0].type
        if not isinstance(elem, Scalar):
            raise refuse("the expression is not a number", s)
        fresh = self.session.fresh(name, place)

        def swap(e: Expr) -> Expr:
            return rewrite(e, lambda x: Var(fresh) if x == wanted else x)

        if isinstance(s, Store):
            new: Store | For = replace(s, value=swap(s.value))
        else:
            new = map_stmt_exprs(s, swap)  # type: ignore[assignment]
        self.session.put(place, Decl(fresh, elem, wanted, const=True), new)
        return self.session.handle(place)

    @transformation
    def insert(self, declaration: str, *, before: TargetLike) -> Handle:
        """Declare a new variable before a statement.

        Before:
            a[0] = 0.0f;
        Step: s.variable.insert("float x = 1.0f;", before=Write("a"))
        After:
            float x = 1.0f;
            a[0] = 0.0f;

        Needs: one declaration. Fails: when its initial value cannot be computed there.
        """
        place = self.session.find(before)
        new = statements_from(declaration)
        if len(new) != 1 or not isinstance(new[0], Decl):
            raise refuse(f"`{declaration}` is not one declaration", code="OG604")
        self.session.insert(place, *new)
        return self.session.handle(place)

    @transformation
    def rename(self, target: TargetLike, name: str) -> Handle:
        """Give a variable or an array another name.

        Before:
            float x = 1.0f;
            a[0] = x;
        Step: s.variable.rename("x", "one")
        After:
            float one = 1.0f;
            a[0] = one;

        Needs: a declaration. Fails: never; a name in use gets a number.
        """
        place, decl = self._decl(target)
        fresh, i = self.session.fresh(name, place), place.index
        self.session.update(
            edit_body(
                self.session.program,
                place,
                lambda b: (
                    *b[:i],
                    replace(decl, name=fresh),
                    *substitute_body(b[i + 1 :], {decl.name: Var(fresh)}),
                ),
            )
        )
        return self.session.handle(place)

    @transformation
    def init_detach(self, target: TargetLike) -> Handle:
        """Separate a declaration from its initial value.

        Before:
            float x = 1.0f;
            a[0] = x;
        Step: s.variable.init_detach("x")
        After:
            float x;
            x = 1.0f;
            a[0] = x;

        Needs: a scalar with an initial value. Fails: never.
        """
        place, decl = self._decl(target)
        if decl.init is None or not isinstance(decl.type, Scalar):
            raise refuse(f"`{decl.name}` has no initial value", decl)
        self.session.put(place, replace(decl, init=None, const=False), Store(Var(decl.name), decl.init))
        return self.session.handle(place)

    @transformation
    def elim(self, target: TargetLike) -> None:
        """Remove a variable or an array that is not used, and its free.

        Before:
            float x = 1.0f;
            a[0] = 0.0f;
        Step: s.variable.elim("x")
        After:
            a[0] = 0.0f;

        Needs: a declaration. Fails: OG605 when the variable is used.
        """
        place, decl = self._decl(target)
        i = place.index
        self.session.update(
            edit_body(
                self.session.program,
                place,
                lambda b: (*b[:i], *(x for x in b[i + 1 :] if x != CallStmt(Call("free", (Var(decl.name),))))),
            )
        )


def _assigned(body: Body, name: str) -> bool:
    from optigpu.syntax.scopes import assigned_names

    return name in assigned_names(body)


def _values(s: object) -> list[Expr]:
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
            from optigpu.syntax.walk import stmt_exprs

            return stmt_exprs(s)  # type: ignore[arg-type]
