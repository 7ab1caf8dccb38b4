"""Types of the uses of ghosts: `__ghost(f, "x := …", "h <- result")`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from optigpu.frontend.declared_names import declare
from optigpu.frontend.expression_types import CallSignatures
from optigpu.frontend.formula_types import FormulaTyper
from optigpu.syntax.diagnostic import input_error
from optigpu.syntax.exprs import Call, ProofType, Type, TypeOf
from optigpu.syntax.program import CallStmt, Decl, Function, Ghost, GhostArg, Stmt, Store
from optigpu.syntax.scopes import Binding, NameKind, Scope
from optigpu.syntax.types import LOGIC_INT
from optigpu.syntax.walk import stmt_exprs, subexpressions

CALLING = CallStmt | Store | Decl  # statements that can have a call of a function


def typed_ghost(
    s: Ghost, scope: Scope, ghosts: Mapping[str, Function], signatures: CallSignatures, formulas: FormulaTyper
) -> Ghost:
    """The use of a ghost with its arguments typed; the facts that it binds are declared in the scope."""
    ghost = ghosts.get(s.func)
    if ghost is None:
        signature = signatures.get(s.func)
        what = "is a program function, not a ghost" if signature else "is not a known ghost"
        raise input_error("OG115", f"`{s.func}` {what}", s.loc)
    args = _typed_arguments(s, scope, ghost, formulas)
    results = {i.name: i for c in ghost.contract if c.kind == "ensures" for i in c.items}
    for name, result in s.binds:
        if result not in results:
            names = ", ".join(n for n in results if n) or "none"
            raise input_error("OG115", f"`{s.func}` has no result `{result}` (it has: {names})", s.loc)
        declare(scope, name, Binding(NameKind.FACT, ProofType(results[result].body), s.loc))
    return replace(s, args=args)


def typed_with(
    s: Ghost, before: Stmt | None, scope: Scope, signatures: CallSignatures, formulas: FormulaTyper
) -> Ghost:
    """`f(x); __with("A := …")`: the logical variables of the one call in the statement before it."""
    parts = [x for e in stmt_exprs(before) for x in subexpressions(e)] if isinstance(before, CALLING) else []
    calls = [x for x in parts if isinstance(x, Call) and x.func in signatures]
    if len(calls) != 1:
        message = (
            "`__with` stands after a statement with one call of a function, whose logical variables it gives values to"
        )
        raise input_error("OG115", message, s.loc, help='f(a, n); __with("A := fun i -> 0");')
    called = signatures[calls[0].func].function
    return replace(s, args=_typed_arguments(replace(s, func=called.name), scope, called, formulas))


def _typed_arguments(s: Ghost, scope: Scope, ghost: Function, formulas: FormulaTyper) -> tuple[GhostArg, ...]:
    """The arguments of a ghost, by position or by name; every one has a name afterwards."""
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
            types = [t for n, t in params if n == a.name]
            if not types:
                names = ", ".join(n for n, _ in params) or "none"
                raise input_error("OG115", f"`{s.func}` has no argument `{a.name}` (it has: {names})", a.value.loc)
            name, type_ = a.name, types[0]
        if any(earlier.name == name for earlier in args):
            raise input_error("OG115", f"the argument `{name}` is given twice", a.value.loc)
        args.append(GhostArg(name, formulas.expect(a.value, type_, scope)))
    return tuple(args)
