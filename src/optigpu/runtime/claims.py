"""The claims of a contract about array arguments: which are written, which cells exist, what they hold."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import reduce

from optigpu.codegen.integer_polynomials import same_value
from optigpu.light_dataclass import dataclass
from optigpu.syntax.builtins import matrix_predicate
from optigpu.syntax.exprs import (
    Addr,
    BigOp,
    Binary,
    Call,
    Expr,
    Fun,
    Group,
    Index,
    Int,
    PointsTo,
    Range,
    RangeBinder,
    Real,
    TypeOf,
    Var,
)
from optigpu.syntax.float_formats import FORMATS
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import Function
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Scalar
from optigpu.syntax.walk import subexpressions

GIVEN = ("reads", "consumes", "preserves")  # clauses about the state before the call
# The caller may have computed in another order.
RELATIVE_TOLERANCE, ABSOLUTE_TOLERANCE = Fraction(1, 1000), Real(Fraction(1, 10**6))
ROUNDINGS = 2  # of its type that a float may be off, if that is more
GREATEST = Real(Fraction(sys.float_info.max))


@dataclass(frozen=True, slots=True)
class Requirement:
    text: str
    prop: Expr


@dataclass(frozen=True, slots=True)
class ArrayClaim:
    """One `p ~> …` of a clause. `around` wraps a fact about it in the quantifiers and conditions that enclose the claim; `plain`
    if there are none."""

    at: PointsTo
    around: Callable[[Expr], Expr]
    plain: bool


def claims(f: Function, kinds: tuple[str, ...]) -> Iterator[ArrayClaim]:
    def visit(e: Expr, around: Callable[[Expr], Expr], plain: bool = False) -> Iterator[ArrayClaim]:
        match e:
            case Group(index, range_, body):
                yield from visit(body, lambda p: around(BigOp("All", (RangeBinder(index, range_),), p)))
            case Binary("*", left, right):
                yield from visit(left, around, plain)
                yield from visit(right, around, plain)
            case Call("If", (test, body)):
                yield from visit(body, lambda p: around(Binary("==>", test, p)))
            case PointsTo():
                yield ArrayClaim(e, around, plain)
            case _:
                pass

    for c in f.contract:
        for i in c.items if c.kind in kinds else ():
            yield from visit(i.body, lambda p: p, plain=True)


# Cells


def extent(array: str, axis: int) -> str:
    """The variable that stands for a dimension of the actual array."""
    return f"{array}.shape[{axis}]"


def reach_of(f: Function, arrays: set[str]) -> list[Requirement]:
    """Requirements that the cells named by the contract lie within the actual arrays."""
    out: list[Requirement] = []
    for claim in claims(f, (*GIVEN, "writes")):
        pointer = claim.at.pointer
        for name in sorted(arrays & {x.name for x in subexpressions(pointer) if isinstance(x, Var)}):
            prop = claim.around(is_inside(pointer, name))
            out.append(Requirement(print_expr(prop), prop))
    return out


def is_inside(pointer: Expr, array: str) -> Expr:
    """`0 <= i && i < a.shape[0]`; an unknown fact for other forms of pointers."""
    match pointer:
        case Addr(Index(Var(name), indices)) if name == array:
            within = [
                Binary("&&", Binary(">=", i, Int(0)), Binary("<", i, Var(extent(array, axis))))
                for axis, i in enumerate(indices)
            ]
            return reduce(lambda a, b: Binary("&&", a, b), within)
        case _:
            return Var(f"the size of {array}")


def arrays_to_write(f: Function) -> set[str]:
    """The arrays that the contract does more than read; all if there is no contract."""
    if not f.contract:
        return {p.name for p in f.params}
    out: set[str] = set()
    for c in f.contract:
        if c.kind in ("consumes", "produces", "preserves", "writes"):
            for i in c.items:
                for e in subexpressions(i.body):
                    if isinstance(e, PointsTo):
                        out |= {x.name for x in subexpressions(e.pointer) if isinstance(x, Var)}
    return out


def output_of(f: Function, array: str, dims: tuple[Expr | None, ...]) -> str:
    """What takes the place of an array that a call leaves out: "empty", an uninitialised array, if the contract reads nothing of it
    and writes all of it; "zeros" if it writes a part; "" if it reads it, or does not say how large it is."""
    if None in dims or not f.contract:
        return ""
    for c in f.contract:
        for i in c.items if c.kind in GIVEN else ():
            if array in named_arrays(i.body) and (c.kind != "consumes" or not _is_uninitialised(i.body)):
                return ""
    whole = any(_is_whole(claim, array, dims) for claim in claims(f, ("writes", "produces")) if claim.plain)
    return "empty" if whole else "zeros"


def named_arrays(body: Expr) -> set[str]:
    """All names in the pointers of a permission, and in it if it is of another form."""
    return {x.name for x in subexpressions(body) if isinstance(x, Var)}


def _is_uninitialised(body: Expr) -> bool:
    """Whether a permission is of one array, of which nothing is known before the call."""
    match body:
        case PointsTo(Var(), _, Call(name, _)):
            form = matrix_predicate(name)
            return form is not None and form.contents == "uninit"
        case _:
            return False


def _is_whole(claim: ArrayClaim, array: str, dims: tuple[Expr | None, ...]) -> bool:
    """Whether a claim after the call says that all elements of an array are initialised."""
    match claim.at:
        case PointsTo(Var(name), _, Call(predicate, args)) if name == array:
            form = matrix_predicate(predicate)
            if form is None or form.contents == "uninit" or form.rank != len(dims):
                return False
            return all(d is not None and same_value(d, n) for d, n in zip(dims, args))
        case _:
            return False


# Contents


def contents(array: str) -> str:
    """The logical function that stands for the contents of the actual array."""
    return f"{array}[…]"


def described_arrays(f: Function) -> list[tuple[str, str]]:
    """(logical variable, array) pairs: `a ~> Matrix1(n, A)` in the precondition defines A as the contents of a."""
    variables = {i.name for c in f.contract for i in c.items if isinstance(i.body, TypeOf)}
    out: list[tuple[str, str]] = []
    for claim in claims(f, GIVEN):
        match claim.at:
            case PointsTo(Var(array), _, Call(name, (*_, Var(model)))) if claim.plain and model in variables:
                form = matrix_predicate(name)
                if form is not None and form.contents == "values":  # otherwise the variable is a size
                    out.append((model, array))
            case _:
                pass
    return out


def contents_of(f: Function, arrays: Mapping[str, Scalar]) -> list[Requirement]:
    """Requirements on the contents of arrays. They stay undecided if they mention a variable that no array defines."""
    described = described_arrays(f)
    times = Counter(logic for logic, _ in described)
    defined = {
        logic: array for logic, array in described if times[logic] == 1
    }  # of several arrays one defines it in a call
    out: list[Requirement] = []
    for claim in claims(f, GIVEN):
        claimed = held(claim.at)
        if claimed is None or claimed[0] not in arrays:
            continue
        array, indices, value, binders = claimed
        if isinstance(value, Call) and claim.plain and defined.get(value.func) == array and value.args == indices:
            continue  # the definition of the variable
        fact = equal(Call(contents(array), indices), value, arrays[array])
        prop = claim.around(BigOp("All", binders, fact) if binders else fact)
        out.append(Requirement(print_expr(claim.at), prop))
    return out


def held(at: PointsTo) -> tuple[str, tuple[Expr, ...], Expr, tuple[RangeBinder, ...]] | None:
    """(array, indices, value, binders): the claim that `a[indices]` is the value; None if the claim is not about contents."""
    match at:
        case PointsTo(Addr(Index(Var(array), indices)), "~~>", value):
            return array, indices, value, ()
        case PointsTo(Var(array), _, Call(name, args)):
            form = matrix_predicate(name)
            if form is None or form.contents != "values":
                return None
            names = [f"{contents(array)}{axis}" for axis in range(form.rank)]  # cannot clash with program names
            binders = tuple(RangeBinder(n, Range(Int(0), d)) for n, d in zip(names, args))
            indices = tuple(map(Var, names))
            return array, indices, applied(args[-1], indices), binders
        case _:
            return None


def applied(function: Expr, args: tuple[Expr, ...]) -> Expr:
    match function:
        case Fun(params, body) if len(params) == len(args):
            return substitute(body, {p.name: a for p, a in zip(params, args)})
        case Var(name):
            return Call(name, args)
        case _:
            return Var("a function")  # an unknown one


def equal(a: Expr, b: Expr, t: Scalar) -> Expr:
    """That an element of this type has a value; for floats with a tolerance, since it was rounded to the type at least."""
    if t not in FORMATS:
        return Binary("==", a, b)
    size, relative = Call("abs", (b,)), max(RELATIVE_TOLERANCE, ROUNDINGS * FORMATS[t].unit_roundoff)
    most = Binary("+", Binary("*", Real(relative), size), ABSOLUTE_TOLERANCE)
    near = Binary("<=", Call("abs", (Binary("-", a, b),)), most)
    return Binary("||", Binary("==", a, b), Binary("&&", Binary("<=", size, GREATEST), near))  # both may be infinite
