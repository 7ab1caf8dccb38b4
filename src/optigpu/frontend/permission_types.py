"""Types of permissions on memory, and of the cells and arrays that formulas name."""

from __future__ import annotations

from optigpu.frontend.declared_names import unknown_name
from optigpu.frontend.expression_types import ExpressionTyper
from optigpu.frontend.formula_kinds import FormulaKinds
from optigpu.frontend.implicit_conversions import describe_type
from optigpu.frontend.index_ranges import Sizes
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import CELL_TARGETS, MEMORY_TYPES, matrix_predicate
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Addr, Array, Call, Expr, FunType, Index, Int, PointsTo, Real, Var, logical
from optigpu.syntax.printer import print_expr
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.types import HPROP, LOGIC_INT, MEMTYPE, Scalar, Space


class PermissionTyper(FormulaKinds):
    """Types `p ~> Matrix1(n, A)`, `&a[i] ~~> v` and the pointers in them.

    `cells_have_values`: in an assertion, a variable or array element stands for the value that it holds there.
    """

    def __init__(self, programs: ExpressionTyper, cells_have_values: bool = False) -> None:
        self.programs = programs
        self.cells_have_values = cells_have_values
        self.held: Sizes = {}  # logical functions that arrays hold, with the sizes of these arrays

    def indexed(self, e: Index, scope: Scope) -> Expr:
        """An array element or sub-array. An element is allowed only below `&`, or in an assertion, where it has a value."""
        element = self.place(e, scope)
        if isinstance(element.type, Array):
            return element
        if not self.cells_have_values:
            name = print_expr(e.base)
            fix = f"{name} ~> Matrix{len(e.indices)}(…, A) names what it holds: {applied('A', e.indices)}"
            raise input_error("OG108", "a formula cannot speak of what an array holds by indexing it", e.loc, help=fix)
        return replace(element, type=logical(element.type) if element.type else None)

    def place(self, e: Expr, scope: Scope) -> Expr:
        """The cell or array that a program expression in a formula denotes. Its indices are formulas."""
        if isinstance(e, Var):
            binding = scope.find(e.name)
            if binding is None:
                raise unknown_name(e.name, scope, e.loc)
            if binding.kind not in (NameKind.CELL, NameKind.ARRAY):
                message = f"`{e.name}` is not memory but {describe_type(binding.type)}"
                raise input_error("OG106", message, e.loc, help=applied(e.name, ()) if is_function(binding) else None)
            return replace(e, type=binding.type)
        if isinstance(e, Addr):
            return self.address(e, e.arg, scope)
        if not isinstance(e, Index):
            power = "x * x is the square of x" if isinstance(e, (Int, Real)) else None  # n**2 reads as n * (*2)
            raise input_error("OG106", "this is not a place in memory", e.loc, help=power)
        if isinstance(e.base, Var) and (b := scope.find(e.base.name)) is not None and is_function(b):
            message = f"`{e.base.name}` is not memory but a function: its arguments stand in parentheses"
            raise input_error("OG106", message, e.loc, help=applied(e.base.name, e.indices))
        base = self.place(e.base, scope)
        if not isinstance(base.type, Array):
            raise input_error("OG106", "this is not an array", e.base.loc)
        array = base.type
        integers = _FormulaIntegers(self)
        indices = integers.expand_indices(e.indices, array, scope)
        if len(indices) > len(array.dims):
            raise input_error("OG106", f"{len(indices)} indices for {describe_type(array)}", e.loc)
        rest = array.dims[len(indices) :]
        return replace(e, base=base, indices=indices, type=Array(array.elem, rest, array.space) if rest else array.elem)

    def address(self, e: Addr, arg: Expr, scope: Scope) -> Expr:
        typed = self.place(arg, scope)
        if isinstance(typed.type, Array):
            rest = typed.type.dims if isinstance(typed, Index) else typed.type.dims[1:]
            return replace(e, arg=typed, type=Array(typed.type.elem, (None, *rest), typed.type.space))
        assert isinstance(typed.type, Scalar)
        space = typed.base.type.space if isinstance(typed, Index) and isinstance(typed.base.type, Array) else Space.ANY
        return replace(e, arg=typed, type=Array(typed.type, (None,), space))

    def points_to(self, e: PointsTo, scope: Scope) -> Expr:
        pointer = self.pointer(e.pointer, scope)
        assert isinstance(pointer.type, Array)
        space = None if e.space is None else self.space(e.space, pointer.type, scope)
        self.reject_unknown_predicate(e, pointer.type)
        match e.target:
            case Call(name, args) as target if (predicate := matrix_predicate(name)) is not None:
                if e.arrow == "~~>":
                    fix = f"{print_expr(e.pointer)} ~> {print_expr(target)}"
                    raise input_error("OG109", f"`{name}` describes an array: write `~>`, not `~~>`", e.loc, help=fix)
                extra = (1 if predicate.with_space else 0) + (1 if predicate.contents == "values" else 0)
                if len(pointer.type.dims) - pointer.type.distributed != predicate.rank:
                    message = f"`{name}` does not fit {describe_type(pointer.type)}"
                    raise input_error("OG106", message, e.loc, help=predicate_help(e, name, pointer.type))
                self.programs.arity(target, predicate.rank + extra, predicate_help(e, name, pointer.type))
                new = [self.integer(a, scope) for a in args[: predicate.rank]]
                if predicate.with_space:
                    new.append(self.space(args[predicate.rank], pointer.type, scope))
                if predicate.contents == "values":
                    model = FunType((LOGIC_INT,) * predicate.rank, logical(pointer.type.elem))
                    new.append(self.expect(args[-1], model, scope))
                return replace(
                    e, pointer=pointer, target=replace(target, args=tuple(new), type=HPROP), space=space, type=HPROP
                )
            case Var(name) if name in CELL_TARGETS:
                cell = self.cell(pointer, e)
                return replace(
                    e, pointer=cell, arrow="~>", target=replace(e.target, type=HPROP), space=space, type=HPROP
                )
            case _:
                cell = self.cell(pointer, e)
                assert isinstance(cell.type, Array)
                value = self.expect(e.target, cell.type.elem, scope)
                return replace(e, pointer=cell, arrow="~~>", target=value, space=space, type=HPROP)

    def reject_unknown_predicate(self, e: PointsTo, array: Array) -> None:
        """Reject `a ~> Matrix(n, A)` and other misspelt predicates, where the array alone would be blamed."""
        match e.target:
            case Call(name) if matrix_predicate(name) is None and e.arrow == "~>":
                stem = next((s for s in WITHOUT_RANK if name.rstrip(DIGITS).lower() == s.lower()), None)
                if stem is not None:
                    message = f"`{name}` is not what an array can hold: the name ends with the number of dimensions"
                    raise input_error("OG109", message, e.target.loc, help=predicate_help(e, stem, array))
            case _:
                pass

    def space(self, e: Expr, array: Array, scope: Scope) -> Expr:
        """The memory space of a permission: that of the array, or `Any`. Local arrays of device code may be called `TReg`."""
        typed = self.expect(e, MEMTYPE, scope)
        have = array.space.value
        possible = ("Any", "TReg") if array.space is Space.ANY else ("Any", have)
        if isinstance(e, Var) and e.name in MEMORY_TYPES and e.name not in possible:
            raise input_error("OG114", f"this is memory of space {have}, not {e.name}", e.loc)
        return typed

    def pointer(self, e: Expr, scope: Scope) -> Expr:
        if isinstance(e, Index):
            typed = self.place(e, scope)
        elif isinstance(e, Var) and (b := scope.find(e.name)) is not None and b.kind is NameKind.CELL:
            raise input_error("OG106", f"`{e.name}` is a variable, not a pointer", e.loc, help=f"&{e.name}")
        else:
            typed = self.formula(e, scope)
        if not isinstance(typed.type, Array):
            raise input_error(
                "OG106",
                f"a pointer is expected on the left of the arrow, but this is {describe_type(typed.type)}",
                e.loc,
            )
        return typed

    def cell(self, pointer: Expr, e: PointsTo) -> Expr:
        """The pointer to a single cell: `p` alone stands for `&p[0]`."""
        if isinstance(pointer, Addr) and (
            not isinstance(pointer.arg, Index) or not isinstance(pointer.arg.type, Array)
        ):
            return pointer
        assert isinstance(pointer.type, Array)
        if len(pointer.type.dims) == 1:
            zero = Int(0, loc=pointer.loc, type=LOGIC_INT)
            base, indices = (
                (pointer.base, (*pointer.indices, zero)) if isinstance(pointer, Index) else (pointer, (zero,))
            )
            element = Index(base, indices, loc=pointer.loc, type=pointer.type.elem)
            return Addr(element, loc=pointer.loc, type=Array(pointer.type.elem, (None,), pointer.type.space))
        raise input_error(
            "OG106", f"a single cell is expected on the left, but this is {describe_type(pointer.type)}", e.pointer.loc
        )


def is_function(b: Binding) -> bool:
    return b.kind is NameKind.LOGIC and isinstance(b.type, FunType)


def applied(name: str, indices: tuple[Expr, ...]) -> str:
    return f"{name}({', '.join(map(print_expr, indices)) or '…'})"


WITHOUT_RANK = ("Matrix", "UninitMatrix", "Cells")  # predicates without their number of dimensions
DIGITS = "0123456789"


def predicate_help(e: PointsTo, name: str, array: Array) -> str:
    """The predicate with the declared sizes of the array: `a ~> Matrix2(n, m, A)`."""
    stem = name.removesuffix("Of").rstrip(DIGITS)
    dims = array.dims[array.distributed :]
    args = e.target.args if isinstance(e.target, Call) else ()
    sizes = ["…" if d is None else print_expr(d) for d in dims]
    if stem == "Matrix":
        contents = args[-1] if args and len(args) != len(dims) else None
        sizes.append(contents.name if isinstance(contents, Var) else "A")
    return f"{print_expr(e.pointer)} ~> {stem}{len(dims)}({', '.join(sizes)})"


class _FormulaIntegers(ExpressionTyper):
    """Index lists of formulas: `MINDEX` is expanded as in programs, but the indices are mathematical integers."""

    def __init__(self, formulas: FormulaKinds) -> None:
        super().__init__({})
        self.formulas = formulas

    def integer(self, e: Expr, scope: Scope, why: str) -> Expr:
        return self.formulas.integer(e, scope)

    def computed_size(self, e: Expr, scope: Scope) -> None:
        """C never computes the sizes in a formula."""
