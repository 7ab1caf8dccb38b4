"""The interpreter: programs that run without error, and for each kind of misbehaviour one program with it and one without."""

from __future__ import annotations

import pytest

from optigpu.interp.misbehaviour import Misbehaviour
from tests.support.running import Q, check_contract, misbehaves, run
from tests.support.verdicts import verdict_of

RUNS = [
    ("int f(int a, int b) { return a / b; }", (-7, 2), -3),
    ("int f(int a, int b) { return a % b; }", (-7, 2), -1),
    ("int f(int a, int b) { return a / b; }", (7, -2), -3),
    ("int f(int a) { return a << 3 | a >> 1 & 6 ^ 1; }", (5,), 43),
    ("int f(int a) { return ~a; }", (5,), -6),
    ("int64_t f(int64_t a) { return ~a; }", (-6,), 5),
    ("unsigned f(unsigned a) { return ~a; }", (5,), 2**32 - 6),
    ("int f(uint8_t a) { return ~a; }", (5,), -6),
    ("int f(int a) { return exact_div(a, 4); }", (-12,), -3),
    ("int f(int a) { return min(a, 3) + max(a, 3) + abs(a); }", (-5,), 3),
    ("int f(int a) { return MINDEX2(3, 4, a, 1) + MSIZE3(2, 3, 4) + (int)sizeof(double); }", (2,), 9 + 24 + 8),
    ("bool f(int a) { return a > 0 && 10 / a > 3; }", (0,), False),
    ("float f(float x) { return x / 3.0f; }", (1,), Q(1, 3)),
    ("float f(int a) { return (float)a / 2; }", (3,), Q(3, 2)),
    ("int f(float x) { return (int)x; }", (Q(-7, 2),), -3),
    ("float f(float x) { return sqrtf(x) + fabsf(-x) + fmaxf(x, 3.0f); }", (4,), 10),
    ("int f(int a) { int x = a; x += 2; x *= 3; x -= 1; x /= 2; x %= 5; x <<= 1; return x; }", (1,), 8),
    ("int f(int a) { int x = 0; x++; ++x; x--; return x + a; }", (0,), 1),
    ("int f(int a) { return a > 0 ? 1 : a < 0 ? -1 : 0; }", (-3,), -1),
    ("int f(int n) { int s = 0; for (int i = 0; i < n; i++) { if (i == 2) continue; s += i; } return s; }", (5,), 8),
    ("int f(int n) { int s = 0; for (int i = n; i > 0; i -= 3) s += i; return s; }", (10,), 22),
    ("int f(int n) { int s = 0; for (int i = 1; i <= n; i *= 2) s += i; return s; }", (20,), 31),
    ("int f(int n) { int s = 0; for (int i = n; i > 0; i >>= 1) s += i; return s; }", (8,), 15),
    ("int f(int n) { int s = 0; for (int i = n; i > 0; i /= 2) s += 1; return s; }", (8,), 4),
    ("int f(int n) { int s = 0; for (int i = 0; i < n; i += 2) s += 1; return s; }", (0,), 0),
    ("int f(int n) { int s = 7; for (int i = 5; i < n; i++) { s = 0; } return s; }", (-3,), 7),
    ("int f(int n) { int t[3] = {4, 5}; return t[0] * 100 + t[1] * 10 + t[2]; }", (0,), 450),
    ("int f(int n) { int x = 1; { int x = 2; x = 3; } return x; }", (0,), 1),
    ("#define N (3 * 4)\n#define M N\nint f(int n) { return M + n; }", (1,), 13),
]


@pytest.mark.parametrize(("text", "args", "result"), RUNS, ids=lambda x: str(x)[:40])
def test_runs(text: str, args: tuple[object, ...], result: object) -> None:
    assert run(text, *args)[0] == result


@pytest.mark.parametrize(
    ("code", "text", "bad", "good"),
    [
        ("OG201", "int f(int i, int a[4]) { return a[i]; }", (4, [1, 2, 3, 4]), (3, [1, 2, 3, 4])),
        ("OG201", "int f(int i, int a[4]) { return a[i]; }", (-1, [1, 2, 3, 4]), (0, [1, 2, 3, 4])),
        ("OG201", "int f(int i) { int t[2][3]; t[i][0] = 1; t[0][i + 2] = 1; return 0; }", (1,), (0,)),
        ("OG202", "int f(int i) { int t[2]; t[i] = 1; return t[0]; }", (1,), (0,)),
        ("OG202", "int f(int i) { int x; if (i > 0) x = 1; return x; }", (0,), (1,)),
        ("OG206", "int f(int i) { return 1 / i; }", (0,), (1,)),
        ("OG206", "int f(int i) { return 1 % i; }", (0,), (1,)),
        ("OG206", "float f(float x) { return 1.0f / x; }", (0,), (1,)),
        ("OG206", "int f(int i) { return exact_div(0, i); }", (0,), (1,)),
        ("OG207", "int f(int i) { return exact_div(i, 4); }", (6,), (8,)),
        ("OG208", "int f(int i) { return 1 << i; }", (-1,), (3,)),
        ("OG208", "int f(int i) { return 1 << i; }", (32,), (30,)),
        ("OG208", "int f(int i) { return i >> 1; }", (-2,), (2,)),
        ("OG208", "int f(int i) { return i & 3; }", (-2,), (2,)),
        ("OG209", "int f(int i) { return i + 1; }", (2**31 - 1,), (2**31 - 2,)),
        ("OG209", "int f(int i) { return i * i; }", (50_000,), (40_000,)),
        ("OG209", "int f(int i) { int8_t x = i; return x; }", (128,), (127,)),
        ("OG209", "int f(int i) { unsigned x = i; return 0; }", (-1,), (0,)),
        ("OG209", "int f(int i) { return -i; }", (-(2**31),), (5,)),
        ("OG209", "int f(unsigned n) { int i = 0; i -= n; return 0; }", (3,), (0,)),
        ("OG216", "int f(int k) { int s = 0; for (int i = 0; i < 3; i += k) s += 1; return s; }", (0,), (1,)),
        ("OG216", "int f(int k) { int s = 0; for (int i = k; i < 3; i *= 2) s += 1; return s; }", (0,), (1,)),
        ("OG216", "int f(int k) { int s = 0; for (int i = 8; i > 0; i >>= k) s += 1; return s; }", (0,), (1,)),
        ("OG214", 'int f(int i) { int x = i; x = x + 1; __ASSERT("x > 3"); return x; }', (2,), (3,)),
        (
            "OG213",
            'int f(int n) { int s = 0; for (int i = 0; i < 3; i++) { __spreserves("&s ~~> n * i"); s += 2; } return s; }',
            (1,),
            (2,),
        ),
        (
            "OG213",
            'int f(int n) { int s = 0; for (int i = 0; i < 3; i++) { __invariant("i <= n"); s += 2; } return s; }',
            (2,),
            (3,),
        ),
    ],
    ids=lambda x: str(x)[:50],
)
def test_misbehaviour_and_its_harmless_twin(
    code: str, text: str, bad: tuple[object, ...], good: tuple[object, ...] | None
) -> None:
    assert misbehaves(text, *bad).code == code
    if good is not None:
        run(text, *good)


HEAP = "void f(int n, float a[n]) {{ float* const t = MALLOC1(float, 4); t[0] = 1.0f; {} }}"


@pytest.mark.parametrize(
    ("code", "rest"),
    [
        ("OG203", "free(t); t[0] = 2.0f;"),
        ("OG203", "free(t); a[0] = t[0];"),
        ("OG204", "free(t); free(t);"),
        ("OG204", "free(&t[1]);"),
        ("OG204", "free(a);"),
    ],
)
def test_heap_errors(code: str, rest: str) -> None:
    assert misbehaves(HEAP.format(rest), 2, [0, 0]).code == code
    run(HEAP.format("free(t);"), 2, [0, 0])


def test_leak_and_its_place() -> None:
    report = check_contract('void f(int n) { __requires("n > 0"); float* const t = MALLOC1(float, n); }')
    assert report.failure is not None
    assert (report.failure.misbehaviour.code, report.failure.misbehaviour.loc.column) == ("OG205", 38)
    freed = check_contract('void f(int n) { __requires("n > 0"); float* const t = MALLOC1(float, n); free(t); }')
    assert freed.failure is None and freed.runs > 20


PARALLEL = """void f(int n, float a[n]) {{
  float s = 0; float t[8];
  #pragma omp parallel for
  for (int i = 0; i < n; i++) {{ {} }}
}}"""


@pytest.mark.parametrize(
    ("body", "races"),
    [
        ("a[i] = i;", False),
        ("a[0] = i;", True),
        ("a[i] = a[0];", True),
        ("a[i] = a[(i + 1) % n];", True),
        ("s = i; a[i] = s;", True),
        ("float s = i; a[i] = s;", False),
        ("t[0] = i; a[i] = t[0];", True),
        ("float t[8]; t[0] = i; a[i] = t[0];", False),
        ("for (int j = 0; j < n; j++) if (j == i) a[j] = 1;", False),
        ("for (int j = 0; j < n; j++) a[j] = 1;", True),
        ("if (i == 0) a[n - 1] = 1;", False),
        ("float x = a[0]; a[i] = i == 0 ? x : 1.0f;", True),
        ("float x = a[n / 2]; if (x < -1) a[0] = x;", False),
    ],
)
def test_races_are_found_on_every_schedule(body: str, races: bool) -> None:
    for seed in range(12):
        text = PARALLEL.format(body)
        if races:
            assert misbehaves(text, 4, [0, 0, 0, 0], seed=seed).code == "OG210"
        else:
            run(text, 4, [0, 0, 0, 0], seed=seed)


def test_nested_parallel_loops_race_only_where_they_do() -> None:
    nest = """void f(float a[16]) {{
#pragma omp parallel for
for (int i = 0; i < 4; i++) {{
#pragma omp parallel for
for (int j = 0; j < 4; j++) a[{}] = 1; }} }}"""
    run(nest.format("i * 4 + j"), [0.0] * 16)
    assert misbehaves(nest.format("i"), [0.0] * 16).code == "OG210"
    assert misbehaves(nest.format("j"), [0.0] * 16).code == "OG210"


def test_two_parallel_loops_in_a_row_are_ordered() -> None:
    loop = "\n#pragma omp parallel for\nfor (int i = 0; i < 4; i++) {}\n"
    text = "void f(float a[4]) {" + loop.format("a[i] = i;") + loop.format("a[3 - i] += 1;") + "}"
    assert run(text, [0.0] * 4)[1][0] == [1, 2, 3, 4]


def test_calls_in_parallel_iterations_keep_their_own_rights() -> None:
    text = """
void one(float x[1]) { __consumes("x ~> Cells1(1)"); __produces("x ~> Matrix1(1, fun i -> 1)"); x[0] = 0.0f; x[0] += 1.0f; }
void f(float a[6]) {
  __consumes("a ~> Cells1(6)"); __produces("a ~> Matrix1(6, fun i -> 1)");
  #pragma omp parallel for
  for (int i = 0; i < 6; i++) one(&a[i]);
}"""
    for seed in range(10):
        assert run(text, [0.0] * 6, seed=seed)[1][0] == [1] * 6


@pytest.mark.parametrize(
    ("clauses", "body", "code"),
    [
        ('__reads("a ~> Cells1(n)");', "a[0] = 1;", "OG215"),
        ('__reads("for i in 1..n -> &a[i] ~> Cell");', "int x = a[0];", "OG215"),
        ('__writes("a ~> Matrix1(n, fun i -> 0)");', "int x = a[0];", "OG202"),
        ('__consumes("a ~> Cells1(n), a ~> Cells1(1)");', "", "OG217"),
        ('__reads("a ~> Cells1(n), a ~> Cells1(1)");', "", None),
        ('__preserves("a ~> Cells1(n)");', "a[0] = 1;", None),
        ('__consumes("a ~> Matrix1(n, fun i -> 0)"); __produces("a ~> UninitMatrix1(n)");', "a[0] = 1;", None),
    ],
)
def test_contracts_give_and_limit_rights(clauses: str, body: str, code: str | None) -> None:
    report = check_contract(f'void f(int n, int a[n]) {{ __requires("n > 0"); {clauses} {body} }}')
    assert (report.failure.misbehaviour.code if report.failure else None) == code
    assert code is not None or report.runs > 5


def test_calls_check_the_callers_rights_and_sizes() -> None:
    text = """
void g(int h, int w, float m[h][w]) { m[0][1] = 1; }
void f(int n, float a[2][3]) { g(2, n, a); }"""
    from optigpu.interp.runner import Runner
    from optigpu.syntax.source import NOWHERE
    from tests.support.running import array, parse

    for n, code in ((3, None), (2, "OG218")):
        machine = Runner(parse(text)).start()
        view = array(machine, "a", [0.0] * 6, 2, 3)
        try:
            machine.call("f", [n, view], NOWHERE)
            assert code is None
        except Misbehaviour as m:
            assert m.code == code


def test_contract_evaluation_of_big_operators_and_definitions() -> None:
    text = """
__DEF(square, "fun (x: int) -> x * x");
int f(int n) {
  __requires("n >= 0");
  __ensures("_Res == Sum(i in 0..n, j in 0..i, square(i + j)) + Prod(k in 0..3, k + 1)");
  int s = 6;
  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) s += (i + j) * (i + j);
  return s;
}"""
    assert check_contract(text).failure is None
    assert check_contract(text.replace("int s = 6", "int s = 5")).failure is not None


def test_the_greatest_of_several_ranges_is_the_one_of_proofs() -> None:
    """Also where one of them is empty: then all of the other's lower bounds count."""
    text = 'int f(int n) { __requires("n <= 0"); __ensures("_Res == Max(i in 0..2, j in 0..n, i)"); return 1; }'
    assert check_contract(text).failure is None
    wrong = text.replace("return 1", "return 0")
    failure = check_contract(wrong).failure
    assert failure is not None and failure.misbehaviour.code == "OG212"
    assert verdict_of(text) == verdict_of(wrong) == "OG361 1:77"  # nothing is promised of the greatest of no numbers


def test_logical_sizes_are_found_by_matching_and_by_search() -> None:
    text = """
void f(int n, float a[n]) {
  __requires("w: int, A: int -> float, size: n == 3 * w");
  __consumes("a ~> Matrix1(n, A)");
  __produces("a ~> Matrix1(n, fun i -> i < w ? 0 : A(i))");
  for (int i = 0; i < n / 3; i++) a[i] = 0;
}"""
    report = check_contract(text)
    assert report.failure is None and report.runs > 10
    assert check_contract(text.replace("n / 3", "n / 3 - 1")).failure is not None


def test_smallest_failing_input_is_reported() -> None:
    report = check_contract(
        'int f(int n, int a[n]) { __requires("A: int -> int, n > 0"); __reads("a ~> Matrix1(n, A)"); __ensures("_Res == A(0)"); '
        "int x = a[0]; if (n > 5) x = x + 1; return x; }"
    )
    assert report.failure is not None
    assert report.failure.inputs.scalars["n"] <= 8
    assert set(report.failure.inputs.arrays["a"]) == {0}


def test_a_run_that_does_not_end_is_given_up() -> None:
    loops = "for (int i = 0; i < 100000; i++) for (int j = 0; j < 100000; j++) s = 1;"
    text = f'int f(int n) {{ __requires("n > 0"); int s = 0; {loops} return s; }}'
    report = check_contract(text, seconds=0.5)
    assert report.runs == 0 and report.gave_up is not None


def test_strided_and_reversed_invariants_hold_at_the_first_value_not_taken() -> None:
    text = 'int f(int n) {{ int s = 0; for (int i = 0; i < n; i += 3) {{ __spreserves("&s ~~> {}"); s += 3; }} return s; }}'
    run(text.format("i"), 7)
    assert misbehaves(text.format("i < n ? i : n"), 7).code == "OG213"
