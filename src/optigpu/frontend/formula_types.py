"""Types of formulas: mathematical integers and reals, propositions, permissions, functions, facts."""

from __future__ import annotations

from optigpu.frontend.declared_names import is_built_in, unknown_name
from optigpu.frontend.formula_integers import machine_integer_error, restricts_integers
from optigpu.frontend.formula_kinds import as_real
from optigpu.frontend.formula_slips import INSTEAD_OF_BITS, NAMES, printed_range, unchained, without_range
from optigpu.frontend.implicit_conversions import describe_type
from optigpu.frontend.index_ranges import with_ranges
from optigpu.frontend.permission_sugar import desugared
from optigpu.frontend.permission_types import WITHOUT_RANK, PermissionTyper
from optigpu.light_dataclass import replace
from optigpu.syntax.builtins import (
    CELL_TARGETS,
    INT_CONSTANTS,
    INTEGER,
    MATH,
    MEMORY_PREDICATE,
    MEMORY_PREDICATES,
    MEMORY_TYPES,
    NUMERIC,
    REAL_CONSTANTS,
    RESULT_NAME,
    TOKENS,
    WRAPS,
    index_helper,
    matrix_predicate,
)
from optigpu.syntax.diagnostic import InputError, input_error
from optigpu.syntax.exprs import (
    ARG_OPERATORS,
    BIG_OPERATORS,
    Addr,
    Array,
    BigOp,
    Binary,
    Binder,
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
from optigpu.syntax.printer import print_expr
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.substitution import substitute
from optigpu.syntax.types import HPROP, LOGIC_INT, LOGIC_REAL, MEMTYPE, PROP, RANGE


class FormulaTyper(PermissionTyper):
    """Types formulas of contracts, assertions, definitions and axioms."""

    def formula(self, e: Expr, scope: Scope) -> Expr:
        if not (isinstance(e, Call) and scope.find(e.func)):
            e = desugared(e)
        match e:
            case Int() | SizeOf():
                return replace(e, type=LOGIC_INT)
            case Real():
                return replace(e, type=LOGIC_REAL)
            case Bool():
                return replace(e, type=PROP)
            case Var():
                return self.variable(e, scope)
            case Unary("!", arg):
                return replace(e, arg=self.prop(arg, scope), type=PROP)
            case Unary(_, arg):
                typed = self.number(arg, scope)
                return replace(e, arg=typed, type=typed.type)
            case Binary():
                return self.binary(e, scope)
            case Cond():
                return self.conditional(e, scope)
            case Cast(_, arg, True):
                return self.formula(arg, scope)
            case Cast(to, arg, False):
                if restricts_integers(to):
                    raise machine_integer_error(to, e.loc)
                return replace(e, arg=self.number(arg, scope), type=logical(to))
            case Index():
                return self.indexed(e, scope)
            case Addr(arg):
                return self.address(e, arg, scope)
            case Call():
                return self.call(e, scope)
            case Forall():
                return self.forall(e, scope)
            case Range(low, high):
                return replace(e, low=self.integer(low, scope), high=self.integer(high, scope), type=RANGE)
            case BigOp():
                return self.big_operator(e, scope)
            case PointsTo():
                return self.points_to(e, scope)
            case Group(index, range_, body):
                typed_range = self.range(range_, scope)
                inner = Scope(scope, {index: Binding(NameKind.LOGIC, LOGIC_INT, e.loc)})
                return replace(e, range=typed_range, body=self.permission(body, inner), type=HPROP)
            case Fun():
                raise input_error("OG102", "a function cannot stand here", e.loc, help="Matrix1(n, fun i -> …)")
            case _:
                raise input_error("OG008", "this cannot stand in a formula", e.loc)

    def conditional(self, e: Cond, scope: Scope) -> Expr:
        then, other = self.formula(e.then, scope), self.formula(e.other, scope)
        if then.type == HPROP:
            raise input_error("OG109", "a permission cannot be chosen by `?:`", e.loc, help="If(c, H) * If(!c, K)")
        if then.type != other.type:
            then, other = as_real(then), as_real(other)
        return replace(e, test=self.prop(e.test, scope), then=then, other=other, type=then.type)

    def forall(self, e: Forall, scope: Scope) -> Expr:
        ranged = with_ranges(e, self.held, lambda name: len(scope.find_all(name)) == 1)
        if ranged is not None:
            return self.formula(ranged, scope)
        match e.body:
            case Var(name) if scope.find(name) is None and e.params[-1].type is None and not is_built_in(name):
                names = " ".join([*(p.name for p in e.params), name])
                message = "the variables of a forall have no commas between them"
                raise input_error("OG003", message, e.body.loc, help=f"forall {names}, …")
            case _:
                pass
        inner = Scope(scope)
        params = []
        for p in e.params:
            type_, kind = p.type or LOGIC_INT, NameKind.LOGIC
            if isinstance(type_, ProofType):
                type_, kind = ProofType(self.prop(type_.prop, inner)), NameKind.FACT
            inner.names[p.name] = Binding(kind, logical(type_), p.loc)
            params.append(replace(p, type=type_))
        return replace(e, params=tuple(params), body=self.prop(e.body, inner), type=PROP)

    def variable(self, e: Var, scope: Scope) -> Expr:
        binding = scope.find(e.name)
        if binding is None:
            return self.built_in(e, scope)
        if binding.kind is NameKind.CELL and not self.cells_have_values:
            raise input_error(
                "OG108", f"`{e.name}` is a variable: a formula cannot speak of its value, which changes", e.loc,
                help=f"&{e.name} ~~> v",
            )  # fmt: skip
        if binding.kind is NameKind.FUNCTION:
            raise input_error("OG102", f"`{e.name}` is a program function: a formula cannot use it", e.loc)
        return replace(e, type=logical(binding.type))

    def built_in(self, e: Var, scope: Scope) -> Expr:
        """A name that no scope binds: a memory space, a token without arguments, or a constant."""
        if e.name in MEMORY_TYPES:
            return replace(e, type=MEMTYPE)
        if e.name in MEMORY_PREDICATES:
            return replace(e, type=MEMORY_PREDICATE)
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
        if e.name in NAMES:
            raise input_error("OG100", f"`{e.name}` is not declared", e.loc, help=NAMES[e.name])
        raise unknown_name(e.name, scope, e.loc)

    def binary(self, e: Binary, scope: Scope) -> Expr:
        if e.op == "==>":
            self.reject_other_arrow(e, scope)
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
                raise input_error("OG102", "a comparison cannot be compared with a number", e.loc, help=unchained(e))
            if not is_number(side.type):
                message = f"`{e.op}` takes numbers, but this is {describe_type(side.type)}"
                raise input_error(
                    "OG102", message, side.loc, help=INSTEAD_OF_BITS.get(op) if is_bool(side.type) else None
                )
        if op in BITWISE or op == "%":
            for side in (left, right):
                if not is_int(side.type):
                    raise input_error(
                        "OG102", f"`{op}` takes integers, but this is {describe_type(side.type)}", side.loc
                    )
        if left.type != right.type or e.op in REAL_SPELLINGS:
            left, right = as_real(left), as_real(right)
        if op in COMPARISONS:
            return replace(e, left=left, right=right, type=PROP)
        assert op in ARITHMETIC or op in BITWISE
        return replace(e, left=left, right=right, type=left.type)

    def reject_other_arrow(self, e: Binary, scope: Scope) -> None:
        """Reject `a -> Matrix1(n, A)` and `n => 1`: the arrows of implications stand between facts."""
        match e.right:
            case Call(name) | Var(name) if matrix_predicate(name) or name in CELL_TARGETS or name in WITHOUT_RANK:
                fix = f"{print_expr(e.left)} ~> {print_expr(e.right)}"
                raise input_error("OG109", "`->` is an implication: what memory holds is written `~>`", e.loc, help=fix)
            case _:
                pass
        if isinstance(e.left, (Var, Int)) and is_number(self.formula(e.left, scope).type):
            fix = f"{print_expr(e.left)} >= {print_expr(e.right)}"
            raise input_error(
                "OG109", "an implication stands between facts, and this is a number", e.left.loc, help=fix
            )

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
                    "OG102", f"`Free` takes a pointer, but this is {describe_type(pointer.type)}", e.args[0].loc
                )
            return replace(e, args=(pointer, self.permission(e.args[1], scope)), type=HPROP)
        if name in ("_RO", "range", "is_subrange"):
            return self.other_form(e, scope)
        if name == "Sync" or name in MEMORY_PREDICATES:
            return self.of_memory(e, scope)
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
        raise self.unknown_call(e, scope)

    def unknown_call(self, e: Call, scope: Scope) -> InputError:
        """The error for a call that is no formula: a predicate of memory, a big operator without a range, an unknown function."""
        name = e.func
        if matrix_predicate(name):
            return input_error("OG109", f"`{name}` says what an array holds", e.loc, help=f"a ~> {name}(…)")
        if name in BIG_OPERATORS:
            return without_range(e)
        if name in NAMES:
            return input_error("OG100", f"`{name}` is not declared", e.loc, help=NAMES[name])
        types = " * ".join(["int"] * max(len(e.args), 1))
        known = [*TOKENS, *MATH, *NUMERIC, *WRAPS, *BIG_OPERATORS, "If", "Free", "Sync", "in_range"]
        help = f'a logical function: __requires("{name}: {types} -> float")'
        if any(self.is_real(a, scope) for a in e.args):
            help = f'a formula in its place, or __DEF({name}, "fun (x: float) -> …") before the function'
        return unknown_name(name, scope, e.loc, known, help)

    def is_real(self, e: Expr, scope: Scope) -> bool:
        """Is this a formula for a real number?"""
        try:
            return self.formula(e, scope).type == LOGIC_REAL
        except InputError:
            return False

    def of_memory(self, e: Call, scope: Scope) -> Expr:
        """`Sync(fM, H)`, or a predicate fM of kinds of memory."""
        if e.func != "Sync":
            self.programs.arity(e, 1)
            return replace(e, args=(self.expect(e.args[0], MEMTYPE, scope),), type=PROP)
        self.programs.arity(e, 2)
        memory = self.expect(e.args[0], MEMORY_PREDICATE, scope)
        return replace(e, args=(memory, self.permission(e.args[1], scope)), type=HPROP)

    def other_form(self, e: Call, scope: Scope) -> Expr:
        """Forms that are replaced in some places (`desugared`, `with_shares`), and stand in others only until then."""
        match e:
            case Call("_RO", (fraction, h)):
                return replace(e, args=(fraction, self.permission(h, scope)), type=HPROP)
            case Call("range", (_, _, _)):
                return replace(e, args=tuple(self.integer(a, scope) for a in e.args), type=RANGE)
            case _:
                forms = {"_RO": "_RO(f, H)", "range": "range(a, b, s)", "is_subrange": "is_subrange(0..n, 0..m)"}
                fix = printed_range(e.args) if e.func == "range" and 0 < len(e.args) < 3 else forms[e.func]
                raise input_error("OG102", f"`{e.func}` needs its arguments written out", e.loc, help=fix)

    def of_token(self, e: Expr, want: Type, scope: Scope) -> Expr:
        """An argument of a token: `_` stands for any number, and `ThreadsCtx(32)` for `ThreadsCtx(0..32)`."""
        if e == Var("_"):
            return replace(e, type=want)
        if want == RANGE and not isinstance(e, Range):
            e = Range(Int(0, loc=e.loc), e, loc=e.loc)
        return self.expect(e, want, scope)

    def apply(self, e: Call, binding: Binding, scope: Scope) -> Expr:
        type_ = binding.type
        if binding.kind is NameKind.FUNCTION:
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
        if isinstance(type_, ProofType) and isinstance(type_.prop, BigOp) and type_.prop.op == "All":
            variables = tuple(Binder(b.name, LOGIC_INT, b.loc) for b in type_.prop.binders)
            return self.instantiate(e, Forall(variables, type_.prop.body), scope)
        raise input_error("OG102", f"`{e.func}` is {describe_type(type_)}: it cannot be applied", e.loc)

    def instantiate(self, e: Call, axiom: Forall, scope: Scope) -> Expr:
        """A universal fact applied to arguments: `reduce_sum_add_right(i, A, i_geq_0)`. The proofs of its hypotheses may be left
        out; then they are proved where the fact is used."""
        values = [p for p in axiom.params if not isinstance(p.type, ProofType)]
        params = axiom.params if len(e.args) != len(values) else values
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
            if others and e.op in (
                "Max",
                "Min",
            ):  # the inner range could be empty for some values of the outer variable
                message = f"the range of `{b.name}` depends on `{min(others)}`: {e.op} of nothing is no number"
                raise input_error("OG110", message, b.loc, help="choose ranges that do not depend on each other")
            binders.append(replace(b, range=self.range(b.range, inner)))
            inner = Scope(inner, {b.name: Binding(NameKind.LOGIC, LOGIC_INT, b.loc)})
        body = self.prop(e.body, inner) if e.op in ("All", "Any") else self.number(e.body, inner)
        if e.op in ARG_OPERATORS and len(binders) > 1:
            raise input_error("OG110", f"{e.op} has one range: its value is one index", e.loc)
        return replace(e, binders=tuple(binders), body=body, type=LOGIC_INT if e.op in ARG_OPERATORS else body.type)
