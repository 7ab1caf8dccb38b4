"""Types of formulas: mathematical integers and reals, propositions, permissions, functions, facts."""

from __future__ import annotations

from dataclasses import replace

from optigpu.frontend.expression_builder import not_all_integers, only_a_part
from optigpu.frontend.expression_types import ExpressionTyper, describe, unknown_name
from optigpu.syntax.builtins import (
    CELL_TARGETS,
    INT_CONSTANTS,
    INTEGER,
    MATH,
    MEMORY_TYPES,
    NUMERIC,
    REAL_CONSTANTS,
    RESULT_NAME,
    TOKENS,
    WRAPS,
    index_helper,
    matrix_predicate,
)
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import (
    Addr,
    Array,
    BigOp,
    Binary,
    Bool,
    Call,
    Cast,
    Cond,
    Expr,
    Forall,
    Fun,
    FunType,
    Group,
    Index,
    Int,
    PointsTo,
    ProofType,
    Range,
    Real,
    SizeOf,
    Type,
    Unary,
    Var,
    is_bool,
    is_float,
    is_int,
    is_number,
    logical,
)
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.operators import ARITHMETIC, BITWISE, COMPARISONS, LOGICAL, REAL_SPELLINGS
from optigpu.syntax.scopes import Binding, Scope, What
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import HPROP, LOGIC_INT, LOGIC_REAL, MEMTYPE, PROP, RANGE, Scalar, Space


class FormulaTyper:
    """`cells_have_values`: in an assertion, a variable or array element stands for what it holds there."""

    def __init__(self, programs: ExpressionTyper, cells_have_values: bool = False) -> None:
        self.programs = programs
        self.cells_have_values = cells_have_values

    # Entry points

    def prop(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if typed.type == HPROP:
            fix = "put it into __reads, __writes, __consumes, __produces or __preserves"
            raise input_error("OG109", "a permission stands where a pure fact is expected", e.loc, help=fix)
        if isinstance(typed.type, ProofType) or not is_bool(typed.type):
            raise input_error("OG109", f"a proposition is expected here, but this is {describe(typed.type)}", e.loc)
        return typed

    def permission(self, e: Expr, scope: Scope) -> Expr:
        return self.expect_permission(self.formula(e, scope))

    def expect_permission(self, typed: Expr) -> Expr:
        if typed.type != HPROP:
            help_ = "put it into __requires or __ensures" if is_bool(typed.type) else "p ~~> v, or a ~> Matrix1(n, A)"
            raise input_error(
                "OG109", f"a permission is expected here, but this is {describe(typed.type)}", typed.loc, help=help_
            )
        return typed

    def integer(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if not is_int(typed.type):
            raise input_error("OG102", f"an integer is expected here, but this is {describe(typed.type)}", e.loc)
        return typed

    def expect(self, e: Expr, want: Type, scope: Scope) -> Expr:
        """A formula of a known type; a lambda takes the types of its parameters from there."""
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
                raise input_error("OG115", f"a fact is expected here, but this is {describe(typed.type)}", e.loc)
            return typed
        if typed.type == want:
            return typed
        if is_float(want) and is_int(typed.type):
            return as_real(typed)
        if isinstance(want, Array) and isinstance(typed.type, Array):
            return typed
        raise input_error("OG102", f"{describe(want)} is expected here, but this is {describe(typed.type)}", e.loc)

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
                        message = f"`{p.name}` is {describe(logical(t))} here, not {describe(logical(p.type))}"
                        raise input_error("OG102", message, p.loc)
                    inner.names[p.name] = Binding(What.LOGIC, logical(t), p.loc)
                new_params = tuple(replace(p, type=None) for p in params)
                return replace(e, params=new_params, body=self.expect(body, want.result, inner), type=want)
            case Var(name):
                typed = self.formula(e, scope)
                if isinstance(typed.type, FunType) and len(typed.type.args) == len(want.args):
                    have, need = logical(typed.type), logical(want)
                    if have == need or (isinstance(have, FunType) and is_int(have.result) and is_float(want.result)):
                        return typed
                n = len(want.args)
                message = (
                    f"`{name}` is {describe(typed.type)}, but a function of {n} argument{'s' * (n != 1)} is expected"
                )
                if isinstance(typed.type, FunType):
                    message = f"`{name}` is a function of other arguments or another result than expected here"
                raise input_error("OG102", message, e.loc)
            case _:
                raise input_error("OG102", f"a function is expected here: {'fun i -> …'}", e.loc)

    # Formulas

    def formula(self, e: Expr, scope: Scope) -> Expr:
        match e:
            case Int() | SizeOf():
                return replace(e, type=LOGIC_INT)
            case Real():
                return replace(e, type=LOGIC_REAL)
            case Bool():
                return replace(e, type=PROP)
            case Var():
                return self.variable(e, scope)
            case Unary(op, arg):
                if op == "!":
                    return replace(e, arg=self.prop(arg, scope), type=PROP)
                typed = self.number(arg, scope)
                return replace(e, arg=typed, type=typed.type)
            case Binary():
                return self.binary(e, scope)
            case Cond(test, then, other):
                a, b = self.formula(then, scope), self.formula(other, scope)
                if a.type == HPROP:
                    raise input_error(
                        "OG109", "a permission cannot be chosen by `?:`", e.loc, help="If(c, H) * If(!c, K)"
                    )
                if a.type != b.type:
                    a, b = as_real(a), as_real(b)
                return replace(e, test=self.prop(test, scope), then=a, other=b, type=a.type)
            case Cast(_, arg, True):
                return self.formula(arg, scope)
            case Cast(to, arg, False):
                if not_all_integers(to):
                    raise only_a_part(to, e.loc)
                return replace(e, arg=self.number(arg, scope), type=logical(to))
            case Index():
                return self.indexed(e, scope)
            case Addr(arg):
                return self.address(e, arg, scope)
            case Call():
                return self.call(e, scope)
            case Forall(params, body):
                inner = Scope(scope)
                new = []
                for p in params:
                    type_ = p.type or LOGIC_INT
                    if isinstance(type_, ProofType):
                        type_ = ProofType(self.prop(type_.prop, inner))
                        p = replace(p, type=type_)
                    inner.names[p.name] = Binding(
                        What.FACT if isinstance(type_, ProofType) else What.LOGIC, logical(type_), p.loc
                    )
                    new.append(replace(p, type=type_))
                return replace(e, params=tuple(new), body=self.prop(body, inner), type=PROP)
            case Range(low, high):
                return replace(e, low=self.integer(low, scope), high=self.integer(high, scope), type=RANGE)
            case BigOp():
                return self.big_operator(e, scope)
            case PointsTo():
                return self.points_to(e, scope)
            case Group(index, range_, body):
                typed_range = self.range(range_, scope)
                inner = Scope(scope, {index: Binding(What.LOGIC, LOGIC_INT, e.loc)})
                return replace(e, range=typed_range, body=self.permission(body, inner), type=HPROP)
            case Fun():
                raise input_error("OG102", "a function cannot stand here", e.loc, help="Matrix1(n, fun i -> …)")
            case _:
                raise input_error("OG008", "this cannot stand in a formula", e.loc)

    def range(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if typed.type != RANGE:
            raise input_error(
                "OG102", f"a range is expected here, but this is {describe(typed.type)}", e.loc, help="0..N"
            )
        return typed

    def number(self, e: Expr, scope: Scope) -> Expr:
        typed = self.formula(e, scope)
        if not is_number(typed.type):
            raise input_error("OG102", f"a number is expected here, but this is {describe(typed.type)}", e.loc)
        return typed

    def variable(self, e: Var, scope: Scope) -> Expr:
        binding = scope.find(e.name)
        if binding is None:
            if e.name in MEMORY_TYPES:
                return replace(e, type=MEMTYPE)
            if e.name in TOKENS:
                if TOKENS[e.name]:
                    raise input_error("OG104", f"`{e.name}` takes {len(TOKENS[e.name])} argument(s)", e.loc)
                return replace(e, type=HPROP)
            if e.name in REAL_CONSTANTS:
                return replace(e, type=LOGIC_REAL)
            if e.name in INT_CONSTANTS:
                return replace(e, type=LOGIC_INT)
            if e.name == RESULT_NAME:
                raise input_error(
                    "OG110",
                    "`_Res` is the result: it can stand only in __ensures and __produces of a function that has one",
                    e.loc,
                )
            if e.name in CELL_TARGETS:
                raise input_error("OG109", f"`{e.name}` says what a cell holds", e.loc, help=f"p ~> {e.name}")
            raise unknown_name(e.name, scope, e.loc)
        if binding.what is What.CELL and not self.cells_have_values:
            raise input_error(
                "OG108", f"`{e.name}` is a variable: a formula cannot speak of its value, which changes", e.loc,
                help=f"&{e.name} ~~> v",
            )  # fmt: skip
        if binding.what is What.FUNCTION:
            raise input_error("OG102", f"`{e.name}` is a program function: a formula cannot use it", e.loc)
        return replace(e, type=logical(binding.type))

    def binary(self, e: Binary, scope: Scope) -> Expr:
        if e.op in LOGICAL:
            return replace(e, left=self.prop(e.left, scope), right=self.prop(e.right, scope), type=PROP)
        op = REAL_SPELLINGS.get(e.op, e.op)
        left, right = self.formula(e.left, scope), self.formula(e.right, scope)
        if op == "*" and HPROP in (left.type, right.type):
            return replace(e, left=self.expect_permission(left), right=self.expect_permission(right), type=HPROP)
        if op in ("==", "!=") and is_bool(left.type) and is_bool(right.type):
            return replace(e, left=left, right=right, type=PROP)
        for side in (left, right):
            if op in COMPARISONS and is_bool(side.type):
                raise input_error(
                    "OG102", "a comparison cannot be compared with a number", e.loc, help="write 0 <= i && i < n"
                )
            if not is_number(side.type):
                raise input_error("OG102", f"`{e.op}` takes numbers, but this is {describe(side.type)}", side.loc)
        if op in BITWISE or op == "%":
            for side in (left, right):
                if not is_int(side.type):
                    raise input_error("OG102", f"`{op}` takes integers, but this is {describe(side.type)}", side.loc)
        if left.type != right.type or e.op in REAL_SPELLINGS:
            left, right = as_real(left), as_real(right)
        if op in COMPARISONS:
            return replace(e, left=left, right=right, type=PROP)
        assert op in ARITHMETIC or op in BITWISE
        return replace(e, left=left, right=right, type=left.type)

    def indexed(self, e: Index, scope: Scope) -> Expr:
        """An array element or sub-array: only below `&`, as a pointer, or (in an assertion) for what it holds."""
        element = self.place(e, scope)
        if isinstance(element.type, Array):
            return element
        if not self.cells_have_values:
            raise input_error(
                "OG108", "a formula cannot speak of what an array holds by indexing it", e.loc, help="&a[i] ~~> v"
            )
        return replace(element, type=logical(element.type) if element.type else None)

    def place(self, e: Expr, scope: Scope) -> Expr:
        """The program part of a formula: which cell or array is meant. Its indices are formulas."""
        if isinstance(e, Var):
            binding = scope.find(e.name)
            if binding is None:
                raise unknown_name(e.name, scope, e.loc)
            if binding.what not in (What.CELL, What.ARRAY):
                message = f"`{e.name}` is not memory but {describe(binding.type)}"
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
            raise input_error("OG106", f"{len(indices)} indices for {describe(array)}", e.loc)
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

    def call(self, e: Call, scope: Scope) -> Expr:
        binding = scope.find(e.func)
        if binding is not None:
            return self.apply(e, binding, scope)
        name = e.func
        if name == "If":
            self.programs.arity(e, 2)
            return replace(e, args=(self.prop(e.args[0], scope), self.permission(e.args[1], scope)), type=HPROP)
        if name == "Free":
            self.programs.arity(e, 2)
            pointer = self.formula(e.args[0], scope)
            if not isinstance(pointer.type, Array):
                raise input_error(
                    "OG102", f"`Free` takes a pointer, but this is {describe(pointer.type)}", e.args[0].loc
                )
            return replace(e, args=(pointer, self.permission(e.args[1], scope)), type=HPROP)
        if name == "in_range":
            self.programs.arity(e, 2)
            return replace(e, args=(self.integer(e.args[0], scope), self.range(e.args[1], scope)), type=PROP)
        if name in TOKENS:
            self.programs.arity(e, len(TOKENS[name]))
            return replace(e, args=tuple(self.of_token(a, t, scope) for a, t in zip(e.args, TOKENS[name])), type=HPROP)
        if name in MATH:
            self.programs.arity(e, MATH[name].arity)
            return replace(e, args=tuple(as_real(self.number(a, scope)) for a in e.args), type=LOGIC_REAL)
        if name in NUMERIC:
            self.programs.arity(e, NUMERIC[name])
            numbers = [self.number(a, scope) for a in e.args]
            if any(is_float(n.type) for n in numbers):
                numbers = [as_real(n) for n in numbers]
            return replace(e, args=tuple(numbers), type=numbers[0].type)
        if name in WRAPS:
            self.programs.arity(e, 1)
            return replace(e, args=(self.integer(e.args[0], scope),), type=LOGIC_INT)
        helper = index_helper(name)
        if name in INTEGER or helper is not None:
            arity = INTEGER[name] if helper is None else helper[1] * (1 if helper[0] == "MSIZE" else 2)
            self.programs.arity(e, arity)
            return replace(e, args=tuple(self.integer(a, scope) for a in e.args), type=LOGIC_INT)
        if matrix_predicate(name):
            raise input_error("OG109", f"`{name}` says what an array holds", e.loc, help=f"a ~> {name}(…)")
        raise unknown_name(name, scope, e.loc, [*TOKENS, *MATH, *NUMERIC, *WRAPS, "If", "Free", "in_range"])

    def of_token(self, e: Expr, want: Type, scope: Scope) -> Expr:
        """`_` stands for any number; `ThreadsCtx(32)` is `ThreadsCtx(0..32)`."""
        if e == Var("_"):
            return replace(e, type=want)
        if want == RANGE and not isinstance(e, Range):
            e = Range(Int(0, loc=e.loc), e, loc=e.loc)
        return self.expect(e, want, scope)

    def apply(self, e: Call, binding: Binding, scope: Scope) -> Expr:
        type_ = binding.type
        if binding.what is What.FUNCTION:
            raise input_error(
                "OG102",
                f"`{e.func}` is a program function: a formula cannot use it",
                e.loc,
                help="__DEF names a logical one",
            )
        if isinstance(type_, FunType):
            self.programs.arity(e, len(type_.args))
            args = tuple(self.expect(a, t, scope) for a, t in zip(e.args, type_.args))
            return replace(e, args=args, type=logical(type_.result))
        if isinstance(type_, ProofType) and isinstance(type_.prop, Forall):
            return self.instantiate(e, type_.prop, scope)
        raise input_error("OG102", f"`{e.func}` is {describe(type_)}: it cannot be applied", e.loc)

    def instantiate(self, e: Call, axiom: Forall, scope: Scope) -> Expr:
        """`reduce_sum_add_right(i, A, i_geq_0)`: a fact about all n, at i. A hypothesis may be left out where it can be proved."""
        given = [p for p in axiom.params if not isinstance(p.type, ProofType)]
        params = axiom.params if len(e.args) != len(given) else given
        self.programs.arity(e, len(params))
        args: list[Expr] = []
        sub: dict[str, Expr] = {}
        for p, a in zip(params, e.args):
            typed = self.expect(a, p.type or LOGIC_INT, scope)
            args.append(typed)
            if not isinstance(p.type, ProofType):
                sub[p.name] = typed
        return replace(e, args=tuple(args), type=ProofType(substitute(axiom.body, sub)))

    def big_operator(self, e: BigOp, scope: Scope) -> Expr:
        inner = Scope(scope)
        binders = []
        for n, b in enumerate(e.binders):
            others = free_vars(b.range) & {a.name for a in e.binders[:n]}
            if others and e.op in ("Max", "Min"):  # for some of them there may be no term, though there are for others
                message = f"the range of `{b.name}` depends on `{min(others)}`: {e.op} of nothing is no number"
                raise input_error("OG110", message, b.loc, help="choose ranges that do not depend on each other")
            binders.append(replace(b, range=self.range(b.range, inner)))
            inner = Scope(inner, {b.name: Binding(What.LOGIC, LOGIC_INT, b.loc)})
        body = self.prop(e.body, inner) if e.op in ("All", "Any") else self.number(e.body, inner)
        return replace(e, binders=tuple(binders), body=body, type=body.type)

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
                    raise input_error("OG106", f"`{name}` does not fit {describe(pointer.type)}", e.loc)
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
        """The memory space that a permission names: that of the array, or any. Locals of threads are registers."""
        typed = self.expect(e, MEMTYPE, scope)
        have = array.space.value
        possible = ("Any", "TReg") if array.space is Space.ANY else ("Any", have)
        if isinstance(e, Var) and e.name in MEMORY_TYPES and e.name not in possible:
            raise input_error("OG114", f"this is memory of space {have}, not {e.name}", e.loc)
        return typed

    def pointer(self, e: Expr, scope: Scope) -> Expr:
        if isinstance(e, Index):
            typed = self.place(e, scope)
        elif isinstance(e, Var) and (b := scope.find(e.name)) is not None and b.what is What.CELL:
            raise input_error("OG106", f"`{e.name}` is a variable, not a pointer", e.loc, help=f"&{e.name}")
        else:
            typed = self.formula(e, scope)
        if not isinstance(typed.type, Array):
            raise input_error(
                "OG106", f"a pointer is expected on the left of the arrow, but this is {describe(typed.type)}", e.loc
            )
        return typed

    def cell(self, pointer: Expr, e: PointsTo) -> Expr:
        """The pointer of a single cell: `p` alone means `&p[0]`."""
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
            "OG106", f"a single cell is expected on the left, but this is {describe(pointer.type)}", e.pointer.loc
        )


class _FormulaIntegers(ExpressionTyper):
    """Index lists in formulas: the same `MINDEX` reading, with integers of the logic."""

    def __init__(self, formulas: FormulaTyper) -> None:
        super().__init__({})
        self.formulas = formulas

    def integer(self, e: Expr, scope: Scope, why: str) -> Expr:
        return self.formulas.integer(e, scope)

    def computed_size(self, e: Expr, scope: Scope) -> None:
        """A formula is not computed."""


def as_real(e: Expr) -> Expr:
    if is_float(e.type):
        return e
    if not is_int(e.type):
        raise input_error("OG102", f"a number is expected here, but this is {describe(e.type)}", e.loc)
    return Cast(LOGIC_REAL, e, True, loc=e.loc, type=LOGIC_REAL)
