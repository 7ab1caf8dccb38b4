"""Annotated C text to syntax: runs the grammar of c.lark and builds the nodes. Names and types are checked afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from optigpu.frontend.early_exits import Jump, desugar_jumps, reject_jumps
from optigpu.frontend.expression_builder import Child, ExprBuilder, scalar_type
from optigpu.frontend.formula_parser import (
    StringLiteral,
    parse_ghost_args,
    parse_ghost_results,
    parse_items,
    parse_logic_type,
)
from optigpu.frontend.formula_parser import parse_proposition as parse_formula
from optigpu.frontend.syntax_errors import syntax_error
from optigpu.frontend.wellformed import HINT
from optigpu.syntax.annotations import ALLOCATIONS, ANNOTATIONS, CLAUSE_NAMES, MARKERS, TOP_LEVEL_ANNOTATIONS
from optigpu.syntax.builtins import BUILTIN_NAMES, of_compilers
from optigpu.syntax.conditions import MIRRORED
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Alloc, Array, Binary, Call, Expr, Index, Int, SizeOf, Type, Var
from optigpu.syntax.program import (
    FUNCTION_CLAUSES,
    LOOP_CLAUSES,
    Assert,
    Axiom,
    Block,
    Body,
    CallStmt,
    Clause,
    Decl,
    Define,
    For,
    Function,
    Ghost,
    GhostEnd,
    If,
    Include,
    LogicDecl,
    LogicDef,
    LoopRange,
    Mode,
    Param,
    Return,
    Role,
    Stmt,
    Store,
    TopLevel,
    ordered_hints,
)
from optigpu.syntax.source import Loc, SourceText, StatementId
from optigpu.syntax.types import INT, VOID, Pointer, Scalar, Space
from optigpu.syntax.walk import statements, stmt_exprs, subexpressions

SYSTEM_HEADERS = frozenset(
    {"optigpu.h", "math.h", "stdlib.h", "stdbool.h", "stdint.h", "stddef.h", "float.h", "limits.h", "string.h", "omp.h"}
)
IncludeReader: TypeAlias = Callable[[str, Loc], tuple[TopLevel, ...]]


@cache
def _grammar() -> Lark:
    text = files("optigpu.frontend").joinpath("c.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        start=["program", "expr"],
        g_regex_flags=re.ASCII,
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


def parse_c(source: SourceText, read_include: IncludeReader) -> tuple[TopLevel, ...]:
    """The items of a file; `read_include` parses `#include "…"`."""
    builder = _CBuilder(source, read_include)
    tree = _run_grammar(source, source.text, "program", 0)
    result: tuple[TopLevel, ...] = builder.build(tree)
    return result


def _run_grammar(source: SourceText, text: str, start: str, offset: int) -> Tree[Token]:
    try:
        return _grammar().parse(text, start=start)
    except UnexpectedInput as error:
        raise syntax_error(error, source, text, lambda a, b: source.span(offset + a, offset + b), "program") from None


class _FilePositions:
    def __init__(self, file: str) -> None:
        self.file = file

    def of(self, token: Token) -> Loc:
        t: Any = token  # lark types the positions as optional; a parsed token has them
        return Loc(self.file, t.line, t.column, t.end_line, t.end_column)


class _ShiftedPositions:
    """Positions in a piece of the file that starts at `offset` (the right side of a #define)."""

    def __init__(self, source: SourceText, offset: int) -> None:
        self.source, self.offset = source, offset

    def of(self, token: Token) -> Loc:
        start, end = token.start_pos or 0, token.end_pos or 0
        return self.source.span(self.offset + start, self.offset + end)


# Values that exist only while a file is being built


@dataclass(frozen=True, slots=True)
class _Annotation:
    """A call of an annotation: its arguments may be strings."""

    name: str
    args: tuple[_Argument, ...]
    loc: Loc


@dataclass(frozen=True, slots=True)
class _Argument:
    value: Expr | Scalar | StringLiteral
    loc: Loc


@dataclass(frozen=True, slots=True)
class _Prototype:
    """A declaration of a function; the definition says the same again."""

    name: str
    types: tuple[Type, ...]  # of the parameters
    loc: Loc


@dataclass(frozen=True, slots=True)
class _Pragma:
    text: str
    loc: Loc


@dataclass(frozen=True, slots=True)
class _DeclaredType:
    scalar: Scalar
    const: bool
    loc: Loc


@dataclass(frozen=True, slots=True)
class _Declarator:
    name: str
    pointer: bool  # *p or (*p)[n]
    const: bool  # * const p
    grouped: bool  # (*p)[n]: the dimensions are those of what is pointed to
    dims: tuple[Expr | None, ...]
    loc: Loc


@dataclass(frozen=True, slots=True)
class _InitialList:
    values: tuple[Expr, ...]
    loc: Loc


@dataclass(frozen=True, slots=True)
class _Initialised:
    declarator: _Declarator
    init: Expr | _InitialList | None
    loc: Loc


@dataclass(frozen=True, slots=True)
class _Simple:
    """`e`, `e op= v`, `e++`, `++e`: what may stand before a semicolon, and as the third part of a `for`."""

    target: Any
    op: str  # "" (no assignment), "=", "+=", …
    value: Expr | None
    loc: Loc


@dataclass(frozen=True, slots=True)
class _Braces:
    items: tuple[Any, ...]
    loc: Loc


_Raw: TypeAlias = Any  # a Stmt, or one of the above where a statement may stand


class _CBuilder(ExprBuilder):
    def __init__(self, source: SourceText, read_include: IncludeReader) -> None:
        super().__init__(_FilePositions(source.name))
        self.source = source
        self.read_include = read_include

    # Expressions

    def as_expr(self, value: Child) -> Expr:
        if isinstance(value, _Annotation):
            raise input_error(
                "OG008", f"`{value.name}` is an annotation: it cannot stand inside an expression", value.loc
            )
        return super().as_expr(value)

    def argument(self, c: list[Child]) -> _Argument:
        loc = self.span(c)
        if isinstance(c[0], Token) and c[0].type == "STRING":
            return _Argument(StringLiteral(self.source, tuple(c)), loc)
        if isinstance(c[0], Token):
            return _Argument(scalar_type(c[0]), loc)
        return _Argument(self.as_expr(c[0]), loc)

    def call(self, c: list[Child]) -> Expr | _Annotation:
        name, loc = str(c[0]), self.span(c)
        args = tuple(a for a in c[1:] if isinstance(a, _Argument))
        if c[0].type == "TEMPLATE_NAME":
            if c[1] != "<" or c[3] != ">":
                raise input_error("OG001", "expected `<type>` here", self.at(c[1]))
            args = (_Argument(scalar_type(c[2]), self.at(c[2])), *args)
        if name in ANNOTATIONS:
            return _Annotation(name, args, loc)
        return self.program_call(name, args, loc)

    def program_call(self, name: str, args: tuple[_Argument, ...], loc: Loc) -> Expr:
        if name in ALLOCATIONS:
            rank, space = ALLOCATIONS[name]
            if not args or not isinstance(args[0].value, Scalar):
                raise input_error(
                    "OG105", f"`{name}` needs an element type", loc, help=f"{name}<float>(…) or {name}(float, …)"
                )
            dims = self.expressions(name, args[1:])
            if len(dims) != rank:
                raise input_error("OG105", f"`{name}` takes {rank} sizes, not {len(dims)}", loc)
            return Alloc(args[0].value, dims, space, loc=loc)
        if name == "sizeof":
            if len(args) != 1 or not isinstance(args[0].value, Scalar):
                raise input_error("OG105", "`sizeof` is supported for scalar types only", loc, help="sizeof(float)")
            return SizeOf(args[0].value, loc=loc)
        if name == "malloc":
            return self.malloc(self.expressions(name, args), loc)
        return Call(name, self.expressions(name, args), loc=loc)

    def expressions(self, name: str, args: Sequence[_Argument]) -> tuple[Expr, ...]:
        out: list[Expr] = []
        for a in args:
            if isinstance(a.value, Scalar):
                raise input_error("OG105", f"a type cannot be an argument of `{name}` here", a.loc)
            if isinstance(a.value, StringLiteral):
                raise input_error("OG008", f"`{name}` is not an annotation: strings are not in the language", a.loc)
            out.append(a.value)
        return tuple(out)

    def malloc(self, args: tuple[Expr, ...], loc: Loc) -> Expr:
        """`malloc(n * sizeof(T))`, in either order."""
        match args:
            case (Binary("*", count, SizeOf(elem)),) | (Binary("*", SizeOf(elem), count),):
                return Alloc(elem, (count,), loc=loc)
            case (SizeOf(elem),):
                return Alloc(elem, (Int(1, loc=loc),), loc=loc)
        raise input_error(
            "OG105", "the size of this `malloc` is not `n * sizeof(type)`", loc, help="use MALLOC1(float, n)"
        )

    # Declarations

    def declared_type(self, c: list[Child]) -> _DeclaredType:
        scalar = next(t for t in c if t.type == "TYPE")
        return _DeclaredType(scalar_type(scalar), any(t.type == "CONST" for t in c), self.span(c))

    def dimension(self, c: list[Child]) -> Expr | None:
        return self.as_expr(c[1]) if len(c) == 3 else None

    def declarator(self, c: list[Child]) -> _Declarator:
        name = next(t for t in c if isinstance(t, Token) and t.type == "NAME")
        tokens = [t for t in c if isinstance(t, Token)]
        pointer = any(t.type == "STAR" for t in tokens)
        dims = tuple(d for d in c if not isinstance(d, Token))
        return _Declarator(
            str(name), pointer, any(t.type == "CONST" for t in tokens), tokens[0] == "(", dims, self.at(name)
        )  # fmt: skip

    def declared(self, base: _DeclaredType, d: _Declarator, *, local: bool) -> Type:
        if d.grouped:
            return Array(base.scalar, (None, *self.known(d.dims)))
        if d.pointer:
            if d.dims:
                raise input_error("OG009", "arrays of pointers are not in the language", d.loc)
            return Pointer(base.scalar)
        if d.dims:
            return Array(base.scalar, self.known(d.dims) if local else (d.dims[0], *self.known(d.dims[1:])))
        return base.scalar

    def known(self, dims: tuple[Expr | None, ...]) -> tuple[Expr, ...]:
        out = []
        for d in dims:
            if d is None:
                raise input_error("OG009", "this dimension needs a size", self.last_loc, help="float a[H][W]")
            out.append(d)
        return tuple(out)

    def initial_list(self, c: list[Child]) -> _InitialList:
        return _InitialList(tuple(self.as_expr(x) for x in c if not isinstance(x, Token)), self.span(c))

    def initialised(self, c: list[Child]) -> _Initialised:
        if len(c) == 1:
            return _Initialised(c[0], None, c[0].loc)
        if c[1] != "=":
            raise input_error("OG001", f"expected `=` here, not `{c[1]}`", self.at(c[1]))
        init = c[2] if isinstance(c[2], _InitialList) else self.as_expr(c[2])
        return _Initialised(c[0], init, self.span(c))

    def declaration(self, c: list[Child]) -> list[Stmt]:
        shared = isinstance(c[0], Token) and c[0].type == "SHARED"
        base: _DeclaredType = c[1] if shared else c[0]
        out: list[Stmt] = []
        for entry in c:
            if isinstance(entry, _Initialised):
                out.extend(self.declare_one(base, entry, shared))
        return out

    def declare_one(self, base: _DeclaredType, entry: _Initialised, shared: bool) -> list[Stmt]:
        d = entry.declarator
        self.last_loc = d.loc
        type_ = self.declared(base, d, local=True)
        statement_id = StatementId(base.loc.to(entry.loc))
        if isinstance(type_, Array) and not d.grouped:
            if shared:
                type_ = replace(type_, space=Space.SMEM)
            decl = Decl(d.name, type_, None, base.const, id=statement_id)
            if entry.init is None:
                return [decl]
            if shared or not isinstance(entry.init, _InitialList):
                raise input_error(
                    "OG009", "this array cannot be initialised here", entry.init.loc, help="assign its elements"
                )
            return [decl, *self.element_stores(d.name, type_, entry.init)]
        if shared:
            raise input_error(
                "OG009", "a `__shared__` declaration is an array with its sizes", d.loc, help="__shared__ float s[256];"
            )
        if isinstance(entry.init, _InitialList):
            raise input_error("OG009", "only arrays take an initialiser list", entry.init.loc)
        const = d.const if d.pointer else base.const
        return [Decl(d.name, type_, entry.init, const, id=statement_id)]

    def element_stores(self, name: str, array: Array, init: _InitialList) -> list[Stmt]:
        """`float t[3] = {1, 2};` is three stores: what is not listed is zero."""
        sizes = [d.value if isinstance(d, Int) else None for d in array.dims]
        if len(sizes) != 1 or sizes[0] is None or not 0 < sizes[0] <= 256:
            raise input_error("OG009", "an initialiser list needs a one-dimensional array of constant size", init.loc)
        if len(init.values) > sizes[0]:
            raise input_error("OG009", f"{len(init.values)} values for {sizes[0]} elements", init.loc)
        for x in (x for v in init.values for x in subexpressions(v)):
            if x == Var(name):
                message = f"`{name}` in its own initial value is the new `{name}` in C, which has no value yet"
                raise input_error("OG101", message, x.loc, help="assign its elements")
            if isinstance(x, Call) and x.func not in BUILTIN_NAMES:
                message = (
                    "C leaves open in which order the values of a list are computed: they have no calls of functions"
                )
                raise input_error("OG116", message, x.loc, help="assign the result to a variable first")
        zero: Expr = Int(0, loc=init.loc)
        values = [*init.values, *[zero] * (sizes[0] - len(init.values))]
        statement_id = StatementId(init.loc)
        return [
            Store(Index(Var(name, loc=init.loc), (Int(i, loc=init.loc),), loc=init.loc), v, id=statement_id)
            for i, v in enumerate(values)
        ]

    # Statements

    def block(self, c: list[Child]) -> _Braces:
        return _Braces(tuple(flatten(c[1:-1])), self.span(c))

    def pragma(self, c: list[Child]) -> _Pragma:
        return _Pragma(re.sub(r"\\\n", " ", str(c[0])), self.at(c[0]))

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

    def simple(self, c: list[Child]) -> _Simple:
        loc = self.span(c)
        if len(c) == 1:
            return _Simple(c[0], "", None, loc)
        if len(c) == 2:
            token, target = (c[0], c[1]) if isinstance(c[0], Token) else (c[1], c[0])
            return _Simple(self.as_expr(target), "+=" if token == "++" else "-=", Int(1, loc=self.at(token)), loc)
        return _Simple(self.as_expr(c[0]), str(c[1]), self.as_expr(c[2]), loc)

    def simple_statement(self, c: list[Child]) -> _Raw:
        simple: _Simple = c[0]
        statement_id = StatementId(self.span(c))
        if simple.op == "":
            match simple.target:
                case _Annotation():
                    return simple.target
                case Call() as call:
                    return CallStmt(call, id=statement_id)
                case _:
                    raise input_error(
                        "OG010", "this statement has no effect", simple.loc, help="assign the value, or remove it"
                    )
        target, value = simple.target, simple.value
        assert value is not None
        if not isinstance(target, Index | Var):
            raise input_error("OG010", "only a variable or an array element can be assigned", target.loc)
        op = None if simple.op == "=" else simple.op[:-1]
        return Store(target, value, op, id=statement_id)

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
        range_ = self.loop_range(str(name), self.as_expr(c[5]), self.as_expr(c[7]), c[9])
        mode = {"FOR": Mode.SEQUENTIAL, "THREAD_FOR": Mode.THREAD, "MAGIC_THREAD_FOR": Mode.MAGIC_THREAD}[word.type]
        clauses, rest = self.take_clauses(self.raw_body(c[11]), LOOP_CLAUSES, "loop")
        body = self.finish_body(rest, "continue")
        return For(
            str(name), range_, body, mode, clauses, (), index_type, id=StatementId(self.at(c[0]).to(self.at(c[10])))
        )

    def loop_range(self, index: str, start: Expr, test: Expr, update: _Simple) -> LoopRange:
        match test:
            case Binary(("<" | "<=" | ">" | ">=") as relation, Var(name), bound) if name == index:
                pass
            case Binary(("<" | "<=" | ">" | ">="), bound, Var(name)) if name == index:  # lo < i
                return self.loop_range(index, start, Binary(MIRRORED[test.op], test.right, bound, loc=test.loc), update)
            case _:
                raise input_error(
                    "OG011", f"the condition of this loop does not compare `{index}` with a bound", test.loc,
                    help=f"for (int {index} = lo; {index} < hi; {index}++)",
                )  # fmt: skip
        match update:
            case _Simple(Var(name), op, amount) if name == index and amount is not None and op != "":
                pass
            case _:
                raise input_error(
                    "OG011", f"the third part of this loop does not step `{index}`", update.loc, help=f"{index}++ or {index} += 2"
                )  # fmt: skip
        if op == "=":
            match amount:  # i = i + 2
                case Binary(("+" | "-" | "*" | "/" | "<<" | ">>") as step, Var(name), amount) if name == index:
                    op = step + "="
                case _:
                    raise input_error("OG011", f"the third part of this loop does not step `{index}`", update.loc)
        if op[:-1] not in ("+", "-", "*", "/", "<<", ">>"):
            raise input_error(
                "OG011", f"a loop cannot step by `{op}`", update.loc, help="use +=, -=, *=, /=, <<= or >>="
            )
        upwards = op[:-1] in ("+", "*", "<<")
        if upwards != (relation in ("<", "<=")):
            raise input_error(
                "OG011", f"this loop counts {'up' if upwards else 'down'} but its condition is `{index} {relation} …`", test.loc
            )  # fmt: skip
        return LoopRange(start, relation, bound, op[:-1], amount)

    # Bodies

    def raw_body(self, raw: _Raw) -> tuple[_Raw, ...]:
        if isinstance(raw, _Braces):
            return raw.items
        return tuple(flatten([raw]))

    def body_of(self, raw: _Raw) -> tuple[Stmt, ...]:
        """A branch of an `if`. A jump at its end is kept until the enclosing loop or function turns it into an else."""
        return self.statements(self.raw_body(raw))

    def statements(self, raws: Sequence[_Raw]) -> tuple[Any, ...]:
        """Annotations become ghost statements, pragmas go to the loop that follows them, braces become blocks."""
        out: list[Any] = []
        pragmas: list[_Pragma] = []
        for raw in raws:
            if pragmas and not isinstance(raw, _Pragma):
                if not isinstance(raw, For):
                    raise input_error("OG012", "a loop must follow this pragma", pragmas[0].loc)
                for pragma in pragmas:
                    raw = apply_pragma(pragma, raw)
                pragmas = []
            match raw:
                case _Pragma():
                    pragmas.append(raw)
                case _Annotation():
                    out.append(self.ghost_statement(raw))
                case _Braces():
                    out.append(Block(self.statements(raw.items), id=StatementId(raw.loc)))
                case _:
                    out.append(raw)
        if pragmas:
            raise input_error("OG012", "a loop must follow this pragma", pragmas[0].loc)
        return tuple(out)

    def finish_body(self, raws: Sequence[_Raw], jump: str) -> Body:
        """The body of a loop (`continue`) or function (`return`), with early ends turned into `else`."""
        body = desugar_jumps(self.statements(raws), jump)
        for i, stmt in enumerate(body):
            reject_jumps(stmt, last_of_function=jump == "return" and i == len(body) - 1)
        return body

    def take_clauses(
        self, raws: Sequence[_Raw], kinds: tuple[str, ...], what: str
    ) -> tuple[tuple[Clause, ...], Sequence[_Raw]]:
        """The contract at the start of a body."""
        clauses: list[Clause] = []
        for i, raw in enumerate(raws):
            if not (isinstance(raw, _Annotation) and raw.name in CLAUSE_NAMES | MARKERS):
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
            clauses.append(Clause(kind, parse_items(self.string_of(raw, 0, 1)), raw.loc))
        return tuple(clauses), ()

    def reject_late_clauses(self, raws: Sequence[_Raw], what: str) -> None:
        for raw in raws:
            if isinstance(raw, _Annotation) and raw.name in CLAUSE_NAMES | MARKERS:
                raise input_error("OG013", f"`{raw.name}` must stand at the start of the {what}'s body", raw.loc)

    # Annotations

    def string_of(self, raw: _Annotation, position: int, count: int | None = None) -> StringLiteral:
        if count is not None and len(raw.args) != count:
            raise input_error(
                "OG008", f"`{raw.name}` takes {count} argument{'s' if count > 1 else ''}, not {len(raw.args)}", raw.loc
            )
        arg = raw.args[position] if position < len(raw.args) else None
        if arg is None or not isinstance(arg.value, StringLiteral):
            raise input_error("OG008", f"`{raw.name}` takes a formula in quotes here", arg.loc if arg else raw.loc)
        return arg.value

    def name_of(self, raw: _Annotation, position: int) -> str:
        arg = raw.args[position] if position < len(raw.args) else None
        if arg is None or not isinstance(arg.value, Var):
            raise input_error("OG008", f"`{raw.name}` takes a name here", arg.loc if arg else raw.loc)
        return arg.value.name

    def ghost_statement(self, raw: _Annotation) -> Stmt:
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
        if not isinstance(raw, _Annotation) or raw.name not in TOP_LEVEL_ANNOTATIONS:
            name = raw.name if isinstance(raw, _Annotation) else raw.func
            raise input_error("OG013", f"`{name}(…)` cannot stand outside functions", raw.loc)
        text = self.string_of(raw, 1, 2)
        name = self.name_of(raw, 0)
        match raw.name:
            case "__DECL":
                return LogicDecl(name, parse_logic_type(text), raw.loc)
            case "__DEF":
                return LogicDef(name, parse_formula(text), raw.loc)
            case _:
                return Axiom(name, parse_formula(text), raw.loc)

    # Functions and files

    def result(self, c: list[Child]) -> Type:
        if c[0].type == "VOID":
            return VOID
        if len(c) == 2:
            raise input_error("OG009", "functions that return pointers are not in the language", self.span(c))
        return scalar_type(c[0])

    def param(self, c: list[Child]) -> Param:
        base, d = c
        self.last_loc = d.loc
        return Param(d.name, self.declared(base, d, local=False), base.const, base.loc.to(d.loc))

    def params(self, c: list[Child]) -> list[Param]:
        return [p for p in c if isinstance(p, Param)]

    def function(self, c: list[Child]) -> Function | _Prototype:
        qualifiers = [str(t) for t in c if isinstance(t, Token) and t.type == "QUALIFIER"]
        name = next(t for t in c if isinstance(t, Token) and t.type == "NAME")
        result = c[len(qualifiers)]
        params = next((x for x in c if isinstance(x, list)), [])
        loc = self.at(name)
        if not isinstance(c[-1], _Braces):
            return _Prototype(str(name), tuple(p.type for p in params), loc)
        role = Role.DEVICE if "__device__" in qualifiers else Role.HOST
        return self.define_function(str(name), tuple(params), result, c[-1], role, loc)

    def ghost_function(self, c: list[Child]) -> Function:
        return self.define_function(str(c[2]), (), VOID, c[4], Role.GHOST, self.at(c[2]))

    def define_function(
        self, name: str, params: tuple[Param, ...], result: Type, braces: _Braces, role: Role, loc: Loc
    ) -> Function:
        clauses, rest = self.take_clauses(braces.items, FUNCTION_CLAUSES, "function")
        admitted = any(isinstance(r, _Annotation) and r.name == "__admitted" for r in braces.items)
        body = self.finish_body(rest, "return")
        return Function(name, params, result, body, clauses, role, admitted, loc)

    def include(self, c: list[Child]) -> Include:
        loc = self.at(c[0])
        if match := re.fullmatch(r'#\s*include\s*(<([^>\n]+)>|"([^"\n]+)")\s*(//.*|/\*.*\*/\s*)?', str(c[0])):
            system, local = match.group(2), match.group(3)
            if system is not None and system not in SYSTEM_HEADERS:
                raise input_error(
                    "OG007", f"the header <{system}> is not known", loc, help="programs need only <optigpu.h>"
                )
            if local == "optigpu.h":
                message = "C reads the file of this name beside the program, if there is one"
                raise input_error("OG007", message, loc, help="#include <optigpu.h>")
            if system is not None:
                return Include(system, True, (), loc)
            return Include(local, False, self.read_include(local, loc), loc)
        raise input_error("OG007", "this #include names no file", loc, help='#include "file.h"')

    def define(self, c: list[Child]) -> Define:
        text, loc = str(c[0]), self.at(c[0])
        match = re.match(r"#\s*define\s+([A-Za-z_]\w*)(\()?", text)
        if match is None:
            raise input_error("OG007", "this #define has no name", loc)
        if match.group(2):
            raise input_error("OG007", "macros with parameters are not in the language", loc, help="write a function")
        name = match.group(1)
        if _run_grammar(self.source, name, "expr", c[0].start_pos + match.start(1)).data != "variable":
            raise input_error("OG007", f"`{name}` is a word of C: a macro would change what it means", loc)
        value_text = re.sub(r"//(\\\n|[^\n])*|/\*.*?\*/|\\(?=\n)", lambda m: " " * len(m.group()), text[match.end() :])
        if not value_text.strip():
            raise input_error("OG007", f"`{name}` is defined as nothing", loc)
        offset = c[0].start_pos + match.end()
        tree = _run_grammar(self.source, value_text, "expr", offset)
        builder = _CBuilder(self.source, self.read_include)
        builder.positions = _ShiftedPositions(self.source, offset)
        value: Expr = builder.as_expr(builder.build(tree))
        if isinstance(value, Binary) and tree.data != "parenthesised":
            raise input_error(
                "OG007", "this macro's value needs parentheses", value.loc, help=f"({value_text.strip()})"
            )
        return Define(name, value, loc)

    def program(self, c: list[Child]) -> tuple[TopLevel, ...]:
        items = []
        for item in flatten(c):
            if isinstance(item, _Pragma):
                if not re.fullmatch(r"#\s*pragma\s+once\s*", item.text):
                    raise input_error("OG012", "a pragma belongs before a loop", item.loc)
                continue
            items.append(item)
        reject_undeclared_calls(items)
        return tuple(i for i in items if not isinstance(i, _Prototype))


def reject_undeclared_calls(items: list[TopLevel | _Prototype]) -> None:
    """Before a function is declared with its parameters, C passes arguments by what they are, unconverted."""
    defined = {f.name: f for f in items if isinstance(f, Function)}
    declared: set[str] = set()
    for item in items:
        match item:
            case _Prototype(name, types):
                if name in BUILTIN_NAMES or of_compilers(name):
                    message = f"`{name}` is built in: with this, C would call it with other types than it has"
                    raise input_error("OG101", message, item.loc, help="leave it out")
                declared.add(name)
                if name in defined and not same_types(types, tuple(p.type for p in defined[name].params)):
                    where = (Label(defined[name].loc, "defined here"),)
                    raise input_error(
                        "OG102", f"`{name}` is declared with other parameters than it is defined with", item.loc, labels=where
                    )  # fmt: skip
            case Function(name):
                declared.add(name)
                for x in (x for s in statements(item.body) for e in stmt_exprs(s) for x in subexpressions(e)):
                    if isinstance(x, Call) and x.func in defined.keys() - declared:
                        message = f"`{x.func}` is called before it is declared: C does not convert what it is given"
                        raise input_error("OG100", message, x.loc, help=f"put `{x.func}` above `{name}`")
            case _:
                pass


def same_types(left: tuple[Type, ...], right: tuple[Type, ...]) -> bool:
    """As far as C passes arguments by them: an array is a pointer."""
    passed = [[t.elem.name + "*" if isinstance(t, Array | Pointer) else t for t in types] for types in (left, right)]
    return passed[0] == passed[1]


def flatten(values: Sequence[Any]) -> list[Any]:
    out: list[Any] = []
    for v in values:
        if isinstance(v, list):
            out.extend(v)
        else:
            out.append(v)
    return out


def apply_pragma(pragma: _Pragma, loop: For) -> For:
    words = pragma.text.split(None, 1)[1].split() if len(pragma.text.split(None, 1)) > 1 else []
    match words:
        case ["omp", "parallel", "for", *rest]:
            clauses = rest[1:] if rest[:1] == ["simd"] else rest
            if not all(HINT.fullmatch(w) and "(" in w for w in clauses):
                raise input_error("OG012", f"the OpenMP clauses `{' '.join(rest)}` are not known", pragma.loc)
            return replace(loop, mode=Mode.PARALLEL, hints=ordered_hints((*loop.hints, *rest)))
        case ["omp", "simd"]:
            return replace(loop, hints=ordered_hints((*loop.hints, "simd")))
        case ["unroll"] | ["GCC", "unroll", _] | ["unroll", _] if re.fullmatch(r"\w+", words[-1]):
            hint = " ".join(w for w in words if w != "GCC")
            return replace(loop, hints=ordered_hints((*loop.hints, hint)))
        case _:
            raise input_error(
                "OG012", "this pragma is not known", pragma.loc, help="#pragma omp parallel for, omp simd, unroll"
            )
