import optigpu as og
from optigpu.schedules import elements

s = og.Script("058_conv_transposed_3d_asymmetric.c")
elements(s, "n", "o", "i", "j", "k")
