import optigpu as og
from optigpu.schedules import elements

s = og.Script("060_conv_3d_asymmetric_kernel.c")
elements(s, "n", "o", "i", "j", "k")
