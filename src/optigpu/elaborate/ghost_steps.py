"""Ghost statements to instructions: a ghost without a body is checked where it stands, a lemma is called."""

from __future__ import annotations

from optigpu.elaborate.code_builder import CodeBuilder
from optigpu.elaborate.formula_terms import FormulaElaborator
from optigpu.elaborate.function_contracts import clause_sides
from optigpu.elaborate.name_scope import Names, ValueEntry, sort_of
from optigpu.kernel import instructions as kc
from optigpu.logic import terms as k
from optigpu.logic.cells import CellClaim
from optigpu.logic.names import Origin
from optigpu.logic.terms import Term
from optigpu.syntax.annotations import WITH
from optigpu.syntax.exprs import Binary, Expr, ProofType, TypeOf, Var
from optigpu.syntax.program import Function, Ghost, Item, Stmt
from optigpu.syntax.types import HPROP


def ghost_step(builder: CodeBuilder, s: Ghost, names: Names) -> Names:
    """Add the instructions of a ghost statement; the names with those that it binds."""
    if s.func == WITH:  # its values are those of the call before it
        return names
    ghost = builder.ghosts[s.func]
    if ghost.body or ghost.admitted:
        return _lemma_call(builder, s, ghost, names)
    return _checked_ghost(builder, s, ghost, names)


def given_values(builder: CodeBuilder, s: Stmt | None, names: Names) -> dict[str, Term]:
    """The values that `s`, if it is a `__with`, gives to logical variables of the statement before it."""
    if not (isinstance(s, Ghost) and s.func == WITH):
        return {}
    values = {a.name: a.value for a in s.args if not isinstance(a.value.type, ProofType) and a.value.type != HPROP}
    return {name: builder.formulas.term(value, names) for name, value in values.items() if name is not None}


def given_permissions(s: Stmt | None) -> dict[str, Expr]:
    """The permissions that `s`, if it is a `__with`, gives to variables of type HProp of the statement before it."""
    args = s.args if isinstance(s, Ghost) and s.func == WITH else ()
    return {a.name: a.value for a in args if a.name is not None and a.value.type == HPROP}


def given_step(builder: CodeBuilder, synchronised: dict[str, Expr], names: Names) -> None:
    """Add a proof step before a barrier: the group holds what a `__with` gives for H, as it says, and `Sync(fM, H)` is not stuck.

    The barrier is for all that the group holds of its memory: for more than H, which is another value of the variable.
    `synchronised`: the variables of the barrier, with the predicate fM of each.
    """
    for name, given in builder.given_permissions.items():
        if name in synchronised:
            builder.formulas.synchronised(synchronised[name], given, names)
        claims = tuple(builder.formulas.claims(given, names)[0])
        builder.formulas.conditions.take()  # the kernel's claims are total; what they say is proved here
        builder.code.append(kc.GhostStep(WITH, (), claims, claims, (), at=builder.at(given.loc)))


def _checked_ghost(builder: CodeBuilder, s: Ghost, ghost: Function, names: Names) -> Names:
    """A ghost of the library, or one without a body: the kernel checks what it claims where it stands."""
    formulas = builder.formulas
    inner, requires, unknown = _ghost_arguments(builder, s, ghost, names)
    requires += [formulas.term(i.body, inner) for i in _items(ghost, "requires") if not isinstance(i.body, TypeOf)]
    pre: list[CellClaim] = []
    post: list[CellClaim] = []
    ensures: list[Term] = []
    for c in ghost.contract:
        for item in c.items:
            if c.kind == "ensures":
                ensures.append(formulas.term(item.body, inner))
                names = _bind_results(s, item, ensures[-1], names)
            elif c.kind != "requires":
                claims, sizes = formulas.claims(item.body, inner)
                requires += sizes
                for claim in claims:
                    before, after = clause_sides(c.kind, claim)
                    pre += [before] if before is not None else []
                    post += [after] if after is not None else []
    open_variables = [t for t in unknown if any(t in x.free for x in requires + ensures)]
    if open_variables:  # as in `in_range_bounds` without its range: drop what speaks of parameters without an argument
        requires = [r for r in requires if not any(t in r.free for t in open_variables)]
        ensures = [e for e in ensures if not any(t in e.free for t in open_variables)]
    at = builder.at(s.loc)
    builder.code.append(kc.GhostStep(s.func, tuple(requires), tuple(pre), tuple(post), tuple(ensures), at=at))
    return names


def _ghost_arguments(
    builder: CodeBuilder, s: Ghost, ghost: Function, names: Names
) -> tuple[Names, list[Term], list[Term]]:
    """The names of the ghost's parameters, facts that its arguments prove, and variables for parameters without an argument."""
    inner, formulas = builder.outer, builder.formulas
    arguments = {a.name: a.value for a in s.args}
    facts: list[Term] = []
    unknown: list[Term] = []
    for item in _items(ghost, "requires"):
        assert item.name is not None
        value = arguments.get(item.name)
        if isinstance(item.body, TypeOf):
            if value is None:
                v = k.var(builder.unique(item.name, Origin.TEMPORARY), sort_of(item.body.of, item.loc, s.loc))
                unknown.append(v)
                inner = inner.bind(item.name, ValueEntry(v))
            else:
                inner = inner.bind(item.name, formulas.entry(value, names))
        elif value is not None and isinstance(value.type, ProofType):
            facts.append(formulas.term(value.type.prop, names))
            inner = _bind_equation(item.body, value.type.prop, formulas, inner, names)
    return inner, facts, unknown


def _lemma_call(builder: CodeBuilder, s: Ghost, ghost: Function, names: Names) -> Names:
    """The use of a lemma: a call whose only arguments are the values of the lemma's variables."""
    at = builder.at(s.loc)
    arguments = {a.name: a.value for a in s.args}
    values: dict[str, Term] = {}
    inner = builder.outer
    for c in ghost.contract:
        for item in c.items:
            if c.kind == "requires" and isinstance(item.body, TypeOf) and item.name in arguments:
                assert item.name is not None
                values[item.name] = builder.formulas.term(arguments[item.name], names)
                inner = inner.bind(item.name, ValueEntry(values[item.name]))
            elif c.kind == "ensures" and any(result == item.name for _, result in s.binds):
                names = _bind_results(s, item, builder.formulas.term(item.body, inner), names)
    builder.out.lemma_arguments[at] = values
    builder.code.append(kc.Invoke(None, s.func, (), at=at))
    return names


def _items(ghost: Function, kind: str) -> list[Item]:
    return [item for c in ghost.contract if c.kind == kind for item in c.items]


def _bind_results(s: Ghost, item: Item, fact: Term, names: Names) -> Names:
    """`h := conclusion`: names that the ghost statement gives to a fact of the postcondition."""
    for name, result in s.binds:
        if result == item.name:
            names = names.bind(name, ValueEntry(fact))
    return names


def _bind_equation(pattern: Expr, fact: Expr, formulas: FormulaElaborator, inner: Names, names: Names) -> Names:
    """`by: from =. to` with `by := h` for a fact h: a = b binds `from` and `to` to its sides."""
    match pattern, fact:
        case Binary(_, Var(x), Var(y)), Binary(_, left, right):
            for name, side in ((x, left), (y, right)):
                inner = inner.bind(name, ValueEntry(formulas.term(side, names)))
    return inner
