import optigpu as og
from optigpu.schedules import elements

s = og.Script("008_matmul_irregular.c")
elements(s, "i", "j")
