"""Transformations of functions: `s.function` adds verified functions, inlines calls, and replaces code by calls."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path

from optigpu.frontend import parse_file, parse_text
from optigpu.light_dataclass import dataclass, replace
from optigpu.script.handles import Handle
from optigpu.script.session import Session
from optigpu.script.targets import TargetLike
from optigpu.script.transformation import transformation
from optigpu.syntax.alpha_equality import same_head
from optigpu.syntax.annotations import WITH
from optigpu.syntax.exprs import Addr, Call, Expr, Index, Var
from optigpu.syntax.free_names import clause_free_vars, free_vars, names_in
from optigpu.syntax.inlining import inlined, whole_call
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Decl,
    For,
    Function,
    Ghost,
    If,
    Include,
    Role,
    Stmt,
    Store,
    TopLevel,
    logical_variables,
)
from optigpu.syntax.types import VOID
from optigpu.syntax.walk import children, map_bodies, statements, stmt_exprs
from optigpu.transform.step_results import handles_from
from optigpu.transform.tools.changed_annotations import code_of, is_proof_step
from optigpu.transform.tools.refusal import refuse

Names = dict[str, str]


@transformation
def insert(session: Session, source: str) -> None:
    """Add functions from a C file or text, with their contracts. They are verified like the rest of the program.

    Before:
        a[0] = 0.0f;
    Step: s.function.insert("void g(float x[1]) { __writes(\\"x ~> Matrix1(1, fun i -> 0)\\"); x[0] = 0.0f; }")
    After:
        a[0] = 0.0f;

    Needs: names that are not in use. Fails: when a function does not satisfy its contract.
    """
    text = source.strip()
    is_file = text.endswith((".c", ".h")) and Path(source).exists()
    program = parse_file(source) if is_file else parse_text(_with_header(text), "<inserted>")
    known = {i.name for i in session.program.flat_items() if not isinstance(i, Include)}
    new = tuple(i for i in program.items if not isinstance(i, Include))
    for i in new:
        if i.name in known:
            raise refuse(f"`{i.name}` is already defined", code="OG604")
    items: list[TopLevel] = list(session.program.items)
    first = next((n for n, i in enumerate(items) if isinstance(i, Function)), len(items))
    session.update(replace(session.program, items=(*items[:first], *new, *items[first:])))


@transformation
def inline(session: Session, target: TargetLike) -> tuple[Handle, ...]:
    """Replace a call by the body of the function.

    Loop contracts and assertions that mention logical variables of the function are left out, since these have no meaning at the
    call; contracts are inferred there.

    Before:
        fill(8, a);
    Step: s.function.inline("fill")
    After:
        for (int k = 0; k < 8; k++) {
          a[k] = 0.0f;
        }

    Needs: a call that is a whole statement, or the whole right side of one. Fails: never for verified functions.
    Returns: handles of the statements that take the place of the call.
    """
    path = session.find(target, "call")
    s = session.at(path)
    call = whole_call(s)
    if call is None:
        raise refuse("the call is not a whole statement or right side", s, "s.variable.bind names it first")
    callee = _function_named(session, call.func)
    taken = names_in(session.function_of(path))
    hidden = set(logical_variables(callee.contract))
    body = inlined(s, replace(callee, body=_without_formulas_of(hidden, callee.body)), call.args, taken)
    if body is None:
        wrong = "returns nothing" if callee.result == VOID else "returns something that is not used"
        raise refuse(f"`{callee.name}` {wrong}", s)
    session.edit_body(path, lambda around: _with_inlined(around, path.index, body))
    return handles_from(session, path, len(body))


def _with_inlined(around: Body, at: int, body: Body) -> Body:
    """A body with other statements in the place of a call, and without the values of its logical variables after it."""
    after = around[at + 1 :]
    if after and isinstance(after[0], Ghost) and after[0].func == WITH:
        after = after[1:]
    return (*around[:at], *body, *after)


@transformation
def uninline(session: Session, target: TargetLike, function: str) -> Handle:
    """Replace statements by a call of the function whose body they are.

    Before:
        for (int i = 0; i < n; i++) {
          a[i] = 0.0f;
        }
    Step: s.function.uninline("i", "fill")
    After:
        fill(n, a);

    Needs: statements that are the function's body with arguments for its parameters.
    Fails: when they are not, or when the contract of the function is too weak for the caller.
    Returns: the call.
    """
    path = session.find(target, "for")
    callee = _function_named(session, function)
    if callee.result != VOID:
        raise refuse(f"`{function}` returns a value")
    pattern, rest = code_of(callee.body), session.around(path)[path.index :]
    code = [k for k, s in enumerate(rest) if not is_proof_step(s)][: len(pattern)]
    count = code[-1] + 1 if code else 0
    body = code_of(rest[:count])
    session.annotation_changes.dropped += [s for s in statements(rest[:count]) if isinstance(s, Ghost | Assert)]
    matcher = BodyMatcher({p.name for p in callee.params})
    if len(body) < len(pattern) or not matcher.match_body(pattern, body, {}):
        raise refuse(f"this is not the body of `{function}`", session.at(path))
    missing = [p.name for p in callee.params if p.name not in matcher.arguments]
    if missing:
        raise refuse(f"the statements do not tell the argument for {', '.join(missing)}")
    call = CallStmt(Call(function, tuple(matcher.arguments[p.name] for p in callee.params)))
    i = path.index
    session.edit_body(path, lambda b: (*b[:i], call, *b[i + count :]))
    return session.handle(path)


def _function_named(session: Session, name: str) -> Function:
    """A function of the program that has a body."""
    known = [f for f in session.program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST]
    function = next((f for f in known if f.name == name), None)
    if function is None:
        names = ", ".join(f.name for f in known)
        raise refuse(f"`{name}` is not a function of the program", help=f"functions: {names}", code="OG601")
    return function


def _without_formulas_of(names: set[str], body: Body) -> Body:
    """The statements without assertions and loop contracts that mention one of these names."""
    kept = (s for s in body if not (isinstance(s, Assert) and any(names & free_vars(e) for e in stmt_exprs(s))))
    stripped = (
        replace(s, contract=()) if isinstance(s, For) and names & clause_free_vars(s.contract) else s for s in kept
    )
    return tuple(map_bodies(s, lambda b: _without_formulas_of(names, b)) for s in stripped)


def _with_header(text: str) -> str:
    return text if "#include <optigpu.h>" in text else f"#include <optigpu.h>\n{text}"


@dataclass
class BodyMatcher:
    """Matches statements with the body of a function, and finds the arguments for its parameters.

    `names` in the methods maps what the function's body declares to what the statements declare.
    """

    params: set[str]
    arguments: dict[str, Expr] = field(default_factory=dict)

    def match_body(self, pattern: Body, body: Body, names: Names) -> bool:
        if len(pattern) != len(body):
            return False
        for p, s in zip(pattern, body):
            if not self._match_stmt(p, s, names):
                return False
            if isinstance(p, Decl) and isinstance(s, Decl):
                names = {**names, p.name: s.name}
        return True

    def _match_stmt(self, p: Stmt, s: Stmt, names: Names) -> bool:
        match p, s:
            case For(), For():
                return self._match_loop(p, s, names)
            case Store(), Store():
                return p.op == s.op and self._match(p.target, s.target, names) and self._match(p.value, s.value, names)
            case Decl(), Decl():
                if p.init is None or s.init is None:
                    return type(p.type) is type(s.type) and p.init is s.init
                return type(p.type) is type(s.type) and self._match(p.init, s.init, names)
            case If(), If():
                return (
                    self._match(p.test, s.test, names)
                    and self.match_body(p.then, s.then, names)
                    and self.match_body(p.other, s.other, names)
                )
            case Block(), Block():
                return self.match_body(p.body, s.body, names)
            case CallStmt(), CallStmt():
                return self._match(p.call, s.call, names)
            case _:
                return False

    def _match_loop(self, p: For, s: For, names: Names) -> bool:
        r, q = p.range, s.range
        return (
            (r.relation, r.op, p.mode) == (q.relation, q.op, s.mode)
            and self._match(r.start, q.start, names)
            and self._match(r.bound, q.bound, names)
            and self._match(r.amount, q.amount, names)
            and self.match_body(p.body, s.body, {**names, p.index: s.index})
        )

    def _match(self, p: Expr, e: Expr, names: Names) -> bool:
        match p:
            case Var(name) if name in names:
                return e == Var(names[name])
            case Var(name) if name in self.params:
                return self.arguments.setdefault(name, e) == e
            case Index(Var(name), indices) if name in self.params and isinstance(e, Index):
                extra = len(e.indices) - len(indices)
                if extra < 0:
                    return False
                base: Expr = e.base if extra == 0 else Addr(Index(e.base, e.indices[:extra]))
                if self.arguments.setdefault(name, base) != base:
                    return False
                return all(self._match(a, b, names) for a, b in zip(indices, e.indices[extra:]))
            case _:
                pairs = zip(children(p), children(e))
                return same_head(p, e) and all(self._match(a, b, names) for a, b in pairs)
