"""Parses the formulas in annotation strings with the grammar of formula.lark. Places are those in the C file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from lark import Lark, Token
from lark.exceptions import UnexpectedInput

from optigpu.frontend.expression_builder import Child, ExprBuilder
from optigpu.frontend.formula_integers import machine_integer_error, restricts_integers
from optigpu.frontend.formula_slips import operator_meant, slip
from optigpu.frontend.grammar_tables import parser_of
from optigpu.frontend.number_literals import scalar_type
from optigpu.frontend.syntax_errors import syntax_error
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import (
    BIG_OPERATORS,
    BigOp,
    Binary,
    Binder,
    Call,
    Expr,
    Forall,
    Fun,
    FunType,
    Group,
    Int,
    PointsTo,
    ProofType,
    Range,
    RangeBinder,
    SizeOf,
    Type,
    TypeOf,
    Var,
    logical,
)
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import GhostArg, Item
from optigpu.syntax.source import Loc, SourceText
from optigpu.syntax.types import (
    ELEMENT,
    FRACTION,
    HPROP,
    LOGIC_REAL,
    MEMTYPE,
    POINTER,
    PROP,
    RANGE,
    TEMPLATE_ELEMENT,
    TYPE,
    Scalar,
)

LOGIC_TYPE_NAMES: dict[str, Type] = {
    "real": LOGIC_REAL, "Prop": PROP, "HProp": HPROP, "Range": RANGE, "MemType": MEMTYPE, "Type": TYPE,
}  # fmt: skip

# Character after a backslash -> what a formula reads for both.
ESCAPES = {"n": " ", "t": " ", "\n": " ", '"': '"', "\\": "\\"}


class StringLiteral:
    """The text of adjacent string literals, with the offset in the file of each of its characters."""

    def __init__(self, source: SourceText, tokens: Sequence[Token]) -> None:
        self.source = source
        characters: list[str] = []
        self.offsets: list[int] = []
        for token in tokens:
            start = token.start_pos or 0
            raw = str(token)
            i = 1
            while i < len(raw) - 1:
                at = start + i
                character = raw[i]
                if character == "\\":
                    i += 1
                    if raw[i] not in ESCAPES:
                        raise input_error(
                            "OG002", f"`\\{raw[i]}` is no character of a formula", source.span(at, at + 2)
                        )
                    character = ESCAPES[raw[i]]
                characters.append(" " if character in "\n\t" else character)
                self.offsets.append(at)
                i += 1
        last = tokens[-1]
        characters.append(" ")  # the end of the text, for errors there
        self.offsets.append((last.end_pos or 1) - 1)
        self.text = "".join(characters)

    def span(self, start: int, end: int) -> Loc:
        last = len(self.offsets) - 1
        first = self.offsets[min(start, last)]
        final = self.offsets[min(max(end - 1, start), last)] + 1 if end > start else first
        return self.source.span(first, final)

    def of(self, token: Token) -> Loc:
        return self.span(token.start_pos or 0, token.end_pos or 0)


@cache
def _grammar() -> Lark:
    return parser_of("formula")


def _parse(literal: StringLiteral, start: str) -> Any:
    try:
        tree = _grammar().parse(literal.text, start=start)
    except UnexpectedInput as error:
        raise _slip_at(error, literal) or syntax_error(error, literal.text, literal.span, "formula") from None
    return _FormulaBuilder(literal).build(tree)


def _slip_at(error: UnexpectedInput, literal: StringLiteral) -> InputError | None:
    """The error for a slip that people often make, where the grammar stops."""
    token = getattr(error, "token", None)
    if token is None:
        start = error.pos_in_stream or 0
        return slip(literal.text, start, start + 1, literal.span)
    if token.type == "$END":
        end = len(literal.text.rstrip())
        return slip(literal.text[:end], end, end, lambda i, _: literal.span(max(i - 1, 0), i))
    return slip(literal.text, token.start_pos or 0, token.end_pos or 0, literal.span)


def parse_items(literal: StringLiteral) -> tuple[Item, ...]:
    """`A: int -> float, N_pos: N >= 0`"""
    items: tuple[Item, ...] = _parse(literal, "items")
    if not items:
        raise input_error("OG008", "this annotation is empty", literal.span(0, len(literal.text)))
    return items


def parse_proposition(literal: StringLiteral) -> Expr:
    result: Expr = _parse(literal, "proposition")
    return result


def parse_logic_type(literal: StringLiteral) -> Type:
    result: Type = _parse(literal, "logic_type")
    return result


def parse_ghost_args(literal: StringLiteral) -> tuple[GhostArg, ...]:
    """`inside := (fun v -> &sum ~~> v), by := h`, or positional arguments."""
    result: tuple[GhostArg, ...] = _parse(literal, "ghost_arguments")
    return result


def parse_ghost_results(literal: StringLiteral) -> tuple[tuple[str, str], ...]:
    """`h <- lower_bound`"""
    result: tuple[tuple[str, str], ...] = _parse(literal, "ghost_results")
    return result


@dataclass(frozen=True, slots=True)
class _TypeValue:
    """A type with its place, which types themselves do not have."""

    type: Type | _Product
    loc: Loc


class _FormulaBuilder(ExprBuilder):
    def as_expr(self, value: Child) -> Expr:
        if isinstance(value, RangeBinder):
            raise input_error("OG003", "`k in range` belongs in a big operator", value.loc, help="Sum(k in 0..N, A(k))")
        return super().as_expr(value)

    def number(self, c: list[Child]) -> Expr:
        """A number. Unsigned literals are errors: in C, `1u - 2` is not the mathematical difference."""
        number = super().number(c)
        if not isinstance(number, Int):
            return number
        if number.literal_type is not None and "u" in str(c[0]).lower():
            raise machine_integer_error(number.literal_type, self.at(c[0]))
        return replace(number, literal_type=None)

    # Types

    def type_atom(self, c: list[Child]) -> _TypeValue:
        loc = self.span(c)
        if len(c) == 1:
            name = str(c[0])
            if name in LOGIC_TYPE_NAMES:
                return _TypeValue(LOGIC_TYPE_NAMES[name], loc)
            machine = scalar_type(c[0])
            if machine == TEMPLATE_ELEMENT:
                return _TypeValue(machine, loc)
            if restricts_integers(machine):
                raise machine_integer_error(machine, loc)
            return _TypeValue(logical(machine), loc)
        inner: list[Any] = [x.type for x in c if isinstance(x, _TypeValue)]
        if "->" in [str(x) for x in c if isinstance(x, Token)]:
            return _TypeValue(function_type(inner[0], inner[1]), loc)
        return _TypeValue(_Product(tuple(inner)), loc)

    def type_product(self, c: list[Child]) -> _TypeValue:
        parts: list[Any] = [x.type for x in c if isinstance(x, _TypeValue)]
        return _TypeValue(parts[0] if len(parts) == 1 else _Product(tuple(parts)), self.span(c))

    def type(self, c: list[Child]) -> _TypeValue:
        if len(c) == 1:
            value: _TypeValue = c[0]
            return value
        if isinstance(c[2], Token):
            if str(c[2]) != ELEMENT.name:
                raise input_error("OG003", f"`{c[2]}` is not a type", self.at(c[2]), help="int, float, bool")
            return _TypeValue(function_type(c[0].type, ELEMENT), self.span(c))
        return _TypeValue(function_type(c[0].type, c[2].type), self.span(c))

    def logic_type(self, c: list[Child]) -> Type:
        value: _TypeValue = c[0]
        if isinstance(value.type, _Product):
            raise input_error(
                "OG003", "a pair is not a value: write the type of a function", value.loc, help="int * int -> float"
            )
        return value.type

    # Items and ghost arguments

    def item(self, c: list[Child]) -> Item:
        name = str(c[0]) if len(c) == 3 else None
        body = c[-1]
        if isinstance(body, _TypeValue):
            if name is None:
                raise input_error(
                    "OG003", "a type alone says nothing: name the variable", body.loc, help="A: int -> float"
                )
            return Item(name, TypeOf(self.logic_type([body]), loc=body.loc), self.span(c))
        if name is not None and (type_ := named_type(body)) is not None:
            return Item(name, TypeOf(type_, loc=body.loc), self.span(c))
        return Item(name, self.as_expr(body), self.span(c))

    def items(self, c: list[Child]) -> tuple[Item, ...]:
        return tuple(x for x in c if isinstance(x, Item))

    def ghost_argument(self, c: list[Child]) -> GhostArg:
        value = c[-1]
        if isinstance(value, _TypeValue):
            value = TypeOf(self.logic_type([value]), loc=value.loc)
        return GhostArg(str(c[0]) if len(c) == 3 else None, self.as_expr(value))

    def ghost_arguments(self, c: list[Child]) -> tuple[GhostArg, ...]:
        return tuple(x for x in c if isinstance(x, GhostArg))

    def ghost_result(self, c: list[Child]) -> tuple[str, str]:
        return str(c[0]), str(c[2])

    def ghost_results(self, c: list[Child]) -> tuple[tuple[str, str], ...]:
        return tuple(x for x in c if isinstance(x, tuple))

    def proposition(self, c: list[Child]) -> Expr:
        return self.as_expr(c[0])

    # Binding forms

    def binder(self, c: list[Child]) -> list[Binder]:
        if len(c) == 1:
            return [Binder(str(c[0]), None, self.at(c[0]))]
        names, kind = c[1:-3], c[-2]
        type_: Type = self.logic_type([kind]) if isinstance(kind, _TypeValue) else ProofType(self.as_expr(kind))
        return [Binder(str(n), type_, self.at(n)) for n in names]

    def lambda_(self, c: list[Child]) -> Expr:
        params = [b for group in c[1:-2] for b in group]
        return Fun(tuple(params), self.as_expr(c[-1]), loc=self.span(c))

    def forall(self, c: list[Child]) -> Expr:
        params = [b for group in c[1:-2] for b in group]
        return Forall(tuple(params), self.as_expr(c[-1]), loc=self.span(c))

    def forall_in(self, c: list[Child]) -> Expr:
        binders = tuple(b for b in c[1:-2] if isinstance(b, RangeBinder))
        return BigOp("All", binders, self.as_expr(c[-1]), loc=self.span(c))

    def range_binder(self, c: list[Child]) -> RangeBinder:
        return RangeBinder(str(c[0]), self.as_expr(c[2]), self.at(c[0]))

    def implication(self, c: list[Child]) -> Expr:
        """`h -> P`, which is `h ==> P`."""
        return self.grouped(c)

    def group(self, c: list[Child]) -> Expr:
        return Group(str(c[1]), self.as_expr(c[3]), self.as_expr(c[5]), c[0] == "desync_for", loc=self.span(c))

    def points_to(self, c: list[Child]) -> Expr:
        space: Expr | None = Var(str(c[3]), loc=self.at(c[3])) if len(c) == 6 else None
        target = self.as_expr(c[-1])
        if isinstance(target, Call) and target.func in CELLS_OF and len(target.args) == 1:  # `p ~> UninitCellOf(GMem)`
            space, target = target.args[0], Var(CELLS_OF[target.func], loc=target.loc)
        return PointsTo(self.as_expr(c[0]), str(c[1]), target, space, loc=self.span(c))

    def range(self, c: list[Child]) -> Expr:
        loc = self.span(c)
        low: Expr = self.as_expr(c[0]) if len(c) == 3 else Int(0, loc=loc)
        high = self.as_expr(c[-1])
        if c[-2] == "..+":
            high = high if low == Int(0) else Binary("+", low, high, loc=loc)
        return Range(low, high, loc=loc)

    def argument(self, c: list[Child]) -> Any:
        if isinstance(c[0], Token):
            return _TypeValue(
                scalar_type(c[0]) if str(c[0]) not in LOGIC_TYPE_NAMES else LOGIC_TYPE_NAMES[str(c[0])], self.at(c[0])
            )
        return c[0]

    def call(self, c: list[Child]) -> Expr:
        name, loc = str(c[0]), self.span(c)
        args = [a for a in c[2:-1] if not isinstance(a, Token)]
        if name in BIG_OPERATORS and any(isinstance(a, RangeBinder) for a in args):
            binders = tuple(a for a in args[:-1] if isinstance(a, RangeBinder))
            if len(binders) != len(args) - 1 or isinstance(args[-1], RangeBinder):
                raise input_error(
                    "OG003", f"`{name}` takes ranges and then one body", loc, help=f"{name}(k in 0..N, A(k))"
                )
            return BigOp(name, binders, self.as_expr(args[-1]), loc=loc)
        ranges = [a for a in args if isinstance(a, RangeBinder)]
        if ranges and (operator := operator_meant(name)) is not None:
            fix = f"{operator}({ranges[0].name} in {print_expr(ranges[0].range)}, …)"
            raise input_error("OG003", f"with a range, `{name}` is written `{operator}`", self.at(c[0]), help=fix)
        if name == "sizeof" and len(args) == 1 and isinstance(args[0], _TypeValue) and isinstance(args[0].type, Scalar):
            return SizeOf(args[0].type, loc=loc)
        if name == POINTER.name and len(args) == 1 and isinstance(args[0], _TypeValue):
            return Call(name, (), loc=loc)
        for a in args:
            if isinstance(a, _TypeValue):
                raise input_error("OG003", f"a type cannot be an argument of `{name}`", a.loc)
        return Call(name, tuple(self.as_expr(a) for a in args), loc=loc)


CELLS_OF = {"UninitCellOf": "UninitCell", "CellOf": "Cell"}


def named_type(e: object) -> Type | None:
    """The type that a formula names: `ptr(T)`, `_Fraction`."""
    match e:
        case Call("ptr") | Var("ptr"):
            return POINTER
        case Var("_Fraction"):
            return FRACTION
        case _:
            return None


@dataclass(frozen=True, slots=True)
class _Product:
    """`int * int`, the argument types of a function type."""

    parts: tuple[Type, ...]


def function_type(arg: Any, result: Type) -> FunType:
    args = arg.parts if isinstance(arg, _Product) else (arg,)
    if isinstance(result, FunType):  # a -> b -> c is a * b -> c
        return FunType((*args, *result.args), result.result)
    return FunType(args, result)
