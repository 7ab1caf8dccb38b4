"""Claims on neighbouring parts of an array are held as one where a loop, an access, a call or the postcondition spans them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from optigpu.check.audit import audit
from optigpu.check.certify import certificate_of
from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import MissingPermission, NotOwner, OutOfOrder, Overlap, WrongShape
from optigpu.kernel.context import PendingRead
from optigpu.kernel.side_conditions import Take
from optigpu.kernel.state import changed
from optigpu.logic import terms as k
from optigpu.logic.cells import READ, SOME, UNINIT, CellClaim, Cells, Owner
from optigpu.logic.names import read_name
from optigpu.logic.terms import INT, ONE, TRUE, ZERO
from optigpu.solver.z3_solver import Z3Solver
from tests.support.kernel_states import B0, SIZES, begun, launched, m, n, refused
from tests.support.pairs import Pair, Wrong
from tests.support.twin_checks import assert_rejected, assert_verifies, twins

PAIRS = [
    Pair(
        "values",
        """void values(int n, int m, float a[n]) {
  __requires("0 <= m && m <= n");
  __requires("A: int -> float, B: int -> float");
  __consumes("for i in 0..m -> &a[i] ~~> A(i)");
  __consumes("for i in m..n -> &a[i] ~~> B(i)");
  __produces("for i in 0..n -> &a[i] ~~> (i < m ? A(i) : B(i)) + 1");
  for (int i = 0; i < n; i++) a[i] = a[i] + 1;
}
""",
        (
            Wrong("i < n; i++", "i <= n; i++", "OG302", "a[i] = a[i] + 1"),
            Wrong("i < m ? A(i)", "i <= m ? A(i)", "OG361", "__produces", "UNPROVED"),
            Wrong("for i in m..n ->", "for i in m + 1..n ->", "OG361", "__produces", "UNPROVED"),
            Wrong("for i in m..n ->", "for i in m - 1..n ->", "OG332", "__consumes"),
        ),
    ),
    Pair(
        "parallel",
        """void parallel(int n, int m, float a[n]) {
  __requires("0 <= m && m <= n");
  __consumes("for i in 0..m -> &a[i] ~> Cell");
  __consumes("for i in 0..n - m -> &a[m + i] ~> UninitCell");
  __produces("for i in 0..m -> &a[i] ~~> 1");
  __produces("for i in m..n -> &a[i] ~~> 1");
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = 1;
}
""",
        (
            Wrong("int i = 0;", "int i = 1;", "OG305", "__produces"),
            Wrong("0..n - m ->", "0..n - m - 1 ->", "OG302", "a[i] = 1"),
        ),
    ),
    Pair(
        "ends_and_middle",
        """float ends_and_middle(int n, float a[n]) {
  __requires("n >= 2");
  __preserves("&a[0] ~> Cell");
  __preserves("for i in 1..n - 1 -> &a[i] ~> Cell");
  __preserves("&a[n - 1] ~> Cell");
  float s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
""",
        (Wrong("for i in 1..n - 1 ->", "for i in 2..n - 1 ->", "OG302", "s += a[i]"),),
    ),
    Pair(
        "columns",
        """void columns(int n, int m, int h, float a[n][m]) {
  __requires("n >= 0 && 0 <= h && h <= m");
  __consumes("for i in 0..n -> for j in 0..h -> &a[i][j] ~> Cell");
  __consumes("for i in 0..n -> for j in h..m -> &a[i][j] ~> Cell");
  __produces("a ~> Matrix2(n, m, fun i j -> 3)");
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) a[i][j] = 3;
  }
}
""",
        (Wrong("for i in 0..n -> for j in h..m", "for i in 1..n -> for j in h..m", "OG302", "a[i][j] = 3"),),
    ),
    Pair(
        "call",
        """void zero(int n, float a[n]) {
  __writes("a ~> Matrix1(n, fun i -> 0)");
  for (int i = 0; i < n; i++) a[i] = 0;
}
void call(int n, int m, float a[n]) {
  __requires("0 <= m && m <= n && n <= 1000");
  __consumes("for i in 0..m -> &a[i] ~> Cell");
  __consumes("for i in m..n -> &a[i] ~> Cell");
  __produces("a ~> Matrix1(n, fun i -> 0)");
  zero(n, a);
}
""",
        (Wrong("zero(n, a);", "zero(n + 1, a);", "OG316", "zero(n + 1, a)"),),
    ),
    Pair(
        "access",
        """float access(int n, int m, int k, float a[n]) {
  __requires("0 <= m && m <= n && 0 <= k && k < n");
  __preserves("for i in 0..m -> &a[i] ~> Cell");
  __preserves("for i in m..n -> &a[i] ~> Cell");
  a[k] = 2;
  return a[k];
}
""",
        (Wrong("k < n", "k <= n", "OG302", "a[k] = 2"),),
    ),
    Pair(
        "threads",
        """void threads(int G, int m, float d[G]) {
  __requires("0 <= m && m <= G");
  __consumes("for i in 0..m -> &d[i] ~>[GMem] Cell");
  __consumes("for i in m..G -> &d[i] ~>[GMem] Cell");
  __produces("for i in 0..G -> &d[i] ~~>[GMem] 1");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) d[b] = 1;
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (Wrong("for i in m..G ->", "for i in m + 1..G ->", "OG302", "d[b] = 1"),),
    ),
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_neighbouring_claims_are_one(pair: Pair) -> None:
    assert_verifies(pair)


@pytest.mark.parametrize(("name", "pair", "wrong"), twins(PAIRS), ids=lambda x: x if isinstance(x, str) else "")
def test_gaps_and_overlaps_are_rejected(name: str, pair: Pair, wrong: Wrong) -> None:
    assert_rejected(pair, wrong)


def test_a_proof_that_gathers_replays() -> None:
    program = parse_text(PAIRS[0].good, "values.c")
    result = Verifier().verify(program)
    assert audit(program, certificate_of(program, result), Z3Solver()).failures == {}


# The rule by itself: what no honest search would ask for

LOW, HIGH = (Cells("a", (r,), TRUE, (B0,)) for r in ((ZERO, m), (m, n)))
WHOLE = Cells("a", ((ZERO, n),), TRUE, (B0,))
FIRST = k.lt(B0, m)
BOTH = (Take(1, (B0,), (B0,)), Take(2, (B0,), (B0,)))
ORDERED = (*SIZES, k.le(m, n))


def two(*code: kc.Instruction, **about: Any) -> Any:
    return begun(*code, pre=(CellClaim(LOW, SOME), CellClaim(HIGH, SOME)), requires=ORDERED, **about)


def test_gather_makes_one_family_of_two() -> None:
    kernel, state = two()
    after = kernel.gather(state, WHOLE, FIRST, BOTH)
    assert [r.cells for r in after.held.values()] == [WHOLE]
    only_some = replace(WHOLE, ranges=((ZERO, k.sub(n, ONE)),))
    kernel, state = begun(pre=(CellClaim(LOW, SOME), CellClaim(HIGH, SOME)), requires=(*ORDERED, k.lt(m, n)))
    kept = kernel.gather(state, only_some, FIRST, BOTH)
    assert len(kept.held) == 2  # the last cell is still in the second family
    assert isinstance(refused(kernel.gather, kept, WHOLE, FIRST, BOTH), MissingPermission)


def test_gather_takes_no_cell_that_is_not_there() -> None:
    kernel, state = two()
    wider = replace(WHOLE, ranges=((ZERO, k.add(n, ONE)),))
    earlier = replace(WHOLE, ranges=((k.num(-1), n),))
    for cells, test in ((wider, FIRST), (earlier, FIRST), (WHOLE, k.le(B0, m)), (WHOLE, TRUE), (WHOLE, k.FALSE)):
        assert isinstance(refused(kernel.gather, state, cells, test, BOTH), MissingPermission)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, BOTH[::-1]), MissingPermission)
    assert isinstance(refused(kernel.gather, state, replace(WHOLE, base="b"), FIRST, BOTH), MissingPermission)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, (BOTH[0], Take(7, (B0,), (B0,)))), MissingPermission)


def test_gather_takes_no_cell_twice() -> None:
    kernel, state = two()
    twice = Cells("a", ((ZERO, n), (ZERO, k.num(2))), TRUE, (k.bound(1, INT),))
    forward, back = (k.bound(1, INT),), (B0, ZERO)
    takes = (Take(1, forward, back), Take(2, forward, back))
    assert isinstance(refused(kernel.gather, state, twice, k.lt(k.bound(1, INT), m), takes), Overlap)
    folded = Cells("a", ((ZERO, k.mul(k.num(2), m)),), TRUE, (k.sub(B0, k.ite(FIRST, ZERO, m)),))
    same_cells = (Take(1, (B0,), (B0,)), Take(1, (k.sub(B0, m),), (k.add(B0, m),)))
    assert isinstance(
        refused(kernel.gather, state, folded, FIRST, same_cells), MissingPermission
    )  # the first half is gone by then


def test_gather_keeps_what_cells_hold() -> None:
    """Each half keeps its own contents, and what is not written in one is not written."""
    claims = (CellClaim(LOW, SOME), CellClaim(HIGH, UNINIT))
    kernel, state = begun(pre=claims, requires=ORDERED)
    after = kernel.gather(state, WHOLE, FIRST, BOTH)
    (whole,) = after.held.values()
    b = k.var("j", INT)
    low, high = state.facts.assume(k.lt(b, m)), state.facts.assume(k.le(m, b))
    first, second = state.held[1], state.held[2]
    assert low.simplify(whole.value_at((b,))) is first.value_at((b,)) and low.simplify(whole.init_at((b,))) is TRUE
    assert (
        high.simplify(whole.value_at((b,))) is second.value_at((b,)) and high.simplify(whole.init_at((b,))) is k.FALSE
    )


def test_gather_is_for_what_is_held_in_full_and_seen_by_all() -> None:
    kernel, state = begun(pre=(CellClaim(LOW, SOME, share=READ), CellClaim(HIGH, SOME)), requires=ORDERED)
    assert isinstance(refused(kernel.gather, state, WHOLE, FIRST, BOTH), MissingPermission)
    kernel, state = launched(pre=(CellClaim(LOW, SOME), CellClaim(HIGH, SOME)), requires=ORDERED)
    kernel.gather(state, WHOLE, FIRST, BOTH)
    for number in (1, 2):
        owned = changed(state, held={**state.held, number: replace(state.held[number], owner=Owner(ZERO, ONE))})
        assert isinstance(refused(kernel.gather, owned, WHOLE, FIRST, BOTH), NotOwner)
        marked = changed(state, pending_reads=(PendingRead(number, state.held[number].cells, Owner(ZERO, ONE)),))
        assert isinstance(refused(kernel.gather, marked, WHOLE, FIRST, BOTH), NotOwner)


def test_gather_is_told_closed_terms_of_what_exists() -> None:
    kernel, state = two()
    for name in ("b?0", "a#9"):
        test = k.lt(B0, k.var(read_name(name), INT))
        assert isinstance(refused(kernel.gather, state, WHOLE, test, BOTH), OutOfOrder)
    assert isinstance(refused(kernel.gather, state, WHOLE, k.lt(k.bound(1, INT), m), BOTH), WrongShape)
    loose = replace(WHOLE, ranges=((ZERO, k.bound(0, INT)),))
    with pytest.raises(TypeError):
        kernel.gather(state, loose, FIRST, BOTH)
