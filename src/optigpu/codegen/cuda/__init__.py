"""CUDA: one `.cu` file with host and device code from a checked program (DESIGN, section 12)."""

from optigpu.codegen.cuda.emit import CudaUnit, emit_cuda

__all__ = ["CudaUnit", "emit_cuda"]
