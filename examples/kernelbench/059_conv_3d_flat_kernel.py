import optigpu as og
from optigpu.schedules import elements

s = og.Script("059_conv_3d_flat_kernel.c")
elements(s, "n", "o", "i", "j", "k")
