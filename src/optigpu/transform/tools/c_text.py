"""C text that scripts give as arguments: expressions, statements and loop contracts."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.frontend.parser import parse_c
from optigpu.frontend.wellformed import reject_malformed
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import Expr, Int
from optigpu.syntax.program import Body, Clause, For, Function, Return, Stmt
from optigpu.syntax.source import NO_ID, NOWHERE, SourceText
from optigpu.syntax.walk import map_bodies, map_stmt_exprs, rewrite

Size: TypeAlias = int | str | Expr  # as users write it: 8, "n / 2", or a tree


def as_expression(e: Size) -> Expr:
    """A number, C text or a tree as an expression."""
    if isinstance(e, int):
        return Int(e)
    if not isinstance(e, str):
        return e
    body = _parsed(f"int f() {{ return {e}; }}", e)
    if len(body) != 1 or not isinstance(body[0], Return) or body[0].value is None:
        raise input_error("OG604", f"`{e}` is not an expression", NOWHERE)
    return _without_places(body[0].value)


def statements_from(text: str) -> Body:
    """Statements written as C, annotations included."""
    body = tuple(without_ids(s) for s in _parsed(f"void f() {{\n{text}\n}}", text))
    if not body:
        raise input_error("OG604", f"there is nothing to insert: `{text}` is no statement", NOWHERE)
    return body


def clauses_from(text: str) -> tuple[Clause, ...]:
    """The annotations of a loop, as they stand at the top of its body."""
    match _parsed(f"void f() {{ for (int i = 0; i < 1; i++) {{ {text} }} }}", text):
        case (For(body=()) as loop,):
            return loop.contract
    raise input_error("OG604", f"`{text}` is not a loop contract alone", NOWHERE)


def without_ids(s: Stmt) -> Stmt:
    """A copy of a statement as if newly made: without the ids and source places of the original."""
    s = map_bodies(map_stmt_exprs(s, _without_places), lambda b: tuple(without_ids(x) for x in b))
    return replace(s, id=NO_ID)


def _parsed(text: str, user_text: str) -> Body:
    try:
        items = parse_c(SourceText("<script>", text), lambda name, loc: ())
        reject_malformed(*items)
    except InputError as e:
        raise input_error("OG604", f"`{user_text}` cannot be read: {e.diagnostic.message}", NOWHERE) from None
    match items:
        case (Function(contract=()) as f,):
            return f.body
    raise input_error("OG604", f"`{user_text}` cannot stand inside a function", NOWHERE)


def _without_places(e: Expr) -> Expr:
    return rewrite(e, lambda x: replace(x, loc=NOWHERE))
