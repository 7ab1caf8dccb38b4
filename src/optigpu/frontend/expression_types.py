"""Types of program expressions, by C's rules. Implicit conversions become explicit; those that could lose a value are errors."""

from __future__ import annotations

from optigpu.frontend.declared_names import unknown_name
from optigpu.frontend.implicit_conversions import (
    cast,
    convert,
    describe_type,
    expect_scalar,
    promoted,
    reject_lost,
    scalar,
    strip_implicit,
    usual_conversion,
)
from optigpu.light_dataclass import dataclass, replace
from optigpu.syntax.alpha_equality import alpha_equal
from optigpu.syntax.builtins import (
    ATOMICS,
    BUILTIN_NAMES,
    CONTROL_CALLS,
    GETTERS,
    INT_CONSTANTS,
    INTEGER,
    MATH,
    MEMORY_CALLS,
    NUMERIC,
    REAL_CONSTANTS,
    SETTERS,
    SPELLINGS,
    index_helper,
)
from optigpu.syntax.conditions import negate
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import (
    Addr,
    Alloc,
    Array,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Index,
    Int,
    Real,
    SizeOf,
    Type,
    Unary,
    Var,
    is_bool,
    is_int,
)
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.operators import ARITHMETIC, BITWISE, COMPARISONS, LOGICAL
from optigpu.syntax.program import Function
from optigpu.syntax.scopes import NameKind, Scope
from optigpu.syntax.source import NOWHERE
from optigpu.syntax.types import (
    BOOL,
    FLOAT,
    INT,
    INT64,
    MACHINE_SCALARS,
    UINT64,
    Kind,
    Scalar,
)
from optigpu.syntax.walk import map_type, subexpressions


@dataclass(frozen=True, slots=True)
class CallSignature:
    """What a call needs to know of a function: its parameter types, with the arrays of the contract, and whether it has effects."""

    function: Function
    params: tuple[Type, ...]
    has_effects: bool


CallSignatures = dict[str, CallSignature]


def same_size(left: Expr, right: Expr, scope: Scope) -> bool:
    """Whether two sizes are equal wherever they are evaluated: the same text, in which every name has one binding and its value
    never changes."""
    meanings = [scope.find_all(name) for name in free_vars(left)]
    return alpha_equal(left, right) and all(
        len(m) <= 1 and all(b.kind in (NameKind.VALUE, NameKind.LOGIC) for b in m) for m in meanings
    )


class ExpressionTyper:
    """Types the expressions of a program that has these functions."""

    def __init__(self, functions: CallSignatures) -> None:
        self.functions = functions
        self.annotated = False  # whether <optigpu.h> is included above
        self.spellings = dict(
            SPELLINGS
        )  # other names of built-in functions, those that the program declares among them

    def value(self, e: Expr, scope: Scope) -> Expr:
        """An expression that must be a number or a truth value."""
        return expect_scalar(self.expr(e, scope))

    def integer(self, e: Expr, scope: Scope, why: str) -> Expr:
        typed = self.value(e, scope)
        if is_bool(typed.type):
            return Cast(INT, typed, True, loc=typed.loc, type=INT)
        if not is_int(typed.type):
            raise input_error("OG103", f"{why} an integer, but this is {describe_type(typed.type)}", typed.loc)
        return typed

    def condition(self, e: Expr, scope: Scope) -> Expr:
        typed = self.value(e, scope)
        return typed if is_bool(typed.type) else cast(typed, BOOL, implicit=True)

    def array(self, e: Expr, scope: Scope, why: str) -> Expr:
        typed = self.expr(e, scope)
        if not isinstance(typed.type, Array):
            raise input_error("OG102", f"{why} an array, but this is {describe_type(typed.type)}", typed.loc)
        return typed

    def expr(self, e: Expr, scope: Scope) -> Expr:
        match e:
            case Int(value, literal_type):
                return replace(e, type=literal_type or (INT if INT.low <= value <= INT.high else INT64))
            case Real(_, literal_type):
                return replace(e, type=literal_type)
            case Bool():
                return replace(e, type=BOOL)
            case SizeOf():
                return replace(e, type=UINT64)
            case Var():
                return self.variable(e, scope)
            case Unary():
                return self.unary(e, scope)
            case Binary():
                return self.binary(e, scope)
            case Cond(test, then, other):
                a, b = self.value(then, scope), self.value(other, scope)
                common = a.type if a.type == b.type else usual_conversion(scalar(a), scalar(b))
                assert isinstance(common, Scalar)
                return replace(
                    e, test=self.condition(test, scope), then=convert(a, common, "this is"), other=convert(b, common, "this is"),
                    type=common,
                )  # fmt: skip
            case Cast(_, arg, True):
                return self.expr(arg, scope)
            case Cast(to, arg, False) if to in MACHINE_SCALARS:
                typed = self.value(arg, scope)
                reject_lost(typed, to)
                return replace(cast(typed, to, implicit=False), loc=e.loc)
            case Index():
                return self.index(e, scope)
            case Addr():
                return self.address(e, scope)
            case Call():
                return self.call(e, scope)
            case Alloc():
                raise input_error(
                    "OG105", "an allocation is the initial value of a pointer", e.loc, help="float* const p = …;"
                )
            case _:
                raise input_error("OG008", "this belongs in an annotation, not in a program", e.loc)

    def variable(self, e: Var, scope: Scope) -> Expr:
        binding = scope.find(e.name)
        if binding is None:
            if e.name in REAL_CONSTANTS:
                return replace(e, type=FLOAT)
            if e.name in INT_CONSTANTS:
                return replace(e, type=INT)
            raise unknown_name(e.name, scope, e.loc)
        if binding.kind is NameKind.FUNCTION:
            raise input_error("OG102", f"`{e.name}` is a function: call it", e.loc, help=f"{e.name}(…)")
        if binding.kind in (NameKind.LOGIC, NameKind.FACT):
            label = (Label(binding.loc, "introduced here"),) if binding.loc is not NOWHERE else ()
            raise input_error(
                "OG117", f"`{e.name}` exists only in formulas: a program cannot compute with it", e.loc, labels=label
            )
        return replace(e, type=binding.type)

    def unary(self, e: Unary, scope: Scope) -> Expr:
        if e.op == "!":
            arg = self.condition(e.arg, scope)
            return integer_negation(replace(e, arg=arg, type=BOOL))
        arg = self.value(e.arg, scope)
        if e.op == "~" and not is_int(arg.type):
            raise input_error("OG102", f"`~` takes an integer, not {describe_type(arg.type)}", e.loc)
        if e.op == "-" and isinstance(arg, Int) and arg.value > 0 and scalar(arg).signed:
            return replace(arg, value=-arg.value)  # as the parser builds it
        if e.op == "-" and isinstance(arg, Real) and arg.value > 0:
            return replace(arg, value=-arg.value)
        type_ = promoted(scalar(arg))
        if e.op == "-" and not type_.signed and type_.kind is Kind.INT:  # 0 - e, modulo 2^bits
            zero = Int(0, type_, loc=e.loc, type=type_)
            return Binary("-", zero, convert(arg, type_, "this is"), loc=e.loc, type=type_)
        return replace(e, arg=convert(arg, type_, "this is"), type=type_)

    def binary(self, e: Binary, scope: Scope) -> Expr:
        op = e.op
        if op == "&&" or op == "||":
            return replace(e, left=self.condition(e.left, scope), right=self.condition(e.right, scope), type=BOOL)
        left, right = self.pointer_or_value(e.left, scope), self.value(e.right, scope)
        if isinstance(left.type, Array):
            return self.pointer_plus(e, left, right, scope)
        if op in BITWISE or op == "%":
            for side in (left, right):
                if not is_int(side.type) and not is_bool(side.type):
                    raise input_error("OG102", f"`{op}` takes integers, not {describe_type(side.type)}", side.loc)
        if op in ("<<", ">>"):
            type_ = promoted(scalar(left))
            return replace(e, left=convert(left, type_, "this is"), right=convert(right, INT, "this is"), type=type_)
        if is_bool(left.type) and is_bool(right.type) and op in ("==", "!="):
            return replace(e, left=left, right=right, type=BOOL)
        if op in ARITHMETIC or op in BITWISE or op in COMPARISONS:
            type_ = usual_conversion(scalar(left), scalar(right))
            left, right = convert(left, type_, "this is"), convert(right, type_, "this is")
            return replace(e, left=left, right=right, type=BOOL if op in COMPARISONS else type_)
        fix = op.rstrip(".") if op not in LOGICAL else None
        raise input_error("OG008", f"`{op}` belongs in formulas", e.loc, help=f"write `{fix}`" if fix else None)

    def pointer_or_value(self, e: Expr, scope: Scope) -> Expr:
        typed = self.expr(e, scope)
        return typed if isinstance(typed.type, Array) else expect_scalar(typed)

    def pointer_plus(self, e: Binary, left: Expr, right: Expr, scope: Scope) -> Expr:
        """`p + i` is `&p[i]`."""
        if e.op != "+" or not is_int(right.type):
            raise input_error("OG102", f"`{e.op}` cannot be applied to an array", e.loc)
        return self.address(Addr(Index(left, (right,), loc=e.loc), loc=e.loc), scope)

    def index(self, e: Index, scope: Scope) -> Expr:
        base = self.expr(e.base, scope)
        if isinstance(base, Index):  # (a[i])[j]
            return self.index(Index(base.base, base.indices + e.indices, loc=e.loc), scope)
        if isinstance(base, Addr) and isinstance(base.arg, Index):  # (&a[i])[j] is a[i + j]
            first = self.integer(e.indices[0], scope, "an index is")
            return self.index(shift_last(base.arg, replace(e, indices=(first, *e.indices[1:]))), scope)
        if not isinstance(base.type, Array):
            raise input_error(
                "OG106", f"this is not an array but {describe_type(base.type)}: it cannot be indexed", e.base.loc
            )
        array = base.type
        flat = is_flat(base, scope)
        indices = self.expand_indices(e.indices, array, scope)
        if len(indices) > len(e.indices) and not flat:
            message = "this array has rows: in C a MINDEX of it is the number of a row, not of an element"
            raise input_error("OG106", message, e.loc, help="a[i][j]")
        if len(indices) > len(array.dims):
            raise input_error("OG106", f"{len(indices)} indices for {describe_type(array)}", e.loc)
        if len(indices) == len(array.dims):
            return replace(e, base=base, indices=indices, type=array.elem)
        if isinstance(base, Var) and not array.distributed and flat:
            message = f"`{base.name}` is a plain pointer: in C this is an element, not a row"
            raise input_error("OG106", message, e.loc, help="declare it as an array with its sizes: float a[H][W]")
        rest = Array(array.elem, array.dims[len(indices) :], array.space)
        return replace(e, base=base, indices=indices, type=rest)

    def expand_indices(self, indices: tuple[Expr, ...], array: Array, scope: Scope) -> tuple[Expr, ...]:
        """`a[MINDEX2(H, W, i, j)]` is `a[i][j]` where a is an H by W array."""
        out: list[Expr] = []
        for index in indices:
            helper = index_helper(index.func) if isinstance(index, Call) else None
            if (
                helper is not None
                and helper[0] == "MINDEX"
                and helper[1] > 1
                and len(array.dims) >= len(out) + helper[1]
            ):
                assert isinstance(index, Call)
                rank = helper[1]
                if len(index.args) != 2 * rank:
                    raise input_error(
                        "OG104", f"`{index.func}` takes {2 * rank} arguments, not {len(index.args)}", index.loc
                    )
                dims = array.dims[len(out) : len(out) + rank]
                for size, declared in zip(index.args[1:rank], dims[1:]):
                    if declared is None or not same_size(strip_implicit(size), strip_implicit(declared), scope):
                        raise input_error(
                            "OG111", f"the sizes of this `{index.func}` are not those of the array", size.loc
                        )
                    self.computed_size(size, scope)
                out.extend(self.integer(i, scope, "an index is") for i in index.args[rank:])
            else:
                out.append(self.integer(index, scope, "an index is"))
        return tuple(out)

    def computed_size(self, e: Expr, scope: Scope) -> None:
        """The inner sizes of a MINDEX are computed by C but dropped in proofs: their computation must not be able to fail."""
        for x in subexpressions(self.integer(e, scope, "a size is")):
            if not never_fails(x):
                raise input_error("OG111", "this may be another number in C, or none", x.loc, help="const int w = …;")

    def address(self, e: Addr, scope: Scope) -> Expr:
        if isinstance(e.arg, Var):
            binding = scope.find(e.arg.name)
            if binding is not None and binding.kind is NameKind.CELL and isinstance(binding.type, Scalar):
                message = f"`{e.arg.name}` is a variable: only elements of arrays have addresses that a program can use"
                raise input_error("OG106", message, e.loc, help=f"{binding.type.name} {e.arg.name}[1];")
        arg = self.expr(e.arg, scope)
        if isinstance(arg, Index):
            assert isinstance(arg.base.type, Array)
            array = arg.base.type
            rest = array.dims[len(arg.indices) :]
            return replace(e, arg=arg, type=Array(array.elem, (None, *rest), array.space))
        if isinstance(arg.type, Array):
            return arg
        raise input_error("OG106", "the address of this cannot be taken", e.loc, help="&a[i]")

    def call(self, e: Call, scope: Scope) -> Expr:
        name = e.func
        if name in self.functions or name in MATH:
            hidden = scope.find(name)
            if hidden is not None and hidden.kind not in (NameKind.LOGIC, NameKind.FACT, NameKind.FUNCTION):
                label = Label(hidden.loc, "declared here")
                raise input_error(
                    "OG101", f"`{name}` is a variable here, which hides the function", e.loc, labels=(label,)
                )
        if name in self.functions:
            return self.user_call(e, self.functions[name], scope)
        if name in MATH:
            f = MATH[name]
            self.arity(e, f.arity)
            args = tuple(convert(self.value(a, scope), f.type, "this argument is") for a in e.args)
            return replace(e, args=args, type=f.type)
        if name in NUMERIC:
            self.arity(e, NUMERIC[name])
            values = [self.value(a, scope) for a in e.args]
            type_ = promoted(scalar(values[0]))
            for v in values[1:]:
                type_ = usual_conversion(type_, scalar(v))
            if name == "abs" and type_ != INT and not self.annotated:
                message = f"this `abs` is the one of C, which takes an `int`, not {describe_type(type_)}"
                raise input_error("OG102", message, e.loc, help="#include <optigpu.h>")
            return replace(e, args=tuple(convert(v, type_, "this argument is") for v in values), type=type_)
        if name in INTEGER or index_helper(name) is not None:
            helper = index_helper(name)
            arity = INTEGER[name] if helper is None else helper[1] * (1 if helper[0] == "MSIZE" else 2)
            self.arity(e, arity)
            ints = [self.integer(a, scope, "this argument is") for a in e.args]
            type_ = INT if helper is None else UINT64 if helper[0] == "MSIZE" else INT64  # size_t, ptrdiff_t
            for v in ints:
                type_ = usual_conversion(type_, scalar(v))
            return replace(e, args=tuple(convert(v, type_, "this argument is") for v in ints), type=type_)
        if name in GETTERS:
            self.arity(e, 1)
            return self.element(e.args[0], GETTERS[name], scope)
        if name in ATOMICS:
            raise input_error(
                "OG105", f"`{name}` is a statement of its own: what the cell held before is not known", e.loc
            )
        if name in CONTROL_CALLS or name in MEMORY_CALLS or name in SETTERS:
            raise input_error("OG105", f"`{name}` is a statement of its own", e.loc)
        if scope.find(name) is not None:
            self.variable(Var(name, loc=e.loc), scope)
            raise input_error("OG102", f"`{name}` is not a function", e.loc)
        raise unknown_name(name, scope, e.loc, [*self.functions, *BUILTIN_NAMES])

    def element(self, pointer: Expr, space: str | None, scope: Scope) -> Expr:
        """The array element that `__gmem_get(pointer)` and the like access; None: in any space."""
        typed = self.array(pointer, scope, "this argument is")
        assert isinstance(typed.type, Array)
        if space is not None and typed.type.space.value != space:
            raise input_error("OG114", f"this is memory of space {typed.type.space.value}, not {space}", pointer.loc)
        if isinstance(typed, Addr):
            return typed.arg
        return self.index(Index(typed, (Int(0, loc=typed.loc),), loc=typed.loc), scope)

    def arity(self, e: Call, count: int, help_: str | None = None) -> None:
        if len(e.args) != count:
            message = f"`{e.func}` takes {count} argument{'s' * (count != 1)}, not {len(e.args)}"
            raise input_error("OG104", message, e.loc, help=help_)

    def user_call(self, e: Call, signature: CallSignature, scope: Scope) -> Expr:
        f = signature.function
        self.arity(e, len(f.params))
        args: list[Expr] = []
        for arg, param, type_ in zip(e.args, f.params, signature.params):
            if not isinstance(type_, Array):
                args.append(convert(self.value(arg, scope), type_, f"`{param.name}` is"))
                continue
            typed = self.array(arg, scope, f"`{param.name}` is")
            assert isinstance(typed.type, Array)
            if typed.type.elem != type_.elem or len(typed.type.dims) != len(type_.dims):
                raise input_error(
                    "OG102",
                    f"`{param.name}` is {describe_type(type_)}, but this is {describe_type(typed.type)}",
                    arg.loc,
                )
            args.append(typed)
        return replace(e, args=tuple(args), type=f.result)


def is_flat(base: Expr, scope: Scope) -> bool:
    """Whether an array is a plain pointer, which in C has no rows."""
    binding = scope.find(base.name) if isinstance(base, Var) else None
    return binding is not None and binding.flat


def never_fails(e: Expr) -> bool:
    """Whether an integer operation has its mathematical value for all operands, apart from overflow."""
    match e:
        case Binary("/" | "%", _, Int(divisor)):
            return divisor != 0
        case Binary("+" | "*"):
            return scalar(e).signed  # unsigned ones wrap
        case Binary("-"):
            return scalar(e).signed and scalar(e).bits >= INT.bits
        case Cast():
            return e.implicit and scalar(e).signed and scalar(e).bits >= INT.bits
        case _:
            return isinstance(e, Int | Var | SizeOf)


def shift_last(base: Index, outer: Index) -> Index:
    """`(&a[i])[j][k]` as `a[i + j][k]`. The sum is signed: unlike unsigned numbers, pointers do not wrap around."""
    i, j = base.indices[-1], outer.indices[0]
    if not (scalar(i).signed and scalar(j).signed):
        i = Cast(INT64, i, loc=i.loc)
    first = Binary("+", i, j, loc=outer.loc)
    return Index(base.base, (*base.indices[:-1], first, *outer.indices[1:]), loc=outer.loc)


def integer_negation(e: Unary) -> Expr:
    """`!(i < n)` as `i >= n` for integers. For floats these differ if an operand is NaN."""
    if isinstance(e.arg, Binary) and e.arg.op in COMPARISONS and is_int(e.arg.left.type):
        return negate(e.arg)
    return e


def typed_dims(t: Type, typer: ExpressionTyper, scope: Scope) -> Type:
    """A type with the sizes in it typed as integers."""
    return map_type(t, lambda d: typer.integer(d, scope, "a size is"))
