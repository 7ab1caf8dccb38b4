import optigpu as og
from optigpu.schedules import elements

s = og.Script("062_conv_2d_asymmetric_kernel.c")
elements(s, "n", "o", "i", "j")
