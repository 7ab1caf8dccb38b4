"""Formulas where a certain kind is expected: a proposition, a permission, a number, a range, a function."""

from __future__ import annotations

from abc import ABC, abstractmethod

from optigpu.frontend.declared_names import is_built_in, unknown_name
from optigpu.frontend.implicit_conversions import describe_type
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import (
    Array,
    Binary,
    Cast,
    Expr,
    Fun,
    FunType,
    ProofType,
    Type,
    Var,
    is_bool,
    is_float,
    is_int,
    is_number,
    logical,
)
from optigpu.syntax.printer import print_expr, print_type
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.types import HPROP, LOGIC_REAL, PROP, RANGE


class FormulaKinds(ABC):
    """Checks that a formula is of the kind its place needs. Subclasses type the formula itself."""

    @abstractmethod
    def formula(self, e: Expr, scope: Scope) -> Expr:
        """The formula with types."""

    def prop(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if typed.type == HPROP:
            fix = "put it into __reads, __writes, __consumes, __produces or __preserves"
            raise input_error("OG109", "a permission stands where a pure fact is expected", e.loc, help=fix)
        if isinstance(typed.type, ProofType) or not is_bool(typed.type):
            divides = e if isinstance(e, Binary) and e.op == "|" else None
            multiple = f"{print_expr(divides.right)} % {print_expr(divides.left)} == 0" if divides else None
            message = f"a proposition is expected here, but this is {describe_type(typed.type)}"
            raise input_error("OG109", message, e.loc, help=multiple)
        return typed

    def permission(self, e: Expr, scope: Scope) -> Expr:
        return self.expect_permission(self.formula(e, scope))

    def expect_permission(self, typed: Expr) -> Expr:
        if typed.type != HPROP:
            help_ = "put it into __requires or __ensures" if is_bool(typed.type) else "p ~~> v, or a ~> Matrix1(n, A)"
            raise input_error(
                "OG109",
                f"a permission is expected here, but this is {describe_type(typed.type)}",
                typed.loc,
                help=help_,
            )
        return typed

    def integer(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if not is_int(typed.type):
            fix = (
                "sizes stand before what the array holds: Matrix2(n, m, A)" if isinstance(typed.type, FunType) else None
            )
            message = f"an integer is expected here, but this is {describe_type(typed.type)}"
            raise input_error("OG102", message, e.loc, help=fix)
        return typed

    def range(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if typed.type != RANGE:
            raise input_error(
                "OG102", f"a range is expected here, but this is {describe_type(typed.type)}", e.loc, help="0..N"
            )
        return typed

    def number(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if not is_number(typed.type):
            raise input_error("OG102", f"a number is expected here, but this is {describe_type(typed.type)}", e.loc)
        return typed

    def expect(self, e: Expr, want: Type, scope: Scope) -> Expr:
        """A formula that must have the type `want`, from which a `fun` takes the types of its parameters."""
        want = logical(want)
        if isinstance(want, FunType):
            return self.function(e, want, scope)
        if want == PROP:
            return self.prop(e, scope)
        if want == HPROP:
            return self.permission(e, scope)
        typed = self.formula(e, scope)
        if isinstance(want, ProofType):
            if not isinstance(typed.type, ProofType):
                raise input_error("OG115", f"a fact is expected here, but this is {describe_type(typed.type)}", e.loc)
            return typed
        if typed.type == want:
            return typed
        if is_float(want) and is_int(typed.type):
            return as_real(typed)
        if isinstance(want, Array) and isinstance(typed.type, Array):
            return typed
        raise input_error(
            "OG102", f"{describe_type(want)} is expected here, but this is {describe_type(typed.type)}", e.loc
        )

    def function(self, e: Expr, want: FunType, scope: Scope) -> Expr:
        match e:
            case Fun(params, body):
                if len(params) != len(want.args):
                    n, m = len(want.args), len(params)
                    raise input_error(
                        "OG104", f"a function of {n} argument{'s' * (n != 1)} is expected, but this one has {m}", e.loc
                    )
                inner = Scope(scope)
                for p, t in zip(params, want.args):
                    if p.type is not None and logical(p.type) != logical(t):
                        message = (
                            f"`{p.name}` is {describe_type(logical(t))} here, not {describe_type(logical(p.type))}"
                        )
                        raise input_error("OG102", message, p.loc)
                    inner.names[p.name] = Binding(NameKind.LOGIC, logical(t), p.loc)
                new_params = tuple(replace(p, type=None) for p in params)
                return replace(e, params=new_params, body=self.expect(body, want.result, inner), type=want)
            case Var(name):
                if scope.find(name) is None and not is_built_in(name):
                    raise unknown_name(name, scope, e.loc, help_=f'__requires("{name}: {print_type(want)}")')
                typed = self.formula(e, scope)
                if isinstance(typed.type, FunType) and len(typed.type.args) == len(want.args):
                    have, need = logical(typed.type), logical(want)
                    if have == need or (isinstance(have, FunType) and is_int(have.result) and is_float(want.result)):
                        return typed
                n = len(want.args)
                message = f"`{name}` is {describe_type(typed.type)}, but a function of {n} argument{'s' * (n != 1)} is expected"
                if isinstance(typed.type, FunType):
                    message = f"`{name}` is a function of other arguments or another result than expected here"
                raise input_error("OG102", message, e.loc)
            case _:
                names = " ".join("ijklmn"[: len(want.args)])
                raise input_error("OG102", "a function is expected here", e.loc, help=f"fun {names} -> …")


def as_real(e: Expr) -> Expr:
    if is_float(e.type):
        return e
    if not is_int(e.type):
        raise input_error("OG102", f"a number is expected here, but this is {describe_type(e.type)}", e.loc)
    return Cast(LOGIC_REAL, e, True, loc=e.loc, type=LOGIC_REAL)
