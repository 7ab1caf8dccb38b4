import optigpu as og
from optigpu.schedules import elements

s = og.Script("040_layer_norm.c")
elements(s, "i")
