"""Schedules that people reuse: each makes fast kernels of a plain loop nest, as one step that is verified like any other."""

from optigpu.schedules.attention import attention
from optigpu.schedules.auto import auto
from optigpu.schedules.column_norm import column_norm
from optigpu.schedules.columns import columns
from optigpu.schedules.contraction import contraction
from optigpu.schedules.convolution import convolution
from optigpu.schedules.copied_contraction import copied_contraction
from optigpu.schedules.elements import elements
from optigpu.schedules.elementwise import elementwise
from optigpu.schedules.held_rows import HeldRows
from optigpu.schedules.matmul import matmul
from optigpu.schedules.norm import norm
from optigpu.schedules.row_norm import row_norm
from optigpu.schedules.row_scan import row_scan
from optigpu.schedules.row_total import row_total
from optigpu.schedules.rows import rows
from optigpu.schedules.scan import scan
from optigpu.schedules.tensor_contraction import tensor_contraction
from optigpu.schedules.tensor_convolution import tensor_convolution
from optigpu.schedules.tile_contraction import tile_contraction
from optigpu.schedules.total import total
from optigpu.schedules.transpose import transpose
from optigpu.schedules.windows import line_windows, windows

__all__ = [
    "HeldRows",
    "attention",
    "auto",
    "column_norm",
    "columns",
    "contraction",
    "convolution",
    "copied_contraction",
    "elements",
    "elementwise",
    "line_windows",
    "matmul",
    "norm",
    "row_norm",
    "row_scan",
    "row_total",
    "rows",
    "scan",
    "tensor_contraction",
    "tensor_convolution",
    "tile_contraction",
    "total",
    "transpose",
    "windows",
]
