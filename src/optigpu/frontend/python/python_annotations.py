"""Contracts and proof steps of programs in Python: calls of words with strings, as statements or as decorators."""

from __future__ import annotations

import ast

from lark import Token

from optigpu.frontend.c_statements import StatementBuilder
from optigpu.frontend.formula_parser import parse_items
from optigpu.frontend.python.python_loops import LoopTranslator
from optigpu.frontend.python.python_source import PythonString
from optigpu.frontend.python.python_words import CLAUSE_WORDS, MARKER_WORDS, STEP_WORDS
from optigpu.frontend.raw_statements import Annotation, AnnotationArgument
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Var
from optigpu.syntax.program import FUNCTION_CLAUSES, LOOP_CLAUSES, Clause, Stmt
from optigpu.syntax.source import Loc

NAMES = {**CLAUSE_WORDS, **MARKER_WORDS, **STEP_WORDS}  # word -> annotation of C
NAME_ARGUMENTS = {"ghost": 1, "ghost_begin": 2, "ghost_end": 1}  # so many first arguments are names, not formulas


class AnnotationTranslator(LoopTranslator):
    """Reads annotations; their formulas are read by the parser of formulas."""

    def annotation(self, node: ast.expr) -> tuple[str, ast.Call] | None:
        """The word of an annotation and its call; None if an expression is none."""
        if not isinstance(node, ast.Call):
            return None
        word = self.word(node.func)
        return (word, node) if word in NAMES else None

    def raw_annotation(self, word: str, call: ast.Call) -> Annotation:
        if call.keywords:
            raise input_error("OG008", f"`og.{word}` takes no keywords", self.loc(call.keywords[0].value))
        args = []
        names = NAME_ARGUMENTS.get(word, 1 if word == "assertion" and len(call.args) == 2 else 0)
        for n, arg in enumerate(call.args):
            if not (isinstance(arg, ast.Constant) and isinstance(arg.value, str)):
                message = f"`og.{word}` takes texts that stand in the call"
                raise input_error("OG008", message, self.loc(arg), help=f'og.{word}("…")')
            literal = PythonString(self.source.text, arg)
            loc = self.loc(arg)
            if n < names and not arg.value.isidentifier():
                raise input_error("OG008", f"`og.{word}` takes a name here", loc)
            args.append(AnnotationArgument(Var(arg.value, loc=loc) if n < names else literal, loc))
        return Annotation(NAMES[word], tuple(args), self.loc(call))

    def proof_step(self, word: str, call: ast.Call) -> Stmt:
        """An assertion, a ghost or `with_`, as a statement."""
        raw = self.raw_annotation(word, call)
        return StatementBuilder(self.source.text, _NoTokens()).ghost_statement(raw)

    def clause(self, word: str, call: ast.Call, what: str) -> Clause:
        """A clause of a contract. `what`: "function" or "loop"."""
        kinds = FUNCTION_CLAUSES if what == "function" else LOOP_CLAUSES
        loc = self.loc(call)
        if word not in kinds:
            other = "function" if word in FUNCTION_CLAUSES else "loop"
            fix = f"og.x{word}(…) or og.s{word}(…)" if what == "loop" else None
            message = f"`og.{word}` belongs to a {other} contract, not to a {what}'s"
            raise input_error("OG013", message, loc, help=fix)
        raw = self.raw_annotation(word, call)
        if word == "strict":
            if raw.args:
                raise input_error("OG008", "`og.strict` takes no arguments", loc)
            return Clause(word, (), loc)
        if len(raw.args) != 1 or isinstance(raw.args[0].value, Var):
            raise input_error("OG008", f"`og.{word}` takes a formula", loc, help=f'og.{word}("…")')
        literal = raw.args[0].value
        assert isinstance(literal, PythonString)
        return Clause(word, parse_items(literal), loc)

    def leading_clauses(self, body: list[ast.stmt], what: str) -> tuple[tuple[Clause, ...], list[ast.stmt]]:
        """The contract at the start of a body, and the statements after it."""
        clauses: list[Clause] = []
        for n, s in enumerate(body):
            found = self.annotation(s.value) if isinstance(s, ast.Expr) else None
            if found is None or found[0] not in CLAUSE_WORDS:
                return tuple(clauses), body[n:]
            clauses.append(self.clause(*found, what))
        return tuple(clauses), []


class _NoTokens:
    """Annotations have their places already."""

    def of(self, token: Token) -> Loc:
        raise AssertionError("an annotation of Python has no tokens")
