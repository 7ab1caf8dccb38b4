"""A lemma that was proved once is used by threads as by the host: it says what follows, and is executed by nobody."""

from __future__ import annotations

import pytest

from optigpu.kernel import instructions as kc
from optigpu.kernel.causes import WrongContext
from optigpu.logic import terms as k
from optigpu.logic.terms import ZERO
from tests.support.kernel_states import launched, n, refused
from tests.support.pairs import Pair, Wrong
from tests.support.twin_checks import assert_rejected, assert_verifies, twins

LEMMA = """__DECL(f, "int -> int");
__AXIOM(f_zero, "f(0) == 0");
__AXIOM(f_next, "forall (n: int) (h: n >= 0) -> f(n + 1) == f(n) + 2");
__GHOST(f_is_double) {
  __requires("n: int, pos: n >= 0");
  __ensures("twice: f(n) == 2 * n");
  for (int i = 0; i < n; i++) {
    __invariant("f(i) == 2 * i");
  }
}
"""
PAIRS = [
    Pair(
        "fill",
        LEMMA
        + """void host() {
}
void fill(int G, int d[G]) {
  __requires("G >= 0, G <= 1000000");
  __consumes("d ~> UninitMatrix1Of(G, GMem)");
  __produces("d ~> Matrix1Of(G, GMem, fun b -> f(b))");
  kernel_launch(G, 1, 0);
  kernel_setup_end();
  thread for (int b = 0; b < G; b++) {
    __xconsumes("&d[b] ~> UninitCell");
    __xproduces("&d[b] ~~> f(b)");
    __ghost(f_is_double, "n := b");
    d[b] = 2 * b;
  }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (
            Wrong('"n := b"', '"n := b - 1"', "OG315", "__ghost", "UNPROVED"),
            Wrong('"n := b"', '"n := 2 * b + 2"', "OG318", "thread for", "UNPROVED"),
            Wrong("d[b] = 2 * b", "d[b] = b", "OG318", "thread for", "UNPROVED"),
            Wrong(
                '__ensures("twice: f(n) == 2 * n")', '__ensures("twice: f(n) == n")', "OG307", "__ensures", "UNPROVED"
            ),
            Wrong('    __ghost(f_is_double, "n := b");\n', "    host();\n", "OG346", "host();"),
        ),
    )
]


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.name)
def test_threads_use_lemmas(pair: Pair) -> None:
    assert_verifies(pair)


@pytest.mark.parametrize(("name", "pair", "wrong"), twins(PAIRS), ids=lambda x: x if isinstance(x, str) else "")
def test_wrong_uses_are_rejected(name: str, pair: Pair, wrong: Wrong) -> None:
    assert_rejected(pair, wrong)


def test_only_lemmas_that_hold_no_memory_are_used_anywhere() -> None:
    """What is called a lemma and has parameters is a function of the host, as one without that name is."""
    holds = kc.Contract((), (), (), (), (k.le(ZERO, ZERO),))
    size = kc.Parameter("m", k.INT)
    for lemma, params, accepted in ((True, (), True), (False, (), False), (True, (size,), False)):
        g = kc.Procedure("g", params, holds, (), admitted=True, lemma=lemma)
        kernel, state = launched(kc.Invoke(None, "g", (n,) * len(params)), others=(g,))
        if accepted:
            kernel.call(state, (), (), ((),) * 0)
        else:
            assert isinstance(refused(kernel.call, state, (), (), ()), WrongContext)
