"""The hundred operators of KernelBench level 1, from the C program to the GPU."""

from benchmarks.kernelbench.operators import ACTIVATIONS, ATTENTION, LOSSES, MATMULS, NORMS, REDUCTIONS, SCANS, Operator
from benchmarks.kernelbench.windows import CONVOLUTIONS, POOLING

OPERATORS: list[Operator] = sorted(
    [*MATMULS, *ACTIVATIONS, *NORMS, *POOLING, *REDUCTIONS, *CONVOLUTIONS, *SCANS, *LOSSES, ATTENTION],
    key=lambda o: o.number,
)
