"""Functions of the host that a kernel calls: device functions with the same contract and body take their place."""

from __future__ import annotations

from optigpu.light_dataclass import replace
from optigpu.script.editing import StatementPath
from optigpu.script.session import Session
from optigpu.syntax.builtins import CONTROL_CALLS, MEMORY_CALLS
from optigpu.syntax.exprs import Addr, Alloc, Array, Call, Expr, Index, Int, PointsTo, Var
from optigpu.syntax.free_names import fresh_name
from optigpu.syntax.program import Body, CallStmt, For, Function, Include, Mode, Program, Role, Stmt, Store
from optigpu.syntax.types import Space
from optigpu.syntax.walk import (
    body_subexpressions,
    contract_exprs,
    map_bodies,
    map_clauses,
    map_stmt_exprs,
    rewrite,
    root_name,
    statements,
    stmt_exprs,
    subexpressions,
)
from optigpu.transform.tools.changed_permissions import permission_names
from optigpu.transform.tools.refusal import refuse


class DeviceFunctions:
    """Copies of functions of the host for the kernels of one function, and calls of the copies instead of the originals."""

    def __init__(self, session: Session, path: StatementPath) -> None:
        self.caller = path.function
        items = session.program.flat_items()
        self.functions = functions_of(session.program)
        self.names = {i.name for i in items if not isinstance(i, Include)}
        self.copies: dict[str, Function] = {}  # by the name of the original, callees first

    def calling(self, body: Body) -> Body:
        """Statements that call device functions where they called functions of the host."""
        return tuple(self._statement(s, s) for s in body)

    def added_to(self, program: Program) -> Program:
        """A program with the copies, before the function that calls them."""
        items = list(program.items)
        at = next(n for n, i in enumerate(items) if isinstance(i, Function) and i.name == self.caller)
        return replace(program, items=(*items[:at], *self.copies.values(), *items[at:]))

    def _statement(self, s: Stmt, call_site: Stmt) -> Stmt:
        """`call_site` is the statement of the kernel that the user sees: in the body of a copy, the call that needs the copy."""

        def call(e: Expr) -> Expr:
            if not isinstance(e, Call) or e.func not in self.functions:
                return e
            f = self.functions[e.func]
            name = self._copy(f, call_site).name if f.role is Role.HOST else f.name
            return replace(e, func=name, args=tuple(_pointer(a, f.name, call_site) for a in e.args))

        inside = map_bodies(s, lambda b: tuple(self._statement(x, x if s is call_site else call_site) for x in b))
        return map_stmt_exprs(inside, lambda e: rewrite(e, call))

    def _copy(self, f: Function, call_site: Stmt) -> Function:
        if f.name not in self.copies:
            reason = _only_for_the_host(f)
            if reason is not None:
                help = f's.function.inline("{f.name}") replaces the call by the body'
                raise refuse(f"`{f.name}` cannot be a device function: it {reason}", call_site, help)
            name = fresh_name(f"gpu_{f.name}", self.names)
            self.names.add(name)
            body = tuple(self._statement(_sequential(s), call_site) for s in f.body)
            contract = map_clauses(f.contract, lambda e: rewrite(e, _in_any_space))
            self.copies[f.name] = replace(f, name=name, role=Role.DEVICE, body=body, contract=contract)
        return self.copies[f.name]


def functions_of(program: Program) -> dict[str, Function]:
    """The functions that code can call, by their names."""
    return {f.name: f for f in program.flat_items() if isinstance(f, Function) and f.role is not Role.GHOST}


def writes_array(s: Stmt, name: str, functions: dict[str, Function]) -> bool:
    """Does the statement store to the array, or to the variable, itself or in a function that it calls?"""
    for x in statements((s,)):
        if isinstance(x, Store) and root_name(x.target) == name:
            return True
        for call in (e for top in stmt_exprs(x) for e in subexpressions(top) if isinstance(e, Call)):
            if call.func in functions and name in _written_arguments(call, functions[call.func]):
                return True
    return False


def _written_arguments(call: Call, f: Function) -> set[str]:
    """The arrays that a call may write: those of which the contract of the function takes or gives more than a right to read."""
    claims = [i.body for c in f.contract if c.kind != "reads" for i in c.items]
    written = set[str]().union(*map(permission_names, claims))
    return {root_name(a) for p, a in zip(f.params, call.args) if p.name in written}


def _only_for_the_host(f: Function) -> str | None:
    """What a function does that no device function can do; completes a sentence that starts with "it"."""
    if f.admitted:
        return "is assumed to satisfy its contract, and a copy of it would be another assumption"
    if any(isinstance(e, Var) and e.name == "HostCtx" for c in contract_exprs(f.contract) for e in subexpressions(c)):
        return "has HostCtx in its contract"
    for s in statements(f.body):
        name = s.call.func if isinstance(s, CallStmt) else ""
        if name == "kernel_launch":
            return "launches a kernel"
        if name.startswith("memcpy"):
            return "copies between host and device"
        if name in CONTROL_CALLS or name in MEMORY_CALLS:
            return f"calls `{name}`" if name != "free" else "allocates memory"
    if any(isinstance(e, Alloc) for e in body_subexpressions(f.body)):
        return "allocates memory"
    return None


def _pointer(argument: Expr, function: str, call_site: Stmt) -> Expr:
    """A row of an array as the address of its first element, since arrays on the device are plain pointers without rows."""
    if not isinstance(argument, Index) or not isinstance(argument.type, Array):
        return argument
    if len(argument.type.dims) > 1:
        help = f's.function.inline("{function}") replaces the call by the body'
        raise refuse(f"`{function}` takes a part of several dimensions of an array on the device", call_site, help)
    return Addr(replace(argument, indices=(*argument.indices, Int(0))))


def _sequential(s: Stmt) -> Stmt:
    """A statement without parallel loops: a thread executes all iterations."""
    if isinstance(s, For) and s.mode is not Mode.SEQUENTIAL:
        s = replace(s, mode=Mode.SEQUENTIAL, hints=())
    return map_bodies(s, lambda b: tuple(map(_sequential, b)))


def _in_any_space(e: Expr) -> Expr:
    """A permission on host memory as one on whatever memory the argument is in."""
    return replace(e, space=None) if isinstance(e, PointsTo) and e.space == Var(Space.ANY.value) else e
