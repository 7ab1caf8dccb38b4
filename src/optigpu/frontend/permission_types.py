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
from optigpu.syntax.exprs import Addr, Array, Call, Expr, FunType, Index, Int, PointsTo, Var, logical
from optigpu.syntax.scopes import NameKind, Scope
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
            raise input_error(
                "OG108", "a formula cannot speak of what an array holds by indexing it", e.loc, help="&a[i] ~~> v"
            )
        return replace(element, type=logical(element.type) if element.type else None)

    def place(self, e: Expr, scope: Scope) -> Expr:
        """The cell or array that a program expression in a formula denotes. Its indices are formulas."""
        if isinstance(e, Var):
            binding = scope.find(e.name)
            if binding is None:
                raise unknown_name(e.name, scope, e.loc)
            if binding.kind not in (NameKind.CELL, NameKind.ARRAY):
                message = f"`{e.name}` is not memory but {describe_type(binding.type)}"
                raise input_error("OG106", message, e.loc)
            return replace(e, type=binding.type)
        if isinstance(e, Addr):
            return self.address(e, e.arg, scope)
        if not isinstance(e, Index):
            raise input_error("OG106", "this is not a place in memory", e.loc)
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
        match e.target:
            case Call(name, args) as target if (predicate := matrix_predicate(name)) is not None:
                if e.arrow == "~~>":
                    raise input_error("OG109", f"`{name}` describes an array: write `~>`, not `~~>`", e.loc)
                extra = (1 if predicate.with_space else 0) + (1 if predicate.contents == "values" else 0)
                self.programs.arity(target, predicate.rank + extra)
                if len(pointer.type.dims) - pointer.type.distributed != predicate.rank:
                    raise input_error("OG106", f"`{name}` does not fit {describe_type(pointer.type)}", e.loc)
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


class _FormulaIntegers(ExpressionTyper):
    """Index lists of formulas: `MINDEX` is expanded as in programs, but the indices are mathematical integers."""

    def __init__(self, formulas: FormulaKinds) -> None:
        super().__init__({})
        self.formulas = formulas

    def integer(self, e: Expr, scope: Scope, why: str) -> Expr:
        return self.formulas.integer(e, scope)

    def computed_size(self, e: Expr, scope: Scope) -> None:
        """C never computes the sizes in a formula."""
