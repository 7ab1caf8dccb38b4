"""Builds expressions from syntax trees, for C and for formulas: places, literals, and operators grouped by precedence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

from lark import Token, Tree
from lark.exceptions import VisitError
from lark.visitors import Transformer_NonRecursive

from optigpu.frontend.number_literals import parse_number, scalar_type
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Addr, Alloc, Binary, Bool, Cast, Cond, Expr, Index, Int, Real, Unary, Var
from optigpu.syntax.operators import RIGHT_ASSOCIATIVE, SPELLINGS, precedence
from optigpu.syntax.source import Loc


class TokenPlaces(Protocol):
    """Gives the place of a token in its file."""

    def of(self, token: Token) -> Loc: ...


Child: TypeAlias = Any  # a token, a syntax node, or a builder's intermediate value with a `loc`


class ExprBuilder(Transformer_NonRecursive[Token, Any]):
    """Methods named after grammar rules build what those rules read. c.lark and formula.lark share the names of these rules."""

    def __init__(self, positions: TokenPlaces) -> None:
        super().__init__(visit_tokens=False)
        self.positions = positions

    def build(self, tree: Tree[Token]) -> Any:
        """Build the value of a syntax tree. An InputError is raised as it is, without lark's wrapper."""
        try:
            return self.transform(tree)
        except VisitError as error:
            raise error.orig_exc from None

    def at(self, child: Child) -> Loc:
        if isinstance(child, Token):
            return self.positions.of(child)
        loc: Loc = child.loc
        return loc

    def span(self, children: Sequence[Child]) -> Loc:
        return self.at(children[0]).to(self.at(children[-1]))

    def as_expr(self, value: Child) -> Expr:
        """The expression of a child. Subclasses reject children that are not expressions."""
        result: Expr = value
        return result

    def number(self, c: list[Child]) -> Expr:
        return parse_number(c[0], self.at(c[0]))

    def boolean(self, c: list[Child]) -> Expr:
        return Bool(c[0].lower() == "true", loc=self.at(c[0]))

    def variable(self, c: list[Child]) -> Expr:
        return Var(str(c[0]), loc=self.at(c[0]))

    def parenthesised(self, c: list[Child]) -> Expr:
        return self.as_expr(c[1])

    def flat(self, c: list[Child]) -> Expr:
        return self.grouped(c)

    def choice(self, c: list[Child]) -> Expr:
        question = next(i for i, x in enumerate(c) if isinstance(x, Token) and x == "?")
        test = self.grouped(c[:question])
        return Cond(test, self.as_expr(c[question + 1]), self.as_expr(c[question + 3]), loc=self.span(c))

    def grouped(self, c: list[Child]) -> Expr:
        """Operator-precedence parsing of `operand (operator operand)*`."""
        operands = [self.as_expr(c[0])]
        pending: list[str] = []

        def reduce_top() -> None:
            right, left = operands.pop(), operands.pop()
            operands.append(Binary(pending.pop(), left, right, loc=left.loc.to(right.loc)))

        for i in range(1, len(c), 2):
            op = SPELLINGS.get(str(c[i]), str(c[i]))
            while pending and (
                precedence(pending[-1]) > precedence(op)
                or (precedence(pending[-1]) == precedence(op) and op not in RIGHT_ASSOCIATIVE)
            ):
                reduce_top()
            pending.append(op)
            operands.append(self.as_expr(c[i + 1]))
        while pending:
            reduce_top()
        return operands[0]

    def prefix(self, c: list[Child]) -> Expr:
        op, arg, loc = str(c[0]), self.as_expr(c[1]), self.span(c)
        match op:
            case "+":
                return arg
            case "&":
                return Addr(arg, loc=loc)
            case "*":
                return Index(arg, (Int(0, loc=loc),), loc=loc)
            case "-" if (
                isinstance(arg, Int) and arg.value > 0 and (arg.literal_type is None or arg.literal_type.signed)
            ):
                return Int(-arg.value, arg.literal_type, loc=loc)
            case "-" if isinstance(arg, Real) and arg.value > 0:
                return Real(-arg.value, arg.literal_type, loc=loc)
            case _:
                return Unary(op, arg, loc=loc)

    def cast(self, c: list[Child]) -> Expr:
        arg = self.as_expr(c[-1])
        if len(c) == 5:  # (float*) malloc(…): the element types are compared where the pointer is declared
            if not isinstance(arg, Alloc):
                raise input_error("OG105", "only what was just allocated can be cast to a pointer", self.span(c))
            return arg
        return Cast(scalar_type(c[1]), arg, loc=self.span(c))

    def subscripted(self, c: list[Child]) -> Expr:
        base = self.as_expr(c[0])
        indices = tuple(self.as_expr(s.index) for s in c[1:])
        if isinstance(base, Index):  # (a[i])[j]
            return Index(base.base, base.indices + indices, loc=self.span(c))
        return Index(base, indices, loc=self.span(c))

    def subscript(self, c: list[Child]) -> Subscript:
        return Subscript(c[1], self.span(c))


class Subscript:
    def __init__(self, index: Child, loc: Loc) -> None:
        self.index = index
        self.loc = loc
