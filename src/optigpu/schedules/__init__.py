"""Schedules that people reuse: each makes fast kernels of a plain loop nest, in steps that are verified like any other."""

from optigpu.schedules.contraction import contraction
from optigpu.schedules.elements import elements
from optigpu.schedules.elementwise import elementwise

__all__ = ["contraction", "elements", "elementwise"]
