"""Builds expressions of C from the syntax tree: calls, allocations and annotations, beside what formulas have too."""

from __future__ import annotations

from collections.abc import Sequence

from lark import Token

from optigpu.frontend.declared_names import foreign_name
from optigpu.frontend.expression_builder import Child, ExprBuilder, TokenPlaces
from optigpu.frontend.formula_parser import StringLiteral
from optigpu.frontend.formula_slips import annotation_meant
from optigpu.frontend.library_names import INSTEAD
from optigpu.frontend.number_literals import scalar_type
from optigpu.frontend.raw_statements import Annotation, AnnotationArgument
from optigpu.syntax.annotations import ALLOCATIONS, ANNOTATIONS, CLAUSE_SPELLINGS, ZEROED
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Alloc, Binary, Call, Expr, Int, SizeOf
from optigpu.syntax.source import Loc, SourceText
from optigpu.syntax.types import Scalar


class CExpressionBuilder(ExprBuilder):
    """The methods `argument` and `call` build the grammar rules of these names in c.lark."""

    def __init__(self, source: SourceText, positions: TokenPlaces) -> None:
        super().__init__(positions)
        self.source = source
        self.zeroed: set[Loc] = set()  # places of allocations whose elements are zero

    def as_expr(self, value: Child) -> Expr:
        if isinstance(value, Annotation):
            raise input_error(
                "OG008", f"`{value.name}` is an annotation: it cannot stand inside an expression", value.loc
            )
        return super().as_expr(value)

    def argument(self, c: list[Child]) -> AnnotationArgument:
        loc = self.span(c)
        if isinstance(c[0], Token) and c[0].type == "STRING":
            return AnnotationArgument(StringLiteral(self.source, tuple(c)), loc)
        if isinstance(c[0], Token):
            return AnnotationArgument(scalar_type(c[0]), loc)
        return AnnotationArgument(self.as_expr(c[0]), loc)

    def call(self, c: list[Child]) -> Expr | Annotation:
        name, loc = str(c[0]), self.span(c)
        args = tuple(a for a in c[1:] if isinstance(a, AnnotationArgument))
        if c[0].type == "TEMPLATE_NAME":
            if c[1] != "<" or c[3] != ">":
                raise input_error("OG001", "expected `<type>` here", self.at(c[1]))
            args = (AnnotationArgument(scalar_type(c[2]), self.at(c[2])), *args)
        name = CLAUSE_SPELLINGS.get(name, name)
        if name in ANNOTATIONS:
            return Annotation(name, args, loc)
        if name.startswith("__") and name in INSTEAD:
            raise foreign_name(name, loc)
        return self.program_call(name, args, loc)

    def program_call(self, name: str, args: tuple[AnnotationArgument, ...], loc: Loc) -> Expr:
        if name in ALLOCATIONS:
            rank, space = ALLOCATIONS[name]
            if not args or not isinstance(args[0].value, Scalar):
                raise input_error(
                    "OG105", f"`{name}` needs an element type", loc, help=f"{name}<float>(…) or {name}(float, …)"
                )
            dims = self.expressions(name, args[1:])
            if len(dims) != rank:
                raise input_error("OG105", f"`{name}` takes {rank} sizes, not {len(dims)}", loc)
            if name in ZEROED:
                self.zeroed.add(loc)
            return Alloc(args[0].value, dims, space, loc=loc)
        if name == "sizeof":
            if len(args) != 1 or not isinstance(args[0].value, Scalar):
                raise input_error("OG105", "`sizeof` is supported for scalar types only", loc, help="sizeof(float)")
            return SizeOf(args[0].value, loc=loc)
        if name == "malloc":
            return self.malloc(self.expressions(name, args), loc)
        return Call(name, self.expressions(name, args), loc=loc)

    def expressions(self, name: str, args: Sequence[AnnotationArgument]) -> tuple[Expr, ...]:
        out: list[Expr] = []
        for a in args:
            if isinstance(a.value, Scalar):
                raise input_error("OG105", f"a type cannot be an argument of `{name}` here", a.loc)
            if isinstance(a.value, StringLiteral):
                message = f"`{name}` is not an annotation: strings are not in the language"
                raise input_error("OG008", message, a.loc, help=annotation_meant(name))
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
