"""Common subexpressions: repeated index expressions become constants of the kernel, or of the loop they depend on."""

from __future__ import annotations

from optigpu.codegen.integer_polynomials import keeps_value, poly
from optigpu.light_dataclass import replace
from optigpu.syntax.exprs import Addr, Binary, Cast, Expr, Index, Int, Var, is_int
from optigpu.syntax.free_names import body_free_vars, fresh_name
from optigpu.syntax.program import Block, Body, CallStmt, Decl, For, If, Return, Stmt, Store
from optigpu.syntax.walk import map_children, statements, stmt_exprs, subexpressions

LEAST_OPERATIONS = 2


def name_common(body: Body, known: set[str], taken: set[str]) -> Body:
    """Introduce a constant for each repeated index expression over `known` names; in loops also for expressions of the loop
    index."""
    named: list[Stmt] = []
    while True:
        counts: dict[Expr, tuple[int, str]] = {}
        for e, role in candidates(body, known):
            n, first = counts.get(e, (0, role))
            counts[e] = n + 1, role if first == "i" else first
        repeated = [(operations(e), e, role) for e, (n, role) in counts.items() if n > 1]
        if not repeated:
            break
        _, chosen, role = max(repeated, key=lambda t: t[0])
        own = name_in_program(body, chosen, known)
        name = own or fresh_name(role, taken)
        taken.add(name)
        known = known | {name}
        assert chosen.type is not None
        named.append(Decl(name, chosen.type, chosen, True))
        body = replace_in_body(body, chosen, Var(name, type=chosen.type))
        body = without_declarations(body, name) if own else body
    return (*named, *in_loops(body, known, taken))


def name_in_program(body: Body, e: Expr, known: set[str]) -> str | None:
    """The name that the program itself gives this value, unless the name has another meaning in the body."""
    inside = list(statements(body))
    other = known | body_free_vars(body) | {s.index for s in inside if isinstance(s, For)}
    other |= {s.target.name for s in inside if isinstance(s, Store) and isinstance(s.target, Var)}
    parts = [x for s in inside for e in stmt_exprs(s) for x in subexpressions(e)]
    other |= {x.arg.name for x in parts if isinstance(x, Addr) and isinstance(x.arg, Var)}
    declared = [s for s in inside if isinstance(s, Decl)]
    for d in declared:
        if d.init == e and d.type == e.type and all(x.init == e for x in declared if x.name == d.name):
            return d.name if d.name not in other else None
    return None


def without_declarations(body: Body, name: str) -> Body:
    """Remove the declarations of a name that is now declared around the body."""
    out: list[Stmt] = []
    for s in body:
        match s:
            case Decl() if s.name == name:
                continue
            case For():
                out.append(replace(s, body=without_declarations(s.body, name)))
            case Block():
                inner = without_declarations(s.body, name)
                out.extend((replace(s, body=inner),) if any(isinstance(x, Decl) for x in inner) else inner)
            case If(_, then, other):
                yes, no = without_declarations(then, name), without_declarations(other, name)
                out.append(replace(s, then=yes, other=no))
            case _:
                out.append(s)
    return tuple(out)


def in_loops(body: Body, known: set[str], taken: set[str]) -> Body:
    out: list[Stmt] = []
    for s in body:
        match s:
            case Decl(name):
                known = known - {name}
                out.append(s)
            case For(index, _, inner):
                out.append(replace(s, body=name_common(inner, known | {index}, taken)))
            case If(_, then, other):
                out.append(replace(s, then=in_loops(then, known, taken), other=in_loops(other, known, taken)))
            case Block(inner):
                out.append(replace(s, body=in_loops(inner, known, taken)))
            case _:
                out.append(s)
    return tuple(out)


def operations(e: Expr) -> int:
    return sum(isinstance(x, Binary) for x in subexpressions(e))


def candidates(body: Body, known: set[str]) -> list[tuple[Expr, str]]:
    out: list[tuple[Expr, str]] = []

    def look(e: Expr, role: str) -> None:
        if isinstance(e, Index):
            rank = len(e.indices)
            for k, i in enumerate(e.indices):
                look(i, "i" if rank == 1 else "col" if k == rank - 1 else "row")
            return
        if isinstance(e, Cast) and not keeps_value(e):  # the operation may wrap around; its operands do not
            for x in children_of(e.arg):
                look(x, role)
            return
        if role and named_worthy(e, known):
            out.append((e, role))
        for x in children_of(e):
            look(x, role)

    def visit(b: Body) -> None:
        for s in b:
            match s:
                case Decl(_, t, init):
                    if init is not None:
                        look(init, "i" if is_int(t) else "")
                case Store(target, value):
                    look(target, "")
                    look(value, "")
                case For(_, r, inner):
                    for e in (r.start, r.bound):
                        look(e, "i")
                    visit(inner)
                case If(test, then, other):
                    look(test, "i")
                    visit(then)
                    visit(other)
                case Block(inner):
                    visit(inner)
                case CallStmt(call):
                    for a in call.args:
                        look(a, "")
                case Return(value):
                    if value is not None:
                        look(value, "")
                case _:
                    pass

    visit(body)
    return out


def children_of(e: Expr) -> list[Expr]:
    children: list[Expr] = []

    def note(x: Expr) -> Expr:
        children.append(x)
        return x

    map_children(e.arg if isinstance(e, Addr) else e, note)
    return [e.arg] if isinstance(e, Addr) else children


def named_worthy(e: Expr, known: set[str]) -> bool:
    """Whether an expression is arithmetic over known names that cannot fail: no division except by a positive literal."""
    if not isinstance(e, Binary) or not is_int(e.type) or operations(e) < LEAST_OPERATIONS:
        return False
    for x in subexpressions(e):
        match x:
            case Var(name):
                if name not in known:
                    return False
            case Binary(op, _, right):
                if op not in ("+", "-", "*") and not (op in ("/", "%") and isinstance(right, Int) and right.value > 0):
                    return False
            case Int():
                pass
            case _:
                return False
    return poly(e).constant is None


def replace_in_body(body: Body, old: Expr, new: Expr) -> Body:
    def expr(e: Expr) -> Expr:
        return new if e == old and is_int(e.type) else map_children(e, expr)

    def stmt(s: Stmt) -> Stmt:
        match s:
            case Decl(_, _, init):
                return s if init is None else replace(s, init=expr(init))
            case Store(target, value):
                to = expr(target)
                assert isinstance(to, Index | Var)
                return replace(s, target=to, value=expr(value))
            case For(_, r, inner):
                limits = replace(r, start=expr(r.start), bound=expr(r.bound))
                return replace(s, range=limits, body=tuple(stmt(x) for x in inner))
            case If(test, then, other):
                return replace(s, test=expr(test), then=tuple(map(stmt, then)), other=tuple(map(stmt, other)))
            case Block(inner):
                return replace(s, body=tuple(map(stmt, inner)))
            case CallStmt(call):
                return replace(s, call=replace(call, args=tuple(expr(a) for a in call.args)))
            case Return(value):
                return s if value is None else replace(s, value=expr(value))
            case _:
                return s

    return tuple(stmt(s) for s in body)
