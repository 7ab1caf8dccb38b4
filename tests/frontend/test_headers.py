"""Headers and the order of declarations: a program means what C makes of it."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from optigpu.check.verify import Verifier
from optigpu.frontend import parse_file
from optigpu.syntax.diagnostic import InputError
from tests.support.verdicts import VERIFIED, verdict_of


def test_a_library_function_is_declared_by_its_header() -> None:
    """Without one, C would call this `fmaxf` with integers."""
    own = "int largest(int a, int b);\nint f() {\n  const float y = fmaxf(0.0f, 1.0f);\n  return 7;\n}\n"
    assert verdict_of(own) == VERIFIED
    assert verdict_of(own.replace("largest", "fmaxf")) == "OG101 1:5"


def test_recursion_through_an_include_is_rejected(tmp_path: Path) -> None:
    body = '(int x) {{\n  __ensures("_Res == 6");\n  return {}(x);\n}}\n'
    (tmp_path / "g.h").write_text("int g" + body.format("f"))
    (tmp_path / "f.c").write_text('#include "g.h"\nint f' + body.format("g"))
    with pytest.raises(InputError, match="recursion"):
        parse_file(tmp_path / "f.c")


def test_abs_of_a_float_is_one_in_c_too(tmp_path: Path) -> None:
    program = "#include <optigpu.h>\nint main(void) { float x = -1.5f; return abs(x) == 1.5f ? 0 : 1; }\n"
    (tmp_path / "f.c").write_text(program)
    include = str(files("optigpu.frontend").joinpath("include"))
    subprocess.run(["cc", "-std=c11", "-I", include, "f.c", "-o", "f"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "f"], check=False).returncode == 0


ATOMICS = """#include <optigpu.h>
void f(int n, uint32_t a[n], int h[2]) {
  __requires("A: int -> int, 1 <= n, forall i in 0..n -> A(i) <= 1000");
  __reads("a ~> Matrix1(n, A)");
  __consumes("h ~> Matrix1(2, fun c -> c == 0 ? 2147483647 : -1)");
  __produces("h ~> Matrix1(2, fun c -> c == 0 ? 2147483647 : min(-1, Min(i in 0..n, A(i))))");
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    atomicAdd(&h[0], 1);
    atomicAdd(&h[0], -1);
  }
  for (int i = 0; i < n; i++) {
    atomicMin(&h[1], a[i]);
  }
}
"""


def test_atomic_operations_are_of_the_type_of_the_element_in_c_too(tmp_path: Path) -> None:
    """C would compare an int with an unsigned number as unsigned ones, and partial sums of ints must not overflow."""
    assert verdict_of(ATOMICS) == VERIFIED
    assert verdict_of(ATOMICS.replace("min(-1, Min(i in 0..n, A(i)))", "Min(i in 0..n, A(i))")).startswith("OG305")
    main = "int main(void) { uint32_t a[1] = {5}; int h[2] = {INT_MAX, -1}; f(1, a, h); return h[0] != INT_MAX || h[1] != -1; }"
    (tmp_path / "f.c").write_text(f"#include <limits.h>\n{ATOMICS}{main}\n")
    include = str(files("optigpu.frontend").joinpath("include"))
    trap = ["-fsanitize=signed-integer-overflow", "-fsanitize-undefined-trap-on-error"]
    subprocess.run(["cc", "-std=c11", *trap, "-I", include, "f.c", "-o", "f"], cwd=tmp_path, check=True)
    assert subprocess.run([tmp_path / "f"], check=False).returncode == 0


def test_a_header_does_not_call_what_is_declared_below_it(tmp_path: Path) -> None:
    """C passes an int there, whatever the function takes."""
    (tmp_path / "h.h").write_text(
        'int h(int n) {\n  __requires("n >= -9, n < 9");\n  __ensures("_Res == n");\n  return g(n);\n}\n'
    )
    g = 'int g(int64_t x) {\n  __requires("x >= -9, x < 9");\n  __ensures("_Res == x");\n  return (int)x;\n}\n'
    include = '#include "h.h"\n'
    (tmp_path / "right.c").write_text(f"#include <optigpu.h>\n{g}{include}")
    (tmp_path / "wrong.c").write_text(f"#include <optigpu.h>\n{include}{g}")
    assert Verifier().verify(parse_file(tmp_path / "right.c")).verified
    with pytest.raises(InputError, match="`g` is not declared"):
        parse_file(tmp_path / "wrong.c")


@pytest.mark.parametrize(
    ("number", "kind"), [("-0.5f", "float"), ("-4294967296", "int64_t"), ("4000000000u", "unsigned")]
)
def test_without_its_header_abs_is_one_of_integers(number: str, kind: str) -> None:
    code = f"const {kind} x = {number};\n  return abs(x) == 0 ? 5 : 7;"
    program = f'int f() {{\n  __ensures("_Res == 7");\n  {code}\n}}\n'
    assert verdict_of("#include <optigpu.h>\n" + program) == VERIFIED
    assert verdict_of("#include <stdlib.h>\n" + program.replace(kind, "int").replace(number, "-3")) == VERIFIED
    assert verdict_of("#include <stdlib.h>\n" + program) == "OG102 5:10"
    assert verdict_of("#include <stdlib.h>\n" + program + "#include <optigpu.h>\n") == "OG102 5:10"
