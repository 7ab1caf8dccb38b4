"""CUDA emission: one `.cu` file with host and device code from a checked program."""

from optigpu.codegen.cuda.emit import CudaUnit, emit_cuda

__all__ = ["CudaUnit", "emit_cuda"]
