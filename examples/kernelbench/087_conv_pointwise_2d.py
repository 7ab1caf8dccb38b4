import optigpu as og
from optigpu.schedules import elements

s = og.Script("087_conv_pointwise_2d.c")
elements(s, "n", "o", "p")
