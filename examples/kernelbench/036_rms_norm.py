import optigpu as og
from optigpu.schedules import elements

s = og.Script("036_rms_norm.c")
elements(s, "n", "p")
