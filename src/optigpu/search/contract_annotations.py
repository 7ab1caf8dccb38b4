"""Inferred loop contracts as annotations: a verified program with everything written out, which itself checks."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from optigpu.kernel import State
from optigpu.kernel.instructions import CountedLoop
from optigpu.kernel.iterations import IterationRange
from optigpu.kernel.loop_contract import LoopContract
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import Terms, arguments
from optigpu.logic.terms import INT, TRUE, Term, instantiate
from optigpu.search.content_names import meaning
from optigpu.search.formula_writer import FormulaWriter, Owned, Unprintable
from optigpu.syntax.exprs import (
    Binary,
    Expr,
    Var,
)
from optigpu.syntax.free_names import bound_after, clause_names, names_in
from optigpu.syntax.program import Body, Clause, Define, For, Function, Item, LogicDecl, LogicDef, Program, Stmt
from optigpu.syntax.source import StatementId
from optigpu.syntax.walk import map_bodies, statements


@dataclass(frozen=True, slots=True)
class InferredLoop:
    """A loop with the contract by which it was proved, in terms of the symbolic iteration v and of the state before the loop."""

    loop: CountedLoop
    contract: LoopContract
    range: IterationRange
    v: Term
    before: State
    start: State  # of the body
    end: State  # of the body

    def at(self, args: Terms, *ts: Term | None) -> tuple[Term | None, ...]:
        """Terms of the contract at an iteration and binders, without names of contents."""
        return tuple(None if t is None else meaning(self.before, instantiate(t, args)) for t in ts)


def annotated(program: Program, loops: dict[StatementId, InferredLoop]) -> Program:
    """Write the contracts of loops into the program. A contract that formulas cannot express is left to be inferred."""
    declared = tuple(item.name for item in program.items if isinstance(item, Define | LogicDecl | LogicDef))

    def function(f: Function) -> Function:
        own = {s.id: loops[s.id] for s in statements(f.body) if s.id in loops}
        logical = (i.name for c in f.contract for i in c.items if i.name is not None)
        scope = (*declared, *(p.name for p in f.params), *logical)
        writer = _AnnotationWriter(own, {*declared, *names_in(f)})
        return replace(f, body=writer.body(f.body, scope, ()))

    return replace(program, items=tuple(function(i) if isinstance(i, Function) else i for i in program.items))


@dataclass(frozen=True, slots=True)
class _AnnotationWriter:
    """Writes the contracts of the loops of one function: proofs of others may use the same names for other iterations.

    `around` is what was inferred of the loops around a statement.
    """

    loops: dict[StatementId, InferredLoop]
    taken: set[str]  # names that are no binders

    def body(self, body: Body, scope: tuple[str, ...], around: tuple[InferredLoop, ...]) -> Body:
        annotated_body: list[Stmt] = []
        for s in body:
            annotated_body.append(self.statement(s, scope, around))
            scope += tuple(bound_after(s))
        return tuple(annotated_body)

    def statement(self, s: Stmt, scope: tuple[str, ...], around: tuple[InferredLoop, ...]) -> Stmt:
        if isinstance(s, For):
            if s.id not in self.loops:
                return s
            scope, around = (*scope, s.index), (*around, self.loops[s.id])
        s = map_bodies(s, lambda body: self.body(body, scope, around))
        if isinstance(s, For) and not s.contract:
            with suppress(Unprintable):
                contract = tuple(_clauses(self.loops[s.id], iteration_names(around), self.taken))
                if all(scope.count(name) < 2 for name in clause_names(contract)):  # else it may mean another variable
                    return replace(s, contract=contract)
        return s


def iteration_names(loops: Iterable[InferredLoop]) -> dict[Term, Expr]:
    """Expressions for the symbolic iterations of loops inside each other, the outermost first: inner ones may start at their index.
    Loops beside each other may have the same names for their iterations."""
    names: dict[Term, Expr] = {}
    for inferred in loops:
        with suppress(Unprintable):
            names[inferred.v] = _index_expr(inferred, names)
    return names


def _index_expr(inferred: InferredLoop, outer: dict[Term, Expr]) -> Expr:
    """Express the iteration v by the loop's own index, and by those of the loops around it."""
    i = Var(inferred.loop.index.data.display)
    if inferred.range.index is k.bound(0, INT):
        return i
    start, step = (inferred.before.value(t) for t in (inferred.loop.start, inferred.loop.amount))
    writer = FormulaWriter(outer)
    distance = Binary("-", i, writer.expr(start)) if inferred.loop.op == "+" else Binary("-", writer.expr(start), i)
    return distance if step is k.ONE else Binary("/", distance, writer.expr(step))


def _clauses(inferred: InferredLoop, outer: dict[Term, Expr], taken: set[str]) -> list[Clause]:
    """Write the contract of a loop as annotations. `outer`: expressions for the iterations of the loops; `taken`: other names."""
    at_start = inferred.before.facts.assume(k.le(inferred.range.low, inferred.v))
    within = at_start.assume(k.lt(inferred.v, inferred.range.high))
    writer = FormulaWriter(outer, within, taken)
    clauses: list[Clause] = []
    threads = inferred.start.context.threads
    for number, x in enumerate(inferred.contract.exclusive, inferred.before.counter + 1):
        cells = x.cells.under((inferred.v,))
        n = cells.arity
        xs = writer.binders(n)
        init, value = inferred.at((inferred.v, *xs), x.init, x.value)
        r = inferred.before.held[x.family]
        at = tuple(instantiate(t, (inferred.v, *xs)) for t in x.forward)
        inside = within.assume(cells.domain(xs))
        owners = [Owned(s.held[number].owner, threads) for s in (inferred.start, inferred.end)]
        init_before, value_before = (
            inside.simplify(r.init_at(at)),
            inside.simplify(meaning(inferred.before, r.value_at(at))),
        )
        known = (
            value_before if writer.is_writable(value_before) else None
        )  # the proof does not rest on what is stated here
        before = writer.permission(cells, xs, init_before, known, owners[0])
        after = writer.permission(cells, xs, init or TRUE, value, owners[1])
        clauses.append(Clause("xconsumes", (Item(None, before),)))
        clauses.append(Clause("xproduces", (Item(None, after),)))
    writer.facts = at_start  # an invariant is also about the first iteration not taken
    for inv in inferred.contract.invariant:
        r = inferred.before.held[inv.family]
        xs = writer.binders(r.cells.arity)
        init, value = inferred.at((inferred.v, *xs), inv.init, inv.value)
        owned = Owned(inv.owner and inv.owner.at((inferred.v, *arguments(r.cells.arity))), threads)
        known = instantiate(inv.known, (inferred.v, *xs))
        for part, stated in ((known, value), (k.not_(known), None)):
            if part is not k.FALSE:
                where = k.abstract(k.and_(instantiate(r.cells.where, xs), part), xs)
                permission = writer.permission(replace(r.cells, where=where), xs, init or TRUE, stated, owned)
                clauses.append(Clause("spreserves", (Item(None, permission),)))
    for p in inferred.contract.facts:
        clauses.append(Clause("invariant", (Item(None, writer.expr(instantiate(p, (inferred.v,)))),)))
    return clauses
