"""What memory-bound schedules propose for the programs of the examples, and what they say of others."""

from __future__ import annotations

import pytest

import optigpu as og
from optigpu.frontend import parse_text
from optigpu.schedules.memory_bound import MEMORY_BOUND, propose_row_norm, propose_transpose
from optigpu.schedules.proposals import Proposal, Unfit
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
BEST = {
    "transpose.c": "transpose() input=a output=b read_along=x write_along=y",
    "prefix_sums.c": "scan(i) input=a output=out var=total",
    "softmax_rows.c": "row_norm(i) inputs=['a'] loop=j online=True outputs=['b'] reductions=['best', 'total']",
    "vector_add.c": "elementwise(i)",
    "gpu/scripts/reduce_fast.c": "total(i) result=out var=sum",
    "gpu/scripts/stencil2d.c": "windows() col=x row=y",
    "kernelbench/004_matrix_vector.c": "rows(i) inputs=['a', 'x'] loop=k reductions=['sum'] vector=4",
    "kernelbench/012_diagonal_matmul.c": "elementwise(i, j)",
    "kernelbench/033_batch_norm.c": "norm(c) input=x loop=p output=y part=n squares=squares sum=sum",
    "kernelbench/036_rms_norm.c": "column_norm(n, p) inputs=['x'] loop=c outputs=['y'] reductions=['squares']",
    "kernelbench/040_layer_norm.c": "row_norm(i) inputs=['x'] loop=j outputs=['y'] reductions=['sum', 'squares']",
    "kernelbench/041_max_pool_1d.c": "line_windows(n, c) col=i input=x output=y outside=-INFINITY",
    "kernelbench/043_max_pool_3d.c": "windows(n, c, i) col=k row=j",
    "kernelbench/047_sum_reduction.c": "columns(n, j) loop=i out=y var=sum",
    "kernelbench/053_min_reduction.c": "elements(n, j) unroll=i",
    "kernelbench/089_cumsum.c": "row_scan(i) loop=j out=y var=sum",
    "kernelbench/095_cross_entropy_loss.c": (
        "row_total(i) loop=c reductions=['best', 'total'] result=loss var=sum width=classes"
    ),
}


def first(s: og.Script) -> str | None:
    for propose in MEMORY_BOUND:
        answer = propose(s)
        if isinstance(answer, Proposal):
            options = [f"{name}={value}" for name, value in sorted(answer.options.items())]
            return " ".join([f"{answer.schedule.__name__}({', '.join(answer.names)})", *options])
    return None


@pytest.mark.parametrize("name", BEST)
def test_the_schedule_of_an_example_is_proposed(name: str) -> None:
    assert first(og.Script(EXAMPLES / name)) == BEST[name]


@pytest.mark.parametrize("name", ["kernelbench/002_matmul.c", "kernelbench/055_conv_2d_wide.c", "histogram.c"])
def test_other_programs_get_a_reason_from_each(name: str) -> None:
    s = og.Script(EXAMPLES / name)
    answers = [propose(s) for propose in MEMORY_BOUND]
    assert all(isinstance(x, Unfit) and x.schedule and len(x.why.split()) > 3 for x in answers)


@pytest.mark.parametrize("name", ["vector_add.c", "kernelbench/012_diagonal_matmul.c", "transpose.c"])
def test_a_proposal_is_applied(name: str) -> None:
    s = og.Script(EXAMPLES / name)
    proposal = next(x for x in (propose(s) for propose in MEMORY_BOUND) if isinstance(x, Proposal))
    proposal.apply(s)
    assert s.result.verified and len(s.steps) == 2


def test_reasons_say_what_is_missing() -> None:
    s = og.Script(
        parse_text("""
        void f(int n, float a[n]) {
          __requires("A: int -> float");
          __consumes("a ~> Matrix1(n, A)");
          __produces("a ~> Matrix1(n, fun i -> 2 * A(i))");
          for (int i = 0; i < n; i++) a[i] = 2.0f * a[i];
        }""")
    )
    assert propose_transpose(s) == Unfit("transpose", "it is not one assignment in a nest of at least two loops")
    assert propose_row_norm(s) == Unfit("row_norm", "rows are not reduced by loops over one index")
