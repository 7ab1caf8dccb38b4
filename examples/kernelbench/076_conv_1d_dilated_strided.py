import optigpu as og
from optigpu.schedules import elements

s = og.Script("076_conv_1d_dilated_strided.c")
elements(s, "n", "o", "i")
