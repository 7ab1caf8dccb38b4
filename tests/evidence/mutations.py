"""All single mutations of a program: each small change that a person might make by mistake, or an attacker on purpose.

Mutants are made on the syntax tree, printed and parsed again; those that are no programs any more are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

from optigpu.frontend import parse_text
from optigpu.syntax import exprs as se
from optigpu.syntax import program as sp
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.exprs import Array
from optigpu.syntax.printer import print_program
from optigpu.syntax.source import Loc, StatementId
from optigpu.syntax.types import Space

BARRIERS = ("blocksync", "__syncthreads", "warpsync", "__syncwarp")
OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "%": "/", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==",
    "&&": "||", "||": "&&", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
}  # fmt: skip
CALLS = {"fmaxf": "fminf", "fminf": "fmaxf", "max": "min", "min": "max", "shfl_down": "shfl_up", "shfl_up": "shfl_down",
         "shfl_xor": "shfl_down"}  # fmt: skip
RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SPACES = {
    Space.SMEM: (Space.TREG, Space.ANY),
    Space.TREG: (Space.SMEM,),
    Space.GMEM: (Space.ANY,),
    Space.ANY: (Space.SMEM,),
}
MODES = {
    sp.Mode.SEQUENTIAL: (sp.Mode.PARALLEL, sp.Mode.THREAD),
    sp.Mode.PARALLEL: (sp.Mode.SEQUENTIAL,),
    sp.Mode.THREAD: (sp.Mode.SEQUENTIAL,),
    sp.Mode.MAGIC_THREAD: (sp.Mode.SEQUENTIAL,),
}
WEAKER = {"Matrix": "Cells"}
BIG_OPERATORS = {"Sum": "Max", "Max": "Min", "Min": "Max", "Prod": "Sum", "All": "Any", "Any": "All"}
Rebuild = Callable[[Any], Any]


@dataclass(frozen=True)
class Site:
    """A node of a function, the function with another node in its place, and whether it stands in a contract."""

    node: Any
    rebuild: Rebuild
    contract: bool


def sites(x: Any, rebuild: Rebuild, contract: bool = False) -> Iterator[Site]:
    """A tree's nodes, outermost first."""
    if isinstance(x, Loc | StatementId) or x is None:
        return
    yield Site(x, rebuild, contract)
    if isinstance(x, tuple):
        for i, y in enumerate(x):
            yield from sites(y, lambda new, i=i: rebuild((*x[:i], new, *x[i + 1 :])), contract)
    elif is_dataclass(x):
        for f in fields(x):
            if f.name not in ("loc", "id", "type") or (f.name == "type" and isinstance(x, sp.Decl)):
                inside = contract or f.name == "contract"
                yield from sites(getattr(x, f.name), lambda new, f=f: rebuild(replace(x, **{f.name: new})), inside)


def distinct_mutants(program: sp.Program) -> list[tuple[str, sp.Program]]:
    """All single mutants as trees, each once; some are no programs (see `rendered`)."""
    seen = {program}
    out = []
    for kind, changed in raw_mutants(program):
        if changed not in seen:
            seen.add(changed)
            out.append((kind, changed))
    return out


def rendered(program: sp.Program) -> str | None:
    """The text of a tree, if it is a program."""
    try:
        text = print_program(program)
        parse_text(text, program.file)
    except (InputError, AssertionError, ValueError, AttributeError, TypeError, KeyError):  # the printer meets odd trees
        return None
    return text


def contract_mutants(program: sp.Program) -> Iterator[tuple[str, sp.Program]]:
    """All single mutants of contracts, of functions and of loops: clauses and numbers as in `raw_mutants`, and what arrays hold."""
    models = {
        i.name: i.body
        for f in program.flat_items()
        if isinstance(f, sp.Function)
        for c in f.contract
        for i in c.items
        if i.name is not None and isinstance(i.body, se.TypeOf)
    }

    def nearly_right(site: Site) -> Iterator[tuple[str, Any]]:
        if site.contract:
            yield from all_changes(site)
            yield from claim_changes(site.node, models)

    yield from raw_mutants(program, nearly_right)


def raw_mutants(
    program: sp.Program, changes: Callable[[Site], Iterator[tuple[str, Any]]] | None = None
) -> Iterator[tuple[str, sp.Program]]:
    changes = changes or all_changes
    for n, item in enumerate(program.items):
        if isinstance(item, sp.Function) and item.role is not sp.Role.GHOST:

            def rebuild(new: sp.Function, n: int = n) -> sp.Program:
                return replace(program, items=(*program.items[:n], new, *program.items[n + 1 :]))

            for field_ in ("body", "contract"):
                start = getattr(item, field_)

                def put(new: Any, item: sp.Function = item, field_: str = field_, rebuild: Rebuild = rebuild) -> Any:
                    return rebuild(replace(item, **{field_: new}))

                for site in sites(start, put, field_ == "contract"):
                    for kind, new in changes(site):
                        yield kind, site.rebuild(new)


def all_changes(site: Site) -> Iterator[tuple[str, Any]]:
    """The alternatives to one node, each with the kind of the mutation."""
    x = site.node
    if isinstance(x, tuple):
        if x and isinstance(x[0], STATEMENTS):
            yield from body_changes(x)
        elif x and isinstance(x[0], sp.Clause):
            yield from clause_changes(x)
        return
    where = "contract: " if site.contract else ""
    match x:
        case se.Index():
            for i, e in enumerate(x.indices):
                for kind, other in off_by_one(e):
                    yield f"index {kind}", replace(x, indices=(*x.indices[:i], other, *x.indices[i + 1 :]))
            for i in range(len(x.indices) - 1):
                swapped = list(x.indices)
                swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
                yield "indices swapped", replace(x, indices=tuple(swapped))
        case sp.LoopRange():
            yield from (("bound " + kind, replace(x, start=e)) for kind, e in off_by_one(x.start))
            yield from (("bound " + kind, replace(x, bound=e)) for kind, e in off_by_one(x.bound))
            yield "bound relation", replace(x, relation=RELATIONS[x.relation])
        case se.Range():
            yield from ((f"{where}range {kind}", replace(x, low=e)) for kind, e in off_by_one(x.low))
            yield from ((f"{where}range {kind}", replace(x, high=e)) for kind, e in off_by_one(x.high))
        case se.Binary(op, left, right):
            if op in OPERATORS:
                yield f"{where}operator", replace(x, op=OPERATORS[op])
            if op in ("-", "/", "%", "<", "=="):
                yield f"{where}operands swapped", replace(x, left=right, right=left)
        case se.Call(func, args):
            if func in CALLS:
                yield f"{where}operator", replace(x, func=CALLS[func])
            for i in range(len(args) - 1):
                swapped = list(args)
                swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
                yield f"{where}arguments swapped", replace(x, args=tuple(swapped))
            for old, new in WEAKER.items():
                if site.contract and func.startswith(old):
                    yield "contract: weakened", replace(x, func=func.replace(old, new), args=args[:-1])
        case se.Int(value):
            yield from ((f"{where}constant", replace(x, value=value + d)) for d in (1, -1))
        case se.Real(value):
            yield f"{where}constant", replace(x, value=value + 1)
            yield f"{where}constant", replace(x, value=Fraction(0))
        case se.Cond(_, then, other):
            yield f"{where}branches swapped", replace(x, then=other, other=then)
        case se.Alloc(_, dims, space):
            for i, d in enumerate(dims):
                for kind, e in off_by_one(d):
                    yield f"extent {kind}", replace(x, dims=(*dims[:i], e, *dims[i + 1 :]))
            yield from (("space", replace(x, space=s)) for s in SPACES[space])
        case _:
            yield from statement_changes(x)


def claim_changes(x: Any, models: dict[str, se.TypeOf]) -> Iterator[tuple[str, Any]]:
    """Another value of a cell or a result, the contents of another array, another operator over a range."""
    match x:
        case se.Fun(body=body):
            yield from (("contract: value", replace(x, body=e)) for _, e in off_by_one(body))
        case se.PointsTo(arrow="~~>", target=target):
            yield from (("contract: value", replace(x, target=e)) for _, e in off_by_one(target))
            yield "contract: weakened", replace(x, arrow="~>", target=se.Var("Cell"))
            yield "contract: weakened", replace(x, arrow="~>", target=se.Var("UninitCell"))
        case se.Binary("==", _, right):
            yield from (("contract: value", replace(x, right=e)) for _, e in off_by_one(right))
        case se.Call(func, args) if func in models:
            others = [m for m, t in models.items() if m != func and t == models[func]]
            yield from (("contract: other model", replace(x, func=m)) for m in others)
            for i, e in enumerate(args):
                for kind, other in off_by_one(e):
                    yield f"contract: index {kind}", replace(x, args=(*args[:i], other, *args[i + 1 :]))
        case se.Call(func, args) if func.startswith(("Matrix", "UninitMatrix", "Cells")):
            for i, e in enumerate(args):
                if not isinstance(e, se.Fun) and not (isinstance(e, se.Var) and e.name in (*models, "GMem", "SMem")):
                    for kind, other in off_by_one(e):
                        yield f"contract: size {kind}", replace(x, args=(*args[:i], other, *args[i + 1 :]))
        case se.Var(name) if name in models:
            yield from (
                ("contract: other model", replace(x, name=m))
                for m, t in models.items()
                if m != name and t == models[name]
            )
        case se.BigOp(op=op) if op in BIG_OPERATORS:
            yield "contract: operator", replace(x, op=BIG_OPERATORS[op])
        case se.Group(desync=desync):
            yield "contract: desync", replace(x, desync=not desync)
        case _:
            return


STATEMENTS = (sp.Decl, sp.Store, sp.For, sp.If, sp.Block, sp.CallStmt, sp.Return, sp.Ghost, sp.GhostEnd, sp.Assert)


def statement_changes(s: Any) -> Iterator[tuple[str, Any]]:
    match s:
        case sp.Decl(_, type_, init):
            if isinstance(type_, Array):
                yield from (("space", replace(s, type=replace(type_, space=x))) for x in SPACES[type_.space])
                for i, d in enumerate(type_.dims):
                    for kind, e in off_by_one(d) if d is not None else ():
                        dims = (*type_.dims[:i], e, *type_.dims[i + 1 :])
                        yield f"extent {kind}", replace(s, type=replace(type_, dims=dims))
            if init is not None and not isinstance(init, se.Alloc):
                yield "initial value dropped", replace(s, init=None, const=False)
        case sp.Store(_, _, op):
            if op is None:
                yield "operator", replace(s, op="+")
            else:
                yield "operator", replace(s, op=None)
                if op in OPERATORS:
                    yield "operator", replace(s, op=OPERATORS[op])
        case sp.For():
            yield from (("mode", replace(s, mode=m)) for m in MODES[s.mode])
        case _:
            return


def body_changes(body: sp.Body) -> Iterator[tuple[str, sp.Body]]:
    """Statements deleted, duplicated, swapped; guards dropped; barriers moved out of and into what stands beside them."""
    for i, s in enumerate(body):
        before, after = body[:i], body[i + 1 :]
        kind = "barrier" if is_barrier(s) else "statement"
        yield f"{kind} deleted", (*before, *after)
        yield f"{kind} duplicated", (*before, s, s, *after)
        if after:
            moved = "barrier moved" if is_barrier(s) or is_barrier(after[0]) else "statements swapped"
            yield moved, (*before, after[0], s, *after[1:])
        match s:
            case sp.If(_, then, other):
                yield "guard dropped", (*before, *then, *after)
                yield "guard dropped", (*before, *other, *after)
                yield "guard negated", (*before, replace(s, test=se.Unary("!", s.test)), *after)
            case sp.For(body=inner) if inner and is_barrier(inner[-1]):
                yield "barrier moved", (*before, replace(s, body=inner[:-1]), inner[-1], *after)
            case sp.For(body=inner) if after and is_barrier(after[0]):
                yield "barrier moved", (*before, replace(s, body=(*inner, after[0])), *after[1:])
            case _:
                pass


def clause_changes(contract: tuple[sp.Clause, ...]) -> Iterator[tuple[str, tuple[sp.Clause, ...]]]:
    """Clauses and their items dropped; read-only made writable; what is uninitialised before made so after."""
    for i, c in enumerate(contract):

        def put(*new: sp.Clause, i: int = i) -> tuple[sp.Clause, ...]:
            return (*contract[:i], *new, *contract[i + 1 :])

        yield "contract: clause dropped", put()
        if len(c.items) > 1:
            for n in range(len(c.items)):
                yield "contract: item dropped", put(replace(c, items=(*c.items[:n], *c.items[n + 1 :])))
        for other in {"reads": ("preserves",), "preserves": ("reads",), "writes": ("produces",)}.get(c.kind, ()):
            yield "contract: clause changed", put(replace(c, kind=other))


def is_barrier(s: sp.Stmt) -> bool:
    return isinstance(s, sp.CallStmt) and s.call.func in BARRIERS


def off_by_one(e: se.Expr) -> Iterator[tuple[str, se.Expr]]:
    if not isinstance(e, se.Int):  # constants are changed anyway
        yield "+1", se.Binary("+", e, se.Int(1))
        yield "-1", se.Binary("-", e, se.Int(1))
