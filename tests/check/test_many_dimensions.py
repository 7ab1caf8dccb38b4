"""Arrays of five to eight dimensions: programs, contracts, copies."""

from __future__ import annotations

import numpy as np
import pytest

from optigpu.check.verify import Verifier
from optigpu.codegen.c import emit_c
from optigpu.frontend import parse_text
from optigpu.frontend.parameter_types import effective_types
from optigpu.runtime.cpu import CFunction
from optigpu.runtime.signature import signature_of
from optigpu.syntax.diagnostic import InputError
from tests.support.running import parse

NAMES = "abcdegij"


def copy(rank: int, order: str = "") -> str:
    """A copy through a temporary array; `order`: the indices of its last store."""
    sizes, types = ", ".join(["n", *["2"] * (rank - 1)]), " * ".join(["int"] * rank)
    names = NAMES[:rank]
    loops = "".join(f"for (int {x} = 0; {x} < {2 if k else 'n'}; {x}++) " for k, x in enumerate(names))
    cell = f"MINDEX{rank}({sizes}, {', '.join(names)})"
    dims = "[n]" + "[2]" * (rank - 1)
    at, to = "".join(f"[{x}]" for x in names), "".join(f"[{x}]" for x in order or names)
    return f"""#include <optigpu.h>
void f(int n, float x{dims}, float y{dims}) {{
  __requires("A: {types} -> float");
  __reads("x ~> Matrix{rank}({sizes}, A)");
  __writes("y ~> Matrix{rank}({sizes}, A)");
  float* const t = MALLOC{rank}(float, {sizes});
  {loops} t[{cell}] = x{at};
  {loops} y{to} = t[{cell}];
  free(t);
}}
"""


@pytest.mark.parametrize("rank", range(5, 9))
def test_arrays_have_up_to_eight_dimensions(rank: int) -> None:
    assert Verifier().verify(parse_text(copy(rank))).verified


@pytest.mark.parametrize("rank", [5, 8])
def test_exchanged_indices_are_not_the_same_cell(rank: int) -> None:
    names = NAMES[:rank]
    text = copy(rank, names[:-2] + names[-1] + names[-2])
    result = Verifier().verify(parse_text(text))
    assert not result.verified
    problem = result.functions[0].problem
    assert problem is not None
    assert (problem.code, problem.loc.line) == ("OG305", 5)


def test_compiled_c_copies_eight_dimensions() -> None:
    program = parse(copy(8))
    f = program.function("f")
    x = np.arange(384, dtype=np.float32).reshape((3, *(2,) * 7))
    y = np.zeros_like(x)
    CFunction(emit_c(program), signature_of(f, effective_types(f)))(3, x, y)
    assert (x == y).all()


def test_nine_dimensions_are_refused() -> None:
    with pytest.raises(InputError, match="MALLOC9"):
        parse_text(copy(8).replace("MALLOC8", "MALLOC9"))
