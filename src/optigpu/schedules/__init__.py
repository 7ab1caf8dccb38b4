"""Schedules that people reuse: each makes fast kernels of a plain loop nest, as one step that is verified like any other."""

from optigpu.schedules.contraction import contraction
from optigpu.schedules.elements import elements
from optigpu.schedules.elementwise import elementwise
from optigpu.schedules.row_scan import row_scan
from optigpu.schedules.rows import rows
from optigpu.schedules.tensor_contraction import tensor_contraction
from optigpu.schedules.tensor_convolution import tensor_convolution
from optigpu.schedules.total import total

__all__ = [
    "contraction",
    "elements",
    "elementwise",
    "row_scan",
    "rows",
    "tensor_contraction",
    "tensor_convolution",
    "total",
]
