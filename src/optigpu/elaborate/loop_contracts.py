"""Contracts that are written at loops: proposals for the search, and proof steps by which the kernel checks them.

The search may use a written contract or prove the loop by another one. So every clause is checked by itself, at the points of the
program where it holds:

    __spreserves("H(i)"), __invariant("P(i)")   at the start of each iteration, and after the loop for its final index
    __xconsumes                                 before the loop for all iterations together, and at the start of each
    __xproduces                                 at the end of each iteration, and after the loop for all of them together
    __xreads, __sreads                          at the start and at the end of each iteration, which does not write the cells
    __xrequires("P(i)")                         before the loop for all iterations; then known in each
    __xensures("P(i)")                          at the end of each iteration; then known after the loop for all of them

`__xpreserves` and `__xwrites` are an `__xconsumes` and an `__xproduces`. Where several clauses speak of cells at one point, no cell
is claimed twice: neither by two clauses, nor by two iterations, nor to be written and to be read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import TypeAlias

from optigpu.elaborate.code_builder import CodeBuilder
from optigpu.elaborate.elaborated import LoopSpec
from optigpu.elaborate.function_contracts import clause_sides, logical_variables
from optigpu.elaborate.name_scope import Names
from optigpu.kernel import instructions as kc
from optigpu.kernel.context import GROUP_SIZE, imaginary
from optigpu.kernel.iterations import IterationRange, iterations
from optigpu.light_dataclass import dataclass, replace
from optigpu.logic import terms as k
from optigpu.logic.cells import LENT, READ, UNINIT, CellClaim, Owner, outermost, over
from optigpu.logic.terms import Term
from optigpu.syntax.exprs import TypeOf
from optigpu.syntax.program import For
from optigpu.syntax.source import Loc

WrittenClaims: TypeAlias = list[tuple[CellClaim, Loc]]


@dataclass
class LoopContractCode:
    """The proof steps of a loop's contract, by the point at which they stand."""

    before: list[kc.Instruction] = field(default_factory=list)
    start: list[kc.Instruction] = field(default_factory=list)  # of the body
    end: list[kc.Instruction] = field(default_factory=list)  # of the body
    after: list[kc.Instruction] = field(default_factory=list)


def loop_spec(builder: CodeBuilder, s: For, index: Term, names: Names) -> tuple[LoopSpec, Names]:
    """Elaborate the clauses of a loop; the names with the variables that they declare."""
    variables, names = logical_variables(builder, s.contract, names)
    spec = LoopSpec(index, variables)
    for c in s.contract:
        for item in c.items:
            if isinstance(item.body, TypeOf):
                continue
            if c.kind in ("invariant", "srequires", "xrequires", "xensures"):
                facts = {"xrequires": spec.requires, "xensures": spec.ensures}.get(c.kind, spec.facts)
                facts.append((builder.formulas.term(item.body, names), item.loc))
                continue
            claims, sizes = builder.formulas.claims(item.body, names)
            if c.kind == "spreserves":
                spec.invariant_sizes.extend((size, item.loc) for size in sizes)
                spec.invariant.extend((claim, item.loc) for claim in claims)
                continue
            spec.sizes.extend((size, item.loc) for size in sizes)
            for claim in claims:
                before, after = clause_sides(c.kind[1:], claim)
                if before is not None:
                    (spec.reads if before.share == READ else spec.takes).append((before, item.loc))
                if after is not None:
                    spec.exclusive_post.append((after, item.loc))
    return spec, names


def contract_code(builder: CodeBuilder, spec: LoopSpec, loop: kc.CountedLoop, loc: Loc) -> LoopContractCode:
    """The proof steps that check the contract of a loop."""
    code = LoopContractCode()
    at = builder.at
    range_ = iterations(loop, loop.start, loop.bound, loop.amount)
    final = {spec.index: k.instantiate(range_.index, (range_.end,))}
    for p, where in spec.requires:
        code.before.append(kc.Assertion(for_all_iterations(p, spec.index, range_), at=at(where)))
        code.start.append(kc.Assertion(p, at=at(where)))
    for p, where in (*spec.sizes, *spec.invariant_sizes):
        code.start.append(_sized(p, at(where)))
    for p, where in spec.invariant_sizes:
        code.after.append(_sized(k.substitute(p, final), at(where)))
    for p, where in spec.facts:
        code.start.append(kc.Assertion(p, at=at(where)))
        code.after.append(kc.Assertion(k.substitute(p, final), at=at(where)))
    for p, where in spec.ensures:
        code.end.append(kc.Assertion(p, at=at(where)))
        code.after.append(kc.Assertion(for_all_iterations(p, spec.index, range_), at=at(where)))

    def of_all(claim: CellClaim) -> CellClaim:
        v = builder.formulas.binder("v")
        return of_all_iterations(claim, spec.index, v, range_, loop.mode == kc.THREAD)

    def after_all(claim: CellClaim) -> CellClaim:
        magic = loop.mode == kc.MAGIC_THREAD  # in a kernel nobody owns the cells then, up to a magic barrier
        return replace(of_all(claim), owner=imaginary()) if magic else of_all(claim)

    first = {spec.index: k.instantiate(range_.index, (range_.low,))}
    points: tuple[tuple[list[kc.Instruction], WrittenClaims, WrittenClaims], ...] = (
        (code.before, [*((of_all(claim), where) for claim, where in spec.takes), *_at(first, spec.invariant)], []),
        (code.start, [*spec.takes, *spec.invariant], [(replace(c, share=LENT), where) for c, where in spec.reads]),
        (code.end, spec.exclusive_post, spec.reads),
        (
            code.after,
            [*((after_all(claim), where) for claim, where in spec.exclusive_post), *_at(final, spec.invariant)],
            [],
        ),
    )
    for steps, own, reads in points:
        steps.extend(_held((claim,), at(where)) for claim, where in (*own, *reads))
        together = _claims_together(own, reads)
        steps.extend([_held(together, at(loc))] if together else [])
    return code


def _at(index: dict[Term, Term], claims: WrittenClaims) -> WrittenClaims:
    return [(claim.substitute(index), where) for claim, where in claims]


def _claims_together(own: WrittenClaims, reads: WrittenClaims) -> tuple[CellClaim, ...]:
    """The cells of arrays of which there are several claims: each own cell is claimed once, and by no claim that only reads."""
    times = Counter(claim.cells.base for claim, _ in (*own, *reads))
    owned = {claim.cells.base for claim, _ in own}
    claims = (claim for claim, _ in (*own, *reads) if times[claim.cells.base] > 1 and claim.cells.base in owned)
    return tuple(replace(claim, contents=UNINIT, value=None) for claim in claims)


def _sized(p: Term, at: int) -> kc.GhostStep:
    """A fact that may be about the threads that execute the step."""
    return kc.GhostStep("", (p,), (), (), (), at=at)


def _held(claims: tuple[CellClaim, ...], at: int) -> kc.GhostStep:
    """All these cells are held, none of them twice, with these contents."""
    return kc.GhostStep("", (), claims, (), (), at=at)


def for_all_iterations(p: Term, index: Term, range_: IterationRange) -> Term:
    """A fact about the index of a loop, for all iterations."""
    return k.big("all", range_.low, range_.high, k.instantiate(k.abstract(p, (index,)), (range_.index,)))


def of_all_iterations(claim: CellClaim, index: Term, v: Term, range_: IterationRange, threads: bool) -> CellClaim:
    """A claim on the cells of one iteration, for all iterations v together: v becomes the first binder.

    `threads`: the iterations are those of a thread loop, equal parts of the group.
    """
    claim = claim.substitute({index: k.instantiate(range_.index, (v,))})
    n, owner = claim.cells.arity, claim.owner
    if threads:
        part = k.fdiv(GROUP_SIZE, range_.high)
        inner = replace(claim, owner=owner or Owner(k.ZERO, GROUP_SIZE)).substitute({GROUP_SIZE: part}).owner
        owner = inner and inner.moved(k.mul(v, part))
    return replace(
        claim,
        cells=over(claim.cells, v, range_.low, range_.high),
        value=None if claim.value is None else outermost(claim.value, v, n),
        owner=owner and owner.over(v, n),
    )
