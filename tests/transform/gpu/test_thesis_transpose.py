"""The thesis' transpose: its scripts pass through the thesis' listings, and the CUDA of the last one transposes."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from optigpu.check.verify import Settings, Verifier
from optigpu.codegen.cuda import emit_cuda
from optigpu.frontend import parse_file
from optigpu.syntax.exprs import Binary, Call, Expr
from optigpu.syntax.printer import print_function
from optigpu.syntax.program import Program
from optigpu.syntax.walk import rewrite, rewrite_body
from tests.conftest import ROOT
from tests.support.cuda import on_standin

FOLDER = ROOT / "examples" / "thesis"
LISTINGS = {
    "transpose": ["listing_3_5", "listing_3_7", "listing_3_8", "listing_3_10", "listing_3_11"],
    "transpose_case_study": ["listing_6_21"],
}
Done = Callable[[str], dict[str, Any]]


@pytest.fixture(scope="module")
def done() -> Done:
    """The names that a script defines; each script is run once, when it is first asked for."""
    scripts: dict[str, dict[str, Any]] = {}

    def get(name: str) -> dict[str, Any]:
        if name not in scripts:
            scripts[name] = runpy.run_path(str(FOLDER / f"{name}.py"))
        return scripts[name]

    return get


def body_text(program: Program) -> str:
    """The text of the program's function, with `exact_div(H, 32)` as the thesis prints it, `H / 32`."""

    def as_division(e: Expr) -> Expr:
        match e:
            case Call("exact_div", (left, right)):
                return Binary("/", left, right)
            case _:
                return e

    (f,) = program.functions()
    return "\n".join(print_function(f).splitlines()[:1]) + str(rewrite_body(f.body, lambda e: rewrite(e, as_division)))


@pytest.mark.parametrize(("script", "listing"), [(s, name) for s, names in LISTINGS.items() for name in names])
def test_a_script_passes_through_the_listings_of_the_thesis(done: Done, script: str, listing: str) -> None:
    assert body_text(done(script)[listing]) == body_text(parse_file(FOLDER / f"{listing}.c"))


@pytest.mark.parametrize("script", LISTINGS)
def test_what_a_script_makes_is_verified_without_assumptions(done: Done, script: str) -> None:
    s = done(script)["s"]
    assert s.result.verified and not s.result.assumptions
    assert Verifier(Settings()).verify(done(script)[LISTINGS[script][-1]]).verified


@pytest.mark.parametrize("script", LISTINGS)
def test_the_emitted_kernel_transposes(done: Done, script: str) -> None:
    f = on_standin(done(script)["s"].program)
    a = np.arange(64 * 96, dtype=np.float32).reshape(64, 96)
    b = np.zeros((96, 64), dtype=np.float32)
    f(a, b, 96, 64)
    assert (b == a.T).all()


def test_the_emitted_kernel_is_what_one_would_write_by_hand(done: Done) -> None:
    text = emit_cuda(done("transpose_case_study")["s"].program).text
    kernel = text.split("__global__ ")[1].split("\n}\n")[0]
    assert kernel.splitlines()[2:] == [
        "  __shared__ float tile[32][33];",
        "  const int by = first_y + blockIdx.y;",
        "  const int bx = blockIdx.x;",
        "  const int y = threadIdx.y;",
        "  const int x = threadIdx.x;",
        "  for (int j = 0; j < 2; ++j) {",
        "    tile[j * 16 + y][x] = d_in[(size_t)(by * 32 + j * 16 + y) * W + (bx * 32 + x)];",
        "  }",
        "  __syncthreads();  // `tile` is complete before other threads use it",
        "  for (int j = 0; j < 2; ++j) {",
        "    d_out[(size_t)(bx * 32 + j * 16 + y) * H + (by * 32 + x)] = tile[x][j * 16 + y];",
        "  }",
    ]
