"""Parses annotated C: runs the grammar of c.lark and builds syntax from its tree. Names and types are checked later."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from optigpu.frontend.c_statements import StatementBuilder, flatten
from optigpu.frontend.chained_assignments import require_different_targets
from optigpu.frontend.expression_builder import Child, TokenPlaces
from optigpu.frontend.grammar_tables import parser_of
from optigpu.frontend.number_literals import scalar_type
from optigpu.frontend.raw_statements import Annotation, Braces, Pragma, Prototype
from optigpu.frontend.rule_declarations import rule_declaration
from optigpu.frontend.stored_float_names import with_stored_floats
from optigpu.frontend.syntax_errors import syntax_error
from optigpu.frontend.template_types import with_element_types
from optigpu.syntax.builtins import BUILTIN_NAMES, is_compiler_builtin
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Array, Binary, Call, Expr, Type
from optigpu.syntax.program import (
    FUNCTION_CLAUSES,
    Define,
    Function,
    Include,
    Param,
    Role,
    RuleDeclaration,
    TopLevel,
)
from optigpu.syntax.source import NOWHERE, Loc, SourceText
from optigpu.syntax.types import TEMPLATE_ELEMENT, VOID, Pointer
from optigpu.syntax.walk import body_subexpressions

SYSTEM_HEADERS = frozenset(
    {"optigpu.h", "math.h", "stdlib.h", "stdbool.h", "stdint.h", "stddef.h", "float.h", "limits.h", "string.h", "omp.h"}
)
IncludeReader: TypeAlias = Callable[[str, Loc], tuple[TopLevel, ...]]


@cache
def _grammar() -> Lark:
    return parser_of("c")


def parse_c(source: SourceText, read_include: IncludeReader) -> tuple[TopLevel, ...]:
    """The items of a file. `read_include` parses the file of an `#include "…"`."""
    builder = _FileBuilder(source, _FilePlaces(source.name), read_include)
    tree = _run_grammar(source, with_stored_floats(with_element_types(source.text)), "program", 0)
    result: tuple[TopLevel, ...] = builder.build(tree)
    return result


def _run_grammar(source: SourceText, text: str, start: str, offset: int) -> Tree[Token]:
    try:
        return _grammar().parse(text, start=start)
    except UnexpectedInput as error:
        raise syntax_error(error, text, lambda a, b: source.span(offset + a, offset + b), "program") from None


def _parsed_rule(text: str) -> Function:
    """The rule of a built-in function, from its text."""
    source = SourceText("<optigpu>/gpu_rules", text)
    builder = _FileBuilder(source, _FilePlaces(source.name), lambda path, loc: ())
    builder.compares_rules = False
    (rule,) = builder.build(_run_grammar(source, with_element_types(text), "program", 0))
    assert isinstance(rule, Function)
    return rule


class _FilePlaces:
    """Places of the tokens of a whole file."""

    def __init__(self, file: str) -> None:
        self.file = file

    def of(self, token: Token) -> Loc:
        t: Any = token  # lark types the positions as optional; a parsed token has them
        return Loc(self.file, t.line, t.column, t.end_line, t.end_column)


class _ShiftedPlaces:
    """Places of the tokens of a part of a file that was parsed on its own: the value of a #define, which starts at `offset`."""

    def __init__(self, source: SourceText, offset: int) -> None:
        self.source, self.offset = source, offset

    def of(self, token: Token) -> Loc:
        start, end = token.start_pos or 0, token.end_pos or 0
        return self.source.span(self.offset + start, self.offset + end)


class _FileBuilder(StatementBuilder):
    """Builds the items of a file from its syntax tree."""

    def __init__(self, source: SourceText, positions: TokenPlaces, read_include: IncludeReader) -> None:
        super().__init__(source, positions)
        self.read_include = read_include
        self.compares_rules = True
        self.result_place = NOWHERE  # of the function that is read

    def result(self, c: list[Child]) -> Type:
        if c[0].type == "VOID":
            return VOID
        self.result_place = self.span(c)
        return Pointer(scalar_type(c[0])) if len(c) == 2 else scalar_type(c[0])

    def param(self, c: list[Child]) -> Param:
        base, d = c
        return Param(d.name, self.type_of(base, d, local=False), base.const, base.loc.to(d.loc))

    def params(self, c: list[Child]) -> list[Param]:
        return [p for p in c if isinstance(p, Param)]

    def function(self, c: list[Child]) -> Function | Prototype | RuleDeclaration:
        qualifiers = [str(t) for t in c if isinstance(t, Token) and t.type == "QUALIFIER"]
        name = next(t for t in c if isinstance(t, Token) and t.type == "NAME")
        result = c[len(qualifiers)]
        params = next((x for x in c if isinstance(x, list)), [])
        loc = self.at(name)
        if not isinstance(c[-1], Braces):
            self.reject_unusual_types(result, params)
            return Prototype(str(name), tuple(p.type for p in params), loc)
        role = Role.DEVICE if "__device__" in qualifiers else Role.HOST
        f = self.define_function(str(name), tuple(params), result, c[-1], role, loc)
        declared = rule_declaration(f, _parsed_rule) if self.compares_rules else None
        if declared is None and self.compares_rules:
            self.reject_unusual_types(result, params)
        return declared or f

    def reject_unusual_types(self, result: Type, params: list[Param]) -> None:
        """Reject what only declarations of built-in functions have: results that are pointers, and types of templates."""
        if isinstance(result, Pointer):
            raise input_error("OG009", "functions that return pointers are not in the language", self.result_place)
        for t, loc in ((result, self.result_place), *((p.type, p.loc) for p in params)):
            if TEMPLATE_ELEMENT in (t, getattr(t, "elem", None)):
                message = "only built-in functions are templates: the functions of a program have numbers of one type"
                raise input_error("OG004", message, loc, help="float")

    def ghost_function(self, c: list[Child]) -> Function:
        return self.define_function(str(c[2]), (), VOID, c[4], Role.GHOST, self.at(c[2]))

    def define_function(
        self, name: str, params: tuple[Param, ...], result: Type, braces: Braces, role: Role, loc: Loc
    ) -> Function:
        clauses, rest = self.take_clauses(braces.items, FUNCTION_CLAUSES, "function")
        admitted = any(isinstance(r, Annotation) and r.name == "__admitted" for r in braces.items)
        if role is Role.GHOST and any(c.kind == "reverts" for c in clauses):
            if rest and not admitted:
                raise input_error("OG115", f"`{name}` has `__reverts`: each use is checked, so it has no body", loc)
            admitted, rest = False, ()
        body = self.finish_body(rest, "return")
        require_different_targets(body, self.chains)
        self.chains = []
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
        builder = _FileBuilder(self.source, _ShiftedPlaces(self.source, offset), self.read_include)
        value: Expr = builder.as_expr(builder.build(tree))
        if isinstance(value, Binary) and tree.data != "parenthesised":
            raise input_error(
                "OG007", "this macro's value needs parentheses", value.loc, help=f"({value_text.strip()})"
            )
        return Define(name, value, loc)

    def program(self, c: list[Child]) -> tuple[TopLevel, ...]:
        items = []
        for item in flatten(c):
            if isinstance(item, Pragma):
                if not re.fullmatch(r"#\s*pragma\s+once\s*", item.text):
                    raise input_error("OG012", "a pragma belongs before a loop", item.loc)
                continue
            items.append(item)
        reject_undeclared_calls(items)
        return tuple(i for i in items if not isinstance(i, Prototype))


def reject_undeclared_calls(items: list[TopLevel | Prototype]) -> None:
    """Reject calls of functions that are declared only further below: C would pass the arguments unconverted."""
    defined = {f.name: f for f in items if isinstance(f, Function)}
    declared: set[str] = set()
    for item in items:
        match item:
            case Prototype(name, types):
                if name in BUILTIN_NAMES or is_compiler_builtin(name):
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
                for x in body_subexpressions(item.body):
                    if isinstance(x, Call) and x.func in defined.keys() - declared:
                        message = f"`{x.func}` is called before it is declared: C does not convert what it is given"
                        raise input_error("OG100", message, x.loc, help=f"put `{x.func}` above `{name}`")
            case _:
                pass


def same_types(left: tuple[Type, ...], right: tuple[Type, ...]) -> bool:
    """Whether C passes arguments of these types in the same way: an array is passed as a pointer."""
    passed = [[t.elem.name + "*" if isinstance(t, Array | Pointer) else t for t in types] for types in (left, right)]
    return passed[0] == passed[1]
