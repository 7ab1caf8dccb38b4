import optigpu as og
from optigpu.schedules import elements

s = og.Script("003_batched_matmul.c")
elements(s, "t", "i", "j")
