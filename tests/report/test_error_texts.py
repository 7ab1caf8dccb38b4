"""The checker's messages as a user reads them: one for each error code that a program of tests/cases gets."""

from __future__ import annotations

from optigpu.check.verdict import FunctionResult, Verdict
from optigpu.check.verify import Settings, Verifier
from optigpu.errors.catalogue import CATALOGUE
from optigpu.frontend import parse_text
from optigpu.interp.refute import refute
from optigpu.report.verdict_text import render_function
from optigpu.syntax.source import SourceText
from tests.conftest import ROOT
from tests.support.cases import variant_of

SEQUENTIAL = (
    "memory/temporary_array-10",
    "loops/fill-1",
    "loops/fill-11",
    "loops/fill-8",
    "loops/fill-7",
    "loops/fill-3",
    "sums/tiles_and_strided_rest-1",
    "memory/temporary_array-1",
    "memory/temporary_array-2",
    "arithmetic/divide-1",
    "sums/reduce_strided-1",
    "arithmetic/bits-1",
    "arithmetic/narrow-1",
    "memory/temporary_array-5",
    "calls/copy_to-3",
    "calls/copy_to-1",
    "calls/layout-1",
    "contracts/loop_invariant-3",
    "memory/temporary_array-4",
    "contracts/assertion-1",
    "contracts/ghost_lemma-1",
    "contracts/disjoint_claims-1",
    "sums/sum-9",
    "loops/symbolic_step-1",
    "loops/fill-10",
    "memory/pointer_behind_the_end-1",
    "sums/maximum-6",
    "sums/sum-5",
)
# Mistakes with threads.
OF_THREADS = (
    "gpu_launches/each_thread_its_own_cell-1",  # two threads write a cell
    "gpu_launches/each_thread_its_own_cell-2",  # one writes what another reads
    "gpu_spaces/reversed_through_shared_memory-1",  # no barrier after a write
    "gpu_warps/one_warp_at_a_time-1",  # none within a warp
    "gpu_barriers/write_after_read_straight_line-1",  # none after a read
    "gpu_barriers/across_iterations-2",  # nor in a loop
    "gpu_own_cells/between_blocks-1",  # blocks
    "gpu_registers/registers_of_a_block-1",  # registers of another thread
    "gpu_spaces/reversed_through_shared_memory-3",  # shared memory of another block
    "gpu_barriers/at_block_level-7",  # a barrier of the whole grid
    "gpu_barriers/at_block_level-9",  # of a thread
    "gpu_spaces/reversed_through_shared_memory-2",  # the wrong one
    "gpu_warps/one_warp_at_a_time-2",  # of a warp
    "gpu_launches/only_one_thread_writes-1",  # a store by 256 threads
    "gpu_barriers/at_block_level-3",  # shared memory of a thread
    "gpu_functions/device_function-2",  # a device function on the host
    "gpu_functions/reads_stay_pending-7",  # or by the wrong number of threads
    "gpu_functions/tree-2",  # no barrier at its end
    "gpu_functions/tree-7",  # for a whole block?
    "gpu_launches/each_thread_its_own_cell-7",  # extents
    "gpu_launches/each_thread_its_own_cell-10",
    "gpu_default_memory/no_threads_in_magic_loops-3",  # spaces
    "gpu_launches/each_thread_its_own_cell-18",
    "gpu_launches/more_than_1024_threads-1",  # limits
    "gpu_launches/each_thread_its_own_cell-11",
    "gpu_launches/each_thread_its_own_cell-12",
    "gpu_barriers/at_block_level-4",
    "gpu_launches/each_thread_its_own_cell-15",  # phases
    "gpu_spaces/reversed_through_shared_memory-6",  # a leak
    "gpu_spaces/reversed_through_shared_memory-7",
    "gpu_spaces/shared_array_of_an_iteration-1",  # reuse
    "gpu_vectors/four_cells_at_once-1",  # alignment
    "gpu_warps/sum_by_shuffles_down-4",  # lanes
    "gpu_default_memory/magic_loops-1",  # default memory without a magic barrier
    "gpu_default_memory/store_of_a_group-3",  # with another barrier
    "gpu_default_memory/magic_loops-3",  # freed too early
    "gpu_default_memory/the_grid_acts_as_one-1",  # written by nobody
)
CODES_OF_THREADS = {*(f"OG{n}" for n in range(340, 355)), "OG358"}


def rejected(name: str) -> tuple[FunctionResult, str]:
    """What the checker says of a mutant, as data and as text."""
    variant = variant_of(name)
    text = variant.code()
    file = f"{name.partition('/')[2]}.c"
    result = Verifier(Settings(refuter=refute)).verify(parse_text(text, file))
    bad = next(f for f in result.functions if f.verdict is not Verdict.VERIFIED)
    source = SourceText(file, text)
    return bad, render_function(bad, sources=lambda _: source)


def test_error_of_each_code_reads_well(golden) -> None:
    texts, codes = [], []
    for name in SEQUENTIAL:
        bad, text = rejected(name)
        assert bad.problem is not None and bad.problem.code == variant_of(name).expected.code
        texts.append(text)
        codes.append(bad.problem.code)
    assert codes == sorted(set(codes))
    golden(ROOT / "tests" / "golden" / "checker_errors.txt", "\n\n".join(texts) + "\n")


def test_errors_of_threads_read_well(golden) -> None:
    """Both places, who, which cell, the sizes, the levels, and what to do."""
    texts, codes = [], set()
    for name in OF_THREADS:
        bad, text = rejected(name)
        assert bad.problem is not None
        codes.add(bad.problem.code)
        texts.append(text)
    assert codes == CODES_OF_THREADS <= CATALOGUE.keys()
    golden(ROOT / "tests" / "golden" / "gpu_errors.txt", "\n\n".join(texts) + "\n")
