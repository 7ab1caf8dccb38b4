"""Types of declarations: scalars, arrays, and pointers with the memory they point to."""

from __future__ import annotations

from optigpu.frontend.declared_names import declare
from optigpu.frontend.expression_types import ExpressionTyper, same_size, typed_dims
from optigpu.frontend.implicit_conversions import convert, describe_type
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Alloc, Array, Expr
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.program import Body, Decl
from optigpu.syntax.scopes import Binding, NameKind, Scope, assigned_names, is_cell
from optigpu.syntax.types import Pointer, Scalar, Space


class DeclarationTyper:
    """Types the declarations of one function, whose (untyped) body is `body`."""

    def __init__(self, values: ExpressionTyper, body: Body) -> None:
        self.values = values
        self.assigned = assigned_names(body)

    def declaration(self, s: Decl, scope: Scope) -> Decl:
        """Type a declaration and bind its name in the scope."""
        type_ = typed_dims(s.type, self.values, scope)
        if s.init is not None and s.name in free_vars(s.init):
            message = f"`{s.name}` in its own initial value is the new `{s.name}` in C, which has no value yet"
            raise input_error("OG101", message, s.init.loc, help="choose another name")
        if isinstance(type_, Scalar):
            return self.scalar(s, type_, scope)
        if isinstance(type_, Array) and type_.dims and type_.dims[0] is not None:
            if s.init is not None:
                raise input_error("OG009", f"the array `{s.name}` cannot be initialised here", s.init.loc)
            declare(scope, s.name, Binding(NameKind.ARRAY, type_, s.loc))
            return replace(s, type=type_)
        assert isinstance(type_, Pointer | Array)
        return self.pointer(s, type_, scope)

    def scalar(self, s: Decl, type_: Scalar, scope: Scope) -> Decl:
        init = s.init
        if init is not None:
            if isinstance(init, Alloc):
                raise input_error(
                    "OG105",
                    f"`{s.name}` is a number: an allocation needs a pointer",
                    init.loc,
                    help=f"{type_.name}* const {s.name} = …;",
                )
            init = convert(self.values.value(init, scope), type_, f"`{s.name}` is")
        elif s.const:
            raise input_error("OG107", f"the constant `{s.name}` has no value", s.loc)
        kind = NameKind.CELL if is_cell(s, self.assigned) else NameKind.VALUE
        declare(scope, s.name, Binding(kind, type_, s.loc))
        return replace(s, type=type_, init=init)

    def pointer(self, s: Decl, type_: Pointer | Array, scope: Scope) -> Decl:
        if s.init is None:
            raise input_error(
                "OG107",
                f"the pointer `{s.name}` points nowhere",
                s.loc,
                help=f"{type_.elem.name}* const {s.name} = MALLOC1({type_.elem.name}, n);",
            )
        init = self.pointer_value(s.name, type_, s.init, scope)
        assert isinstance(init.type, Array)
        declare(scope, s.name, Binding(NameKind.ARRAY, init.type, s.loc, isinstance(type_, Pointer)))
        return replace(s, type=type_, init=init, const=True)

    def pointer_value(self, name: str, type_: Pointer | Array, init: Expr, scope: Scope) -> Expr:
        """The initial value of a pointer: an allocation, or a view of an array that has the declared inner sizes."""
        if isinstance(init, Alloc):
            dims = tuple(self.values.integer(d, scope, "a size is") for d in init.dims)
            distributed = init.space in (Space.SMEM, Space.TREG, Space.FRAG)
            sizes = dims[init.space is Space.FRAG :]  # the first size of fragments is how many groups have one
            array = Array(init.elem, ((None,) if distributed else ()) + sizes, init.space, distributed)
            init = replace(init, dims=dims, type=array)
        else:
            init = self.values.array(init, scope, f"`{name}` is")
        assert isinstance(init.type, Array)
        if init.type.elem != type_.elem:
            raise input_error(
                "OG102", f"`{name}` points to `{type_.elem.name}`, but this is {describe_type(init.type)}", init.loc
            )
        if isinstance(type_, Array):
            same = len(type_.dims) == len(init.type.dims) and all(
                a is not None and b is not None and same_size(a, b, scope)
                for a, b in zip(type_.dims[1:], init.type.dims[1:])
            )
            if not same:
                raise input_error("OG102", f"the sizes of `{name}` are not those of its value", init.loc)
        return init
