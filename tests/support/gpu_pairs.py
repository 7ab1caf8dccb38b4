"""GPU programs that are right, each with wrong twins that a run must catch; the checker's tests use the same table."""

from __future__ import annotations

from tests.support.gpu_barrier_pairs import BARRIERS, OWN_CELLS
from tests.support.gpu_launch_pairs import LAUNCHES, REFERENCE, WARPS
from tests.support.gpu_memory_pairs import OWN_COPIES, REGISTERS, SPACES, VECTORS
from tests.support.gpu_twins import GpuPair, GpuWrong, rows

__all__ = ["GPU_PAIRS", "GpuPair", "GpuWrong", "rows"]

GPU_PAIRS = [*BARRIERS, *OWN_CELLS, *REGISTERS, *OWN_COPIES, *SPACES, *LAUNCHES, *WARPS, *VECTORS, *REFERENCE]
