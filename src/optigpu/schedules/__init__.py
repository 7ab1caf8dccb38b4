"""Schedules that people reuse: each makes fast kernels of a plain loop nest, as one step that is verified like any other."""

from optigpu.schedules.contraction import contraction
from optigpu.schedules.elements import elements
from optigpu.schedules.elementwise import elementwise
from optigpu.schedules.norm import norm
from optigpu.schedules.row_scan import row_scan
from optigpu.schedules.rows import rows
from optigpu.schedules.total import total

__all__ = ["contraction", "elements", "elementwise", "norm", "row_scan", "rows", "total"]
