"""CUDA emission: one `.cu` file with host and device code from a checked program.

`cuda_unit.py` runs the passes in this order:

1. `sections.py` splits the host function into launches and the code between them (`host.py`, `host_nodes.py`).
2. `kernel_lowering.py` refuses what a script has not converted yet (`unconverted.py`) and lowers each kernel: thread loops to
   coordinates (`thread_index.py`), statements to the code of one thread (`statement_lowering.py`), shared arrays to a layout
   (`shared_memory_layout.py`), repeated index expressions to constants (`subexpressions.py`).
3. `cu_file_printer.py` prints the file. Its device code comes from `device_code_printer.py`, which calls `kernel_printer.py` for
   each kernel, which calls `statement_printer.py` for its statements.
"""

from optigpu.codegen.cuda.cuda_unit import CudaUnit, emit_cuda

__all__ = ["CudaUnit", "emit_cuda"]
