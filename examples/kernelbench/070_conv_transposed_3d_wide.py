import optigpu as og
from optigpu.schedules import elements

s = og.Script("070_conv_transposed_3d_wide.c")
elements(s, "n", "o", "i", "j", "k")
