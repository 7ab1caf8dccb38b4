"""Attempts to get CUDA text that does something else than the verified program.

Each program is verified, and its text runs beside the interpreter; or the text is looked at where sizes are too large to run.
"""

from __future__ import annotations

import numpy as np
import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.cuda import emit_cuda
from optigpu.codegen.cuda.statement_printer import comment
from optigpu.frontend import parse_text
from optigpu.runtime.call_error import CallError
from optigpu.runtime.driver import size_of
from optigpu.runtime.launching import stepped
from optigpu.runtime.preconditions import holds
from optigpu.script.transformation import transformation
from optigpu.syntax.diagnostic import InputError
from optigpu.syntax.program import If
from optigpu.transform.registry import TransformSession
from tests.evidence.translation import examine
from tests.support.cuda import emitted, kernel_text, on_standin, one_kernel, refused


def threads(body: str) -> str:
    return one_kernel(f"thread for (int b = 0; b < B; b++) thread for (int t = 0; t < 8; t++) {{ {body} }}")


def host(body: str, params: str = "", contract: str = "") -> str:
    """A host function on `h`, which is `e` on the device until `body` copies it back."""
    return f"""
void f(int n, float h[8]{params}) {{
  __requires("n >= 0");
  __consumes("h ~> Cells1(8)");
  __produces("h ~> Cells1(8)");
  {contract}
  float* const e = __gmem_malloc1<float>(8);
  memcpy_host_to_device1(e, h, 8);
  {body}
  gmem_free(e);
}}
"""


def launch(grid: str, body: str) -> str:
    return f"""kernel_launch({grid}, 8, 0); kernel_setup_end();
  thread for (int b = 0; b < {grid}; b++) thread for (int t = 0; t < 8; t++) {{ {body} }}
  kernel_teardown_begin(); kernel_kill();"""


BACK = "memcpy_device_to_host1(h, e, 8);"
HIDING = {
    "the start of a loop that runs once": threads(
        "const int m = B + 4; for (int i = m; i < m + 1; i++) { const int m = 2 + t * b; d[b][t] = d[b][t] + i + m; }"
    ),
    "a variable after a thread loop of one declaration": one_kernel(
        """thread for (int b = 0; b < B; b++) {
          int x = 1 + b;
          x = x + 1;
          if (b < 7) {
            thread for (int t = 0; t < 8; t++) { float x = d[b][t]; }
            thread for (int t = 0; t < 8; t++) d[b][t] = x;
          }
        }"""
    ),
    "the bound of a loop": threads(
        "const int m = B + 4; for (int i = 0; i < m; i++) { const int m = 2 + t; if (i < m) d[b][t] = d[b][t] + 1.0f; }"
    ),
    "a size of the host": threads("const int B = 3; d[b][t] = B + 1.0f;"),
    "what a pointer depends on": threads(
        "const int m = (t + b) / (b + 1) - b / (b + 1); float* const p = &d[b][t]; { const int t = 3; p[0] = t + 0 * m; }"
    ),
    "a size that a launch depends on": host(
        "const int g = n + 1; for (int g = 0; g < 3; g++) {" + launch("g + 1", "if (b == g) e[t] = g;") + "}" + BACK
    ),
    "what a size of a launch is made of": host(
        "const int g = n + 1; for (int n = 0; n < 3; n++) {" + launch("g", "if (b == 0) e[t] = n;") + "}" + BACK
    ),
    "a size of an earlier block": host(
        "{ const int g = n + 1;" + launch("g", "if (b == 0) e[t] = 1.0f;") + "}"
        "for (int g = 0; g < 3; g++) {" + launch("g + 1", "if (b == g) e[t] = g;") + "}" + BACK
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HIDING)
def test_a_name_that_hides_another_captures_nothing(name: str) -> None:
    assert examine("#include <optigpu.h>\n" + HIDING[name], Verifier(Settings(unbounded=True)), 1) == ("agrees", "")


@pytest.mark.parametrize("loop", ["int m = 0; m < m; m++", "int m = m; m < 9; m++", "int m = 0; m < 9; m += m"])
def test_the_range_of_a_loop_does_not_name_its_index(loop: str) -> None:
    """C's bound would be the index, the program's the variable around it."""
    text = threads(f"const int m = 3 + b; for (int i = 0; i < m; i++) d[b][t] = 1.0f; for ({loop}) d[b][t] = 2.0f;")
    parse_text(text.replace(f"for ({loop})", "for (int k = 0; k < m; k++)"))
    with pytest.raises(InputError, match="in the range of its own loop"):
        parse_text(text)


def test_arrays_of_the_caller_take_no_copies_before_they_are_copied_in() -> None:
    """On the caller's memory, the copy on the device would overwrite what is copied in after it."""
    text = host(
        f"memcpy_device_to_device1(e, x, 8); memcpy_host_to_device1(e, h, 8); {launch('1', 'e[t] = e[t] + 1.0f;')} {BACK}"
        "gmem_free(x);",
        ", float a[8]",
        '__reads("a ~> Cells1(8)"); float* const x = __gmem_malloc1<float>(8); memcpy_host_to_device1(x, a, 8);',
    ).replace("  memcpy_host_to_device1(e, h, 8);\n", "", 1)
    assert not emitted(text).on_device
    assert emitted(text.replace("memcpy_device_to_device1(e, x, 8);", "")).on_device


def test_arrays_of_one_name_in_two_blocks_are_not_both_the_callers() -> None:
    """The first is scratch memory, and larger."""
    first = launch("n + 2", "c[b][t] = 1.0f;") + launch("1", "e[t] = c[1][t];")
    second = launch("1", "d[t] = 5.0f;") + "memcpy_device_to_host1(p, d, 8);" + BACK
    text = host(
        f"{{ float* const c = __gmem_malloc2<float>(n + 2, 8); {first} gmem_free(c); }}"
        f"{{ float* const d = __gmem_malloc1<float>(8); {second} gmem_free(d); }}",
        ", float p[8]",
        '__writes("p ~> Cells1(8)");',
    )
    assert emitted(text).on_device
    assert not emitted(text.replace(" c ", " d ").replace("c[", "d[").replace("(c)", "(d)")).on_device


@pytest.mark.parametrize(
    ("loop", "type_"),
    [
        ("int s = n; s >= -2147483647; s -= 5", "long long"),
        ("int s = n; s >= -2147483640; s -= 5", "int"),
        ("int s = 1; s < n; s *= 2", "long long"),
        ("int s = 1; s < n; s <<= 1", "long long"),
        ("int s = 1; s < 1024; s *= 2", "int"),
        ("int s = n; s > 0; s /= 2", "int"),
    ],
)
def test_an_index_that_leaves_32_bits_when_its_loop_ends_has_more(loop: str, type_: str) -> None:
    text = host(launch("1", f"for ({loop}) e[t] = 1.0f;") + BACK)
    assert f"for ({type_} s = " in kernel_text(text)


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        ("n * n / c[t]", "long long"),
        ("n / c[t]", "int"),
        ("n * n / (0 - m)", "long long"),
        ("n * n % (m * m)", "long long"),
        ("n % m", "int"),
        ("abs(n * n - m)", "long long"),
        ("abs(t - 4)", "int"),
        ("n * n | 1", "long long"),
        ("n | 1", "int"),
        ("n * n ^ m", "long long"),
        ("(0 - n * n) >> 1", "long long"),
        ("1 << t", "int"),
        ("n << t", "long long"),
    ],
)
def test_a_value_is_not_taken_to_fit_because_its_type_does(value: str, type_: str) -> None:
    text = host(
        launch("1", f"const int x = {value}; e[t] = x;") + BACK + "gmem_free(c);",
        ", int m",
        '__requires("m >= 1"); int* const c = __gmem_malloc1<int>(8);',
    )
    assert f"const {type_} x = " in kernel_text(text)


SPECIFIED = """#include <optigpu.h>
#define N 8
__DEF(next, "fun (x: int) -> x + 1");
__DECL(k, "int -> int");
__AXIOM(known, "forall (n: int) -> k(n) == n + 1");
int f(int n) {
  __ensures("_Res == next(n)");
  return n + 1;
}
void zero(float a[N]) {
  __writes("a ~> Matrix1(N, fun i -> 0.0f)");
  for (int i = 0; i < N; i++) a[i] = 0.0f;
}
"""


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"return n + 1": "return 1 + n"}, None),
        ({"x + 1": "x + 2", "return n + 1": "return n + 2"}, "next"),
        ({"k(n) == n + 1": "k(n) == n + 2"}, "known"),
        ({"define N 8": "define N 4"}, "N"),
    ],
)
def test_a_script_keeps_what_gives_contracts_their_meaning(change: dict[str, str], refused: str | None) -> None:
    @transformation
    def become(script: TransformSession, text: str) -> None:
        script.update(parse_text(text))

    text = SPECIFIED
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    script = TransformSession(parse_text(SPECIFIED), verifier=Verifier(Settings(unbounded=True)))
    if refused is None:
        become(script, text)
        return
    with pytest.raises(InputError, match=f"`{refused}` is defined differently"):
        become(script, text)


@pytest.mark.parametrize(
    ("test", "values", "expected"),
    [
        ("m == 0 || n / m > 2", {"n": 4, "m": 0}, True),
        ("m != 0 && n / m > 2", {"n": 4, "m": 0}, False),
        ("(m == 0 ? 1 : n / m) > 2", {"n": 4, "m": 0}, False),
        ("n / m > 2", {"n": 4, "m": 0}, None),
        ("(n & 1) == 1", {"n": 5}, True),
        ("(n & 1) == 1", {"n": 4}, False),
        ("(n | 1) == (n ^ 1)", {"n": 4}, True),
    ],
)
def test_a_launch_without_a_compiler_decides_branches_as_c_does(
    test: str, values: dict[str, int], expected: bool | None
) -> None:
    f = parse_text(f"void f(int n, int m) {{ if ({test}) {{ }} }}").function("f")
    (branch,) = f.body
    assert isinstance(branch, If)
    assert holds(branch.test, values) is expected


def test_a_launch_without_a_compiler_steps_as_c_does() -> None:
    assert [stepped(-9, "/", 2), stepped(9, "/", 2), stepped(-9, ">>", 1), stepped(3, "<<", 2)] == [-4, 4, -5, 12]


@pytest.mark.parametrize("argument", ["n * n", "n", "t * 8 + b"])
def test_an_argument_is_proved_to_fit_its_type(argument: str) -> None:
    """So that its outermost operation needs no more bits."""
    text = "__device__ float real(int k) { return k; }" + host(launch("1", f"e[t] = real({argument});") + BACK)
    assert f"real({argument})" in kernel_text(text)


def in_kernel(value: str, contract: str = '__requires("u >= 1, u <= 100, v >= 1");') -> str:
    """A value that a thread computes of m, k (int), u, v (unsigned), y (64 bits)."""
    params = ", int m, int k, unsigned u, unsigned v, int64_t y"
    return kernel_text(host(launch("1", f"e[t] = {value};") + BACK, params, contract))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("(int64_t)100000 * n", "(long long)100000 * n"),
        ("(int64_t)100000 * t", "100000 * t"),
        ("(int64_t)1 << (t + 40)", "(long long)1 << (t + 40)"),
        ("(int64_t)1 << n % 63", "(long long)1 << n % 63"),
        ("n + 4294967295", "n + 4294967295LL"),
        ("v * v", "v * v"),
        ("u * u", "u * u"),
        ("(int)v", "(int)v"),
        ("(int)u", "(int)u"),
        ("(int)y", "(int)y"),
        ("(int)(y + y)", "(int)(y + y)"),
        ("(unsigned)(m * k * m)", "(unsigned)((long long)m * k) * m"),
        ("((int)u * 4 - 3) / 4 - 5", "(long long)u - 6"),
        ("((int)u * 4) / 4 < m ? 1.0f : 0.0f", "(long long)u < m ? 1.0f : 0.0f"),
        ("((int)u * 4) / 4 < t ? 1.0f : 0.0f", "u < t ? 1.0f : 0.0f"),
        ("t < 4 ? ((int)u * 4) / 4 : m", "t < 4 ? (long long)u : m"),
        ("v - u", "v - u"),
        ("(v - u) / 2u", "(v - u) / 2"),
        ("-m", "-m"),
        ("-((int)v)", "-(long long)(int)v"),
        ("abs((int)v)", "(((long long)(int)v) < 0 ? -((long long)(int)v) : ((long long)(int)v))"),
        ("m / k", "m / k"),
        ("min(m * k, n)", "min((long long)((long long)m * k), (long long)n)"),
    ],
)
def test_a_thread_computes_with_the_numbers_of_the_program(value: str, text: str) -> None:
    """C++ would compute some of these in 32 bits, or without a sign."""
    contract = '__requires("u >= 1, u <= 100, v >= 1, k != 0");'
    assert f"e[t] = {text};" in in_kernel(value, contract)


@pytest.mark.parametrize(("bound", "refused_"), [("y >= 0", True), ("y >= 0, y <= 10000", False)])
def test_no_number_needs_more_than_64_bits(bound: str, refused_: bool) -> None:
    text = host(launch("1", "e[t] = y * y * m;") + BACK, ", int m, int64_t y", f'__requires("{bound}");')
    assert "OG404" in refused(text) if refused_ else "e[t] = y * y * m;" in kernel_text(text)


def test_what_was_loaded_may_be_the_least_number() -> None:
    """Its opposite does not fit 32 bits."""
    text = host(
        launch("1", "e[t] = -c[t] + abs(c[t]) + c[t] / c[7 - t];") + BACK + "gmem_free(c);",
        contract="int* const c = __gmem_malloc1<int>(8);",
    )
    wide = "(long long)c[t]"
    expected = f"e[t] = -{wide} + (({wide}) < 0 ? -({wide}) : ({wide})) + {wide} / c[7 - t];"
    assert expected in " ".join(kernel_text(text).split())


def test_large_numbers_are_computed_as_the_program_says() -> None:
    values = [
        "(int64_t)100000 * n",
        "(int64_t)1 << (t + 40)",
        "n + 4294967295",
        "u * u",
        "((int)u * 4 - 3) / 4 - 5",
        "-n - n",
    ]
    body = "".join(f"if (t == {i}) e[t] = {v};" for i, v in enumerate(values))
    text = host(launch("1", body) + BACK, ", unsigned u", '__requires("u >= 1, u <= 100000");').replace(
        "float", "double"
    )
    n, u = 2_000_000_000, 99_999
    for u in (99_999, 1):
        h = np.zeros(8)
        on_standin(text, races=False)(n, h, u)
        assert h[:6].tolist() == [100_000 * n, 1 << 41, n + 4294967295, u * u % 2**32, u - 6, -2 * n]


@pytest.mark.parametrize(
    ("loop", "head"),
    [
        ("int s = 1; s < n; s *= 2", "for (long long s = 1; s < n; s *= 2)"),
        ("int s = 1; s < 1024; s *= 2", "for (int s = 1; s < 1024; s *= 2)"),
        ("int s = n; s > 0; s /= 2", "for (int s = n; s > 0; s /= 2)"),
        ("int s = -3; s < ((int)u * 4) / 4; s++", "for (int s = -3; (long long)s < u; ++s)"),
        ("unsigned s = 1; s < v; s *= 2", "for (long long s = 1; s < v; s *= 2)"),
        ("unsigned s = 1; s < u; s *= 2", "for (unsigned s = 1; s < u; s *= 2)"),
    ],
)
def test_loops_of_the_host_end_as_those_of_a_thread(loop: str, head: str) -> None:
    params, contract = ", unsigned u, unsigned v", '__requires("u >= 1, u <= 100, v >= 1");'
    inside = host(launch("1", f"for ({loop}) e[t] = 1.0f;") + BACK, params, contract)
    around = host(f"for ({loop}) {{" + launch("1", "e[t] = 1.0f;") + "}" + BACK, params, contract)
    assert head in kernel_text(inside)
    assert head in emitted(around).text.split("__global__")[1]


@pytest.mark.parametrize(
    ("fact", "check"),
    [
        ("u - v >= 0", "if ((long long)u - v < 0)"),
        ("u - 5 >= 0", "if ((long long)u - 5 < 0)"),
        ("m >= u", "if ((long long)m < u)"),
        ("m * k <= 10", "if ((long long)m * k > 10)"),
        ("u >= 5", "if (u < 5)"),
        ("m >= k", "if (m < k)"),
        ("w <= 9", "if (w > 9)"),
        ("w - 9 <= 0", None),
    ],
)
def test_what_is_required_is_checked_as_a_fact_about_numbers(fact: str, check: str | None) -> None:
    """`u - v < 0` is never true of unsigned numbers in C++."""
    params = ", int m, int k, unsigned u, unsigned v, uint64_t w"
    text = emitted(host(launch("1", "e[t] = 1.0f;") + BACK, params, f'__requires("u <= 100, v <= 100, {fact}");')).text
    assert f"The caller sees to: {fact}" in text if check is None else check in text


def test_a_result_is_proved_to_fit_its_type() -> None:
    f = """__device__ int square(int k) { __requires("k >= 0, k <= 100000"); return k * k; }"""
    assert "return k * k;" in emitted(f + host(launch("1", "e[t] = square(t);") + BACK)).text
    wide = f.replace("k * k", "k * k / 4")
    assert "return (long long)k * k / 4;" in emitted(wide + host(launch("1", "e[t] = square(t);") + BACK)).text


INTEGERS = host("BODY" + BACK).replace("float", "int")


@pytest.mark.parametrize("head", ["if (h[0] > 3)", "for (int i = 0; i < h[0]; i++)", "if (n > 3)"])
def test_the_host_does_not_look_into_arrays_on_the_device(head: str) -> None:
    unit = emitted(INTEGERS.replace("BODY", f"{head} {{ {launch('1', 'e[t] = 5;')} }}"))
    assert unit.on_device is ("h[0]" not in head)
    assert (unit.plan is not None) is unit.on_device


def test_the_size_of_a_launch_is_no_memory() -> None:
    text = INTEGERS.replace("BODY", "const int g = h[0];" + launch("g", "if (b == 0) e[t] = 5;"))
    assert "const int g = h[0];" in emitted(text).text
    assert "OG402: the size of a launch is read from memory" in refused(
        text.replace("(g,", "(h[0],").replace("< g;", "< h[0];")
    )


GIVEN = """void f(int n, float a[n][4], float b[n][4]) {
  __requires("A: int * int -> float, n >= 0");
  __reads("a ~> Matrix2Of(n, 4, GMem, A)");
  __writes("b ~> Matrix2Of(n, 4, GMem, A)");
  kernel_launch(n, 1, 0);
  kernel_setup_end();
  thread for (int i = 0; i < n; i++) { float r[4]; LOAD vstore4(&b[i][0], &r[0]); }
  kernel_teardown_begin();
  kernel_kill();
}
"""


@pytest.mark.parametrize(
    ("load", "aligned"),
    [("vload4(&r[0], &a[i][0]);", {"a": 16, "b": 16}), ("for (int j = 0; j < 4; j++) r[j] = a[i][j];", {"b": 16})],
)
def test_device_memory_of_the_caller_is_checked_for_its_alignment(load: str, aligned: dict[str, int]) -> None:
    unit = emitted(GIVEN.replace("LOAD", load))
    assert unit.alignment == aligned
    for entry in unit.text.split('extern "C" const char* ')[1:]:
        assert [n for n in "ab" if f"(uintptr_t){n} % 16" in entry] == list(aligned)


def test_what_a_vector_is_loaded_into_is_written() -> None:
    store = GIVEN.replace("LOAD", "vload4(&r[0], &a[i][0]);")
    direct = GIVEN.replace("float r[4]; LOAD vstore4(&b[i][0], &r[0]);", "vload4(&b[i][0], &a[i][0]);")
    for text in (store, direct):
        assert "f_kernel(const float* __restrict__ a, float* b)" in emitted(text).text


@pytest.mark.parametrize(
    "load", ["vload4(&r[0], &q[4]);", "float* const z = &q[4]; vload4(&r[0], z);", "vstore4(&q[4], &r[0]);"]
)
def test_a_vector_access_is_one_to_memory(load: str) -> None:
    """An array of a thread's own is aligned as its elements are."""
    before = "float q[9]; for (int j = 0; j < 9; j++) q[j] = 0.0f; for (int j = 0; j < 4; j++) r[j] = q[j]; "
    text = GIVEN.replace("b ~> Matrix2Of(n, 4, GMem, A)", "b ~> Matrix2Of(n, 4, GMem, fun i j -> 0)")
    assert "store4(&b" in emitted(text.replace("LOAD", before)).text
    assert "OG401: a vector access to an array of the thread's own" in refused(text.replace("LOAD", before + load))


def test_a_device_function_has_no_vector_accesses() -> None:
    """Nothing would align what its callers give it."""
    text = "__device__ void copy(float p[4], float q[4]) { COPY }" + host(
        launch("1", "float r[4]; float s[4]; copy(r, s); e[t] = s[0];") + BACK
    )
    assert "copy(r, s);" in kernel_text(text.replace("COPY", "for (int i = 0; i < 4; i++) q[i] = p[i];"))
    assert "OG401: a vector access inside a device function" in refused(text.replace("COPY", "vstore4(&q[0], &p[0]);"))


@pytest.mark.parametrize(
    ("name", "refused_"),
    [("cudaMemcpy", True), ("failure", True), ("new", True), ("cuda_copy", False), ("copy", False)],
)
def test_no_entry_point_takes_the_place_of_what_cuda_has(name: str, refused_: bool) -> None:
    text = host(launch("1", "e[t] = 1.0f;") + BACK).replace("void f(", f"void {name}(")
    if refused_:
        assert f"OG405: `{name}` means something else" in refused(text)
    else:
        assert f'extern "C" const char* {name}(' in emitted(text).text


@pytest.mark.parametrize(
    ("name", "refused_"),
    [
        ("store4", True), ("make_float4", True), ("__shfl_down_sync", True), ("cudaFree", True), ("f_kernel2", True),
        ("launch_f_kernel", True), ("store5", False), ("kernel_f", False),
    ],
)  # fmt: skip
def test_no_device_function_takes_the_place_of_one_of_cuda(name: str, refused_: bool) -> None:
    """`store4(float*, float*)` would be called for every `vstore4`."""
    text = f"__device__ float {name}(float x) {{ return x; }}" + host(launch("1", f"e[t] = {name}(1.0f);") + BACK)
    if refused_:
        said = f"OG101: `{name}` is built in" if name.startswith("__") else f"OG405: `{name}` means something else"
        assert said in refused(text)
    else:
        assert f"{name}(1.0f)" in kernel_text(text)


@pytest.mark.parametrize("name", ["a.c\nint evil;", "a.c\rint evil;", "a.c\u2028int evil;"])
def test_a_comment_ends_where_its_line_ends(name: str) -> None:
    text = emit_cuda(parse_text(threads("d[b][t] = 1.0f;"), name)).text
    assert text.startswith("// Generated by OptiGPU from a.c int evil;. Do not edit.\n//\n")
    for end in ("\\", "\\\t", "\\ \0", "\\\x7f \\"):  # what the compiler takes for the end of a line that goes on
        assert comment(f"because {end}") == "// because"
    assert comment("a \\ b") == "// a \\ b"


@pytest.mark.parametrize(("back", "waits"), [("BACK", True), ("if (n > 3) { BACK }", False)])
def test_kernels_have_ended_when_a_function_ends(back: str, waits: bool) -> None:
    """A copy that is not always made does not always wait for them, nor report what went wrong."""
    unit = emitted(host(launch("1", "e[t] = 5;") + back.replace("BACK", BACK)))
    assert ("cudaDeviceSynchronize" not in unit.text) is waits


@pytest.mark.parametrize(("most", "direct"), [(64, True), (128, False)])
def test_a_block_has_room_for_64_threads_in_z(most: int, direct: bool) -> None:
    loops = "".join(
        f"thread for (int {i} = 0; {i} < {n}; {i}++) " for i, n in (("b", 3), ("x", "n"), ("y", 4), ("z", 2))
    )
    body = f"kernel_launch(3, n * 8, 0); kernel_setup_end(); {loops} if (b + x + y + z == 0) e[0] = 1.0f; "
    text = host(body + "kernel_teardown_begin(); kernel_kill();" + BACK, contract=f'__requires("n <= {most}");')
    assert ("const int x = threadIdx.z;" in kernel_text(text)) is direct


def test_what_is_required_of_constants_is_checked() -> None:
    text = host(launch("1", "e[t] = 1.0f;") + BACK, contract='__requires("n <= N");').replace("[8]", "[M]")
    unit = emitted("#define N 4\n#define M (N * 2)\n" + text)
    assert "if (n > 4)" in unit.text
    assert unit.on_device


def eight(body: str, *, index: str = "int t", pre: str = "", params: str = "", contract: str = "") -> str:
    """Eight threads of one block; numbers are doubles."""
    loops = f"thread for (int b = 0; b < 1; b++) thread for ({index} = 0; t < 8; t++) {{ {body} }}"
    kernel = f"kernel_launch(1, 8, 0); kernel_setup_end(); {loops} kernel_teardown_begin(); kernel_kill();"
    return pre + host(kernel + BACK, params, contract).replace("float", "double")


SIGNS = {
    "an index without a sign is an int of the thread": eight("e[t] = t * 600000000;", index="unsigned t"),
    "64 bits without a sign, less than zero": eight(
        "e[t] = ((int64_t)w * 4 - 3) / 4 - 5;", params=", uint64_t w", contract='__requires("w >= 1, w <= 4");'
    ),
    "64 bits without a sign, compared": eight(
        "e[t] = ((int64_t)w * 4) / 4 < t - m ? 1.0 : 0.0;",
        params=", uint64_t w, int m", contract='__requires("w >= 1, w <= 4, m >= 5, m <= 9");',
    ),
    "64 bits without a sign, taken away": eight(
        "e[t] = t - ((int64_t)w * 4) / 4;", params=", uint64_t w", contract='__requires("w >= 1, w <= 4");'
    ),
    "a quotient in place": eight(
        "int s = t - 8; s /= ((int)u * 4) / 4; e[t] = s;", params=", unsigned u", contract='__requires("u >= 1, u <= 4");'
    ),
    "a remainder in place": eight(
        "int s = t - 8; s %= ((int)u * 4) / 4; e[t] = s;", params=", unsigned u", contract='__requires("u >= 3, u <= 4");'
    ),
    "the greatest of two numbers, one without a sign": eight(
        "const unsigned x = t * 500000000; e[t] = max(x, t) / 2;", index="unsigned t"
    ),
    "a constant of 64 bits without a sign": eight(
        "e[t] = w < (uint64_t)9223372036854775807 + 5 ? 1.0 : 2.0;", params=", uint64_t w"
    ),
    "a size of an array of which nothing is said": eight(
        "double r[8]; e[t] = g(t - 3, r);", pre="__device__ double g(int n, double a[n]) { return n >= 0 ? 1.0 : 2.0; }\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SIGNS)
def test_numbers_keep_their_signs(name: str) -> None:
    assert examine("#include <optigpu.h>\n" + SIGNS[name], Verifier(Settings(unbounded=True)), 1) == ("agrees", "")


@pytest.mark.parametrize(("bound", "refused_"), [("w <= 100", False), ("w >= 5", True)])
def test_no_comparison_loses_a_sign(bound: str, refused_: bool) -> None:
    text = eight(
        "e[t] = ((int64_t)w * 4) / 4 < m ? 1.0 : 0.0;",
        params=", uint64_t w, int m", contract=f'__requires("{bound}");',
    )  # fmt: skip
    if refused_:
        assert "OG404" in refused(text)
    else:
        assert "(long long)w < m" in kernel_text(text)


@pytest.mark.parametrize("bound", ["n * n + 2", "n + 2"])
def test_the_index_of_a_host_loop_reaches_the_kernel_whole(bound: str) -> None:
    """In each iteration it is proved to fit its type; it may leave that when the loop ends."""
    type_ = "int"
    loop = f"for (int i = n; i < {bound}; i++) {{" + launch("1", "e[t] = i;") + "}" + BACK
    text = host(loop, contract='__requires("n >= 1, n <= 2000000000");')
    assert f"f_kernel({type_} i, " in kernel_text(text)
    assert f"launch_f_kernel({type_} i, " in emitted(text).text
    assert ("for (long long i" in emitted(text).text) is (bound == "n * n + 2")


SHARED_TWICE = """thread for (int b = 0; b < B; b++) {
  { __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = t;
    blocksync();
    thread for (int t = 0; t < 8; t++) d[b][t] = s[7 - t];
    blocksync(); }
  { __shared__ float s[8];
    thread for (int t = 0; t < 8; t++) s[t] = 2.0f;
    blocksync();
    thread for (int t = 0; t < 8; t++) {
      float OWN[8];
      for (int i = 0; i < 8; i++) OWN[i] = 5.0f;
      d[b][t] = d[b][t] + OWN[0] + s[7 - t];
    } }
}"""
NAMES = {own: one_kernel(SHARED_TWICE.replace("OWN", own), shared="32") for own in ("s_", "s1", "s__", "x")} | {
    "a variable after a thread loop with one of its name": one_kernel(
        """thread for (int b = 0; b < B; b++) {
          thread for (int t = 0; t < 8; t++) { float x = d[b][t]; x = x * x; d[b][t] = x; }
          int x = b + 1; x = x * x;
          thread for (int t = 0; t < 8; t++) d[b][t] = d[b][t] + x;
        }"""
    ),
    "a variable after a block with a shared array of its name": one_kernel(
        """thread for (int b = 0; b < B; b++) {
          { __shared__ float x[8]; thread for (int t = 0; t < 8; t++) { x[t] = 3.0f; d[b][t] = d[b][t] + x[t]; } }
          int x = b + 1; x = x * x;
          thread for (int t = 0; t < 8; t++) d[b][t] = d[b][t] + x;
        }""",
        shared="32",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_what_is_moved_to_the_top_of_a_kernel_meets_no_other_name(name: str) -> None:
    assert examine("#include <optigpu.h>\n" + NAMES[name], Verifier(Settings(unbounded=True)), 1) == ("agrees", "")


def scopes(last: str, *, size: int = 8000, wrapped: str = "{}") -> str:
    """Two arrays in the scopes of one block; `last`: the end of each scope, after the array was read."""
    arrays = "".join(
        f"""{{ __shared__ {type_} {name}[{size}];
          thread for (int t = 0; t < 8; t++) {name}[t] = t;
          blocksync();
          thread for (int t = 0; t < 8; t++) d[b][t] = d[b][t] + {name}[7 - t];
          {last} }}"""
        for type_, name in (("float", "s"), ("int", "r"))
    )
    body = f"thread for (int b = 0; b < B; b++) {{ {wrapped.format(arrays)} }}"
    return "#include <optigpu.h>\n" + one_kernel(body, shared=str((4 if last else 8) * size))


TOGETHER = "int* const r = reinterpret_cast<int*>(shared_memory);"
APART = "int* const r = reinterpret_cast<int*>(shared_memory + 32000);"


@pytest.mark.parametrize("wrapped", ["{}", "for (int k = 0; k < 3; k++) {{ {} }}"])
def test_shared_arrays_that_barriers_separate_share_bytes(wrapped: str) -> None:
    text = scopes("blocksync();", wrapped=wrapped)
    assert TOGETHER in kernel_text(text)
    assert examine(text, Verifier(Settings(unbounded=True)), 1) == ("agrees", "")
    assert examine(text, Verifier(), 1, lambda cuda: cuda.replace("__syncthreads();\n", "\n", 1))[0] == "wrong"


def test_shared_arrays_that_no_barrier_separates_are_apart() -> None:
    text = scopes("")
    assert APART in kernel_text(text)
    assert examine(text, Verifier(Settings(unbounded=True)), 1) == ("agrees", "")


@pytest.mark.parametrize(
    ("wrapped", "place"),
    [
        ("for (int k = 0; k < 3; k++) {{ {} }}", 32000),
        ("for (int k = 0; k < B; k++) {{ if (k < 2) {{ {} }} }}", 32000),
        ("{{ __shared__ float q[1]; {} }}", 32016),
    ],
)
def test_a_barrier_that_is_not_always_passed_separates_nothing(wrapped: str, place: int) -> None:
    text = scopes("if (B > 3) blocksync();", wrapped=wrapped)
    assert APART.replace("32000", str(place)) in kernel_text(text)


def test_shared_memory_that_no_block_has_is_refused() -> None:
    assert TOGETHER in kernel_text(scopes("blocksync();", size=50000))
    assert "OG406: the shared arrays of this kernel take 400000 bytes" in refused(scopes("", size=50000))


def test_the_programs_functions_are_called_and_not_cudas() -> None:
    """CUDA's `umin(unsigned, unsigned)` would suit the arguments better, were both looked at: inside a namespace, one is found."""
    own = "__device__ int64_t umin(int64_t a, int64_t b) { return a * b + 7; }\n"
    text = eight("e[t] = umin(u, u);", pre=own, params=", unsigned u")
    unit = emitted(text)
    for whole, head in ((unit.text, "namespace {"), (unit.device_text, "namespace program {")):
        before, inside = whole.split(head)
        assert "umin" not in before
        assert "umin(u, u)" in inside.split("\n}  // namespace" if head == "namespace {" else "\n}\n\n}\n")[0]
    assert examine("#include <optigpu.h>\n" + text, Verifier(Settings(unbounded=True)), 1) == ("agrees", "")


POINTERS = {
    "a parameter is written through a local pointer": eight(
        "set(e, t);",
        pre="""__device__ void set(double* p, int t) {
  __requires("0 <= t, t < 8");
  __writes("&p[t] ~>[GMem] Cell");
  double* const q = &p[t];
  double* const r = &q[0];
  r[0] = 5.0;
}
""",
    ),
    "the address of an array of the host": """void f(double h[8]) {
  __requires("A: int -> float");
  __consumes("h ~> Matrix1(8, A)");
  __produces("h ~> Cells1(8)");
  double* const v = malloc(8 * sizeof(double));
  for (int i = 0; i < 8; i++) v[i] = h[i] + 1.0;
  double* const d = __gmem_malloc1<double>(8);
  memcpy_host_to_device1(d, &v[0], 8);
  kernel_launch(1, 8, 0); kernel_setup_end();
  thread for (int t = 0; t < 8; t++) d[t] = d[t] + 1.0;
  kernel_teardown_begin(); kernel_kill();
  memcpy_device_to_host1(&h[0], d, 8);
  gmem_free(d);
  free(v);
}
""",
}


@pytest.mark.parametrize("name", POINTERS)
def test_pointers_are_what_they_point_to(name: str) -> None:
    assert examine("#include <optigpu.h>\n" + POINTERS[name], Verifier(Settings(unbounded=True)), 1) == ("agrees", "")


def test_more_memory_than_can_be_counted_is_not_there() -> None:
    """`n * m * sizeof(double)` is 2^64 + 240: what is left of it in 64 bits would be found, and `s` is larger."""
    text = """
void f(int n, int m, float h[8]) {
  __requires("n >= 1, m >= 1");
  __consumes("h ~> Cells1(8)");
  __produces("h ~> Cells1(8)");
  double* const s = __gmem_malloc2<double>(n, m);
  float* const d = __gmem_malloc1<float>(8);
  memcpy_host_to_device1(d, h, 8);
  kernel_launch(1, 8, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 8; t++)
    if (t == 0) {
      s[n - 1][0] = 2.0;
      d[t] = s[n - 1][0];
    }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(h, d, 8);
  gmem_free(d);
  gmem_free(s);
}
"""
    assert Verifier(Settings(unbounded=True)).verify(parse_text(text)).verified
    k = on_standin(text, races=False)
    h = np.zeros(8, np.float32)
    k(3, 4, h)
    assert h[0] == 2.0
    with pytest.raises(CallError, match="out of memory"):
        k(1946388001, 1184677982, h)
    k(3, 4, h)
    assert size_of(1 << 40).value == 1 << 40
    with pytest.raises(CallError, match="out of memory"):
        size_of((1 << 64) + 240)


def test_a_thread_has_room_for_large_arrays_on_the_stand_in() -> None:
    """A GPU's threads have 512 KiB each; the stand-in's would write into each other's."""
    text = threads("float r[60000]; for (int i = 0; i < 60000; i++) r[i] = 1.0f * t; d[b][t] = r[59999] + r[0];")
    h = np.zeros((1, 8), np.float32)
    on_standin(text, races=False)(h)
    assert h.tolist() == [[2.0 * t for t in range(8)]]


def one_block(params: str, type_: str, body: str, contract: str = "", before: str = "") -> str:
    """A function that sets `b[256]`, which is `d` on the device; `body` is what thread t does."""
    return f"""#include <optigpu.h>
{before}
void f({params}, {type_} b[256]) {{
  {contract}
  __writes("b ~> Cells1(256)");
  {type_}* const d = __gmem_malloc1<{type_}>(256);
  kernel_launch(1, 256, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 256; t++) {{ {body} }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, d, 256);
  gmem_free(d);
}}
"""


# (parameters, type of b, what a thread does, contract, arguments, what b[255] is): natural readings of ranges that were wrong
WIDE = {
    "cast of a difference": ("int x", "uint64_t", "d[t] = (uint64_t)(x - t);", "", (-(2**31),), 2**64 - 2**31 - 255),
    "constants put together": (
        "uint64_t u", "uint64_t", "const uint64_t v = u / 2u * 2u; d[t] = v + 1u + 5u;", "", (2**40,), 2**40 + 6,
    ),
    "a local that hides a parameter": (
        "int n, unsigned u", "unsigned", "const unsigned n = u; d[t] = (n + 2000000000u) / 2u;", "",
        (1, 2**32 - 10), 999999995,
    ),
    "an index helper in a condition": (
        "int h, int w, int r", "int", "d[t] = MINDEX2(h, w, r, 7) < 3000000000 ? 1 : 0;",
        '__requires("0 <= r && r < h, 7 < w");', (100000, 100000, 99999), 0,
    ),
    "wrapping around is no reason to refuse an argument": (
        "int n", "unsigned", "d[t] = (unsigned)n + 2147484000u;", '__requires("n >= 0");', (2**31 - 1,), 351,
    ),
    "remainders in place": (
        "int x, int y", "int", "int z = x; z %= y; d[t] = z;", '__requires("y == -1");', (-(2**31), -1), 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WIDE)
def test_numbers_are_no_smaller_than_they_are(name: str) -> None:
    params, type_, body, contract, args, last = WIDE[name]
    out = np.full(256, 77, {"int": "i4", "unsigned": "u4"}.get(type_, type_.removesuffix("_t")))
    on_standin(one_block(params, type_, body, contract))(*args, out)
    assert out[255] == last


def test_a_thread_is_not_a_logical_variable_of_its_name() -> None:
    text = """#include <optigpu.h>
void f(int n, float a[n][1000000000][1000], int64_t b[256]) {
  __requires("t: int, t == n, A: int * int * int -> float");
  __reads("a ~> Matrix3(t, 1000000000, 1000, A)");
  __writes("b ~> Matrix1(256, fun i -> i * 60000000)");
  int64_t* const d = __gmem_malloc1<int64_t>(256);
  kernel_launch(1, 256, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 256; t++) d[t] = t * 60000000;
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, d, 256);
  gmem_free(d);
}
"""
    out = np.zeros(256, np.int64)
    on_standin(text)(0, np.zeros((0, 10**9, 1000), np.float32), out)
    assert (out == np.arange(256) * 60000000).all()


def test_a_pointer_points_where_it_did_at_the_call() -> None:
    put = """__device__ void put(float x[1], int p[1]) {
  __preserves("ThreadsCtx(1)");
  __consumes("&x[0] ~~>[GMem] 0.0f, &p[0] ~~>[GMem] 0");
  __produces("&x[0] ~~>[GMem] 5.0f, &p[0] ~~>[GMem] 1");
  p[0] = 1;
  x[0] = 5.0f;
}"""
    text = f"""#include <optigpu.h>
{put}
void f(float b[2]) {{
  __writes("b ~> Matrix1(2, fun i -> i == 0 ? 5.0f : 0.0f)");
  float* const d = __gmem_malloc1<float>(2);
  int* const q = __gmem_malloc1<int>(1);
  kernel_launch(1, 1, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 1; t++) {{ d[0] = 0.0f; d[1] = 0.0f; q[0] = 0; put(&d[q[0]], q); }}
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, d, 2);
  gmem_free(d);
  gmem_free(q);
}}
"""
    assert examine(text, Verifier(), 1) == ("agrees", "")
    out = np.zeros(2, np.float32)
    on_standin(text)(out)
    assert out.tolist() == [5.0, 0.0]


def test_blocks_may_have_constants_of_one_name() -> None:
    first, second = (
        f"{{ const int m = {size}; {launch('m', f'if (b == 0) e[t] = {value};')} }}"
        for size, value in (("n / 2", 1), ("4", 2))
    )
    assert examine("#include <optigpu.h>\n" + host(first + second + BACK), Verifier(), 1) == ("agrees", "")


@pytest.mark.parametrize(
    ("params", "fact"), [("int n, int m, int k", "n * m * k <= 9"), ("int64_t n, int64_t m", "n * m <= 9")]
)
def test_a_fact_that_needs_more_than_64_bits_is_left_to_the_caller(params: str, fact: str) -> None:
    text = emitted(one_block(params, "int", "d[t] = 1;", f'__requires("{fact}");')).text
    assert f"// The caller sees to: {fact}\n" in text
    assert f"{fact} does not hold" not in text
    narrow = emitted(one_block("int n, int m", "int", "d[t] = 1;", '__requires("n * m <= 9");')).text
    assert "n * m <= 9 does not hold" in narrow


GROUP = """#include <optigpu.h>
__device__ void g(int p, TYPE x[1]) {
  __preserves("ThreadsCtx(1)");
  __requires("0 <= p && p < 1000000");
  __consumes("&x[0] ~>[GMem] UninitCell"); __produces("&x[0] ~>[GMem] Cell");
  INSIDE
}
void f(TYPE b[4]) {
  __writes("b ~> Cells1(4)");
  TYPE* const d = __gmem_malloc1<TYPE>(4);
  kernel_launch(1, 4, 0);
  kernel_setup_end();
  thread for (int t = 0; t < 4; t++) { OUTSIDE }
  kernel_teardown_begin();
  kernel_kill();
  memcpy_device_to_host1(b, d, 4);
  gmem_free(d);
}
"""
# (type, what g does, what calls it, results): names of g that are taken where it is called
PUT_IN_PLACE = {
    "a variable": (
        "int64_t", "int s = p; s += 1; x[0] = s * s;", "const int s = t + 100000; g(s, &d[t]);",
        [(100001 + t) ** 2 for t in range(4)],
    ),
    "an index": (
        "int64_t", "x[0] = p; for (int t = 0; t < 3; t++) x[0] = t * 2000000000;", "g(t, &d[t]);", [4000000000] * 4,
    ),
    "a name that would be bound again": (
        "float", "x[0] = 0.0f; for (int i = 0; i < 3; i++) { const int i1 = 7; x[0] += i + i1 + p; }",
        "for (int i = t; i < t + 1; i++) { g(i, &d[i]); }", [24 + 3 * t for t in range(4)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PUT_IN_PLACE)
def test_functions_put_in_place_keep_what_their_names_mean(name: str) -> None:
    type_, inside, outside, expected = PUT_IN_PLACE[name]
    text = GROUP.replace("TYPE", type_).replace("INSIDE", inside).replace("OUTSIDE", outside)
    out = np.zeros(4, type_.removesuffix("_t").replace("float", "float32"))
    on_standin(text)(out)
    assert out.tolist() == expected


def test_a_launch_without_a_compiler_takes_no_float_for_an_integer() -> None:
    """Where it does not fit, compiled code has a number of its own."""
    text = host("const int g = SIZE;" + launch("g", "if (b == 0) e[t] = 1.0f;") + BACK, params=", float x, int m")
    assert emitted(text.replace("SIZE", "n")).plan is not None
    assert emitted(text.replace("SIZE", "(int)x")).plan is None
    helper = emitted(text.replace("SIZE", "MINDEX2(n, m, n, m)")).plan
    assert helper is not None and "MINDEX" not in str(helper)


@pytest.mark.parametrize(("size", "fits"), [("100", True), ("n", False), ("40000000", False)])
def test_local_arrays_of_the_host_beside_kernels_are_small(size: str, fits: bool) -> None:
    text = host(f"float y[{size}];" + launch("1", "e[t] = 1.0f;") + BACK)
    if fits:
        assert f"float y[{size}];" in emitted(text).text
    else:
        assert refused(text).startswith("OG401: an array that the stack may have no room for")


def test_a_matrix_in_registers_is_an_argument() -> None:
    text = one_block(
        "int n",
        "float",
        "float r[2][4]; for (int i = 0; i < 2; i++) for (int j = 0; j < 4; j++) r[i][j] = t; d[t] = g(r);",
    )
    g = """__device__ float g(float x[2][4]) { return x[1][3]; }"""
    out = np.zeros(256, np.float32)
    on_standin(text.replace("void f(", g + "\nvoid f("))(1, out)
    assert out.tolist() == list(range(256))


def test_the_size_of_shared_memory_is_known_before_a_launch() -> None:
    threads = "thread for (int t = 0; t < 8; t++) { s[t] = 1.0f; d[b][t] = s[t]; }"
    body = f"thread for (int b = 0; b < B; b++) {{ DECL __shared__ float s[SIZE]; {threads} }}"
    fine = body.replace("DECL", "").replace("SIZE", "B + 8")
    assert "extern __shared__" in emitted(one_kernel(fine, shared="4 * (B + 8)")).text
    inside = body.replace("DECL", "const int m = B + 8;").replace("SIZE", "m")
    assert refused(one_kernel(inside, shared="4 * (B + 8)")).startswith("OG402: the size of shared memory is computed")


NESTED = """#include <optigpu.h>
__device__ int h(int i, float s[8]) {
  __preserves("ThreadsCtx(8)");
  __ensures("_Res == i + 2");
  __consumes("for t in 0..8 -> &s[t] ~>[SMem] UninitCell"); __produces("for t in 0..8 -> &s[t] ~>[SMem] Cell");
  int v = i + 1; v = v + 1; thread for (int t = 0; t < 8; t++) { s[t] = i; } return v;
}
__device__ void g(float s[8]) {
  __preserves("ThreadsCtx(8)");
  __consumes("for t in 0..8 -> &s[t] ~>[SMem] UninitCell"); __produces("for t in 0..8 -> &s[t] ~~>[SMem] 5");
  INSIDE
}
"""
USED = "thread for (int b = 0; b < B; b++) { __shared__ float s[8]; g(s); thread for (int t = 0; t < 8; t++) d[b][t] = s[t]; }"


@pytest.mark.parametrize(
    "inside",
    [
        "int v = 1; v = h(3, s); thread for (int t = 0; t < 8; t++) { s[t] = v; }",
        "int v = 1; v = v + 1; const int w = h(0, s); v = v + 1; thread for (int t = 0; t < 8; t++) { s[t] = v + w; }",
    ],
)
def test_calls_in_functions_put_in_place_take_no_names_of_theirs(inside: str) -> None:
    out = np.zeros((2, 8), np.float32)
    on_standin(one_kernel(USED, shared="32", before=NESTED.replace("INSIDE", inside)))(2, out)
    assert (out == 5).all()


@pytest.mark.parametrize(
    ("test", "planned"),
    [
        ("x < 1.0f", True),
        ("x + 1.0f > 1.0f", False),
        ("x != x", False),
        ("(float)n == x", False),
        ("n < 4", True),
        ("max(x, 1.0f) > 0.5f", False),
    ],
)
def test_a_launch_without_a_compiler_computes_no_floats(test: str, planned: bool) -> None:
    """Compiled code rounds, and has its own way with what is no number."""
    kernels = (launch("1", f"if (b == 0) e[t] = {value};") for value in ("1.0f", "2.0f"))
    first, second = kernels
    text = host(f"if ({test}) {{ {first} }} else {{ {second} }}" + BACK, params=", float x")
    assert (emitted(text).plan is not None) == planned
