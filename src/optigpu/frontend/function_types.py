"""Types of functions: parameters, contracts and statements."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from optigpu.frontend.barrier_arguments import typed_barrier_argument
from optigpu.frontend.collective_contracts import reject_collective_contract
from optigpu.frontend.declaration_types import DeclarationTyper
from optigpu.frontend.declared_names import declare, reject_macro, unknown_name
from optigpu.frontend.device_names import DeviceNames
from optigpu.frontend.early_exits import reject_jumps
from optigpu.frontend.evaluation_order import Aliases, reject_moving_bound, reject_moving_target, reject_nested_effects
from optigpu.frontend.expression_types import ExpressionTyper, typed_dims
from optigpu.frontend.formula_types import FormulaTyper
from optigpu.frontend.ghost_types import typed_ghost, typed_with
from optigpu.frontend.implicit_conversions import convert, describe_type, fitting, usual_conversion
from optigpu.frontend.index_ranges import held_functions
from optigpu.frontend.memory_call_types import reject_other_atomics, typed_memory_call
from optigpu.frontend.parameter_types import effective_types, reject_conflicting_sizes
from optigpu.frontend.permission_sugar import fraction_names, with_shares
from optigpu.frontend.side_effects import pointer_roots
from optigpu.frontend.typed_statements import TypedStatements
from optigpu.light_dataclass import replace
from optigpu.syntax.annotations import WITH
from optigpu.syntax.builtins import ATOMICS, CONTROL_CALLS, MEMORY_CALLS, RESULT_NAME, SETTERS
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import (
    Array,
    Call,
    Expr,
    Index,
    Int,
    ProofType,
    Type,
    TypeOf,
    Var,
    is_bool,
    is_float,
    is_int,
    logical,
)
from optigpu.syntax.free_names import body_free_vars, clause_free_vars, free_vars
from optigpu.syntax.program import (
    Assert,
    Block,
    Body,
    CallStmt,
    Clause,
    Decl,
    For,
    Function,
    Ghost,
    GhostEnd,
    If,
    Item,
    Mode,
    Return,
    Role,
    Stmt,
    Store,
)
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.source import Loc
from optigpu.syntax.types import BOOL, FLOAT, HPROP, INT, INT64, POINTER, RANGE, TYPE, VOID, Kind, Pointer, Scalar
from optigpu.syntax.walk import statements

FACT_CLAUSES = frozenset({"requires", "ensures", "xrequires", "xensures", "srequires", "invariant"})


def is_generic(ghost: Function) -> bool:
    """Whether the claims of a ghost have types only where it is used: they are about arrays of any type, or any permissions."""
    types = [i.body.of for c in ghost.contract for i in c.items if isinstance(i.body, TypeOf)]
    return any(t in (TYPE, POINTER, HPROP, RANGE) for t in types) or any(c.kind == "reverts" for c in ghost.contract)


def reject_unlisted(s: For, scope: Scope) -> None:
    """`__strict()`: the contract of the loop names all memory of its body that is declared outside."""
    strict = next((c for c in s.contract if c.kind == "strict"), None)
    if strict is not None:
        memory = {
            n for n in body_free_vars(s.body) if (b := scope.find(n)) and b.kind in (NameKind.CELL, NameKind.ARRAY)
        }
        missing = sorted(memory - clause_free_vars(s.contract))
        if missing:
            message = f"`{missing[0]}` is used in this loop, but is not in its contract, which is strict"
            raise input_error("OG110", message, strict.loc, help=f"a clause about `{missing[0]}`, or no __strict()")


class FunctionTyper:
    """Types one function: its parameters, its contract and its statements."""

    def __init__(
        self,
        function: Function,
        values: ExpressionTyper,
        ghosts: Mapping[str, Function],
        globals_: Scope,
        known: TypedStatements | None = None,
    ) -> None:
        self.f = function
        self.known = known
        self.values = values
        self.ghosts = ghosts
        self.formulas = FormulaTyper(self.values)
        self.assertions = FormulaTyper(self.values, cells_have_values=True)
        self.declarations = DeclarationTyper(values, function.body)
        self.params = Scope(globals_)
        self.fractions: set[str] = set()  # names of type `_Fraction`

    @cached_property
    def aliases(self) -> Aliases:
        return pointer_roots(self.f.body)

    def run(self) -> Function:
        f = self.f
        if f.is_checked_ghost and is_generic(f):
            return f
        for c in f.contract:
            if c.kind == "reverts":
                raise input_error(
                    "OG013", "`__reverts` belongs to a ghost without a body", c.loc, help="__GHOST(name) {…}"
                )
        params = []
        for p in f.params:
            declared = typed_dims(p.type, self.values, self.params)
            if p.name in self.declarations.assigned and isinstance(p.type, Scalar):
                raise input_error(
                    "OG107",
                    f"the parameter `{p.name}` is assigned: its value stands for the input",
                    p.loc,
                    help=f"int x = {p.name};",
                )
            kind = NameKind.VALUE if isinstance(declared, Scalar) else NameKind.ARRAY
            declare(self.params, p.name, Binding(kind, declared, p.loc, isinstance(declared, Pointer)))
            params.append(replace(p, type=declared))
        for p, effective in zip(f.params, effective_types(f)):  # a contract may name sizes declared after the pointer
            type_ = typed_dims(effective, self.values, self.params)
            self.params.names[p.name] = replace(self.params.names[p.name], type=type_)
        outer = self.params
        reject_conflicting_sizes(f)
        contract = self.contract(f.contract, outer, function=True)
        for s in f.body:
            if isinstance(s, Decl) and s.name in self.params.names:  # C has one block of parameters and the body
                label = Label(self.params.names[s.name].loc, "the parameter")
                raise input_error("OG101", f"`{s.name}` is declared twice", s.loc, labels=(label,))
        body = self.body(f.body, Scope(outer))
        for i, s in enumerate(body):  # the parser rejects these too, but not every program is parsed
            reject_jumps(s, last_of_function=i == len(body) - 1)
        if f.result != VOID and not f.admitted and not (f.body and isinstance(f.body[-1], Return)):
            raise input_error("OG113", f"`{f.name}` must end with a `return` of its value", f.loc)
        typed = replace(f, params=tuple(params), contract=contract, body=body)
        reject_collective_contract(typed)
        return typed

    def contract(self, clauses: tuple[Clause, ...], scope: Scope, *, function: bool) -> tuple[Clause, ...]:
        """Type a contract. Its logical variables are visible in all of it, also above their introduction."""
        self.fractions |= fraction_names(clauses)
        clauses = with_shares(clauses, self.fractions, ghost=self.f.is_checked_ghost)
        if function:
            self.formulas.held = self.assertions.held = held_functions(clauses)
        for c in clauses:
            for item in c.items:
                if isinstance(item.body, TypeOf):
                    if c.kind not in ("requires", "xrequires", "srequires"):
                        raise input_error("OG110", "a logical variable is introduced by __requires", item.loc)
                    assert item.name is not None
                    declare(scope, item.name, self.logical_variable(item.body.of, item.loc))
        return tuple(self.clause(c, scope, function) for c in clauses)

    def logical_variable(self, type_: Type, loc: Loc) -> Binding:
        """The binding of a logical variable. The body of a ghost, which never runs, may compute with logical numbers."""
        if self.f.role is Role.GHOST and isinstance(type_, Scalar):
            machine = {Kind.INT: INT64, Kind.FLOAT: FLOAT, Kind.BOOL: BOOL}[type_.kind]
            return Binding(NameKind.VALUE, machine, loc)
        return Binding(NameKind.LOGIC, logical(type_), loc)

    def clause(self, c: Clause, scope: Scope, function: bool) -> Clause:
        after = c.kind in ("ensures", "produces", "writes")
        if function and after and isinstance(self.f.result, Scalar):
            scope = Scope(scope, {RESULT_NAME: Binding(NameKind.LOGIC, logical(self.f.result), c.loc)})
        return replace(c, items=tuple(self.item(c, i, scope) for i in c.items))

    def item(self, c: Clause, item: Item, scope: Scope) -> Item:
        if isinstance(item.body, TypeOf):
            return replace(item, body=replace(item.body, of=logical(item.body.of)))
        if c.kind in FACT_CLAUSES:
            body = self.formulas.prop(item.body, scope)
            if item.name is not None and item.name != "_" and c.kind != "ensures":
                declare(scope, item.name, Binding(NameKind.FACT, ProofType(body), item.loc))
        else:
            body = self.formulas.permission(item.body, scope)
        return replace(item, body=body)

    def body(self, body: Body, scope: Scope) -> Body:
        """Type statements. Each body must close the `__GHOST_BEGIN`s that it opens."""
        out: list[Stmt] = []
        opened: list[tuple[str, Loc]] = []
        device = DeviceNames(scope)
        for s in body:
            device.before(s)
            if isinstance(s, GhostEnd):
                if s.label not in [name for name, _ in opened]:
                    raise input_error("OG115", f"no `__GHOST_BEGIN({s.label}, …)` is open here", s.loc)
                opened = [(n, at) for n, at in opened if n != s.label]
            if isinstance(s, Ghost) and s.label is not None:
                opened.append((s.label, s.loc))
            if isinstance(s, Ghost) and s.func == WITH:
                before = out[-1] if out else None
                barrier = typed_barrier_argument(s, before, scope, self.formulas)
                out.append(barrier or typed_with(s, before, scope, self.values.functions, self.formulas))
            else:
                out.append(self.statement(s, scope))
        if opened:
            raise input_error(
                "OG115",
                f"`__GHOST_BEGIN({opened[-1][0]}, …)` is not closed in its block",
                opened[-1][1],
                help=f"__GHOST_END({opened[-1][0]});",
            )
        return tuple(out)

    def statement(self, s: Stmt, scope: Scope) -> Stmt:
        if self.known is not None and self.known.is_typed(s, scope):
            return s
        typed = self.typed(s, scope)
        reject_nested_effects(typed, self.values.functions)
        if self.known is not None:
            self.known.add(typed, scope)
        return typed

    def typed(self, s: Stmt, scope: Scope) -> Stmt:
        match s:
            case Decl():
                return self.declarations.declaration(s, scope)
            case Store():
                return self.store(s, scope)
            case For():
                return self.loop(s, scope)
            case If(test, then, other):
                return replace(
                    s, test=self.values.condition(test, scope), then=self.body(then, Scope(scope)),
                    other=self.body(other, Scope(scope)),
                )  # fmt: skip
            case Block(inner):
                return replace(s, body=self.body(inner, Scope(scope)))
            case CallStmt(call):
                return self.call_statement(s, call, scope)
            case Return(value):
                return self.return_statement(s, value, scope)
            case Ghost():
                return typed_ghost(s, scope, self.ghosts, self.values.functions, self.formulas)
            case GhostEnd():
                return s
            case Assert(items):
                new = []
                for i in items:
                    if isinstance(i.body, TypeOf):
                        raise input_error("OG110", "an assertion is a proposition", i.loc)
                    typed = self.assertions.prop(i.body, scope)
                    new.append(replace(i, body=typed))
                    if i.name is not None:
                        declare(scope, i.name, Binding(NameKind.FACT, ProofType(typed), i.loc))
                return replace(s, items=tuple(new))

    def store(self, s: Store, scope: Scope) -> Stmt:
        target = s.target
        if isinstance(target, Var):
            binding = scope.find(target.name)
            if binding is None:
                raise unknown_name(target.name, scope, target.loc)
            if binding.kind is not NameKind.CELL:
                where = (Label(binding.loc, "declared here"),)
                what = {NameKind.VALUE: "a constant", NameKind.ARRAY: "an array"}.get(binding.kind, "no variable")
                raise input_error(
                    "OG107", f"`{target.name}` is {what}: it cannot be assigned", target.loc, labels=where
                )
            typed: Expr = replace(target, type=binding.type)
        else:
            typed = self.values.expr(target, scope)
        assert isinstance(typed, Index | Var)
        if not isinstance(typed.type, Scalar):
            message = f"only single elements can be assigned, but this is {describe_type(typed.type)}"
            rest = len(typed.type.dims) if isinstance(typed.type, Array) else 0
            help = f"an element has {rest} more {'index' if rest == 1 else 'indices'}: a[i][j]" if rest else None
            raise input_error("OG106", message, target.loc, help=help)
        value = self.values.value(s.value, scope)
        if s.op is None:
            value = convert(value, typed.type, "the target is")
            store = replace(s, target=typed, value=value)
            reject_moving_target(self.aliases, self.values.functions, store)
            return store
        assert isinstance(value.type, Scalar)
        if s.op in ATOMICS:
            reject_other_atomics(s.op, typed, s.loc)
            return replace(s, target=typed, value=convert(value, typed.type, "the target is"))
        if s.op in ("%", "<<", ">>", "&", "|", "^") and not (is_int(typed.type) and is_int(value.type)):
            raise input_error("OG102", f"`{s.op}=` takes integers", s.loc)
        if is_bool(typed.type):
            raise input_error(
                "OG102", f"`{s.op}=` takes numbers, not a `bool`", s.loc, help="say what is true: … = … != 0"
            )
        if is_int(typed.type) and is_float(value.type):
            convert(value, typed.type, "the target is")
        if s.op not in ("<<", ">>"):
            value = convert(value, usual_conversion(typed.type, value.type), "this is")
        return replace(s, target=typed, value=value)

    def loop(self, s: For, scope: Scope) -> For:
        r = s.range
        for e in (r.start, r.bound, r.amount):
            if s.index in free_vars(e):
                message = f"`{s.index}` in the range of its own loop is the index in C"
                raise input_error("OG101", message, e.loc, help="choose another name")
        if s.index in self.declarations.assigned:
            for stmt in statements(s.body):
                if isinstance(stmt, Store) and stmt.target == Var(s.index):
                    where = (Label(s.loc, "this loop"),)
                    raise input_error(
                        "OG107", f"the loop index `{s.index}` is assigned in its loop", stmt.loc, labels=where
                    )
        if s.index_type.bits < INT.bits:  # each step would be a conversion that may change it
            message = f"the index of a loop has {INT.bits} bits or more, not those of `{s.index_type.name}`"
            raise input_error("OG011", message, s.loc, help=f"for (int {s.index} = …")
        if s.mode in (Mode.THREAD, Mode.MAGIC_THREAD, Mode.FRAG) and r.op not in ("+", "-"):
            message = f"threads cannot be numbered by `{s.index} {r.op}= …`"
            raise input_error("OG011", message, s.loc, help="leave out `thread`, or count by a constant step")
        start = convert(self.values.integer(r.start, scope, "the first value is"), s.index_type, "the index is")
        bound = self.values.integer(r.bound, scope, "the bound is")
        amount = self.values.integer(r.amount, scope, "the step is")
        start, bound = self.compared(s, start, bound)
        reject_macro(s.index, s.loc)
        inner = Scope(scope, {s.index: Binding(NameKind.VALUE, s.index_type, s.loc)})
        reject_unlisted(s, scope)
        written = tuple(c for c in s.contract if c.kind != "strict")
        contract = self.contract(written, inner, function=False)
        body = self.body(s.body, Scope(inner))
        range_ = replace(r, start=start, bound=bound, amount=amount)
        reject_moving_bound(self.aliases, self.values.functions, body, range_)
        return replace(s, range=range_, contract=contract, body=body)

    def compared(self, s: For, start: Expr, bound: Expr) -> tuple[Expr, Expr]:
        """Start and bound of a loop, converted where C compares the index with the bound as unsigned numbers."""
        assert isinstance(bound.type, Scalar)
        r, common = s.range, usual_conversion(s.index_type, bound.type)
        if r.relation in (">", ">=") and not (s.index_type.signed and common.signed):
            below = r.op == "-" and not (isinstance(r.amount, Int) and r.amount.value == 1)
            if s.index_type.signed or r.relation == ">=" or below:
                message = f"`{s.index}` counts down as an unsigned number, which is never below 0"
                raise input_error("OG011", message, s.loc, help="use signed integers")
            return start, fitting(bound, s.index_type, "the index is")
        if common.signed:
            return start, bound
        if s.index_type.signed:
            return fitting(fitting(start, common, "the index is compared as"), s.index_type, "the index is"), bound
        return start, fitting(bound, common, "the bound is compared as")

    def call_statement(self, s: CallStmt, call: Call, scope: Scope) -> Stmt:
        name = self.values.spellings.get(call.func, call.func)
        call = call if name == call.func else replace(call, func=name)
        if name in CONTROL_CALLS:
            self.values.arity(call, CONTROL_CALLS[name])
            args = tuple(self.values.integer(a, scope, "this argument is") for a in call.args)
            return replace(s, call=replace(call, args=args, type=VOID))
        if name in MEMORY_CALLS:
            return replace(s, call=typed_memory_call(self.values, name, call, scope))
        if name in ATOMICS:
            self.values.arity(call, 2)
            target = self.values.element(call.args[0], None, scope)
            assert isinstance(target, Index | Var)
            return self.store(Store(target, call.args[1], name, id=s.id), scope)
        if name in SETTERS:
            self.values.arity(call, 2)
            target = self.values.element(call.args[0], SETTERS[name], scope)
            assert isinstance(target, Index | Var)
            return self.store(Store(target, call.args[1], id=s.id), scope)
        typed = self.values.call(call, scope)
        if not isinstance(typed, Call) or typed.func not in self.values.functions:
            raise input_error("OG010", "this statement has no effect", call.loc, help="assign the value, or remove it")
        return replace(s, call=typed)

    def return_statement(self, s: Return, value: Expr | None, scope: Scope) -> Return:
        result = self.f.result
        if value is None:
            if result != VOID:
                raise input_error("OG113", f"`{self.f.name}` must return a value", s.loc)
            return s
        if result == VOID:
            raise input_error("OG113", f"`{self.f.name}` returns nothing: its type is `void`", value.loc)
        return replace(s, value=convert(self.values.value(value, scope), result, "the result is"))
