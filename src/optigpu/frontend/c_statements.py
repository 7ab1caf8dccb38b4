"""Builds statements of C from the syntax tree: assignments, loops, branches, contracts and ghost statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lark import Token

from optigpu.frontend.c_declarations import DeclarationBuilder
from optigpu.frontend.chained_assignments import Chain, stores_of
from optigpu.frontend.declared_names import foreign_name
from optigpu.frontend.early_exits import desugar_jumps, reject_jumps
from optigpu.frontend.expression_builder import Child, TokenPlaces
from optigpu.frontend.formula_parser import (
    StringLiteral,
    parse_ghost_args,
    parse_ghost_results,
    parse_items,
    parse_logic_type,
    parse_proposition,
)
from optigpu.frontend.library_names import INSTEAD
from optigpu.frontend.loop_headers import apply_pragma, loop_range
from optigpu.frontend.number_literals import scalar_type
from optigpu.frontend.raw_statements import Annotation, Braces, Jump, Pragma, RawStatement, SimpleStatement
from optigpu.light_dataclass import replace
from optigpu.syntax.annotations import CLAUSE_NAMES, MARKERS, TOP_LEVEL_ANNOTATIONS, WITH
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Call, Int, Var
from optigpu.syntax.program import (
    FUNCTION_CLAUSES,
    LOOP_CLAUSES,
    Assert,
    Axiom,
    Block,
    Body,
    CallStmt,
    Clause,
    For,
    Ghost,
    GhostEnd,
    If,
    Item,
    LogicDecl,
    LogicDef,
    Mode,
    Return,
    Stmt,
    TopLevel,
)
from optigpu.syntax.source import SourceText, StatementId
from optigpu.syntax.types import INT

LOOP_MODES = {
    "FOR": Mode.SEQUENTIAL, "THREAD_FOR": Mode.THREAD, "MAGIC_THREAD_FOR": Mode.MAGIC_THREAD, "FRAG_FOR": Mode.FRAG,
}  # fmt: skip


class StatementBuilder(DeclarationBuilder):
    """Methods named after rules of c.lark build what those rules read."""

    def __init__(self, source: SourceText, positions: TokenPlaces) -> None:
        super().__init__(source, positions)
        self.chains: list[Chain] = []  # chained assignments of the function that is being read

    def block(self, c: list[Child]) -> Braces:
        return Braces(tuple(flatten(c[1:-1])), self.span(c))

    def pragma(self, c: list[Child]) -> Pragma:
        return Pragma(re.sub(r"\\\n", " ", str(c[0])), self.at(c[0]))

    def declare(self, c: list[Child]) -> list[Stmt]:
        stmts: list[Stmt] = c[0]
        return stmts

    def empty(self, c: list[Child]) -> list[Stmt]:
        return []

    def continue_(self, c: list[Child]) -> Jump:
        return Jump("continue", self.span(c))

    def return_(self, c: list[Child]) -> Stmt:
        value = self.as_expr(c[1]) if len(c) == 3 else None
        return Return(value, id=StatementId(self.span(c)))

    def simple(self, c: list[Child]) -> SimpleStatement:
        loc = self.span(c)
        if len(c) == 1:
            return SimpleStatement(c[0], "", None, loc)
        if len(c) == 2:
            token, target = (c[0], c[1]) if isinstance(c[0], Token) else (c[1], c[0])
            return SimpleStatement(
                self.as_expr(target), "+=" if token == "++" else "-=", Int(1, loc=self.at(token)), loc
            )
        value = c[2] if isinstance(c[2], SimpleStatement) else self.as_expr(c[2])
        return SimpleStatement(self.as_expr(c[0]), str(c[1]), value, loc)

    def chained(self, c: list[Child]) -> SimpleStatement:
        return self.simple(c)

    def simple_statement(self, c: list[Child]) -> RawStatement:
        simple: SimpleStatement = c[0]
        statement_id = StatementId(self.span(c))
        if simple.op == "":
            match simple.target:
                case Annotation():
                    return simple.target
                case Call() as call:
                    return CallStmt(call, id=statement_id)
                case Var(name) if name in INSTEAD:
                    raise foreign_name(name, simple.loc)
                case _:
                    raise input_error(
                        "OG010", "this statement has no effect", simple.loc, help="assign the value, or remove it"
                    )
        stores, chain = stores_of(simple, statement_id.loc)
        self.chains.append(chain)
        return list(stores)

    def conditional(self, c: list[Child]) -> If:
        other = self.body_of(c[6]) if len(c) == 7 else ()
        return If(self.as_expr(c[2]), self.body_of(c[4]), other, id=StatementId(self.at(c[0]).to(self.at(c[3]))))

    def loop(self, c: list[Child]) -> For:
        word, type_, name, eq = c[0], c[2], c[3], c[4]
        if eq != "=":
            raise input_error("OG001", f"expected `=` here, not `{eq}`", self.at(eq))
        index_type = scalar_type(type_)
        if index_type.kind is not INT.kind:
            raise input_error("OG011", "the index of a loop is an integer", self.at(type_))
        range_ = loop_range(str(name), self.as_expr(c[5]), self.as_expr(c[7]), c[9])
        mode = LOOP_MODES[word.type]
        clauses, rest = self.take_clauses(self.raw_body(c[11]), LOOP_CLAUSES, "loop")
        body = self.finish_body(rest, "continue")
        return For(
            str(name), range_, body, mode, clauses, (), index_type, id=StatementId(self.at(c[0]).to(self.at(c[10])))
        )

    # Bodies

    def raw_body(self, raw: RawStatement) -> tuple[RawStatement, ...]:
        if isinstance(raw, Braces):
            return raw.items
        return tuple(flatten([raw]))

    def body_of(self, raw: RawStatement) -> tuple[Stmt, ...]:
        """The statements of a branch. A jump at its end stays until the enclosing loop or function replaces it by an `else`."""
        return self.statements(self.raw_body(raw))

    def statements(self, raws: Sequence[RawStatement]) -> tuple[RawStatement, ...]:
        """Turn annotations into ghost statements and braces into blocks, and apply pragmas to the loop that follows them."""
        out: list[RawStatement] = []
        pragmas: list[Pragma] = []
        for raw in raws:
            if pragmas and not isinstance(raw, Pragma):
                if not isinstance(raw, For):
                    raise input_error("OG012", "a loop must follow this pragma", pragmas[0].loc)
                for pragma in pragmas:
                    raw = apply_pragma(pragma, raw)
                pragmas = []
            match raw:
                case Pragma():
                    pragmas.append(raw)
                case Annotation():
                    out.append(self.ghost_statement(raw))
                case Braces():
                    out.append(Block(self.statements(raw.items), id=StatementId(raw.loc)))
                case _:
                    out.append(raw)
        if pragmas:
            raise input_error("OG012", "a loop must follow this pragma", pragmas[0].loc)
        return tuple(out)

    def finish_body(self, raws: Sequence[RawStatement], jump: str) -> Body:
        """The body of a loop (`jump` is `continue`) or function (`return`), with early exits replaced by `else`."""
        body = desugar_jumps(self.statements(raws), jump)
        for i, stmt in enumerate(body):
            reject_jumps(stmt, last_of_function=jump == "return" and i == len(body) - 1)
        return body

    def take_clauses(
        self, raws: Sequence[RawStatement], kinds: tuple[str, ...], what: str
    ) -> tuple[tuple[Clause, ...], Sequence[RawStatement]]:
        """Split a body into the contract at its start and the statements after it. `what`: "function" or "loop"."""
        clauses: list[Clause] = []
        for i, raw in enumerate(raws):
            if not (isinstance(raw, Annotation) and raw.name in CLAUSE_NAMES | MARKERS):
                self.reject_late_clauses(raws[i:], what)
                return tuple(clauses), raws[i:]
            if raw.name in MARKERS:
                continue
            kind = raw.name[2:]
            if kind not in kinds:
                other = "function" if kind in FUNCTION_CLAUSES else "loop"
                fix = f"__x{kind}(…) or __s{kind}(…)" if kind in FUNCTION_CLAUSES and what == "loop" else None
                raise input_error(
                    "OG013", f"`{raw.name}` belongs to a {other} contract, not to a {what}'s", raw.loc, help=fix
                )
            clauses.append(Clause(kind, self.clause_items(raw, kind), raw.loc))
        return tuple(clauses), ()

    def clause_items(self, raw: Annotation, kind: str) -> tuple[Item, ...]:
        """The items of a clause. `__reverts(g)` has the name of a ghost."""
        if kind == "strict":
            if raw.args:
                raise input_error("OG008", "`__strict` takes no arguments", raw.loc)
            return ()
        if kind == "reverts" and raw.args and isinstance(raw.args[0].value, Var):
            return (Item(None, raw.args[0].value, raw.loc),)
        return parse_items(self.string_of(raw, 0, 1))

    def reject_late_clauses(self, raws: Sequence[RawStatement], what: str) -> None:
        for raw in raws:
            if isinstance(raw, Annotation) and raw.name in CLAUSE_NAMES | MARKERS:
                raise input_error("OG013", f"`{raw.name}` must stand at the start of the {what}'s body", raw.loc)

    # Annotations

    def string_of(self, raw: Annotation, position: int, count: int | None = None) -> StringLiteral:
        """The formula at a position of an annotation, which has `count` arguments."""
        if count is not None and len(raw.args) != count:
            raise input_error(
                "OG008", f"`{raw.name}` takes {count} argument{'s' if count > 1 else ''}, not {len(raw.args)}", raw.loc
            )
        arg = raw.args[position] if position < len(raw.args) else None
        if arg is None or not isinstance(arg.value, StringLiteral):
            message, fix = f"`{raw.name}` takes a formula in quotes here", f'{raw.name}("…")'
            raise input_error("OG008", message, arg.loc if arg else raw.loc, help=None if position else fix)
        return arg.value

    def name_of(self, raw: Annotation, position: int) -> str:
        arg = raw.args[position] if position < len(raw.args) else None
        if arg is None or not isinstance(arg.value, Var):
            raise input_error("OG008", f"`{raw.name}` takes a name here", arg.loc if arg else raw.loc)
        return arg.value.name

    def ghost_statement(self, raw: Annotation) -> Stmt:
        statement_id = StatementId(raw.loc)
        match raw.name:
            case "__ASSERT":
                if len(raw.args) == 2:
                    items = parse_items(self.string_of(raw, 1, 2))
                    items = (replace(items[0], name=self.name_of(raw, 0)), *items[1:])
                    return Assert(items, id=statement_id)
                return Assert(parse_items(self.string_of(raw, 0, 1)), id=statement_id)
            case "__GHOST_END":
                return GhostEnd(self.name_of(raw, 0), id=statement_id)
            case "__with":
                return Ghost(WITH, parse_ghost_args(self.string_of(raw, 0, 1)), id=statement_id)
            case "__ghost" | "__GHOST_BEGIN":
                label = self.name_of(raw, 0) if raw.name == "__GHOST_BEGIN" else None
                first = 1 if label else 0
                func = self.name_of(raw, first)
                count = len(raw.args) - first - 1
                if count > 2:
                    raise input_error("OG008", f"`{raw.name}` takes a ghost, its arguments and its results", raw.loc)
                args = parse_ghost_args(self.string_of(raw, first + 1)) if count >= 1 else ()
                binds = parse_ghost_results(self.string_of(raw, first + 2)) if count >= 2 else ()
                return Ghost(func, args, binds, label, id=statement_id)
            case _ if raw.name in TOP_LEVEL_ANNOTATIONS:
                raise input_error("OG013", f"`{raw.name}` belongs outside functions", raw.loc)
            case _:
                raise input_error("OG013", f"`{raw.name}` must stand at the start of a function or loop body", raw.loc)

    def annotation(self, c: list[Child]) -> TopLevel:
        raw = c[0]
        if not isinstance(raw, Annotation) or raw.name not in TOP_LEVEL_ANNOTATIONS:
            name = raw.name if isinstance(raw, Annotation) else raw.func
            raise input_error("OG013", f"`{name}(…)` cannot stand outside functions", raw.loc)
        text = self.string_of(raw, 1, 2)
        name = self.name_of(raw, 0)
        match raw.name:
            case "__DECL":
                return LogicDecl(name, parse_logic_type(text), raw.loc)
            case "__DEF":
                return LogicDef(name, parse_proposition(text), raw.loc)
            case _:
                return Axiom(name, parse_proposition(text), raw.loc)


def flatten(values: Sequence[Child]) -> list[RawStatement]:
    """The values, with the elements of lists in the place of the lists: a declaration may be several statements."""
    out: list[RawStatement] = []
    for v in values:
        if isinstance(v, list):
            out.extend(v)
        else:
            out.append(v)
    return out
