"""Attempts to get CUDA text that does something else than the verified program.

Each program is verified, and its text runs beside the interpreter; or the text is looked at where sizes are too large to run.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from optigpu.check.verify import Settings, Verifier
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
from tests.support.emitted_programs import BACK, eight, host, launch, one_block, threads


def scratch_arrays(text: str) -> list[str]:
    """The device arrays that are not the caller's, when it calls the function on device arrays."""
    return re.findall(r"scratch_array<\w+> (\w+);", emitted(text).text.partition("f_on_device(")[2])


def test_arrays_of_the_caller_take_no_copies_before_they_are_copied_in() -> None:
    """On the caller's memory, the copy on the device would overwrite what is copied in after it."""
    text = host(
        f"memcpy_device_to_device1(e, x, 8); memcpy_host_to_device1(e, h, 8); {launch('1', 'e[t] = e[t] + 1.0f;')} {BACK}"
        "gmem_free(x);",
        ", float a[8]",
        '__reads("a ~> Cells1(8)"); float* const x = __gmem_malloc1<float>(8); memcpy_host_to_device1(x, a, 8);',
    ).replace("  memcpy_host_to_device1(e, h, 8);\n", "", 1)
    assert "e" in scratch_arrays(text)
    assert not scratch_arrays(text.replace("memcpy_device_to_device1(e, x, 8);", ""))


def test_arrays_of_the_caller_may_be_copied_in_after_a_launch() -> None:
    """A kernel before the copy writes scratch memory alone: the caller's array is what it was at the call."""
    scratch = "float* const d = __gmem_malloc1<float>(8);"
    late = "float* const x = __gmem_malloc1<float>(8); memcpy_host_to_device1(x, a, 8);"
    body = f"{scratch} {launch('1', 'd[t] = e[t];')} {late} {launch('1', 'e[t] = d[t] + x[t];')} {BACK}"
    text = host(body + "gmem_free(d); gmem_free(x);", ", float a[8]", '__reads("a ~> Cells1(8)");')
    assert scratch_arrays(text) == ["d"]
    early = (
        "float* const x = __gmem_malloc1<float>(8);" + launch("1", "x[t] = e[t];") + "memcpy_host_to_device1(x, a, 8);"
    )
    assert "x" in scratch_arrays(text.replace(late, early)), (
        "on the caller's memory, the kernel would overwrite the input"
    )


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
    assert scratch_arrays(text) == ["c"]
    assert scratch_arrays(text.replace(" c ", " d ").replace("c[", "d[").replace("(c)", "(d)")) == ["d", "d"]


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
