"""Attempts to get a wrong program verified: names that capture others, functions for groups of threads, alignment through calls.

Each program is right as it stands, and wrong by one replacement.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_text
from optigpu.kernel import instructions as kc
from optigpu.logic import terms as k
from optigpu.logic.equality import Case, Into, Maximum
from optigpu.logic.terms import INT, ONE, TRUE, ZERO, Term
from optigpu.syntax.diagnostic import InputError
from tests.support.gpu_programs import GpuPair
from tests.support.kernel_states import B0, begun, n


@dataclass(frozen=True)
class Attack:
    name: str
    text: str
    wrong: tuple[tuple[str, str], ...]


def on_blocks(name: str, before: str, body: str, *wrong: tuple[str, str], extra: str = "") -> Attack:
    """Code of a block b of 256 threads, with the shared array s."""
    threads = f"""  thread for (int b = 0; b < B; b++) {{
    __shared__ float s[256];
    thread for (int t = 0; t < 256; t++)
      s[t] = d[b][t];
{body}
  }}"""
    text = "#include <optigpu.h>\n" + GpuPair("", threads, (), launch="B, 256, 2048", before=before).text()
    return Attack(name, text.replace("void f(int B,", f"void f(int B,{extra}"), wrong)


ROTATE = """__device__ void rotate(int n, float s[n], float r[n]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(n)");
  __reads("KernelParams(_, n, _), desync_for t in ..n -> &s[t] ~~>[SMem] A(t)");
  __writes("desync_for t in ..n -> &r[t] ~~>[SMem] A(n - 1 - t)");
  blocksync();
  thread for (int t = 0; t < n; t++)
    r[t] = s[n - 1 - t];
}
"""
ZERO_ALL = """__device__ void zero(int n, float p[n]) {
  __requires("m: int, m == n");
  __preserves("ThreadsCtx(m)");
  __reads("KernelParams(_, _, _)");
  __writes("desync_for t in ..n -> &p[t] ~~>[SMem] 0.0f");
  thread for (int t = 0; t < n; t++)
    p[t] = 0.0f;
}
"""
FIRST = """__device__ float first(float s[256]) {
  __requires("A: int -> float");
  __preserves("ThreadsCtx(256)");
  __reads("KernelParams(_, 256, _), for t in ..256 -> &s[t] ~~>[SMem] A(t)");
  __ensures("_Res == A(0)");
  return s[0];
}
"""
PASS = """__device__ void pass(float p[4], float q[4]) {
  __preserves("for i in 0..4 -> &p[i] ~>[GMem] Cell");
  __preserves("for i in 0..4 -> &q[i] ~>[GMem] Cell");
  float r[4];
  vload4(&r[0], &p[0]);
  vstore4(&q[0], &r[0]);
}
__device__ void pass_on(float p[8], float q[4]) {
  __preserves("for i in 0..8 -> &p[i] ~>[GMem] Cell");
  __preserves("for i in 0..4 -> &q[i] ~>[GMem] Cell");
  pass(&p[4], q);
}
"""

ATTACKS = [
    on_blocks(
        "who_reads_after_a_barrier_of_the_function",
        ROTATE,
        """    __shared__ float r[256];
    rotate(256, s, r);
    blocksync();
    thread for (int t = 0; t < 256; t++) s[t] = r[t];""",
        ("s, r);\n    blocksync();\n", "s, r);\n"),
    ),
    on_blocks(
        "a_variable_of_the_caller_is_none_of_the_function",
        ZERO_ALL,
        """    zero(256, s);""",
        ("zero(256, s)", "zero(1, s)"),
        ("zero(256, s)", "zero(m, s)"),
        extra=" int m,",
    ),
    on_blocks(
        "a_result_for_all_threads_is_read_by_all",
        FIRST,
        """    blocksync();
    const float x = first(s);
    blocksync(); // after
    thread for (int t = 0; t < 256; t++) s[t] = x;""",
        ("    blocksync(); // after\n", ""),
        ("    blocksync();\n    const", "    const"),
    ),
    on_blocks(
        "what_is_asked_of_a_launch_is_shown",
        FIRST,
        """    blocksync();
    const float x = first(s);""",
        ("KernelParams(_, 256, _)", "KernelParams(_, 512, _)"),
        ("KernelParams(_, 256, _)", "KernelParams(1, 256, _)"),
        ("KernelParams(_, 256, _)", "KernelParams(_, 256, 4096)"),
        ("KernelParams(_, 256, _)", "HostCtx, KernelParams(_, 256, _)"),
    ),
    Attack(
        "alignment_through_calls",
        "#include <optigpu.h>\n"
        + PASS
        + """void f(float d[16], float e[2][8]) {
  __preserves("for i in 0..16 -> &d[i] ~>[GMem] Cell");
  __preserves("for i in 0..2 -> for j in 0..8 -> &e[i][j] ~>[GMem] Cell");
  kernel_launch(1, 1, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 1; t++) {
    pass(&d[4], &e[1][4]);
    pass_on(&d[8], &e[0][0]);
  }
  kernel_teardown_begin();
  kernel_kill();
}
""",
        (("&d[4]", "&d[1]"), ("&e[1][4]", "&e[1][2]"), ("&d[8]", "&d[6]"), ("pass(&p[4], q)", "pass(&p[3], q)")),
    ),
    Attack(
        "a_parameter_is_no_logical_constant",
        """#include <optigpu.h>
__DECL(c, "int");
__AXIOM(c_is_5, "c == 5");
int f(int x) { __ensures("x == c ==> _Res == 5"); return x; }
""",
        (('int x) { __ensures("x == c ==> _Res == 5"); return x', 'int c) { __ensures("_Res == 5"); return c'),),
    ),
    Attack(
        "a_local_is_no_logical_constant",
        """#include <optigpu.h>
__DECL(c, "int");
int f(int n) { __ensures("_Res == n"); const int c = n; return c; }
""",
        (("_Res == n", "_Res == c"),),
    ),
    Attack(
        "a_variable_of_a_contract_is_no_logical_function",
        """#include <optigpu.h>
__DECL(g, "int -> float");
__AXIOM(g_is_0, "forall (i: int) -> g(i) == 0.0f");
float f(float a[4]) {
  __reads("for i in 0..4 -> &a[i] ~~> g(i)");
  __ensures("_Res == 0.0f");
  return a[1];
}
""",
        (("  __reads", '  __requires("g: int -> float");\n  __reads'),),
    ),
    Attack(
        "the_result_is_no_other_variable",
        """#include <optigpu.h>
int g(int x, int a[1]) { __requires("v: int"); __preserves("&a[0] ~~> v"); __ensures("_Res == 7"); return 7; }
int f(int a[1]) {
  __consumes("&a[0] ~~> 3");
  __produces("&a[0] ~~> 3 + 0");
  const int x = g(3, a);
  return x;
}
""",
        (("3 + 0", "7"), ("v: int", "_Res: int"), ("~~> v", "~~> _Res")),
    ),
    Attack(
        "a_call_moves_the_bound",
        """#include <optigpu.h>
void two(int q[1]) { __writes("&q[0] ~~> 2"); q[0] = 2; }
void f(int p[1], int a[10]) {
  __consumes("&p[0] ~~> 10, for i in 0..10 -> &a[i] ~> Cell");
  __produces("&p[0] ~~> 2, for i in 0..10 -> &a[i] ~~> 0");
  const int n = p[0];
  for (int i = 0; i < n; i++) {
    a[i] = 0;
    two(p);
  }
}
""",
        (("i < n", "i < p[0]"),),
    ),
    Attack(
        "another_pointer_of_that_name_moves_the_bound",
        """#include <optigpu.h>
void f(int p[1], int b[1], int a[10]) {
  __consumes("&p[0] ~~> 10, &b[0] ~> Cell, for i in 0..10 -> &a[i] ~> Cell");
  __produces("&p[0] ~~> 2, &b[0] ~> Cell, for i in 0..10 -> &a[i] ~~> 0");
  const int n = p[0];
  {
    int* const q = &p[0];
    for (int i = 0; i < n; i++) {
      a[i] = 0;
      q[0] = 2;
    }
  }
  {
    int* const q = &b[0];
    q[0] = 1;
  }
}
""",
        (("i < n", "i < p[0]"),),
    ),
]


def verified(text: str) -> bool:
    try:
        return Verifier().verify(parse_text(text)).verified
    except InputError:
        return False


def try_out(attack: Attack) -> None:
    """What is right verifies, and what is wrong does not."""
    assert verified(attack.text)
    for old, new in attack.wrong:
        assert attack.text.count(old) == 1, old
        assert not verified(attack.text.replace(old, new)), new


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_what_is_right_verifies_and_what_is_wrong_does_not(attack: Attack) -> None:
    try_out(attack)


def test_a_loose_index_is_not_one_number() -> None:
    """In one case `^0 <= 4` all of the first summands are 1 and all of the second 0, in the other it is the other way round."""
    low, high = (k.ite(c, ONE, ZERO) for c in (k.le(B0, k.num(4)), k.le(k.num(5), B0)))
    product = k.mul(*(k.big("sum", ZERO, n, t) for t in (low, high)))
    goal = k.eq(product, ZERO)  # it is 5 * (n - 5)

    def becomes(old: Term, new: Term) -> Maximum:
        here = (Into(0, TRUE, 0, ()),)
        return Maximum(old, new, (here, here), ((Into(0, TRUE, 0 if new is ONE else 1, ()),),))

    case = Case(
        k.le(B0, k.num(4)),
        (becomes(low, ONE), becomes(high, ZERO)),
        (becomes(low, ZERO), becomes(high, ONE)),
    )
    kernel, state = begun(kc.Assertion(goal), requires=(k.le(k.num(10), n),))
    with pytest.raises(TypeError, match="loose"):
        kernel.assertion(state, (case,))
    i = k.var("i", INT)
    assert kernel.judge.proves(state.facts, k.le(i, k.add(i, ONE)))
    assert not kernel.judge.proves(state.facts, k.eq(k.add(B0, k.fdiv(B0, n)), ZERO))
