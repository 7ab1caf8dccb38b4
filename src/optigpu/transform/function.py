"""Transformations of functions: bringing in verified routines, inlining calls, and finding calls again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from optigpu.frontend import parse_file, parse_text
from optigpu.script.editing import edit_body
from optigpu.script.handles import Handle
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import TransformGroup, transformation
from optigpu.syntax.alpha_equality import same_head
from optigpu.syntax.exprs import Addr, Call, Expr, Index, Var
from optigpu.syntax.free_names import names_in
from optigpu.syntax.inlining import inlined, whole_call
from optigpu.syntax.program import (
    Block,
    Body,
    CallStmt,
    Decl,
    For,
    Function,
    If,
    Include,
    Role,
    Stmt,
    Store,
    TopLevel,
)
from optigpu.syntax.types import VOID
from optigpu.syntax.walk import children
from optigpu.transform.loop_nests import refuse


class FunctionTransforms(TransformGroup):
    name = "function"

    @transformation
    def insert(self, source: str) -> None:
        """Bring in functions from a C file or text, with their contracts. They are verified like everything else.

        Before:
            a[0] = 0.0f;
        Step: s.function.insert("void g(float x[1]) { __writes(\\"x ~> Matrix1(1, fun i -> 0)\\"); x[0] = 0.0f; }")
        After:
            a[0] = 0.0f;

        Needs: names that are not in use. Fails: when a function does not keep its contract.
        """
        text = source.strip()
        is_file = text.endswith((".c", ".h")) and Path(source).exists()
        program = parse_file(source) if is_file else parse_text(_with_header(text), "<inserted>")
        known = {i.name for i in self.session.program.flat_items() if not isinstance(i, Include)}
        new = tuple(i for i in program.items if not isinstance(i, Include))
        for i in new:
            assert not isinstance(i, Include)
            if i.name in known:
                raise refuse(f"`{i.name}` is already defined", code="OG604")
        items: list[TopLevel] = list(self.session.program.items)
        first = next((n for n, i in enumerate(items) if isinstance(i, Function)), len(items))
        self.session.update(replace(self.session.program, items=(*items[:first], *new, *items[first:])))

    @transformation
    def inline(self, target: TargetLike) -> None:
        """Put the body of a function in the place of a call.

        Before:
            fill(8, a);
        Step: s.function.inline("fill")
        After:
            for (int k = 0; k < 8; k++) {
              a[k] = 0.0f;
            }

        Needs: a call that is a whole statement, or the whole right side of one. Fails: never for verified functions.
        """
        place = self.session.find(target, "call")
        s = self.session.at(place)
        call = whole_call(s)
        if call is None:
            raise refuse("the call is not a whole statement or right side", s, "s.variable.bind names it first")
        callee = self._known(call.func)
        taken = names_in(self.session.function_of(place))
        body = inlined(s, callee, call.args, taken)
        if body is None:
            wrong = "returns nothing" if callee.result == VOID else "returns something that is not used"
            raise refuse(f"`{callee.name}` {wrong}", s)
        self.session.put(place, *body)

    @transformation
    def uninline(self, target: TargetLike, function: str) -> Handle:
        """Put a call in the place of statements that do what a function's body does.

        Before:
            for (int i = 0; i < n; i++) {
              a[i] = 0.0f;
            }
        Step: s.function.uninline("i", "fill")
        After:
            fill(n, a);

        Needs: statements that are the function's body with arguments for its parameters.
        Fails: when they are not, or when the call's contract does not say enough.
        """
        place = self.session.find(target, "for")
        callee = self._known(function)
        if callee.result != VOID:
            raise refuse(f"`{function}` returns a value")
        pattern = callee.body
        body = self.session.around(place)[place.index : place.index + len(pattern)]
        found: dict[str, Expr] = {}
        if len(body) < len(pattern) or not _match_body(pattern, body, {p.name for p in callee.params}, {}, found):
            raise refuse(f"this is not the body of `{function}`", self.session.at(place))
        missing = [p.name for p in callee.params if p.name not in found]
        if missing:
            raise refuse(f"the statements do not tell the argument for {', '.join(missing)}")
        call = CallStmt(Call(function, tuple(found[p.name] for p in callee.params)))
        i, n = place.index, len(pattern)
        self.session.update(edit_body(self.session.program, place, lambda b: (*b[:i], call, *b[i + n :])))
        return self.session.handle(place)

    def _known(self, name: str) -> Function:
        """A function whose body there is."""
        known = [f for f in self.session.program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST]
        found = next((f for f in known if f.name == name), None)
        if found is None:
            there = ", ".join(f.name for f in known)
            raise refuse(f"`{name}` is not a function of the program", help=f"functions: {there}", code="OG601")
        return found


def _with_header(text: str) -> str:
    return text if "#include <optigpu.h>" in text else f"#include <optigpu.h>\n{text}"


def _match_body(pattern: Body, body: Body, params: set[str], names: dict[str, str], found: dict[str, Expr]) -> bool:
    """Match statements; `names` maps what the pattern declares to what the body declares."""
    if len(pattern) != len(body):
        return False
    for p, s in zip(pattern, body):
        if not _match_stmt(p, s, params, names, found):
            return False
        if isinstance(p, Decl) and isinstance(s, Decl):
            names = {**names, p.name: s.name}
    return True


def _match_stmt(p: Stmt, s: Stmt, params: set[str], names: dict[str, str], found: dict[str, Expr]) -> bool:
    def ok(a: Expr | None, b: Expr | None, inner: dict[str, str] = names) -> bool:
        if a is None or b is None:
            return a is b
        return _match_expr(a, b, params, inner, found)

    match p, s:
        case For(), For():
            r, q = p.range, s.range
            if (r.relation, r.op, p.mode) != (q.relation, q.op, s.mode):
                return False
            if not (ok(r.start, q.start) and ok(r.bound, q.bound) and ok(r.amount, q.amount)):
                return False
            return _match_body(p.body, s.body, params, {**names, p.index: s.index}, found)
        case Store(), Store():
            return p.op == s.op and ok(p.target, s.target) and ok(p.value, s.value)
        case Decl(), Decl():
            return type(p.type) is type(s.type) and ok(p.init, s.init)
        case If(), If():
            return ok(p.test, s.test) and all(
                _match_body(a, b, params, names, found) for a, b in ((p.then, s.then), (p.other, s.other))
            )
        case Block(), Block():
            return _match_body(p.body, s.body, params, names, found)
        case CallStmt(), CallStmt():
            return ok(p.call, s.call)
        case _:
            return False


def _match_expr(p: Expr, e: Expr, params: set[str], names: dict[str, str], found: dict[str, Expr]) -> bool:
    match p:
        case Var(name) if name in names:
            return e == Var(names[name])
        case Var(name) if name in params:
            return found.setdefault(name, e) == e
        case Index(Var(name), indices) if name in params and isinstance(e, Index):
            extra = len(e.indices) - len(indices)
            if extra < 0:
                return False
            base: Expr = e.base if extra == 0 else Addr(Index(e.base, e.indices[:extra]))
            if found.setdefault(name, base) != base:
                return False
            return all(_match_expr(a, b, params, names, found) for a, b in zip(indices, e.indices[extra:]))
        case _:
            pairs = zip(children(p), children(e))
            return same_head(p, e) and all(_match_expr(a, b, params, names, found) for a, b in pairs)
