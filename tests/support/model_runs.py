"""Random states of the kernel beside memories of the finite model: how they are drawn, run and compared."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random
from typing import Any

from optigpu.kernel import State
from optigpu.kernel import instructions as kc
from optigpu.kernel.iterations import IterationRange
from optigpu.kernel.ledger import LedgerEntries
from optigpu.kernel.loop_rules import range_of
from optigpu.kernel.side_conditions import Take
from optigpu.logic import terms as k
from optigpu.logic.cells import FULL, KNOWN, READ, SOME, UNINIT, CellClaim, Cells, Terms, box
from optigpu.logic.judge import ObligationJudge
from optigpu.logic.terms import INT, ONE, REAL, TRUE, ZERO, Term
from optigpu.search.fresh_names import FreshNames
from optigpu.search.inverse import invert
from optigpu.solver.z3_solver import Z3Solver
from tests.support.model import Memory, Permissions, binders, cell_of, must_allow, permissions
from tests.support.open_kernel import OpenKernel as Kernel
from tests.support.terms import evaluate

n, m, i = k.var("n", INT), k.var("m", INT), k.var("i", INT)
A = k.var("A", k.fun_sort((INT,), REAL))
B0, B1, TWO, NINE = k.bound(0, INT), k.bound(1, INT), k.num(2), k.num(9, REAL)
CONTENT = k.app(A, B0)
SMALL = range(-2, 6)
FRESH = FreshNames()


def initial(j: int) -> int:
    return j * 7 % 5 + 1


class Counting(Kernel):
    """The kernel, with a count of how often each rule has accepted something."""

    def __init__(self, *functions: kc.Procedure) -> None:
        super().__init__(ObligationJudge(Z3Solver()), kc.KernelProgram({f.name: f for f in functions}), LedgerEntries())
        self.accepted = Counter[str]()

    def range_of(self, state: State, loop: kc.CountedLoop) -> IterationRange:
        """A part of `enter_loop` that has a model of its own."""
        return range_of(self.conditions, state, loop)

    def __getattribute__(self, name: str) -> Any:
        attribute = super().__getattribute__(name)
        if name.startswith("_") or not callable(attribute):
            return attribute

        def counted(*args: Any) -> Any:
            result = attribute(*args)
            self.accepted[name] += 1
            return result

        return counted


FACTS = [
    k.le(ZERO, n), k.le(ZERO, m), k.lt(m, n), k.le(m, n), k.lt(ZERO, n), k.eq(n, k.scale(2, m)), k.le(TWO, n),
    k.eq(k.fmod(n, TWO), ZERO), k.eq(n, k.num(3)),
]  # fmt: skip
Made = tuple[Counting, State, list[Memory]]


def random_facts(r: Random, *more: Term) -> tuple[Term, ...]:
    return (*more, *r.sample(FACTS, r.randint(1, 4)))


def memories(facts: tuple[Term, ...], claims: tuple[CellClaim, ...]) -> list[Memory]:
    """One run for each choice of small numbers that satisfies the facts, with arrays as the claims describe them."""
    out = []
    for x, y in product(SMALL, SMALL):
        env: dict[str, Any] = {"n": x, "m": y, "A": initial}
        if all(evaluate(f, env) for f in facts):
            cells: dict[Any, Any] = {}
            for c in claims:
                for b in binders(c.cells, env):
                    at = cell_of(c.cells, b, env)
                    known = 1 if c.value is None else evaluate(c.value, env, b)
                    cells[c.cells.base, at] = None if c.contents == UNINIT else known
            out.append(Memory(env, cells))
    return out


def function(
    code: kc.Instructions,
    facts: tuple[Term, ...],
    pre: tuple[CellClaim, ...],
    post: tuple[CellClaim, ...] = (),
    space: str = "Any",
) -> kc.Procedure:
    params = (kc.Parameter("n", INT), kc.Parameter("m", INT), kc.Parameter("a", REAL, (n,), space))
    return kc.Procedure("f", params, kc.ProcedureContract((), facts, pre, post, ()), code)


def begun(
    r: Random, code: kc.Instructions, facts: tuple[Term, ...], post: tuple[CellClaim, ...] = (), init: str = KNOWN
) -> Made:
    claim = CellClaim(box("a", (n,)), init, CONTENT if init == KNOWN else None)
    kernel = Counting(function(code, facts, (claim,), post))
    return kernel, kernel.begin("f", ((B0,),)), memories(facts, (claim,))


def compare(state: State, runs: list[Memory]) -> None:
    for run in runs:
        claimed = permissions(state, run.env)
        must_allow(
            claimed,
            Permissions(full=run.cells, lent=run.cells) if not claimed.full else Permissions(full=run.cells),
        )


# Sets of cells, and maps between them


def random_cells(r: Random, base: str = "a") -> Cells:
    """Strides, reversed, overlapping, regrouped, negative extents, holes."""
    where = r.choice([TRUE, TRUE, TRUE, k.lt(B0, m), k.eq(k.fmod(B0, TWO), ZERO), k.not_(k.eq(B0, m))])
    if r.random() < 0.3:
        inner = r.choice([TWO, k.num(3), m])
        index = r.choice([k.add(k.mul(inner, B1), B0), k.add(k.mul(inner, B1), B0), k.add(B1, B0)])
        return Cells(base, ((ZERO, r.choice([m, k.fdiv(n, TWO), k.num(2)])), (ZERO, inner)), TRUE, (index,))
    low, high = (
        r.choice([ZERO, ZERO, ZERO, ONE, m, k.num(-1)]),
        r.choice([n, n, n, m, k.fdiv(n, TWO), k.num(3), k.sub(n, m)]),
    )
    turned = k.sub(k.sub(n, ONE), B0)
    index = r.choice([B0, B0, B0, turned, turned, k.scale(2, B0), k.add(B0, ONE), k.fdiv(B0, TWO), ZERO, k.neg(B0)])
    return Cells(base, ((low, high),), where, (index,))


def random_claim(r: Random, base: str = "a") -> CellClaim:
    cells = box(base, (n,)) if r.random() < 0.3 else random_cells(r, base)
    contents = r.choice([UNINIT, SOME, SOME, KNOWN, KNOWN])
    value = r.choice([NINE, k.app(A, cells.index[0]), k.app(A, cells.index[0])]) if contents == KNOWN else None
    return CellClaim(cells, contents, value, r.choice([FULL, FULL, FULL, READ]))


def mapping(r: Random, have: Cells, need: Cells, state: State) -> Terms:
    """An index map from the needed cells into the held ones: the inverse if there is one, at random some other map."""
    xs = FRESH.temporaries(need.arity)
    inverse = invert(have, need.at(xs), state.facts.assume(need.domain(xs)), FRESH)
    if inverse is None or r.random() < 0.1:
        inverse = tuple(r.choice([ZERO, m, *xs]) for _ in range(have.arity))
    return tuple(k.abstract(t, xs) for t in inverse)


def random_take(r: Random, state: State, claim: CellClaim) -> Take:
    number = r.choice([f for f, x in state.held.items() if x.cells.base == claim.cells.base] or [1])
    have = state.held[number].cells
    return Take(number, mapping(r, have, claim.cells, state), mapping(r, claim.cells, have, state))
