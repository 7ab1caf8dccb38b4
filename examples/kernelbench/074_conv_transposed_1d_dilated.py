import optigpu as og
from optigpu.schedules import elements

s = og.Script("074_conv_transposed_1d_dilated.c")
elements(s, "n", "o", "i")
