import optigpu as og
from optigpu.schedules import elements

s = og.Script("033_batch_norm.c")
elements(s, "c")
