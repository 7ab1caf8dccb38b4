import optigpu as og
from optigpu.schedules import elements

s = og.Script("090_cumprod.c")
elements(s, "i")
