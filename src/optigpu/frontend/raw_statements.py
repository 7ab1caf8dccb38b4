"""Intermediate values of the C parser: what a grammar rule builds before it is part of a statement or function."""

from __future__ import annotations

from typing import Any, TypeAlias

from optigpu.frontend.formula_parser import StringLiteral
from optigpu.light_dataclass import dataclass
from optigpu.syntax.exprs import Expr, Type
from optigpu.syntax.source import Loc
from optigpu.syntax.types import Scalar


@dataclass(frozen=True, slots=True)
class Annotation:
    """`__requires("…")` and the like: a call whose arguments may be strings."""

    name: str
    args: tuple[AnnotationArgument, ...]
    loc: Loc


@dataclass(frozen=True, slots=True)
class AnnotationArgument:
    value: Expr | Scalar | StringLiteral
    loc: Loc


@dataclass(frozen=True, slots=True)
class Prototype:
    """The declaration of a function without its body. It is checked against the definition and then dropped."""

    name: str
    types: tuple[Type, ...]  # of the parameters
    loc: Loc


@dataclass(frozen=True, slots=True)
class Pragma:
    text: str
    loc: Loc


@dataclass(frozen=True, slots=True)
class DeclaredType:
    """The type before the declarators of a declaration: `const float`."""

    scalar: Scalar
    const: bool
    loc: Loc


@dataclass(frozen=True, slots=True)
class Declarator:
    """A declared name with its pointer and array parts: `x`, `*p`, `a[H][W]`, `(*p)[W]`."""

    name: str
    pointer: bool  # *p or (*p)[n]
    const: bool  # * const p
    grouped: bool  # (*p)[n]: the dimensions are those of what is pointed to
    dims: tuple[Expr | None, ...]
    loc: Loc


@dataclass(frozen=True, slots=True)
class InitializerList:
    """`{1, 2, 3}`"""

    values: tuple[Expr, ...]
    loc: Loc


@dataclass(frozen=True, slots=True)
class InitDeclarator:
    """A declarator with its initial value: `x = 3`."""

    declarator: Declarator
    init: Expr | InitializerList | None
    loc: Loc


@dataclass(frozen=True, slots=True)
class SimpleStatement:
    """`e`, `e op= v`, `e++` or `++e`: a statement without its semicolon, or the step of a `for`.

    In `a = b = c` the value is `b = c`.
    """

    target: Expr | Annotation
    op: str  # "" (no assignment), "=", "+=", …
    value: Expr | SimpleStatement | None
    loc: Loc


@dataclass(frozen=True, slots=True)
class Jump:
    """A `continue;`, until it is replaced by an `else` around the statements after it."""

    word: str
    loc: Loc


@dataclass(frozen=True, slots=True)
class Braces:
    """The statements between `{` and `}`."""

    items: tuple[RawStatement, ...]
    loc: Loc


RawStatement: TypeAlias = Any  # a Stmt, a Jump, an Annotation, a Pragma or Braces
