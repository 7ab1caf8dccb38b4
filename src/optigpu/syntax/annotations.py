"""The names of annotations and of allocation calls."""

from __future__ import annotations

from optigpu.syntax.program import FUNCTION_CLAUSES, LOOP_CLAUSES
from optigpu.syntax.types import Space

CLAUSE_NAMES = frozenset("__" + kind for kind in FUNCTION_CLAUSES + LOOP_CLAUSES)
MARKERS = frozenset({"__admitted", "__pure"})  # `__pure()` stands for an empty contract
# Other spellings of clauses
CLAUSE_SPELLINGS = {"__modifies": "__preserves", "__xmodifies": "__xpreserves", "__smodifies": "__spreserves"}
WITH = "__with"  # `f(x); __with("A := fun i -> 0");`: values of the logical variables of the call before it
STATEMENT_ANNOTATIONS = frozenset({"__ghost", "__GHOST_BEGIN", "__GHOST_END", "__ASSERT", WITH})
TOP_LEVEL_ANNOTATIONS = frozenset({"__DECL", "__DEF", "__AXIOM"})
ANNOTATIONS = CLAUSE_NAMES | MARKERS | CLAUSE_SPELLINGS.keys() | STATEMENT_ANNOTATIONS | TOP_LEVEL_ANNOTATIONS

MAX_DIMENSIONS = 8
ZEROED = frozenset(f"CALLOC{n}" for n in range(1, MAX_DIMENSIONS + 1))  # allocations whose elements are zero

# Spelling of an allocation -> its number of sizes, and its memory space.
ALLOCATIONS: dict[str, tuple[int, Space]] = {
    spelling.format(n): (n, space)
    for spelling, space, least in (
        ("MALLOC{}", Space.ANY, 1),
        ("gmem_malloc{}", Space.GMEM, 1),
        ("__gmem_malloc{}", Space.GMEM, 1),
        ("GMEM_MALLOC{}", Space.GMEM, 1),
        ("SMEM_MALLOC{}", Space.SMEM, 1),
        ("CALLOC{}", Space.ANY, 1),
        ("__smem_malloc{}", Space.SMEM, 1),
        ("__treg_malloc{}", Space.TREG, 0),
    )
    for n in range(least, MAX_DIMENSIONS + 1)
}
# `__frag_malloc2<float>(2, 64, 128)`: a fragment of 64 x 128 for each half of the threads.
ALLOCATIONS |= {f"__frag_malloc{n}": (n + 1, Space.FRAG) for n in (1, 2)}
ALLOCATION_SPELLING: dict[Space, str] = {
    Space.ANY: "MALLOC{}",
    Space.GMEM: "__gmem_malloc{}",
    Space.SMEM: "__smem_malloc{}",
    Space.TREG: "__treg_malloc{}",
    Space.FRAG: "__frag_malloc{}",
}
