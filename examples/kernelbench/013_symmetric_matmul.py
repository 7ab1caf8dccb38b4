import optigpu as og
from optigpu.schedules import elements

s = og.Script("013_symmetric_matmul.c")
elements(s, "i", "j")
