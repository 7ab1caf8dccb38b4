"""Name resolution and types of whole programs. The result has a type on every expression and implicit conversions made explicit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from optigpu.frontend.early_exits import reject_jumps
from optigpu.frontend.expression_types import (
    CallSignature,
    CallSignatures,
    ExpressionTyper,
    convert,
    describe,
    fitting,
    same_size,
    typed_dims,
    unknown_name,
    usual_conversion,
)
from optigpu.frontend.formula_types import FormulaTyper
from optigpu.frontend.parameter_types import effective_type, effective_types, reject_other_layouts
from optigpu.frontend.side_effects import changed_names, has_effects, loaded_names, pointer_roots
from optigpu.syntax.builtins import (
    BUILTIN_NAMES,
    CONTROL_CALLS,
    FORMULA_NAMES,
    MEMORY_CALLS,
    NUMERIC,
    RESULT_NAME,
    SETTERS,
    SHUFFLES,
    SPELLINGS,
    VECTOR_BYTES,
    VECTOR_CALLS,
    index_helper,
    matrix_predicate,
    of_compilers,
)
from optigpu.syntax.diagnostic import Label, input_error
from optigpu.syntax.exprs import (
    Alloc,
    Array,
    Call,
    Expr,
    Fun,
    FunType,
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
)  # fmt: skip
from optigpu.syntax.free_names import free_vars
from optigpu.syntax.header_macros import is_macro, is_reserved
from optigpu.syntax.program import (
    Assert,
    Axiom,
    Block,
    Body,
    CallStmt,
    Clause,
    Decl,
    Define,
    For,
    Function,
    Ghost,
    GhostArg,
    GhostEnd,
    If,
    Include,
    Item,
    LogicDecl,
    LogicDef,
    Mode,
    Program,
    Return,
    Role,
    Stmt,
    Store,
    TopLevel,
)
from optigpu.syntax.scopes import Binding, Scope, What, assigned_names, is_cell
from optigpu.syntax.source import Loc
from optigpu.syntax.types import BOOL, FLOAT, INT, INT64, LOGIC_INT, VOID, Kind, Pointer, Scalar, Space
from optigpu.syntax.walk import is_constant, statements, stmt_exprs, subexpressions

FACT_CLAUSES = frozenset({"requires", "ensures", "xrequires", "xensures", "srequires", "invariant"})


def typecheck(program: Program, library: Mapping[str, Function]) -> Program:
    """`library` holds the ghosts every program knows."""
    reject_recursion(program)
    checker = _ProgramChecker(library)
    return replace(program, items=checker.items(program.items))


class _ProgramChecker:
    def __init__(self, library: Mapping[str, Function]) -> None:
        self.scope = Scope()
        self.functions: CallSignatures = {}
        self.ghosts: dict[str, Function] = dict(library)
        self.values = ExpressionTyper(self.functions)

    def items(self, items: tuple[TopLevel, ...]) -> tuple[TopLevel, ...]:
        for item in items:
            if isinstance(item, Function) and item.role is not Role.GHOST:
                self.functions[item.name] = CallSignature(item, effective_types(item), has_effects(item))
        return tuple(self.item(i) for i in items)

    def declare(self, name: str, binding: Binding, refused: Callable[[str], bool] = is_macro) -> None:
        reserved = binding.what is What.FUNCTION and of_compilers(name)
        if reserved or is_built_in(name):
            raise input_error("OG101", f"`{name}` is built in: choose another name", binding.loc)
        declare(self.scope, name, binding, refused)

    def item(self, item: TopLevel) -> TopLevel:
        match item:
            case Include(path, system, items):
                macro = next((b for b in self.scope.names.values() if b.what is What.VALUE), None)
                if system and macro is not None:
                    message = f"<{path}> would be read with this macro, or change it"
                    raise input_error(
                        "OG007",
                        message,
                        macro.loc,
                        labels=(Label(item.loc, "included here"),),
                        help="include it before",
                    )
                self.values.annotated |= path == "optigpu.h"
                return replace(item, items=self.included(items))
            case Define(name, value):
                if not is_constant(value):
                    help_ = "use numbers and other macros"
                    raise input_error("OG007", "a macro stands for a constant", value.loc, help=help_)
                typed = self.values.value(value, self.scope)
                assert typed.type is not None
                self.declare(name, Binding(What.VALUE, typed.type, item.loc), is_reserved)
                return replace(item, value=typed)
            case LogicDecl(name, type_):
                self.declare(name, Binding(What.LOGIC, logical(type_), item.loc))
                return replace(item, type=logical(type_))
            case LogicDef(name, value):
                typed = self.definition(value)
                assert typed.type is not None
                self.declare(name, Binding(What.LOGIC, typed.type, item.loc))
                return replace(item, value=typed)
            case Axiom(name, prop):
                typed = FormulaTyper(self.values).prop(prop, self.scope)
                self.declare(name, Binding(What.FACT, ProofType(typed), item.loc))
                return replace(item, prop=typed)
            case Function():
                if item.role is Role.GHOST:
                    if item.name in self.ghosts:
                        raise input_error("OG101", f"the ghost `{item.name}` is already defined", item.loc)
                    self.declare(item.name, Binding(What.FUNCTION, VOID, item.loc))
                    checked = _FunctionChecker(self, item).run()
                    self.ghosts[item.name] = checked
                else:
                    self.declare(item.name, Binding(What.FUNCTION, VOID, item.loc))
                    checked = _FunctionChecker(self, item).run()
                return checked

    def included(self, items: tuple[TopLevel, ...]) -> tuple[TopLevel, ...]:
        """A header does not know the functions that stand below its #include."""
        below = {name: f for name, f in self.functions.items() if name not in self.scope.names}
        for name in below:
            del self.functions[name]
        typed = self.items(items)
        self.functions.update(below)
        return typed

    def definition(self, value: Expr) -> Expr:
        formulas = FormulaTyper(self.values)
        if not isinstance(value, Fun):
            return formulas.formula(value, self.scope)
        inner = Scope(self.scope)
        for p in value.params:
            if p.type is None:
                raise input_error(
                    "OG110",
                    f"the parameter `{p.name}` of a definition needs a type",
                    p.loc,
                    help=f"fun ({p.name}: int) -> …",
                )
            inner.names[p.name] = Binding(What.LOGIC, logical(p.type), p.loc)
        body = formulas.formula(value.body, inner)
        assert body.type is not None
        args = tuple(logical(p.type) for p in value.params if p.type is not None)
        return replace(value, body=body, type=FunType(args, body.type))


def is_built_in(name: str) -> bool:
    known = name in BUILTIN_NAMES | FORMULA_NAMES
    return known or index_helper(name) is not None or matrix_predicate(name) is not None


def reject_macro(name: str, loc: Loc, refused: Callable[[str], bool] = is_macro) -> None:
    """Of names in code alone: no compiler sees those of formulas."""
    if refused(name):
        message = f"`{name}` is a macro of C's or CUDA's headers, or kept for compilers"
        raise input_error("OG101", message, loc, help="choose another name")
    if name in BUILTIN_NAMES.difference(NUMERIC):  # min, max and abs become other calls
        raise input_error("OG101", f"`{name}` is built in, and code would call it", loc, help="choose another name")


def declare(scope: Scope, name: str, binding: Binding, refused: Callable[[str], bool] = is_macro) -> None:
    """`refused`: of a macro of the program, which takes the place of one in a header, only names that are kept for compilers."""
    if binding.what not in (What.LOGIC, What.FACT):
        reject_macro(name, binding.loc, refused)
    if name in scope.names:
        first = scope.names[name].loc
        raise input_error(
            "OG101", f"`{name}` is declared twice", binding.loc, labels=(Label(first, "first declared here"),)
        )
    scope.names[name] = binding


def whole_right_side(s: Stmt) -> Expr | None:
    """What a statement evaluates last."""
    match s:
        case Decl(init=value) | Store(value=value, op=None) | Return(value):
            return value
        case CallStmt(call):
            return call
        case _:
            return None


def reject_recursion(program: Program) -> None:
    functions = {f.name: f for f in program.flat_items() if isinstance(f, Function)}
    calls: dict[str, dict[str, Loc]] = {}
    for f in functions.values():
        calls[f.name] = {}
        for s in statements(f.body):
            for e in stmt_exprs(s):
                for x in subexpressions(e):
                    if isinstance(x, Call) and x.func in functions:
                        calls[f.name].setdefault(x.func, x.loc)
            if isinstance(s, Ghost) and s.func in functions:
                calls[f.name].setdefault(s.func, s.loc)
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        for callee, loc in calls[name].items():
            if callee in path:
                cycle = " → ".join([*path[path.index(callee) :], callee])
                raise input_error("OG112", f"recursion is not in the language: {cycle}", loc, help="write a loop")
            if callee not in done:
                visit(callee, (*path, callee))
        done.add(name)

    for name in functions:
        visit(name, (name,))


class _FunctionChecker:
    def __init__(self, program: _ProgramChecker, function: Function) -> None:
        self.program = program
        self.f = function
        self.values = program.values
        self.formulas = FormulaTyper(self.values)
        self.assertions = FormulaTyper(self.values, cells_have_values=True)
        self.assigned = assigned_names(function.body)
        self.params: Scope = Scope(program.scope)

    def run(self) -> Function:
        f = self.f
        params = []
        for p in f.params:
            declared = typed_dims(p.type, self.values, self.params)
            if p.name in self.assigned and isinstance(p.type, Scalar):
                raise input_error(
                    "OG107",
                    f"the parameter `{p.name}` is assigned: its value stands for the input",
                    p.loc,
                    help=f"int x = {p.name};",
                )
            what = What.VALUE if isinstance(declared, Scalar) else What.ARRAY
            declare(self.params, p.name, Binding(what, declared, p.loc, isinstance(declared, Pointer)))
            params.append(replace(p, type=declared))
        for p in f.params:  # a contract may name sizes declared after the pointer
            type_ = typed_dims(effective_type(f, p.name, p.type), self.values, self.params)
            self.params.names[p.name] = replace(self.params.names[p.name], type=type_)
        outer = self.params
        reject_other_layouts(f)
        contract = self.contract(f.contract, outer, function=True)
        body = self.body(f.body, Scope(outer), [])
        for i, s in enumerate(body):  # programs that were not parsed are held to the same
            reject_jumps(s, last_of_function=i == len(body) - 1)
        if f.result != VOID and not f.admitted and not (f.body and isinstance(f.body[-1], Return)):
            raise input_error("OG113", f"`{f.name}` must end with a `return` of its value", f.loc)
        return replace(f, params=tuple(params), contract=contract, body=body)

    # Contracts

    def contract(self, clauses: tuple[Clause, ...], scope: Scope, *, function: bool) -> tuple[Clause, ...]:
        """Logical variables are visible in the whole contract, also above their introduction."""
        for c in clauses:
            for item in c.items:
                if isinstance(item.body, TypeOf):
                    if c.kind not in ("requires", "xrequires", "srequires"):
                        raise input_error("OG110", "a logical variable is introduced by __requires", item.loc)
                    assert item.name is not None
                    declare(scope, item.name, self.logical_variable(item.body.of, item.loc))
        return tuple(self.clause(c, scope, function) for c in clauses)

    def logical_variable(self, type_: Type, loc: Loc) -> Binding:
        """In a ghost, which is never run, the body may compute with the numbers it is about."""
        if self.f.role is Role.GHOST and isinstance(type_, Scalar):
            machine = {Kind.INT: INT64, Kind.FLOAT: FLOAT, Kind.BOOL: BOOL}[type_.kind]
            return Binding(What.VALUE, machine, loc)
        return Binding(What.LOGIC, logical(type_), loc)

    def clause(self, c: Clause, scope: Scope, function: bool) -> Clause:
        after = c.kind in ("ensures", "produces", "writes")
        if function and after and isinstance(self.f.result, Scalar):
            scope = Scope(scope, {RESULT_NAME: Binding(What.LOGIC, logical(self.f.result), c.loc)})
        return replace(c, items=tuple(self.item(c, i, scope) for i in c.items))

    def item(self, c: Clause, item: Item, scope: Scope) -> Item:
        if isinstance(item.body, TypeOf):
            return replace(item, body=replace(item.body, of=logical(item.body.of)))
        if c.kind in FACT_CLAUSES:
            body = self.formulas.prop(item.body, scope)
            if item.name is not None and item.name != "_" and c.kind != "ensures":
                declare(scope, item.name, Binding(What.FACT, ProofType(body), item.loc))
        else:
            body = self.formulas.permission(item.body, scope)
        return replace(item, body=body)

    # Statements

    def body(self, body: Body, scope: Scope, labels: list[str]) -> Body:
        """`labels` are the open __GHOST_BEGINs of the enclosing bodies; each body closes its own."""
        out: list[Stmt] = []
        opened: list[tuple[str, Loc]] = []
        for s in body:
            if isinstance(s, GhostEnd):
                if s.label not in [name for name, _ in opened]:
                    raise input_error("OG115", f"no `__GHOST_BEGIN({s.label}, …)` is open here", s.loc)
                opened = [(n, at) for n, at in opened if n != s.label]
            if isinstance(s, Ghost) and s.label is not None:
                opened.append((s.label, s.loc))
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
        typed = self.typed(s, scope)
        for e in stmt_exprs(typed):
            self.no_effects(e, alone=e is whole_right_side(typed))
        return typed

    def typed(self, s: Stmt, scope: Scope) -> Stmt:
        match s:
            case Decl():
                return self.declaration(s, scope)
            case Store():
                return self.store(s, scope)
            case For():
                return self.loop(s, scope)
            case If(test, then, other):
                return replace(
                    s, test=self.values.condition(test, scope), then=self.body(then, Scope(scope), []),
                    other=self.body(other, Scope(scope), []),
                )  # fmt: skip
            case Block(inner):
                return replace(s, body=self.body(inner, Scope(scope), []))
            case CallStmt(call):
                return self.call_statement(s, call, scope)
            case Return(value):
                return self.return_statement(s, value, scope)
            case Ghost():
                return self.ghost(s, scope)
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
                        declare(scope, i.name, Binding(What.FACT, ProofType(typed), i.loc))
                return replace(s, items=tuple(new))

    def declaration(self, s: Decl, scope: Scope) -> Decl:
        type_ = typed_dims(s.type, self.values, scope)
        init = s.init
        if init is not None and s.name in free_vars(init):
            message = f"`{s.name}` in its own initial value is the new `{s.name}` in C, which has no value yet"
            raise input_error("OG101", message, init.loc, help="choose another name")
        if isinstance(type_, Scalar):
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
            if s.const and s.name in self.assigned:
                self.reject_assigned(s.name, s.loc)
            what = What.CELL if is_cell(s, self.assigned) else What.VALUE
            declare(scope, s.name, Binding(what, type_, s.loc))
            return replace(s, type=type_, init=init)
        if isinstance(type_, Array) and type_.dims and type_.dims[0] is not None:
            if init is not None:
                raise input_error("OG009", f"the array `{s.name}` cannot be initialised here", init.loc)
            declare(scope, s.name, Binding(What.ARRAY, type_, s.loc))
            return replace(s, type=type_)
        assert isinstance(type_, Pointer | Array)
        if init is None:
            raise input_error(
                "OG107",
                f"the pointer `{s.name}` points nowhere",
                s.loc,
                help=f"{type_.elem.name}* const {s.name} = MALLOC1({type_.elem.name}, n);",
            )
        init = self.pointer_value(s.name, type_, init, scope)
        assert isinstance(init.type, Array)
        declare(scope, s.name, Binding(What.ARRAY, init.type, s.loc, isinstance(type_, Pointer)))
        return replace(s, type=type_, init=init, const=True)

    def pointer_value(self, name: str, type_: Pointer | Array, init: Expr, scope: Scope) -> Expr:
        if isinstance(init, Alloc):
            dims = tuple(self.values.integer(d, scope, "a size is") for d in init.dims)
            distributed = init.space in (Space.SMEM, Space.TREG)
            array = Array(init.elem, ((None,) if distributed else ()) + dims, init.space, distributed)
            init = replace(init, dims=dims, type=array)
        else:
            init = self.values.array(init, scope, f"`{name}` is")
        assert isinstance(init.type, Array)
        if init.type.elem != type_.elem:
            raise input_error(
                "OG102", f"`{name}` points to `{type_.elem.name}`, but this is {describe(init.type)}", init.loc
            )
        if isinstance(type_, Array):
            same = len(type_.dims) == len(init.type.dims) and all(
                a is not None and b is not None and same_size(a, b, scope)
                for a, b in zip(type_.dims[1:], init.type.dims[1:])
            )
            if not same:
                raise input_error("OG102", f"the sizes of `{name}` are not those of its value", init.loc)
        return init

    def reject_assigned(self, name: str, loc: Loc) -> None:
        for s in statements(self.f.body):
            if isinstance(s, Store) and s.target == Var(name):
                raise input_error(
                    "OG107",
                    f"`{name}` is constant: it cannot be assigned",
                    s.target.loc,
                    labels=(Label(loc, "declared here"),),
                )

    def store(self, s: Store, scope: Scope) -> Stmt:
        target = s.target
        if isinstance(target, Var):
            binding = scope.find(target.name)
            if binding is None:
                raise unknown_name(target.name, scope, target.loc)
            if binding.what is not What.CELL:
                where = (Label(binding.loc, "declared here"),)
                what = {What.VALUE: "a constant", What.ARRAY: "an array"}.get(binding.what, "no variable")
                raise input_error(
                    "OG107", f"`{target.name}` is {what}: it cannot be assigned", target.loc, labels=where
                )
            typed: Expr = replace(target, type=binding.type)
        else:
            typed = self.values.expr(target, scope)
        assert isinstance(typed, Index | Var)
        if not isinstance(typed.type, Scalar):
            raise input_error(
                "OG106", f"only single elements can be assigned, but this is {describe(typed.type)}", target.loc
            )
        value = self.values.value(s.value, scope)
        if s.op is None:
            value = convert(value, typed.type, "the target is")
            self.reject_moving_target(typed, value, s)
            return replace(s, target=typed, value=value)
        assert isinstance(value.type, Scalar)
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
        if s.index in self.assigned:
            for stmt in statements(s.body):
                if isinstance(stmt, Store) and stmt.target == Var(s.index):
                    where = (Label(s.loc, "this loop"),)
                    raise input_error(
                        "OG107", f"the loop index `{s.index}` is assigned in its loop", stmt.loc, labels=where
                    )
        if s.index_type.bits < INT.bits:  # each step would be a conversion that may change it
            message = f"the index of a loop has {INT.bits} bits or more, not those of `{s.index_type.name}`"
            raise input_error("OG011", message, s.loc, help=f"for (int {s.index} = …")
        if s.mode in (Mode.THREAD, Mode.MAGIC_THREAD) and r.op not in ("+", "-"):
            message = f"threads cannot be numbered by `{s.index} {r.op}= …`"
            raise input_error("OG011", message, s.loc, help="leave out `thread`, or count by a constant step")
        start = convert(self.values.integer(r.start, scope, "the first value is"), s.index_type, "the index is")
        bound = self.values.integer(r.bound, scope, "the bound is")
        amount = self.values.integer(r.amount, scope, "the step is")
        start, bound = self.compared(s, start, bound)
        reject_macro(s.index, s.loc)
        inner = Scope(scope, {s.index: Binding(What.VALUE, s.index_type, s.loc)})
        contract = self.contract(s.contract, inner, function=False)
        body = self.body(s.body, Scope(inner), [])
        self.reject_moving_bound(body, bound, amount)
        return replace(s, range=replace(r, start=start, bound=bound, amount=amount), contract=contract, body=body)

    def compared(self, s: For, start: Expr, bound: Expr) -> tuple[Expr, Expr]:
        """Start and bound, converted where C's comparison of the index with the bound is one of unsigned numbers."""
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

    def reject_moving_bound(self, body: Body, bound: Expr, amount: Expr) -> None:
        """C evaluates bound and step anew each time: they must not depend on memory that the (typed) body changes."""
        for stmt, root, read in self.moved((bound, amount), tuple(statements(body))):
            where = (Label(stmt.loc, "changed here"),)
            message = f"the bound or step of this loop reads `{root}`, which the loop changes"
            raise input_error("OG118", message, read, labels=where, help="copy the value to a const before the loop")

    def reject_moving_target(self, target: Index | Var, value: Expr, s: Store) -> None:
        """`a[p[0]] = f(p)`: C leaves open whether the index is read before the call or after."""
        if isinstance(target, Index) and isinstance(value, Call):
            for _, root, read in self.moved(target.indices, (CallStmt(value, id=s.id),)):
                message = f"`{value.func}` may change `{root}`, which this index reads: before the call or after?"
                raise input_error("OG116", message, read, help="assign the result to a variable first")

    def moved(self, exprs: tuple[Expr, ...], changes: tuple[Stmt, ...]) -> Iterator[tuple[Stmt, str, Loc]]:
        """Memory that the expressions read and the (typed) statements change, and where it is read."""
        aliases = pointer_roots(self.f.body)
        read = {x: e.loc for e in exprs for n in loaded_names(e) for x in (*aliases.get(n, ()), n)}
        for stmt in changes:
            for name in changed_names(stmt, self.values.functions):
                for root in sorted({name, *aliases.get(name, ())} & read.keys()):
                    yield stmt, root, read[root]

    def call_statement(self, s: CallStmt, call: Call, scope: Scope) -> Stmt:
        name = SPELLINGS.get(call.func, call.func)
        call = call if name == call.func else replace(call, func=name)
        if name in CONTROL_CALLS:
            self.values.arity(call, CONTROL_CALLS[name])
            args = tuple(self.values.integer(a, scope, "this argument is") for a in call.args)
            return replace(s, call=replace(call, args=args, type=VOID))
        if name in MEMORY_CALLS:
            return replace(s, call=self.memory_call(name, call, scope))
        if name in SETTERS:
            self.values.arity(call, 2)
            target = self.values.element(call.args[0], SETTERS[name], scope)
            assert isinstance(target, Index | Var)
            return self.store(Store(target, call.args[1], id=s.id), scope)
        typed = self.values.call(call, scope)
        if not isinstance(typed, Call) or typed.func not in self.values.functions:
            raise input_error("OG010", "this statement has no effect", call.loc, help="assign the value, or remove it")
        return replace(s, call=typed)

    def memory_call(self, name: str, call: Call, scope: Scope) -> Call:
        arrays, integers = MEMORY_CALLS[name]
        self.values.arity(call, arrays + integers)
        typed = [self.values.array(a, scope, "this argument is") for a in call.args[:arrays]]
        typed += [self.values.integer(a, scope, "this argument is") for a in call.args[arrays:]]
        types = [t.type for t in typed[:arrays]]
        assert all(isinstance(t, Array) for t in types)
        if "free" in name:
            want = {"free": Space.ANY, "gmem_free": Space.GMEM}.get(name, Space.SMEM)
            have = types[0].space if isinstance(types[0], Array) else Space.ANY
            if have is not want:
                fix = {Space.ANY: "free(p)", Space.GMEM: "gmem_free(p)", Space.SMEM: "__smem_free1(p, n)"}.get(have)
                raise input_error("OG114", f"`{name}` does not free memory of space {have.value}", call.loc, help=fix)
            rank = len(types[0].dims) - types[0].distributed if isinstance(types[0], Array) else 0
            if integers and rank != integers:
                message = f"`{name}` is for an array that was allocated with {integers} of its sizes, not with {rank}"
                raise input_error("OG104", message, call.loc, help=f"__smem_free{rank}")
        elif arrays == 2:
            self.same_elements(name, typed[0], typed[1], call.loc)
        return replace(call, args=tuple(typed), type=VOID)

    def same_elements(self, name: str, to: Expr, source: Expr, loc: Loc) -> None:
        """What calls that move cells between two arrays need of their types."""
        assert isinstance(to.type, Array) and isinstance(source.type, Array)
        if to.type.elem != source.type.elem:
            raise input_error("OG102", f"`{name}` moves {describe(source.type)} to {describe(to.type)}", loc)
        for arg in (to, source):
            assert isinstance(arg.type, Array)
            if name.startswith("memcpy") and len(arg.type.dims) != int(name[-1]):
                raise input_error(
                    "OG106",
                    f"`{name}` copies arrays of {name[-1]} dimensions, but this is {describe(arg.type)}",
                    arg.loc,
                )
            if name in SHUFFLES and (arg.type.space is not Space.TREG or len(arg.type.dims) != 1):
                raise input_error(
                    "OG114", f"`{name}` works on registers, one a thread", arg.loc, help="float* const x = __treg_malloc0<float>();"
                )  # fmt: skip
            if name in VECTOR_CALLS and len(arg.type.dims) != 1:
                raise input_error(
                    "OG106", f"`{name}` takes the address of its first cell", arg.loc, help="&a[i][4 * j]"
                )
        if name in VECTOR_CALLS and VECTOR_CALLS[name][0] * to.type.elem.size > VECTOR_BYTES:
            wide = VECTOR_CALLS[name][0] * to.type.elem.size
            raise input_error(
                "OG105", f"`{name}` of `{to.type.elem.name}` is {wide} bytes: {VECTOR_BYTES} are the most", loc
            )

    def return_statement(self, s: Return, value: Expr | None, scope: Scope) -> Return:
        result = self.f.result
        if value is None:
            if result != VOID:
                raise input_error("OG113", f"`{self.f.name}` must return a value", s.loc)
            return s
        if result == VOID:
            raise input_error("OG113", f"`{self.f.name}` returns nothing: its type is `void`", value.loc)
        return replace(s, value=convert(self.values.value(value, scope), result, "the result is"))

    # Calls inside expressions

    def no_effects(self, e: Expr, *, alone: bool) -> None:
        """C leaves the order of evaluation open, so a call that changes memory is a statement or the whole right side of one."""
        for x in subexpressions(e):
            if isinstance(x, Call) and x.func in self.values.functions and self.values.functions[x.func].has_effects:
                if alone and x is e:
                    continue
                raise input_error(
                    "OG116",
                    f"`{x.func}` changes memory: it cannot be called inside an expression",
                    x.loc,
                    help="assign its result to a variable first",
                )

    # Ghosts

    def ghost(self, s: Ghost, scope: Scope) -> Ghost:
        ghost = self.program.ghosts.get(s.func)
        if ghost is None:
            signature = self.values.functions.get(s.func)
            what = "is a program function, not a ghost" if signature else "is not a known ghost"
            raise input_error("OG115", f"`{s.func}` {what}", s.loc)
        params: list[tuple[str, Type]] = []
        for c in ghost.contract:
            if c.kind == "requires":
                for i in c.items:
                    type_ = i.body.of if isinstance(i.body, TypeOf) else ProofType(i.body)
                    params.append((i.name or "_", type_))
        positional = iter(params)
        args: list[GhostArg] = []
        for a in s.args:
            if a.name is None:
                name, type_ = next(positional, ("", LOGIC_INT))
                if not name:
                    raise input_error("OG115", f"`{s.func}` takes only {len(params)} arguments", a.value.loc)
            else:
                found = [t for n, t in params if n == a.name]
                if not found:
                    known = ", ".join(n for n, _ in params) or "none"
                    raise input_error("OG115", f"`{s.func}` has no argument `{a.name}` (it has: {known})", a.value.loc)
                name, type_ = a.name, found[0]
            if any(done.name == name for done in args):
                raise input_error("OG115", f"the argument `{name}` is given twice", a.value.loc)
            args.append(GhostArg(name, self.formulas.expect(a.value, type_, scope)))
        results = {i.name: i for c in ghost.contract if c.kind == "ensures" for i in c.items}
        for name, result in s.binds:
            if result not in results:
                known = ", ".join(n for n in results if n) or "none"
                raise input_error("OG115", f"`{s.func}` has no result `{result}` (it has: {known})", s.loc)
            declare(scope, name, Binding(What.FACT, ProofType(results[result].body), s.loc))
        return replace(s, args=tuple(args))
