"""Ghost statements to instructions: a ghost without a body is checked where it stands, a lemma is called."""

from __future__ import annotations

from typing import TypeAlias

from optigpu.elaborate.code_builder import CodeBuilder
from optigpu.elaborate.formula_definedness import resolved
from optigpu.elaborate.function_contracts import clause_sides
from optigpu.elaborate.name_scope import Names, ValueEntry
from optigpu.kernel import instructions as kc
from optigpu.logic import terms as k
from optigpu.logic.cells import CellClaim
from optigpu.logic.terms import Term
from optigpu.syntax.annotations import WITH
from optigpu.syntax.exprs import Expr, ProofType, TypeOf
from optigpu.syntax.program import Function, Ghost, Item, Stmt
from optigpu.syntax.source import Loc
from optigpu.syntax.types import HPROP

Facts: TypeAlias = list[tuple[Item, Term]]
Claims: TypeAlias = tuple[CellClaim, ...]


def ghost_step(builder: CodeBuilder, s: Ghost, names: Names) -> Names:
    """Add the instructions of a ghost statement; the names with those that it binds."""
    if s.func == WITH:  # its values are those of the call before it
        return names
    ghost = builder.ghosts[s.func]
    return _checked_ghost(builder, s, names) if ghost.is_checked_ghost else _lemma_call(builder, s, ghost, names)


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
        claims, sizes = builder.formulas.claims(given, names)
        builder.formulas.conditions.take()  # the kernel's claims are total; what they say is proved here
        builder.code.append(kc.GhostStep(WITH, tuple(sizes), tuple(claims), (), (), at=builder.at(given.loc)))


def _checked_ghost(builder: CodeBuilder, s: Ghost, names: Names) -> Names:
    """A ghost of the library, or one without a body: the kernel checks what it claims where it stands."""
    builder.formulas.conditions.take()
    requires, ensures, pre, post = ghost_sides(builder, s, names)
    known = k.and_(*(t for _, t in requires))
    for condition in resolved(builder.formulas.conditions.take(), builder.models):  # of facts, as in an assertion
        builder.oblige(k.implies(known, condition.closed()), condition.why, s.loc)
    for name, result in s.binds:
        proved = [t for item, t in ensures if item.name == result]
        names = names.bind(name, ValueEntry(proved[0] if proved else k.TRUE))
    facts, results = tuple(t for _, t in requires), tuple(t for _, t in ensures)
    builder.code.append(kc.GhostStep(s.func, facts, pre, post, results, at=builder.at(s.loc)))
    return names


def ghost_end(builder: CodeBuilder, s: Ghost, names: Names, loc: Loc) -> None:
    """`__GHOST_END`: the ghost is read from its end to its start, with the values that its arguments had. Its facts stay facts."""
    _, _, pre, post = ghost_sides(builder, s, names)
    builder.code.append(kc.GhostStep(s.func, (), post, pre, (), at=builder.at(loc)))


def ghost_sides(builder: CodeBuilder, s: Ghost, names: Names) -> tuple[Facts, Facts, Claims, Claims]:
    """The claims of a ghost: facts before it and after it, permissions before it and after it."""
    requires: Facts = []
    ensures: Facts = []
    pre: list[CellClaim] = []
    post: list[CellClaim] = []
    for c in s.claims:
        for item in c.items:
            if c.kind in ("requires", "ensures"):
                facts = requires if c.kind == "requires" else ensures
                facts.append((item, builder.formulas.term(item.body, names)))
                continue
            with builder.formulas.conditions.ignored():  # permissions are looked for, and never assumed
                claims, sizes = builder.formulas.claims(item.body, names)
            requires += [(item, size) for size in sizes]
            for claim in claims:
                before, after = clause_sides(c.kind, claim)
                pre += [before] if before is not None else []
                post += [after] if after is not None else []
    return requires, ensures, tuple(pre), tuple(post)


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


def _bind_results(s: Ghost, item: Item, fact: Term, names: Names) -> Names:
    """`h <- conclusion`: names that the ghost statement gives to a fact of the postcondition."""
    for name, result in s.binds:
        if result == item.name:
            names = names.bind(name, ValueEntry(fact))
    return names
