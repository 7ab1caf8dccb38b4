"""Translates what programs in Python do with whole arrays: make them, pass them to other programs, return them."""

from __future__ import annotations

import ast

from optigpu.frontend.c_declarations import zero_loops
from optigpu.frontend.declared_names import reject_macro
from optigpu.frontend.implicit_conversions import describe_type
from optigpu.frontend.python.python_calls import CallTranslator
from optigpu.frontend.python.python_scopes import LocalName, LocalRole
from optigpu.frontend.python.python_signature import CallableProgram, ProgramSignature
from optigpu.frontend.python.python_values import Value, computed_type
from optigpu.frontend.python.python_words import ARRAYS, ElementType
from optigpu.frontend.raw_statements import RawStatement
from optigpu.frontend.wellformed import is_name
from optigpu.light_dataclass import dataclass
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import Alloc, Array, Call, Expr, Index, Var
from optigpu.syntax.free_names import fresh_name
from optigpu.syntax.printer import print_expr
from optigpu.syntax.program import CallStmt, Decl, Return, Role
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import Pointer, Scalar
from optigpu.syntax.walk import subexpressions

FIXED_FUNCTIONS = ("min", "max", "abs", "exact_div")  # their values depend on their arguments alone


@dataclass(frozen=True, slots=True)
class BoundCall:
    """The arguments of a call by parameter, with those that Python does not pass; `sizes` are the numbers among them."""

    signature: ProgramSignature
    values: dict[str, Expr]
    sizes: dict[str, Expr]

    def call(self, loc: Loc, returned: Expr | None = None) -> Call:
        given = [self.values.get(p.name, returned) for p in self.signature.function.params]
        return Call(self.signature.name, tuple(x for x in given if x is not None), loc=loc)


class ArrayTranslator(CallTranslator):
    """`returned_name` is the array that the function returns, if any, and `returned_type` its type by the annotation."""

    returned_name: str | None = None
    returned_type: Array | None = None

    # Names

    def require_new_name(self, name: str, node: ast.AST) -> None:
        """Reject names that C cannot have, and those that the program knows as something else."""
        loc = self.loc(node)
        if not name.isascii() or not is_name(name):
            why = "is a word of C" if name.isascii() else "has other letters than those of C"
            raise input_error("OG101", f"`{name}` {why}", loc, help="choose another name")
        reject_macro(name, loc)

    def new_name(self, stem: str) -> str:
        return fresh_name(stem, {*self.locals, *self.scopes.visible(), *self.names.namespace})

    # Types

    def array_type(self, node: ast.expr, elem: ElementType) -> Array:
        """The type of `og.f32[n, m]`."""
        assert isinstance(node, ast.Subscript)
        for d in self.written_dims(node):
            if isinstance(d, ast.Constant) and isinstance(d.value, str):
                message, name = f'"{d.value}" is no size here: only annotations have strings', d.value
                help = f'the name alone, with {name} = og.sizes("{name}") in the module'
                raise input_error("OG016", message, self.loc(d), help=help)
        return Array(elem.scalar, tuple(self.integer(d, "a size is").expr for d in self.written_dims(node)))

    def written_dims(self, node: ast.Subscript) -> list[ast.expr]:
        """What stands between the brackets of `og.f32[n, m]`."""
        dims = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not dims:
            message = "an array has one size or more"
            raise input_error("OG019", message, self.loc(node), help=f"{ast.unparse(node.value)}[1]")
        return dims

    def element_type(self, node: ast.expr) -> ElementType | None:
        """The type of the elements of `og.f32[…]`; None if the expression is no such type."""
        found = self.object_of(node.value) if isinstance(node, ast.Subscript) else None
        return found if isinstance(found, ElementType) else None

    # Making arrays

    def array_assignment(self, name: str, target: ast.Name, value: ast.expr, s: ast.stmt) -> list[RawStatement] | None:
        """`t = og.empty(og.f32[n])`, or `t = f(a)` where f returns an array; None for other assignments."""
        if not isinstance(value, ast.Call):
            return None
        program = self.program_of(value.func)
        if program is not None and program.signature.returned is not None:
            bound = self.bound_call(program, value)
            made = program.signature.returned_array
            dims = tuple(substitute(d, bound.sizes) for d in made.dims if d is not None)
            out = self.declared_array(name, target, Array(made.elem, dims), s, heap=True)
            call = bound.call(self.loc(value), Var(name, loc=self.loc(target)))
            return [*out, CallStmt(call, id=StatementId(self.loc(s)))]
        word = self.word(value.func)
        if word not in ARRAYS:
            return None
        elem = self.element_type(value.args[0]) if len(value.args) == 1 and not value.keywords else None
        if elem is None:
            message = f"`og.{word}` takes the type of the array"
            raise input_error("OG105", message, self.loc(value), help=f"og.{word}(og.f32[n])")
        type_ = self.array_type(value.args[0], elem)
        out = self.declared_array(name, target, type_, s, heap=word != "local")
        if word == "zeros":
            sizes = tuple(d for d in type_.dims if d is not None)
            out.append(zero_loops(name, Alloc(type_.elem, sizes, loc=self.loc(value))))
        return out

    def declared_array(
        self, name: str, target: ast.Name, type_: Array, s: ast.stmt, *, heap: bool
    ) -> list[RawStatement]:
        """The declaration of an array; none for the array that is returned, which the caller makes."""
        loc = self.loc(target)
        if (local := self.scopes.find(name)) is not None:
            message = f"`{name}` is {local.role.value}, which a program does not assign"
            raise self.differs(message, target, "another name", Label(local.loc, "this one"))
        self.require_new_name(name, target)
        self.require_fixed_sizes(name, type_, s)
        statement = StatementId(self.loc(s))
        if name == self.returned_name:
            if len(self.scopes.blocks) != 2 or not heap:
                message = f"`{name}` is returned, so it is made by og.empty outside of loops and branches"
                raise input_error("OG016", message, loc, help="make it at the start of the function")
            if type_ != self.returned_type:
                assert self.returned_type is not None
                message = f"`{name}` is {_shape(type_)}, but the function returns {_shape(self.returned_type)}"
                raise input_error("OG102", message, self.loc(s))
            self.scopes.declare(name, LocalName(LocalRole.ARRAY, type_, loc))
            return []
        self.scopes.declare(name, LocalName(LocalRole.ARRAY, type_, loc, heap=heap))
        if not heap:
            return [Decl(name, type_, None, False, id=statement)]
        dims = tuple(d for d in type_.dims if d is not None)
        allocation = Alloc(type_.elem, dims, loc=self.loc(s))
        return [Decl(name, Pointer(type_.elem), allocation, True, id=statement)]

    def require_fixed_sizes(self, name: str, type_: Array, s: ast.stmt) -> None:
        """The sizes of an array keep their values: calls pass them again, and in Python they are those of the array."""
        for e in (x for d in type_.dims if d is not None for x in subexpressions(d)):
            match e:
                case Var(size):
                    local = self.scopes.find(size)
                    moves = local is not None and local.role is LocalRole.VARIABLE and self.stores[size] != 1
                case Call(function):
                    moves = function not in FIXED_FUNCTIONS
                case _:
                    moves = isinstance(e, Index)
            if moves:
                message = f"the size of `{name}` is `{print_expr(e)}`, which may have another value later"
                raise self.differs(message, s, "a variable that is assigned once")

    def returned_array(self, value: ast.expr, s: ast.Return) -> list[RawStatement]:
        """`return b`: the caller has the array already."""
        local = self.scopes.find(value.id) if isinstance(value, ast.Name) and value.id == self.returned_name else None
        if local is None or local.role is not LocalRole.ARRAY:
            message = "an array that is returned is one that the function makes"
            help_ = f"{self.returned_name} = og.empty(…), and `return {self.returned_name}` at the end"
            raise input_error("OG113", message, self.loc(value), help=help_)
        return [Return(None, id=StatementId(self.loc(s)))]

    # Calls of programs

    def program_of(self, node: ast.expr) -> CallableProgram | None:
        found = self.object_of(node)
        if isinstance(found, CallableProgram) and found.signature.function.role is Role.GHOST:
            name = found.signature.name
            raise input_error("OG016", f"`{name}` is a lemma", self.loc(node), help=f'og.ghost("{name}", "…") uses it')
        return found if isinstance(found, CallableProgram) else None

    def program_call(self, program: CallableProgram, node: ast.Call) -> Value:
        self.program_of(node.func)
        signature = program.signature
        if signature.returned is not None:
            message = f"`{signature.name}` returns an array, which needs a name"
            raise input_error("OG016", message, self.loc(node), help=f"t = {ast.unparse(node)}")
        result = signature.function.result
        if not isinstance(result, Scalar):
            raise input_error("OG102", f"`{signature.name}` returns nothing", self.loc(node))
        return Value(self.call_of(program, node), result)

    def call_of(self, program: CallableProgram, node: ast.Call) -> Call:
        return self.bound_call(program, node).call(self.loc(node))

    def bound_call(self, program: CallableProgram, node: ast.Call) -> BoundCall:
        """The arguments of a call. Sizes follow from the arrays, whose shapes must be those of the annotations."""
        signature = program.signature
        self.require_same_program(program, node)
        given = self.given_arguments(signature, node)
        types = {p.name: p.type for p in signature.function.params}
        values: dict[str, Expr] = {}
        sizes: dict[str, Expr] = {}
        arrays: list[tuple[str, Array, Array, ast.expr]] = []
        for name, arg in given.items():
            declared, value = types[name], self.expr(arg)
            if isinstance(declared, Scalar):
                values[name] = sizes[name] = self.scalar_argument(name, value, declared, arg)
                continue
            values[name] = value.expr
            if isinstance(declared, Array):
                arrays.append((name, declared, self.array_argument(name, value, declared, arg), arg))
            elif (
                isinstance(value.type, Scalar) or not isinstance(declared, Pointer) or value.type.elem != declared.elem
            ):
                raise self.wrong_argument(name, declared, value, arg)
        for _, declared, have, _ in arrays:
            for d, h in zip(declared.dims, have.dims):
                if isinstance(d, Var) and d.name in signature.sizes and h is not None:
                    sizes.setdefault(d.name, h)
        for name, declared, have, arg in arrays:
            self.require_shape(name, declared, have, sizes, arg)
        return BoundCall(signature, values | {name: sizes[name] for name in signature.sizes}, sizes)

    def require_same_program(self, program: CallableProgram, node: ast.Call) -> None:
        """A name of C is one function: of two programs of one name, one alone can be called."""
        name = program.signature.name
        known = self.names.programs.setdefault(name, program)
        if known is not program or name == self.source.tree.name:
            message = f"this is another program than the one that is `{name}` in C"
            raise input_error("OG101", message, self.loc(node.func), help="give the two programs two names")

    def given_arguments(self, signature: ProgramSignature, node: ast.Call) -> dict[str, ast.expr]:
        names = signature.python_params
        if len(node.args) > len(names):
            message = f"`{signature.name}` takes {len(names)} arguments, not {len(node.args)}"
            raise input_error("OG104", message, self.loc(node))
        given = dict(zip(names, node.args))
        for k in node.keywords:
            if k.arg not in names or k.arg in given:
                message = (
                    f"`{signature.name}` has no parameter `{k.arg}`" if k.arg else "`**` has no meaning in a program"
                )
                raise input_error("OG104", message, self.loc(k.value), help=", ".join(names))
            given[k.arg] = k.value
        missing = [n for n in names if n not in given]
        if missing:
            raise input_error("OG104", f"`{signature.name}` needs `{missing[0]}`", self.loc(node))
        return {n: given[n] for n in names}

    def scalar_argument(self, name: str, value: Value, declared: Scalar, arg: ast.expr) -> Expr:
        """A number for a parameter. Integers may become floats, as they do where Python computes with both."""
        wanted = Value(value.expr, declared)
        value = self.settle(value, declared) if wanted.is_real else self.strong(value)
        integers = value.is_integer and (wanted.is_integer or wanted.is_real)
        if value.type != computed_type(declared) and not integers:
            raise self.wrong_argument(name, declared, value, arg)
        return value.expr

    def array_argument(self, name: str, value: Value, declared: Array, arg: ast.expr) -> Array:
        have = value.type
        if isinstance(have, Pointer):
            message = f"the sizes of this array are in the contract alone, so those of `{name}` are not known"
            raise input_error("OG019", message, self.loc(arg), help='og.f32["n"] in the annotation')
        if not isinstance(have, Array) or have.elem != declared.elem or len(have.dims) != len(declared.dims):
            raise self.wrong_argument(name, declared, value, arg)
        return have

    def wrong_argument(self, name: str, declared: Array | Scalar | object, value: Value, arg: ast.expr) -> Exception:
        assert isinstance(declared, Array | Scalar | Pointer)
        message = f"`{name}` is {describe_type(declared)}, but this is {describe_type(self.strong(value).type)}"
        return input_error("OG102", message, self.loc(arg))

    def require_shape(self, name: str, declared: Array, have: Array, sizes: dict[str, Expr], arg: ast.expr) -> None:
        for d, h in zip(declared.dims, have.dims):
            assert d is not None and h is not None
            wanted = substitute(d, sizes)
            if wanted != h:
                message = (
                    f"`{name}` has {print_expr(wanted)} elements here by its annotation, and this has {print_expr(h)}"
                )
                raise self.differs(message, arg, "sizes are the same where they are the same text")


def _shape(t: Array) -> str:
    return f"{t.elem.name}[{', '.join(print_expr(d) for d in t.dims if d is not None)}]"
