"""The value of a C expression before a statement, as a formula: what the proof of the program knows there."""

from __future__ import annotations

from contextlib import suppress

from optigpu.check.verify import Settings, Verifier
from optigpu.kernel import State
from optigpu.logic.names import source_name
from optigpu.script.editing import StatementPath, statements_of
from optigpu.script.session import Session
from optigpu.search.content_names import readable
from optigpu.search.contract_annotations import iteration_names
from optigpu.search.formula_writer import FormulaWriter, Unprintable
from optigpu.syntax.exprs import Bool, Cast, Expr, Index, Int, Real, Var
from optigpu.syntax.scopes import assigned_names
from optigpu.syntax.substitution import substitute
from optigpu.syntax.tree_digest import places_digest, tree_digest
from optigpu.syntax.walk import map_children


def value_before(session: Session, path: StatementPath, e: Expr) -> Expr | None:
    """The value of an expression before a statement, as a formula; None if the proof does not know it, or formulas cannot say it.

    A formula cannot name a variable that changes: `sum` in the iteration i of a loop is `Sum(k in 0..i, A(k))`.
    """
    question = f"value before {path} {tree_digest(e)} {places_digest(e)}"
    return session.verifier.found(session.program, question, lambda: _value_in_proof(session, path, e))


def _value_in_proof(session: Session, path: StatementPath, e: Expr) -> Expr | None:
    f = session.function_of(path)
    result = session.result.in_full()
    if not any(r.points for r in result.functions):
        result = Verifier(Settings(session.verifier.settings.cache, points=True)).verify(session.program)
    proof = next((r for r in result.functions if r.name == f.name), None)
    numbers = {p: n for n, (p, _) in enumerate(statements_of(f), 1)}
    state = None if proof is None or proof.points is None else proof.points.before.get(numbers[path])
    if proof is None or state is None:
        return None
    around = [s for p, s in statements_of(f) if path.inside(p)]
    iterations = iteration_names(proof.loops[s.id] for s in around if s.id in proof.loops)
    with suppress(Unprintable):
        return _Reader(readable(state), FormulaWriter(iterations), assigned_names(f.body)).value(e)
    return None


class _Reader:
    def __init__(self, state: State, writer: FormulaWriter, assigned: set[str]) -> None:
        self.state = state
        self.writer = writer
        self.assigned = assigned  # variables that formulas cannot name

    def value(self, e: Expr) -> Expr:
        match e:
            case Int() | Real() | Bool():
                return e
            case Cast(_, arg, implicit=True):
                return self.value(arg)
            case Var(name) if name not in self.assigned:
                return e
            case Var(name):
                return self.contents(name, ())
            case Index(Var(name), indices):
                return self.contents(name, indices)
            case _:
                return map_children(e, self.value)

    def contents(self, name: str, indices: tuple[Expr, ...]) -> Expr:
        """What a variable or an element of an array holds, where one family has all its cells."""
        families = [r for r in self.state.held.values() if source_name(r.cells.base) == name]
        xs = self.writer.binders(len(indices))
        if len(families) != 1 or families[0].cells.arity != len(xs) or families[0].cells.at(xs) != xs:
            raise Unprintable(name)
        at = {x.name: self.value(i) for x, i in zip(map(self.writer.expr, xs), indices) if isinstance(x, Var)}
        return substitute(self.writer.expr(families[0].value_at(xs)), at)
