"""Types of the uses of ghosts: `__ghost(f, "x := …", "h <- result")`."""

from __future__ import annotations

from collections.abc import Mapping

from optigpu.frontend.declared_names import declare, foreign_name
from optigpu.frontend.expression_types import CallSignatures
from optigpu.frontend.formula_types import FormulaTyper
from optigpu.frontend.ghost_claims import claims_at_use, ghost_contract
from optigpu.frontend.library_names import INSTEAD
from optigpu.light_dataclass import replace
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Alloc, Array, Call, FunType, ProofType, Type, TypeOf, logical
from optigpu.syntax.program import CallStmt, Clause, Decl, Function, Ghost, GhostArg, Stmt, Store
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.types import ELEMENT, FRACTION, LOGIC_INT, LOGIC_REAL, POINTER, TYPE
from optigpu.syntax.walk import stmt_exprs, subexpressions

CALLING = CallStmt | Store | Decl  # statements that can have a call of a function


def typed_ghost(
    s: Ghost, scope: Scope, ghosts: Mapping[str, Function], signatures: CallSignatures, formulas: FormulaTyper
) -> Ghost:
    """The use of a ghost with its arguments typed; the facts that it binds are declared in the scope."""
    ghost = ghosts.get(s.func)
    if ghost is None:
        if s.func in INSTEAD:
            raise foreign_name(s.func, s.loc, "OG115")
        signature = signatures.get(s.func)
        what = "is a program function, not a ghost" if signature else "is not a known ghost"
        raise input_error("OG115", f"`{s.func}` {what}", s.loc)
    args = _typed_arguments(s, scope, ghost, formulas, ghost_contract(ghost, ghosts))
    typed = replace(s, args=args, claims=())
    if ghost.is_checked_ghost:
        claims = claims_at_use(typed, ghost, ghosts)
        typed = replace(typed, claims=tuple(_typed_clause(c, scope, formulas) for c in claims))
    results = {i.name: i for c in ghost_contract(ghost, ghosts) if c.kind == "ensures" for i in c.items}
    results |= {i.name: i for c in typed.claims if c.kind == "ensures" for i in c.items}
    for name, result in s.binds:
        if result not in results:
            names = ", ".join(n for n in results if n) or "none"
            raise input_error("OG115", f"`{s.func}` has no result `{result}` (it has: {names})", s.loc)
        declare(scope, name, Binding(NameKind.FACT, ProofType(results[result].body), s.loc))
    return typed


def _typed_clause(c: Clause, scope: Scope, formulas: FormulaTyper) -> Clause:
    facts = c.kind in ("requires", "ensures")
    typed = [formulas.prop(i.body, scope) if facts else formulas.permission(i.body, scope) for i in c.items]
    return replace(c, items=tuple(replace(i, body=e) for i, e in zip(c.items, typed)))


def typed_with(
    s: Ghost, before: Stmt | None, scope: Scope, signatures: CallSignatures, formulas: FormulaTyper
) -> Ghost:
    """`f(x); __with("A := …")`: the logical variables of the one call in the statement before it."""
    if isinstance(before, Decl) and isinstance(before.init, Alloc):
        return _of_allocation(s, before.init)
    if isinstance(before, CallStmt) and before.call.func not in signatures:
        message = f"`{before.call.func}` is built in and has no logical variables: leave `__with` out"
        raise input_error("OG115", message, s.loc)
    parts = [x for e in stmt_exprs(before) for x in subexpressions(e)] if isinstance(before, CALLING) else []
    calls = [x for x in parts if isinstance(x, Call) and x.func in signatures]
    if len(calls) != 1:
        message = (
            "`__with` stands after a statement with one call of a function, whose logical variables it gives values to"
        )
        raise input_error("OG115", message, s.loc, help='f(a, n); __with("A := fun i -> 0");')
    called = signatures[calls[0].func].function
    return replace(s, args=_typed_arguments(replace(s, func=called.name), scope, called, formulas, called.contract))


def _of_allocation(s: Ghost, allocation: Alloc) -> Ghost:
    """`float* const p = MALLOC1(float, n); __with("T := float");`: the type of the elements, which is known."""
    for a in s.args:
        if a.name != "T" or not isinstance(a.value, TypeOf) or a.value.of != logical(allocation.elem):
            help_ = f"T := {allocation.elem.name}"
            raise input_error("OG115", "an allocation has one logical argument, its type", a.value.loc, help=help_)
    return replace(s, args=())


def _typed_arguments(
    s: Ghost, scope: Scope, ghost: Function, formulas: FormulaTyper, contract: tuple[Clause, ...]
) -> tuple[GhostArg, ...]:
    """The arguments of a ghost, by position or by name; every one has a name afterwards."""
    params: list[tuple[str, Type]] = []
    for c in contract:
        if c.kind == "requires":
            for i in c.items:
                type_ = i.body.of if isinstance(i.body, TypeOf) else ProofType(i.body)
                params.append((i.name or "_", type_))
    positional = iter([p for p in params if p[1] != TYPE])
    args: list[GhostArg] = []
    element: Type = LOGIC_REAL
    for a in s.args:
        if a.name is None:
            name, type_ = next(positional, ("", LOGIC_INT))
            if not name:
                raise input_error("OG115", f"`{s.func}` takes only {len(params)} arguments", a.value.loc)
        else:
            types = [t for n, t in params if n == a.name]
            if not types:
                names = ", ".join(n for n, _ in params) or "none"
                raise input_error("OG115", f"`{s.func}` has no argument `{a.name}` (it has: {names})", a.value.loc)
            name, type_ = a.name, types[0]
        if any(earlier.name == name for earlier in args):
            raise input_error("OG115", f"the argument `{name}` is given twice", a.value.loc)
        if type_ in (TYPE, FRACTION):
            continue  # the types of arrays are known, and shares for reading are not counted
        if type_ == POINTER:
            typed = formulas.pointer(a.value, scope)
            assert isinstance(typed.type, Array)
            element = logical(typed.type.elem)
        else:
            typed = formulas.expect(a.value, _with_element(type_, element), scope)
        args.append(GhostArg(name, typed))
    return tuple(args)


def _with_element(t: Type, element: Type) -> Type:
    """The type of a parameter, for an array of such elements: `int -> T`."""
    if isinstance(t, FunType):
        return FunType(t.args, _with_element(t.result, element))
    return element if t == ELEMENT else t
